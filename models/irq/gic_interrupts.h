// State of all interrupts of a GICv3 and which of them wait for which PE. No SystemC, no time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "irq/pending_set.h"

namespace dpusim::irq {

/// Interrupt group with one security state: Group 0 is signalled as FIQ, Group 1 as IRQ (IHI 0069H 4.6.2).
enum Group : std::uint8_t { kGroup0 = 0, kGroup1 = 1 };

inline constexpr unsigned kFirstSpi = 32;
inline constexpr unsigned kNoTarget = ~0U;

/// What the architecture keeps for one interrupt.
struct Interrupt {
  bool enabled = false;
  bool latch = false;  ///< pending by an edge, an SGI or ISPENDR
  bool line = false;   ///< level of the input
  bool active = false;
  bool edge = false;
  Group group = kGroup0;
  std::uint8_t priority = 0;
  unsigned target = 0;  ///< PE that it goes to; kNoTarget when the affinity names none
  [[nodiscard]] bool pending() const { return latch || (!edge && line); }

 private:
  friend class GicInterrupts;
  bool queued = false;  // where it stands in a PendingSet, for removal
  Group queued_group = kGroup0;
  std::uint8_t queued_level = 0;
  unsigned queued_target = 0;
};

/// The distributor's and redistributors' part: inputs, per-interrupt state, and for each PE and group the pending,
/// enabled and inactive interrupts in order of priority. Each change costs the same whatever the number of interrupts.
class GicInterrupts {
 public:
  struct Candidate {
    std::uint16_t intid;
    std::uint8_t priority;
  };
  /// @param cores number of PEs; @param spis number of SPIs, 1..988; @param priority_bits 4..8, implemented from the
  /// top.
  GicInterrupts(unsigned cores, unsigned spis, unsigned priority_bits);

  [[nodiscard]] unsigned cores() const { return cores_; }
  [[nodiscard]] unsigned spis() const { return spis_; }
  [[nodiscard]] unsigned priority_bits() const { return priority_bits_; }
  [[nodiscard]] bool exists(unsigned intid) const { return intid < kFirstSpi + spis_; }
  /// Returns an interrupt's state. @param core whose SGI or PPI; unused for SPIs.
  [[nodiscard]] const Interrupt& at(unsigned core, unsigned intid) const {
    return intid < kFirstSpi ? private_[core * kFirstSpi + intid] : shared_[intid - kFirstSpi];
  }

  void set_line(unsigned core, unsigned intid, bool level);
  /// Changes state by `change(Interrupt&)` and moves the interrupt to where it then belongs.
  template <class Change>
  void modify(unsigned core, unsigned intid, Change change) {
    Interrupt& interrupt = mutable_at(core, intid);
    change(interrupt);
    refresh(core, intid, interrupt);
  }
  /// Makes the interrupt active and takes its pending latch. @spec IHI 0069H 4.1.2, figure 4-2
  void acknowledge(unsigned core, unsigned intid);
  void deactivate(unsigned core, unsigned intid);

  /// Returns the interrupt of `group` that would be taken first by `core`; nothing while the group is off in GICD_CTLR
  /// or the PE's redistributor sleeps.
  [[nodiscard]] std::optional<Candidate> best(unsigned core, Group group) const;

  void enable_group(Group group, bool enabled);
  [[nodiscard]] bool group_enabled(Group group) const { return group_enabled_[group]; }
  void set_asleep(unsigned core, bool asleep);
  [[nodiscard]] bool asleep(unsigned core) const { return asleep_[core]; }

  /// Marks that what `core` is to be signalled may have changed.
  void touch(unsigned core);
  /// Calls visit(core) for every PE touched since the last call, in the order of the first touch. What visit touches is
  /// visited too.
  template <class Visit>
  void visit_touched(Visit visit) {
    for (std::size_t i = 0; i < touched_.size(); ++i) {
      const unsigned core = touched_[i];
      touched_flag_[core] = false;
      visit(core);
    }
    touched_.clear();
  }

 private:
  Interrupt& mutable_at(unsigned core, unsigned intid) {
    return intid < kFirstSpi ? private_[core * kFirstSpi + intid] : shared_[intid - kFirstSpi];
  }
  void refresh(unsigned core, unsigned intid, Interrupt& interrupt);
  [[nodiscard]] std::uint8_t level_of(std::uint8_t priority) const {
    return static_cast<std::uint8_t>(priority >> (8 - priority_bits_));
  }
  PendingSet& set_of(unsigned core, Group group) { return waiting_[core * 2 + group]; }

  unsigned cores_, spis_, priority_bits_;
  std::vector<Interrupt> private_, shared_;
  std::vector<PendingSet> waiting_;
  std::array<bool, 2> group_enabled_{};
  std::vector<bool> asleep_;
  std::vector<unsigned> touched_;
  std::vector<bool> touched_flag_;
};

}  // namespace dpusim::irq
