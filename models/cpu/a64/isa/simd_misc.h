// Advanced SIMD two-register miscellaneous and across lanes, integer. @spec Arm ARM C4.1.90
#pragma once

#include "cpu/a64/isa/simd_operations.h"

namespace dpusim::cpu::simd {

constexpr Pattern misc_pattern(Shape shape, unsigned u, unsigned opcode) {
  const Pattern base = shape == Shape::kVector
                           ? Pattern("0 Q U 01110 size:2 10000 opcode:5 10 Vn:5 Vd:5").except("size", 3, "Q", 0)
                           : Pattern("01 U 11110 size:2 10000 opcode:5 10 Vn:5 Vd:5");
  return base.fix("U", u).fix("opcode", opcode);
}
template <Shape kShape>
inline bool take_misc(const Fields& f, Op& op) {
  if constexpr (kShape == Shape::kVector)
    SimdInstruction::take_arrangement(f, op);
  else
    op.imm = 1 << (op.a = static_cast<std::uint8_t>(f("size")));
  return take_dn(f, op);
}

/// Element-wise operations. kElement: size code to work at when the field means something else (NOT, RBIT), else 4.
template <class Operation, unsigned kU, unsigned kOpcode, unsigned kSizes, Shape kShape = Shape::kVector,
          unsigned kElement = 4>
struct Misc : SimdInstruction {
  static constexpr Pattern pattern = allow_sizes(misc_pattern(kShape, kU, kOpcode), kSizes);
  static constexpr const char* text = Operation::text;
  static constexpr Cost cost = Operation::cost;
  static bool decode(const Fields& f, Op& op) {
    take_misc<kShape>(f, op);
    if constexpr (kElement < 4) op.a = kElement;
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes < kElement<4 ? 1u << kElement : kSizes>(
                   op.a,
                   [&]<class T>() {
                     const Lanes<T> a = lanes<T>(m.v(op.n));
                     Lanes<T> result{};
                     if constexpr (requires(T t) { Operation::apply(t); }) {
                       for (unsigned i = 0; i < result.size(); ++i) result[i] = Operation::apply(a[i]);
                     } else {
                       const Lanes<T> old = lanes<T>(m.v(op.d));
                       Saturation q;
                       for (unsigned i = 0; i < static_cast<unsigned>(op.imm) / sizeof(T); ++i) {
                         if constexpr (requires(T t) { Operation::apply(t, q); })
                           result[i] = Operation::apply(a[i], q);
                         else
                           result[i] = Operation::apply(old[i], a[i], q);
                       }
                       q.record(m);
                     }
                     m.v(op.d) = keep_low(vector_of<T>(result), op.imm);
                   });
  }
};

/// REV64, REV32, REV16: reverses elements within groups.
template <unsigned kGroup, unsigned kU, unsigned kOpcode, unsigned kSizes>
struct Reverse : SimdInstruction {
  static constexpr Pattern pattern = allow_sizes(misc_pattern(Shape::kVector, kU, kOpcode), kSizes);
  static constexpr const char* text = "rev16/rev32/rev64 (vector)";
  static constexpr Cost cost = Cost::kVectorPermute;
  static bool decode(const Fields& f, Op& op) { return take_misc<Shape::kVector>(f, op); }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<kSizes>(op.a, [&]<class T>() {
      const Lanes<T> a = lanes<T>(m.v(op.n));
      constexpr unsigned kPerGroup = kGroup / sizeof(T);
      Lanes<T> result;
      for (unsigned i = 0; i < result.size(); ++i) result[i] = a[i ^ (kPerGroup - 1)];
      m.v(op.d) = keep_low(vector_of<T>(result), op.imm);
    });
  }
};

/// SADDLP, UADDLP and, accumulating, SADALP, UADALP: sums of neighbours at twice the size.
template <bool kUnsigned, bool kAccumulate>
struct AddLongPairs : SimdInstruction {
  static constexpr Pattern pattern =
      misc_pattern(Shape::kVector, kUnsigned, kAccumulate ? 0b00110 : 0b00010).except("size", 3);
  static constexpr const char* text = kAccumulate ? "adalp" : "addlp";
  static constexpr Cost cost = Cost::kVectorReduce;
  static bool decode(const Fields& f, Op& op) { return take_misc<Shape::kVector>(f, op); }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<7>(op.a, [&]<class T>() {
      using W = Wide<T>;
      const Lanes<T> a = lanes<T>(m.v(op.n));
      Lanes<W> result = kAccumulate ? lanes<W>(m.v(op.d)) : Lanes<W>{};
      for (unsigned i = 0; i < result.size(); ++i)
        result[i] = static_cast<W>(result[i] + extend<kUnsigned>(a[2 * i]) + extend<kUnsigned>(a[2 * i + 1]));
      m.v(op.d) = keep_low(vector_of<W>(result), op.imm);
    });
  }
};

/// How XTN, SQXTN, SQXTUN, UQXTN make an element narrow.
enum class Narrowing : std::uint8_t { kTruncate, kSigned, kSignedToUnsigned, kUnsigned };
template <Narrowing kHow, class N, class W>
constexpr N narrowed(W value, Saturation& q) {
  if constexpr (kHow == Narrowing::kTruncate)
    return static_cast<N>(value);
  else
    return saturate<N, kHow != Narrowing::kSigned>(number<kHow == Narrowing::kUnsigned>(value), q);
}
/// Puts a narrowed half into the lower half of a register (clearing the rest), or its upper half ("2" forms).
inline void put_half(Vector& d, std::uint64_t half, bool upper) {
  if (upper)
    d.d[1] = half;
  else
    d = Vector{{half, 0}};
}
/// The half of a source that the "2" forms (upper) or the plain ones take, as elements.
template <class T>
inline std::array<T, 8 / sizeof(T)> half_lanes(const Vector& v, bool upper) {
  return std::bit_cast<std::array<T, 8 / sizeof(T)>>(v.d[upper ? 1 : 0]);
}

/// XTN, SQXTN, SQXTUN, UQXTN. Q chooses the half of the destination; scalar forms narrow one element.
template <Narrowing kHow, Shape kShape>
struct ExtractNarrow : SimdInstruction {
  static constexpr unsigned u = kHow == Narrowing::kSignedToUnsigned || kHow == Narrowing::kUnsigned;
  static constexpr unsigned opcode =
      kHow == Narrowing::kTruncate || kHow == Narrowing::kSignedToUnsigned ? 0b10010 : 0b10100;
  static constexpr Pattern pattern = misc_pattern(kShape, u, opcode).except("size", 3);
  static constexpr const char* text = "xtn/sqxtn/sqxtun/uqxtn";
  static constexpr Cost cost = Cost::kVectorShift;
  static bool decode(const Fields& f, Op& op) { return take_misc<kShape>(f, op); }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<7>(op.a, [&]<class N>() {
      const auto source = lanes<Wide<N>>(m.v(op.n));
      std::array<N, 8 / sizeof(N)> half{};
      Saturation q;
      const unsigned count = kShape == Shape::kScalar ? 1 : static_cast<unsigned>(half.size());
      for (unsigned i = 0; i < count; ++i) half[i] = narrowed<kHow, N>(source[i], q);
      q.record(m);
      put_half(m.v(op.d), std::bit_cast<std::uint64_t>(half), op.imm == 16);
    });
  }
};

/// SHLL: widens and shifts left by the element size.
struct ShiftLeftLong : SimdInstruction {
  static constexpr Pattern pattern = Pattern("0 Q 1 01110 size:2 10000 10011 10 Vn:5 Vd:5").except("size", 3);
  static constexpr const char* text = "shll";
  static constexpr Cost cost = Cost::kVectorShift;
  static bool decode(const Fields& f, Op& op) { return take_misc<Shape::kVector>(f, op); }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<7>(op.a, [&]<class T>() {
      using W = Wide<T>;
      const auto a = half_lanes<T>(m.v(op.n), op.imm == 16);
      Lanes<W> result;
      for (unsigned i = 0; i < result.size(); ++i) result[i] = static_cast<W>(W{a[i]} << (8 * sizeof(T)));
      m.v(op.d) = vector_of<W>(result);
    });
  }
};

/// What an across-lanes instruction folds with; kWiden for SADDLV, UADDLV.
template <class Operation, unsigned kU, unsigned kOpcode, bool kWiden = false>
struct AcrossLanes : SimdInstruction {
  static constexpr Pattern pattern = Pattern("0 Q U 01110 size:2 11000 opcode:5 10 Vn:5 Vd:5")
                                         .fix("U", kU)
                                         .fix("opcode", kOpcode)
                                         .except("size", 3)
                                         .except("size", 2, "Q", 0);
  static constexpr const char* text = "across lanes";
  static constexpr Cost cost = Cost::kVectorReduce;
  static bool decode(const Fields& f, Op& op) { return take_misc<Shape::kVector>(f, op); }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<7>(op.a, [&]<class T>() {
      const Lanes<T> a = lanes<T>(m.v(op.n));
      const auto element = [&](unsigned i) {
        if constexpr (kWiden)
          return extend<kU != 0>(a[i]);
        else
          return a[i];
      };
      auto result = element(0);
      for (unsigned i = 1; i < static_cast<unsigned>(op.imm) / sizeof(T); ++i)
        result = Operation::apply(result, element(i));
      set_scalar(m, op.d, result);
    });
  }
};

template <Shape kShape, unsigned kCompareSizes, unsigned kAllSizes = 15>
using MiscBoth =
    InstructionList<Misc<MixedSaturatingAdd<false>, 0, 0b00011, kAllSizes, kShape>,
                    Misc<MixedSaturatingAdd<true>, 1, 0b00011, kAllSizes, kShape>,
                    Misc<SaturatingAbs, 0, 0b00111, kAllSizes, kShape>,
                    Misc<SaturatingNeg, 1, 0b00111, kAllSizes, kShape>,
                    Misc<CompareZero<Cmgt<false>>, 0, 0b01000, kCompareSizes, kShape>,
                    Misc<CompareZero<Cmge<false>>, 1, 0b01000, kCompareSizes, kShape>,
                    Misc<CompareZero<Cmeq>, 0, 0b01001, kCompareSizes, kShape>,
                    Misc<CompareZero<Cmge<false>, true>, 1, 0b01001, kCompareSizes, kShape>,
                    Misc<CompareZero<Cmgt<false>, true>, 0, 0b01010, kCompareSizes, kShape>,
                    Misc<Abs, 0, 0b01011, kCompareSizes, kShape>, Misc<Neg, 1, 0b01011, kCompareSizes, kShape>,
                    ExtractNarrow<Narrowing::kSigned, kShape>, ExtractNarrow<Narrowing::kSignedToUnsigned, kShape>,
                    ExtractNarrow<Narrowing::kUnsigned, kShape>>;

using SimdMisc = Join<
    MiscBoth<Shape::kVector, 15>, MiscBoth<Shape::kScalar, 8>,
    InstructionList<
        Reverse<8, 0, 0b00000, 7>, Reverse<4, 1, 0b00000, 3>, Reverse<2, 0, 0b00001, 1>, AddLongPairs<false, false>,
        AddLongPairs<true, false>, AddLongPairs<false, true>, AddLongPairs<true, true>, Misc<Cls, 0, 0b00100, 7>,
        Misc<Clz, 1, 0b00100, 7>, Misc<Cnt, 0, 0b00101, 1>, Misc<Not, 1, 0b00101, 1, Shape::kVector, 0>,
        Misc<Rbit, 1, 0b00101, 2, Shape::kVector, 0>, ExtractNarrow<Narrowing::kTruncate, Shape::kVector>,
        ShiftLeftLong, AcrossLanes<Add, 0, 0b00011, true>, AcrossLanes<Add, 1, 0b00011, true>,
        AcrossLanes<Max<false>, 0, 0b01010>, AcrossLanes<Max<true>, 1, 0b01010>, AcrossLanes<Min<false>, 0, 0b11010>,
        AcrossLanes<Min<true>, 1, 0b11010>, AcrossLanes<Add, 0, 0b11011>>>;

}  // namespace dpusim::cpu::simd
