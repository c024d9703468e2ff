// The Ethernet frame: one reference-counted object, written once and never copied between blocks.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/units.h"

namespace dpusim {

inline constexpr Bytes kFcs{4};              ///< frame check sequence, IEEE 802.3 clause 3.2.9
inline constexpr Bytes kMinFrame{64};        ///< destination address to FCS, IEEE 802.3 clause 3.2.7 (minFrameSize)
inline constexpr Bytes kPreambleAndSfd{8};   ///< IEEE 802.3 clause 3.2.1, 3.2.2
inline constexpr Bytes kInterPacketGap{12};  ///< IEEE 802.3 table 4-2 (interPacketGap, 96 bits)

/// An Ethernet frame from destination address to the end of payload, without FCS (as capture files have it).
class Frame {
 public:
  explicit Frame(std::vector<std::uint8_t> octets) : octets_(std::move(octets)) {}
  [[nodiscard]] std::span<const std::uint8_t> octets() const { return octets_; }
  [[nodiscard]] std::size_t size() const { return octets_.size(); }
  /// Returns the length with FCS, padded to the least frame: what RMON counters and the wire count.
  [[nodiscard]] Bytes length_with_fcs() const {
    const Bytes length = Bytes(octets_.size()) + kFcs;
    return length < kMinFrame ? kMinFrame : length;
  }
  bool fcs_ok = true;    ///< false when the frame was damaged on the wire
  std::uint64_t id = 0;  ///< number within its source, for traces
  Time first_bit{0};     ///< when its first bit of preamble entered the card, for latency
  Time departure{
      0};  ///< when its first bit of preamble left the card; set by the sending port, 0 before and when it was dropped
 private:
  friend class FramePtr;
  std::vector<std::uint8_t> octets_;
  std::uint32_t references_ = 0;  // the kernel is single-threaded
};

/// Counted pointer to a frame.
class FramePtr {
 public:
  FramePtr() = default;
  explicit FramePtr(Frame* frame) : frame_(frame) { retain(); }
  FramePtr(const FramePtr& other) : frame_(other.frame_) { retain(); }
  FramePtr(FramePtr&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  FramePtr& operator=(FramePtr other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~FramePtr() { release(); }
  [[nodiscard]] Frame* get() const { return frame_; }
  Frame& operator*() const { return *frame_; }
  Frame* operator->() const { return frame_; }
  explicit operator bool() const { return frame_ != nullptr; }

 private:
  void retain() {
    if (frame_ != nullptr) ++frame_->references_;
  }
  void release() {
    if (frame_ != nullptr && --frame_->references_ == 0) delete frame_;
  }
  Frame* frame_ = nullptr;
};

inline FramePtr make_frame(std::vector<std::uint8_t> octets) { return FramePtr(new Frame(std::move(octets))); }

/// Returns the time a frame occupies a wire of `rate`, preamble and inter-packet gap included.
constexpr Time wire_time(Bytes length_with_fcs, BitRate rate) {
  return transfer_time(length_with_fcs + kPreambleAndSfd + kInterPacketGap, rate);
}

}  // namespace dpusim
