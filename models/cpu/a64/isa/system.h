// Instructions with a system part: exceptions, system registers, hints, barriers. @spec Arm ARM C4.1.87
#pragma once

#include "cpu/a64/arch/system.h"
#include "cpu/a64/isa/instruction.h"

namespace dpusim::cpu {

/// SVC, HVC, SMC: LL 1, 2, 3.
template <unsigned kLl>
struct ExceptionCall {
  static constexpr Pattern pattern = Pattern("11010100 000 imm16:16 000 LL:2").fix("LL", kLl);
  static constexpr const char* text = kLl == 1 ? "svc" : kLl == 2 ? "hvc" : "smc";
  static constexpr Kind kind = Kind::kSystem;
  static constexpr Cost cost = Cost::kSystem;
  static bool decode(const Fields& f, Op& op) {
    op.imm = static_cast<std::int32_t>(f("imm16"));
    return true;
  }
  template <class M>
  static Outcome exec(M& m, const Op& op) {
    constexpr ExceptionClass kClass = kLl == 1   ? ExceptionClass::kSvc
                                      : kLl == 2 ? ExceptionClass::kHvc
                                                 : ExceptionClass::kSmc;
    return m.follow(m.system().call(kClass, static_cast<std::uint32_t>(op.imm), m.pc()));
  }
};

/// BRK.
struct Breakpoint {
  static constexpr Pattern pattern = "11010100 001 imm16:16 000 00";
  static constexpr const char* text = "brk";
  static constexpr Kind kind = Kind::kSystem;
  static constexpr Cost cost = Cost::kSystem;
  static bool decode(const Fields& f, Op& op) {
    op.imm = static_cast<std::int32_t>(f("imm16"));
    return true;
  }
  template <class M>
  static Outcome exec(M& m, const Op& op) {
    return m.raise({.ec = ExceptionClass::kBrk, .iss = static_cast<std::uint32_t>(op.imm)});
  }
};

/// HLT: semihosting, or UNDEFINED.
struct Halt {
  static constexpr Pattern pattern = "11010100 010 imm16:16 000 00";
  static constexpr const char* text = "hlt";
  static constexpr Kind kind = Kind::kSystem;
  static constexpr Cost cost = Cost::kSystem;
  static bool decode(const Fields& f, Op& op) {
    op.imm = static_cast<std::int32_t>(f("imm16"));
    return true;
  }
  template <class M>
  static Outcome exec(M& m, const Op& op) {
    return m.follow(m.system().halt(static_cast<std::uint32_t>(op.imm), m.pc()));
  }
};

/// ERET.
struct ExceptionReturn {
  static constexpr Pattern pattern = "1101011 0100 11111 000000 11111 00000";
  static constexpr const char* text = "eret";
  static constexpr Kind kind = Kind::kSystem;
  static constexpr Cost cost = Cost::kSystem;
  static bool decode(const Fields&, Op&) { return true; }
  template <class M>
  static Outcome exec(M& m, const Op&) {
    m.system().eret(m.pc());
    return Outcome::kLeave;
  }
};

/// Turns System's answer to a register access into the block's way on.
template <class M>
inline Outcome register_outcome(M& m, SysRegResult result, const Exception& fault) {
  switch (result) {
    case SysRegResult::kOk:
      return Outcome::kNext;
    case SysRegResult::kOkEndBlock:
      return Outcome::kEndBlock;
    case SysRegResult::kTrapped:
      return m.raise(fault);
    default:
      return m.undefined();
  }
}
inline SysRegKey system_key(std::int32_t packed) {
  const auto p = static_cast<std::uint32_t>(packed);
  return {static_cast<std::uint8_t>(p >> 14 & 3), static_cast<std::uint8_t>(p >> 11 & 7),
          static_cast<std::uint8_t>(p >> 7 & 15), static_cast<std::uint8_t>(p >> 3 & 15),
          static_cast<std::uint8_t>(p & 7)};
}

/// MRS.
struct ReadSystemRegister {
  static constexpr Pattern pattern = "1101010100 1 1 key:15 Rt:5";
  static constexpr const char* text = "mrs";
  static constexpr Kind kind = Kind::kSystem;
  static constexpr Cost cost = Cost::kSystemRegister;
  static constexpr bool ends_block = false;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rt"));
    op.a = static_cast<std::uint8_t>(f("Rt"));
    op.imm = static_cast<std::int32_t>(f("key") | 1u << 15);
    return true;
  }
  template <class M>
  static Outcome exec(M& m, const Op& op) {
    std::uint64_t value = 0;
    Exception fault{};
    const SysRegResult result = m.system().read(system_key(op.imm), op.a, value, fault);
    if (result == SysRegResult::kOk || result == SysRegResult::kOkEndBlock) m.x(op.d) = value;
    return register_outcome(m, result, fault);
  }
};

/// MSR (register).
struct WriteSystemRegister {
  static constexpr Pattern pattern = "1101010100 0 1 key:15 Rt:5";
  static constexpr const char* text = "msr";
  static constexpr Kind kind = Kind::kSystem;
  static constexpr Cost cost = Cost::kSystemRegister;
  static constexpr bool ends_block = false;
  static bool decode(const Fields& f, Op& op) {
    op.n = read_x(f("Rt"));
    op.imm = static_cast<std::int32_t>(f("key") | 1u << 15);
    return true;
  }
  template <class M>
  static Outcome exec(M& m, const Op& op) {
    Exception fault{};
    return register_outcome(m, m.system().write(system_key(op.imm), op.n, m.x(op.n), fault), fault);
  }
};

/// MSR (immediate).
struct WritePstate {
  static constexpr Pattern pattern = "1101010100 0 00 op1:3 0100 CRm:4 op2:3 11111";
  static constexpr const char* text = "msr (immediate)";
  static constexpr Kind kind = Kind::kSystem;
  static constexpr Cost cost = Cost::kSystemRegister;
  static constexpr bool ends_block = false;
  static bool decode(const Fields& f, Op& op) {
    op.a = static_cast<std::uint8_t>(f("op1"));
    op.m = static_cast<std::uint8_t>(f("op2"));
    op.imm = static_cast<std::int32_t>(f("CRm"));
    return true;
  }
  template <class M>
  static Outcome exec(M& m, const Op& op) {
    Exception fault{};
    return register_outcome(m, m.system().write_pstate(op.a, op.m, static_cast<unsigned>(op.imm), fault), fault);
  }
};

/// SYS: cache, translation and address maintenance, but DC ZVA.
struct SystemInstruction {
  static constexpr Pattern base = "1101010100 0 01 op1:3 CRn:4 CRm:4 op2:3 Rt:5";
  static constexpr Pattern pattern = base.except_bits(0x0007ffe0, 0x00037420);
  static constexpr const char* text = "sys";
  static constexpr Kind kind = Kind::kSystem;
  static constexpr Cost cost = Cost::kSystem;
  static constexpr bool ends_block = false;
  static bool decode(const Fields& f, Op& op) {
    op.n = read_x(f("Rt"));
    op.imm =
        static_cast<std::int32_t>(SysRegKey{1, static_cast<std::uint8_t>(f("op1")), static_cast<std::uint8_t>(f("CRn")),
                                            static_cast<std::uint8_t>(f("CRm")), static_cast<std::uint8_t>(f("op2"))}
                                      .packed());
    return true;
  }
  template <class M>
  static Outcome exec(M& m, const Op& op) {
    Exception fault{};
    return register_outcome(m, m.system().system_instruction(system_key(op.imm), op.n, m.x(op.n), fault), fault);
  }
};

/// DC ZVA.
struct ZeroBlock {
  static constexpr Pattern pattern = "1101010100 0 01 011 0111 0100 001 Rt:5";
  static constexpr const char* text = "dc zva";
  static constexpr Kind kind = Kind::kAccess;
  static constexpr Cost cost = Cost::kStore;
  static constexpr bool always_slow = true;
  static bool decode(const Fields& f, Op& op) {
    op.n = read_x(f("Rt"));
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    return m.zero_block(m.x(op.n), op.n);
  }
};

/// SYSL: none is defined for these cores.
struct SystemInstructionLong {
  static constexpr Pattern pattern = "1101010100 1 01 op1:3 CRn:4 CRm:4 op2:3 Rt:5";
  static constexpr const char* text = "sysl";
  static constexpr Kind kind = Kind::kSystem;
  static constexpr Cost cost = Cost::kSystem;
  static bool decode(const Fields&, Op&) { return true; }
  template <class M>
  static Outcome exec(M& m, const Op&) {
    return m.undefined();
  }
};

/// Hints without effect: NOP, YIELD, and the hint spaces of later extensions (PAC, BTI, ESB, CSDB, PSB).
struct Hint {
  static constexpr Pattern base = "1101010100 0 00 011 0010 hint:7 11111";
  static constexpr Pattern pattern = base.except("hint", 2).except("hint", 3).except("hint", 4).except("hint", 5);
  static constexpr const char* text = "hint";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kHint;
  static bool decode(const Fields&, Op&) { return true; }
  template <class M>
  static void exec(M&, const Op&) {}
};

/// WFE, WFI: hint 2, 3.
template <bool kInterrupt>
struct Wait {
  static constexpr Pattern pattern = Hint::base.fix("hint", kInterrupt ? 3 : 2);
  static constexpr const char* text = kInterrupt ? "wfi" : "wfe";
  static constexpr Kind kind = Kind::kSystem;
  static constexpr Cost cost = Cost::kSystem;
  static bool decode(const Fields&, Op&) { return true; }
  template <class M>
  static Outcome exec(M& m, const Op&) {
    m.state().pc = m.pc() + 4;
    return m.follow(kInterrupt ? m.system().wait_for_interrupt(m.pc()) : m.system().wait_for_event(m.pc()));
  }
};

/// SEV, SEVL: hint 4, 5.
template <bool kLocal>
struct SendEvent {
  static constexpr Pattern pattern = Hint::base.fix("hint", kLocal ? 5 : 4);
  static constexpr const char* text = kLocal ? "sevl" : "sev";
  static constexpr Kind kind = Kind::kSystem;
  static constexpr Cost cost = Cost::kHint;
  static constexpr bool ends_block = false;
  static bool decode(const Fields&, Op&) { return true; }
  template <class M>
  static Outcome exec(M& m, const Op&) {
    if constexpr (kLocal)
      m.system().send_event_local();
    else
      m.system().send_event();
    return Outcome::kNext;
  }
};

/// DSB, DMB, ISB, SB, CLREX and the like: op2 names it.
template <unsigned kOp2>
struct Barrier {
  static constexpr Pattern pattern = Pattern("1101010100 0 00 011 0011 CRm:4 op2:3 11111").fix("op2", kOp2);
  static constexpr const char* text = kOp2 == 2 ? "clrex" : kOp2 == 4 ? "dsb" : kOp2 == 5 ? "dmb" : "isb";
  static constexpr Kind kind = Kind::kSystem;
  static constexpr Cost cost = Cost::kBarrier;
  static constexpr bool ends_block = kOp2 == 6;
  static bool decode(const Fields&, Op&) { return true; }
  template <class M>
  static Outcome exec(M& m, const Op&) {
    if constexpr (kOp2 == 2)
      m.state().monitor_size = 0;
    else
      m.barrier(cost);
    // A context synchronisation event: what was decoded or translated before may not hold behind it.
    return kOp2 == 6 ? Outcome::kEndBlock : Outcome::kNext;
  }
};

/// A word that is no instruction of this core.
struct Undefined {
  static constexpr Pattern pattern = "word:32";
  static constexpr const char* text = "undefined";
  static constexpr Kind kind = Kind::kSystem;
  static constexpr Cost cost = Cost::kSystem;
  static bool decode(const Fields& f, Op& op) {
    op.imm = static_cast<std::int32_t>(f.word());
    return true;
  }
  template <class M>
  static Outcome exec(M& m, const Op& op) {
    m.report_unimplemented(static_cast<std::uint32_t>(op.imm));
    return m.undefined();
  }
};

/// An FP/SIMD instruction while CPACR_EL1, CPTR_EL2 or CPTR_EL3 disable them.
struct FpDisabled {
  static constexpr Pattern pattern = "word:32";
  static constexpr const char* text = "fp disabled";
  static constexpr Kind kind = Kind::kSystem;
  static constexpr Cost cost = Cost::kSystem;
  static bool decode(const Fields&, Op&) { return true; }
  template <class M>
  static Outcome exec(M& m, const Op&) {
    return m.raise(m.system().fp_exception());
  }
};

/// The end of a block that is not a branch.
struct FallThrough {
  static constexpr Pattern pattern = "word:32";
  static constexpr const char* text = "";
  static constexpr Kind kind = Kind::kBranch;
  static constexpr Cost cost = Cost::kBranch;
  static bool decode(const Fields&, Op&) { return true; }
  static std::int64_t offset(const Fields&) { return 4; }
  template <class M>
  static bool exec(M&, const Op&) {
    return false;
  }
};

/// A debugger's breakpoint: stops before the instruction.
struct DebugStop {
  static constexpr Pattern pattern = "word:32";
  static constexpr const char* text = "breakpoint";
  static constexpr Kind kind = Kind::kSystem;
  static constexpr Cost cost = Cost::kSystem;
  static bool decode(const Fields&, Op&) { return true; }
  template <class M>
  static Outcome exec(M& m, const Op&) {
    m.machine().leave = Leave::kBreakpoint;
    return Outcome::kFault;
  }
};

}  // namespace dpusim::cpu
