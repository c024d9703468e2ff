// Matches by hand, limits and errors of the regular-expression function.
#include "accel/regex/regex_timing.h"
#include "regex_bench.h"

using namespace regex_bench;

namespace {

constexpr std::uint8_t kOpen = ACCEL_FLAG_STREAM_OPEN, kEnd = ACCEL_FLAG_STREAM_END;

}  // namespace

TEST_CASE("Every end of a match is reported once, from its leftmost start, by end, rule and start") {
  Bench bench({"7 /aa/\n3 /a+/\n"});
  CHECK(bench.scan(text("aaa")) == Matches{{3, 0, 1}, {3, 0, 2}, {7, 0, 2}, {3, 0, 3}, {7, 1, 3}});
  CHECK(bench.scan(text("ab aab")) == Matches{{3, 0, 1}, {3, 3, 4}, {3, 3, 5}, {7, 3, 5}});
  CHECK(bench.scan({}).empty());
  CHECK(bench.scan(text("bbb")).empty());
  // All 256 octets are just octets.
  Octets all(256);
  for (unsigned i = 0; i < 256; ++i) all[i] = static_cast<std::uint8_t>(i);
  CHECK(bench.scan(all) == Matches{{3, 'a', 'a' + 1}});
}

TEST_CASE("Alternatives, gaps and overlaps of several rules") {
  Bench bench({"1 /foo.*bar/\n2 /bar|oba/\n3 /[0-9]{2,3}/\n"});
  // foobarbar: "oba" 2-5, "bar" 3-6 and 6-9, "foo...bar" 0-6 and 0-9.
  CHECK(bench.scan(text("foobarbar")) == Matches{{2, 2, 5}, {1, 0, 6}, {2, 3, 6}, {1, 0, 9}, {2, 6, 9}});
  // Ends 2, 3 and 4 of "1234": 12, 123 (leftmost), 234 (three digits at most).
  CHECK(bench.scan(text("1234")) == Matches{{3, 0, 2}, {3, 0, 3}, {3, 1, 4}});
}

TEST_CASE("Flags of rules") {
  SECTION("i ignores case") {
    Bench bench({"1 /abc/i\n2 /abc/\n"});
    CHECK(bench.scan(text("aBC")) == Matches{{1, 0, 3}});
  }
  SECTION("s lets the dot match a newline") {
    Bench bench({"1 /a.b/s\n2 /a.b/\n"});
    CHECK(bench.scan(text("a\nb")) == Matches{{1, 0, 3}});
  }
  SECTION("m anchors at lines") {
    Bench bench({"1 /^b/m\n2 /^b/\n3 /a$/m\n4 /a$/\n"});
    CHECK(bench.scan(text("a\nb")) == Matches{{3, 0, 1}, {1, 2, 3}});
    CHECK(bench.scan(text("b")) == Matches{{1, 0, 1}, {2, 0, 1}});
    // Without m, $ also stands before a newline that is the last octet, as in PCRE.
    CHECK(bench.scan(text("ba\n")) == Matches{{1, 0, 1}, {2, 0, 1}, {3, 1, 2}, {4, 1, 2}});
  }
  SECTION("H reports the first match only") {
    Bench bench({"1 /a+/H\n2 /b/\n"});
    CHECK(bench.scan(text("baab")) == Matches{{2, 0, 1}, {1, 1, 2}, {2, 3, 4}});
    CHECK(bench.scan(text("a")) == Matches{{1, 0, 1}});  // each buffer anew
    CHECK(bench.stream(text("baabaa"), {3}) == Matches{{2, 0, 1}, {1, 1, 2}, {2, 3, 4}});
    CHECK(bench.stream(text("ba"), {1}) == Matches{{2, 0, 1}, {1, 1, 2}});  // each stream anew
  }
  SECTION("a pattern that matches no octets is refused") {
    CHECK_THROWS_WITH(Bench({"1 /a*/\n"}), Catch::StartsWith("rules:1: found /a*/") && Catch::Contains("empty"));
  }
}

TEST_CASE("A stream cut anywhere gives the matches of the whole") {
  Bench bench({"1 /foo.*bar/\n2 /bar|oba/\n3 /[0-9]{2,3}x/\n4 /ab{3}a/\n"});
  const Octets source = text("xfoobarbar123x1x abbba44xabbbabbba");
  const Matches whole = bench.scan(source);
  CHECK(whole.size() == 10);  // 2 + 3 + 2 + 3, by rule
  for (std::size_t cut = 0; cut <= source.size(); ++cut) {
    CHECK(bench.stream(source, {cut}) == whole);
    CHECK(bench.stream(source, {cut, 1, 0, 2}) == whole);
  }
  CHECK(bench.stream(source, std::vector<std::size_t>(source.size(), 1)) == whole);
}

TEST_CASE("What only the end of a stream decides is reported when it ends") {
  Bench bench({"1 /abc$/\n2 /abc\\b/\n3 /abc/\n"});
  const auto piece = [&](const char* octets, std::uint8_t flags) {
    return matches(bench.run(stream_job(1, flags), text(octets)).output);
  };
  CHECK(piece("ab", kOpen).empty());
  CHECK(piece("c", 0) == Matches{{3, 0, 3}});
  CHECK(piece("", kEnd) == Matches{{1, 0, 3}, {2, 0, 3}});
  // A newline may be the last octet: rule 1 waits, with an end behind the stream's; a word's end is seen with the next
  // octet.
  CHECK(piece("abc", kOpen) == Matches{{3, 0, 3}});
  CHECK(piece("\n", 0) == Matches{{2, 0, 3}});
  CHECK(piece("", kEnd) == Matches{{1, 0, 3}});
  CHECK(piece("abc", kOpen) == Matches{{3, 0, 3}});
  CHECK(piece("d", kEnd).empty());
}

TEST_CASE("Starts of matches stay exact far behind the end") {
  // 70000 octets between both: beyond Vectorscan's small horizon of 2^16.
  Bench bench({"1 /begin[^z]*end/\n"});
  const Octets gap(70'000, 'x');
  CHECK(bench.stream(text("..begin"), {}) == Matches{});
  CHECK(bench.stream(text("..begin") + gap + text("end"), {3, 1'000, 60'000}) == Matches{{1, 2, 70'010}});
}

TEST_CASE("Room and parameter0 bound the report, and value counts all matches") {
  Bench bench({"1 /a/\n"});
  const Octets source(10, 'a');
  const auto report = [&](std::uint32_t most, std::size_t records) {
    return bench.run(scan_job(0, most), source, records);
  };
  CHECK(report(0, 10).status == ACCEL_STATUS_OK);
  const Outcome full = report(0, 9);
  CHECK(full.status == ACCEL_STATUS_OUTPUT_FULL);
  CHECK(full.output.size() == 9 * sizeof(AccelMatch));
  CHECK(matches(full.output).back() == Match{1, 8, 9});
  CHECK(full.value == 10);
  CHECK(report(0, 0).status == ACCEL_STATUS_OUTPUT_FULL);
  CHECK(report(0, 0).value == 10);
  const Outcome capped = report(4, 10);
  CHECK(capped.status == ACCEL_STATUS_OK);
  CHECK(capped.output.size() == 4 * sizeof(AccelMatch));
  CHECK(capped.value == 10);
  CHECK(report(4, 4).status == ACCEL_STATUS_OK);
  CHECK(report(4, 3).status == ACCEL_STATUS_OUTPUT_FULL);
  CHECK(report(11, 10).status == ACCEL_STATUS_OK);
  // Room for a part of a record is no room.
  const Outcome part = function_bench::run(bench.function, scan_job(), source, 2 * sizeof(AccelMatch) - 1);
  CHECK(part.output.size() == sizeof(AccelMatch));
  // What did not fit in a stream's report is lost, and the stream goes on.
  CHECK(bench.run(stream_job(0, kOpen), source, 1).status == ACCEL_STATUS_OUTPUT_FULL);
  CHECK(matches(bench.run(stream_job(0, kEnd), text("a"), 5).output) == Matches{{1, 10, 11}});
}

TEST_CASE("A job with too many matches fails and closes its stream") {
  dpusim::accel::RegexConfig config;
  config.most_matches = 10;
  Bench bench({"1 /a/\n2 /b/H\n"}, config);
  CHECK(bench.run(scan_job(), Octets(10, 'a')).status == ACCEL_STATUS_OK);
  const Outcome more = bench.run(scan_job(), Octets(11, 'a'));
  CHECK(more.status == ACCEL_STATUS_LIMIT);
  CHECK(more.output.empty());
  CHECK(bench.run(scan_job(), Octets(10, 'a') + Octets(50, 'c')).status == ACCEL_STATUS_OK);
  CHECK(bench.run(scan_job(), Octets(9, 'a') + Octets(50, 'b')).value == 10);  // one of rule 2

  CHECK(bench.run(stream_job(4, kOpen), Octets(10, 'a')).status == ACCEL_STATUS_OK);
  CHECK(bench.run(stream_job(4, 0), Octets(10, 'a')).status == ACCEL_STATUS_OK);  // each job anew
  CHECK(bench.run(stream_job(4, 0), Octets(11, 'a')).status == ACCEL_STATUS_LIMIT);
  CHECK(bench.function.open_streams() == 0);
  CHECK(bench.run(stream_job(4, 0), text("a")).status == ACCEL_STATUS_STREAM);
  CHECK(bench.run(stream_job(4, kOpen | kEnd), text("a")).status == ACCEL_STATUS_OK);

  // Matches at the end count too.
  Bench ends({"1 /a$/\n2 /a/\n3 /aa$/\n"}, config);
  CHECK(ends.run(stream_job(4, kOpen), Octets(9, 'a')).status == ACCEL_STATUS_OK);
  CHECK(ends.run(stream_job(4, kEnd), Octets(9, 'a')).status == ACCEL_STATUS_LIMIT);
  CHECK(ends.function.open_streams() == 0);
  CHECK(ends.stream(Octets(8, 'a'), {}).size() == 10);
}

TEST_CASE("Streams open, continue and end by the rules") {
  dpusim::accel::RegexConfig config;
  config.streams = 2;
  Bench bench({"1 /ab/\n", "9 /b/\n"}, config);
  const auto status = [&](std::uint16_t number, std::uint8_t flags) {
    return bench.run(stream_job(number, flags), text("ab")).status;
  };
  CHECK(status(0, 0) == ACCEL_STATUS_STREAM);
  CHECK(status(0, kEnd) == ACCEL_STATUS_STREAM);
  CHECK(status(0, kOpen) == ACCEL_STATUS_OK);
  CHECK(status(0, kOpen) == ACCEL_STATUS_STREAM);
  CHECK(status(0, kOpen | kEnd) == ACCEL_STATUS_STREAM);
  CHECK(status(0xffff, kOpen) == ACCEL_STATUS_OK);
  CHECK(status(1, kOpen) == ACCEL_STATUS_STREAM);  // none left
  CHECK(status(1, kOpen | kEnd) == ACCEL_STATUS_STREAM);
  CHECK(status(0, kEnd) == ACCEL_STATUS_OK);
  CHECK(status(1, kOpen | kEnd) == ACCEL_STATUS_OK);
  CHECK(bench.function.open_streams() == 1);
  // Streams do not see each other's octets, and each has its rule set.
  CHECK(bench.run(stream_job(1, kOpen), text("a")).value == 0);
  CHECK(bench.run(stream_job(0xffff, 0), text("b")).value == 0);
  CHECK(bench.run(stream_job(1, 0), text("b")).value == 1);
  CHECK(status(1, kEnd) == ACCEL_STATUS_OK);
  CHECK(matches(bench.run(stream_job(1, kOpen | kEnd, 1), text("b")).output) == Matches{{9, 0, 1}});
  // A reset closes all.
  bench.function.reset();
  CHECK(bench.function.open_streams() == 0);
  CHECK(status(0xffff, 0) == ACCEL_STATUS_STREAM);
  CHECK(status(0xffff, kOpen) == ACCEL_STATUS_OK);
}

TEST_CASE("Jobs of scanning that break a rule are refused before any octet moves") {
  Bench bench({"1 /a/\n", "1 /b/\n"});
  const auto status = [&](const AccelJob& job) {
    const Outcome outcome = bench.run(job, text("a"));
    return outcome.refused ? outcome.status : std::uint8_t{ACCEL_STATUS_OK};
  };
  CHECK(status(scan_job(1)) == ACCEL_STATUS_OK);
  CHECK(status(scan_job(2)) == ACCEL_STATUS_BAD_KEY);
  CHECK(status(stream_job(2, kOpen, 1)) == ACCEL_STATUS_OK);
  CHECK(status(stream_job(2, kOpen, 2)) == ACCEL_STATUS_BAD_KEY);
  CHECK(status(stream_job(2, 0, 1)) == ACCEL_STATUS_BAD_FLAGS);
  CHECK(status(stream_job(2, 4)) == ACCEL_STATUS_BAD_FLAGS);
  AccelJob job = scan_job();
  job.flags = kOpen;
  CHECK(status(job) == ACCEL_STATUS_BAD_FLAGS);
  job = scan_job();
  job.parameter1 = 1;
  CHECK(status(job) == ACCEL_STATUS_BAD_FLAGS);
  job = scan_job();
  job.aad_length = 1;
  CHECK(status(job) == ACCEL_STATUS_BAD_FLAGS);
  job = scan_job();
  job.iv[15] = 1;
  CHECK(status(job) == ACCEL_STATUS_BAD_FLAGS);
  job = scan_job();
  job.opcode = 0x32;
  CHECK(status(job) == ACCEL_STATUS_BAD_OPCODE);
  job = scan_job();
  job.source_length = ACCEL_MAX_JOB + 1;
  CHECK(bench.function.check(job) == ACCEL_STATUS_BAD_LENGTH);

  dpusim::accel::RegexConfig config;
  config.streams = 0;
  Bench without({"1 /a/\n"}, config);
  CHECK(without.run(stream_job(0, kOpen), text("a")).status == ACCEL_STATUS_BAD_OPCODE);
  CHECK(without.scan(text("a")) == Matches{{1, 0, 1}});
  Bench empty(std::vector<std::string>{});
  CHECK(empty.run(scan_job(), text("a")).status == ACCEL_STATUS_BAD_KEY);
}

TEST_CASE("Rule files are read, and each mistake names its line") {
  const auto rules = dpusim::accel::parse_rules("# comment\n\n  10 /a\\/b/\r\n4294967295\t/x#y/imsH  \n0 /last/", "f");
  REQUIRE(rules.size() == 3);
  CHECK(rules[0].number == 10);
  CHECK(rules[0].pattern == "a\\/b");
  CHECK_FALSE(rules[0].ignore_case);
  CHECK(rules[1].number == 0xffffffff);
  CHECK(rules[1].pattern == "x#y");
  CHECK((rules[1].ignore_case && rules[1].multi_line && rules[1].dot_all && rules[1].single_match));
  CHECK(rules[2].place == "f:5");

  const auto complains = [](const std::string& content, const std::string& message) {
    CHECK_THROWS_WITH(dpusim::accel::parse_rules(content, "f"), message);
  };
  const std::string form = "a rule: number /pattern/flags, or # and a comment";
  const std::string flags = "of the flags i, s, m, H each at most once";
  complains("", "f: found no rule, expected " + form);
  complains("# only\n", "f: found no rule, expected " + form);
  complains("1 /a/\n/b/\n", "f:2: found \"/b/\", expected " + form);
  complains("-1 /a/", "f:1: found \"-1 /a/\", expected " + form);
  complains("1/a/", "f:1: found \"1/a/\", expected " + form);
  complains("1 a", "f:1: found \"1 a\", expected " + form);
  complains("1 /a", "f:1: found \"1 /a\", expected " + form);
  complains("1", "f:1: found \"1\", expected " + form);
  complains("1 //", "f:1: found an empty pattern, expected " + form);
  complains("4294967296 /a/", "f:1: found \"4294967296\", expected a rule number of 0 to 4294967295");
  complains("1 /a/x", "f:1: found flag \"x\", expected " + flags);
  complains("1 /a/ii", "f:1: found flag \"i\" twice, expected " + flags);
  complains("1 /a/\n2 /b/\n1 /c/", "f:3: found number 1, which f:1 has, expected a number of its own for each rule");
  complains(std::string("1 /a\0b/", 7), "f:1: found an octet 0, expected \\x00 in its place");
  CHECK_THROWS_WITH(dpusim::accel::read_rules("/nonexistent"),
                    "/nonexistent: found no readable file, expected a rule file");
  CHECK_THROWS_WITH(dpusim::accel::read_rules("/"), "/: found no readable file, expected a rule file");

  // What Vectorscan cannot do is told with the rule's line.
  CHECK_THROWS_WITH(Bench({"1 /a/\n2 /(b/\n"}), Catch::StartsWith("rules:2: found /(b/, of which Vectorscan says"));
  CHECK_THROWS_WITH(Bench({"1 /a/\n# x\n5 /(a)\\1/\n"}), Catch::StartsWith("rules:3: found /(a)\\1/"));
  const Folder folder;
  folder.write("rules.txt", text("3 /abc/\n"));
  CHECK(dpusim::accel::read_rules(folder.file("rules.txt"))[0].place == folder.file("rules.txt") + ":1");
}

TEST_CASE("A match is found wherever its octets lie") {
  Bench bench({"1 /a+/\n2 /[ab]c.*d/s\n3 /b([e-h]){2,}/\n"});
  const Octets hits[] = {text("a"), text("ac--d"), text("bfg")};
  const std::size_t expected[] = {1, 2, 1};  // "a" of the second is rule 1's as well
  for (std::size_t kind = 0; kind < 3; ++kind) {
    for (std::size_t at = 0; at < 300; at += kind + 1) {
      // The same octets at each alignment in memory.
      Octets memory(64 + 400, 'x');
      const std::size_t shift = at % 64;
      std::copy(hits[kind].begin(), hits[kind].end(), memory.begin() + static_cast<std::ptrdiff_t>(shift + at));
      AccelJob job = scan_job();
      job.source_length = 400;
      job.destination_length = 240;
      Octets out(240);
      CHECK(bench.function.run(job, std::span(memory).subspan(shift, 400), out).value == expected[kind]);
    }
  }
}

TEST_CASE("Rates of scanning: octets and matches") {
  using dpusim::Time;
  const dpusim::accel::RegexConfig config;  // 1 GHz, 3.125 octets a cycle: two engines are 50 Gb/s
  const dpusim::accel::RegexTiming timing(config);
  CHECK(timing.service(scan_job(), 3'125, 0) == Time(1'000'000));
  CHECK(timing.service(scan_job(), 3'126, 0) == Time(1'001'000));
  CHECK(timing.service(scan_job(), 3'125, 10 * sizeof(AccelMatch)) == Time(1'010'000));
  CHECK(static_cast<double>(config.engines) * config.octets_per_cycle * 8 == 50);
}
