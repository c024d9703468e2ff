// Known answers of NIST, IEEE and the RFCs.
#include "accel/crypto/crypto_function.h"
#include "crypto_bench.h"

using namespace crypto_bench;

TEST_CASE("AES-GCM gives the answers of the GCM specification") {
  // McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B, cases 1-4 and 13-16.
  struct Case {
    const char *key, *iv, *aad, *plain, *cipher, *tag;
  };
  const char* const kPlain =
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657"
      "ba637b391aafd255";
  const char* const kPlain60 =
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657"
      "ba637b39";
  const char* const kAad = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
  const char* const kZeroIv = "000000000000000000000000";
  const char* const kIv = "cafebabefacedbaddecaf888";
  const char* const kKey128 = "feffe9928665731c6d6a8f9467308308";
  const char* const kKey256 = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
  const Case cases[] = {
      {"00000000000000000000000000000000", kZeroIv, "", "", "", "58e2fccefa7e3061367f1d57a4e7455a"},
      {"00000000000000000000000000000000", kZeroIv, "", "00000000000000000000000000000000",
       "0388dace60b6a392f328c2b971b2fe78", "ab6e47d42cec13bdf53a67b21257bddf"},
      {kKey128, kIv, "", kPlain,
       "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac9"
       "73d58e091473f5985",
       "4d5c2af327cd64a62cf35abd2ba6fab4"},
      {kKey128, kIv, kAad, kPlain60,
       "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac9"
       "73d58e091",
       "5bc94fbc3221a5db94fae95ae7121a47"},
      {"0000000000000000000000000000000000000000000000000000000000000000", kZeroIv, "", "", "",
       "530f8afbc74536b9a963b4f1c4cb738b"},
      {"0000000000000000000000000000000000000000000000000000000000000000", kZeroIv, "",
       "00000000000000000000000000000000", "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"},
      {kKey256, kIv, "", kPlain,
       "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0"
       "abcc9f662898015ad",
       "b094dac5d93471bdec1a502270e3cc6c"},
      {kKey256, kIv, kAad, kPlain60,
       "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0"
       "abcc9f662",
       "76fc6ece0f4e1768cddf8853bb2d551b"}};
  Bench bench;
  for (const Case& c : cases) {
    const Octets key = hex(c.key), aad = hex(c.aad), plain = hex(c.plain), sealed = hex(c.cipher) + hex(c.tag);
    bench.load(3, key.size() == 16 ? ACCEL_KEY_AES_128 : ACCEL_KEY_AES_256, key);
    const Outcome encrypted =
        bench.run(gcm_job(ACCEL_OP_AES_GCM_ENCRYPT, 3, hex(c.iv), aad), aad + plain, sealed.size());
    CHECK(encrypted.status == ACCEL_STATUS_OK);
    CHECK(to_hex(encrypted.output) == to_hex(sealed));
    CHECK(encrypted.consumed == aad.size() + plain.size());
    const Outcome decrypted =
        bench.run(gcm_job(ACCEL_OP_AES_GCM_DECRYPT, 3, hex(c.iv), aad), aad + sealed, plain.size());
    CHECK(decrypted.status == ACCEL_STATUS_OK);
    CHECK(to_hex(decrypted.output) == to_hex(plain));
  }
}

TEST_CASE("AES-XTS gives the answers of IEEE 1619 and of NIST's validation suite") {
  struct Case {
    const char *key, *tweak, *plain, *cipher;
  };
  const char* const kTweak33 = "33333333330000000000000000000000";
  const char* const kStealing = "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0";
  const char* const kTweak12 = "9a785634120000000000000000000000";
  const Case cases[] = {
      // IEEE 1619-2007, annex B: vectors 2 and 3 (vector 1 has equal keys, which is refused).
      {"1111111111111111111111111111111122222222222222222222222222222222", kTweak33,
       "4444444444444444444444444444444444444444444444444444444444444444",
       "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0"},
      {"fffefdfcfbfaf9f8f7f6f5f4f3f2f1f022222222222222222222222222222222", kTweak33,
       "4444444444444444444444444444444444444444444444444444444444444444",
       "af85336b597afc1a900b2eb21ec949d292df4c047e0b21532186a5971a227a89"},
      // The same, vectors 15 to 18: 17 to 20 octets, ciphertext stealing.
      {kStealing, kTweak12, "000102030405060708090a0b0c0d0e0f10", "6c1625db4671522d3d7599601de7ca09ed"},
      {kStealing, kTweak12, "000102030405060708090a0b0c0d0e0f1011", "d069444b7a7e0cab09e24447d24deb1fedbf"},
      {kStealing, kTweak12, "000102030405060708090a0b0c0d0e0f101112", "e5df1351c0544ba1350b3363cd8ef4beedbf9d"},
      {kStealing, kTweak12, "000102030405060708090a0b0c0d0e0f10111213", "9d84c813f719aa2c7be3f66171c7c5c2edbf9dac"},
      // NIST CAVP, XTSGenAES128: 128-bit tweak COUNT 101 (32 octets) and 301 (25 octets); sequence numbers COUNT 6 and
      // 355.
      {"b7b93f516aef295eff3a29d837cf1f135347e8a21dae616ff5062b2e8d78ce5e", "873edea653b643bd8bcf51403197ed14",
       "236f8a5b58dd55f6194ed70c4ac1a17f1fe60ec9a6c454d087ccb77d6b638c47",
       "22e6a3c6379dcf7599b052b5a749c7f78ad8a11b9f1aa9430cf3aef445682e19"},
      {"394c97881abd989d29c703e48a72b397a7acf51b59649eeea9b33274d8541df4", "4b15c684a152d485fe9937d39b168c29",
       "2f3b9dcfbae729583b1d1ffdd16bb6fe2757329435662a78f0", "f3473802e38a3ffef4d4fb8e6aa266ebde553a64528a06463e"},
      {"8b737d182017a79a613929b07b70e80e74235daab3f4d3d55ef4d52adbc44e06", "63000000000000000000000000000000",
       "895bf08d41b28798be0f576fdb03b710", "66322199dd397609231cb3e9495f992e"},
      {"40d1b938f4620ffb2961d868f89f5d7c0d26a5ebdcc3a521717a72f50c7e67ca", "b7000000000000000000000000000000",
       "83a9fb456d9cb72822ea2135f7e79ce577b108e6372e1ee248", "54c2e230fcfa7281dc04e0c3a586ad1cdc035a27d3a48110a4"}};
  Bench bench;
  for (const Case& c : cases) {
    const Octets plain = hex(c.plain), cipher = hex(c.cipher);
    bench.load(0, ACCEL_KEY_XTS_128, hex(c.key));
    const auto unit = static_cast<std::uint32_t>(plain.size());
    const Outcome encrypted = bench.run(xts_job(ACCEL_OP_AES_XTS_ENCRYPT, 0, hex(c.tweak), unit), plain, plain.size());
    CHECK(to_hex(encrypted.output) == to_hex(cipher));
    const Outcome decrypted = bench.run(xts_job(ACCEL_OP_AES_XTS_DECRYPT, 0, hex(c.tweak), unit), cipher, plain.size());
    CHECK(to_hex(decrypted.output) == to_hex(plain));
  }
}

TEST_CASE("AES-256-XTS gives the first block of IEEE 1619's vector 10") {
  // Key 1 and key 2 are digits of e and pi, data unit ff, 512 octets 00 to ff twice.
  Octets plain;
  for (unsigned i = 0; i < 512; ++i) plain.push_back(static_cast<std::uint8_t>(i));
  Bench bench;
  bench.load(1, ACCEL_KEY_XTS_256,
             hex("2718281828459045235360287471352662497757247093699959574966967627"
                 "3141592653589793238462643383279502884197169399375105820974944592"));
  const Outcome encrypted =
      bench.run(xts_job(ACCEL_OP_AES_XTS_ENCRYPT, 1, hex("ff000000000000000000000000000000"), 512), plain, 512);
  REQUIRE(encrypted.output.size() == 512);
  CHECK(to_hex(std::span(encrypted.output).first(32)) ==
        "1c3b3a102f770386e4836c99e370cf9bea00803f5e482357a4ae12d414a3e63b");
}

TEST_CASE("SHA-2 gives the answers of FIPS 180") {
  // NIST, "Examples with intermediate values": "abc", the two-block messages; and a million "a".
  struct Case {
    Octets message;
    const char *sha256, *sha512;
  };
  const Case cases[] = {{{},
                         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                         "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877ee"
                         "c2f63b931bd47417a81a538327af927da3e"},
                        {text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                         "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3fee"
                         "bbd454d4423643ce80e2a9ac94fa54ca49f"},
                        {text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
                         "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c33596fd15c13b1b07f9aa1d3bea57789"
                         "ca031ad85c7a71dd70354ec631238ca3445"},
                        {text("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
                              "lmnopqrsmnopqrstnopqrstu"),
                         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
                         "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b54"
                         "33ac7d329eeb6dd26545e96e55b874be909"},
                        {Octets(1'000'000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
                         "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c"
                         "31beb009c5c2c49aa2e4eadb217ad8cc09b"}};
  Bench bench;
  for (const Case& c : cases) {
    CHECK(to_hex(bench.run(job(ACCEL_OP_SHA256), c.message, 32).output) == c.sha256);
    CHECK(to_hex(bench.run(job(ACCEL_OP_SHA512), c.message, 64).output) == c.sha512);
  }
}

TEST_CASE("HMAC gives the answers of RFC 4231") {
  struct Case {
    Octets key, data;
    const char *sha256, *sha512;
  };
  // Cases 1 to 4; 6 and 7 have keys of 131 octets, which RFC 2104 replaces by their digest: software does it here.
  const Case cases[] = {
      {Octets(20, 0x0b), text("Hi There"), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
       "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f17"
       "02e696c203a126854"},
      {text("Jefe"), text("what do ya want for nothing?"),
       "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
       "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4"
       "b636e070a38bce737"},
      {Octets(20, 0xaa), Octets(50, 0xdd), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
       "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39bf3e848279a722c806b485a47e67c807b946a337bee8942"
       "674278859e13292fb"},
      {hex("0102030405060708090a0b0c0d0e0f10111213141516171819"), Octets(50, 0xcd),
       "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
       "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3dba91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2"
       "de2adebeb10a298dd"}};
  Bench bench;
  for (const Case& c : cases) {
    bench.load(7, ACCEL_KEY_HMAC, c.key);
    CHECK(to_hex(bench.run(job(ACCEL_OP_HMAC_SHA256, 7), c.data, 32).output) == c.sha256);
    CHECK(to_hex(bench.run(job(ACCEL_OP_HMAC_SHA512, 7), c.data, 64).output) == c.sha512);
  }
  const Octets long_key(131, 0xaa);
  const Octets data = text("Test Using Larger Than Block-Size Key - Hash Key First");
  bench.load(0, ACCEL_KEY_HMAC, bench.run(job(ACCEL_OP_SHA256), long_key, 32).output);
  CHECK(to_hex(bench.run(job(ACCEL_OP_HMAC_SHA256, 0), data, 32).output) ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  bench.load(0, ACCEL_KEY_HMAC, bench.run(job(ACCEL_OP_SHA512), long_key, 64).output);
  CHECK(to_hex(bench.run(job(ACCEL_OP_HMAC_SHA512, 0), data, 64).output) ==
        "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0a"
        "ec8b915a985d786598");
}
