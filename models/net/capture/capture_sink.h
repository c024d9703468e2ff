// Records what a port sends.
#pragma once

#include <filesystem>
#include <optional>
#include <systemc>

#include "net/capture/capture_writer.h"
#include "net/frame_link.h"
#include "sim/stats.h"
#include "tlm/ethernet.h"

namespace dpusim::net {

/// How a CaptureSink records.
struct CaptureSinkOptions {
  enum class Stamp {
    kFirstBit,  ///< first bit of preamble
    kLastBit,   ///< last bit of FCS
  };
  Stamp stamp = Stamp::kFirstBit;
  BitRate rate{100'000'000'000};  ///< of the wire
  std::string interface_name = "wire";
  Time cable{0};  ///< from here to what `onward` is connected to
};

/// Takes every frame at line rate; an empty path records nothing and still counts. Records without FCS, frames with a
/// damaged FCS too. Connected onward it is a cable with a tap.
class CaptureSink : public sc_core::sc_module, private EthernetForward {
 public:
  /// @error ConfigError when the file cannot be made.
  CaptureSink(const sc_core::sc_module_name& name, const std::filesystem::path& path, const CaptureSinkOptions& options,
              StatGroup& stats);
  EthernetTargetSocket in;         ///< from a port's wire_out
  EthernetInitiatorSocket onward;  ///< to another port's wire_in; may stay open
  /// Writes out what is buffered; call at the end of a run. @error OutputError when the file could not be written.
  void flush() {
    if (writer_) writer_->flush();
  }
  [[nodiscard]] std::uint64_t frames() const { return frames_.value(); }
  /// Returns the last bit of the last frame taken.
  [[nodiscard]] Time last_bit() const { return last_bit_; }

 private:
  Time send(FramePtr frame, Time start) override;
  void before_end_of_elaboration() override;
  CaptureSinkOptions options_;
  OpenEnd open_;
  bool connected_ = false;
  std::optional<CaptureWriter> writer_;
  Time first_bit_{0}, last_bit_{0};
  Counter frames_, octets_;
  Formula first_, last_;
};

}  // namespace dpusim::net
