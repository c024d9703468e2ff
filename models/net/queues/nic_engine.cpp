#include "net/queues/nic_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/error.h"

namespace dpusim::net {
namespace {

NicTiming timing_of(const NicConfig& config, Fidelity fidelity) {
  if (fidelity == Fidelity::kFunctional) return {};
  return {config.packet_interval, config.receive_latency, config.transmit_latency, config.doorbell_latency,
          config.interrupt_latency};
}

}  // namespace

NicEngine::NicEngine(const NicConfig& config, const BlockContext& context, NicEnvironment& environment)
    : config_(config),
      context_(context),
      environment_(environment),
      timing_(timing_of(config, context.fidelity)),
      stats_(context.stats, config.ports, config.receive_queues, config.transmit_queues, config.completion_queues),
      steering_(config.ports),
      receive_(config.receive_queues),
      transmit_(config.transmit_queues),
      completion_(config.completion_queues),
      moderation_(config.completion_queues),
      arrivals_(config.ports),
      buffer_(config.receive_buffer),
      write_lane_(config.dma_rate, config.outstanding),
      read_lane_(config.dma_rate, config.outstanding),
      out_(config.ports) {
  for (PortOut& out : out_) out.taken.assign(config.transmit_buffer, Time(0));
  add_utilisation("rx_pipeline_utilisation", "receive pipeline", [this](Time at) {
    return at > Time(0) ? static_cast<double>(pipeline_busy_.count()) / static_cast<double>(at.count()) : 0.0;
  });
  add_utilisation("dma_write_utilisation", "DMA engine's write data path",
                  [this](Time at) { return write_lane_.utilisation(at); });
  add_utilisation("dma_read_utilisation", "DMA engine's read data path",
                  [this](Time at) { return read_lane_.utilisation(at); });
  add_utilisation("dma_write_slots_utilisation", "average slot for outstanding DMA writes",
                  [this](Time at) { return write_lane_.slots_utilisation(at); });
  add_utilisation("dma_read_slots_utilisation", "average slot for outstanding DMA reads",
                  [this](Time at) { return read_lane_.slots_utilisation(at); });
}

void NicEngine::add_utilisation(const char* name, const char* what, std::function<double(Time)> compute) {
  utilisation_.emplace_back(context_.stats, name, "ratio",
                            fmt::format("Fraction of the run in which the {} was in use", what), std::move(compute),
                            FormulaKind::kTimeMean);
}

void NicEngine::schedule(Event event, unsigned queue, Time when) {
  calendar_.push({std::max(when, now_), order_++, event, static_cast<std::uint8_t>(queue)});
}

Time NicEngine::next_due() const {
  const Time first = calendar_.empty() ? kTimeMax : calendar_.top().when;
  // An arrival needs no attention of its own until the pipeline takes it: run() looks at it in time order all the same.
  const unsigned port = pipeline_.empty() ? earliest_port() : static_cast<unsigned>(arrivals_.size());
  const Time arriving = port < arrivals_.size() ? pipeline_due(arrivals_[port].front()) : kTimeMax;
  return std::min({first, receive_due(), arriving, transmit_due().when});
}

void NicEngine::run(Time until) {
  for (;;) {
    const Time event = calendar_.empty() ? kTimeMax : calendar_.top().when;
    const Time arrival = arrival_due(), receive = receive_due();
    const TransmitChoice choice = transmit_due();
    const Time due = std::min({event, arrival, receive, choice.when});
    if (due > until) return;
    now_ = std::max(now_, due);
    // Ties: completions, doorbells and interrupts, then receive, then transmit.
    if (due == event) {
      const Due head = calendar_.top();
      calendar_.pop();
      dispatch(head);
    } else if (due == receive) {
      step_receive();
    } else if (due == arrival) {
      admit();
    } else {
      step_transmit(choice.queue);
    }
  }
}

void NicEngine::dispatch(const Due& due) {
  switch (due.event) {
    case Event::kFetchReceive:
      receive_[due.queue].fetch_scheduled = false;
      fetch_receive(due.queue);
      break;
    case Event::kFetchTransmit:
      transmit_[due.queue].fetch_scheduled = false;
      fetch_transmit(due.queue);
      break;
    case Event::kCompletion:
      write_completion(due.queue, due.when);
      break;
    case Event::kInterrupt:
      raise_interrupt(due.queue, due.when);
      break;
  }
}

// Splits at multiples of the burst size, as AXI does not let a burst cross 4 KiB (Arm IHI 0022 A3.4.1). @return when
// all is done.
Time NicEngine::dma_split(bool write, std::uint64_t address, std::span<std::uint8_t> data, Time when, DmaLane* lane,
                          bool& ok) {
  Time done = when;
  const std::uint64_t burst = config_.burst.count();
  ok = true;
  for (Time start = when; !data.empty();) {
    const std::size_t octets = std::min<std::uint64_t>(data.size(), burst - address % burst);
    const NicEnvironment::DmaResult result = environment_.dma(write, address, data.first(octets), start);
    ++(write ? stats_.dma_writes : stats_.dma_reads);
    (write ? stats_.dma_write_octets : stats_.dma_read_octets) += octets;
    done = std::max(done, result.done);
    ok = ok && result.ok;
    if (lane != nullptr) lane->issue(start, Bytes(octets), result.done);
    data = data.subspan(octets);
    address += octets;
    if (lane != nullptr && !data.empty()) start = lane->ready(start);
  }
  return done;
}

void NicEngine::set_enabled(bool enabled, Time when) {
  if (enabled && !enabled_) enabled_at_ = when;
  enabled_ = enabled;
}

void NicEngine::enable_receive(unsigned queue, std::uint64_t base, unsigned log2, unsigned completion_queue) {
  WorkRing<NicRxDescriptor>& ring = receive_[queue];
  ring.start(base, log2);
  ring.completion_queue = static_cast<std::uint8_t>(completion_queue);
  check_start(ring, base, completion_queue, 0);
}

void NicEngine::enable_transmit(unsigned queue, std::uint64_t base, unsigned log2, unsigned completion_queue,
                                unsigned port) {
  WorkRing<NicTxDescriptor>& ring = transmit_[queue];
  ring.start(base, log2);
  ring.completion_queue = static_cast<std::uint8_t>(completion_queue);
  ring.port = static_cast<std::uint8_t>(port);
  check_start(ring, base, completion_queue, port);
}

template <class Ring>
void NicEngine::check_start(Ring& ring, std::uint64_t base, unsigned completion_queue, unsigned port) {
  std::uint8_t reason = NIC_STATUS_OK;
  if (base % 64 != 0 || completion_queue >= completion_.size() || port >= out_.size()) {
    reason = NIC_STATUS_BAD_CONFIGURATION;
  } else if (!completion_[completion_queue].ready()) {
    reason = NIC_STATUS_CQ_ERROR;
  }
  if (reason != NIC_STATUS_OK) fail(ring, reason);
}

template <class Ring>
void NicEngine::fail(Ring& ring, std::uint8_t reason) {
  ring.stop(reason);
  ++stats_.queue_errors;
  context_.log(LogLevel::kInfo, "a work queue at {:#x} is in error, reason {}", ring.base, reason);
}

void NicEngine::enable_completion(unsigned queue, std::uint64_t base, unsigned log2) {
  CompletionRing& ring = completion_[queue];
  // Frames that wait for memory keep their slots.
  std::uint32_t reserved = 0;
  for (const Placed& placed : writable_) reserved += placed.completion_queue == queue ? 1U : 0U;
  for (auto rest = fetching_; !rest.empty(); rest.pop()) reserved += rest.top().completion_queue == queue ? 1U : 0U;
  ring = CompletionRing{
      .state = NIC_STATE_READY, .base = base, .log2 = log2, .reserved = reserved, .last_write = now_, .pending = {}};
  if (base % 64 != 0) fail_completion_queue(queue, NIC_STATUS_BAD_CONFIGURATION);
}

void NicEngine::disable_receive(unsigned queue) { receive_[queue].stop(NIC_STATUS_OK); }
void NicEngine::disable_transmit(unsigned queue) { transmit_[queue].stop(NIC_STATUS_OK); }

void NicEngine::post_receive(unsigned queue, std::uint16_t tail, Time when) {
  WorkRing<NicRxDescriptor>& ring = receive_[queue];
  if (!ring.ready()) return;
  ring.tail = tail;
  if (ring.posted() > ring.size) {
    fail(ring, NIC_STATUS_BAD_DOORBELL);
  } else if (!ring.fetch_scheduled && ring.cache.size() <= config_.prefetch / 2) {
    ring.fetch_scheduled = true;
    schedule(Event::kFetchReceive, queue, when + timing_.doorbell_latency);
  }
}

void NicEngine::post_transmit(unsigned queue, std::uint16_t tail, Time when) {
  WorkRing<NicTxDescriptor>& ring = transmit_[queue];
  if (!ring.ready()) return;
  ring.tail = tail;
  if (ring.posted() > ring.size) {
    fail(ring, NIC_STATUS_BAD_DOORBELL);
  } else if (!ring.fetch_scheduled && ring.cache.size() <= config_.prefetch / 2) {
    ring.fetch_scheduled = true;
    schedule(Event::kFetchTransmit, queue, when + timing_.doorbell_latency);
  }
}

// Reads the next descriptors of a ring. @return false when memory answered with an error.
template <class Descriptor>
bool NicEngine::fetch(WorkRing<Descriptor>& ring) {
  const std::uint32_t count =
      ring.fetchable(config_.prefetch - std::min<std::uint32_t>(config_.prefetch, ring.cached()));
  if (count == 0) return true;
  std::array<Descriptor, kMaxPrefetch> read;
  bool ok = true;
  const std::span<std::uint8_t> octets(reinterpret_cast<std::uint8_t*>(read.data()), count * sizeof(Descriptor));
  const Time done = dma_split(false, ring.address(ring.fetched), octets, now_, nullptr, ok);
  if (!ok) {
    fail(ring, NIC_STATUS_DESCRIPTOR_BUS_ERROR);
    return false;
  }
  // A later fetch that memory answers sooner does not overtake: descriptors of a queue are used in order.
  ring.fetch_done = std::max(ring.fetch_done, done);
  for (std::uint32_t i = 0; i < count; ++i) ring.cache.push_back({read[i], ring.fetch_done});
  ring.fetched = static_cast<std::uint16_t>(ring.fetched + count);
  return true;
}

template bool NicEngine::fetch(WorkRing<NicRxDescriptor>&);
template bool NicEngine::fetch(WorkRing<NicTxDescriptor>&);
template void NicEngine::fail(WorkRing<NicRxDescriptor>&, std::uint8_t);
template void NicEngine::fail(WorkRing<NicTxDescriptor>&, std::uint8_t);

void NicEngine::fetch_receive(unsigned queue) {
  if (receive_[queue].ready()) fetch(receive_[queue]);
}

void NicEngine::fetch_transmit(unsigned queue) {
  if (!transmit_[queue].ready()) return;
  fetch(transmit_[queue]);
  if (!transmit_[queue].cache.empty()) active_transmit_ |= 1U << queue;
}

void NicEngine::reset() {
  enabled_ = false;
  for (unsigned port = 0; port < arrivals_.size(); ++port) {
    for (; !arrivals_[port].empty(); arrivals_[port].pop_front()) drop(port, nullptr, NicDrop::kDisabled);
  }
  for (; !pipeline_.empty(); pipeline_.pop_front()) drop(pipeline_.front().port, nullptr, NicDrop::kDisabled);
  for (; !fetching_.empty(); fetching_.pop()) drop(fetching_.top().entry.port, nullptr, NicDrop::kDisabled);
  for (; !writable_.empty(); writable_.pop_front()) drop(writable_.front().entry.port, nullptr, NicDrop::kDisabled);
  waiting_ = Bytes(0);
  for (unsigned queue = 0; queue < completion_.size(); ++queue) {
    lose_completions(queue);
    completion_[queue] = CompletionRing{};
    moderation_[queue] = {};
  }
  for (auto& ring : receive_) ring = {};
  for (auto& ring : transmit_) ring = {};
  steering_ = std::vector<PortSteering>(config_.ports);
  calendar_ = {};
  active_transmit_ = 0;
  last_served_ = kMaxNicTransmitQueues - 1;
  pipeline_free_ = Time(0);
  buffer_ = DrainingBuffer(config_.receive_buffer);
  stats_.receive_buffer.set(0);
  write_lane_ = DmaLane(config_.dma_rate, config_.outstanding);
  read_lane_ = DmaLane(config_.dma_rate, config_.outstanding);
  // out_ stays: frames that the ports were given leave at their times, and hold their places until then.
}

}  // namespace dpusim::net
