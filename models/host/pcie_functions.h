// What a host finds below its root port: enumeration by configuration requests. No SystemC of its own.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "tlm/pcie.h"

namespace dpusim::host {

/// A function of a device, as enumeration leaves it.
struct PcieFunction {
  struct Bar {
    std::uint64_t address = 0, size = 0;  ///< size 0: not there
  };
  struct MsiX {
    unsigned entries = 0;     ///< 0: no MSI-X
    std::uint64_t table = 0;  ///< host address of the table
  };
  PcieId id;
  std::uint16_t vendor = 0, device = 0;
  std::array<Bar, 6> bars{};
  MsiX msix;
  /// The card's window onto host memory: host address `host` is `card` to the card's own DMA. Size 0: the function does
  /// not say.
  struct Window {
    std::uint64_t card = 0, size = 0, host = 0;
  };
  Window window;
};

/// Enumerates the one device below a root port (bus 1, device 0) as firmware of a server does: finds functions, sizes
/// and places BARs, reads capabilities, and enables memory space and bus mastering. @spec PCI Local Bus 3.0, 6.2.5.1;
/// PCIe Base 4.0, 7.5.1, 7.7.2, 7.9.5
class PcieEnumerator {
 public:
  /// @param memory_end first host address above memory: 64-bit BARs go above it. @param bus_master whether functions
  /// may make requests.
  PcieEnumerator(PcieDownstream& port, std::uint64_t memory_end, bool bus_master);
  /// Enumerates, each request after the one before. @param when start. @error ConfigError when BARs below 4 GiB do not
  /// fit.
  std::vector<PcieFunction> run(Time when);
  /// Returns when the last request was done.
  [[nodiscard]] Time done() const { return time_; }

 private:
  std::optional<std::uint32_t> read(PcieId id, unsigned offset);
  std::uint64_t read64(PcieId id, unsigned offset);
  void write(PcieId id, unsigned offset, std::uint32_t value);
  std::optional<PcieFunction> probe(PcieId id);
  void place_bars(PcieFunction& function);
  void read_capabilities(PcieFunction& function);
  void read_extended_capabilities(PcieFunction& function);

  PcieDownstream& port_;
  std::uint64_t next32_, next64_;
  bool bus_master_;
  Time time_{0};
};

}  // namespace dpusim::host
