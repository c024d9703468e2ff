#include "host/host_services.h"

#include <fmt/format.h>

#include "host/nic_device.h"
#include "sim/error.h"

namespace dpusim::host {

const ConfigTable<DeviceConfig>& DeviceConfig::table() {
  static const ConfigTable<DeviceConfig> table(
      "Device", {field("function", &DeviceConfig::function, between(0U, 7U), "PCIe function number"),
                 field("bar", &DeviceConfig::bar, between(0U, 5U), "Base address register"),
                 field("offset", &DeviceConfig::offset, "Offset in the BAR")});
  return table;
}

HostServices::HostServices(Simulation& simulation_, HostMemory& memory_, RootComplex& root_, PcieDownstream& devices,
                           const CpuTiming& cpu, unsigned threads)
    : simulation(simulation_), memory(memory_), root(root_), allocator(memory_), devices_(devices) {
  for (unsigned i = 0; i < threads; ++i) threads_.push_back(std::make_unique<HostThread>(calendar, devices, cpu));
}

HostServices::~HostServices() = default;

std::vector<HostThread*> HostServices::take_threads(unsigned count, const std::string& who) {
  if (count > threads_.size() - threads_taken_)
    throw ConfigError(
        who,
        fmt::format("{} more threads than the {} of the host that are left", count, threads_.size() - threads_taken_),
        "fewer threads, or more \"threads\" of the host");
  std::vector<HostThread*> taken;
  for (unsigned i = 0; i < count; ++i) taken.push_back(threads_[threads_taken_++].get());
  return taken;
}

const PcieFunction& HostServices::find_function(const DeviceConfig& device, const std::string& who) const {
  for (const PcieFunction& function : functions) {
    if (function.id.function == device.function) return function;
  }
  throw ConfigError(
      who + ".device.function", fmt::format("function {}, which no device below the root port has", device.function),
      functions.empty() ? "a device at the host's root port" : fmt::format("one of {} functions", functions.size()));
}

std::uint64_t HostServices::find_device(const DeviceConfig& device, std::uint64_t size, const std::string& who) const {
  const PcieFunction& function = find_function(device, who);
  const PcieFunction::Bar& bar = function.bars[device.bar];
  const std::uint64_t offset = device.offset.count();
  if (size > bar.size || offset > bar.size - size)
    throw ConfigError(who + ".device", fmt::format("BAR {} of {:#x} octets", device.bar, bar.size),
                      fmt::format("{:#x} octets of registers at offset {:#x}", size, offset));
  const PcieFunction::Window& window = function.window;
  if (window.host > 0 || window.size < memory.end())
    throw ConfigError(
        who,
        fmt::format("a card whose window shows {:#x} octets of host memory from {:#x} on", window.size, window.host),
        fmt::format("a window onto all of it, {:#x} octets from 0 on", memory.end()));
  return bar.address + offset;
}

NicDevice& HostServices::find_nic(const DeviceConfig& device, const std::string& who) {
  const std::uint64_t address = find_device(device, NicDevice::kRegisters, who);
  std::unique_ptr<NicDevice>& nic = nics_[address];
  if (!nic) nic = std::make_unique<NicDevice>(*this, find_function(device, who), address, who);
  return *nic;
}

void HostServices::take_queue(std::uint64_t device, unsigned queue, const std::string& who) {
  const auto [taken, fresh] = queues_taken_.try_emplace({device, queue}, who);
  if (!fresh)
    throw ConfigError(who + ".queue", fmt::format("queue {} of the device, which {} has", queue, taken->second),
                      "queues of its own for each program");
}

InterruptRoute HostServices::route_interrupt(const PcieFunction& function, unsigned entry, const HostThread& thread,
                                             const std::string& who) {
  if (entry >= function.msix.entries)
    throw ConfigError(who, fmt::format("MSI-X entry {}, which the function does not have", entry),
                      fmt::format("one of {} entries", function.msix.entries));
  const auto [taken, fresh] = entries_taken_.try_emplace({function.id.packed(), entry}, who);
  if (!fresh)
    throw ConfigError(who, fmt::format("MSI-X entry {}, which {} has", entry, taken->second),
                      "entries of its own for each program");
  std::size_t number = 0;
  while (threads_[number].get() != &thread) ++number;
  return {function.msix.table + std::uint64_t{entry} * 16, RootComplex::kMsiBegin | number << 12, kFirstVector};
}

bool HostServices::deliver(std::uint64_t address, std::uint32_t data, Time visible) {
  const std::uint64_t number = address >> 12 & 0xff;
  if (data != kFirstVector || number >= threads_.size()) return false;
  threads_[number]->interrupt(visible);
  return true;
}

Task enable_interrupt(HostThread& thread, const InterruptRoute& route) {
  co_await thread.write(route.entry, static_cast<std::uint32_t>(route.address));
  co_await thread.write(route.entry + 4, static_cast<std::uint32_t>(route.address >> 32));
  co_await thread.write(route.entry + 8, route.data);
  co_await thread.write(route.entry + 12, std::uint32_t{0});
}

}  // namespace dpusim::host
