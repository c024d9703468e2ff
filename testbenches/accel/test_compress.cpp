// Streams made by hand from the formats' documents, limits and errors.
#include "accel/compress/compress_timing.h"
#include "compress_bench.h"

using namespace compress_bench;

namespace {

/// Writes bits in DEFLATE's order: from the least significant bit of each octet on (RFC 1951, 3.1.1).
class Bits {
 public:
  /// A number, least significant bit first.
  Bits& number(unsigned value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bit((value >> i) & 1U);
    return *this;
  }
  /// A Huffman code, first bit first.
  Bits& code(const char* bits) {
    for (; *bits != 0; ++bits) bit(*bits == '1' ? 1U : 0U);
    return *this;
  }
  [[nodiscard]] const Octets& octets() const { return octets_; }

 private:
  void bit(unsigned value) {
    if (used_ % 8 == 0) octets_.push_back(0);
    octets_.back() = static_cast<std::uint8_t>(octets_.back() | value << (used_++ % 8));
  }
  Octets octets_;
  unsigned used_ = 0;
};

/// A final block with dynamic codes, by RFC 1951, 3.2.7: 'a' and end of block have codes of one bit, 0 and 1; there is
/// no distance code.
Octets dynamic_aaa() {
  Bits bits;
  bits.number(1, 1).number(2, 2).number(0, 5).number(0, 5).number(18 - 4, 4);  // BFINAL, BTYPE, HLIT, HDIST, HCLEN
  // Lengths of the code length codes, in the order 16 17 18 0 8 7 9 6 10 5 11 4 12 3 13 2 14 1: 18 has 1 bit, 0 and 1
  // have 2.
  for (const unsigned length : {0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}) bits.number(length, 3);
  // So 18 is "0", 0 is "10", 1 is "11". 97 zeros, 'a', 138 + 20 zeros, end of block; one distance code of no length.
  bits.code("0").number(97 - 11, 7).code("11").code("0").number(138 - 11, 7).code("0").number(20 - 11, 7).code("11");
  bits.code("10");
  bits.code("0").code("0").code("0").code("1");
  return bits.octets();
}

}  // namespace

TEST_CASE("DEFLATE blocks of each kind are decompressed") {
  Bench bench;
  // Stored: BFINAL, BTYPE 00, padding; LEN 5, its complement.
  const Octets stored = hex("01 0500 faff") + text("hello");
  // Fixed codes: 1 1 0, 'a' 10010001, end 0000000; and with length 9 (0000111), distance 1 (00000) after the 'a'.
  const Octets fixed = hex("4b0400"), match = hex("4b840300");
  struct Case {
    Octets stream, plain;
  };
  for (const Case& c : {Case{stored, text("hello")}, Case{fixed, text("a")}, Case{match, Octets(10, 'a')},
                        Case{dynamic_aaa(), text("aaa")}, Case{hex("010000ffff"), {}}, Case{hex("0300"), {}}}) {
    const Outcome outcome = bench.inflate(c.stream, ACCEL_FRAMING_RAW, c.plain.size());
    CHECK(outcome.status == ACCEL_STATUS_OK);
    CHECK(outcome.output == c.plain);
    CHECK(outcome.consumed == c.stream.size());
    if (!c.plain.empty()) {
      const Outcome less = bench.inflate(c.stream, ACCEL_FRAMING_RAW, c.plain.size() - 1);
      CHECK(less.status == ACCEL_STATUS_OUTPUT_FULL);
      CHECK(less.output.empty());
    }
  }
}

TEST_CASE("zlib and gzip framing follow RFC 1950 and RFC 1952") {
  Bench bench;
  // "a": Adler-32 is (0x61 * 1 + 1) << 16 | 0x62; CRC-32 is 0xe8b7be43 (of `gzip`, little-endian in the trailer);
  // size 1.
  const Octets zlib = hex("789c 4b0400 00620062");
  const auto gzip = [](const char* extra_flags) {
    return hex("1f8b 08 00 00000000") + hex(extra_flags) + hex("ff 4b0400 43beb7e8 01000000");
  };
  CHECK(to_hex(bench.deflate(text("a"), ACCEL_FRAMING_RAW)) == "4b0400");
  CHECK(to_hex(bench.deflate(text("a"), ACCEL_FRAMING_ZLIB)) == to_hex(zlib));
  CHECK(to_hex(bench.deflate(text("a"), ACCEL_FRAMING_GZIP)) == to_hex(gzip("00")));
  CHECK(to_hex(bench.deflate(text("a"), ACCEL_FRAMING_GZIP, 1)) == to_hex(gzip("04")));  // XFL: fastest
  CHECK(to_hex(bench.deflate(text("a"), ACCEL_FRAMING_GZIP, 9)) == to_hex(gzip("02")));  // XFL: slowest
  CHECK(to_hex(bench.deflate({}, ACCEL_FRAMING_RAW)) == "0300");
  CHECK(to_hex(bench.deflate({}, ACCEL_FRAMING_ZLIB)) == "789c030000000001");
  // FNAME "n" and FHCRC: the CRC-16 is the lower half of the CRC-32 of the header, 0x36dd by python3's binascii.crc32.
  const Octets named = hex("1f8b 08 08 00000000 00 03 6e00 4b0400 43beb7e8 01000000");
  CHECK(bench.inflate(named, ACCEL_FRAMING_GZIP, 1).output == text("a"));

  SECTION("trailers are verified") {
    for (std::size_t i = 5; i < zlib.size(); ++i) {
      Octets bad = zlib;
      bad[i] ^= 1;
      CHECK(bench.inflate(bad, ACCEL_FRAMING_ZLIB, 9).status == ACCEL_STATUS_CORRUPT_INPUT);
    }
    for (std::size_t i = 13; i < gzip("00").size(); ++i) {
      Octets bad = gzip("00");
      bad[i] ^= 1;
      CHECK(bench.inflate(bad, ACCEL_FRAMING_GZIP, 1).status == ACCEL_STATUS_CORRUPT_INPUT);
    }
  }
  SECTION("one framing is not another") {
    CHECK(bench.inflate(zlib, ACCEL_FRAMING_GZIP, 9).status == ACCEL_STATUS_CORRUPT_INPUT);
    CHECK(bench.inflate(gzip("00"), ACCEL_FRAMING_ZLIB, 9).status == ACCEL_STATUS_CORRUPT_INPUT);
  }
  SECTION("a preset dictionary is refused") {
    // FDICT set, FCHECK right: 0x78bb is a multiple of 31 (30907 = 31 * 997).
    CHECK(bench.inflate(hex("78bb 00000001 4b0400 00620062"), ACCEL_FRAMING_ZLIB, 9).status ==
          ACCEL_STATUS_CORRUPT_INPUT);
  }
  SECTION("what follows the first member is told by consumed") {
    const Outcome two = bench.inflate(gzip("00") + gzip("00"), ACCEL_FRAMING_GZIP, 8);
    CHECK(two.status == ACCEL_STATUS_OK);
    CHECK(two.output == text("a"));
    CHECK(two.consumed == gzip("00").size());
    CHECK(bench.inflate(hex("0300") + text("rest"), ACCEL_FRAMING_RAW, 8).consumed == 2);
  }
}

TEST_CASE("Room decides between OK and OUTPUT_FULL to the octet, and a stream cut short is corrupt") {
  Bench bench;
  Random random(7);
  for (const std::size_t size : {1, 2, 13, 255, 4'095, 32'769, 70'001}) {
    const Octets plain = random.words(size);
    for (std::uint32_t framing = 0; framing <= ACCEL_FRAMING_GZIP; ++framing) {
      const Octets stream = bench.deflate(plain, framing);
      const AccelJob compress = job(ACCEL_OP_DEFLATE_COMPRESS, framing);
      CHECK(bench.run(compress, plain, stream.size()).output == stream);
      CHECK(bench.run(compress, plain, stream.size() - 1).status == ACCEL_STATUS_OUTPUT_FULL);
      CHECK(bench.inflate(stream, framing, size).output == plain);
      CHECK(bench.inflate(stream, framing, size - 1).status == ACCEL_STATUS_OUTPUT_FULL);
      Octets cut = stream;
      cut.pop_back();
      CHECK(bench.inflate(cut, framing, size).status == ACCEL_STATUS_CORRUPT_INPUT);
      CHECK(bench.inflate(cut, framing, size + 1).status == ACCEL_STATUS_CORRUPT_INPUT);
    }
    for (std::uint32_t frame = 0; frame <= 1; ++frame) {
      const Octets stream = bench.lz4(plain, frame);
      const AccelJob compress = job(ACCEL_OP_LZ4_COMPRESS, frame);
      CHECK(bench.run(compress, plain, stream.size()).output == stream);
      CHECK(bench.run(compress, plain, stream.size() - 1).status == ACCEL_STATUS_OUTPUT_FULL);
      CHECK(bench.unlz4(stream, frame, size).output == plain);
      CHECK(bench.unlz4(stream, frame, size - 1).status == ACCEL_STATUS_OUTPUT_FULL);
      Octets cut = stream;
      cut.pop_back();
      CHECK(bench.unlz4(cut, frame, size + 1).status == ACCEL_STATUS_CORRUPT_INPUT);
    }
  }
}

TEST_CASE("LZ4 blocks and frames follow their format descriptions") {
  Bench bench;
  // Token: literals 5, no match. Token: literal 1, match 4 + 10 at offset 1; the last sequence has 5 literals: 20
  // octets.
  const Octets hello = hex("50") + text("hello"), run = hex("1a 61 0100 50 6161616161");
  CHECK(bench.unlz4(hello, 0, 5).output == text("hello"));
  CHECK(bench.unlz4(run, 0, 20).output == Octets(20, 'a'));
  CHECK(bench.unlz4(run, 0, 19).status == ACCEL_STATUS_OUTPUT_FULL);
  CHECK(bench.unlz4(run, 0, 3).status == ACCEL_STATUS_OUTPUT_FULL);
  CHECK(bench.unlz4(hello, 0, 0).status == ACCEL_STATUS_OUTPUT_FULL);
  CHECK(bench.unlz4(hex("00"), 0, 0).status == ACCEL_STATUS_OK);
  CHECK(bench.unlz4({}, 0, 100).status == ACCEL_STATUS_CORRUPT_INPUT);
  CHECK(bench.unlz4(hex("1a 61 0200 50 6161616161"), 0, 20).status == ACCEL_STATUS_CORRUPT_INPUT);  // before the start
  CHECK(bench.unlz4(hex("1a 61 0000 50 6161616161"), 0, 0).status == ACCEL_STATUS_OUTPUT_FULL);     // full comes first
  CHECK(to_hex(bench.lz4({}, 0)) == "00");
  CHECK(to_hex(bench.lz4(text("hello"), 0)) == to_hex(hello));

  // Magic number, FLG (version 01, independent blocks), BD (64 KiB), header checksum; a stored block; end mark.
  const Octets frame = hex("04224d18 60 40 82 05000080") + text("hello") + hex("00000000");
  const Outcome one = bench.unlz4(frame + text("more"), 1, 5);
  CHECK(one.status == ACCEL_STATUS_OK);
  CHECK(one.output == text("hello"));
  CHECK(one.consumed == frame.size());
  Octets bad = frame;
  bad[6] ^= 1;
  CHECK(bench.unlz4(bad, 1, 5).status == ACCEL_STATUS_CORRUPT_INPUT);
  // A skippable frame of 3 octets.
  const Outcome skipped = bench.unlz4(hex("502a4d18 03000000 010203") + frame, 1, 5);
  CHECK(skipped.status == ACCEL_STATUS_OK);
  CHECK(skipped.output.empty());
  CHECK(skipped.consumed == 11);
  CHECK(bench.unlz4(hex("02214c18 06000000") + hello, 1, 5).status == ACCEL_STATUS_CORRUPT_INPUT);  // legacy frame
  CHECK(bench.unlz4({}, 1, 5).status == ACCEL_STATUS_CORRUPT_INPUT);
}

TEST_CASE("Checksums give their check values and chain") {
  Bench bench;
  const auto value = [&](std::uint8_t opcode, std::uint32_t before, const Octets& data) {
    const Outcome outcome = bench.run(job(opcode, before), data, 0);
    CHECK(outcome.status == ACCEL_STATUS_OK);
    CHECK(outcome.output.empty());
    CHECK(outcome.consumed == data.size());
    return outcome.value;
  };
  CHECK(value(ACCEL_OP_CRC32, 0, text("123456789")) == 0xcbf43926);
  CHECK(value(ACCEL_OP_ADLER32, 1, text("Wikipedia")) == 0x11e60398);
  CHECK(value(ACCEL_OP_CRC32, 0, {}) == 0);
  CHECK(value(ACCEL_OP_ADLER32, 1, {}) == 1);
  CHECK(value(ACCEL_OP_CRC32, 0x12345678, {}) == 0x12345678);
  CHECK(value(ACCEL_OP_ADLER32, 0x00620062, {}) == 0x00620062);
  CHECK(value(ACCEL_OP_CRC32, static_cast<std::uint32_t>(value(ACCEL_OP_CRC32, 0, text("1234"))), text("56789")) ==
        0xcbf43926);
  CHECK(value(ACCEL_OP_ADLER32, static_cast<std::uint32_t>(value(ACCEL_OP_ADLER32, 1, text("Wiki"))), text("pedia")) ==
        0x11e60398);
}

TEST_CASE("Jobs of compression that break a rule are refused before any octet moves") {
  Bench bench;
  const auto status = [&](const AccelJob& job) {
    const Outcome outcome = bench.run(job, text("abc"), 64);
    return outcome.refused ? outcome.status : std::uint8_t{ACCEL_STATUS_OK};
  };
  CHECK(status(job(ACCEL_OP_DEFLATE_COMPRESS, 2, 9)) == ACCEL_STATUS_OK);
  CHECK(status(job(ACCEL_OP_DEFLATE_COMPRESS, 3)) == ACCEL_STATUS_BAD_FLAGS);
  CHECK(status(job(ACCEL_OP_DEFLATE_COMPRESS, 0, 10)) == ACCEL_STATUS_BAD_FLAGS);
  CHECK(status(job(ACCEL_OP_DEFLATE_DECOMPRESS, 3)) == ACCEL_STATUS_BAD_FLAGS);
  CHECK(status(job(ACCEL_OP_DEFLATE_DECOMPRESS, 0, 1)) == ACCEL_STATUS_BAD_FLAGS);
  CHECK(status(job(ACCEL_OP_LZ4_COMPRESS, 2)) == ACCEL_STATUS_BAD_FLAGS);
  CHECK(status(job(ACCEL_OP_LZ4_COMPRESS, 0, 1)) == ACCEL_STATUS_BAD_FLAGS);
  CHECK(status(job(ACCEL_OP_LZ4_DECOMPRESS, 2)) == ACCEL_STATUS_BAD_FLAGS);
  CHECK(status(job(ACCEL_OP_CRC32, 0xffffffff)) == ACCEL_STATUS_OK);
  CHECK(status(job(ACCEL_OP_ADLER32, 65'520)) == ACCEL_STATUS_OK);
  CHECK(status(job(ACCEL_OP_ADLER32, 65'521)) == ACCEL_STATUS_BAD_FLAGS);
  CHECK(status(job(ACCEL_OP_ADLER32, 65'521U << 16)) == ACCEL_STATUS_BAD_FLAGS);
  CHECK(status(job(0x26)) == ACCEL_STATUS_BAD_OPCODE);
  CHECK(status(job(ACCEL_OP_SHA256)) == ACCEL_STATUS_BAD_OPCODE);
  AccelJob keyed = job(ACCEL_OP_CRC32);
  keyed.key = 1;
  CHECK(status(keyed) == ACCEL_STATUS_BAD_FLAGS);
  AccelJob flagged = job(ACCEL_OP_CRC32);
  flagged.flags = ACCEL_FLAG_STREAM_OPEN;
  CHECK(status(flagged) == ACCEL_STATUS_BAD_FLAGS);
  AccelJob large = job(ACCEL_OP_CRC32);
  large.source_length = ACCEL_MAX_JOB;
  CHECK(bench.function.check(large) == ACCEL_STATUS_OK);
  large.source_length = ACCEL_MAX_JOB + 1;
  CHECK(bench.function.check(large) == ACCEL_STATUS_BAD_LENGTH);
}

TEST_CASE("An instance has the opcodes that its configuration names") {
  // BlueField-3 by NVIDIA's "DOCA Compress": decompression of DEFLATE and LZ4 only.
  const auto config = dpusim::accel::CompressConfig::table().parse(
      {{"functions", {"deflate_decompress", "lz4_decompress"}}, {"window", "4 KiB"}}, "c0");
  Bench bench(config);
  CHECK(bench.run(job(ACCEL_OP_DEFLATE_COMPRESS), text("a"), 64).status == ACCEL_STATUS_BAD_OPCODE);
  CHECK(bench.run(job(ACCEL_OP_LZ4_COMPRESS), text("a"), 64).status == ACCEL_STATUS_BAD_OPCODE);
  CHECK(bench.run(job(ACCEL_OP_CRC32), text("a"), 64).status == ACCEL_STATUS_BAD_OPCODE);
  CHECK(bench.inflate(hex("4b0400"), ACCEL_FRAMING_RAW, 1).output == text("a"));
  CHECK(bench.unlz4(hex("50") + text("hello"), 0, 5).output == text("hello"));
  CHECK_THROWS_WITH(dpusim::accel::CompressConfig::table().parse({{"functions", {"zip"}}}, "c0"),
                    Catch::Contains("c0.functions[0]") && Catch::Contains("zip"));
  CHECK_THROWS_WITH(dpusim::accel::CompressConfig::table().parse({{"window", "600 B"}}, "c0"),
                    Catch::Contains("c0.window"));
}

TEST_CASE("A small window reaches back no further than it says") {
  // 600 octets of noise twice: a window of 512 octets cannot see the first copy from the second, one of 1 KiB can.
  Random random(3);
  const Octets noise = random.octets(600), plain = noise + noise;
  dpusim::accel::CompressConfig small, larger;
  small.window = dpusim::Bytes{512};
  larger.window = dpusim::Bytes{1024};
  Bench a(small), b(larger);
  const Octets far = a.deflate(plain, ACCEL_FRAMING_ZLIB), near = b.deflate(plain, ACCEL_FRAMING_ZLIB);
  CHECK(far.size() > plain.size());
  CHECK(near.size() < 700);
  // RFC 1950: CINFO is the window's logarithm less 8.
  CHECK(far[0] == 0x18);
  CHECK(near[0] == 0x28);
  CHECK(a.inflate(near, ACCEL_FRAMING_ZLIB, plain.size()).output == plain);
}

TEST_CASE("Rates of compression: whole cycles of the larger side, by opcode") {
  using dpusim::Time;
  const dpusim::accel::CompressConfig config;  // 1 GHz: 1000 ps a cycle; one engine
  const dpusim::accel::CompressTiming timing(config);
  // 788 octets a microsecond, the measured 788 MB/s.
  CHECK(timing.service(job(ACCEL_OP_DEFLATE_COMPRESS), 788, 100) == Time(1'000'000));
  CHECK(timing.service(job(ACCEL_OP_DEFLATE_COMPRESS), 789, 100) == Time(1'002'000));  // 1001.27 cycles
  CHECK(timing.service(job(ACCEL_OP_DEFLATE_DECOMPRESS), 100, 1'000) == Time(500'000));
  CHECK(timing.service(job(ACCEL_OP_LZ4_COMPRESS), 1'000, 10) == Time(500'000));
  CHECK(timing.service(job(ACCEL_OP_LZ4_DECOMPRESS), 10, 1'000) == Time(250'000));
  CHECK(timing.service(job(ACCEL_OP_CRC32), 17, 0) == Time(2'000));
  CHECK(config.engines == 1);
}
