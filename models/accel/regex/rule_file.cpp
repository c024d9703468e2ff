#include "accel/regex/rule_file.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <map>

#include "sim/error.h"

namespace dpusim::accel {

namespace {

constexpr const char* kRuleForm = "a rule: number /pattern/flags, or # and a comment";
constexpr const char* kFlags = "of the flags i, s, m, H each at most once";
constexpr std::string_view kBlanks = " \t\r";

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string quoted(std::string_view text) { return fmt::format("\"{}\"", text); }

bool& flag(Rule& rule, char letter) {
  switch (letter) {
    case 'i':
      return rule.ignore_case;
    case 's':
      return rule.dot_all;
    case 'm':
      return rule.multi_line;
    case 'H':
      return rule.single_match;
    default:
      throw ConfigError(rule.place, fmt::format("flag \"{}\"", letter), kFlags);
  }
}

Rule parse_rule(std::string_view line, const std::string& place) {
  Rule rule;
  rule.place = place;
  const char* const end = line.data() + line.size();
  const auto [rest, error] = std::from_chars(line.data(), end, rule.number);
  if (error == std::errc::result_out_of_range) {
    throw ConfigError(place, quoted(line.substr(0, line.find_first_not_of("0123456789"))),
                      "a rule number of 0 to 4294967295");
  }
  if (error != std::errc() || rest == end || kBlanks.find(*rest) == std::string_view::npos) {
    throw ConfigError(place, quoted(line), kRuleForm);
  }
  const std::string_view expression = trim({rest, static_cast<std::size_t>(end - rest)});
  const std::size_t last = expression.rfind('/');
  if (expression.empty() || expression.front() != '/' || last == 0) throw ConfigError(place, quoted(line), kRuleForm);
  rule.pattern = expression.substr(1, last - 1);
  if (rule.pattern.empty()) throw ConfigError(place, "an empty pattern", kRuleForm);
  if (rule.pattern.find('\0') != std::string::npos) throw ConfigError(place, "an octet 0", "\\x00 in its place");
  for (const char letter : expression.substr(last + 1)) {
    bool& set = flag(rule, letter);
    if (set) throw ConfigError(place, fmt::format("flag \"{}\" twice", letter), kFlags);
    set = true;
  }
  return rule;
}

}  // namespace

std::vector<Rule> parse_rules(std::string_view text, const std::string& place) {
  std::vector<Rule> rules;
  std::map<std::uint32_t, std::string> places;
  for (unsigned number = 1; !text.empty(); ++number) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    rules.push_back(parse_rule(line, fmt::format("{}:{}", place, number)));
    const auto [known, fresh] = places.emplace(rules.back().number, rules.back().place);
    if (!fresh) {
      throw ConfigError(rules.back().place, fmt::format("number {}, which {} has", known->first, known->second),
                        "a number of its own for each rule");
    }
  }
  if (rules.empty()) throw ConfigError(place, "no rule", kRuleForm);
  return rules;
}

std::vector<Rule> read_rules(const std::filesystem::path& path) {
  std::error_code ignored;
  std::ifstream in;
  // Looked at first: opening a FIFO would wait, reading a device would not end.
  if (std::filesystem::is_regular_file(path, ignored)) in.open(path, std::ios::binary);
  if (!in.is_open()) throw ConfigError(path.string(), "no readable file", "a rule file");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return parse_rules(text, path.string());
}

}  // namespace dpusim::accel
