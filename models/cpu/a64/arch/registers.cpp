#include "cpu/a64/arch/registers.h"

#include <algorithm>
#include <vector>

#include "sim/error.h"

namespace dpusim::cpu {

namespace {

// Rows by packed encoding: two octets for each possible encoding buy a lookup without a search.
struct Index {
  std::vector<std::uint16_t> row_of = std::vector<std::uint16_t>(1u << 16);  // 0: none, else number + 1
  std::vector<const SystemRegister*> rows;

  Index() {
    for (const auto part :
         {id_registers(), control_registers(), timer_registers(), pmu_registers(), debug_registers()}) {
      for (const SystemRegister& row : part) {
        std::uint16_t& slot = row_of[row.key.packed()];
        DPUSIM_CHECK(slot == 0, "system registers {} and {} have the same encoding", rows[slot - 1u]->name, row.name);
        rows.push_back(&row);
        slot = static_cast<std::uint16_t>(rows.size());
      }
    }
  }
};

const Index& index() {
  static const Index the_index;
  return the_index;
}

}  // namespace

const SystemRegister* find_register(SysRegKey key) {
  const std::uint16_t slot = index().row_of[key.packed()];
  return slot != 0 ? index().rows[slot - 1u] : reserved_id_register(key);
}

std::span<const SystemRegister* const> all_registers() { return index().rows; }

}  // namespace dpusim::cpu
