// An Ethernet port (PHY and MAC) as a SystemC module.
#pragma once

#include <string>
#include <vector>

#include "net/frame_link.h"
#include "net/mac/port_core.h"
#include "net/mac/port_timing.h"
#include "sim/config.h"
#include "sim/registers.h"
#include "sim/simulation.h"
#include "tlm/block.h"
#include "tlm/register_target.h"

namespace dpusim::net {

struct EthernetPortConfig {
  BitRate rate{100'000'000'000};
  Bytes mtu{9216};
  Time receive_latency{250'000};
  Time transmit_latency{200'000};
  Bytes receive_buffer{262'144};
  Bytes transmit_fifo{32'768};
  bool link_up = true;
  std::string mac_address = "02:00:00:00:00:01";
  Time access{40'000};
  static const ConfigTable<EthernetPortConfig>& table();
};

/// Simulates a full-duplex port: store and forward on receive, serialisation on transmit, RMON counters, link up and
/// down.
///
/// Needs no kernel events: a frame is passed on in the call that brings it, with its time. Sockets left open are
/// unplugged cables.
class EthernetPort : public sc_core::sc_module, public Block {
 public:
  EthernetPort(const BlockContext& context, const EthernetPortConfig& config);
  std::vector<Port> ports() override;

  EthernetTargetSocket wire_in, host_in;
  EthernetInitiatorSocket wire_out, host_out;

  /// Returns the socket of the registers.
  [[nodiscard]] MemoryTargetSocket& bus() { return target_.socket(); }
  [[nodiscard]] const EthernetPortConfig& config() const { return config_; }
  [[nodiscard]] const EthernetPortCore& core() const { return core_; }

 private:
  // The name lives as long as this constructor, so that members become children of the module.
  EthernetPort(const sc_core::sc_module_name& name, const BlockContext& context, const EthernetPortConfig& config);
  void before_end_of_elaboration() override;
  Time receive(unsigned link, FramePtr frame, Time start);
  Time transmit(unsigned link, FramePtr frame, Time start);
  void pause_wire(unsigned link, Time until, std::uint8_t priorities);
  void pause_host(unsigned link, Time until, std::uint8_t priorities);
  void install_registers();
  void reset_registers();
  void update_link();
  [[nodiscard]] bool enabled(std::uint64_t direction) const;

  Simulation& simulation_;
  EthernetPortConfig config_;
  EthernetPortCore core_;
  PortTiming timing_;
  RegisterBank bank_;
  RegisterTarget target_;
  IrqLine irq_;
  FrameEntry<EthernetPort, &EthernetPort::receive> wire_entry_;
  FrameEntry<EthernetPort, &EthernetPort::transmit> host_entry_;
  PauseEntry<EthernetPort, &EthernetPort::pause_wire> wire_pause_;
  PauseEntry<EthernetPort, &EthernetPort::pause_host> host_pause_;
  OpenEnd open_;

  Time wire_ready_{0};                              // receive: when the wire may bring the next frame
  Time host_ready_{0}, host_paused_{0};             // receive: when what stands behind takes the next frame
  Time wire_free_{0}, wire_paused_{0}, accept_{0};  // transmit: when the wire and the FIFO take the next frame
  DrainingBuffer receive_buffer_, transmit_fifo_;
  BookedTime line_busy_, line_in_busy_;
  Formula utilisation_, receive_utilisation_;
  Histogram waiting_;
};

/// Parses "02:00:00:00:00:01" to the layout of register MAC_ADDRESS. @error ConfigError naming `place`.
std::uint64_t parse_mac_address(const std::string& text, const std::string& place);

}  // namespace dpusim::net
