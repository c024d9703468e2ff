// The cluster of cores as a block of the platform: cores, their caches, power control and semihosting.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cpu/a64/a64_cpu.h"
#include "cpu/a64/timing/cortex_timing.h"
#include "sim/config.h"

namespace dpusim::cpu {

struct ArmClusterConfig {
  CoreModel core = CoreModel::kCortexA72;
  unsigned cores = 8;
  Frequency clock{2'500'000'000};
  unsigned start_el = 2;
  Frequency timer_frequency{62'500'000};
  PsciConduit psci = PsciConduit::kAuto;
  bool semihosting = true;
  std::string command_line;
  Time quantum{1'000'000};
  Bytes l1d{32 * 1024}, l1i{48 * 1024}, l2{1024 * 1024};
  unsigned l1d_ways = 2, l1i_ways = 3, l2_ways = 16, cores_per_l2 = 2;
  Cycles l2_latency{11}, snoop_latency{20};
  unsigned prefetch_lines = 6, store_misses = 6;
  static const ConfigTable<ArmClusterConfig>& table();
};

/// Simulates up to 32 AArch64 cores that share memory. Core 0 starts at the entry that set_entry names; the others wait
/// for PSCI CPU_ON.
class ArmCluster final : public sc_core::sc_module,
                         public dpusim::Block,
                         public Processor,
                         public CoherentAgent,
                         private CoreGroup,
                         private PowerController,
                         private MissPort {
 public:
  ArmCluster(const BlockContext& context, const ArmClusterConfig& config);
  ~ArmCluster() override;

  // Processor. Without set_entry no core starts; without set_console semihosting output goes to the log, line by line.
  void set_entry(std::uint64_t pc, std::uint64_t x0) override;
  void set_symbolizer(std::function<std::string(std::uint64_t)> symbolizer) override {
    symbols_ = std::move(symbolizer);
  }
  void set_command_line(std::string command_line) override { semihosting_.set_command_line(std::move(command_line)); }
  void set_console(std::function<void(std::string_view)> console) override {
    semihosting_.set_console(std::move(console));
  }

  [[nodiscard]] unsigned core_count() const { return static_cast<unsigned>(cores_.size()); }
  [[nodiscard]] A64Cpu& core(unsigned number) { return *cores_[number]; }
  /// Tells whether all cores are off or wait in WFI or WFE: without events to come, nothing happens any more.
  [[nodiscard]] bool idle() const;

  std::vector<Port> ports() override;
  void attached(const std::string& port, AddressSpace& bus, unsigned requester) override;
  void assembled() override;
  void finish() override;
  void snoop_write(std::uint64_t address, std::uint64_t length) override;

 private:
  // CoreGroup
  std::span<A64Cpu* const> peers() override { return peers_; }
  PowerController& power() override { return *this; }
  Semihosting& semihosting() override { return semihosting_; }
  std::string symbol(std::uint64_t address) override { return symbols_ ? symbols_(address) : std::string(); }
  // PowerController
  [[nodiscard]] unsigned pe_count() const override { return core_count(); }
  [[nodiscard]] std::uint64_t affinity(unsigned pe) const override;
  [[nodiscard]] PowerState power_state(unsigned pe) const override { return cores_[pe]->power_state(); }
  void power_on(unsigned pe, std::uint64_t entry, std::uint64_t x0) override { cores_[pe]->start(entry, x0); }
  void system_off(bool reset) override;
  // MissPort
  std::uint32_t fill(unsigned core, std::uint64_t line, bool for_write) override;
  std::uint32_t uncached(unsigned core, std::uint64_t physical, unsigned size, bool write) override;
  void write_back(unsigned core, std::uint64_t line) override;
  [[nodiscard]] std::uint64_t cycle(unsigned core) override { return cores_[core]->cycles(); }

  void console_octets(std::string_view text);

  BlockContext context_;
  ArmClusterConfig config_;
  Semihosting semihosting_;
  std::function<std::string(std::uint64_t)> symbols_;
  std::string console_line_;
  std::unique_ptr<Caches> caches_;
  std::vector<std::unique_ptr<TimingModel>> timings_;
  std::vector<std::unique_ptr<A64Cpu>> cores_;
  std::vector<A64Cpu*> peers_;
  std::vector<std::unique_ptr<Statistic>> cache_statistics_;
  bool entry_set_ = false;
};

}  // namespace dpusim::cpu
