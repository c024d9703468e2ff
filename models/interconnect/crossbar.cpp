#include "interconnect/crossbar.h"

#include <algorithm>

#include "sim/systemc_time.h"
#include "tlm/payload_copy.h"

namespace dpusim::interconnect {

CrossbarPort::CrossbarPort(StatGroup& group)
    : transactions(group, "transactions", "accesses", "Accesses of this requester"),
      octets_read(group, "octets_read", "octets", "Octets read by this requester"),
      octets_written(group, "octets_written", "octets", "Octets written by this requester"),
      errors(group, "errors", "accesses", "Accesses that were answered with an error"),
      l3_hits(group, "l3_hits", "lines", "Lines that this requester found in the last-level cache"),
      l3_misses(group, "l3_misses", "lines", "Lines that this requester did not find in the last-level cache"),
      latency(group, "latency", "ps", "Time from request to response"),
      read_data(group, "read_data", "read data path of the port"),
      write_data(group, "write_data", "write data path of the port") {}

// The module's name must live until construction ends, or its sockets would not be its children.
Crossbar::Crossbar(const BlockContext& context, const CrossbarConfig& config)
    : Crossbar(sc_core::sc_module_name(context.name.c_str()), context, config) {}

Crossbar::Crossbar(const sc_core::sc_module_name& name, const BlockContext& context, const CrossbarConfig& config)
    : BusBase(name),
      config_(config),
      functional_(context.fidelity == Fidelity::kFunctional),
      stats_(context.stats),
      port_beats_(config.port_width, config.clock),
      l3_beats_(config.l3_width, config.clock),
      l3_data_(context.stats, "l3_data", "data path of the last-level cache"),
      fetched_(context.stats, "octets_fetched", "octets", "Octets that the last-level cache read from memory"),
      written_(context.stats, "octets_written_around", "octets",
               "Octets that writes took to memory past the last-level cache"),
      written_back_(context.stats, "octets_written_back", "octets", "Octets of dirty lines that left for memory") {
  if (config.l3_size > Bytes(0)) cache_.emplace(cache::Geometry{config.l3_size, config.l3_ways, config.line});
  downstream_payload_.set_extension(&downstream_attributes_);
  downstream_attributes_.timing_only = true;
}

Crossbar::~Crossbar() { downstream_payload_.clear_extension(&downstream_attributes_); }

void Crossbar::map(const std::string& name, std::uint64_t base, std::uint64_t size, MemoryTargetSocket& target) {
  BusBase::map(name, base, size, target);
  targets_.emplace_back();
}

unsigned Crossbar::connect(const std::string& name, MemoryInitiatorSocket& initiator) {
  port_.push_back(std::make_unique<CrossbarPort>(stats_.child(name)));
  return BusBase::connect(name, initiator);
}

void Crossbar::add_agent(unsigned requester, CoherentAgent& agent) {
  BusBase::add_agent(requester, agent);
  port_[requester]->is_core = true;
}

void Crossbar::learn(const AddressMap::Range& range, Target& target) {
  target.known = true;
  ::tlm::tlm_generic_payload payload;
  payload.set_command(::tlm::TLM_WRITE_COMMAND);
  payload.set_address(0);
  ::tlm::tlm_dmi dmi;
  const bool granted = this->target(range.target)->get_direct_mem_ptr(payload, dmi);
  const std::uint64_t line = config_.line.count(), size = range.last - range.base + 1;
  const bool whole = dmi.get_start_address() == 0 && dmi.get_end_address() >= size - 1;
  // A fabric caches whole lines, so a mapping that is not made of them is not cached.
  const bool lines = range.base % line == 0 && size % line == 0;
  target.memory = granted && whole && lines && dmi.is_read_write_allowed() ? dmi.get_dmi_ptr() : nullptr;
}

void Crossbar::invalidate_direct_mem_ptr(unsigned number, std::uint64_t start, std::uint64_t end) {
  targets_[number] = {};
  BusBase::invalidate_direct_mem_ptr(number, start, end);
}

void Crossbar::b_transport(unsigned number, ::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  CrossbarPort& port = *port_[number];
  ++port.transactions;
  const std::uint64_t address = payload.get_address();
  const std::uint64_t span = std::max<std::uint64_t>(address_span(payload), 1);  // an IGNORE command may have length 0
  const AddressMap::Range* range = address_map().find(address);
  if (range == nullptr || !range->contains(address, span)) [[unlikely]] {
    ++port.errors;
    payload.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    delay += to_sc(config_.hop_latency * 2);
    return;
  }
  const auto* attributes = payload.get_extension<TransferAttributes>();
  const Time kernel = now();
  const Access access{port, number, *range, address, span, attributes, kernel};
  const Time arrival = kernel + from_sc(delay);
  Time done = arrival;
  Target& target = targets_[range->target];
  if (!target.known) learn(*range, target);
  const bool moves = payload.is_read() || payload.is_write();
  const bool legal = payload.get_byte_enable_ptr() == nullptr || payload.get_byte_enable_length() != 0;
  if (target.memory != nullptr && !functional_ && moves && legal) [[likely]] {
    if (attributes == nullptr || !attributes->timing_only)
      copy_payload(payload, target.memory + (address - range->base));
    payload.set_response_status(::tlm::TLM_OK_RESPONSE);
    payload.set_dmi_allowed(true);
    done = access_memory(access, payload.is_write(), arrival);
  } else {
    access_device(access, payload, done);
  }
  delay += to_sc(done - arrival);
  port.latency.record(done - arrival);
  if (!payload.is_response_ok()) {
    ++port.errors;
  } else if (payload.is_write()) {
    port.octets_written += payload.get_data_length();
    const bool others_must_know = attributes == nullptr || (attributes->coherent && !attributes->timing_only);
    if (target.memory != nullptr && others_must_know) snoop(number, address, span);
  } else if (payload.is_read()) {
    port.octets_read += payload.get_data_length();
  }
}

// Takes the payload through to a device, or in functional fidelity to anything.
void Crossbar::access_device(const Access& access, ::tlm::tlm_generic_payload& payload, Time& at) {
  const Time service = functional_ ? Time(0) : port_beats_(access.span);
  if (payload.is_write() && !functional_) {
    access.port.write_data.advance(access.kernel);
    at = access.port.write_data.reserve_split(at, service).done;
  }
  at += config_.hop_latency;
  sc_core::sc_time delay = to_sc(at - access.kernel);
  payload.set_address(access.address - access.range.base);
  target(access.range.target)->b_transport(payload, delay);
  payload.set_address(access.address);
  at = now() + from_sc(delay);
  if (payload.is_read() && !functional_) {
    access.port.read_data.advance(access.kernel);
    at = access.port.read_data.reserve_split(at, service).done;
  }
  at += config_.hop_latency;
}

Time Crossbar::access_memory(const Access& access, bool is_write, Time at) {
  l3_data_.advance(access.kernel);
  // Devices' reads never allocate (nothing would read the line again from there), their writes only if the switch is
  // on.
  const bool asked = access.attributes != nullptr && access.attributes->allocate;
  const bool allocate = asked && (access.port.is_core || (is_write && config_.ddio));
  const Time service = port_beats_(access.span);
  if (is_write) {
    access.port.write_data.advance(access.kernel);
    const Time arrived = access.port.write_data.reserve_split(at, service).done + config_.hop_latency;
    return write_memory(access, arrived, allocate) + config_.hop_latency;
  }
  access.port.read_data.advance(access.kernel);
  const Ready ready = read_memory(access, at + config_.hop_latency, allocate);
  // Data goes out while it comes in, so the port's own time shows only when it is the slower side or busy.
  const Time first = std::max(ready.last - service, ready.first);
  return std::max(access.port.read_data.reserve_split(first, service).done, ready.last) + config_.hop_latency;
}

Crossbar::Ready Crossbar::read_memory(const Access& access, Time at, bool allocate) {
  if (!cache_) {
    const LastLevelCache::Run all{access.address, access.span};
    return {at, transfer(access, {&all, 1}, false, at, fetched_)};
  }
  const LastLevelCache::Outcome found = cache_->read(access.address, access.span, allocate);
  access.port.l3_hits += found.hits;
  access.port.l3_misses += found.misses;
  const Time known = at + config_.l3_lookup;
  Ready ready{known, at};
  if (found.hits > 0) {
    const BusyCalendar::Slot slot = l3_data_.reserve_split(at, l3_beats_(found.hits * config_.line.count()));
    ready = {slot.start + config_.l3_latency, slot.done - l3_beats_(config_.line.count()) + config_.l3_latency};
  }
  if (found.misses > 0) ready.last = std::max(ready.last, transfer(access, found.fetches, false, known, fetched_));
  if (!found.write_backs.empty()) transfer(access, found.write_backs, true, known, written_back_);
  return ready;
}

Time Crossbar::write_memory(const Access& access, Time at, bool allocate) {
  if (!cache_) {
    const LastLevelCache::Run all{access.address, access.span};
    return transfer(access, {&all, 1}, true, at, written_);
  }
  const LastLevelCache::Outcome found = cache_->write(access.address, access.span, allocate);
  access.port.l3_hits += found.hits;
  access.port.l3_misses += found.misses;
  const Time known = at + config_.l3_lookup;
  Time done = at;
  if (found.kept > 0) {
    // The octets have streamed in at the port's rate, so only the wait for the cache counts.
    const Time service = l3_beats_(found.kept * config_.line.count());
    done = l3_data_.reserve_split(at, service).done - service + config_.l3_latency;
  }
  if (!found.writes.empty()) done = std::max(done, transfer(access, found.writes, true, known, written_));
  if (!found.fetches.empty()) transfer(access, found.fetches, false, known, fetched_);
  if (!found.write_backs.empty()) transfer(access, found.write_backs, true, known, written_back_);
  return done;
}

// Charges memory for what moves between it and the fabric. @return when the last run is done.
Time Crossbar::transfer(const Access& access, std::span<const LastLevelCache::Run> runs, bool is_write, Time at,
                        Counter& count) {
  DPUSIM_CHECK(!downstream_busy_, "{}: a memory target called back into the crossbar", name());
  downstream_busy_ = true;
  downstream_attributes_.requester = static_cast<std::uint16_t>(access.number);
  Time done = at;
  for (LastLevelCache::Run run : runs) {
    while (run.octets > 0) {
      const AddressMap::Range* range =
          access.range.contains(run.address, 1) ? &access.range : address_map().find(run.address);
      DPUSIM_CHECK(range != nullptr, "{}: a cached line at {:#x} belongs to no memory", name(), run.address);
      const std::uint64_t octets = std::min(run.octets, range->octets_from(run.address));
      ::tlm::tlm_generic_payload& payload = downstream_payload_;
      payload.set_command(is_write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND);
      payload.set_address(run.address - range->base);
      payload.set_data_ptr(nullptr);
      payload.set_data_length(static_cast<unsigned>(octets));
      payload.set_streaming_width(static_cast<unsigned>(octets));
      payload.set_dmi_allowed(false);
      payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
      sc_core::sc_time delay = to_sc(at - access.kernel);
      target(range->target)->b_transport(payload, delay);
      DPUSIM_CHECK(payload.is_response_ok(), "{}: memory answers {} at {:#x}", name(), payload.get_response_string(),
                   run.address);
      done = std::max(done, access.kernel + from_sc(delay));
      count += octets;
      run.address += octets;
      run.octets -= octets;
    }
  }
  downstream_busy_ = false;
  return done;
}

}  // namespace dpusim::interconnect
