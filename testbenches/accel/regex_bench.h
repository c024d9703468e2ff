// A regular-expression function, its jobs, and what it reports as numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "accel/regex/regex_function.h"
#include "function_bench.h"

namespace regex_bench {

using namespace function_bench;

/// Rule, from, to.
using Match = std::array<std::uint64_t, 3>;
using Matches = std::vector<Match>;

inline Matches matches(const Octets& records) {
  Matches list;
  for (std::size_t at = 0; at < records.size(); at += sizeof(AccelMatch)) {
    AccelMatch match;
    std::memcpy(&match, records.data() + at, sizeof match);
    REQUIRE(match.flags == 0);
    list.push_back({match.rule, match.from, match.to});
  }
  return list;
}
inline bool in_order(const Matches& list) {
  const auto key = [](const Match& match) { return std::array{match[2], match[0], match[1]}; };
  return std::is_sorted(list.begin(), list.end(), [&](const Match& a, const Match& b) { return key(a) < key(b); });
}

inline AccelJob scan_job(std::uint16_t set = 0, std::uint32_t most = 0) {
  AccelJob job{};
  job.opcode = ACCEL_OP_REGEX_SCAN;
  job.key = set;
  job.parameter0 = most;
  return job;
}
inline AccelJob stream_job(std::uint16_t stream, std::uint8_t flags, std::uint32_t set = 0) {
  AccelJob job{};
  job.opcode = ACCEL_OP_REGEX_STREAM;
  job.key = stream;
  job.flags = flags;
  job.parameter1 = set;
  return job;
}

inline std::vector<std::vector<dpusim::accel::Rule>> sets(const std::vector<std::string>& texts) {
  std::vector<std::vector<dpusim::accel::Rule>> sets;
  for (const std::string& text : texts) sets.push_back(dpusim::accel::parse_rules(text, "rules"));
  return sets;
}

struct Bench {
  explicit Bench(const std::vector<std::string>& rules, const dpusim::accel::RegexConfig& config = {})
      : function(config, sets(rules)) {}
  Outcome run(const AccelJob& job, const Octets& source, std::size_t records = 4'096) {
    return function_bench::run(function, job, source, records * sizeof(AccelMatch));
  }
  Matches scan(const Octets& source, std::uint16_t set = 0) {
    const Outcome outcome = run(scan_job(set), source, 65'536);
    CHECK(outcome.status == ACCEL_STATUS_OK);
    CHECK(outcome.consumed == source.size());
    Matches list = matches(outcome.output);
    CHECK(outcome.value == list.size());
    CHECK(in_order(list));
    return list;
  }
  /// Scans a stream in pieces of the given sizes and the rest. @return all reports, one behind the other.
  Matches stream(const Octets& source, const std::vector<std::size_t>& sizes, std::uint16_t number = 5) {
    Matches all;
    std::size_t at = 0;
    for (std::size_t i = 0; i <= sizes.size(); ++i) {
      const std::size_t size = i < sizes.size() ? std::min(sizes[i], source.size() - at) : source.size() - at;
      const auto begin = source.begin() + static_cast<std::ptrdiff_t>(at);
      const Octets piece(begin, begin + static_cast<std::ptrdiff_t>(size));
      at += size;
      const unsigned flags =
          (i == 0 ? unsigned{ACCEL_FLAG_STREAM_OPEN} : 0U) | (i == sizes.size() ? unsigned{ACCEL_FLAG_STREAM_END} : 0U);
      const Outcome outcome = run(stream_job(number, static_cast<std::uint8_t>(flags)), piece, 65'536);
      CHECK(outcome.status == ACCEL_STATUS_OK);
      const Matches list = matches(outcome.output);
      CHECK(in_order(list));
      all.insert(all.end(), list.begin(), list.end());
    }
    return all;
  }
  dpusim::accel::RegexFunction function;
};

}  // namespace regex_bench
