#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "sim/occupancy.h"
#include "sim/random.h"

using namespace dpusim;
using namespace dpusim::literals;

namespace {

// The definition, slot by slot: a picosecond is taken or free.
class BitmapServer {
 public:
  explicit BitmapServer(std::size_t length) : taken_(length, false) {}
  Time reserve(Time arrival, Time service) {
    for (std::size_t start = index(arrival);; ++start) {
      std::size_t n = 0;
      while (n < index(service) && !taken_.at(start + n)) ++n;
      if (n < index(service)) continue;
      std::fill_n(taken_.begin() + static_cast<std::ptrdiff_t>(start), n, true);
      return Time(static_cast<std::int64_t>(start));
    }
  }
  BusyCalendar::Slot reserve_split(Time arrival, Time service) {
    std::size_t at = index(arrival), start = 0;
    for (std::int64_t left = service.count(); left > 0; ++at) {
      if (taken_.at(at)) continue;
      if (left-- == service.count()) start = at;
      taken_[at] = true;
    }
    return {Time(static_cast<std::int64_t>(start)), Time(static_cast<std::int64_t>(at))};
  }
  [[nodiscard]] Time busy_until(Time now) const {
    return Time(std::count(taken_.begin(), taken_.begin() + static_cast<std::ptrdiff_t>(index(now)), true));
  }

 private:
  static std::size_t index(Time time) { return static_cast<std::size_t>(time.count()); }
  std::vector<bool> taken_;
};

constexpr Time kService{5'120};  // a 64-octet line at 12.5 GB/s

struct OpenLoop {
  double wait_ns = 0;
  std::vector<std::vector<Time>> arrivals{2};
};

// Poisson arrivals of two initiators that together load the server to `rho`.
OpenLoop make_open_loop(double rho, std::size_t each) {
  OpenLoop loop;
  Random random(7, "open loop");
  for (auto& arrivals : loop.arrivals) {
    double at = 0;
    for (std::size_t i = 0; i < each; ++i) {
      at += -std::log(1 - random.uniform()) * 2 * static_cast<double>(kService.count()) / rho;
      arrivals.emplace_back(static_cast<std::int64_t>(at));
    }
  }
  return loop;
}

double mean_wait_in_time_order(const OpenLoop& loop) {
  std::vector<Time> all = loop.arrivals[0];
  all.insert(all.end(), loop.arrivals[1].begin(), loop.arrivals[1].end());
  std::sort(all.begin(), all.end());
  Time free{0}, wait{0};
  for (const Time arrival : all) {
    const Time start = std::max(free, arrival);
    wait += start - arrival;
    free = start + kService;
  }
  return static_cast<double>(wait.count()) / 1e3 / static_cast<double>(all.size());
}

// Each initiator issues all its requests of a quantum before the other runs.
template <class Reserve>
double mean_wait_by_quantum(const OpenLoop& loop, Time quantum, Reserve reserve) {
  std::vector<std::size_t> next(2, 0);
  Time wait{0};
  std::size_t served = 0;
  for (Time from{0}; next[0] < loop.arrivals[0].size() || next[1] < loop.arrivals[1].size(); from += quantum) {
    for (std::size_t who = 0; who < 2; ++who) {
      for (; next[who] < loop.arrivals[who].size() && loop.arrivals[who][next[who]] < from + quantum;
           ++next[who], ++served) {
        const Time arrival = loop.arrivals[who][next[who]];
        wait += reserve(from, arrival) - arrival;
      }
    }
  }
  return static_cast<double>(wait.count()) / 1e3 / static_cast<double>(served);
}

}  // namespace

TEST_CASE("requests in time order are served first come first served") {
  BusyCalendar server;
  CHECK(server.reserve(0_ns, 5_ns) == 0_ns);
  CHECK(server.reserve(3_ns, 5_ns) == 5_ns);    // waits for the first
  CHECK(server.reserve(10_ns, 5_ns) == 10_ns);  // back to back
  CHECK(server.reserve(14_ns, 5_ns) == 15_ns);  // one before the end
  CHECK(server.reserve(20_ns, 5_ns) == 20_ns);  // at the end
  CHECK(server.intervals() == 1);               // touching bookings are one interval
  CHECK(server.reserve(26_ns, 5_ns) == 26_ns);
  CHECK(server.intervals() == 2);
  CHECK(server.horizon() == 31_ns);
}

TEST_CASE("a request out of time order gets the first gap that is long enough") {
  BusyCalendar server;
  CHECK(server.reserve(100_ns, 10_ns) == 100_ns);
  CHECK(server.reserve(0_ns, 10_ns) == 0_ns);
  CHECK(server.reserve(5_ns, 10_ns) == 10_ns);    // behind the booking it arrived in
  CHECK(server.reserve(91_ns, 10_ns) == 110_ns);  // 91 + 10 > 100: one too long for the gap
  CHECK(server.reserve(90_ns, 10_ns) == 90_ns);   // fits to the picosecond
  CHECK(server.reserve(20_ns, 70_ns) == 20_ns);   // fills the rest: [0, 120) is busy
  CHECK(server.intervals() == 1);
  CHECK(server.reserve(0_ns, 1_ps) == 120_ns);
}

TEST_CASE("a split request uses every gap and wastes none") {
  BusyCalendar server;
  server.reserve(10_ns, 10_ns);
  server.reserve(30_ns, 10_ns);
  // 5 ns before 10, 10 ns in 20..30, 5 ns after 40.
  const auto slot = server.reserve_split(5_ns, 20_ns);
  CHECK(slot.start == 5_ns);
  CHECK(slot.done == 45_ns);
  CHECK(server.intervals() == 1);
  // Arrives in a busy time; the piece ends exactly where the next booking begins.
  server.reserve(50_ns, 10_ns);
  const auto exact = server.reserve_split(12_ns, 5_ns);
  CHECK(exact.start == 45_ns);
  CHECK(exact.done == 50_ns);
  CHECK(server.intervals() == 1);
  // One picosecond more than the gap must go on behind the booking.
  server.reserve(70_ns, 10_ns);
  const auto more = server.reserve_split(60_ns, 10_ns + 1_ps);
  CHECK(more.start == 60_ns);
  CHECK(more.done == 80_ns + 1_ps);
}

TEST_CASE("a service of no length takes no capacity") {
  BusyCalendar server;
  CHECK(server.reserve(7_ns, 0_ns) == 7_ns);
  CHECK(server.intervals() == 0);
  server.reserve(10_ns, 10_ns);
  CHECK(server.reserve(9_ns, 0_ns) == 9_ns);
  CHECK(server.reserve(10_ns, 0_ns) == 20_ns);
  CHECK(server.reserve(19_ns, 0_ns) == 20_ns);
  CHECK(server.reserve(20_ns, 0_ns) == 20_ns);
  CHECK(server.reserve_split(15_ns, 0_ns).done == 20_ns);
  CHECK(server.busy_until(100_ns) == 10_ns);
}

TEST_CASE("what lies before the promised bound is forgotten and not sold again") {
  BusyCalendar server;
  for (int i = 0; i < 100; ++i) server.reserve(Time(20'000) * i, 10_ns);
  CHECK(server.intervals() == 100);
  server.advance(1'000_ns);  // bookings [0, 10) ... [980, 990) are over, [1000, 1010) is not
  CHECK(server.intervals() == 50);
  server.advance(1'009_ns);
  CHECK(server.intervals() == 50);
  server.advance(1'010_ns);
  CHECK(server.intervals() == 49);
  CHECK(server.reserve(0_ns, 10_ns) == 1'010_ns);  // a broken promise is treated as arriving at the bound
  CHECK(server.reserve(0_ns, 10_ns) == 1'030_ns);  // [1020, 1030) was taken from the start
  server.advance(500_ns);                          // an older bound changes nothing
  CHECK(server.reserve(0_ns, 10_ns) == 1'050_ns);
  server.advance(10'000_ns);
  CHECK(server.intervals() == 0);
  CHECK(server.reserve(10'000_ns, 5_ns) == 10'000_ns);
}

TEST_CASE("memory is bounded without selling time twice") {
  BusyCalendar server;
  constexpr int kMany = 20'000;
  for (int i = 0; i < kMany; ++i) CHECK(server.reserve(20_ns * i, 10_ns) == 20_ns * i);
  CHECK(server.intervals() <= BusyCalendar::kMaxIntervals);
  CHECK(server.busy_until(20_ns * kMany) == 10_ns * kMany);
  // The oldest gaps are gone, the youngest 3,000 of 4,096 intervals at least are still there: no booking may overlap
  // one.
  const Time early = server.reserve(0_ns, 10_ns);
  CHECK(early % 20_ns == 10_ns);
  CHECK(early < 20_ns * kMany);
}

TEST_CASE("the calendar agrees with a server defined slot by slot") {
  const auto seed = GENERATE(range(1, 21));
  Random random(static_cast<std::uint64_t>(seed), "calendar");
  BusyCalendar server;
  BitmapServer truth(200'000);
  for (int i = 0; i < 300; ++i) {
    const Time arrival(static_cast<std::int64_t>(random.below(9'000)));
    const Time service(static_cast<std::int64_t>(1 + random.below(60)));
    if (random.below(2) == 0) {
      REQUIRE(server.reserve(arrival, service) == truth.reserve(arrival, service));
    } else {
      const auto got = server.reserve_split(arrival, service);
      const auto want = truth.reserve_split(arrival, service);
      REQUIRE(got.start == want.start);
      REQUIRE(got.done == want.done);
    }
    const Time now(static_cast<std::int64_t>(random.below(15'000)));
    REQUIRE(server.busy_until(now) == truth.busy_until(now));
  }
}

TEST_CASE("open loop: the error against true time order stays within the documented bound") {
  // Mean wait of M/D/1: rho S / (2 (1 - rho)) = 1.097 ns at 0.3 and 3.84 ns at 0.6 (Kleinrock, Queueing Systems
  // I, 5.65).
  const double rho = GENERATE(0.3, 0.6);
  const Time quantum = GENERATE(100_ns, 1'000_ns);
  const OpenLoop loop = make_open_loop(rho, 100'000);
  const double truth = mean_wait_in_time_order(loop);
  CHECK(truth == Approx(rho * 5.12 / (2 * (1 - rho))).epsilon(0.03));

  BusyCalendar gaps;
  const double with_gaps = mean_wait_by_quantum(loop, quantum, [&](Time from, Time arrival) {
    gaps.advance(from);
    return gaps.reserve(arrival, kService);
  });
  BusyCalendar split;
  const double with_split = mean_wait_by_quantum(loop, quantum, [&](Time from, Time arrival) {
    split.advance(from);
    return split.reserve_split(arrival, kService).done - kService;
  });
  Time free{0};
  const double next_free_time = mean_wait_by_quantum(loop, quantum, [&](Time, Time arrival) {
    const Time start = std::max(free, arrival);
    free = start + kService;
    return start;
  });
  CAPTURE(rho, quantum.count(), truth, with_gaps, with_split, next_free_time);
  CHECK(with_gaps >= truth);
  CHECK(with_gaps <= 1.8 * truth);
  CHECK(with_split >= truth);
  CHECK(with_split <= 1.25 * truth);
  CHECK(next_free_time > 7 * truth);  // what the calendar is there to avoid
}

TEST_CASE("closed loop: initiators that do not collide do not delay each other") {
  // One request outstanding, 40 ns between end of service and next request, 10 ns apart: never two at a time.
  constexpr int kEach = 5'000;
  BusyCalendar server;
  std::vector<Time> local{0_ns, 10_ns};
  std::vector<int> issued(2, 0);
  for (Time from{0}; issued[0] < kEach || issued[1] < kEach; from += 1'000_ns) {
    server.advance(from);
    for (std::size_t who = 0; who < 2; ++who) {
      for (; issued[who] < kEach && local[who] < from + 1'000_ns; ++issued[who]) {
        local[who] = server.reserve(local[who], kService) + kService + 40_ns;
      }
    }
  }
  CHECK(local[0] == (kService + 40_ns) * kEach);
  CHECK(local[1] == 10_ns + (kService + 40_ns) * kEach);
}

TEST_CASE("closed loop, saturated: no capacity is lost") {
  constexpr int kEach = 5'000;
  const bool split = GENERATE(false, true);
  BusyCalendar server;
  std::vector<Time> local(2, Time(0));
  std::vector<int> issued(2, 0);
  for (Time from{0}; issued[0] < kEach || issued[1] < kEach; from += 1'000_ns) {
    server.advance(from);
    for (std::size_t who = 0; who < 2; ++who) {
      for (; issued[who] < kEach && local[who] < from + 1'000_ns; ++issued[who]) {
        local[who] =
            split ? server.reserve_split(local[who], kService).done : server.reserve(local[who], kService) + kService;
      }
    }
  }
  CHECK(server.horizon() == kService * (2 * kEach));
  CHECK(server.busy_until(server.horizon()) == server.horizon());
}

TEST_CASE("statistics: busy time up to now, utilisation and waits") {
  StatGroup group("bus");
  Occupancy bus(group, "data", "data bus");
  CHECK(bus.utilisation(0_ns) == 0);
  bus.reserve(0_ns, 10_ns);         // [0, 10)
  bus.reserve(4_ns, 10_ns);         // [10, 20): waits 6 ns
  bus.reserve_split(30_ns, 10_ns);  // [30, 40)
  bus.reserve_split(15_ns, 20_ns);  // [20, 30) and [40, 50): done at 50, of 35 ns it was served 20 and waited 15
  CHECK(bus.utilisation(20_ns) == 1.0);
  CHECK(bus.utilisation(50_ns) == 1.0);
  CHECK(bus.utilisation(100_ns) == 0.5);
  REQUIRE(group.find("data_busy") != nullptr);
  CHECK(group.find("data_busy")->scalar(35_ns) == 35'000);
  CHECK(group.find("data_busy")->scalar(100_ns) == 50'000);
  const auto* waiting = dynamic_cast<const Histogram*>(group.find("data_waiting"));
  REQUIRE(waiting != nullptr);
  CHECK(waiting->count() == 4);
  CHECK(waiting->min() == 0);
  CHECK(waiting->max() == 15'000);
  CHECK(waiting->mean() == Approx(21'000.0 / 4));
}
