// Loads and stores of general registers. @spec Arm ARM C4.1.88
#pragma once

#include "cpu/a64/isa/instruction.h"
#include "cpu/a64/isa/integer_functions.h"

namespace dpusim::cpu {

/// What a load or store moves: size and opc of the encoding, memory and register type.
template <unsigned kSize, unsigned kOpc>
struct Transfer {
  static constexpr unsigned size = kSize, opc = kOpc;
  static constexpr bool load = kOpc != 0;
  using Memory = std::conditional_t<
      kSize == 0, std::uint8_t,
      std::conditional_t<kSize == 1, std::uint16_t, std::conditional_t<kSize == 2, std::uint32_t, std::uint64_t>>>;
  /// Widens what was loaded to the register's 64 bits.
  static constexpr std::uint64_t widen(Memory value) {
    if constexpr (kOpc < 2) return value;
    const std::int64_t wide = static_cast<std::make_signed_t<Memory>>(value);
    return kOpc == 2 ? static_cast<std::uint64_t>(wide) : static_cast<std::uint32_t>(wide);
  }
};

/// Does the transfer at `va`; does nothing when the access cannot be made.
template <class X, class M>
inline bool transfer(M& m, std::uint64_t va, unsigned t) {
  typename X::Memory value;
  if constexpr (X::load) {
    if (!m.load(va, value)) return false;
    m.x(t) = X::widen(value);
  } else {
    value = m.template get<typename X::Memory>(t);
    if (!m.store(va, value)) return false;
  }
  return true;
}

template <class X>
struct LoadStoreBase {
  static constexpr const char* text = X::load ? "ldr" : "str";
  static constexpr Kind kind = Kind::kAccess;
  static constexpr Cost cost = X::load ? Cost::kLoad : Cost::kStore;
  /// Maps Rt and Rn.
  static void registers(const Fields& f, Op& op) {
    op.d = X::load ? write_x(f("Rt")) : read_x(f("Rt"));
    op.n = sp_or_x(f("Rn"));
  }
};

/// LDR, STR (immediate, unsigned offset).
template <class X>
struct LoadStoreUnsigned : LoadStoreBase<X> {
  static constexpr Pattern pattern =
      Pattern("size:2 111 0 01 opc:2 imm12:12 Rn:5 Rt:5").fix("size", X::size).fix("opc", X::opc);
  static bool decode(const Fields& f, Op& op) {
    LoadStoreBase<X>::registers(f, op);
    op.imm = static_cast<std::int32_t>(f("imm12") << X::size);
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    return transfer<X>(m, m.x(op.n) + static_cast<std::uint64_t>(op.imm), op.d);
  }
};

/// LDUR, STUR (unscaled offset).
template <class X>
struct LoadStoreUnscaled : LoadStoreBase<X> {
  static constexpr Pattern pattern =
      Pattern("size:2 111 0 00 opc:2 0 imm9:9 00 Rn:5 Rt:5").fix("size", X::size).fix("opc", X::opc);
  static bool decode(const Fields& f, Op& op) {
    LoadStoreBase<X>::registers(f, op);
    op.imm = f.sign("imm9");
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    return transfer<X>(m, m.x(op.n) + static_cast<std::uint64_t>(std::int64_t{op.imm}), op.d);
  }
};

/// LDTR, STTR: the access is EL0's.
template <class X>
struct LoadStoreUnprivileged : LoadStoreBase<X> {
  static constexpr Pattern pattern =
      Pattern("size:2 111 0 00 opc:2 0 imm9:9 10 Rn:5 Rt:5").fix("size", X::size).fix("opc", X::opc);
  static constexpr bool always_slow = true;
  static bool decode(const Fields& f, Op& op) { return LoadStoreUnscaled<X>::decode(f, op); }
  template <class M>
  static bool exec(M& m, const Op& op) {
    m.set_unprivileged(true);
    return LoadStoreUnscaled<X>::exec(m, op);
  }
};

/// LDR, STR (immediate, pre- or post-indexed).
template <class X, bool kPre>
struct LoadStoreIndexed : LoadStoreBase<X> {
  static constexpr Pattern pattern = Pattern("size:2 111 0 00 opc:2 0 imm9:9 pre 1 Rn:5 Rt:5")
                                         .fix("size", X::size)
                                         .fix("opc", X::opc)
                                         .fix("pre", kPre);
  static bool decode(const Fields& f, Op& op) { return LoadStoreUnscaled<X>::decode(f, op); }
  template <class M>
  static bool exec(M& m, const Op& op) {
    const std::uint64_t base = m.x(op.n), moved = base + static_cast<std::uint64_t>(std::int64_t{op.imm});
    if (!transfer<X>(m, kPre ? moved : base, op.d)) return false;
    m.x(op.n) = moved;
    return true;
  }
};

/// LDR, STR (register offset), by option: 2 UXTW, 3 LSL, 6 SXTW, 7 SXTX.
template <class X, unsigned kOption>
struct LoadStoreRegister : LoadStoreBase<X> {
  static constexpr Pattern pattern = Pattern("size:2 111 0 00 opc:2 1 Rm:5 option:3 S 10 Rn:5 Rt:5")
                                         .fix("size", X::size)
                                         .fix("opc", X::opc)
                                         .fix("option", kOption);
  static bool decode(const Fields& f, Op& op) {
    LoadStoreBase<X>::registers(f, op);
    op.m = read_x(f("Rm"));
    op.a = static_cast<std::uint8_t>(f("S") != 0 ? X::size : 0);
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    return transfer<X>(m, m.x(op.n) + (extended(m.x(op.m), kOption) << op.a), op.d);
  }
};

/// LDR, LDRSW (literal). opc: 0 W, 1 X, 2 SW.
template <unsigned kOpc>
struct LoadLiteral {
  static constexpr Pattern pattern = Pattern("opc:2 011 0 00 imm19:19 Rt:5").fix("opc", kOpc);
  static constexpr const char* text = "ldr (literal)";
  static constexpr Kind kind = Kind::kAccess;
  static constexpr Cost cost = Cost::kLoad;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rt"));
    op.imm = f.constant(f.pc() + static_cast<std::uint64_t>(std::int64_t{f.sign("imm19")} * 4));
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    using X =
        std::conditional_t<kOpc == 0, Transfer<2, 1>, std::conditional_t<kOpc == 1, Transfer<3, 1>, Transfer<2, 2>>>;
    return transfer<X>(m, op.constant(), op.d);
  }
};

/// Prefetches do nothing: they have no architectural effect.
template <unsigned kForm>
struct Prefetch {
  static constexpr Pattern pattern = kForm == 0   ? Pattern("11 111 0 01 10 imm12:12 Rn:5 Rt:5")
                                     : kForm == 1 ? Pattern("11 111 0 00 10 0 imm9:9 00 Rn:5 Rt:5")
                                     : kForm == 2 ? Pattern("11 111 0 00 10 1 Rm:5 x 1 x S 10 Rn:5 Rt:5")
                                                  : Pattern("11 011 0 00 imm19:19 Rt:5");
  static constexpr const char* text = "prfm";
  static constexpr Kind kind = Kind::kPlain;
  static constexpr Cost cost = Cost::kHint;
  static bool decode(const Fields&, Op&) { return true; }
  template <class M>
  static void exec(M&, const Op&) {}
};

enum class PairForm : std::uint8_t { kNoAllocate, kPost, kOffset, kPre };

/// LDP, STP, LDPSW, LDNP, STNP. opc: 0 W, 1 SW, 2 X.
template <unsigned kOpc, bool kLoad, PairForm kForm>
struct LoadStorePair {
  static constexpr Pattern pattern = Pattern("opc:2 101 0 form:3 L imm7:7 Rt2:5 Rn:5 Rt:5")
                                         .fix("opc", kOpc)
                                         .fix("form", static_cast<unsigned>(kForm))
                                         .fix("L", kLoad);
  static constexpr const char* text = kLoad ? "ldp" : "stp";
  static constexpr Kind kind = Kind::kAccess;
  static constexpr Cost cost = kLoad ? Cost::kLoadPair : Cost::kStorePair;
  static bool decode(const Fields& f, Op& op) {
    op.d = kLoad ? write_x(f("Rt")) : read_x(f("Rt"));
    op.m = kLoad ? write_x(f("Rt2")) : read_x(f("Rt2"));
    op.n = sp_or_x(f("Rn"));
    op.imm = f.sign("imm7") * (kOpc == 2 ? 8 : 4);
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    using T = std::conditional_t<kOpc == 2, std::uint64_t, std::uint32_t>;
    const std::uint64_t base = m.x(op.n), moved = base + static_cast<std::uint64_t>(std::int64_t{op.imm});
    const std::uint64_t va = kForm == PairForm::kPost ? base : moved;
    if constexpr (kLoad) {
      T first, second;
      if (!m.load_pair(va, first, second)) return false;
      if constexpr (kForm == PairForm::kPost || kForm == PairForm::kPre) m.x(op.n) = moved;
      m.x(op.d) = kOpc == 1 ? Transfer<2, 2>::widen(static_cast<std::uint32_t>(first)) : first;
      m.x(op.m) = kOpc == 1 ? Transfer<2, 2>::widen(static_cast<std::uint32_t>(second)) : second;
    } else {
      if (!m.store_pair(va, m.template get<T>(op.d), m.template get<T>(op.m))) return false;
      if constexpr (kForm == PairForm::kPost || kForm == PairForm::kPre) m.x(op.n) = moved;
    }
    return true;
  }
};

}  // namespace dpusim::cpu
