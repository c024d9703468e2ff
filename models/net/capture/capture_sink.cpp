#include "net/capture/capture_sink.h"

namespace dpusim::net {

CaptureSink::CaptureSink(const sc_core::sc_module_name& name, const std::filesystem::path& path,
                         const CaptureSinkOptions& options, StatGroup& stats)
    : sc_module(name),
      in("in"),
      onward("onward"),
      options_(options),
      frames_(stats, "frames", "frames", "Frames recorded"),
      octets_(stats, "octets", "octets", "Octets recorded, FCS included"),
      first_(stats, "first_bit", "ps", "When the first bit of preamble of the first frame was on the wire",
             [this](Time) { return static_cast<double>(first_bit_.count()); }),
      last_(stats, "last_bit", "ps", "When the last bit of FCS of the last frame was on the wire",
            [this](Time) { return static_cast<double>(last_bit_.count()); }) {
  if (!path.empty()) writer_.emplace(path, options.interface_name, options.rate);
  in.bind(static_cast<EthernetForward&>(*this));
  onward.bind(static_cast<EthernetBackward&>(open_));
}

void CaptureSink::before_end_of_elaboration() {
  connected_ = onward.bind_count() != 0;
  open_.close(onward);
}

Time CaptureSink::send(FramePtr frame, Time start) {
  const Bytes length = frame->length_with_fcs();
  if (frames_.value() == 0) first_bit_ = start;
  ++frames_;
  octets_ += length.count();
  last_bit_ = start + transfer_time(length + kPreambleAndSfd, options_.rate);
  if (writer_)
    writer_->write(options_.stamp == CaptureSinkOptions::Stamp::kFirstBit ? start : last_bit_, frame->octets());
  const Time next = start + wire_time(length, options_.rate);
  if (connected_) onward->send(std::move(frame), start + options_.cable);
  return next;
}

}  // namespace dpusim::net
