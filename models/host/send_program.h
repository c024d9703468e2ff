// Program `send`: sends frames by a port of a NIC, at a rate or as fast as it can.
#pragma once

#include "host/nic_program.h"
#include "host/test_frame.h"

namespace dpusim::host {

struct SendConfig : ProgramConfig {
  unsigned port = 0;
  int queue = kAnyQueue;
  std::uint64_t count = 1000;
  Bytes size{1518};
  BitRate rate{0};
  unsigned flows = 1;
  unsigned ring = 1024;
  unsigned batch = 32;
  Cycles frame_cycles{114};
  Cycles poll{60};
  static const ConfigTable<SendConfig>& table();
};

class SendProgram : public Program {
 public:
  SendProgram(HostServices& host, StatGroup& stats, const SendConfig& config, std::string who);
  void prepare() override;
  Task run(Time from) override;
  [[nodiscard]] bool done() const override { return completed_ >= config_.count; }

 private:
  void post_frame(bool last_of_batch);
  [[nodiscard]] unsigned frames_due(unsigned most) const;
  void reap();
  [[nodiscard]] std::optional<std::string> trouble() const override;
  [[nodiscard]] Time due(std::uint64_t frame) const;

  const SendConfig config_;
  const TestFrame frame_;
  NicDevice* nic_ = nullptr;
  HostThread* thread_ = nullptr;
  std::unique_ptr<NicTransmitQueue> queue_;
  std::uint64_t posted_ = 0, completed_ = 0;
  std::vector<Time> posted_at_;  // by ring entry
  Time first_{0}, frame_cost_{0};
  unsigned first_error_ = NIC_STATUS_OK;
  Counter frames_, octets_, errors_, doorbells_;
  Histogram latency_;
};

}  // namespace dpusim::host
