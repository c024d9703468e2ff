// Advanced SIMD copies, permutations, table lookup and modified immediates. @spec Arm ARM C4.1.90
#pragma once

#include "cpu/a64/isa/fp_scalar.h"
#include "cpu/a64/isa/simd_lanes.h"

namespace dpusim::cpu::simd {

/// Decodes imm5 of the copy class: the lowest set bit gives the element size, what is above it the index.
/// Sets a = size code, imm = index << 8 | octets. @return false for reserved values
inline bool take_imm5(const Fields& f, Op& op, unsigned bytes) {
  const unsigned imm5 = f("imm5");
  if ((imm5 & 15) == 0) return false;
  const auto size = static_cast<unsigned>(std::countr_zero(imm5));
  op.a = static_cast<std::uint8_t>(size);
  op.imm = static_cast<std::int32_t>(imm5 >> (size + 1) << 8 | bytes);
  return true;
}
inline unsigned copy_index(const Op& op) { return static_cast<unsigned>(op.imm) >> 8; }
inline int copy_bytes(const Op& op) { return op.imm & 0xff; }

/// DUP (element), vector and scalar.
template <Shape kShape>
struct DupElement : FpInstruction {
  static constexpr Pattern pattern = kShape == Shape::kVector ? Pattern("0 Q 0 01110000 imm5:5 0 0000 1 Vn:5 Vd:5")
                                                              : Pattern("01 0 11110000 imm5:5 0 0000 1 Vn:5 Vd:5");
  static constexpr const char* text = "dup (element)";
  static constexpr Cost cost = Cost::kVectorPermute;
  static bool decode(const Fields& f, Op& op) {
    take_dn(f, op);
    unsigned bytes = 0;
    if constexpr (kShape == Shape::kVector) bytes = f("Q") != 0 ? 16 : 8;
    if (!take_imm5(f, op, bytes)) return false;
    if constexpr (kShape == Shape::kScalar) op.imm |= 1 << op.a;
    return kShape == Shape::kScalar || op.a != 3 || bytes == 16;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_size(op.a, [&]<class T>() {
      Lanes<T> l;
      l.fill(lanes<T>(m.v(op.n))[copy_index(op)]);
      m.v(op.d) = keep_low(vector_of<T>(l), copy_bytes(op));
    });
  }
};
/// DUP (general).
struct DupGeneral : FpInstruction {
  static constexpr Pattern pattern{"0 Q 0 01110000 imm5:5 0 0001 1 Rn:5 Vd:5"};
  static constexpr const char* text = "dup (general)";
  static constexpr Cost cost = Cost::kGeneralToVector;
  static bool decode(const Fields& f, Op& op) {
    op.d = static_cast<std::uint8_t>(f("Vd"));
    op.n = read_x(f("Rn"));
    return take_imm5(f, op, f("Q") != 0 ? 16 : 8) && (op.a != 3 || f("Q") != 0);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_size(op.a, [&]<class T>() {
      Lanes<T> l;
      l.fill(static_cast<T>(m.x(op.n)));
      m.v(op.d) = keep_low(vector_of<T>(l), copy_bytes(op));
    });
  }
};
/// INS (element).
struct InsElement : FpInstruction {
  static constexpr Pattern pattern{"0 1 1 01110000 imm5:5 0 imm4:4 1 Vn:5 Vd:5"};
  static constexpr const char* text = "ins (element)";
  static constexpr Cost cost = Cost::kVectorPermute;
  static bool decode(const Fields& f, Op& op) {
    take_dn(f, op);
    if (!take_imm5(f, op, 16)) return false;
    op.m = static_cast<std::uint8_t>(f("imm4") >> op.a);
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_size(op.a, [&]<class T>() {
      Lanes<T> l = lanes<T>(m.v(op.d));
      l[copy_index(op)] = lanes<T>(m.v(op.n))[op.m];
      m.v(op.d) = vector_of<T>(l);
    });
  }
};
/// INS (general).
struct InsGeneral : FpInstruction {
  static constexpr Pattern pattern{"0 1 0 01110000 imm5:5 0 0011 1 Rn:5 Vd:5"};
  static constexpr const char* text = "ins (general)";
  static constexpr Cost cost = Cost::kGeneralToVector;
  static bool decode(const Fields& f, Op& op) {
    op.d = static_cast<std::uint8_t>(f("Vd"));
    op.n = read_x(f("Rn"));
    return take_imm5(f, op, 16);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_size(op.a, [&]<class T>() {
      Lanes<T> l = lanes<T>(m.v(op.d));
      l[copy_index(op)] = static_cast<T>(m.x(op.n));
      m.v(op.d) = vector_of<T>(l);
    });
  }
};
/// UMOV, SMOV.
template <bool kSigned>
struct MoveToGeneral : FpInstruction {
  static constexpr Pattern pattern = Pattern("0 Q 0 01110000 imm5:5 0 01 s 1 1 Vn:5 Rd:5").fix("s", !kSigned);
  static constexpr const char* text = kSigned ? "smov" : "umov";
  static constexpr Cost cost = Cost::kVectorToGeneral;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rd"));
    op.n = static_cast<std::uint8_t>(f("Vn"));
    op.m = static_cast<std::uint8_t>(f("Q"));
    if (!take_imm5(f, op, 16)) return false;
    // SMOV extends to a larger register; UMOV of D needs an X register and the others need a W register.
    return kSigned ? op.a < 2 + op.m : (op.a == 3) == (op.m != 0);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_size(op.a, [&]<class T>() {
      const T value = lanes<T>(m.v(op.n))[copy_index(op)];
      std::uint64_t result = value;
      if constexpr (kSigned) {
        result = static_cast<std::uint64_t>(std::int64_t{as_signed(value)});
        if (op.m == 0) result = static_cast<std::uint32_t>(result);
      }
      m.set(op.d, result);
    });
  }
};

/// UZP1, UZP2, TRN1, TRN2, ZIP1, ZIP2.
enum class Permutation : std::uint8_t { kUzp = 1, kTrn = 2, kZip = 3 };
template <Permutation kHow, unsigned kPart>
struct Permute : SimdInstruction {
  static constexpr Pattern pattern = Pattern("0 Q 001110 size:2 0 Vm:5 0 part how:2 10 Vn:5 Vd:5")
                                         .except("size", 3, "Q", 0)
                                         .fix("part", kPart)
                                         .fix("how", static_cast<unsigned>(kHow));
  static constexpr const char* text = "uzp/trn/zip";
  static constexpr Cost cost = Cost::kVectorPermute;
  static bool decode(const Fields& f, Op& op) {
    take_arrangement(f, op);
    return take_dnm(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_size(op.a, [&]<class T>() {
      const Lanes<T> n = lanes<T>(m.v(op.n)), b = lanes<T>(m.v(op.m));
      const unsigned count = static_cast<unsigned>(op.imm) / static_cast<unsigned>(sizeof(T)), half = count / 2;
      Lanes<T> result{};
      for (unsigned i = 0; i < half; ++i) {
        if constexpr (kHow == Permutation::kUzp) {
          result[i] = n[2 * i + kPart];
          result[half + i] = b[2 * i + kPart];
        } else {
          const unsigned from = kHow == Permutation::kTrn ? 2 * i + kPart : kPart * half + i;
          result[2 * i] = n[from];
          result[2 * i + 1] = b[from];
        }
      }
      m.v(op.d) = vector_of<T>(result);
    });
  }
};

/// EXT: octets of m:n from a position.
struct Extract : FpInstruction {
  static constexpr Pattern pattern{"0 Q 101110 000 Vm:5 0 imm4:4 0 Vn:5 Vd:5"};
  static constexpr const char* text = "ext";
  static constexpr Cost cost = Cost::kVectorPermute;
  static bool decode(const Fields& f, Op& op) {
    op.a = static_cast<std::uint8_t>(f("imm4"));
    op.imm = f("Q") != 0 ? 16 : 8;
    return take_dnm(f, op) && (op.imm == 16 || op.a < 8);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    const auto n = lanes<std::uint8_t>(m.v(op.n)), b = lanes<std::uint8_t>(m.v(op.m));
    const auto width = static_cast<unsigned>(op.imm);
    Lanes<std::uint8_t> result{};
    for (unsigned i = 0; i < width; ++i) {
      const unsigned at = i + op.a;
      result[i] = at < width ? n[at] : b[at - width];
    }
    m.v(op.d) = vector_of<std::uint8_t>(result);
  }
};

/// TBL, TBX: octets of up to four consecutive registers by index; out of range gives 0 (TBL) or leaves the octet (TBX).
template <bool kExtend>
struct TableLookup : FpInstruction {
  static constexpr Pattern pattern = Pattern("0 Q 001110 000 Vm:5 0 len:2 keep 00 Vn:5 Vd:5").fix("keep", kExtend);
  static constexpr const char* text = kExtend ? "tbx" : "tbl";
  static constexpr Cost cost = Cost::kVectorPermute;
  static bool decode(const Fields& f, Op& op) {
    op.a = static_cast<std::uint8_t>(f("len") + 1);
    op.imm = f("Q") != 0 ? 16 : 8;
    return take_dnm(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    std::array<Lanes<std::uint8_t>, 4> table{};
    for (unsigned r = 0; r < op.a; ++r) table[r] = lanes<std::uint8_t>(m.v((op.n + r) & 31));
    const auto index = lanes<std::uint8_t>(m.v(op.m));
    auto result = kExtend ? lanes<std::uint8_t>(m.v(op.d)) : Lanes<std::uint8_t>{};
    for (unsigned i = 0; i < static_cast<unsigned>(op.imm); ++i)
      if (index[i] < 16u * op.a) result[i] = table[index[i] >> 4][index[i] & 15];
    m.v(op.d) = keep_low(vector_of<std::uint8_t>(result), op.imm);
  }
};

/// Expands op:cmode:imm8 to 64 bits. @spec J1.3 AdvSIMDExpandImm
constexpr std::uint64_t expand_simd_immediate(unsigned op, unsigned cmode, std::uint64_t imm8) {
  const auto twice = [](std::uint64_t word) { return word << 32 | word; };
  const auto four = [](std::uint64_t half) { return half * 0x0001000100010001u; };
  switch (cmode >> 1) {
    case 0:
    case 1:
    case 2:
    case 3:
      return twice(imm8 << (8 * (cmode >> 1)));
    case 4:
      return four(imm8);
    case 5:
      return four(imm8 << 8);
    case 6:
      return twice((cmode & 1) == 0 ? imm8 << 8 | 0xff : imm8 << 16 | 0xffff);
    default:
      break;
  }
  if (cmode == 14 && op == 0) return imm8 * 0x0101010101010101u;
  if (cmode == 14) {
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < 8; ++i)
      if ((imm8 >> i & 1) != 0) mask |= std::uint64_t{0xff} << (8 * i);
    return mask;
  }
  return op == 0 ? twice(expand_fp_immediate<std::uint32_t>(static_cast<unsigned>(imm8)))
                 : expand_fp_immediate<std::uint64_t>(static_cast<unsigned>(imm8));
}

/// What a modified immediate does with the register: replace it, or set or clear bits of it in words or half-words.
enum class ImmediateUse : std::uint8_t { kMove, kMoveHalfPrecision, kOrWords, kOrHalves, kClearWords, kClearHalves };

/// MOVI, MVNI, FMOV (vector, immediate), ORR and BIC (vector, immediate).
template <ImmediateUse kUse>
struct ModifiedImmediate : FpInstruction {
  static constexpr bool half_precision = kUse == ImmediateUse::kMoveHalfPrecision;
  static constexpr bool move = kUse == ImmediateUse::kMove || half_precision;
  static constexpr bool clear = kUse == ImmediateUse::kClearWords || kUse == ImmediateUse::kClearHalves;
  static constexpr Feature feature = half_precision ? Feature::kFp16 : Feature::kFp;
  // cmode 0xx1 and 10x1 change bits (ORR, or BIC with op); all others move, but for FMOV of one double.
  static constexpr Pattern pattern =
      half_precision ? Pattern("0 Q 0 0111100000 abc:3 1111 1 1 defgh:5 Vd:5")
      : move         ? Pattern("0 Q op 0111100000 abc:3 cmode:4 0 1 defgh:5 Vd:5")
                   .except_bits(0x9000, 0x1000)
                   .except_bits(0xd000, 0x9000)
                   .except_bits(0x6000f000, 0x2000f000)
      : kUse == ImmediateUse::kOrWords || kUse == ImmediateUse::kClearWords
          ? Pattern("0 Q op 0111100000 abc:3 0 shift:2 1 0 1 defgh:5 Vd:5").fix("op", clear)
          : Pattern("0 Q op 0111100000 abc:3 10 shift 1 0 1 defgh:5 Vd:5").fix("op", clear);
  static constexpr const char* text = "movi/mvni/orr/bic/fmov (vector, immediate)";
  static constexpr Cost cost = Cost::kVectorAlu;
  static bool decode(const Fields& f, Op& op) {
    op.d = static_cast<std::uint8_t>(f("Vd"));
    op.a = f("Q") != 0 ? 16 : 8;
    const unsigned imm8 = f("abc") << 5 | f("defgh"), invert = f.word() >> 29 & 1, cmode = f.word() >> 12 & 15;
    std::uint64_t value = half_precision ? expand_fp_immediate<std::uint16_t>(imm8) * 0x0001000100010001u
                                         : expand_simd_immediate(invert, cmode, imm8);
    if (clear || (move && invert != 0 && cmode < 14)) value = ~value;
    op.imm = f.constant(value);
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    Vector& v = m.v(op.d);
    const std::uint64_t value = op.constant();
    for (std::uint64_t& d : v.d) {
      if constexpr (move)
        d = value;
      else if constexpr (clear)
        d &= value;
      else
        d |= value;
    }
    if (op.a == 8) v.d[1] = 0;
  }
};

using SimdPermutes =
    InstructionList<DupElement<Shape::kVector>, DupElement<Shape::kScalar>, DupGeneral, InsElement, InsGeneral,
                    MoveToGeneral<false>, MoveToGeneral<true>, Permute<Permutation::kUzp, 0>,
                    Permute<Permutation::kUzp, 1>, Permute<Permutation::kTrn, 0>, Permute<Permutation::kTrn, 1>,
                    Permute<Permutation::kZip, 0>, Permute<Permutation::kZip, 1>, Extract, TableLookup<false>,
                    TableLookup<true>, ModifiedImmediate<ImmediateUse::kMove>,
                    ModifiedImmediate<ImmediateUse::kMoveHalfPrecision>, ModifiedImmediate<ImmediateUse::kOrWords>,
                    ModifiedImmediate<ImmediateUse::kOrHalves>, ModifiedImmediate<ImmediateUse::kClearWords>,
                    ModifiedImmediate<ImmediateUse::kClearHalves>>;

}  // namespace dpusim::cpu::simd
