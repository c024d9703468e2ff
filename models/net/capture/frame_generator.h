// Makes frames for load tests: constant, line-rate or Poisson arrivals, one size or a mix, many flows.
#pragma once

#include <string>
#include <vector>

#include "net/capture/frame_stream.h"
#include "sim/config.h"
#include "sim/random.h"

namespace dpusim::net {

/// When generated frames come.
enum class Arrivals {
  kConstant,  ///< evenly, at the load
  kPoisson,   ///< with exponentially distributed gaps, at the load on average; a frame waits for the one ahead
};

/// One size of a mix.
struct FrameShare {
  Bytes size{64};
  unsigned weight = 1;
  static const ConfigTable<FrameShare>& table();
};

/// What to generate. Sizes are from destination address to FCS, as RFC 2544 clause 9 counts them.
struct GeneratorConfig {
  Bytes size{64};
  std::vector<FrameShare> mix{};  ///< sizes drawn by weight, instead of `size`
  Arrivals arrivals = Arrivals::kConstant;
  double load = 1.0;              ///< of the wire's rate, preambles and gaps counted
  std::uint64_t frames = 10'000;  ///< 0: no end by number
  Time duration{0};               ///< 0: no end by time
  unsigned flows = 64;            ///< distinct 5-tuples, by source port, in turn
  bool tcp = false;
  std::string source_mac = "02:00:00:00:01:02";
  std::string destination_mac;  ///< empty: the port's own
  std::string source_ip = "192.0.2.2";
  std::string destination_ip = "198.51.100.2";
  unsigned source_port = 1024, destination_port = 5001;
  static const ConfigTable<GeneratorConfig>& table();
};

/// Generates Ethernet frames with IPv4 and UDP or TCP, all lengths and checksums right. The payload is a fixed
/// pseudo-random sequence.
class FrameGenerator : public FrameStream {
 public:
  /// @param rate of the wire. @param start of the first frame. @param random for sizes and gaps. @param place for
  /// messages.
  /// @error ConfigError: a MAC or IP address that is none.
  FrameGenerator(const GeneratorConfig& config, BitRate rate, Time start, Random random, const std::string& place);
  std::optional<Timed> next() override;
  /// Returns when the stream ends, on average where sizes or gaps are drawn.
  static Time expected_end(const GeneratorConfig& config, BitRate rate, Time start);

 private:
  static double mean_gap(const GeneratorConfig& config, BitRate rate);
  [[nodiscard]] std::vector<std::uint8_t> make(Bytes size, const std::string& place) const;
  const GeneratorConfig config_;
  const BitRate rate_;
  const Time end_;
  Random random_;
  const double mean_gap_;
  std::vector<std::vector<std::uint8_t>> templates_;  // one a size, of flow 0, checksum as if the source port were 0
  std::vector<std::uint64_t> limits_;                 // running sums of weights
  std::uint64_t frames_ = 0;
  Time free_;
  double due_;  // ps, when the next frame is due; a double keeps fractions, so the load is right over long runs
};

}  // namespace dpusim::net
