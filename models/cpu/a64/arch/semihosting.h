// Arm semihosting (ARM IHI 0100, "Semihosting for AArch32 and AArch64"): console, files, time and exit for test images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "sim/units.h"

namespace dpusim::cpu {

/// The caller's memory by virtual address, under its own translation.
class GuestMemory {
 public:
  virtual ~GuestMemory() = default;
  /// @return false when an octet cannot be accessed.
  virtual bool read(std::uint64_t va, std::span<std::uint8_t> data) = 0;
  virtual bool write(std::uint64_t va, std::span<const std::uint8_t> data) = 0;
};

/// Serves the calls of all PEs of a run. Files live below one directory: absolute names, ".." and symbolic links are
/// refused. Time is simulated time, so that runs repeat exactly.
class Semihosting {
 public:
  using Console = std::function<void(std::string_view)>;
  /// @param directory files are confined to it.
  explicit Semihosting(std::filesystem::path directory);
  ~Semihosting();
  Semihosting(const Semihosting&) = delete;
  Semihosting& operator=(const Semihosting&) = delete;

  void set_console(Console console) { console_ = std::move(console); }
  void set_command_line(std::string line) { command_line_ = std::move(line); }

  /// What a call gives back: the value for X0, or the end of the run.
  struct Answer {
    std::uint64_t value = 0;
    bool exits = false;
    int code = 0;  ///< 0 when the guest reports success, else 1
    std::string reason;
  };
  /// Serves a call. @param operation W0; @param argument X1; @param now simulated time.
  /// An argument block that cannot be read gives -1, and SYS_ERRNO EFAULT.
  Answer call(std::uint32_t operation, std::uint64_t argument, GuestMemory& memory, Time now);

 private:
  struct File {
    int descriptor = -1;  // -1 for the console and the feature file
    bool console = false, readable = true, writable = true;
    std::string contents;      // of the feature file
    std::size_t position = 0;  // in contents
  };
  [[nodiscard]] std::uint64_t fail(int error);
  /// Opens the directory of a confined name. @return its descriptor or -1; `leaf` is the last component.
  int open_parent(const std::string& name, std::string& leaf);
  bool read_name(GuestMemory& memory, std::uint64_t va, std::uint64_t length, std::string& name);
  File* find(std::uint64_t handle);
  std::uint64_t open(GuestMemory& memory, const std::uint64_t* block);
  std::uint64_t close(std::uint64_t handle);
  std::uint64_t write(GuestMemory& memory, const std::uint64_t* block);
  std::uint64_t read(GuestMemory& memory, const std::uint64_t* block);
  std::uint64_t seek(std::uint64_t handle, std::uint64_t position);
  std::uint64_t length(std::uint64_t handle);
  std::uint64_t temporary_name(GuestMemory& memory, const std::uint64_t* block);
  std::uint64_t remove(GuestMemory& memory, const std::uint64_t* block);
  std::uint64_t rename(GuestMemory& memory, const std::uint64_t* block);
  std::uint64_t command_line(GuestMemory& memory, std::uint64_t argument, const std::uint64_t* block);
  void write_string(GuestMemory& memory, std::uint64_t va);

  std::filesystem::path directory_;
  Console console_;
  std::string command_line_;
  std::map<std::uint64_t, File> files_;
  std::uint64_t next_handle_ = 1;
  int errno_ = 0;
};

}  // namespace dpusim::cpu
