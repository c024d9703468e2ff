// The frames that programs send: UDP over IPv4 with a number in the payload.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dpusim::host {

/// Makes and reads frames "02:00:00:00:00:01 to 02:00:00:00:00:02, 10.0.0.1 to 10.0.0.2, UDP", whose source port tells
/// the flow and whose payload begins with a number.
class TestFrame {
 public:
  /// @param octets with FCS, 64 or more. @param tag tells the frames of one program from others'.
  TestFrame(std::uint32_t octets, std::uint32_t tag);
  /// Returns the length without FCS, as descriptors have it.
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(octets_.size()); }
  /// Writes the frame. The UDP checksum is left to the NIC. @param buffer of size() octets.
  void write(std::span<std::uint8_t> buffer, std::uint16_t flow, std::uint64_t number) const;
  /// Writes the part that differs into a buffer that holds the frame.
  void renew(std::span<std::uint8_t> buffer, std::uint16_t flow, std::uint64_t number) const;
  /// Returns the number of a frame of this tag; nothing when it is another's or too short.
  [[nodiscard]] std::optional<std::uint64_t> number_of(std::span<const std::uint8_t> frame) const;
  /// Exchanges destination and source address of an Ethernet frame.
  static void exchange_addresses(std::span<std::uint8_t> frame);

 private:
  std::vector<std::uint8_t> octets_;
  std::uint32_t tag_;
};

}  // namespace dpusim::host
