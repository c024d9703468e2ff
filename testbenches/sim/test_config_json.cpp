// Parsing and loading of configuration files: sim/config_json.h.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/config_json.h"
#include "sim/error.h"

using namespace dpusim;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

std::string problem(const std::string& text) {
  try {
    (void)parse_json(text, "f.json");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

// A folder that lives as long as the test.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("dpusim_config_" + std::to_string(getpid()));
  Folder() { fs::create_directories(path / "sub"); }
  ~Folder() { fs::remove_all(path); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return path / name;
  }
  std::string at(const std::string& name) const { return (path / name).string(); }
};

std::string load_problem(const fs::path& file) {
  try {
    (void)load_config(file);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

Json merged(const std::string& base, const std::string& over) {
  Json result = Json::parse(base);
  merge_config(result, Json::parse(over), "root");
  return result;
}

}  // namespace

TEST_CASE("JSON of every kind is read, in order, with comments") {
  const Json json = parse_json(R"({ // a comment
    "z": [1, -2, 2.5, 18446744073709551615, true, false, null, "\u00e9\""], /* another
    one */ "a": {"b": {}}, "c": []})",
                               "f.json");
  CHECK(json.dump() ==
        "{\"z\":[1,-2,2.5,18446744073709551615,true,false,null,\"\u00e9\\\"\"],\"a\":{\"b\":{}},\"c\":[]}");
  CHECK(parse_json("5", "x") == 5);
  CHECK(parse_json("\xEF\xBB\xBF{}", "x") == Json::object());  // a byte-order mark
}

TEST_CASE("syntax errors have file, line, column, found and expected") {
  CHECK(problem("{\"a\": }") ==
        "f.json:1:7: found '}', expected a value: an object, a list, a string, a number, true, false or null");
  CHECK(problem("{\n  \"a\": 1,\n  \"b\" 2\n}") == "f.json:3:7: found number literal, expected ':'");
  CHECK(problem("{\"a\": 1,\n}") == "f.json:2:1: found '}', expected a key in double quotes");
  CHECK(problem("[1, 2") == "f.json:1:6: found the end of the text, expected ']'");
  CHECK(problem("") ==
        "f.json:1:1: found the end of the text, expected a value: an object, a list, a string, a number, true, false "
        "or null");
  CHECK(problem("{} {}") == "f.json:1:4: found '{', expected the end of the text");
  CHECK(problem("{\"a\": tru}") == "f.json:1:7: found invalid literal 'tru', expected a valid value");
  CHECK(problem("{\"a\": True}") == "f.json:1:7: found invalid literal 'True', expected a valid value");
  CHECK(problem("{abc: 1}") == "f.json:1:2: found invalid literal 'abc', expected a key in double quotes");
  CHECK(problem("{'a': 1}") == "f.json:1:2: found invalid literal ''', expected a key in double quotes");
  CHECK(problem("[\"ab\" \"c\\\"d\"]") == "f.json:1:7: found string literal, expected ']'");
  CHECK(problem("[1 true]") == "f.json:1:4: found true literal, expected ']'");
  CHECK(problem("{1: 2}") == "f.json:1:2: found number literal, expected a key in double quotes");
  CHECK_THAT(problem("[\n\"abc\n\"]"), Catch::StartsWith("f.json:2:5: found invalid string: control character"));
  // JSON ends the number after the 0; the place is that of the word a reader sees.
  CHECK(problem("[01]") == "f.json:1:2: found number literal, expected ']'");
  CHECK(problem("[\n 1e400]") == "f.json:2:2: found '1e400', expected a number that fits in a double");
  CHECK_THAT(problem("{} /* open"), Catch::Contains("invalid comment"));
}

TEST_CASE("a key twice in one object is an error, in two objects not") {
  CHECK(problem("{\n  \"a\": 1,\n  \"b\": {\"a\": 2},\n  \"a\": 3}") ==
        "f.json:4:3: found key \"a\" a second time in the same object, expected each key once");
  CHECK(problem("[{\"x\": 1, \"x\" : 1}]") ==
        "f.json:1:11: found key \"x\" a second time in the same object, expected each key once");
  CHECK(problem("{\"q\\\"\": 1, \"q\\\"\": 2}") ==
        "f.json:1:12: found key \"q\"\" a second time in the same object, expected each key once");
  // The same key written in another way is the same key.
  CHECK_THAT(problem("{\"a\": 1, \"\\u0061\": 2}"), Catch::StartsWith("f.json:1:10: found key \"a\" a second time"));
  CHECK(problem("[{\"x\": 1}, {\"x\": 1}]") == "accepted");
}

TEST_CASE("nesting ends at 64 levels") {
  CHECK(problem(std::string(64, '[') + std::string(64, ']')) == "accepted");
  CHECK(problem(std::string(65, '[') + std::string(65, ']')) ==
        "f.json:1:65: found nesting deeper than 64 levels, expected less");
}

TEST_CASE("objects merge, lists and scalars replace, null deletes") {
  CHECK(merged(R"({"a": 1, "b": {"c": 2, "d": [1, 2]}})", R"({"b": {"d": [3], "e": 4}, "f": 5})").dump() ==
        R"({"a":1,"b":{"c":2,"d":[3],"e":4},"f":5})");
  CHECK(merged(R"({"a": 1, "b": {"c": 2, "d": 3}})", R"({"b": {"c": null}, "a": null})").dump() == R"({"b":{"d":3}})");
  CHECK(merged(R"({"a": {"b": 1}})", R"({"a": 5})").dump() == R"({"a":5})");
  CHECK(merged(R"({"a": 5})", R"({"a": {"b": 1}})").dump() == R"({"a":{"b":1}})");
}

TEST_CASE("an annotated scalar is one value: it never mixes with another") {
  CHECK(merged(R"({"a": {"value": 1, "source": "s", "confidence": "document"}})", R"({"a": {"value": 2}})").dump() ==
        R"({"a":{"value":2}})");
  CHECK(merged(R"({"a": {"value": 1, "source": "s"}})", R"({"a": 2})").dump() == R"({"a":2})");
  CHECK(merged(R"({"a": 1})", R"({"a": {"value": 2, "source": "t"}})").dump() == R"({"a":{"value":2,"source":"t"}})");
  // A struct that has a parameter "value" beside others is a struct.
  CHECK(merged(R"({"a": {"value": 1, "x": 2}})", R"({"a": {"value": 3, "y": 1}})").dump() ==
        R"({"a":{"value":3,"x":2,"y":1}})");
}

TEST_CASE("null for a key that is not there is an error") {
  Json base = Json::parse(R"({"b": {"rate": 1}})");
  CHECK_THROWS_WITH(merge_config(base, Json::parse(R"({"b": {"raet": null}})"), ""),
                    "b.raet: found null, which deletes a key, expected a key that the extended file has: \"rate\"");
  CHECK_THROWS_WITH(merge_config(base, Json::parse(R"({"c": {"d": {"e": null}}})"), ""),
                    "c.d.e: found null, which deletes a key, expected a key that the extended file has");
}

TEST_CASE("a file extends another, relative to its own folder, through several levels") {
  const Folder folder;
  folder.write("base.json",
               R"({"name": "base", "blocks": {"p0": {"type": "port", "rate": "25Gb/s"}, "p1": {"type": "port"}}})");
  folder.write("sub/mid.json", R"({"extends": "../base.json", "name": "mid", "blocks": {"p1": null}})");
  const fs::path top =
      folder.write("top.json", R"({"extends": "sub/mid.json", "blocks": {"p0": {"rate": "100Gb/s"}}} // end)");
  CHECK(load_config(top).dump() == R"({"name":"mid","blocks":{"p0":{"type":"port","rate":"100Gb/s"}}})");
  CHECK(load_json(top).contains("extends"));
}

TEST_CASE("missing files and cycles name the chain") {
  const Folder folder;
  const fs::path a = folder.write("a.json", R"({"extends": "b.json"})");
  CHECK(load_problem(a) == folder.at("b.json") + ": found no such file (" + folder.at("a.json") + " extends " +
                               folder.at("b.json") + "), expected a JSON file");
  folder.write("b.json", R"({"extends": "sub/../a.json"})");
  CHECK(load_problem(a) == folder.at("b.json") + ": extends: found a cycle: " + folder.at("a.json") + " extends " +
                               folder.at("b.json") + " extends " + folder.at("a.json") +
                               ", expected files that end in one without");
  const fs::path self = folder.write("self.json", R"({"extends": "self.json"})");
  CHECK_THAT(load_problem(self), Catch::Contains("found a cycle: " + self.string() + " extends " + self.string()));
  CHECK(load_problem(folder.path / "none.json") ==
        folder.at("none.json") + ": found no such file, expected a JSON file");
  CHECK_THAT(load_problem(folder.path / "sub"), Catch::Contains("found no such file"));
}

TEST_CASE("a bad file and a bad extends are named") {
  const Folder folder;
  CHECK(load_problem(folder.write("l.json", "[]")) ==
        folder.at("l.json") + ": found a list of 0 elements, expected an object");
  CHECK(load_problem(folder.write("n.json", R"({"extends": 5})")) ==
        folder.at("n.json") + ": extends: found 5, expected the path of a JSON file, relative to this one");
  CHECK(load_problem(folder.write("e.json", "")) ==
        folder.at("e.json") + ": found an empty file, expected a JSON file");
  CHECK_THAT(load_problem(folder.write("s.json", "{\n\"a\" 1}")),
             Catch::StartsWith(folder.at("s.json") + ":2:5: found number"));
  folder.write("base.json", R"({"a": {"b": 1}})");
  CHECK(load_problem(folder.write("d.json", R"({"extends": "base.json", "a": {"c": null}})")) ==
        folder.at("d.json") +
            ": a.c: found null, which deletes a key, expected a key that the extended file has: \"b\"");
  // An error in the extended file is that file's.
  folder.write("broken.json", "{");
  CHECK_THAT(load_problem(folder.write("x.json", R"({"extends": "broken.json"})")),
             Catch::StartsWith(folder.at("broken.json") + ":1:2: found the end of the text"));
}
