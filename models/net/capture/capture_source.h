// Plays a capture into a port's wire.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <systemc>

#include "net/capture/frame_source.h"
#include "sim/stats.h"
#include "tlm/ethernet.h"

namespace dpusim::net {

/// How a CaptureSource plays and whom it tells.
struct CaptureSourceOptions {
  ReplayOptions replay;  ///< of a generator's frames only `rate` matters
  /// A frame is offered this much before its first bit, so several share one kernel event. What the receiver decides at
  /// the first bit (link state, counters) it then decides this much earlier; times of frames do not change.
  Time look_ahead{0};
  CaptureReader::Warn warn;        ///< hears of oddities, once each
  std::function<void()> finished;  ///< called once, when the last frame was offered
};

/// Sends a capture's or a generator's frames at their times; honours pause for priority 0 and for all.
class CaptureSource : public sc_core::sc_module, private EthernetBackward {
 public:
  /// @error ConfigError as FrameSource.
  CaptureSource(const sc_core::sc_module_name& name, const std::filesystem::path& path,
                const CaptureSourceOptions& options, StatGroup& stats);
  /// Plays any stream. @param stream not null.
  CaptureSource(const sc_core::sc_module_name& name, std::unique_ptr<FrameStream> stream,
                const CaptureSourceOptions& options, StatGroup& stats);
  EthernetInitiatorSocket out;  ///< to a port's wire_in
  /// Tells whether all frames were offered to the wire; never with endless loops.
  [[nodiscard]] bool done() const { return !next_; }
  /// Returns the last bit of the last frame offered: when the wire falls silent, once done.
  [[nodiscard]] Time last_bit() const { return last_bit_; }
  [[nodiscard]] const FrameStream& source() const { return *source_; }

 private:
  void pause(Time until, std::uint8_t priorities) override;
  void on_event();
  void arm();
  [[nodiscard]] Time next_start() const;

  CaptureSourceOptions options_;
  std::unique_ptr<FrameStream> source_;
  std::optional<FrameStream::Timed> next_;
  Time earliest_{0}, paused_until_{0}, first_bit_{0}, last_bit_{0};
  bool told_ = false;
  sc_core::sc_event event_;
  Counter frames_, octets_;
  Formula cut_, oversize_, fcs_stripped_, backward_, delayed_, other_link_, first_, last_;
};

}  // namespace dpusim::net
