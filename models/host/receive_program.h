// Program `receive`: takes frames from a port of a NIC with one thread a queue, as a driver and a consumer of frames
// do.
#pragma once

#include "host/nic_program.h"

namespace dpusim::host {

struct ReceiveConfig : ProgramConfig {
  unsigned port = 0;
  unsigned threads = 1;
  int first_queue = kAnyQueue;
  std::uint64_t count = 0;
  Cycles frame_cycles{130};
  BitRate copy_rate{0};
  ReceiveSide receive;
  static const ConfigTable<ReceiveConfig>& table();
};

class ReceiveProgram : public Program {
 public:
  ReceiveProgram(HostServices& host, StatGroup& stats, const ReceiveConfig& config, std::string who);
  void prepare() override;
  Task run(Time from) override;
  [[nodiscard]] bool ends() const override { return config_.count > 0; }
  [[nodiscard]] bool done() const override { return config_.count > 0 && seen_ >= config_.count; }
  void finish(Time now) override;

 private:
  [[nodiscard]] std::optional<std::string> trouble() const override { return queue_error_; }
  Task serve(unsigned number);
  void consume(NicReceiveQueue& queue, HostThread& thread);

  const ReceiveConfig config_;
  NicDevice* nic_ = nullptr;
  std::vector<HostThread*> threads_;
  std::vector<std::unique_ptr<NicReceiveQueue>> queues_;
  std::vector<Task> tasks_;
  std::uint64_t seen_ = 0;  // frames taken, with errors or not
  Time frame_cost_{0};
  std::optional<std::string> queue_error_;  // at the end of the run
  Counter frames_, octets_, errors_, dropped_, doorbells_, interrupts_;
  Histogram latency_;
};

}  // namespace dpusim::host
