// What an instruction struct consists of, and the table entry made of it. How to add one: docs/cpu/instructions.md.
#pragma once

#include <array>
#include <span>

#include "cpu/a64/isa/op.h"

namespace dpusim::cpu {

/// The forms of `exec`, by what it returns:
enum class Kind : std::uint8_t {
  kPlain,   ///< void: always goes on to the next instruction
  kAccess,  ///< bool: false when an access could not be made; nothing must have been changed by then
  kBranch,  ///< bool: taken or not; `offset` tells where to, in octets from this instruction
  kJump,    ///< std::uint64_t: the target address
  kSystem,  ///< Outcome: runs with exact state, may take exceptions
};

/// What becomes of the block after a kSystem instruction.
enum class Outcome : std::uint8_t {
  kNext,      ///< go on with the next instruction
  kEndBlock,  ///< retired, but context or translation may have changed: look up the next instruction anew
  kLeave,     ///< retired; state.pc says where to go on (ERET, SVC)
  kFault,     ///< not retired; state.pc says where to go on (an exception was taken)
};

/// A row of the decode table.
struct Entry {
  Pattern pattern;
  const char* text;
  Kind kind;
  Cost cost;
  Feature feature;
  bool ends_block;
  bool fp;  ///< traps while FP/SIMD is disabled
  bool (*decode)(const Fields&, Op&);
  std::int64_t (*offset)(const Fields&);  ///< kBranch only
  std::array<Handler, 2> handler;         ///< functional, timed
};

/// A list of instruction structs; see entries_of in engine/handlers.h.
template <class... Instructions>
struct InstructionList {};

template <class I>
constexpr Feature feature_of() {
  if constexpr (requires { I::feature; }) return I::feature;
  return Feature::kBase;
}
template <class I>
constexpr bool ends_block() {
  if constexpr (requires { I::ends_block; }) return I::ends_block;
  return I::kind == Kind::kBranch || I::kind == Kind::kJump || I::kind == Kind::kSystem;
}
template <class I>
constexpr auto offset_of() -> std::int64_t (*)(const Fields&) {
  if constexpr (I::kind == Kind::kBranch) return &I::offset;
  return nullptr;
}
template <class I>
constexpr bool is_fp() {
  if constexpr (requires { I::fp; }) return I::fp;
  return false;
}

}  // namespace dpusim::cpu
