// Loads and stores of SIMD&FP registers: B, H, S, D, Q in all addressing modes, and pairs. @spec Arm ARM C4.1.88
#pragma once

#include "cpu/a64/isa/integer_functions.h"
#include "cpu/a64/isa/simd_lanes.h"

namespace dpusim::cpu::simd {

struct SimdAccess {
  static constexpr bool fp = true;
  static constexpr Kind kind = Kind::kAccess;
  static constexpr Feature feature = Feature::kFp;
};

/// What a register of width T takes from memory; what lies above becomes zero.
template <class T>
inline Vector loaded(const T& value) {
  if constexpr (sizeof(T) == 16)
    return value;
  else
    return Vector{{value, 0}};
}
template <class T>
inline T stored(const Vector& v) {
  if constexpr (sizeof(T) == 16)
    return v;
  else
    return static_cast<T>(v.d[0]);
}
/// The size and opc<1> fields of a load or store of T.
template <class T>
inline constexpr unsigned kAccessSize = sizeof(T) == 16 ? 0 : std::countr_zero(sizeof(T));

/// Makes one access. @return false if it could not be made; nothing is changed then
template <class T, bool kLoad, class M>
inline bool access(M& m, unsigned reg, std::uint64_t va) {
  if constexpr (kLoad) {
    T value;
    if (!m.load(va, value)) return false;
    m.v(reg) = loaded(value);
    return true;
  } else {
    return m.store(va, stored<T>(m.v(reg)));
  }
}

template <class T, bool kLoad>
constexpr Pattern fix_access(Pattern pattern) {
  return pattern.fix("size", kAccessSize<T>).fix("q", sizeof(T) == 16).fix("L", kLoad);
}

/// LDR, STR (unsigned offset).
template <class T, bool kLoad>
struct SimdUnsignedOffset : SimdAccess {
  static constexpr Pattern pattern = fix_access<T, kLoad>("size:2 111101 q L imm12:12 Rn:5 Vt:5");
  static constexpr const char* text = kLoad ? "ldr (SIMD&FP)" : "str (SIMD&FP)";
  static constexpr Cost cost = kLoad ? Cost::kVectorLoad : Cost::kVectorStore;
  static bool decode(const Fields& f, Op& op) {
    op.d = static_cast<std::uint8_t>(f("Vt"));
    op.n = sp_or_x(f("Rn"));
    op.imm = static_cast<std::int32_t>(f("imm12") * sizeof(T));
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    return access<T, kLoad>(m, op.d, m.x(op.n) + static_cast<std::uint64_t>(op.imm));
  }
};

/// How a 9-bit or pair offset acts on the base.
enum class Index : std::uint8_t { kOffset = 0, kPost = 1, kPre = 3 };

/// LDUR, STUR, and LDR, STR with pre- and post-index.
template <class T, bool kLoad, Index kIndex>
struct SimdSignedOffset : SimdAccess {
  static constexpr Pattern pattern =
      fix_access<T, kLoad>("size:2 111100 q L 0 imm9:9 index:2 Rn:5 Vt:5").fix("index", static_cast<unsigned>(kIndex));
  static constexpr const char* text = kLoad ? "ldr/ldur (SIMD&FP)" : "str/stur (SIMD&FP)";
  static constexpr Cost cost = kLoad ? Cost::kVectorLoad : Cost::kVectorStore;
  static bool decode(const Fields& f, Op& op) {
    op.d = static_cast<std::uint8_t>(f("Vt"));
    op.n = sp_or_x(f("Rn"));
    op.imm = f.sign("imm9");
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    const std::uint64_t base = m.x(op.n), moved = base + static_cast<std::uint64_t>(std::int64_t{op.imm});
    if (!access<T, kLoad>(m, op.d, kIndex == Index::kPost ? base : moved)) return false;
    if constexpr (kIndex != Index::kOffset) m.x(op.n) = moved;
    return true;
  }
};

/// LDR, STR (register offset).
template <class T, bool kLoad>
struct SimdRegisterOffset : SimdAccess {
  static constexpr Pattern pattern = fix_access<T, kLoad>("size:2 111100 q L 1 Rm:5 option:3 S 10 Rn:5 Vt:5");
  static constexpr const char* text = kLoad ? "ldr (SIMD&FP, register)" : "str (SIMD&FP, register)";
  static constexpr Cost cost = kLoad ? Cost::kVectorLoad : Cost::kVectorStore;
  static bool decode(const Fields& f, Op& op) {
    op.d = static_cast<std::uint8_t>(f("Vt"));
    op.n = sp_or_x(f("Rn"));
    op.m = read_x(f("Rm"));
    op.a = static_cast<std::uint8_t>(f("option"));
    op.imm = f("S") != 0 ? std::countr_zero(sizeof(T)) : 0;
    return (op.a & 2) != 0;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    return access<T, kLoad>(m, op.d, m.x(op.n) + (extended(m.x(op.m), op.a) << op.imm));
  }
};

/// LDR (literal).
template <class T, unsigned kOpc>
struct SimdLiteral : SimdAccess {
  static constexpr Pattern pattern = Pattern("opc:2 011100 imm19:19 Vt:5").fix("opc", kOpc);
  static constexpr const char* text = "ldr (SIMD&FP, literal)";
  static constexpr Cost cost = Cost::kVectorLoad;
  static bool decode(const Fields& f, Op& op) {
    op.d = static_cast<std::uint8_t>(f("Vt"));
    op.imm = f.constant(f.pc() + 4 * static_cast<std::uint64_t>(std::int64_t{f.sign("imm19")}));
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    return access<T, true>(m, op.d, op.constant());
  }
};

/// LDP, STP and, without index, LDNP, STNP.
template <class T, bool kLoad, unsigned kMode>
struct SimdPair : SimdAccess {
  static constexpr Pattern pattern = Pattern("opc:2 101 1 mode:3 L imm7:7 Vt2:5 Rn:5 Vt:5")
                                         .fix("opc", std::countr_zero(sizeof(T)) - 2)
                                         .fix("mode", kMode)
                                         .fix("L", kLoad);
  static constexpr const char* text = kLoad ? "ldp (SIMD&FP)" : "stp (SIMD&FP)";
  static constexpr Cost cost = kLoad ? Cost::kVectorLoad : Cost::kVectorStore;
  static constexpr bool writes_back = (kMode & 1) != 0;
  static constexpr bool post = kMode == 1;
  static bool decode(const Fields& f, Op& op) {
    op.d = static_cast<std::uint8_t>(f("Vt"));
    op.a = static_cast<std::uint8_t>(f("Vt2"));
    op.n = sp_or_x(f("Rn"));
    op.imm = f.sign("imm7") * static_cast<std::int32_t>(sizeof(T));
    // LDP to the same register twice is CONSTRAINED UNPREDICTABLE; UNDEFINED is one of the choices.
    return !kLoad || op.d != op.a;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    const std::uint64_t base = m.x(op.n), moved = base + static_cast<std::uint64_t>(std::int64_t{op.imm});
    const std::uint64_t va = post ? base : moved;
    if constexpr (kLoad) {
      T first, second;
      if (!m.load_pair(va, first, second)) return false;
      m.v(op.d) = loaded(first);
      m.v(op.a) = loaded(second);
    } else if (!m.store_pair(va, stored<T>(m.v(op.d)), stored<T>(m.v(op.a)))) {
      return false;
    }
    if constexpr (writes_back) m.x(op.n) = moved;
    return true;
  }
};

template <class T, bool kLoad>
using SimdLoadStoreOf = InstructionList<SimdUnsignedOffset<T, kLoad>, SimdSignedOffset<T, kLoad, Index::kOffset>,
                                        SimdSignedOffset<T, kLoad, Index::kPost>,
                                        SimdSignedOffset<T, kLoad, Index::kPre>, SimdRegisterOffset<T, kLoad>>;
template <class T>
using SimdPairsOf =
    InstructionList<SimdPair<T, false, 0>, SimdPair<T, true, 0>, SimdPair<T, false, 1>, SimdPair<T, true, 1>,
                    SimdPair<T, false, 2>, SimdPair<T, true, 2>, SimdPair<T, false, 3>, SimdPair<T, true, 3>>;

using SimdLoadsStores =
    Join<SimdLoadStoreOf<std::uint8_t, false>, SimdLoadStoreOf<std::uint8_t, true>,
         SimdLoadStoreOf<std::uint16_t, false>, SimdLoadStoreOf<std::uint16_t, true>,
         SimdLoadStoreOf<std::uint32_t, false>, SimdLoadStoreOf<std::uint32_t, true>,
         SimdLoadStoreOf<std::uint64_t, false>, SimdLoadStoreOf<std::uint64_t, true>, SimdLoadStoreOf<Vector, false>,
         SimdLoadStoreOf<Vector, true>, SimdPairsOf<std::uint32_t>, SimdPairsOf<std::uint64_t>, SimdPairsOf<Vector>,
         InstructionList<SimdLiteral<std::uint32_t, 0>, SimdLiteral<std::uint64_t, 1>, SimdLiteral<Vector, 2>>>;

}  // namespace dpusim::cpu::simd
