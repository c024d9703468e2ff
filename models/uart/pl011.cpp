#include "uart/pl011.h"

#include <algorithm>

#include "uart/pl011_regs.h"
#include "uart/pl011_timing.h"

namespace dpusim::uart {

const ConfigTable<Pl011Config>& Pl011Config::table() {
  using namespace literals;
  static const ConfigTable<Pl011Config> table(
      "PL011 UART", {field("output", &Pl011Config::output,
                           "Where characters go besides the log <run directory>/<name>.log: \"stdout\", \"pty\", "
                           "\"none\", or a file relative "
                           "to the run directory"),
                     field("input", &Pl011Config::input,
                           "File whose octets arrive on the line, as fast as the guest takes them; empty for none"),
                     field("revision", &Pl011Config::revision,
                           one_of({{"r1p4", Pl011Revision::kR1p4}, {"r1p5", Pl011Revision::kR1p5}}),
                           "Revision: FIFOs of 16 (r1p4) or 32 (r1p5) characters"),
                     field("configured", &Pl011Config::configured,
                           "Start as boot firmware leaves the UART: enabled, 8N1, FIFOs on, 115200 baud at 24 MHz; "
                           "false: the reset values"),
                     field("clock", &Pl011Config::clock, between(1_MHz, 1_GHz), "UARTCLK"),
                     field("access", &Pl011Config::access, between(0_ps, 10_us), "Time of a register access"),
                     field("poll", &Pl011Config::poll, between(1_us, 1_s),
                           "Simulated time between two looks for input from a pseudo-terminal")});
  return table;
}

// The module's name object must live until construction ends, for the sockets to be made inside the module.
Pl011::Pl011(const BlockContext& context, const Pl011Config& config)
    : Pl011(sc_core::sc_module_name(context.name.c_str()), context, config) {}

Pl011::Pl011(const sc_core::sc_module_name& name, const BlockContext& context, const Pl011Config& config)
    : sc_module(name),
      context_(context),
      config_(config),
      core_(config.revision, config.configured),
      console_(config.output, config.input, context.simulation.run_dir(), context.name),
      target_(
          "bus", context.fidelity == Fidelity::kFunctional ? Time(0) : config.access,
          [this](const RegisterTarget::Access& a) { return access(a); },
          [this](std::uint64_t offset, std::span<std::uint8_t> data, bool write) {
            return debug(offset, data, write);
          }),
      event_("due"),
      transmitted_(context.stats, "transmitted", "characters", "Characters that left on the line"),
      received_(context.stats, "received", "characters", "Characters that arrived and were kept"),
      overruns_(context.stats, "overruns", "characters", "Characters lost because the receive FIFO was full",
                [this](Time) { return static_cast<double>(core_.overruns()); }) {
  core_.set_immediate(context.fidelity == Fidelity::kFunctional);
  SC_HAS_PROCESS(Pl011);
  SC_METHOD(on_event);
  sensitive << event_;
  if (!console_.terminal().empty()) context_.log(LogLevel::kWarning, "terminal is {}", console_.terminal());
}

std::vector<Port> Pl011::ports() {
  return {{"bus", &target_.socket(), "Registers", pl011_regs::kSize},
          {"irq", &irq_, "UARTINTR, the combined interrupt, level"}};
}

void Pl011::finish() { console_.flush(); }

RegisterResult Pl011::access(const RegisterTarget::Access& access) {
  const RegisterResult result = access.write ? core_.write(access.offset, access.data, access.enables)
                                             : core_.read(access.offset, access.data, access.enables);
  if (access.write) transmit(access.when);
  if (!core_.receive_waiting()) timeout_ = kTimeMax;
  if (console_.has_input() && core_.can_receive() && receive_next_ == kTimeMax) receive_next_ = access.when;
  arm();
  update_line();
  return result;
}

std::size_t Pl011::debug(std::uint64_t offset, std::span<std::uint8_t> data, bool write) {
  return write ? core_.bank().debug_write(offset, data) : core_.bank().debug_read(offset, data);
}

// The method runs once at start, which looks for input when the guest's firmware left the receiver on.
void Pl011::on_event() {
  const Time when = now();
  armed_ = kTimeMax;
  if (transmit_done_ <= when) {
    transmit_done_ = kTimeMax;
    const std::optional<std::uint8_t> sent = core_.end_character();
    if (sent) {
      console_.put(*sent);
      ++transmitted_;
    }
  }
  transmit(when);
  if (timeout_ <= when) {
    timeout_ = kTimeMax;
    core_.receive_timeout();
  }
  if (console_.has_input() && core_.can_receive() && receive_next_ == kTimeMax) receive_next_ = when;
  if (receive_next_ <= when) receive_due(when);
  arm();
  update_line();
}

void Pl011::transmit(Time when) {
  while (transmit_done_ == kTimeMax && core_.begin_character()) {
    if (context_.fidelity != Fidelity::kFunctional) {
      transmit_done_ = when + bit_times(frame_bits(core_.line_control()), core_.divisor(), config_.clock);
      return;
    }
    const std::optional<std::uint8_t> sent = core_.end_character();
    if (!sent) continue;
    console_.put(*sent);
    ++transmitted_;
  }
}

// The host never overruns the FIFO: it waits, as with flow control, until the character can be kept.
void Pl011::receive_due(Time when) {
  receive_next_ = kTimeMax;
  if (!core_.can_receive()) return;  // the next register access that makes room looks again
  const std::optional<std::uint8_t> character = console_.get();
  if (character) {
    core_.receive(*character);
    ++received_;
    const Time frame = bit_times(frame_bits(core_.line_control()), core_.divisor(), config_.clock);
    timeout_ = when + bit_times(kReceiveTimeoutBits, core_.divisor(), config_.clock);
    receive_next_ = when + frame;
  } else if (console_.live()) {
    receive_next_ = when + config_.poll;
  }
}

void Pl011::arm() {
  const Time next = std::min({transmit_done_, receive_next_, timeout_});
  if (next == armed_) return;
  event_.cancel();
  armed_ = next;
  if (next != kTimeMax) event_.notify(to_sc(std::max(next, now()) - now()));
}

}  // namespace dpusim::uart
