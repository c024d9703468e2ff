// Advanced SIMD floating point: three same, two-register miscellaneous, pairwise, across lanes, by element,
// conversions; vector and scalar, half, single and double. @spec Arm ARM C4.1.90
#pragma once

#include "cpu/a64/isa/fp_operations.h"
#include "cpu/a64/isa/simd_shift.h"
#include "cpu/a64/isa/simd_widening.h"

namespace dpusim::cpu::simd {

/// Half precision has encodings of its own.
enum class Precision : std::uint8_t { kSingleDouble, kHalf };
template <Precision kP>
inline constexpr unsigned kFpSizes = kP == Precision::kHalf ? 0b0010 : 0b1100;

constexpr Pattern fp_three_pattern(Shape shape, Precision precision, unsigned u, unsigned a, unsigned opcode) {
  const bool vector = shape == Shape::kVector;
  Pattern p = precision == Precision::kHalf ? Pattern(vector ? "0 Q U 01110 a 10 Vm:5 00 op:3 1 Vn:5 Vd:5"
                                                             : "01 U 11110 a 10 Vm:5 00 op:3 1 Vn:5 Vd:5")
                                            : Pattern(vector ? "0 Q U 01110 a sz 1 Vm:5 11 op:3 1 Vn:5 Vd:5"
                                                             : "01 U 11110 a sz 1 Vm:5 11 op:3 1 Vn:5 Vd:5");
  if (vector && precision == Precision::kSingleDouble) p = p.except("sz", 1, "Q", 0);
  return p.fix("U", u).fix("a", a).fix("op", opcode & 7);
}
constexpr Pattern fp_misc_pattern(Shape shape, Precision precision, unsigned u, unsigned a, unsigned opcode) {
  const bool vector = shape == Shape::kVector;
  Pattern p =
      precision == Precision::kHalf
          ? Pattern(vector ? "0 Q U 01110 a 111100 op:5 10 Vn:5 Vd:5" : "01 U 11110 a 111100 op:5 10 Vn:5 Vd:5")
          : Pattern(vector ? "0 Q U 01110 a sz 10000 op:5 10 Vn:5 Vd:5" : "01 U 11110 a sz 10000 op:5 10 Vn:5 Vd:5");
  if (vector && precision == Precision::kSingleDouble) p = p.except("sz", 1, "Q", 0);
  return p.fix("U", u).fix("a", a).fix("op", opcode);
}
/// Sets a = size code, imm = active octets.
template <Shape kShape, Precision kP>
inline void take_fp(const Fields& f, Op& op) {
  op.a = 1;
  if constexpr (kP == Precision::kSingleDouble) op.a = static_cast<std::uint8_t>(2 + f("sz"));
  if constexpr (kShape == Shape::kVector)
    op.imm = f("Q") != 0 ? 16 : 8;
  else
    op.imm = 1 << op.a;
}

/// Applies a two- or three-operand FP operation to the active elements.
template <class Operation, class T, class M>
inline void apply_fp_three(M& m, unsigned d, const Lanes<T>& a, const Lanes<T>& b, int bytes) {
  const Lanes<T> old = lanes<T>(m.v(d));
  const unsigned count = static_cast<unsigned>(bytes) / static_cast<unsigned>(sizeof(T));
  m.v(d) = with_env(m, [&](fp::FpEnv& env) {
    Lanes<T> result{};
    for (unsigned i = 0; i < count; ++i) {
      if constexpr (requires(T t) { Operation::apply(t, t, env); })
        result[i] = Operation::apply(a[i], b[i], env);
      else
        result[i] = Operation::apply(old[i], a[i], b[i], env);
    }
    return vector_of<T>(result);
  });
}

/// FADD, FSUB, FMUL, FDIV, FMLA, FMLS, FMAX, ..., comparisons.
template <class Operation, unsigned kU, unsigned kA, unsigned kOpcode, Shape kShape, Precision kP>
struct FpThreeSame : FpInstruction {
  static constexpr Feature feature = kP == Precision::kHalf ? Feature::kFp16 : Feature::kFp;
  static constexpr Pattern pattern = fp_three_pattern(kShape, kP, kU, kA, kOpcode);
  static constexpr const char* text = Operation::text;
  static constexpr Cost cost = kShape == Shape::kVector ? Operation::vector_cost : Operation::cost;
  static bool decode(const Fields& f, Op& op) {
    take_fp<kShape, kP>(f, op);
    return take_dnm(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<kFpSizes<kP>>(op.a, [&]<class T>() {
      apply_fp_three<Operation, T>(m, op.d, lanes<T>(m.v(op.n)), lanes<T>(m.v(op.m)), op.imm);
    });
  }
};

/// FADDP, FMAXP, FMINP, FMAXNMP, FMINNMP (vector).
template <class Operation, unsigned kA, unsigned kOpcode, Precision kP>
struct FpPairwise : FpInstruction {
  static constexpr Feature feature = kP == Precision::kHalf ? Feature::kFp16 : Feature::kFp;
  static constexpr Pattern pattern = fp_three_pattern(Shape::kVector, kP, 1, kA, kOpcode);
  static constexpr const char* text = "fp pairwise";
  static constexpr Cost cost = Operation::vector_cost;
  static bool decode(const Fields& f, Op& op) {
    take_fp<Shape::kVector, kP>(f, op);
    return take_dnm(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<kFpSizes<kP>>(op.a, [&]<class T>() {
      const Lanes<T> n = lanes<T>(m.v(op.n)), b = lanes<T>(m.v(op.m));
      const unsigned half = static_cast<unsigned>(op.imm) / static_cast<unsigned>(2 * sizeof(T));
      m.v(op.d) = with_env(m, [&](fp::FpEnv& env) {
        Lanes<T> result{};
        for (unsigned i = 0; i < half; ++i) {
          result[i] = Operation::apply(n[2 * i], n[2 * i + 1], env);
          result[half + i] = Operation::apply(b[2 * i], b[2 * i + 1], env);
        }
        return vector_of<T>(result);
      });
    });
  }
};
/// FADDP, FMAXP, ... (scalar): two elements to one.
template <class Operation, unsigned kA, unsigned kOpcode, Precision kP>
struct FpPairScalar : FpInstruction {
  static constexpr Feature feature = kP == Precision::kHalf ? Feature::kFp16 : Feature::kFp;
  static constexpr Pattern pattern = (kP == Precision::kHalf ? Pattern("01 0 11110 a 0 11000 op:5 10 Vn:5 Vd:5")
                                                             : Pattern("01 1 11110 a sz 11000 op:5 10 Vn:5 Vd:5"))
                                         .fix("a", kA)
                                         .fix("op", kOpcode);
  static constexpr const char* text = "fp pairwise (scalar)";
  static constexpr Cost cost = Operation::cost;
  static bool decode(const Fields& f, Op& op) {
    take_fp<Shape::kScalar, kP>(f, op);
    return take_dn(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<kFpSizes<kP>>(op.a, [&]<class T>() {
      const Lanes<T> n = lanes<T>(m.v(op.n));
      set_scalar<T>(m, op.d, with_env(m, [&](fp::FpEnv& env) { return Operation::apply(n[0], n[1], env); }));
    });
  }
};

/// FMAXV, FMINV, FMAXNMV, FMINNMV: halves are folded before they meet. @spec J1.3 Reduce
template <class Operation, unsigned kA, unsigned kOpcode, Precision kP>
struct FpAcross : FpInstruction {
  static constexpr Feature feature = kP == Precision::kHalf ? Feature::kFp16 : Feature::kFp;
  static constexpr Pattern pattern = (kP == Precision::kHalf ? Pattern("0 Q 0 01110 a 0 11000 op:5 10 Vn:5 Vd:5")
                                                             : Pattern("0 1 1 01110 a 0 11000 op:5 10 Vn:5 Vd:5"))
                                         .fix("a", kA)
                                         .fix("op", kOpcode);
  static constexpr const char* text = "fp across lanes";
  static constexpr Cost cost = Cost::kVectorReduce;
  static bool decode(const Fields& f, Op& op) {
    op.imm = 16;
    if constexpr (kP == Precision::kHalf) op.imm = f("Q") != 0 ? 16 : 8;
    return take_dn(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    using T = std::conditional_t<kP == Precision::kHalf, std::uint16_t, std::uint32_t>;
    const Lanes<T> n = lanes<T>(m.v(op.n));
    const unsigned count = static_cast<unsigned>(op.imm) / static_cast<unsigned>(sizeof(T));
    set_scalar<T>(m, op.d, with_env(m, [&](fp::FpEnv& env) { return fold<T>(n, 0, count, env); }));
  }

 private:
  template <class T>
  static T fold(const Lanes<T>& n, unsigned from, unsigned count, fp::FpEnv& env) {
    if (count == 1) return n[from];
    const T low = fold<T>(n, from, count / 2, env), high = fold<T>(n, from + count / 2, count / 2, env);
    return Operation::apply(low, high, env);
  }
};

/// One-operand operations: FABS, FNEG, FSQRT, FRINT*, FCVT*, SCVTF, UCVTF, estimates, comparisons with zero.
template <class Operation, unsigned kU, unsigned kA, unsigned kOpcode, Shape kShape, Precision kP>
struct FpMisc : FpInstruction {
  static constexpr Feature feature = kP == Precision::kHalf ? Feature::kFp16 : Feature::kFp;
  static constexpr Pattern pattern = fp_misc_pattern(kShape, kP, kU, kA, kOpcode);
  static constexpr const char* text = Operation::text;
  static constexpr Cost cost = kShape == Shape::kVector ? Operation::vector_cost : Operation::cost;
  static bool decode(const Fields& f, Op& op) {
    take_fp<kShape, kP>(f, op);
    return take_dn(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<kFpSizes<kP>>(op.a, [&]<class T>() {
      const Lanes<T> n = lanes<T>(m.v(op.n));
      const unsigned count = static_cast<unsigned>(op.imm) / static_cast<unsigned>(sizeof(T));
      m.v(op.d) = with_env(m, [&](fp::FpEnv& env) {
        Lanes<T> result{};
        for (unsigned i = 0; i < count; ++i) result[i] = Operation::template apply<T>(n[i], env);
        return vector_of<T>(result);
      });
    });
  }
};

/// FCVTZS, FCVTZU, SCVTF, UCVTF (fixed-point, vector and scalar).
template <class Operation, unsigned kU, unsigned kOpcode, Shape kShape, Precision kP>
struct FpFixed : FpInstruction {
  static constexpr Feature feature = kP == Precision::kHalf ? Feature::kFp16 : Feature::kFp;
  static constexpr Pattern pattern = shift_pattern(kShape, kU, kOpcode, kFpSizes<kP>);
  static constexpr const char* text = Operation::text;
  static constexpr Cost cost = kShape == Shape::kVector ? Operation::vector_cost : Operation::cost;
  static bool decode(const Fields& f, Op& op) { return take_shift<true>(f, op, kShape); }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<kFpSizes<kP>>(op.a, [&]<class T>() {
      const Lanes<T> n = lanes<T>(m.v(op.n));
      const unsigned count = static_cast<unsigned>(shift_bytes(op)) / static_cast<unsigned>(sizeof(T));
      m.v(op.d) = with_env(m, [&](fp::FpEnv& env) {
        Lanes<T> result{};
        for (unsigned i = 0; i < count; ++i) result[i] = Operation::template apply<T>(n[i], env, shift_amount(op));
        return vector_of<T>(result);
      });
    });
  }
};

/// FMLA, FMLS, FMUL, FMULX (by element).
template <class Operation, unsigned kU, unsigned kOpcode, Shape kShape, Precision kP>
struct FpByElement : FpInstruction {
  static constexpr Feature feature = kP == Precision::kHalf ? Feature::kFp16 : Feature::kFp;
  static constexpr Pattern base = element_pattern(kShape, kU, kOpcode);
  static constexpr Pattern wide = base.except("size", 0).except("size", 1).except("size", 3, "L", 1);
  static constexpr Pattern pattern = kP == Precision::kHalf     ? base.fix("size", 0)
                                     : kShape == Shape::kVector ? wide.except_bits(0x40c00000, 0x00c00000)
                                                                : wide;
  static constexpr const char* text = Operation::text;
  static constexpr Cost cost = kShape == Shape::kVector ? Operation::vector_cost : Operation::cost;
  static bool decode(const Fields& f, Op& op) {
    op.a = kP == Precision::kHalf ? std::uint8_t{1} : static_cast<std::uint8_t>(f("size"));
    if constexpr (kShape == Shape::kVector)
      op.imm = f("Q") != 0 ? 16 : 8;
    else
      op.imm = 1 << op.a;
    take_dnm(f, op);
    take_element(f, op, op.a);
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<kFpSizes<kP>>(op.a, [&]<class T>() {
      Lanes<T> b;
      b.fill(lanes<T>(m.v(op.m))[element_index(op)]);
      apply_fp_three<Operation, T>(m, op.d, lanes<T>(m.v(op.n)), b, active_bytes(op));
    });
  }
};

/// FCVTL: a half of the source to the format of twice the size.
template <class T>
struct FpConvertLong : FpInstruction {
  static constexpr Pattern pattern = Pattern("0 Q 0 01110 0 sz 10000 10111 10 Vn:5 Vd:5").fix("sz", sizeof(T) == 4);
  static constexpr const char* text = "fcvtl";
  static constexpr Cost cost = Cost::kVectorFpAdd;
  static bool decode(const Fields& f, Op& op) {
    op.imm = static_cast<std::int32_t>(f("Q"));
    return take_dn(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    const auto half = half_lanes<T>(m.v(op.n), op.imm != 0);
    m.v(op.d) = with_env(m, [&](fp::FpEnv& env) {
      Lanes<Wide<T>> result;
      for (unsigned i = 0; i < result.size(); ++i) result[i] = fp::convert<Wide<T>, T>(half[i], env, env.rounding());
      return vector_of<Wide<T>>(result);
    });
  }
};
/// FCVTN, FCVTXN: to the format of half the size, into a half of the destination; FCVTXN has a scalar form.
template <class T, bool kOdd, Shape kShape>
struct FpConvertNarrow : FpInstruction {
  static constexpr Pattern pattern = (kShape == Shape::kVector ? Pattern("0 Q U 01110 0 sz 10000 10110 10 Vn:5 Vd:5")
                                                               : Pattern("01 U 11110 0 sz 10000 10110 10 Vn:5 Vd:5"))
                                         .fix("U", kOdd)
                                         .fix("sz", sizeof(T) == 4);
  static constexpr const char* text = kOdd ? "fcvtxn" : "fcvtn";
  static constexpr Cost cost = Cost::kVectorFpAdd;
  static bool decode(const Fields& f, Op& op) {
    if constexpr (kShape == Shape::kVector) op.imm = static_cast<std::int32_t>(f("Q"));
    return take_dn(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    const Lanes<Wide<T>> n = lanes<Wide<T>>(m.v(op.n));
    const std::uint64_t half = with_env(m, [&](fp::FpEnv& env) {
      std::array<T, 8 / sizeof(T)> result{};
      const unsigned count = kShape == Shape::kScalar ? 1 : static_cast<unsigned>(result.size());
      const fp::Rounding mode = kOdd ? fp::Rounding::kOdd : env.rounding();
      for (unsigned i = 0; i < count; ++i) result[i] = fp::convert<T, Wide<T>>(n[i], env, mode);
      return std::bit_cast<std::uint64_t>(result);
    });
    put_half(m.v(op.d), half, op.imm != 0);
  }
};

/// URECPE, URSQRTE.
template <bool kSqrt>
struct UnsignedEstimate : FpInstruction {
  static constexpr Pattern pattern = Pattern("0 Q U 01110 10 10000 11100 10 Vn:5 Vd:5").fix("U", kSqrt);
  static constexpr const char* text = kSqrt ? "ursqrte" : "urecpe";
  static constexpr Cost cost = Cost::kVectorFpMultiply;
  static bool decode(const Fields& f, Op& op) {
    op.imm = f("Q") != 0 ? 16 : 8;
    return take_dn(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    Lanes<std::uint32_t> l = lanes<std::uint32_t>(m.v(op.n));
    for (std::uint32_t& e : l) e = kSqrt ? fp::unsigned_rsqrt_estimate(e) : fp::unsigned_recip_estimate(e);
    m.v(op.d) = keep_low(vector_of<std::uint32_t>(l), op.imm);
  }
};

// --- The lists ---

/// What vector and scalar forms share.
template <Shape S, Precision P>
using SimdFpBoth = InstructionList<
    FpThreeSame<Fmulx, 0, 0, 0b011, S, P>, FpThreeSame<Fcmeq, 0, 0, 0b100, S, P>,
    FpThreeSame<Frecps, 0, 0, 0b111, S, P>, FpThreeSame<Frsqrts, 0, 1, 0b111, S, P>,
    FpThreeSame<Fcmge, 1, 0, 0b100, S, P>, FpThreeSame<Facge, 1, 0, 0b101, S, P>, FpThreeSame<Fabd, 1, 1, 0b010, S, P>,
    FpThreeSame<Fcmgt, 1, 1, 0b100, S, P>, FpThreeSame<Facgt, 1, 1, 0b101, S, P>,
    FpMisc<FcvtInteger<RoundBy::kTieEven, false>, 0, 0, 0b11010, S, P>,
    FpMisc<FcvtInteger<RoundBy::kTieEven, true>, 1, 0, 0b11010, S, P>,
    FpMisc<FcvtInteger<RoundBy::kMinusInfinity, false>, 0, 0, 0b11011, S, P>,
    FpMisc<FcvtInteger<RoundBy::kMinusInfinity, true>, 1, 0, 0b11011, S, P>,
    FpMisc<FcvtInteger<RoundBy::kTieAway, false>, 0, 0, 0b11100, S, P>,
    FpMisc<FcvtInteger<RoundBy::kTieAway, true>, 1, 0, 0b11100, S, P>,
    FpMisc<FcvtInteger<RoundBy::kPlusInfinity, false>, 0, 1, 0b11010, S, P>,
    FpMisc<FcvtInteger<RoundBy::kPlusInfinity, true>, 1, 1, 0b11010, S, P>,
    FpMisc<FcvtInteger<RoundBy::kZero, false>, 0, 1, 0b11011, S, P>,
    FpMisc<FcvtInteger<RoundBy::kZero, true>, 1, 1, 0b11011, S, P>, FpMisc<Cvtf<false>, 0, 0, 0b11101, S, P>,
    FpMisc<Cvtf<true>, 1, 0, 0b11101, S, P>, FpMisc<FcompareZero<Fcmgt, false>, 0, 1, 0b01100, S, P>,
    FpMisc<FcompareZero<Fcmeq, false>, 0, 1, 0b01101, S, P>, FpMisc<FcompareZero<Fcmgt, true>, 0, 1, 0b01110, S, P>,
    FpMisc<FcompareZero<Fcmge, false>, 1, 1, 0b01100, S, P>, FpMisc<FcompareZero<Fcmge, true>, 1, 1, 0b01101, S, P>,
    FpMisc<Frecpe, 0, 1, 0b11101, S, P>, FpMisc<Frsqrte, 1, 1, 0b11101, S, P>, FpFixed<Cvtf<false>, 0, 0b11100, S, P>,
    FpFixed<Cvtf<true>, 1, 0b11100, S, P>, FpFixed<FcvtInteger<RoundBy::kZero, false>, 0, 0b11111, S, P>,
    FpFixed<FcvtInteger<RoundBy::kZero, true>, 1, 0b11111, S, P>, FpByElement<Fmla, 0, 0b0001, S, P>,
    FpByElement<Fmls, 0, 0b0101, S, P>, FpByElement<Fmul, 0, 0b1001, S, P>, FpByElement<Fmulx, 1, 0b1001, S, P>>;
template <Precision P, Shape V = Shape::kVector>
using SimdFpVector = InstructionList<
    FpThreeSame<Fmaxnm, 0, 0, 0b000, V, P>, FpThreeSame<Fmla, 0, 0, 0b001, V, P>, FpThreeSame<Fadd, 0, 0, 0b010, V, P>,
    FpThreeSame<Fmax, 0, 0, 0b110, V, P>, FpThreeSame<Fminnm, 0, 1, 0b000, V, P>, FpThreeSame<Fmls, 0, 1, 0b001, V, P>,
    FpThreeSame<Fsub, 0, 1, 0b010, V, P>, FpThreeSame<Fmin, 0, 1, 0b110, V, P>, FpThreeSame<Fmul, 1, 0, 0b011, V, P>,
    FpThreeSame<Fdiv, 1, 0, 0b111, V, P>, FpPairwise<Fmaxnm, 0, 0b000, P>, FpPairwise<Fadd, 0, 0b010, P>,
    FpPairwise<Fmax, 0, 0b110, P>, FpPairwise<Fminnm, 1, 0b000, P>, FpPairwise<Fmin, 1, 0b110, P>,
    FpPairScalar<Fmaxnm, 0, 0b01100, P>, FpPairScalar<Fadd, 0, 0b01101, P>, FpPairScalar<Fmax, 0, 0b01111, P>,
    FpPairScalar<Fminnm, 1, 0b01100, P>, FpPairScalar<Fmin, 1, 0b01111, P>, FpAcross<Fmaxnm, 0, 0b01100, P>,
    FpAcross<Fmax, 0, 0b01111, P>, FpAcross<Fminnm, 1, 0b01100, P>, FpAcross<Fmin, 1, 0b01111, P>,
    FpMisc<Frint<RoundBy::kTieEven>, 0, 0, 0b11000, V, P>, FpMisc<Frint<RoundBy::kMinusInfinity>, 0, 0, 0b11001, V, P>,
    FpMisc<Frint<RoundBy::kPlusInfinity>, 0, 1, 0b11000, V, P>, FpMisc<Frint<RoundBy::kZero>, 0, 1, 0b11001, V, P>,
    FpMisc<Frint<RoundBy::kTieAway>, 1, 0, 0b11000, V, P>, FpMisc<Frint<RoundBy::kFpcr, true>, 1, 0, 0b11001, V, P>,
    FpMisc<Frint<RoundBy::kFpcr>, 1, 1, 0b11001, V, P>, FpMisc<Fabs, 0, 1, 0b01111, V, P>,
    FpMisc<Fneg, 1, 1, 0b01111, V, P>, FpMisc<Fsqrt, 1, 1, 0b11111, V, P>>;

using SimdFpSingleDouble =
    Join<SimdFpBoth<Shape::kVector, Precision::kSingleDouble>, SimdFpBoth<Shape::kScalar, Precision::kSingleDouble>,
         SimdFpVector<Precision::kSingleDouble>,
         InstructionList<FpMisc<Frecpx, 0, 1, 0b11111, Shape::kScalar, Precision::kSingleDouble>>>;
using SimdFpHalf = Join<SimdFpBoth<Shape::kVector, Precision::kHalf>, SimdFpBoth<Shape::kScalar, Precision::kHalf>,
                        SimdFpVector<Precision::kHalf>,
                        InstructionList<FpMisc<Frecpx, 0, 1, 0b11111, Shape::kScalar, Precision::kHalf>>>;
using SimdFpConversions = InstructionList<
    FpConvertLong<std::uint16_t>, FpConvertLong<std::uint32_t>, FpConvertNarrow<std::uint16_t, false, Shape::kVector>,
    FpConvertNarrow<std::uint32_t, false, Shape::kVector>, FpConvertNarrow<std::uint32_t, true, Shape::kVector>,
    FpConvertNarrow<std::uint32_t, true, Shape::kScalar>, UnsignedEstimate<false>, UnsignedEstimate<true>>;

}  // namespace dpusim::cpu::simd
