// What gzip, lz4 and Python make of our streams and we of theirs; damaged streams.
#include <array>

#include "compress_bench.h"

using namespace compress_bench;

namespace {

const std::array<std::size_t, 12> kSizes = {0, 1, 2, 63, 64, 1'000, 4'097, 65'535, 65'536, 65'537, 300'001, 1'048'576};

Octets sample(Random& random, std::size_t size, std::size_t kind) {
  if (kind == 0) return random.words(size);
  return kind == 1 ? random.octets(size) : Octets(size, 0);
}

}  // namespace

TEST_CASE("gzip reads what we compress and we read what gzip compresses") {
  Bench bench;
  Random random(11);
  const Folder folder;
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    const Octets plain = sample(random, kSizes[i], i % 3);
    const Octets stream = bench.deflate(plain, ACCEL_FRAMING_GZIP, static_cast<std::uint32_t>(i % 10));
    folder.write("ours.gz", stream);
    folder.write("plain", plain);
    REQUIRE(folder.shell("gzip -dc ours.gz > back && gzip -kf -" + std::to_string(1 + i % 9) + " plain") == 0);
    CHECK(folder.read("back") == plain);
    const Octets theirs = folder.read("plain.gz");
    const Outcome outcome = bench.inflate(theirs + text("trailing"), ACCEL_FRAMING_GZIP, plain.size());
    CHECK(outcome.status == ACCEL_STATUS_OK);
    CHECK((outcome.output == plain && outcome.consumed == theirs.size()));
  }
}

TEST_CASE("Python's zlib reads our raw and zlib streams and we read its own, and checksums agree") {
  Bench bench;
  Random random(12);
  const Folder folder;
  std::vector<Octets> plains;
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    const Octets plain = sample(random, kSizes[i], (i + 1) % 3);
    const std::string name = std::to_string(i);
    folder.write(name + ".plain", plain);
    folder.write(name + ".raw", bench.deflate(plain, ACCEL_FRAMING_RAW, static_cast<std::uint32_t>((i + 4) % 10)));
    folder.write(name + ".zlib", bench.deflate(plain, ACCEL_FRAMING_ZLIB, static_cast<std::uint32_t>((i + 7) % 10)));
    plains.push_back(plain);
  }
  const std::string script =
      "import zlib,struct\n"
      "for i in range(" +
      std::to_string(kSizes.size()) +
      "):\n"
      "  get=lambda e: open(f'{i}.{e}','rb').read()\n"
      "  plain=get('plain')\n"
      "  assert zlib.decompress(get('raw'),-15)==plain and zlib.decompress(get('zlib'))==plain\n"
      "  raw=zlib.compressobj(i%9+1,zlib.DEFLATED,-(9+i%7),9,i%5)\n"  // levels, windows, strategies (4: fixed codes)
      "  open(f'{i}.raw','wb').write(raw.compress(plain)+raw.flush())\n"
      "  z=zlib.compressobj(i%10,zlib.DEFLATED,9+i%7,1+i%9,i%5)\n"  // level 0: stored blocks
      "  open(f'{i}.zlib','wb').write(z.compress(plain)+z.flush())\n"
      "  open(f'{i}.sums','wb').write(struct.pack('<II',zlib.crc32(plain),zlib.adler32(plain)))\n";
  folder.write("peer.py", text(script));
  REQUIRE(folder.shell("python3 peer.py") == 0);
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    const std::string name = std::to_string(i);
    const Octets raw = folder.read(name + ".raw"), zlib = folder.read(name + ".zlib"),
                 sums = folder.read(name + ".sums");
    const Outcome from_raw = bench.inflate(raw, ACCEL_FRAMING_RAW, plains[i].size());
    CHECK((from_raw.output == plains[i] && from_raw.consumed == raw.size()));
    const Outcome from_zlib = bench.inflate(zlib, ACCEL_FRAMING_ZLIB, plains[i].size());
    CHECK((from_zlib.output == plains[i] && from_zlib.consumed == zlib.size()));
    Octets ours;
    for (const std::uint64_t value : {bench.run(job(ACCEL_OP_CRC32, 0), plains[i], 0).value,
                                      bench.run(job(ACCEL_OP_ADLER32, 1), plains[i], 0).value}) {
      for (unsigned shift = 0; shift < 32; shift += 8) ours.push_back(static_cast<std::uint8_t>(value >> shift));
    }
    CHECK(ours == sums);
  }
}

TEST_CASE("lz4 reads our frames and we read its frames of every kind") {
  Bench bench;
  Random random(13);
  const Folder folder;
  const std::array<const char*, 6> options = {
      "-1", "-9 -BD", "-B4 --no-frame-crc", "-B7 -BX", "-B5 --content-size -BD -BX", "--fast=5"};
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    const Octets plain = sample(random, kSizes[i], i % 3);
    folder.write("ours.lz4", bench.lz4(plain, 1));
    folder.write("plain", plain);
    REQUIRE(folder.shell("lz4 -qdcf ours.lz4 > back && lz4 -qf " + std::string(options[i % options.size()]) +
                         " plain plain.lz4") == 0);
    CHECK(folder.read("back") == plain);
    const Octets theirs = folder.read("plain.lz4");
    const Outcome outcome = bench.unlz4(theirs + text("trailing"), 1, plain.size());
    CHECK(outcome.status == ACCEL_STATUS_OK);
    CHECK((outcome.output == plain && outcome.consumed == theirs.size()));
    if (!plain.empty()) CHECK(bench.unlz4(theirs, 1, plain.size() - 1).status == ACCEL_STATUS_OUTPUT_FULL);
  }
}

TEST_CASE("Every level, window and framing gives back what went in, within the bound") {
  Random random(14);
  for (std::uint64_t window = 512; window <= 32'768; window *= 8) {
    dpusim::accel::CompressConfig config;
    config.window = dpusim::Bytes{window};
    Bench bench(config);
    for (std::uint32_t level = 0; level <= 9; ++level) {
      for (std::size_t kind = 0; kind < 3; ++kind) {
        const Octets plain = sample(random, 1 + random.below(90'000), kind);
        const std::uint32_t framing = (level + static_cast<std::uint32_t>(kind)) % 3;
        const Octets stream = bench.deflate(plain, framing, level);
        REQUIRE(stream.size() <= dpusim::accel::deflate_bound(plain.size()));
        REQUIRE(bench.inflate(stream, framing, plain.size()).output == plain);
        const Octets block = bench.lz4(plain, level % 2);
        REQUIRE(block.size() <= dpusim::accel::lz4_bound(plain.size()));
        REQUIRE(bench.unlz4(block, level % 2, plain.size()).output == plain);
      }
    }
  }
}

TEST_CASE("A stream's octets do not depend on the jobs before it") {
  Bench used;
  Random random(15);
  for (unsigned i = 0; i < 60; ++i) {
    const Octets plain = sample(random, random.below(40'000), i % 2);
    const std::uint32_t level = static_cast<std::uint32_t>(random.below(10)), framing = i % 3;
    Bench fresh;
    CHECK(used.deflate(plain, framing, level) == fresh.deflate(plain, framing, level));
    CHECK(used.lz4(plain, i % 2) == fresh.lz4(plain, i % 2));
    // Leave streams behind that did not end: no room, damage.
    (void)used.run(job(ACCEL_OP_DEFLATE_COMPRESS, framing, level), plain, plain.size() / 3);
    (void)used.inflate(random.octets(100), framing, 50);
    (void)used.unlz4(random.octets(100), 1, 50);
    (void)used.run(job(ACCEL_OP_LZ4_COMPRESS, 1), plain, plain.size() / 3);
  }
}

TEST_CASE("Damaged streams end in an answer, and never in wrong octets where the format has a checksum") {
  Bench bench;
  Random random(16);
  unsigned refused = 0;
  for (unsigned i = 0; i < 1'500; ++i) {
    const Octets plain = sample(random, random.below(3'000), i % 2);
    const unsigned kind = i % 5;  // raw, zlib, gzip, LZ4 block, LZ4 frame
    Octets stream = kind < 3 ? bench.deflate(plain, kind) : bench.lz4(plain, kind - 3);
    const std::size_t whole = stream.size();
    if (random.below(3) == 0) {
      stream.resize(random.below(whole));
    } else {
      for (std::uint64_t flips = 1 + random.below(4); flips > 0; --flips) {
        stream[random.below(whole)] ^= static_cast<std::uint8_t>(1U << random.below(8));
      }
    }
    const std::size_t room = random.below(2) == 0 ? plain.size() : random.below(8'000);
    const Outcome outcome = kind < 3 ? bench.inflate(stream, kind, room) : bench.unlz4(stream, kind - 3, room);
    CHECK((outcome.status == ACCEL_STATUS_OK || outcome.status == ACCEL_STATUS_OUTPUT_FULL ||
           outcome.status == ACCEL_STATUS_CORRUPT_INPUT));
    if (outcome.status != ACCEL_STATUS_OK) {
      ++refused;
      CHECK(outcome.output.empty());
      CHECK(outcome.consumed == 0);
    } else if (kind == 1 || kind == 2) {
      CHECK(outcome.output == plain);
    }
    if (kind != 3 && stream.size() < whole) CHECK(outcome.status != ACCEL_STATUS_OK);
  }
  CHECK(refused > 1'000);
}

TEST_CASE("Noise ends in an answer") {
  Bench bench;
  Random random(17);
  for (unsigned i = 0; i < 3'000; ++i) {
    Octets noise = random.octets(random.below(600));
    const unsigned kind = i % 5;
    // Mostly behind a right header, to get further.
    const char* const headers[] = {"", "789c", "1f8b08000000000000ff", "", "04224d18604082"};
    if (i % 7 != 0) noise = hex(headers[kind]) + noise;
    const std::size_t room = random.below(5'000);
    const Outcome outcome = kind < 3 ? bench.inflate(noise, kind, room) : bench.unlz4(noise, kind - 3, room);
    CHECK(outcome.status <= ACCEL_STATUS_LIMIT);
  }
}
