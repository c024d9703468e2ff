// The root complex without a kernel: values, times, bandwidth, order, interrupts.
#include <catch2/catch.hpp>

#include "host/root_complex.h"
#include "sim/error.h"

using namespace dpusim;
using namespace dpusim::host;
using namespace dpusim::literals;

namespace {

struct Watcher : WriteWatcher {
  struct Write {
    std::uint64_t address, length;
    Time visible;
    bool operator==(const Write&) const = default;
  };
  void written(std::uint64_t address, std::uint64_t length, Time visible) override {
    writes.push_back({address, length, visible});
  }
  std::vector<Write> writes;
};

struct Bench {
  explicit Bench(Bytes size = 16_MiB, RootTiming timing = {300_ns, 100_ns, BitRate(512'000'000'000)})
      : memory(size), root(memory, timing, stats, [this](std::uint64_t address, std::uint32_t data, Time visible) {
          interrupts.push_back({address, data, visible});
        }) {}
  Time read(std::uint64_t address, std::span<std::uint8_t> data, Time when) {
    return make(TlpType::kMemoryRead, address, data, when);
  }
  Time write(std::uint64_t address, std::span<std::uint8_t> data, Time when) {
    return make(TlpType::kMemoryWrite, address, data, when);
  }
  Time make(TlpType type, std::uint64_t address, std::span<std::uint8_t> data, Time when) {
    PcieRequest request{.type = type, .address = address, .data = data};
    const Time done = root.serve(request, when, Time(0));
    status = request.status;
    return done;
  }
  struct Interrupt {
    std::uint64_t address;
    std::uint32_t data;
    Time visible;
  };
  StatGroup stats{""};
  HostMemory memory;
  RootComplex root;
  std::vector<Interrupt> interrupts;
  CompletionStatus status{};
};

}  // namespace

TEST_CASE("host memory: low part, hole, high part") {
  HostMemory memory(4_GiB);  // 3 GiB below the hole, 1 GiB from 4 GiB on
  CHECK(memory.end() == 5ULL << 30);
  CHECK(memory.contains(0, 1));
  CHECK(memory.contains((3ULL << 30) - 8, 8));
  CHECK_FALSE(memory.contains((3ULL << 30) - 8, 9));
  CHECK_FALSE(memory.contains(3ULL << 30, 1));
  CHECK_FALSE(memory.contains((4ULL << 30) - 1, 1));
  CHECK(memory.contains(4ULL << 30, 1ULL << 30));
  CHECK_FALSE(memory.contains(4ULL << 30, (1ULL << 30) + 1));
  CHECK_FALSE(memory.contains(~0ULL, 2));
  CHECK_FALSE(memory.contains(1, ~0ULL));
  memory.store<std::uint64_t>((3ULL << 30) - 8, 1);
  memory.store<std::uint64_t>(4ULL << 30, 2);
  CHECK(memory.load<std::uint64_t>((3ULL << 30) - 8) == 1);
  CHECK(memory.load<std::uint64_t>(4ULL << 30) == 2);
  CHECK(memory.load<std::uint64_t>(0x1000) == 0);
  CHECK_THROWS_AS(memory.load<std::uint64_t>(3ULL << 30), Defect);
  HostMemory small(2_MiB);
  CHECK(small.end() == 2U << 20);
  CHECK_FALSE(small.contains(4ULL << 30, 1));
}

TEST_CASE("host memory: the allocator starts above 4 GiB when memory is there, and says when it is used up") {
  HostMemory large(4_GiB), small(2_MiB);
  HostAllocator from_large(large), from_small(small);
  CHECK(from_large.take(100, 64, "programs[0]") == 4ULL << 30);
  CHECK(from_large.take(100, 64, "programs[0]") == (4ULL << 30) + 128);
  CHECK(from_small.take(1, 1, "programs[0]") == 0x100000);
  CHECK(from_small.take(1, 4096, "programs[0]") == 0x101000);
  CHECK(from_small.take((1U << 20) - 0x1001, 1, "programs[0]") == 0x101001);
  CHECK_THROWS_WITH(from_small.take(1, 1, "scenario.programs[3]"),
                    Catch::Contains("scenario.programs[3]") && Catch::Contains("memory_size"));
}

TEST_CASE("root complex: values and times of reads and writes") {
  Bench bench;
  std::vector<std::uint8_t> data(64);
  for (unsigned i = 0; i < 64; ++i) data[i] = static_cast<std::uint8_t>(i + 1);
  // 64 octets at 512 Gb/s: 1 ns.
  CHECK(bench.write(0x1000, data, 10_us) == 10_us + 1_ns);
  CHECK(bench.status == CompletionStatus::kSuccessful);
  std::vector<std::uint8_t> back(64);
  CHECK(bench.read(0x1000, back, 20_us) == 20_us + 1_ns + 300_ns);
  CHECK(back == data);
  // One octet takes a whole line; two octets on two lines take both.
  std::vector<std::uint8_t> one(1), two(2);
  CHECK(bench.read(0x103f, one, 30_us) == 30_us + 1_ns + 300_ns);
  CHECK(one[0] == 64);
  CHECK(bench.read(0x103f, two, 40_us) == 40_us + 2_ns + 300_ns);
  // Bandwidth is shared: a second read at the same time waits for the first one's line.
  std::vector<std::uint8_t> page(4096);
  CHECK(bench.read(0x2000, page, 50_us) == 50_us + 64_ns + 300_ns);
  CHECK(bench.read(0x2000, one, 50_us) == 50_us + 65_ns + 300_ns);
  CHECK(bench.stats.find("device_reads")->scalar(Time(0)) == 5);
  CHECK(bench.stats.find("device_read_octets")->scalar(Time(0)) == 64 + 1 + 2 + 4096 + 1);
  CHECK(bench.stats.find("device_write_octets")->scalar(Time(0)) == 64);
  CHECK(bench.stats.find("memory_utilisation") != nullptr);
}

TEST_CASE("root complex: what is not memory is refused and leaves data alone") {
  Bench bench;
  std::vector<std::uint8_t> data(8, 0xaa);
  for (const std::uint64_t address :
       {std::uint64_t{16} << 20, (std::uint64_t{16} << 20) - 4, std::uint64_t{0xe0000000}, ~std::uint64_t{3}}) {
    bench.read(address, data, 1_us);
    CHECK(bench.status == CompletionStatus::kUnsupportedRequest);
    bench.write(address, data, 1_us);
    CHECK(bench.status == CompletionStatus::kUnsupportedRequest);
  }
  CHECK(data == std::vector<std::uint8_t>(8, 0xaa));
  CHECK(bench.memory.load<std::uint32_t>((16U << 20) - 4) == 0);
  bench.make(TlpType::kConfigurationRead, 0, data, 1_us);
  CHECK(bench.status == CompletionStatus::kUnsupportedRequest);
  CHECK(bench.stats.find("unsupported_requests")->scalar(Time(0)) == 9);
}

TEST_CASE("root complex: the MSI window takes doublewords and delivers them when they are visible") {
  Bench bench;
  std::vector<std::uint8_t> message = {0x21, 0x43, 0, 0};
  CHECK(bench.write(0xfee01000, message, 1_us) == 1_us);
  REQUIRE(bench.interrupts.size() == 1);
  CHECK(bench.interrupts[0].address == 0xfee01000);
  CHECK(bench.interrupts[0].data == 0x4321);
  CHECK(bench.interrupts[0].visible == 1_us + 100_ns);
  std::vector<std::uint8_t> wide(8);
  bench.write(0xfee01000, wide, 2_us);
  CHECK(bench.status == CompletionStatus::kUnsupportedRequest);
  bench.write(0xfee01002, message, 2_us);
  CHECK(bench.status == CompletionStatus::kUnsupportedRequest);
  bench.write(0xfedffffc, message, 2_us);
  CHECK(bench.status == CompletionStatus::kUnsupportedRequest);
  bench.write(0xfeefffff + 1ULL, message, 2_us);
  CHECK(bench.status == CompletionStatus::kUnsupportedRequest);
  bench.write(0xfeeffffc, message, 2_us);
  CHECK(bench.status == CompletionStatus::kSuccessful);
  bench.read(0xfee01000, message, 2_us);
  CHECK(bench.status == CompletionStatus::kUnsupportedRequest);
  CHECK(bench.interrupts.size() == 2);
}

TEST_CASE("root complex: an interrupt does not overtake the data that was written before it") {
  Bench bench;
  Watcher watcher;
  bench.root.watch(0x10000, 0x20000, watcher);
  std::vector<std::uint8_t> data(65536), message(4);
  // 65536 octets at 512 Gb/s: 1024 ns.
  bench.write(0x10000, data, 1_us);
  bench.write(0xfee00000, message, 1_us + 1_ns);
  REQUIRE(watcher.writes.size() == 1);
  CHECK(watcher.writes[0].visible == 1_us + 1024_ns + 100_ns);
  CHECK(bench.interrupts[0].visible == watcher.writes[0].visible);
  // One that comes later than all that is visible at its own time.
  bench.write(0xfee00000, message, 5_us);
  CHECK(bench.interrupts[1].visible == 5_us + 100_ns);
}

TEST_CASE("root complex: watchers hear of the part that is theirs") {
  Bench bench;
  Watcher low, high;
  bench.root.watch(0x3000, 0x3100, high);
  bench.root.watch(0x1000, 0x1100, low);
  CHECK_THROWS_AS(bench.root.watch(0x10ff, 0x2000, low), Defect);
  CHECK_THROWS_AS(bench.root.watch(0x0, 0x1001, low), Defect);
  std::vector<std::uint8_t> line(64), all(0x3000);
  bench.write(0x1000 - 64, line, 0_ps);
  bench.write(0x1100, line, 1_us);
  CHECK(low.writes.empty());
  bench.write(0x0fe0, line, 2_us);
  bench.write(0x10e0, line, 3_us);
  // 64 octets at 0xfe0 touch two lines: 2 ns.
  CHECK(low.writes == std::vector<Watcher::Write>{{0x1000, 32, 2_us + 102_ns}, {0x10e0, 32, 3_us + 102_ns}});
  bench.write(0x800, all, 4_us);
  CHECK(low.writes.back() == Watcher::Write{0x1000, 0x100, 4_us + 192_ns + 100_ns});
  CHECK(high.writes == std::vector<Watcher::Write>{{0x3000, 0x100, 4_us + 192_ns + 100_ns}});
}

TEST_CASE("root complex: functional fidelity has no times") {
  Bench bench(16_MiB, {Time(0), Time(0), BitRate(0)});
  Watcher watcher;
  bench.root.watch(0, 4096, watcher);
  std::vector<std::uint8_t> data(4096, 1);
  CHECK(bench.write(0, data, 7_ns) == 7_ns);
  CHECK(bench.read(0, data, 7_ns) == 7_ns);
  CHECK(watcher.writes[0].visible == 7_ns);
}
