// Host cost of the kernel services that hot models call: register access, histogram, occupancy.
#include <array>
#include <memory>

#include "bench.h"
#include "net/nic_regs.h"
#include "sim/occupancy.h"
#include "sim/registers.h"
#include "sim/stats.h"

namespace dpusim_bench {
namespace {

using namespace dpusim;

void register_read(benchmark::State& state) {
  RegisterBank bank(nic_regs::kTable);
  std::array<std::uint8_t, 4> data{};
  bool good = true;
  for ([[maybe_unused]] auto _ : state) {
    good &= bank.read(nic_regs::kCONTROL_offset, data) == RegisterResult::kOk;
    benchmark::DoNotOptimize(data);
  }
  if (!good) state.SkipWithError("read refused");
  report_each(state, static_cast<double>(state.iterations()));
}

/// A doorbell: element 5 of an array, with a hook.
void register_write(benchmark::State& state) {
  RegisterBank bank(nic_regs::kTable);
  std::uint64_t sum = 0;
  bank.on_write(nic_regs::RXQ_TAIL, [&sum](const RegisterBank::Write& write) { sum += write.value + write.element; });
  const std::array<std::uint8_t, 4> data{1, 0, 0, 0};
  const auto& row = bank.table()[nic_regs::RXQ_TAIL];
  const std::uint64_t offset = row.offset + 5 * row.stride;
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(bank.write(offset, data));
  if (sum != 6 * static_cast<std::uint64_t>(state.iterations())) state.SkipWithError("writes lost");
  report_each(state, static_cast<double>(state.iterations()));
}

void histogram(benchmark::State& state) {
  StatGroup root("");
  Histogram values(root, "values", "ps", "Values");
  std::uint64_t value = 1;
  for ([[maybe_unused]] auto _ : state) {
    values.record(value >> 40);
    value = value * 6364136223846793005U + 1442695040888963407U;
  }
  if (values.count() != static_cast<std::uint64_t>(state.iterations())) state.SkipWithError("values lost");
  report_each(state, static_cast<double>(state.iterations()));
}

/// Requests at an occupation of 0.6. @param jitter how far out of time order they come, as from cores within a quantum.
void occupancy(benchmark::State& state, Time jitter) {
  StatGroup root("");
  Occupancy bus(root, "bus", "a bus");
  Time now{0};
  std::uint64_t random = 1;
  std::int64_t n = 0;
  for ([[maybe_unused]] auto _ : state) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    const Time offset(jitter.count() == 0 ? 0 : static_cast<std::int64_t>(random >> 33) % jitter.count());
    benchmark::DoNotOptimize(bus.reserve(now + offset, Time(3'000)));
    now += Time(5'000);
    if (++n % 200 == 0) bus.advance(now);
  }
  report_each(state, static_cast<double>(state.iterations()));
}

}  // namespace

void register_services() {
  benchmark::RegisterBenchmark("services/register_read", register_read);
  benchmark::RegisterBenchmark("services/register_write_with_hook", register_write);
  benchmark::RegisterBenchmark("services/histogram_record", histogram);
  benchmark::RegisterBenchmark("services/occupancy_reserve/in_order",
                               [](benchmark::State& state) { occupancy(state, Time(0)); });
  benchmark::RegisterBenchmark("services/occupancy_reserve/within_1us",
                               [](benchmark::State& state) { occupancy(state, Time(1'000'000)); });
}

}  // namespace dpusim_bench
