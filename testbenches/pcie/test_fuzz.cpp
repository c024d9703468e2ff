// Requests that make no sense: whatever host and card do, nothing breaks and nothing outside the BARs and the window is
// touched.
#include <catch2/catch.hpp>

#include "endpoint_bench.h"
#include "sim/random.h"

using namespace pcie_bench;

namespace {

/// Does one random thing of the host or the card.
void do_something(EndpointBench& bench, Random& random, std::vector<std::uint8_t>& data) {
  const auto near = [&](std::uint64_t address) { return address - 64 + random.below(0x12000); };
  for (unsigned i = 0; i < 16; ++i) data[i] = static_cast<std::uint8_t>(random());
  switch (random.below(9)) {
    case 0: {  // configuration, but for the command register and the BARs, which stay
      std::uint64_t offset = random.below(4200);
      if (offset < 0x28) offset += 0x28;
      const bool write = random.below(2) == 0;
      bench.host.request(write ? TlpType::kConfigurationWrite : TlpType::kConfigurationRead, offset, data.data(),
                         1 + random.below(8), now(), {5, 0, static_cast<std::uint8_t>(random.below(8) == 0)});
      if (random.below(4) == 0) bench.host.config_write<std::uint8_t>(0x44, 0);  // back to D0
      break;
    }
    case 1:
    case 2: {
      static constexpr std::uint64_t kBases[] = {EndpointBench::kBar0, EndpointBench::kBar0 + kTableOffset,
                                                 EndpointBench::kBar2, EndpointBench::kBar2 + 0xf0000,
                                                 EndpointBench::kBar4};
      const std::uint64_t address = random.below(10) == 0 ? random() : near(kBases[random.below(5)]);
      const std::size_t octets = random.below(3) == 0 ? 4 : 1 + random.below(9000);
      bench.host.request(random.below(2) == 0 ? TlpType::kMemoryWrite : TlpType::kMemoryRead, address, data.data(),
                         octets);
      break;
    }
    case 3:  // interrupts table: whole entries, so that messages are sent to anywhere
      bench.host.write<std::uint32_t>(EndpointBench::kBar0 + kTableOffset + 4 * random.below(256),
                                      static_cast<std::uint32_t>(random()));
      bench.host.config_write<std::uint16_t>(0x52, static_cast<std::uint16_t>(random()));
      break;
    case 4:  // the host's registers
      bench.host.write<std::uint32_t>(EndpointBench::kBar0 + 4 * random.below(64),
                                      static_cast<std::uint32_t>(random()));
      break;
    case 5:
      bench.line(static_cast<unsigned>(random.below(64)), random.below(2) == 0);
      break;
    case 6:
      bench.access(random.below(2) == 0, random.below(20) == 0 ? random() >> random.below(64) : random.below(2U << 20U),
                   data.data(), static_cast<unsigned>(1 + random.below(9000)));
      break;
    case 7: {
      std::uint64_t offset = random.below(0x1100);
      if (offset >= 0x18 && offset < 0x20) offset += 8;  // leaves the window where it is
      bench.regs.access(random.below(2) == 0 ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND, offset, data.data(),
                        1U << random.below(4));
      break;
    }
    default:
      run_until(now() + Time(static_cast<std::int64_t>(random.below(300'000))));
  }
}

}  // namespace

TEST_CASE("nonsense of host and card breaks nothing and stays inside") {
  EndpointBench bench;
  bench.bring_up();
  Random random(4, "fuzz");
  for (std::uint8_t& octet : bench.card.octets) octet = static_cast<std::uint8_t>(random());
  const std::vector<std::uint8_t> before = bench.card.octets;
  std::vector<std::uint8_t> data(9216);
  for (unsigned i = 0; i < 60'000; ++i) do_something(bench, random, data);
  run_until(now() + Time(10'000'000));
  // The BARs stand for [1 MiB, 2 MiB) and [0x3000, 0x4000).
  const auto same = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
    return std::equal(before.begin() + from, before.begin() + to, bench.card.octets.begin() + from);
  };
  CHECK(same(0, 0x3000));
  CHECK(same(0x4000, 1 << 20));
  CHECK_FALSE(same(1 << 20, 2 << 20));
  CHECK_FALSE(same(0x3000, 0x4000));
  for (const auto& seen : bench.card.seen)
    REQUIRE(((seen.address >= 1U << 20U && seen.address + seen.length <= 2U << 20U) ||
             (seen.address >= 0x3000 && seen.address + seen.length <= 0x4000)));
  // It did a bit of everything.
  for (const char* name : {"inbound_reads", "inbound_writes", "inbound_unsupported", "inbound_aborted",
                           "outbound_reads", "outbound_refused", "outbound_errors", "doorbells", "msix_messages",
                           "msix_merged", "msix_withdrawn", "msix_disabled", "msix_errors"}) {
    INFO(name);
    CHECK(bench.run.stat(std::string("endpoint.") + name) > 0);
  }
  INFO(bench.window_checker.report() << bench.bus_checker.report());
  CHECK(bench.clean());
}
