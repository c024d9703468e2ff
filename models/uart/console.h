// The host's end of a serial line: standard output, a file or a pseudo-terminal, and always a log in the run directory.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace dpusim::uart {

/// Carries characters between a UART and the host.
class Console {
 public:
  /// @param output "stdout", "pty", "none", or a file relative to `run_dir`; @param input empty, or a file whose octets
  /// are received (relative to the working directory); @param name the instance, which names the log
  /// `<run_dir>/<name>.log`.
  /// @error ConfigError when a file or pseudo-terminal cannot be opened.
  Console(const std::string& output, const std::string& input, const std::filesystem::path& run_dir,
          const std::string& name);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// Sends a character to the host. Output is written out at each line end and by flush().
  void put(std::uint8_t character);
  /// Takes the next character from the host. @return nothing when none is there now.
  std::optional<std::uint8_t> get();
  /// Tells that get() can give something, now (a file) or some time (a terminal).
  [[nodiscard]] bool has_input() const { return input_ != nullptr || terminal_ >= 0; }
  /// Tells that characters come from outside of simulated time.
  [[nodiscard]] bool live() const { return terminal_ >= 0; }
  /// Returns the path of the pseudo-terminal to attach to; empty without one.
  [[nodiscard]] const std::string& terminal() const { return terminal_path_; }
  void flush();

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };
  using File = std::unique_ptr<std::FILE, Close>;
  void open_terminal(const std::string& name);

  File log_, output_, input_;
  int terminal_ = -1, terminal_peer_ = -1;
  std::string terminal_path_;
};

}  // namespace dpusim::uart
