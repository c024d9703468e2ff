// Measures what a job's algorithm costs the host (check, room, run) beside the plain call of the library on a context
// that is ready. Not a test. usage: function_cost [octets processed per measurement]
#define CATCH_CONFIG_RUNNER  // the benches' REQUIRE asks for a session
#include <catch2/catch.hpp>

#include <hs/hs.h>
#include <lz4.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "../compress_bench.h"
#include "../crypto_bench.h"
#include "../regex_bench.h"
#include "accel/regex/scan_runtime.h"

namespace {

using dpusim::accel::Function;
using function_bench::Octets;

double best_of(unsigned count, const std::function<void()>& work) {
  double best = 0;
  for (unsigned round = 0; round < 5; ++round) {
    const std::clock_t start = std::clock();
    for (unsigned i = 0; i < count; ++i) work();
    const double each = 1e9 * static_cast<double>(std::clock() - start) / static_cast<double>(CLOCKS_PER_SEC) / count;
    best = round == 0 ? each : std::min(best, each);
  }
  return best;
}

double budget = 4e6;

void measure(const char* name, Function& function, AccelJob job, const Octets& source, std::size_t room,
             const std::function<void()>& plain) {
  job.source_length = static_cast<std::uint32_t>(source.size());
  job.destination_length = static_cast<std::uint32_t>(room);
  Octets out(room);
  const auto count =
      static_cast<unsigned>(std::max(20.0, std::min(20'000.0, budget / static_cast<double>(source.size()))));
  unsigned failed = 0;
  const double whole = best_of(count, [&] {
    const bool good = function.check(job) == ACCEL_STATUS_OK && function.most_produced(job) <= room &&
                      function.run(job, source, out).status == ACCEL_STATUS_OK;
    failed += good ? 0 : 1;
  });
  const double call = best_of(count, plain);
  std::printf("%-20s %6zu octets %10.0f ns a job %10.0f ns plain %5.2f times, %u failed\n", name, source.size(), whole,
              call, whole / call, failed);
}

void crypto(std::size_t size) {
  crypto_bench::Bench bench;
  const Octets key(16, 1), source(size, 0x5a);
  Octets xts_key(32, 1);
  xts_key.back() = 2;
  bench.load(0, ACCEL_KEY_AES_128, key);
  bench.load(1, ACCEL_KEY_XTS_128, xts_key);
  bench.load(2, ACCEL_KEY_HMAC, key);
  Octets out(size + 64);
  const Octets iv(16, 0);
  int n = 0;
  EVP_CIPHER_CTX* const gcm = EVP_CIPHER_CTX_new();
  EVP_EncryptInit_ex(gcm, EVP_aes_128_gcm(), nullptr, key.data(), nullptr);
  measure("AES_GCM_ENCRYPT", bench.function, crypto_bench::gcm_job(ACCEL_OP_AES_GCM_ENCRYPT, 0, Octets(12), {}), source,
          size + 16, [&] {
            EVP_EncryptInit_ex(gcm, nullptr, nullptr, nullptr, iv.data());
            EVP_EncryptUpdate(gcm, out.data(), &n, source.data(), static_cast<int>(size));
            EVP_EncryptFinal_ex(gcm, out.data() + size, &n);
            EVP_CIPHER_CTX_ctrl(gcm, EVP_CTRL_AEAD_GET_TAG, 16, out.data() + size);
          });
  EVP_CIPHER_CTX* const xts = EVP_CIPHER_CTX_new();
  EVP_EncryptInit_ex(xts, EVP_aes_128_xts(), nullptr, xts_key.data(), nullptr);
  measure("AES_XTS_ENCRYPT", bench.function,
          crypto_bench::xts_job(ACCEL_OP_AES_XTS_ENCRYPT, 1, iv, static_cast<std::uint32_t>(size)), source, size, [&] {
            EVP_EncryptInit_ex(xts, nullptr, nullptr, nullptr, iv.data());
            EVP_EncryptUpdate(xts, out.data(), &n, source.data(), static_cast<int>(size));
          });
  unsigned written = 0;
  measure("SHA256", bench.function, crypto_bench::job(ACCEL_OP_SHA256), source, 32,
          [&] { EVP_Digest(source.data(), size, out.data(), &written, EVP_sha256(), nullptr); });
  measure("SHA512", bench.function, crypto_bench::job(ACCEL_OP_SHA512), source, 64,
          [&] { EVP_Digest(source.data(), size, out.data(), &written, EVP_sha512(), nullptr); });
  measure("HMAC_SHA256", bench.function, crypto_bench::job(ACCEL_OP_HMAC_SHA256, 2), source, 32,
          [&] { HMAC(EVP_sha256(), key.data(), 16, source.data(), size, out.data(), &written); });
  EVP_CIPHER_CTX_free(gcm);
  EVP_CIPHER_CTX_free(xts);
}

void compress(std::size_t size) {
  compress_bench::Bench bench;
  function_bench::Random random(1);
  const Octets source = random.words(size), raw = bench.deflate(source, ACCEL_FRAMING_RAW),
               block = bench.lz4(source, 0);
  Octets out(size * 2 + 64);
  const auto give = [&](z_stream& stream, const Octets& in) {
    stream.next_in = const_cast<std::uint8_t*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
  };
  z_stream deflater{}, inflater{};
  deflateInit2(&deflater, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  inflateInit2(&inflater, -15);
  measure("DEFLATE_COMPRESS", bench.function, compress_bench::job(ACCEL_OP_DEFLATE_COMPRESS), source, out.size(), [&] {
    deflateReset(&deflater);
    give(deflater, source);
    deflate(&deflater, Z_FINISH);
  });
  measure("DEFLATE_DECOMPRESS", bench.function, compress_bench::job(ACCEL_OP_DEFLATE_DECOMPRESS), raw, size, [&] {
    inflateReset(&inflater);
    give(inflater, raw);
    inflate(&inflater, Z_FINISH);
  });
  deflateEnd(&deflater);
  inflateEnd(&inflater);
  const auto chars = [](const Octets& octets) { return reinterpret_cast<const char*>(octets.data()); };
  measure("LZ4_COMPRESS", bench.function, compress_bench::job(ACCEL_OP_LZ4_COMPRESS), source, out.size(), [&] {
    LZ4_compress_default(chars(source), reinterpret_cast<char*>(out.data()), static_cast<int>(size),
                         static_cast<int>(out.size()));
  });
  measure("LZ4_DECOMPRESS", bench.function, compress_bench::job(ACCEL_OP_LZ4_DECOMPRESS), block, size, [&] {
    LZ4_decompress_safe(chars(block), reinterpret_cast<char*>(out.data()), static_cast<int>(block.size()),
                        static_cast<int>(size));
  });
  uLong sum = 0;
  measure("CRC32", bench.function, compress_bench::job(ACCEL_OP_CRC32), source, 0,
          [&] { sum += crc32_z(0, source.data(), size); });
  if (sum == 1) std::puts("");  // keeps the sums
}

void regex(std::size_t size) {
  std::string rules;
  for (unsigned i = 0; i < 100; ++i) rules += fmt::format("{} /word{}[a-f]{{2,4}}x/\n", i, i);
  regex_bench::Bench bench({rules + "500 /abc[def]{6}/\n"});
  const dpusim::accel::RuleSet set(regex_bench::sets({rules + "500 /abc[def]{6}/\n"})[0]);
  function_bench::Random random(1);
  const Octets source = random.words(size);
  hs_scratch_t* scratch = nullptr;
  hs_alloc_scratch(set.database(), &scratch);
  hs_stream_t* stream = nullptr;
  const dpusim::accel::ScanRuntime& runtime = dpusim::accel::scan_runtime();
  runtime.open(set.database(), 0, &stream);
  unsigned found = 0;
  const auto count = [](unsigned, unsigned long long, unsigned long long, unsigned, void* context) {
    ++*static_cast<unsigned*>(context);
    return 0;
  };
  measure("REGEX_SCAN", bench.function, regex_bench::scan_job(), source, 24 * 65'536, [&] {
    runtime.scan(stream, reinterpret_cast<const char*>(source.data()), static_cast<unsigned>(size), 0, scratch, count,
                 &found);
    runtime.reset(stream, 0, scratch, count, &found);
  });
  runtime.close(stream, nullptr, nullptr, nullptr);
  hs_free_scratch(scratch);
}

}  // namespace

TEST_CASE("cost") {
  for (const std::size_t size : {64, 4'096, 65'536}) {
    crypto(size);
    compress(size);
    regex(size);
  }
}

int main(int argc, char* argv[]) {
  if (argc > 1) budget = std::atof(argv[1]);
  return Catch::Session().run();
}
