#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <thread>

#include "sweep/worker_pool.h"
#include "sweep_bench.h"

namespace dpusim::sweep {
namespace {

using namespace test;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const std::string kRates =
    R"([{"name": "Rate", "path": "fake.rate", "values": [1e9, 5e9, 11e9]}, {"name": "Resource", "path": "fake.resource", "values": ["ddr.channel0_bus", "noc.bus"]}])";

SweepFile rates(const fs::path& folder, const std::string& more = "") {
  return sweep_of(with_axes(kRates, more), folder);
}
Json results(const fs::path& out) { return Json::parse(content(out / "results.json")); }
std::size_t lines(const fs::path& file) {
  const std::string text = content(file);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}
std::size_t markers(const fs::path& out) {
  std::size_t count = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(out / "points", ignored))
    count += fs::exists(entry.path() / "point.json") ? 1 : 0;
  return count;
}

/// Runs a sweep in a child process, and returns its process number.
pid_t sweep_in_child(const SweepFile& sweep, const SweepOptions& options) {
  const pid_t child = fork();
  if (child != 0) return child;
  const int null = open("/dev/null", O_WRONLY);
  dup2(null, STDERR_FILENO);
  _exit(run_sweep(sweep, fake(), options));
}
void wait_for_markers(const fs::path& out, std::size_t count) {
  for (int i = 0; i < 1000 && markers(out) < count; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  REQUIRE(markers(out) >= count);
}
int exit_code_of(pid_t child) {
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST_CASE("a sweep runs every point and writes what it measured") {
  const Folder folder;
  const SweepFile sweep = rates(folder.path());
  CHECK(run_sweep(sweep, fake(), quiet(folder / "out")) == 0);
  const Json json = results(folder / "out");
  REQUIRE(json["points"].size() == 6);
  CHECK(json["dpusim"] == "0.0.test");
  CHECK(json["points"][2]["values"] == Json({{"Rate", "5000000000"}, {"Resource", "ddr.channel0_bus"}}));
  CHECK(json["points"][2]["measures"]["Forwarded"] == 40);  // 5e9 octets/s x 8 bits
  CHECK(json["points"][5]["measures"]["Forwarded"] == 88);
  CHECK(json["points"][5]["bottleneck"]["resource"] == "noc.bus");
  CHECK(json["points"][5]["bottleneck"]["occupancy"] == 0.88);  // 11e9 of 12.5e9
  for (const char* file : {"results.csv", "index.html", "points/0001/point.json", "points/0006/run/results.json",
                           "points/0001/stderr.txt"})
    CHECK(fs::exists(folder / "out" / file));
}

TEST_CASE("one worker or four give the same bytes") {
  const Folder folder;
  // The first points take longest, so that four workers end in another order.
  const SweepFile sweep = sweep_of(with_axes(R"([{"name": "Rate", "path": "fake.rate", "values": [1e9, 2e9]},
    {"name": "Sleep", "path": "fake.sleep", "values": [0.4, 0.2, 0.1, 0]}, {"name": "Exit", "path": "fake.exit", "values": [0, 1]}])"),
                                   folder.path());
  CHECK(run_sweep(sweep, fake(), quiet(folder / "one", 1)) == 1);
  CHECK(run_sweep(sweep, fake(), quiet(folder / "four", 4)) == 1);
  CHECK((results_of(folder / "one") == results_of(folder / "four")));
  CHECK(results_of(folder / "one").find(folder.path().string()) == std::string::npos);
}

TEST_CASE("failed points are told with their reason, and the others are run") {
  const Folder folder;
  const SweepFile sweep = sweep_of(with_axes(R"([{"name": "What", "values": [
    {"label": "good", "set": {"fake.rate": 1e9}},
    {"label": "usage", "set": {"fake.exit": 2, "fake.say": "warning: hm\ndpusim: OUT/x: found a, expected b"}},
    {"label": "guest", "set": {"fake.exit": 1, "fake.reason": "the guest said no"}},
    {"label": "defect", "set": {"fake.exit": 4, "fake.say": "dpusim: this is a defect"}},
    {"label": "signal", "set": {"fake.die": 9}},
    {"label": "silent", "set": {"fake.exit": 5, "fake.reason": ""}},
    {"label": "limit", "set": {"fake.exit": 3, "fake.reason": "the time limit (--until) was reached"}},
    {"label": "no results", "set": {"fake.missing": "true"}}]}])"),
                                   folder.path());
  CHECK(run_sweep(sweep, fake(), quiet(folder / "out", 3)) == 1);
  const Json points = results(folder / "out")["points"];
  const auto told = [&](std::size_t i) {
    return std::make_tuple(points[i]["status"].get<std::string>(), points[i]["exit_code"].get<int>(),
                           points[i]["reason"].get<std::string>());
  };
  using Told = std::tuple<std::string, int, std::string>;
  CHECK(told(0) == Told("done", 0, "captures ended, card quiet"));
  CHECK(told(1) == Told("failed", 2, "run/x: found a, expected b"));
  CHECK(told(2) == Told("failed", 1, "the guest said no"));
  CHECK(told(3) == Told("failed", 4, "this is a defect"));
  CHECK(told(4) == Told("failed", 137, "ended by signal 9"));
  CHECK(told(5) == Told("failed", 5, "exit code 5"));
  CHECK(told(6) == Told("failed", 3, "the time limit (--until) was reached"));
  CHECK(told(7) == Told("failed", 0, "it left no results.json"));
  CHECK(markers(folder / "out") == 1);
}

TEST_CASE("exit code 3 is a normal end where a limit was set, unless the user interrupted the run") {
  const Folder folder;
  const std::string axis =
      R"([{"name": "Reason", "path": "fake.reason", "values": ["the time limit (--until) was reached", "interrupted by the user", "firmware was asked to finish, and all cores wait for ever"]}])";
  const SweepFile sweep =
      sweep_of(with_axes(axis, R"(, "set": {"fake.exit": 3}, "run": {"until": "1ms"})"), folder.path());
  CHECK(run_sweep(sweep, fake(), quiet(folder / "out")) == 1);
  CHECK(results(folder / "out")["points"][0]["status"] == "done");
  CHECK(results(folder / "out")["points"][1]["status"] == "failed");
  CHECK(results(folder / "out")["points"][2]["status"] == "failed");
  Simulator of_scenario = fake();
  of_scenario.inspect = [](const auto&) { return Inspection{"", true, false, "5"}; };
  const SweepFile unlimited =
      sweep_of(with_axes(R"([{"name": "Rate", "path": "fake.rate", "values": [1e9]}])",
                         R"(, "set": {"fake.exit": 3, "fake.reason": "the time limit (--until) was reached"})"),
               folder.path());
  CHECK(run_sweep(unlimited, of_scenario, quiet(folder / "scenario")) == 0);
  CHECK(results(folder / "scenario")["seed"] == "5");
}

TEST_CASE("a program that cannot be started fails its point") {
  const Folder folder;
  Simulator none = fake();
  none.program = "/no/such/dpusim";
  CHECK(run_sweep(rates(folder.path()), none, quiet(folder / "out")) == 1);
  const Json point = results(folder / "out")["points"][0];
  CHECK(point["exit_code"] == 127);
  CHECK_THAT(point["reason"].get<std::string>(), Catch::Contains("cannot be started"));
}

TEST_CASE("a sweep whose every point is misconfigured ends early with the first message") {
  const Folder folder;
  const std::string axis = R"([{"name": "A", "path": "fake.a", "range": {"from": 1, "to": 60, "step": 1}}])";
  const SweepFile sweep = sweep_of(
      with_axes(
          axis,
          R"(, "set": {"fake.exit": 2, "fake.say": "dpusim: --set fake.b: found no block", "fake.count": "runs.txt"})"),
      folder.path());
  CHECK(error_of([&] { run_sweep(sweep, fake(), quiet(folder / "out", 1)); }) == "--set fake.b: found no block");
  CHECK(lines(folder / "runs.txt") == 16);
  CHECK_FALSE(fs::exists(folder / "out"));
  Simulator strict = fake();
  strict.inspect = [](const auto&) -> Inspection { throw ConfigError("scenario", "nothing", "something"); };
  CHECK(error_of([&] { run_sweep(sweep, strict, quiet(folder / "out", 1)); }) ==
        "scenario: found nothing, expected something");
}

TEST_CASE("a misconfigured first point does not end a sweep that has good points") {
  const Folder folder;
  const std::string axis =
      R"([{"name": "Exit", "path": "fake.exit", "values": [2, 0]}, {"name": "A", "path": "fake.a", "range": {"from": 1, "to": 20, "step": 1}}])";
  const SweepFile sweep = sweep_of(with_axes(axis), folder.path());
  CHECK(run_sweep(sweep, fake(), quiet(folder / "one", 1)) == 1);
  CHECK(run_sweep(sweep, fake(), quiet(folder / "four", 4)) == 1);
  CHECK(markers(folder / "one") == 20);
  CHECK((results_of(folder / "one") == results_of(folder / "four")));
}

TEST_CASE("a value that no point can have is told before anything runs") {
  const Folder folder;
  Simulator strict = fake();
  strict.inspect = [](const std::vector<std::string>& settings) -> Inspection {
    const auto has = [&](const char* text) {
      return std::find(settings.begin(), settings.end(), text) != settings.end();
    };
    if (has("fake.a=3") || (has("fake.a=1") && has("fake.b=1"))) throw ConfigError("fake.a", "too much", "less");
    return {};
  };
  const auto sweep = [&](const std::string& a) {
    return sweep_of(with_axes(R"([{"name": "A", "path": "fake.a", "values": )" + a +
                              R"(}, {"name": "B", "path": "fake.b", "values": [1, 2]}])"),
                    folder.path());
  };
  CHECK(error_of([&] { check_axes(sweep("[1, 2, 3]"), strict); }) == "A 3: fake.a: found too much, expected less");
  const SweepFile good = sweep("[1, 2]");
  check_axes(good, strict);
  CHECK(run_sweep(good, strict, quiet(folder / "out")) == 1);
  CHECK(results(folder / "out")["points"][0]["reason"] == "fake.a: found too much, expected less");
  CHECK(markers(folder / "out") == 3);
}

TEST_CASE("a measure that a run does not have fails its point, not the run") {
  const Folder folder;
  const SweepFile sweep = sweep_of(
      R"({"platform": "x", "set": {"fake.count": "runs.txt"}, "axes": [{"name": "Rate", "path": "fake.rate", "values": [1e9, 0]}],
    "measures": [{"name": "M", "total": "p1.ifOutOctetz"}]})",
      folder.path());
  CHECK(run_sweep(sweep, fake(), quiet(folder / "out")) == 1);
  CHECK_THAT(results(folder / "out")["points"][0]["reason"].get<std::string>(), Catch::Contains("\"p1.ifOutOctets\""));
  const SweepFile right = sweep_of(
      R"({"platform": "x", "set": {"fake.count": "runs.txt"}, "axes": [{"name": "Rate", "path": "fake.rate", "values": [1e9, 0]}],
    "measures": [{"name": "M", "total": "p1.ifOutOctets"}]})",
      folder.path());
  CHECK(run_sweep(right, fake(), quiet(folder / "out", 1, true)) == 0);
  CHECK(lines(folder / "runs.txt") == 2);
  CHECK(results(folder / "out")["points"][0]["measures"]["M"] == 1e6);
  CHECK(results(folder / "out")["points"][1]["measures"]["M"] == 0);
}

TEST_CASE("functional runs give no rates") {
  const Folder folder;
  const SweepFile sweep = rates(folder.path(), R"(, "set": {"fake.fidelity": "functional"})");
  CHECK(run_sweep(sweep, fake(), quiet(folder / "out")) == 1);
  CHECK_THAT(results(folder / "out")["points"][0]["reason"].get<std::string>(),
             Catch::Contains("functional runs measure no time"));
}

TEST_CASE("resuming runs what is missing or has changed") {
  const Folder folder;
  const std::string more = R"(, "set": {"fake.count": "runs.txt"})";
  SweepFile sweep = rates(folder.path(), more);
  SweepOptions some = quiet(folder / "out", 1);
  some.selected = parse_selection("2,5", sweep.points());
  CHECK(run_sweep(sweep, fake(), some) == 0);
  CHECK(results(folder / "out")["points"][0] ==
        Json({{"point", 1},
              {"values", {{"Rate", "1000000000"}, {"Resource", "ddr.channel0_bus"}}},
              {"status", "not run"}}));
  CHECK(run_sweep(sweep, fake(), quiet(folder / "out", 2, true)) == 0);
  CHECK(lines(folder / "runs.txt") == 6);
  CHECK(run_sweep(sweep, fake(), quiet(folder / "fresh")) == 0);
  CHECK((results_of(folder / "out") == results_of(folder / "fresh")));
  CHECK(lines(folder / "runs.txt") == 12);

  // Another value in the first place moves all points to other numbers; they are kept.
  SweepFile longer = sweep_of(with_axes(R"([{"name": "Rate", "path": "fake.rate", "values": [5e8, 1e9, 5e9, 11e9]},
    {"name": "Resource", "path": "fake.resource", "values": ["ddr.channel0_bus", "noc.bus"]}])",
                                        more),
                              folder.path());
  CHECK(run_sweep(longer, fake(), quiet(folder / "out", 2, true)) == 0);
  CHECK(lines(folder / "runs.txt") == 14);
  CHECK(run_sweep(longer, fake(), quiet(folder / "fresh")) == 0);
  CHECK((results_of(folder / "out") == results_of(folder / "fresh")));

  Simulator newer = fake();
  newer.identity = "another build";
  CHECK(run_sweep(longer, newer, quiet(folder / "out", 2, true)) == 0);
  CHECK(lines(folder / "runs.txt") == 30);
  newer.inspect = [](const auto&) { return Inspection{"another scenario text", false, false, ""}; };
  CHECK(run_sweep(longer, newer, quiet(folder / "out", 2, true)) == 0);
  CHECK(lines(folder / "runs.txt") == 38);
}

TEST_CASE("a sweep that is killed half-way and resumed gives the bytes of an undisturbed one") {
  const Folder folder;
  const SweepFile sweep =
      sweep_of(with_axes(R"([{"name": "Rate", "path": "fake.rate", "range": {"from": 1e9, "to": 12e9, "step": 1e9}}])",
                         R"(, "set": {"fake.sleep": 0.15, "fake.count": "runs.txt"})"),
               folder.path());
  const pid_t child = sweep_in_child(sweep, quiet(folder / "out"));
  wait_for_markers(folder / "out", 4);
  kill(child, SIGKILL);
  CHECK(exit_code_of(child) == -SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const std::size_t done = markers(folder / "out"), before = lines(folder / "runs.txt");
  CHECK(done < 12);
  CHECK_FALSE(fs::exists(folder / "out/results.json"));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  CHECK(markers(folder / "out") == done);  // its workers died with it
  CHECK_THAT(error_of([&] { run_sweep(sweep, fake(), quiet(folder / "out")); }), Catch::Contains("--resume"));
  CHECK(run_sweep(sweep, fake(), quiet(folder / "out", 2, true)) == 0);
  CHECK(lines(folder / "runs.txt") - before == 12 - done);
  CHECK(run_sweep(sweep, fake(), quiet(folder / "fresh")) == 0);
  CHECK((results_of(folder / "out") == results_of(folder / "fresh")));
}

TEST_CASE("Ctrl-C ends a sweep in order, and it can be resumed") {
  const Folder folder;
  const SweepFile sweep =
      sweep_of(with_axes(R"([{"name": "Rate", "path": "fake.rate", "values": [1e9, 2e9, 3e9, 4e9]}])",
                         R"(, "set": {"fake.sleep": 0.3})"),
               folder.path());
  const pid_t child = sweep_in_child(sweep, quiet(folder / "out", 1));
  wait_for_markers(folder / "out", 1);
  kill(child, SIGINT);
  CHECK(exit_code_of(child) == 3);
  CHECK_FALSE(fs::exists(folder / "out/results.json"));
  CHECK(markers(folder / "out") < 4);
  CHECK(run_sweep(sweep, fake(), quiet(folder / "out", 2, true)) == 0);
  CHECK(run_sweep(sweep, fake(), quiet(folder / "fresh")) == 0);
  CHECK((results_of(folder / "out") == results_of(folder / "fresh")));
}

// Hidden, since it says something on an idle machine of at least two processors only: test_sweep "[speed]". Runs that
// sleep tell what the sweep itself adds.
TEST_CASE("two processes are nearly twice as fast as one", "[.][speed]") {
  const std::string what = GENERATE("sleep", "burn");
  const Folder folder;
  const SweepFile sweep =
      sweep_of(with_axes(R"([{"name": "A", "path": "fake.a", "range": {"from": 1, "to": 40, "step": 1}}])",
                         R"(, "set": {"fake.)" + what + R"(": 0.5})"),
               folder.path());
  double seconds[2];
  for (const unsigned jobs : {1U, 2U}) {
    const auto begin = std::chrono::steady_clock::now();
    CHECK(run_sweep(sweep, fake(), quiet(folder / std::to_string(jobs), jobs)) == 0);
    seconds[jobs - 1] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  WARN(what << ": one process " << seconds[0] << " s, two " << seconds[1] << " s, ratio " << seconds[0] / seconds[1]);
  CHECK(seconds[0] / seconds[1] >= 1.8);
}

TEST_CASE("workers run side by side, in the folder of the sweep") {
  const Folder folder;
  WorkerPool pool;
  for (std::uint64_t i = 0; i < 4; ++i)
    pool.start(i, {"/bin/sh", "-c", "pwd >&2; sleep 0.4; exit " + std::to_string(i)}, folder.path(),
               folder / std::to_string(i));
  const auto begin = std::chrono::steady_clock::now();
  std::vector<bool> ended(4);
  for (int waits = 0; waits < 100 && pool.running() > 0; ++waits) {
    if (const auto end = pool.wait(1000)) {
      CHECK(static_cast<std::uint64_t>(end->code) == end->number);
      ended[end->number] = true;
    }
  }
  CHECK(ended == std::vector<bool>(4, true));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(1400));  // four one after the other: 1.6 s
  CHECK(content(folder / "3") == folder.path().string() + "\n");
}

TEST_CASE("a pool that is let go ends its workers") {
  const Folder folder;
  const auto begin = std::chrono::steady_clock::now();
  {
    WorkerPool pool;
    pool.start(0, {"/bin/sh", "-c", "trap '' TERM; sleep 60"}, folder.path(), folder / "error");
    CHECK_FALSE(pool.wait(50));
  }
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

}  // namespace
}  // namespace dpusim::sweep
