// Groups of statistics: one an instance, nested as instances are, with laws. Include sim/stats.h.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/stats_value.h"

namespace dpusim {

/// The statistics of one instance, and its sub-instances'. Groups nest as instances do ("nic", "nic.rxq0").
class StatGroup {
 public:
  explicit StatGroup(std::string name, StatGroup* parent = nullptr);
  ~StatGroup();
  StatGroup(const StatGroup&) = delete;
  StatGroup& operator=(const StatGroup&) = delete;
  /// Returns the child group of this name, made on first use and owned by this group. A dotted name is a path:
  /// child("cpu.core0") is child("cpu").child("core0"). @error Defect when a part is empty or the name of a statistic
  /// of its group.
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
  /// Returns one line a broken law of this group and those below it: "nic: frames in = ...: 10 != 8 + 1". With `now`, a
  /// formula that is not finite then is a broken law too. Laws look at models, so call this while they live.
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

}  // namespace dpusim
