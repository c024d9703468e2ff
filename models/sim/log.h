// Messages of instances, by level, stamped with simulated time.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>
#include <string>

#include "sim/units.h"

namespace dpusim {

enum class LogLevel { kError, kWarning, kInfo, kDebug, kTrace };

/// Writes a run's messages. One per run; instances write through a Logger.
class Log {
 public:
  using Sink = std::function<void(LogLevel, const std::string& line)>;
  /// @param sink receives each line ("12.500 us uart0 warning: ..."); @param clock gives simulated time.
  Log(Sink sink, std::function<Time()> clock);
  /// Sets the most detailed level shown, for all instances or, with a prefix such as "nic" or "cpu.core3", for some.
  void set_level(LogLevel level) { level_ = level; }
  void set_level(const std::string& prefix, LogLevel level) { levels_[prefix] = level; }
  [[nodiscard]] LogLevel level(const std::string& instance) const;
  void write(LogLevel level, const std::string& instance, const std::string& message);
  /// Writes a message only the first time this key is seen.
  void write_once(LogLevel level, const std::string& instance, const std::string& key, const std::string& message);
  /// Returns the number of warnings and errors written so far.
  [[nodiscard]] unsigned warnings() const { return warnings_; }

 private:
  Sink sink_;
  std::function<Time()> clock_;
  LogLevel level_ = LogLevel::kWarning;
  std::map<std::string, LogLevel> levels_;
  std::set<std::string> seen_;
  unsigned warnings_ = 0;
};

/// Parses "error", "warning", "info", "debug" or "trace". @error ConfigError.
LogLevel parse_log_level(const std::string& text);

/// An instance's voice in the log. Formatting is skipped when the level is off.
class Logger {
 public:
  Logger(Log& log, std::string instance) : log_(&log), instance_(std::move(instance)), level_(log.level(instance_)) {}
  [[nodiscard]] bool enabled(LogLevel level) const { return level <= level_; }
  template <class... Args>
  void operator()(LogLevel level, fmt::format_string<Args...> format, Args&&... args) const {
    if (enabled(level)) log_->write(level, instance_, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void once(LogLevel level, const std::string& key, fmt::format_string<Args...> format, Args&&... args) const {
    if (enabled(level)) log_->write_once(level, instance_, key, fmt::format(format, std::forward<Args>(args)...));
  }
  [[nodiscard]] const std::string& instance() const { return instance_; }

 private:
  Log* log_;
  std::string instance_;
  LogLevel level_;
};

}  // namespace dpusim
