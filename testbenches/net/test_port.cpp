#include <catch2/catch.hpp>

#include "net/capture/capture_sink.h"
#include "net/ethernet_port_regs.h"
#include "net/mac/ethernet_port.h"
#include "net_bench.h"

using namespace net_bench;
using namespace dpusim::net;
using namespace dpusim::literals;
namespace regs = dpusim::ethernet_port_regs;

namespace {

/// A port with a sender and a receiver on each side.
struct PortBench {
  explicit PortBench(const EthernetPortConfig& config = {}, Time host_hold = Time(0))
      : port(run.context("p0"), config), host("host", host_hold) {
    network.out.bind(port.wire_in);
    port.host_out.bind(host.in);
    software.out.bind(port.host_in);
    port.wire_out.bind(wire.in);
    core.socket.bind(bus_of(port));
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  static MemoryTargetSocket& bus_of(EthernetPort& port) {
    return *std::get<MemoryTargetSocket*>(port.ports().front().endpoint);
  }
  double stat(const std::string& name) { return run.stat("p0." + name); }
  Run run;
  EthernetPort port;
  Sender network{"network"}, software{"software"};
  Receiver host, wire{"wire"};
  BusMaster core{"core"};
};

Octets unicast(std::size_t size) {
  Octets octets(size, 0x22);
  octets[0] = 0x02;
  return octets;
}

}  // namespace

TEST_CASE("port: 64 octets back to back at 100 Gb/s are 148.8 M frames a second, 1518 are 8.127 M") {
  PortBench bench;
  // IEEE 802.3: (8 + 64 + 12) * 8 bits / 100 Gb/s = 6.72 ns; (8 + 1518 + 12) * 8 / 100 Gb/s = 123.04 ns.
  Time start{0};
  for (int i = 0; i < 1000; ++i) start = bench.network.send(unicast(60), start);
  CHECK(start.count() == 1000 * 6'720);
  Time send{0};
  for (int i = 0; i < 1000; ++i) send = bench.software.send(unicast(60), send);
  REQUIRE(bench.wire.taken.size() == 1000);
  for (std::size_t i = 1; i < 1000; ++i) REQUIRE(bench.wire.taken[i].start - bench.wire.taken[i - 1].start == 6'720_ps);
  const double rate = 1e12 / 6'720;
  CHECK(rate == Approx(148.8e6).epsilon(1e-3));
  const Time first = bench.software.send(unicast(1514), send);
  bench.software.send(unicast(1514), std::max(first, send));
  const auto& taken = bench.wire.taken;
  CHECK(taken[1001].start - taken[1000].start == 123'040_ps);
  CHECK(1e12 / 123'040 == Approx(8.127e6).epsilon(1e-4));
}

TEST_CASE("port: every rate is exact to the picosecond") {
  for (const auto& [rate, gap] : {std::pair{10_Gbps, 67'200_ps},
                                  {25_Gbps, 26'880_ps},
                                  {40_Gbps, 16'800_ps},
                                  {50_Gbps, 13'440_ps},
                                  {200_Gbps, 3'360_ps},
                                  {400_Gbps, 1'680_ps}}) {
    CHECK(wire_time(64_B, rate) == gap);
    CHECK(
        EthernetPortConfig::table().parse({{"rate", fmt::format("{}Gb/s", rate.count() / 1'000'000'000)}}, "p").rate ==
        rate);
  }
  CHECK_THROWS_AS(EthernetPortConfig::table().parse({{"rate", "30Gb/s"}}, "p"), ConfigError);
  CHECK_THROWS_AS(EthernetPortConfig::table().parse({{"mac_address", "02:00"}}, "p"), ConfigError);
  CHECK_THROWS_AS(EthernetPortConfig::table().parse({{"mtu", 9216}, {"transmit_fifo", 9219}}, "p"), ConfigError);
  CHECK(EthernetPortConfig::table().parse({{"mtu", 9216}, {"transmit_fifo", 9220}}, "p").transmit_fifo == 9220_B);
}

TEST_CASE("port: a received frame is handed over when its last bit arrived, plus the latency") {
  EthernetPortConfig config;
  config.receive_latency = 100_ns;
  PortBench bench(config);
  bench.network.send(unicast(60), 1_us);
  // (8 + 64) * 80 ps = 5.76 ns after the first bit of preamble.
  REQUIRE(bench.host.taken.size() == 1);
  CHECK(bench.host.taken[0].start.count() == 1'000'000 + 5'760 + 100'000);
  CHECK(bench.host.taken[0].frame.get() == bench.network.last.get());  // the same object, not a copy
  CHECK(bench.host.taken[0].frame->first_bit == 1_us);
}

TEST_CASE("port: sent frames wait for the wire; short ones are padded") {
  EthernetPortConfig config;
  config.transmit_latency = 10_ns;
  PortBench bench(config);
  bench.software.send(unicast(42), 0_ps);
  CHECK(bench.software.last->departure == 10_ns);
  bench.software.send(unicast(60), 0_ps);
  CHECK(bench.software.last->departure.count() == 10'000 + 6'720);
  bench.software.send(unicast(60), 100_ns);  // the wire is idle again
  CHECK(bench.wire.starts() == std::vector<std::int64_t>{10'000, 16'720, 110'000});
  Octets padded = unicast(42);
  padded.resize(60);
  const auto sent = bench.wire.taken[0].frame->octets();
  CHECK(Octets(sent.begin(), sent.end()) == padded);
}

TEST_CASE("port: the transmit FIFO holds back the sender as long as the longest frame would not fit") {
  EthernetPortConfig config;
  config.transmit_latency = 0_ps;
  config.mtu = 1514_B;
  config.transmit_fifo = 1518_B + 64_B;
  PortBench bench(config);
  // The first frame of 64 octets leaves room for 1518; the second does not until the first has left: (8 + 64) * 80 ps.
  CHECK(bench.software.send(unicast(60), 0_ps) == 0_ps);
  CHECK(bench.software.send(unicast(60), 0_ps) == 5'760_ps);
  CHECK(bench.software.send(unicast(60), 5'760_ps).count() == 6'720 + 5'760);  // when the second has left
  CHECK_THROWS_AS(bench.software.send(unicast(60), 12'479_ps), Defect);        // 1 ps too early breaks the protocol
  CHECK_NOTHROW(bench.software.send(unicast(60), 12'480_ps));
}

TEST_CASE("port: receive buffer overflows are drop events, at the octet") {
  EthernetPortConfig config;
  config.receive_buffer = 128_B;
  config.receive_latency = 0_ps;
  PortBench bench(config, 1_us);  // what stands behind takes one frame a microsecond
  Time start{0};
  for (int i = 0; i < 4; ++i) start = bench.network.send(unicast(60), start);
  // The first goes on at once; two of 64 octets fill the buffer; the fourth is lost.
  CHECK(bench.host.taken.size() == 3);
  CHECK(bench.host.starts() == std::vector<std::int64_t>{5'760, 1'005'760, 2'005'760});
  CHECK(bench.stat("etherStatsDropEvents") == 1);
  CHECK(bench.stat("ifInDiscards") == 1);
  CHECK(bench.run.simulation.stats().broken_laws().empty());
}

TEST_CASE("port: sizes are binned with FCS at the edges of RFC 2819") {
  PortBench bench;
  Time start{0};
  for (const std::size_t with_fcs : {64, 65, 127, 128, 255, 256, 511, 512, 1023, 1024, 1518, 1519, 9220}) {
    start = bench.network.send(unicast(with_fcs - 4), start);
    bench.software.send(unicast(with_fcs - 4), start + 1_ms * static_cast<std::int64_t>(with_fcs));
  }
  CHECK(bench.stat("etherStatsPkts64Octets") == 1);
  CHECK(bench.stat("tx_pkts_64_octets") == 1);
  for (const char* bin : {"65to127", "128to255", "256to511", "512to1023", "1024to1518"})
    CHECK(bench.stat(std::string("etherStatsPkts") + bin + "Octets") == 2);
  for (const char* bin : {"65_to_127", "128_to_255", "256_to_511", "512_to_1023", "1024_to_1518", "1519_to_max"})
    CHECK(bench.stat(std::string("tx_pkts_") + bin + "_octets") == 2);
  CHECK(bench.stat("rx_pkts_1519_to_max_octets") == 2);
  CHECK(bench.stat("etherStatsPkts") == 13);
  CHECK(bench.stat("etherStatsOctets") ==
        64 + 65 + 127 + 128 + 255 + 256 + 511 + 512 + 1023 + 1024 + 1518 + 1519 + 9220);
  CHECK(bench.stat("ifOutOctets") == bench.stat("etherStatsOctets"));
}

TEST_CASE("port: bad frames are counted by kind and go no further") {
  PortBench bench;
  const Time gap = 10_us;
  Octets broadcast(60, 0xff), multicast = unicast(60);
  multicast[0] = 0x01;
  bench.network.send(unicast(9216), gap * 1);         // the longest good one
  bench.network.send(unicast(9217), gap * 2);         // oversize
  bench.network.send(unicast(9217), gap * 3, false);  // jabber
  bench.network.send(unicast(60), gap * 4, false);    // FCS
  bench.network.send(Octets(13, 2), gap * 5);         // no whole header
  bench.network.send(broadcast, gap * 6);
  bench.network.send(multicast, gap * 7);
  bench.network.send(Octets(262'144, 2), gap * 8);
  CHECK(bench.host.taken.size() == 3);
  CHECK(bench.stat("etherStatsOversizePkts") == 2);
  CHECK(bench.stat("etherStatsJabbers") == 1);
  CHECK(bench.stat("etherStatsCRCAlignErrors") == 1);
  CHECK(bench.stat("etherStatsUndersizePkts") == 1);
  CHECK(bench.stat("etherStatsBroadcastPkts") == 1);
  CHECK(bench.stat("etherStatsMulticastPkts") == 1);
  CHECK(bench.stat("ifInUcastPkts") == 1);
  CHECK(bench.stat("ifInBroadcastPkts") == 1);
  CHECK(bench.stat("ifInMulticastPkts") == 1);
  CHECK(bench.stat("ifInErrors") == 5);
  CHECK(bench.stat("aFrameCheckSequenceErrors") == 1);
  CHECK(bench.stat("aFrameTooLongErrors") == 3);
  bench.software.send(unicast(9217), 0_ps);
  bench.software.send(Octets(13, 2), 0_ps);
  CHECK(bench.stat("ifOutErrors") == 2);
  CHECK(bench.software.last->departure == 0_ps);
  CHECK(bench.wire.taken.empty());
  CHECK(bench.run.simulation.stats().broken_laws().empty());
}

TEST_CASE("port: octets received and packets to be sent count as RFC 2863 says, the IEEE's only what went well") {
  EthernetPortConfig config;
  config.mtu = 1514_B;
  PortBench bench(config);
  Octets broadcast(60, 0xff), multicast = unicast(60);
  multicast[0] = 0x01;
  // ifInOctets: "the total number of octets received on the interface, including framing characters".
  bench.network.send(unicast(96), 1_us);
  bench.network.send(unicast(196), 2_us, false);  // FCS
  bench.network.send(unicast(1515), 3_us);        // oversize
  CHECK(bench.stat("ifInOctets") == 100 + 200 + 1519);
  CHECK(bench.stat("ifInUcastPkts") == 1);  // "delivered by this sub-layer to a higher (sub-)layer"
  CHECK(bench.stat("aFramesReceivedOK") == 1);
  CHECK(bench.core.read64(regs::kIN_OCTETS_offset) == 1819);
  // RFC 2819 counts bad packets in the bins.
  CHECK(bench.stat("etherStatsPkts65to127Octets") == 1);
  CHECK(bench.stat("etherStatsPkts128to255Octets") == 1);
  CHECK(bench.stat("rx_pkts_1519_to_max_octets") == 1);
  // ifOutUcastPkts: "requested be transmitted ... including those that were discarded or not sent".
  bench.software.send(unicast(60), 10_us);
  bench.software.send(unicast(1515), 11_us);     // error
  bench.software.send(Octets(5, 0x01), 11_us);   // error, without an address: unicast
  bench.core.write32(regs::kCONTROL_offset, 3);  // transmitter off
  bench.software.send(unicast(60), 12_us);
  bench.software.send(multicast, 12_us);
  bench.software.send(broadcast, 12_us);
  bench.software.send(broadcast, 12_us);
  CHECK(bench.stat("ifOutUcastPkts") == 4);
  CHECK(bench.stat("ifOutMulticastPkts") == 1);
  CHECK(bench.stat("ifOutBroadcastPkts") == 2);
  CHECK(bench.stat("ifOutErrors") == 2);
  CHECK(bench.stat("ifOutDiscards") == 4);
  CHECK(bench.stat("aFramesTransmittedOK") == 1);
  CHECK(bench.stat("ifOutOctets") == 64);
  CHECK(bench.wire.taken.size() == 1);
  CHECK(bench.run.simulation.stats().broken_laws().empty());
}

TEST_CASE("port: reset values, link down and up by register, interrupt, MTU") {
  EthernetPortConfig config;
  config.rate = 25_Gbps;
  config.mtu = 1514_B;
  config.mac_address = "02:11:22:33:44:55";
  PortBench bench(config);
  LineProbe line;
  std::get<IrqLine*>(bench.port.ports()[1].endpoint)->connect(line, 5);
  CHECK(bench.core.read32(regs::kID_offset) == 0x45544801);
  CHECK(bench.core.read32(regs::kCONTROL_offset) == 7);
  CHECK(bench.core.read32(regs::kSTATUS_offset) == 1);
  CHECK(bench.core.read32(regs::kSPEED_offset) == 25'000);
  CHECK(bench.core.read32(regs::kMTU_offset) == 1514);
  CHECK(bench.core.read64(regs::kMAC_ADDRESS_offset) == 0x554433221102);
  CHECK(bench.core.last_delay == config.access);
  bench.core.write32(regs::kSTATUS_offset, 0);  // read-only
  CHECK(bench.core.read32(regs::kSTATUS_offset) == 1);

  bench.core.write32(regs::kINTERRUPT_ENABLE_offset, 1);
  bench.core.write32(regs::kCONTROL_offset, 6);
  CHECK(bench.core.read32(regs::kSTATUS_offset) == 0);
  CHECK(line.changes == std::vector<std::pair<std::int64_t, bool>>{{0, true}});
  bench.core.write32(regs::kINTERRUPT_STATUS_offset, 1);
  CHECK(line.changes.size() == 2);
  bench.network.send(unicast(60), 0_ps);
  bench.software.send(unicast(60), 0_ps);
  CHECK(bench.host.taken.empty());
  CHECK(bench.wire.taken.empty());
  CHECK(bench.stat("ifInDiscards") == 1);
  CHECK(bench.stat("ifOutDiscards") == 1);
  CHECK(bench.stat("etherStatsPkts") == 0);  // nobody listens to a dead line
  bench.core.write32(regs::kCONTROL_offset, 7);
  bench.network.send(unicast(60), 100_ns);
  CHECK(bench.host.taken.size() == 1);
  CHECK(bench.core.read64(regs::kRX_PKTS_offset) == 1);
  CHECK(bench.core.read64(regs::kIN_DISCARDS_offset) == 1);
  CHECK(bench.core.read64(regs::kOUT_DISCARDS_offset) == 1);

  bench.core.write32(regs::kMTU_offset, 100);
  bench.network.send(unicast(100), 1_us);
  bench.network.send(unicast(101), 2_us);
  CHECK(bench.host.taken.size() == 2);
  CHECK(bench.core.read64(regs::kRX_OVERSIZE_PKTS_offset) == 1);
  bench.core.write32(regs::kMTU_offset, 9000);  // above the parameter
  CHECK(bench.core.read32(regs::kMTU_offset) == 1514);
  std::uint32_t ignored = 0;
  CHECK(bench.core.access(false, 0x1c, &ignored, 4) == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(bench.core.access(false, 0x4, &ignored, 2) == ::tlm::TLM_BURST_ERROR_RESPONSE);
}

TEST_CASE("port: pause from the wire holds later frames, pause from the host side holds hand-over") {
  EthernetPortConfig config;
  config.transmit_latency = 0_ps;
  config.receive_latency = 0_ps;
  PortBench bench(config);
  bench.wire.in->pause(1_us, 0xff);
  bench.software.send(unicast(60), 0_ps);
  bench.wire.in->pause(0_ps, 0xff);
  bench.software.send(unicast(60), 2_us);
  CHECK(bench.wire.starts() == std::vector<std::int64_t>{1'000'000, 2'000'000});
  bench.host.in->pause(3_us, 1);
  bench.network.send(unicast(60), 0_ps);
  bench.host.in->pause(9_us, 0xfe);  // other priorities only
  bench.network.send(unicast(60), 4_us);
  CHECK(bench.host.starts() == std::vector<std::int64_t>{3'000'000, 4'005'760});
}

TEST_CASE("port: utilisation of the wire out counts what has passed, not what is booked") {
  EthernetPortConfig config;
  config.transmit_latency = 10_ns;
  PortBench bench(config);
  for (int i = 0; i < 10; ++i) bench.software.send(unicast(60), 0_ps);
  CHECK(bench.stat("tx_utilisation") == 0);
  // Ten frames of 6.72 ns each occupy the wire from 10 ns to 77.2 ns.
  run_until(10_ns);
  CHECK(bench.stat("tx_utilisation") == 0);
  run_until(20_ns);
  CHECK(bench.stat("tx_utilisation") == Approx(0.5).epsilon(1e-12));
  bench.software.send(unicast(60), 20_ns);  // booked to follow, 77.2 ns to 83.92 ns
  CHECK(bench.stat("tx_utilisation") == Approx(0.5).epsilon(1e-12));
  bench.software.send(unicast(60), 190_ns);  // 200 ns to 206.72 ns
  run_until(100_ns);
  CHECK(bench.stat("tx_utilisation") == Approx(0.7392).epsilon(1e-12));
  run_until(203'360_ps);
  CHECK(bench.stat("tx_utilisation") == Approx((73.92 + 3.36) / 203.36).epsilon(1e-12));
  bench.software.send(unicast(60), 400_ns);
  CHECK(bench.stat("tx_utilisation") == Approx((73.92 + 3.36) / 203.36).epsilon(1e-12));
  run_until(403'360_ps);  // the last one's first bit is due at 410 ns
  CHECK(bench.stat("tx_utilisation") == Approx((73.92 + 6.72) / 403.36).epsilon(1e-12));
}

TEST_CASE("port: a frame on the wire before the last one and its gap have passed breaks the protocol") {
  PortBench bench;
  CHECK(bench.network.send(unicast(60), 1_us) == 1_us + 6'720_ps);
  CHECK_THROWS_AS(bench.network.send(unicast(60), 1_us + 6'719_ps), Defect);
  CHECK_NOTHROW(bench.network.send(unicast(60), 1_us + 6'720_ps));
}

TEST_CASE("port: open sockets are unplugged cables") {
  Run run;
  EthernetPort port(run.context("p0"), {});
  BusMaster core("core");
  core.socket.bind(PortBench::bus_of(port));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  CHECK(core.read32(regs::kSTATUS_offset) == 1);
}
