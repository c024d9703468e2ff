// The floating-point functions without a reference machine: values worked out by hand, and the fast path against the
// exact one.
#include <bit>
#include <catch2/catch.hpp>

#include "cpu/a64/fp/fp_arith.h"
#include "cpu/a64/fp/fp_compare.h"
#include "cpu/a64/fp/fp_convert.h"
#include "cpu/a64/fp/fp_estimate.h"
#include "test_fp_operands.h"

using namespace dpusim::cpu;
using namespace dpusim::cpu::fp;
using H = std::uint16_t;
using S = std::uint32_t;
using D = std::uint64_t;

namespace {

S f(float value) { return std::bit_cast<S>(value); }
D d(double value) { return std::bit_cast<D>(value); }
constexpr std::uint32_t mode(Rounding r) { return static_cast<std::uint32_t>(r) << kFpcrRModeShift; }

// A result with the flags it must raise.
template <class T>
struct Outcome {
  T value;
  std::uint32_t flags;
  bool operator==(const Outcome&) const = default;
};
template <class T>
std::ostream& operator<<(std::ostream& out, const Outcome<T>& o) {
  return out << std::hex << o.value << " flags " << o.flags;
}

template <class Function>
auto run(std::uint32_t fpcr, Function function) {
  FpEnv env{fpcr, 0};
  const auto value = function(env);
  return Outcome<std::remove_const_t<decltype(value)>>{value, env.fpsr};
}

}  // namespace

TEST_CASE("sums round to nearest even, and by mode", "[fp]") {
  const auto sum = [](std::uint32_t fpcr, S a, S b) { return run(fpcr, [=](FpEnv& e) { return add(a, b, e); }); };
  const S half_ulp = f(0x1p-24f);
  CHECK(sum(0, f(1.0f), half_ulp) == Outcome<S>{0x3f800000, kFpsrIxc});
  CHECK(sum(0, 0x3f800001, half_ulp) == Outcome<S>{0x3f800002, kFpsrIxc});
  CHECK(sum(mode(Rounding::kPlusInfinity), f(1.0f), half_ulp) == Outcome<S>{0x3f800001, kFpsrIxc});
  CHECK(sum(mode(Rounding::kMinusInfinity), f(1.0f), half_ulp) == Outcome<S>{0x3f800000, kFpsrIxc});
  CHECK(sum(0, f(1.5f), f(0.25f)) == Outcome<S>{f(1.75f), 0});
  // An exact zero is +0, but -0 when rounding to minus infinity.
  CHECK(sum(0, f(1.0f), f(-1.0f)) == Outcome<S>{0, 0});
  CHECK(sum(mode(Rounding::kMinusInfinity), f(1.0f), f(-1.0f)) == Outcome<S>{0x80000000, 0});
}

TEST_CASE("overflow, underflow, division by zero and invalid operations raise their flags", "[fp]") {
  const S max = 0x7f7fffff, infinity = 0x7f800000, nan = 0x7fc00000, min_normal = 0x00800000;
  CHECK(run(0, [=](FpEnv& e) { return mul(max, f(2.0f), e); }) == Outcome<S>{infinity, kFpsrOfc | kFpsrIxc});
  CHECK(run(mode(Rounding::kZero), [=](FpEnv& e) { return mul(max, f(2.0f), e); }) ==
        Outcome<S>{max, kFpsrOfc | kFpsrIxc});
  // 2^-126 (1 - 2^-24) is tiny before rounding though it rounds up to the smallest normal number.
  CHECK(run(0, [=](FpEnv& e) { return mul(min_normal, S{0x3f7fffff}, e); }) ==
        Outcome<S>{min_normal, kFpsrUfc | kFpsrIxc});
  // A tiny exact result raises nothing; flushed, it raises Underflow alone.
  CHECK(run(0, [=](FpEnv& e) { return mul(min_normal, f(0.5f), e); }) == Outcome<S>{0x00400000, 0});
  CHECK(run(kFpcrFz, [=](FpEnv& e) { return mul(min_normal, f(-0.5f), e); }) == Outcome<S>{0x80000000, kFpsrUfc});
  CHECK(run(kFpcrFz, [=](FpEnv& e) { return add(S{1}, f(1.0f), e); }) == Outcome<S>{f(1.0f), kFpsrIdc});
  CHECK(run(kFpcrFz16, [=](FpEnv& e) { return add(H{1}, H{0x3c00}, e); }) == Outcome<H>{0x3c00, 0});
  CHECK(run(0, [=](FpEnv& e) { return div(f(-1.0f), S{0}, e); }) == Outcome<S>{0xff800000, kFpsrDzc});
  CHECK(run(0, [=](FpEnv& e) { return div(S{0}, S{0}, e); }) == Outcome<S>{nan, kFpsrIoc});
  CHECK(run(0, [=](FpEnv& e) { return sqrt(f(-1.0f), e); }) == Outcome<S>{nan, kFpsrIoc});
  CHECK(run(0, [=](FpEnv& e) { return sqrt(S{0x80000000}, e); }) == Outcome<S>{0x80000000, 0});
  CHECK(run(0, [=](FpEnv& e) { return mulx(infinity, S{0x80000000}, e); }) == Outcome<S>{f(-2.0f), 0});
}

TEST_CASE("NaNs propagate by signalling before quiet and first before second", "[fp]") {
  const S quiet = 0x7fc00001, signalling = 0xff800002;
  CHECK(run(0, [=](FpEnv& e) { return add(quiet, signalling, e); }) == Outcome<S>{0xffc00002, kFpsrIoc});
  CHECK(run(0, [=](FpEnv& e) { return add(f(1.0f), quiet, e); }) == Outcome<S>{quiet, 0});
  CHECK(run(kFpcrDn, [=](FpEnv& e) { return add(f(1.0f), quiet, e); }) == Outcome<S>{0x7fc00000, 0});
  CHECK(run(0, [=](FpEnv& e) { return sub(f(1.0f), quiet, e); }) == Outcome<S>{quiet, 0});
  // A quiet NaN addend loses against infinity times zero.
  CHECK(run(0, [=](FpEnv& e) { return mul_add(quiet, S{0x7f800000}, S{0}, e); }) == Outcome<S>{0x7fc00000, kFpsrIoc});
  CHECK(run(0, [=](FpEnv& e) { return fp::max(quiet, f(1.0f), e); }) == Outcome<S>{quiet, 0});
  CHECK(run(0, [=](FpEnv& e) { return max_number(quiet, f(1.0f), e); }) == Outcome<S>{f(1.0f), 0});
  CHECK(run(0, [=](FpEnv& e) { return fp::max(S{0x80000000}, S{0}, e); }) == Outcome<S>{0, 0});
  CHECK(run(0, [=](FpEnv& e) { return fp::min(S{0x80000000}, S{0}, e); }) == Outcome<S>{0x80000000, 0});
  CHECK(run(0, [=](FpEnv& e) { return nzcv_of(compare(quiet, f(1.0f), false, e)); }) ==
        Outcome<std::uint32_t>{0x30000000, 0});
  CHECK(run(0, [=](FpEnv& e) { return nzcv_of(compare(quiet, f(1.0f), true, e)); }) ==
        Outcome<std::uint32_t>{0x30000000, kFpsrIoc});
  CHECK(run(0, [=](FpEnv& e) { return nzcv_of(compare(S{0}, S{0x80000000}, false, e)); }) ==
        Outcome<std::uint32_t>{0x60000000, 0});
  CHECK(run(0, [=](FpEnv& e) { return nzcv_of(compare(f(-2.0f), f(-1.0f), false, e)); }) ==
        Outcome<std::uint32_t>{0x80000000, 0});
}

TEST_CASE("a fused multiply-add rounds once", "[fp]") {
  // (1 + 2^-52)^2 - (1 + 2^-51) = 2^-104, which a rounded product would lose.
  const D a = 0x3ff0000000000001, c = d(-(1.0 + 0x1p-51));
  CHECK(run(0, [=](FpEnv& e) { return mul_add(c, a, a, e); }) == Outcome<D>{d(0x1p-104), 0});
}

TEST_CASE("conversions to integers saturate and round by mode", "[fp]") {
  const auto to = [](D value, Rounding r, bool is_unsigned, int width) {
    return run(0, [=](FpEnv& e) { return to_fixed(value, e, r, 0, is_unsigned, width); });
  };
  using O = Outcome<std::uint64_t>;
  CHECK(to(d(2147483647.0), Rounding::kZero, false, 32) == O{0x7fffffff, 0});
  CHECK(to(d(2147483648.0), Rounding::kZero, false, 32) == O{0x7fffffff, kFpsrIoc});
  CHECK(to(d(-2147483648.0), Rounding::kZero, false, 32) == O{0x80000000, 0});
  CHECK(to(d(-2147483649.0), Rounding::kZero, false, 32) == O{0x80000000, kFpsrIoc});
  CHECK(to(d(2147483647.5), Rounding::kZero, false, 32) == O{0x7fffffff, kFpsrIxc});
  CHECK(to(d(2147483647.5), Rounding::kTieEven, false, 32) == O{0x7fffffff, kFpsrIoc});
  CHECK(to(d(-0.5), Rounding::kZero, true, 64) == O{0, kFpsrIxc});
  CHECK(to(d(-1.0), Rounding::kZero, true, 64) == O{0, kFpsrIoc});
  CHECK(to(d(0x1p64), Rounding::kZero, true, 64) == O{~0ull, kFpsrIoc});
  CHECK(to(d(2.5), Rounding::kTieEven, false, 64) == O{2, kFpsrIxc});
  CHECK(to(d(2.5), Rounding::kTieAway, false, 64) == O{3, kFpsrIxc});
  CHECK(to(d(-2.5), Rounding::kTieAway, false, 64) == O{static_cast<std::uint64_t>(-3), kFpsrIxc});
  CHECK(to(0x7ff8000000000000, Rounding::kZero, false, 64) == O{0, kFpsrIoc});
  CHECK(run(0, [](FpEnv& e) { return to_fixed(d(1.5), e, Rounding::kZero, 4, false, 32); }) == O{24, 0});
  CHECK(run(0, [](FpEnv& e) { return from_fixed<D>(~0ull, e, Rounding::kTieEven, 0, true); }) ==
        O{d(0x1p64), kFpsrIxc});
  CHECK(run(0, [](FpEnv& e) { return from_fixed<D>(~0ull, e, Rounding::kTieEven, 1, false); }) == O{d(-0.5), 0});
  CHECK(run(0, [](FpEnv& e) { return round_integral(f(-0.5f), e, Rounding::kTieEven, true); }) ==
        Outcome<S>{0x80000000, kFpsrIxc});
  CHECK(run(0, [](FpEnv& e) { return round_integral(f(1.5f), e, Rounding::kTieEven, false); }) ==
        Outcome<S>{f(2.0f), 0});
}

TEST_CASE("half precision has a standard and an alternative format", "[fp]") {
  const auto narrow = [](std::uint32_t fpcr, float value) {
    return run(fpcr, [=](FpEnv& e) { return convert<H, S>(f(value), e, e.rounding()); });
  };
  CHECK(narrow(0, 65504.0f) == Outcome<H>{0x7bff, 0});
  CHECK(narrow(0, 65519.0f) == Outcome<H>{0x7bff, kFpsrIxc});
  CHECK(narrow(0, 65520.0f) == Outcome<H>{0x7c00, kFpsrOfc | kFpsrIxc});
  // The alternative format has one more binade instead of infinities and NaNs.
  CHECK(narrow(kFpcrAhp, 65536.0f) == Outcome<H>{0x7c00, 0});
  CHECK(narrow(kFpcrAhp, 131008.0f) == Outcome<H>{0x7fff, 0});
  CHECK(narrow(kFpcrAhp, 131072.0f) == Outcome<H>{0x7fff, kFpsrIoc});
  CHECK(run(kFpcrAhp, [](FpEnv& e) { return convert<H, S>(S{0xffc00000}, e, Rounding::kTieEven); }) ==
        Outcome<H>{0x8000, kFpsrIoc});
  CHECK(run(kFpcrAhp, [](FpEnv& e) { return convert<S, H>(H{0x7c00}, e, Rounding::kTieEven); }) ==
        Outcome<S>{f(65536.0f), 0});
  // The payload's upper bits survive.
  CHECK(run(0, [](FpEnv& e) { return convert<S, D>(D{0xfff4000020000000}, e, Rounding::kTieEven); }) ==
        Outcome<S>{0xffe00001, kFpsrIoc});
}

TEST_CASE("estimates have eight bits", "[fp]") {
  // RecipEstimate(256): b = 2^19 / 513 = 1021, r = 511, hence 511/512. RecipSqrtEstimate(128): 257 * 1022^2 < 2^28 <
  // 257 * 1023^2, r = 511.
  CHECK(run(0, [](FpEnv& e) { return recip_estimate(f(1.0f), e); }) == Outcome<S>{f(511.0f / 512.0f), 0});
  CHECK(run(0, [](FpEnv& e) { return rsqrt_estimate(f(1.0f), e); }) == Outcome<S>{f(511.0f / 512.0f), 0});
  CHECK(run(0, [](FpEnv& e) { return recip_estimate(S{0x80000000}, e); }) == Outcome<S>{0xff800000, kFpsrDzc});
  CHECK(run(0, [](FpEnv& e) { return recip_estimate(S{1}, e); }) == Outcome<S>{0x7f800000, kFpsrOfc | kFpsrIxc});
  CHECK(unsigned_recip_estimate(0x7fffffff) == 0xffffffff);
  CHECK(unsigned_recip_estimate(0x80000000) == 511u << 23);
  CHECK(run(0, [](FpEnv& e) { return recip_step(f(1.0f), f(1.0f), e); }) == Outcome<S>{f(1.0f), 0});
  CHECK(run(0, [](FpEnv& e) { return rsqrt_step(S{0x7f800000}, S{0}, e); }) == Outcome<S>{f(1.5f), 0});
}

namespace {

template <Format T>
void fast_equals_exact() {
  test::Random random(7);
  std::uint64_t taken = 0, differing = 0;
  for (unsigned i = 0; i < 200000; ++i) {
    const T a = test::random_number<T>(random), b = test::random_number<T>(random), c = test::random_number<T>(random);
    const std::uint32_t fpcr = i % 4 == 0 ? test::random_fpcr(random) : 0;
    const std::uint32_t fpsr = i % 8 == 1 ? 0 : kFpsrIxc;
    const auto compare_one = [&](auto fast_one, auto exact_one) {
      FpEnv fast_env{fpcr, fpsr}, exact_env{fpcr, fpsr};
      T result = 0;
      if (!fast_one(fast_env, result)) return;
      ++taken;
      if (result != exact_one(exact_env) || exact_env.fpsr != fast_env.fpsr) ++differing;
    };
    compare_one([&](FpEnv& e, T& r) { return fast::add(a, b, e, r); }, [&](FpEnv& e) { return exact::add(a, b, e); });
    compare_one([&](FpEnv& e, T& r) { return fast::sub(a, b, e, r); }, [&](FpEnv& e) { return exact::sub(a, b, e); });
    compare_one([&](FpEnv& e, T& r) { return fast::mul(a, b, e, r); }, [&](FpEnv& e) { return exact::mul(a, b, e); });
    compare_one([&](FpEnv& e, T& r) { return fast::div(a, b, e, r); }, [&](FpEnv& e) { return exact::div(a, b, e); });
    compare_one([&](FpEnv& e, T& r) { return fast::sqrt(a, e, r); }, [&](FpEnv& e) { return exact::sqrt(a, e); });
    compare_one([&](FpEnv& e, T& r) { return fast::mul_add(c, a, b, e, r); },
                [&](FpEnv& e) { return exact::mul_add(c, a, b, e); });
  }
  CHECK(differing == 0);
  CHECK(taken > 100000);  // the test would otherwise compare nothing
}

}  // namespace

TEST_CASE("the fast path equals the exact one", "[fp]") {
  fast_equals_exact<S>();
  fast_equals_exact<D>();
}
