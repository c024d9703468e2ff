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
  /// When a capture's first and last frames were recorded.
  struct Extent {
    net::CaptureTime first, last;
    std::uint64_t frames = 0;
  };
  /// Reads the captures of --rx to their ends, so that what is wrong with them is known before anything is touched.
  /// @error ConfigError: a capture that cannot be read, a port twice, a file of --tx that is also another --tx's or an
  /// --rx's.
  static std::vector<Extent> inspect(const RunOptions& options);
  /// @param extents of inspect(). @error ConfigError: no such port, a file that cannot be made.
  Wires(Card& card, const RunOptions& options, const std::vector<Extent>& extents, Simulation& simulation,
        std::function<void(const std::string&)> warn);
  /// Removes what was recorded, unless finish() was called.
  ~Wires();
  [[nodiscard]] bool any_source() const { return !sources_.empty(); }
  /// Tells whether all captures have been offered to their wires, and the last bit is past.
  [[nodiscard]] bool sources_done(Time now) const;
  /// Returns how many frames have left the card.
  [[nodiscard]] std::uint64_t frames_sent() const;
  /// Writes out captures and gives them their names: until then they are NAME.part, so that a run that fails leaves an
  /// earlier one's capture as it was. @error OutputError when that fails.
  void finish();
  /// Returns the share of the longest capture played so far, 0..1.
  [[nodiscard]] double share(Time now) const;

 private:
  std::vector<std::unique_ptr<net::CaptureSource>> sources_;
  std::vector<std::unique_ptr<net::CaptureSink>> sinks_;
  struct Recording {
    std::filesystem::path part, file;
  };
  std::vector<Recording> recordings_;
  Time expected_end_{0};
};

}  // namespace dpusim::platform
