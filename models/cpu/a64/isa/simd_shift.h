// Advanced SIMD shift by immediate. @spec Arm ARM C4.1.90
#pragma once

#include "cpu/a64/isa/simd_misc.h"

namespace dpusim::cpu::simd {

/// Decodes immh:immb: the element size is the highest bit of immh. Right shifts count down from it, left shifts up.
/// Sets a = size code of the (narrow) element, imm = octets << 8 | shift.
template <bool kRight>
inline bool take_shift(const Fields& f, Op& op, Shape shape) {
  const unsigned value = f.word() >> 16 & 0x7f, immh = value >> 3;
  const auto size = static_cast<unsigned>(std::bit_width(immh)) - 1;
  const unsigned bits = 8u << size;
  const unsigned bytes = shape == Shape::kScalar ? 1u << size : f("Q") != 0 ? 16 : 8;
  op.a = static_cast<std::uint8_t>(size);
  op.imm = static_cast<std::int32_t>(bytes << 8 | (kRight ? 2 * bits - value : value - bits));
  return take_dn(f, op);
}
inline int shift_bytes(const Op& op) { return op.imm >> 8; }
inline int shift_amount(const Op& op) { return op.imm & 0xff; }

/// The encodings of a shift. @param sizes bit set of element sizes that exist: immh 1xxx, 01xx, 001x, 0001 for 64, 32,
/// 16, 8 bits
constexpr Pattern shift_pattern(Shape shape, unsigned u, unsigned opcode, unsigned sizes) {
  const bool vector = shape == Shape::kVector;
  if (sizes == 0b0010)
    return Pattern(vector ? "0 Q U 011110 001 imm:4 opcode:5 1 Vn:5 Vd:5"
                          : "01 U 111110 001 imm:4 opcode:5 1 Vn:5 Vd:5")
        .fix("U", u)
        .fix("opcode", opcode);
  Pattern p = Pattern(vector ? "0 Q U 011110 immh:4 immb:3 opcode:5 1 Vn:5 Vd:5"
                             : "01 U 111110 immh:4 immb:3 opcode:5 1 Vn:5 Vd:5")
                  .fix("U", u)
                  .fix("opcode", opcode)
                  .except("immh", 0);
  if (vector) p = p.except_bits(0x40400000, 0x00400000);  // no vector of one 64-bit element
  if ((sizes & 8) == 0) p = p.except_bits(0x00400000, 0x00400000);
  if ((sizes & 4) == 0) p = p.except_bits(0x00600000, 0x00200000);
  if ((sizes & 2) == 0) p = p.except_bits(0x00700000, 0x00100000);
  if ((sizes & 1) == 0) p = p.except_bits(0x00780000, 0x00080000);
  return p;
}

/// SSHR, USHR, SRSHR, URSHR, and accumulating SSRA, USRA, SRSRA, URSRA.
template <bool kUnsigned, bool kRound, bool kAccumulate>
struct ShiftRight : ShiftOperation {
  static constexpr const char* text = "shr/sra (immediate)";
  static constexpr bool right = true;
  template <class T>
  static constexpr T apply(T d, T a, int shift) {
    constexpr int kBits = static_cast<int>(sizeof(T)) * 8;
    const bool half = kRound && (a >> (shift - 1) & 1) != 0;
    const bool out = shift == kBits;
    T value;
    if constexpr (kUnsigned)
      value = out ? T{0} : static_cast<T>(a >> shift);
    else
      value = static_cast<T>(as_signed(a) >> (out ? kBits - 1 : shift));
    return static_cast<T>((kAccumulate ? d : T{0}) + value + half);
  }
};
struct ShiftLeft : ShiftOperation {
  static constexpr const char* text = "shl";
  static constexpr bool right = false;
  template <class T>
  static constexpr T apply(T, T a, int shift) {
    return static_cast<T>(a << shift);
  }
};
struct ShiftLeftInsert : ShiftOperation {
  static constexpr const char* text = "sli";
  static constexpr bool right = false;
  template <class T>
  static constexpr T apply(T d, T a, int shift) {
    const T mask = static_cast<T>(static_cast<T>(~T{0}) << shift);
    return static_cast<T>((d & ~mask) | static_cast<T>(a << shift));
  }
};
struct ShiftRightInsert : ShiftOperation {
  static constexpr const char* text = "sri";
  static constexpr bool right = true;
  template <class T>
  static constexpr T apply(T d, T a, int shift) {
    if (shift == static_cast<int>(sizeof(T)) * 8) return d;
    const T mask = static_cast<T>(static_cast<T>(~T{0}) >> shift);
    return static_cast<T>((d & ~mask) | (a >> shift));
  }
};
/// SQSHL, UQSHL, SQSHLU (signed source, unsigned result).
template <bool kSourceUnsigned, bool kResultUnsigned>
struct SaturatingShiftLeft : ShiftOperation {
  static constexpr const char* text = "qshl (immediate)";
  static constexpr bool right = false;
  template <class T>
  static constexpr T apply(T, T a, int shift, Saturation& q) {
    return saturate<T, kResultUnsigned>(number<kSourceUnsigned>(a) * (Int128{1} << shift), q);
  }
};

/// Shifts within the element size.
template <class Operation, unsigned kU, unsigned kOpcode, Shape kShape, unsigned kSizes>
struct ShiftImmediate : SimdInstruction {
  static constexpr Pattern pattern = shift_pattern(kShape, kU, kOpcode, kSizes);
  static constexpr const char* text = Operation::text;
  static constexpr Cost cost = Operation::cost;
  static bool decode(const Fields& f, Op& op) { return take_shift<Operation::right>(f, op, kShape); }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<kSizes>(op.a, [&]<class T>() {
      const Lanes<T> a = lanes<T>(m.v(op.n)), d = lanes<T>(m.v(op.d));
      const int shift = shift_amount(op), bytes = shift_bytes(op);
      Lanes<T> result{};
      if constexpr (requires(T t) { Operation::apply(t, t, 1); }) {
        for (unsigned i = 0; i < result.size(); ++i) result[i] = Operation::apply(d[i], a[i], shift);
      } else {
        Saturation q;
        for (unsigned i = 0; i < static_cast<unsigned>(bytes) / sizeof(T); ++i)
          result[i] = Operation::apply(d[i], a[i], shift, q);
        q.record(m);
      }
      m.v(op.d) = keep_low(vector_of<T>(result), bytes);
    });
  }
};

/// SHRN, RSHRN, SQSHRN, SQRSHRN, SQSHRUN, SQRSHRUN, UQSHRN, UQRSHRN.
template <Narrowing kHow, bool kRound, unsigned kU, unsigned kOpcode, Shape kShape>
struct ShiftRightNarrow : SimdInstruction {
  static constexpr Pattern base = kShape == Shape::kVector ? Pattern("0 Q U 011110 immh:4 immb:3 opcode:5 1 Vn:5 Vd:5")
                                                           : Pattern("01 U 111110 immh:4 immb:3 opcode:5 1 Vn:5 Vd:5");
  static constexpr Pattern pattern =
      base.fix("U", kU).fix("opcode", kOpcode).except("immh", 0).except_bits(0x00400000, 0x00400000);
  static constexpr const char* text = "shrn and relatives";
  static constexpr Cost cost = Cost::kVectorShift;
  static bool decode(const Fields& f, Op& op) { return take_shift<true>(f, op, kShape); }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<7>(op.a, [&]<class N>() {
      using W = Wide<N>;
      const Lanes<W> a = lanes<W>(m.v(op.n));
      const int shift = shift_amount(op);
      std::array<N, 8 / sizeof(N)> half{};
      Saturation q;
      const unsigned count = kShape == Shape::kScalar ? 1 : static_cast<unsigned>(half.size());
      for (unsigned i = 0; i < count; ++i) {
        if constexpr (kHow == Narrowing::kTruncate) {
          half[i] = static_cast<N>((a[i] >> shift) + (kRound ? a[i] >> (shift - 1) & 1 : 0));
        } else {
          const Int128 value = number<kHow == Narrowing::kUnsigned>(a[i]) + (kRound ? Int128{1} << (shift - 1) : 0);
          half[i] = saturate<N, kHow != Narrowing::kSigned>(value >> shift, q);
        }
      }
      q.record(m);
      put_half(m.v(op.d), std::bit_cast<std::uint64_t>(half), shift_bytes(op) == 16);
    });
  }
};

/// SSHLL, USHLL (SXTL, UXTL).
template <bool kUnsigned>
struct ShiftLeftLongImmediate : SimdInstruction {
  static constexpr Pattern pattern = Pattern("0 Q U 011110 immh:4 immb:3 10100 1 Vn:5 Vd:5")
                                         .fix("U", kUnsigned)
                                         .except("immh", 0)
                                         .except_bits(0x00400000, 0x00400000);
  static constexpr const char* text = kUnsigned ? "ushll" : "sshll";
  static constexpr Cost cost = Cost::kVectorShift;
  static bool decode(const Fields& f, Op& op) { return take_shift<false>(f, op, Shape::kVector); }
  template <class M>
  static void exec(M& m, const Op& op) {
    by_sizes<7>(op.a, [&]<class T>() {
      using W = Wide<T>;
      const auto a = half_lanes<T>(m.v(op.n), shift_bytes(op) == 16);
      Lanes<W> result;
      for (unsigned i = 0; i < result.size(); ++i)
        result[i] = static_cast<W>(extend<kUnsigned>(a[i]) << shift_amount(op));
      m.v(op.d) = vector_of<W>(result);
    });
  }
};

template <bool kUnsigned, Shape kShape, unsigned kSizes, unsigned kU = kUnsigned>
using ShiftsBySign =
    InstructionList<ShiftImmediate<ShiftRight<kUnsigned, false, false>, kU, 0b00000, kShape, kSizes>,
                    ShiftImmediate<ShiftRight<kUnsigned, false, true>, kU, 0b00010, kShape, kSizes>,
                    ShiftImmediate<ShiftRight<kUnsigned, true, false>, kU, 0b00100, kShape, kSizes>,
                    ShiftImmediate<ShiftRight<kUnsigned, true, true>, kU, 0b00110, kShape, kSizes>,
                    ShiftImmediate<SaturatingShiftLeft<kUnsigned, kUnsigned>, kU, 0b01110, kShape, 15>,
                    ShiftRightNarrow<kUnsigned ? Narrowing::kUnsigned : Narrowing::kSigned, false, kU, 0b10010, kShape>,
                    ShiftRightNarrow<kUnsigned ? Narrowing::kUnsigned : Narrowing::kSigned, true, kU, 0b10011, kShape>>;
template <Shape kShape, unsigned kSizes>
using ShiftsOf = Join<ShiftsBySign<false, kShape, kSizes>, ShiftsBySign<true, kShape, kSizes>,
                      InstructionList<ShiftImmediate<ShiftLeft, 0, 0b01010, kShape, kSizes>,
                                      ShiftImmediate<ShiftLeftInsert, 1, 0b01010, kShape, kSizes>,
                                      ShiftImmediate<ShiftRightInsert, 1, 0b01000, kShape, kSizes>,
                                      ShiftImmediate<SaturatingShiftLeft<false, true>, 1, 0b01100, kShape, 15>,
                                      ShiftRightNarrow<Narrowing::kSignedToUnsigned, false, 1, 0b10000, kShape>,
                                      ShiftRightNarrow<Narrowing::kSignedToUnsigned, true, 1, 0b10001, kShape>>>;

using SimdShifts = Join<ShiftsOf<Shape::kVector, 15>, ShiftsOf<Shape::kScalar, 8>,
                        InstructionList<ShiftRightNarrow<Narrowing::kTruncate, false, 0, 0b10000, Shape::kVector>,
                                        ShiftRightNarrow<Narrowing::kTruncate, true, 0, 0b10001, Shape::kVector>,
                                        ShiftLeftLongImmediate<false>, ShiftLeftLongImmediate<true>>>;

}  // namespace dpusim::cpu::simd
