#include <algorithm>

#include "net/queues/nic_engine.h"
#include "sim/error.h"

namespace dpusim::net {

void NicEngine::receive(unsigned port, FramePtr frame, Time when) {
  ++stats_.received;
  stats_.received_octets += frame->size();
  stats_.held.add(1);
  arrivals_[port].push_back({std::move(frame), when});
}

// Ties between ports go to the lower number.
unsigned NicEngine::earliest_port() const {
  unsigned best = static_cast<unsigned>(arrivals_.size());
  for (unsigned port = 0; port < arrivals_.size(); ++port) {
    if (arrivals_[port].empty()) continue;
    if (best == arrivals_.size() || arrivals_[port].front().when < arrivals_[best].front().when) best = port;
  }
  return best;
}

Time NicEngine::arrival_due() const {
  const unsigned port = earliest_port();
  return port == arrivals_.size() ? kTimeMax : arrivals_[port].front().when;
}

// Takes the earliest arrival into the receive buffer, or loses it.
void NicEngine::admit() {
  const unsigned port = earliest_port();
  Arrival arrival = std::move(arrivals_[port].front());
  arrivals_[port].pop_front();
  const Bytes octets(arrival.frame->size());
  buffer_.drain(arrival.when);
  if (!buffer_.fits(waiting_ + octets)) {
    ++stats_.port_received[port];
    return drop(port, nullptr, !enabled_ || !steering_[port].enabled ? NicDrop::kDisabled : NicDrop::kBufferFull);
  }
  waiting_ += octets;
  pipeline_.push_back({std::move(arrival), port});
}

Time NicEngine::pipeline_due(const Arrival& arrival) const {
  return std::max(arrival.when, pipeline_free_) + timing_.receive_latency;
}

Time NicEngine::receive_due() const {
  Time due = kTimeMax;
  if (!pipeline_.empty()) due = pipeline_due(pipeline_.front().arrival);
  if (!fetching_.empty()) due = std::min(due, fetching_.top().ready);
  if (!writable_.empty()) due = std::min(due, write_lane_.ready(writable_.front().ready));
  return due;
}

void NicEngine::step_receive() {
  if (!writable_.empty() && write_lane_.ready(writable_.front().ready) <= now_) return write_frame();
  if (!fetching_.empty() && fetching_.top().ready <= now_) {
    writable_.push_back(fetching_.top());
    fetching_.pop();
    return;
  }
  Admitted next = std::move(pipeline_.front());
  pipeline_.pop_front();
  pipeline_free_ = std::max(next.arrival.when, pipeline_free_) + timing_.packet_interval;
  pipeline_busy_ += timing_.packet_interval;
  const Bytes octets(next.arrival.frame->size());
  if (!place(next.port, std::move(next.arrival.frame))) waiting_ -= octets;
}

// A frame whose descriptor is still being fetched does not hold up those of other queues behind it.
void NicEngine::park(Placed placed) {
  if (placed.ready > now_) {
    fetching_.push(std::move(placed));
  } else {
    writable_.push_back(std::move(placed));
  }
}

// Drops a frame; `queue` is the receive queue it was for, or none.
void NicEngine::drop(unsigned port, const unsigned* queue, NicDrop reason) {
  ++stats_.drops[static_cast<unsigned>(reason)];
  ++stats_.port_dropped[port];
  if (queue != nullptr) ++stats_.receive[*queue].dropped;
  stats_.held.add(-1);
}

// Parses, checks, hashes. @return the receive queue.
unsigned NicEngine::classify(unsigned port, const Frame& frame, NicCompletion& entry) const {
  const PortSteering& steering = steering_[port];
  const Packet packet = parse_packet(frame.octets());
  unsigned flags = (packet.vlan ? unsigned{NIC_RX_VLAN} : 0U) | (packet.fragment ? unsigned{NIC_RX_FRAGMENT} : 0U);
  if (packet.network == Packet::Network::kIpv4) {
    flags |= ipv4_checksum_ok(frame.octets(), packet) ? NIC_RX_IPV4_CHECKSUM_OK : NIC_RX_IPV4_CHECKSUM_BAD;
  }
  const ChecksumState transport = transport_checksum(frame.octets(), packet);
  if (transport == ChecksumState::kOk) flags |= NIC_RX_L4_CHECKSUM_OK;
  if (transport == ChecksumState::kBad) flags |= NIC_RX_L4_CHECKSUM_BAD;
  entry.packet_type =
      static_cast<std::uint8_t>(static_cast<unsigned>(packet.network) | static_cast<unsigned>(packet.transport) << 2U);
  unsigned queue = steering.default_queue;
  if (steering.rss) {
    if (const std::optional<PacketHash> hash = hash_packet(steering.hash, frame.octets(), packet, steering.types)) {
      flags |= NIC_RX_HASH_VALID | (hash->transport ? unsigned{NIC_RX_HASH_L4} : 0U);
      entry.rss_hash = hash->value;
      queue = steering.table[hash->value & 0x7fU];
    }
  }
  entry.flags = static_cast<std::uint16_t>(flags);
  return queue;
}

// Gives the frame a descriptor, or drops it. @return whether it has one.
bool NicEngine::place(unsigned port, FramePtr frame) {
  const auto lose = [&](const unsigned* queue, NicDrop reason) {
    drop(port, queue, reason);
    return false;
  };
  ++stats_.port_received[port];
  if (!enabled_ || !steering_[port].enabled) return lose(nullptr, NicDrop::kDisabled);
  NicCompletion entry{};
  const unsigned queue = classify(port, *frame, entry);
  if (queue >= receive_.size()) return lose(nullptr, NicDrop::kQueueNotReady);
  WorkRing<NicRxDescriptor>& ring = receive_[queue];
  if (!ring.ready()) return lose(&queue, NicDrop::kQueueNotReady);
  CompletionRing& completions = completion_[ring.completion_queue];
  if (!completions.ready()) {
    fail(ring, NIC_STATUS_CQ_ERROR);
    return lose(&queue, NicDrop::kCompletionQueue);
  }
  if (ring.posted() == 0) return lose(&queue, NicDrop::kNoDescriptor);
  if (!completions.has_room()) return lose(&queue, NicDrop::kCompletionQueue);
  // Posted and not yet fetched: the frame waits for the fetch.
  if (ring.cache.empty() && !fetch(ring)) return lose(&queue, NicDrop::kDescriptorError);
  const auto cached = ring.cache.front();
  ring.cache.pop_front();
  entry.timestamp = static_cast<std::uint64_t>(frame->first_bit.count());
  entry.cookie = cached.descriptor.cookie;
  entry.length = static_cast<std::uint32_t>(frame->size());
  entry.index = ring.head++;
  entry.queue = static_cast<std::uint16_t>(queue);
  entry.kind = NIC_KIND_RECEIVE;
  entry.port = static_cast<std::uint8_t>(port);
  ++completions.reserved;
  const std::uint8_t completion_queue = ring.completion_queue;
  if (ring.cached() <= config_.prefetch / 2)
    fetch(ring);  // an error here stops the queue; this frame has its descriptor
  if (cached.descriptor.length == 0 || cached.descriptor.length > kMaxBuffer) {
    entry.status = NIC_STATUS_BAD_LENGTH;
    drop(port, &queue, NicDrop::kDescriptorError);
    complete(completion_queue, entry, std::max(now_, cached.ready), frame->first_bit);
    return false;
  }
  park({std::move(frame), cached.descriptor, entry, std::max(now_, cached.ready), order_++, completion_queue});
  return true;
}

void NicEngine::write_frame() {
  Placed placed = std::move(writable_.front());
  writable_.pop_front();
  const std::span<const std::uint8_t> octets = placed.frame->octets();
  const std::size_t length = std::min<std::size_t>(octets.size(), placed.descriptor.length);
  bool ok = true;
  // A write does not change its data; the payload's pointer is not const for reads only.
  const std::span<std::uint8_t> data(const_cast<std::uint8_t*>(octets.data()), length);
  const Time done = dma_split(true, placed.descriptor.address, data, now_, &write_lane_, ok);
  waiting_ -= Bytes(octets.size());
  buffer_.add(Bytes(octets.size()), done);
  stats_.receive_buffer.set(static_cast<std::int64_t>((buffer_.held() + waiting_).count()));
  const unsigned queue = placed.entry.queue;
  if (!ok) {
    placed.entry.status = NIC_STATUS_DATA_BUS_ERROR;
    drop(placed.entry.port, &queue, NicDrop::kDataError);
  } else if (length < octets.size()) {
    placed.entry.status = NIC_STATUS_BUFFER_SHORT;
    drop(placed.entry.port, &queue, NicDrop::kBufferShort);
  }
  complete(placed.completion_queue, placed.entry, done, placed.frame->first_bit);
}

}  // namespace dpusim::net
