// An endpoint's function: configuration, BARs, interrupt messages, the card's window onto host memory. No SystemC
// calls.
#pragma once

#include <span>
#include <vector>

#include "pcie/config_space.h"
#include "pcie/msix.h"
#include "pcie/pcie_endpoint_config.h"
#include "pcie/pcie_endpoint_stats.h"
#include "sim/registers.h"
#include "sim/simulation.h"
#include "tlm/pcie.h"

namespace dpusim::pcie {

/// What the card's software is told of: doorbells rung, and that the host has changed its settings.
struct Notice {
  std::uint32_t doorbells;
  bool configuration;
};

/// What an endpoint needs of its surroundings.
class PcieEndpointEnvironment {
 public:
  struct CardResult {
    Time done;
    CompletionStatus status;
  };
  virtual ~PcieEndpointEnvironment() = default;
  /// Makes a request of the host. See PcieUpstream::to_root.
  virtual Time request(PcieRequest& request, Time when) = 0;
  /// Accesses the card's interconnect. @param nesting how many such accesses are under way, this one not counted.
  virtual CardResult card_access(bool write, std::uint64_t address, std::span<std::uint8_t> data, Time when,
                                 unsigned nesting) = 0;
  /// Lets take() be called at `when`.
  virtual void tell_at(const Notice& notice, Time when) = 0;
  /// Tells that irq() may have changed.
  virtual void irq_changed() = 0;
};

/// One PCI Express function of a card, and the registers of both sides.
class PcieEndpointCore {
 public:
  /// Requests that may be inside one another: host to card to host and so on. Deeper ones go in circles, since no
  /// program means to.
  static constexpr unsigned kMaxNesting = 4;
  enum class Answer { kOk, kRefused, kUnsupported, kAborted };
  struct Outcome {
    Time done;
    Answer answer;
  };

  PcieEndpointCore(const PcieEndpointConfig& config, const BlockContext& context, PcieEndpointEnvironment& environment);

  /// Answers a request of the host. See PcieDownstream::to_device.
  /// @error Unsupported Request: not enabled, no BAR, another function, no request for a doubleword of configuration
  /// space; Completer Abort: BAR 0 but not whole doublewords, a bus error of the card.
  Time to_device(PcieRequest& request, Time when);
  /// Accesses host memory for the card, at an offset in the window. @return when the card's initiator may go on: a read
  /// has its data, a write has left on the link (it is posted). @error kRefused, kUnsupported, kAborted; a write's
  /// error is counted only.
  Outcome access_window(bool write, std::uint64_t offset, std::span<std::uint8_t> data, Time when);
  /// Takes a level of the interrupt input of a vector. A rise is an event. A fall at a later time than the rise takes
  /// back an event that is still pending (6.1.4.5); a fall at the same time is the end of a pulse.
  void set_input(unsigned vector, bool level, Time when);
  /// Shows a notice to the card's software, from now on.
  void take(const Notice& notice);
  [[nodiscard]] bool irq() const;

  /// The card's registers. @param when of the access under way, for what it does.
  [[nodiscard]] RegisterBank& card(Time when) {
    when_ = when;
    return card_;
  }
  [[nodiscard]] const RegisterBank& card() const { return card_; }
  [[nodiscard]] const ConfigSpace& configuration() const { return space_; }
  [[nodiscard]] const MsixTable& msix() const { return msix_; }
  [[nodiscard]] const PcieEndpointStats& stats() const { return stats_; }
  [[nodiscard]] Time latency() const { return latency_; }

 private:
  void install_card_registers();
  void install_host_registers();
  CompletionStatus configure(PcieRequest& request, Time when);
  Time access_memory(PcieRequest& request, Time when);
  CompletionStatus access_bar0(bool write, std::uint64_t offset, std::span<std::uint8_t> data, Time when);
  std::uint32_t read_bar0(std::uint64_t offset);
  void write_bar0(std::uint64_t offset, std::uint32_t value);
  Time access_card(PcieRequest& request, std::uint64_t address, Time when);
  [[nodiscard]] std::uint32_t host_settings() const;
  void raise(unsigned vector, Time when);
  void send_message(unsigned vector, Time when);
  void release_pending(Time when);

  const PcieEndpointConfig config_;
  const Time latency_, access_;
  PcieEndpointEnvironment& environment_;
  PcieEndpointStats stats_;
  ConfigSpace space_;
  MsixTable msix_;
  RegisterBank card_, host_;
  std::vector<Time> raised_;  // when each input last rose
  PcieId id_{};
  Time when_{0};  // of the register access under way
  unsigned nesting_ = 0;
};

}  // namespace dpusim::pcie
