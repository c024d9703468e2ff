#include "mem/memory_target.h"

#include <algorithm>
#include <cstring>

#include "sim/systemc_time.h"
#include "tlm/payload_copy.h"
#include "tlm/transfer.h"

namespace dpusim::mem {

MemoryStats::MemoryStats(StatGroup& group)
    : reads(group, "reads", "accesses", "Read accesses"),
      writes(group, "writes", "accesses", "Write accesses"),
      octets_read(group, "octets_read", "octets", "Octets that were asked for by reads"),
      octets_written(group, "octets_written", "octets", "Octets that were given by writes"),
      errors(group, "errors", "accesses", "Accesses that were answered with an error"),
      read_latency(group, "read_latency", "ps", "Time from arrival of a read to its last octet"),
      write_latency(group, "write_latency", "ps", "Time from arrival of a write to its acceptance"),
      bandwidth(
          group, "bandwidth", "octets/s", "Octets read and written over the time of the run",
          [this](Time now) {
            if (now <= Time(0)) return 0.0;
            return static_cast<double>(octets_read.value() + octets_written.value()) *
                   static_cast<double>(kPicosecondsPerSecond) / static_cast<double>(now.count());
          },
          FormulaKind::kTimeMean) {}

MemoryTarget::MemoryTarget(const sc_core::sc_module_name& name, const BlockContext& context, Bytes capacity,
                           std::unique_ptr<MemoryTiming> timing)
    : sc_module(name), store_(context.name, capacity), timing_(std::move(timing)), stats_(context.stats) {
  socket.bind(*this);
}

std::vector<Port> MemoryTarget::ports() { return {{"socket", &socket, "Access to the contents", store_.size()}}; }

::tlm::tlm_response_status MemoryTarget::check(const ::tlm::tlm_generic_payload& payload) const {
  const std::uint64_t address = payload.get_address();
  if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0) {
    return ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  }
  if (payload.get_data_length() == 0 || payload.get_streaming_width() == 0) return ::tlm::TLM_BURST_ERROR_RESPONSE;
  if (address >= store_.size() || address_span(payload) > store_.size() - address)
    return ::tlm::TLM_ADDRESS_ERROR_RESPONSE;
  return ::tlm::TLM_OK_RESPONSE;
}

void MemoryTarget::b_transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const bool is_write = payload.is_write();
  if (!is_write && !payload.is_read()) {
    payload.set_response_status(::tlm::TLM_OK_RESPONSE);
    return;
  }
  const ::tlm::tlm_response_status status = check(payload);
  payload.set_response_status(status);
  if (status != ::tlm::TLM_OK_RESPONSE) {
    ++stats_.errors;
    return;
  }
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  const auto* attributes = payload.get_extension<TransferAttributes>();
  if (attributes == nullptr || !attributes->timing_only) copy_payload(payload, store_.data() + address);
  payload.set_dmi_allowed(true);

  const Time kernel = now();
  const Time arrival = kernel + from_sc(delay);
  timing_->advance(kernel);  // nobody can be behind the kernel
  const Time taken = timing_->access(arrival, address, length, is_write) - arrival;
  delay += to_sc(taken);
  if (is_write) {
    ++stats_.writes;
    stats_.octets_written += length;
    stats_.write_latency.record(taken);
  } else {
    ++stats_.reads;
    stats_.octets_read += length;
    stats_.read_latency.record(taken);
  }
}

::tlm::tlm_sync_enum MemoryTarget::nb_transport_fw(::tlm::tlm_generic_payload& payload, ::tlm::tlm_phase& phase,
                                                   sc_core::sc_time& delay) {
  if (phase == ::tlm::BEGIN_REQ) b_transport(payload, delay);
  return ::tlm::TLM_COMPLETED;  // with the time annotated (IEEE 1666-2011 15.2.3)
}

bool MemoryTarget::get_direct_mem_ptr(::tlm::tlm_generic_payload& payload, ::tlm::tlm_dmi& dmi) {
  dmi.init();
  dmi.set_end_address(store_.size() - 1);
  if (payload.get_address() >= store_.size()) {
    dmi.set_start_address(store_.size());
    dmi.set_end_address(~sc_dt::uint64{0});
    return false;
  }
  dmi.set_dmi_ptr(store_.data());
  dmi.allow_read_write();
  dmi.set_read_latency(to_sc(timing_->unloaded(8, false)));
  dmi.set_write_latency(to_sc(timing_->unloaded(8, true)));
  return true;
}

unsigned int MemoryTarget::transport_dbg(::tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  if (address >= store_.size()) return 0;
  const std::uint64_t count = std::min<std::uint64_t>(payload.get_data_length(), store_.size() - address);
  if (payload.is_write()) {
    std::memcpy(store_.data() + address, payload.get_data_ptr(), count);
  } else if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), store_.data() + address, count);
  } else {
    return 0;
  }
  return static_cast<unsigned>(count);
}

}  // namespace dpusim::mem
