// One core as a SystemC module: the place where the engine's cycles and the kernel's time meet.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "cpu/a64/arch/psci.h"
#include "cpu/a64/arch/semihosting.h"
#include "cpu/a64/arch/system.h"
#include "cpu/a64/engine/engine.h"
#include "cpu/a64/timing/caches.h"
#include "sim/simulation.h"
#include "sim/stats.h"
#include "tlm/block.h"
#include "tlm/transfer.h"

namespace dpusim::cpu {

class A64Cpu;

/// What a core needs of the cluster that it is in.
class CoreGroup {
 public:
  virtual ~CoreGroup() = default;
  [[nodiscard]] virtual std::span<A64Cpu* const> peers() = 0;  ///< all cores of the cluster, in order of number
  [[nodiscard]] virtual PowerController& power() = 0;
  [[nodiscard]] virtual Semihosting& semihosting() = 0;
  /// Names the symbol at an address for reports; empty when unknown.
  [[nodiscard]] virtual std::string symbol(std::uint64_t address) = 0;
};

/// What is fixed at build time of a core's module.
struct CoreConfig {
  SystemConfig system;
  Frequency clock{2'500'000'000};
  Time quantum{1'000'000};
};

/// A core: a thread that runs its engine a quantum ahead of the kernel at most, and waits without polling in WFI and
/// WFE. Device accesses, interrupt controller registers, timers and cache misses happen at the kernel's time.
class A64Cpu final : public sc_core::sc_module,
                     public SystemHost,
                     public MemoryPort,
                     public IrqSink,
                     private ::tlm::tlm_bw_transport_if<> {
 public:
  /// @param timing outlives this. @param stats the core's own group.
  A64Cpu(const sc_core::sc_module_name& name, const BlockContext& context, StatGroup& stats, const CoreConfig& config,
         CoreGroup& group, TimingModel& timing);

  [[nodiscard]] MemoryInitiatorSocket& bus() { return bus_; }
  [[nodiscard]] System& system() { return system_; }
  [[nodiscard]] Engine& engine() { return engine_; }
  [[nodiscard]] unsigned number() const { return config_.system.number; }
  void set_requester(unsigned requester) { attributes_.requester = static_cast<std::uint16_t>(requester); }
  void connect_gic(GicCpuInterface& gic);

  /// Starts the core at `pc` with X0 = x0, now or, before time starts, at time 0. The core must be off.
  void start(std::uint64_t pc, std::uint64_t x0);
  [[nodiscard]] PowerState power_state() const { return power_; }
  /// Tells whether the core is off, waits in WFI or WFE, or has stopped for good.
  [[nodiscard]] bool idle() const { return power_ == PowerState::kOff || waiting_; }
  /// Sets the event register and wakes a core that waits for it.
  void receive_event();
  /// Wakes a core in WFE whose exclusive monitor has lost its granule to somebody's store.
  void check_monitor();
  /// Makes a timing-only transaction. @param size octets, at most 64. @param allocate the last-level cache may keep the
  /// line. @return cycles it takes.
  std::uint32_t charge_transfer(std::uint64_t physical, unsigned size, bool write, bool allocate);
  /// Reads or writes by virtual address under the present translation, without time. @return false when some octet
  /// cannot be.
  bool access_virtual(std::uint64_t va, std::span<std::uint8_t> data, bool write);

  // SystemHost
  [[nodiscard]] Time local_time() override;
  void synchronise() override;
  [[nodiscard]] std::uint64_t cycles() override { return engine_.cycles() + stall_cycles_; }
  [[nodiscard]] std::uint64_t instructions() override { return engine_.instructions(); }
  bool read_physical(std::uint64_t address, std::span<std::uint8_t> data, bool secure) override;
  bool write_physical(std::uint64_t address, std::span<const std::uint8_t> data, bool secure) override;
  void flush_translations(const TlbScope& scope) override;
  void flush_translations_inner_shareable(const TlbScope& scope) override;
  void invalidate_code(std::uint64_t physical, std::uint64_t size, bool inner_shareable) override;
  void context_changed() override { engine_.context_changed(); }
  void attention() override { engine_.attention(); }
  void deadline_changed() override { engine_.request_exit(); }
  void send_event() override;
  Flow psci_call(std::uint32_t function, const std::array<std::uint64_t, 3>& arguments, std::uint64_t& result) override;
  Flow semihosting_call() override;
  void exception_taken(std::uint8_t ec, unsigned target_el) override;
  void report(const std::string& key, const std::string& message) override;

  // MemoryPort
  std::optional<HostRegion> host_region(std::uint64_t physical, bool secure) override;
  bool must_synchronise() override;
  bool read(std::uint64_t physical, void* data, unsigned size, bool secure) override;
  bool write(std::uint64_t physical, const void* data, unsigned size, bool secure) override;

  // IrqSink: levels from the GIC, by CoreInterrupt.
  void irq_changed(unsigned number, bool level) override;

 private:
  ::tlm::tlm_sync_enum nb_transport_bw(::tlm::tlm_generic_payload&, ::tlm::tlm_phase&, sc_core::sc_time&) override {
    return ::tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;

  void run();
  void run_quantum();
  void wait_for_interrupt();
  void wait_for_event();
  void resume_at(Time time);
  /// Returns the cycles that a duration takes of the core: the last one counts whole.
  [[nodiscard]] std::uint64_t cycles_of(Time duration) const;
  bool transport(std::uint64_t physical, void* data, unsigned size, bool write, bool secure);
  bool access_physical(std::uint64_t address, std::uint8_t* data, std::size_t size, bool write, bool secure);
  [[nodiscard]] bool monitor_lost();
  void report_undefined(std::uint64_t pc, std::uint32_t word);

  BlockContext context_;
  CoreConfig config_;
  CoreGroup& group_;
  Clock clock_;
  MemoryInitiatorSocket bus_;
  Engine engine_;
  System system_;
  TransferAttributes attributes_;
  ::tlm::tlm_generic_payload payload_;

  PowerState power_ = PowerState::kOff;
  Time anchor_time_{0};  // local time when the core's cycle count was anchor_cycles_
  std::uint64_t anchor_cycles_ = 0;
  std::uint64_t stall_cycles_ = 0;  // cycles beyond the engine's: device accesses
  bool waiting_ = false, waiting_for_event_ = false;
  std::vector<HostRegion> regions_;  // direct memory granted so far
  sc_core::sc_event wake_, never_;

  Counter instructions_, cycles_, busy_, wfi_, wfe_;
  Counter irqs_, fiqs_, svcs_, hvcs_, smcs_, undefineds_, traps_, data_aborts_, instruction_aborts_, other_exceptions_;
  Counter device_reads_, device_writes_, bus_errors_;
  Formula ipc_, utilisation_;
};

}  // namespace dpusim::cpu
