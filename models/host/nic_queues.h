// Receive and transmit queues of a NIC as a driver keeps them: rings, completion rings and buffers in host memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/completion_ring.h"
#include "host/nic_device.h"

namespace dpusim::host {

/// Returns the name of a NIC_STATUS_*, without the prefix.
[[nodiscard]] std::string nic_status_name(unsigned status);

/// Moderation of a completion queue's interrupt (CQ_MODERATION).
struct Moderation {
  unsigned count = 0;
  Time time{0};
  [[nodiscard]] std::uint32_t value() const { return count | static_cast<std::uint32_t>(time.count() / 100'000) << 16; }
};

/// A receive queue, its completion queue, and one buffer an entry.
class NicReceiveQueue {
 public:
  /// Takes memory. @param number of the queue and of its completion queue in the NIC. @param entries of the ring, a
  /// power of two.
  NicReceiveQueue(HostServices& host, NicDevice& nic, HostThread& thread, unsigned number, unsigned completion_number,
                  unsigned entries, std::uint64_t buffer, const std::string& who);
  /// Leads the queue's interrupt to its thread; otherwise it is polled.
  void use_interrupt(unsigned msix_entry, const Moderation& moderation, const std::string& who);
  [[nodiscard]] unsigned number() const { return number_; }
  [[nodiscard]] unsigned entries() const { return entries_; }
  [[nodiscard]] CompletionRing& completions() { return completions_; }
  /// Returns the host address of a buffer; its number is the cookie of what was received into it.
  [[nodiscard]] std::uint64_t buffer(std::uint32_t cookie) const { return buffers_ + std::uint64_t{cookie} * buffer_; }

  /// Sets the queue up and posts all buffers. Await it.
  Task start();
  /// Makes the descriptor of a buffer, which the NIC hears of with ring_doorbells().
  void post(std::uint32_t cookie);
  /// Takes the next completion; call after completions().available() has told of it. From then on its buffer is the
  /// caller's, to post() again. Nothing when no posted buffer explains it: it is not this queue's, its cookie is not
  /// what its descriptor has, or a good frame is shorter than an Ethernet header or longer than the buffer.
  std::optional<NicCompletion> take();
  /// Returns how many descriptors the NIC has not heard of.
  [[nodiscard]] unsigned unannounced() const { return static_cast<std::uint16_t>(posted_ - announced_); }
  /// Tells the NIC what was consumed and posted. Await it.
  Task ring_doorbells();
  /// Idles until there is something to consume: an interrupt, whose line it clears, or the next poll that finds
  /// something; or `until`.
  /// @param poll time that a look at an empty ring takes. @param interrupts counts handlers entered. Await it.
  Task wait(Time until, Time poll, Counter& interrupts);
  /// Asks for an interrupt when more is there. Await it, after having consumed all that was seen.
  Task arm();
  [[nodiscard]] bool interrupt_driven() const { return route_.has_value(); }
  /// Returns the queue's counter of dropped frames. @param when the run's time.
  [[nodiscard]] std::uint64_t dropped(Time when);
  /// Tells why the queue or its completion queue is in error, if so. @param when the run's time.
  [[nodiscard]] std::optional<std::string> error(Time when);

 private:
  HostServices& host_;
  NicDevice& nic_;
  HostThread& thread_;
  unsigned number_, completion_number_, entries_;
  std::uint64_t buffer_;
  CompletionRing completions_;
  std::uint64_t ring_, buffers_;
  std::vector<std::uint32_t> cookies_;  // by ring entry
  std::vector<bool> under_way_;         // by cookie: the NIC has the buffer
  std::uint16_t posted_ = 0, announced_ = 0, consumed_ = 0;
  std::optional<InterruptRoute> route_;
  Moderation moderation_;
};

/// A transmit queue, its completion queue, and optionally a buffer an entry.
class NicTransmitQueue {
 public:
  NicTransmitQueue(HostServices& host, NicDevice& nic, HostThread& thread, unsigned number, unsigned completion_number,
                   unsigned port, unsigned entries, std::uint64_t buffer, const std::string& who);
  [[nodiscard]] unsigned entries() const { return entries_; }
  [[nodiscard]] CompletionRing& completions() { return completions_; }
  /// Returns how many more descriptors the ring takes.
  [[nodiscard]] unsigned room() const { return entries_ - static_cast<std::uint16_t>(posted_ - freed_); }
  /// Returns the counter of the first descriptor that is not completed yet.
  [[nodiscard]] std::uint16_t oldest() const { return freed_; }
  /// Returns the counter of the next descriptor.
  [[nodiscard]] std::uint16_t next() const { return posted_; }
  /// Returns the host address of the buffer of the next descriptor.
  [[nodiscard]] std::uint64_t next_buffer() const {
    return buffers_ + std::uint64_t{posted_ & (entries_ - 1)} * buffer_;
  }

  /// Sets the queue up. Await it.
  Task start();
  /// Makes a descriptor. @param address host address of the frame. @param timestamp see NicTxDescriptor.
  void post(std::uint64_t address, std::uint32_t length, std::uint32_t cookie, std::uint32_t flags,
            std::uint64_t timestamp);
  /// Takes the next completion, which completes all descriptors up to its own; at least one. Nothing when none that is
  /// under way explains it.
  std::optional<NicCompletion> reap();
  /// Tells why the queue or its completion queue is in error, if so. @param when the run's time.
  [[nodiscard]] std::optional<std::string> error(Time when);
  [[nodiscard]] bool unannounced() const { return posted_ != announced_; }
  /// Tells the NIC what was posted, and what completions were consumed when they are many. Await it.
  Task ring_doorbell();

 private:
  HostServices& host_;
  NicDevice& nic_;
  HostThread& thread_;
  unsigned number_, completion_number_, port_, entries_;
  std::uint64_t buffer_;
  CompletionRing completions_;
  std::uint64_t ring_, buffers_ = 0;
  std::vector<std::uint32_t> cookies_;  // by ring entry
  std::uint16_t posted_ = 0, announced_ = 0, freed_ = 0, consumed_ = 0;
};

}  // namespace dpusim::host
