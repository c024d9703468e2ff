#include "sweep/measure.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/config_scalar.h"
#include "sim/error.h"
#include "sim/nearest.h"
#include "sweep/json_read.h"

namespace dpusim::sweep {
namespace {

using Json = nlohmann::ordered_json;
using Kind = Measure::Kind;

const std::vector<std::string> kFields = {"count", "mean", "min", "p50", "p90", "p99", "p999", "max"};
const std::vector<std::string> kKindKeys = {"rate", "rates", "total", "totals", "histogram", "level", "occupancy"};
const std::vector<std::string> kKeys = {"name",  "unit",   "scale",     "field", "rate",     "rates",
                                        "total", "totals", "histogram", "level", "occupancy"};

Measure parse_measure(const Json& json, const std::string& path) {
  check_keys(json, kKeys, path);
  Measure measure;
  measure.path = path;
  if (!json.contains("name")) throw ConfigError(path, "no \"name\"", "the measure's name, such as \"Forwarded\"");
  measure.name = read_text(json["name"], join_path(path, "name"));
  if (json.contains("unit")) measure.unit = read_text(json["unit"], join_path(path, "unit"), true);
  if (json.contains("scale")) measure.scale = read_number(json["scale"], join_path(path, "scale"));
  std::string kind;
  for (const std::string& key : kKindKeys) {
    if (!json.contains(key)) continue;
    if (!kind.empty()) throw ConfigError(path, fmt::format("both \"{}\" and \"{}\"", kind, key), "one source");
    kind = key;
  }
  if (kind.empty()) throw ConfigError(path, "no source", R"("rate", "total", "histogram", "level" or "occupancy")");
  const std::string source = join_path(path, kind);
  if (kind == "rates" || kind == "totals")
    measure.sources = read_texts(json[kind], source);
  else
    measure.sources = {read_text(json[kind], source)};
  if (kind.starts_with("rate"))
    measure.kind = Kind::kRate;
  else if (kind.starts_with("total"))
    measure.kind = Kind::kTotal;
  else if (kind == "histogram")
    measure.kind = Kind::kHistogram;
  else if (kind == "level")
    measure.kind = Kind::kLevel;
  else
    measure.kind = Kind::kOccupancy;
  if ((measure.kind == Kind::kHistogram) != json.contains("field"))
    throw ConfigError(
        path, measure.kind == Kind::kHistogram ? "a histogram without \"field\"" : "\"field\" without \"histogram\"",
        fmt::format("\"field\" of a histogram: {}", fmt::join(kFields, ", ")));
  if (measure.kind == Kind::kHistogram)
    measure.field = kFields[read_name(json["field"], join_path(path, "field"), kFields)];
  return measure;
}

/// Collects the values of all statistics below `node` by dotted name; null for those that are more than a number.
void collect(const Json& node, const std::string& prefix, std::map<std::string, Json>& all) {
  if (!node.is_object()) return;
  for (const auto& [key, value] : node.items()) {
    const std::string name = prefix.empty() ? key : prefix + "." + key;
    all[name] = value.is_object() && value.contains("value") ? value["value"] : Json();
    collect(value, name, all);
  }
}

/// Reads the measures of one run.
class Reader {
 public:
  Reader(const Json& results, const LoadStats& load) : results_(results), load_(load) {}

  std::optional<double> read(const Measure& measure) {
    if (measure.kind != Kind::kTotal && results_.value("fidelity", "") == "functional")
      throw ConfigError(measure.path, fmt::format("\"{}\" of a functional run", measure.name),
                        "approximate fidelity: functional runs measure no time");
    if (results_.contains("window") && results_["window"].is_null())
      throw ConfigError(measure.path, "a run that ended before its measuring window began",
                        "a longer run or a shorter warm-up");
    std::optional<double> value;
    switch (measure.kind) {
      case Kind::kRate:
        value = sum(measure, "per_second");
        break;
      case Kind::kTotal:
        value = sum(measure, "total");
        break;
      case Kind::kHistogram:
        value = entry(measure, "histograms", measure.field);
        break;
      case Kind::kLevel:
        value = entry(measure, "levels", "value");
        break;
      case Kind::kOccupancy:
        value = busiest(measure);
        break;
    }
    if (value) value = rounded(*value * measure.scale);
    return value;
  }

 private:
  [[nodiscard]] const Json& section(const char* name) const {
    static const Json kNone = Json::object();
    return results_.contains(name) && results_[name].is_structured() ? results_[name] : kNone;
  }
  // What did not move, and what was never in use, is not in the results, but in the statistics.
  const std::map<std::string, Json>& statistics() {
    if (!known_) {
      known_.emplace();
      const Json stats = load_();
      if (stats.contains("stats")) collect(stats["stats"], "", *known_);
    }
    return *known_;
  }
  void check_known(const Measure& measure, const std::string& source, std::vector<std::string> names) {
    const auto matching = [&](const auto& known) { return matches(source, known.first); };
    if (std::any_of(statistics().begin(), statistics().end(), matching)) return;
    std::string expected = nearest_or_list(source, names);
    if (names.empty())
      expected = "a statistic of the run";
    else if (!nearest(source, names) && names.size() > 12)
      expected = fmt::format("a name in the run's results.json, such as \"{}\"", names.front());
    throw ConfigError(measure.path, fmt::format("\"{}\", which the run does not have", source), expected);
  }
  static std::vector<std::string> keys(const Json& section) {
    std::vector<std::string> names;
    for (const auto& [name, value] : section.items()) names.push_back(name);
    return names;
  }
  std::optional<double> sum(const Measure& measure, const char* field) {
    const Json& rates = section("rates");
    double total = 0;
    for (const std::string& source : measure.sources) {
      bool found = false;
      for (const auto& [name, value] : rates.items()) {
        if (!matches(source, name) || !value.contains(field) || !value[field].is_number()) continue;
        found = true;
        total += value[field].get<double>();
      }
      if (!found) check_known(measure, source, keys(rates));
    }
    return total;
  }
  std::optional<double> entry(const Measure& measure, const char* name, const std::string& field) {
    const Json& entries = section(name);
    const auto found = entries.find(measure.sources.front());
    if (found == entries.end()) {
      check_known(measure, measure.sources.front(), keys(entries));
      if (measure.kind != Kind::kLevel) return std::nullopt;
      const auto known = statistics().find(measure.sources.front());
      const bool number = known != statistics().end() && known->second.is_number();
      return number ? std::optional(known->second.get<double>()) : std::nullopt;
    }
    if (!found->contains(field) || !(*found)[field].is_number()) return std::nullopt;
    if (field != "count" && field != "value" && found->value("count", 1.0) == 0) return std::nullopt;
    return (*found)[field].get<double>();
  }
  double busiest(const Measure& measure) {
    std::optional<double> most;
    std::vector<std::string> names;
    for (const Json& resource : section("resources")) {
      names.push_back(resource.value("name", ""));
      if (!matches(measure.sources.front(), names.back())) continue;
      const double occupancy = resource.value("occupancy", 0.0);
      most = std::max(most.value_or(occupancy), occupancy);
    }
    // The statistic of resource "a.b" is "a.b_utilisation", or "a.utilisation" of "a".
    const auto idle = [&](const auto& known) {
      const std::string& name = known.first;
      constexpr std::string_view kEnd = "utilisation";
      return name.ends_with(kEnd) && name.size() > kEnd.size() &&
             matches(measure.sources.front(), name.substr(0, name.size() - kEnd.size() - 1));
    };
    if (!most && std::none_of(statistics().begin(), statistics().end(), idle))
      throw ConfigError(measure.path, fmt::format("\"{}\", which is no resource of the run", measure.sources.front()),
                        names.empty() ? "a platform with resources" : nearest_or_list(measure.sources.front(), names));
    return most.value_or(0.0);
  }

  const Json& results_;
  const LoadStats& load_;
  std::optional<std::map<std::string, Json>> known_;  // value by dotted name
};

}  // namespace

std::vector<Measure> parse_measures(const Json& json, const std::string& path) {
  if (!json.is_array() || json.empty()) throw ConfigError(path, found_text(json), "a list of at least one measure");
  std::vector<Measure> measures;
  for (std::size_t i = 0; i < json.size(); ++i)
    measures.push_back(parse_measure(json[i], fmt::format("{}[{}]", path, i)));
  return measures;
}

Measured measure(const std::vector<Measure>& measures, const Json& results, const LoadStats& stats) {
  Measured measured;
  Reader reader(results, stats);
  for (const Measure& one : measures) measured.values.push_back(reader.read(one));
  const auto found = results.find("bottleneck");
  if (found != results.end() && found->is_object() && results.value("fidelity", "") != "functional") {
    Bottleneck& bottleneck = measured.bottleneck;
    const Json& json = *found;
    if (json.contains("resource") && json["resource"].is_string())
      bottleneck.resource = json["resource"].get<std::string>();
    if (json.contains("occupancy") && json["occupancy"].is_number())
      bottleneck.occupancy = rounded(json["occupancy"].get<double>());
    bottleneck.saturated = json.contains("saturated") && json["saturated"] == true;
    if (json.contains("text") && json["text"].is_string()) bottleneck.text = json["text"].get<std::string>();
  }
  return measured;
}

}  // namespace dpusim::sweep
