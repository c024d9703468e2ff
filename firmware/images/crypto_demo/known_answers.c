/* Published examples of every opcode: data, keys and results as their documents print them. */
#include <stdio.h>
#include <string.h>

#include "images/crypto_demo/demo.h"

typedef struct {
  const char* name; /* with the document */
  uint8_t opcode;
  uint8_t key_type;
  uint16_t unit;                               /* of XTS */
  const char *key, *iv, *aad, *input, *output; /* hexadecimal */
} Example;

#define MCGREW_KEY "feffe9928665731c6d6a8f9467308308"
#define MCGREW_TEXT                                                  \
  "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72" \
  "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
#define MCGREW_AAD "feedfacedeadbeeffeedfacedeadbeefabaddad2"
#define MCGREW_IV "cafebabefacedbaddecaf888"

/* GCM: McGrew and Viega, The Galois/Counter Mode of Operation (GCM), appendix B. XTS: IEEE 1619-2007, annex B. SHA:
 * NIST, examples of FIPS 180-4. HMAC: RFC 4231. */
static const Example examples[] = {
    {"gcm-128 case 1", ACCEL_OP_AES_GCM_ENCRYPT, ACCEL_KEY_AES_128, 0, "00000000000000000000000000000000",
     "000000000000000000000000", "", "", "58e2fccefa7e3061367f1d57a4e7455a"},
    {"gcm-128 case 2", ACCEL_OP_AES_GCM_ENCRYPT, ACCEL_KEY_AES_128, 0, "00000000000000000000000000000000",
     "000000000000000000000000", "", "00000000000000000000000000000000",
     "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"},
    {"gcm-128 case 4", ACCEL_OP_AES_GCM_ENCRYPT, ACCEL_KEY_AES_128, 0, MCGREW_KEY, MCGREW_IV, MCGREW_AAD, MCGREW_TEXT,
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05"
     "1ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47"},
    {"gcm-256 case 16", ACCEL_OP_AES_GCM_ENCRYPT, ACCEL_KEY_AES_256, 0, MCGREW_KEY MCGREW_KEY, MCGREW_IV, MCGREW_AAD,
     MCGREW_TEXT,
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
     "c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"},
    {"xts-128 vector 2", ACCEL_OP_AES_XTS_ENCRYPT, ACCEL_KEY_XTS_128, 32,
     "1111111111111111111111111111111122222222222222222222222222222222", "3333333333", "",
     "4444444444444444444444444444444444444444444444444444444444444444",
     "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0"},
    {"xts-128 vector 15", ACCEL_OP_AES_XTS_ENCRYPT, ACCEL_KEY_XTS_128, 17,
     "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0", "9a78563412", "",
     "000102030405060708090a0b0c0d0e0f10", "6c1625db4671522d3d7599601de7ca09ed"},
    /* The vector's unit is 512 octets; its first 32 are a unit of their own, since XTS takes block by block. */
    {"xts-256 vector 10", ACCEL_OP_AES_XTS_ENCRYPT, ACCEL_KEY_XTS_256, 32,
     "27182818284590452353602874713526624977572470936999595749669676273141592653589793238462643383279502884197"
     "169399375105820974944592",
     "ff", "", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
     "1c3b3a102f770386e4836c99e370cf9bea00803f5e482357a4ae12d414a3e63b"},
    {"sha256 abc", ACCEL_OP_SHA256, 0, 0, "", "", "", "616263",
     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"sha256 two blocks", ACCEL_OP_SHA256, 0, 0, "", "", "",
     "6162636462636465636465666465666765666768666768696768696a68696a6b696a6b6c6a6b6c6d6b6c6d6e6c6d6e6f6d6e6f706e6f7071",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"sha512 abc", ACCEL_OP_SHA512, 0, 0, "", "", "", "616263",
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e"
     "2a9ac94fa54ca49f"},
    {"sha512 no octets", ACCEL_OP_SHA512, 0, 0, "", "", "", "",
     "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81"
     "a538327af927da3e"},
    {"hmac-sha256 case 2", ACCEL_OP_HMAC_SHA256, ACCEL_KEY_HMAC, 0, "4a656665", "", "",
     "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
     "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
    {"hmac-sha512 case 2", ACCEL_OP_HMAC_SHA512, ACCEL_KEY_HMAC, 0, "4a656665", "", "",
     "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
     "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b"
     "636e070a38bce737"},
};

static unsigned digit(char c) { return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10); }

static uint32_t from_hex(uint8_t* octets, const char* text) {
  uint32_t length = 0;
  for (; text[0] != '\0'; text += 2) octets[length++] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
  return length;
}

static void run(Demo* demo, const Example* example) {
  static uint8_t key[64], source[128], expected[128], found[128], back[128];
  const uint32_t key_length = from_hex(key, example->key);
  const uint32_t aad_length = from_hex(source, example->aad);
  const uint32_t length = aad_length + from_hex(source + aad_length, example->input);
  const uint32_t result = from_hex(expected, example->output);
  if (key_length != 0) demo_load_key(demo, 0, example->key_type, key, key_length);
  AccelJob job = {.opcode = example->opcode, .aad_length = aad_length, .parameter0 = example->unit};
  from_hex(job.iv, example->iv);
  accel_source(&job, source, length);
  accel_destination(&job, found, sizeof found);
  memset(found, 0, sizeof found);
  demo_row(demo, example->name, &job, ACCEL_STATUS_OK, found, expected, result);
  if (example->opcode != ACCEL_OP_AES_GCM_ENCRYPT && example->opcode != ACCEL_OP_AES_XTS_ENCRYPT) return;
  /* And back: additional data and ciphertext in, plaintext out. */
  memmove(found + aad_length, found, result);
  memcpy(found, source, aad_length);
  job.opcode = example->opcode == ACCEL_OP_AES_GCM_ENCRYPT ? ACCEL_OP_AES_GCM_DECRYPT : ACCEL_OP_AES_XTS_DECRYPT;
  accel_source(&job, found, aad_length + result);
  accel_destination(&job, back, sizeof back);
  demo_row(demo, "  decrypted", &job, ACCEL_STATUS_OK, back, source + aad_length, length - aad_length);
}

void demo_known_answers(Demo* demo) {
  for (unsigned i = 0; i < sizeof examples / sizeof examples[0]; ++i) run(demo, &examples[i]);
}
