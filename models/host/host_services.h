// What a host offers its programs: memory, threads, devices, interrupts.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/host_memory.h"
#include "host/host_thread.h"
#include "host/pcie_functions.h"
#include "host/root_complex.h"
#include "sim/config.h"
#include "sim/simulation.h"

namespace dpusim::host {

class NicDevice;

/// Where a program's device is: a BAR of a function, and an offset in it.
struct DeviceConfig {
  unsigned function = 0;
  unsigned bar = 2;
  Bytes offset{0};
  static const ConfigTable<DeviceConfig>& table();
};

/// An entry of a function's MSI-X table, and the message that leads to a thread.
struct InterruptRoute {
  std::uint64_t entry = 0;  ///< host address of the table's entry
  std::uint64_t address = 0;
  std::uint32_t data = 0;
};

/// Shared by the programs of one host. What a program asks for in vain before time starts is a ConfigError that names
/// it.
class HostServices {
 public:
  HostServices(Simulation& simulation, HostMemory& memory, RootComplex& root, PcieDownstream& devices,
               const CpuTiming& cpu, unsigned threads);
  ~HostServices();

  Simulation& simulation;
  HostMemory& memory;
  RootComplex& root;
  HostAllocator allocator;
  TaskCalendar calendar;
  std::vector<PcieFunction> functions;  ///< what enumeration found

  /// Returns `count` threads of the processor that nobody else has. @param who JSON path of the program.
  std::vector<HostThread*> take_threads(unsigned count, const std::string& who);
  /// Returns the function and the host address of a device. @error ConfigError when there is none.
  const PcieFunction& find_function(const DeviceConfig& device, const std::string& who) const;
  [[nodiscard]] std::uint64_t find_device(const DeviceConfig& device, std::uint64_t size, const std::string& who) const;
  /// Returns the NIC at this place, the same for all programs. @error ConfigError when there is none.
  NicDevice& find_nic(const DeviceConfig& device, const std::string& who);
  /// Takes a queue of the device at this host address. @error ConfigError when another program has it.
  void take_queue(std::uint64_t device, unsigned queue, const std::string& who);
  /// Leads an MSI-X entry to a thread. @error ConfigError when the function has not as many, or the entry is taken.
  InterruptRoute route_interrupt(const PcieFunction& function, unsigned entry, const HostThread& thread,
                                 const std::string& who);
  /// Takes an interrupt message. @return false when it leads nowhere.
  bool deliver(std::uint64_t address, std::uint32_t data, Time visible);
  /// Reads a device's register before time starts or after it ended, without a thread.
  template <class T>
  T read_now(std::uint64_t address, Time when = Time(0)) {
    T value{};
    PcieRequest request{.address = address, .data = {reinterpret_cast<std::uint8_t*>(&value), sizeof value}};
    devices_.to_device(request, when);
    return request.status == CompletionStatus::kSuccessful ? value : static_cast<T>(~T{0});
  }

 private:
  static constexpr std::uint32_t kFirstVector = 0x20;  // below are the processor's exceptions
  PcieDownstream& devices_;
  std::vector<std::unique_ptr<HostThread>> threads_;
  std::size_t threads_taken_ = 0;
  std::map<std::uint64_t, std::unique_ptr<NicDevice>> nics_;                 // by host address
  std::map<std::pair<std::uint64_t, unsigned>, std::string> queues_taken_;   // by device and number
  std::map<std::pair<std::uint16_t, unsigned>, std::string> entries_taken_;  // by function and entry
};

/// Writes an MSI-X table entry and unmasks it. @spec PCI Local Bus 3.0, 6.8.2
Task enable_interrupt(HostThread& thread, const InterruptRoute& route);

}  // namespace dpusim::host
