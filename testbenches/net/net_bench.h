// What the tests of this family put around their models.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "sim/simulation.h"
#include "sim/systemc_time.h"
#include "tlm/block.h"
#include "tlm/ethernet.h"

namespace net_bench {

using namespace dpusim;
using Octets = std::vector<std::uint8_t>;

/// Services of a run.
struct Run {
  std::vector<std::string> lines;
  Log log{[this](LogLevel, const std::string& line) { lines.push_back(line); }, [] { return now(); }};
  Simulation simulation{log, 1, Fidelity::kApproximate, "."};
  BlockContext context(const std::string& name) { return {simulation, name, Fidelity::kApproximate}; }
  /// Returns a counter's or formula's value by dotted path.
  double stat(const std::string& path) {
    const Statistic* found = simulation.stats().find(path);
    if (found == nullptr) throw std::runtime_error("no statistic " + path);
    return found->scalar(now());
  }
};

/// Sends frames on a link when the test says so.
class Sender : public sc_core::sc_module, private EthernetBackward {
 public:
  explicit Sender(const sc_core::sc_module_name& name) : sc_module(name), out("out") {
    out.bind(static_cast<EthernetBackward&>(*this));
  }
  EthernetInitiatorSocket out;
  Time send(Octets octets, Time start, bool fcs_ok = true) {
    FramePtr frame = make_frame(std::move(octets));
    frame->fcs_ok = fcs_ok;
    last = frame;
    return out->send(frame, start);
  }
  FramePtr last;
  Time paused_until{0};

 private:
  void pause(Time until, std::uint8_t) override { paused_until = until; }
};

/// Takes frames from a link and remembers them. @param hold time after a frame's start until it takes the next.
class Receiver : public sc_core::sc_module, private EthernetForward {
 public:
  explicit Receiver(const sc_core::sc_module_name& name, Time hold = Time(0)) : sc_module(name), in("in"), hold_(hold) {
    in.bind(static_cast<EthernetForward&>(*this));
  }
  EthernetTargetSocket in;
  struct Taken {
    FramePtr frame;
    Time start;
  };
  std::vector<Taken> taken;
  [[nodiscard]] std::vector<std::int64_t> starts() const {
    std::vector<std::int64_t> all;
    for (const Taken& one : taken) all.push_back(one.start.count());
    return all;
  }

 private:
  Time send(FramePtr frame, Time start) override {
    taken.push_back({std::move(frame), start});
    return start + hold_;
  }
  Time hold_;
};

/// Accesses registers through a bus socket, as a core does.
class BusMaster : public sc_core::sc_module, private ::tlm::tlm_bw_transport_if<> {
 public:
  explicit BusMaster(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") { socket.bind(*this); }
  MemoryInitiatorSocket socket;
  ::tlm::tlm_response_status access(bool write, std::uint64_t offset, void* data, unsigned octets) {
    ::tlm::tlm_generic_payload payload;
    payload.set_command(write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND);
    payload.set_address(offset);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(octets);
    payload.set_streaming_width(octets);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    last_delay = from_sc(delay);
    return payload.get_response_status();
  }
  template <class T>
  void write(std::uint64_t offset, T value) {
    if (access(true, offset, &value, sizeof value) != ::tlm::TLM_OK_RESPONSE) throw std::runtime_error("write refused");
  }
  template <class T>
  T read(std::uint64_t offset) {
    T value{};
    if (access(false, offset, &value, sizeof value) != ::tlm::TLM_OK_RESPONSE) throw std::runtime_error("read refused");
    return value;
  }
  void write32(std::uint64_t offset, std::uint32_t value) { write(offset, value); }
  void write64(std::uint64_t offset, std::uint64_t value) { write(offset, value); }
  std::uint32_t read32(std::uint64_t offset) { return read<std::uint32_t>(offset); }
  std::uint64_t read64(std::uint64_t offset) { return read<std::uint64_t>(offset); }
  Time last_delay{0};

 private:
  ::tlm::tlm_sync_enum nb_transport_bw(::tlm::tlm_generic_payload&, ::tlm::tlm_phase&, sc_core::sc_time&) override {
    return ::tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

/// Memory of a fixed latency; a range can be made to answer with errors.
class Memory : public sc_core::sc_module, private ::tlm::tlm_fw_transport_if<> {
 public:
  Memory(const sc_core::sc_module_name& name, std::size_t size, Time latency)
      : sc_module(name), socket("socket"), octets(size), latency_(latency) {
    socket.bind(*this);
  }
  MemoryTargetSocket socket;
  Octets octets;
  std::uint64_t bad_begin = 0, bad_end = 0;

 private:
  void b_transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    delay += to_sc(latency_);
    const std::uint64_t at = payload.get_address(), length = payload.get_data_length();
    if (at + length > octets.size() || (at < bad_end && at + length > bad_begin)) {
      payload.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (payload.is_write()) {
      std::memcpy(&octets[at], payload.get_data_ptr(), length);
    } else {
      std::memcpy(payload.get_data_ptr(), &octets[at], length);
    }
    payload.set_response_status(::tlm::TLM_OK_RESPONSE);
  }
  ::tlm::tlm_sync_enum nb_transport_fw(::tlm::tlm_generic_payload&, ::tlm::tlm_phase&, sc_core::sc_time&) override {
    return ::tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(::tlm::tlm_generic_payload&, ::tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(::tlm::tlm_generic_payload&) override { return 0; }
  Time latency_;
};

/// Senses one interrupt line.
struct LineProbe : IrqSink {
  void irq_changed(unsigned, bool level) override { changes.push_back({now().count(), level}); }
  std::vector<std::pair<std::int64_t, bool>> changes;
};

/// Runs until everything due at `until` is done (sc_start alone stops before events at its end).
inline void run_until(Time until) {
  if (until > now()) sc_core::sc_start(to_sc(until - now()));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

}  // namespace net_bench
