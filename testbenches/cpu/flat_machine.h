// A PE with flat memory and no devices but those that a test adds: engine, system part and host in one object. No
// SystemC.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cpu/a64/engine/engine.h"

namespace dpusim::cpu {

/// Memory of `size` octets at kRam; everything else is a bus error, or `device` when that is set.
class FlatMachine : public SystemHost, public MemoryPort {
 public:
  static constexpr std::uint64_t kRam = 0x4000'0000, kDevice = 0x0900'0000, kDeviceSize = 8192;
  static constexpr FeatureSet kAllFeatures = ~FeatureSet{0};

  explicit FlatMachine(std::size_t size = std::size_t{16} << 20, SystemConfig config = {},
                       TimingModel* timing = nullptr)
      : ram(size), engine(std::size_t{4} << 20), system(engine.state(), *this, config) {
    engine.connect(system, *this, timing != nullptr ? *timing : unit_, kAllFeatures);
    system.reset(kRam, 0);
    engine.on_undefined = [this](std::uint64_t, std::uint32_t word) { undefined_words.push_back(word); };
  }

  CpuState& state() { return engine.state(); }
  std::uint64_t& x(unsigned n) { return engine.state().x[n]; }
  /// Puts words into memory at a physical address.
  void put(std::uint64_t address, const std::vector<std::uint32_t>& words) {
    std::memcpy(&ram[address - kRam], words.data(), 4 * words.size());
  }
  template <class T>
  void poke(std::uint64_t address, T value) {
    std::memcpy(&ram[address - kRam], &value, sizeof value);
  }
  template <class T>
  T peek(std::uint64_t address) const {
    T value;
    std::memcpy(&value, &ram[address - kRam], sizeof value);
    return value;
  }
  /// Runs `words` from the start of memory; a HLT-free way to stop is the budget: one cycle an instruction.
  RunResult execute(const std::vector<std::uint32_t>& words) {
    std::vector<std::uint32_t> program = words;
    program.push_back(0x14000000);  // b .
    put(kRam, program);
    engine.invalidate_physical(kRam, 4 * program.size());
    state().pc = kRam;
    return engine.run(static_cast<std::int64_t>(words.size()) + 1);
  }
  /// Turns EL2's MMU on with an identity map: the first GiB is Device-nGnRnE, the second Normal write-back. The table
  /// takes the last page.
  void enable_mmu() {
    const std::uint64_t table = kRam + ram.size() - 4096;
    // Level 1 blocks of 1 GiB: AF, AP[1] (RES1 at EL2), attribute index, valid. @spec Arm ARM D8.3
    poke<std::uint64_t>(table, 0x401 | 1 << 6 | 1 << 2);
    poke<std::uint64_t>(table + 8, kRam | 0x401 | 3 << 8 | 1 << 6);
    Control& control = system.control();
    control.mair[2] = 0x00ff;                                      // index 0: Normal write-back, 1: Device-nGnRnE
    control.tcr[2] = 25 | 3 << 12 | 2 << 16 | 1u << 31 | 1 << 23;  // 39 bits, 4 KiB granule
    control.ttbr0[2] = table;
    control.sctlr[2] |= sctlr_bit::kM | sctlr_bit::kC | sctlr_bit::kI;
    system.context_changed();
    engine.flush_translations();
  }
  /// Returns the exception class and ISS that the last exception to EL2 left (machines start at EL2).
  std::uint64_t esr() { return engine.state().esr[2]; }

  // SystemHost
  Time local_time() override { return Time(static_cast<std::int64_t>(engine.cycles()) * 1000); }
  void synchronise() override {}
  std::uint64_t cycles() override { return engine.cycles(); }
  std::uint64_t instructions() override { return engine.instructions(); }
  bool read_physical(std::uint64_t address, std::span<std::uint8_t> data, bool) override {
    if (address - kRam >= ram.size() || data.size() > ram.size() - (address - kRam)) return false;
    std::memcpy(data.data(), &ram[address - kRam], data.size());
    return true;
  }
  bool write_physical(std::uint64_t address, std::span<const std::uint8_t> data, bool) override {
    if (address - kRam >= ram.size() || data.size() > ram.size() - (address - kRam)) return false;
    std::memcpy(&ram[address - kRam], data.data(), data.size());
    return true;
  }
  void flush_translations(const TlbScope& scope) override {
    if (scope.all)
      engine.flush_translations();
    else
      engine.flush_page(scope.va, scope.size);
  }
  void flush_translations_inner_shareable(const TlbScope& scope) override { flush_translations(scope); }
  void invalidate_code(std::uint64_t physical, std::uint64_t size, bool) override {
    engine.invalidate_physical(physical, size);
  }
  void context_changed() override { engine.context_changed(); }
  void attention() override { engine.attention(); }
  void send_event() override {}
  Flow psci_call(std::uint32_t, const std::array<std::uint64_t, 3>&, std::uint64_t& result) override {
    result = ~std::uint64_t{0};
    return Flow::kContinue;
  }
  Flow semihosting_call() override { return Flow::kStop; }
  void exception_taken(std::uint8_t ec, unsigned) override { exceptions.push_back(ec); }
  void report(const std::string& key, const std::string&) override { reports.push_back(key); }

  // MemoryPort
  std::optional<HostRegion> host_region(std::uint64_t physical, bool) override {
    if (physical - kRam >= ram.size()) return std::nullopt;
    return HostRegion{kRam, ram.size(), ram.data(), true};
  }
  bool must_synchronise() override { return synchronise_first; }
  bool read(std::uint64_t physical, void* data, unsigned size, bool) override {
    if (physical < kDevice || physical >= kDevice + kDeviceSize) return false;
    std::uint64_t value[2] = {on_read ? on_read(physical, size) : 0, 0};
    std::memcpy(data, value, size);
    return true;
  }
  bool write(std::uint64_t physical, const void* data, unsigned size, bool) override {
    if (physical < kDevice || physical >= kDevice + kDeviceSize) return false;
    std::uint64_t value = 0;
    std::memcpy(&value, data, size > 8 ? 8 : size);
    if (on_write) on_write(physical, value, size);
    return true;
  }

  std::vector<std::uint8_t> ram;
  Engine engine;
  System system;
  bool synchronise_first = false;
  std::function<std::uint64_t(std::uint64_t, unsigned)> on_read;
  std::function<void(std::uint64_t, std::uint64_t, unsigned)> on_write;
  std::vector<std::uint8_t> exceptions;
  std::vector<std::uint32_t> undefined_words;
  std::vector<std::string> reports;

 private:
  UnitTiming unit_;
};

}  // namespace dpusim::cpu
