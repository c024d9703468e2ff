#include "host/test_frame.h"

#include <algorithm>
#include <cstring>

namespace dpusim::host {
namespace {

constexpr std::uint32_t kFcs = 4, kEthernet = 14, kIp = 20, kUdp = 8;
constexpr std::uint32_t kSourcePort = kEthernet + kIp, kPayload = kEthernet + kIp + kUdp;
constexpr std::uint16_t kFirstPort = 1024, kDestinationPort = 9;  // discard, RFC 863
constexpr std::uint8_t kDestination[] = {2, 0, 0, 0, 0, 2}, kSource[] = {2, 0, 0, 0, 0, 1};

void put16(std::uint8_t* at, std::uint32_t value) {
  at[0] = static_cast<std::uint8_t>(value >> 8);
  at[1] = static_cast<std::uint8_t>(value);
}

// The one's complement sum of the header. RFC 791, 3.1.
std::uint32_t header_checksum(const std::uint8_t* header) {
  std::uint32_t sum = 0;
  for (unsigned i = 0; i < kIp; i += 2) sum += static_cast<std::uint32_t>(header[i] << 8 | header[i + 1]);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}

}  // namespace

TestFrame::TestFrame(std::uint32_t octets, std::uint32_t tag) : octets_(octets - kFcs), tag_(tag) {
  std::uint8_t* frame = octets_.data();
  std::copy(std::begin(kDestination), std::end(kDestination), frame);
  std::copy(std::begin(kSource), std::end(kSource), frame + 6);
  put16(frame + 12, 0x0800);
  std::uint8_t* ip = frame + kEthernet;
  const std::uint8_t fixed[kIp] = {0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};
  std::copy(std::begin(fixed), std::end(fixed), ip);
  put16(ip + 2, size() - kEthernet);
  put16(ip + 10, header_checksum(ip));
  put16(frame + kSourcePort, kFirstPort);
  put16(frame + kSourcePort + 2, kDestinationPort);
  put16(frame + kSourcePort + 4, size() - kEthernet - kIp);
  std::memcpy(frame + kPayload + 8, &tag_, sizeof tag_);
  for (std::size_t i = kPayload + 12; i < octets_.size(); ++i) octets_[i] = static_cast<std::uint8_t>(i);
}

void TestFrame::write(std::span<std::uint8_t> buffer, std::uint16_t flow, std::uint64_t number) const {
  std::copy(octets_.begin(), octets_.end(), buffer.begin());
  renew(buffer, flow, number);
}

void TestFrame::renew(std::span<std::uint8_t> buffer, std::uint16_t flow, std::uint64_t number) const {
  put16(buffer.data() + kSourcePort, kFirstPort + flow);
  put16(buffer.data() + kSourcePort + 6, 0);
  std::memcpy(buffer.data() + kPayload, &number, sizeof number);
}

std::optional<std::uint64_t> TestFrame::number_of(std::span<const std::uint8_t> frame) const {
  if (frame.size() < kPayload + 12 || std::memcmp(frame.data() + kPayload + 8, &tag_, sizeof tag_) != 0)
    return std::nullopt;
  std::uint64_t number = 0;
  std::memcpy(&number, frame.data() + kPayload, sizeof number);
  return number;
}

void TestFrame::exchange_addresses(std::span<std::uint8_t> frame) {
  std::swap_ranges(frame.begin(), frame.begin() + 6, frame.begin() + 6);
}

}  // namespace dpusim::host
