// Data processing on general registers: arithmetic, logic, moves, bit fields, conditionals. @spec Arm ARM C4.1.86,
// C4.1.89
#pragma once

#include <bit>

#include "cpu/a64/isa/flags.h"
#include "cpu/a64/isa/instruction.h"
#include "cpu/a64/isa/integer_functions.h"

namespace dpusim::cpu {

template <bool k64>
using Word = std::conditional_t<k64, std::uint64_t, std::uint32_t>;

/// ADD, SUB, ADDS, SUBS (immediate).
template <bool k64, bool kSub, bool kFlags>
struct AddSubImmediate {
  static constexpr Pattern pattern =
      Pattern("sf op S 100010 sh imm12:12 Rn:5 Rd:5").fix("sf", k64).fix("op", kSub).fix("S", kFlags);
  static constexpr const char* text = "add/sub (immediate)";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kAlu;
  static bool decode(const Fields& f, Op& op) {
    op.d = kFlags ? write_x(f("Rd")) : sp_or_x(f("Rd"));
    op.n = sp_or_x(f("Rn"));
    op.imm = static_cast<std::int32_t>(f("imm12") << (f("sh") != 0 ? 12 : 0));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    using T = Word<k64>;
    const T a = m.template get<T>(op.n), b = static_cast<T>(op.imm);
    if constexpr (kFlags)
      m.set(op.d, kSub ? subtract_with_flags(m.flags(), a, b) : add_with_flags(m.flags(), a, b));
    else
      m.set(op.d, static_cast<T>(kSub ? a - b : a + b));
  }
};

/// Shift kinds of a shifted register operand.
enum class Shift : std::uint8_t { kLsl, kLsr, kAsr, kRor };

template <Shift kShift, class T>
constexpr T shifted(T value, unsigned amount) {
  switch (kShift) {
    case Shift::kLsl:
      return static_cast<T>(value << amount);
    case Shift::kLsr:
      return static_cast<T>(value >> amount);
    case Shift::kAsr:
      return static_cast<T>(static_cast<std::make_signed_t<T>>(value) >> amount);
    default:
      return std::rotr(value, static_cast<int>(amount));
  }
}

/// ADD, SUB, ADDS, SUBS (shifted register). kZero: no shift.
template <bool k64, bool kSub, bool kFlags, Shift kShift, bool kZero>
struct AddSubShifted {
  static constexpr Pattern base = Pattern("sf op S 01011 sh:2 0 Rm:5 imm6:6 Rn:5 Rd:5")
                                      .fix("sf", k64)
                                      .fix("op", kSub)
                                      .fix("S", kFlags)
                                      .fix("sh", static_cast<unsigned>(kShift));
  static constexpr Pattern pattern = kZero ? base.fix("imm6", 0) : base.except("imm6", 0);
  static constexpr const char* text = "add/sub (shifted register)";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = kZero ? Cost::kAlu : Cost::kAluShift;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rd"));
    op.n = read_x(f("Rn"));
    op.m = read_x(f("Rm"));
    op.a = static_cast<std::uint8_t>(f("imm6"));
    return k64 || op.a < 32;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    using T = Word<k64>;
    const T a = m.template get<T>(op.n);
    T b = m.template get<T>(op.m);
    if constexpr (!kZero) b = shifted<kShift>(b, op.a);
    if constexpr (kFlags)
      m.set(op.d, kSub ? subtract_with_flags(m.flags(), a, b) : add_with_flags(m.flags(), a, b));
    else
      m.set(op.d, static_cast<T>(kSub ? a - b : a + b));
  }
};

/// ADD, SUB, ADDS, SUBS (extended register).
template <bool k64, bool kSub, bool kFlags>
struct AddSubExtended {
  static constexpr Pattern pattern =
      Pattern("sf op S 01011 00 1 Rm:5 option:3 imm3:3 Rn:5 Rd:5").fix("sf", k64).fix("op", kSub).fix("S", kFlags);
  static constexpr const char* text = "add/sub (extended register)";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kAluShift;
  static bool decode(const Fields& f, Op& op) {
    op.d = kFlags ? write_x(f("Rd")) : sp_or_x(f("Rd"));
    op.n = sp_or_x(f("Rn"));
    op.m = read_x(f("Rm"));
    op.a = static_cast<std::uint8_t>(f("option"));
    op.imm = static_cast<std::int32_t>(f("imm3"));
    return op.imm <= 4;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    using T = Word<k64>;
    const T a = m.template get<T>(op.n);
    const T b = static_cast<T>(extended(m.x(op.m), op.a) << op.imm);
    if constexpr (kFlags)
      m.set(op.d, kSub ? subtract_with_flags(m.flags(), a, b) : add_with_flags(m.flags(), a, b));
    else
      m.set(op.d, static_cast<T>(kSub ? a - b : a + b));
  }
};

/// ADC, SBC, ADCS, SBCS.
template <bool k64, bool kSub, bool kFlags>
struct AddSubCarry {
  static constexpr Pattern pattern =
      Pattern("sf op S 11010000 Rm:5 000000 Rn:5 Rd:5").fix("sf", k64).fix("op", kSub).fix("S", kFlags);
  static constexpr const char* text = "add/sub (with carry)";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kAlu;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rd"));
    op.n = read_x(f("Rn"));
    op.m = read_x(f("Rm"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    using T = Word<k64>;
    const T a = m.template get<T>(op.n);
    T b = m.template get<T>(op.m);
    if constexpr (kSub) b = static_cast<T>(~b);
    if constexpr (kFlags)
      m.set(op.d, add_carry_with_flags(m.flags(), a, b));
    else
      m.set(op.d, static_cast<T>(a + b + m.flags().c));
  }
};

enum class Logic : std::uint8_t { kAnd, kOrr, kEor, kAnds };

template <Logic kOp, class M, class T>
inline void logic(M& m, unsigned d, T a, T b) {
  T result;
  if constexpr (kOp == Logic::kOrr)
    result = a | b;
  else if constexpr (kOp == Logic::kEor)
    result = a ^ b;
  else
    result = a & b;
  if constexpr (kOp == Logic::kAnds) logical_flags(m.flags(), result);
  m.set(d, result);
}

/// AND, ORR, EOR, ANDS (immediate).
template <bool k64, Logic kOp>
struct LogicalImmediate {
  static constexpr Pattern base =
      Pattern("sf opc:2 100100 N immr:6 imms:6 Rn:5 Rd:5").fix("sf", k64).fix("opc", static_cast<unsigned>(kOp));
  static constexpr Pattern pattern = k64 ? base : base.fix("N", 0);
  static constexpr const char* text = "logical (immediate)";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kAlu;
  static bool decode(const Fields& f, Op& op) {
    std::uint64_t mask = 0;
    if (!logical_immediate(f("N"), f("immr"), f("imms"), mask)) return false;
    op.d = kOp == Logic::kAnds ? write_x(f("Rd")) : sp_or_x(f("Rd"));
    op.n = read_x(f("Rn"));
    op.imm = f.constant(mask);
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    using T = Word<k64>;
    logic<kOp>(m, op.d, m.template get<T>(op.n), static_cast<T>(op.constant()));
  }
};

/// AND, BIC, ORR, ORN, EOR, EON, ANDS, BICS (shifted register). kZero: no shift.
template <bool k64, Logic kOp, bool kNot, Shift kShift, bool kZero>
struct LogicalShifted {
  static constexpr Pattern base = Pattern("sf opc:2 01010 sh:2 N Rm:5 imm6:6 Rn:5 Rd:5")
                                      .fix("sf", k64)
                                      .fix("opc", static_cast<unsigned>(kOp))
                                      .fix("N", kNot)
                                      .fix("sh", static_cast<unsigned>(kShift));
  static constexpr Pattern pattern = kZero ? base.fix("imm6", 0) : base.except("imm6", 0);
  static constexpr const char* text = "logical (shifted register)";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = kZero ? Cost::kAlu : Cost::kAluShift;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rd"));
    op.n = read_x(f("Rn"));
    op.m = read_x(f("Rm"));
    op.a = static_cast<std::uint8_t>(f("imm6"));
    return k64 || op.a < 32;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    using T = Word<k64>;
    T b = m.template get<T>(op.m);
    if constexpr (!kZero) b = shifted<kShift>(b, op.a);
    if constexpr (kNot) b = static_cast<T>(~b);
    logic<kOp>(m, op.d, m.template get<T>(op.n), b);
  }
};

/// MOVN, MOVZ: the constant is ready at decoding.
template <bool k64, bool kNot>
struct MoveWide {
  static constexpr Pattern base = Pattern("sf opc:2 100101 hw:2 imm16:16 Rd:5").fix("sf", k64).fix("opc", kNot ? 0 : 2);
  static constexpr Pattern pattern = k64 ? base : base.except("hw", 2).except("hw", 3);
  static constexpr const char* text = "movz/movn";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kMove;
  static bool decode(const Fields& f, Op& op) {
    std::uint64_t value = std::uint64_t{f("imm16")} << (16 * f("hw"));
    if (kNot) value = static_cast<Word<k64>>(~value);
    op.d = write_x(f("Rd"));
    op.imm = f.constant(value);
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    m.x(op.d) = op.constant();
  }
};

/// MOVK.
template <bool k64>
struct MoveKeep {
  static constexpr Pattern base = Pattern("sf 11 100101 hw:2 imm16:16 Rd:5").fix("sf", k64);
  static constexpr Pattern pattern = k64 ? base : base.except("hw", 2).except("hw", 3);
  static constexpr const char* text = "movk";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kMove;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rd"));
    op.n = read_x(f("Rd"));
    op.a = static_cast<std::uint8_t>(16 * f("hw"));
    op.imm = static_cast<std::int32_t>(f("imm16"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    using T = Word<k64>;
    const T hole = static_cast<T>(~(T{0xffff} << op.a));
    m.set(op.d, static_cast<T>((m.template get<T>(op.n) & hole) | (static_cast<T>(op.imm) << op.a)));
  }
};

/// ADR, ADRP.
template <bool kPage>
struct Address {
  static constexpr Pattern pattern = Pattern("op immlo:2 10000 immhi:19 Rd:5").fix("op", kPage);
  static constexpr const char* text = kPage ? "adrp" : "adr";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kAlu;
  static bool decode(const Fields& f, Op& op) {
    const std::int64_t offset = (std::int64_t{f.sign("immhi")} << 2) | f("immlo");
    op.d = write_x(f("Rd"));
    op.imm = f.constant(kPage ? (f.pc() & ~std::uint64_t{0xfff}) + (static_cast<std::uint64_t>(offset) << 12)
                              : f.pc() + static_cast<std::uint64_t>(offset));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    m.x(op.d) = op.constant();
  }
};

/// SBFM, UBFM: a field of the source goes to a field of the destination, which is otherwise zero or sign.
/// Both are a shift up that drops what is above the field, and a shift down; op.n, op.m, op.a: register, up, down.
template <bool k64, bool kSigned>
struct BitfieldMove {
  static constexpr Pattern base =
      Pattern("sf opc:2 100110 N immr:6 imms:6 Rn:5 Rd:5").fix("sf", k64).fix("N", k64).fix("opc", kSigned ? 0 : 2);
  static constexpr Pattern pattern = base;
  static constexpr const char* text = "sbfm/ubfm";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kAluShift;
  static bool decode(const Fields& f, Op& op) {
    const unsigned size = k64 ? 64 : 32, r = f("immr"), s = f("imms");
    if (r >= size || s >= size) return false;
    op.d = write_x(f("Rd"));
    op.n = read_x(f("Rn"));
    op.m = static_cast<std::uint8_t>(size - 1 - s);
    // s >= r: bits s..r go to 0; else bits s..0 go to size - r.
    op.a = static_cast<std::uint8_t>(s >= r ? size - 1 - s + r : size - 1 - s - (size - r));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    using T = Word<k64>;
    using S = std::make_signed_t<T>;
    const T up = static_cast<T>(m.template get<T>(op.n) << op.m);
    m.set(op.d, kSigned ? static_cast<T>(static_cast<S>(up) >> op.a) : static_cast<T>(up >> op.a));
  }
};

/// BFM: a field of the source replaces a field of the destination.
template <bool k64>
struct BitfieldInsert {
  static constexpr Pattern pattern = Pattern("sf 01 100110 N immr:6 imms:6 Rn:5 Rd:5").fix("sf", k64).fix("N", k64);
  static constexpr const char* text = "bfm";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kAluShift;
  static bool decode(const Fields& f, Op& op) {
    const unsigned size = k64 ? 64 : 32, r = f("immr"), s = f("imms");
    if (r >= size || s >= size) return false;
    const unsigned width = s >= r ? s - r + 1 : s + 1, low = s >= r ? 0 : size - r;
    op.d = write_x(f("Rd"));
    op.n = read_x(f("Rn"));
    op.m = read_x(f("Rd"));
    op.a = static_cast<std::uint8_t>(r);
    op.imm = f.constant((width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1) << low);
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    using T = Word<k64>;
    const T mask = static_cast<T>(op.constant());
    const T source = std::rotr(m.template get<T>(op.n), op.a);
    m.set(op.d, static_cast<T>((m.template get<T>(op.m) & ~mask) | (source & mask)));
  }
};

/// EXTR (ROR immediate is its alias).
template <bool k64>
struct Extract {
  static constexpr Pattern pattern = Pattern("sf 00 100111 N 0 Rm:5 imms:6 Rn:5 Rd:5").fix("sf", k64).fix("N", k64);
  static constexpr const char* text = "extr";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kAluShift;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rd"));
    op.n = read_x(f("Rn"));
    op.m = read_x(f("Rm"));
    op.a = static_cast<std::uint8_t>(f("imms"));
    return k64 || op.a < 32;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    using T = Word<k64>;
    constexpr unsigned kSize = 8 * sizeof(T);
    const T high = m.template get<T>(op.n), low = m.template get<T>(op.m);
    m.set(op.d, op.a == 0 ? low : static_cast<T>((low >> op.a) | (high << (kSize - op.a))));
  }
};

/// CSEL, CSINC, CSINV, CSNEG, by condition.
template <bool k64, bool kInvert, bool kIncrement, unsigned kCondition>
struct ConditionalSelect {
  static constexpr Pattern pattern = Pattern("sf op 0 11010100 Rm:5 cond:4 0 o2 Rn:5 Rd:5")
                                         .fix("sf", k64)
                                         .fix("op", kInvert)
                                         .fix("o2", kIncrement)
                                         .fix("cond", kCondition);
  static constexpr const char* text = "csel/csinc/csinv/csneg";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kAlu;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rd"));
    op.n = read_x(f("Rn"));
    op.m = read_x(f("Rm"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    using T = Word<k64>;
    T other = m.template get<T>(op.m);
    if constexpr (kInvert) other = static_cast<T>(~other);
    if constexpr (kIncrement) other = static_cast<T>(other + 1);
    m.set(op.d, m.flags().holds(kCondition) ? m.template get<T>(op.n) : other);
  }
};

/// CCMN, CCMP (register and immediate).
template <bool k64, bool kSub, bool kImmediate>
struct ConditionalCompare {
  static constexpr Pattern pattern =
      Pattern("sf op 1 11010010 Rm:5 cond:4 i 0 Rn:5 0 nzcv:4").fix("sf", k64).fix("op", kSub).fix("i", kImmediate);
  static constexpr const char* text = "ccmn/ccmp";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kAlu;
  static bool decode(const Fields& f, Op& op) {
    op.n = read_x(f("Rn"));
    op.m = static_cast<std::uint8_t>(f("Rm"));  // register slot, or the immediate itself
    op.a = static_cast<std::uint8_t>(f("cond"));
    op.imm = static_cast<std::int32_t>(f("nzcv"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    using T = Word<k64>;
    if (!m.flags().holds(op.a)) {
      m.flags().set_nzcv(static_cast<unsigned>(op.imm));
      return;
    }
    const T a = m.template get<T>(op.n), b = kImmediate ? static_cast<T>(op.m) : m.template get<T>(op.m);
    if constexpr (kSub)
      subtract_with_flags(m.flags(), a, b);
    else
      add_with_flags(m.flags(), a, b);
  }
};

enum class Shape2 : std::uint8_t { kUdiv = 2, kSdiv = 3, kLslv = 8, kLsrv = 9, kAsrv = 10, kRorv = 11 };

/// UDIV, SDIV, LSLV, LSRV, ASRV, RORV.
template <bool k64, Shape2 kOp>
struct TwoSource {
  static constexpr Pattern pattern =
      Pattern("sf 0 0 11010110 Rm:5 opcode:6 Rn:5 Rd:5").fix("sf", k64).fix("opcode", static_cast<unsigned>(kOp));
  static constexpr const char* text = "data processing (2 source)";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = kOp <= Shape2::kSdiv ? Cost::kDivide : Cost::kAluShift;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rd"));
    op.n = read_x(f("Rn"));
    op.m = read_x(f("Rm"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    using T = Word<k64>;
    const T a = m.template get<T>(op.n), b = m.template get<T>(op.m);
    const unsigned amount = static_cast<unsigned>(b % (8 * sizeof(T)));
    if constexpr (kOp == Shape2::kUdiv)
      m.set(op.d, b == 0 ? T{0} : static_cast<T>(a / b));
    else if constexpr (kOp == Shape2::kSdiv)
      m.set(op.d, signed_divide(a, b));
    else if constexpr (kOp == Shape2::kLslv)
      m.set(op.d, shifted<Shift::kLsl>(a, amount));
    else if constexpr (kOp == Shape2::kLsrv)
      m.set(op.d, shifted<Shift::kLsr>(a, amount));
    else if constexpr (kOp == Shape2::kAsrv)
      m.set(op.d, shifted<Shift::kAsr>(a, amount));
    else
      m.set(op.d, shifted<Shift::kRor>(a, amount));
  }
};

/// CRC32B, H, W, X and CRC32C of the same. @spec Arm ARM C6.2.78
template <bool kCastagnoli, unsigned kSize>
struct Crc32 {
  static constexpr Pattern pattern =
      Pattern("sf 0 0 11010110 Rm:5 010 C sz:2 Rn:5 Rd:5").fix("sf", kSize == 3).fix("C", kCastagnoli).fix("sz", kSize);
  static constexpr const char* text = kCastagnoli ? "crc32c" : "crc32";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kCrc;
  static constexpr Feature feature = Feature::kCrc32;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rd"));
    op.n = read_x(f("Rn"));
    op.m = read_x(f("Rm"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    m.set(op.d, crc32<kCastagnoli>(m.w(op.n), m.x(op.m), 1u << kSize));
  }
};

enum class Shape1 : std::uint8_t { kRbit, kRev16, kRev32, kRev64, kClz, kCls };

/// RBIT, REV16, REV32 / REV, REV64, CLZ, CLS.
template <bool k64, Shape1 kOp>
struct OneSource {
  static constexpr Pattern pattern =
      Pattern("sf 1 0 11010110 00000 000 opcode:3 Rn:5 Rd:5").fix("sf", k64).fix("opcode", static_cast<unsigned>(kOp));
  static constexpr const char* text = "data processing (1 source)";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kAlu;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rd"));
    op.n = read_x(f("Rn"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    using T = Word<k64>;
    const T a = m.template get<T>(op.n);
    if constexpr (kOp == Shape1::kRbit)
      m.set(op.d, reverse_bits(a));
    else if constexpr (kOp == Shape1::kRev16)
      m.set(op.d, reverse_in_groups<2>(a));
    else if constexpr (kOp == Shape1::kRev32)
      m.set(op.d, reverse_in_groups<4>(a));
    else if constexpr (kOp == Shape1::kRev64)
      m.set(op.d, reverse_in_groups<8>(a));
    else if constexpr (kOp == Shape1::kClz)
      m.set(op.d, static_cast<T>(std::countl_zero(a)));
    else
      m.set(op.d, static_cast<T>(std::countl_zero(static_cast<T>((a ^ (a << 1)) | 1))));
  }
};

/// MADD, MSUB.
template <bool k64, bool kSub>
struct MultiplyAdd {
  static constexpr Pattern pattern = Pattern("sf 00 11011 000 Rm:5 o0 Ra:5 Rn:5 Rd:5").fix("sf", k64).fix("o0", kSub);
  static constexpr const char* text = "madd/msub";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = k64 ? Cost::kMultiplyLong : Cost::kMultiply;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rd"));
    op.n = read_x(f("Rn"));
    op.m = read_x(f("Rm"));
    op.a = read_x(f("Ra"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    using T = Word<k64>;
    const T product = static_cast<T>(m.template get<T>(op.n) * m.template get<T>(op.m)), a = m.template get<T>(op.a);
    m.set(op.d, static_cast<T>(kSub ? a - product : a + product));
  }
};

/// SMADDL, SMSUBL, UMADDL, UMSUBL.
template <bool kUnsigned, bool kSub>
struct MultiplyAddLong {
  static constexpr Pattern pattern =
      Pattern("1 00 11011 U 01 Rm:5 o0 Ra:5 Rn:5 Rd:5").fix("U", kUnsigned).fix("o0", kSub);
  static constexpr const char* text = "smaddl/umaddl";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kMultiply;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rd"));
    op.n = read_x(f("Rn"));
    op.m = read_x(f("Rm"));
    op.a = read_x(f("Ra"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    const auto widen = [](std::uint32_t w) {
      return kUnsigned ? std::uint64_t{w} : static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(w)});
    };
    const std::uint64_t product = widen(m.w(op.n)) * widen(m.w(op.m));
    m.x(op.d) = kSub ? m.x(op.a) - product : m.x(op.a) + product;
  }
};

/// SMULH, UMULH.
template <bool kUnsigned>
struct MultiplyHigh {
  static constexpr Pattern pattern = Pattern("1 00 11011 U 10 Rm:5 0 xxxxx Rn:5 Rd:5").fix("U", kUnsigned);
  static constexpr const char* text = "smulh/umulh";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kMultiplyLong;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rd"));
    op.n = read_x(f("Rn"));
    op.m = read_x(f("Rm"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    if constexpr (kUnsigned) {
      m.x(op.d) = static_cast<std::uint64_t>((static_cast<UInt128>(m.x(op.n)) * m.x(op.m)) >> 64);
    } else {
      const Int128 a = static_cast<std::int64_t>(m.x(op.n)), b = static_cast<std::int64_t>(m.x(op.m));
      m.x(op.d) = static_cast<std::uint64_t>((a * b) >> 64);
    }
  }
};

}  // namespace dpusim::cpu
