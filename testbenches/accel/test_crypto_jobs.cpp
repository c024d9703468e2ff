// Rules, keys and errors of cryptographic jobs, and what openssl and Python make of the same octets.
#include <openssl/err.h>

#include "accel/crypto/crypto_timing.h"
#include "crypto_bench.h"

using namespace crypto_bench;

namespace {

const Octets kKey128 = hex("000102030405060708090a0b0c0d0e0f"), kIv = hex("101112131415161718191a1b");
const Octets kXtsKey = hex("000102030405060708090a0b0c0d0e0f202122232425262728292a2b2c2d2e2f"), kTweak(16, 0);

std::uint8_t refused(Bench& bench, const AccelJob& job, const Octets& source, std::size_t room) {
  const Outcome outcome = bench.run(job, source, room);
  return outcome.refused ? outcome.status : std::uint8_t{ACCEL_STATUS_OK};
}

}  // namespace

TEST_CASE("A wrong tag, ciphertext, additional data, vector or key gives nothing") {
  Bench bench;
  bench.load(0, ACCEL_KEY_AES_128, kKey128);
  const Octets aad = text("header"), plain = text("attack at dawn!");
  const Octets sealed = bench.run(gcm_job(ACCEL_OP_AES_GCM_ENCRYPT, 0, kIv, aad), aad + plain, 64).output;
  const AccelJob open = gcm_job(ACCEL_OP_AES_GCM_DECRYPT, 0, kIv, aad);
  CHECK(bench.run(open, aad + sealed, 64).output == plain);
  for (std::size_t bit = 0; bit < (aad.size() + sealed.size()) * 8; ++bit) {
    Octets bad = aad + sealed;
    bad[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    const Outcome outcome = bench.run(open, bad, 64);
    CHECK(outcome.status == ACCEL_STATUS_AUTHENTICATION);
    CHECK(outcome.output.empty());
  }
  AccelJob other = open;
  other.iv[0] ^= 1;
  CHECK(bench.run(other, aad + sealed, 64).status == ACCEL_STATUS_AUTHENTICATION);
  // No plaintext stays in the room for it either.
  Octets bad = aad + sealed, room(plain.size(), 0x55);
  bad.back() ^= 1;
  AccelJob direct = open;
  direct.source_length = static_cast<std::uint32_t>(bad.size());
  direct.destination_length = static_cast<std::uint32_t>(room.size());
  CHECK(bench.function.run(direct, bad, room).status == ACCEL_STATUS_AUTHENTICATION);
  CHECK(room == Octets(plain.size(), 0));
  // The function works on after failures.
  CHECK(bench.run(open, aad + sealed, 64).output == plain);
}

TEST_CASE("Lengths of cryptographic jobs are checked to the octet") {
  Bench bench;
  bench.load(0, ACCEL_KEY_AES_128, kKey128);
  bench.load(1, ACCEL_KEY_XTS_128, kXtsKey);
  bench.load(2, ACCEL_KEY_HMAC, text("k"));
  const auto gcm = [&](std::uint8_t opcode, std::size_t aad, std::size_t source, std::size_t room) {
    return refused(bench, gcm_job(opcode, 0, kIv, Octets(aad)), Octets(source), room);
  };
  CHECK(gcm(ACCEL_OP_AES_GCM_ENCRYPT, 3, 10, 7 + 16) == ACCEL_STATUS_OK);
  CHECK(gcm(ACCEL_OP_AES_GCM_ENCRYPT, 3, 10, 7 + 15) == ACCEL_STATUS_BAD_LENGTH);
  CHECK(gcm(ACCEL_OP_AES_GCM_ENCRYPT, 3, 3, 16) == ACCEL_STATUS_OK);  // authenticates only
  CHECK(gcm(ACCEL_OP_AES_GCM_ENCRYPT, 3, 2, 64) == ACCEL_STATUS_BAD_LENGTH);
  CHECK(gcm(ACCEL_OP_AES_GCM_ENCRYPT, 0, 0, 16) == ACCEL_STATUS_OK);
  CHECK(gcm(ACCEL_OP_AES_GCM_DECRYPT, 3, 3 + 16, 0) == ACCEL_STATUS_OK);
  CHECK(gcm(ACCEL_OP_AES_GCM_DECRYPT, 3, 3 + 15, 64) == ACCEL_STATUS_BAD_LENGTH);
  CHECK(gcm(ACCEL_OP_AES_GCM_DECRYPT, 3, 3 + 17, 0) == ACCEL_STATUS_BAD_LENGTH);
  const auto xts = [&](std::uint32_t unit, std::size_t source, std::size_t room) {
    return refused(bench, xts_job(ACCEL_OP_AES_XTS_ENCRYPT, 1, kTweak, unit), Octets(source), room);
  };
  CHECK(xts(16, 16, 16) == ACCEL_STATUS_OK);
  CHECK(xts(15, 15, 16) == ACCEL_STATUS_BAD_FLAGS);
  CHECK(xts(0, 16, 16) == ACCEL_STATUS_BAD_FLAGS);
  CHECK(xts(ACCEL_MAX_JOB, 16, 16) == ACCEL_STATUS_OK);
  CHECK(xts(ACCEL_MAX_JOB + 1, 16, 16) == ACCEL_STATUS_BAD_FLAGS);
  CHECK(xts(512, 15, 16) == ACCEL_STATUS_BAD_LENGTH);
  CHECK(xts(512, 0, 16) == ACCEL_STATUS_BAD_LENGTH);
  CHECK(xts(512, 512 + 16, 528) == ACCEL_STATUS_OK);  // a short last unit
  CHECK(xts(512, 512 + 15, 528) == ACCEL_STATUS_BAD_LENGTH);
  CHECK(xts(512, 1024, 1023) == ACCEL_STATUS_BAD_LENGTH);
  CHECK(refused(bench, job(ACCEL_OP_SHA256), {}, 32) == ACCEL_STATUS_OK);
  CHECK(refused(bench, job(ACCEL_OP_SHA256), {}, 31) == ACCEL_STATUS_BAD_LENGTH);
  CHECK(refused(bench, job(ACCEL_OP_SHA512), {}, 63) == ACCEL_STATUS_BAD_LENGTH);
  CHECK(refused(bench, job(ACCEL_OP_HMAC_SHA256, 2), {}, 31) == ACCEL_STATUS_BAD_LENGTH);
  CHECK(refused(bench, job(ACCEL_OP_HMAC_SHA512, 2), {}, 64) == ACCEL_STATUS_OK);
  AccelJob large = job(ACCEL_OP_SHA256);
  large.destination_length = 32;
  large.source_length = ACCEL_MAX_JOB + 1;
  CHECK(bench.function.check(large) == ACCEL_STATUS_BAD_LENGTH);
}

TEST_CASE("Fields that an opcode does not use are 0, and its functions are the configured ones") {
  Bench bench;
  bench.load(0, ACCEL_KEY_AES_128, kKey128);
  AccelJob digest = job(ACCEL_OP_SHA256, 1);
  CHECK(refused(bench, digest, {}, 32) == ACCEL_STATUS_BAD_FLAGS);
  digest = job(ACCEL_OP_SHA256);
  digest.aad_length = 1;
  CHECK(refused(bench, digest, text("a"), 32) == ACCEL_STATUS_BAD_FLAGS);
  digest = job(ACCEL_OP_SHA256);
  digest.flags = ACCEL_FLAG_STREAM_END;
  CHECK(refused(bench, digest, {}, 32) == ACCEL_STATUS_BAD_FLAGS);
  AccelJob gcm = gcm_job(ACCEL_OP_AES_GCM_ENCRYPT, 0, kIv, {});
  gcm.iv[12] = 1;  // beyond the 96-bit vector
  CHECK(refused(bench, gcm, {}, 16) == ACCEL_STATUS_BAD_FLAGS);
  gcm = gcm_job(ACCEL_OP_AES_GCM_ENCRYPT, 0, kIv, {});
  gcm.parameter0 = 16;
  CHECK(refused(bench, gcm, {}, 16) == ACCEL_STATUS_BAD_FLAGS);
  CHECK(refused(bench, job(0x18), {}, 64) == ACCEL_STATUS_BAD_OPCODE);
  CHECK(refused(bench, job(ACCEL_OP_CRC32), {}, 64) == ACCEL_STATUS_BAD_OPCODE);

  Bench only(dpusim::accel::CryptoConfig::table().parse({{"functions", {"aes_gcm"}}}, "c0"));
  only.load(0, ACCEL_KEY_AES_128, kKey128);
  CHECK(refused(only, gcm_job(ACCEL_OP_AES_GCM_ENCRYPT, 0, kIv, {}), {}, 16) == ACCEL_STATUS_OK);
  CHECK(refused(only, job(ACCEL_OP_SHA256), {}, 32) == ACCEL_STATUS_BAD_OPCODE);
  CHECK(refused(only, job(ACCEL_OP_HMAC_SHA256), {}, 32) == ACCEL_STATUS_BAD_OPCODE);
  CHECK(refused(only, xts_job(ACCEL_OP_AES_XTS_ENCRYPT, 0, kTweak, 16), Octets(16), 16) == ACCEL_STATUS_BAD_OPCODE);
}

TEST_CASE("A job needs a key of its opcode's type, at the time it runs") {
  Bench bench;
  bench.load(0, ACCEL_KEY_AES_128, kKey128);
  bench.load(1, ACCEL_KEY_XTS_128, kXtsKey);
  bench.load(2, ACCEL_KEY_HMAC, text("k"));
  bench.load(3, ACCEL_KEY_XTS_128, kKey128 + kKey128);  // equal halves
  bench.load(4, ACCEL_KEY_XTS_256, kXtsKey + kXtsKey);
  for (std::uint16_t slot = 0; slot < 10; ++slot) {  // 5 to 7 are empty, 8 and 9 do not exist
    CAPTURE(slot);
    const auto expected = [&](std::uint16_t good) { return slot == good ? ACCEL_STATUS_OK : ACCEL_STATUS_BAD_KEY; };
    CHECK(refused(bench, gcm_job(ACCEL_OP_AES_GCM_ENCRYPT, slot, kIv, {}), {}, 16) == expected(0));
    CHECK(refused(bench, xts_job(ACCEL_OP_AES_XTS_ENCRYPT, slot, kTweak, 16), Octets(16), 16) == expected(1));
    CHECK(refused(bench, xts_job(ACCEL_OP_AES_XTS_DECRYPT, slot, kTweak, 16), Octets(16), 16) == expected(1));
    CHECK(refused(bench, job(ACCEL_OP_HMAC_SHA256, slot), {}, 32) == expected(2));
  }
  // Replaced between check() and run(): the new key counts; cleared: an error.
  const Octets other(16, 0x77);
  AccelJob seal = gcm_job(ACCEL_OP_AES_GCM_ENCRYPT, 0, kIv, {});
  seal.destination_length = 16;
  const auto tag = [&] {
    Octets out(16);
    CHECK(bench.function.run(seal, {}, out).status == ACCEL_STATUS_OK);
    return out;
  };
  const Octets first = tag();
  bench.load(0, ACCEL_KEY_AES_128, other);
  const Octets second = tag();
  CHECK(first != second);
  bench.load(0, ACCEL_KEY_AES_128, kKey128);
  CHECK(tag() == first);
  REQUIRE(bench.keys.clear(0) == ACCEL_STATUS_OK);
  Octets out(16);
  CHECK(bench.function.run(seal, {}, out).status == ACCEL_STATUS_BAD_KEY);
  bench.load(0, ACCEL_KEY_HMAC, kKey128);
  CHECK(bench.function.run(seal, {}, out).status == ACCEL_STATUS_BAD_KEY);
}

TEST_CASE("Data units of AES-XTS count up and carry beyond 64 bits") {
  Bench bench;
  bench.load(0, ACCEL_KEY_XTS_128, kXtsKey);
  Random random(31);
  for (const char* const first :
       {"fe000000000000000000000000000000", "ffffffffffffffff0000000000000000", "ffffffffffffffffffffffffffffffff"}) {
    const Octets plain = random.octets(64 * 3 + 37);
    const Octets whole = bench.run(xts_job(ACCEL_OP_AES_XTS_ENCRYPT, 0, hex(first), 64), plain, 512).output;
    Octets pieces, number = hex(first);
    for (std::size_t at = 0; at < plain.size(); at += 64) {
      const std::size_t size = std::min<std::size_t>(64, plain.size() - at);
      const auto begin = plain.begin() + static_cast<std::ptrdiff_t>(at);
      const Octets unit(begin, begin + static_cast<std::ptrdiff_t>(size));
      pieces = pieces + bench.run(xts_job(ACCEL_OP_AES_XTS_ENCRYPT, 0, number, 64), unit, 512).output;
      for (std::size_t i = 0; i < 16 && ++number[i] == 0; ++i) continue;
    }
    CHECK(whole == pieces);
    CHECK(bench.run(xts_job(ACCEL_OP_AES_XTS_DECRYPT, 0, hex(first), 64), whole, 512).output == plain);
  }
}

TEST_CASE("openssl and Python compute the same digests and codes") {
  Bench bench;
  Random random(32);
  const Folder folder;
  for (const std::size_t size : {0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 4'095, 65'537, 1'048'576}) {
    const Octets data = random.octets(size), key = random.octets(1 + random.below(64));
    bench.load(0, ACCEL_KEY_HMAC, key);
    folder.write("data", data);
    folder.write("key", key);
    REQUIRE(folder.shell("openssl dgst -sha256 -binary data > a && openssl dgst -sha512 -binary data > b && "
                         "openssl dgst -sha512 -mac HMAC -macopt hexkey:" +
                         to_hex(key) +
                         " -binary data > c && "
                         "python3 -c \"import hmac; open('d','wb').write(hmac.new(open('key','rb').read(),"
                         "open('data','rb').read(),'sha256').digest())\"") == 0);
    CHECK(bench.run(job(ACCEL_OP_SHA256), data, 32).output == folder.read("a"));
    CHECK(bench.run(job(ACCEL_OP_SHA512), data, 64).output == folder.read("b"));
    CHECK(bench.run(job(ACCEL_OP_HMAC_SHA512), data, 64).output == folder.read("c"));
    CHECK(bench.run(job(ACCEL_OP_HMAC_SHA256), data, 32).output == folder.read("d"));
  }
}

TEST_CASE("AES-GCM is counter mode of openssl's command and XTS its electronic codebook") {
  // SP 800-38D: with a 96-bit vector, the ciphertext is counter mode from IV || 2. IEEE 1619: a unit of one block is
  // E1(P ^ E2(tweak)) ^ E2(tweak).
  Bench bench;
  Random random(33);
  const Folder folder;
  for (const std::size_t size : {1, 15, 16, 17, 1'000, 65'537}) {
    const Octets key = random.octets(32), iv = random.octets(12), plain = random.octets(size);
    bench.load(0, ACCEL_KEY_AES_256, key);
    Octets sealed = bench.run(gcm_job(ACCEL_OP_AES_GCM_ENCRYPT, 0, iv, {}), plain, size + 16).output;
    sealed.resize(size);
    folder.write("plain", plain);
    REQUIRE(folder.shell("openssl enc -aes-256-ctr -nopad -K " + to_hex(key) + " -iv " + to_hex(iv) +
                         "00000002 -in plain -out cipher") == 0);
    CHECK(sealed == folder.read("cipher"));
  }
  const Octets key = random.octets(64), tweak = random.octets(16), plain = random.octets(16);
  bench.load(0, ACCEL_KEY_XTS_256, key);
  const auto block = [&](std::size_t half, const Octets& in) {
    folder.write("in", in);
    REQUIRE(folder.shell("openssl enc -aes-256-ecb -nopad -K " + to_hex(std::span(key).subspan(half * 32, 32)) +
                         " -in in -out out") == 0);
    return folder.read("out");
  };
  const auto mix = [](Octets a, const Octets& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] ^= b[i];
    return a;
  };
  const Octets mask = block(1, tweak);
  CHECK(bench.run(xts_job(ACCEL_OP_AES_XTS_ENCRYPT, 0, tweak, 16), plain, 16).output ==
        mix(block(0, mix(plain, mask)), mask));
}

TEST_CASE("Random jobs decrypt to what was encrypted, under keys that change") {
  Bench bench;
  Random random(34);
  for (unsigned i = 0; i < 300; ++i) {
    const bool gcm = i % 2 == 0, wide = random.below(2) == 0;
    const auto slot = static_cast<std::uint16_t>(random.below(8));
    const std::size_t size = (gcm ? 0 : 16) + random.below(i % 50 == 0 ? 1'000'000 : 700);
    const Octets plain = random.octets(size), aad = random.octets(gcm ? random.below(40) : 0);
    if (random.below(2) == 0 || bench.keys.find(slot) == nullptr ||
        bench.keys.find(slot)->type() != (gcm    ? wide ? ACCEL_KEY_AES_256 : ACCEL_KEY_AES_128
                                          : wide ? ACCEL_KEY_XTS_256
                                                 : ACCEL_KEY_XTS_128)) {
      const std::uint8_t type = gcm    ? wide ? ACCEL_KEY_AES_256 : ACCEL_KEY_AES_128
                                : wide ? ACCEL_KEY_XTS_256
                                       : ACCEL_KEY_XTS_128;
      bench.load(slot, type, random.octets((gcm ? 16U : 32U) * (wide ? 2U : 1U)));
    }
    const Octets iv = random.octets(12), tweak = random.octets(16);
    const auto unit = static_cast<std::uint32_t>(std::max<std::size_t>(16, size));
    const AccelJob there =
        gcm ? gcm_job(ACCEL_OP_AES_GCM_ENCRYPT, slot, iv, aad) : xts_job(ACCEL_OP_AES_XTS_ENCRYPT, slot, tweak, unit);
    const AccelJob back =
        gcm ? gcm_job(ACCEL_OP_AES_GCM_DECRYPT, slot, iv, aad) : xts_job(ACCEL_OP_AES_XTS_DECRYPT, slot, tweak, unit);
    const Outcome sealed = bench.run(there, aad + plain, size + 16);
    REQUIRE(sealed.status == ACCEL_STATUS_OK);
    CHECK((bench.run(back, aad + sealed.output, size).output == plain));
  }
}

TEST_CASE("OpenSSL's error queue is left as it was") {
  ERR_clear_error();
  ERR_raise(ERR_LIB_USER, ERR_R_PASSED_INVALID_ARGUMENT);  // somebody else's
  const unsigned long before = ERR_peek_last_error();
  Bench bench;
  bench.load(0, ACCEL_KEY_AES_128, kKey128);
  CHECK(bench.run(gcm_job(ACCEL_OP_AES_GCM_DECRYPT, 0, kIv, {}), Octets(48), 64).status == ACCEL_STATUS_AUTHENTICATION);
  CHECK(bench.run(job(ACCEL_OP_SHA256), {}, 32).status == ACCEL_STATUS_OK);
  CHECK(ERR_peek_last_error() == before);
  CHECK(ERR_get_error() == before);
  CHECK(ERR_get_error() == 0);
}

TEST_CASE("Cryptographic rates: whole cycles by opcode") {
  using dpusim::Time;
  const dpusim::accel::CryptoConfig config;  // 1 GHz: 1000 ps a cycle
  const dpusim::accel::CryptoTiming timing(config);
  CHECK(timing.service(job(ACCEL_OP_AES_GCM_ENCRYPT), 100, 116) == Time(10'000));       // 116 / 12.5 = 9.28
  CHECK(timing.service(job(ACCEL_OP_AES_XTS_DECRYPT), 4'096, 4'096) == Time(328'000));  // 327.68
  CHECK(timing.service(job(ACCEL_OP_SHA256), 64, 32) == Time(64'000));
  CHECK(timing.service(job(ACCEL_OP_SHA256), 65, 32) == Time(65'000));
  CHECK(timing.service(job(ACCEL_OP_HMAC_SHA512), 128, 64) == Time(80'000));
  CHECK(timing.streams(job(ACCEL_OP_AES_GCM_ENCRYPT)));
  CHECK_FALSE(timing.streams(job(ACCEL_OP_AES_GCM_DECRYPT)));
  CHECK(timing.streams(job(ACCEL_OP_AES_XTS_DECRYPT)));
  CHECK_FALSE(timing.streams(job(ACCEL_OP_SHA512)));
}
