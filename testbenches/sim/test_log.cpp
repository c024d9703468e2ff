// sim/log.h.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/error.h"
#include "sim/log.h"

using namespace dpusim;
using namespace dpusim::literals;

namespace {

struct Capture {
  Time time;
  std::vector<std::pair<LogLevel, std::string>> lines;
  Log log{[this](LogLevel level, const std::string& line) { lines.emplace_back(level, line); },
          [this] { return time; }};
};

}  // namespace

TEST_CASE("a line has time, instance, level and message") {
  Capture capture;
  capture.time = Time(12'500'000);
  const Logger logger(capture.log, "uart0");
  logger(LogLevel::kWarning, "{} octets lost", 3);
  logger(LogLevel::kError, "gone");
  REQUIRE(capture.lines.size() == 2);
  CHECK(capture.lines[0] ==
        std::pair<LogLevel, std::string>{LogLevel::kWarning, "12.500 us uart0 warning: 3 octets lost"});
  CHECK(capture.lines[1] == std::pair<LogLevel, std::string>{LogLevel::kError, "12.500 us uart0 error: gone"});
}

TEST_CASE("warnings show and information does not, unless asked for") {
  Capture capture;
  const Logger quiet(capture.log, "nic");
  CHECK(quiet.enabled(LogLevel::kError));
  CHECK(quiet.enabled(LogLevel::kWarning));
  CHECK_FALSE(quiet.enabled(LogLevel::kInfo));
  quiet(LogLevel::kInfo, "hidden");
  CHECK(capture.lines.empty());
  capture.log.set_level(LogLevel::kTrace);
  const Logger loud(capture.log, "nic");
  CHECK(loud.enabled(LogLevel::kTrace));
}

TEST_CASE("the longest matching instance prefix sets the level") {
  Capture capture;
  capture.log.set_level(LogLevel::kError);
  capture.log.set_level("cpu", LogLevel::kInfo);
  capture.log.set_level("cpu.core3", LogLevel::kTrace);
  CHECK(capture.log.level("nic") == LogLevel::kError);
  CHECK(capture.log.level("cpu") == LogLevel::kInfo);
  CHECK(capture.log.level("cpu.core1") == LogLevel::kInfo);
  CHECK(capture.log.level("cpu.core3") == LogLevel::kTrace);
  CHECK(capture.log.level("cpu.core3.l1d") == LogLevel::kTrace);
  CHECK(capture.log.level("cpu.core31") == LogLevel::kInfo);  // another instance, not below core3
  CHECK(capture.log.level("cpux") == LogLevel::kError);
}

TEST_CASE("once is once for each instance and key") {
  Capture capture;
  const Logger a(capture.log, "a"), b(capture.log, "b");
  for (int i = 0; i < 3; ++i) {
    a.once(LogLevel::kWarning, "opcode 1", "no {}", 1);
    a.once(LogLevel::kWarning, "opcode 2", "no {}", 2);
    b.once(LogLevel::kWarning, "opcode 1", "no {}", 1);
  }
  REQUIRE(capture.lines.size() == 3);
  CHECK(capture.lines[2].second == "0.000 us b warning: no 1");
}

TEST_CASE("warnings and errors are counted, information is not") {
  Capture capture;
  capture.log.set_level(LogLevel::kTrace);
  const Logger logger(capture.log, "x");
  CHECK(capture.log.warnings() == 0);
  logger(LogLevel::kInfo, "i");
  logger(LogLevel::kDebug, "d");
  CHECK(capture.log.warnings() == 0);
  logger(LogLevel::kWarning, "w");
  logger(LogLevel::kError, "e");
  CHECK(capture.log.warnings() == 2);
  CHECK(capture.lines.size() == 4);
}

TEST_CASE("level names are read, and others refused with the list") {
  CHECK(parse_log_level("error") == LogLevel::kError);
  CHECK(parse_log_level("warning") == LogLevel::kWarning);
  CHECK(parse_log_level("info") == LogLevel::kInfo);
  CHECK(parse_log_level("debug") == LogLevel::kDebug);
  CHECK(parse_log_level("trace") == LogLevel::kTrace);
  CHECK_THROWS_WITH(parse_log_level("warn"),
                    "log level: found \"warn\", expected one of error, warning, info, debug, trace");
  CHECK_THROWS_AS(parse_log_level("Error"), ConfigError);
}
