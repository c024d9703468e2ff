// Statistics of a run. A statistic registers itself in a group under its instance; unit and description are compulsory.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/error.h"
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
  /// Returns the value as JSON: a number, or an object of numbers, as of simulated time `now`. What does not exist is null: the
  /// mean of an empty histogram, a formula that is not finite.
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
  Counter& operator++() { ++value_; return *this; }
  Counter& operator+=(std::uint64_t n) { value_ += n; return *this; }
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
  /// Sets the level from `when` on. @param when not before the last call's. @param level finite. @error Defect otherwise.
  void set(Time when, double level);
  /// Returns the average from time 0 to `now`; 0 when no time has passed. A model may run ahead of the kernel: a `now` before the
  /// last call of set() counts as that call's time.
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

/// Log-linear histogram of 64-bit values: exact below 256, then 128 buckets a power of two, hence at most 1/256 relative error
/// when a bucket is named by its middle.
class Histogram : public Statistic {
 public:
  Histogram(StatGroup& group, std::string name, std::string unit, std::string text);
  /// Records a value, or the same value `times` times.
  void record(std::uint64_t value, std::uint64_t times = 1) {
    if (times == 0) return;
    const std::size_t bucket = bucket_of(value);
    if (bucket >= buckets_.size()) [[unlikely]] grow(bucket);
    buckets_[bucket] += times;
    if (count_ == 0 || value < min_) min_ = value;
    if (value > max_) max_ = value;
    count_ += times;
    sum_ += static_cast<Uint128>(value) * times;
  }
  /// Records a duration in picoseconds. @param duration not negative. @error Defect otherwise.
  void record(Time duration) {
    DPUSIM_CHECK(duration.count() >= 0, "{}: duration of {} ps", name(), duration.count());
    record(static_cast<std::uint64_t>(duration.count()));
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t min() const { return min_; }
  [[nodiscard]] std::uint64_t max() const { return max_; }
  [[nodiscard]] double mean() const;
  /// Returns the smallest recorded value (to the bucket's middle, and never outside min..max) that at least the fraction `q` of
  /// all values do not exceed (the nearest rank, ceil(q * count)); exact for 0, 1 and values below 256. @param q in 0..1.
  /// @return 0 when empty.
  [[nodiscard]] std::uint64_t quantile(double q) const;
  [[nodiscard]] const char* kind() const override { return "histogram"; }
  [[nodiscard]] nlohmann::ordered_json value_json(Time now) const override;
  [[nodiscard]] double scalar(Time now) const override;

 private:
  static std::size_t bucket_of(std::uint64_t value) {
    if (value < 256) return static_cast<std::size_t>(value);
    const auto octave = static_cast<unsigned>(std::bit_width(value)) - 1;  // 8..63
    return 128 * (octave - 6) + (value >> (octave - 7) & 127);
  }
  static std::uint64_t middle_of(std::size_t bucket);
  void grow(std::size_t bucket);

  std::vector<std::uint64_t> buckets_;  // up to the largest value's
  std::uint64_t count_ = 0, min_ = 0, max_ = 0;
  Uint128 sum_ = 0;
};

/// Computes a number from other statistics when it is read (a rate, a ratio). The function must not divide by zero: a result that is
/// not finite is written as null and reported by broken_laws().
class Formula : public Statistic {
 public:
  Formula(StatGroup& group, std::string name, std::string unit, std::string text, std::function<double(Time now)> compute);
  [[nodiscard]] const char* kind() const override { return "formula"; }
  [[nodiscard]] nlohmann::ordered_json value_json(Time now) const override;
  [[nodiscard]] double scalar(Time now) const override;

 private:
  std::function<double(Time)> compute_;
};

/// The statistics of one instance, and its sub-instances'. Groups nest as instances do ("nic", "nic.rxq0").
class StatGroup {
 public:
  explicit StatGroup(std::string name, StatGroup* parent = nullptr);
  ~StatGroup();
  StatGroup(const StatGroup&) = delete;
  StatGroup& operator=(const StatGroup&) = delete;
  /// Returns the child group of this name, made on first use and owned by this group. A dotted name is a path: child("cpu.core0")
  /// is child("cpu").child("core0"). @error Defect when a part is empty or the name of a statistic of its group.
  StatGroup& child(const std::string& name);
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Returns the dotted path below the root, such as "nic.rxq0"; empty for the root.
  [[nodiscard]] std::string path() const;
  /// Registers a law that the counters must obey at the end of a run, such as frames in = out + dropped + held.
  /// @param holds returns nothing when it holds, else a text that shows both sides with their numbers.
  void law(std::string name, std::function<std::optional<std::string>()> holds);
  [[nodiscard]] const std::vector<Statistic*>& statistics() const { return statistics_; }
  [[nodiscard]] std::vector<StatGroup*> children() const;
  /// Finds a statistic by dotted path below this group ("rxq0.frames"). @return nullptr when there is none.
  [[nodiscard]] const Statistic* find(const std::string& path) const;
  /// Returns one line a broken law of this group and those below it: "nic: frames in = ...: 10 != 8 + 1". With `now`, a formula
  /// that is not finite then is a broken law too. Laws look at models, so call this while they live.
  [[nodiscard]] std::vector<std::string> broken_laws(std::optional<Time> now = {}) const;

 private:
  friend class Statistic;
  [[nodiscard]] bool has_statistic(std::string_view name) const;
  [[nodiscard]] StatGroup* find_child(std::string_view name) const;

  std::string name_;
  StatGroup* parent_;
  std::vector<Statistic*> statistics_;
  std::vector<std::unique_ptr<StatGroup>> children_;
  std::vector<std::pair<std::string, std::function<std::optional<std::string>()>>> laws_;
};

/// Version of the layout of stats.json; raised when a reader of an older one would misread it.
inline constexpr int kStatsSchemaVersion = 1;

/// Returns the tree of `root` as JSON: {"schema": {"name": "dpusim-stats", "version": N}, "time_ps", "stats": {group: {"frames":
/// {"kind","unit","text","value"}}}}. Order is the order of registration, a group's statistics before its sub-groups, so equal runs
/// give equal bytes. Groups without statistics in them or below are left out.
nlohmann::ordered_json stats_to_json(const StatGroup& root, Time now);
/// Returns "path,kind,unit,field,value" lines, one a number (a histogram has several fields), with a header line. The field of a
/// single number is "value"; what is null in JSON is empty here.
std::string stats_to_csv(const StatGroup& root, Time now);
/// Returns the Markdown table of the statistics of `root` and below for a model's README: name (dotted path below `root`), kind, unit
/// and text.
std::string stats_markdown(const StatGroup& root);

/// Takes snapshots of all scalars at an interval: counters and histograms' counts as the difference since the last snapshot, time
/// averages over the time since the last snapshot, gauges and formulas as they stand.
class StatSnapshots {
 public:
  explicit StatSnapshots(const StatGroup& root) : root_(&root) {}
  /// Adds a row. The first call fixes the columns. @param now after the last call's. @error Defect when statistics came or went
  /// between two calls.
  void take(Time now);
  /// Returns CSV: "time_ps" and then one column a statistic (dotted path), a row a snapshot.
  [[nodiscard]] std::string to_csv() const;

 private:
  const StatGroup* root_;
  std::vector<std::string> columns_;
  std::vector<double> last_;  // cumulative values (counts, areas) at the last snapshot
  std::vector<std::pair<Time, std::vector<double>>> rows_;
};

}  // namespace dpusim
