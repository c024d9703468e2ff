// The nearest valid name to one that the user mistyped.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dpusim {

/// Returns the Levenshtein distance: the least number of inserted, deleted or replaced characters that turn `a` into
/// `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the candidate with the least distance to `name`, upper and lower case counting as equal; nothing when even
/// that one is farther than a third of the longer name (at least 1). The first of equals wins.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates);

/// Returns what a message says is expected instead of `name`: "\"rate\"" when that is near, else "one of \"a\", \"b\"".
std::string nearest_or_list(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace dpusim
