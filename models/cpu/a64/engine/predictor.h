// Branch prediction of the timed engine: gshare for directions, a target buffer, a return stack. Kept small and inline,
// since each branch passes here.
#pragma once

#include <array>
#include <cstdint>

namespace dpusim::cpu {

/// Predicts and learns. Penalties are the caller's. @spec McFarling, "Combining Branch Predictors", WRL TN-36 (gshare)
class Predictor {
 public:
  /// Records a conditional branch. @return whether it was mispredicted.
  bool conditional(std::uint64_t pc, bool taken) {
    std::uint8_t& counter = counters_[((pc >> 2) ^ history_) & (kCounters - 1)];
    history_ = (history_ << 1) | taken;
    ++branches;
    // A saturated counter that is right needs no update: the common case touches nothing.
    if (counter == (taken ? 3 : 0)) return false;
    const bool wrong = (counter >= 2) != taken;
    counter = static_cast<std::uint8_t>(counter + (taken ? 1 : -1));
    mispredicts += wrong;
    return wrong;
  }
  /// Records an indirect branch that is no return. @return whether the target was mispredicted.
  bool indirect(std::uint64_t pc, std::uint64_t target) {
    std::uint64_t& entry = targets_[(pc >> 2) & (kTargets - 1)];
    ++branches;
    const bool wrong = entry != target;
    entry = target;
    mispredicts += wrong;
    return wrong;
  }
  /// Records a call's return address.
  void call(std::uint64_t return_address) { stack_[top_++ & (kStack - 1)] = return_address; }
  /// Records a return. @return whether it was mispredicted.
  bool ret(std::uint64_t target) {
    ++branches;
    const bool wrong = stack_[--top_ & (kStack - 1)] != target;
    mispredicts += wrong;
    return wrong;
  }
  std::uint32_t penalty = 0;  ///< cycles, from TimingModel::mispredict_penalty
  std::uint64_t branches = 0, mispredicts = 0;

 private:
  static constexpr unsigned kCounters = 4096, kTargets = 512, kStack = 16;
  std::array<std::uint8_t, kCounters> counters_{};
  std::array<std::uint64_t, kTargets> targets_{};
  std::array<std::uint64_t, kStack> stack_{};
  std::uint64_t history_ = 0;
  unsigned top_ = 0;
};

}  // namespace dpusim::cpu
