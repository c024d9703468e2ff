#include "sim/stats_value.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/error.h"

namespace dpusim {

using nlohmann::ordered_json;

ordered_json Counter::value_json(Time /*now*/) const { return value_; }
double Counter::scalar(Time /*now*/) const { return static_cast<double>(value_); }

void Gauge::set(std::int64_t level) {
  value_ = level;
  min_ = std::min(min_, level);
  max_ = std::max(max_, level);
}

ordered_json Gauge::value_json(Time /*now*/) const { return {{"value", value_}, {"min", min_}, {"max", max_}}; }
double Gauge::scalar(Time /*now*/) const { return static_cast<double>(value_); }

void TimeAverage::set(Time when, double level) {
  DPUSIM_CHECK(when >= last_, "{}: set at {} ps after {} ps", name(), when.count(), last_.count());
  DPUSIM_CHECK(std::isfinite(level), "{}: level {}", name(), level);
  area_ = area(when);
  last_ = when;
  level_ = level;
  max_ = std::max(max_, level);
}

double TimeAverage::area(Time now) const {
  return now <= last_ ? area_ : area_ + level_ * static_cast<double>((now - last_).count());
}

double TimeAverage::average(Time now) const {
  const Time end = std::max(now, last_);
  return end.count() == 0 ? 0 : area(end) / static_cast<double>(end.count());
}

ordered_json TimeAverage::value_json(Time now) const {
  return {{"average", average(now)}, {"level", level_}, {"max", max_}};
}

Formula::Formula(StatGroup& group, std::string name, std::string unit, std::string text,
                 std::function<double(Time now)> compute, FormulaKind what)
    : Statistic(group, std::move(name), std::move(unit), std::move(text)), compute_(std::move(compute)), what_(what) {}

ordered_json Formula::value_json(Time now) const {
  const double value = compute_(now);
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

double Formula::scalar(Time now) const { return compute_(now); }

}  // namespace dpusim
