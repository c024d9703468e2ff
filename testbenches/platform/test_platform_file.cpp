#include "platform/platform_file.h"

#include "platform_bench.h"

using namespace dpusim;
using namespace dpusim::test;
using platform::read_platform;

namespace {

std::string error(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const Folder folder;
  const std::string file = folder.write("p.json", text);
  return error_of([&] { read_platform(file, overrides); });
}

}  // namespace

TEST_CASE("extends merges block by block, and null takes a block away") {
  const Folder folder;
  folder.write(
      "base.json",
      R"({"name": "base", "blocks": {"a": {"type": "ram", "capacity": "1KiB", "latency": "1ns"}, "b": {"type": "ram"}}})");
  const auto p = read_platform(
      folder.write(
          "top.json",
          R"({"extends": "base.json", "blocks": {"a": {"capacity": "2KiB"}, "b": null, "c": {"type": "ddr"}}})"),
      {});
  CHECK(p.name == "base");
  REQUIRE(p.blocks.size() == 2);
  CHECK(p.blocks[0].parameters.dump() == R"({"capacity":"2KiB","latency":"1ns"})");
  CHECK(p.blocks[1].name == "c");
  CHECK(p.blocks[1].path == "blocks.c");
}

TEST_CASE("overrides start at a block or at a key of the root, and references follow them") {
  const Folder folder;
  const std::string file = folder.write(
      "p.json",
      R"({"blocks": {"a": {"type": "ram", "n": {"value": 4, "source": "s"}}, "b": {"type": "ram", "m": "${a.n}"}}})");
  CHECK(read_platform(file, {}).blocks[1].parameters.at("m") == 4);
  CHECK(read_platform(file, {"a.n=7"}).blocks[1].parameters.at("m") == 7);
  CHECK(read_platform(file, {"blocks.a.n=8"}).blocks[1].parameters.at("m") == 8);
  CHECK(read_platform(file, {"name=other"}).name == "other");
  CHECK(read_platform(file, {}).name == "p");
  CHECK_THAT(error_of([&] { read_platform(file, {"aa.n=7"}); }), Contains("--set aa.n=7: found no block \"aa\""));
}

TEST_CASE("what is wrong with a platform file is told with its JSON path") {
  CHECK_THAT(error(R"({"blocks": {"a": {"type": "ram", "m": "${b.n}"}}})"), Contains("blocks.a.m: found \"${b.n}\""));
  CHECK_THAT(error(R"({"blocks": {"a": {"type": "ram", "x": 1, "m": "${a.n}", "n": "${a.x}"}}})"),
             Contains("blocks.a.m") && Contains("not to another reference"));
  CHECK_THAT(error(R"({"blocks": {"a.b": {"type": "ram"}}})"), Contains("the name \"a.b\""));
  CHECK_THAT(error(R"({"blocks": {"": {"type": "ram"}}})"), Contains("the name \"\""));
  CHECK_THAT(error(R"({"blocks": {"a": {}}})"), Contains("blocks.a: found no \"type\""));
  CHECK_THAT(error(R"({"blocks": {"a": 3}})"), Contains("blocks.a: found 3"));
  CHECK_THAT(error(R"({"blocks": {"a": {"type": 3}}})"), Contains("blocks.a.type: found 3"));
  CHECK_THAT(error(R"({"blocks": {"a": {"type": "ram", "connect": []}}})"), Contains("blocks.a.connect"));
  CHECK_THAT(error(R"({"blocks": {}})"), Contains("blocks: found none"));
  CHECK_THAT(error(R"({"block": {}})"), Contains("unknown key \"block\"") && Contains("blocks"));
}

TEST_CASE("an unknown platform is told with the shipped ones") {
  CHECK_THAT(error_of([] { platform::find_platform("bluefeld2"); }),
             Contains("\"bluefeld2\"") && Contains("bluefield2"));
}
