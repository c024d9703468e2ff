// A GIC without SystemC, driven as software drives it: GICD and GICR by address, ICC_ registers by encoding.
#pragma once

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <deque>

#include "irq/gic_cpu_core.h"
#include "irq/gic_interrupts.h"
#include "irq/gic_registers.h"
#include "irq/icc_registers.h"

namespace dpusim::irq {

struct GicFixture {
  explicit GicFixture(unsigned cores = 2, unsigned spis = 96, unsigned priority_bits = 5)
      : interrupts(cores, spis, priority_bits), registers(interrupts) {
    for (unsigned core = 0; core < cores; ++core) cpus.emplace_back(interrupts, core);
  }

  template <class T>
  T read(GicRegisters::Region region, std::uint64_t offset) {
    std::array<std::uint8_t, sizeof(T)> data{};
    REQUIRE(registers.read(region, offset, data) == RegisterResult::kOk);
    T value = 0;
    for (unsigned i = 0; i < sizeof(T); ++i) value = static_cast<T>(value | static_cast<T>(data[i]) << (8 * i));
    return value;
  }
  template <class T>
  void write(GicRegisters::Region region, std::uint64_t offset, T value) {
    std::array<std::uint8_t, sizeof(T)> data{};
    for (unsigned i = 0; i < sizeof(T); ++i) data[i] = static_cast<std::uint8_t>(value >> (8 * i));
    REQUIRE(registers.write(region, offset, data) == RegisterResult::kOk);
  }
  std::uint32_t gicd(std::uint64_t offset) { return read<std::uint32_t>(GicRegisters::Region::kDistributor, offset); }
  void gicd(std::uint64_t offset, std::uint32_t value) { write(GicRegisters::Region::kDistributor, offset, value); }
  std::uint32_t gicr(unsigned core, std::uint64_t offset) {
    return read<std::uint32_t>(GicRegisters::Region::kRedistributors, core * 0x20000 + offset);
  }
  void gicr(unsigned core, std::uint64_t offset, std::uint32_t value) {
    write(GicRegisters::Region::kRedistributors, core * 0x20000 + offset, value);
  }

  std::uint64_t icc(unsigned core, std::uint16_t encoding) {
    std::uint64_t value = 0;
    REQUIRE(cpus[core].read(encoding, {1, false, false}, value));
    return value;
  }
  void icc(unsigned core, std::uint16_t encoding, std::uint64_t value) {
    REQUIRE(cpus[core].write(encoding, {1, false, false}, value));
  }

  /// Does what an operating system does at start: wakes the PEs, opens masks and groups, Group 1 for everything.
  void start() {
    gicd(0x0, 0x3);
    for (unsigned core = 0; core < cpus.size(); ++core) {
      gicr(core, 0x14, 0);
      gicr(core, 0x10080, 0xffffffff);
      icc(core, kIccPmrEl1, 0xf0);
      icc(core, kIccIgrpen0El1, 1);
      icc(core, kIccIgrpen1El1, 1);
    }
    for (unsigned word = 1; word < 4; ++word) gicd(0x80 + 4 * word, 0xffffffff);
  }
  /// Enables SPI `intid` with a priority, level-sensitive, to the PE of affinity 0.0.0.core.
  void enable_spi(unsigned intid, std::uint8_t priority, unsigned core = 0, bool edge = false) {
    write<std::uint8_t>(GicRegisters::Region::kDistributor, 0x400 + intid, priority);
    gicd(0xc00 + 4 * (intid / 16),
         (gicd(0xc00 + 4 * (intid / 16)) & ~(3U << intid % 16 * 2)) | (edge ? 2U << intid % 16 * 2 : 0));
    write<std::uint64_t>(GicRegisters::Region::kDistributor, 0x6000 + 8 * intid, core);
    gicd(0x100 + 4 * (intid / 32), 1U << intid % 32);
  }

  GicInterrupts interrupts;
  GicRegisters registers;
  std::deque<GicCpuCore> cpus;
};

}  // namespace dpusim::irq
