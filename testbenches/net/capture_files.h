// Builds capture files octet by octet, as the format drafts say, independently of the code under test.
#pragma once

#include <unistd.h>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace capture_files {

using Octets = std::vector<std::uint8_t>;

/// Appends integers in either byte order.
class Builder {
 public:
  explicit Builder(bool big_endian) : big_(big_endian) {}
  Builder& u16(std::uint16_t value) { return put(value, 2); }
  Builder& u32(std::uint32_t value) { return put(value, 4); }
  Builder& u64(std::uint64_t value) { return put(value, 8); }
  Builder& raw(const Octets& octets) {
    data.insert(data.end(), octets.begin(), octets.end());
    return *this;
  }
  Builder& pad() {
    while (data.size() % 4 != 0) data.push_back(0);
    return *this;
  }
  Octets data;

 private:
  Builder& put(std::uint64_t value, unsigned octets) {
    for (unsigned i = 0; i < octets; ++i)
      data.push_back(static_cast<std::uint8_t>(value >> 8 * (big_ ? octets - 1 - i : i)));
    return *this;
  }
  bool big_;
};

inline Octets pcap_header(bool big, bool nanoseconds, std::uint32_t link = 1, std::uint32_t snap = 65535) {
  return Builder(big).u32(nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4).u16(2).u16(4).u32(0).u32(0).u32(snap).u32(link).data;
}
inline Octets pcap_record(bool big, std::uint32_t seconds, std::uint32_t fraction, const Octets& frame,
                          std::uint32_t original) {
  return Builder(big)
      .u32(seconds)
      .u32(fraction)
      .u32(static_cast<std::uint32_t>(frame.size()))
      .u32(original)
      .raw(frame)
      .data;
}
inline Octets block(bool big, std::uint32_t type, const Octets& body) {
  const auto length = static_cast<std::uint32_t>(body.size() + 12);
  return Builder(big).u32(type).u32(length).raw(body).u32(length).data;
}
inline Octets section(bool big) {
  return block(big, 0x0a0d0d0a, Builder(big).u32(0x1a2b3c4d).u16(1).u16(0).u64(UINT64_MAX).data);
}
/// @param resolution if_tsresol; 6 leaves the option out.
inline Octets interface(bool big, std::uint16_t link, std::uint8_t resolution = 6, std::int64_t offset = 0,
                        std::uint32_t snap = 0) {
  Builder body(big);
  body.u16(link).u16(0).u32(snap);
  if (resolution != 6) body.u16(9).u16(1).raw({resolution}).pad();
  if (offset != 0) body.u16(14).u16(8).u64(static_cast<std::uint64_t>(offset));
  if (resolution != 6 || offset != 0) body.u32(0);
  return block(big, 1, body.data);
}
inline Octets enhanced(bool big, std::uint32_t interface_number, std::uint64_t ticks, const Octets& frame,
                       std::uint32_t original) {
  return block(big, 6,
               Builder(big)
                   .u32(interface_number)
                   .u32(static_cast<std::uint32_t>(ticks >> 32))
                   .u32(static_cast<std::uint32_t>(ticks))
                   .u32(static_cast<std::uint32_t>(frame.size()))
                   .u32(original)
                   .raw(frame)
                   .pad()
                   .data);
}
inline Octets join(const std::vector<Octets>& parts) {
  Octets all;
  for (const Octets& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}
/// Returns a frame of `size` octets whose content depends on `seed`.
inline Octets frame(std::size_t size, std::uint8_t seed) {
  Octets octets(size);
  for (std::size_t i = 0; i < size; ++i) octets[i] = static_cast<std::uint8_t>(seed + i * 7);
  return octets;
}

/// A file that is gone when the test ends.
class TemporaryFile {
 public:
  explicit TemporaryFile(const Octets& content = {}) {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("dpusim-net-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
    write(content);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  void write(const Octets& content) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
  }
  [[nodiscard]] Octets read() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace capture_files
