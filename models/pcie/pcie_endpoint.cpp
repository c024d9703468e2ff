#include "pcie/pcie_endpoint.h"

#include <algorithm>

#include "pcie/pcie_endpoint_regs.h"
#include "pcie/pcie_packets.h"
#include "sim/error.h"
#include "sim/systemc_time.h"

namespace dpusim::pcie {

PcieEndpoint::PcieEndpoint(const BlockContext& context, const PcieEndpointConfig& config)
    : PcieEndpoint(sc_core::sc_module_name(context.name.c_str()), context, config) {}

PcieEndpoint::PcieEndpoint(const sc_core::sc_module_name& name, const BlockContext& context,
                           const PcieEndpointConfig& config)
    : sc_module(name),
      link("link"),
      window("window"),
      bus("bus"),
      config_(config),
      core_(config_, context, *this),
      regs_(
          "regs", context.fidelity == Fidelity::kFunctional ? Time(0) : config.access,
          [this](const RegisterTarget::Access& a) {
            RegisterBank& bank = core_.card(a.when);
            return a.write ? bank.write(a.offset, a.data, a.enables) : bank.read(a.offset, a.data, a.enables);
          },
          [this](std::uint64_t offset, std::span<std::uint8_t> data, bool write) {
            RegisterBank& bank = core_.card(now());
            return write ? bank.debug_write(offset, data) : bank.debug_read(offset, data);
          }),
      event_("due") {
  link.bind(static_cast<PcieDownstream&>(*this));
  window.bind(static_cast<::tlm::tlm_fw_transport_if<>&>(*this));
  bus.bind(static_cast<::tlm::tlm_bw_transport_if<>&>(*this));
  attributes_.allocate = config.allocate;
  for (::tlm::tlm_generic_payload& payload : payloads_) payload.set_extension(&attributes_);
  SC_HAS_PROCESS(PcieEndpoint);
  SC_METHOD(on_event);
  sensitive << event_;
  dont_initialize();
}

PcieEndpoint::~PcieEndpoint() {
  for (::tlm::tlm_generic_payload& payload : payloads_) payload.clear_extension(&attributes_);
}

std::vector<Port> PcieEndpoint::ports() {
  return {{"link", &link, "To a link's port \"device\""},
          {"window", &window, "The card's window onto host memory", config_.window_size.count()},
          {"regs", &regs_.socket(), "Registers for the card's software", pcie_endpoint_regs::kSize},
          {"bus", &bus, "Accesses of the host through BAR 2 and BAR 4"},
          {"irq", &irq, "Doorbell and change of configuration, level"},
          {"msix", IrqInputs{this, 0, config_.vectors}, "Interrupt inputs: a rise of input n is an event of vector n"}};
}

void PcieEndpoint::attached(const std::string& port, AddressSpace& /*bus*/, unsigned requester) {
  if (port == "bus") attributes_.requester = static_cast<std::uint16_t>(requester);
}

void PcieEndpoint::before_end_of_elaboration() { open_.close(link); }

PcieEndpointEnvironment::CardResult PcieEndpoint::card_access(bool write, std::uint64_t address,
                                                              std::span<std::uint8_t> data, Time when,
                                                              unsigned nesting) {
  ::tlm::tlm_generic_payload& payload = payloads_[nesting];
  const Time present = now();
  payload.set_command(write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(data.data());
  payload.set_data_length(static_cast<unsigned>(data.size()));
  payload.set_streaming_width(static_cast<unsigned>(data.size()));
  payload.set_byte_enable_ptr(nullptr);
  payload.set_dmi_allowed(false);
  payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = to_sc(std::max(when - present, Time(0)));
  bus->b_transport(payload, delay);
  return {present + from_sc(delay),
          payload.is_response_ok() ? CompletionStatus::kSuccessful : CompletionStatus::kCompleterAbort};
}

void PcieEndpoint::irq_changed(unsigned number, bool level) { core_.set_input(number, level, now()); }

void PcieEndpoint::b_transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const Time begin = now() + from_sc(delay);
  Time at = begin;
  payload.set_response_status(serve(payload, at));
  delay += to_sc(at - begin);
}

::tlm::tlm_response_status PcieEndpoint::serve(::tlm::tlm_generic_payload& payload, Time& at) {
  const unsigned length = payload.get_data_length();
  if (payload.get_command() == ::tlm::TLM_IGNORE_COMMAND) return ::tlm::TLM_OK_RESPONSE;
  if (!payload.is_read() && !payload.is_write()) return ::tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (length == 0 || payload.get_streaming_width() < length) return ::tlm::TLM_BURST_ERROR_RESPONSE;
  const auto* attributes = payload.get_extension<TransferAttributes>();
  if (attributes != nullptr && attributes->timing_only) return charge(payload, at);
  if (payload.get_data_ptr() == nullptr) return ::tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr) return serve_enabled(payload, at);
  return access(payload.is_write(), payload.get_address(), {payload.get_data_ptr(), length}, at);
}

// A packet has one run of octets: each run of enabled ones becomes a request, all at the same time.
::tlm::tlm_response_status PcieEndpoint::serve_enabled(::tlm::tlm_generic_payload& payload, Time& at) {
  const std::uint8_t* enables = payload.get_byte_enable_ptr();
  const unsigned length = payload.get_data_length(), period = payload.get_byte_enable_length();
  if (period == 0) return ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const auto enabled = [&](unsigned i) { return enables[i % period] == TLM_BYTE_ENABLED; };
  for (unsigned i = 0; i < std::min(length, period); ++i) {
    if (!enabled(i) && enables[i] != TLM_BYTE_DISABLED) return ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  }
  const Time begin = at;
  auto response = ::tlm::TLM_OK_RESPONSE;
  for (unsigned first = 0, end = 0; first < length && response == ::tlm::TLM_OK_RESPONSE; first = end) {
    for (end = first + 1; end < length && enabled(end) == enabled(first);) ++end;
    if (!enabled(first)) continue;
    Time done = begin;
    response =
        access(payload.is_write(), payload.get_address() + first, {payload.get_data_ptr() + first, end - first}, done);
    at = std::max(at, done);
  }
  return response;
}

::tlm::tlm_response_status PcieEndpoint::access(bool write, std::uint64_t offset, std::span<std::uint8_t> data,
                                                Time& at) {
  const PcieEndpointCore::Outcome outcome = core_.access_window(write, offset, data, at);
  at = std::max(at, outcome.done);
  switch (outcome.answer) {
    case PcieEndpointCore::Answer::kOk:
      return ::tlm::TLM_OK_RESPONSE;
    case PcieEndpointCore::Answer::kRefused:
    case PcieEndpointCore::Answer::kUnsupported:
      return ::tlm::TLM_ADDRESS_ERROR_RESPONSE;
    case PcieEndpointCore::Answer::kAborted:
      break;
  }
  return ::tlm::TLM_GENERIC_ERROR_RESPONSE;
}

// A line fill reads for the time that it takes; a write-back, which may move nothing, takes the wire's time without
// being on it.
::tlm::tlm_response_status PcieEndpoint::charge(const ::tlm::tlm_generic_payload& payload, Time& at) {
  const unsigned length = payload.get_data_length();
  if (payload.is_read()) {
    std::vector<std::uint8_t> unused(length);
    return access(false, payload.get_address(), unused, at);
  }
  if (!core_.configuration().bus_master()) return ::tlm::TLM_ADDRESS_ERROR_RESPONSE;
  const LinkShape shape{config_.generation, config_.lanes, config_.mps, config_.mrrs, Bytes(64), false, 0};
  const std::uint64_t host = core_.card().get(pcie_endpoint_regs::HOST_BASE) + payload.get_address();
  const WireOctets wire = write_on_wire(shape, host, Bytes(length));
  at += core_.latency() + (core_.latency() > Time(0) ? transfer_time(wire.requests, shape.rate()) : Time(0));
  return ::tlm::TLM_OK_RESPONSE;
}

::tlm::tlm_sync_enum PcieEndpoint::nb_transport_fw(::tlm::tlm_generic_payload& payload, ::tlm::tlm_phase& phase,
                                                   sc_core::sc_time& delay) {
  DPUSIM_CHECK(phase == ::tlm::BEGIN_REQ, "{}: phase {}", name(), static_cast<unsigned>(phase));
  b_transport(payload, delay);
  return ::tlm::TLM_COMPLETED;
}

bool PcieEndpoint::get_direct_mem_ptr(::tlm::tlm_generic_payload& /*payload*/, ::tlm::tlm_dmi& dmi) {
  dmi.allow_read_write();  // with the range: what is denied
  dmi.set_start_address(0);
  dmi.set_end_address(~0ULL);
  return false;
}

// A request at the other end of a link has effects, so a debugger has no way through.
unsigned int PcieEndpoint::transport_dbg(::tlm::tlm_generic_payload& /*payload*/) { return 0; }

::tlm::tlm_sync_enum PcieEndpoint::nb_transport_bw(::tlm::tlm_generic_payload& payload, ::tlm::tlm_phase& /*phase*/,
                                                   sc_core::sc_time& /*delay*/) {
  DPUSIM_CHECK(false, "{}: a backward call for a transaction that was never sent non-blocking (address {:#x})", name(),
               payload.get_address());
  return ::tlm::TLM_COMPLETED;
}

namespace {
constexpr auto kLater = [](const auto& a, const auto& b) { return a.when > b.when; };
}  // namespace

void PcieEndpoint::tell_at(const Notice& notice, Time when) {
  told_.push_back({when, notice});
  std::push_heap(told_.begin(), told_.end(), kLater);
  rearm();
}

void PcieEndpoint::on_event() {
  armed_ = kTimeMax;
  Notice all{};
  while (!told_.empty() && told_.front().when <= now()) {
    all.doorbells |= told_.front().notice.doorbells;
    all.configuration |= told_.front().notice.configuration;
    std::pop_heap(told_.begin(), told_.end(), kLater);
    told_.pop_back();
  }
  core_.take(all);
  rearm();
}

void PcieEndpoint::rearm() {
  if (told_.empty()) return;
  const Time wake = std::max(told_.front().when, now());
  if (wake >= armed_) return;
  armed_ = wake;
  event_.notify(to_sc(wake - now()));
}

}  // namespace dpusim::pcie
