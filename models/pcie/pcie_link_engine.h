// A link's packets in time: what splits requests, books them on each direction's calendar, and matches completions. No
// SystemC calls.
#pragma once

#include <array>
#include <vector>

#include "pcie/pcie_link_config.h"
#include "pcie/token_pool.h"
#include "sim/occupancy.h"
#include "sim/simulation.h"
#include "tlm/pcie.h"

namespace dpusim::pcie {

/// The way packets go.
enum class Direction : unsigned { kUpstream, kDownstream };

/// What a link needs of its surroundings.
class PcieLinkEnvironment {
 public:
  virtual ~PcieLinkEnvironment() = default;
  /// Passes on what one request packet asks for, which has come through to the end of `direction` at `arrival`. @return
  /// when the completer is done.
  virtual Time complete(Direction direction, PcieRequest& piece, Time arrival) = 0;
  /// Returns the kernel's present time: no later request is made before it.
  [[nodiscard]] virtual Time present() const = 0;
};

/// Statistics and shared resources of one direction, and of the requests that its sender makes.
struct PcieDirection {
  PcieDirection(StatGroup& group, const std::string& name, const std::string& requester, const PcieLinkConfig& config);
  Occupancy wire;
  TokenPool tags, credits;
  Counter memory_reads, memory_writes, configuration, completions, payload, octets;
  Counter read_octets, completed_octets, failed_octets, failures;
  Histogram read_latency;
  /// While a posted packet waits for a credit, what comes after it waits behind it (2.4.1).
  Time held_since{0}, held_until{0};
};

/// Does requests in both directions. A request packet leaves when the wire is free in one piece or, where the calendar
/// has gaps only, in several; it is handed to the completer when its last octet has arrived. So two requests of one
/// direction that are made in the order of their times arrive in that order, whatever they are. It may be called again
/// from within complete().
class PcieLinkEngine {
 public:
  PcieLinkEngine(const PcieLinkConfig& config, const BlockContext& context, PcieLinkEnvironment& environment);
  /// See PcieUpstream::to_root. A read stops at its first piece that fails; a write goes on, and tells the first
  /// failure.
  /// @error Unsupported Request for messages, and for configuration requests that are not within one doubleword.
  Time request(Direction direction, PcieRequest& request, Time when);

  [[nodiscard]] const PcieDirection& direction(Direction way) const { return way_[static_cast<unsigned>(way)]; }
  [[nodiscard]] const LinkShape& shape() const { return shape_; }

 private:
  [[nodiscard]] PcieDirection& of(Direction way) { return way_[static_cast<unsigned>(way)]; }
  static Direction opposite(Direction way) {
    return way == Direction::kUpstream ? Direction::kDownstream : Direction::kUpstream;
  }
  Time write(Direction way, PcieRequest& request, Time when);
  Time read(Direction way, PcieRequest& request, Time when);
  Time configure(Direction way, PcieRequest& request, Time when);
  Time take_tag(PcieDirection& way, Time when) const;
  void give_tag(PcieDirection& way, Time since, Time until) const;
  Time take_credit(PcieDirection& way, Time when) const;
  Time send(PcieDirection& way, const Tlp& packet, std::uint64_t payload, Time when);
  Time send_completions(Direction direction, const PcieRequest& piece, Time when);

  const LinkShape shape_;
  const bool timed_;
  const Time latency_;
  std::vector<Time> service_;  // by doublewords on the wire
  PcieLinkEnvironment& environment_;
  std::array<PcieDirection, 2> way_;
};

}  // namespace dpusim::pcie
