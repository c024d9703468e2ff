// Statistics as JSON, CSV and Markdown, and snapshots of them.
#include "sim/stats.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/error.h"

namespace dpusim {
namespace {

using nlohmann::ordered_json;

// Calls visit(path below the root, statistic) for every statistic, in order of registration.
template <class Visit>
void for_each(const StatGroup& group, const std::string& prefix, const Visit& visit) {
  for (const Statistic* statistic : group.statistics()) visit(prefix + statistic->name(), *statistic);
  for (const StatGroup* child : group.children()) for_each(*child, prefix + child->name() + '.', visit);
}

ordered_json tree(const StatGroup& group, Time now) {
  ordered_json json = ordered_json::object();
  for (const Statistic* statistic : group.statistics()) {
    json[statistic->name()] = {{"kind", statistic->kind()},
                               {"unit", statistic->unit()},
                               {"text", statistic->text()},
                               {"value", statistic->value_json(now)}};
  }
  for (const StatGroup* child : group.children()) {
    ordered_json below = tree(*child, now);
    if (!below.empty()) json[child->name()] = std::move(below);
  }
  return json;
}

// Quotes as RFC 4180 has it, where need be.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string markdown_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell;
}

}  // namespace

ordered_json stats_to_json(const StatGroup& root, Time now) {
  return {{"schema", {{"name", "dpusim-stats"}, {"version", kStatsSchemaVersion}}},
          {"time_ps", now.count()},
          {"stats", tree(root, now)}};
}

std::string stats_to_csv(const StatGroup& root, Time now) {
  std::string csv = "path,kind,unit,field,value\n";
  for_each(root, "", [&](const std::string& path, const Statistic& statistic) {
    const auto line = [&](const std::string& field, const ordered_json& number) {
      csv += fmt::format("{},{},{},{},{}\n", csv_field(path), statistic.kind(), csv_field(statistic.unit()), field,
                         number.is_null() ? "" : number.dump());
    };
    const ordered_json value = statistic.value_json(now);
    if (!value.is_object()) return line("value", value);
    for (const auto& [field, number] : value.items()) line(field, number);
  });
  return csv;
}

std::string stats_markdown(const StatGroup& root) {
  std::string table = "| Name | Kind | Unit | Text |\n|---|---|---|---|\n";
  for_each(root, "", [&](const std::string& path, const Statistic& statistic) {
    table += fmt::format("| {} | {} | {} | {} |\n", markdown_cell(path), statistic.kind(),
                         markdown_cell(statistic.unit()), markdown_cell(statistic.text()));
  });
  return table;
}

namespace {

/// Returns what a snapshot shows of a statistic; `last` has its cumulative value at `before` and gets the one at `now`.
double interval_value(const Statistic& statistic, Time before, Time now, double& last) {
  const auto since = [&last](double total) { return total - std::exchange(last, total); };
  const auto length = static_cast<double>((now - before).count());
  if (const auto* average = dynamic_cast<const TimeAverage*>(&statistic)) {
    const double area = since(average->area(now));
    return now == before ? average->level() : area / length;
  }
  if (const auto* formula = dynamic_cast<const Formula*>(&statistic)) {
    if (formula->what() == FormulaKind::kTotal) return since(formula->scalar(now));
    if (formula->what() == FormulaKind::kLevel || now == before) return formula->scalar(now);
    return since(formula->scalar(now) * static_cast<double>(now.count())) / length;
  }
  const bool counts =
      dynamic_cast<const Counter*>(&statistic) != nullptr || dynamic_cast<const Histogram*>(&statistic) != nullptr;
  return counts ? since(statistic.scalar(now)) : statistic.scalar(now);
}

}  // namespace

void StatSnapshots::take(Time now) {
  const bool first = rows_.empty();
  const Time before = first ? Time(0) : rows_.back().first;
  DPUSIM_CHECK(first || now > before, "snapshot at {} ps after one at {} ps", now.count(), before.count());
  std::vector<double> row;
  std::size_t column = 0;
  for_each(*root_, "", [&](const std::string& path, const Statistic& statistic) {
    if (first) {
      columns_.push_back(path);
      last_.push_back(0);
    }
    DPUSIM_CHECK(column < columns_.size() && columns_[column] == path, "{} came or went between two snapshots", path);
    row.push_back(interval_value(statistic, before, now, last_[column]));
    ++column;
  });
  DPUSIM_CHECK(column == columns_.size(), "{} went between two snapshots", columns_[column]);
  rows_.emplace_back(now, std::move(row));
}

std::string StatSnapshots::to_csv() const {
  std::string csv = "time_ps";
  for (const std::string& column : columns_) csv += ',' + csv_field(column);
  csv += '\n';
  for (const auto& [time, row] : rows_) {
    csv += fmt::format("{}", time.count());
    for (const double value : row) csv += std::isfinite(value) ? fmt::format(",{}", value) : ",";
    csv += '\n';
  }
  return csv;
}

}  // namespace dpusim
