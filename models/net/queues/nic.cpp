#include "net/queues/nic.h"

#include <fmt/format.h>

#include <algorithm>

#include "net/nic_regs.h"
#include "sim/error.h"
#include "sim/systemc_time.h"

namespace dpusim::net {

const ConfigTable<NicConfig>& NicConfig::table() {
  using namespace literals;
  static const ConfigTable<NicConfig> table(
      "NIC work queues",
      {field("ports", &NicConfig::ports, between(1U, kMaxNicPorts), "Ethernet ports"),
       field("receive_queues", &NicConfig::receive_queues, between(1U, kMaxNicReceiveQueues), "Receive queues"),
       field("transmit_queues", &NicConfig::transmit_queues, between(1U, kMaxNicTransmitQueues), "Transmit queues"),
       field("completion_queues", &NicConfig::completion_queues, between(1U, kMaxNicCompletionQueues),
             "Completion queues, each with an interrupt line"),
       field("max_frame", &NicConfig::max_frame, between(64_B, 16'383_B),
             "Longest frame that can be sent, without FCS"),
       field("receive_buffer", &NicConfig::receive_buffer, between(16'384_B, 64_MiB),
             "Received frames waiting for memory; more are dropped"),
       field("transmit_buffer", &NicConfig::transmit_buffer, between(1U, 1024U),
             "Frames of a port read from memory and not yet taken by the port"),
       field("prefetch", &NicConfig::prefetch, between(1U, kMaxPrefetch), "Descriptors of a queue fetched ahead"),
       field("dma_rate", &NicConfig::dma_rate, between(1_Gbps, 10'000_Gbps),
             "Data rate of the DMA engine, each direction"),
       field("outstanding", &NicConfig::outstanding, between(1U, 1024U), "Data accesses under way, each direction"),
       field("burst", &NicConfig::burst, power_of_two(64_B, 4096_B),
             "Longest memory access; accesses do not cross multiples of it"),
       field("allocate", &NicConfig::allocate, "Ask the last-level cache to allocate what the NIC writes"),
       field("packet_interval", &NicConfig::packet_interval, between(0_ps, 1_us),
             "Least time between two frames in the receive pipeline"),
       field("receive_latency", &NicConfig::receive_latency, between(0_ps, 100_us),
             "Frame there to its data write: parsing and steering"),
       field("transmit_latency", &NicConfig::transmit_latency, between(0_ps, 100_us),
             "Frame read from memory to hand-over to the port"),
       field("doorbell_latency", &NicConfig::doorbell_latency, between(0_ps, 100_us),
             "Doorbell write to descriptor fetch"),
       field("interrupt_latency", &NicConfig::interrupt_latency, between(0_ps, 100_us),
             "Completion visible to interrupt line"),
       field("access", &NicConfig::access, between(0_ps, 10_us), "Time of a register access"),
       field("look_ahead", &NicConfig::look_ahead, between(0_ps, 1_us),
             "What is due within this time is done in one kernel event, with its time annotated: faster, and memory "
             "sees accesses that "
             "much out of order with other initiators'")});
  return table;
}

Nic::Nic(const BlockContext& context, const NicConfig& config)
    : Nic(sc_core::sc_module_name(context.name.c_str()), context, config) {}

Nic::Nic(const sc_core::sc_module_name& name, const BlockContext& context, const NicConfig& config)
    : sc_module(name),
      dma_socket("dma"),
      context_(context),
      config_(config),
      engine_(config_, context_, *this),
      bank_(nic_regs::kTable),
      target_(
          "bus", context.fidelity == Fidelity::kFunctional ? Time(0) : config.access,
          [this](const RegisterTarget::Access& a) { return access(a); },
          [this](std::uint64_t offset, std::span<std::uint8_t> data, bool write) {
            return write ? bank_.debug_write(offset, data) : bank_.debug_read(offset, data);
          }),
      paused_(config.ports, Time(0)),
      irq_(config.completion_queues),
      event_("due") {
  dma_socket.bind(*this);
  for (unsigned i = 0; i < config.ports; ++i) {
    port_in_.push_back(std::make_unique<EthernetTargetSocket>(fmt::format("port_in{}", i).c_str()));
    port_out_.push_back(std::make_unique<EthernetInitiatorSocket>(fmt::format("port_out{}", i).c_str()));
    entries_.push_back(std::make_unique<FrameEntry<Nic, &Nic::take>>(*this, i));
    pauses_.push_back(std::make_unique<PauseEntry<Nic, &Nic::pause>>(*this, i));
    port_in_[i]->bind(*entries_[i]);
    port_out_[i]->bind(*pauses_[i]);
  }
  attributes_.allocate = config.allocate;
  payload_.set_extension(&attributes_);
  install_registers();
  reset_registers();
  SC_HAS_PROCESS(Nic);
  SC_METHOD(on_event);
  sensitive << event_;
  dont_initialize();
}

Nic::~Nic() { payload_.clear_extension(&attributes_); }

std::vector<Port> Nic::ports() {
  std::vector<Port> all{{"bus", &target_.socket(), "Registers and doorbells", nic_regs::kSize},
                        {"dma", &dma_socket, "Descriptors, frames and completions"}};
  for (unsigned i = 0; i < config_.ports; ++i) {
    all.push_back({fmt::format("port_in[{}]", i), port_in_[i].get(), "Frames from a port's host_out"});
    all.push_back({fmt::format("port_out[{}]", i), port_out_[i].get(), "Frames to a port's host_in"});
  }
  for (unsigned i = 0; i < config_.completion_queues; ++i) {
    all.push_back({fmt::format("irq[{}]", i), &irq_[i], "Interrupt of a completion queue, level"});
  }
  return all;
}

void Nic::before_end_of_elaboration() {
  for (unsigned i = 0; i < config_.ports; ++i) {
    open_.close(*port_in_[i]);
    open_.close(*port_out_[i]);
  }
}

NicEnvironment::DmaResult Nic::dma(bool write, std::uint64_t address, std::span<std::uint8_t> data, Time when) {
  const Time present = now();
  payload_.set_command(write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND);
  payload_.set_address(address);
  payload_.set_data_ptr(data.data());
  payload_.set_data_length(static_cast<unsigned>(data.size()));
  payload_.set_streaming_width(static_cast<unsigned>(data.size()));
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = to_sc(when > present ? when - present : Time(0));
  dma_socket->b_transport(payload_, delay);
  return {present + from_sc(delay), payload_.is_response_ok()};
}

// A pause from the port holds frames back; their hand-over is the frame's last chance to be late.
NicEnvironment::SendResult Nic::send(unsigned port, const FramePtr& frame, Time start) {
  const Time taken = std::max(start, paused_[port]);
  return {taken, (*port_out_[port])->send(frame, taken)};
}

void Nic::pause(unsigned port, Time until, std::uint8_t priorities) {
  if ((priorities & 1U) != 0) paused_[port] = until;
}

Time Nic::take(unsigned port, FramePtr frame, Time start) {
  engine_.receive(port, std::move(frame), start);
  rearm();
  return start;
}

void Nic::interrupt(unsigned queue) {
  bank_.set(nic_regs::INTERRUPT_STATUS, bank_.get(nic_regs::INTERRUPT_STATUS) | std::uint64_t{1} << queue);
  update_lines();
}

::tlm::tlm_sync_enum Nic::nb_transport_bw(::tlm::tlm_generic_payload& payload, ::tlm::tlm_phase& /*phase*/,
                                          sc_core::sc_time& /*delay*/) {
  DPUSIM_CHECK(false, "{}: a backward call for a transaction that was never sent non-blocking (address {:#x})", name(),
               payload.get_address());
  return ::tlm::TLM_COMPLETED;
}

void Nic::on_event() {
  armed_ = kTimeMax;
  engine_.run(now() + config_.look_ahead);
  rearm();
}

void Nic::rearm() {
  const Time due = engine_.next_due();
  if (due == kTimeMax) return;  // a wake-up too many does no harm
  const Time wake = std::max(due, now());
  if (wake >= armed_) return;
  armed_ = wake;
  event_.notify(to_sc(wake - now()));
}

}  // namespace dpusim::net
