// Advanced SIMD three-different, and the by-element class, integer. @spec Arm ARM C4.1.90
#pragma once

#include "cpu/a64/isa/simd_misc.h"
#include "cpu/a64/isa/simd_three_same.h"

namespace dpusim::cpu::simd {

// --- Long operations: apply(d, a, b) with d of twice the size of a and b ---

template <bool kUnsigned, bool kSubtract>
struct AddLong : AluOperation {
  static constexpr const char* text = kSubtract ? "subl" : "addl";
  template <class T>
  static constexpr Wide<T> apply(Wide<T>, T a, T b) {
    const Wide<T> x = extend<kUnsigned>(a), y = extend<kUnsigned>(b);
    return static_cast<Wide<T>>(kSubtract ? x - y : x + y);
  }
};
template <bool kUnsigned, bool kAccumulate>
struct AbsDiffLong : AluOperation {
  static constexpr const char* text = kAccumulate ? "abal" : "abdl";
  template <class T>
  static constexpr Wide<T> apply(Wide<T> d, T a, T b) {
    return static_cast<Wide<T>>((kAccumulate ? d : 0) + AbsDiff<kUnsigned>::apply(a, b));
  }
};
enum class Accumulate : std::uint8_t { kNone, kAdd, kSubtract };
template <bool kUnsigned, Accumulate kHow>
struct MulLong : MultiplyOperation {
  static constexpr const char* text = kHow == Accumulate::kNone ? "mull" : kHow == Accumulate::kAdd ? "mlal" : "mlsl";
  template <class T>
  static constexpr Wide<T> apply(Wide<T> d, T a, T b) {
    const std::uint64_t product = std::uint64_t{extend<kUnsigned>(a)} * extend<kUnsigned>(b);
    return static_cast<Wide<T>>(kHow == Accumulate::kNone  ? product
                                : kHow == Accumulate::kAdd ? d + product
                                                           : d - product);
  }
};
/// SQDMULL, SQDMLAL, SQDMLSL: the product saturates first, then the sum.
template <Accumulate kHow>
struct DoublingMulLong : MultiplyOperation {
  static constexpr const char* text = kHow == Accumulate::kNone  ? "sqdmull"
                                      : kHow == Accumulate::kAdd ? "sqdmlal"
                                                                 : "sqdmlsl";
  template <class T>
  static constexpr Wide<T> apply(Wide<T> d, T a, T b, Saturation& q) {
    using W = Wide<T>;
    const W product = saturate<W, false>(2 * number<false>(a) * number<false>(b), q);
    if constexpr (kHow == Accumulate::kNone) return product;
    const Int128 term = number<false>(product);
    return saturate<W, false>(number<false>(d) + (kHow == Accumulate::kAdd ? term : -term), q);
  }
};
struct PmulLong : MultiplyOperation {
  static constexpr const char* text = "pmull";
  template <class T>
  static constexpr Wide<T> apply(Wide<T>, T a, T b) {
    return Pmul::apply(Wide<T>{a}, Wide<T>{b});
  }
};

/// Applies a long operation. @param count elements of the result that are active
template <class Operation, class T, class M>
inline void apply_long(M& m, unsigned d, const std::array<T, 8 / sizeof(T)>& a, const std::array<T, 8 / sizeof(T)>& b,
                       unsigned count) {
  using W = Wide<T>;
  const Lanes<W> old = lanes<W>(m.v(d));
  Lanes<W> result{};
  Saturation q;
  for (unsigned i = 0; i < count; ++i) {
    if constexpr (requires(T t, W w) { Operation::template apply<T>(w, t, t); })
      result[i] = Operation::template apply<T>(old[i], a[i], b[i]);
    else
      result[i] = Operation::template apply<T>(old[i], a[i], b[i], q);
  }
  q.record(m);
  m.v(d) = vector_of<W>(result);
}

constexpr Pattern different_pattern(Shape shape, unsigned u, unsigned opcode) {
  const Pattern base = shape == Shape::kVector ? Pattern("0 Q U 01110 size:2 1 Vm:5 opcode:4 00 Vn:5 Vd:5")
                                               : Pattern("01 U 11110 size:2 1 Vm:5 opcode:4 00 Vn:5 Vd:5");
  return base.fix("U", u).fix("opcode", opcode);
}

/// SADDL, UADDL, SSUBL, USUBL, SABAL, ..., SMULL, ..., SQDMULL, ..., PMULL: Q chooses the sources' half.
template <class Operation, unsigned kU, unsigned kOpcode, unsigned kSizes, Shape kShape = Shape::kVector>
struct ThreeLong : SimdInstruction {
  static constexpr Pattern pattern = allow_sizes(different_pattern(kShape, kU, kOpcode), kSizes);
  static constexpr const char* text = Operation::text;
  static constexpr Cost cost = Operation::cost;
  static bool decode(const Fields& f, Op& op) {
    op.a = static_cast<std::uint8_t>(f("size"));
    if constexpr (kShape == Shape::kVector) op.imm = f("Q") != 0 ? 16 : 8;
    return take_dnm(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<kSizes>(op.a, [&]<class T>() {
      const bool upper = op.imm == 16;
      apply_long<Operation, T>(m, op.d, half_lanes<T>(m.v(op.n), upper), half_lanes<T>(m.v(op.m), upper),
                               kShape == Shape::kScalar ? 1 : static_cast<unsigned>(8 / sizeof(T)));
    });
  }
};
/// SADDW, UADDW, SSUBW, USUBW: a wide and a narrow source.
template <bool kUnsigned, bool kSubtract>
struct ThreeWide : SimdInstruction {
  static constexpr Pattern pattern =
      different_pattern(Shape::kVector, kUnsigned, kSubtract ? 0b0011 : 0b0001).except("size", 3);
  static constexpr const char* text = kSubtract ? "subw" : "addw";
  static constexpr Cost cost = Cost::kVectorAlu;
  static bool decode(const Fields& f, Op& op) {
    take_arrangement(f, op);
    return take_dnm(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<7>(op.a, [&]<class T>() {
      using W = Wide<T>;
      const Lanes<W> a = lanes<W>(m.v(op.n));
      const auto b = half_lanes<T>(m.v(op.m), op.imm == 16);
      Lanes<W> result;
      for (unsigned i = 0; i < result.size(); ++i)
        result[i] = static_cast<W>(kSubtract ? a[i] - extend<kUnsigned>(b[i]) : a[i] + extend<kUnsigned>(b[i]));
      m.v(op.d) = vector_of<W>(result);
    });
  }
};
/// ADDHN, SUBHN, RADDHN, RSUBHN: the high halves of wide sums.
template <bool kSubtract, bool kRound>
struct HighNarrow : SimdInstruction {
  static constexpr Pattern pattern =
      different_pattern(Shape::kVector, kRound, kSubtract ? 0b0110 : 0b0100).except("size", 3);
  static constexpr const char* text = kSubtract ? "subhn/rsubhn" : "addhn/raddhn";
  static constexpr Cost cost = Cost::kVectorAlu;
  static bool decode(const Fields& f, Op& op) {
    take_arrangement(f, op);
    return take_dnm(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<7>(op.a, [&]<class N>() {
      using W = Wide<N>;
      constexpr int kBits = static_cast<int>(sizeof(N)) * 8;
      const Lanes<W> a = lanes<W>(m.v(op.n)), b = lanes<W>(m.v(op.m));
      std::array<N, 8 / sizeof(N)> half;
      for (unsigned i = 0; i < half.size(); ++i) {
        const auto sum =
            static_cast<W>((kSubtract ? a[i] - b[i] : a[i] + b[i]) + (kRound ? W{1} << (kBits - 1) : W{0}));
        half[i] = static_cast<N>(sum >> kBits);
      }
      put_half(m.v(op.d), std::bit_cast<std::uint64_t>(half), op.imm == 16);
    });
  }
};

// --- By element ---

constexpr Pattern element_pattern(Shape shape, unsigned u, unsigned opcode) {
  const Pattern base = shape == Shape::kVector ? Pattern("0 Q U 01111 size:2 L Vm:5 opcode:4 H 0 Vn:5 Vd:5")
                                               : Pattern("01 U 11111 size:2 L Vm:5 opcode:4 H 0 Vn:5 Vd:5");
  return base.fix("U", u).fix("opcode", opcode);
}
/// Takes register and index: 16-bit elements live in V0..V15 and use M (bit 4 of Vm) as the index's lowest bit.
inline void take_element(const Fields& f, Op& op, unsigned size) {
  const unsigned vm = f("Vm"), high = f("H") << 1 | f("L");
  unsigned index = high;
  op.m = static_cast<std::uint8_t>(vm);
  if (size == 1) {
    index = high << 1 | vm >> 4;
    op.m = static_cast<std::uint8_t>(vm & 15);
  } else if (size == 3) {
    index = f("H");
  }
  op.imm |= static_cast<std::int32_t>(index << 8);
}
/// The active octets and the index that take_element packed into imm.
inline int active_bytes(const Op& op) { return op.imm & 0xff; }
inline unsigned element_index(const Op& op) { return static_cast<unsigned>(op.imm) >> 8; }

/// MUL, MLA, MLS, SQDMULH, SQRDMULH, SQRDMLAH, SQRDMLSH (by element).
template <class Operation, unsigned kU, unsigned kOpcode, Shape kShape = Shape::kVector,
          Feature kFeature = Feature::kFp>
struct ByElement : SimdInstruction {
  static constexpr Feature feature = kFeature;
  static constexpr Pattern pattern = allow_sizes(element_pattern(kShape, kU, kOpcode), 0b0110);
  static constexpr const char* text = Operation::text;
  static constexpr Cost cost = Operation::cost;
  static bool decode(const Fields& f, Op& op) {
    if constexpr (kShape == Shape::kVector)
      take_arrangement(f, op);
    else
      op.imm = 1 << (op.a = static_cast<std::uint8_t>(f("size")));
    take_dnm(f, op);
    take_element(f, op, op.a);
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<0b0110>(op.a, [&]<class T>() {
      Lanes<T> b;
      b.fill(lanes<T>(m.v(op.m))[element_index(op)]);
      apply_three<Operation, T>(m, op.d, lanes<T>(m.v(op.n)), b, active_bytes(op));
    });
  }
};
/// SMULL, UMULL, SMLAL, ..., SQDMULL, SQDMLAL, SQDMLSL (by element).
template <class Operation, unsigned kU, unsigned kOpcode, Shape kShape = Shape::kVector>
struct LongByElement : SimdInstruction {
  static constexpr Pattern pattern = allow_sizes(element_pattern(kShape, kU, kOpcode), 0b0110);
  static constexpr const char* text = Operation::text;
  static constexpr Cost cost = Operation::cost;
  static bool decode(const Fields& f, Op& op) {
    op.a = static_cast<std::uint8_t>(f("size"));
    if constexpr (kShape == Shape::kVector) op.imm = f("Q") != 0 ? 16 : 8;
    take_dnm(f, op);
    take_element(f, op, op.a);
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<0b0110>(op.a, [&]<class T>() {
      std::array<T, 8 / sizeof(T)> b;
      b.fill(lanes<T>(m.v(op.m))[element_index(op)]);
      apply_long<Operation, T>(m, op.d, half_lanes<T>(m.v(op.n), active_bytes(op) == 16), b,
                               kShape == Shape::kScalar ? 1 : static_cast<unsigned>(8 / sizeof(T)));
    });
  }
};
/// SDOT, UDOT (by element).
template <bool kUnsigned>
struct DotProductByElement : FpInstruction {
  static constexpr Feature feature = Feature::kDotProd;
  static constexpr Pattern pattern = element_pattern(Shape::kVector, kUnsigned, 0b1110).fix("size", 2);
  static constexpr const char* text = kUnsigned ? "udot (by element)" : "sdot (by element)";
  static constexpr Cost cost = Cost::kVectorMultiply;
  static bool decode(const Fields& f, Op& op) {
    op.imm = f("Q") != 0 ? 16 : 8;
    take_dnm(f, op);
    take_element(f, op, 2);
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    Lanes<std::uint32_t> b;
    b.fill(lanes<std::uint32_t>(m.v(op.m))[element_index(op)]);
    dot_product<kUnsigned>(m, op, vector_of<std::uint32_t>(b), active_bytes(op));
  }
};

template <bool kUnsigned, unsigned kU = kUnsigned>
using SimdLongBySign =
    InstructionList<ThreeLong<AddLong<kUnsigned, false>, kU, 0b0000, 7>, ThreeWide<kUnsigned, false>,
                    ThreeLong<AddLong<kUnsigned, true>, kU, 0b0010, 7>, ThreeWide<kUnsigned, true>,
                    ThreeLong<AbsDiffLong<kUnsigned, true>, kU, 0b0101, 7>,
                    ThreeLong<AbsDiffLong<kUnsigned, false>, kU, 0b0111, 7>,
                    ThreeLong<MulLong<kUnsigned, Accumulate::kAdd>, kU, 0b1000, 7>,
                    ThreeLong<MulLong<kUnsigned, Accumulate::kSubtract>, kU, 0b1010, 7>,
                    ThreeLong<MulLong<kUnsigned, Accumulate::kNone>, kU, 0b1100, 7>,
                    LongByElement<MulLong<kUnsigned, Accumulate::kAdd>, kU, 0b0010>,
                    LongByElement<MulLong<kUnsigned, Accumulate::kSubtract>, kU, 0b0110>,
                    LongByElement<MulLong<kUnsigned, Accumulate::kNone>, kU, 0b1010>, DotProductByElement<kUnsigned>>;

template <Shape kShape>
using SimdDoubling =
    InstructionList<ThreeLong<DoublingMulLong<Accumulate::kAdd>, 0, 0b1001, 6, kShape>,
                    ThreeLong<DoublingMulLong<Accumulate::kSubtract>, 0, 0b1011, 6, kShape>,
                    ThreeLong<DoublingMulLong<Accumulate::kNone>, 0, 0b1101, 6, kShape>,
                    LongByElement<DoublingMulLong<Accumulate::kAdd>, 0, 0b0011, kShape>,
                    LongByElement<DoublingMulLong<Accumulate::kSubtract>, 0, 0b0111, kShape>,
                    LongByElement<DoublingMulLong<Accumulate::kNone>, 0, 0b1011, kShape>,
                    ByElement<DoublingHigh<false>, 0, 0b1100, kShape>, ByElement<DoublingHigh<true>, 0, 0b1101, kShape>,
                    ByElement<DoublingHighAccumulate<false>, 1, 0b1101, kShape, Feature::kRdm>,
                    ByElement<DoublingHighAccumulate<true>, 1, 0b1111, kShape, Feature::kRdm>>;

using SimdWidening =
    Join<SimdLongBySign<false>, SimdLongBySign<true>, SimdDoubling<Shape::kVector>, SimdDoubling<Shape::kScalar>,
         InstructionList<HighNarrow<false, false>, HighNarrow<false, true>, HighNarrow<true, false>,
                         HighNarrow<true, true>, ThreeLong<PmulLong, 0, 0b1110, 1>, ByElement<Mul, 0, 0b1000>,
                         ByElement<Mla, 1, 0b0000>, ByElement<Mls, 1, 0b0100>>>;

}  // namespace dpusim::cpu::simd
