// Threads of a host on their calendar, without a kernel.
#include <catch2/catch.hpp>

#include "host/host_thread.h"

using namespace dpusim;
using namespace dpusim::host;
using namespace dpusim::literals;

namespace {

/// Devices that answer after a fixed time.
struct Devices : PcieDownstream {
  Time to_device(PcieRequest& request, Time when) override {
    requests.push_back({request.type, request.address, when});
    request.sent = when + busy;
    if (request.address == 0xdead) request.status = CompletionStatus::kUnsupportedRequest;
    if (request.type == TlpType::kMemoryRead && request.status == CompletionStatus::kSuccessful) request.data[0] = 7;
    return when + 800_ns;
  }
  struct Request {
    TlpType type;
    std::uint64_t address;
    Time when;
  };
  std::vector<Request> requests;
  Time busy{0};
};

CpuTiming timing() {
  CpuTiming timing;
  timing.clock = Clock(2_GHz);
  timing.mmio_write = 50_ns;
  timing.interrupt_latency = 1_us;
  timing.interrupt_time = 400_ns;
  return timing;
}

struct Bench {
  TaskCalendar calendar;
  Devices devices;
  HostThread thread{calendar, devices, timing()};
  std::vector<std::int64_t> seen;
};

Task wait_once(Bench& bench, Time until, HostThread::WakeBy by, Time poll) {
  co_await bench.thread.idle(until, by, poll);
  bench.seen.push_back(bench.thread.time().count());
}

}  // namespace

TEST_CASE("host thread: work takes a core's time, and what follows happens when the world is there") {
  Bench bench;
  bench.thread.spend(bench.thread.timing().cycles(Cycles(3)));  // 1.5 ns
  bench.thread.rest(10_ns);
  CHECK(bench.thread.time() == Time(11'500));
  CHECK(bench.thread.busy() == Time(1'500));
  Task task = bench.thread.write(0x1000, std::uint32_t{5});
  task.start();
  CHECK(bench.devices.requests.empty());
  CHECK(bench.calendar.next() == Time(11'500));
  bench.calendar.run(Time(11'499));
  CHECK(bench.devices.requests.empty());
  bench.calendar.run(Time(11'500));
  REQUIRE(bench.devices.requests.size() == 1);
  CHECK(bench.devices.requests[0].when == Time(11'500));
  CHECK(task.done());
  CHECK(bench.thread.time() == Time(61'500));
  CHECK(bench.calendar.next() == kTimeMax);
}

TEST_CASE("host thread: a write waits for the link, a read for its answer") {
  Bench bench;
  bench.devices.busy = 70_ns;
  Task write = bench.thread.write(0, std::uint32_t{5});
  write.start();
  CHECK(bench.thread.busy() == 70_ns);
  std::uint32_t value = 0, none = 0;
  Task read = bench.thread.read(0, value);
  read.start();
  bench.calendar.run(70_ns);
  CHECK_FALSE(read.done());
  bench.calendar.run(870_ns - 1_ps);
  CHECK_FALSE(read.done());
  bench.calendar.run(870_ns);
  CHECK(read.done());
  CHECK(value == 7);
  CHECK(bench.thread.busy() == 870_ns);
  Task refused = bench.thread.read(0xdead, none);
  refused.start();
  bench.calendar.run(2_us);
  CHECK(none == 0xffffffff);
}

TEST_CASE("host thread: polling sees memory at the next look") {
  Bench bench;
  Task task = wait_once(bench, kTimeMax, HostThread::WakeBy::kMemory, 30_ns);
  task.start();
  CHECK(bench.calendar.next() == kTimeMax);
  bench.calendar.run(100_ns);
  bench.thread.poke(400_ns);
  CHECK(bench.calendar.next() == 420_ns);
  bench.thread.poke(150_ns);  // 5 looks of 30 ns: exactly then
  CHECK(bench.calendar.next() == 150_ns);
  bench.thread.poke(151_ns);  // no earlier
  bench.calendar.run(1_us);
  CHECK(bench.seen == std::vector<std::int64_t>{150'000});
  CHECK(bench.thread.busy() == 0_ps);
}

TEST_CASE("host thread: an idle limit ends a wait, and something earlier makes it void") {
  Bench bench;
  Task task = wait_once(bench, 500_ns, HostThread::WakeBy::kMemory, Time(0));
  task.start();
  CHECK(bench.calendar.next() == 500_ns);
  bench.thread.poke(499_ns);
  bench.calendar.run(2_us);
  CHECK(bench.seen == std::vector<std::int64_t>{499'000});
  CHECK(bench.calendar.next() == kTimeMax);
  Task past = wait_once(bench, 100_ns, HostThread::WakeBy::kMemory, Time(0));
  past.start();
  CHECK(past.done());
  bench.thread.poke(3_us);  // nobody is idle: void
  CHECK(bench.calendar.next() == kTimeMax);
}

TEST_CASE("host thread: an interrupt wakes after its latency, or waits for the thread") {
  Bench bench;
  Task task = wait_once(bench, kTimeMax, HostThread::WakeBy::kInterrupt, Time(0));
  task.start();
  bench.thread.poke(1_ns);  // memory wakes no thread that sleeps
  CHECK(bench.calendar.next() == kTimeMax);
  bench.thread.interrupt(2_us);
  CHECK(bench.calendar.next() == 3_us);
  bench.thread.interrupt(1_us);
  bench.calendar.run(2_us - 1_ps);
  CHECK(bench.seen.empty());
  bench.calendar.run(2_us);
  CHECK(bench.seen == std::vector<std::int64_t>{2'000'000});
  CHECK(bench.thread.interrupt_pending());
  bench.thread.accept_interrupt();
  CHECK_FALSE(bench.thread.interrupt_pending());
  CHECK(bench.thread.busy() == 400_ns);
  // One that comes while the thread works is there when it looks.
  bench.thread.interrupt(2_us);
  bench.thread.spend(5_us);
  Task next = wait_once(bench, kTimeMax, HostThread::WakeBy::kInterrupt, Time(0));
  next.start();
  bench.calendar.run(10_us);
  CHECK(bench.seen.back() == bench.thread.time().count());
  CHECK(bench.thread.time() == 2_us + 400_ns + 5_us);
}

TEST_CASE("task calendar: ties go in the order of asking") {
  Bench bench;
  HostThread other(bench.calendar, bench.devices, timing());
  std::vector<int> order;
  const auto sleep = [](HostThread& thread, std::vector<int>& out, int id) -> Task {
    co_await thread.idle(1_us, HostThread::WakeBy::kMemory);
    out.push_back(id);
  };
  Task second = sleep(other, order, 2);
  Task first = sleep(bench.thread, order, 1);
  second.start();
  first.start();
  bench.calendar.run(1_us - 1_ps);
  CHECK(order.empty());
  bench.calendar.run(1_us);
  CHECK(order == std::vector<int>{2, 1});
}
