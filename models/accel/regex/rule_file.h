// Rule files: the patterns of a rule set as text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dpusim::accel {

/// One pattern of a rule set.
struct Rule {
  std::uint32_t number = 0;   ///< what AccelMatch.rule tells
  std::string pattern;        ///< in the syntax of PCRE, as far as Vectorscan supports it
  bool ignore_case = false;   ///< i
  bool dot_all = false;       ///< s: the dot matches a newline too
  bool multi_line = false;    ///< m: ^ and $ match at newlines too
  bool single_match = false;  ///< H: only the first match of a buffer or stream counts
  std::string place;          ///< file and line, for messages
};

/// Reads rules: a line each, `number /pattern/flags`, in which the last slash ends the pattern; blank lines and lines
/// that begin with # do not count. @param place for messages, such as the file's name. @error ConfigError with the
/// line, what was found and what was expected.
[[nodiscard]] std::vector<Rule> parse_rules(std::string_view text, const std::string& place);

/// Reads a rule file. @error ConfigError, also when it cannot be read.
[[nodiscard]] std::vector<Rule> read_rules(const std::filesystem::path& path);

}  // namespace dpusim::accel
