#include "sweep/sweep_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace dpusim::sweep {

std::string bar(double share, unsigned width) {
  const auto full = static_cast<unsigned>(std::clamp(share, 0.0, 1.0) * width);
  return "[" + std::string(full, '#') + std::string(width - full, '.') + "]";
}

std::string short_time(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(std::max(seconds, 0.0)));
  if (whole < 60) return fmt::format("{} s", whole);
  const std::uint64_t minutes = (whole + 59) / 60;
  return minutes < 60 ? fmt::format("{} min", minutes) : fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

SweepProgress::SweepProgress(bool wanted, std::uint64_t points, std::uint64_t done)
    : shown_(wanted),
      terminal_(isatty(STDERR_FILENO) == 1),
      points_(points),
      before_(done),
      begin_(Host::now()),
      last_(begin_) {
  if (shown_ && done > 0) fmt::print(stderr, "{} of {} points are done already\n", done, points);
  if (terminal_) draw();
}

SweepProgress::~SweepProgress() { clear(); }

void SweepProgress::ended(std::uint64_t number, const std::string& point, const std::string& reason) {
  ++ended_;
  if (!reason.empty()) ++failed_;
  if (!shown_) return;
  if (!reason.empty()) {
    clear();
    fmt::print(stderr, "point {} failed ({}): {}\n", number + 1, point, reason);
  }
  if (terminal_) {
    draw();
  } else if (reason.empty()) {
    fmt::print(stderr, "{}/{} point {} done ({})\n", before_ + ended_, points_, number + 1, point);
  }
}

void SweepProgress::refresh() {
  if (terminal_ && Host::now() - last_ >= std::chrono::milliseconds(100)) draw();
}

void SweepProgress::draw() {
  if (!shown_) return;
  last_ = Host::now();
  const std::uint64_t done = before_ + ended_;
  std::string line =
      fmt::format("\r\x1b[K{} {}/{}", bar(static_cast<double>(done) / static_cast<double>(points_), 30), done, points_);
  if (failed_ > 0) line += fmt::format(", {} failed", failed_);
  if (ended_ > 0 && done < points_) {
    const double elapsed = std::chrono::duration<double>(last_ - begin_).count();
    line += fmt::format(", {} to go",
                        short_time(elapsed / static_cast<double>(ended_) * static_cast<double>(points_ - done)));
  }
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  dirty_ = true;
}

void SweepProgress::clear() {
  if (dirty_) std::fputs("\r\x1b[K", stderr);
  dirty_ = false;
}

}  // namespace dpusim::sweep
