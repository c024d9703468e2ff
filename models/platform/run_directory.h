// The directory that a run's results go to.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace dpusim::platform {

/// A run directory, empty at first. Holds effective.json, stats.json, stats.csv, summary.txt, log.txt, captures and
/// what guests write.
class RunDirectory {
 public:
  /// Makes the directory. An earlier run's (it has effective.json) is set aside until keep(); any other that is not
  /// empty is refused.
  /// @error ConfigError.
  explicit RunDirectory(std::filesystem::path path);
  /// Puts an earlier run's directory back when the run did not get as far as keep().
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;
  /// Lets this run's results replace an earlier run's: call when time starts.
  void keep();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Writes a file as a whole: to a temporary name first, so that a killed run leaves no half file. @error OutputError.
  void write(const std::string& name, const std::string& text) const;
  /// Copies a file to where guests read and write files ("files"). @error ConfigError.
  void add_guest_file(const std::filesystem::path& file, const std::string& name) const;
  /// Appends a line to log.txt.
  void log(const std::string& line) { log_ << line << '\n' << std::flush; }

 private:
  void put_back();
  std::filesystem::path path_, earlier_;
  bool kept_ = false;
  std::ofstream log_;
};

}  // namespace dpusim::platform
