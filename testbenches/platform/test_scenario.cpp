#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include "platform/scenario.h"

using namespace dpusim;
using namespace dpusim::platform;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

/// A folder that goes away.
struct Folder {
  Folder() : path(fs::temp_directory_path() / fs::path("dpusim-scenario-" + std::to_string(getpid()))) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
  fs::path path;
};

Scenario read(const std::string& json, const std::vector<std::string>& overrides = {}) {
  const Folder folder;
  return read_scenario(folder.write("s.json", json), overrides);
}

}  // namespace

TEST_CASE("a scenario is read whole") {
  const Scenario s = read(R"({"name": "x", "arguments": "cores=2", "set": {"cpu.cores": 4, "p0.rate": "25Gb/s"},
    "receive": {"p0": {"generate": {"size": "128B", "frames": 5}}, "p1": {"capture": "in.pcap", "speed": "line-rate", "loop": 3}},
    "transmit": {"p1": "out.pcapng"}, "programs": {"host": [{"type": "receive"}]}, "start": "1ms", "until": "2ms", "seed": 7})");
  CHECK(s.arguments == "cores=2");
  CHECK(s.overrides == std::vector<std::string>{"cpu.cores=4", "p0.rate=25Gb/s"});
  REQUIRE(s.receive.size() == 2);
  CHECK(s.receive[0].generate.size == Bytes(128));
  CHECK(s.receive[0].capture.empty());
  CHECK(s.receive[1].capture == "in.pcap");
  CHECK(s.receive[1].line_rate);
  CHECK(s.receive[1].loops == 3);
  CHECK(s.transmit == std::vector<std::pair<std::string, std::string>>{{"p1", "out.pcapng"}});
  REQUIRE(s.programs.size() == 1);
  CHECK(s.programs[0].first == "host");
  CHECK(s.start == Time(1'000'000'000));
  CHECK(s.until == Time(2'000'000'000));
  CHECK(s.seed == 7U);
  CHECK_FALSE(s.grace);
}

TEST_CASE("overrides change a scenario, or make one") {
  CHECK(read(R"({"receive": {"p0": {"generate": {"size": "64B"}}}})", {"receive.p0.generate.size=1518B"})
            .receive[0]
            .generate.size == Bytes(1518));
  CHECK(read_scenario("", {"receive.p0.generate.frames=3"}).receive[0].generate.frames == 3);
}

TEST_CASE("files are looked for beside the scenario") {
  const Folder folder;
  const std::string capture = folder.write("in.pcap", "x");
  folder.write("table.conf", "x");
  const Scenario s = read_scenario(
      folder.write(
          "s.json",
          R"({"receive": {"p0": {"capture": "in.pcap"}}, "files": ["table.conf=l3fwd.conf", "elsewhere.conf"]})"),
      {});
  CHECK(s.receive[0].capture == capture);
  CHECK(s.files == std::vector<std::string>{(folder.path / "table.conf").string() + "=l3fwd.conf", "elsewhere.conf"});
}

TEST_CASE("a mistake is told with its place and what was expected") {
  CHECK_THROWS_WITH(read(R"({"recieve": {}})"), Contains("scenario.recieve") && Contains("receive"));
  CHECK_THROWS_WITH(read(R"({"receive": {"p0": {}}})"), Contains("scenario.receive.p0") && Contains("neither"));
  CHECK_THROWS_WITH(read(R"({"receive": {"p0": {"capture": "a", "generate": {}}}})"), Contains("both"));
  CHECK_THROWS_WITH(read(R"({"receive": {"p0": {"generate": {}, "loop": 2}}})"), Contains("scenario.receive.p0.loop"));
  CHECK_THROWS_WITH(read(R"({"receive": {"p0": {"generate": {"sise": 64}}}})"),
                    Contains("scenario.receive.p0.generate") && Contains("size"));
  CHECK_THROWS_WITH(read(R"({"until": "0ms"})"), Contains("scenario.until"));
  CHECK_THROWS_WITH(read(R"({"cables": [["p0", "p0"]]})"),
                    Contains("scenario.cables[0]") && Contains("two different ports"));
  CHECK_THROWS_WITH(read(R"({"programs": {"host": {}}})"), Contains("scenario.programs.host"));
  CHECK_THROWS_WITH(read(R"({"fidelity": "exact"})"), Contains("scenario.fidelity"));
  CHECK_THROWS_WITH(read(R"({"firmware": [1]})"), Contains("scenario.firmware[0]"));
}

TEST_CASE("firmware is found by name where images are, and keeps its address") {
  const Folder folder;
  folder.write("boot.elf", "x");
  setenv("DPUSIM_FIRMWARE", folder.path.c_str(), 1);
  CHECK(find_firmware("boot") == (folder.path / "boot.elf").string());
  CHECK(find_firmware("boot.elf") == (folder.path / "boot.elf").string());
  CHECK(find_firmware("boot@0x40000000") == (folder.path / "boot.elf").string() + "@0x40000000");
  CHECK(find_firmware("no-such-image") == "no-such-image");
  CHECK(find_firmware("./boot") == "./boot");
  unsetenv("DPUSIM_FIRMWARE");
}
