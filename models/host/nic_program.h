// What programs that use a NIC share: parameters of their queues, and bringing up a port's receive side.
#pragma once

#include "host/nic_queues.h"
#include "host/program.h"

namespace dpusim::host {

/// How a program learns of completions.
enum class Notice : std::uint8_t { kPoll, kInterrupt };

/// Parameters of programs that receive.
struct ReceiveSide {
  unsigned ring = 1024;
  Bytes buffer{2048};
  unsigned batch = 32;
  Notice notice = Notice::kPoll;
  Cycles poll{60};
  unsigned moderation_count = 16;
  Time moderation_time{8'000'000};
  unsigned msix = 0;
  static const ConfigTable<ReceiveSide>& table();
  [[nodiscard]] Moderation moderation() const { return {moderation_count, moderation_time}; }
};

/// Parameter that leaves the choice of a queue to the driver.
inline constexpr int kAnyQueue = -1;
[[nodiscard]] inline std::optional<unsigned> chosen(int queue) {
  return queue < 0 ? std::nullopt : std::optional(static_cast<unsigned>(queue));
}

/// Tells whether a completion's time lies from `from` to `until`. Others are the card's nonsense and are not recorded.
[[nodiscard]] inline bool is_between(std::uint64_t timestamp, Time from, Time until) {
  return timestamp >= static_cast<std::uint64_t>(from.count()) &&
         timestamp <= static_cast<std::uint64_t>(until.count());
}

/// Makes a receive queue for each thread, all of one port. @param first_queue number or kAnyQueue.
std::vector<std::unique_ptr<NicReceiveQueue>> make_receive_queues(HostServices& host, NicDevice& nic,
                                                                  const ReceiveSide& side, unsigned port,
                                                                  int first_queue, std::span<HostThread* const> threads,
                                                                  const std::string& who);

/// Tells which of the queues is in error and why; the first. @param when the run's time.
template <class Queue>
std::optional<std::string> first_error(std::span<const std::unique_ptr<Queue>> queues, Time when) {
  for (const auto& queue : queues) {
    if (auto text = queue->error(when)) return text;
  }
  return std::nullopt;
}

/// Sets the queues up, each on its thread, and then the port: frames are spread over the queues by RSS, or go to the
/// one there is. Await it.
Task start_receiving(NicDevice& nic, unsigned port, std::span<const std::unique_ptr<NicReceiveQueue>> queues,
                     std::span<HostThread* const> threads);

}  // namespace dpusim::host
