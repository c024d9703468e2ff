// Quantiles are nearest-rank: the value of rank ceil(q * count) in sorted order.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/random.h"
#include "sim/stats.h"

using namespace dpusim;
using namespace dpusim::literals;

namespace {

struct Values {
  StatGroup root{""};
  Histogram histogram{root, "latency", "ps", "Latency"};
  explicit Values(std::initializer_list<std::uint64_t> values = {}) {
    for (const std::uint64_t value : values) histogram.record(value);
  }
  std::uint64_t quantile(double q) const { return histogram.quantile(q); }
};

}  // namespace

TEST_CASE("An empty histogram has a count and nothing else") {
  const Values values;
  CHECK(values.histogram.count() == 0);
  CHECK(values.quantile(0.5) == 0);
  CHECK(values.histogram.mean() == 0);
  CHECK(values.histogram.value_json(0_ps).dump() ==
        R"({"count":0,"min":null,"mean":null,"p50":null,"p90":null,"p99":null,"p99.9":null,"max":null})");
}

TEST_CASE("A single value is every quantile, exactly") {
  for (const std::uint64_t value : {0ULL, 255ULL, 256ULL, 1'000'003ULL, ~0ULL}) {
    const Values values{value};
    for (const double q : {0.0, 0.5, 0.999, 1.0}) CHECK(values.quantile(q) == value);
    CHECK(values.histogram.min() == value);
    CHECK(values.histogram.max() == value);
    CHECK(values.histogram.mean() == static_cast<double>(value));
  }
}

TEST_CASE("Quantiles of five values") {
  const Values values{35, 20, 15, 50, 40};  // sorted: 15 20 35 40 50
  CHECK(values.quantile(0) == 15);
  CHECK(values.quantile(0.05) == 15);  // rank ceil(0.25) = 1
  CHECK(values.quantile(0.2) == 15);   // rank 1
  CHECK(values.quantile(0.3) == 20);   // rank ceil(1.5) = 2
  CHECK(values.quantile(0.4) == 20);   // rank 2
  CHECK(values.quantile(0.41) == 35);  // rank ceil(2.05) = 3
  CHECK(values.quantile(0.5) == 35);   // rank ceil(2.5) = 3
  CHECK(values.quantile(0.9) == 50);   // rank ceil(4.5) = 5
  CHECK(values.quantile(1) == 50);
  CHECK(values.histogram.mean() == 32);
}

TEST_CASE("Quantiles of 1 to 100 are the percent itself, in spite of binary fractions") {
  Values values;
  for (std::uint64_t value = 1; value <= 100; ++value) values.histogram.record(value);
  for (unsigned percent = 1; percent <= 100; ++percent) CHECK(values.quantile(percent / 100.0) == percent);
  CHECK(values.quantile(0.999) == 100);
}

TEST_CASE("Quantiles of 0 to 199, each value five times") {
  Values values;
  for (std::uint64_t value = 0; value < 200; ++value) values.histogram.record(value, 5);
  CHECK(values.histogram.count() == 1000);
  CHECK(values.quantile(0.5) == 99);     // rank 500 is the last 99
  CHECK(values.quantile(0.501) == 100);  // rank 501 is the first 100
  CHECK(values.quantile(0.99) == 197);   // rank 990: the last 197
  CHECK(values.quantile(0.999) == 199);  // rank 999
  CHECK(values.histogram.mean() == 99.5);
}

TEST_CASE("Recording no times changes nothing") {
  Values values{7};
  values.histogram.record(3, 0);
  values.histogram.record(9, 0);
  CHECK(values.histogram.count() == 1);
  CHECK(values.histogram.min() == 7);
  CHECK(values.histogram.max() == 7);
}

TEST_CASE("Values below 256 are exact, above them a bucket is named by its middle") {
  // From 256 on buckets are 2 wide, from 512 on 4 wide, from 1024 on 8 wide.
  CHECK(Values{0, 255, 999}.quantile(0.5) == 255);
  CHECK(Values{0, 256, 999}.quantile(0.5) == 257);
  CHECK(Values{0, 257, 999}.quantile(0.5) == 257);
  CHECK(Values{0, 258, 999}.quantile(0.5) == 259);
  CHECK(Values{0, 511, 999}.quantile(0.5) == 511);
  CHECK(Values{0, 512, 999}.quantile(0.5) == 514);
  CHECK(Values{0, 515, 999}.quantile(0.5) == 514);
  CHECK(Values{0, 516, 999}.quantile(0.5) == 518);
  CHECK(Values{0, 1024, 9999}.quantile(0.5) == 1028);
  // From 2^63 on buckets are 2^56 wide; the last begins at 2^64 - 2^56.
  CHECK(Values{0, 1ULL << 63, ~0ULL}.quantile(0.5) == (1ULL << 63) + (1ULL << 55));
  CHECK(Values{0, ~0ULL - 1, ~0ULL}.quantile(0.5) == 0xff80'0000'0000'0000);
}

TEST_CASE("A quantile is never outside the extremes") {
  CHECK(Values{517, 517, 517, 600}.quantile(0.5) == 518);
  CHECK(Values{519, 519, 519, 600}.quantile(0.5) == 519);  // middle 518 is below the smallest
  CHECK(Values{2, 516, 516, 516}.quantile(0.5) == 516);    // middle 518 is above the largest
}

TEST_CASE("A histogram's sum does not overflow") {
  Values values;
  values.histogram.record(~0ULL, 1'000'000);
  CHECK(values.histogram.mean() == Approx(18446744073709551615.0));
  values.histogram.record(~0ULL, 1ULL << 62);
  CHECK(values.histogram.mean() == Approx(18446744073709551615.0));
  CHECK(values.quantile(0.5) == ~0ULL);
}

TEST_CASE("Durations are recorded in picoseconds and must not be negative") {
  Values values;
  values.histogram.record(3_ns);
  CHECK(values.histogram.max() == 3000);
  CHECK_THROWS_AS(values.histogram.record(Time(-1)), Defect);
  CHECK(values.histogram.count() == 1);
  CHECK_THROWS_AS(values.quantile(1.01), Defect);
  CHECK_THROWS_AS(values.quantile(-0.01), Defect);
  CHECK_THROWS_AS(values.quantile(std::nan("")), Defect);
}

TEST_CASE("Quantiles of random 64-bit values are within 1/256 of the sorted vector's") {
  Random random(20, "histogram");
  for (unsigned round = 0; round < 200; ++round) {
    Values values;
    std::vector<std::uint64_t> sorted(1 + random.below(2000));
    for (std::uint64_t& value : sorted) {
      value = random() >> random.below(64);  // every order of magnitude
      values.histogram.record(value);
    }
    std::sort(sorted.begin(), sorted.end());
    for (unsigned permille = 1; permille <= 1000; ++permille) {
      const std::size_t rank = (permille * sorted.size() + 999) / 1000;
      const std::uint64_t exact = sorted[rank - 1];
      const std::uint64_t found = values.quantile(permille / 1000.0);
      const std::uint64_t error = found > exact ? found - exact : exact - found;
      if (error > exact / 256)
        FAIL("round " << round << ", " << permille << " permille: " << found << " for " << exact);
    }
    CHECK(values.histogram.min() == sorted.front());
    CHECK(values.histogram.max() == sorted.back());
  }
}
