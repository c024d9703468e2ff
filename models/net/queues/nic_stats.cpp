#include "net/queues/nic_stats.h"

#include <fmt/format.h>

namespace dpusim::net {
namespace {

struct DropText {
  const char *name, *text;
};
constexpr DropText kDropTexts[] = {
    {"dropped_disabled", "Received frames dropped: NIC or port's receive side off"},
    {"dropped_buffer_full", "Received frames dropped: memory took them slower than they came"},
    {"dropped_queue_not_ready", "Received frames dropped: receive queue does not exist, is off or in error"},
    {"dropped_no_descriptor", "Received frames dropped: no buffer posted"},
    {"dropped_completion_queue", "Received frames dropped: completion queue full, off or in error"},
    {"dropped_descriptor_error", "Received frames dropped: descriptor fetch failed, or its length out of range"},
    {"dropped_buffer_short", "Received frames cut: buffer shorter than the frame"},
    {"dropped_data_error", "Received frames dropped: memory answered the data write with an error"},
    {"dropped_completion_error", "Received frames whose completion could not be written"},
};
static_assert(std::size(kDropTexts) == kNicDrops);

}  // namespace

NicQueueStats::NicQueueStats(StatGroup& group, bool receive)
    : frames(group, "frames", "frames", receive ? "Frames delivered" : "Frames handed to the port"),
      octets(group, "octets", "octets", "Octets of these, without FCS"),
      dropped(group, "dropped", "frames", receive ? "Frames dropped at this queue" : "Descriptors that failed") {}

NicStats::NicStats(StatGroup& group, unsigned ports, unsigned receive_queues, unsigned transmit_queues,
                   unsigned completion_queues)
    : received(group, "rx_frames", "frames", "Frames that the ports handed over"),
      received_octets(group, "rx_octets", "octets", "Octets of these, without FCS"),
      delivered(group, "rx_delivered", "frames", "Frames whose completion was written"),
      sent(group, "tx_frames", "frames", "Frames handed to the ports"),
      sent_octets(group, "tx_octets", "octets", "Octets of these, without FCS"),
      transmit_descriptors(group, "tx_descriptors", "descriptors", "Transmit descriptors taken"),
      transmit_errors(group, "tx_errors", "descriptors", "Transmit descriptors that failed"),
      completions(group, "completions", "completions", "Completions written"),
      completions_lost(group, "completions_lost", "completions", "Completions whose queue was stopped or failed"),
      interrupts(group, "interrupts", "interrupts", "Interrupts raised"),
      queue_errors(group, "queue_errors", "queues", "Times a queue went to state error"),
      dma_reads(group, "dma_reads", "accesses", "Memory reads"),
      dma_read_octets(group, "dma_read_octets", "octets", "Octets of these"),
      dma_writes(group, "dma_writes", "accesses", "Memory writes"),
      dma_write_octets(group, "dma_write_octets", "octets", "Octets of these"),
      receive_latency(group, "rx_latency", "ps", "First bit of preamble on the wire to completion in memory"),
      transit_latency(group, "card_latency", "ps",
                      "First bit in to first bit out, of frames sent with the timestamp they came with"),
      transmit_latency(group, "tx_latency", "ps", "Data read issued to first bit of preamble on the wire"),
      receive_buffer(group, "rx_buffer", "octets", "Frames waiting for memory when a frame was written"),
      held(group, "rx_held", "frames", "Received frames inside") {
  for (const DropText& drop : kDropTexts) drops.emplace_back(group, drop.name, "frames", drop.text);
  for (unsigned i = 0; i < ports; ++i) {
    StatGroup& child = group.child(fmt::format("port{}", i));
    port_received.emplace_back(child, "rx_frames", "frames", "Frames that the port handed over");
    port_dropped.emplace_back(child, "rx_dropped", "frames", "Frames of the port that were dropped");
  }
  for (unsigned i = 0; i < receive_queues; ++i) receive.emplace_back(group.child(fmt::format("rxq{}", i)), true);
  for (unsigned i = 0; i < transmit_queues; ++i) transmit.emplace_back(group.child(fmt::format("txq{}", i)), false);
  for (unsigned i = 0; i < completion_queues; ++i) {
    queue_interrupts.emplace_back(group.child(fmt::format("cq{}", i)), "interrupts", "interrupts", "Interrupts raised");
  }
  group.law("rx_frames = rx_delivered + dropped + rx_held", [this]() -> std::optional<std::string> {
    std::uint64_t dropped = 0;
    for (const Counter& drop : drops) dropped += drop.value();
    const auto inside = static_cast<std::uint64_t>(held.value());
    if (received.value() == delivered.value() + dropped + inside) return std::nullopt;
    return fmt::format("{} != {} + {} + {}", received.value(), delivered.value(), dropped, inside);
  });
  group.law("tx_descriptors = tx_frames + tx_errors", [this]() -> std::optional<std::string> {
    if (transmit_descriptors.value() == sent.value() + transmit_errors.value()) return std::nullopt;
    return fmt::format("{} != {} + {}", transmit_descriptors.value(), sent.value(), transmit_errors.value());
  });
}

}  // namespace dpusim::net
