#include "uart/console.h"

#include <fcntl.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "sim/error.h"

namespace dpusim::uart {

namespace {

std::FILE* open_file(const std::filesystem::path& path, const char* mode, const std::string& parameter) {
  std::FILE* const file = std::fopen(path.c_str(), mode);
  if (file == nullptr) {
    throw ConfigError(parameter, path.string() + " (" + std::generic_category().message(errno) + ")",
                      *mode == 'r' ? "a readable file" : "a file that can be written");
  }
  return file;
}

}  // namespace

Console::Console(const std::string& output, const std::string& input, const std::filesystem::path& run_dir,
                 const std::string& name) {
  const std::filesystem::path log = run_dir / (name + ".log");
  if (!run_dir.empty()) log_.reset(open_file(log, "wb", name));  // a card that is only described writes nothing
  if (output == "stdout") {
    output_.reset(stdout);
  } else if (output == "pty") {
    open_terminal(name);
  } else if (output != "none") {
    const std::filesystem::path path = run_dir / output;
    if (path.lexically_normal() == log.lexically_normal()) {
      throw ConfigError(name + ".output", output, "another file than the log, which is always written");
    }
    output_.reset(open_file(path, "wb", name + ".output"));
  }
  if (!input.empty()) {
    if (terminal_ >= 0) throw ConfigError(name + ".input", input, "none, since the terminal gives the input");
    input_.reset(open_file(input, "rb", name + ".input"));
  }
}

Console::~Console() {
  flush();
  if (terminal_ >= 0) close(terminal_);
  if (terminal_peer_ >= 0) close(terminal_peer_);
}

void Console::open_terminal(const std::string& name) {
  termios raw{};
  cfmakeraw(&raw);
  char path[128] = {};
  if (openpty(&terminal_, &terminal_peer_, path, &raw, nullptr) != 0 || fcntl(terminal_, F_SETFL, O_NONBLOCK) != 0) {
    throw ConfigError(name + ".output", "pty (" + std::generic_category().message(errno) + ")",
                      "a host that has a pseudo-terminal left");
  }
  terminal_path_ = path;  // our copy of the peer stays open, so that a user who detaches does not hang up the line
}

void Console::put(std::uint8_t character) {
  if (log_) std::fputc(character, log_.get());
  if (output_ != nullptr) std::fputc(character, output_.get());
  // A terminal that nobody reads is full at some time; what does not fit is in the log only.
  if (terminal_ >= 0 && write(terminal_, &character, 1) != 1) return;
  if (character == '\n') flush();
}

std::optional<std::uint8_t> Console::get() {
  if (terminal_ >= 0) {
    std::uint8_t character = 0;
    if (read(terminal_, &character, 1) == 1) return character;
    return {};
  }
  if (input_ == nullptr) return {};
  const int character = std::fgetc(input_.get());
  if (character != EOF) return static_cast<std::uint8_t>(character);
  input_.reset();
  return {};
}

void Console::flush() {
  if (log_) std::fflush(log_.get());
  if (output_ != nullptr) std::fflush(output_.get());
}

}  // namespace dpusim::uart
