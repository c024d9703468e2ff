// Where the frames on a wire into the card come from: a capture, or a generator.
#pragma once

#include <cstdint>
#include <optional>

#include "net/capture/capture_reader.h"
#include "tlm/frame.h"

namespace dpusim::net {

/// Gives frames in order with the times at which they enter a wire.
class FrameStream {
 public:
  struct Timed {
    FramePtr frame;  ///< with id and first_bit set; 60 octets or more
    Time start;  ///< of its first bit of preamble; never before the frame ahead and its inter-packet gap have passed
  };
  virtual ~FrameStream() = default;
  /// Returns the next frame, or nothing at the end.
  virtual std::optional<Timed> next() = 0;
  /// Returns what was odd in a capture.
  [[nodiscard]] virtual const CaptureOddities& oddities() const {
    static const CaptureOddities none{};
    return none;
  }
  /// Returns how many frames had a stamp earlier than the one ahead.
  [[nodiscard]] virtual std::uint64_t backward() const { return 0; }
  /// Returns how many frames could not start at their time because the wire was busy.
  [[nodiscard]] virtual std::uint64_t delayed() const { return 0; }
};

}  // namespace dpusim::net
