#include "platform/measurement.h"

#include <algorithm>
#include <cmath>

namespace dpusim::platform {
namespace {

using Json = nlohmann::ordered_json;

bool cumulative(const Statistic& statistic) {
  if (dynamic_cast<const Counter*>(&statistic) != nullptr) return true;
  const auto* formula = dynamic_cast<const Formula*>(&statistic);
  return formula != nullptr && formula->what() != FormulaKind::kLevel;
}

bool time_mean(const Statistic& statistic) {
  const auto* formula = dynamic_cast<const Formula*>(&statistic);
  return formula != nullptr && formula->what() == FormulaKind::kTimeMean;
}

bool is_resource(const Statistic& statistic) {
  return time_mean(statistic) && statistic.unit() == "ratio" && statistic.name().ends_with("utilisation");
}

std::string resource_name(const std::string& path) {
  constexpr std::size_t kSuffix = std::string_view("utilisation").size() + 1;  // with the dot or underscore before it
  return path.substr(0, path.size() - kSuffix);
}

// "Fraction of the run in which the data bus of channel 0 was in use" -> "data bus of channel 0"
std::string resource_text(const std::string& text) {
  const std::string begin = "in which ", article = "the ";
  const std::size_t found = text.find(begin), to = text.find(" was in use");
  if (found == std::string::npos || to == std::string::npos || to < found) return text;
  std::size_t from = found + begin.size();
  if (text.compare(from, article.size(), article) == 0) from += article.size();
  return text.substr(from, to - from);
}

}  // namespace

void Measurement::collect(const StatGroup& group, const std::string& prefix, bool port) {
  for (const Statistic* statistic : group.statistics()) {
    if (cumulative(*statistic)) columns_.push_back({prefix + statistic->name(), statistic, port});
  }
  for (const StatGroup* child : group.children()) {
    bool is_port = false;
    for (const Card::Instance& instance : card_.instances()) {
      if (&group == &root_ && instance.description->name == child->name())
        is_port = instance.type->name == "ethernet_port";
    }
    collect(*child, prefix + child->name() + ".", is_port);
  }
}

Measurement::Snapshot Measurement::take(Time now) const {
  Snapshot snapshot{now, {}};
  snapshot.values.reserve(columns_.size());
  for (const Column& column : columns_) {
    const double value = column.statistic->scalar(now);
    snapshot.values.push_back(time_mean(*column.statistic) ? value * static_cast<double>(now.count()) : value);
  }
  return snapshot;
}

// Programs add their statistics when time starts, so the columns are those of now.
void Measurement::begin(Time now) {
  collect(root_, "", false);
  begin_ = take(now);
}

void Measurement::extend(Time now) {
  if (begin_ && now > begin_->when) end_ = take(now);
}

Time Measurement::slice(Time now) const {
  constexpr Time kShortest{5'000'000}, kLongest{50'000'000};
  if (!begin_) return kLongest;
  return std::clamp((now - begin_->when) / 64, kShortest, kLongest);
}

std::vector<Resource> Measurement::resources() const {
  std::vector<Resource> found;
  if (!end_) return found;
  const double length = static_cast<double>((end_->when - begin_->when).count());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Statistic& statistic = *columns_[i].statistic;
    if (!is_resource(statistic)) continue;
    const double occupancy = difference(i) / length;
    if (occupancy > 1e-9)
      found.push_back({resource_name(columns_[i].path), resource_text(statistic.text()),
                       std::clamp(occupancy, 0.0, 1.0), classify_resource(statistic.name(), columns_[i].port)});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Resource& a, const Resource& b) { return a.occupancy > b.occupancy; });
  return found;
}

Losses Measurement::losses() const {
  double all = 0, behind_intake = 0, offered = 0;
  for (std::size_t i = 0; end_ && i < columns_.size(); ++i) {
    const std::string& name = columns_[i].statistic->name();
    if (columns_[i].port && name == "etherStatsPkts") offered += difference(i);
    if (columns_[i].port && (name == "ifInDiscards" || name == "ifInErrors")) all += difference(i);
    if (name.starts_with("dropped_")) all += difference(i);
    if (name == "dropped_no_descriptor" || name == "dropped_completion_queue") behind_intake += difference(i);
  }
  if (offered <= 0) return {};
  return {std::min(1.0, all / offered), std::min(1.0, behind_intake / offered)};
}

Json Measurement::results(const Outcome& outcome) const {
  const bool measured = outcome.fidelity == Fidelity::kApproximate && end_;
  Json json = {{"schema", {{"name", "dpusim-results"}, {"version", kResultsSchemaVersion}}}};
  json["outcome"] = {{"exit_code", outcome.code}, {"reason", outcome.reason}};
  json["fidelity"] = outcome.fidelity == Fidelity::kFunctional ? "functional" : "approximate";
  json["window"] = end_ ? Json{{"from_ps", begin_->when.count()}, {"to_ps", end_->when.count()}} : Json(nullptr);
  Json rates = Json::object(), levels = Json::object(), histograms = Json::object();
  const double seconds = end_ ? static_cast<double>((end_->when - begin_->when).count()) * 1e-12 : 0;
  for (std::size_t i = 0; end_ && i < columns_.size(); ++i) {
    const Statistic& statistic = *columns_[i].statistic;
    const double difference_of = difference(i);
    if (time_mean(statistic) || difference_of == 0) continue;
    Json& rate = rates[columns_[i].path] = Json::object();
    if (measured) rate["per_second"] = difference_of / seconds;
    rate["total"] = difference_of;
    rate["unit"] = statistic.unit();
    rate["text"] = statistic.text();
  }
  const std::function<void(const StatGroup&, const std::string&)> walk = [&](const StatGroup& group,
                                                                             const std::string& prefix) {
    for (const Statistic* statistic : group.statistics()) {
      const std::string path = prefix + statistic->name();
      if (const auto* h = dynamic_cast<const Histogram*>(statistic); h != nullptr && h->count() > 0 && measured) {
        histograms[path] = {{"count", h->count()},        {"min", h->min()},         {"mean", h->mean()},
                            {"p50", h->quantile(0.5)},    {"p90", h->quantile(0.9)}, {"p99", h->quantile(0.99)},
                            {"p999", h->quantile(0.999)}, {"max", h->max()},         {"unit", statistic->unit()},
                            {"text", statistic->text()}};
      } else if (const auto* f = dynamic_cast<const Formula*>(statistic);
                 f != nullptr && f->what() == FormulaKind::kLevel && measured) {
        const double value = f->scalar(outcome.time);
        if (std::isfinite(value) && value != 0)
          levels[path] = {{"value", value}, {"unit", statistic->unit()}, {"text", statistic->text()}};
      }
    }
    for (const StatGroup* child : group.children()) walk(*child, prefix + child->name() + ".");
  };
  walk(root_, "");
  json["rates"] = std::move(rates);
  json["levels"] = std::move(levels);
  json["histograms"] = std::move(histograms);
  Json list = Json::array();
  if (measured) {
    const std::vector<Resource> all = resources();
    for (const Resource& resource : all)
      list.push_back({{"name", resource.name}, {"occupancy", resource.occupancy}, {"text", resource.text}});
    const Bottleneck answer = find_bottleneck(all, losses());
    json["resources"] = std::move(list);
    json["bottleneck"] = {{"resource", answer.resource},
                          {"occupancy", answer.occupancy},
                          {"saturated", answer.saturated},
                          {"text", answer.text}};
  } else {
    json["resources"] = std::move(list);
    json["bottleneck"] = nullptr;
  }
  return json;
}

}  // namespace dpusim::platform
