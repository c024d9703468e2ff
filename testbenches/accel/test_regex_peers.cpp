// Random patterns and texts: what Python's re finds in every substring.
#include <fstream>
#include <sstream>

#include "regex_bench.h"
#include "sim/error.h"

using namespace regex_bench;

namespace {

/// A random pattern over a, b and c, without assertions.
std::string pattern(Random& random, unsigned depth) {
  static const char* const kAtoms[] = {"a", "b", "c", ".", "[ab]", "[^a]", "ab", "ca"};
  std::string result;
  for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
    std::string atom =
        depth > 0 && random.below(3) == 0 ? "(" + pattern(random, depth - 1) + ")" : kAtoms[random.below(8)];
    if (random.below(3) == 0) {
      static const char* const kRepeats[] = {"*", "+", "?", "{2}", "{1,3}", "{2,}"};
      atom = "(" + atom + ")" + kRepeats[random.below(6)];
    }
    result += atom;
  }
  if (depth > 0 && random.below(4) == 0) result += "|" + pattern(random, depth - 1);
  return result;
}

std::vector<std::size_t> cuts(Random& random, std::size_t size) {
  std::vector<std::size_t> sizes;
  for (std::uint64_t n = random.below(6); n > 0; --n) sizes.push_back(random.below(size / 2 + 1));
  return sizes;
}

}  // namespace

TEST_CASE("Python's re matches what is reported, and streams report the same") {
  Random random(21);
  const Folder folder;
  // Vectorscan takes patterns one by one or refuses them; those that match nothing at all need V and are left out.
  std::vector<std::string> patterns, texts;
  while (patterns.size() < 150) {
    const std::string candidate = pattern(random, 2);
    try {
      Bench probe({"1 /" + candidate + "/s\n"});
      patterns.push_back(candidate);
    } catch (const dpusim::ConfigError&) {
    }
  }
  for (unsigned i = 0; i < 6; ++i) {
    std::string line;
    for (std::uint64_t n = 1 + random.below(22); n > 0; --n) line += static_cast<char>('a' + random.below(3));
    texts.push_back(line);
  }
  std::string rules, lines;
  for (std::size_t i = 0; i < patterns.size(); ++i) rules += std::to_string(i) + " /" + patterns[i] + "/s\n";
  for (const std::string& line : texts) lines += line + "\n";
  folder.write("rules", text(rules));
  folder.write("texts", text(lines));
  folder.write("peer.py", text("import re\n"
                               "rules=[l.split(' ',1) for l in open('rules').read().splitlines()]\n"
                               "out=open('matches','w')\n"
                               "for t,s in enumerate(open('texts').read().splitlines()):\n"
                               "  for to in range(1,len(s)+1):\n"
                               "    for number,p in rules:\n"
                               "      r=re.compile(p[1:-2],re.S)\n"
                               "      for at in range(to+1):\n"
                               "        if r.fullmatch(s,at,to):\n"
                               "          print(t,number,at,to,file=out); break\n"));
  REQUIRE(folder.shell("python3 peer.py") == 0);
  std::vector<Matches> expected(texts.size());
  std::ifstream in(folder.file("matches"));
  for (std::size_t t = 0, rule = 0, from = 0, to = 0; in >> t >> rule >> from >> to;) {
    expected[t].push_back({rule, from, to});
  }
  Bench bench({rules});
  std::size_t total = 0;
  for (std::size_t t = 0; t < texts.size(); ++t) {
    CHECK(bench.scan(text(texts[t])) == expected[t]);
    CHECK(bench.stream(text(texts[t]), cuts(random, texts[t].size())) == expected[t]);
    total += expected[t].size();
  }
  CHECK(total > 1'000);
}

TEST_CASE("Streams of any sizes report what the buffer does") {
  Random random(22);
  std::string rules = "900 /word[a-f]{2,9}/H\n901 /ab.{3,40}cd/s\n902 /[^a]{12}bb/s\n903 /fee|fade|deaf/i\n";
  for (unsigned i = 0; i < 40; ++i)
    rules +=
        std::to_string(i) + " /" + "abc[def]{1,4}" + static_cast<char>('a' + i % 6) + std::string(i / 6, 'f') + "/\n";
  Bench bench({rules});
  std::size_t found = 0;
  for (const std::size_t size : {0, 1, 15, 16, 17, 63, 64, 65, 1'000, 4'097, 30'001, 120'001}) {
    const Octets source = random.words(size);
    const Matches whole = bench.scan(source);
    for (unsigned i = 0; i < 4; ++i) CHECK((bench.stream(source, cuts(random, size)) == whole));
    found += whole.size();
  }
  CHECK(found > 1'000);
}

TEST_CASE("Many streams at a time, on random schedules, do not disturb one another") {
  Random random(23);
  Bench bench({"1 /ab+c/\n2 /cc$/\n3 /[abc]{5}d/\n"});
  struct Open {
    Octets source;
    std::size_t at;
    Matches got;
  };
  std::map<std::uint16_t, Open> open;
  unsigned finished = 0;
  while (finished < 400) {
    const auto number = static_cast<std::uint16_t>(random.below(40) * 1'600);
    const bool fresh = open.count(number) == 0;
    if (fresh) open[number] = {random.words(random.below(300)), 0, {}};
    Open& stream = open[number];
    const std::size_t size = random.below(stream.source.size() - stream.at + 1);
    const auto begin = stream.source.begin() + static_cast<std::ptrdiff_t>(stream.at);
    const Octets piece(begin, begin + static_cast<std::ptrdiff_t>(size));
    stream.at += size;
    const bool last = stream.at == stream.source.size();
    const unsigned flags =
        (fresh ? unsigned{ACCEL_FLAG_STREAM_OPEN} : 0U) | (last ? unsigned{ACCEL_FLAG_STREAM_END} : 0U);
    const Outcome outcome = bench.run(stream_job(number, static_cast<std::uint8_t>(flags)), piece);
    REQUIRE(outcome.status == ACCEL_STATUS_OK);
    const Matches list = matches(outcome.output);
    stream.got.insert(stream.got.end(), list.begin(), list.end());
    if (!last) continue;
    CHECK(stream.got == bench.scan(stream.source));
    open.erase(number);
    ++finished;
  }
}
