#include "net/capture/capture_writer.h"

#include <cerrno>
#include <cstring>

#include "sim/error.h"

namespace dpusim::net {
namespace {

// Builds a block: type and length in front, length behind, options padded to 32 bits, all little-endian.
class BlockBuilder {
 public:
  BlockBuilder(std::vector<std::uint8_t>& octets, std::uint32_t type) : octets_(octets) {
    octets_.clear();
    put32(type);
    put32(0);
  }
  void put16(std::uint16_t value) { put(value, 2); }
  void put32(std::uint32_t value) { put(value, 4); }
  void put64(std::uint64_t value) { put(value, 8); }
  void put_octets(std::span<const std::uint8_t> octets) {
    octets_.insert(octets_.end(), octets.begin(), octets.end());
    octets_.resize((octets_.size() + 3) / 4 * 4);
  }
  void option(std::uint16_t code, const std::string& text) {
    put16(code);
    put16(static_cast<std::uint16_t>(text.size()));
    put_octets({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  void option(std::uint16_t code, std::uint64_t value, unsigned octets) {
    put16(code);
    put16(static_cast<std::uint16_t>(octets));
    put(value, octets);
    octets_.resize((octets_.size() + 3) / 4 * 4);
  }
  void end_options() { put32(0); }
  void finish() {
    const auto length = static_cast<std::uint32_t>(octets_.size() + 4);
    put32(length);
    for (unsigned i = 0; i < 4; ++i) octets_[4 + i] = static_cast<std::uint8_t>(length >> (8 * i));
  }

 private:
  void put(std::uint64_t value, unsigned octets) {
    for (unsigned i = 0; i < octets; ++i) octets_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  std::vector<std::uint8_t>& octets_;
};

}  // namespace

CaptureWriter::CaptureWriter(const std::filesystem::path& path, const std::string& interface_name, BitRate speed)
    : path_(path) {
  file_.open(path_, std::ios::binary | std::ios::trunc);
  if (!file_)
    throw ConfigError(path_.string(), std::strerror(errno),
                      "a file that can be written");  // NOLINT(concurrency-mt-unsafe)
  BlockBuilder section(block_, 0x0a0d0d0a);
  section.put32(0x1a2b3c4d);
  section.put16(1);
  section.put16(0);
  section.put64(UINT64_MAX);    // section length not given
  section.option(2, "dpusim");  // shb_hardware
  section.option(4, "dpusim");  // shb_userappl
  section.end_options();
  section.finish();
  put(block_);
  BlockBuilder interface(block_, 1);
  interface.put16(1);  // LINKTYPE_ETHERNET
  interface.put16(0);
  interface.put32(0);                                             // no snap length
  interface.option(2, interface_name);                            // if_name
  if (speed.count() != 0) interface.option(8, speed.count(), 8);  // if_speed
  interface.option(9, 9, 1);                                      // if_tsresol: 10^-9
  interface.end_options();
  interface.finish();
  put(block_);
}

void CaptureWriter::write(Time when, std::span<const std::uint8_t> octets) {
  const auto stamp = static_cast<std::uint64_t>(when.count() / 1000);
  BlockBuilder packet(block_, 6);
  packet.put32(0);
  packet.put32(static_cast<std::uint32_t>(stamp >> 32));
  packet.put32(static_cast<std::uint32_t>(stamp));
  packet.put32(static_cast<std::uint32_t>(octets.size()));
  packet.put32(static_cast<std::uint32_t>(octets.size()));
  packet.put_octets(octets);
  packet.finish();
  put(block_);
  ++frames_;
}

void CaptureWriter::put(const std::vector<std::uint8_t>& block) {
  file_.write(reinterpret_cast<const char*>(block.data()), static_cast<std::streamsize>(block.size()));
}

void CaptureWriter::flush() {
  file_.flush();
  if (file_ || failed_) return;
  failed_ = true;
  throw OutputError(path_.string() + ": could not be written whole (is the disk full?)");
}

}  // namespace dpusim::net
