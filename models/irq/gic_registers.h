// Memory-mapped registers of a GICv3: the distributor and one redistributor a PE. No SystemC, no time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "irq/gic_interrupts.h"
#include "sim/registers.h"

namespace dpusim::irq {

/// Affinity of PE number `core`, Aff3.Aff2.Aff1.Aff0 in 32 bits: 16 PEs share an Aff1, as the lists of SGI targets have
/// 16 bits.
constexpr std::uint32_t affinity_of(unsigned core) { return core / 16 << 8 | core % 16; }
/// Returns the PE of an affinity, or kNoTarget.
constexpr unsigned core_of(std::uint32_t affinity, unsigned cores) {
  const unsigned core = (affinity >> 8) * 16 + (affinity & 0xff);
  return (affinity & 0xff) < 16 && affinity >> 16 == 0 && core < cores ? core : kNoTarget;
}

/// The two register regions. Reserved addresses read 0 and ignore writes (IHI 0069H 12.1.1).
class GicRegisters {
 public:
  explicit GicRegisters(GicInterrupts& interrupts);
  GicRegisters(const GicRegisters&) = delete;
  GicRegisters& operator=(const GicRegisters&) = delete;

  enum class Region : std::uint8_t { kDistributor, kRedistributors };
  RegisterResult read(Region region, std::uint64_t offset, std::span<std::uint8_t> data,
                      std::span<const std::uint8_t> enables = {});
  RegisterResult write(Region region, std::uint64_t offset, std::span<const std::uint8_t> data,
                       std::span<const std::uint8_t> enables = {});
  [[nodiscard]] std::size_t debug_read(Region region, std::uint64_t offset, std::span<std::uint8_t> data) const;

 private:
  struct Place {
    RegisterBank* bank;
    std::uint64_t offset;
  };
  [[nodiscard]] Place place(Region region, std::uint64_t offset);
  void install_distributor();
  void install_redistributor(unsigned core);
  // Registers with a bit or two a interrupt; `first` INTID of element 0.
  template <class Get>
  void readable_bits(RegisterBank& bank, unsigned reg, unsigned core, Get get);
  template <class Set>
  void writable_bits(RegisterBank& bank, unsigned reg, unsigned core, bool ones_only, Set set);
  void install_bits(RegisterBank& bank, const unsigned (&regs)[7], unsigned core);
  void install_priorities(RegisterBank& bank, unsigned reg, unsigned core);
  void install_configuration(RegisterBank& bank, unsigned reg, unsigned core, unsigned first);
  [[nodiscard]] bool in_region(unsigned core, unsigned intid) const;

  GicInterrupts& interrupts_;
  RegisterBank distributor_;
  std::vector<RegisterBank> redistributors_;
};

}  // namespace dpusim::irq
