// Conversions and moves between FP registers and general registers. @spec Arm ARM C4.1.90 (FP and integer, FP and
// fixed-point)
#pragma once

#include "cpu/a64/isa/fp_operations.h"
#include "cpu/a64/isa/fp_support.h"

namespace dpusim::cpu::simd {

/// FCVT[NPMZA][SU] (scalar, integer). R: uint32_t or uint64_t.
template <RoundBy kBy, bool kUnsigned, class R, fp::Format T>
struct FpToInteger : FpInstruction {
  static constexpr unsigned rmode = kBy == RoundBy::kTieAway ? 0 : static_cast<unsigned>(kBy);
  static constexpr unsigned opcode = (kBy == RoundBy::kTieAway ? 4 : 0) | kUnsigned;
  static constexpr Pattern pattern = Pattern("sf 0011110 type:2 1 rmode:2 opcode:3 000000 Vn:5 Rd:5")
                                         .fix("sf", sizeof(R) == 8)
                                         .fix("type", kFpType<T>)
                                         .fix("rmode", rmode)
                                         .fix("opcode", opcode);
  static constexpr const char* text = kUnsigned ? "fcvt.u (general)" : "fcvt.s (general)";
  static constexpr Cost cost = Cost::kVectorToGeneral;
  static constexpr Feature feature = kFpFeature<T>;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rd"));
    op.n = static_cast<std::uint8_t>(f("Vn"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    const T a = scalar<T>(m, op.n);
    m.set(op.d, static_cast<R>(with_env(m, [=](fp::FpEnv& env) {
            return fp::to_fixed(a, env, rounding(kBy, env), 0, kUnsigned, static_cast<int>(sizeof(R)) * 8);
          })));
  }
};

/// FCVTZS, FCVTZU (scalar, fixed-point).
template <bool kUnsigned, class R, fp::Format T>
struct FpToFixed : FpInstruction {
  static constexpr Pattern pattern = Pattern("sf 0011110 type:2 0 11 00 U scale:6 Vn:5 Rd:5")
                                         .fix("sf", sizeof(R) == 8)
                                         .fix("type", kFpType<T>)
                                         .fix("U", kUnsigned);
  static constexpr const char* text = kUnsigned ? "fcvtzu (fixed-point)" : "fcvtzs (fixed-point)";
  static constexpr Cost cost = Cost::kVectorToGeneral;
  static constexpr Feature feature = kFpFeature<T>;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rd"));
    op.n = static_cast<std::uint8_t>(f("Vn"));
    op.imm = static_cast<std::int32_t>(64 - f("scale"));
    return sizeof(R) == 8 || op.imm <= 32;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    const T a = scalar<T>(m, op.n);
    const int fraction_bits = op.imm;
    m.set(op.d, static_cast<R>(with_env(m, [=](fp::FpEnv& env) {
            return fp::to_fixed(a, env, fp::Rounding::kZero, fraction_bits, kUnsigned, static_cast<int>(sizeof(R)) * 8);
          })));
  }
};

/// SCVTF, UCVTF (scalar, integer and fixed-point).
template <bool kUnsigned, bool kFixed, class R, fp::Format T>
struct FpFromInteger : FpInstruction {
  static constexpr Pattern pattern = (kFixed ? Pattern("sf 0011110 type:2 0 00 01 U scale:6 Rn:5 Vd:5")
                                             : Pattern("sf 0011110 type:2 1 00 01 U 000000 Rn:5 Vd:5"))
                                         .fix("sf", sizeof(R) == 8)
                                         .fix("type", kFpType<T>)
                                         .fix("U", kUnsigned);
  static constexpr const char* text = kUnsigned ? "ucvtf (general)" : "scvtf (general)";
  static constexpr Cost cost = Cost::kGeneralToVector;
  static constexpr Feature feature = kFpFeature<T>;
  static bool decode(const Fields& f, Op& op) {
    op.d = static_cast<std::uint8_t>(f("Vd"));
    op.n = read_x(f("Rn"));
    if constexpr (kFixed) op.imm = static_cast<std::int32_t>(64 - f("scale"));
    return sizeof(R) == 8 || op.imm <= 32;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    using Signed = std::make_signed_t<R>;
    const R bits = m.template get<R>(op.n);
    const std::uint64_t value =
        kUnsigned ? std::uint64_t{bits} : static_cast<std::uint64_t>(std::int64_t{static_cast<Signed>(bits)});
    const int fraction_bits = kFixed ? op.imm : 0;
    set_scalar<T>(m, op.d, with_env(m, [=](fp::FpEnv& env) {
                    return fp::from_fixed<T>(value, env, env.rounding(), fraction_bits, kUnsigned);
                  }));
  }
};

/// FMOV from an FP register to a general register of width R.
template <class R, fp::Format T>
struct FmovToGeneral : FpInstruction {
  static constexpr Pattern pattern =
      Pattern("sf 0011110 type:2 1 00 110 000000 Vn:5 Rd:5").fix("sf", sizeof(R) == 8).fix("type", kFpType<T>);
  static constexpr const char* text = "fmov (to general)";
  static constexpr Cost cost = Cost::kVectorToGeneral;
  static constexpr Feature feature = kFpFeature<T>;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rd"));
    op.n = static_cast<std::uint8_t>(f("Vn"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    m.set(op.d, std::uint64_t{scalar<T>(m, op.n)});
  }
};
/// FMOV from a general register.
template <class R, fp::Format T>
struct FmovFromGeneral : FpInstruction {
  static constexpr Pattern pattern =
      Pattern("sf 0011110 type:2 1 00 111 000000 Rn:5 Vd:5").fix("sf", sizeof(R) == 8).fix("type", kFpType<T>);
  static constexpr const char* text = "fmov (from general)";
  static constexpr Cost cost = Cost::kGeneralToVector;
  static constexpr Feature feature = kFpFeature<T>;
  static bool decode(const Fields& f, Op& op) {
    op.d = static_cast<std::uint8_t>(f("Vd"));
    op.n = read_x(f("Rn"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    set_scalar<T>(m, op.d, m.template get<T>(op.n));
  }
};
/// FMOV Xd, Vn.D[1].
struct FmovTopToGeneral : FpInstruction {
  static constexpr Pattern pattern{"1 0011110 10 1 01 110 000000 Vn:5 Rd:5"};
  static constexpr const char* text = "fmov (top half to general)";
  static constexpr Cost cost = Cost::kVectorToGeneral;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rd"));
    op.n = static_cast<std::uint8_t>(f("Vn"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    m.set(op.d, m.v(op.n).d[1]);
  }
};
/// FMOV Vd.D[1], Xn: the lower half stays.
struct FmovTopFromGeneral : FpInstruction {
  static constexpr Pattern pattern{"1 0011110 10 1 01 111 000000 Rn:5 Vd:5"};
  static constexpr const char* text = "fmov (top half from general)";
  static constexpr Cost cost = Cost::kGeneralToVector;
  static bool decode(const Fields& f, Op& op) {
    op.d = static_cast<std::uint8_t>(f("Vd"));
    op.n = read_x(f("Rn"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    m.v(op.d).d[1] = m.x(op.n);
  }
};

template <class R, fp::Format T>
using FpIntegerOf =
    InstructionList<FpToInteger<RoundBy::kTieEven, false, R, T>, FpToInteger<RoundBy::kTieEven, true, R, T>,
                    FpToInteger<RoundBy::kPlusInfinity, false, R, T>, FpToInteger<RoundBy::kPlusInfinity, true, R, T>,
                    FpToInteger<RoundBy::kMinusInfinity, false, R, T>, FpToInteger<RoundBy::kMinusInfinity, true, R, T>,
                    FpToInteger<RoundBy::kZero, false, R, T>, FpToInteger<RoundBy::kZero, true, R, T>,
                    FpToInteger<RoundBy::kTieAway, false, R, T>, FpToInteger<RoundBy::kTieAway, true, R, T>,
                    FpToFixed<false, R, T>, FpToFixed<true, R, T>, FpFromInteger<false, false, R, T>,
                    FpFromInteger<true, false, R, T>, FpFromInteger<false, true, R, T>,
                    FpFromInteger<true, true, R, T>>;

using FpMoves =
    InstructionList<FmovToGeneral<std::uint32_t, std::uint32_t>, FmovFromGeneral<std::uint32_t, std::uint32_t>,
                    FmovToGeneral<std::uint64_t, std::uint64_t>, FmovFromGeneral<std::uint64_t, std::uint64_t>,
                    FmovToGeneral<std::uint32_t, std::uint16_t>, FmovFromGeneral<std::uint32_t, std::uint16_t>,
                    FmovToGeneral<std::uint64_t, std::uint16_t>, FmovFromGeneral<std::uint64_t, std::uint16_t>,
                    FmovTopToGeneral, FmovTopFromGeneral>;

}  // namespace dpusim::cpu::simd
