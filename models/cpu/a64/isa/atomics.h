// Exclusives, ordered accesses and the atomics of FEAT_LSE. @spec Arm ARM C4.1.88, B2.9
//
// One PE runs at a time and its accesses happen in program order, so acquire and release need nothing beyond alignment.
#pragma once

#include <cstring>

#include "cpu/a64/isa/load_store.h"

namespace dpusim::cpu {

/// LDXR, LDAXR.
template <unsigned kSize, bool kAcquire>
struct LoadExclusive {
  static constexpr Pattern pattern =
      Pattern("size:2 001000 0 1 0 xxxxx o0 xxxxx Rn:5 Rt:5").fix("size", kSize).fix("o0", kAcquire);
  static constexpr const char* text = "ldxr";
  static constexpr Kind kind = Kind::kAccess;
  static constexpr Cost cost = Cost::kExclusive;
  static constexpr bool always_slow = true;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rt"));
    op.n = sp_or_x(f("Rn"));
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    typename Transfer<kSize, 1>::Memory value;
    if (!m.load_exclusive(m.x(op.n), &value, sizeof value)) return false;
    m.x(op.d) = value;
    return true;
  }
};

/// LDXP, LDAXP.
template <bool k64, bool kAcquire>
struct LoadExclusivePair {
  static constexpr Pattern pattern =
      Pattern("1 sz 001000 0 1 1 xxxxx o0 Rt2:5 Rn:5 Rt:5").fix("sz", k64).fix("o0", kAcquire);
  static constexpr const char* text = "ldxp";
  static constexpr Kind kind = Kind::kAccess;
  static constexpr Cost cost = Cost::kExclusive;
  static constexpr bool always_slow = true;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rt"));
    op.m = write_x(f("Rt2"));
    op.n = sp_or_x(f("Rn"));
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    std::conditional_t<k64, std::uint64_t, std::uint32_t> value[2];
    if (!m.load_exclusive(m.x(op.n), value, sizeof value)) return false;
    m.x(op.d) = value[0];
    m.x(op.m) = value[1];
    return true;
  }
};

/// STXR, STLXR.
template <unsigned kSize, bool kRelease>
struct StoreExclusive {
  static constexpr Pattern pattern =
      Pattern("size:2 001000 0 0 0 Rs:5 o0 xxxxx Rn:5 Rt:5").fix("size", kSize).fix("o0", kRelease);
  static constexpr const char* text = "stxr";
  static constexpr Kind kind = Kind::kAccess;
  static constexpr Cost cost = Cost::kExclusive;
  static constexpr bool always_slow = true;
  static bool decode(const Fields& f, Op& op) {
    op.d = read_x(f("Rt"));
    op.n = sp_or_x(f("Rn"));
    op.a = write_x(f("Rs"));
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    const auto value = m.template get<typename Transfer<kSize, 0>::Memory>(op.d);
    std::uint32_t status = 0;
    if (!m.store_exclusive(m.x(op.n), &value, sizeof value, status)) return false;
    m.x(op.a) = status;
    return true;
  }
};

/// STXP, STLXP.
template <bool k64, bool kRelease>
struct StoreExclusivePair {
  static constexpr Pattern pattern =
      Pattern("1 sz 001000 0 0 1 Rs:5 o0 Rt2:5 Rn:5 Rt:5").fix("sz", k64).fix("o0", kRelease);
  static constexpr const char* text = "stxp";
  static constexpr Kind kind = Kind::kAccess;
  static constexpr Cost cost = Cost::kExclusive;
  static constexpr bool always_slow = true;
  static bool decode(const Fields& f, Op& op) {
    op.d = read_x(f("Rt"));
    op.m = read_x(f("Rt2"));
    op.n = sp_or_x(f("Rn"));
    op.a = write_x(f("Rs"));
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    using T = std::conditional_t<k64, std::uint64_t, std::uint32_t>;
    const T value[2] = {m.template get<T>(op.d), m.template get<T>(op.m)};
    std::uint32_t status = 0;
    if (!m.store_exclusive(m.x(op.n), value, sizeof value, status)) return false;
    m.x(op.a) = status;
    return true;
  }
};

/// LDAR, LDLAR, STLR, STLLR.
template <unsigned kSize, bool kLoad, bool kOrdered>
struct LoadStoreOrdered {
  static constexpr Pattern pattern =
      Pattern("size:2 001000 1 L 0 xxxxx o0 xxxxx Rn:5 Rt:5").fix("size", kSize).fix("L", kLoad).fix("o0", kOrdered);
  static constexpr const char* text = kLoad ? "ldar" : "stlr";
  static constexpr Kind kind = Kind::kAccess;
  static constexpr Cost cost = kLoad ? Cost::kLoad : Cost::kStore;
  static bool decode(const Fields& f, Op& op) {
    op.d = kLoad ? write_x(f("Rt")) : read_x(f("Rt"));
    op.n = sp_or_x(f("Rn"));
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    m.require_alignment();
    return transfer<Transfer<kSize, kLoad ? 1 : 0>>(m, m.x(op.n), op.d);
  }
};

/// LDAPR (FEAT_LRCPC).
template <unsigned kSize>
struct LoadAcquireRcpc {
  static constexpr Pattern pattern = Pattern("size:2 111 0 00 1 0 1 11111 1 100 00 Rn:5 Rt:5").fix("size", kSize);
  static constexpr const char* text = "ldapr";
  static constexpr Kind kind = Kind::kAccess;
  static constexpr Cost cost = Cost::kLoad;
  static constexpr Feature feature = Feature::kRcpc;
  static bool decode(const Fields& f, Op& op) { return LoadStoreOrdered<kSize, true, true>::decode(f, op); }
  template <class M>
  static bool exec(M& m, const Op& op) {
    return LoadStoreOrdered<kSize, true, true>::exec(m, op);
  }
};

enum class Atomic : std::uint8_t { kAdd, kClr, kEor, kSet, kSmax, kSmin, kUmax, kUmin, kSwap };

template <Atomic kOp, class T>
constexpr T atomic_result(T old, T operand) {
  using S = std::make_signed_t<T>;
  switch (kOp) {
    case Atomic::kAdd:
      return static_cast<T>(old + operand);
    case Atomic::kClr:
      return static_cast<T>(old & ~operand);
    case Atomic::kEor:
      return static_cast<T>(old ^ operand);
    case Atomic::kSet:
      return static_cast<T>(old | operand);
    case Atomic::kSmax:
      return static_cast<S>(old) > static_cast<S>(operand) ? old : operand;
    case Atomic::kSmin:
      return static_cast<S>(old) < static_cast<S>(operand) ? old : operand;
    case Atomic::kUmax:
      return old > operand ? old : operand;
    case Atomic::kUmin:
      return old < operand ? old : operand;
    default:
      return operand;
  }
}

/// LDADD, LDCLR, LDEOR, LDSET, LDSMAX, LDSMIN, LDUMAX, LDUMIN, SWP and their ST aliases.
template <unsigned kSize, Atomic kOp>
struct AtomicMemory {
  static constexpr Pattern pattern = Pattern("size:2 111 0 00 A R 1 Rs:5 o3 opc:3 00 Rn:5 Rt:5")
                                         .fix("size", kSize)
                                         .fix("o3", kOp == Atomic::kSwap)
                                         .fix("opc", static_cast<unsigned>(kOp) & 7);
  static constexpr const char* text = "atomic memory operation";
  static constexpr Kind kind = Kind::kAccess;
  static constexpr Cost cost = Cost::kAtomic;
  static constexpr Feature feature = Feature::kLse;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rt"));
    op.n = sp_or_x(f("Rn"));
    op.m = read_x(f("Rs"));
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    using T = typename Transfer<kSize, 0>::Memory;
    const T operand = m.template get<T>(op.m);
    T old = 0;
    if (!m.read_modify_write(m.x(op.n), old, [operand](T was) { return atomic_result<kOp>(was, operand); }))
      return false;
    m.x(op.d) = old;
    return true;
  }
};

/// CAS, CASA, CASL, CASAL.
template <unsigned kSize>
struct CompareAndSwap {
  static constexpr Pattern pattern = Pattern("size:2 001000 1 A 1 Rs:5 R 11111 Rn:5 Rt:5").fix("size", kSize);
  static constexpr const char* text = "cas";
  static constexpr Kind kind = Kind::kAccess;
  static constexpr Cost cost = Cost::kAtomic;
  static constexpr Feature feature = Feature::kLse;
  static bool decode(const Fields& f, Op& op) {
    op.d = write_x(f("Rs"));
    op.m = read_x(f("Rs"));
    op.a = read_x(f("Rt"));
    op.n = sp_or_x(f("Rn"));
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    using T = typename Transfer<kSize, 0>::Memory;
    const T expected = m.template get<T>(op.m), desired = m.template get<T>(op.a);
    T old = 0;
    if (!m.read_modify_write(m.x(op.n), old, [=](T was) { return was == expected ? desired : was; })) return false;
    m.x(op.d) = old;
    return true;
  }
};

/// CASP, CASPA, CASPL, CASPAL: pairs of even and next register.
template <bool k64>
struct CompareAndSwapPair {
  static constexpr Pattern pattern = Pattern("0 sz 001000 0 A 1 Rs:5 R 11111 Rn:5 Rt:5").fix("sz", k64);
  static constexpr const char* text = "casp";
  static constexpr Kind kind = Kind::kAccess;
  static constexpr Cost cost = Cost::kAtomic;
  static constexpr Feature feature = Feature::kLse;
  static constexpr bool always_slow = true;
  static bool decode(const Fields& f, Op& op) {
    op.d = static_cast<std::uint8_t>(f("Rs"));
    op.a = static_cast<std::uint8_t>(f("Rt"));
    op.n = sp_or_x(f("Rn"));
    return ((f("Rs") | f("Rt")) & 1) == 0;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    using T = std::conditional_t<k64, std::uint64_t, std::uint32_t>;
    const unsigned d2 = op.d + 1u, a2 = op.a + 1u;  // 31 is the zero slot
    const T expected[2] = {m.template get<T>(op.d), m.template get<T>(d2)};
    const T desired[2] = {m.template get<T>(op.a), m.template get<T>(a2)};
    std::uint8_t* place = m.atomic_place(m.x(op.n), sizeof expected);
    if (place == nullptr) return false;
    T old[2];
    std::memcpy(old, place, sizeof old);
    if (old[0] == expected[0] && old[1] == expected[1]) std::memcpy(place, desired, sizeof desired);
    m.x(op.d) = old[0];
    m.x(write_x(d2)) = old[1];
    return true;
  }
};

}  // namespace dpusim::cpu
