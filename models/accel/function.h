// What an accelerator computes, apart from rings, memory and time: the seam between the engine room and the algorithms.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "accel/accel_job_desc.h"
#include "sim/config.h"

namespace dpusim::accel {

/// What a function tells about a job.
struct FunctionResult {
  std::uint8_t status = ACCEL_STATUS_OK;  ///< ACCEL_STATUS_*
  std::uint32_t produced = 0;             ///< octets put at the front of the destination
  std::uint32_t consumed = 0;             ///< octets of the source that were used
  std::uint64_t value = 0;                ///< checksum, or number of matches: what the opcode says
};

/// The algorithms behind one type of accelerator. Has state only where the hardware would (keys, rules, open streams);
/// never sees an address or a time.
class Function {
 public:
  virtual ~Function() = default;
  /// Says what is wrong with a job, before any data moves: opcode, lengths, flags, key. State that other jobs change
  /// (an open stream) is run()'s to judge, since jobs ahead may not have run yet. @return ACCEL_STATUS_OK or the
  /// reason.
  [[nodiscard]] virtual std::uint8_t check(const AccelJob& job) const = 0;
  /// Computes a job that check() has passed; keys may have been cleared or replaced since then. @param source all of
  /// the job's source octets. @param destination room for all that the job may write; what lies beyond `produced` is
  /// not written to memory. A status other than OK may come with produced octets only where the opcode says so.
  virtual FunctionResult run(const AccelJob& job, std::span<const std::uint8_t> source,
                             std::span<std::uint8_t> destination) = 0;
  /// Returns the most octets the job can produce, which the engine room allocates and never exceeds: at most
  /// job.destination_length.
  [[nodiscard]] virtual std::uint32_t most_produced(const AccelJob& job) const { return job.destination_length; }
  /// Says whether the destination is the source, octet for octet, whatever run() makes of it besides: it may then be
  /// written before all of the source has been read.
  [[nodiscard]] virtual bool copies(const AccelJob& /*job*/) const { return false; }
  /// Forgets what jobs have left behind (open streams); CONTROL.RESET does this. Keys are the key table's.
  virtual void reset() {}
};

}  // namespace dpusim::accel
