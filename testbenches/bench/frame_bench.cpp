// Host time a frame through port, NIC queues and memory, without a core's work: register writes and descriptors are
// the only software. Memory is a stub of fixed latency, or crossbar, L3 and DDR as on the card.
#include <fmt/format.h>

#include "bench.h"
#include "interconnect/crossbar.h"
#include "mem/ddr.h"
#include "net/mac/ethernet_port.h"
#include "net/nic_regs.h"
#include "net/queues/nic.h"
#include "testbenches/net/net_bench.h"

namespace dpusim_bench {
namespace {

using namespace dpusim;
using namespace dpusim::literals;
using net_bench::BusMaster;
using net_bench::Octets;

constexpr unsigned kLog2 = 11, kBatch = 1U << kLog2;
constexpr std::size_t kFcs = 4;
constexpr std::uint64_t kCq = 0x40000, kRx = 0x10000, kTx = 0x20000, kBuffers = 0x100000, kMemory = 8U << 20U;

/// Sends frames of one size back to back.
class Generator : public sc_core::sc_module, private EthernetBackward {
 public:
  explicit Generator(const sc_core::sc_module_name& name) : sc_module(name), out("out") {
    out.bind(static_cast<EthernetBackward&>(*this));
    SC_HAS_PROCESS(Generator);
    SC_METHOD(on_event);
    sensitive << event_;
    dont_initialize();
  }
  EthernetInitiatorSocket out;
  void start(std::uint64_t frames, std::size_t octets) {
    frame_.assign(octets, 2);
    left_ = frames;
    next_ = std::max(next_, now());
    event_.notify(sc_core::SC_ZERO_TIME);
  }

 private:
  void pause(Time, std::uint8_t) override {}
  void on_event() {
    for (; left_ > 0 && next_ <= now(); --left_) next_ = out->send(make_frame(frame_), next_);
    if (left_ > 0) event_.notify(to_sc(next_ - now()));
  }
  Octets frame_;
  Time next_{0};
  std::uint64_t left_ = 0;
  sc_core::sc_event event_;
};

/// What the port sends ends here.
class Wire : public sc_core::sc_module, private EthernetForward {
 public:
  explicit Wire(const sc_core::sc_module_name& name) : sc_module(name), in("in") {
    in.bind(static_cast<EthernetForward&>(*this));
  }
  EthernetTargetSocket in;

 private:
  Time send(FramePtr /*frame*/, Time start) override { return start; }
};

class Card {
 public:
  Card(const std::string& name, bool ddr)
      : port_(run_.context(name + "_p0"), {}),
        nic_(run_.context(name + "_nic"), {}),
        core_((name + "_core").c_str()),
        port_core_((name + "_port_core").c_str()),
        generator_((name + "_generator").c_str()),
        wire_((name + "_wire").c_str()),
        name_(name) {
    port_.host_out.bind(nic_.port_in(0));
    nic_.port_out(0).bind(port_.host_in);
    generator_.out.bind(port_.wire_in);
    port_.wire_out.bind(wire_.in);
    core_.socket.bind(nic_.bus());
    port_core_.socket.bind(port_.bus());
    if (ddr) {
      mem::DdrConfig config;
      config.capacity = 1_GiB;
      ddr_.emplace(run_.context(name + "_ddr"), config);
      noc_.emplace(run_.context(name + "_noc"), interconnect::CrossbarConfig{});
      noc_->map("ddr", 0, std::uint64_t{1} << 30, ddr_->socket);
      noc_->connect("nic", nic_.dma_socket);
    } else {
      stub_.emplace((name + "_memory").c_str(), kMemory, Time(50'000));
      nic_.dma_socket.bind(stub_->socket);
    }
  }

  void measure(benchmark::State& state, std::size_t octets, bool send) {
    bring_up(octets);
    const double delivered = statistic("rx_delivered"), sent = statistic("tx_frames");
    const sc_core::sc_time duration(20 + 0.2 * static_cast<double>(kBatch * (octets + 24) / 1000), sc_core::SC_US);
    for ([[maybe_unused]] auto _ : state) {
      core_.write32(nic_regs::kCQ_HEAD_offset, received_ & 0xffff);
      received_ += kBatch;
      core_.write32(nic_regs::kRXQ_TAIL_offset, received_ & 0xffff);
      if (send) core_.write32(nic_regs::kTXQ_TAIL_offset, (sent_ += kBatch) & 0xffff);
      generator_.start(kBatch, octets);
      sc_core::sc_start(duration);
    }
    const double frames = static_cast<double>(state.iterations()) * kBatch;
    if (statistic("rx_delivered") - delivered != frames || statistic("tx_frames") - sent != (send ? frames : 0))
      state.SkipWithError("frames were lost");
    report_each(state, frames);
  }

 private:
  double statistic(const char* what) { return run_.stat(name_ + "_nic." + what); }
  template <class T>
  void put(std::uint64_t address, T value) {
    if (stub_) {
      std::memcpy(&stub_->octets[address], &value, sizeof value);
      return;
    }
    ::tlm::tlm_generic_payload payload;
    payload.set_command(::tlm::TLM_WRITE_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    payload.set_streaming_width(sizeof value);
    nic_.dma_socket->transport_dbg(payload);
  }
  void bring_up(std::size_t octets) {
    for (unsigned i = 0; i < kBatch; ++i) {
      put(kRx + i * 16, NicRxDescriptor{kBuffers + i * 2048, 2048, i});
      put(kTx + i * 32, NicTxDescriptor{kBuffers + i * 2048, static_cast<std::uint32_t>(octets), i, 0, 0, 0});
    }
    if (up_) return;
    up_ = true;
    core_.write64(nic_regs::kCQ_BASE_offset, kCq);
    core_.write32(nic_regs::kCQ_SIZE_offset, kLog2 + 1);
    core_.write32(nic_regs::kCQ_CONTROL_offset, 1);
    core_.write64(nic_regs::kRXQ_BASE_offset, kRx);
    core_.write32(nic_regs::kRXQ_SIZE_offset, kLog2);
    core_.write32(nic_regs::kRXQ_CONTROL_offset, 1);
    core_.write64(nic_regs::kTXQ_BASE_offset, kTx);
    core_.write32(nic_regs::kTXQ_SIZE_offset, kLog2);
    core_.write32(nic_regs::kTXQ_CONTROL_offset, 1);
    core_.write32(nic_regs::kPORT_CONTROL_offset, 1);
    core_.write32(nic_regs::kCONTROL_offset, 1);
  }

  net_bench::Run run_;
  net::EthernetPort port_;
  net::Nic nic_;
  BusMaster core_, port_core_;
  Generator generator_;
  Wire wire_;
  std::string name_;
  std::optional<net_bench::Memory> stub_;
  std::optional<mem::Ddr> ddr_;
  std::optional<interconnect::Crossbar> noc_;
  bool up_ = false;
  std::uint32_t received_ = 0, sent_ = 0;
};

}  // namespace

void register_frames() {
  static Card with_stub("stub", false), with_ddr("ddr", true);
  for (const std::size_t octets : {64U, 1518U})
    for (const bool send : {false, true})
      for (Card* card : {&with_stub, &with_ddr}) {
        const std::string name = fmt::format("frame/{}/{}/{}", octets, send ? "receive_and_send" : "receive",
                                             card == &with_ddr ? "crossbar_and_ddr" : "memory_stub");
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
          card->measure(state, octets - kFcs, send);
        })->Unit(benchmark::kMillisecond);
      }
}

}  // namespace dpusim_bench
