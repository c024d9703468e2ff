// Latency of DMA reads against pcie-bench's measurements: an NFP6000 on a Haswell server, PCIe Gen3 x8 (reference rows
// D001 to D007).
#include <catch2/catch.hpp>

#include "card_stub.h"
#include "pcie/pcie_link.h"

using namespace host_bench;
using namespace dpusim::literals;

namespace {

/// The adapter: it takes a time to issue a request, and moves what it has read into its memory. Its fixed part is
/// assumed, its rate is what rows D001 and D007 leave over (models/host/README.md); the 50 ns are an endpoint's way in
/// and out.
class Adapter : public sc_core::sc_module, private PcieDownstream {
 public:
  explicit Adapter(const sc_core::sc_module_name& name) : sc_module(name), up("up") {
    up.bind(static_cast<PcieDownstream&>(*this));
  }
  PcieInitiatorSocket up;
  /// Returns the latency of a read in nanoseconds.
  double read(std::uint64_t address, std::size_t octets) {
    std::vector<std::uint8_t> data(octets);
    PcieRequest request{.address = address, .data = data, .requester = {1, 0, 0}};
    const Time when = now();
    const Time done = up->to_root(request, when);
    REQUIRE(request.status == CompletionStatus::kSuccessful);
    return static_cast<double>((done - when).count()) / 1e3 + 50 + 100 + 0.1605 * static_cast<double>(octets);
  }

 private:
  Time to_device(PcieRequest& request, Time when) override {
    request.status = CompletionStatus::kUnsupportedRequest;
    request.sent = when;
    return when;
  }
};

}  // namespace

TEST_CASE("pcie-bench: DMA read latency by size") {
  Run run;
  host::Host host(run.context("host"), {});
  pcie::PcieLinkConfig config;
  config.generation = 3;
  config.lanes = 8;
  pcie::PcieLink link(run.context("link"), config);
  Adapter adapter("adapter");
  adapter.up.bind(link.device);
  link.root.bind(host.root_port);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  struct Row {
    const char* id;
    std::size_t octets;
    double measured, tolerance, model;  // model: that of the README
  };
  // D001 and D007 were used to derive the host's read latency and the adapter's rate, the others were not.
  const Row rows[] = {{"D001, calibrated", 8, 585, 0.005, 585},
                      {"D007, calibrated", 1520, 1039, 0.005, 1039},
                      {"D002", 64, 599, 0.02, 601},
                      {"D004", 256, 671, 0.02, 659},
                      {"D005", 512, 748, 0.02, 739}};
  Time at = 1_ms;
  for (const Row& row : rows) {
    run_until(at += 10_us);
    const double latency = adapter.read(std::uint64_t{5} << 30U, row.octets);
    UNSCOPED_INFO(row.id << ": " << row.octets << " octets: " << latency << " ns, measured " << row.measured);
    CHECK(latency == Approx(row.measured).epsilon(row.tolerance));
    CHECK(latency == Approx(row.model).epsilon(0.01));
  }
  // By hand, 64 octets: request of 24 octets and completion of 84 at 7.877 octets/ns, 125 ns each way, a line of memory
  // (0.94 ns), and the root complex; then the adapter.
  run_until(at += 10_us);
  const double root = static_cast<double>(host::HostConfig{}.read_latency.count()) / 1e3;
  const double expected = 24 / 7.877 + 84 / 7.877 + 250 + 0.94 + root + 150 + 0.1605 * 64;
  CHECK(adapter.read(std::uint64_t{5} << 30U, 64) == Approx(expected).margin(0.1));
}

TEST_CASE("pcie-bench: bandwidth of reads and writes of 512 octets at the root complex") {
  Run run;
  host::Host host(run.context("host"), {});
  pcie::PcieLinkConfig config;
  config.generation = 3;
  config.lanes = 8;
  pcie::PcieLink link(run.context("link"), config);
  Adapter adapter("adapter");
  adapter.up.bind(link.device);
  link.root.bind(host.root_port);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto bandwidth = [&](TlpType type) {
    run_until(now() + 1_ms);
    std::vector<std::uint8_t> data(512);
    const Time begin = now();
    Time done = begin;
    for (unsigned i = 0; i < 4000; ++i) {
      PcieRequest request{.type = type, .address = (std::uint64_t{5} << 30U) + i % 16 * 512, .data = data};
      done = std::max(done, adapter.up->to_root(request, begin));
    }
    return 4000.0 * 512 * 8e3 / static_cast<double>((done - begin).count());
  };
  // Measured: 55.11 and 54.44 Gb/s (D078, D089). Packets alone allow 63.02 * 512 / 552 = 58.4 and 63.02 * 512 / 560
  // = 57.6.
  CHECK(bandwidth(TlpType::kMemoryRead) == Approx(55.11).epsilon(0.065));
  CHECK(bandwidth(TlpType::kMemoryRead) == Approx(58.4).epsilon(0.01));
  CHECK(bandwidth(TlpType::kMemoryWrite) == Approx(54.44).epsilon(0.065));
  CHECK(bandwidth(TlpType::kMemoryWrite) == Approx(57.6).epsilon(0.01));
}
