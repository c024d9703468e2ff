// Annotations, JSON Schema and Markdown of configuration fields.
#include <fmt/format.h>

#include <algorithm>

#include "sim/config_scalar.h"
#include "sim/error.h"

namespace dpusim {
namespace {

using Json = nlohmann::ordered_json;
using Kind = ScalarSpec::Kind;

const std::vector<std::string> kAnnotationKeys{"value", "source", "confidence"};
const std::vector<std::string> kConfidences{"document", "measured", "derived", "assumed"};

// A '|' would end a table cell.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

Json whole_schema(const ScalarSpec& spec) {
  Json schema = {{"type", "integer"}};
  const auto number = [](Wide value) {
    return value < 0 ? Json(static_cast<std::int64_t>(value)) : Json(static_cast<std::uint64_t>(value));
  };
  schema["minimum"] = number(spec.min);
  schema["maximum"] = number(spec.max);
  return schema;
}

}  // namespace

bool is_annotated(const Json& json) {
  if (!json.is_object() || !json.contains("value")) return false;
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(kAnnotationKeys, key) == kAnnotationKeys.end()) return false;
  }
  return true;
}

const Json& strip_annotation(const Json& json, std::string& path) {
  if (!json.is_object()) return json;
  check_keys(json, kAnnotationKeys, path);
  if (!json.contains("value")) {
    throw ConfigError(place_text(path), "an object without \"value\"",
                      "a plain value, or {\"value\": ..., \"source\": \"...\", \"confidence\": \"document\"}");
  }
  if (json.contains("source") && !json["source"].is_string()) {
    throw ConfigError(join_path(path, "source"), found_text(json["source"]), "a string");
  }
  if (json.contains("confidence")) {
    const Json& confidence = json["confidence"];
    if (!confidence.is_string() ||
        std::ranges::find(kConfidences, confidence.get<std::string>()) == kConfidences.end()) {
      throw ConfigError(join_path(path, "confidence"), found_text(confidence),
                        fmt::format("one of \"{}\"", fmt::join(kConfidences, "\", \"")));
    }
  }
  path = join_path(path, "value");
  return json["value"];
}

Json with_annotations(Json values, const Json& given) {
  if (values.is_object()) {
    if (!given.is_object()) return values;
    for (auto& [key, value] : values.items()) {
      if (given.contains(key)) value = with_annotations(std::move(value), given[key]);
    }
    return values;
  }
  if (is_annotated(given)) {
    Json annotated = given;
    annotated["value"] = with_annotations(std::move(values), given["value"]);
    return annotated;
  }
  if (values.is_array() && given.is_array()) {
    for (std::size_t i = 0; i < values.size() && i < given.size(); ++i) {
      values[i] = with_annotations(std::move(values[i]), given[i]);
    }
  }
  return values;
}

Json scalar_schema(const ScalarSpec& spec) {
  if (!spec.allowed.empty()) {
    Json values = Json::array();
    for (const ScalarValue& value : spec.allowed) values.push_back(write_scalar(spec, value));
    return {{"enum", values}};
  }
  switch (spec.kind) {
    case Kind::kBool:
      return {{"type", "boolean"}};
    case Kind::kString:
      return {{"type", "string"}};
    case Kind::kReal: {
      Json schema = {{"type", "number"}};
      if (spec.bounded_below) schema["minimum"] = spec.real_min;
      if (spec.bounded_above) schema["maximum"] = spec.real_max;
      return schema;
    }
    case Kind::kEnum: {
      Json names = Json::array();
      for (const auto& [name, value] : spec.names) names.push_back(name);
      return {{"enum", names}};
    }
    case Kind::kInteger: {
      Json text = {{"type", "string"}, {"pattern", "^[-+]?([0-9]+(_[0-9]+)*|0[xX][0-9a-fA-F]+(_[0-9a-fA-F]+)*)$"}};
      return {{"anyOf", {whole_schema(spec), text}}};
    }
    case Kind::kQuantity:
      break;
  }
  Json text = {{"type", "string"}, {"pattern", quantity_pattern(*spec.dimension)}};
  if (!spec.dimension->bare) return text;
  return {{"anyOf", {text, whole_schema(spec)}}};
}

std::string scalar_description(const ScalarSpec& spec, const std::string& text) {
  const bool told = spec.kind != Kind::kQuantity && !spec.power_of_two;
  const std::string range = scalar_range_text(spec);
  return told || !spec.allowed.empty() || range.empty() ? text : fmt::format("{} ({})", text, range);
}

Json annotatable_schema(Json plain, const std::string& text, Json default_value) {
  Json annotated = {
      {"type", "object"},
      {"properties", {{"value", plain}, {"source", {{"type", "string"}}}, {"confidence", {{"enum", kConfidences}}}}},
      {"required", {"value"}},
      {"additionalProperties", false}};
  Json schema = Json::object();
  if (!text.empty()) schema["description"] = text;
  if (!default_value.is_null()) schema["default"] = std::move(default_value);
  schema["anyOf"] = {std::move(plain), std::move(annotated)};
  return schema;
}

std::string parameters_markdown(const std::vector<ParameterRow>& rows) {
  std::string table = "| Parameter | Type | Range | Default | Meaning |\n|---|---|---|---|---|\n";
  for (const ParameterRow& row : rows) {
    const std::string value = row.default_value.empty() ? "" : fmt::format("`{}`", cell(row.default_value));
    table += fmt::format("| `{}` | {} | {} | {} | {} |\n", row.key, row.type, cell(row.range), value, cell(row.text));
  }
  return table;
}

}  // namespace dpusim
