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

Time NicEngine::receive_due() const {
  if (placed_) return placed_->write_at;
  const unsigned port = earliest_port();
  if (port == arrivals_.size()) return kTimeMax;
  return std::max(arrivals_[port].front().when, pipeline_free_) + timing_.receive_latency;
}

void NicEngine::step_receive() {
  if (!placed_) {
    const unsigned port = earliest_port();
    Arrival arrival = std::move(arrivals_[port].front());
    arrivals_[port].pop_front();
    pipeline_free_ = std::max(arrival.when, pipeline_free_) + timing_.packet_interval;
    pipeline_busy_ += timing_.packet_interval;
    place(port, std::move(arrival.frame), arrival.when);
    if (!placed_ || placed_->write_at > now_) return;
  }
  write_frame();
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

// Gives the frame a descriptor, or drops it.
void NicEngine::place(unsigned port, FramePtr frame, Time arrived) {
  ++stats_.port_received[port];
  if (!enabled_ || !steering_[port].enabled) return drop(port, nullptr, NicDrop::kDisabled);
  buffer_.drain(arrived);
  const Bytes octets(frame->size());
  if (!buffer_.fits(octets)) return drop(port, nullptr, NicDrop::kBufferFull);
  NicCompletion entry{};
  const unsigned queue = classify(port, *frame, entry);
  if (queue >= receive_.size()) return drop(port, nullptr, NicDrop::kQueueNotReady);
  WorkRing<NicRxDescriptor>& ring = receive_[queue];
  if (!ring.ready()) return drop(port, &queue, NicDrop::kQueueNotReady);
  CompletionRing& completions = completion_[ring.completion_queue];
  if (!completions.ready()) {
    fail(ring, NIC_STATUS_CQ_ERROR);
    return drop(port, &queue, NicDrop::kCompletionQueue);
  }
  if (ring.posted() == 0) return drop(port, &queue, NicDrop::kNoDescriptor);
  if (!completions.has_room()) return drop(port, &queue, NicDrop::kCompletionQueue);
  // Posted and not yet fetched: the pipeline waits for the fetch.
  if (ring.cache.empty() && !fetch(ring)) return drop(port, &queue, NicDrop::kDescriptorError);
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
    return;
  }
  const Time write_at = write_lane_.ready(std::max(now_, cached.ready));
  placed_.emplace(Placed{std::move(frame), cached.descriptor, entry, write_at, completion_queue});
}

void NicEngine::write_frame() {
  Placed placed = std::move(*placed_);
  placed_.reset();
  const std::span<const std::uint8_t> octets = placed.frame->octets();
  const std::size_t length = std::min<std::size_t>(octets.size(), placed.descriptor.length);
  bool ok = true;
  // A write does not change its data; the payload's pointer is not const for reads only.
  const std::span<std::uint8_t> data(const_cast<std::uint8_t*>(octets.data()), length);
  const Time done = dma_split(true, placed.descriptor.address, data, now_, &write_lane_, ok);
  buffer_.add(Bytes(octets.size()), done);
  stats_.receive_buffer.set(static_cast<std::int64_t>(buffer_.held().count()));
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
