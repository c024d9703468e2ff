#include "net/capture/capture_sink.h"

namespace dpusim::net {

CaptureSink::CaptureSink(const sc_core::sc_module_name& name, const std::filesystem::path& path, const CaptureSinkOptions& options,
                         StatGroup& stats)
    : sc_module(name),
      in("in"),
      options_(options),
      frames_(stats, "frames", "frames", "Frames recorded"),
      octets_(stats, "octets", "octets", "Octets recorded, FCS included") {
  if (!path.empty()) writer_.emplace(path, options.interface_name, options.rate);
  in.bind(static_cast<EthernetForward&>(*this));
}

Time CaptureSink::send(FramePtr frame, Time start) {
  const Bytes length = frame->length_with_fcs();
  ++frames_;
  octets_ += length.count();
  last_bit_ = start + transfer_time(length + kPreambleAndSfd, options_.rate);
  if (writer_) writer_->write(options_.stamp == CaptureSinkOptions::Stamp::kFirstBit ? start : last_bit_, frame->octets());
  return start + wire_time(length, options_.rate);
}

}  // namespace dpusim::net
