// The system part of one PE: exceptions, system registers, translation, timers and power requests. No SystemC.
//
// The engine executes instructions and asks here for everything that depends on Exception level, system registers or
// the outside. Calls change CpuState; the engine keeps `pc` and `nzcv` materialised across a call, and looks at `pc`
// (and its Flow) afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cpu/a64/arch/arch.h"
#include "cpu/a64/arch/control.h"
#include "cpu/a64/arch/pmu.h"
#include "cpu/a64/arch/state.h"
#include "cpu/a64/arch/timers.h"
#include "cpu/a64/isa/op.h"
#include "tlm/gic_cpu_interface.h"

namespace dpusim::cpu {

/// What the PE does after a call that may stop it.
enum class Flow : std::uint8_t {
  kContinue,       ///< go on at state.pc
  kWaitInterrupt,  ///< wait until System::wakes_from_wfi()
  kWaitEvent,      ///< wait until System::wakes_from_wfe()
  kOff,            ///< the PE has powered itself off (PSCI CPU_OFF)
  kStop,           ///< the run ends (semihosting exit, SYSTEM_OFF, SYSTEM_RESET)
};

/// Which core is modelled: decides the ID registers and the optional instructions.
enum class CoreModel : std::uint8_t { kCortexA72, kCortexA78 };

/// Returns the optional instructions of a core that are implemented here; the ID registers say so to guests.
FeatureSet core_features(CoreModel core);

/// Returns the physical address width: 44 bits on Cortex-A72, 40 on Cortex-A78 (ID_AA64MMFR0_EL1.PARange).
unsigned physical_address_bits(CoreModel core);

/// Who answers PSCI calls.
enum class PsciConduit : std::uint8_t { kAuto, kSmc, kHvc, kNone };

/// What is fixed at build time of a PE.
struct SystemConfig {
  CoreModel core = CoreModel::kCortexA72;
  FeatureSet features = core_features(CoreModel::kCortexA72);  ///< optional instructions, for the ID registers
  unsigned number = 0;    ///< within the card; MPIDR Aff0 is number % 16, Aff1 is number / 16
  unsigned start_el = 2;  ///< Exception level after reset, 1..3
  PsciConduit psci = PsciConduit::kAuto;
  Frequency timer_frequency{62'500'000};
  bool semihosting = true;  ///< HLT #0xF000 is a semihosting call, else UNDEFINED
  bool gic = false;         ///< ID_AA64PFR0_EL1.GIC; set_gic() sets it
  Bytes l1d_size{32 * 1024}, l1i_size{48 * 1024}, l2_size{1024 * 1024};  ///< for CCSIDR_EL1
  unsigned l1d_ways = 2, l1i_ways = 3, l2_ways = 16;
};

/// How much of the translations a TLBI names. The engine may always forget more.
struct TlbScope {
  bool all = true;         ///< everything of the regime; else one page
  std::uint64_t va = 0;    ///< first octet of the page, sign-extended, when not `all`
  std::uint64_t size = 0;  ///< octets
};

/// Classes that SystemHost::exception_taken uses for interrupts, which have no EC.
inline constexpr std::uint8_t kIrqStatistic = 0x80, kFiqStatistic = 0x81;

/// What surrounds a PE: time, physical memory, its engine and its peers. Implemented by a64_cpu (and by tests).
class SystemHost {
 public:
  virtual ~SystemHost() = default;
  /// Returns the simulated time of the instruction in execution.
  [[nodiscard]] virtual Time local_time() = 0;
  /// Lets the kernel's time catch up with local_time(), so that what the PE now does to others happens in order.
  virtual void synchronise() = 0;
  /// Returns cycles and retired instructions up to the instruction in execution, for the PMU.
  [[nodiscard]] virtual std::uint64_t cycles() = 0;
  [[nodiscard]] virtual std::uint64_t instructions() = 0;
  /// Reads or writes physical memory for table walks and semihosting. @return false on a bus error.
  virtual bool read_physical(std::uint64_t address, std::span<std::uint8_t> data, bool secure) = 0;
  virtual bool write_physical(std::uint64_t address, std::span<const std::uint8_t> data, bool secure) = 0;
  /// Drops cached translations of this PE's engine.
  virtual void flush_translations(const TlbScope& scope) = 0;
  /// Drops cached translations of all PEs of the Inner Shareable domain, this one included.
  virtual void flush_translations_inner_shareable(const TlbScope& scope) = 0;
  /// Drops decoded code: of the octets [physical, physical + size), or all when size is 0.
  virtual void invalidate_code(std::uint64_t physical, std::uint64_t size, bool inner_shareable) = 0;
  /// Tells that Exception level, PAN, SCTLR, FP access or Security state may have changed: the engine recomputes its
  /// context.
  virtual void context_changed() = 0;
  /// Tells that an interrupt may have become takeable: the engine looks after the instruction in execution.
  virtual void attention() = 0;
  /// Tells that a timer's deadline may be nearer now: the caller of the engine has to plan anew.
  virtual void deadline_changed() { attention(); }
  /// Sets the event register of all PEs (SEV).
  virtual void send_event() = 0;
  /// Answers a PSCI or SMC Calling Convention call with `function` in W0 and arguments in X1..X3; the result goes to
  /// X0.
  virtual Flow psci_call(std::uint32_t function, const std::array<std::uint64_t, 3>& arguments,
                         std::uint64_t& result) = 0;
  /// Answers a semihosting call; the PE's state has operation and argument in W0, X1.
  virtual Flow semihosting_call() = 0;
  /// Counts an exception taken to `target_el`; `ec` is ESR_ELx.EC, or kIrqStatistic or kFiqStatistic.
  virtual void exception_taken(std::uint8_t ec, unsigned target_el) = 0;
  /// Tells the user once about something that is not modelled; `key` makes it once.
  virtual void report(const std::string& key, const std::string& message) = 0;
};

/// One row of the system register table: a contract per register.
struct SystemRegister;

/// The system part of one PE.
class System {
 public:
  System(CpuState& state, SystemHost& host, const SystemConfig& config);

  /// Puts the PE into its state after reset, at `pc`, with X0 = x0, at the configured level, with MMU and caches off,
  /// all masked.
  void reset(std::uint64_t pc, std::uint64_t x0);

  // --- Exceptions (exceptions.cpp)
  // ---------------------------------------------------------------------------------------------
  /// Takes a synchronous exception of the instruction at `pc`. The preferred return address is `pc`, but `pc` + 4 for
  /// SVC, HVC and SMC. SMC and HVC that the model answers itself (PSCI) return without an exception. @spec Arm ARM D1.3
  Flow take(const Exception& exception, std::uint64_t pc);
  /// Takes the UNDEFINED exception of the instruction at `pc`.
  void undefined(std::uint64_t pc) { take({.ec = ExceptionClass::kUnknown}, pc); }
  /// Executes HLT #imm: a semihosting call when imm is 0xF000 and semihosting is on, else UNDEFINED.
  Flow halt(std::uint32_t imm16, std::uint64_t pc);
  /// Executes SVC, HVC or SMC #imm16: checks that the instruction is enabled, then takes it.
  Flow call(ExceptionClass kind, std::uint32_t imm16, std::uint64_t pc);
  /// Executes ERET of the instruction at `pc`: restores PSTATE from SPSR_ELx; an illegal return sets PSTATE.IL.
  /// UNDEFINED at EL0.
  void eret(std::uint64_t pc);
  /// Takes the interrupt of highest priority that is pending and not masked. @return whether one was taken.
  bool take_interrupt();
  /// Tells whether take_interrupt() would take one.
  [[nodiscard]] bool interrupt_takeable() const;
  /// Tells whether a pending interrupt ends WFI (masks by PSTATE do not matter). @spec Arm ARM D1.7.2
  [[nodiscard]] bool wakes_from_wfi() const;
  /// Tells whether WFE falls through: event register, or an interrupt that is not masked. @spec Arm ARM D1.7.1
  [[nodiscard]] bool wakes_from_wfe() const;
  /// Sets the level of an interrupt input.
  void set_interrupt(CoreInterrupt which, bool level);
  /// The Illegal Execution state exception of the instruction at `pc`, when PSTATE.IL is set. The engine asks after
  /// each change of context.
  [[nodiscard]] bool illegal_state() const { return state_.pstate.il; }

  // --- Instructions with a system part
  // -----------------------------------------------------------------------------------------
  /// Executes WFI / WFE at `pc` (state.pc is then `pc` + 4): traps, falls through or waits. WFE consumes the event
  /// register.
  Flow wait_for_interrupt(std::uint64_t pc);
  Flow wait_for_event(std::uint64_t pc);
  /// Executes SEV / SEVL.
  void send_event() {
    state_.event_register = true;
    host_.send_event();
  }
  void send_event_local() { state_.event_register = true; }
  /// Executes MRS. @param rt transfer register number, for the trap syndrome. On kTrapped, `fault` is to be taken; on
  /// kUndefined, undefined() is. @return kOkEndBlock when the block must end.
  SysRegResult read(SysRegKey key, unsigned rt, std::uint64_t& value, Exception& fault);
  /// Executes MSR (register).
  SysRegResult write(SysRegKey key, unsigned rt, std::uint64_t value, Exception& fault);
  /// Executes MSR (immediate): op1 and op2 name the PSTATE field.
  SysRegResult write_pstate(unsigned op1, unsigned op2, unsigned crm, Exception& fault);
  /// Executes SYS (op0 = 1): IC, DC, AT, TLBI. DC ZVA is the engine's: it asks dc_zva_trap() and stores zeros.
  SysRegResult system_instruction(SysRegKey key, unsigned rt, std::uint64_t value, Exception& fault);
  /// Checks DC ZVA. @return kOk, or kTrapped with the fault.
  SysRegResult dc_zva_trap(unsigned rt, Exception& fault);
  /// Returns log2 of the octets that DC ZVA zeroes (64 octets on both cores).
  static constexpr unsigned kZvaLog2 = 6;

  // --- FP/SIMD access
  // ----------------------------------------------------------------------------------------------------------
  /// Tells whether FP/SIMD instructions are enabled now (CPACR_EL1, CPTR_EL2, CPTR_EL3).
  [[nodiscard]] bool fp_enabled() const;
  /// Returns the exception of an FP/SIMD instruction while they are not enabled.
  [[nodiscard]] Exception fp_exception() const;

  // --- Translation (mmu.cpp)
  // ---------------------------------------------------------------------------------------------------
  /// Translates the octet at `va` for an access. @param unprivileged LDTR/STTR: permissions of EL0 when at EL1.
  /// @return true with `out`; false with the abort in `fault` (class from the same level; take() adapts it), FAR set.
  bool translate(std::uint64_t va, Access access, bool unprivileged, Translation& out, Exception& fault);
  /// Tells whether all accesses must be aligned (SCTLR_ELx.A). Unaligned accesses to Device memory always fault.
  [[nodiscard]] bool alignment_checked() const { return (sctlr() & sctlr_bit::kA) != 0; }
  /// Tells whether a load or store with base SP must find it 16-octet aligned (SCTLR_ELx.SA, SA0).
  [[nodiscard]] bool sp_alignment_checked() const;
  [[nodiscard]] static Exception alignment_fault(std::uint64_t va, bool write);
  [[nodiscard]] static Exception sp_alignment_fault() { return {.ec = ExceptionClass::kSpAlignment}; }
  [[nodiscard]] static Exception pc_alignment_fault(std::uint64_t pc) {
    return {.ec = ExceptionClass::kPcAlignment, .far = pc, .has_far = true};
  }
  /// The synchronous External abort of an access whose bus transaction failed. @param level table level for walks, -1
  /// otherwise.
  [[nodiscard]] static Exception external_abort(std::uint64_t va, Access access, int level = -1);
  /// Names the set of translations and permissions in force: equal numbers have equal translations until the next
  /// flush. 0..kTranslationContexts-1; the engine may keep one software TLB for each.
  static constexpr unsigned kTranslationContexts = 5;
  [[nodiscard]] unsigned translation_context() const;
  /// Turns a virtual address of the present regime into the one with the tag octet removed when TCR_ELx.TBI says so
  /// (branch targets).
  [[nodiscard]] std::uint64_t canonical_branch_target(std::uint64_t address) const;

  // --- State
  // -------------------------------------------------------------------------------------------------------------------
  [[nodiscard]] CpuState& state() { return state_; }
  [[nodiscard]] const CpuState& state() const { return state_; }
  [[nodiscard]] const SystemConfig& config() const { return config_; }
  [[nodiscard]] SystemHost& host() const { return host_; }
  [[nodiscard]] Control& control() { return control_; }
  [[nodiscard]] const Control& control() const { return control_; }
  [[nodiscard]] Timers& timers() { return timers_; }
  [[nodiscard]] const Timers& timers() const { return timers_; }
  [[nodiscard]] Pmu& pmu() { return pmu_; }
  [[nodiscard]] const Pmu& pmu() const { return pmu_; }
  /// Connects the GIC CPU interface; without one ICC_* are UNDEFINED.
  void set_gic(GicCpuInterface* gic) {
    gic_ = gic;
    config_.gic = gic != nullptr;
    if (gic_ != nullptr) gic_->state_changed(told_gic_ = gic_context());
  }
  [[nodiscard]] GicCpuInterface* gic() { return gic_; }
  /// Returns ISR_EL1: I in bit 7, F in bit 6, as the present level sees them.
  [[nodiscard]] std::uint64_t pending_interrupts() const;
  /// Tells whether the present level is in Secure state.
  [[nodiscard]] bool secure() const { return state_.pstate.el == 3 || !non_secure(); }
  /// Tells whether levels below EL3 are Non-secure.
  [[nodiscard]] bool non_secure() const { return (control_.scr_el3 & scr_bit::kNs) != 0; }
  /// Tells whether FEAT_PAN exists.
  [[nodiscard]] bool has_pan() const { return config_.core == CoreModel::kCortexA78; }
  /// Tells whether LSE atomics exist (FEAT_LSE); their encodings are UNDEFINED otherwise.
  [[nodiscard]] bool has_lse() const { return has(Feature::kLse); }
  [[nodiscard]] bool has(Feature feature) const { return (config_.features & feature_bit(feature)) != 0; }
  [[nodiscard]] std::uint64_t mpidr() const;
  /// Returns SPSR form of the present PSTATE.
  [[nodiscard]] std::uint64_t pstate_to_spsr() const;
  /// Moves SP between x[kSpSlot] and the banks: save before, load after a change of EL or PSTATE.SP.
  void save_sp();
  void load_sp();
  /// Reads a register for a debugger: no traps, no effects. @return false when there is none of that encoding.
  bool peek(SysRegKey key, std::uint64_t& value) const;
  /// Who this PE is to the GIC just now.
  [[nodiscard]] GicContext gic_context() const;
  /// Recomputes what the host must know after a register write that changes routing or enabling.
  void context_changed();
  /// SCTLR of the regime of the present level.
  [[nodiscard]] std::uint64_t sctlr() const { return control_.sctlr[state_.pstate.el == 0 ? 1 : state_.pstate.el]; }
  /// Tells whether the model itself answers this call (no firmware of the guest's stands there).
  [[nodiscard]] bool model_answers(ExceptionClass kind) const;
  /// Widens another core's TLBI to whole mappings of this one, which may have mapped the page by a larger block.
  [[nodiscard]] TlbScope widened(const TlbScope& scope) const;

 private:
  [[nodiscard]] unsigned route_synchronous(const Exception& exception) const;
  /// Returns where an interrupt goes: its target level, or 0 when it is masked or stays pending.
  [[nodiscard]] unsigned interrupt_target(CoreInterrupt which) const;
  void enter_exception(unsigned target, std::uint64_t vector_kind, std::uint64_t return_address);
  void enter_el(unsigned el);
  [[nodiscard]] unsigned wait_trap(unsigned el, std::uint64_t sctlr_bit, std::uint64_t hcr_bit,
                                   std::uint64_t scr_bit) const;
  [[nodiscard]] unsigned fp_exception_level() const;
  SysRegResult gic_access(SysRegKey key, unsigned rt, bool is_read, std::uint64_t& value, Exception& fault);
  /// Says what becomes of an access that a check answered with `level`.
  SysRegResult refuse(unsigned level, SysRegKey key, unsigned rt, bool is_read, Exception& fault) const;
  SysRegResult cache_instruction(SysRegKey key, unsigned rt, std::uint64_t va, Exception& fault);
  SysRegResult tlb_instruction(SysRegKey key, unsigned rt, std::uint64_t value, Exception& fault);
  SysRegResult address_translation(SysRegKey key, std::uint64_t va);
  [[nodiscard]] TlbScope page_scope(std::uint64_t operand) const;

  CpuState& state_;
  SystemHost& host_;
  SystemConfig config_;
  Control control_;
  Timers timers_;
  Pmu pmu_;
  GicCpuInterface* gic_ = nullptr;
  GicContext told_gic_;
  std::uint64_t largest_leaf_ = 4096;  ///< largest mapping given out: a TLBI of any of its addresses drops all of it
  std::array<bool, 4> interrupt_{};    ///< level by CoreInterrupt
};

}  // namespace dpusim::cpu
