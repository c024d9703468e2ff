// What the tests of this family put around their models.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "sim/simulation.h"
#include "sim/systemc_time.h"

namespace pcie_bench {

using namespace dpusim;

/// Services of a run.
struct Run {
  std::vector<std::string> lines;
  Log log{[this](LogLevel, const std::string& line) { lines.push_back(line); }, [] { return now(); }};
  Simulation simulation{log, 1, Fidelity::kApproximate, "."};
  BlockContext context(const std::string& name, Fidelity fidelity = Fidelity::kApproximate) {
    return {simulation, name, fidelity};
  }
  /// Returns a counter's value, or a histogram's count, by dotted path.
  double stat(const std::string& path) {
    const Statistic* found = simulation.stats().find(path);
    if (found == nullptr) throw std::runtime_error("no statistic " + path);
    return found->scalar(now());
  }
};

}  // namespace pcie_bench
