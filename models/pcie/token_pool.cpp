#include "pcie/token_pool.h"

#include <bit>

namespace dpusim::pcie {

TokenPool::TokenPool(StatGroup& group, const std::string& name, const std::string& what, unsigned tokens)
    : tokens_(tokens),
      free_(std::bit_ceil(tokens), Time(0)),
      count_(tokens),
      utilisation_(
          group, name + "_utilisation", "ratio",
          "Fraction of the run in which the " + what + " were in use, mean over all",
          [this](Time now) {
            const double all = static_cast<double>(now.count()) * tokens_;
            return all > 0 ? std::min(1.0, static_cast<double>(held_.count()) / all) : 0;
          },
          FormulaKind::kTimeMean),
      waits_(group, name + "_waits", "packets", "Packets that waited for one of the " + what),
      waiting_(group, name + "_waiting", "ps", "Time that packets waited for one of the " + what) {}

}  // namespace dpusim::pcie
