// The floating-point functions against qemu-aarch64, instruction by instruction: values and cumulative flags.
#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "a64_oracle.h"
#include "cpu/a64/fp/fp_arith.h"
#include "cpu/a64/fp/fp_compare.h"
#include "cpu/a64/fp/fp_convert.h"
#include "cpu/a64/fp/fp_estimate.h"
#include "test_fp_operands.h"

using namespace dpusim::cpu;
using namespace dpusim::cpu::fp;
using dpusim::cpu::test::OracleState;

namespace {

// An instruction on v0 (result), v1, v2, v3, x0 (result), x1, and the function that should equal it.
struct Check {
  std::string text;
  std::function<void(OracleState&, FpEnv&)> apply;
  int operand_bits;  // format of the operands, for choosing values
};

template <Format T>
T in(const OracleState& s, unsigned reg) {
  return static_cast<T>(s.v[reg][0]);
}
template <Format T>
void out(OracleState& s, T value) {
  s.v[0] = {value, 0};
}

template <Format T>
std::string prefix() {
  return sizeof(T) == 2 ? "h" : sizeof(T) == 4 ? "s" : "d";
}

// "d0, d1, d2": n registers of the format.
template <Format T>
std::string registers(unsigned n) {
  std::string text;
  for (unsigned i = 0; i < n; ++i) text += (i ? ", " : " ") + prefix<T>() + std::to_string(i);
  return text;
}

template <Format T>
void arithmetic(std::vector<Check>& checks) {
  constexpr int kBits = Traits<T>::kBits;
  const auto two = [&](const std::string& name, T (*f)(T, T, FpEnv&)) {
    checks.push_back(
        {name + registers<T>(3), [f](OracleState& s, FpEnv& e) { out<T>(s, f(in<T>(s, 1), in<T>(s, 2), e)); }, kBits});
  };
  two("fadd", add<T>);
  two("fsub", sub<T>);
  two("fmul", mul<T>);
  two("fdiv", div<T>);
  two("fmulx", mulx<T>);
  two("fmax", fp::max<T>);
  two("fmin", fp::min<T>);
  two("fmaxnm", max_number<T>);
  two("fminnm", min_number<T>);
  two("fabd", abs_diff<T>);
  two("frecps", recip_step<T>);
  two("frsqrts", rsqrt_step<T>);
  two("fnmul", [](T a, T b, FpEnv& e) { return negate(mul(a, b, e)); });
  const auto one = [&](const std::string& name, std::function<T(T, FpEnv&)> f) {
    checks.push_back({name + registers<T>(2), [f](OracleState& s, FpEnv& e) { out<T>(s, f(in<T>(s, 1), e)); }, kBits});
  };
  one("fsqrt", fp::sqrt<T>);
  one("frecpe", recip_estimate<T>);
  one("frsqrte", rsqrt_estimate<T>);
  one("frecpx", recip_exponent<T>);
  const auto integral = [&](const std::string& name, Rounding mode) {
    one(name, [mode](T a, FpEnv& e) { return round_integral(a, e, mode, false); });
  };
  integral("frintn", Rounding::kTieEven);
  integral("frintp", Rounding::kPlusInfinity);
  integral("frintm", Rounding::kMinusInfinity);
  integral("frintz", Rounding::kZero);
  integral("frinta", Rounding::kTieAway);
  one("frinti", [](T a, FpEnv& e) { return round_integral(a, e, e.rounding(), false); });
  one("frintx", [](T a, FpEnv& e) { return round_integral(a, e, e.rounding(), true); });
  const auto fused = [&](const std::string& name, bool negate_a, bool negate_addend) {
    checks.push_back({name + registers<T>(4),
                      [=](OracleState& s, FpEnv& e) {
                        const T a = in<T>(s, 1), c = in<T>(s, 3);
                        out<T>(s, mul_add<T>(negate_addend ? negate(c) : c, negate_a ? negate(a) : a, in<T>(s, 2), e));
                      },
                      kBits});
  };
  fused("fmadd", false, false);
  fused("fmsub", true, false);
  fused("fnmadd", true, true);
  fused("fnmsub", false, true);
  for (const bool signal : {false, true}) {
    const std::string name = signal ? "fcmpe " : "fcmp ";
    checks.push_back(
        {name + prefix<T>() + "1, " + prefix<T>() + "2",
         [signal](OracleState& s, FpEnv& e) { s.nzcv = nzcv_of(compare(in<T>(s, 1), in<T>(s, 2), signal, e)); },
         kBits});
  }
}

template <Format To, Format From>
void conversion(std::vector<Check>& checks) {
  checks.push_back({"fcvt " + prefix<To>() + "0, " + prefix<From>() + "1",
                    [](OracleState& s, FpEnv& e) { out<To>(s, convert<To, From>(in<From>(s, 1), e, e.rounding())); },
                    Traits<From>::kBits});
}

template <Format T>
void integers(std::vector<Check>& checks) {
  constexpr int kBits = Traits<T>::kBits;
  const std::pair<char, Rounding> modes[] = {{'n', Rounding::kTieEven},
                                             {'p', Rounding::kPlusInfinity},
                                             {'m', Rounding::kMinusInfinity},
                                             {'z', Rounding::kZero},
                                             {'a', Rounding::kTieAway}};
  for (const bool is_unsigned : {false, true}) {
    const std::string u = is_unsigned ? "u" : "s";
    for (const int width : {32, 64}) {
      const std::string x = width == 64 ? "x" : "w";
      for (const auto& [letter, mode] : modes) {
        checks.push_back(
            {std::string("fcvt") + letter + u + " " + x + "0, " + prefix<T>() + "1",
             [=, m = mode](OracleState& s, FpEnv& e) { s.x[0] = to_fixed(in<T>(s, 1), e, m, 0, is_unsigned, width); },
             kBits});
      }
      for (const int fraction : {1, 7, 16, 31, 32, 64}) {
        if (fraction > width) continue;
        checks.push_back({"fcvtz" + u + " " + x + "0, " + prefix<T>() + "1, #" + std::to_string(fraction),
                          [=](OracleState& s, FpEnv& e) {
                            s.x[0] = to_fixed(in<T>(s, 1), e, Rounding::kZero, fraction, is_unsigned, width);
                          },
                          kBits});
      }
      for (const int fraction : {0, 1, 9, 31, 32, 64}) {
        if (fraction > width) continue;
        checks.push_back(
            {u + "cvtf " + prefix<T>() + "0, " + x + "1" + (fraction ? ", #" + std::to_string(fraction) : ""),
             [=](OracleState& s, FpEnv& e) {
               std::uint64_t value = s.x[1];
               if (width == 32) {
                 value = is_unsigned ? static_cast<std::uint32_t>(value)
                                     : static_cast<std::uint64_t>(static_cast<std::int32_t>(value));
               }
               out<T>(s, from_fixed<T>(value, e, e.rounding(), fraction, is_unsigned));
             },
             0});
      }
    }
  }
}

}  // namespace

TEST_CASE("floating-point functions equal qemu-aarch64 in value and flags", "[fp][oracle]") {
  std::vector<Check> checks;
  arithmetic<std::uint16_t>(checks);
  arithmetic<std::uint32_t>(checks);
  arithmetic<std::uint64_t>(checks);
  conversion<std::uint16_t, std::uint32_t>(checks);
  conversion<std::uint16_t, std::uint64_t>(checks);
  conversion<std::uint32_t, std::uint16_t>(checks);
  conversion<std::uint32_t, std::uint64_t>(checks);
  conversion<std::uint64_t, std::uint16_t>(checks);
  conversion<std::uint64_t, std::uint32_t>(checks);
  integers<std::uint16_t>(checks);
  integers<std::uint32_t>(checks);
  integers<std::uint64_t>(checks);
  checks.push_back({"fcvtxn s0, d1",
                    [](OracleState& s, FpEnv& e) {
                      out<std::uint32_t>(
                          s, convert<std::uint32_t, std::uint64_t>(in<std::uint64_t>(s, 1), e, Rounding::kOdd));
                    },
                    64});
  checks.push_back(
      {"urecpe v0.2s, v1.2s",
       [](OracleState& s, FpEnv&) {
         s.v[0] = {unsigned_recip_estimate(static_cast<std::uint32_t>(s.v[1][0])) |
                       static_cast<std::uint64_t>(unsigned_recip_estimate(static_cast<std::uint32_t>(s.v[1][0] >> 32)))
                           << 32,
                   0};
       },
       0});
  checks.push_back(
      {"ursqrte v0.2s, v1.2s",
       [](OracleState& s, FpEnv&) {
         s.v[0] = {unsigned_rsqrt_estimate(static_cast<std::uint32_t>(s.v[1][0])) |
                       static_cast<std::uint64_t>(unsigned_rsqrt_estimate(static_cast<std::uint32_t>(s.v[1][0] >> 32)))
                           << 32,
                   0};
       },
       0});

  std::string text;
  for (const Check& check : checks) text += check.text + "\n";
  const auto words = test::assemble(text, "armv8.2-a+fp16");
  if (!words) {
    WARN("skipped: aarch64-linux-gnu-gcc is not installed");
    return;
  }
  REQUIRE(words->size() == checks.size());

  std::mt19937_64 random(20260101);
  std::vector<OracleState> cases;
  constexpr unsigned kPerInstruction = 400;
  for (std::uint32_t i = 0; i < checks.size(); ++i) {
    for (unsigned n = 0; n < kPerInstruction; ++n) {
      OracleState s;
      s.word = i;
      s.fpcr = test::random_fpcr(random);
      s.fpsr = n % 4 == 0 ? kFpsrIxc : 0;  // Inexact already set is the door to the fast path
      for (auto& x : s.x) x = test::random_integer(random);
      for (unsigned r = 0; r < 4; ++r) s.v[r] = {test::random_operand(random, checks[i].operand_bits), random()};
      if (n % 8 == 0) s.v[2] = s.v[1];
      cases.push_back(s);
    }
  }
  const auto reference = test::run_oracle(*words, cases);
  if (!reference) {
    WARN("skipped: qemu-aarch64 is not installed");
    return;
  }
  unsigned failures = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    OracleState ours = cases[i];
    FpEnv env{ours.fpcr, ours.fpsr};
    checks[ours.word].apply(ours, env);
    ours.fpsr = env.fpsr;
    if (ours == (*reference)[i]) continue;
    if (++failures > 20) break;
    UNSCOPED_INFO(checks[ours.word].text << std::hex << " fpcr " << ours.fpcr << " v1 " << ours.v[1][0] << " v2 "
                                         << ours.v[2][0] << " v3 " << ours.v[3][0] << " x1 " << ours.x[1] << ": "
                                         << test::difference(ours, (*reference)[i]));
  }
  CHECK(failures == 0);
}
