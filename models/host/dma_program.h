// Program `dma`: copies between host memory and the card by the jobs of a `dma` accelerator, as pcie-bench does with
// its device.
#pragma once

#include "accel/accel_job_desc.h"
#include "host/completion_ring.h"
#include "host/program.h"

namespace dpusim::host {

/// Which way octets go: pcie-bench's BW_WR and LAT_WR, BW_RD and LAT_RD, BW_RDWR.
enum class DmaDirection : std::uint8_t { kToHost, kToCard, kBoth };

struct DmaProgramConfig : ProgramConfig {
  DmaProgramConfig() { device.offset = Bytes(16U << 20U); }
  unsigned queue = 0;
  DmaDirection direction = DmaDirection::kToCard;
  std::uint64_t count = 1000;
  Bytes size{4096};
  unsigned depth = 1;
  Bytes window{0};
  Bytes alignment{0};
  Address card_buffer{0};
  Cycles job_cycles{100};
  Cycles poll{60};
  static const ConfigTable<DmaProgramConfig>& table();
};

class DmaProgram : public Program {
 public:
  DmaProgram(HostServices& host, StatGroup& stats, const DmaProgramConfig& config, std::string who);
  void prepare() override;
  Task run(Time from) override;
  [[nodiscard]] bool done() const override { return completed_ == config_.count; }
  /// Returns the host address of the first buffer, for tests and debuggers.
  [[nodiscard]] std::uint64_t buffers() const { return buffers_; }

 private:
  Task start();
  Task ring_doorbells();
  void post();
  void reap();
  [[nodiscard]] bool is_known(const AccelCompletion& entry) const;
  [[nodiscard]] std::optional<std::string> trouble() const override;
  [[nodiscard]] std::uint64_t at(std::uint32_t offset, unsigned octets = 4) const {
    return device_ + offset + std::uint64_t{config_.queue} * octets;
  }
  [[nodiscard]] double bandwidth() const;

  struct Job {
    bool under_way = false, to_host = false;
    std::uint16_t index = 0;  ///< counter in the submission ring
    Time posted{0};
  };
  const DmaProgramConfig config_;
  const unsigned log2_;
  const PcieFunction* function_ = nullptr;
  HostThread* thread_ = nullptr;
  std::uint64_t device_ = 0, ring_ = 0, buffers_ = 0, buffer_count_ = 0;
  std::unique_ptr<CompletionRing> completions_;
  std::vector<Job> jobs_;  // by ring entry
  std::uint64_t posted_ = 0, completed_ = 0, announced_ = 0;
  std::uint16_t consumed_ = 0;
  Time first_{0}, last_{0}, job_cost_{0};
  unsigned first_failure_ = ACCEL_STATUS_OK;
  Counter jobs_done_, failed_, to_host_, to_card_;
  Histogram latency_;
  Formula bandwidth_;
};

}  // namespace dpusim::host
