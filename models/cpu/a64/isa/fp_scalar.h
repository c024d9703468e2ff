// Scalar floating-point data processing. @spec Arm ARM C4.1.90 (data processing, scalar FP and Advanced SIMD)
#pragma once

#include "cpu/a64/isa/fp_operations.h"
#include "cpu/a64/isa/fp_support.h"

namespace dpusim::cpu::simd {

/// FMUL, FDIV, FADD, FSUB, FMAX, FMIN, FMAXNM, FMINNM, FNMUL.
template <class Operation, unsigned kOpcode, fp::Format T>
struct FpTwoSource : FpInstruction {
  static constexpr Pattern pattern =
      Pattern("00011110 type:2 1 Vm:5 opcode:4 10 Vn:5 Vd:5").fix("type", kFpType<T>).fix("opcode", kOpcode);
  static constexpr const char* text = Operation::text;
  static constexpr Cost cost = Operation::cost;
  static constexpr Feature feature = kFpFeature<T>;
  static bool decode(const Fields& f, Op& op) { return take_dnm(f, op); }
  template <class M>
  static void exec(M& m, const Op& op) {
    const T a = scalar<T>(m, op.n), b = scalar<T>(m, op.m);
    set_scalar<T>(m, op.d, with_env(m, [=](fp::FpEnv& env) { return Operation::apply(a, b, env); }));
  }
};

/// FMOV, FABS, FNEG, FSQRT, FRINT*.
template <class Operation, unsigned kOpcode, fp::Format T>
struct FpOneSource : FpInstruction {
  static constexpr Pattern pattern =
      Pattern("00011110 type:2 1 opcode:6 10000 Vn:5 Vd:5").fix("type", kFpType<T>).fix("opcode", kOpcode);
  static constexpr const char* text = Operation::text;
  static constexpr Cost cost = Operation::cost;
  static constexpr Feature feature = kFpFeature<T>;
  static bool decode(const Fields& f, Op& op) { return take_dn(f, op); }
  template <class M>
  static void exec(M& m, const Op& op) {
    const T a = scalar<T>(m, op.n);
    set_scalar<T>(m, op.d, with_env(m, [=](fp::FpEnv& env) { return Operation::apply(a, env); }));
  }
};

/// FCVT between formats.
template <fp::Format To, fp::Format From>
struct FpConvertFormat : FpInstruction {
  static constexpr Pattern pattern =
      Pattern("00011110 type:2 1 0001 opc:2 10000 Vn:5 Vd:5").fix("type", kFpType<From>).fix("opc", kFpType<To>);
  static constexpr const char* text = "fcvt";
  static constexpr Cost cost = Cost::kFpConvert;
  static bool decode(const Fields& f, Op& op) { return take_dn(f, op); }
  template <class M>
  static void exec(M& m, const Op& op) {
    const From a = scalar<From>(m, op.n);
    set_scalar<To>(m, op.d, with_env(m, [=](fp::FpEnv& env) { return fp::convert<To, From>(a, env, env.rounding()); }));
  }
};

/// FMADD, FMSUB, FNMADD, FNMSUB.
template <bool kNegateProduct, bool kNegateAddend, fp::Format T>
struct FpThreeSource : FpInstruction {
  // o1 negates the addend; o0 then says the product's sign relative to it.
  static constexpr Pattern pattern = Pattern("00011111 type:2 o1 Vm:5 o0 Va:5 Vn:5 Vd:5")
                                         .fix("type", kFpType<T>)
                                         .fix("o1", kNegateAddend)
                                         .fix("o0", kNegateProduct != kNegateAddend);
  static constexpr const char* text = "fmadd/fmsub/fnmadd/fnmsub";
  static constexpr Cost cost = Cost::kFpFma;
  static constexpr Feature feature = kFpFeature<T>;
  static bool decode(const Fields& f, Op& op) {
    op.a = static_cast<std::uint8_t>(f("Va"));
    return take_dnm(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    T a = scalar<T>(m, op.n), addend = scalar<T>(m, op.a);
    const T b = scalar<T>(m, op.m);
    if constexpr (kNegateProduct) a = fp::negate(a);
    if constexpr (kNegateAddend) addend = fp::negate(addend);
    set_scalar<T>(m, op.d, with_env(m, [=](fp::FpEnv& env) { return fp::mul_add(addend, a, b, env); }));
  }
};

/// FCMP, FCMPE, with a register or zero.
template <bool kSignalling, bool kZero, fp::Format T>
struct FpCompare : FpInstruction {
  // The Vm of a comparison with zero should be zero; what else it is does not matter.
  static constexpr Pattern pattern = Pattern("00011110 type:2 1 Vm:5 001000 Vn:5 e z 000")
                                         .fix("type", kFpType<T>)
                                         .fix("e", kSignalling)
                                         .fix("z", kZero);
  static constexpr const char* text = "fcmp/fcmpe";
  static constexpr Cost cost = Cost::kFpCompare;
  static constexpr Feature feature = kFpFeature<T>;
  static bool decode(const Fields& f, Op& op) {
    op.n = static_cast<std::uint8_t>(f("Vn"));
    op.m = static_cast<std::uint8_t>(f("Vm"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    const T a = scalar<T>(m, op.n), b = kZero ? T{0} : scalar<T>(m, op.m);
    const fp::Ordering o = with_env(m, [=](fp::FpEnv& env) { return fp::compare(a, b, kSignalling, env); });
    m.flags().set_nzcv(fp::nzcv_of(o) >> 28);
  }
};

/// FCCMP, FCCMPE.
template <bool kSignalling, fp::Format T>
struct FpConditionalCompare : FpInstruction {
  static constexpr Pattern pattern =
      Pattern("00011110 type:2 1 Vm:5 cond:4 01 Vn:5 e nzcv:4").fix("type", kFpType<T>).fix("e", kSignalling);
  static constexpr const char* text = "fccmp/fccmpe";
  static constexpr Cost cost = Cost::kFpCompare;
  static constexpr Feature feature = kFpFeature<T>;
  static bool decode(const Fields& f, Op& op) {
    op.n = static_cast<std::uint8_t>(f("Vn"));
    op.m = static_cast<std::uint8_t>(f("Vm"));
    op.a = static_cast<std::uint8_t>(f("cond"));
    op.imm = static_cast<std::int32_t>(f("nzcv"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    unsigned nzcv = static_cast<unsigned>(op.imm);
    if (m.flags().holds(op.a)) {
      const T a = scalar<T>(m, op.n), b = scalar<T>(m, op.m);
      nzcv = fp::nzcv_of(with_env(m, [=](fp::FpEnv& env) { return fp::compare(a, b, kSignalling, env); })) >> 28;
    }
    m.flags().set_nzcv(nzcv);
  }
};

/// FCSEL.
template <fp::Format T>
struct FpSelect : FpInstruction {
  static constexpr Pattern pattern = Pattern("00011110 type:2 1 Vm:5 cond:4 11 Vn:5 Vd:5").fix("type", kFpType<T>);
  static constexpr const char* text = "fcsel";
  static constexpr Cost cost = Cost::kFpMove;
  static constexpr Feature feature = kFpFeature<T>;
  static bool decode(const Fields& f, Op& op) {
    op.a = static_cast<std::uint8_t>(f("cond"));
    return take_dnm(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    set_scalar<T>(m, op.d, scalar<T>(m, m.flags().holds(op.a) ? op.n : op.m));
  }
};

/// Expands the 8-bit immediate of FMOV to a format. @spec J1.3 VFPExpandImm
template <fp::Format T>
constexpr T expand_fp_immediate(unsigned imm8) {
  using F = fp::Traits<T>;
  const bool b = (imm8 >> 6 & 1) != 0;
  const unsigned ones = ((1u << (F::kExponentBits - 3)) - 1) << 2;
  const unsigned exponent = (b ? ones : 1u << (F::kExponentBits - 1)) | (imm8 >> 4 & 3);
  return fp::with_sign<T>((imm8 & 0x80) != 0, static_cast<T>((std::uint64_t{exponent} << F::kFractionBits) |
                                                             (std::uint64_t{imm8 & 15} << (F::kFractionBits - 4))));
}

/// FMOV (scalar, immediate).
template <fp::Format T>
struct FpMoveImmediate : FpInstruction {
  static constexpr Pattern pattern = Pattern("00011110 type:2 1 imm8:8 100 00000 Vd:5").fix("type", kFpType<T>);
  static constexpr const char* text = "fmov (immediate)";
  static constexpr Cost cost = Cost::kFpMove;
  static constexpr Feature feature = kFpFeature<T>;
  static bool decode(const Fields& f, Op& op) {
    op.d = static_cast<std::uint8_t>(f("Vd"));
    op.imm = static_cast<std::int32_t>(f("imm8"));
    return true;
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    set_scalar<T>(m, op.d, expand_fp_immediate<T>(static_cast<unsigned>(op.imm)));
  }
};

template <fp::Format T>
using FpScalarOf =
    InstructionList<FpTwoSource<Fmul, 0, T>, FpTwoSource<Fdiv, 1, T>, FpTwoSource<Fadd, 2, T>, FpTwoSource<Fsub, 3, T>,
                    FpTwoSource<Fmax, 4, T>, FpTwoSource<Fmin, 5, T>, FpTwoSource<Fmaxnm, 6, T>,
                    FpTwoSource<Fminnm, 7, T>, FpTwoSource<Fnmul, 8, T>, FpOneSource<FmovRegister, 0, T>,
                    FpOneSource<Fabs, 1, T>, FpOneSource<Fneg, 2, T>, FpOneSource<Fsqrt, 3, T>,
                    FpOneSource<Frint<RoundBy::kTieEven>, 8, T>, FpOneSource<Frint<RoundBy::kPlusInfinity>, 9, T>,
                    FpOneSource<Frint<RoundBy::kMinusInfinity>, 10, T>, FpOneSource<Frint<RoundBy::kZero>, 11, T>,
                    FpOneSource<Frint<RoundBy::kTieAway>, 12, T>, FpOneSource<Frint<RoundBy::kFpcr, true>, 14, T>,
                    FpOneSource<Frint<RoundBy::kFpcr>, 15, T>, FpThreeSource<false, false, T>,
                    FpThreeSource<true, false, T>, FpThreeSource<true, true, T>, FpThreeSource<false, true, T>,
                    FpCompare<false, false, T>, FpCompare<false, true, T>, FpCompare<true, false, T>,
                    FpCompare<true, true, T>, FpConditionalCompare<false, T>, FpConditionalCompare<true, T>,
                    FpSelect<T>, FpMoveImmediate<T>>;

using FpFormatConversions =
    InstructionList<FpConvertFormat<std::uint64_t, std::uint32_t>, FpConvertFormat<std::uint16_t, std::uint32_t>,
                    FpConvertFormat<std::uint32_t, std::uint64_t>, FpConvertFormat<std::uint16_t, std::uint64_t>,
                    FpConvertFormat<std::uint32_t, std::uint16_t>, FpConvertFormat<std::uint64_t, std::uint16_t>>;

}  // namespace dpusim::cpu::simd
