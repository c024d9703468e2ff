// The page of a sweep: charts and a table in one HTML file that needs no network.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sweep/results.h"

namespace dpusim::sweep {

/// Returns index.html: text, style, data, Chart.js and the script that draws, all inside.
std::string page_html(const SweepFile& sweep, const SweepFacts& facts, const std::vector<PointResult>& results);

/// Returns JSON that may stand in a script element: no '<', '>' or '&' in it.
std::string script_json(const nlohmann::ordered_json& json);
/// Returns text that may stand in an element or a quoted attribute.
std::string html_text(const std::string& text);

/// Files of the folder page, and Chart.js of Debian's libjs-chart.js, as they were when dpusim was built.
namespace page_parts {
std::string_view style();
std::string_view script();
std::string_view frame();
std::string_view chart_library();
}  // namespace page_parts

}  // namespace dpusim::sweep
