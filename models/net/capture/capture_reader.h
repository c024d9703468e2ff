// Reads Ethernet frames from pcap and pcapng files, one at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/units.h"

namespace dpusim::net {

/// A point in time of a capture: since 1970 for real ones, since time 0 for simulated ones.
struct CaptureTime {
  std::int64_t seconds = 0;
  std::int64_t picoseconds = 0;  ///< 0 to 10^12 - 1
  auto operator<=>(const CaptureTime&) const = default;
};

/// Returns `later` - `earlier`, limited to what Time holds. @param later not before `earlier`.
Time elapsed(const CaptureTime& earlier, const CaptureTime& later);

/// One frame of a capture.
struct CapturedFrame {
  CaptureTime when;
  std::vector<std::uint8_t> octets;  ///< destination address to end of payload, at its original length without FCS
};

/// What was odd about a capture, counted while it was read.
struct CaptureOddities {
  std::uint64_t cut = 0;           ///< frames that were cut short when captured; padded with zeros
  std::uint64_t oversize = 0;      ///< frames whose original length is above kMaxCaptured; shortened to that
  std::uint64_t other_link = 0;    ///< packets of interfaces that are not Ethernet; skipped
  std::uint64_t fcs_stripped = 0;  ///< frames that the file holds with their FCS, which was taken off
  std::uint64_t untimed = 0;       ///< packets without a time stamp (Simple Packet Block): the previous one's was taken
  bool damaged = false;            ///< the file ends in damage; frames before it were delivered
};

/// Most octets of a frame (libpcap's MAXIMUM_SNAPLEN); a record that claims to hold more is damage.
inline constexpr std::uint32_t kMaxCaptured = 262'144;

/// Reads a capture of any byte order and time resolution, in order of the file, holding one record at a time in memory.
///
/// pcap: magic a1b2c3d4 (microseconds) and a1b23c4d (nanoseconds), version 2.x. pcapng: any sections, interfaces,
/// resolutions and offsets; Enhanced, Simple and (obsolete) Packet Blocks; other blocks are passed over.
/// @spec draft-ietf-opsawg-pcap-04, draft-ietf-opsawg-pcapng-02.
class CaptureReader {
 public:
  using Warn = std::function<void(const std::string&)>;
  /// Opens the file. @param warn hears of a damaged tail and of skipped packets, once each.
  /// @error ConfigError, naming file, octet offset, found and expected: no such file, empty, not a capture, damaged
  /// header, no Ethernet interface.
  explicit CaptureReader(const std::filesystem::path& path, Warn warn = {});
  /// Returns the next frame, or nothing at the end of the file or of its undamaged part.
  std::optional<CapturedFrame> next();
  /// Starts again at the first frame; oddities are not counted twice.
  void rewind();
  [[nodiscard]] const CaptureOddities& oddities() const { return oddities_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  struct Interface {
    bool ethernet = false;
    std::uint32_t snap = 0;
    std::uint8_t resolution = 6;  // if_tsresol
    std::int64_t offset = 0;      // if_tsoffset, seconds
    std::uint32_t fcs = 0;        // if_fcslen, in octets
  };
  struct Damage;
  struct Record;

  void open();
  void open_pcap();
  void open_section();
  bool next_pcap(CapturedFrame& frame);
  bool next_pcapng(CapturedFrame& frame);
  bool packet_block(std::uint32_t type, std::uint64_t begin, std::uint32_t length, CapturedFrame& frame);
  void interface_block(std::uint64_t begin, std::uint32_t length);
  void take_octets(std::uint64_t at, std::uint32_t captured, std::uint32_t original, std::uint32_t fcs,
                   CapturedFrame& frame);
  [[nodiscard]] std::uint32_t packet_fcs(std::uint64_t at, std::uint64_t end);
  [[nodiscard]] CaptureTime stamp(const Interface& from, std::uint64_t ticks) const;
  void need(std::uint64_t at, std::uint64_t octets, const char* what) const;
  void read(std::uint64_t at, void* to, std::size_t octets, const char* what);
  [[nodiscard]] std::uint16_t load16(const std::uint8_t* from) const;
  [[nodiscard]] std::uint32_t load32(const std::uint8_t* from) const;
  std::uint32_t read32(std::uint64_t at, const char* what);
  [[nodiscard]] std::string describe(const Damage& damage) const;

  std::filesystem::path path_;
  Warn warn_;
  std::ifstream file_;
  std::uint64_t size_ = 0;    // of the file
  std::uint64_t cursor_ = 0;  // where the stream stands
  std::uint64_t at_ = 0;      // where the next record or block begins
  std::uint64_t first_ = 0;   // where the first one begins
  std::uint32_t fcs_ = 0;     // of a pcap file: octets of FCS at the end of each frame
  bool swapped_ = false, pcapng_ = false, nanoseconds_ = false, end_ = false, count_ = true, ethernet_seen_ = false;
  std::vector<Interface> interfaces_;
  CaptureTime last_;
  CaptureOddities oddities_;
  std::optional<CapturedFrame> ahead_;
};

}  // namespace dpusim::net
