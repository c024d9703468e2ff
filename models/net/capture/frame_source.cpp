#include "net/capture/frame_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/error.h"

namespace dpusim::net {

FrameSource::FrameSource(const std::filesystem::path& path, const ReplayOptions& options, CaptureReader::Warn warn)
    : options_(options), warn_(std::move(warn)), reader_(path, warn_), loop_base_(options.start), free_(options.start) {
  if (!(options_.speed > 0) || !std::isfinite(options_.speed)) {
    throw ConfigError(path.string() + ": speed", fmt::format("{}", options_.speed), "a number above 0");
  }
  if (options_.rate.count() == 0) throw ConfigError(path.string() + ": rate", "0 b/s", "a line rate");
  if (options_.start < Time(0)) throw ConfigError(path.string() + ": start", "a negative time", "a time from 0 on");
}

std::optional<CapturedFrame> FrameSource::next_captured() {
  std::optional<CapturedFrame> captured = reader_.next();
  if (captured || frames_in_loop_ == 0) return captured;  // an empty capture does not loop for ever
  if (++loop_ == options_.loops) {
    --loop_;
    return std::nullopt;
  }
  reader_.rewind();
  const Time gap = frames_in_loop_ > 1 && last_gap_ > Time(0) ? last_gap_ : last_wire_;
  if (offset_ + gap > kTimeMax - loop_base_) return std::nullopt;  // beyond the end of time
  loop_base_ += offset_ + gap;
  offset_ = last_gap_ = Time(0);
  frames_in_loop_ = 0;
  return reader_.next();
}

Time FrameSource::recorded_offset(CaptureTime when) {
  if (frames_in_loop_ == 0) first_ = latest_ = when;
  if (when < latest_) {
    if (++backward_ == 1 && warn_) {
      warn_(fmt::format("{}: stamps go backwards (frame {} of the capture); such frames follow at once",
                        reader_.path().string(), frames_in_loop_ + 1));
    }
    when = latest_;
  }
  latest_ = when;
  const Time since_first = elapsed(first_, when);
  if (options_.speed == 1.0) return since_first;
  const double scaled = static_cast<double>(since_first.count()) / options_.speed;
  return Time(scaled < 9e18 ? static_cast<std::int64_t>(std::llround(scaled)) : kTimeMax.count());
}

std::optional<FrameSource::Timed> FrameSource::next() {
  std::optional<CapturedFrame> captured = next_captured();
  if (!captured) return std::nullopt;
  Time start = free_;
  if (options_.pace == ReplayOptions::Pace::kRecorded) {
    const Time offset = recorded_offset(captured->when);
    last_gap_ = offset - offset_;
    offset_ = offset;
    // A stamp beyond the end of time is not played: nothing could run that long.
    if (offset > kTimeMax - loop_base_) return std::nullopt;
    start = loop_base_ + offset;
    if (start < free_) {
      ++delayed_;
      start = free_;
    }
  }
  // The sending station pads (IEEE 802.3 clause 4.2.3.3); captures made there do not show it.
  constexpr std::size_t kLeast = (kMinFrame - kFcs).count();
  if (captured->octets.size() < kLeast) captured->octets.resize(kLeast);
  Timed timed{make_frame(std::move(captured->octets)), start};
  timed.frame->id = frames_++;
  timed.frame->first_bit = start;
  ++frames_in_loop_;
  last_wire_ = wire_time(timed.frame->length_with_fcs(), options_.rate);
  free_ = start > kTimeMax - last_wire_ ? kTimeMax : start + last_wire_;
  return timed;
}

}  // namespace dpusim::net
