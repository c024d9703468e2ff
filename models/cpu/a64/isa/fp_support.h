// What the FP and SIMD instruction structs share: the FP environment, scalar registers, type codes, list joining.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cpu/a64/fp/fp_env.h"
#include "cpu/a64/fp/fp_format.h"
#include "cpu/a64/isa/instruction.h"

namespace dpusim::cpu::simd {

/// Common members of an FP/SIMD instruction that always completes.
struct FpInstruction {
  static constexpr bool fp = true;
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Feature feature = Feature::kFp;
};

/// The `type` (ftype) field of scalar FP encodings.
template <fp::Format T>
inline constexpr std::uint32_t kFpType = sizeof(T) == 2   ? 3
                                         : sizeof(T) == 4 ? 0
                                                          : 1;
/// Half-precision arithmetic is a feature of its own; conversions to and from half are not.
template <class T>
inline constexpr Feature kFpFeature = sizeof(T) == 2 ? Feature::kFp16 : Feature::kFp;

/// Runs `f(FpEnv&)` under the machine's FPCR and keeps the flags it raises.
template <class M, class F>
inline auto with_env(M& m, F&& f) {
  fp::FpEnv env{m.fpcr(), m.fpsr()};
  const auto result = f(env);
  m.fpsr() = env.fpsr;
  return result;
}

/// Reads the lowest element of a register.
template <class T, class M>
inline T scalar(M& m, unsigned reg) {
  return static_cast<T>(m.v(reg).d[0]);
}
/// Writes a scalar; the rest of the register becomes zero.
template <class T, class M>
inline void set_scalar(M& m, unsigned reg, T value) {
  m.v(reg) = Vector{{static_cast<std::uint64_t>(value), 0}};
}

/// Takes over the V register numbers that the pattern has. Fields: Vd, Vn, Vm, Va.
inline bool take_dn(const Fields& f, Op& op) {
  op.d = static_cast<std::uint8_t>(f("Vd"));
  op.n = static_cast<std::uint8_t>(f("Vn"));
  return true;
}
inline bool take_dnm(const Fields& f, Op& op) {
  op.m = static_cast<std::uint8_t>(f("Vm"));
  return take_dn(f, op);
}

/// Concatenates lists of instructions.
template <class... Lists>
struct JoinLists;
template <class... A>
struct JoinLists<InstructionList<A...>> {
  using type = InstructionList<A...>;
};
template <class... A, class... B, class... Rest>
struct JoinLists<InstructionList<A...>, InstructionList<B...>, Rest...> {
  using type = typename JoinLists<InstructionList<A..., B...>, Rest...>::type;
};
template <class... Lists>
using Join = typename JoinLists<Lists...>::type;

}  // namespace dpusim::cpu::simd
