// A NIC as drivers share it: which program has what, and its registers' addresses.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "host/host_services.h"
#include "net/nic_regs.h"
#include "net/queues/nic_descriptors.h"

namespace dpusim::host {

/// Gives out queues and ports of one NIC. What is asked for in vain is a ConfigError that names the program.
class NicDevice {
 public:
  static constexpr std::uint64_t kRegisters = nic_regs::kSize;

  /// Reads what the NIC has. @error ConfigError when there is no NIC.
  NicDevice(HostServices& host, const PcieFunction& function, std::uint64_t address, const std::string& who);
  [[nodiscard]] const PcieFunction& function() const { return function_; }
  /// Returns the address that the NIC's DMA has for a host address.
  [[nodiscard]] std::uint64_t dma_address(std::uint64_t host_address) const {
    return function_.window.card + (host_address - function_.window.host);
  }
  /// Returns the host address of a register, or of an element of an array of registers `octets` wide.
  [[nodiscard]] std::uint64_t at(std::uint32_t offset, unsigned element = 0, unsigned octets = 4) const {
    return address_ + offset + std::uint64_t{element} * octets;
  }

  enum Kind { kReceive, kTransmit, kCompletion, kPort };
  /// Takes `count` queues (or the port) from `first` on, or the first free ones.
  unsigned take(Kind kind, unsigned count, std::optional<unsigned> first, const std::string& who);
  /// Checks that there is this port.
  void check_port(unsigned port, const std::string& who) const;

  /// Lets completion queues drive their interrupt lines.
  Task enable_lines(HostThread& thread, std::uint64_t mask);
  /// Sets the device going.
  Task enable(HostThread& thread);

 private:
  HostServices& host_;
  const PcieFunction& function_;
  std::uint64_t address_;
  std::uint64_t lines_ = 0;
  unsigned has_[4];
  std::map<unsigned, std::string> taken_[4];
};

}  // namespace dpusim::host
