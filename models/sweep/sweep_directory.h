// The directory of a sweep: a folder a point, a marker in those that are done, results.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace dpusim::sweep {

/// A sweep directory. Files in it are written under another name first and then renamed, so that a sweep that is killed
/// leaves none half-written. One sweep at a time may use it.
class SweepDirectory {
 public:
  /// Opens or makes it. Without `resume` an earlier sweep that has results is set aside until keep().
  /// @error ConfigError: other files, an earlier sweep without results and no `resume`, in use by another sweep, no
  /// permission.
  SweepDirectory(std::filesystem::path path, bool resume);
  /// Puts an earlier sweep back when this one did not get as far as keep(), and removes a directory that has no point.
  ~SweepDirectory();
  SweepDirectory(const SweepDirectory&) = delete;
  SweepDirectory& operator=(const SweepDirectory&) = delete;

  /// Lets this sweep replace an earlier one: call when a point is done or the sweep has ended.
  void keep();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Returns a point's folder.
  [[nodiscard]] std::filesystem::path point(const std::string& name) const { return path_ / "points" / name; }
  /// Makes a point's folder anew and empty. @error OutputError.
  std::filesystem::path make_point(const std::string& name) const;
  /// Returns a point's marker; nothing when there is none that can be read.
  [[nodiscard]] std::optional<nlohmann::ordered_json> marker(const std::string& name) const;
  /// Marks a point as done. @error OutputError.
  void mark(const std::string& name, const nlohmann::ordered_json& marker) const;
  /// Gives the folders of done points the names at which `wanted` has their inputs' digests, so that a sweep whose axes
  /// have grown keeps them, and removes all other folders. @param wanted digest by name. @error OutputError.
  void arrange(const std::map<std::string, std::string>& wanted);
  /// Removes the points' folders, when no point was right.
  void discard_points() const;
  /// Writes a file of the directory as a whole. @error OutputError.
  void write(const std::string& name, const std::string& text) const;

 private:
  /// A directory that no other process may lock.
  class Lock {
   public:
    Lock() = default;
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    void take(const std::filesystem::path& directory);

   private:
    int file_ = -1;
  };
  void put_back();
  std::filesystem::path path_, earlier_;
  bool kept_ = false, existed_ = false;
  Lock lock_, earlier_lock_;
};

}  // namespace dpusim::sweep
