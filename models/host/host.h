// A server as the card sees it: root complex, memory, and programs that use the card.
#pragma once

#include <memory>
#include <vector>

#include "host/host_config.h"
#include "host/program.h"
#include "host/scenario_user.h"
#include "tlm/block.h"

namespace dpusim::host {

/// Simulates a server behind a PCIe link. Its root port enumerates what is below before time starts; its programs then
/// run on threads of their own, all in one kernel process with one pending event. Without a device at the root port it
/// is idle.
class Host : public sc_core::sc_module, public Block, public ScenarioUser, private PcieUpstream {
 public:
  Host(const BlockContext& context, const HostConfig& config);
  ~Host() override;
  std::vector<Port> ports() override;
  void finish() override;

  void set_programs(const nlohmann::ordered_json& list, const std::string& path) override;
  [[nodiscard]] nlohmann::ordered_json programs() const override;
  [[nodiscard]] bool programs_done() const override;
  [[nodiscard]] std::optional<std::string> failure() const override;
  [[nodiscard]] bool has_active_programs() const override;

  PcieTargetSocket root_port;
  [[nodiscard]] HostMemory& memory() { return memory_; }
  [[nodiscard]] HostServices& services() { return services_; }

 private:
  Host(const sc_core::sc_module_name& name, const BlockContext& context, const HostConfig& config);
  // The way down, once sockets are bound: requests of programs.
  class Downstream : public PcieDownstream {
   public:
    explicit Downstream(Host& host) : host_(host) {}
    Time to_device(PcieRequest& request, Time when) override { return host_.root_port->to_device(request, when); }

   private:
    Host& host_;
  };
  // A root port with an empty slot.
  class EmptySlot : public PcieDownstream {
   public:
    Time to_device(PcieRequest& request, Time when) override {
      request.status = CompletionStatus::kUnsupportedRequest;
      request.sent = when;
      return when;
    }
  };
  void before_end_of_elaboration() override;
  void start_of_simulation() override;
  Time to_root(PcieRequest& request, Time when) override;
  void on_event();
  void rearm();

  const BlockContext context_;
  const HostConfig config_;
  HostMemory memory_;
  Counter spurious_;
  RootComplex root_;
  Downstream downstream_;
  EmptySlot empty_slot_;
  HostServices services_;
  nlohmann::ordered_json scenario_ = nlohmann::ordered_json::array();
  std::vector<std::unique_ptr<Program>> programs_;
  std::vector<Task> tasks_;
  Time enumerated_{0};
  Formula enumeration_;
  sc_core::sc_event event_;
  Time armed_ = kTimeMax;
};

}  // namespace dpusim::host
