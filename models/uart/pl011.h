// PL011 UART as a SystemC module.
#pragma once

#include <string>

#include "sim/config.h"
#include "sim/simulation.h"
#include "sim/units.h"
#include "tlm/block.h"
#include "tlm/register_target.h"
#include "uart/console.h"
#include "uart/pl011_core.h"

namespace dpusim::uart {

struct Pl011Config {
  std::string output = "stdout";
  std::string input;
  Pl011Revision revision = Pl011Revision::kR1p5;
  bool configured = true;
  Frequency clock{24'000'000};
  Time access{40'000};
  Time poll{1'000'000'000};
  static const ConfigTable<Pl011Config>& table();
};

/// Simulates a PL011 whose line ends in a Console. With approximate fidelity a character takes its time on the line;
/// with functional fidelity none.
class Pl011 : public sc_core::sc_module, public Block {
 public:
  Pl011(const BlockContext& context, const Pl011Config& config);
  std::vector<Port> ports() override;
  void finish() override;
  /// Returns the host's end, for tests and tools.
  [[nodiscard]] const Console& console() const { return console_; }

 private:
  Pl011(const sc_core::sc_module_name& name, const BlockContext& context, const Pl011Config& config);
  RegisterResult access(const RegisterTarget::Access& access);
  std::size_t debug(std::uint64_t offset, std::span<std::uint8_t> data, bool write);
  void on_event();
  void transmit(Time when);
  void receive_due(Time when);
  void arm();
  void update_line() { irq_.set(core_.interrupt()); }

  BlockContext context_;
  Pl011Config config_;
  Pl011Core core_;
  Console console_;
  RegisterTarget target_;
  IrqLine irq_;
  sc_core::sc_event event_;
  // The calendar: what is due when; kTimeMax for nothing.
  Time transmit_done_ = kTimeMax, receive_next_ = kTimeMax, timeout_ = kTimeMax, armed_ = kTimeMax;
  std::optional<std::uint8_t> waiting_;  // taken from the console, on the line or held back by a full FIFO
  Counter transmitted_, received_;
  Formula overruns_;
};

}  // namespace dpusim::uart
