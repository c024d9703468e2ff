#include "platform/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace dpusim::platform {
namespace {

std::string short_time(double seconds) {
  if (seconds >= 3600)
    return fmt::format("{:.0f} h {:02.0f} min", seconds / 3600,
                       (seconds - 3600 * static_cast<int>(seconds / 3600)) / 60);
  if (seconds >= 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.0f} s", seconds);
}

}  // namespace

Progress::Progress(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) == 1), begin_(Host::now()), last_(begin_) {}

void Progress::update(Time now, std::optional<double> share) {
  if (!shown_) return;
  const Host::time_point host = Host::now();
  if (host - last_ < std::chrono::milliseconds(100)) return;
  last_ = host;
  const double elapsed = std::chrono::duration<double>(host - begin_).count();
  const double simulated = static_cast<double>(now.count()) * 1e-12;
  std::string line = fmt::format("\r\x1b[K{:.3f} ms simulated", simulated * 1e3);
  if (share) line += fmt::format(", {:.0f} %", 100 * *share);
  line += fmt::format(", {:.3f} ms/s", simulated * 1e3 / elapsed);
  if (share && *share > 0.005) line += fmt::format(", {} to go", short_time(elapsed * (1 - *share) / *share));
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  dirty_ = true;
}

void Progress::clear() {
  if (dirty_) std::fputs("\r\x1b[K", stderr);
  dirty_ = false;
}

}  // namespace dpusim::platform
