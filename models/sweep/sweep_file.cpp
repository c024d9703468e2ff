#include "sweep/sweep_file.h"

#include <algorithm>
#include <cmath>

#include "sim/config_json.h"
#include "sim/config_scalar.h"
#include "sim/error.h"
#include "sim/nearest.h"
#include "sim/quantity_text.h"
#include "sweep/json_read.h"

namespace dpusim::sweep {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kRootKeys = {"name", "description", "platform", "scenario", "set",
                                            "run",  "axes",        "measures", "charts"};

/// A run option that a sweep file may set.
struct RunOption {
  enum class Form { kText, kTexts, kTime, kCount, kFidelity };
  const char* key;
  const char* option;
  Form form;
  bool limit = false;  ///< ends runs with exit code 3
};

const std::vector<RunOption>& run_options() {
  using Form = RunOption::Form;
  static const std::vector<RunOption> options = {{"until", "--until", Form::kTime, true},
                                                 {"seed", "--seed", Form::kCount},
                                                 {"fidelity", "--fidelity", Form::kFidelity},
                                                 {"start", "--start", Form::kTime},
                                                 {"warmup", "--warmup", Form::kTime},
                                                 {"settle", "--settle", Form::kTime},
                                                 {"grace", "--grace", Form::kTime},
                                                 {"interval", "--interval", Form::kTime},
                                                 {"max_instructions", "--max-instructions", Form::kCount, true},
                                                 {"firmware", "--firmware", Form::kTexts},
                                                 {"args", "--args", Form::kText},
                                                 {"file", "--file", Form::kTexts},
                                                 {"rx", "--rx", Form::kTexts},
                                                 {"speed", "--speed", Form::kText},
                                                 {"loop", "--loop", Form::kCount},
                                                 {"log", "--log", Form::kTexts}};
  return options;
}

std::string option_text(const RunOption& option, const Json& json, std::string path) {
  const Json& value = strip_annotation(json, path);
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  switch (option.form) {
    case RunOption::Form::kTime:
      parse_quantity<Time>(read_text(value, path), path);
      break;
    case RunOption::Form::kFidelity:
      if (text != "functional" && text != "approximate")
        throw ConfigError(path, found_text(value), R"("functional" or "approximate")");
      break;
    case RunOption::Form::kCount: {
      const TextValue read = read_integer(text);
      if (!read.problem.empty() || read.value < 0 || read.value > static_cast<Wide>(UINT64_MAX))
        throw ConfigError(path, found_text(value), "a whole number from 0 to 2^64 - 1");
      break;
    }
    default:
      if (!value.is_string() && !value.is_number()) throw ConfigError(path, found_text(value), "a string");
  }
  return text;
}

void read_run(SweepFile& sweep, const Json& json, const std::string& path) {
  std::vector<std::string> keys;
  for (const RunOption& option : run_options()) keys.emplace_back(option.key);
  check_keys(json, keys, path);
  sweep.run = json;
  for (const auto& [key, value] : json.items()) {
    const auto& option = *std::find_if(run_options().begin(), run_options().end(),
                                       [&, &name = key](const RunOption& o) { return name == o.key; });
    const std::string here = join_path(path, key);
    std::vector<std::string> texts;
    if (option.form == RunOption::Form::kTexts)
      texts = read_texts(value, here);
    else
      texts = {option_text(option, value, here)};
    // "--option=text", since a text may begin with '-'.
    for (const std::string& text : texts) sweep.arguments.push_back(fmt::format("{}={}", option.option, text));
    sweep.limited = sweep.limited || option.limit;
    if (option.form == RunOption::Form::kFidelity) sweep.functional = texts.front() == "functional";
  }
}

void check_functional(const SweepFile& sweep) {
  for (const Measure& measure : sweep.measures) {
    if (measure.kind != Measure::Kind::kTotal)
      throw ConfigError(measure.path,
                        fmt::format("\"{}\", which depends on time, and functional fidelity", measure.name),
                        R"("total", or "fidelity": "approximate", since functional runs measure no time)");
  }
}

Chart parse_chart(const Json& json, const std::string& path, const std::vector<std::string>& axes,
                  const std::vector<std::string>& measures, const SweepFile& sweep) {
  check_keys(json, {"title", "x", "y", "series", "panel", "scale", "x_scale"}, path);
  Chart chart;
  std::vector<bool> used(axes.size());
  const auto take = [&](const Json& name, const std::string& at) {
    const std::size_t axis = read_name(name, at, axes);
    if (used[axis]) throw ConfigError(at, fmt::format("\"{}\" twice", axes[axis]), "each axis in one role");
    used[axis] = true;
    return axis;
  };
  if (json.contains("x"))
    chart.x = take(json["x"], join_path(path, "x"));
  else
    used[0] = true;
  if (!json.contains("y"))
    throw ConfigError(path, "no \"y\"", "the measures to draw: " + nearest_or_list("", measures));
  const std::string y_path = join_path(path, "y");
  const Json y = json["y"].is_array() ? json["y"] : Json::array({json["y"]});
  if (y.empty()) throw ConfigError(y_path, "an empty list", "at least one measure");
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t measure = read_name(y[i], fmt::format("{}[{}]", y_path, i), measures);
    if (std::find(chart.measures.begin(), chart.measures.end(), measure) != chart.measures.end())
      throw ConfigError(y_path, fmt::format("\"{}\" twice", measures[measure]), "each measure once");
    const std::string& unit = sweep.measures[measure].unit;
    const std::string& first = chart.measures.empty() ? unit : sweep.measures[chart.measures.front()].unit;
    if (unit != first)
      throw ConfigError(y_path, fmt::format("the units \"{}\" and \"{}\"", first, unit),
                        "measures of one unit, and a chart for each unit");
    chart.measures.push_back(measure);
  }
  if (json.contains("series")) chart.series = take(json["series"], join_path(path, "series"));
  if (json.contains("panel")) {
    const Json panels = json["panel"].is_array() ? json["panel"] : Json::array({json["panel"]});
    for (std::size_t i = 0; i < panels.size(); ++i)
      chart.panels.push_back(take(panels[i], fmt::format("{}.panel[{}]", path, i)));
  }
  for (std::size_t axis = axes.size(); axis-- > 0 && !chart.series;) {
    if (used[axis]) continue;
    chart.series = axis;
    used[axis] = true;
  }
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (!used[axis]) chart.panels.push_back(axis);
  }
  if (json.contains("scale")) chart.log_y = read_name(json["scale"], join_path(path, "scale"), {"linear", "log"}) == 1;
  if (json.contains("x_scale"))
    chart.x_scale = static_cast<Chart::Scale>(
        read_name(json["x_scale"], join_path(path, "x_scale"), {"auto", "linear", "log", "category"}));
  const auto& values = sweep.axes[chart.x].values;
  if (chart.x_scale == Chart::Scale::kLinear || chart.x_scale == Chart::Scale::kLog) {
    const bool log = chart.x_scale == Chart::Scale::kLog;
    if (std::any_of(values.begin(), values.end(),
                    [&](const AxisValue& v) { return !v.number || (log && *v.number <= 0); }))
      throw ConfigError(join_path(path, "x_scale"), fmt::format("{} for \"{}\"", json["x_scale"].dump(), axes[chart.x]),
                        log ? "values that are numbers above 0" : "values that are numbers");
  }
  if (json.contains("title")) {
    chart.title = read_text(json["title"], join_path(path, "title"));
  } else {
    for (const std::size_t measure : chart.measures)
      chart.title += (chart.title.empty() ? "" : ", ") + measures[measure];
  }
  return chart;
}

}  // namespace

std::uint64_t SweepFile::points() const {
  std::uint64_t product = 1;
  for (const Axis& axis : axes) product *= axis.values.size();
  return product;
}

std::vector<Chart> parse_charts(const Json& json, const std::string& path, const SweepFile& sweep) {
  std::vector<std::string> axes, measures;
  for (const Axis& axis : sweep.axes) axes.push_back(axis.name);
  for (const Measure& measure : sweep.measures) measures.push_back(measure.name);
  std::vector<Chart> charts;
  if (json.is_null()) {
    for (const std::string& name : measures) charts.push_back(parse_chart({{"y", name}}, path, axes, measures, sweep));
    return charts;
  }
  if (!json.is_array()) throw ConfigError(path, found_text(json), "a list of charts");
  for (std::size_t i = 0; i < json.size(); ++i)
    charts.push_back(parse_chart(json[i], fmt::format("{}[{}]", path, i), axes, measures, sweep));
  return charts;
}

SweepFile parse_sweep(const Json& json, const std::string& stem, const std::filesystem::path& folder) {
  check_keys(json, kRootKeys, "");
  for (const char* key : {"platform", "axes", "measures"}) {
    if (!json.contains(key))
      throw ConfigError("sweep file", fmt::format("no \"{}\"", key), "\"platform\", \"axes\" and \"measures\"");
  }
  SweepFile sweep;
  sweep.folder = folder;
  sweep.name = json.contains("name") ? read_text(json["name"], "name") : stem;
  if (json.contains("description")) sweep.description = read_text(json["description"], "description");
  sweep.platform = read_text(json["platform"], "platform");
  if (json.contains("scenario")) sweep.scenario = read_text(json["scenario"], "scenario");
  if (json.contains("set")) sweep.settings = read_settings(json["set"], "set");
  sweep.run = Json::object();
  if (json.contains("run")) read_run(sweep, json["run"], "run");
  sweep.axes = parse_axes(json["axes"], "axes");
  sweep.measures = parse_measures(json["measures"], "measures");
  std::vector<std::string> columns;
  for (const Axis& axis : sweep.axes) columns.push_back(axis.name);
  for (const Measure& measure : sweep.measures) columns.push_back(measure.name);
  check_unique(columns, "measures", "an axis or a measure");
  if (sweep.functional) check_functional(sweep);
  sweep.charts = parse_charts(json.contains("charts") ? json["charts"] : Json(), "charts", sweep);
  return sweep;
}

SweepFile read_sweep(const std::filesystem::path& file) {
  return parse_sweep(load_config(file), file.stem().string(), std::filesystem::absolute(file).parent_path());
}

}  // namespace dpusim::sweep
