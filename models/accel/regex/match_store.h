// The matches of one job, in the order of the report.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "accel/accel_job_desc.h"
#include "accel/regex/rule_file.h"

namespace dpusim::accel {

/// Takes matches in whatever order Vectorscan finds them and gives them out sorted by end, rule, start, each once. Of a
/// rule with single_match it keeps the first in that order.
class MatchStore {
 public:
  /// Begins a job. @param most matches beyond which add() gives up. @param done of each rule whether its single match
  /// was found before; what is found now is noted there by finish().
  void begin(const std::vector<Rule>& rules, std::size_t most, std::vector<bool>& done);
  /// Takes a match. @param index of the rule in its set. @return false when there are too many.
  [[nodiscard]] bool add(unsigned index, std::uint64_t from, std::uint64_t to);
  /// Says whether add() has given up.
  [[nodiscard]] bool exceeded() const { return exceeded_; }
  /// Sorts. @return the matches, until the next begin().
  [[nodiscard]] std::span<const AccelMatch> finish();

 private:
  static constexpr std::size_t kNone = SIZE_MAX;
  const std::vector<Rule>* rules_ = nullptr;
  std::vector<bool>* done_ = nullptr;
  std::size_t most_ = 0;
  bool exceeded_ = false;
  std::vector<AccelMatch> matches_;
  std::vector<std::size_t> single_;  ///< by rule: where its single match is in matches_
  std::vector<unsigned> touched_;    ///< rules whose entry in single_ is not kNone
};

}  // namespace dpusim::accel
