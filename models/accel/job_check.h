// What every function checks of a job in the same way: fields that an opcode does not use are 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "accel/accel_job_desc.h"

namespace dpusim::accel {

/// Fields of AccelJob whose use depends on the opcode.
struct JobFields {
  bool key = false;
  bool aad_length = false;
  unsigned iv_octets = 0;  ///< from the front
  bool parameter0 = false;
  bool parameter1 = false;
  std::uint8_t flags = 0;  ///< bits that may be 1
};

/// Says whether all fields beyond `used` are 0, which the job interface asks for: else ACCEL_STATUS_BAD_FLAGS.
[[nodiscard]] inline bool unused_are_zero(const AccelJob& job, const JobFields& used) {
  return (job.flags & ~used.flags) == 0 && (used.key || job.key == 0) && (used.aad_length || job.aad_length == 0) &&
         (used.parameter0 || job.parameter0 == 0) && (used.parameter1 || job.parameter1 == 0) &&
         std::all_of(std::begin(job.iv) + used.iv_octets, std::end(job.iv),
                     [](std::uint8_t octet) { return octet == 0; });
}

/// Says whether both lengths are within ACCEL_MAX_JOB: else ACCEL_STATUS_BAD_LENGTH.
[[nodiscard]] inline bool lengths_in_range(const AccelJob& job) {
  return job.source_length <= ACCEL_MAX_JOB && job.destination_length <= ACCEL_MAX_JOB;
}

}  // namespace dpusim::accel
