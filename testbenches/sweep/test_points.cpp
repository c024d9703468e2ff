#include <catch2/catch.hpp>

#include "sweep_bench.h"

namespace dpusim::sweep {
namespace {

using namespace test;
using Texts = std::vector<std::string>;

SweepFile two_by_three() {
  return sweep_of(
      R"({"platform": "bluefield2", "scenario": "forward.json", "set": ["cpu.cores=4"], "run": {"until": "1ms"},
    "axes": [{"name": "A", "path": "b.c", "values": [1, 2]}, {"name": "B", "path": "b.d", "values": ["x", "y", "z"]}],
    "measures": [{"name": "M", "rate": "r"}]})");
}

TEST_CASE("the last axis changes fastest") {
  const SweepFile sweep = two_by_three();
  Texts order;
  for (std::uint64_t number = 0; number < sweep.points(); ++number) {
    const Point point = point_at(sweep, number);
    order.push_back(point_text(sweep, point));
    CHECK(number_of(sweep, point.values) == number);
  }
  CHECK(order == Texts{"A 1, B x", "A 1, B y", "A 1, B z", "A 2, B x", "A 2, B y", "A 2, B z"});
}

TEST_CASE("a point is a run with the sweep's settings and then the axes'") {
  const SweepFile sweep = two_by_three();
  CHECK(arguments_of(sweep, point_at(sweep, 5)) == Texts{"run", "bluefield2", "--scenario", "forward.json",
                                                         "--until=1ms", "--set", "cpu.cores=4", "--set", "b.c=2",
                                                         "--set", "b.d=z"});
}

TEST_CASE("folders have numbers of one length") {
  CHECK(folder_name(two_by_three(), 0) == "0001");
  CHECK(folder_name(two_by_three(), 5) == "0006");
  const SweepFile many =
      sweep_of(with_axes(R"([{"name": "A", "path": "b.c", "range": {"from": 1, "to": 10000, "step": 1}}])"));
  CHECK(folder_name(many, 0) == "00001");
}

TEST_CASE("points are chosen by numbers and ranges") {
  using Flags = std::vector<bool>;
  CHECK(parse_selection("2", 3) == Flags{false, true, false});
  CHECK(parse_selection("1-2,4", 5) == Flags{true, true, false, true, false});
  CHECK(parse_selection("1-3,2", 3) == Flags{true, true, true});
  for (const char* wrong : {"", "0", "4", "2-1", "1-4", "1,,2", "x", "1-", "-1", "1.5"})
    CHECK_THAT(error_of([&] { parse_selection(wrong, 3); }),
               Catch::Contains("--points") && Catch::Contains("from 1 to 3"));
}

}  // namespace
}  // namespace dpusim::sweep
