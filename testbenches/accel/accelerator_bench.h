// An accelerator and memory, driven through registers as software does.
#pragma once

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "accel/accel_regs.h"
#include "accel/accelerator.h"
#include "sim/simulation.h"
#include "sim/systemc_time.h"

namespace accelerator_bench {

using namespace dpusim;
using namespace dpusim::accel;
using namespace dpusim::literals;
namespace regs = dpusim::accel_regs;
using Octets = std::vector<std::uint8_t>;

/// Accesses registers through a bus socket, as a core does.
class Core : public sc_core::sc_module, private ::tlm::tlm_bw_transport_if<> {
 public:
  explicit Core(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") { socket.bind(*this); }
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
  void write32(std::uint64_t offset, std::uint32_t value) { write(offset, value); }
  void write64(std::uint64_t offset, std::uint64_t value) { write(offset, value); }
  std::uint32_t read32(std::uint64_t offset) { return read<std::uint32_t>(offset); }
  std::uint64_t read64(std::uint64_t offset) { return read<std::uint64_t>(offset); }
  Time last_delay{0};

 private:
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
  ::tlm::tlm_sync_enum nb_transport_bw(::tlm::tlm_generic_payload&, ::tlm::tlm_phase&, sc_core::sc_time&) override {
    return ::tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

/// Memory of a fixed latency, or whatever a test makes of it.
class Memory : public sc_core::sc_module, private ::tlm::tlm_fw_transport_if<> {
 public:
  Memory(const sc_core::sc_module_name& name, std::size_t size, Time latency)
      : sc_module(name), socket("socket"), octets(size), latency_(latency) {
    socket.bind(*this);
  }
  MemoryTargetSocket socket;
  Octets octets;
  template <class T>
  void put(std::uint64_t address, const T& value) {
    std::memcpy(&octets[address], &value, sizeof value);
  }
  template <class T>
  T get(std::uint64_t address) const {
    T value;
    std::memcpy(&value, &octets[address], sizeof value);
    return value;
  }

 protected:
  /// Says whether an access is answered. Called before its octets move.
  virtual bool allow(bool /*write*/, std::uint64_t /*address*/, std::uint64_t /*length*/) { return true; }
  virtual Time latency() { return latency_; }

 private:
  void b_transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    delay += to_sc(latency());
    const std::uint64_t at = payload.get_address(), length = payload.get_data_length();
    const bool good = allow(payload.is_write(), at, length);
    if (!good || at > octets.size() || length > octets.size() - at) {
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

/// Services of a run.
struct Run {
  std::vector<std::string> lines;
  Log log{[this](LogLevel, const std::string& line) { lines.push_back(line); }, [] { return now(); }};
  Simulation simulation{log, 1, Fidelity::kApproximate, "."};
  double stat(const std::string& path) {
    const Statistic* found = simulation.stats().find(path);
    if (found == nullptr) throw std::runtime_error("no statistic " + path);
    return found->scalar(now());
  }
};

/// Runs until everything due at `until` is done (sc_start alone stops before events at its end).
inline void run_until(Time until) {
  if (until > now()) sc_core::sc_start(to_sc(until - now()));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

inline std::uint64_t at(std::uint64_t offset, unsigned element, unsigned octets = 4) {
  return offset + std::uint64_t{element} * octets;
}

/// Brings a completion queue and a submission queue of the same number up. @param base of both rings: completions, then
/// jobs.
inline void bring_up(Core& core, unsigned queue, std::uint64_t cq_base, std::uint64_t sq_base, std::uint32_t log2) {
  core.write64(at(regs::kCQ_BASE_offset, queue, 8), cq_base);
  core.write32(at(regs::kCQ_CONFIG_offset, queue), 0);
  core.write32(at(regs::kCQ_CONFIG_offset, queue), log2 | std::uint32_t{regs::kCQ_CONFIG_ENABLE_mask});
  core.write64(at(regs::kSQ_BASE_offset, queue, 8), sq_base);
  core.write32(at(regs::kSQ_CONFIG_offset, queue), 0);
  core.write32(at(regs::kSQ_CONFIG_offset, queue),
               log2 | queue << regs::kSQ_CONFIG_CQ_shift | std::uint32_t{regs::kSQ_CONFIG_ENABLE_mask});
}

}  // namespace accelerator_bench
