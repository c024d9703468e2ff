// A compiled rule set: Vectorscan's database.
#pragma once

#include <hs/hs.h>

#include <memory>
#include <vector>

#include "accel/regex/rule_file.h"

namespace dpusim::accel {

/// Frees what Vectorscan allocated.
struct VectorscanFree {
  void operator()(hs_database_t* database) const { hs_free_database(database); }
  void operator()(hs_scratch_t* scratch) const { hs_free_scratch(scratch); }
  void operator()(hs_compile_error_t* error) const { hs_free_compile_error(error); }
};

/// Holds the rules of one set, compiled once, for streams: a buffer is scanned as a stream of one piece, since the
/// scanner of Vectorscan 5.4.9 for whole buffers aborts on some patterns. Compilation does not look at the machine's
/// instruction set extensions, so the same rules always make the same automata.
class RuleSet {
 public:
  /// @error ConfigError with the rule's place and what Vectorscan says.
  explicit RuleSet(std::vector<Rule> rules);
  [[nodiscard]] const std::vector<Rule>& rules() const { return rules_; }
  [[nodiscard]] const hs_database_t* database() const { return database_.get(); }

 private:
  std::vector<Rule> rules_;
  std::unique_ptr<hs_database_t, VectorscanFree> database_;
};

}  // namespace dpusim::accel
