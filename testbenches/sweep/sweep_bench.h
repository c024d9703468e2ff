// What the tests of sweeps share: sweeps from JSON text, a folder of their own, and the simulator's stand-in.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/config_json.h"
#include "sim/error.h"
#include "sweep/sweep.h"

namespace dpusim::sweep::test {

inline SweepFile sweep_of(const std::string& text, const std::filesystem::path& folder = "/") {
  return parse_sweep(parse_json(text, "test.json"), "test", folder);
}

/// Returns the message of the ConfigError that `call` throws; empty when it throws none.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

inline std::string error_of_file(const std::string& text) {
  return error_of([&] { sweep_of(text); });
}

/// A sweep with axes and measures as given.
inline std::string with_axes(const std::string& axes, const std::string& more = "") {
  return R"({"platform": "bluefield2", "measures": [{"name": "Forwarded", "unit": "Gb/s", "rate": "p1.ifOutOctets", "scale": 8e-9}], "axes": )" +
         axes + more + "}";
}

/// A folder that is removed again.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "dpusim-sweep-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Returns the three results of a sweep, one after the other.
inline std::string results_of(const std::filesystem::path& out) {
  return content(out / "results.csv") + content(out / "results.json") + content(out / "index.html");
}

inline Simulator fake() { return {DPUSIM_SOURCE_DIR "/testbenches/sweep/fake_dpusim.py", "0.0.test", "fake", {}}; }

inline SweepOptions quiet(const std::filesystem::path& out, unsigned jobs = 2, bool resume = false) {
  SweepOptions options;
  options.out = out;
  options.jobs = jobs;
  options.resume = resume;
  options.quiet = true;
  return options;
}

}  // namespace dpusim::sweep::test
