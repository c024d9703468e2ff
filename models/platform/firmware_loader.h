// Loads firmware images into the card's memory, through its bus.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dpusim::platform {

/// A named address of an image.
struct Symbol {
  std::string name;
  std::uint64_t address, size;
};

/// Octets for an address range; what lies beyond `data` up to `size` is zero (.bss).
struct Segment {
  std::uint64_t address, size;
  std::vector<std::uint8_t> data;
};

/// A firmware image as read from a file.
struct FirmwareImage {
  std::filesystem::path file;
  std::vector<Segment> segments;
  std::uint64_t entry = 0;
  std::vector<Symbol> symbols;  ///< functions and objects, by address

  /// Returns "name+0x10" for an address inside a symbol, or nothing.
  [[nodiscard]] std::optional<std::string> symbolise(std::uint64_t address) const;
};

/// Reads an image. @param argument as of --firmware: "image.elf", or "image.bin@0x4010_0000" for a raw image at an
/// address, which is also its entry. @error ConfigError: no such file, not ELF64 little-endian AArch64 executable,
/// damaged, no loadable segment, raw without address.
FirmwareImage read_firmware(const std::string& argument);

/// Checks that no two images or segments overlap. @error ConfigError naming both.
void check_placement(const std::vector<FirmwareImage>& images);

}  // namespace dpusim::platform
