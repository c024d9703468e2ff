// Program `reflect`: sends back what it receives.
#pragma once

#include "host/nic_program.h"

namespace dpusim::host {

struct ReflectConfig : ProgramConfig {
  unsigned port = 0;
  unsigned threads = 1;
  int first_queue = kAnyQueue;
  Cycles frame_cycles{244};
  ReceiveSide receive;
  static const ConfigTable<ReflectConfig>& table();
};

/// Sends every frame that a port receives back by the same port, addresses exchanged, without copying it.
class ReflectProgram : public Program {
 public:
  ReflectProgram(HostServices& host, StatGroup& stats, const ReflectConfig& config, std::string who);
  void prepare() override;
  Task run(Time from) override;
  [[nodiscard]] bool ends() const override { return false; }
  [[nodiscard]] bool done() const override { return false; }
  void finish(Time now) override;

 private:
  [[nodiscard]] std::optional<std::string> trouble() const override { return queue_error_; }
  Task serve(unsigned number);
  void turn(NicReceiveQueue& in, NicTransmitQueue& out, unsigned number, bool last_of_batch);
  bool give_back(NicReceiveQueue& in, NicTransmitQueue& out, unsigned number);

  const ReflectConfig config_;
  NicDevice* nic_ = nullptr;
  std::vector<HostThread*> threads_;
  std::vector<std::unique_ptr<NicReceiveQueue>> receive_;
  std::vector<std::unique_ptr<NicTransmitQueue>> send_;
  std::vector<std::vector<std::uint32_t>> sending_;  // by thread: buffer of each transmit entry
  std::vector<Task> tasks_;
  Time frame_cost_{0};
  std::optional<std::string> queue_error_;  // at the end of the run
  Counter frames_, octets_, errors_, dropped_, interrupts_;
};

}  // namespace dpusim::host
