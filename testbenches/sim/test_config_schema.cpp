// schema() and markdown(). The validator below knows the keywords of JSON Schema 2020-12 that schema() uses, refuses to
// see any other, and knows nothing of the tables.
#include <catch2/catch.hpp>
#include <regex>
#include <set>
#include <string>

#include "test_config_structs.h"

using namespace config_test;
using Json = nlohmann::ordered_json;

namespace {

bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  throw std::logic_error("unknown type " + type);
}

bool valid(const Json& value, const Json& schema) {
  static const std::set<std::string> known{"$schema",
                                           "title",
                                           "description",
                                           "default",
                                           "type",
                                           "enum",
                                           "anyOf",
                                           "pattern",
                                           "minimum",
                                           "maximum",
                                           "properties",
                                           "required",
                                           "additionalProperties",
                                           "items",
                                           "minItems",
                                           "maxItems"};
  for (const auto& [key, ignored] : schema.items()) {
    if (known.count(key) == 0) throw std::logic_error("unknown keyword " + key);
  }
  if (schema.contains("type") && !has_type(value, schema["type"])) return false;
  if (schema.contains("enum")) {
    bool found = false;
    for (const Json& allowed : schema["enum"]) found = found || allowed == value;
    if (!found) return false;
  }
  if (schema.contains("anyOf")) {
    bool found = false;
    for (const Json& choice : schema["anyOf"]) found = found || valid(value, choice);
    if (!found) return false;
  }
  if (value.is_string() && schema.contains("pattern") &&
      !std::regex_search(value.get<std::string>(), std::regex(schema["pattern"].get<std::string>()))) {
    return false;
  }
  if (value.is_number() && schema.contains("minimum") && value < schema["minimum"]) return false;
  if (value.is_number() && schema.contains("maximum") && value > schema["maximum"]) return false;
  if (value.is_array()) {
    if (schema.contains("minItems") && value.size() < schema["minItems"]) return false;
    if (schema.contains("maxItems") && value.size() > schema["maxItems"]) return false;
    for (const Json& element : value) {
      if (schema.contains("items") && !valid(element, schema["items"])) return false;
    }
  }
  if (value.is_object()) {
    if (schema.contains("required")) {
      for (const Json& key : schema["required"]) {
        if (!value.contains(key.get<std::string>())) return false;
      }
    }
    for (const auto& [key, member] : value.items()) {
      const bool named = schema.contains("properties") && schema["properties"].contains(key);
      if (named && !valid(member, schema["properties"][key])) return false;
      if (!named && schema.contains("additionalProperties") && schema["additionalProperties"] == false) return false;
    }
  }
  return true;
}

// Configurations that the table takes.
const std::vector<std::string> kGood{
    "{}",
    R"({"rate": "25Gb/s", "mtu": 1500, "lanes": 8})",
    R"({"rate": "25 Gb/s", "mtu": "1_500", "base": "0x4000_0000"})",
    R"({"mtu": {"value": "9kB", "source": "s", "confidence": "document"}})",
    R"({"banks": [{"tRCD": 3}, {"factor": {"value": 1}}]})",
    R"({"map": {"value": [1, {"value": 2}], "confidence": "assumed"}, "modes": ["open"], "mode": "closed"})",
    R"({"seed": "0xff", "offset": -5, "ways": 16, "delay": "0", "speed": "10Gb/s", "load": 1e9, "enabled": false, "name": ""})"};

// Configurations that neither takes. (A schema cannot tell a text's range or unit factor, so those are the table's
// alone.)
const std::vector<std::string> kBad{R"({"raet": "25Gb/s"})",
                                    R"({"rate": 25})",
                                    R"({"rate": "25GB/s"})",
                                    R"({"rate": null})",
                                    R"({"mtu": 63})",
                                    R"({"mtu": 9979})",
                                    R"({"mtu": true})",
                                    R"({"mtu": {"value": 63}})",
                                    R"({"mtu": {"source": "x"}})",
                                    R"({"mtu": {"value": 64, "confidence": "sure"}})",
                                    R"({"mtu": {"value": 64, "why": "x"}})",
                                    R"({"lanes": 3})",
                                    R"({"seed": -1})",
                                    R"({"offset": -6})",
                                    R"({"offset": "ten"})",
                                    R"({"ways": 256})",
                                    R"({"mode": "ajar"})",
                                    R"({"timing": 5})",
                                    R"({"timing": {"tRCD": 101}})",
                                    R"({"timing": {"x": 1}})",
                                    R"({"timing": {"factor": "0.5"}})",
                                    R"({"banks": [{}, {}, {}]})",
                                    R"({"banks": [5]})",
                                    R"({"map": []})",
                                    R"({"map": [8]})",
                                    R"({"map": [{"value": 8}]})",
                                    R"({"modes": ["closed"]})",
                                    R"({"name": 5})",
                                    R"({"enabled": "yes"})",
                                    R"({"load": -1})",
                                    R"({"speed": "40Gb/s"})",
                                    R"([])"};

}  // namespace

TEST_CASE("the schema takes what the table takes, and its dump and effective configuration") {
  const Json schema = Port::table().schema();
  for (const std::string& text : kGood) {
    INFO(text);
    REQUIRE_NOTHROW(parse(text));
    CHECK(valid(Json::parse(text), schema));
    CHECK(valid(Port::table().dump(parse(text)), schema));
    CHECK(valid(Port::table().effective(Json::parse(text), ""), schema));
  }
}

TEST_CASE("the schema refuses what the table refuses") {
  const Json schema = Port::table().schema();
  for (const std::string& text : kBad) {
    INFO(text);
    CHECK_THROWS_AS(parse(text), ConfigError);
    CHECK_FALSE(valid(Json::parse(text), schema));
  }
}

TEST_CASE("the schema has title, descriptions, defaults and draft") {
  const Json schema = Port::table().schema();
  CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK(schema["title"] == "Ethernet port");
  CHECK(schema["type"] == "object");
  CHECK(schema["additionalProperties"] == false);
  const Json& properties = schema["properties"];
  CHECK(properties.size() == Port::table().keys().size());
  CHECK(properties["rate"]["description"] == "Line rate (1Gb/s to 800Gb/s)");
  CHECK(properties["rate"]["default"] == "100Gb/s");
  CHECK(properties["map"]["default"] == Json::parse("[1, 2]"));
  CHECK(properties["timing"]["description"] == "Timings");
  CHECK(properties["timing"]["properties"]["tRCD"]["default"] == "22cycles");
  CHECK_FALSE(properties["timing"].contains("$schema"));
  CHECK(properties["mode"]["anyOf"][0] == Json::parse(R"({"enum": ["open", "closed"]})"));
}

namespace {

struct Outer {
  Timing fast{Cycles(11), 0.25};
  static const ConfigTable<Outer>& table() {
    static const ConfigTable<Outer> table("Outer", {field("fast", &Outer::fast, "Fast")});
    return table;
  }
};

}  // namespace

TEST_CASE("a nested struct's defaults are those of the struct around it") {
  CHECK(Outer::table().schema()["properties"]["fast"]["properties"]["tRCD"]["default"] == "11cycles");
  CHECK(Outer::table().parse(Json::parse(R"({"fast": {"factor": 1}})"), "").fast.trcd == Cycles(11));
  CHECK(Outer::table().markdown() ==
        "| Parameter | Type | Range | Default | Meaning |\n"
        "|---|---|---|---|---|\n"
        "| `fast.tRCD` | cycles | 1cycles to 100cycles | `\"11cycles\"` | Activate to read |\n"
        "| `fast.factor` | number | 0.0 to 1.5 | `0.25` | A factor |\n");
}

TEST_CASE("markdown has a row a parameter, with type, range, default and text") {
  const std::string table = Port::table().markdown();
  using Catch::Contains;
  CHECK_THAT(table, Contains("| `rate` | bit rate | 1Gb/s to 800Gb/s | `\"100Gb/s\"` | Line rate |\n"));
  CHECK_THAT(table, Contains("| `lanes` | integer | 1, 2, 4, 8 | `4` | Number of lanes |\n"));
  CHECK_THAT(table, Contains("| `seed` | integer |  | `18446744073709551615` | Seed |\n"));
  CHECK_THAT(table, Contains("| `ways` | integer | power of two, 1 to 128 | `8` | Ways |\n"));
  CHECK_THAT(table, Contains("| `mode` | name | \"open\", \"closed\" | `\"closed\"` | Page policy |\n"));
  CHECK_THAT(table,
             Contains("| `timing.tRCD` | cycles | 1cycles to 100cycles | `\"22cycles\"` | Activate to read |\n"));
  CHECK_THAT(table, Contains("| `banks` | list | 0 to 2 elements | `[]` | Banks |\n"));
  CHECK_THAT(table, Contains("| `banks[].factor` | number | 0.0 to 1.5 | `0.5` | A factor |\n"));
  CHECK_THAT(table, Contains("| `map[]` | integer | 0 to 7 |  | Each element |\n"));
  CHECK_THAT(table, Contains("Modes \\| allowed"));  // a bar in a text does not end the cell
}
