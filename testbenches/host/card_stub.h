// A card without an endpoint model: a configuration space, BARs in front of bus targets, and a bus target in front of
// the host's memory. Requests take no time on the way, so that tests see the host's times alone.
#pragma once

#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "host/host.h"
#include "sim/systemc_time.h"
#include "tlm/block.h"

namespace host_bench {

using namespace dpusim;

/// Services of a run.
struct Run {
  explicit Run(Fidelity how = Fidelity::kApproximate) : fidelity(how) {}
  Fidelity fidelity;
  std::vector<std::string> lines;
  Log log{[this](LogLevel, const std::string& line) { lines.push_back(line); }, [] { return now(); }};
  Simulation simulation{log, 1, fidelity, "."};
  BlockContext context(const std::string& name) { return {simulation, name, fidelity}; }
  template <class Kind = Statistic>
  const Kind& find(const std::string& path) {
    const auto* found = dynamic_cast<const Kind*>(simulation.stats().find(path));
    if (found == nullptr) throw std::runtime_error("no statistic " + path);
    return *found;
  }
  double stat(const std::string& path) { return find(path).scalar(now()); }
};

/// Runs until everything due at `until` is done.
inline void run_until(Time until) {
  if (until > now()) sc_core::sc_start(to_sc(until - now()));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

class CardStub : public sc_core::sc_module,
                 private PcieDownstream,
                 private ::tlm::tlm_fw_transport_if<>,
                 private ::tlm::tlm_bw_transport_if<>,
                 private IrqSink {
 public:
  static constexpr std::uint64_t kOutbound = 0x80'0000'0000;
  struct Bar {
    std::uint64_t size = 0;
    bool wide = false;
  };

  /// @param bars sizes, powers of two. @param vectors MSI-X entries, whose table is in the last BAR's last 32 KiB.
  CardStub(const sc_core::sc_module_name& name, std::vector<std::pair<unsigned, Bar>> bars, unsigned vectors)
      : sc_module(name), up("up"), dma("dma"), bus("bus"), vectors_(vectors), table_(vectors) {
    up.bind(static_cast<PcieDownstream&>(*this));
    dma.bind(static_cast<::tlm::tlm_fw_transport_if<>&>(*this));
    bus.bind(static_cast<::tlm::tlm_bw_transport_if<>&>(*this));
    for (const auto& [number, bar] : bars) bars_[number] = bar;
    put(0x00, 0xd905'1af4);
    put(0x04, 0x0010'0000);
    put(0x34, 0x40);
    put(0x40, 0x6011);  // MSI-X at 0x40, next 0x60
    put(0x42, vectors - 1, 2);
    last_ = bars.back().first;
    table_offset_ = bars.back().second.size - 0x8000;
    put(0x44, static_cast<std::uint32_t>(table_offset_) | last_);
    put(0x60, 0x0010);        // PCI Express, last
    put(0x100, 0x1401'0019);  // a capability that is of no concern, next 0x140
    put(0x140, 0x0001'000b);  // vendor-specific, last
    put(0x144, 0x0201'0001);
    put(0x148, static_cast<std::uint32_t>(kOutbound));
    put(0x14c, static_cast<std::uint32_t>(kOutbound >> 32));
    put(0x154, 0x80);  // 512 GiB
  }
  PcieInitiatorSocket up;     ///< to the host
  MemoryTargetSocket dma;     ///< from the NIC: card addresses
  MemoryInitiatorSocket bus;  ///< to what BAR 0 shows
  [[nodiscard]] IrqSink& msix() { return *this; }
  [[nodiscard]] std::uint32_t config(unsigned offset) const {
    std::uint32_t value = 0;
    std::memcpy(&value, &config_[offset], 4);
    return value;
  }
  [[nodiscard]] bool bus_master() const { return (config(4) & 4) != 0; }
  Time way{0};                                            ///< from the card to the root port, and back
  std::vector<std::pair<Time, std::uint64_t>> doorbells;  ///< writes to BAR 0

  /// Makes a request as the card would. @return when it is done.
  Time request(PcieRequest& request, Time when) { return up->to_root(request, when + way) + way; }
  Time request(TlpType type, std::uint64_t address, std::span<std::uint8_t> data, Time when,
               CompletionStatus* status = nullptr) {
    PcieRequest made{.type = type, .address = address, .data = data};
    const Time done = request(made, when);
    if (status != nullptr) *status = made.status;
    return done;
  }

 private:
  void put(unsigned offset, std::uint32_t value, unsigned octets = 4) { std::memcpy(&config_[offset], &value, octets); }

  Time to_device(PcieRequest& request, Time when) override {
    request.sent = when;
    request.status = CompletionStatus::kSuccessful;
    if (request.type == TlpType::kConfigurationRead || request.type == TlpType::kConfigurationWrite) {
      if (!(request.target == PcieId{1, 0, 0})) {
        request.status = CompletionStatus::kUnsupportedRequest;
        return when;
      }
      return configure(request, when);
    }
    for (const auto& [number, bar] : bars_) {
      const std::uint64_t base = address_of(number);
      if (request.address < base || request.address >= base + bar.size || (config(4) & 2) == 0) continue;
      return access(number, request, request.address - base, when);
    }
    request.status = CompletionStatus::kUnsupportedRequest;
    return when;
  }
  [[nodiscard]] std::uint64_t address_of(unsigned number) const {
    const std::uint64_t low = config(0x10 + 4 * number) & ~0xfU;
    return bars_.at(number).wide ? low | std::uint64_t{config(0x14 + 4 * number)} << 32 : low;
  }
  Time configure(PcieRequest& request, Time when) {
    const auto offset = static_cast<unsigned>(request.address);
    if (request.type == TlpType::kConfigurationRead) {
      std::memcpy(request.data.data(), &config_[offset], request.data.size());
      return when;
    }
    std::uint32_t value = 0;
    std::memcpy(&value, request.data.data(), 4);
    if (offset == 4) put(4, (value & 7) | 0x0010'0000);
    if (offset == 0x40) put(0x42, (value >> 16 & 0xc000) | (vectors_ - 1), 2);
    for (const auto& [number, bar] : bars_) {
      if (offset == 0x10 + 4 * number)
        put(offset, (value & static_cast<std::uint32_t>(~(bar.size - 1))) | (bar.wide ? 0xcU : 0U));
      if (bar.wide && offset == 0x14 + 4 * number)
        put(offset, value & static_cast<std::uint32_t>(~(bar.size - 1) >> 32));
    }
    return when;
  }
  Time access(unsigned number, PcieRequest& request, std::uint64_t offset, Time when) {
    if (number == last_ && offset >= table_offset_) {
      std::uint8_t* entry = reinterpret_cast<std::uint8_t*>(table_.data()) + (offset - table_offset_);
      if (request.type == TlpType::kMemoryWrite) {
        std::memcpy(entry, request.data.data(), request.data.size());
      } else {
        std::memcpy(request.data.data(), entry, request.data.size());
      }
      return when;
    }
    if (request.type == TlpType::kMemoryWrite) doorbells.push_back({when, offset});
    ::tlm::tlm_generic_payload payload;
    payload.set_command(request.type == TlpType::kMemoryWrite ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND);
    payload.set_address(offset);
    payload.set_data_ptr(request.data.data());
    payload.set_data_length(static_cast<unsigned>(request.data.size()));
    payload.set_streaming_width(static_cast<unsigned>(request.data.size()));
    sc_core::sc_time delay = to_sc(when - now());
    bus->b_transport(payload, delay);
    if (!payload.is_response_ok()) request.status = CompletionStatus::kUnsupportedRequest;
    return now() + from_sc(delay);
  }

  void b_transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    PcieRequest made{.type = payload.is_write() ? TlpType::kMemoryWrite : TlpType::kMemoryRead,
                     .address = payload.get_address() - kOutbound,
                     .data = {payload.get_data_ptr(), payload.get_data_length()}};
    if (!bus_master()) {
      payload.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    const Time done = request(made, now() + from_sc(delay));
    delay = to_sc(done - now());
    payload.set_response_status(made.status == CompletionStatus::kSuccessful ? ::tlm::TLM_OK_RESPONSE
                                                                             : ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  void irq_changed(unsigned number, bool level) override {
    if (!level || (table_[number].control & 1) != 0 || !bus_master()) return;
    std::uint32_t data = table_[number].data;
    request(TlpType::kMemoryWrite, table_[number].address, {reinterpret_cast<std::uint8_t*>(&data), 4}, now());
  }
  ::tlm::tlm_sync_enum nb_transport_fw(::tlm::tlm_generic_payload&, ::tlm::tlm_phase&, sc_core::sc_time&) override {
    return ::tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(::tlm::tlm_generic_payload&, ::tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(::tlm::tlm_generic_payload&) override { return 0; }
  ::tlm::tlm_sync_enum nb_transport_bw(::tlm::tlm_generic_payload&, ::tlm::tlm_phase&, sc_core::sc_time&) override {
    return ::tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  struct Entry {
    std::uint64_t address = 0;
    std::uint32_t data = 0, control = 1;
  };
  std::array<std::uint8_t, 4096> config_{};
  std::map<unsigned, Bar> bars_;
  unsigned vectors_, last_ = 0;
  std::uint64_t table_offset_ = 0;
  std::vector<Entry> table_;
};

}  // namespace host_bench
