#include "net/capture/capture_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "sim/error.h"

namespace dpusim::net {
namespace {

constexpr std::uint32_t kPcapMicro = 0xa1b2c3d4, kPcapNano = 0xa1b23c4d, kByteOrder = 0x1a2b3c4d;
constexpr std::uint32_t kSectionBlock = 0x0a0d0d0a, kInterfaceBlock = 1, kPacketBlock = 2, kSimplePacketBlock = 3,
                        kEnhancedPacketBlock = 6;
constexpr std::uint32_t kLinkEthernet = 1;
constexpr std::uint64_t kPcapHeader = 24, kPcapRecord = 16;
constexpr std::uint32_t kMaxBlock = 16U << 20;  // as Wireshark limits blocks
constexpr std::uint16_t kOptionEnd = 0, kOptionFlags = 2, kOptionResolution = 9, kOptionFcs = 13, kOptionOffset = 14;

static_assert(std::endian::native == std::endian::little, "fields are loaded as on little-endian hosts");

std::uint32_t swap32(std::uint32_t value) { return __builtin_bswap32(value); }

std::uint32_t little32(const std::uint8_t* from) {
  return std::uint32_t{from[0]} | std::uint32_t{from[1]} << 8 | std::uint32_t{from[2]} << 16 |
         std::uint32_t{from[3]} << 24;
}

std::string hex(std::uint32_t value) { return fmt::format("{:#010x}", value); }

}  // namespace

// Where a file stops being what it should be.
struct CaptureReader::Damage {
  std::uint64_t at;
  std::string found, expected;
};

Time elapsed(const CaptureTime& earlier, const CaptureTime& later) {
  constexpr std::int64_t kMaxSeconds = kTimeMax.count() / kPicosecondsPerSecond - 1;
  const std::int64_t seconds = later.seconds - earlier.seconds;
  if (seconds > kMaxSeconds) return kTimeMax;
  return Time(seconds * kPicosecondsPerSecond + later.picoseconds - earlier.picoseconds);
}

CaptureReader::CaptureReader(const std::filesystem::path& path, Warn warn) : path_(path), warn_(std::move(warn)) {
  std::error_code failure;
  const bool regular = std::filesystem::is_regular_file(path_, failure);
  file_.open(path_, std::ios::binary);
  if (!regular || !file_)
    throw ConfigError(path_.string(), regular ? "a file that cannot be read" : "no file", "a pcap or pcapng file");
  size_ = std::filesystem::file_size(path_);
  try {
    open();
  } catch (const Damage& damage) {
    throw ConfigError(describe(damage));
  }
  // The first frame is read here, so that a file without any Ethernet interface is refused before time starts.
  ahead_ = next();
  if (!ahead_ && oddities_.other_link > 0 && !ethernet_seen_) {
    throw ConfigError(fmt::format("{}: offset {}", path_.string(), first_), "interfaces of other link types only",
                      "an Ethernet interface (LINKTYPE 1)");
  }
}

std::string CaptureReader::describe(const Damage& damage) const {
  return fmt::format("{}: offset {}: found {}, expected {}", path_.string(), damage.at, damage.found, damage.expected);
}

void CaptureReader::need(std::uint64_t at, std::uint64_t octets, const char* what) const {
  if (at > size_ || size_ - at < octets) {
    const std::uint64_t left = at > size_ ? 0 : size_ - at;
    throw Damage{at, left == 0 ? std::string("end of file") : fmt::format("{} octets before the end of file", left),
                 fmt::format("{} of {} octets", what, octets)};
  }
}

void CaptureReader::read(std::uint64_t at, void* to, std::size_t octets, const char* what) {
  need(at, octets, what);
  if (cursor_ != at) file_.seekg(static_cast<std::streamoff>(at));
  file_.read(static_cast<char*>(to), static_cast<std::streamsize>(octets));
  if (!file_) throw Damage{at, "a read error", fmt::format("{} of {} octets", what, octets)};
  cursor_ = at + octets;
}

std::uint16_t CaptureReader::load16(const std::uint8_t* from) const {
  return static_cast<std::uint16_t>(swapped_ ? from[0] << 8 | from[1] : from[1] << 8 | from[0]);
}
std::uint32_t CaptureReader::load32(const std::uint8_t* from) const {
  return swapped_ ? swap32(little32(from)) : little32(from);
}
std::uint32_t CaptureReader::read32(std::uint64_t at, const char* what) {
  std::array<std::uint8_t, 4> raw{};
  read(at, raw.data(), raw.size(), what);
  return load32(raw.data());
}

void CaptureReader::open() {
  std::array<std::uint8_t, 4> raw{};
  if (size_ == 0) throw Damage{0, "an empty file", "a pcap or pcapng file"};
  read(0, raw.data(), raw.size(), "magic number");
  const std::uint32_t magic = little32(raw.data());
  if (magic == kSectionBlock) {
    pcapng_ = true;
    open_section();
    first_ = 0;
    at_ = 0;
    return;
  }
  swapped_ = swap32(magic) == kPcapMicro || swap32(magic) == kPcapNano;
  const std::uint32_t native = swapped_ ? swap32(magic) : magic;
  if (native != kPcapMicro && native != kPcapNano) {
    throw Damage{0, "magic number " + hex(magic),
                 "a1b2c3d4 or a1b23c4d (pcap, either byte order) or 0a0d0d0a (pcapng)"};
  }
  nanoseconds_ = native == kPcapNano;
  open_pcap();
}

void CaptureReader::open_pcap() {
  std::array<std::uint8_t, kPcapHeader> header{};
  read(0, header.data(), header.size(), "pcap file header");
  if (const std::uint16_t major = load16(&header[4]); major != 2) {
    throw Damage{4, fmt::format("pcap version {}", major), "2"};
  }
  const std::uint32_t field = load32(&header[20]);
  if (const std::uint32_t link = field & 0xffffU; link != kLinkEthernet) {
    throw Damage{20, fmt::format("link type {}", link), "1 (Ethernet)"};
  }
  // Bit 26 tells that the length of the FCS is known: bits 31:28, in units of 16 bits.
  fcs_ = (field >> 26U & 1U) != 0 ? (field >> 28U) * 2 : 0;
  ethernet_seen_ = true;
  first_ = at_ = kPcapHeader;
}

// Reads the Section Header Block at at_ and passes over it.
void CaptureReader::open_section() {
  std::array<std::uint8_t, 28> header{};
  read(at_, header.data(), header.size(), "section header block");
  const std::uint32_t order = little32(&header[8]);
  if (order != kByteOrder && swap32(order) != kByteOrder)
    throw Damage{at_ + 8, "byte order " + hex(order), hex(kByteOrder)};
  swapped_ = order != kByteOrder;
  const std::uint32_t length = load32(&header[4]);
  if (length < 28 || length % 4 != 0 || length > kMaxBlock) {
    throw Damage{at_ + 4, fmt::format("section header block length {}", length), "28 to 16777216, a multiple of 4"};
  }
  if (const std::uint16_t major = load16(&header[12]); major != 1)
    throw Damage{at_ + 12, fmt::format("pcapng version {}", major), "1"};
  need(at_, length, "section header block");
  if (const std::uint32_t again = read32(at_ + length - 4, "block length"); again != length) {
    throw Damage{at_ + length - 4, fmt::format("trailing block length {}", again), std::to_string(length)};
  }
  interfaces_.clear();
  at_ += length;
}

std::optional<CapturedFrame> CaptureReader::next() {
  if (ahead_) return std::exchange(ahead_, std::nullopt);
  CapturedFrame frame;
  try {
    if (!end_ && (pcapng_ ? next_pcapng(frame) : next_pcap(frame))) {
      last_ = frame.when;
      return frame;
    }
  } catch (const Damage& damage) {
    if (!oddities_.damaged && warn_) warn_(describe(damage) + "; frames before that are used, the rest is ignored");
    oddities_.damaged = true;
  }
  end_ = true;
  count_ = false;
  return std::nullopt;
}

void CaptureReader::rewind() {
  // A rewind before the end would count the same oddities again.
  while (!end_ && next()) {
  }
  file_.clear();
  ahead_.reset();
  end_ = false;
  at_ = first_;
  last_ = {};
  interfaces_.clear();
}

bool CaptureReader::next_pcap(CapturedFrame& frame) {
  if (at_ == size_) return false;
  std::array<std::uint8_t, kPcapRecord> header{};
  read(at_, header.data(), header.size(), "packet record header");
  const std::uint32_t captured = load32(&header[8]), original = load32(&header[12]), fraction = load32(&header[4]);
  const std::uint32_t second = nanoseconds_ ? 1'000'000'000 : 1'000'000;
  // Seconds are unsigned: files reach 2106.
  frame.when = {static_cast<std::int64_t>(load32(header.data())) + fraction / second,
                static_cast<std::int64_t>(fraction % second) * (kPicosecondsPerSecond / second)};
  if (captured > kMaxCaptured) {
    throw Damage{at_ + 8, fmt::format("captured length {}", captured), fmt::format("at most {}", kMaxCaptured)};
  }
  take_octets(at_ + kPcapRecord, captured, original, fcs_, frame);
  at_ += kPcapRecord + captured;
  return true;
}

// Takes a frame without its FCS: of a frame that was cut when captured, only the part of the FCS that is there.
void CaptureReader::take_octets(std::uint64_t at, std::uint32_t captured, std::uint32_t original, std::uint32_t fcs,
                                CapturedFrame& frame) {
  need(at, captured, "packet data");
  // An original length below the captured one is not believed.
  const std::uint32_t whole = std::max(original, captured), length = whole - std::min(fcs, whole);
  const std::uint32_t there = std::min(captured, length);
  frame.octets.resize(there);
  if (there != 0) read(at, frame.octets.data(), there, "packet data");
  if (count_) {
    if (fcs != 0) ++oddities_.fcs_stripped;
    if (length > there) ++oddities_.cut;
    if (length > kMaxCaptured) ++oddities_.oversize;
  }
  frame.octets.resize(std::min(length, kMaxCaptured));
}

bool CaptureReader::next_pcapng(CapturedFrame& frame) {
  while (at_ != size_) {
    std::array<std::uint8_t, 8> header{};
    read(at_, header.data(), header.size(), "block header");
    const std::uint32_t type = load32(header.data());
    if (type == kSectionBlock) {  // the same in both byte orders
      open_section();
      continue;
    }
    const std::uint32_t length = load32(&header[4]);
    if (length < 12 || length % 4 != 0 || length > kMaxBlock) {
      throw Damage{at_ + 4, fmt::format("block length {}", length), "12 to 16777216, a multiple of 4"};
    }
    const std::uint64_t begin = at_;
    need(begin, length, "block");
    bool found = false;
    if (type == kInterfaceBlock) interface_block(begin, length);
    if (type == kEnhancedPacketBlock || type == kPacketBlock || type == kSimplePacketBlock) {
      found = packet_block(type, begin, length, frame);
    }
    if (const std::uint32_t again = read32(begin + length - 4, "block length"); again != length) {
      throw Damage{begin + length - 4, fmt::format("trailing block length {}", again), std::to_string(length)};
    }
    at_ = begin + length;
    if (found) return true;
  }
  return false;
}

void CaptureReader::interface_block(std::uint64_t begin, std::uint32_t length) {
  if (length < 20) throw Damage{begin + 4, fmt::format("interface description block length {}", length), "at least 20"};
  std::vector<std::uint8_t> body(length - 12);
  read(begin + 8, body.data(), body.size(), "interface description block");
  Interface& made = interfaces_.emplace_back();
  made.ethernet = load16(body.data()) == kLinkEthernet;
  made.snap = load32(&body[4]);
  ethernet_seen_ = ethernet_seen_ || made.ethernet;
  for (std::size_t at = 8; at + 4 <= body.size();) {
    const std::uint16_t code = load16(&body[at]), size = load16(&body[at + 2]);
    if (code == kOptionEnd) break;
    if (size > body.size() - at - 4) {
      throw Damage{begin + 8 + at + 2, fmt::format("option length {}", size),
                   fmt::format("at most {}", body.size() - at - 4)};
    }
    const std::uint8_t* value = &body[at + 4];
    if (code == kOptionResolution && size == 1) made.resolution = *value;
    // In bits, as Wireshark reads it; a value below 8 can only be meant in octets, as some writers do.
    if (code == kOptionFcs && size == 1) made.fcs = *value < 8 ? *value : *value / 8U;
    if (code == kOptionOffset && size == 8) {
      const std::uint64_t first = load32(value), second = load32(value + 4);
      made.offset = static_cast<std::int64_t>(swapped_ ? first << 32 | second : second << 32 | first);
    }
    at += 4 + (static_cast<std::size_t>(size) + 3) / 4 * 4;
  }
}

CaptureTime CaptureReader::stamp(const Interface& from, std::uint64_t ticks) const {
  // if_tsresol: negative power of 10, or of 2 with the top bit set. Finer than picoseconds is rounded down.
  const unsigned power = from.resolution & 0x7fU;
  Uint128 per_second = 1;
  if ((from.resolution & 0x80U) != 0) {
    if (power >= 64) return {from.offset, 0};
    per_second = static_cast<Uint128>(1) << power;
  } else {
    if (power >= 20) return {from.offset, 0};
    for (unsigned i = 0; i < power; ++i) per_second *= 10;
  }
  const auto second = static_cast<std::int64_t>(std::min<Uint128>(ticks / per_second, 1ULL << 60));
  const auto rest = static_cast<std::int64_t>(ticks % per_second * kPicosecondsPerSecond / per_second);
  const std::int64_t offset = std::clamp<std::int64_t>(from.offset, -(1LL << 60), 1LL << 60);
  return {second + offset, rest};
}

// Returns whether the block holds an Ethernet frame.
bool CaptureReader::packet_block(std::uint32_t type, std::uint64_t begin, std::uint32_t length, CapturedFrame& frame) {
  const std::uint32_t fixed = type == kSimplePacketBlock ? 4 : 20;
  std::array<std::uint8_t, 20> header{};
  if (length < 12 + fixed)
    throw Damage{begin + 4, fmt::format("packet block length {}", length), fmt::format("at least {}", 12 + fixed)};
  read(begin + 8, header.data(), fixed, "packet block");
  std::uint32_t number = 0, captured = 0, original = 0;
  if (type == kSimplePacketBlock) {
    original = load32(header.data());
  } else {
    number = type == kPacketBlock ? load16(header.data()) : load32(header.data());
    captured = load32(&header[12]);
    original = load32(&header[16]);
  }
  if (number >= interfaces_.size()) {
    throw Damage{begin + 8, fmt::format("interface {}", number),
                 fmt::format("one of the {} described", interfaces_.size())};
  }
  const Interface& from = interfaces_[number];
  const std::uint32_t room = length - 12 - fixed;
  if (type == kSimplePacketBlock) captured = std::min(from.snap == 0 ? original : std::min(original, from.snap), room);
  if (captured > room || captured > kMaxCaptured) {
    throw Damage{begin + 20, fmt::format("captured length {}", captured),
                 fmt::format("at most {}", std::min(room, kMaxCaptured))};
  }
  if (!from.ethernet) {
    if (count_ && ++oddities_.other_link == 1 && warn_) {
      warn_(
          fmt::format("{}: offset {}: packets of interfaces that are not Ethernet are skipped", path_.string(), begin));
    }
    return false;
  }
  if (type == kSimplePacketBlock) {
    frame.when = last_;
    if (count_) ++oddities_.untimed;
  } else {
    frame.when = stamp(from, std::uint64_t{load32(&header[4])} << 32 | load32(&header[8]));
  }
  std::uint32_t fcs = from.fcs;
  if (type != kSimplePacketBlock) {
    const std::uint32_t own = packet_fcs(begin + 8 + fixed + (captured + 3) / 4 * 4, begin + length - 4);
    if (own != 0) fcs = own;
  }
  take_octets(begin + 8 + fixed, captured, original, fcs, frame);
  return true;
}

// Returns the FCS length that a packet block's flags option gives, in octets; 0 when it gives none. @param at where the
// block's options begin, @param end where they end.
std::uint32_t CaptureReader::packet_fcs(std::uint64_t at, std::uint64_t end) {
  while (at + 4 <= end) {
    std::array<std::uint8_t, 8> option{};
    read(at, option.data(), 4, "option");
    const std::uint16_t code = load16(option.data()), size = load16(&option[2]);
    if (code == kOptionEnd || size > end - at - 4) break;  // damaged options cost no frame
    if (code == kOptionFlags && size == 4) return read32(at + 4, "flags option") >> 5U & 0xfU;
    at += 4 + (std::uint64_t{size} + 3) / 4 * 4;
  }
  return 0;
}

}  // namespace dpusim::net
