// Interrupt lines become messages: PCIe Base 4.0, 6.1.4.
#include <catch2/catch.hpp>

#include "endpoint_bench.h"

using namespace pcie_bench;

namespace {
constexpr std::uint64_t kVectorControl = EndpointBench::kBar0 + kTableOffset + 12,
                        kPba = EndpointBench::kBar0 + kPbaOffset;
}

TEST_CASE("a rising edge sends the vector's message, and a level that stays sends no more") {
  EndpointBench bench;
  bench.bring_up();
  bench.bring_up_msix(4);
  run_until(Time(10'000'000));
  bench.line(2, true);
  REQUIRE(bench.host.messages.size() == 1);
  CHECK(bench.host.messages[0].address == Host::kMessages + 32);
  CHECK(bench.host.messages[0].data == 0x102);
  // 25000 through the endpoint, 24 octets (3 DW header, 4 octets) 3047, 100000.
  CHECK(bench.host.messages[0].arrival == Time(10'128'047));
  run_until(Time(20'000'000));
  CHECK(bench.host.messages.size() == 1);
  bench.line(2, false);
  CHECK(bench.host.messages.size() == 1);
  bench.line(2, true);
  CHECK(bench.host.messages.size() == 2);
  CHECK(bench.clean());
}

TEST_CASE("a masked vector is pending, and is sent when it is unmasked") {
  EndpointBench bench;
  bench.bring_up();
  bench.bring_up_msix(4);
  bench.host.write<std::uint32_t>(kVectorControl + 16, 1);
  run_until(Time(10'000'000));
  bench.line(1, true);
  bench.line(1, false);  // a pulse: the fall at the same time takes nothing back
  bench.line(0, true);   // is not masked
  CHECK(bench.host.messages.size() == 1);
  CHECK(bench.host.read<std::uint32_t>(kPba) == 0x2);
  CHECK(bench.host.read<std::uint64_t>(kPba) == 0x2);
  bench.line(1, true);
  CHECK(bench.run.stat("endpoint.msix_merged") == 1);
  bench.host.write<std::uint32_t>(kPba, 0);  // read only
  CHECK(bench.host.read<std::uint32_t>(kPba) == 0x2);
  bench.host.write<std::uint32_t>(kVectorControl + 16, 0);
  REQUIRE(bench.host.messages.size() == 2);
  CHECK(bench.host.messages[1].data == 0x101);
  CHECK(bench.host.read<std::uint32_t>(kPba) == 0);
  CHECK(bench.clean());
}

TEST_CASE("the function's mask and the bus master bit hold all vectors back") {
  EndpointBench bench;
  bench.bring_up();
  bench.bring_up_msix(4);
  bench.host.config_write<std::uint16_t>(0x52, 0xc000);
  bench.line(0, true);
  bench.line(3, true);
  CHECK(bench.host.messages.empty());
  CHECK(bench.host.read<std::uint32_t>(kPba) == 0x9);
  bench.host.config_write<std::uint16_t>(0x04, 0x2);
  bench.host.config_write<std::uint16_t>(0x52, 0x8000);
  CHECK(bench.host.messages.empty());
  bench.host.config_write<std::uint16_t>(0x04, 0x6);
  REQUIRE(bench.host.messages.size() == 2);
  CHECK(bench.host.messages[0].data == 0x100);
  CHECK(bench.host.messages[1].data == 0x103);
  CHECK(bench.clean());
}

// 6.1.4.5: software that has dealt with the cause otherwise must not get a spurious interrupt later.
TEST_CASE("a level that falls later takes its pending interrupt back") {
  EndpointBench bench;
  bench.bring_up();
  bench.bring_up_msix(4);
  bench.host.write<std::uint32_t>(kVectorControl, 1);
  run_until(Time(10'000'000));
  bench.line(0, true);
  CHECK(bench.host.read<std::uint32_t>(kPba) == 0x1);
  run_until(Time(10'000'001));
  bench.line(0, false);
  CHECK(bench.host.read<std::uint32_t>(kPba) == 0);
  bench.host.write<std::uint32_t>(kVectorControl, 0);
  CHECK(bench.host.messages.empty());
  CHECK(bench.run.stat("endpoint.msix_withdrawn") == 1);
  CHECK(bench.clean());
}

TEST_CASE("without MSI-X enabled events are lost and counted") {
  EndpointBench bench;
  bench.bring_up();
  bench.line(0, true);
  CHECK(bench.run.stat("endpoint.msix_disabled") == 1);
  bench.bring_up_msix(4);
  CHECK(bench.host.messages.empty());
  CHECK(bench.clean());
}

TEST_CASE("the card's software raises vectors too") {
  EndpointBench bench;
  bench.bring_up();
  bench.bring_up_msix(64);
  bench.set_reg<std::uint32_t>(card_regs::kMSIX_RAISE_offset, 63);
  REQUIRE(bench.host.messages.size() == 1);
  CHECK(bench.host.messages[0].data == 0x13f);
  bench.set_reg<std::uint32_t>(card_regs::kMSIX_RAISE_offset, 64);  // not there
  CHECK(bench.host.messages.size() == 1);
  CHECK(bench.run.stat("endpoint.msix_events") == 1);
  // A message that the host does not take is counted.
  bench.host.write<std::uint64_t>(EndpointBench::kBar0 + kTableOffset, 0x1000);
  bench.line(0, true);
  CHECK(bench.run.stat("endpoint.msix_errors") == 1);
  CHECK(bench.clean());
}

// What a driver relies on: data, completion, interrupt arrive in this order although a writer goes on when its octets
// have left.
TEST_CASE("an interrupt message does not pass the writes before it") {
  EndpointBench bench;
  bench.bring_up();
  bench.bring_up_msix(4);
  std::vector<std::uint8_t> data(4096);
  Time when{0};
  for (unsigned i = 0; i < 50; ++i) {
    run_until(Time(std::int64_t{20'000'000} * (i + 1)));
    bench.host.seen.clear();
    bench.host.messages.clear();
    // The host reads the card's memory at the same time, so completions are on the wire as well.
    std::vector<std::uint8_t> read(2048);
    bench.host.request(TlpType::kMemoryRead, EndpointBench::kBar2, read.data(), 2048);
    const Time after = bench.access(true, 0, data.data(), 4096 - 7 * i);
    run_until(now() + after);
    const Time later = bench.access(true, 0x8000, data.data(), 64);
    run_until(now() + later);
    bench.line(1, true);
    bench.line(1, false);
    REQUIRE(bench.host.messages.size() == 1);
    for (std::size_t k = 0; k + 1 < bench.host.seen.size(); ++k)
      REQUIRE(bench.host.seen[k].arrival < bench.host.seen[k + 1].arrival);
    when = bench.host.messages[0].arrival;
    CHECK(when > now());
  }
  CHECK(bench.clean());
}
