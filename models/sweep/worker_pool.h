// Child processes, several at a time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dpusim::sweep {

/// Starts programs and waits for their ends. Each has a process group of its own, so that Ctrl-C reaches only this
/// process, and is killed by the kernel when this process dies, so that none outlives it.
class WorkerPool {
 public:
  /// A program that has ended.
  struct End {
    std::uint64_t number;  ///< as given to start()
    int code;              ///< exit code; 128 + the signal that ended it, as shells have it
    int signal;            ///< 0: it ended by itself
  };
  WorkerPool() = default;
  /// Ends what still runs.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Starts `command` (a path and its arguments) in folder `cwd`, its standard output dropped and its standard error in
  /// a file. A program that cannot be started ends with code 127. @error OutputError: no process can be made.
  void start(std::uint64_t number, const std::vector<std::string>& command, const std::filesystem::path& cwd,
             const std::filesystem::path& error_file);
  /// Waits until a program ends or `milliseconds` have passed or a signal came in.
  std::optional<End> wait(int milliseconds);
  [[nodiscard]] std::size_t running() const { return numbers_.size(); }
  /// Asks all to end (SIGTERM), or ends them (SIGKILL).
  void signal_all(int signal) const;

 private:
  std::map<pid_t, std::uint64_t> numbers_;
};

}  // namespace dpusim::sweep
