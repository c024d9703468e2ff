// The root complex: what devices' requests meet in a server. No SystemC of its own; times are passed in.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "host/host_memory.h"
#include "sim/occupancy.h"
#include "sim/stats.h"
#include "tlm/pcie.h"

namespace dpusim::host {

/// Times of memory as a device sees it behind the root port.
struct RootTiming {
  Time read_latency;   ///< request packet there to the first completion's data, without bandwidth
  Time write_latency;  ///< posted write there to visible to cores
  BitRate bandwidth;   ///< of memory; 0: no limit
};

/// Hears of a device's writes to a range of host memory.
class WriteWatcher {
 public:
  virtual ~WriteWatcher() = default;
  /// Tells that [address, address + length) was written; software sees it from `visible` on. Octets are in memory
  /// already.
  virtual void written(std::uint64_t address, std::uint64_t length, Time visible) = 0;
};

/// Serves reads and writes of host memory, refuses what is outside, and turns writes to the MSI window into interrupts.
/// Writes become visible in the order in which they arrive, interrupts included. @spec PCIe Base 4.0, 2.4.1
class RootComplex {
 public:
  /// Where interrupts are written to. @spec Intel 64 SDM volume 3, 11.11.1
  static constexpr std::uint64_t kMsiBegin = 0xfee0'0000, kMsiEnd = 0xfef0'0000;
  using Interrupt = std::function<void(std::uint64_t address, std::uint32_t data, Time visible)>;

  RootComplex(HostMemory& memory, const RootTiming& timing, StatGroup& stats, Interrupt interrupt);
  /// Does a request that arrives at `when`. @param present no request will arrive before this time.
  /// @return when the data of a read is there, or a posted write has arrived.
  Time serve(PcieRequest& request, Time when, Time present);
  /// Tells `watcher` of writes that touch [begin, end). Ranges do not overlap. @error Defect otherwise.
  void watch(std::uint64_t begin, std::uint64_t end, WriteWatcher& watcher);
  [[nodiscard]] const Occupancy& memory_bus() const { return bus_; }

 private:
  struct Watch {
    std::uint64_t begin, end;
    WriteWatcher* watcher;
  };
  Time read(PcieRequest& request, Time when, Time present);
  Time write(PcieRequest& request, Time when, Time present);
  Time refuse(PcieRequest& request, Time when);
  BusyCalendar::Slot move(const PcieRequest& request, Time when, Time present);
  Time in_order(Time when, Time visible);
  void tell(std::uint64_t address, std::uint64_t length, Time visible);

  HostMemory& memory_;
  const RootTiming timing_;
  const Interrupt interrupt_;
  std::vector<Watch> watches_;  // by address
  Time last_arrival_{0}, last_visible_{0}, present_{0};
  Occupancy bus_;
  Counter reads_, read_octets_, writes_, write_octets_, interrupts_, refused_;
};

}  // namespace dpusim::host
