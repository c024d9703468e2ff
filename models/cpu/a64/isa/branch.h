// Branches. @spec Arm ARM C4.1.87
#pragma once

#include "cpu/a64/isa/flags.h"
#include "cpu/a64/isa/instruction.h"

namespace dpusim::cpu {

/// B.cond.
template <unsigned kCondition>
struct BranchConditional {
  static constexpr Pattern pattern = Pattern("0101010 0 imm19:19 0 cond:4").fix("cond", kCondition);
  static constexpr const char* text = "b.cond";
  static constexpr Kind kind = Kind::kBranch;
  static constexpr Cost cost = Cost::kBranchConditional;
  static bool decode(const Fields&, Op&) { return true; }
  static std::int64_t offset(const Fields& f) { return std::int64_t{f.sign("imm19")} * 4; }
  template <class M>
  static bool exec(M& m, const Op&) {
    return m.flags().holds(kCondition);
  }
};

/// B.
struct Branch {
  static constexpr Pattern pattern = "0 00101 imm26:26";
  static constexpr const char* text = "b";
  static constexpr Kind kind = Kind::kBranch;
  static constexpr Cost cost = Cost::kBranch;
  static bool decode(const Fields&, Op&) { return true; }
  static std::int64_t offset(const Fields& f) { return std::int64_t{f.sign("imm26")} * 4; }
  template <class M>
  static bool exec(M&, const Op&) {
    return true;
  }
};

/// BL.
struct BranchLink {
  static constexpr Pattern pattern = "1 00101 imm26:26";
  static constexpr const char* text = "bl";
  static constexpr Kind kind = Kind::kBranch;
  static constexpr Cost cost = Cost::kCall;
  static bool decode(const Fields& f, Op& op) {
    op.imm = f.constant(f.pc() + 4);
    return true;
  }
  static std::int64_t offset(const Fields& f) { return std::int64_t{f.sign("imm26")} * 4; }
  template <class M>
  static bool exec(M& m, const Op& op) {
    m.x(30) = op.constant();
    return true;
  }
};

/// CBZ, CBNZ.
template <bool k64, bool kNot>
struct CompareBranch {
  static constexpr Pattern pattern = Pattern("sf 011010 op imm19:19 Rt:5").fix("sf", k64).fix("op", kNot);
  static constexpr const char* text = kNot ? "cbnz" : "cbz";
  static constexpr Kind kind = Kind::kBranch;
  static constexpr Cost cost = Cost::kBranchConditional;
  static bool decode(const Fields& f, Op& op) {
    op.n = read_x(f("Rt"));
    return true;
  }
  static std::int64_t offset(const Fields& f) { return std::int64_t{f.sign("imm19")} * 4; }
  template <class M>
  static bool exec(M& m, const Op& op) {
    const bool zero = k64 ? m.x(op.n) == 0 : m.w(op.n) == 0;
    return zero != kNot;
  }
};

/// TBZ, TBNZ.
template <bool kNot>
struct TestBranch {
  static constexpr Pattern pattern = Pattern("b5 011011 op b40:5 imm14:14 Rt:5").fix("op", kNot);
  static constexpr const char* text = kNot ? "tbnz" : "tbz";
  static constexpr Kind kind = Kind::kBranch;
  static constexpr Cost cost = Cost::kBranchConditional;
  static bool decode(const Fields& f, Op& op) {
    op.n = read_x(f("Rt"));
    op.a = static_cast<std::uint8_t>((f("b5") << 5) | f("b40"));
    return true;
  }
  static std::int64_t offset(const Fields& f) { return std::int64_t{f.sign("imm14")} * 4; }
  template <class M>
  static bool exec(M& m, const Op& op) {
    return (((m.x(op.n) >> op.a) & 1) == 0) != kNot;
  }
};

/// BR, BLR, RET: opc 0, 1, 2.
template <unsigned kOpc>
struct BranchRegister {
  static constexpr Pattern pattern = Pattern("1101011 opc:4 11111 000000 Rn:5 00000").fix("opc", kOpc);
  static constexpr const char* text = kOpc == 0 ? "br" : kOpc == 1 ? "blr" : "ret";
  static constexpr Kind kind = Kind::kJump;
  static constexpr Cost cost = kOpc == 0 ? Cost::kBranchIndirect : kOpc == 1 ? Cost::kCall : Cost::kReturn;
  static bool decode(const Fields& f, Op& op) {
    op.n = read_x(f("Rn"));
    if (kOpc == 1) op.imm = f.constant(f.pc() + 4);
    return true;
  }
  template <class M>
  static std::uint64_t exec(M& m, const Op& op) {
    const std::uint64_t target = m.x(op.n);
    if constexpr (kOpc == 1) m.x(30) = op.constant();
    return target;
  }
};

}  // namespace dpusim::cpu
