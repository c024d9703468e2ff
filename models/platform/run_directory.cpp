#include "platform/run_directory.h"

#include <system_error>

#include "sim/error.h"

namespace dpusim::platform {

namespace fs = std::filesystem;

RunDirectory::RunDirectory(fs::path path) : path_(std::move(path)) {
  if (!path_.has_filename()) path_ = path_.parent_path();  // "run/"
  const std::string place = "--out " + path_.string();
  std::error_code error;
  const fs::path aside = path_.parent_path() / ("." + path_.filename().string() + ".earlier");
  // A run that was killed before it kept its directory has left an earlier one aside.
  if (fs::exists(aside, error) && !fs::exists(path_ / "effective.json", error)) {
    fs::remove_all(path_, error);
    fs::rename(aside, path_, error);
  }
  if (fs::exists(path_, error) && !fs::is_directory(path_)) throw ConfigError(place, "a file", "a directory");
  if (fs::exists(path_, error) && !fs::is_empty(path_, error)) {
    if (!fs::is_regular_file(path_ / "effective.json"))
      throw ConfigError(place, "a directory with other files", "an empty one, a new one, or an earlier run's");
    earlier_ = aside;
    fs::remove_all(earlier_, error);
    fs::rename(path_, earlier_, error);
    if (error) throw ConfigError(place, error.message(), "an earlier run's directory that can be replaced");
  }
  fs::create_directories(path_ / "files", error);
  if (!error) log_.open(path_ / "log.txt");
  if (error || !log_) {
    put_back();
    throw ConfigError(place, error ? error.message() : "a directory without write permission",
                      "a directory that can be made and written");
  }
}

void RunDirectory::put_back() {
  std::error_code ignored;
  log_.close();
  fs::remove_all(path_, ignored);
  if (!earlier_.empty()) fs::rename(earlier_, path_, ignored);
}

RunDirectory::~RunDirectory() {
  if (!kept_) put_back();
}

void RunDirectory::keep() {
  kept_ = true;
  std::error_code ignored;
  if (!earlier_.empty()) fs::remove_all(earlier_, ignored);
}

void RunDirectory::add_guest_file(const fs::path& file, const std::string& name) const {
  std::error_code error;
  fs::copy_file(file, path_ / "files" / name, error);
  if (error) throw ConfigError("--file " + file.string(), error.message(), "a readable file");
}

void RunDirectory::write(const std::string& name, const std::string& text) const {
  const fs::path file = path_ / name;
  const fs::path part = path_ / (name + ".part");
  std::ofstream stream(part, std::ios::binary);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream) fs::rename(part, file, error);
  if (!stream || error) throw OutputError(file.string() + ": no space or no permission to write");
}

}  // namespace dpusim::platform
