#include "accel/accelerator.h"

#include <fmt/format.h>

#include <algorithm>

#include "accel/accel_regs.h"
#include "sim/error.h"
#include "sim/systemc_time.h"

namespace dpusim::accel {

Accelerator::Accelerator(const BlockContext& context, const AccelConfig& config, AcceleratorParts parts)
    : Accelerator(sc_core::sc_module_name(context.name.c_str()), context, config, std::move(parts)) {}

Accelerator::Accelerator(const sc_core::sc_module_name& name, const BlockContext& context, const AccelConfig& config,
                         AcceleratorParts parts)
    : sc_module(name),
      dma_socket("dma"),
      context_(context),
      config_(config),
      parts_(std::move(parts)),
      engine_(config_, context_, *this, *parts_.function, *parts_.timing),
      bank_(accel_regs::kTable),
      target_(
          "bus", context.fidelity == Fidelity::kFunctional ? Time(0) : config.access,
          [this](const RegisterTarget::Access& a) { return access(a); },
          [this](std::uint64_t offset, std::span<std::uint8_t> data, bool write) {
            return write ? bank_.debug_write(offset, data) : bank_.debug_read(offset, data);
          }),
      irq_(config.completion_queues),
      event_("due") {
  dma_socket.bind(*this);
  attributes_.allocate = config.allocate;
  payload_.set_extension(&attributes_);
  install_registers();
  reset_registers();
  SC_HAS_PROCESS(Accelerator);
  SC_METHOD(on_event);
  sensitive << event_;
  dont_initialize();
}

Accelerator::~Accelerator() { payload_.clear_extension(&attributes_); }

std::vector<Port> Accelerator::ports() {
  std::vector<Port> all{{"bus", &target_.socket(), "Registers and doorbells", accel_regs::kSize},
                        {"dma", &dma_socket, "Jobs, their data and completions"}};
  for (unsigned i = 0; i < config_.completion_queues; ++i) {
    all.push_back({fmt::format("irq[{}]", i), &irq_[i], "Interrupt of a completion queue, level"});
  }
  return all;
}

AccelEnvironment::DmaResult Accelerator::dma(bool write, std::uint64_t address, std::span<std::uint8_t> data,
                                             Time when) {
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
  in_dma_ = true;
  dma_socket->b_transport(payload_, delay);
  in_dma_ = false;
  return {present + from_sc(delay), payload_.is_response_ok()};
}

void Accelerator::interrupt(unsigned queue) {
  bank_.set(accel_regs::INTERRUPT_STATUS, bank_.get(accel_regs::INTERRUPT_STATUS) | std::uint64_t{1} << queue);
  update_lines();
}

::tlm::tlm_sync_enum Accelerator::nb_transport_bw(::tlm::tlm_generic_payload& payload, ::tlm::tlm_phase& /*phase*/,
                                                  sc_core::sc_time& /*delay*/) {
  DPUSIM_CHECK(false, "{}: a backward call for a transaction that was never sent non-blocking (address {:#x})", name(),
               payload.get_address());
  return ::tlm::TLM_COMPLETED;
}

void Accelerator::on_event() {
  armed_ = kTimeMax;
  engine_.run(now() + config_.look_ahead);
  rearm();
}

void Accelerator::rearm() {
  const Time due = engine_.next_due();
  if (due == kTimeMax) return;  // a wake-up too many does no harm
  const Time wake = std::max(due, now());
  if (wake >= armed_) return;
  armed_ = wake;
  event_.notify(to_sc(wake - now()));
}

}  // namespace dpusim::accel
