#include "sweep/sweep_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

#include "sim/error.h"

namespace dpusim::sweep {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kSign = "sweep.json";
constexpr const char* kMarker = "point.json";

void write_whole(const fs::path& file, const std::string& text) {
  const fs::path part = file.string() + ".part";
  std::ofstream stream(part, std::ios::binary);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream) fs::rename(part, file, error);
  if (!stream || error) throw OutputError(file.string() + ": no space or no permission to write");
}

std::optional<Json> read_marker(const fs::path& folder) {
  std::ifstream stream(folder / kMarker, std::ios::binary);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf())) return std::nullopt;
  Json json = Json::parse(text.str(), nullptr, false);
  const bool good =
      json.is_object() && json.contains("inputs") && json["inputs"].is_string() && json.contains("results");
  return good ? std::optional(std::move(json)) : std::nullopt;
}

void move(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw OutputError(fmt::format("{}: {}", to.string(), error.message()));
}

}  // namespace

SweepDirectory::SweepDirectory(fs::path path, bool resume) : path_(fs::absolute(std::move(path)).lexically_normal()) {
  if (!path_.has_filename()) path_ = path_.parent_path();  // "sweep/"
  const std::string place = "--out " + path_.string();
  std::error_code error;
  const fs::path aside = path_.parent_path() / ("." + path_.filename().string() + ".earlier");
  // A sweep that was killed before it kept its directory has left an earlier one aside.
  if (fs::exists(aside / kSign, error) && !fs::exists(path_ / kSign, error)) {
    fs::remove_all(path_, error);
    fs::rename(aside, path_, error);
  }
  existed_ = fs::exists(path_, error);
  if (existed_ && !fs::is_directory(path_, error)) throw ConfigError(place, "a file", "a directory");
  const bool used = existed_ && !fs::is_empty(path_, error);
  if (used && !fs::is_regular_file(path_ / kSign, error))
    throw ConfigError(place, "a directory with other files", "an empty one, a new one, or an earlier sweep's");
  fs::create_directories(path_, error);
  if (error) throw ConfigError(place, error.message(), "a directory that can be made");
  (used && !resume ? earlier_lock_ : lock_).take(path_);
  if (used && !resume) {
    if (!fs::exists(path_ / "results.json", error))
      throw ConfigError(place, "a sweep that has not ended", "--resume to go on with it, or another directory");
    fs::remove_all(aside, error);
    fs::rename(path_, aside, error);
    if (error) throw ConfigError(place, error.message(), "an earlier sweep's directory that can be replaced");
    earlier_ = aside;
    fs::create_directories(path_, error);
    lock_.take(path_);
  }
  fs::create_directories(path_ / "points", error);
  if (error || access(path_.c_str(), W_OK) != 0) {
    put_back();
    throw ConfigError(place, "a directory without write permission", "a directory that can be written");
  }
  if (earlier_.empty()) keep();
}

SweepDirectory::Lock::~Lock() {
  if (file_ >= 0) close(file_);
}

void SweepDirectory::Lock::take(const fs::path& directory) {
  file_ = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  throw ConfigError("--out " + directory.string(), "a directory that another sweep is using", "another directory");
}

void SweepDirectory::keep() {
  if (kept_) return;
  kept_ = true;
  write(kSign, Json({{"schema", {{"name", "dpusim-sweep"}, {"version", 1}}}}).dump(2) + "\n");
  std::error_code ignored;
  if (!earlier_.empty()) fs::remove_all(earlier_, ignored);
}

void SweepDirectory::put_back() {
  if (earlier_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  fs::rename(earlier_, path_, ignored);
}

SweepDirectory::~SweepDirectory() {
  std::error_code ignored;
  if (!kept_) put_back();
  if (kept_ && fs::is_empty(path_ / "points", ignored)) {
    fs::remove_all(path_ / "points", ignored);
    if (!fs::exists(path_ / "results.json", ignored)) fs::remove(path_ / kSign, ignored);
    if (!existed_) fs::remove(path_, ignored);  // fails when it is not empty
  }
}

fs::path SweepDirectory::make_point(const std::string& name) const {
  const fs::path folder = point(name);
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error) fs::create_directories(folder, error);
  if (error) throw OutputError(fmt::format("{}: {}", folder.string(), error.message()));
  return folder;
}

std::optional<Json> SweepDirectory::marker(const std::string& name) const { return read_marker(point(name)); }

void SweepDirectory::mark(const std::string& name, const Json& marker) const {
  write_whole(point(name) / kMarker, marker.dump(1, ' ', true, Json::error_handler_t::replace) + "\n");
}

void SweepDirectory::arrange(const std::map<std::string, std::string>& wanted) {
  const auto is_right = [&](const std::string& name, const std::string& digest) {
    const auto found = wanted.find(name);
    return found != wanted.end() && found->second == digest;
  };
  std::set<std::string> right;
  std::map<std::string, fs::path> spare;  // by digest, done points that stand elsewhere
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(path_ / "points")) folders.push_back(entry.path());
  for (const fs::path& folder : folders) {
    const std::optional<Json> json = read_marker(folder);
    const std::string digest = json ? (*json)["inputs"].get<std::string>() : "";
    if (json && is_right(folder.filename(), digest))
      right.insert(folder.filename());
    else if (json)
      spare[digest] = folder;
  }
  // In two steps, since a folder's new name may be another's old one. A sweep that is killed in between finds the first
  // step's names again.
  std::map<std::string, fs::path> moved;
  for (const auto& [name, digest] : wanted) {
    const auto found = spare.find(digest);
    if (right.contains(name) || found == spare.end()) continue;
    const fs::path between = path_ / "points" / ("." + digest);
    if (found->second != between) {
      std::error_code ignored;
      fs::remove_all(between, ignored);
      move(found->second, between);
    }
    moved[name] = between;
    spare.erase(found);
  }
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    bool keep = right.contains(folder.filename());
    for (const auto& [name, between] : moved) keep = keep || between == folder;
    if (!keep) fs::remove_all(folder, ignored);
  }
  for (const auto& [name, between] : moved) move(between, point(name));
}

void SweepDirectory::discard_points() const {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path_ / "points")) fs::remove_all(entry.path(), ignored);
}

void SweepDirectory::write(const std::string& name, const std::string& text) const { write_whole(path_ / name, text); }

}  // namespace dpusim::sweep
