// The decoded form of an instruction, and what decoders see of its word.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/a64/arch/state.h"
#include "cpu/a64/isa/pattern.h"

namespace dpusim::cpu {

struct Machine;
struct Op;

/// Executes `op` and what follows it. With tail calls it returns nullptr when the engine's loop is left; without, it
/// returns the next op.
using Handler = const Op* (*)(Machine* machine, const Op* op, std::int64_t budget);

/// A decoded instruction. d, n, m, a are slots of CpuState::x (or numbers of V registers), with register 31 already
/// resolved.
struct Op {
  Handler handler = nullptr;
  std::uint8_t d = 0, n = 0, m = 0, a = 0;
  std::int32_t imm = 0;

  /// Returns the 64-bit constant that Fields::constant() put aside: imm is then its distance from the op in octets.
  [[nodiscard]] std::uint64_t constant() const {
    return *reinterpret_cast<const std::uint64_t*>(reinterpret_cast<const char*>(this) + imm);
  }
};
static_assert(sizeof(Op) == 16);

/// What an instruction costs, before any model gives it cycles.
enum class Cost : std::uint8_t {
  kAlu,
  kAluShift,
  kMove,
  kMultiply,
  kMultiplyLong,
  kDivide,
  kCrc,
  kLoad,
  kLoadPair,
  kStore,
  kStorePair,
  kAtomic,
  kExclusive,
  kBranch,
  kBranchConditional,
  kBranchIndirect,
  kCall,
  kReturn,
  kSystem,
  kSystemRegister,
  kBarrier,
  kHint,
  kFpMove,
  kFpAdd,
  kFpMultiply,
  kFpFma,
  kFpDivide,
  kFpSqrt,
  kFpConvert,
  kFpCompare,
  kVectorAlu,
  kVectorShift,
  kVectorMultiply,
  kVectorPermute,
  kVectorReduce,
  kVectorFpAdd,
  kVectorFpMultiply,
  kVectorFpFma,
  kVectorFpDivide,
  kVectorFpSqrt,
  kVectorLoad,
  kVectorStore,
  kVectorToGeneral,
  kGeneralToVector,
  kCrypto,
};
inline constexpr unsigned kCosts = static_cast<unsigned>(Cost::kCrypto) + 1;

/// Optional parts of the architecture; an instruction of a part that the core lacks is UNDEFINED.
enum class Feature : std::uint8_t {
  kBase,
  kCrc32,
  kLse,
  kFp,
  kFp16,
  kDotProd,
  kAes,
  kPmull,
  kSha1,
  kSha2,
  kRdm,
  kRcpc,
  kFcma,
  kJscvt
};
using FeatureSet = std::uint32_t;
constexpr FeatureSet feature_bit(Feature f) { return 1u << static_cast<unsigned>(f); }

/// Slots for a register number where 31 is XZR or SP, read or written.
constexpr std::uint8_t read_x(std::uint32_t r) { return static_cast<std::uint8_t>(r); }  // kZeroSlot is 31
constexpr std::uint8_t write_x(std::uint32_t r) { return static_cast<std::uint8_t>(r == 31 ? kDumpSlot : r); }
constexpr std::uint8_t sp_or_x(std::uint32_t r) { return static_cast<std::uint8_t>(r == 31 ? kSpSlot : r); }

/// The word under decoding, seen through its pattern.
class Fields {
 public:
  Fields(std::uint32_t word, std::uint64_t pc, const Pattern& pattern, std::vector<std::uint64_t>& pool)
      : word_(word), pc_(pc), pattern_(&pattern), pool_(&pool) {}
  /// Returns a field's value.
  [[nodiscard]] std::uint32_t operator()(FieldName name) const {
    const Pattern::Field f = pattern_->field(name);
    return (word_ >> f.low) & (f.width == 32 ? ~0u : (1u << f.width) - 1);
  }
  /// Returns a field's value, sign-extended.
  [[nodiscard]] std::int32_t sign(FieldName name) const {
    const Pattern::Field f = pattern_->field(name);
    return static_cast<std::int32_t>(word_ << (32 - f.low - f.width)) >> (32 - f.width);
  }
  [[nodiscard]] std::uint32_t word() const { return word_; }
  [[nodiscard]] std::uint64_t pc() const { return pc_; }
  /// Puts a 64-bit constant beside the block; the op must keep the result in `imm` and read it by Op::constant().
  [[nodiscard]] std::int32_t constant(std::uint64_t value) const {
    pool_->push_back(value);
    return static_cast<std::int32_t>(pool_->size());
  }

 private:
  std::uint32_t word_;
  std::uint64_t pc_;
  const Pattern* pattern_;
  std::vector<std::uint64_t>* pool_;
};

}  // namespace dpusim::cpu
