#include "crc_engine.h"

#include <algorithm>
#include <array>

#include "crc_engine_regs.h"
#include "tlm/plugin.h"
#include "tlm/transfer.h"

namespace example {

using namespace dpusim;
using namespace dpusim::crc_engine_regs;

const ConfigTable<CrcEngineConfig>& CrcEngineConfig::table() {
  using namespace literals;
  static const ConfigTable<CrcEngineConfig> table(
      "CRC-32 engine", {field("clock", &CrcEngineConfig::clock, between(1_MHz, 5_GHz), "Clock of the engine"),
                        field("octets_per_cycle", &CrcEngineConfig::octets_per_cycle, one_of({1, 2, 4, 8, 16, 32, 64}),
                              "Width of the engine"),
                        field("access", &CrcEngineConfig::access, between(0_ps, 10_us), "Time of a register access")});
  return table;
}

CrcEngine::CrcEngine(const BlockContext& context, const CrcEngineConfig& config)
    : CrcEngine(sc_core::sc_module_name(context.name.c_str()), context, config) {}

CrcEngine::CrcEngine(const sc_core::sc_module_name& name, const BlockContext& context, const CrcEngineConfig& config)
    : sc_module(name),
      config_(config),
      functional_(context.fidelity == Fidelity::kFunctional),
      bank_(kTable),
      registers_("regs", functional_ ? Time(0) : config.access, bank_),
      memory_("dma"),
      burst_("burst"),
      jobs_(context.stats, "jobs", "jobs", "Jobs that ended"),
      octets_(context.stats, "octets", "octets", "Octets read"),
      errors_(context.stats, "errors", "jobs", "Jobs that a bus error ended") {
  memory_.bind(*this);
  bank_.on_write(CTRL, [this](const RegisterBank::Write& w) {
    update_line();
    if ((w.written & kCTRL_START_mask) != 0 && (bank_.get(STATUS) & kSTATUS_BUSY_mask) == 0) start();
  });
  bank_.on_write(STATUS, [this](const RegisterBank::Write&) { update_line(); });
  SC_HAS_PROCESS(CrcEngine);
  SC_METHOD(on_burst);
  sensitive << burst_;
  dont_initialize();
}

std::vector<Port> CrcEngine::ports() {
  return {{"regs", &registers_.socket(), "Registers", kSize},
          {"dma", &memory_, "Reads what the CRC is computed of"},
          {"irq", &irq_, "A job has ended, level"}};
}

void CrcEngine::attached(const std::string& /*port*/, AddressSpace& /*bus*/, unsigned requester) {
  requester_ = requester;
}

void CrcEngine::start() {
  bank_.set(STATUS, kSTATUS_BUSY_mask);
  next_ = bank_.get(SOURCE);
  left_ = bank_.get(LENGTH);
  core_.reset();
  burst_.notify(to_sc(registers_.when() - now()));
}

void CrcEngine::on_burst() {
  if (left_ == 0) return end_job(false);
  std::array<std::uint8_t, 64> data;
  const std::uint64_t octets =
      std::min<std::uint64_t>(left_, data.size() - next_ % data.size());  // no burst crosses a line
  TransferAttributes attributes;
  attributes.requester = static_cast<std::uint16_t>(requester_);
  attributes.allocate = true;
  ::tlm::tlm_generic_payload payload;
  payload.set_read();
  payload.set_address(next_);
  payload.set_data_ptr(data.data());
  payload.set_data_length(static_cast<unsigned>(octets));
  payload.set_streaming_width(static_cast<unsigned>(octets));
  payload.set_extension(&attributes);
  sc_core::sc_time delay;
  memory_->b_transport(payload, delay);
  payload.clear_extension(&attributes);
  if (payload.is_response_error()) return end_job(true);
  core_.update(std::span(data).first(octets));
  next_ += octets;
  left_ -= octets;
  octets_ += octets;
  const std::uint64_t cycles = (octets + config_.octets_per_cycle - 1) / config_.octets_per_cycle;
  const Time engine = functional_ ? Time(0) : Clock(config_.clock).time(Cycles(cycles));
  burst_.notify(std::max(delay, to_sc(engine)));
}

void CrcEngine::end_job(bool error) {
  bank_.set(RESULT, core_.value());
  bank_.set(STATUS, kSTATUS_DONE_mask | (error ? kSTATUS_ERROR_mask : 0));
  ++jobs_;
  if (error) ++errors_;
  update_line();
}

void CrcEngine::update_line() {
  irq_.set((bank_.get(CTRL) & kCTRL_IRQ_ENABLE_mask) != 0 && (bank_.get(STATUS) & kSTATUS_DONE_mask) != 0);
}

std::span<const BlockType> block_types() {
  static const BlockType types[] = {
      block_type<CrcEngine, CrcEngineConfig>("crc_engine", "example", "CRC-32 accelerator")};
  return types;
}

}  // namespace example

DPUSIM_PLUGIN(example::block_types)
