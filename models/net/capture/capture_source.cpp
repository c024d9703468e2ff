#include "net/capture/capture_source.h"

#include <algorithm>

#include "sim/systemc_time.h"

namespace dpusim::net {

CaptureSource::CaptureSource(const sc_core::sc_module_name& name, const std::filesystem::path& path,
                             const CaptureSourceOptions& options, StatGroup& stats)
    : CaptureSource(name, std::make_unique<FrameSource>(path, options.replay, options.warn), options, stats) {}

CaptureSource::CaptureSource(const sc_core::sc_module_name& name, std::unique_ptr<FrameStream> stream,
                             const CaptureSourceOptions& options, StatGroup& stats)
    : sc_module(name),
      out("out"),
      options_(options),
      source_(std::move(stream)),
      event_("due"),
      frames_(stats, "frames", "frames", "Frames sent"),
      octets_(stats, "octets", "octets", "Octets sent, FCS included"),
      cut_(
          stats, "cut_frames", "frames", "Frames that were cut short in the capture and padded with zeros",
          [this](Time) { return static_cast<double>(source_->oddities().cut); }, FormulaKind::kTotal),
      oversize_(
          stats, "oversize_frames", "frames", "Frames whose original length exceeds 262144 octets, shortened to that",
          [this](Time) { return static_cast<double>(source_->oddities().oversize); }, FormulaKind::kTotal),
      fcs_stripped_(
          stats, "fcs_stripped_frames", "frames", "Frames that the file holds with their FCS, which was taken off",
          [this](Time) { return static_cast<double>(source_->oddities().fcs_stripped); }, FormulaKind::kTotal),
      backward_(
          stats, "backward_stamps", "frames", "Frames whose time stamp was earlier than the one ahead",
          [this](Time) { return static_cast<double>(source_->backward()); }, FormulaKind::kTotal),
      delayed_(
          stats, "delayed_frames", "frames", "Frames that the wire could not take at their recorded time",
          [this](Time) { return static_cast<double>(source_->delayed()); }, FormulaKind::kTotal),
      other_link_(
          stats, "other_link_packets", "frames", "Packets of interfaces that are not Ethernet, skipped",
          [this](Time) { return static_cast<double>(source_->oddities().other_link); }, FormulaKind::kTotal),
      first_(stats, "first_bit", "ps", "When the first bit of preamble of the first frame was on the wire",
             [this](Time) { return static_cast<double>(first_bit_.count()); }),
      last_(stats, "last_bit", "ps", "When the last bit of FCS of the last frame was on the wire",
            [this](Time) { return static_cast<double>(last_bit_.count()); }) {
  out.bind(static_cast<EthernetBackward&>(*this));
  next_ = source_->next();
  SC_HAS_PROCESS(CaptureSource);
  SC_METHOD(on_event);
  sensitive << event_;
}

Time CaptureSource::next_start() const { return std::max({next_->start, earliest_, paused_until_}); }

void CaptureSource::pause(Time until, std::uint8_t priorities) {
  if ((priorities & 1U) == 0) return;
  paused_until_ = until;
  event_.cancel();
  arm();
}

// The method runs once at start, which arms the first frame.
void CaptureSource::on_event() {
  const Time horizon = now() + options_.look_ahead;
  while (next_) {
    const Time start = next_start();
    if (start > horizon) break;
    FramePtr frame = std::move(next_->frame);
    frame->first_bit = start;
    const Bytes length = frame->length_with_fcs();
    if (frames_.value() == 0) first_bit_ = start;
    ++frames_;
    octets_ += length.count();
    last_bit_ = start + transfer_time(length + kPreambleAndSfd, options_.replay.rate);
    earliest_ = out->send(std::move(frame), start);
    next_ = source_->next();
  }
  arm();
  if (!next_ && !told_) {
    told_ = true;
    if (options_.finished) options_.finished();
  }
}

void CaptureSource::arm() {
  if (!next_) return;
  const Time start = next_start(), present = now();
  const Time due = std::max(start, present + options_.look_ahead) - options_.look_ahead;
  event_.notify(to_sc(due - present));
}

}  // namespace dpusim::net
