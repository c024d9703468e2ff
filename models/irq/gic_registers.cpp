#include "irq/gic_registers.h"

#include <algorithm>

#include "irq/gicd_regs.h"
#include "irq/gicr_regs.h"

namespace dpusim::irq {

namespace {

constexpr unsigned kSharedView = ~0U;  // stands for "core" in the distributor, whose registers show SPIs only

constexpr unsigned core_or_first(unsigned core) { return core == kSharedView ? 0 : core; }

}  // namespace

GicRegisters::GicRegisters(GicInterrupts& interrupts) : interrupts_(interrupts), distributor_(gicd_regs::kTable) {
  install_distributor();
  redistributors_.reserve(interrupts.cores());
  for (unsigned core = 0; core < interrupts.cores(); ++core) {
    redistributors_.emplace_back(gicr_regs::kTable);
    install_redistributor(core);
  }
}

void GicRegisters::install_distributor() {
  namespace regs = gicd_regs;
  RegisterBank& bank = distributor_;
  constexpr unsigned kIntidBits = 10;
  // ITLinesNumber counts blocks of 32 INTIDs, with the SGIs and PPIs as block 0; the last block is cut at 1019.
  const std::uint64_t blocks = (kFirstSpi + interrupts_.spis() + 31) / 32 - 1;
  bank.set(regs::TYPER, blocks | std::uint64_t{kIntidBits - 1} << regs::kTYPER_IDbits_shift | regs::kTYPER_A3V_mask |
                            regs::kTYPER_No1N_mask);
  bank.on_write(regs::CTLR, [this](const RegisterBank::Write& write) {
    interrupts_.enable_group(kGroup0, (write.value & regs::kCTLR_EnableGrp0_mask) != 0);
    interrupts_.enable_group(kGroup1, (write.value & regs::kCTLR_EnableGrp1_mask) != 0);
  });
  install_bits(
      bank,
      {regs::IGROUPR, regs::ISENABLER, regs::ICENABLER, regs::ISPENDR, regs::ICPENDR, regs::ISACTIVER, regs::ICACTIVER},
      kSharedView);
  install_priorities(bank, regs::IPRIORITYR, kSharedView);
  install_configuration(bank, regs::ICFGR, kSharedView, 0);
  bank.on_read(
      regs::IROUTER,
      [this](RegisterBank::Element n) { return n < interrupts_.spis() ? distributor_.get(regs::IROUTER, n) : 0; },
      true);
  bank.on_write(regs::IROUTER, [this](const RegisterBank::Write& write) {
    if (write.element >= interrupts_.spis()) return;
    const auto affinity = static_cast<std::uint32_t>((write.value & 0xffffff) | (write.value >> 8 & 0xff000000));
    interrupts_.modify(0, kFirstSpi + write.element,
                       [&](Interrupt& interrupt) { interrupt.target = core_of(affinity, interrupts_.cores()); });
  });
}

void GicRegisters::install_redistributor(unsigned core) {
  namespace regs = gicr_regs;
  RegisterBank& bank = redistributors_[core];
  bank.set(regs::TYPER, std::uint64_t{affinity_of(core)} << regs::kTYPER_Affinity_Value_shift |
                            std::uint64_t{core} << regs::kTYPER_Processor_Number_shift |
                            (core + 1 == interrupts_.cores() ? regs::kTYPER_Last_mask : 0));
  bank.on_read(
      regs::WAKER,
      [this, core](auto) {
        return interrupts_.asleep(core) ? regs::kWAKER_ProcessorSleep_mask | regs::kWAKER_ChildrenAsleep_mask : 0;
      },
      true);
  bank.on_write(regs::WAKER, [this, core](const RegisterBank::Write& write) {
    interrupts_.set_asleep(core, (write.value & regs::kWAKER_ProcessorSleep_mask) != 0);
  });
  install_bits(bank,
               {regs::IGROUPR0, regs::ISENABLER0, regs::ICENABLER0, regs::ISPENDR0, regs::ICPENDR0, regs::ISACTIVER0,
                regs::ICACTIVER0},
               core);
  install_priorities(bank, regs::IPRIORITYR, core);
  install_configuration(bank, regs::ICFGR1, core, 16);
}

bool GicRegisters::in_region(unsigned core, unsigned intid) const {
  return core == kSharedView ? intid >= kFirstSpi && interrupts_.exists(intid) : intid < kFirstSpi;
}

template <class Get>
void GicRegisters::readable_bits(RegisterBank& bank, unsigned reg, unsigned core, Get get) {
  bank.on_read(
      reg,
      [this, core, get](RegisterBank::Element element) {
        std::uint64_t bits = 0;
        for (unsigned i = 0; i < 32; ++i) {
          const unsigned intid = element * 32 + i;
          if (in_region(core, intid) && get(interrupts_.at(core_or_first(core), intid))) bits |= 1ULL << i;
        }
        return bits;
      },
      true);
}

template <class Set>
void GicRegisters::writable_bits(RegisterBank& bank, unsigned reg, unsigned core, bool ones_only, Set set) {
  bank.on_write(reg, [this, core, ones_only, set](const RegisterBank::Write& write) {
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned intid = write.element * 32 + i;
      const bool one = (write.written >> i & 1) != 0;
      const bool selected = ones_only ? one : (write.mask >> i & 1) != 0;
      if (!selected || !in_region(core, intid)) continue;
      interrupts_.modify(core_or_first(core), intid, [&](Interrupt& interrupt) { set(interrupt, one); });
    }
  });
}

void GicRegisters::install_bits(RegisterBank& bank, const unsigned (&regs)[7], unsigned core) {
  const auto enabled = [](const Interrupt& interrupt) { return interrupt.enabled; };
  const auto pending = [](const Interrupt& interrupt) { return interrupt.pending(); };
  const auto active = [](const Interrupt& interrupt) { return interrupt.active; };
  readable_bits(bank, regs[0], core, [](const Interrupt& interrupt) { return interrupt.group == kGroup1; });
  writable_bits(bank, regs[0], core, false,
                [](Interrupt& interrupt, bool one) { interrupt.group = one ? kGroup1 : kGroup0; });
  for (const unsigned i : {1U, 2U}) readable_bits(bank, regs[i], core, enabled);
  writable_bits(bank, regs[1], core, true, [](Interrupt& interrupt, bool) { interrupt.enabled = true; });
  writable_bits(bank, regs[2], core, true, [](Interrupt& interrupt, bool) { interrupt.enabled = false; });
  for (const unsigned i : {3U, 4U}) readable_bits(bank, regs[i], core, pending);
  writable_bits(bank, regs[3], core, true, [](Interrupt& interrupt, bool) { interrupt.latch = true; });
  writable_bits(bank, regs[4], core, true, [](Interrupt& interrupt, bool) { interrupt.latch = false; });
  for (const unsigned i : {5U, 6U}) readable_bits(bank, regs[i], core, active);
  writable_bits(bank, regs[5], core, true, [](Interrupt& interrupt, bool) { interrupt.active = true; });
  writable_bits(bank, regs[6], core, true, [](Interrupt& interrupt, bool) { interrupt.active = false; });
}

void GicRegisters::install_priorities(RegisterBank& bank, unsigned reg, unsigned core) {
  const auto implemented = static_cast<std::uint8_t>(0xff << (8 - interrupts_.priority_bits()));
  bank.on_read(
      reg,
      [this, core](RegisterBank::Element element) {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < 4; ++i) {
          const unsigned intid = element * 4 + i;
          if (in_region(core, intid))
            value |= std::uint64_t{interrupts_.at(core_or_first(core), intid).priority} << (8 * i);
        }
        return value;
      },
      true);
  bank.on_write(reg, [this, core, implemented](const RegisterBank::Write& write) {
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned intid = write.element * 4 + i;
      if ((write.mask >> (8 * i) & 0xff) == 0 || !in_region(core, intid)) continue;
      interrupts_.modify(core_or_first(core), intid, [&](Interrupt& interrupt) {
        interrupt.priority = static_cast<std::uint8_t>(write.written >> (8 * i) & implemented);
      });
    }
  });
}

void GicRegisters::install_configuration(RegisterBank& bank, unsigned reg, unsigned core, unsigned first) {
  bank.on_read(
      reg,
      [this, core, first](RegisterBank::Element element) {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < 16; ++i) {
          const unsigned intid = first + element * 16 + i;
          if (in_region(core, intid) && interrupts_.at(core_or_first(core), intid).edge) value |= 2ULL << (2 * i);
        }
        return value;
      },
      true);
  bank.on_write(reg, [this, core, first](const RegisterBank::Write& write) {
    for (unsigned i = 0; i < 16; ++i) {
      const unsigned intid = first + write.element * 16 + i;
      if ((write.mask >> (2 * i) & 2) == 0 || !in_region(core, intid)) continue;
      interrupts_.modify(core_or_first(core), intid,
                         [&](Interrupt& interrupt) { interrupt.edge = (write.written >> (2 * i) & 2) != 0; });
    }
  });
}

GicRegisters::Place GicRegisters::place(Region region, std::uint64_t offset) {
  if (region == Region::kDistributor) return {&distributor_, offset};
  const std::uint64_t core = offset / gicr_regs::kSize;
  if (core >= redistributors_.size()) return {nullptr, offset};
  return {&redistributors_[core], offset % gicr_regs::kSize};
}

RegisterResult GicRegisters::read(Region region, std::uint64_t offset, std::span<std::uint8_t> data,
                                  std::span<const std::uint8_t> enables) {
  const Place at = place(region, offset);
  if (at.bank == nullptr) return RegisterResult::kUnmapped;
  const RegisterResult result = at.bank->read(at.offset, data, enables);
  if (result != RegisterResult::kUnmapped) return result;
  std::fill(data.begin(), data.end(), std::uint8_t{0});
  return RegisterResult::kOk;
}

RegisterResult GicRegisters::write(Region region, std::uint64_t offset, std::span<const std::uint8_t> data,
                                   std::span<const std::uint8_t> enables) {
  const Place at = place(region, offset);
  if (at.bank == nullptr) return RegisterResult::kUnmapped;
  const RegisterResult result = at.bank->write(at.offset, data, enables);
  return result == RegisterResult::kUnmapped ? RegisterResult::kOk : result;
}

std::size_t GicRegisters::debug_read(Region region, std::uint64_t offset, std::span<std::uint8_t> data) const {
  if (region == Region::kDistributor) return distributor_.debug_read(offset, data);
  const std::uint64_t core = offset / gicr_regs::kSize;
  if (core >= redistributors_.size()) return 0;
  return redistributors_[core].debug_read(offset % gicr_regs::kSize, data);
}

}  // namespace dpusim::irq
