// Cryptographic instructions: AES, SHA-1, SHA-256 and the 64-bit polynomial product. @spec Arm ARM C4.1.90
// (Cryptographic AES, SHA)
#pragma once

#include <utility>

#include "cpu/a64/isa/simd_lanes.h"

namespace dpusim::cpu::simd {

/// Multiplies in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1. @spec FIPS 197 section 4.2
constexpr std::uint8_t gf_multiply(unsigned a, unsigned b) {
  unsigned result = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) result ^= a;
    a = (a << 1) ^ ((a & 0x80) != 0 ? 0x11b : 0);
  }
  return static_cast<std::uint8_t>(result);
}

/// The S-box and its inverse, from their definition. @spec FIPS 197 section 5.1.1
struct SBoxes {
  std::array<std::uint8_t, 256> forward{}, inverse{};
  constexpr SBoxes() {
    // 3 generates the multiplicative group, and 0xf6 is its inverse: p runs over all elements, q over their inverses.
    std::uint8_t p = 1, q = 1;
    do {
      p = gf_multiply(p, 3);
      q = gf_multiply(q, 0xf6);
      set(p,
          static_cast<std::uint8_t>(q ^ std::rotl(q, 1) ^ std::rotl(q, 2) ^ std::rotl(q, 3) ^ std::rotl(q, 4) ^ 0x63));
    } while (p != 1);
    set(0, 0x63);
  }

 private:
  constexpr void set(std::uint8_t from, std::uint8_t to) {
    forward[from] = to;
    inverse[to] = from;
  }
};
inline constexpr SBoxes kSBoxes;

using Octets = Lanes<std::uint8_t>;
using Words = Lanes<std::uint32_t>;

/// What the four AES instructions do.
enum class Aes : std::uint8_t { kEncrypt = 4, kDecrypt = 5, kMixColumns = 6, kInverseMixColumns = 7 };

/// Octet 4c+r is row r of column c. AESE: AddRoundKey, ShiftRows, SubBytes; AESD: the inverses.
template <Aes kWhat>
struct AesRound : FpInstruction {
  static constexpr Feature feature = Feature::kAes;
  static constexpr Pattern pattern =
      Pattern("01001110 00 10100 op:5 10 Vn:5 Vd:5").fix("op", static_cast<unsigned>(kWhat));
  static constexpr const char* text = "aese/aesd/aesmc/aesimc";
  static constexpr Cost cost = Cost::kCrypto;
  static bool decode(const Fields& f, Op& op) { return take_dn(f, op); }
  template <class M>
  static void exec(M& m, const Op& op) {
    Octets in = lanes<std::uint8_t>(m.v(op.n)), out{};
    if constexpr (kWhat == Aes::kEncrypt || kWhat == Aes::kDecrypt) {
      const Octets key = lanes<std::uint8_t>(m.v(op.d));
      for (unsigned i = 0; i < 16; ++i) in[i] ^= key[i];
      for (unsigned c = 0; c < 4; ++c)
        for (unsigned r = 0; r < 4; ++r) {
          if constexpr (kWhat == Aes::kEncrypt)
            out[4 * c + r] = kSBoxes.forward[in[4 * ((c + r) & 3) + r]];
          else
            out[4 * c + r] = kSBoxes.inverse[in[4 * ((c - r) & 3) + r]];
        }
    } else {
      constexpr bool kInverse = kWhat == Aes::kInverseMixColumns;
      constexpr std::array<unsigned, 4> kRow =
          kInverse ? std::array<unsigned, 4>{14, 11, 13, 9} : std::array<unsigned, 4>{2, 3, 1, 1};
      for (unsigned c = 0; c < 4; ++c)
        for (unsigned r = 0; r < 4; ++r)
          for (unsigned k = 0; k < 4; ++k) out[4 * c + r] ^= gf_multiply(in[4 * c + k], kRow[(k - r) & 3]);
    }
    m.v(op.d) = vector_of<std::uint8_t>(out);
  }
};

constexpr std::uint32_t sha_choose(std::uint32_t x, std::uint32_t y, std::uint32_t z) { return ((y ^ z) & x) ^ z; }
constexpr std::uint32_t sha_majority(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return (x & y) | ((x | y) & z);
}
constexpr std::uint32_t sha_parity(std::uint32_t x, std::uint32_t y, std::uint32_t z) { return x ^ y ^ z; }

/// Four rounds of SHA-1 with one of its functions. @spec C7.2 SHA1C, SHA1P, SHA1M
template <std::uint32_t (*kFunction)(std::uint32_t, std::uint32_t, std::uint32_t)>
struct Sha1Hash {
  static void apply(Words& d, const Words& n, const Words& m) {
    std::uint32_t y = n[0];
    for (unsigned e = 0; e < 4; ++e) {
      y += std::rotl(d[0], 5) + kFunction(d[1], d[2], d[3]) + m[e];
      d[1] = std::rotl(d[1], 30);
      const std::uint32_t last = d[3];
      d = {y, d[0], d[1], d[2]};
      y = last;
    }
  }
};
struct Sha1Schedule0 {
  static void apply(Words& d, const Words& n, const Words& m) {
    const Words shifted = {d[2], d[3], n[0], n[1]};
    for (unsigned e = 0; e < 4; ++e) d[e] ^= shifted[e] ^ m[e];
  }
};
/// Four rounds of SHA-256. @spec J1.3 SHA256hash
inline void sha256_hash(Words& x, Words& y, const Words& w) {
  for (unsigned e = 0; e < 4; ++e) {
    const std::uint32_t sigma1 = std::rotr(y[0], 6) ^ std::rotr(y[0], 11) ^ std::rotr(y[0], 25);
    const std::uint32_t sigma0 = std::rotr(x[0], 2) ^ std::rotr(x[0], 13) ^ std::rotr(x[0], 22);
    const std::uint32_t t = y[3] + sigma1 + sha_choose(y[0], y[1], y[2]) + w[e];
    const std::uint32_t new_x = t + x[3], new_y = t + sigma0 + sha_majority(x[0], x[1], x[2]);
    // Y:X rotates left by one word.
    x = {new_y, x[0], x[1], x[2]};
    y = {new_x, y[0], y[1], y[2]};
  }
}
struct Sha256Hash1 {
  static void apply(Words& d, const Words& n, const Words& m) {
    Words y = n;
    sha256_hash(d, y, m);
  }
};
struct Sha256Hash2 {
  static void apply(Words& d, const Words& n, const Words& m) {
    Words x = n;
    sha256_hash(x, d, m);
  }
};
struct Sha256Schedule1 {
  static void apply(Words& d, const Words& n, const Words& m) {
    const Words old = d, t0 = {n[1], n[2], n[3], m[0]};
    for (unsigned e = 0; e < 4; ++e) {
      const std::uint32_t x = e < 2 ? m[2 + e] : d[e - 2];
      d[e] = (std::rotr(x, 17) ^ std::rotr(x, 19) ^ x >> 10) + old[e] + t0[e];
    }
  }
};
template <class Operation, unsigned kOpcode, Feature kFeature>
struct ShaThree : FpInstruction {
  static constexpr Feature feature = kFeature;
  static constexpr Pattern pattern = Pattern("01011110 00 0 Vm:5 0 op:3 00 Vn:5 Vd:5").fix("op", kOpcode);
  static constexpr const char* text = "sha1/sha256 (three registers)";
  static constexpr Cost cost = Cost::kCrypto;
  static bool decode(const Fields& f, Op& op) { return take_dnm(f, op); }
  template <class M>
  static void exec(M& m, const Op& op) {
    Words d = lanes<std::uint32_t>(m.v(op.d));
    Operation::apply(d, lanes<std::uint32_t>(m.v(op.n)), lanes<std::uint32_t>(m.v(op.m)));
    m.v(op.d) = vector_of<std::uint32_t>(d);
  }
};

struct Sha1Rotate {
  static void apply(Words& d, const Words& n) { d = {std::rotl(n[0], 30), 0, 0, 0}; }
};
struct Sha1Schedule1 {
  static void apply(Words& d, const Words& n) {
    const Words t = {d[0] ^ n[1], d[1] ^ n[2], d[2] ^ n[3], d[3]};
    for (unsigned e = 0; e < 4; ++e) d[e] = std::rotl(t[e], 1);
    d[3] ^= std::rotl(t[0], 2);
  }
};
struct Sha256Schedule0 {
  static void apply(Words& d, const Words& n) {
    const Words t = {d[1], d[2], d[3], n[0]};
    for (unsigned e = 0; e < 4; ++e) d[e] += std::rotr(t[e], 7) ^ std::rotr(t[e], 18) ^ t[e] >> 3;
  }
};
template <class Operation, unsigned kOpcode, Feature kFeature>
struct ShaTwo : FpInstruction {
  static constexpr Feature feature = kFeature;
  static constexpr Pattern pattern = Pattern("01011110 00 10100 op:5 10 Vn:5 Vd:5").fix("op", kOpcode);
  static constexpr const char* text = "sha1/sha256 (two registers)";
  static constexpr Cost cost = Cost::kCrypto;
  static bool decode(const Fields& f, Op& op) { return take_dn(f, op); }
  template <class M>
  static void exec(M& m, const Op& op) {
    Words d = lanes<std::uint32_t>(m.v(op.d));
    Operation::apply(d, lanes<std::uint32_t>(m.v(op.n)));
    m.v(op.d) = vector_of<std::uint32_t>(d);
  }
};

/// PMULL, PMULL2 (1Q): 64 by 64 bits; Q chooses the half. @spec J1.3 PolynomialMult
struct PolynomialMultiplyLong : FpInstruction {
  static constexpr Feature feature = Feature::kPmull;
  static constexpr Pattern pattern{"0 Q 0 01110 11 1 Vm:5 1110 00 Vn:5 Vd:5"};
  static constexpr const char* text = "pmull (64-bit)";
  static constexpr Cost cost = Cost::kCrypto;
  static bool decode(const Fields& f, Op& op) {
    op.imm = static_cast<std::int32_t>(f("Q"));
    return take_dnm(f, op);
  }
  template <class M>
  static void exec(M& m, const Op& op) {
    const auto half = static_cast<unsigned>(op.imm);
    const std::uint64_t a = m.v(op.n).d[half], b = m.v(op.m).d[half];
    Vector product{};
    for (unsigned i = 0; i < 64; ++i) {
      if ((b >> i & 1) == 0) continue;
      product.d[0] ^= a << i;
      if (i != 0) product.d[1] ^= a >> (64 - i);
    }
    m.v(op.d) = product;
  }
};

using SimdCrypto = InstructionList<
    AesRound<Aes::kEncrypt>, AesRound<Aes::kDecrypt>, AesRound<Aes::kMixColumns>, AesRound<Aes::kInverseMixColumns>,
    ShaThree<Sha1Hash<sha_choose>, 0, Feature::kSha1>, ShaThree<Sha1Hash<sha_parity>, 1, Feature::kSha1>,
    ShaThree<Sha1Hash<sha_majority>, 2, Feature::kSha1>, ShaThree<Sha1Schedule0, 3, Feature::kSha1>,
    ShaThree<Sha256Hash1, 4, Feature::kSha2>, ShaThree<Sha256Hash2, 5, Feature::kSha2>,
    ShaThree<Sha256Schedule1, 6, Feature::kSha2>, ShaTwo<Sha1Rotate, 0, Feature::kSha1>,
    ShaTwo<Sha1Schedule1, 1, Feature::kSha1>, ShaTwo<Sha256Schedule0, 2, Feature::kSha2>, PolynomialMultiplyLong>;

}  // namespace dpusim::cpu::simd
