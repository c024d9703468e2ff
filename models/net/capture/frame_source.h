// Turns a capture into frames with the times at which they enter a wire.
#pragma once

#include <filesystem>
#include <optional>

#include "net/capture/frame_stream.h"

namespace dpusim::net {

/// How a capture is replayed.
struct ReplayOptions {
  enum class Pace {
    kRecorded,  ///< at the recorded times, divided by `speed`
    kLineRate,  ///< back to back
  };
  Pace pace = Pace::kRecorded;
  double speed = 1.0;             ///< 2 replays twice as fast; above 0
  std::uint64_t loops = 1;        ///< times the capture is played; 0: for ever
  BitRate rate{100'000'000'000};  ///< of the wire
  Time start{0};                  ///< when the first frame's first bit of preamble is on the wire
};

/// Gives the frames of a capture in order, streaming. Frames shorter than 60 octets are padded with zeros, as a sending
/// station does.
///
/// Times start at `start` whatever the first stamp says. A frame never starts before the one ahead and its inter-packet
/// gap have passed (counted as delayed). Loops follow on seamlessly: the gap between the last frame's start and the
/// first of the next loop is the last gap within the capture, or one wire time when the capture has one frame or its
/// last two have equal stamps.
class FrameSource : public FrameStream {
 public:
  /// @error ConfigError as CaptureReader, and for options out of range. @param warn hears of oddities, once each.
  FrameSource(const std::filesystem::path& path, const ReplayOptions& options, CaptureReader::Warn warn = {});
  /// Returns the next frame, or nothing when all loops are played.
  std::optional<Timed> next() override;
  [[nodiscard]] const CaptureOddities& oddities() const override { return reader_.oddities(); }
  /// Returns how many frames had a stamp earlier than the one ahead; they take that one's.
  [[nodiscard]] std::uint64_t backward() const override { return backward_; }
  /// Returns how many frames could not start at their recorded time because the wire was busy.
  [[nodiscard]] std::uint64_t delayed() const override { return delayed_; }
  [[nodiscard]] std::uint64_t frames() const { return frames_; }

 private:
  std::optional<CapturedFrame> next_captured();
  [[nodiscard]] Time recorded_offset(CaptureTime when);

  ReplayOptions options_;
  CaptureReader::Warn warn_;
  CaptureReader reader_;
  std::uint64_t loop_ = 0, frames_ = 0, frames_in_loop_ = 0, backward_ = 0, delayed_ = 0;
  CaptureTime first_, latest_;
  Time loop_base_, offset_{0}, last_gap_{0}, last_wire_{0};
  Time free_;  // when the wire takes the next frame
};

}  // namespace dpusim::net
