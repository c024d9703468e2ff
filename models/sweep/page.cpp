#include "sweep/page.h"

#include <map>

#include "sim/error.h"

namespace dpusim::sweep {
namespace {

using Json = nlohmann::ordered_json;
using Status = PointResult::Status;

std::string escaped(const std::string& text, const std::map<char, std::string>& by) {
  std::string result;
  for (const char c : text) {
    const auto found = by.find(c);
    if (found == by.end())
      result += c;
    else
      result += found->second;
  }
  return result;
}

Json charts_json(const SweepFile& sweep) {
  static constexpr const char* kScales[] = {"auto", "linear", "log", "category"};
  Json charts = Json::array();
  for (const Chart& chart : sweep.charts) {
    charts.push_back({{"title", chart.title},
                      {"x", chart.x},
                      {"y", chart.measures},
                      {"series", chart.series ? Json(*chart.series) : Json()},
                      {"panels", chart.panels},
                      {"log", chart.log_y},
                      {"xScale", kScales[static_cast<int>(chart.x_scale)]}});
  }
  return charts;
}

std::string measure_text(const Measure& measure) {
  static constexpr const char* kWhat[] = {"Rate of ", "Total of ", "", "", "Greatest occupancy of "};
  std::string sources;
  for (const std::string& source : measure.sources) sources += (sources.empty() ? "" : " + ") + source;
  const std::string field = measure.field.empty() ? "" : measure.field + " of ";
  const std::string scale = measure.scale == 1.0 ? "" : fmt::format(", x {}", measure.scale);
  return kWhat[static_cast<int>(measure.kind)] + field + sources + scale;
}

// A point is [status, reason, measures, bottleneck]; its place on the axes follows from its number.
Json data_json(const SweepFile& sweep, const SweepFacts& facts, const std::vector<PointResult>& results) {
  const Json whole = results_json(sweep, facts, {});
  Json data;
  for (const char* key :
       {"dpusim", "name", "description", "platform", "scenario", "set", "run", "seed", "fidelity", "axes"})
    data[key] = whole[key];
  data["measures"] = Json::array();
  for (const Measure& measure : sweep.measures)
    data["measures"].push_back({{"name", measure.name}, {"unit", measure.unit}, {"text", measure_text(measure)}});
  data["charts"] = charts_json(sweep);
  data["points"] = Json::array();
  for (const PointResult& result : results) {
    Json point = {status_text(result.status), result.status == Status::kFailed ? result.reason : ""};
    if (result.status == Status::kDone) {
      Json values = Json::array();
      for (const std::optional<double>& value : result.measured.values) values.push_back(value ? Json(*value) : Json());
      point.push_back(std::move(values));
      const Bottleneck& b = result.measured.bottleneck;
      if (!b.resource.empty()) point.push_back({b.resource, b.occupancy, b.saturated, b.text});
    }
    data["points"].push_back(std::move(point));
  }
  return data;
}

}  // namespace

std::string html_text(const std::string& text) {
  return escaped(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
}

std::string script_json(const Json& json) {
  // These characters stand in JSON's strings only, where they may be written as escapes.
  return escaped(json.dump(-1, ' ', true, Json::error_handler_t::replace),
                 {{'<', "\\u003c"}, {'>', "\\u003e"}, {'&', "\\u0026"}});
}

std::string page_html(const SweepFile& sweep, const SweepFacts& facts, const std::vector<PointResult>& results) {
  const std::map<std::string, std::string> parts = {{"TITLE", html_text(sweep.name)},
                                                    {"STYLE", std::string(page_parts::style())},
                                                    {"DATA", script_json(data_json(sweep, facts, results))},
                                                    {"CHART", std::string(page_parts::chart_library())},
                                                    {"SCRIPT", std::string(page_parts::script())}};
  // One pass over the frame, so that nothing that is put in is read again.
  std::string html;
  const std::string_view frame = page_parts::frame();
  std::size_t at = 0;
  for (std::size_t open = frame.find("@@"); open != std::string_view::npos; open = frame.find("@@", at)) {
    const std::size_t close = frame.find("@@", open + 2);
    DPUSIM_CHECK(close != std::string_view::npos, "a place without its end in page.html");
    html += frame.substr(at, open - at);
    html += parts.at(std::string(frame.substr(open + 2, close - open - 2)));
    at = close + 2;
  }
  return html += frame.substr(at);
}

}  // namespace dpusim::sweep
