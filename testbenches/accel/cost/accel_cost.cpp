// Measures what a job costs the host, from doorbell to interrupt line, against memory that answers at once, and beside
// it the plain call of the algorithm. Not a test. usage: accel_cost [jobs]
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "../accelerator_bench.h"
#include "accel/crypto/crypto_function.h"
#include "accel/dma/dma_type.h"

namespace {

using namespace accelerator_bench;

constexpr std::uint64_t kCq = 0x1000, kSq = 0x4000, kSource = 0x100000, kDestination = 0x800000;
constexpr std::uint32_t kLog2 = 4;

// Of this process's own, which a busy host stretches least.
double nanoseconds_since(std::clock_t start) {
  return 1e9 * static_cast<double>(std::clock() - start) / static_cast<double>(CLOCKS_PER_SEC);
}

/// Software that posts a job, waits for its interrupt, and posts the next.
class Software : public IrqSink {
 public:
  Software(Core& core, Memory& memory) : core_(core), memory_(memory) {}
  void start(const AccelJob& job, unsigned jobs) {
    job_ = job;
    left_ = jobs;
    post();
  }
  [[nodiscard]] unsigned failed() const { return failed_; }
  void irq_changed(unsigned, bool level) override {
    if (!level) return;
    core_.write32(regs::kINTERRUPT_STATUS_offset, 1);
    const std::uint64_t entry = kCq + (index_ & ((1U << kLog2) - 1)) * sizeof(AccelCompletion);
    if (memory_.get<AccelCompletion>(entry).status != ACCEL_STATUS_OK) ++failed_;
    ++index_;
    if (--left_ > 0) return post();
    core_.write32(regs::kCQ_HEAD_offset, index_);
    sc_core::sc_pause();
  }

 private:
  void post() {
    memory_.put(kSq + (index_ & ((1U << kLog2) - 1)) * sizeof(AccelJob), job_);
    core_.write32(regs::kCQ_ARM_offset, index_);
    core_.write32(regs::kSQ_TAIL_offset, static_cast<std::uint16_t>(index_ + 1));
  }
  Core& core_;
  Memory& memory_;
  AccelJob job_{};
  std::uint16_t index_ = 0;
  unsigned left_ = 0, failed_ = 0;
};

/// An accelerator with software and memory.
struct Card {
  Card(const char* name, AcceleratorParts parts, Run& run)
      : context(run.simulation, name, Fidelity::kApproximate),
        function(*parts.function),
        keys(*parts.keys),
        accelerator(context, DmaConfig{}, std::move(parts)),
        memory((std::string(name) + "_memory").c_str(), 16U << 20U, 50'000_ps),
        core((std::string(name) + "_core").c_str()),
        software(core, memory) {
    accelerator.dma_socket.bind(memory.socket);
    core.socket.bind(accelerator.bus());
    accelerator.irq(0).connect(software, 0);
  }
  void measure(const char* what, AccelJob job, unsigned jobs) {
    job.source = kSource;
    job.destination = kDestination;
    std::vector<std::uint8_t> out(function.most_produced(job));
    const std::span<const std::uint8_t> source(&memory.octets[kSource], job.source_length);
    double plain = 0, whole = 0;
    for (unsigned round = 0; round < 3; ++round) {  // the best of three
      std::clock_t start = std::clock();
      for (unsigned i = 0; i < jobs; ++i) function.run(job, source, out);
      const double call = nanoseconds_since(start) / jobs;
      start = std::clock();
      software.start(job, jobs);
      sc_core::sc_start();
      const double path = nanoseconds_since(start) / jobs;
      plain = round == 0 ? call : std::min(plain, call);
      whole = round == 0 ? path : std::min(whole, path);
    }
    std::printf("%-28s %10.0f ns plain %10.0f ns whole path %6.2f times, %u failed\n", what, plain, whole,
                whole / plain, software.failed());
  }
  BlockContext context;
  Function& function;
  KeyTable& keys;
  Accelerator accelerator;
  Memory memory;
  Core core;
  Software software;
};

}  // namespace

int sc_main(int argc, char* argv[]) {
  const auto jobs = static_cast<unsigned>(argc > 1 ? std::atoi(argv[1]) : 20'000);
  Run run;
  BlockContext parts_context(run.simulation, "parts", Fidelity::kApproximate);
  auto keys = std::make_unique<KeyTable>(4);
  auto function = std::make_unique<CryptoFunction>(CryptoConfig{}, *keys);
  Card dma("dma", make_parts(parts_context, DmaConfig{}), run);
  Card crypto("crypto",
              {.type = ACCEL_TYPE_CRYPTO,
               .function = std::move(function),
               .timing = std::make_unique<DmaTiming>(DmaConfig{}),
               .keys = std::move(keys)},
              run);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (Card* card : {&dma, &crypto}) {
    bring_up(card->core, 0, kCq, kSq, kLog2);
    card->core.write32(regs::kINTERRUPT_ENABLE_offset, 1);
    card->core.write32(regs::kCONTROL_offset, 1);
  }
  const std::vector<std::uint8_t> key(16, 0x42);
  if (crypto.keys.load(0, ACCEL_KEY_AES_128, key) != ACCEL_STATUS_OK) return 1;
  for (const std::uint32_t octets : {64U, 1024U, 4096U, 65'536U}) {
    const unsigned count = octets > 4096 ? jobs / 10 : jobs;
    const auto label = [octets](const char* name) { return fmt::format("{} of {} octets", name, octets); };
    AccelJob job{};
    job.source_length = job.destination_length = octets;
    job.opcode = ACCEL_OP_COPY;
    dma.measure(label("COPY").c_str(), job, count);
    job.opcode = ACCEL_OP_COPY_CRC;
    dma.measure(label("COPY_CRC").c_str(), job, count);
    job.opcode = ACCEL_OP_AES_GCM_ENCRYPT;
    job.destination_length = octets + 16;
    crypto.measure(label("AES_GCM_ENCRYPT").c_str(), job, count);
    job.opcode = ACCEL_OP_SHA256;
    job.destination_length = 32;
    crypto.measure(label("SHA256").c_str(), job, count);
  }
  return 0;
}
