// Every accelerator under random jobs, rings, registers and doorbells. A bounded number of jobs; DPUSIM_FUZZ_SECONDS
// asks for more.
#include "fuzz_bench.h"

#include "accel/compress/compress_type.h"
#include "accel/crypto/crypto_type.h"
#include "accel/dma/dma_type.h"
#include "accel/regex/regex_function.h"
#include "accel/regex/regex_timing.h"
#include "accel/regex/rule_file.h"

using namespace fuzz_bench;

namespace {

constexpr double kJobs = 10'000;

void no_source(AccelJob& job) {
  job.source = 0;
  job.source_length = 0;
}

}  // namespace

TEST_CASE("DMA withstands random jobs") {
  Run run;
  BlockContext context(run.simulation, "parts", Fidelity::kApproximate);
  Fuzz fuzz({.parts = make_parts(context, DmaConfig{}),
             .opcodes = {ACCEL_OP_COPY, ACCEL_OP_FILL, ACCEL_OP_COPY_CRC, ACCEL_OP_NOP},
             .shape =
                 [](Random& random, AccelJob& job, std::span<std::uint8_t>) {
                   if (job.opcode == ACCEL_OP_NOP && random.below(4) != 0) job = {};
                   if (job.opcode != ACCEL_OP_FILL) return;
                   no_source(job);
                   job.parameter0 = static_cast<std::uint32_t>(random());
                 }},
            1);
  fuzz.run(kJobs);
  CHECK(fuzz.jobs("jobs_ok") > kJobs / 10);
  for (const char* outcome :
       {"failed_bad_opcode", "failed_bad_length", "failed_bad_flags", "failed_bad_segments", "failed_source_bus_error",
        "failed_destination_bus_error", "failed_descriptor_bus_error", "failed_output_full"}) {
    INFO(outcome);
    CHECK(fuzz.jobs(outcome) > 0);
  }
}

TEST_CASE("Crypto withstands random jobs") {
  Run run;
  BlockContext context(run.simulation, "parts", Fidelity::kApproximate);
  CryptoConfig config;
  config.keys = 4;
  Fuzz fuzz({.parts = make_parts(context, config),
             .opcodes = {ACCEL_OP_AES_GCM_ENCRYPT, ACCEL_OP_AES_GCM_DECRYPT, ACCEL_OP_AES_XTS_ENCRYPT,
                         ACCEL_OP_AES_XTS_DECRYPT, ACCEL_OP_SHA256, ACCEL_OP_SHA512, ACCEL_OP_HMAC_SHA256,
                         ACCEL_OP_HMAC_SHA512},
             .shape =
                 [](Random& random, AccelJob& job, std::span<std::uint8_t>) {
                   if (job.opcode != ACCEL_OP_SHA256 && job.opcode != ACCEL_OP_SHA512) {
                     job.key = static_cast<std::uint16_t>(random.below(4));
                   }
                   const bool gcm = job.opcode == ACCEL_OP_AES_GCM_ENCRYPT || job.opcode == ACCEL_OP_AES_GCM_DECRYPT;
                   const bool xts = job.opcode == ACCEL_OP_AES_XTS_ENCRYPT || job.opcode == ACCEL_OP_AES_XTS_DECRYPT;
                   if (gcm && random.below(2) == 0) {
                     job.aad_length = static_cast<std::uint32_t>(random.below(job.source_length + 1ULL));
                   }
                   if (xts) job.parameter0 = static_cast<std::uint32_t>(random.below(2) == 0 ? job.source_length : 64);
                   for (unsigned i = 0; i < (gcm ? 12U : xts ? 16U : 0U); ++i)
                     job.iv[i] = static_cast<std::uint8_t>(random());
                 }},
            2);
  fuzz.run(kJobs);
  CHECK(fuzz.jobs("jobs_ok") > kJobs / 20);
  CHECK(fuzz.jobs("failed_bad_key") > 0);
  CHECK(fuzz.jobs("failed_authentication") > 0);
}

TEST_CASE("Compression withstands random jobs") {
  Run run;
  BlockContext context(run.simulation, "parts", Fidelity::kApproximate);
  Fuzz fuzz({.parts = make_parts(context, CompressConfig{}),
             .opcodes = {ACCEL_OP_DEFLATE_COMPRESS, ACCEL_OP_DEFLATE_DECOMPRESS, ACCEL_OP_LZ4_COMPRESS,
                         ACCEL_OP_LZ4_DECOMPRESS, ACCEL_OP_CRC32, ACCEL_OP_ADLER32},
             .shape =
                 [](Random& random, AccelJob& job, std::span<std::uint8_t> source) {
                   job.parameter0 =
                       static_cast<std::uint32_t>(random.below(job.opcode <= ACCEL_OP_DEFLATE_DECOMPRESS ? 3 : 2));
                   if (job.opcode == ACCEL_OP_DEFLATE_COMPRESS)
                     job.parameter1 = static_cast<std::uint32_t>(random.below(10));
                   if (random.below(2) == 0) {
                     for (std::uint8_t& octet : source) octet &= 3;  // has something to find
                   }
                 }},
            3);
  fuzz.run(kJobs);
  CHECK(fuzz.jobs("jobs_ok") > kJobs / 20);
  CHECK(fuzz.jobs("failed_corrupt_input") > 0);
  CHECK(fuzz.jobs("failed_output_full") > 0);
}

TEST_CASE("Regular expressions withstand random jobs") {
  RegexConfig config;
  config.streams = 4;
  config.most_matches = 500;
  std::vector<std::vector<Rule>> sets = {parse_rules("1 /ab+c/\n2 /[a-d]{3}/\n", "first"),
                                         parse_rules("7 /^a.*d$/s\n", "second")};
  Fuzz fuzz({.parts = {.type = ACCEL_TYPE_REGEX,
                       .function = std::make_unique<RegexFunction>(config, std::move(sets)),
                       .timing = std::make_unique<RegexTiming>(config)},
             .opcodes = {ACCEL_OP_REGEX_SCAN, ACCEL_OP_REGEX_STREAM},
             .shape =
                 [](Random& random, AccelJob& job, std::span<std::uint8_t> source) {
                   for (std::uint8_t& octet : source) octet = static_cast<std::uint8_t>('a' + (octet & 3));
                   const auto set = static_cast<std::uint16_t>(random.below(20) == 0 ? 2 : random.below(2));
                   job.parameter0 = static_cast<std::uint32_t>(random.below(2) == 0 ? 0 : random.below(9));
                   job.destination_length *= 24;
                   job.key = set;
                   if (job.opcode == ACCEL_OP_REGEX_SCAN) return;
                   job.key = static_cast<std::uint16_t>(random.below(6));
                   job.flags = static_cast<std::uint8_t>(random.below(4));
                   if ((job.flags & ACCEL_FLAG_STREAM_OPEN) != 0) job.parameter1 = set;
                 }},
            4);
  fuzz.run(kJobs);
  CHECK(fuzz.jobs("jobs_ok") > kJobs / 20);
  CHECK(fuzz.jobs("failed_bad_key") > 0);
  CHECK(fuzz.jobs("failed_stream") > 0);
  CHECK(fuzz.jobs("failed_limit") + fuzz.jobs("failed_output_full") > 0);
}
