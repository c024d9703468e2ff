#include "net/mac/ethernet_port.h"

#include "net/ethernet_port_regs.h"
#include "sim/systemc_time.h"

namespace dpusim::net {

using namespace ethernet_port_regs;

const ConfigTable<EthernetPortConfig>& EthernetPortConfig::table() {
  using namespace literals;
  static const ConfigTable<EthernetPortConfig> table(
      "Ethernet port",
      {field("rate", &EthernetPortConfig::rate,
             one_of({10_Gbps, 25_Gbps, 40_Gbps, 50_Gbps, 100_Gbps, 200_Gbps, 400_Gbps}), "Line rate"),
       field("mtu", &EthernetPortConfig::mtu, between(60_B, 16'383_B),
             "Longest frame, destination address to end of payload, without FCS"),
       field("receive_latency", &EthernetPortConfig::receive_latency, between(0_ps, 100_us),
             "Last bit on the wire to hand-over: PHY, FEC and MAC"),
       field("transmit_latency", &EthernetPortConfig::transmit_latency, between(0_ps, 100_us),
             "Hand-over to first bit of preamble on an idle wire: MAC, FEC and PHY"),
       field("receive_buffer", &EthernetPortConfig::receive_buffer, between(64_B, 64_MiB),
             "Frames that what stands behind cannot take yet, FCS included; more are lost"),
       field("transmit_fifo", &EthernetPortConfig::transmit_fifo, between(64_B, 64_MiB),
             "Frames waiting for the wire, FCS included; at least mtu + 4"),
       field("link_up", &EthernetPortConfig::link_up, "The link is up from the start"),
       field("mac_address", &EthernetPortConfig::mac_address,
             "Address that software reads in MAC_ADDRESS; nothing is filtered by it"),
       field("access", &EthernetPortConfig::access, between(0_ps, 10_us), "Time of a register access")},
      [](const EthernetPortConfig& config, const std::string& path) {
        parse_mac_address(config.mac_address, path + ".mac_address");
        if (config.transmit_fifo < config.mtu + kFcs) {
          throw ConfigError(path + ".transmit_fifo", fmt::format("{} octets", config.transmit_fifo.count()),
                            fmt::format("at least mtu + 4 = {}", (config.mtu + kFcs).count()));
        }
      });
  return table;
}

std::uint64_t parse_mac_address(const std::string& text, const std::string& place) {
  std::uint64_t address = 0;
  bool good = text.size() == 17;
  for (unsigned i = 0; good && i < 17; ++i) {
    const char c = text[i];
    if (i % 3 == 2) {
      good = c == ':';
      continue;
    }
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    good = digit >= 0;
    if (good) address |= static_cast<std::uint64_t>(digit) << (i / 3 * 8 + (i % 3 == 0 ? 4 : 0));
  }
  if (!good) throw ConfigError(place, "\"" + text + "\"", "six octets such as \"02:00:00:00:00:01\"");
  return address;
}

namespace {
double share(const BookedTime& booked, Time at) {
  return at > Time(0) ? static_cast<double>(booked.passed(at).count()) / static_cast<double>(at.count()) : 0.0;
}
}  // namespace

EthernetPort::EthernetPort(const BlockContext& context, const EthernetPortConfig& config)
    : EthernetPort(sc_core::sc_module_name(context.name.c_str()), context, config) {}

EthernetPort::EthernetPort(const sc_core::sc_module_name& name, const BlockContext& context,
                           const EthernetPortConfig& config)
    : sc_module(name),
      wire_in("wire_in"),
      host_in("host_in"),
      wire_out("wire_out"),
      host_out("host_out"),
      simulation_(context.simulation),
      config_(config),
      core_(context.stats),
      timing_{config.rate, config.receive_latency, config.transmit_latency},
      bank_(kTable),
      target_(
          "bus", context.fidelity == Fidelity::kFunctional ? Time(0) : config.access,
          [this](const RegisterTarget::Access& a) {
            return a.write ? bank_.write(a.offset, a.data, a.enables) : bank_.read(a.offset, a.data, a.enables);
          },
          [this](std::uint64_t offset, std::span<std::uint8_t> data, bool write) {
            return write ? bank_.debug_write(offset, data) : bank_.debug_read(offset, data);
          }),
      wire_entry_(*this, 0),
      host_entry_(*this, 0),
      wire_pause_(*this, 0),
      host_pause_(*this, 0),
      receive_buffer_(config.receive_buffer),
      transmit_fifo_(config.transmit_fifo),
      utilisation_(
          context.stats, "tx_utilisation", "ratio",
          "Fraction of the run in which the wire out was in use, gaps included",
          [this](Time at) { return share(line_busy_, at); }, FormulaKind::kTimeMean),
      receive_utilisation_(
          context.stats, "rx_utilisation", "ratio",
          "Fraction of the run in which the wire in was in use, gaps included",
          [this](Time at) { return share(line_in_busy_, at); }, FormulaKind::kTimeMean),
      waiting_(context.stats, "tx_waiting", "ps", "Time that frames waited for the wire out") {
  wire_in.bind(wire_entry_);
  host_in.bind(host_entry_);
  wire_out.bind(wire_pause_);
  host_out.bind(host_pause_);
  install_registers();
  reset_registers();
}

std::vector<Port> EthernetPort::ports() {
  return {{"bus", &target_.socket(), "Registers", kSize}, {"irq", &irq_, "Link change, level"},
          {"wire_in", &wire_in, "Frames from the wire"},  {"wire_out", &wire_out, "Frames to the wire"},
          {"host_in", &host_in, "Frames to send"},        {"host_out", &host_out, "Frames received"}};
}

void EthernetPort::before_end_of_elaboration() {
  open_.close(wire_in);
  open_.close(host_in);
  open_.close(wire_out);
  open_.close(host_out);
}

void EthernetPort::install_registers() {
  bank_.on_write(CONTROL, [this](const RegisterBank::Write&) { update_link(); });
  const auto update_line = [this](const RegisterBank::Write&) {
    irq_.set((bank_.get(INTERRUPT_STATUS) & bank_.get(INTERRUPT_ENABLE)) != 0);
  };
  bank_.on_write(INTERRUPT_STATUS, update_line);
  bank_.on_write(INTERRUPT_ENABLE, update_line);
  bank_.on_write(MTU, [this](const RegisterBank::Write& write) {
    bank_.set(MTU, std::min(write.value, config_.mtu.count()));
    core_.set_mtu(Bytes(bank_.get(MTU)));
  });
  for (unsigned i = 0; i < static_cast<unsigned>(PortCounter::kCount); ++i) {
    bank_.on_read(
        RX_OCTETS + i, [this, i](RegisterBank::Element) { return core_.value(static_cast<PortCounter>(i)); }, true);
  }
}

void EthernetPort::reset_registers() {
  bank_.set(CONTROL, config_.link_up ? kCONTROL_LINK_ENABLE_mask | kCONTROL_RX_ENABLE_mask | kCONTROL_TX_ENABLE_mask
                                     : kCONTROL_RX_ENABLE_mask | kCONTROL_TX_ENABLE_mask);
  bank_.set(STATUS, config_.link_up ? kSTATUS_LINK_UP_mask : 0);
  bank_.set(MTU, config_.mtu.count());
  bank_.set(SPEED, config_.rate.count() / 1'000'000);
  bank_.set(MAC_ADDRESS, parse_mac_address(config_.mac_address, "mac_address"));
  core_.set_mtu(config_.mtu);
}

void EthernetPort::update_link() {
  const bool up = (bank_.get(CONTROL) & kCONTROL_LINK_ENABLE_mask) != 0;
  const bool was = (bank_.get(STATUS) & kSTATUS_LINK_UP_mask) != 0;
  if (up == was) return;
  bank_.set(STATUS, up ? kSTATUS_LINK_UP_mask : 0);
  bank_.set(INTERRUPT_STATUS, bank_.get(INTERRUPT_STATUS) | kINTERRUPT_STATUS_LINK_CHANGE_mask);
  irq_.set((bank_.get(INTERRUPT_STATUS) & bank_.get(INTERRUPT_ENABLE)) != 0);
}

bool EthernetPort::enabled(std::uint64_t direction) const {
  return (bank_.get(STATUS) & kSTATUS_LINK_UP_mask) != 0 && (bank_.get(CONTROL) & direction) != 0;
}

// Deviates: link state, MTU and counters are those at the first bit (when the sender offers the frame), not at the
// last.
Time EthernetPort::receive(unsigned /*link*/, FramePtr frame, Time start) {
  DPUSIM_CHECK(start >= wire_ready_, "{}: frame at {} ps, the wire is free from {} ps on", name(), start.count(),
               wire_ready_.count());
  frame->first_bit = start;
  const Bytes length = frame->length_with_fcs();
  const Time occupied = wire_time(length, timing_.rate);
  const Time next = wire_ready_ = start + occupied;
  line_in_busy_.book(start, occupied, now());
  simulation_.note_work(start);
  if (!core_.receive(*frame, enabled(kCONTROL_RX_ENABLE_mask))) return next;
  const Time arrived = timing_.last_bit(start, length) + timing_.receive_latency;
  receive_buffer_.drain(arrived);
  if (!receive_buffer_.fits(length)) {
    core_.lose(*frame);
    return next;
  }
  const Time over = std::max({arrived, host_ready_, host_paused_});
  if (over > arrived) receive_buffer_.add(length, over);
  core_.hand_over(*frame);
  host_ready_ = host_out->send(std::move(frame), over);
  return next;
}

// Deviates: a pause holds back frames handed over after it; those in the FIFO leave as scheduled.
Time EthernetPort::transmit(unsigned /*link*/, FramePtr frame, Time start) {
  DPUSIM_CHECK(start >= accept_, "{}: frame at {} ps, the FIFO takes the next one at {} ps", name(), start.count(),
               accept_.count());
  accept_ = start;
  if (!core_.transmit(*frame, enabled(kCONTROL_TX_ENABLE_mask))) return start;
  const Bytes length = frame->length_with_fcs();
  const Time ready = start + timing_.transmit_latency;
  const Time departure = std::max({ready, wire_free_, wire_paused_});
  waiting_.record(departure - ready);
  const Time occupied = wire_time(length, timing_.rate);
  line_busy_.book(departure, occupied, now());
  frame->departure = departure;
  simulation_.note_work(departure + occupied);
  if (frame->size() + kFcs.count() < kMinFrame.count()) {  // IEEE 802.3 clause 4.2.3.3: PAD
    std::vector<std::uint8_t> padded(frame->octets().begin(), frame->octets().end());
    padded.resize((kMinFrame - kFcs).count());
    FramePtr longer = make_frame(std::move(padded));
    longer->id = frame->id;
    longer->first_bit = frame->first_bit;
    longer->departure = departure;
    frame = std::move(longer);
  }
  transmit_fifo_.drain(start);
  transmit_fifo_.add(length, timing_.last_bit(departure, length));
  wire_free_ = std::max(departure + occupied, wire_out->send(std::move(frame), departure));
  accept_ = transmit_fifo_.when_fits(core_.mtu() + kFcs, start);
  return accept_;
}

void EthernetPort::pause_wire(unsigned /*link*/, Time until, std::uint8_t priorities) {
  if ((priorities & 1U) != 0) wire_paused_ = until;
}

void EthernetPort::pause_host(unsigned /*link*/, Time until, std::uint8_t priorities) {
  if ((priorities & 1U) != 0) host_paused_ = until;
}

}  // namespace dpusim::net
