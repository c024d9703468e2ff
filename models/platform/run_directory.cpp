#include "platform/run_directory.h"

#include <system_error>

#include "sim/error.h"

namespace dpusim::platform {

namespace fs = std::filesystem;

RunDirectory::RunDirectory(fs::path path) : path_(std::move(path)) {
  if (!path_.has_filename()) path_ = path_.parent_path();  // "run/"
  std::error_code error;
  if (fs::exists(path_) && !fs::is_directory(path_))
    throw ConfigError("--out " + path_.string(), "a file", "a directory");
  if (fs::exists(path_) && !fs::is_empty(path_)) {
    if (!fs::is_regular_file(path_ / "effective.json"))
      throw ConfigError("--out " + path_.string(), "a directory with other files",
                        "an empty one, a new one, or an earlier run's");
    earlier_ = path_.parent_path() / ("." + path_.filename().string() + ".earlier");
    fs::remove_all(earlier_, error);
    fs::rename(path_, earlier_, error);
    if (error)
      throw ConfigError("--out " + path_.string(), error.message(), "an earlier run's directory that can be replaced");
  }
  fs::create_directories(path_, error);
  if (error) throw ConfigError("--out " + path_.string(), error.message(), "a directory that can be made");
  log_.open(path_ / "log.txt");
  if (!log_) throw ConfigError("--out " + path_.string(), "a directory without write permission", "a writable one");
}

RunDirectory::~RunDirectory() {
  if (kept_) return;
  std::error_code ignored;
  log_.close();
  fs::remove_all(path_, ignored);
  if (!earlier_.empty()) fs::rename(earlier_, path_, ignored);
}

void RunDirectory::keep() {
  kept_ = true;
  std::error_code ignored;
  if (!earlier_.empty()) fs::remove_all(earlier_, ignored);
}

void RunDirectory::write(const std::string& name, const std::string& text) const {
  const fs::path file = path_ / name;
  const fs::path part = path_ / (name + ".part");
  std::ofstream stream(part, std::ios::binary);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream) fs::rename(part, file, error);
  if (!stream || error)
    throw ConfigError(file.string(), "no space or no permission to write", "a writable run directory");
}

}  // namespace dpusim::platform
