// A cryptographic function with its key table.
#pragma once

#include <algorithm>

#include "accel/crypto/crypto_function.h"
#include "function_bench.h"

namespace crypto_bench {

using namespace function_bench;

inline AccelJob job(std::uint8_t opcode, std::uint16_t key = 0) {
  AccelJob job{};
  job.opcode = opcode;
  job.key = key;
  return job;
}
inline AccelJob gcm_job(std::uint8_t opcode, std::uint16_t key, const Octets& iv, const Octets& aad) {
  AccelJob gcm = job(opcode, key);
  std::copy(iv.begin(), iv.end(), gcm.iv);
  gcm.aad_length = static_cast<std::uint32_t>(aad.size());
  return gcm;
}
inline AccelJob xts_job(std::uint8_t opcode, std::uint16_t key, const Octets& tweak, std::uint32_t unit) {
  AccelJob xts = job(opcode, key);
  std::copy(tweak.begin(), tweak.end(), xts.iv);
  xts.parameter0 = unit;
  return xts;
}

struct Bench {
  explicit Bench(const dpusim::accel::CryptoConfig& config = {}) : function(config, keys) {}
  void load(unsigned slot, std::uint8_t type, const Octets& key) {
    REQUIRE(keys.load(slot, type, key) == ACCEL_STATUS_OK);
  }
  Outcome run(const AccelJob& job, const Octets& source, std::size_t room) {
    return function_bench::run(function, job, source, room);
  }
  dpusim::accel::KeyTable keys{8};
  dpusim::accel::CryptoFunction function;
};

}  // namespace crypto_bench
