// Advanced SIMD three-same, integer: vector and scalar. @spec Arm ARM C4.1.90 (Advanced SIMD three same, scalar three
// same)
#pragma once

#include "cpu/a64/isa/simd_operations.h"

namespace dpusim::cpu::simd {

/// Applies an operation to the active elements of d, n and m. @param bytes how much of the register is active
template <class Operation, class T, class M>
inline void apply_three(M& m, unsigned d, const Lanes<T>& a, const Lanes<T>& b, int bytes) {
  const Lanes<T> old = lanes<T>(m.v(d));
  Lanes<T> result{};
  if constexpr (requires(T t) { Operation::apply(t, t); }) {
    for (unsigned i = 0; i < result.size(); ++i) result[i] = Operation::apply(a[i], b[i]);
  } else if constexpr (requires(T t) { Operation::apply(t, t, t); }) {
    for (unsigned i = 0; i < result.size(); ++i) result[i] = Operation::apply(old[i], a[i], b[i]);
  } else {
    Saturation q;
    const unsigned count = static_cast<unsigned>(bytes) / static_cast<unsigned>(sizeof(T));
    for (unsigned i = 0; i < count; ++i) {
      if constexpr (requires(T t) { Operation::apply(t, t, q); })
        result[i] = Operation::apply(a[i], b[i], q);
      else
        result[i] = Operation::apply(old[i], a[i], b[i], q);
    }
    q.record(m);
  }
  m.v(d) = keep_low(vector_of<T>(result), bytes);
}

/// The integer operations of the class. kSizes: bit set of element size codes that exist.
template <class Operation, unsigned kU, unsigned kOpcode, unsigned kSizes, Shape kShape = Shape::kVector>
struct ThreeSame : SimdInstruction {
  static constexpr Pattern base =
      kShape == Shape::kVector ? Pattern("0 Q U 01110 size:2 1 Vm:5 opcode:5 1 Vn:5 Vd:5").except("size", 3, "Q", 0)
                               : Pattern("01 U 11110 size:2 1 Vm:5 opcode:5 1 Vn:5 Vd:5");
  static constexpr Pattern pattern = allow_sizes(base.fix("U", kU).fix("opcode", kOpcode), kSizes);
  static constexpr const char* text = Operation::text;
  static constexpr Cost cost = Operation::cost;
  static bool decode(const Fields& f, Op& op) {
    if constexpr (kShape == Shape::kVector)
      take_arrangement(f, op);
    else
      op.imm = 1 << (op.a = static_cast<std::uint8_t>(f("size")));
    return take_dnm(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<kSizes>(
        op.a, [&]<class T>() { apply_three<Operation, T>(m, op.d, lanes<T>(m.v(op.n)), lanes<T>(m.v(op.m)), op.imm); });
  }
};

/// ADDP, SMAXP, SMINP, UMAXP, UMINP: neighbours of n, then of m.
template <class Operation, unsigned kU, unsigned kOpcode, unsigned kSizes>
struct Pairwise : SimdInstruction {
  static constexpr Pattern pattern = allow_sizes(Pattern("0 Q U 01110 size:2 1 Vm:5 opcode:5 1 Vn:5 Vd:5")
                                                     .except("size", 3, "Q", 0)
                                                     .fix("U", kU)
                                                     .fix("opcode", kOpcode),
                                                 kSizes);
  static constexpr const char* text = "pairwise";
  static constexpr Cost cost = Cost::kVectorReduce;
  static bool decode(const Fields& f, Op& op) {
    take_arrangement(f, op);
    return take_dnm(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<kSizes>(op.a, [&]<class T>() {
      const Lanes<T> n = lanes<T>(m.v(op.n)), b = lanes<T>(m.v(op.m));
      const unsigned half = static_cast<unsigned>(op.imm) / static_cast<unsigned>(2 * sizeof(T));
      Lanes<T> result{};
      for (unsigned i = 0; i < half; ++i) {
        result[i] = Operation::apply(n[2 * i], n[2 * i + 1]);
        result[half + i] = Operation::apply(b[2 * i], b[2 * i + 1]);
      }
      m.v(op.d) = vector_of<T>(result);
    });
  }
};
/// ADDP (scalar): Vn.2D to D.
struct AddPairScalar : FpInstruction {
  static constexpr Pattern pattern{"01 0 11110 11 11000 11011 10 Vn:5 Vd:5"};
  static constexpr const char* text = "addp (scalar)";
  static constexpr Cost cost = Cost::kVectorReduce;
  static bool decode(const Fields& f, Op& op) { return take_dn(f, op); }
  template <class M>
  static void exec(M& m, const Op& op) {
    set_scalar(m, op.d, m.v(op.n).d[0] + m.v(op.n).d[1]);
  }
};

/// AND, BIC, ORR, ORN, EOR, BSL, BIT, BIF by U:size.
template <unsigned kCode>
struct LogicThreeSame : FpInstruction {
  static constexpr Pattern pattern =
      Pattern("0 Q U 01110 size:2 1 Vm:5 00011 1 Vn:5 Vd:5").fix("U", kCode >> 2).fix("size", kCode & 3);
  static constexpr const char* text = "logical (vector)";
  static constexpr Cost cost = Cost::kVectorAlu;
  static bool decode(const Fields& f, Op& op) {
    op.imm = f("Q") != 0 ? 16 : 8;
    return take_dnm(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    Vector& d = m.v(op.d);
    const Vector n = m.v(op.n), b = m.v(op.m);
    for (unsigned i = 0; i < 2; ++i) d.d[i] = one(d.d[i], n.d[i], b.d[i]);
    if (op.imm == 8) d.d[1] = 0;
  }

 private:
  static constexpr std::uint64_t one(std::uint64_t d, std::uint64_t n, std::uint64_t b) {
    switch (kCode) {
      case 0:
        return n & b;
      case 1:
        return n & ~b;
      case 2:
        return n | b;
      case 3:
        return n | ~b;
      case 4:
        return n ^ b;
      case 5:
        return b ^ ((b ^ n) & d);  // BSL: d chooses
      case 6:
        return d ^ ((d ^ n) & b);  // BIT
      default:
        return d ^ ((d ^ n) & ~b);  // BIF
    }
  }
};

/// SQRDMLAH, SQRDMLSH (FEAT_RDM).
template <bool kSubtract, Shape kShape>
struct ThreeSameExtra : SimdInstruction {
  using Operation = DoublingHighAccumulate<kSubtract>;
  static constexpr Feature feature = Feature::kRdm;
  static constexpr Pattern base = kShape == Shape::kVector ? Pattern("0 Q 1 01110 size:2 0 Vm:5 1000 S 1 Vn:5 Vd:5")
                                                           : Pattern("01 1 11110 size:2 0 Vm:5 1000 S 1 Vn:5 Vd:5");
  static constexpr Pattern pattern = allow_sizes(base.fix("S", kSubtract), 0b0110);
  static constexpr const char* text = Operation::text;
  static constexpr Cost cost = Operation::cost;
  static bool decode(const Fields& f, Op& op) {
    if constexpr (kShape == Shape::kVector)
      take_arrangement(f, op);
    else
      op.imm = 1 << (op.a = static_cast<std::uint8_t>(f("size")));
    return take_dnm(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<0b0110>(
        op.a, [&]<class T>() { apply_three<Operation, T>(m, op.d, lanes<T>(m.v(op.n)), lanes<T>(m.v(op.m)), op.imm); });
  }
};

/// Adds the four products of octets to each 32-bit element. @param b repeats one word for the by-element form
template <bool kUnsigned, class M>
inline void dot_product(M& m, const Op& op, const Vector& b, int bytes) {
  const Lanes<std::uint8_t> x = lanes<std::uint8_t>(m.v(op.n)), y = lanes<std::uint8_t>(b);
  Lanes<std::uint32_t> sum = lanes<std::uint32_t>(m.v(op.d));
  for (unsigned i = 0; i < 16; ++i) {
    const int product = kUnsigned ? int{x[i]} * y[i] : int{as_signed(x[i])} * as_signed(y[i]);
    sum[i / 4] += static_cast<std::uint32_t>(product);
  }
  m.v(op.d) = keep_low(vector_of<std::uint32_t>(sum), bytes);
}
/// SDOT, UDOT (FEAT_DotProd).
template <bool kUnsigned>
struct DotProduct : FpInstruction {
  static constexpr Feature feature = Feature::kDotProd;
  static constexpr Pattern pattern = Pattern("0 Q U 01110 10 0 Vm:5 100101 Vn:5 Vd:5").fix("U", kUnsigned);
  static constexpr const char* text = kUnsigned ? "udot" : "sdot";
  static constexpr Cost cost = Cost::kVectorMultiply;
  static bool decode(const Fields& f, Op& op) {
    op.imm = f("Q") != 0 ? 16 : 8;
    return take_dnm(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    dot_product<kUnsigned>(m, op, m.v(op.m), op.imm);
  }
};

template <bool kUnsigned, unsigned kU = kUnsigned>
using ThreeSameBySign = InstructionList<
    ThreeSame<Halve<kUnsigned, false, false>, kU, 0b00000, 7>,
    ThreeSame<SaturatingAdd<kUnsigned, false>, kU, 0b00001, 15>,
    ThreeSame<Halve<kUnsigned, false, true>, kU, 0b00010, 7>, ThreeSame<Halve<kUnsigned, true, false>, kU, 0b00100, 7>,
    ThreeSame<SaturatingAdd<kUnsigned, true>, kU, 0b00101, 15>, ThreeSame<Cmgt<kUnsigned>, kU, 0b00110, 15>,
    ThreeSame<Cmge<kUnsigned>, kU, 0b00111, 15>, ThreeSame<ShiftByRegister<kUnsigned, false>, kU, 0b01000, 15>,
    ThreeSame<SaturatingShiftByRegister<kUnsigned, false>, kU, 0b01001, 15>,
    ThreeSame<ShiftByRegister<kUnsigned, true>, kU, 0b01010, 15>,
    ThreeSame<SaturatingShiftByRegister<kUnsigned, true>, kU, 0b01011, 15>, ThreeSame<Max<kUnsigned>, kU, 0b01100, 7>,
    ThreeSame<Min<kUnsigned>, kU, 0b01101, 7>, ThreeSame<AbsDiff<kUnsigned>, kU, 0b01110, 7>,
    ThreeSame<AbsDiffAccumulate<kUnsigned>, kU, 0b01111, 7>, Pairwise<Max<kUnsigned>, kU, 0b10100, 7>,
    Pairwise<Min<kUnsigned>, kU, 0b10101, 7>,
    // scalar
    ThreeSame<SaturatingAdd<kUnsigned, false>, kU, 0b00001, 15, Shape::kScalar>,
    ThreeSame<SaturatingAdd<kUnsigned, true>, kU, 0b00101, 15, Shape::kScalar>,
    ThreeSame<Cmgt<kUnsigned>, kU, 0b00110, 8, Shape::kScalar>,
    ThreeSame<Cmge<kUnsigned>, kU, 0b00111, 8, Shape::kScalar>,
    ThreeSame<ShiftByRegister<kUnsigned, false>, kU, 0b01000, 8, Shape::kScalar>,
    ThreeSame<SaturatingShiftByRegister<kUnsigned, false>, kU, 0b01001, 15, Shape::kScalar>,
    ThreeSame<ShiftByRegister<kUnsigned, true>, kU, 0b01010, 8, Shape::kScalar>,
    ThreeSame<SaturatingShiftByRegister<kUnsigned, true>, kU, 0b01011, 15, Shape::kScalar>>;

using SimdThreeSame = Join<
    ThreeSameBySign<false>, ThreeSameBySign<true>,
    InstructionList<ThreeSame<Add, 0, 0b10000, 15>, ThreeSame<Sub, 1, 0b10000, 15>, ThreeSame<Cmtst, 0, 0b10001, 15>,
                    ThreeSame<Cmeq, 1, 0b10001, 15>, ThreeSame<Mla, 0, 0b10010, 7>, ThreeSame<Mls, 1, 0b10010, 7>,
                    ThreeSame<Mul, 0, 0b10011, 7>, ThreeSame<Pmul, 1, 0b10011, 1>,
                    ThreeSame<DoublingHigh<false>, 0, 0b10110, 6>, ThreeSame<DoublingHigh<true>, 1, 0b10110, 6>,
                    Pairwise<Add, 0, 0b10111, 15>, ThreeSame<Add, 0, 0b10000, 8, Shape::kScalar>,
                    ThreeSame<Sub, 1, 0b10000, 8, Shape::kScalar>, ThreeSame<Cmtst, 0, 0b10001, 8, Shape::kScalar>,
                    ThreeSame<Cmeq, 1, 0b10001, 8, Shape::kScalar>,
                    ThreeSame<DoublingHigh<false>, 0, 0b10110, 6, Shape::kScalar>,
                    ThreeSame<DoublingHigh<true>, 1, 0b10110, 6, Shape::kScalar>, AddPairScalar, LogicThreeSame<0>,
                    LogicThreeSame<1>, LogicThreeSame<2>, LogicThreeSame<3>, LogicThreeSame<4>, LogicThreeSame<5>,
                    LogicThreeSame<6>, LogicThreeSame<7>, ThreeSameExtra<false, Shape::kVector>,
                    ThreeSameExtra<true, Shape::kVector>, ThreeSameExtra<false, Shape::kScalar>,
                    ThreeSameExtra<true, Shape::kScalar>, DotProduct<false>, DotProduct<true>>>;

}  // namespace dpusim::cpu::simd
