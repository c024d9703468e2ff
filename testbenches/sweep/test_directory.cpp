#include <catch2/catch.hpp>

#include "sweep/sweep_directory.h"
#include "sweep_bench.h"

namespace dpusim::sweep {
namespace {

using namespace test;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json marker(const std::string& inputs) { return {{"inputs", inputs}, {"results", Json::object()}}; }
std::string refusal(const fs::path& path, bool resume = false) {
  return error_of([&] { const SweepDirectory directory(path, resume); });
}

TEST_CASE("a directory with other files is refused and left alone") {
  const Folder folder;
  std::ofstream(folder / "mine.txt") << "mine";
  CHECK_THAT(refusal(folder.path()), Catch::Contains("a directory with other files"));
  CHECK_THAT(refusal(folder.path(), true), Catch::Contains("a directory with other files"));
  CHECK_THAT(refusal(folder / "mine.txt"), Catch::Contains("a file"));
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("an earlier sweep that has ended is replaced when a point is done, not before") {
  const Folder folder;
  const fs::path out = folder / "out";
  {
    SweepDirectory directory(out, false);
    directory.make_point("0001");
    directory.write("results.json", "first");
  }
  {
    SweepDirectory directory(out, false);  // fails before a point is done
    directory.make_point("0001");
    CHECK_FALSE(fs::exists(out / "results.json"));
  }
  CHECK(content(out / "results.json") == "first");
  {
    SweepDirectory directory(out, false);
    directory.make_point("0001");
    directory.keep();
  }
  CHECK_FALSE(fs::exists(out / "results.json"));
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("an earlier sweep that has not ended needs --resume") {
  const Folder folder;
  {
    SweepDirectory directory(folder / "out", false);
    directory.make_point("0001");
    directory.mark("0001", marker("a"));
  }
  CHECK_THAT(refusal(folder / "out"), Catch::Contains("has not ended") && Catch::Contains("--resume"));
  const SweepDirectory again(folder / "out", true);
  CHECK(again.marker("0001").value()["inputs"] == "a");
}

TEST_CASE("a sweep set aside by one that was killed comes back") {
  const Folder folder;
  fs::create_directories(folder / ".out.earlier");
  std::ofstream(folder / ".out.earlier/sweep.json") << "{}";
  std::ofstream(folder / ".out.earlier/results.json") << "first";
  fs::create_directories(folder / "out/points/0001");
  { const SweepDirectory directory(folder / "out", true); }
  CHECK(content(folder / "out/results.json") == "first");
  CHECK_FALSE(fs::exists(folder / ".out.earlier"));
}

TEST_CASE("two sweeps do not share a directory") {
  const Folder folder;
  const SweepDirectory directory(folder / "out", false);
  directory.make_point("0001");
  CHECK_THAT(refusal(folder / "out", true), Catch::Contains("another sweep"));
}

TEST_CASE("a directory in which nothing was run is removed again") {
  const Folder folder;
  { const SweepDirectory directory(folder / "out", false); }
  CHECK_FALSE(fs::exists(folder / "out"));
  fs::create_directories(folder / "empty");
  { const SweepDirectory directory(folder / "empty/", false); }
  CHECK(fs::is_empty(folder / "empty"));
}

TEST_CASE("a marker that is not whole counts as none") {
  const Folder folder;
  const SweepDirectory directory(folder / "out", false);
  for (const char* text : {"", "{\"inputs\": \"a\", \"resul", "[]", "{\"inputs\": 4, \"results\": {}}"}) {
    std::ofstream(directory.make_point("0001") / "point.json") << text;
    CHECK_FALSE(directory.marker("0001"));
  }
  directory.mark("0001", marker("a"));
  CHECK(directory.marker("0001"));
}

TEST_CASE("done points move to the numbers at which they are wanted, others go") {
  const Folder folder;
  SweepDirectory directory(folder / "out", false);
  for (const char* name : {"0001", "0002", "0003", "0004"}) {
    directory.make_point(name);
    directory.mark(name, marker(std::string("inputs of ") + name));
  }
  directory.make_point("0005");  // not done
  fs::rename(directory.point("0004"),
             directory.point(".inputs of 0004"));  // as a sweep killed while it moved leaves it
  directory.arrange({{"0001", "inputs of 0002"},
                     {"0002", "inputs of 0001"},
                     {"0003", "inputs of 0003"},
                     {"0007", "inputs of 0004"},
                     {"0008", "new"}});
  CHECK(directory.marker("0001").value()["inputs"] == "inputs of 0002");
  CHECK(directory.marker("0002").value()["inputs"] == "inputs of 0001");
  CHECK(directory.marker("0003").value()["inputs"] == "inputs of 0003");
  CHECK(directory.marker("0007").value()["inputs"] == "inputs of 0004");
  CHECK(std::distance(fs::directory_iterator(directory.path() / "points"), {}) == 4);
  directory.arrange({{"0001", "inputs of 0003"}});
  CHECK(directory.marker("0001").value()["inputs"] == "inputs of 0003");
  CHECK(std::distance(fs::directory_iterator(directory.path() / "points"), {}) == 1);
}

}  // namespace
}  // namespace dpusim::sweep
