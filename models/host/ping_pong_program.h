// Program `ping_pong`: one frame there and back, again and again.
#pragma once

#include "host/nic_program.h"
#include "host/test_frame.h"

namespace dpusim::host {

struct PingPongConfig : ProgramConfig {
  unsigned port = 0;
  std::uint64_t count = 1000;
  Bytes size{64};
  Time gap{0};
  Time timeout{1'000'000'000};
  Cycles frame_cycles{122};
  ReceiveSide receive{.ring = 64, .batch = 1};
  static const ConfigTable<PingPongConfig>& table();
};

class PingPongProgram : public Program {
 public:
  PingPongProgram(HostServices& host, StatGroup& stats, const PingPongConfig& config, std::string who);
  void prepare() override;
  Task run(Time from) override;
  [[nodiscard]] bool done() const override { return finished_ == config_.count; }

 private:
  void send(std::uint64_t number);
  bool receive(std::uint64_t number);
  [[nodiscard]] std::optional<std::string> trouble() const override;

  const PingPongConfig config_;
  const TestFrame frame_;
  NicDevice* nic_ = nullptr;
  std::vector<HostThread*> thread_;
  std::vector<std::unique_ptr<NicReceiveQueue>> receive_;
  std::unique_ptr<NicTransmitQueue> send_;
  std::uint64_t finished_ = 0;
  Time frame_cost_{0};
  Counter answers_, timeouts_, strays_, interrupts_;
  Histogram round_trip_;
};

}  // namespace dpusim::host
