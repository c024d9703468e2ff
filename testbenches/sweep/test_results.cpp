#include <catch2/catch.hpp>

#include "sweep/page.h"
#include "sweep/results.h"
#include "sweep/sweep_progress.h"
#include "sweep_bench.h"

namespace dpusim::sweep {
namespace {

using namespace test;
using Json = nlohmann::ordered_json;

SweepFile sweep() {
  return sweep_of(
      R"({"name": "</script><script>alert(1)</script> & \"more\"", "description": "<b>bold</b>", "platform": "x",
    "axes": [{"name": "A, \"b\"", "path": "a.b", "values": ["<i>", "1,5"]}],
    "measures": [{"name": "M", "unit": "Gb/s", "rate": "r"}, {"name": "N", "total": "t"}]})");
}
std::vector<PointResult> results() {
  PointResult done, failed;
  done.status = PointResult::Status::kDone;
  done.reason = "ended";
  done.measured = {{12.5, std::nullopt}, {"ddr.bus", 0.97, true, "full </script>"}};
  failed.status = PointResult::Status::kFailed;
  failed.exit_code = 2;
  failed.reason = "found \"x\", expected\ny </script> \xff";
  return {done, failed};
}
const SweepFacts kFacts{"1.2", "7", "approximate"};

/// Returns what stands between the data element's tags.
std::string data_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(open) + open.size();
  return page.substr(from, page.find("</script>", from) - from);
}

TEST_CASE("the table quotes as RFC 4180 says, and leaves gaps for what was not measured") {
  CHECK(results_csv(sweep(), results()) ==
        "point,\"A, \"\"b\"\"\",M (Gb/s),N,bottleneck,occupancy,saturated,status,reason\r\n"
        "1,<i>,12.5,,ddr.bus,0.97,yes,done,ended\r\n"
        "2,\"1,5\",,,,,,failed,\"found \"\"x\"\", expected\ny </script> \xff\"\r\n");
}

TEST_CASE("the results name everything that was swept, measured and found") {
  const Json json = results_json(sweep(), kFacts, results());
  CHECK(json["schema"] == Json({{"name", "dpusim-sweep-results"}, {"version", 1}}));
  CHECK(json["seed"] == "7");
  CHECK(json["axes"][0]["values"][1] == Json({{"label", "1,5"}, {"number", nullptr}, {"set", {"a.b=1,5"}}}));
  CHECK(json["points"][0]["measures"] == Json({{"M", 12.5}, {"N", nullptr}}));
  CHECK(json["points"][0]["bottleneck"]["saturated"] == true);
  CHECK(json["points"][1]["exit_code"] == 2);
  CHECK_FALSE(json["points"][1].contains("measures"));
}

TEST_CASE("no text of a sweep ends a script or makes an element") {
  const std::string page = page_html(sweep(), kFacts, results());
  CHECK(page.find("<script>alert") == std::string::npos);
  CHECK(page.find("<b>bold") == std::string::npos);
  CHECK(page.find("<i>") == std::string::npos);
  CHECK(page.find("<title>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;more&quot;</title>") !=
        std::string::npos);
  std::size_t ends = 0;
  for (std::size_t at = page.find("</script"); at != std::string::npos; at = page.find("</script", at + 1)) ++ends;
  CHECK(ends == 3);  // data, Chart.js, the page's own
  const Json data = Json::parse(data_of(page));
  CHECK(data["name"] == "</script><script>alert(1)</script> & \"more\"");
  CHECK(data["points"][0] == Json({"done", "", {12.5, nullptr}, {"ddr.bus", 0.97, true, "full </script>"}}));
  CHECK(data["points"][1][1] == "found \"x\", expected\ny </script> \xEF\xBF\xBD");
}

TEST_CASE("what looks like a place of the frame stays text") {
  SweepFile file = sweep();
  file.name = "@@DATA@@ @@NOTHING@@";
  const std::string page = page_html(file, kFacts, results());
  CHECK(page.find("<title>@@DATA@@ @@NOTHING@@</title>") != std::string::npos);
}

TEST_CASE("the page has the chart library with its licence inside, and loads nothing") {
  const std::string page = page_html(sweep(), kFacts, results());
  CHECK(page.find("Chart.js v3") != std::string::npos);
  CHECK(page.find("Permission is hereby granted, free of charge") != std::string::npos);
  for (const char* outside : {" src=", "<link", "@import", "url(http", "fetch(", "XMLHttpRequest"})
    CHECK(page.find(outside) == std::string::npos);
}

TEST_CASE("bars and times read as people write them") {
  CHECK(bar(0, 4) == "[....]");
  CHECK(bar(0.5, 4) == "[##..]");
  CHECK(bar(0.99, 4) == "[###.]");
  CHECK(bar(1, 4) == "[####]");
  CHECK(short_time(0.2) == "1 s");
  CHECK(short_time(59) == "59 s");
  CHECK(short_time(61) == "2 min");
  CHECK(short_time(3 * 3600 + 4.5 * 60) == "3 h 05 min");
}

}  // namespace
}  // namespace dpusim::sweep
