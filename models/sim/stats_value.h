// What a statistic is, and the kinds of it that hold one value. Include sim/stats.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "sim/units.h"

namespace dpusim {

class StatGroup;

/// What every statistic has: a name (unique in its group), a unit such as "frames" or "ps", and a description.
class Statistic {
 public:
  /// @error Defect when unit or text is empty, or the name is empty, has a dot or is taken in the group.
  Statistic(StatGroup& group, std::string name, std::string unit, std::string text);
  virtual ~Statistic();
  Statistic(const Statistic&) = delete;
  Statistic& operator=(const Statistic&) = delete;
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& unit() const { return unit_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Returns the kind's name: "counter", "gauge", "time_average", "histogram" or "formula".
  [[nodiscard]] virtual const char* kind() const = 0;
  /// Returns the value as JSON: a number, or an object of numbers, as of simulated time `now`. What does not exist is
  /// null: the mean of an empty histogram, a formula that is not finite.
  [[nodiscard]] virtual nlohmann::ordered_json value_json(Time now) const = 0;
  /// Returns the single number that interval snapshots and CSV carry (a histogram's is its count).
  [[nodiscard]] virtual double scalar(Time now) const = 0;

 private:
  friend class StatGroup;
  StatGroup* group_;  // nullptr once the group is gone
  std::string name_, unit_, text_;
};

/// Counts events. Costs one addition.
class Counter : public Statistic {
 public:
  using Statistic::Statistic;
  void add(std::uint64_t n = 1) { value_ += n; }
  Counter& operator++() {
    ++value_;
    return *this;
  }
  Counter& operator+=(std::uint64_t n) {
    value_ += n;
    return *this;
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }
  [[nodiscard]] const char* kind() const override { return "counter"; }
  [[nodiscard]] nlohmann::ordered_json value_json(Time now) const override;
  [[nodiscard]] double scalar(Time now) const override;

 private:
  std::uint64_t value_ = 0;
};

/// Holds a level, 0 at first, with its smallest and largest value.
class Gauge : public Statistic {
 public:
  using Statistic::Statistic;
  void set(std::int64_t level);
  void add(std::int64_t delta) { set(value_ + delta); }
  [[nodiscard]] std::int64_t value() const { return value_; }
  [[nodiscard]] std::int64_t min() const { return min_; }
  [[nodiscard]] std::int64_t max() const { return max_; }
  [[nodiscard]] const char* kind() const override { return "gauge"; }
  [[nodiscard]] nlohmann::ordered_json value_json(Time now) const override;
  [[nodiscard]] double scalar(Time now) const override;

 private:
  std::int64_t value_ = 0, min_ = 0, max_ = 0;
};

/// Averages a level, 0 at first, over simulated time (queue depth, utilisation).
class TimeAverage : public Statistic {
 public:
  using Statistic::Statistic;
  /// Sets the level from `when` on. @param when not before the last call's. @param level finite. @error Defect
  /// otherwise.
  void set(Time when, double level);
  /// Returns the average from time 0 to `now`; 0 when no time has passed. A model may run ahead of the kernel: a `now`
  /// before the last call of set() counts as that call's time.
  [[nodiscard]] double average(Time now) const;
  /// Returns the integral of the level from time 0 to `now`, in level times picoseconds.
  [[nodiscard]] double area(Time now) const;
  [[nodiscard]] double level() const { return level_; }
  [[nodiscard]] double max() const { return max_; }
  [[nodiscard]] const char* kind() const override { return "time_average"; }
  [[nodiscard]] nlohmann::ordered_json value_json(Time now) const override;
  [[nodiscard]] double scalar(Time now) const override { return average(now); }

 private:
  Time last_{0};
  double level_ = 0, area_ = 0, max_ = 0;
};

/// What a formula's number is, so that interval snapshots can tell what happened within an interval.
enum class FormulaKind {
  kLevel,     ///< a state, or a ratio of anything but time: snapshots give it as it stands
  kTotal,     ///< a count since time 0: snapshots give the difference
  kTimeMean,  ///< an amount since time 0 divided by the time (utilisation, bandwidth): snapshots give the interval's
              ///< mean
};

/// Computes a number from other statistics when it is read (a rate, a ratio). The function must not divide by zero: a
/// result that is not finite is written as null and reported by broken_laws().
class Formula : public Statistic {
 public:
  Formula(StatGroup& group, std::string name, std::string unit, std::string text,
          std::function<double(Time now)> compute, FormulaKind what = FormulaKind::kLevel);
  [[nodiscard]] FormulaKind what() const { return what_; }
  [[nodiscard]] const char* kind() const override { return "formula"; }
  [[nodiscard]] nlohmann::ordered_json value_json(Time now) const override;
  [[nodiscard]] double scalar(Time now) const override;

 private:
  std::function<double(Time)> compute_;
  FormulaKind what_;
};

}  // namespace dpusim
