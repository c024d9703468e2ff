#include "sim/stats_group.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/error.h"

namespace dpusim {

Statistic::Statistic(StatGroup& group, std::string name, std::string unit, std::string text)
    : group_(&group), name_(std::move(name)), unit_(std::move(unit)), text_(std::move(text)) {
  DPUSIM_CHECK(!name_.empty() && name_.find('.') == std::string::npos, "statistic \"{}\" of {}: bad name", name_,
               group.path());
  DPUSIM_CHECK(!unit_.empty(), "statistic \"{}\" of {} has no unit", name_, group.path());
  DPUSIM_CHECK(!text_.empty(), "statistic \"{}\" of {} has no text", name_, group.path());
  const bool taken = group.has_statistic(name_) || group.find_child(name_) != nullptr;
  DPUSIM_CHECK(!taken, "statistic \"{}\" of {}: the name is taken", name_, group.path());
  group.statistics_.push_back(this);
}

Statistic::~Statistic() {
  if (group_ != nullptr) std::erase(group_->statistics_, this);
}

StatGroup::StatGroup(std::string name, StatGroup* parent) : name_(std::move(name)), parent_(parent) {}

StatGroup::~StatGroup() {
  for (Statistic* statistic : statistics_) statistic->group_ = nullptr;
}

bool StatGroup::has_statistic(std::string_view name) const {
  return std::any_of(statistics_.begin(), statistics_.end(), [&](const Statistic* s) { return s->name() == name; });
}

StatGroup* StatGroup::find_child(std::string_view name) const {
  const auto found =
      std::find_if(children_.begin(), children_.end(), [&](const auto& child) { return child->name() == name; });
  return found == children_.end() ? nullptr : found->get();
}

StatGroup& StatGroup::child(const std::string& name) {
  const std::size_t dot = name.find('.');
  const std::string head = name.substr(0, dot);
  DPUSIM_CHECK(!head.empty() && !has_statistic(head), "group \"{}\" of {}: bad or taken name", name, path());
  StatGroup* group = find_child(head);
  if (group == nullptr) group = children_.emplace_back(std::make_unique<StatGroup>(head, this)).get();
  return dot == std::string::npos ? *group : group->child(name.substr(dot + 1));
}

std::string StatGroup::path() const {
  if (parent_ == nullptr) return name_;
  const std::string above = parent_->path();
  return above.empty() ? name_ : above + '.' + name_;
}

void StatGroup::law(std::string name, std::function<std::optional<std::string>()> holds) {
  DPUSIM_CHECK(!name.empty() && holds, "law \"{}\" of {}", name, path());
  laws_.emplace_back(std::move(name), std::move(holds));
}

std::vector<StatGroup*> StatGroup::children() const {
  std::vector<StatGroup*> result;
  result.reserve(children_.size());
  for (const auto& child : children_) result.push_back(child.get());
  return result;
}

const Statistic* StatGroup::find(const std::string& path) const {
  const std::size_t dot = path.find('.');
  if (dot != std::string::npos) {
    const StatGroup* group = find_child(std::string_view(path).substr(0, dot));
    return group == nullptr ? nullptr : group->find(path.substr(dot + 1));
  }
  const auto found =
      std::find_if(statistics_.begin(), statistics_.end(), [&](const Statistic* s) { return s->name() == path; });
  return found == statistics_.end() ? nullptr : *found;
}

std::vector<std::string> StatGroup::broken_laws(std::optional<Time> now) const {
  std::vector<std::string> result;
  const std::string place = parent_ == nullptr && name_.empty() ? "" : path() + ": ";
  for (const auto& [name, holds] : laws_) {
    if (const auto broken = holds()) result.push_back(fmt::format("{}{}: {}", place, name, *broken));
  }
  for (const Statistic* statistic : statistics_) {
    if (!now || dynamic_cast<const Formula*>(statistic) == nullptr) continue;
    const double value = statistic->scalar(*now);
    if (!std::isfinite(value)) result.push_back(fmt::format("{}{} is finite: {}", place, statistic->name(), value));
  }
  for (const auto& child : children_) {
    const std::vector<std::string> below = child->broken_laws(now);
    result.insert(result.end(), below.begin(), below.end());
  }
  return result;
}

}  // namespace dpusim
