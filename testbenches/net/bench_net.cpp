// Measures host time a frame through port, NIC and a memory stub: receive only, and received and sent again.
// Usage: bench_net [frames]. Not a test: times depend on the machine.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "card_bench.h"

using namespace net_bench;
using namespace dpusim::net;
using namespace dpusim::literals;

namespace {

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Sends frames of one size back to back.
class Generator : public sc_core::sc_module, private EthernetBackward {
 public:
  Generator(const sc_core::sc_module_name& name, std::size_t size, Time look_ahead)
      : sc_module(name), out("out"), frame_(size, 2), look_ahead_(look_ahead) {
    out.bind(static_cast<EthernetBackward&>(*this));
    SC_HAS_PROCESS(Generator);
    SC_METHOD(on_event);
    sensitive << event_;
    dont_initialize();
  }
  EthernetInitiatorSocket out;
  void start(std::uint64_t frames) {
    left_ = frames;
    next_ = std::max(next_, now());
    event_.notify(sc_core::SC_ZERO_TIME);
  }

 private:
  void pause(Time, std::uint8_t) override {}
  void on_event() {
    for (; left_ > 0 && next_ <= now() + look_ahead_; --left_) next_ = out->send(make_frame(frame_), next_);
    if (left_ > 0) event_.notify(to_sc(next_ - now()));
  }
  Octets frame_;
  Time look_ahead_, next_{0};
  std::uint64_t left_ = 0;
  sc_core::sc_event event_;
};

}  // namespace

int sc_main(int argc, char* argv[]) {
  const std::uint64_t frames = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const std::size_t size = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 60;
  const Time ahead = argc > 3 ? Time(std::atoll(argv[3])) : Time(0);
  const bool echo = argc > 4;
  NicConfig config;
  config.look_ahead = ahead;
  CardBench bench(config);
  Generator generator("generator", size, ahead);
  Receiver wire("wire");
  generator.out.bind(bench.port.wire_in);
  bench.port.wire_out.bind(wire.in);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  constexpr unsigned kLog2 = 11, kBatch = 1U << kLog2;
  bench.core.write64(nic_regs::kCQ_BASE_offset, 0x40000);
  bench.core.write32(nic_regs::kCQ_SIZE_offset, kLog2 + 1);
  bench.core.write32(nic_regs::kCQ_CONTROL_offset, 1);
  bench.core.write64(nic_regs::kRXQ_BASE_offset, 0x10000);
  bench.core.write32(nic_regs::kRXQ_SIZE_offset, kLog2);
  bench.core.write32(nic_regs::kRXQ_CONTROL_offset, 1);
  bench.core.write64(nic_regs::kTXQ_BASE_offset, 0x20000);
  bench.core.write32(nic_regs::kTXQ_SIZE_offset, kLog2);
  bench.core.write32(nic_regs::kTXQ_CONTROL_offset, 1);
  bench.core.write32(nic_regs::kPORT_CONTROL_offset, 1);
  bench.core.write32(nic_regs::kCONTROL_offset, 1);
  for (unsigned i = 0; i < kBatch; ++i) {
    bench.put(0x10000 + i * 16, NicRxDescriptor{0x100000 + i * 2048, 2048, i});
    bench.put(0x20000 + i * 32, NicTxDescriptor{0x100000 + i * 2048, static_cast<std::uint32_t>(size), i, 0, 0, 0});
  }
  std::uint32_t counter = 0;
  const double begin = cpu_seconds();
  for (std::uint64_t done = 0; done < frames; done += kBatch) {
    bench.core.write32(nic_regs::kCQ_HEAD_offset, counter & 0xffff);
    counter += kBatch;
    bench.core.write32(nic_regs::kRXQ_TAIL_offset, counter & 0xffff);
    if (echo) bench.core.write32(nic_regs::kTXQ_TAIL_offset, counter & 0xffff);
    generator.start(kBatch);
    sc_core::sc_start(sc_core::sc_time(10 + 0.2 * static_cast<double>(kBatch * (size + 24) / 1000), sc_core::SC_US));
    wire.taken.clear();
  }
  const double seconds = cpu_seconds() - begin;
  std::printf("%zu octets, look ahead %ld ps%s: %.0f ns a frame (%.2f M frames/s); delivered %.0f, sent %.0f\n", size,
              static_cast<long>(ahead.count()), echo ? ", echo" : "", seconds * 1e9 / counter, counter / seconds * 1e-6,
              bench.run.stat("nic.rx_delivered"), bench.run.stat("nic.tx_frames"));
  return 0;
}

int main(int argc, char* argv[]) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);  // NOLINT(concurrency-mt-unsafe): before any thread
  return sc_core::sc_elab_and_sim(argc, argv);
}
