#include "accel/regex/match_store.h"

#include <algorithm>
#include <tuple>

namespace dpusim::accel {

void MatchStore::begin(const std::vector<Rule>& rules, std::size_t most, std::vector<bool>& done) {
  for (const unsigned index : touched_) single_[index] = kNone;
  touched_.clear();
  matches_.clear();
  rules_ = &rules;
  done_ = &done;
  most_ = most;
  exceeded_ = false;
  if (single_.size() < rules.size()) single_.resize(rules.size(), kNone);
}

bool MatchStore::add(unsigned index, std::uint64_t from, std::uint64_t to) {
  const Rule& rule = (*rules_)[index];
  if (rule.single_match) {
    if ((*done_)[index]) return true;
    if (single_[index] != kNone) {
      AccelMatch& first = matches_[single_[index]];
      if (std::tie(to, from) < std::tie(first.to, first.from)) {
        first.from = from;
        first.to = to;
      }
      return true;
    }
  }
  if (matches_.size() == most_) {
    exceeded_ = true;
    return false;
  }
  if (rule.single_match) {
    single_[index] = matches_.size();
    touched_.push_back(index);
  }
  matches_.push_back({.rule = rule.number, .flags = 0, .from = from, .to = to});
  return true;
}

std::span<const AccelMatch> MatchStore::finish() {
  for (const unsigned index : touched_) (*done_)[index] = true;
  const auto key = [](const AccelMatch& match) { return std::tie(match.to, match.rule, match.from); };
  std::sort(matches_.begin(), matches_.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  const auto same = [&](const auto& a, const auto& b) { return key(a) == key(b); };
  matches_.erase(std::unique(matches_.begin(), matches_.end(), same), matches_.end());
  return matches_;
}

}  // namespace dpusim::accel
