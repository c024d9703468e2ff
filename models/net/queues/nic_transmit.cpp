#include <algorithm>

#include "net/queues/nic_engine.h"

namespace dpusim::net {

// Finds the queue to serve next and when: round robin among those that can go at the earliest time any can.
NicEngine::TransmitChoice NicEngine::transmit_due() const {
  if (!enabled_ || active_transmit_ == 0) return {kTimeMax, 0};
  std::array<Time, kMaxNicTransmitQueues> ready;
  Time earliest = kTimeMax;
  std::uint32_t able = 0;
  for (std::uint32_t left = active_transmit_; left != 0; left &= left - 1) {
    const auto queue = static_cast<unsigned>(__builtin_ctz(left));
    const WorkRing<NicTxDescriptor>& ring = transmit_[queue];
    if (ring.cache.empty()) continue;  // stopped since
    const CompletionRing& completions = completion_[ring.completion_queue];
    if (completions.ready() && !completions.has_room()) continue;  // consume() makes room
    const PortOut& out = out_[ring.port];
    ready[queue] = std::max({ring.cache.front().ready, out.taken[out.next], completions.room_at, enabled_at_});
    earliest = std::min(earliest, ready[queue]);
    able |= 1U << queue;
  }
  if (able == 0) return {kTimeMax, 0};
  const Time when = read_lane_.ready(std::max(earliest, now_));
  // Rotated so that the queue after the last served comes first.
  for (unsigned i = 1; i <= kMaxNicTransmitQueues; ++i) {
    const unsigned queue = (last_served_ + i) % kMaxNicTransmitQueues;
    if ((able >> queue & 1U) != 0 && ready[queue] <= when) return {when, queue};
  }
  return {kTimeMax, 0};
}

void NicEngine::step_transmit(unsigned queue) {
  WorkRing<NicTxDescriptor>& ring = transmit_[queue];
  last_served_ = queue;
  CompletionRing& completions = completion_[ring.completion_queue];
  if (!completions.ready()) {
    active_transmit_ &= ~(1U << queue);
    return fail(ring, NIC_STATUS_CQ_ERROR);
  }
  const NicTxDescriptor descriptor = ring.cache.front().descriptor;
  ring.cache.pop_front();
  NicCompletion entry{};
  entry.cookie = descriptor.cookie;
  entry.length = descriptor.length;
  entry.index = ring.head++;
  entry.queue = static_cast<std::uint16_t>(queue);
  entry.kind = NIC_KIND_TRANSMIT;
  entry.port = ring.port;
  ++stats_.transmit_descriptors;
  ++completions.reserved;
  const unsigned completion_queue = ring.completion_queue;
  const Time when = send_frame(descriptor, entry);
  if (ring.cached() <= config_.prefetch / 2) fetch(ring);
  if (ring.cache.empty()) active_transmit_ &= ~(1U << queue);
  if (entry.status != NIC_STATUS_OK) {
    ++stats_.transmit_errors;
    ++stats_.transmit[queue].dropped;
  } else {
    ++stats_.sent;
    stats_.sent_octets += descriptor.length;
    ++stats_.transmit[queue].frames;
    stats_.transmit[queue].octets += descriptor.length;
    if ((descriptor.flags & NIC_TX_COMPLETION) == 0) {
      --completions.reserved;
      return;
    }
  }
  complete(completion_queue, entry, when, Time(0));
}

// Reads, completes and hands over a frame. @return when its completion is due; entry.status says how it went.
Time NicEngine::send_frame(const NicTxDescriptor& descriptor, NicCompletion& entry) {
  if ((descriptor.flags & ~std::uint32_t{NIC_TX_FLAGS}) != 0 || descriptor.reserved != 0) {
    entry.status = NIC_STATUS_BAD_FLAGS;
    return now_;
  }
  if (descriptor.length < kLeastFrame || descriptor.length > config_.max_frame.count()) {
    entry.status = NIC_STATUS_BAD_LENGTH;
    return now_;
  }
  std::vector<std::uint8_t> octets(descriptor.length);
  bool ok = true;
  const Time read = dma_split(false, descriptor.address, octets, now_, &read_lane_, ok);
  if (!ok) {
    entry.status = NIC_STATUS_DATA_BUS_ERROR;
    return read;
  }
  if ((descriptor.flags & (NIC_TX_IPV4_CHECKSUM | NIC_TX_L4_CHECKSUM)) != 0) {
    const Packet packet = parse_packet(octets);
    if ((descriptor.flags & NIC_TX_IPV4_CHECKSUM) != 0) insert_ipv4_checksum(octets, packet);
    if ((descriptor.flags & NIC_TX_L4_CHECKSUM) != 0) insert_transport_checksum(octets, packet);
  }
  const FramePtr frame = make_frame(std::move(octets));
  frame->id = sent_++;
  const Time ingress(static_cast<std::int64_t>(std::min<std::uint64_t>(descriptor.timestamp, INT64_MAX)));
  frame->first_bit = ingress;
  PortOut& out = out_[entry.port];
  const Time start = std::max(read + timing_.transmit_latency, out.earliest);
  const NicEnvironment::SendResult sent = environment_.send(entry.port, frame, start);
  out.earliest = sent.next;
  out.taken[out.next] = sent.taken;
  if (++out.next == out.taken.size()) out.next = 0;
  const Time departure = frame->departure;
  entry.timestamp = static_cast<std::uint64_t>(departure.count());
  if (departure > Time(0)) {
    stats_.transmit_latency.record(departure - now_);
    if (ingress > Time(0) && departure >= ingress) stats_.transit_latency.record(departure - ingress);
  }
  return std::max(sent.taken, departure);
}

}  // namespace dpusim::net
