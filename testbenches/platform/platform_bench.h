// What the tests of the platform family share: a folder of their own, platform files, a card.
#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "platform/card.h"
#include "sim/error.h"

namespace dpusim::test {

/// A new folder that goes with the object.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "dpusim-platform-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
};

/// Returns what a ConfigError says; fails the test when there is none.
template <class Function>
std::string error_of(Function function) {
  try {
    function();
  } catch (const ConfigError& error) {
    return error.what();
  }
  FAIL("no ConfigError");
  return {};
}

/// A run's services, and cards from texts.
struct CardBench {
  Folder folder;
  Log log{[](LogLevel, const std::string&) {}, [] { return Time(0); }};
  Simulation simulation{log, 1, Fidelity::kFunctional, folder.path};
  std::unique_ptr<platform::Card> card(const std::string& blocks) {
    const std::string file =
        folder.write("card.json", R"({"name": "small", "description": "A test", "blocks": {)" + blocks + "}}");
    return std::make_unique<platform::Card>(platform::read_platform(file, {}), simulation);
  }
  std::string error(const std::string& blocks) {
    return error_of([&] { card(blocks); });
  }
};

using Catch::Matchers::Contains;

}  // namespace dpusim::test
