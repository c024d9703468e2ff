// The FP operations as function objects: what scalar, vector, pairwise and by-element forms have in common.
#pragma once

#include "cpu/a64/fp/fp_arith.h"
#include "cpu/a64/fp/fp_compare.h"
#include "cpu/a64/fp/fp_convert.h"
#include "cpu/a64/fp/fp_estimate.h"
#include "cpu/a64/isa/op.h"

namespace dpusim::cpu::simd {

// --- Two operands. `cost` is the scalar form's, `vector_cost` the vector form's. ---

struct Fadd {
  static constexpr const char* text = "fadd";
  static constexpr Cost cost = Cost::kFpAdd, vector_cost = Cost::kVectorFpAdd;
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    return fp::add(a, b, env);
  }
};
struct Fsub : Fadd {
  static constexpr const char* text = "fsub";
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    return fp::sub(a, b, env);
  }
};
struct Fabd : Fadd {
  static constexpr const char* text = "fabd";
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    return fp::abs_diff(a, b, env);
  }
};
struct Fmax : Fadd {
  static constexpr const char* text = "fmax";
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    return fp::max(a, b, env);
  }
};
struct Fmin : Fadd {
  static constexpr const char* text = "fmin";
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    return fp::min(a, b, env);
  }
};
struct Fmaxnm : Fadd {
  static constexpr const char* text = "fmaxnm";
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    return fp::max_number(a, b, env);
  }
};
struct Fminnm : Fadd {
  static constexpr const char* text = "fminnm";
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    return fp::min_number(a, b, env);
  }
};
struct Fmul {
  static constexpr const char* text = "fmul";
  static constexpr Cost cost = Cost::kFpMultiply, vector_cost = Cost::kVectorFpMultiply;
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    return fp::mul(a, b, env);
  }
};
struct Fnmul : Fmul {
  static constexpr const char* text = "fnmul";
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    return fp::negate(fp::mul(a, b, env));
  }
};
struct Fmulx : Fmul {
  static constexpr const char* text = "fmulx";
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    return fp::mulx(a, b, env);
  }
};
struct Fdiv {
  static constexpr const char* text = "fdiv";
  static constexpr Cost cost = Cost::kFpDivide, vector_cost = Cost::kVectorFpDivide;
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    return fp::div(a, b, env);
  }
};
struct Frecps {
  static constexpr const char* text = "frecps";
  static constexpr Cost cost = Cost::kFpFma, vector_cost = Cost::kVectorFpFma;
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    return fp::recip_step(a, b, env);
  }
};
struct Frsqrts : Frecps {
  static constexpr const char* text = "frsqrts";
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    return fp::rsqrt_step(a, b, env);
  }
};
/// d + a * b and d - a * b.
struct Fmla : Frecps {
  static constexpr const char* text = "fmla";
  template <class T>
  static T apply(T d, T a, T b, fp::FpEnv& env) {
    return fp::mul_add(d, a, b, env);
  }
};
struct Fmls : Frecps {
  static constexpr const char* text = "fmls";
  template <class T>
  static T apply(T d, T a, T b, fp::FpEnv& env) {
    return fp::mul_add(d, fp::negate(a), b, env);
  }
};

/// Comparisons that give all ones or zeros.
struct Fcmeq {
  static constexpr const char* text = "fcmeq";
  static constexpr Cost cost = Cost::kFpCompare, vector_cost = Cost::kVectorFpAdd;
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    return mask<T>(fp::compare(a, b, false, env) == fp::Ordering::kEqual);
  }
  template <class T>
  static T mask(bool on) {
    return on ? static_cast<T>(~T{0}) : T{0};
  }
};
struct Fcmge : Fcmeq {
  static constexpr const char* text = "fcmge";
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    const fp::Ordering o = fp::compare(a, b, true, env);
    return mask<T>(o == fp::Ordering::kEqual || o == fp::Ordering::kGreater);
  }
};
struct Fcmgt : Fcmeq {
  static constexpr const char* text = "fcmgt";
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    return mask<T>(fp::compare(a, b, true, env) == fp::Ordering::kGreater);
  }
};
struct Facge : Fcmge {
  static constexpr const char* text = "facge";
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    return Fcmge::apply(fp::absolute(a), fp::absolute(b), env);
  }
};
struct Facgt : Fcmgt {
  static constexpr const char* text = "facgt";
  template <class T>
  static T apply(T a, T b, fp::FpEnv& env) {
    return Fcmgt::apply(fp::absolute(a), fp::absolute(b), env);
  }
};

// --- One operand ---

struct Fabs {
  static constexpr const char* text = "fabs";
  static constexpr Cost cost = Cost::kFpMove, vector_cost = Cost::kVectorAlu;
  template <class T>
  static T apply(T a, fp::FpEnv&) {
    return fp::absolute(a);
  }
};
struct Fneg : Fabs {
  static constexpr const char* text = "fneg";
  template <class T>
  static T apply(T a, fp::FpEnv&) {
    return fp::negate(a);
  }
};
struct FmovRegister : Fabs {
  static constexpr const char* text = "fmov (register)";
  template <class T>
  static T apply(T a, fp::FpEnv&) {
    return a;
  }
};
struct Fsqrt {
  static constexpr const char* text = "fsqrt";
  static constexpr Cost cost = Cost::kFpSqrt, vector_cost = Cost::kVectorFpSqrt;
  template <class T>
  static T apply(T a, fp::FpEnv& env) {
    return fp::sqrt(a, env);
  }
};
struct Frecpe {
  static constexpr const char* text = "frecpe";
  static constexpr Cost cost = Cost::kFpConvert, vector_cost = Cost::kVectorFpMultiply;
  template <class T>
  static T apply(T a, fp::FpEnv& env) {
    return fp::recip_estimate(a, env);
  }
};
struct Frsqrte : Frecpe {
  static constexpr const char* text = "frsqrte";
  template <class T>
  static T apply(T a, fp::FpEnv& env) {
    return fp::rsqrt_estimate(a, env);
  }
};
struct Frecpx : Frecpe {
  static constexpr const char* text = "frecpx";
  template <class T>
  static T apply(T a, fp::FpEnv& env) {
    return fp::recip_exponent(a, env);
  }
};
/// Comparisons with zero.
template <class Comparison, bool kSwap>
struct FcompareZero : Comparison {
  template <class T>
  static T apply(T a, fp::FpEnv& env) {
    return kSwap ? Comparison::apply(T{0}, a, env) : Comparison::apply(a, T{0}, env);
  }
};

/// How an instruction picks its rounding: the modes of fp::Rounding, or FPCR's.
enum class RoundBy : std::uint8_t { kTieEven, kPlusInfinity, kMinusInfinity, kZero, kTieAway, kFpcr };
constexpr fp::Rounding rounding(RoundBy by, const fp::FpEnv& env) {
  return by == RoundBy::kFpcr ? env.rounding() : static_cast<fp::Rounding>(by);
}

/// FRINTN, FRINTP, FRINTM, FRINTZ, FRINTA, FRINTI, FRINTX.
template <RoundBy kBy, bool kExact = false>
struct Frint {
  static constexpr const char* text = "frint";
  static constexpr Cost cost = Cost::kFpConvert, vector_cost = Cost::kVectorFpAdd;
  template <class T>
  static T apply(T a, fp::FpEnv& env) {
    return fp::round_integral(a, env, rounding(kBy, env), kExact);
  }
};
/// FCVT[NPMZA][SU] to an integer of the operand's own size.
template <RoundBy kBy, bool kUnsigned>
struct FcvtInteger {
  static constexpr const char* text = kUnsigned ? "fcvt.u" : "fcvt.s";
  static constexpr Cost cost = Cost::kFpConvert, vector_cost = Cost::kVectorFpAdd;
  template <class T>
  static T apply(T a, fp::FpEnv& env, int fraction_bits = 0) {
    return static_cast<T>(fp::to_fixed(a, env, rounding(kBy, env), fraction_bits, kUnsigned, fp::Traits<T>::kBits));
  }
};
/// SCVTF, UCVTF from an integer of the result's own size.
template <bool kUnsigned>
struct Cvtf {
  static constexpr const char* text = kUnsigned ? "ucvtf" : "scvtf";
  static constexpr Cost cost = Cost::kFpConvert, vector_cost = Cost::kVectorFpAdd;
  template <class T>
  static T apply(T a, fp::FpEnv& env, int fraction_bits = 0) {
    const std::uint64_t wide =
        kUnsigned ? std::uint64_t{a} : static_cast<std::uint64_t>(std::int64_t{static_cast<std::make_signed_t<T>>(a)});
    return fp::from_fixed<T>(wide, env, env.rounding(), fraction_bits, kUnsigned);
  }
};

}  // namespace dpusim::cpu::simd
