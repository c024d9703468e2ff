#include <catch2/catch.hpp>

#include "capture_files.h"
#include "card_bench.h"
#include "net/capture/capture_reader.h"
#include "net/capture/capture_sink.h"
#include "net/capture/capture_source.h"
#include "net/net_types.h"
#include "packets.h"

using namespace net_bench;
using namespace dpusim::net;
using namespace dpusim::literals;

TEST_CASE("nic: reset values and access classes") {
  NicConfig config;
  config.ports = 1;
  config.receive_queues = 4;
  config.transmit_queues = 3;
  config.completion_queues = 5;
  CardBench bench(config);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  BusMaster& core = bench.core;
  CHECK(core.read32(nic_regs::kID_offset) == 0x4e494301);
  CHECK(core.last_delay == config.access);
  CHECK(core.read32(nic_regs::kCAPABILITY_offset) == 0x05030401);
  CHECK(core.read32(nic_regs::kMAX_FRAME_offset) == 9216);
  for (const nic_regs::Register zero :
       {nic_regs::CONTROL, nic_regs::STATUS, nic_regs::PORT_CONTROL, nic_regs::RXQ_TAIL, nic_regs::CQ_STATUS}) {
    CHECK(core.read32(nic_regs::kTable[zero].offset) == 0);
  }
  core.write32(nic_regs::kCAPABILITY_offset, 0);
  CHECK(core.read32(nic_regs::kCAPABILITY_offset) == 0x05030401);
  core.write32(nic_regs::kPORT_CONTROL_offset, 0xffffffff);
  CHECK(core.read32(nic_regs::kPORT_CONTROL_offset) == 0xffff);
  // Queues that this instance does not have show an error once enabled, and touch nothing.
  core.write32(bench.at(nic_regs::kRXQ_CONTROL_offset, 4), 1);
  core.write32(bench.at(nic_regs::kTXQ_CONTROL_offset, 3), 1);
  core.write32(bench.at(nic_regs::kCQ_CONTROL_offset, 5), 1);
  const std::uint32_t bad = NIC_STATE_ERROR | NIC_STATUS_BAD_CONFIGURATION << 8;
  CHECK(core.read32(bench.at(nic_regs::kRXQ_STATUS_offset, 4)) == bad);
  CHECK(core.read32(bench.at(nic_regs::kTXQ_STATUS_offset, 3)) == bad);
  CHECK(core.read32(bench.at(nic_regs::kCQ_STATUS_offset, 5)) == bad);
  CHECK(core.read32(nic_regs::kSTATUS_offset) == 0);
  // A receive queue whose completion queue is off.
  core.write32(nic_regs::kRXQ_CONTROL_offset, 1);
  CHECK(core.read32(nic_regs::kRXQ_STATUS_offset) == (NIC_STATE_ERROR | NIC_STATUS_CQ_ERROR << 8));
  CHECK(core.read32(nic_regs::kSTATUS_offset) == 1);
  core.write32(nic_regs::kCONTROL_offset, 2);  // reset
  CHECK(core.read32(nic_regs::kSTATUS_offset) == 0);
  CHECK(core.read32(nic_regs::kPORT_CONTROL_offset) == 0);
  CHECK(core.read32(nic_regs::kCONTROL_offset) == 0);
  CHECK(core.read32(nic_regs::kCAPABILITY_offset) == 0x05030401);
  std::uint64_t value = 0;
  CHECK(core.access(false, 0x2c, &value, 4) == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(core.access(false, nic_regs::kTIME_offset, &value, 4) == ::tlm::TLM_BURST_ERROR_RESPONSE);
  run_until(3_us);
  CHECK(core.read64(nic_regs::kTIME_offset) == 3'000'000);
}

TEST_CASE("nic: a capture goes in by the wire, is echoed by software, and comes out as a capture") {
  using namespace capture_files;
  const Octets first = packets::ip_frame("10.0.0.1", "10.0.0.2", 17, 1000, 2000, 200);
  const Octets second = frame(1514, 2);
  const TemporaryFile input(
      join({pcap_header(false, true), pcap_record(false, 10, 0, first, static_cast<std::uint32_t>(first.size())),
            pcap_record(false, 10, 2'000, second, 1514)}));
  const TemporaryFile output;
  CardBench bench;
  CaptureSourceOptions source_options;
  source_options.replay.start = 1_us;
  bool finished = false;
  source_options.finished = [&finished] { finished = true; };
  CaptureSource source("rx", input.path(), source_options, bench.run.simulation.stats().child("rx"));
  CaptureSink sink("tx", output.path(), {}, bench.run.simulation.stats().child("tx"));
  source.out.bind(bench.port.wire_in);
  bench.port.wire_out.bind(sink.in);
  LineProbe line;
  bench.nic.irq(0).connect(line, 96);

  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  CHECK_FALSE(source.done());
  bench.bring_up(3);
  bench.core.write64(nic_regs::kINTERRUPT_ENABLE_offset, 1);
  bench.core.write32(nic_regs::kCQ_MODERATION_offset, 2);
  bench.core.write32(nic_regs::kCQ_ARM_offset, 0);
  for (unsigned i = 0; i < 2; ++i)
    bench.put(CardBench::kRx + i * 16, NicRxDescriptor{CardBench::kBuffers + i * 2048, 2048, i});
  bench.core.write32(nic_regs::kRXQ_TAIL_offset, 2);
  run_until(10_us);
  CHECK(source.done());
  CHECK(finished);
  CHECK(source.last_bit().count() == 3'000'000 + (1518 + 8) * 80);
  // By hand: the second frame starts at 3 us; (8 + 1518) * 80 ps on the wire, port, pipeline, write and completion 50
  // ns each, line.
  const EthernetPortConfig port;
  const NicConfig nic;
  const Time visible = 3_us + Time(1526 * 80) + port.receive_latency + nic.receive_latency + 50_ns + 50_ns;
  CHECK(line.changes == std::vector<std::pair<std::int64_t, bool>>{{(visible + nic.interrupt_latency).count(), true}});

  std::vector<NicTxDescriptor> echo;
  for (unsigned i = 0; i < 2; ++i) {
    const auto entry = bench.get<NicCompletion>(CardBench::kCq + i * 32);
    CHECK(entry.phase == 1);
    CHECK(entry.cookie == i);
    CHECK(entry.timestamp == (i == 0 ? 1'000'000U : 3'000'000U));
    CHECK(entry.flags == (i == 0 ? NIC_RX_IPV4_CHECKSUM_OK | NIC_RX_L4_CHECKSUM_OK : 0));
    CHECK(entry.packet_type == (i == 0 ? NIC_PACKET_IPV4 | NIC_PACKET_UDP : NIC_PACKET_OTHER));
    bench.put(CardBench::kTx + i * 32,
              NicTxDescriptor{CardBench::kBuffers + i * 2048, entry.length, i, 0, 0, entry.timestamp});
  }
  bench.core.write64(nic_regs::kINTERRUPT_STATUS_offset, 1);
  CHECK_FALSE(bench.nic.irq(0).level());
  bench.core.write32(nic_regs::kCQ_ARM_offset, 2);
  bench.core.write32(nic_regs::kTXQ_TAIL_offset, 2);
  run_until(20_us);
  sink.flush();
  CHECK(sink.frames() == 2);
  CaptureReader reader(output.path());
  const CapturedFrame one = *reader.next(), two = *reader.next();
  CHECK(one.octets == first);
  CHECK(two.octets == second);
  CHECK(bench.core.read32(nic_regs::kTXQ_HEAD_offset) == 2);
  CHECK(bench.core.read64(nic_regs::kTXQ_FRAMES_offset) == 2);
  CHECK(bench.core.read64(nic_regs::kRXQ_FRAMES_offset) == 2);
  CHECK(bench.core.read64(nic_regs::kPORT_RX_FRAMES_offset) == 2);
  // Doorbell, fetch, read, pipeline, port: the first bit leaves 10 us + 50 + 50 + 50 + 150 + 200 ns; stamps are in ns.
  const Time departure = 10_us + nic.doorbell_latency + 50_ns + 50_ns + nic.transmit_latency + port.transmit_latency;
  CHECK(one.when.picoseconds == departure.count());
  CHECK(bench.nic.engine().stats().transit_latency.count() == 2);
  CHECK(bench.nic.engine().stats().transit_latency.max() == static_cast<std::uint64_t>((departure - 1_us).count()));
  CHECK(bench.run.simulation.stats().broken_laws().empty());
}

TEST_CASE("nic: an interrupt line is the status and the enable, level") {
  CardBench bench;
  LineProbe line;
  bench.nic.irq(0).connect(line, 96);
  Sender network("network");
  network.out.bind(bench.port.wire_in);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.bring_up(3);
  for (unsigned i = 0; i < 4; ++i) bench.put(CardBench::kRx + i * 16, NicRxDescriptor{CardBench::kBuffers, 2048, i});
  bench.core.write32(nic_regs::kRXQ_TAIL_offset, 4);
  bench.core.write32(nic_regs::kCQ_ARM_offset, 0);
  network.send(Octets(60, 2), 0_ps);
  run_until(10_us);
  CHECK(line.changes.empty());  // masked
  CHECK(bench.core.read64(nic_regs::kINTERRUPT_STATUS_offset) == 1);
  bench.core.write64(nic_regs::kINTERRUPT_ENABLE_offset, 1);
  CHECK(bench.nic.irq(0).level());
  bench.core.write64(nic_regs::kINTERRUPT_STATUS_offset, 0);  // write one to clear: nothing
  CHECK(bench.nic.irq(0).level());
  bench.core.write64(nic_regs::kINTERRUPT_STATUS_offset, 1);
  CHECK_FALSE(bench.nic.irq(0).level());
  CHECK(line.changes.size() == 2);
}

TEST_CASE("nic: a paused port's frames fill the transmit buffer until the pause ends") {
  Run run;
  NicConfig config;
  config.ports = 1;
  config.transmit_buffer = 2;
  Nic nic(run.context("nic"), config);
  Receiver wire("wire");
  Memory memory("memory", 1U << 20U, 50_ns);
  BusMaster core("core");
  nic.port_out(0).bind(wire.in);
  nic.dma_socket.bind(memory.socket);
  core.socket.bind(nic.bus());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  core.write64(nic_regs::kCQ_BASE_offset, 0x1000);
  core.write32(nic_regs::kCQ_SIZE_offset, 3);
  core.write32(nic_regs::kCQ_CONTROL_offset, 1);
  core.write64(nic_regs::kTXQ_BASE_offset, 0x2000);
  core.write32(nic_regs::kTXQ_SIZE_offset, 3);
  core.write32(nic_regs::kTXQ_CONTROL_offset, 1);
  core.write32(nic_regs::kCONTROL_offset, 1);
  wire.in->pause(5_us, 0xff);
  for (unsigned i = 0; i < 4; ++i) {
    const NicTxDescriptor descriptor{0x10000, 60, i, 0, 0, 0};
    std::memcpy(&memory.octets[0x2000 + i * sizeof descriptor], &descriptor, sizeof descriptor);
  }
  core.write32(nic_regs::kTXQ_TAIL_offset, 4);
  run_until(5_us - 1_ps);
  CHECK(run.stat("nic.tx_descriptors") == 2);  // the buffer's two, though the reads were over long ago
  run_until(6_us);
  CHECK(run.stat("nic.tx_descriptors") == 4);
  // Those held back leave when the pause ends; the others were read then: 50 ns of memory and the pipeline later.
  const std::int64_t later = (5_us + 50_ns + config.transmit_latency).count();
  REQUIRE(wire.taken.size() == 4);
  CHECK(wire.taken[0].start == 5_us);
  CHECK(wire.taken[1].start == 5_us);
  CHECK(wire.taken[2].start.count() == later);
}

TEST_CASE("nic: the family's table makes both types from JSON") {
  Run run;
  const auto types = dpusim::net::block_types();
  REQUIRE(types.size() == 2);
  CHECK(types[0].name == "ethernet_port");
  CHECK(types[1].name == "nic");
  const auto nic = types[1].make(run.context("nic"), {{"ports", 2}, {"completion_queues", 3}}, "blocks.nic");
  std::vector<std::string> names;
  for (const Port& port : nic->ports()) names.push_back(port.name);
  CHECK(names == std::vector<std::string>{"bus", "dma", "port_in[0]", "port_out[0]", "port_in[1]", "port_out[1]",
                                          "irq[0]", "irq[1]", "irq[2]"});
  CHECK_THROWS_WITH(types[1].make(run.context("nic2"), {{"ports", 5}}, "blocks.nic2"),
                    Catch::Contains("blocks.nic2.ports"));
}
