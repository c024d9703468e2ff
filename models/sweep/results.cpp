#include "sweep/results.h"

#include <fmt/format.h>

namespace dpusim::sweep {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_text(Measure::Kind kind) {
  static constexpr const char* kTexts[] = {"rate", "total", "histogram", "level", "occupancy"};
  return kTexts[static_cast<int>(kind)];
}

Json axes_json(const SweepFile& sweep) {
  Json axes = Json::array();
  for (const Axis& axis : sweep.axes) {
    Json json = {{"name", axis.name}, {"unit", axis.unit}, {"values", Json::array()}};
    for (const AxisValue& value : axis.values) {
      json["values"].push_back(
          {{"label", value.label}, {"number", value.number ? Json(*value.number) : Json()}, {"set", value.settings}});
    }
    axes.push_back(std::move(json));
  }
  return axes;
}

Json measures_json(const SweepFile& sweep) {
  Json measures = Json::array();
  for (const Measure& measure : sweep.measures) {
    Json json = {
        {"name", measure.name}, {"unit", measure.unit}, {"kind", kind_text(measure.kind)}, {"of", measure.sources}};
    if (!measure.field.empty()) json["field"] = measure.field;
    json["scale"] = measure.scale;
    measures.push_back(std::move(json));
  }
  return measures;
}

Json point_json(const SweepFile& sweep, const PointResult& result, std::uint64_t number) {
  const Point point = point_at(sweep, number);
  Json json = {{"point", number + 1}, {"values", Json::object()}};
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
    json["values"][sweep.axes[axis].name] = sweep.axes[axis].values[point.values[axis]].label;
  json["status"] = status_text(result.status);
  if (result.status == PointResult::Status::kNotRun) return json;
  json["exit_code"] = result.exit_code;
  json["reason"] = result.reason;
  if (result.status == PointResult::Status::kFailed) return json;
  json["measures"] = Json::object();
  for (std::size_t i = 0; i < sweep.measures.size(); ++i) {
    const std::optional<double>& value = result.measured.values[i];
    json["measures"][sweep.measures[i].name] = value ? Json(*value) : Json();
  }
  const Bottleneck& bottleneck = result.measured.bottleneck;
  json["bottleneck"] = nullptr;
  if (!bottleneck.resource.empty())
    json["bottleneck"] = {{"resource", bottleneck.resource},
                          {"occupancy", bottleneck.occupancy},
                          {"saturated", bottleneck.saturated},
                          {"text", bottleneck.text}};
  return json;
}

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

const char* status_text(PointResult::Status status) {
  static constexpr const char* kTexts[] = {"not run", "done", "failed"};
  return kTexts[static_cast<int>(status)];
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} ({})", name, unit);
}

Json results_json(const SweepFile& sweep, const SweepFacts& facts, const std::vector<PointResult>& results) {
  Json json = {{"schema", {{"name", "dpusim-sweep-results"}, {"version", 1}}},
               {"dpusim", facts.version},
               {"name", sweep.name},
               {"description", sweep.description},
               {"platform", sweep.platform},
               {"scenario", sweep.scenario.empty() ? Json() : Json(sweep.scenario)},
               {"set", sweep.settings},
               {"run", sweep.run},
               {"seed", facts.seed},
               {"fidelity", facts.fidelity},
               {"axes", axes_json(sweep)},
               {"measures", measures_json(sweep)},
               {"points", Json::array()}};
  for (std::uint64_t number = 0; number < results.size(); ++number)
    json["points"].push_back(point_json(sweep, results[number], number));
  return json;
}

std::string results_csv(const SweepFile& sweep, const std::vector<PointResult>& results) {
  std::string text = "point";
  for (const Axis& axis : sweep.axes) text += "," + cell(axis.name);
  for (const Measure& measure : sweep.measures) text += "," + cell(with_unit(measure.name, measure.unit));
  text += ",bottleneck,occupancy,saturated,status,reason\r\n";
  for (std::uint64_t number = 0; number < results.size(); ++number) {
    const PointResult& result = results[number];
    const Point point = point_at(sweep, number);
    text += std::to_string(number + 1);
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
      text += "," + cell(sweep.axes[axis].values[point.values[axis]].label);
    const bool done = result.status == PointResult::Status::kDone;
    for (std::size_t i = 0; i < sweep.measures.size(); ++i) {
      text += ',';
      if (done && result.measured.values[i]) text += fmt::format("{}", *result.measured.values[i]);
    }
    const Bottleneck& bottleneck = result.measured.bottleneck;
    if (done && !bottleneck.resource.empty())
      text += fmt::format(",{},{},{}", cell(bottleneck.resource), bottleneck.occupancy,
                          bottleneck.saturated ? "yes" : "no");
    else
      text += ",,,";
    text += fmt::format(",{},{}\r\n", status_text(result.status), cell(result.reason));
  }
  return text;
}

}  // namespace dpusim::sweep
