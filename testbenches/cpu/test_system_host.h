// A PE's surroundings for tests of its system part: flat memory, settable time, and a note of what was asked.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "cpu/a64/arch/psci.h"
#include "cpu/a64/arch/system.h"

namespace dpusim::cpu {

struct TestHost final : SystemHost {
  static constexpr std::uint64_t kMemory = 1 << 20;
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(kMemory);
  Time time{0};
  std::uint64_t cycle_count = 0, instruction_count = 0;
  unsigned flushes = 0, shareable_flushes = 0, events = 0, attentions = 0, semihosting_calls = 0;
  TlbScope last_scope;
  std::uint64_t invalidated = ~0ull;
  std::vector<std::uint32_t> psci_functions;
  std::vector<std::string> reports;
  std::vector<std::pair<unsigned, unsigned>> exceptions;

  Time local_time() override { return time; }
  void synchronise() override {}
  std::uint64_t cycles() override { return cycle_count; }
  std::uint64_t instructions() override { return instruction_count; }
  bool read_physical(std::uint64_t address, std::span<std::uint8_t> data, bool) override {
    if (address + data.size() > kMemory) return false;
    std::memcpy(data.data(), memory.data() + address, data.size());
    return true;
  }
  bool write_physical(std::uint64_t address, std::span<const std::uint8_t> data, bool) override {
    if (address + data.size() > kMemory) return false;
    std::memcpy(memory.data() + address, data.data(), data.size());
    return true;
  }
  void flush_translations(const TlbScope& scope) override {
    ++flushes;
    last_scope = scope;
  }
  void flush_translations_inner_shareable(const TlbScope& scope) override {
    ++shareable_flushes;
    last_scope = scope;
  }
  void invalidate_code(std::uint64_t physical, std::uint64_t, bool) override { invalidated = physical; }
  void context_changed() override {}
  void attention() override { ++attentions; }
  void send_event() override { ++events; }
  Flow psci_call(std::uint32_t function, const std::array<std::uint64_t, 3>&, std::uint64_t& result) override {
    psci_functions.push_back(function);
    result = 0x5151;
    return Flow::kContinue;
  }
  Flow semihosting_call() override {
    ++semihosting_calls;
    return Flow::kContinue;
  }
  void exception_taken(std::uint8_t ec, unsigned target) override { exceptions.emplace_back(ec, target); }
  void report(const std::string& key, const std::string&) override { reports.push_back(key); }

  void store(std::uint64_t address, std::uint64_t value) { std::memcpy(memory.data() + address, &value, 8); }
};

struct TestPe {
  CpuState state;
  TestHost host;
  System system;
  explicit TestPe(unsigned start_el, CoreModel core = CoreModel::kCortexA72)
      : system(state, host, make(start_el, core)) {
    for (unsigned el = 1; el <= 3; ++el) state.vbar[el] = 0x10000ull * el;
  }
  static SystemConfig make(unsigned start_el, CoreModel core) {
    SystemConfig config;
    config.core = core;
    config.features = core_features(core);
    config.start_el = start_el;
    return config;
  }
  /// Goes to a level by ERET from the present one. @param spsr_low SPSR bits 9:0.
  void go(std::uint64_t spsr) {
    const unsigned el = state.pstate.el;
    state.spsr[el] = spsr;
    state.elr[el] = 0x8000;
    system.eret(0);
  }
  std::uint64_t get(SysRegKey key) {
    std::uint64_t value = 0;
    Exception fault{};
    const SysRegResult result = system.read(key, 0, value, fault);
    if (result != SysRegResult::kOk && result != SysRegResult::kOkEndBlock) throw std::runtime_error("read refused");
    return value;
  }
  SysRegResult set(SysRegKey key, std::uint64_t value) {
    Exception fault{};
    return system.write(key, 0, value, fault);
  }
};

// SPSR.M of AArch64 levels (Arm ARM C5.2.18).
inline constexpr std::uint64_t kEl0t = 0x0, kEl1t = 0x4, kEl1h = 0x5, kEl2t = 0x8, kEl2h = 0x9, kEl3h = 0xd;
inline constexpr std::uint64_t kDaif = 0x3c0;

inline constexpr SysRegKey kScrEl3{3, 6, 1, 1, 0}, kHcrEl2{3, 4, 1, 1, 0}, kSctlrEl1{3, 0, 1, 0, 0},
    kCpacrEl1{3, 0, 1, 0, 2}, kMidr{3, 0, 0, 0, 0}, kTcrEl1{3, 0, 2, 0, 2}, kTtbr0El1{3, 0, 2, 0, 0},
    kTtbr1El1{3, 0, 2, 0, 1}, kMairEl1{3, 0, 10, 2, 0}, kDaifReg{3, 3, 4, 2, 1}, kVbarEl3{3, 6, 12, 0, 0},
    kParEl1{3, 0, 7, 4, 0};

}  // namespace dpusim::cpu
