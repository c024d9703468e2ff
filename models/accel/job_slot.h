// What an engine keeps of a job that it holds: lists, data, how far it is. Reused from job to job, so that none
// allocates. No SystemC.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "accel/accel_job_desc.h"
#include "accel/function.h"
#include "sim/units.h"

namespace dpusim::accel {

/// Octets that grow and are never initialised.
class ByteBuffer {
 public:
  /// Returns the first `octets`, with contents of no meaning after growth.
  std::span<std::uint8_t> take(std::size_t octets) {
    if (octets > capacity_) {
      capacity_ = std::max(octets, 2 * capacity_);
      octets_ = std::make_unique_for_overwrite<std::uint8_t[]>(capacity_);
    }
    return {octets_.get(), octets};
  }
  [[nodiscard]] std::span<std::uint8_t> first(std::size_t octets) { return {octets_.get(), octets}; }

 private:
  std::unique_ptr<std::uint8_t[]> octets_;
  std::size_t capacity_ = 0;
};

/// A walk over the memory that a job names, in accesses that do not cross multiples of a burst.
class SegmentWalk {
 public:
  struct Piece {
    std::uint64_t address;
    std::uint32_t octets;
  };
  /// Starts over on one piece of memory; nothing for a length of 0.
  void start(std::uint64_t address, std::uint32_t length) {
    list_[0] = {address, length, 0};
    start(length > 0 ? 1U : 0U);
  }
  /// Starts over on the first `count` segments of the list.
  void start(unsigned count) {
    count_ = count;
    at_ = 0;
    offset_ = 0;
  }
  [[nodiscard]] std::span<AccelSegment> list(unsigned count) { return std::span(list_).first(count); }
  [[nodiscard]] bool done() const { return at_ == count_; }
  /// Says whether two walks name an octet in common.
  [[nodiscard]] bool overlaps(const SegmentWalk& other) const {
    const auto meet = [](const AccelSegment& a, const AccelSegment& b) {
      return a.address <= b.address + (b.length - 1) && b.address <= a.address + (a.length - 1);
    };
    for (unsigned i = 0; i < count_; ++i) {
      for (unsigned j = 0; j < other.count_; ++j) {
        if (meet(list_[i], other.list_[j])) return true;
      }
    }
    return false;
  }
  /// Returns the next piece and steps over it. Not when done(). @param burst a power of two. @param most octets, at
  /// least 1.
  Piece next(std::uint32_t burst, std::uint32_t most) {
    const AccelSegment& segment = list_[at_];
    const std::uint64_t address = segment.address + offset_;
    const auto to_boundary = static_cast<std::uint32_t>(burst - (address & (burst - 1)));
    const std::uint32_t octets = std::min({segment.length - offset_, to_boundary, most});
    offset_ += octets;
    if (offset_ == segment.length) {
      ++at_;
      offset_ = 0;
    }
    return {address, octets};
  }

 private:
  std::array<AccelSegment, ACCEL_MAX_SEGMENTS> list_;
  unsigned count_ = 0, at_ = 0;
  std::uint32_t offset_ = 0;
};

/// A job in an engine.
struct JobSlot {
  AccelJob job;
  std::uint16_t index = 0;
  std::uint8_t queue = 0, completion_queue = 0;
  std::uint32_t round = 0;  ///< of the completion queue
  FunctionResult result;
  Time dispatched{0};
  Time lists_ready{0};
  bool started = false;  ///< its turn to be read has come
  Time end{0};           ///< work is done
  Time last_write{0};    ///< when it was issued
  Time written_by{0};    ///< when memory has all that was written
  Time overhead{0};      ///< work that is not for octets
  Time worked{0};        ///< work so far
  SegmentWalk source_walk, destination_walk;
  ByteBuffer source, destination;
  std::uint32_t read = 0, written = 0;
  bool cut_through = false;  ///< the source is written as it comes
  bool write_failed = false;
  struct Progress {
    std::uint32_t octets;
    Time when;
  };
  std::vector<Progress> progress;  ///< of work on a cut-through job's source, an entry an access
  std::size_t progress_at = 0;     ///< the entry that the next write needs
};

}  // namespace dpusim::accel
