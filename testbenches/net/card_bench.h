// Port, NIC and memory together, driven through registers as firmware does.
#pragma once

#include "net/mac/ethernet_port.h"
#include "net/nic_regs.h"
#include "net/queues/nic.h"
#include "net_bench.h"

namespace net_bench {

namespace nic_regs = dpusim::nic_regs;

/// One port; completion queue 0 at 0x1000, receive ring 0 at 0x10000, transmit ring 0 at 0x20000, buffers of 2 KiB from
/// 0x100000.
struct CardBench {
  explicit CardBench(const dpusim::net::NicConfig& nic_config = {},
                     const dpusim::net::EthernetPortConfig& port_config = {}, std::size_t memory_size = 8U << 20U)
      : port(run.context("p0"), port_config),
        nic(run.context("nic"), nic_config),
        memory("memory", memory_size, Time(50'000)) {
    port.host_out.bind(nic.port_in(0));
    nic.port_out(0).bind(port.host_in);
    nic.dma_socket.bind(memory.socket);
    core.socket.bind(nic.bus());
    port_bus.socket.bind(*std::get<MemoryTargetSocket*>(port.ports().front().endpoint));
  }
  static constexpr std::uint64_t kCq = 0x1000, kRx = 0x10000, kTx = 0x20000, kBuffers = 0x100000;
  static std::uint64_t at(std::uint64_t offset, unsigned element, unsigned octets = 4) {
    return offset + std::uint64_t{element} * octets;
  }

  /// Brings queues number 0 up with 2^log2 entries.
  void bring_up(std::uint32_t log2) {
    core.write64(nic_regs::kCQ_BASE_offset, kCq);
    core.write32(nic_regs::kCQ_SIZE_offset, log2);
    core.write32(nic_regs::kCQ_CONTROL_offset, 1);
    core.write64(nic_regs::kRXQ_BASE_offset, kRx);
    core.write32(nic_regs::kRXQ_SIZE_offset, log2);
    core.write32(nic_regs::kRXQ_CONTROL_offset, 1);
    core.write64(nic_regs::kTXQ_BASE_offset, kTx);
    core.write32(nic_regs::kTXQ_SIZE_offset, log2);
    core.write32(nic_regs::kTXQ_CONTROL_offset, 1);
    core.write32(nic_regs::kPORT_CONTROL_offset, 1);
    core.write32(nic_regs::kCONTROL_offset, 1);
  }
  template <class T>
  void put(std::uint64_t address, const T& value) {
    std::memcpy(&memory.octets[address], &value, sizeof value);
  }
  template <class T>
  T get(std::uint64_t address) const {
    T value;
    std::memcpy(&value, &memory.octets[address], sizeof value);
    return value;
  }

  Run run;
  dpusim::net::EthernetPort port;
  dpusim::net::Nic nic;
  Memory memory;
  BusMaster core{"core"}, port_bus{"port_bus"};
};

}  // namespace net_bench
