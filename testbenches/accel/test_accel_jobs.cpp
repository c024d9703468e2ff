// What is wrong with jobs, and what they may touch.
#include "accel_bench.h"

using namespace accel_bench;

TEST_CASE("NOP does nothing and takes its set-up") {
  DmaBench bench;
  bench.start();
  AccelJob job{};
  job.cookie = 9;
  const AccelCompletion entry = bench.serve(job);
  CHECK(entry.status == ACCEL_STATUS_OK);
  CHECK(entry.cookie == 9);
  CHECK(entry.service_ns == 100);
  CHECK(bench.world.between(0x100000, ~0ULL).empty());
  job.parameter1 = 1;
  CHECK(bench.serve(job).status == ACCEL_STATUS_BAD_FLAGS);
  job = {};
  job.iv[15] = 1;
  CHECK(bench.serve(job).status == ACCEL_STATUS_BAD_FLAGS);
  CHECK(bench.stat("jobs_ok") == 1);
  CHECK(bench.stat("failed_bad_flags") == 2);
}

TEST_CASE("A refused job touches no memory and takes its set-up") {
  ScriptedBench bench;
  bench.start();
  const std::uint8_t reasons[] = {ACCEL_STATUS_BAD_OPCODE, ACCEL_STATUS_BAD_LENGTH, ACCEL_STATUS_BAD_FLAGS,
                                  ACCEL_STATUS_BAD_KEY};
  for (const std::uint8_t reason : reasons) {
    bench.function.refuse = reason;
    AccelJob job = ScriptedBench::scripted(64, 64);
    job.source_segments = 4;
    const AccelCompletion entry = bench.serve(job);
    CHECK(entry.status == reason);
    CHECK(entry.service_ns == 100);
    CHECK(entry.produced == 0);
  }
  CHECK(bench.function.runs == 0);
  CHECK(bench.world.between(0x100000, ~0ULL).empty());
}

TEST_CASE("Lengths and segments have limits") {
  ScriptedBench bench;
  bench.start();
  const auto status = [&bench](auto change) {
    AccelJob job = ScriptedBench::scripted(64, 64);
    change(job);
    return bench.serve(job).status;
  };
  CHECK(status([](AccelJob& job) { job.source_length = ACCEL_MAX_JOB + 1; }) == ACCEL_STATUS_BAD_LENGTH);
  CHECK(status([](AccelJob& job) { job.destination_length = ACCEL_MAX_JOB + 1; }) == ACCEL_STATUS_BAD_LENGTH);
  CHECK(status([](AccelJob& job) { job.destination_length = ACCEL_MAX_JOB; }) == ACCEL_STATUS_OK);
  CHECK(status([](AccelJob& job) { job.source_segments = ACCEL_MAX_SEGMENTS + 1; }) == ACCEL_STATUS_BAD_SEGMENTS);
  CHECK(status([](AccelJob& job) { job.destination_segments = ACCEL_MAX_SEGMENTS + 1; }) == ACCEL_STATUS_BAD_SEGMENTS);
  CHECK(bench.world.between(0x200000, ~0ULL).empty());
  CHECK(status([](AccelJob& job) {
          job.source_length = 0;
          job.source_segments = 1;
        }) == ACCEL_STATUS_BAD_SEGMENTS);
  CHECK(status([](AccelJob& job) { job.source_length = job.destination_length = 0; }) == ACCEL_STATUS_OK);
}

TEST_CASE("Segment lists are checked before any data moves") {
  ScriptedBench bench;
  bench.start();
  const std::uint64_t list = 0x110000;
  const auto status = [&bench, list](std::vector<AccelSegment> segments, bool source) {
    for (std::size_t i = 0; i < segments.size(); ++i) bench.put(list + 16 * i, segments[i]);
    AccelJob job = ScriptedBench::scripted(64, 64);
    (source ? job.source : job.destination) = list;
    (source ? job.source_segments : job.destination_segments) = static_cast<std::uint16_t>(segments.size());
    return bench.serve(job).status;
  };
  for (const bool source : {true, false}) {
    const unsigned runs = bench.function.runs;
    CHECK(status({{0x100000, 63, 0}}, source) == ACCEL_STATUS_BAD_SEGMENTS);
    CHECK(status({{0x100000, 63, 0}, {0x100000, 2, 0}}, source) == ACCEL_STATUS_BAD_SEGMENTS);
    CHECK(status({{0x100000, 64, 0}, {0x100000, 0, 0}}, source) == ACCEL_STATUS_BAD_SEGMENTS);
    CHECK(status({{0x100000, 64, 1}}, source) == ACCEL_STATUS_BAD_SEGMENTS);
    // 2^32 + 64 octets in all: the sum does not wrap.
    CHECK(status({{0x100000, 0xffffffff, 0}, {0x100000, 65, 0}}, source) == ACCEL_STATUS_BAD_SEGMENTS);
    CHECK(bench.function.runs == runs);
    CHECK(status(std::vector<AccelSegment>(64, AccelSegment{0x100000, 1, 0}), source) == ACCEL_STATUS_OK);
    CHECK(bench.function.runs == runs + 1);
  }
}

TEST_CASE("256 segments of one octet are gathered and scattered") {
  DmaBench bench;
  bench.start();
  bench.fill_source(256);
  for (unsigned i = 0; i < 256; ++i) {
    bench.put(0x110000 + 16ULL * i, AccelSegment{0x100000 + i, 1, 0});
    bench.put(0x120000 + 16ULL * i, AccelSegment{0x200000 + 255 - i, 1, 0});
  }
  AccelJob job = DmaBench::copy(256, 0x110000, 0x120000);
  job.source_segments = job.destination_segments = 256;
  CHECK(bench.serve(job).status == ACCEL_STATUS_OK);
  for (unsigned i = 0; i < 256; ++i)
    REQUIRE(bench.world.memory[0x200000 + i] == bench.world.memory[0x100000 + 255 - i]);
}

TEST_CASE("Bus errors end a job with their status") {
  DmaBench bench;
  bench.start();
  const auto serve = [&bench](std::uint64_t bad, AccelJob job = DmaBench::copy(1024)) {
    bench.world.bad_begin = bad;
    bench.world.bad_end = bad + 1;
    return bench.serve(job);
  };
  SECTION("in the source: nothing is written") {
    const AccelCompletion entry = serve(0x100000 + 600);
    CHECK(entry.status == ACCEL_STATUS_SOURCE_BUS_ERROR);
    CHECK(entry.produced == 0);
    CHECK(entry.consumed == 0);
    CHECK(bench.world.between(0x200000, ~0ULL).empty());
    CHECK(bench.world.between(0x100000, 0x200000).size() == 3);  // the third failed, and was the last
  }
  SECTION("in the destination: the octets before it are there") {
    bench.fill_source(1024);
    const AccelCompletion entry = serve(0x200000 + 600);
    CHECK(entry.status == ACCEL_STATUS_DESTINATION_BUS_ERROR);
    CHECK(entry.produced == 0);
    CHECK(bench.copied(512));
    CHECK(bench.world.memory[0x200000 + 512] == 0);
    CHECK(bench.stat("octets_out") == 512);
  }
  SECTION("of a long copy, late in its source: what came before may be written, and the completion counts none") {
    bench.fill_source(5000);
    const AccelCompletion entry = serve(0x100000 + 4500, DmaBench::copy(5000));
    CHECK(entry.status == ACCEL_STATUS_SOURCE_BUS_ERROR);
    CHECK(entry.produced == 0);
    CHECK(bench.copied(1024));
    CHECK(std::all_of(&bench.world.memory[0x200000 + 4352], &bench.world.memory[0x200000 + 5000],
                      [](std::uint8_t octet) { return octet == 0; }));
  }
  SECTION("of a long copy, early in its destination, while it is read") {
    const AccelCompletion entry = serve(0x200000 + 300, DmaBench::copy(5000));
    CHECK(entry.status == ACCEL_STATUS_DESTINATION_BUS_ERROR);
    CHECK(entry.produced == 0);
    CHECK(bench.world.between(0x200000, ~0ULL).size() == 2);
  }
  SECTION("in a segment list") {
    AccelJob job = DmaBench::copy(64, 0x110000);
    job.source_segments = 3;
    CHECK(serve(0x110020, job).status == ACCEL_STATUS_DESCRIPTOR_BUS_ERROR);
    job = DmaBench::copy(64, 0x100000, 0x110000);
    job.destination_segments = 3;
    CHECK(serve(0x110020, job).status == ACCEL_STATUS_DESCRIPTOR_BUS_ERROR);
    CHECK(bench.world.between(0x200000, ~0ULL).empty());
  }
  SECTION("beyond the end of the address space") {
    CHECK(serve(0, DmaBench::copy(64, ~0ULL - 62)).status == ACCEL_STATUS_SOURCE_BUS_ERROR);
    CHECK(serve(0, DmaBench::copy(64, 0x100000, ~0ULL - 62)).status == ACCEL_STATUS_DESTINATION_BUS_ERROR);
    AccelJob job = DmaBench::copy(64, ~0ULL - 14);
    job.source_segments = 1;
    CHECK(serve(0, job).status == ACCEL_STATUS_DESCRIPTOR_BUS_ERROR);
    bench.put(0x110000, AccelSegment{~0ULL - 62, 64, 0});
    job = DmaBench::copy(64, 0x110000);
    job.source_segments = 1;
    CHECK(serve(0, job).status == ACCEL_STATUS_SOURCE_BUS_ERROR);
    for (const World::Access& access : bench.world.accesses) REQUIRE(access.address >= 0x1000);
  }
  // The queue goes on.
  CHECK(serve(0).status == ACCEL_STATUS_OK);
  CHECK(bench.engine.submission_ring(0).state == ACCEL_STATE_READY);
  CHECK(bench.broken().empty());
}

TEST_CASE("A function's failure is told, with what it produced") {
  ScriptedBench bench;
  bench.start();
  bench.function.result = {.status = ACCEL_STATUS_OUTPUT_FULL, .produced = 48, .consumed = 64, .value = 5};
  AccelCompletion entry = bench.serve(ScriptedBench::scripted(64, 50));
  CHECK(entry.status == ACCEL_STATUS_OUTPUT_FULL);
  CHECK(entry.produced == 48);
  CHECK(entry.value == 5);
  CHECK(bench.world.memory[0x200000 + 47] == 0xdd);
  CHECK(bench.world.memory[0x200000 + 48] == 0);
  bench.function.result = {.status = ACCEL_STATUS_AUTHENTICATION};
  CHECK(bench.serve(ScriptedBench::scripted(64, 50)).status == ACCEL_STATUS_AUTHENTICATION);
  CHECK(bench.stat("failed_output_full") == 1);
  CHECK(bench.stat("failed_authentication") == 1);
}

TEST_CASE("DMA copies, fills and sums") {
  DmaBench bench;
  bench.start();
  const char text[] = "123456789";
  std::memcpy(&bench.world.memory[0x100000], text, 9);
  AccelJob job = DmaBench::copy(9);
  job.opcode = ACCEL_OP_COPY_CRC;
  AccelCompletion entry = bench.serve(job);
  CHECK(entry.value == 0xcbf43926);  // check value of CRC-32/ISO-HDLC in the catalogue of parametrised CRC algorithms
  CHECK(std::memcmp(&bench.world.memory[0x200000], text, 9) == 0);
  job.destination_length = 8;
  CHECK(bench.serve(job).status == ACCEL_STATUS_OUTPUT_FULL);
  job.destination_length = 100;
  CHECK(bench.serve(job).produced == 9);
  job.source_length = 0;
  CHECK(bench.serve(job).status == ACCEL_STATUS_BAD_LENGTH);
  job = DmaBench::copy(9);
  job.key = 1;
  CHECK(bench.serve(job).status == ACCEL_STATUS_BAD_FLAGS);
  job = DmaBench::copy(9);
  job.flags = ACCEL_FLAG_STREAM_END;
  CHECK(bench.serve(job).status == ACCEL_STATUS_BAD_FLAGS);
  job.opcode = ACCEL_OP_SHA256;
  CHECK(bench.serve(job).status == ACCEL_STATUS_BAD_OPCODE);

  AccelJob fill{};
  fill.opcode = ACCEL_OP_FILL;
  fill.destination = 0x200000;
  fill.destination_length = 8195;
  fill.parameter0 = 0x04030201;
  fill.parameter1 = 0x08070605;
  entry = bench.serve(fill);
  CHECK(entry.status == ACCEL_STATUS_OK);
  CHECK(entry.produced == 8195);
  for (std::uint32_t i = 0; i < 8195; ++i) REQUIRE(bench.world.memory[0x200000 + i] == i % 8 + 1);
  CHECK(bench.world.memory[0x200000 + 8195] == 0);
  fill.destination_length = 3;
  CHECK(bench.serve(fill).produced == 3);
  fill.source_length = 8;
  CHECK(bench.serve(fill).status == ACCEL_STATUS_BAD_LENGTH);
}
