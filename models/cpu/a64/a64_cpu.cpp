#include "cpu/a64/a64_cpu.h"

#include <algorithm>
#include <cstring>

#include "cpu/a64/isa/disassemble.h"
#include "sim/error.h"
#include "sim/systemc_time.h"

namespace dpusim::cpu {

namespace {

constexpr std::size_t kCodeBytes = std::size_t{8} << 20;
constexpr std::uint64_t kPage = 4096;
// Quantum after a timer's line rose: interrupt controllers answer within a few tens of nanoseconds.
constexpr Time kShortQuantum{100'000};
// How far a core may run past an event of the kernel in approximate fidelity.
constexpr Time kLeastStep{50'000};

class VirtualMemory final : public GuestMemory {
 public:
  explicit VirtualMemory(A64Cpu& cpu) : cpu_(cpu) {}
  bool read(std::uint64_t va, std::span<std::uint8_t> data) override { return cpu_.access_virtual(va, data, false); }
  bool write(std::uint64_t va, std::span<const std::uint8_t> data) override {
    std::vector<std::uint8_t> copy(data.begin(), data.end());
    return cpu_.access_virtual(va, copy, true);
  }

 private:
  A64Cpu& cpu_;
};

}  // namespace

A64Cpu::A64Cpu(const sc_core::sc_module_name& name, const BlockContext& context, StatGroup& stats,
               const CoreConfig& config, CoreGroup& group, TimingModel& timing)
    : sc_module(name),
      context_(context),
      config_(config),
      group_(group),
      clock_(config.clock),
      bus_("bus"),
      engine_(kCodeBytes),
      system_(engine_.state(), *this, config.system),
      instructions_(stats, "instructions", "instructions", "Instructions retired"),
      cycles_(stats, "cycles", "cycles", "Core clock cycles while not waiting in WFI or WFE"),
      busy_(stats, "busy_time", "ps", "Time spent executing"),
      wfi_(stats, "wfi_time", "ps", "Time spent waiting in WFI"),
      wfe_(stats, "wfe_time", "ps", "Time spent waiting in WFE"),
      irqs_(stats, "irqs", "exceptions", "IRQ exceptions taken"),
      fiqs_(stats, "fiqs", "exceptions", "FIQ exceptions taken"),
      svcs_(stats, "svcs", "exceptions", "SVC exceptions taken"),
      hvcs_(stats, "hvcs", "exceptions", "HVC exceptions taken, without those the model answers"),
      smcs_(stats, "smcs", "exceptions", "SMC exceptions taken, without those the model answers"),
      undefineds_(stats, "undefined", "exceptions", "UNDEFINED instructions (EC 0)"),
      traps_(stats, "traps", "exceptions", "Trapped system register accesses, WFx and FP/SIMD (EC 0x18, 0x01, 0x07)"),
      data_aborts_(stats, "data_aborts", "exceptions", "Data Aborts"),
      instruction_aborts_(stats, "instruction_aborts", "exceptions", "Instruction Aborts"),
      other_exceptions_(stats, "other_exceptions", "exceptions", "Synchronous exceptions of other classes"),
      device_reads_(stats, "device_reads", "transfers", "Reads sent to the bus as transactions with data"),
      device_writes_(stats, "device_writes", "transfers", "Writes sent to the bus as transactions with data"),
      bus_errors_(stats, "bus_errors", "transfers", "Transactions that ended in an error response"),
      ipc_(stats, "ipc", "instructions/cycle", "Instructions retired per cycle while executing",
           [this](Time) {
             return cycles_.value() == 0
                        ? 0.0
                        : static_cast<double>(instructions_.value()) / static_cast<double>(cycles_.value());
           }),
      utilisation_(
          stats, "utilisation", "ratio", "Fraction of the run in which the Arm core was in use",
          [this](Time at) {
            return at.count() == 0 ? 0.0 : static_cast<double>(busy_.value()) / static_cast<double>(at.count());
          },
          FormulaKind::kTimeMean) {
  bus_.bind(*this);
  engine_.connect(system_, *this, timing, config.system.features);
  engine_.on_undefined = [this](std::uint64_t pc, std::uint32_t word) { report_undefined(pc, word); };
  SC_HAS_PROCESS(A64Cpu);
  SC_THREAD(run);
}

void A64Cpu::connect_gic(GicCpuInterface& gic) {
  system_.set_gic(&gic);
  gic.connect(*this);
}

void A64Cpu::start(std::uint64_t pc, std::uint64_t x0) {
  DPUSIM_CHECK(power_ == PowerState::kOff, "{}: started while on", name());
  power_ = PowerState::kOnPending;
  engine_.flush_translations();
  system_.reset(pc, x0);
  engine_.context_changed();
  wake_.notify(sc_core::SC_ZERO_TIME);
}

// --- Time
// ----------------------------------------------------------------------------------------------------------------------

Time A64Cpu::local_time() { return anchor_time_ + clock_.time(Cycles(cycles() - anchor_cycles_)); }

void A64Cpu::resume_at(Time time) {
  anchor_time_ = time;
  anchor_cycles_ = cycles();
}

std::uint64_t A64Cpu::cycles_of(Time duration) const {
  const Cycles whole = clock_.cycles(duration);
  return whole.count() + (clock_.time(whole) < duration ? 1 : 0);
}

void A64Cpu::synchronise() {
  const Time local = local_time(), kernel = now();
  if (local > kernel) sc_core::wait(to_sc(local - kernel));
}

bool A64Cpu::must_synchronise() { return local_time() > now(); }

void A64Cpu::run() {
  for (;;) {
    while (power_ == PowerState::kOff) sc_core::wait(wake_);
    power_ = PowerState::kOn;
    resume_at(now());
    while (power_ == PowerState::kOn) run_quantum();
  }
}

void A64Cpu::run_quantum() {
  const Time start = now();
  const bool rose = system_.timers().update(start);
  Time until = start + (rose ? std::min(kShortQuantum, config_.quantum) : config_.quantum);
  until = std::min(until, std::max(system_.timers().next_deadline(start), start + Time(1)));
  if (context_.fidelity == Fidelity::kApproximate) {
    // What the core polls may be written by the kernel's next event, which it would otherwise see a quantum late. Other
    // cores' waits are such events too, so a least step keeps cores that compute from alternating block by block.
    const sc_core::sc_time next = std::max(sc_core::sc_time_to_pending_activity(), to_sc(kLeastStep));
    if (next < to_sc(until - start)) until = start + from_sc(next);
  }
  // Round up, so that a deadline has passed when the budget is used up.
  const auto budget = static_cast<std::int64_t>(clock_.cycles(until - start).count()) + 1;
  const std::uint64_t before = cycles();
  const RunResult result = engine_.run(budget);
  // Accounted before the kernel runs, which may end the run.
  instructions_ += result.retired;
  cycles_ += cycles() - before;
  busy_ += static_cast<std::uint64_t>((local_time() - start).count());
  synchronise();
  for (A64Cpu* peer : group_.peers()) peer->check_monitor();
  switch (result.reason) {
    case StopReason::kWaitInterrupt:
      wait_for_interrupt();
      break;
    case StopReason::kWaitEvent:
      wait_for_event();
      break;
    case StopReason::kOff:
      power_ = PowerState::kOff;
      break;
    case StopReason::kStop:
      // The run has been asked to stop; nothing may execute in what is left of it.
      waiting_ = true;
      for (;;) sc_core::wait(never_);
    default:
      break;
  }
}

void A64Cpu::wait_for_interrupt() {
  const Time start = now();
  waiting_ = true;
  for (;;) {
    system_.timers().update(now());
    if (system_.wakes_from_wfi()) break;
    const Time deadline = system_.timers().next_deadline(now());
    if (deadline == kTimeMax) {
      sc_core::wait(wake_);
    } else {
      sc_core::wait(to_sc(deadline - now()), wake_);
    }
  }
  waiting_ = false;
  wfi_ += static_cast<std::uint64_t>((now() - start).count());
  resume_at(now());
}

bool A64Cpu::monitor_lost() {
  const CpuState& state = engine_.state();
  if (state.monitor_size == 0) return false;
  std::array<std::uint8_t, 16> value{};
  const std::span<std::uint8_t> octets(value.data(), state.monitor_size);
  if (!read_physical(state.monitor_address, octets, system_.secure())) return false;
  return std::memcmp(value.data(), state.monitor_value, state.monitor_size) != 0;
}

void A64Cpu::wait_for_event() {
  const Time start = now();
  waiting_ = waiting_for_event_ = true;
  for (;;) {
    system_.timers().update(now());
    if (system_.wakes_from_wfe()) break;
    // Losing the granule of the exclusive monitor is an event. @spec Arm ARM D1.7.1
    if (monitor_lost()) {
      engine_.state().monitor_size = 0;
      break;
    }
    const Time deadline = std::min(system_.timers().next_deadline(now()), system_.timers().next_stream_event(now()));
    if (deadline == kTimeMax) {
      sc_core::wait(wake_);
      continue;
    }
    sc_core::wait(to_sc(deadline - now()), wake_);
    if (system_.timers().next_stream_event(now() - Time(1)) == now()) engine_.state().event_register = true;
  }
  waiting_ = waiting_for_event_ = false;
  engine_.state().event_register = false;
  wfe_ += static_cast<std::uint64_t>((now() - start).count());
  resume_at(now());
}

void A64Cpu::check_monitor() {
  if (waiting_for_event_ && monitor_lost()) wake_.notify(sc_core::SC_ZERO_TIME);
}

void A64Cpu::receive_event() {
  engine_.state().event_register = true;
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void A64Cpu::send_event() {
  synchronise();
  for (A64Cpu* peer : group_.peers()) peer->receive_event();
}

void A64Cpu::irq_changed(unsigned number, bool level) {
  system_.set_interrupt(static_cast<CoreInterrupt>(number), level);
  if (level) wake_.notify(sc_core::SC_ZERO_TIME);
}

// --- Memory
// --------------------------------------------------------------------------------------------------------------------

std::optional<HostRegion> A64Cpu::host_region(std::uint64_t physical, bool secure) {
  for (const HostRegion& known : regions_) {
    if (physical - known.base < known.size) return known;
  }
  attributes_.secure = secure;
  payload_.set_address(physical);
  payload_.set_command(::tlm::TLM_READ_COMMAND);
  payload_.set_extension(&attributes_);
  ::tlm::tlm_dmi dmi;
  const bool granted = bus_->get_direct_mem_ptr(payload_, dmi);
  payload_.clear_extension(&attributes_);
  if (!granted || !dmi.is_read_allowed()) return std::nullopt;
  const std::uint64_t first = (dmi.get_start_address() + kPage - 1) & ~(kPage - 1);
  const std::uint64_t end = (dmi.get_end_address() + 1) & ~(kPage - 1);
  if (physical < first || physical >= end) return std::nullopt;
  const HostRegion region{first, end - first, dmi.get_dmi_ptr() + (first - dmi.get_start_address()),
                          dmi.is_write_allowed()};
  regions_.push_back(region);
  return region;
}

void A64Cpu::invalidate_direct_mem_ptr(sc_dt::uint64 /*start*/, sc_dt::uint64 /*end*/) {
  regions_.clear();
  engine_.forget_memory();
}

bool A64Cpu::transport(std::uint64_t physical, void* data, unsigned size, bool write, bool secure) {
  attributes_.secure = secure;
  attributes_.timing_only = false;
  attributes_.coherent = true;
  payload_.set_address(physical);
  payload_.set_command(write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND);
  payload_.set_data_ptr(static_cast<unsigned char*>(data));
  payload_.set_data_length(size);
  payload_.set_streaming_width(size);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
  payload_.set_extension(&attributes_);
  // Later accesses of one instruction start where the earlier ones ended, ahead of the kernel.
  const Time ahead = std::max(local_time() - now(), Time(0));
  sc_core::sc_time delay = to_sc(ahead);
  bus_->b_transport(payload_, delay);
  payload_.clear_extension(&attributes_);
  stall_cycles_ += cycles_of(from_sc(delay) - ahead);
  if (payload_.is_response_ok()) return true;
  ++bus_errors_;
  return false;
}

bool A64Cpu::read(std::uint64_t physical, void* data, unsigned size, bool secure) {
  ++device_reads_;
  return transport(physical, data, size, false, secure);
}

bool A64Cpu::write(std::uint64_t physical, const void* data, unsigned size, bool secure) {
  ++device_writes_;
  std::array<std::uint8_t, 16> copy{};
  std::memcpy(copy.data(), data, size);
  return transport(physical, copy.data(), size, true, secure);
}

std::uint32_t A64Cpu::charge_transfer(std::uint64_t physical, unsigned size, bool write, bool allocate) {
  synchronise();
  std::array<std::uint8_t, 64> unused{};
  ::tlm::tlm_generic_payload payload;
  TransferAttributes attributes = attributes_;
  attributes.timing_only = true;
  attributes.allocate = allocate;
  attributes.coherent = !write;  // a write-back tells the cluster's own caches nothing new
  payload.set_address(physical);
  payload.set_command(write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND);
  payload.set_data_ptr(unused.data());
  payload.set_data_length(size);
  payload.set_streaming_width(size);
  payload.set_extension(&attributes);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  bus_->b_transport(payload, delay);
  payload.clear_extension(&attributes);
  return static_cast<std::uint32_t>(cycles_of(from_sc(delay)));
}

bool A64Cpu::access_physical(std::uint64_t address, std::uint8_t* data, std::size_t size, bool write, bool secure) {
  while (size > 0) {
    const std::size_t part = std::min<std::size_t>(size, kPage - (address & (kPage - 1)));
    if (const auto region = host_region(address, secure); region && (!write || region->writable)) {
      std::uint8_t* place = region->host + (address - region->base);
      if (write)
        std::memcpy(place, data, part);
      else
        std::memcpy(data, place, part);
    } else {
      ::tlm::tlm_generic_payload payload;
      payload.set_address(address);
      payload.set_command(write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND);
      payload.set_data_ptr(data);
      payload.set_data_length(static_cast<unsigned>(part));
      payload.set_streaming_width(static_cast<unsigned>(part));
      if (bus_->transport_dbg(payload) != part) return false;
    }
    address += part;
    data += part;
    size -= part;
  }
  return true;
}

bool A64Cpu::read_physical(std::uint64_t address, std::span<std::uint8_t> data, bool secure) {
  return access_physical(address, data.data(), data.size(), false, secure);
}

bool A64Cpu::write_physical(std::uint64_t address, std::span<const std::uint8_t> data, bool secure) {
  std::vector<std::uint8_t> copy(data.begin(), data.end());
  if (!access_physical(address, copy.data(), copy.size(), true, secure)) return false;
  for (A64Cpu* peer : group_.peers()) peer->engine_.invalidate_physical(address, data.size());
  return true;
}

bool A64Cpu::access_virtual(std::uint64_t va, std::span<std::uint8_t> data, bool write) {
  while (!data.empty()) {
    const std::size_t part = std::min<std::size_t>(data.size(), kPage - (va & (kPage - 1)));
    Translation where;
    Exception fault{};
    if (!system_.translate(va, write ? Access::kWrite : Access::kRead, false, where, fault)) return false;
    const bool done = write ? write_physical(where.physical, data.first(part), system_.secure())
                            : read_physical(where.physical, data.first(part), system_.secure());
    if (!done) return false;
    va += part;
    data = data.subspan(part);
  }
  return true;
}

// --- What instructions do to others
// --------------------------------------------------------------------------------------------

void A64Cpu::flush_translations(const TlbScope& asked) {
  const TlbScope scope = system_.widened(asked);
  if (scope.all) {
    engine_.flush_translations();
  } else {
    engine_.flush_page(scope.va, scope.size);
  }
}

void A64Cpu::flush_translations_inner_shareable(const TlbScope& scope) {
  for (A64Cpu* peer : group_.peers()) peer->flush_translations(scope);
}

void A64Cpu::invalidate_code(std::uint64_t physical, std::uint64_t size, bool inner_shareable) {
  if (!inner_shareable) {
    engine_.invalidate_physical(physical, size);
    return;
  }
  for (A64Cpu* peer : group_.peers()) peer->engine_.invalidate_physical(physical, size);
}

Flow A64Cpu::psci_call(std::uint32_t function, const std::array<std::uint64_t, 3>& arguments, std::uint64_t& result) {
  const Flow flow = answer_psci(group_.power(), function, arguments, result);
  if (result == static_cast<std::uint64_t>(-1)) {
    context_.log.once(LogLevel::kDebug, fmt::format("psci {:x}", function), "PSCI function {:#x} is not supported",
                      function);
  }
  return flow;
}

Flow A64Cpu::semihosting_call() {
  VirtualMemory memory(*this);
  CpuState& state = engine_.state();
  const Semihosting::Answer answer =
      group_.semihosting().call(static_cast<std::uint32_t>(state.x[0]), state.x[1], memory, local_time());
  if (answer.exits) {
    context_.simulation.request_stop(answer.code, answer.reason);
    return Flow::kStop;
  }
  state.x[0] = answer.value;
  return Flow::kContinue;
}

void A64Cpu::exception_taken(std::uint8_t ec, unsigned /*target_el*/) {
  switch (ec) {
    case kIrqStatistic:
      ++irqs_;
      break;
    case kFiqStatistic:
      ++fiqs_;
      break;
    case 0x15:
      ++svcs_;
      break;
    case 0x16:
      ++hvcs_;
      break;
    case 0x17:
      ++smcs_;
      break;
    case 0x00:
      ++undefineds_;
      break;
    case 0x01:
    case 0x07:
    case 0x18:
      ++traps_;
      break;
    case 0x20:
    case 0x21:
      ++instruction_aborts_;
      break;
    case 0x24:
    case 0x25:
      ++data_aborts_;
      break;
    default:
      ++other_exceptions_;
      break;
  }
}

void A64Cpu::report(const std::string& key, const std::string& message) {
  context_.log.once(LogLevel::kWarning, key, "core {} near {:#x}: {}", number(), engine_.state().pc, message);
}

void A64Cpu::report_undefined(std::uint64_t pc, std::uint32_t word) {
  const std::string symbol = group_.symbol(pc);
  context_.log.once(LogLevel::kWarning, fmt::format("undefined {:08x}", word),
                    "core {} at {:#x}{}: {:08x} ({}) is not implemented; the guest sees an UNDEFINED instruction",
                    number(), pc, symbol.empty() ? "" : " <" + symbol + ">", word, disassemble(word, pc));
}

}  // namespace dpusim::cpu
