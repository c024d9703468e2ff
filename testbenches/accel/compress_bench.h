// A compression function and its jobs.
#pragma once

#include "accel/compress/compress_function.h"
#include "function_bench.h"

namespace compress_bench {

using namespace function_bench;

inline AccelJob job(std::uint8_t opcode, std::uint32_t parameter0 = 0, std::uint32_t parameter1 = 0) {
  AccelJob job{};
  job.opcode = opcode;
  job.parameter0 = parameter0;
  job.parameter1 = parameter1;
  return job;
}

struct Bench {
  explicit Bench(const dpusim::accel::CompressConfig& config = {}) : function(config) {}
  Outcome run(const AccelJob& job, const Octets& source, std::size_t room) {
    return function_bench::run(function, job, source, room);
  }
  Octets deflate(const Octets& plain, std::uint32_t framing, std::uint32_t level = 0) {
    const Outcome outcome = run(job(ACCEL_OP_DEFLATE_COMPRESS, framing, level), plain, plain.size() * 2 + 64);
    REQUIRE(outcome.status == ACCEL_STATUS_OK);
    REQUIRE(outcome.consumed == plain.size());
    return outcome.output;
  }
  Outcome inflate(const Octets& stream, std::uint32_t framing, std::size_t room) {
    return run(job(ACCEL_OP_DEFLATE_DECOMPRESS, framing), stream, room);
  }
  Octets lz4(const Octets& plain, std::uint32_t frame) {
    const Outcome outcome = run(job(ACCEL_OP_LZ4_COMPRESS, frame), plain, plain.size() * 2 + 64);
    REQUIRE(outcome.status == ACCEL_STATUS_OK);
    REQUIRE(outcome.consumed == plain.size());
    return outcome.output;
  }
  Outcome unlz4(const Octets& stream, std::uint32_t frame, std::size_t room) {
    return run(job(ACCEL_OP_LZ4_DECOMPRESS, frame), stream, room);
  }
  dpusim::accel::CompressFunction function;
};

}  // namespace compress_bench
