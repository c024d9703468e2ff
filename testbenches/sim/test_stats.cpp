#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/stats.h"

using namespace dpusim;
using namespace dpusim::literals;
using nlohmann::ordered_json;

TEST_CASE("A counter counts to 64 bits and stays an integer in JSON") {
  StatGroup root("");
  Counter counter(root, "frames", "frames", "Frames");
  ++counter;
  counter.add();
  counter += 40;
  CHECK(counter.value() == 42);
  counter += UINT64_MAX - 42;
  CHECK(counter.value_json(0_ps).dump() == "18446744073709551615");
  CHECK(std::string(counter.kind()) == "counter");
}

TEST_CASE("A gauge holds its level and the extremes it had, 0 at the start among them") {
  StatGroup root("");
  Gauge gauge(root, "level", "octets", "Level");
  CHECK(gauge.value_json(0_ps).dump() == R"({"value":0,"min":0,"max":0})");
  gauge.set(7);
  gauge.add(-12);
  gauge.add(2);
  CHECK(gauge.value_json(0_ps).dump() == R"({"value":-3,"min":-5,"max":7})");
  CHECK(gauge.scalar(0_ps) == -3);
}

TEST_CASE("A time average weighs levels by the time they lasted") {
  StatGroup root("");
  TimeAverage depth(root, "depth", "frames", "Depth");
  CHECK(depth.average(0_ps) == 0);
  depth.set(10_ns, 4);  // 0 for 10 ns
  depth.set(30_ns, 1);  // 4 for 20 ns
  depth.set(30_ns, 2);  // 1 for no time
  CHECK(depth.average(30_ns) == Approx(80.0 / 30));
  CHECK(depth.average(50_ns) == 2.4);   // (4 * 20 + 2 * 20) / 50
  CHECK(depth.average(100_ns) == 2.2);  // (4 * 20 + 2 * 70) / 100
  CHECK(depth.value_json(100_ns).dump() == R"({"average":2.2,"level":2.0,"max":4.0})");
}

TEST_CASE("A time average whose model is ahead of the kernel ends with the model") {
  StatGroup root("");
  TimeAverage depth(root, "depth", "frames", "Depth");
  depth.set(0_ns, 3);
  depth.set(20_ns, 9);
  CHECK(depth.average(10_ns) == 3);
  CHECK_THROWS_AS(depth.set(19_ns, 1), Defect);
  CHECK_THROWS_AS(depth.set(21_ns, std::numeric_limits<double>::infinity()), Defect);
  CHECK_THROWS_AS(depth.set(21_ns, std::numeric_limits<double>::quiet_NaN()), Defect);
}

TEST_CASE("A statistic without unit, text or a name of its own is a defect") {
  StatGroup root("nic");
  Counter frames(root, "frames", "frames", "Frames");
  CHECK_THROWS_AS(Counter(root, "a", "", "Text"), Defect);
  CHECK_THROWS_AS(Counter(root, "a", "unit", ""), Defect);
  CHECK_THROWS_AS(Counter(root, "", "unit", "Text"), Defect);
  CHECK_THROWS_AS(Counter(root, "a.b", "unit", "Text"), Defect);
  CHECK_THROWS_AS(Gauge(root, "frames", "unit", "Text"), Defect);
  root.child("rxq0");
  CHECK_THROWS_AS(Counter(root, "rxq0", "unit", "Text"), Defect);
  CHECK_THROWS_AS(root.child("frames"), Defect);
  CHECK_THROWS_AS(root.child(""), Defect);
  CHECK_THROWS_AS(root.child("rxq0."), Defect);
  CHECK(root.statistics() == std::vector<Statistic*>{&frames});
  CHECK_NOTHROW(Counter(root.child("rxq0"), "frames", "frames", "Frames"));
}

TEST_CASE("Groups nest by name and by dotted path, and statistics are found by path") {
  StatGroup root("");
  Counter cycles(root.child("cpu.core0"), "cycles", "cycles", "Cycles");
  CHECK(&root.child("cpu").child("core0") == &root.child("cpu.core0"));
  CHECK(root.child("cpu.core0").name() == "core0");
  CHECK(root.child("cpu.core0").path() == "cpu.core0");
  CHECK(root.path().empty());
  CHECK(root.find("cpu.core0.cycles") == &cycles);
  CHECK(root.child("cpu").find("core0.cycles") == &cycles);
  CHECK(root.find("cpu.core1.cycles") == nullptr);
  CHECK(root.find("cpu.core0") == nullptr);
  CHECK(root.find("") == nullptr);
}

TEST_CASE("A statistic may go before its group or after it") {
  StatGroup root("");
  {
    Counter gone(root, "gone", "events", "Text");
    CHECK(root.find("gone") == &gone);
  }
  CHECK(root.find("gone") == nullptr);
  Counter again(root, "gone", "events", "Text");
  auto group = std::make_unique<StatGroup>("late");
  Counter survivor(*group, "survivor", "events", "Text");
  group.reset();
  ++survivor;
  CHECK(survivor.value() == 1);
}

TEST_CASE("Broken laws are told with their group, held ones are not") {
  StatGroup root("");
  StatGroup& nic = root.child("nic");
  Counter in(nic, "in", "frames", "In"), out(nic, "out", "frames", "Out"), dropped(nic, "dropped", "frames", "Dropped");
  nic.law("in = out + dropped", [&]() -> std::optional<std::string> {
    if (in.value() == out.value() + dropped.value()) return {};
    return fmt::format("{} != {} + {}", in.value(), out.value(), dropped.value());
  });
  root.law("never", [] { return std::optional<std::string>("1 != 2"); });
  nic.child("q0").law("always", [] { return std::optional<std::string>(); });
  in += 10, out += 8, dropped += 2;
  CHECK(root.broken_laws() == std::vector<std::string>{"never: 1 != 2"});
  ++in;
  CHECK(root.broken_laws() == std::vector<std::string>{"never: 1 != 2", "nic: in = out + dropped: 11 != 8 + 2"});
  CHECK(nic.broken_laws() == std::vector<std::string>{"nic: in = out + dropped: 11 != 8 + 2"});
  CHECK_THROWS_AS(root.law("", [] { return std::optional<std::string>(); }), Defect);
}

TEST_CASE("A formula that is not finite is null, an empty field, and a broken law") {
  StatGroup root("");
  StatGroup& nic = root.child("nic");
  Counter frames(nic, "frames", "frames", "Frames");
  Formula rate(nic, "rate", "frames/s", "Frames a second",
               [&](Time now) { return static_cast<double>(frames.value()) * 1e12 / static_cast<double>(now.count()); });
  frames += 3;
  CHECK(rate.scalar(2_us) == 1.5e6);
  CHECK(rate.value_json(2_us).dump() == "1500000.0");
  CHECK(root.broken_laws(2_us).empty());
  CHECK(rate.value_json(0_ps).is_null());
  CHECK(root.broken_laws().empty());
  CHECK(root.broken_laws(0_ps) == std::vector<std::string>{"nic: rate is finite: inf"});
  CHECK(stats_to_csv(root, 0_ps) ==
        "path,kind,unit,field,value\nnic.frames,counter,frames,value,3\nnic.rate,formula,frames/s,value,\n");
}

namespace {

struct Card {
  StatGroup root{""};
  Counter frames{root.child("nic"), "frames", "frames", "Frames | good"};
  Gauge held{root.child("nic"), "held", "frames", "Frames held"};
  TimeAverage depth{root.child("nic.rxq0"), "depth", "frames", "Depth"};
  Histogram latency{root.child("a"), "latency", "ps, \"wire\"", "Latency"};
  Formula share{root.child("a"), "share", "ratio", "Share", [](Time) { return 0.1; }};
};

}  // namespace

TEST_CASE("JSON has schema, time and the tree in order of registration") {
  Card card;
  card.root.child("empty.below");
  card.frames += 5;
  card.held.set(2);
  card.depth.set(1_ns, 1);
  card.latency.record(100);
  card.latency.record(200);
  CHECK(stats_to_json(card.root, 4_ns).dump() ==
        R"({"schema":{"name":"dpusim-stats","version":1},"time_ps":4000,"stats":{)"
        R"("nic":{"frames":{"kind":"counter","unit":"frames","text":"Frames | good","value":5},)"
        R"("held":{"kind":"gauge","unit":"frames","text":"Frames held","value":{"value":2,"min":0,"max":2}},)"
        R"("rxq0":{"depth":{"kind":"time_average","unit":"frames","text":"Depth",)"
        R"("value":{"average":0.75,"level":1.0,"max":1.0}}}},)"
        R"("a":{"latency":{"kind":"histogram","unit":"ps, \"wire\"","text":"Latency","value":{"count":2,"min":100,)"
        R"("mean":150.0,"p50":100,"p90":200,"p99":200,"p99.9":200,"max":200}},)"
        R"("share":{"kind":"formula","unit":"ratio","text":"Share","value":0.1}}}})");
}

TEST_CASE("CSV has one number a line and quotes where RFC 4180 asks for it") {
  Card card;
  CHECK(stats_to_csv(card.root, 0_ps) ==
        "path,kind,unit,field,value\n"
        "nic.frames,counter,frames,value,0\n"
        "nic.held,gauge,frames,value,0\n"
        "nic.held,gauge,frames,min,0\n"
        "nic.held,gauge,frames,max,0\n"
        "nic.rxq0.depth,time_average,frames,average,0.0\n"
        "nic.rxq0.depth,time_average,frames,level,0.0\n"
        "nic.rxq0.depth,time_average,frames,max,0.0\n"
        "a.latency,histogram,\"ps, \"\"wire\"\"\",count,0\n"
        "a.latency,histogram,\"ps, \"\"wire\"\"\",min,\n"
        "a.latency,histogram,\"ps, \"\"wire\"\"\",mean,\n"
        "a.latency,histogram,\"ps, \"\"wire\"\"\",p50,\n"
        "a.latency,histogram,\"ps, \"\"wire\"\"\",p90,\n"
        "a.latency,histogram,\"ps, \"\"wire\"\"\",p99,\n"
        "a.latency,histogram,\"ps, \"\"wire\"\"\",p99.9,\n"
        "a.latency,histogram,\"ps, \"\"wire\"\"\",max,\n"
        "a.share,formula,ratio,value,0.1\n");
}

TEST_CASE("The Markdown table lists what a group and those below it have") {
  Card card;
  CHECK(stats_markdown(card.root.child("nic")) ==
        "| Name | Kind | Unit | Text |\n"
        "|---|---|---|---|\n"
        "| frames | counter | frames | Frames \\| good |\n"
        "| held | gauge | frames | Frames held |\n"
        "| rxq0.depth | time_average | frames | Depth |\n");
}

TEST_CASE("Snapshots carry differences of counters, interval averages, and levels as they stand") {
  Card card;
  StatSnapshots snapshots(card.root);
  card.frames += 5;
  card.held.set(2);
  card.depth.set(500_ps, 2);
  card.latency.record(1, 3);
  snapshots.take(1_ns);  // depth: 0 for 500 ps, 2 for 500 ps
  card.frames += 7;
  card.held.set(1);
  card.depth.set(1500_ps, 6);
  card.latency.record(1);
  snapshots.take(2_ns);  // depth: 2 for 500 ps, 6 for 500 ps
  snapshots.take(3_ns);
  CHECK(snapshots.to_csv() ==
        "time_ps,nic.frames,nic.held,nic.rxq0.depth,a.latency,a.share\n"
        "1000,5,2,1,3,0.1\n"
        "2000,7,1,4,1,0.1\n"
        "3000,0,1,6,0,0.1\n");
  CHECK_THROWS_AS(snapshots.take(3_ns), Defect);
}

TEST_CASE("Statistics that come or go between snapshots are a defect") {
  StatGroup root("");
  auto first = std::make_unique<Counter>(root, "first", "events", "Text");
  StatSnapshots snapshots(root);
  snapshots.take(1_ns);
  {
    Counter late(root, "late", "events", "Text");
    CHECK_THROWS_AS(snapshots.take(2_ns), Defect);
  }
  CHECK_NOTHROW(snapshots.take(2_ns));
  first.reset();
  CHECK_THROWS_AS(snapshots.take(3_ns), Defect);
}

TEST_CASE("A snapshot of a formula that is not finite is an empty field") {
  StatGroup root("");
  Formula bad(root, "bad", "ratio", "Text", [](Time) { return std::numeric_limits<double>::quiet_NaN(); });
  StatSnapshots snapshots(root);
  CHECK(snapshots.to_csv() == "time_ps\n");
  snapshots.take(0_ps);
  CHECK(snapshots.to_csv() == "time_ps,bad\n0,\n");
}

TEST_CASE("snapshots give totals of formulas as differences and means over time as the interval's mean") {
  StatGroup root("");
  double total = 0, busy = 0;
  const Formula count(
      root, "count", "events", "Events", [&](Time) { return total; }, FormulaKind::kTotal);
  const Formula used(
      root, "used", "ratio", "Busy share", [&](Time now) { return busy / static_cast<double>(now.count()); },
      FormulaKind::kTimeMean);
  const Formula level(root, "level", "ratio", "State", [&](Time) { return total / 2; });
  StatSnapshots snapshots(root);
  total = 10, busy = 100;
  snapshots.take(Time(1000));  // 10 events, 100 of 1000 ps busy
  total = 14, busy = 600;
  snapshots.take(Time(2000));  // 4 more; 500 of 1000 ps
  CHECK(snapshots.to_csv() == "time_ps,count,used,level\n1000,10,0.1,5\n2000,4,0.5,7\n");
}
