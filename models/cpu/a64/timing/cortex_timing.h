// The timing model of one core: static costs of its class, and the cluster's caches.
#pragma once

#include "cpu/a64/timing/caches.h"
#include "cpu/a64/timing/static_cost.h"

namespace dpusim::cpu {

class CortexTiming final : public TimingModel {
 public:
  CortexTiming(const CoreTiming& core, Caches& caches, unsigned number)
      : core_(core), caches_(caches), number_(number) {}
  std::uint32_t block_cost(std::span<const CostedOp> ops) override { return static_cost(core_, ops); }
  [[nodiscard]] bool dynamic() const override { return true; }
  AccessTiming data_access(std::uint64_t physical, unsigned size, bool write, bool cacheable) override {
    if (!cacheable) return {caches_.uncached_access(number_, physical, size, write), false, false};
    return caches_.data_access(number_, physical, write);
  }
  std::uint32_t fetch(std::uint64_t physical, std::uint32_t size) override {
    return caches_.fetch(number_, physical, size);
  }
  [[nodiscard]] std::uint32_t mispredict_penalty() const override { return core_.mispredict; }
  std::uint32_t barrier(Cost) override { return caches_.drain_stores(number_); }

 private:
  const CoreTiming& core_;
  Caches& caches_;
  unsigned number_;
};

}  // namespace dpusim::cpu
