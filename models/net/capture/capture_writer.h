// Writes Ethernet frames to a pcapng file with nanosecond stamps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "sim/units.h"

namespace dpusim::net {

/// Writes one section with one Ethernet interface: equal calls give equal octets.
/// @spec draft-ietf-opsawg-pcapng-02.
class CaptureWriter {
 public:
  /// Makes the file and writes its headers. @param interface_name as Wireshark shows it, such as "p0".
  /// @param speed of the interface; 0 when unknown. @error ConfigError when the file cannot be made.
  CaptureWriter(const std::filesystem::path& path, const std::string& interface_name, BitRate speed = BitRate(0));
  /// Appends a frame. @param when simulated time; stamped in nanoseconds, rounded down, since 1970.
  void write(Time when, std::span<const std::uint8_t> octets);
  /// Writes out what is buffered. @error OutputError when the file could not be written (a full disk), once.
  void flush();
  [[nodiscard]] std::uint64_t frames() const { return frames_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  void put(const std::vector<std::uint8_t>& block);
  std::filesystem::path path_;
  std::ofstream file_;
  std::vector<std::uint8_t> block_;
  std::uint64_t frames_ = 0;
  bool failed_ = false;
};

}  // namespace dpusim::net
