#include "host/nic_program.h"

#include <array>

namespace dpusim::host {
namespace {

// The key of Microsoft, "Verifying the RSS Hash Calculation".
constexpr std::array<std::uint32_t, 10> kRssKey = {0xda565a6d, 0xc20e5b25, 0x3d256741, 0xb08fa343, 0xcb2bcad0,
                                                   0xb4307bae, 0xa32dcb77, 0x0cf23080, 0x3bb7426a, 0xfa01acbe};
constexpr unsigned kRssEntries = 128;

constexpr std::uint32_t swapped(std::uint32_t word) { return __builtin_bswap32(word); }

}  // namespace

const ConfigTable<ReceiveSide>& ReceiveSide::table() {
  using namespace literals;
  static const ConfigTable<ReceiveSide> table(
      "Receive queues of a program",
      {field("ring", &ReceiveSide::ring, power_of_two(2U, 32'768U), "Descriptors, buffers and completions of a queue"),
       field("buffer", &ReceiveSide::buffer, between(64_B, 65'535_B),
             "Octets of a buffer; longer frames are cut short"),
       field("batch", &ReceiveSide::batch, between(1U, 4096U),
             "Most frames taken at once, and fewest buffers given back with one doorbell; at most half of the ring "
             "counts"),
       field("notice", &ReceiveSide::notice, one_of({{"poll", Notice::kPoll}, {"interrupt", Notice::kInterrupt}}),
             "How completions are noticed: the thread looks all the time, or sleeps until an interrupt and polls while "
             "there are frames"),
       field("poll", &ReceiveSide::poll, between(1U, 1'000'000U), "One look at an empty completion ring"),
       field("moderation_count", &ReceiveSide::moderation_count, between(0U, 65'535U),
             "Completions that raise an interrupt; 0: any"),
       field("moderation_time", &ReceiveSide::moderation_time, between(0_ps, 6'553'500_ns),
             "Time after the first completion that raises an interrupt, in steps of 100 ns; 0: none"),
       field("msix", &ReceiveSide::msix, between(0U, 2047U),
             "MSI-X entry that the platform wires completion queue 0's line to")});
  return table;
}

std::vector<std::unique_ptr<NicReceiveQueue>> make_receive_queues(HostServices& host, NicDevice& nic,
                                                                  const ReceiveSide& side, unsigned port,
                                                                  int first_queue, std::span<HostThread* const> threads,
                                                                  const std::string& who) {
  nic.check_port(port, who);
  nic.take(NicDevice::kPort, 1, port, who);
  const auto count = static_cast<unsigned>(threads.size());
  const unsigned first = nic.take(NicDevice::kReceive, count, chosen(first_queue), who);
  const unsigned completions = nic.take(NicDevice::kCompletion, count, std::nullopt, who);
  std::vector<std::unique_ptr<NicReceiveQueue>> queues;
  for (unsigned i = 0; i < count; ++i) {
    queues.push_back(std::make_unique<NicReceiveQueue>(host, nic, *threads[i], first + i, completions + i, side.ring,
                                                       side.buffer.count(), who));
    if (side.notice == Notice::kInterrupt)
      queues.back()->use_interrupt(side.msix + completions + i, side.moderation(), who);
  }
  return queues;
}

Task start_receiving(NicDevice& nic, unsigned port, std::span<const std::unique_ptr<NicReceiveQueue>> queues,
                     std::span<HostThread* const> threads) {
  using namespace nic_regs;
  for (std::size_t i = 0; i < queues.size(); ++i) {
    if (i > 0) threads[i]->join(*threads[i - 1]);
    co_await queues[i]->start();
  }
  HostThread& thread = *threads.back();
  std::uint32_t control = kPORT_CONTROL_RX_ENABLE_mask | queues[0]->number() << kPORT_CONTROL_DEFAULT_QUEUE_shift;
  if (queues.size() > 1) {
    control |= kPORT_CONTROL_RSS_ENABLE_mask | kPORT_CONTROL_HASH_IPV4_mask | kPORT_CONTROL_HASH_TCP_IPV4_mask |
               kPORT_CONTROL_HASH_UDP_IPV4_mask | kPORT_CONTROL_HASH_IPV6_mask | kPORT_CONTROL_HASH_TCP_IPV6_mask |
               kPORT_CONTROL_HASH_UDP_IPV6_mask;
    for (unsigned i = 0; i < kRssKey.size(); ++i)
      co_await thread.write(nic.at(kRSS_KEY_offset, port * 10 + i), swapped(kRssKey[i]));
    for (unsigned i = 0; i < kRssEntries; ++i)
      co_await thread.write(nic.at(kRSS_TABLE_offset, port * kRssEntries + i),
                            std::uint32_t{queues[i % queues.size()]->number()});
  }
  co_await thread.write(nic.at(kPORT_CONTROL_offset, port), control);
  co_await nic.enable(thread);
}

}  // namespace dpusim::host
