// What a run plugs into the card's ports: captures in, recorders out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "net/capture/capture_sink.h"
#include "net/capture/capture_source.h"
#include "platform/card.h"
#include "platform/run.h"

namespace dpusim::platform {

/// The far ends of the card's ports. Every Ethernet port gets a sink, so that what leaves is counted; captures are
/// played by sources. With recorded pace, captures of several ports keep their distance in time.
class Wires {
 public:
  /// @error ConfigError: no such port, a port twice, a capture that cannot be read, a file that cannot be made.
  Wires(Card& card, const RunOptions& options, Simulation& simulation, std::function<void(const std::string&)> warn);
  [[nodiscard]] bool any_source() const { return !sources_.empty(); }
  /// Tells whether all captures have been offered to their wires, and the last bit is past.
  [[nodiscard]] bool sources_done(Time now) const;
  /// Returns how many frames have left the card.
  [[nodiscard]] std::uint64_t frames_sent() const;
  /// Writes out captures. @error ConfigError when that fails.
  void flush();
  /// Returns the share of the longest capture played so far, 0..1.
  [[nodiscard]] double share(Time now) const;

 private:
  std::vector<std::unique_ptr<net::CaptureSource>> sources_;
  std::vector<std::unique_ptr<net::CaptureSink>> sinks_;
  Time expected_end_{0};
};

}  // namespace dpusim::platform
