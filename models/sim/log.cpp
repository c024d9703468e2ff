#include "sim/log.h"

#include <utility>

#include "sim/error.h"

namespace dpusim {
namespace {
constexpr const char* kLevelNames[] = {"error", "warning", "info", "debug", "trace"};
}

Log::Log(Sink sink, std::function<Time()> clock) : sink_(std::move(sink)), clock_(std::move(clock)) {}

LogLevel Log::level(const std::string& instance) const {
  std::size_t longest = 0;
  LogLevel level = level_;
  for (const auto& [prefix, set] : levels_) {
    const bool covers =
        instance.starts_with(prefix) && (instance.size() == prefix.size() || instance[prefix.size()] == '.');
    if (covers && prefix.size() >= longest) {
      longest = prefix.size();
      level = set;
    }
  }
  return level;
}

void Log::write(LogLevel level, const std::string& instance, const std::string& message) {
  if (level <= LogLevel::kWarning) ++warnings_;
  sink_(level, fmt::format("{:.3f} us {} {}: {}", static_cast<double>(clock_().count()) / 1e6, instance,
                           kLevelNames[static_cast<int>(level)], message));
}

void Log::write_once(LogLevel level, const std::string& instance, const std::string& key, const std::string& message) {
  if (seen_.insert(instance + '\n' + key).second) write(level, instance, message);
}

LogLevel parse_log_level(const std::string& text) {
  for (int i = 0; i < 5; ++i) {
    if (text == kLevelNames[i]) return static_cast<LogLevel>(i);
  }
  throw ConfigError("log level", fmt::format("\"{}\"", text), "one of error, warning, info, debug, trace");
}

}  // namespace dpusim
