#include "sim/error.h"

namespace dpusim {
namespace {
std::string (*describe_context)() = nullptr;
}

void set_check_context(std::string (*describe)()) { describe_context = describe; }

void fail_check(const char* file, int line, const char* condition, const std::string& message) {
  throw Defect(fmt::format("{}:{}: check failed: {}: {}{}{}", file, line, condition, message,
                           describe_context != nullptr ? " " : "",
                           describe_context != nullptr ? describe_context() : ""));
}

}  // namespace dpusim
