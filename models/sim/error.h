// The kinds of failure and how each is reported (docs/architecture.md, "Errors").
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace dpusim {

/// What a user can cause before time starts: wrong use or configuration. Ends a run with exit code 2.
class ConfigError : public std::runtime_error {
 public:
  /// @param place JSON path, file:line or command-line option; @param found what stands there; @param expected what
  /// may.
  ConfigError(std::string place, const std::string& found, const std::string& expected)
      : std::runtime_error(fmt::format("{}: found {}, expected {}", place, found, expected)),
        place_(std::move(place)) {}
  explicit ConfigError(const std::string& message) : std::runtime_error(message) {}
  [[nodiscard]] const std::string& place() const { return place_; }

 private:
  std::string place_;
};

/// Results that could not be written (a full disk). Ends a run with exit code 1; what was written before stays.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What only dpusim itself can cause. Ends a run with exit code 4.
class Defect : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws Defect with the place, the condition, the instance under simulation and the simulated time, if known.
[[noreturn]] void fail_check(const char* file, int line, const char* condition, const std::string& message);

/// Lets the kernel adapter tell fail_check where and when it is; returns a text such as "at 12.5 us".
void set_check_context(std::string (*describe)());

}  // namespace dpusim

/// Checks an invariant of dpusim itself; always compiled in. DPUSIM_CHECK(condition, format, arguments...).
#define DPUSIM_CHECK(condition, ...)                                                    \
  do {                                                                                  \
    if (!(condition)) [[unlikely]]                                                      \
      ::dpusim::fail_check(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
  } while (false)
