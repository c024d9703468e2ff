#include "host/nic_queues.h"

#include <fmt/format.h>

#include <bit>

namespace dpusim::host {
namespace {

unsigned log2_of(unsigned entries) { return static_cast<unsigned>(std::bit_width(entries)) - 1; }

constexpr std::uint32_t kEthernetHeader = 14;  // destination, source, type: IEEE 802.3, 3.1.1

// What a status register of a queue tells; one layout for all kinds.
std::optional<std::string> error_of(const char* kind, unsigned number, std::uint32_t status) {
  using namespace nic_regs;
  if ((status & kRXQ_STATUS_STATE_mask) >> kRXQ_STATUS_STATE_shift != NIC_STATE_ERROR) return std::nullopt;
  const auto reason = static_cast<unsigned>((status & kRXQ_STATUS_REASON_mask) >> kRXQ_STATUS_REASON_shift);
  return fmt::format("{} queue {} is in error, reason {} ({})", kind, number, reason, nic_status_name(reason));
}

// Brings a completion queue up.
Task start_completions(HostThread& thread, NicDevice& nic, unsigned number, const CompletionRing& ring,
                       std::uint32_t moderation) {
  co_await thread.write(nic.at(nic_regs::kCQ_BASE_offset, number, 8), nic.dma_address(ring.base()));
  co_await thread.write(nic.at(nic_regs::kCQ_SIZE_offset, number), std::uint32_t{ring.log2()});
  co_await thread.write(nic.at(nic_regs::kCQ_MODERATION_offset, number), moderation);
  co_await thread.write(nic.at(nic_regs::kCQ_CONTROL_offset, number), std::uint32_t{1});
}

}  // namespace

std::string nic_status_name(unsigned status) {
  static constexpr const char* kNames[] = {"OK",
                                           "BUFFER_SHORT",
                                           "BAD_LENGTH",
                                           "BAD_FLAGS",
                                           "DATA_BUS_ERROR",
                                           "DESCRIPTOR_BUS_ERROR",
                                           "COMPLETION_BUS_ERROR",
                                           "BAD_DOORBELL",
                                           "BAD_CONFIGURATION",
                                           "CQ_ERROR"};
  static_assert(std::size(kNames) == NIC_STATUS_CQ_ERROR + 1);
  return status < std::size(kNames) ? kNames[status] : "unknown";
}

NicReceiveQueue::NicReceiveQueue(HostServices& host, NicDevice& nic, HostThread& thread, unsigned number,
                                 unsigned completion_number, unsigned entries, std::uint64_t buffer,
                                 const std::string& who)
    : host_(host),
      nic_(nic),
      thread_(thread),
      number_(number),
      completion_number_(completion_number),
      entries_(entries),
      buffer_(buffer),
      completions_(host, log2_of(entries), thread, who),
      ring_(host.allocator.take(std::uint64_t{entries} * sizeof(NicRxDescriptor), 64, who)),
      buffers_(host.allocator.take(entries * buffer, 64, who)),
      cookies_(entries),
      under_way_(entries) {}

void NicReceiveQueue::use_interrupt(unsigned msix_entry, const Moderation& moderation, const std::string& who) {
  route_ = host_.route_interrupt(nic_.function(), msix_entry, thread_, who);
  moderation_ = moderation;
}

Task NicReceiveQueue::start() {
  if (route_) co_await enable_interrupt(thread_, *route_);
  co_await start_completions(thread_, nic_, completion_number_, completions_, moderation_.value());
  co_await thread_.write(nic_.at(nic_regs::kRXQ_BASE_offset, number_, 8), nic_.dma_address(ring_));
  co_await thread_.write(nic_.at(nic_regs::kRXQ_SIZE_offset, number_), std::uint32_t{log2_of(entries_)});
  co_await thread_.write(nic_.at(nic_regs::kRXQ_CQ_offset, number_), std::uint32_t{completion_number_});
  co_await thread_.write(nic_.at(nic_regs::kRXQ_CONTROL_offset, number_), std::uint32_t{1});
  for (unsigned i = 0; i < entries_; ++i) post(i);
  announced_ = posted_;
  co_await thread_.write(nic_.at(nic_regs::kRXQ_TAIL_offset, number_), std::uint32_t{posted_});
  if (route_) co_await nic_.enable_lines(thread_, std::uint64_t{1} << completion_number_);
}

void NicReceiveQueue::post(std::uint32_t cookie) {
  const NicRxDescriptor descriptor{nic_.dma_address(buffer(cookie)), static_cast<std::uint32_t>(buffer_), cookie};
  cookies_[posted_ & (entries_ - 1)] = cookie;
  under_way_[cookie] = true;
  host_.memory.store(ring_ + (posted_++ & (entries_ - 1)) * sizeof descriptor, descriptor);
}

std::optional<NicCompletion> NicReceiveQueue::take() {
  const auto entry = completions_.take<NicCompletion>();
  const bool known = entry.kind == NIC_KIND_RECEIVE && entry.queue == number_ && entry.cookie < entries_ &&
                     under_way_[entry.cookie] && cookies_[entry.index & (entries_ - 1)] == entry.cookie;
  const bool fits = entry.length >= kEthernetHeader && entry.length <= buffer_;
  if (!known || (entry.status == NIC_STATUS_OK && !fits)) return std::nullopt;
  under_way_[entry.cookie] = false;
  return entry;
}

Task NicReceiveQueue::ring_doorbells() {
  if (consumed_ != completions_.head()) {
    consumed_ = completions_.head();
    co_await thread_.write(nic_.at(nic_regs::kCQ_HEAD_offset, completion_number_), std::uint32_t{consumed_});
  }
  if (announced_ == posted_) co_return;
  announced_ = posted_;
  co_await thread_.write(nic_.at(nic_regs::kRXQ_TAIL_offset, number_), std::uint32_t{posted_});
}

Task NicReceiveQueue::wait(Time until, Time poll, Counter& interrupts) {
  if (!route_) {
    co_await thread_.idle(std::min(until, completions_.next_visible()), HostThread::WakeBy::kMemory, poll);
    co_return;
  }
  co_await thread_.idle(until, HostThread::WakeBy::kInterrupt);
  if (!thread_.interrupt_pending()) co_return;
  thread_.accept_interrupt();
  ++interrupts;
  // The line must fall before the queue is armed again, or no edge follows.
  co_await thread_.write(nic_.at(nic_regs::kINTERRUPT_STATUS_offset), std::uint64_t{1} << completion_number_);
}

Task NicReceiveQueue::arm() {
  consumed_ = completions_.head();
  co_await thread_.write(nic_.at(nic_regs::kCQ_ARM_offset, completion_number_), std::uint32_t{consumed_});
}

std::uint64_t NicReceiveQueue::dropped(Time when) {
  return host_.read_now<std::uint64_t>(nic_.at(nic_regs::kRXQ_DROPPED_offset, number_, 8), when);
}

std::optional<std::string> NicReceiveQueue::error(Time when) {
  using namespace nic_regs;
  const auto own = host_.read_now<std::uint32_t>(nic_.at(kRXQ_STATUS_offset, number_), when);
  if (auto text = error_of("receive", number_, own)) return text;
  const auto completion = host_.read_now<std::uint32_t>(nic_.at(kCQ_STATUS_offset, completion_number_), when);
  return error_of("completion", completion_number_, completion);
}

NicTransmitQueue::NicTransmitQueue(HostServices& host, NicDevice& nic, HostThread& thread, unsigned number,
                                   unsigned completion_number, unsigned port, unsigned entries, std::uint64_t buffer,
                                   const std::string& who)
    : host_(host),
      nic_(nic),
      thread_(thread),
      number_(number),
      completion_number_(completion_number),
      port_(port),
      entries_(entries),
      buffer_(buffer),
      completions_(host, log2_of(entries), thread, who),
      ring_(host.allocator.take(std::uint64_t{entries} * sizeof(NicTxDescriptor), 64, who)),
      cookies_(entries) {
  if (buffer_ > 0) buffers_ = host.allocator.take(entries * buffer_, 64, who);
}

Task NicTransmitQueue::start() {
  co_await start_completions(thread_, nic_, completion_number_, completions_, 0);
  co_await thread_.write(nic_.at(nic_regs::kTXQ_BASE_offset, number_, 8), nic_.dma_address(ring_));
  co_await thread_.write(nic_.at(nic_regs::kTXQ_SIZE_offset, number_), std::uint32_t{log2_of(entries_)});
  co_await thread_.write(nic_.at(nic_regs::kTXQ_CQ_offset, number_), std::uint32_t{completion_number_});
  co_await thread_.write(nic_.at(nic_regs::kTXQ_PORT_offset, number_), std::uint32_t{port_});
  co_await thread_.write(nic_.at(nic_regs::kTXQ_CONTROL_offset, number_), std::uint32_t{1});
}

void NicTransmitQueue::post(std::uint64_t address, std::uint32_t length, std::uint32_t cookie, std::uint32_t flags,
                            std::uint64_t timestamp) {
  const NicTxDescriptor descriptor{nic_.dma_address(address), length, cookie, flags, 0, timestamp};
  cookies_[posted_ & (entries_ - 1)] = cookie;
  host_.memory.store(ring_ + (posted_++ & (entries_ - 1)) * sizeof descriptor, descriptor);
}

std::optional<NicCompletion> NicTransmitQueue::reap() {
  const auto entry = completions_.take<NicCompletion>();
  const bool under_way =
      static_cast<std::uint16_t>(entry.index - freed_) < static_cast<std::uint16_t>(announced_ - freed_);
  if (!under_way || entry.kind != NIC_KIND_TRANSMIT || entry.queue != number_ ||
      cookies_[entry.index & (entries_ - 1)] != entry.cookie)
    return std::nullopt;
  freed_ = static_cast<std::uint16_t>(entry.index + 1);
  return entry;
}

std::optional<std::string> NicTransmitQueue::error(Time when) {
  using namespace nic_regs;
  const auto own = host_.read_now<std::uint32_t>(nic_.at(kTXQ_STATUS_offset, number_), when);
  if (auto text = error_of("transmit", number_, own)) return text;
  const auto completion = host_.read_now<std::uint32_t>(nic_.at(kCQ_STATUS_offset, completion_number_), when);
  return error_of("completion", completion_number_, completion);
}

Task NicTransmitQueue::ring_doorbell() {
  if (announced_ != posted_) {
    announced_ = posted_;
    co_await thread_.write(nic_.at(nic_regs::kTXQ_TAIL_offset, number_), std::uint32_t{posted_});
  }
  // There is at most one completion for each descriptor of the ring, so the NIC's view may lag by half of it.
  if (static_cast<std::uint16_t>(completions_.head() - consumed_) < (entries_ + 1) / 2) co_return;
  consumed_ = completions_.head();
  co_await thread_.write(nic_.at(nic_regs::kCQ_HEAD_offset, completion_number_), std::uint32_t{consumed_});
}

}  // namespace dpusim::host
