// The NIC's engine in a world of the test's making: memory of fixed latency, ports that say when they take frames. No
// kernel.
#pragma once

#include <algorithm>
#include <cstring>

#include "net/queues/nic_engine.h"
#include "net_bench.h"

namespace net_bench {

using namespace dpusim::net;
using namespace dpusim::literals;

/// Round numbers, so that times can be added by hand: 64 octets take 1 ns of a DMA lane.
inline NicConfig round_config() {
  NicConfig config;
  config.packet_interval = 4_ns;
  config.receive_latency = 100_ns;
  config.transmit_latency = 20_ns;
  config.doorbell_latency = 10_ns;
  config.interrupt_latency = 30_ns;
  config.dma_rate = 512_Gbps;
  return config;
}

class World : public NicEnvironment {
 public:
  struct Access {
    bool write;
    std::uint64_t address;
    std::size_t octets;
    std::int64_t when;
    bool operator==(const Access&) const = default;
  };
  struct Sent {
    unsigned port;
    FramePtr frame;
    Time start;
  };
  DmaResult dma(bool write, std::uint64_t address, std::span<std::uint8_t> data, Time when) override {
    accesses.push_back({write, address, data.size(), when.count()});
    if (address + data.size() > memory.size()) return {when + latency, false};
    if (write) {
      std::memcpy(&memory[address], data.data(), data.size());
    } else {
      std::memcpy(data.data(), &memory[address], data.size());
    }
    return {when + latency, true};
  }
  SendResult send(unsigned port, const FramePtr& frame, Time start) override {
    frame->departure = start + 100_ns;
    sent.push_back({port, frame, start});
    return {start, start + port_gap};
  }
  void interrupt(unsigned queue) override { interrupts.push_back(queue); }

  Octets memory = Octets(1 << 20);
  Time latency = 50_ns, port_gap{0};
  std::vector<Access> accesses;
  std::vector<Sent> sent;
  std::vector<unsigned> interrupts;
};

/// An engine whose queues lie at fixed addresses: completion queue c at 0x1000 + c * 0x1000, receive ring q at 0x20000
/// + q * 0x1000, transmit ring q at 0x40000 + q * 0x1000; buffers from 0x80000.
struct EngineBench {
  static constexpr std::uint64_t kBad = 1ULL << 40;  // no memory there
  explicit EngineBench(const NicConfig& config = round_config())
      : context(run.context("nic")), engine(config, context, world) {
    engine.set_enabled(true, 0_ps);
    for (unsigned port = 0; port < config.ports; ++port) engine.steering(port).enabled = true;
  }
  static std::uint64_t cq_base(unsigned queue) { return 0x1000 + queue * 0x1000ULL; }
  static std::uint64_t rx_base(unsigned queue) { return 0x20000 + queue * 0x1000ULL; }
  static std::uint64_t tx_base(unsigned queue) { return 0x40000 + queue * 0x1000ULL; }
  void start(unsigned log2 = 2, unsigned cq_log2 = 4) {
    engine.enable_completion(0, cq_base(0), cq_log2);
    engine.enable_receive(0, rx_base(0), log2, 0);
    engine.enable_transmit(0, tx_base(0), log2, 0, 0);
  }
  template <class T>
  void put(std::uint64_t address, const T& value) {
    std::memcpy(&world.memory[address], &value, sizeof value);
  }
  NicCompletion completion(unsigned index, unsigned queue = 0) {
    NicCompletion entry;
    std::memcpy(&entry, &world.memory[cq_base(queue) + index * sizeof entry], sizeof entry);
    return entry;
  }
  /// Writes descriptors behind those posted and rings the doorbell.
  void post_rx(unsigned count, Time when, std::uint32_t length = 2048, std::uint64_t address = 0x80000,
               unsigned queue = 0) {
    const auto& ring = engine.receive_ring(queue);
    std::uint16_t tail = ring.tail;
    for (unsigned i = 0; i < count; ++i, ++tail)
      put(ring.address(tail), NicRxDescriptor{address, length, 0xc0000000U + tail});
    engine.post_receive(queue, tail, when);
  }
  void post_tx(const std::vector<NicTxDescriptor>& descriptors, Time when, unsigned queue = 0) {
    const auto& ring = engine.transmit_ring(queue);
    std::uint16_t tail = ring.tail;
    for (const NicTxDescriptor& descriptor : descriptors) put(ring.address(tail++), descriptor);
    engine.post_transmit(queue, tail, when);
  }
  void receive(Time when, std::size_t size = 64, unsigned port = 0) {
    FramePtr frame = make_frame(Octets(size, 0x11));
    frame->first_bit = when - 10_ns;
    engine.receive(port, frame, when);
  }
  double stat(const std::string& name) { return run.stat("nic." + name); }
  std::vector<std::string> broken() { return run.simulation.stats().broken_laws(); }

  Run run;
  BlockContext context;
  World world;
  NicEngine engine;
};

}  // namespace net_bench
