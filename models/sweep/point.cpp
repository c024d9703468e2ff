#include "sweep/point.h"

#include <algorithm>

#include "sim/error.h"
#include "sim/quantity_text.h"

namespace dpusim::sweep {

Point point_at(const SweepFile& sweep, std::uint64_t number) {
  Point point{number, std::vector<std::size_t>(sweep.axes.size())};
  for (std::size_t axis = sweep.axes.size(); axis-- > 0;) {
    const std::uint64_t count = sweep.axes[axis].values.size();
    point.values[axis] = number % count;
    number /= count;
  }
  return point;
}

std::uint64_t number_of(const SweepFile& sweep, const std::vector<std::size_t>& values) {
  std::uint64_t number = 0;
  for (std::size_t axis = 0; axis < values.size(); ++axis)
    number = number * sweep.axes[axis].values.size() + values[axis];
  return number;
}

std::vector<std::string> settings_of(const SweepFile& sweep, const Point& point) {
  std::vector<std::string> settings = sweep.settings;
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    const std::vector<std::string>& own = sweep.axes[axis].values[point.values[axis]].settings;
    settings.insert(settings.end(), own.begin(), own.end());
  }
  return settings;
}

std::vector<std::string> arguments_of(const SweepFile& sweep, const Point& point) {
  std::vector<std::string> arguments = {"run", sweep.platform};
  if (!sweep.scenario.empty()) arguments.insert(arguments.end(), {"--scenario", sweep.scenario});
  arguments.insert(arguments.end(), sweep.arguments.begin(), sweep.arguments.end());
  for (const std::string& text : settings_of(sweep, point)) arguments.insert(arguments.end(), {"--set", text});
  return arguments;
}

std::string point_text(const SweepFile& sweep, const Point& point) {
  std::string text;
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
    text += fmt::format("{}{} {}", axis == 0 ? "" : ", ", sweep.axes[axis].name,
                        sweep.axes[axis].values[point.values[axis]].label);
  return text;
}

std::string folder_name(const SweepFile& sweep, std::uint64_t number) {
  const std::size_t digits = std::max<std::size_t>(4, std::to_string(sweep.points()).size());
  return fmt::format("{:0{}}", number + 1, digits);
}

std::vector<bool> parse_selection(const std::string& text, std::uint64_t points) {
  std::vector<bool> selected(points);
  const auto fail = [&](const std::string& found) {
    throw ConfigError("--points", fmt::format("\"{}\"", found),
                      fmt::format("numbers from 1 to {} and ranges of them, such as 1-4,7", points));
  };
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, comma - begin);
    const std::size_t dash = part.find('-');
    const TextValue first = read_integer(part.substr(0, dash));
    const TextValue last = dash == std::string::npos ? first : read_integer(part.substr(dash + 1));
    if (!first.problem.empty() || !last.problem.empty() || first.value < 1 || last.value < first.value ||
        last.value > static_cast<Wide>(points))
      fail(part);
    for (Wide number = first.value; number <= last.value; ++number)
      selected[static_cast<std::size_t>(number) - 1] = true;
    begin = comma + 1;
  }
  return selected;
}

}  // namespace dpusim::sweep
