// The module: registers, keys, interrupt lines, and a job by way of the bus.
#include <catch2/catch.hpp>

#include "accelerator_bench.h"

#include "accel/accel_types.h"
#include "accel/dma/dma_type.h"

using namespace accelerator_bench;

namespace {

/// A DMA accelerator with a table of 4 keys, which a test can look into.
struct Bench {
  explicit Bench(DmaConfig config = {}, std::size_t memory_size = 1U << 20U)
      : Bench(config, memory_size, std::make_unique<KeyTable>(4)) {}
  Bench(const DmaConfig& config, std::size_t memory_size, std::unique_ptr<KeyTable> table)
      : context(run.simulation, "dma", Fidelity::kApproximate),
        keys(*table),
        accelerator(context, config, with_keys(make_parts(context, config), std::move(table))),
        memory("memory", memory_size, 50_ns) {
    accelerator.dma_socket.bind(memory.socket);
    core.socket.bind(accelerator.bus());
  }
  static AcceleratorParts with_keys(AcceleratorParts parts, std::unique_ptr<KeyTable> keys) {
    parts.keys = std::move(keys);
    return parts;
  }
  std::uint32_t load(std::uint32_t slot, std::uint32_t type, std::uint32_t length = 0,
                     std::uint32_t command = ACCEL_KEY_COMMAND_LOAD) {
    core.write32(regs::kKEY_INDEX_offset, slot);
    core.write32(regs::kKEY_COMMAND_offset, command | type << 8 | length << 16);
    return core.read32(regs::kKEY_STATUS_offset) & 0xff;
  }
  void write_key() {
    for (unsigned i = 0; i < 16; ++i) {
      const std::uint32_t first = 4 * i;
      core.write32(at(regs::kKEY_DATA_offset, i), first | (first + 1) << 8 | (first + 2) << 16 | (first + 3) << 24);
    }
  }

  Run run;
  BlockContext context;
  KeyTable& keys;
  Accelerator accelerator;
  Memory memory;
  Core core{"core"};
};

struct LineProbe : IrqSink {
  void irq_changed(unsigned, bool level) override { changes.emplace_back(now().count(), level); }
  std::vector<std::pair<std::int64_t, bool>> changes;
};

}  // namespace

TEST_CASE("Registers reset to what the instance has") {
  DmaConfig config;
  config.queues = 3;
  config.completion_queues = 5;
  config.engines = 7;
  Bench bench(config);
  CHECK(bench.core.read32(regs::kID_offset) == 0x41434301);
  CHECK(bench.core.read32(regs::kCAPABILITY_offset) == 0x07050304);
  CHECK(bench.core.read32(regs::kCONTROL_offset) == 0);
  CHECK(bench.core.read32(regs::kSTATUS_offset) == 0);
  CHECK(bench.core.read32(regs::kKEY_STATUS_offset) == 4U << 16);
  CHECK(bench.core.last_delay == 40_ns);
  std::uint32_t value = 0;
  CHECK(bench.core.access(false, 0x20, &value, 4) == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(bench.core.access(false, regs::kTIME_offset + 2, &value, 4) == ::tlm::TLM_BURST_ERROR_RESPONSE);
  run_until(3_us);
  CHECK(bench.core.read64(regs::kTIME_offset) == 3'000'000);
  CHECK(bench.accelerator.ports().size() == 2 + 5);
}

TEST_CASE("Queues that the instance does not have show an error while enabled") {
  DmaConfig config;
  config.queues = config.completion_queues = 2;
  Bench bench(config);
  const std::uint32_t error = ACCEL_STATE_ERROR | ACCEL_STATUS_BAD_CONFIGURATION << 8;
  bring_up(bench.core, 2, 0x1000, 0x2000, 4);
  CHECK(bench.core.read32(at(regs::kSQ_STATUS_offset, 2)) == error);
  CHECK(bench.core.read32(at(regs::kCQ_STATUS_offset, 2)) == error);
  bench.core.write32(at(regs::kSQ_TAIL_offset, 2), 1);
  bench.core.write32(at(regs::kCQ_ARM_offset, 2), 0);
  bench.core.write32(at(regs::kSQ_CONFIG_offset, 2), 0);
  bench.core.write32(at(regs::kCQ_CONFIG_offset, 2), 0);
  CHECK(bench.core.read32(at(regs::kSQ_STATUS_offset, 2)) == 0);
  CHECK(bench.core.read32(at(regs::kCQ_STATUS_offset, 2)) == 0);
  CHECK(bench.core.read64(at(regs::kSQ_JOBS_offset, 15, 8)) == 0);
  bring_up(bench.core, 1, 0x1000, 0x2000, 4);
  CHECK(bench.core.read32(at(regs::kSQ_STATUS_offset, 1)) == ACCEL_STATE_READY);
  CHECK(bench.core.read32(regs::kSTATUS_offset) == 0);
  bench.core.write32(at(regs::kSQ_TAIL_offset, 1), 17);
  CHECK(bench.core.read32(at(regs::kSQ_STATUS_offset, 1)) == (ACCEL_STATE_ERROR | ACCEL_STATUS_BAD_DOORBELL << 8));
  CHECK(bench.core.read32(regs::kSTATUS_offset) == regs::kSTATUS_QUEUE_ERROR_mask);
}

TEST_CASE("A job by doorbell ends in a completion and an interrupt line") {
  Bench bench;
  LineProbe probe;
  bench.accelerator.irq(0).connect(probe, 0);
  bring_up(bench.core, 0, 0x1000, 0x2000, 4);
  for (unsigned i = 0; i < 5000; ++i) bench.memory.octets[0x10000 + i] = static_cast<std::uint8_t>(i * 7);
  AccelJob job{};
  job.opcode = ACCEL_OP_COPY;
  job.cookie = 77;
  job.source = 0x10001;
  job.destination = 0x20003;
  job.source_length = job.destination_length = 4999;
  bench.memory.put(0x2000, job);
  bench.core.write32(regs::kCONTROL_offset, 1);
  bench.core.write32(regs::kINTERRUPT_ENABLE_offset, 1);
  bench.core.write32(regs::kCQ_ARM_offset, 0);
  bench.core.write32(regs::kSQ_TAIL_offset, 1);
  run_until(120_ns);
  CHECK(bench.core.read32(regs::kSTATUS_offset) == regs::kSTATUS_BUSY_mask);
  run_until(10_us);
  CHECK(bench.core.read32(regs::kSTATUS_offset) == 0);
  CHECK(std::equal(&bench.memory.octets[0x10001], &bench.memory.octets[0x10001] + 4999, &bench.memory.octets[0x20003]));
  CHECK(bench.memory.octets[0x20002] == 0);
  CHECK(bench.memory.octets[0x20003 + 4999] == 0);
  const auto entry = bench.memory.get<AccelCompletion>(0x1000);
  CHECK(entry.cookie == 77);
  CHECK(entry.phase == 1);
  CHECK(bench.core.read32(regs::kSQ_HEAD_offset) == 1);
  CHECK(bench.core.read64(regs::kSQ_JOBS_offset) == 1);
  CHECK(bench.core.read32(regs::kCQ_TAIL_offset) == 1);
  CHECK(bench.core.read32(regs::kINTERRUPT_STATUS_offset) == 1);
  REQUIRE(probe.changes.size() == 1);
  // Descriptor at 50 to 100; read 100 to 150 in two accesses (to the multiple of 4096 at 0x11000, and the rest); set-up
  // to 150; 4095 octets at 32 a nanosecond take 128 ns, 4999 take 157: work ends at 307. Writes at 278 (4093
  // octets; 28.5 ns of work behind) and 307; completion at 357, visible at 407, line at 457.
  CHECK(probe.changes[0] == std::pair<std::int64_t, bool>{457'000, true});
  CHECK(entry.service_ns == 257);
  bench.core.write32(regs::kINTERRUPT_ENABLE_offset, 0);
  CHECK_FALSE(bench.accelerator.irq(0).level());
  bench.core.write32(regs::kINTERRUPT_ENABLE_offset, 1);
  CHECK(bench.accelerator.irq(0).level());
  bench.core.write32(regs::kINTERRUPT_STATUS_offset, 1);
  CHECK_FALSE(bench.accelerator.irq(0).level());
  bench.core.write32(regs::kCQ_ARM_offset, 1);
  CHECK(bench.core.read32(regs::kCQ_HEAD_offset) == 1);
  CHECK(bench.core.read32(regs::kCQ_ARM_offset) == 0);
  CHECK(bench.run.simulation.stats().broken_laws(now()).empty());
}

TEST_CASE("What is done ahead of the kernel takes the same times") {
  DmaConfig config;
  config.look_ahead = 300_ns;
  Bench bench(config);
  bring_up(bench.core, 0, 0x1000, 0x2000, 4);
  AccelJob job{};
  job.opcode = ACCEL_OP_COPY;
  job.source = 0x10001;
  job.destination = 0x20003;
  job.source_length = job.destination_length = 4999;
  bench.memory.put(0x2000, job);
  bench.core.write32(regs::kCONTROL_offset, 1);
  bench.core.write32(regs::kSQ_TAIL_offset, 1);
  run_until(60_ns);
  // As above; the completion, due at 357, is there at 50 + 300 = 350 at the earliest.
  CHECK(bench.memory.get<AccelCompletion>(0x1000).phase == 0);
  run_until(357_ns);
  CHECK(bench.memory.get<AccelCompletion>(0x1000).service_ns == 257);
}

TEST_CASE("Keys go into the table and are never read back") {
  Bench bench;
  bench.write_key();
  for (unsigned i = 0; i < 16; ++i) CHECK(bench.core.read32(at(regs::kKEY_DATA_offset, i)) == 0);
  CHECK(bench.load(2, ACCEL_KEY_AES_256) == ACCEL_STATUS_OK);
  REQUIRE(bench.keys.find(2) != nullptr);
  CHECK(bench.keys.find(2)->type() == ACCEL_KEY_AES_256);
  CHECK(bench.keys.find(2)->octets().size() == 32);
  for (unsigned i = 0; i < 32; ++i) CHECK(bench.keys.find(2)->octets()[i] == i);
  // The data was used up: another load has a key of zeros.
  CHECK(bench.load(3, ACCEL_KEY_XTS_256) == ACCEL_STATUS_OK);
  CHECK(bench.keys.find(3)->octets().size() == 64);
  CHECK(bench.keys.find(3)->octets()[5] == 0);
  const std::uint64_t version = bench.keys.find(2)->version();
  bench.write_key();
  CHECK(bench.load(2, ACCEL_KEY_HMAC, 5) == ACCEL_STATUS_OK);
  CHECK(bench.keys.find(2)->octets().size() == 5);
  CHECK(bench.keys.find(2)->version() != version);
  CHECK(bench.load(2, ACCEL_KEY_HMAC, 64) == ACCEL_STATUS_OK);
  // What is refused leaves the slot as it was.
  CHECK(bench.load(2, ACCEL_KEY_HMAC, 0) == ACCEL_STATUS_BAD_LENGTH);
  CHECK(bench.load(2, ACCEL_KEY_HMAC, 65) == ACCEL_STATUS_BAD_LENGTH);
  CHECK(bench.load(2, 0) == ACCEL_STATUS_BAD_KEY);
  CHECK(bench.load(2, 6) == ACCEL_STATUS_BAD_KEY);
  CHECK(bench.load(4, ACCEL_KEY_AES_128) == ACCEL_STATUS_BAD_KEY);
  CHECK(bench.load(2, ACCEL_KEY_AES_128, 0, 3) == ACCEL_STATUS_BAD_OPCODE);
  CHECK(bench.keys.find(2)->octets().size() == 64);
  CHECK(bench.load(2, 0, 0, ACCEL_KEY_COMMAND_CLEAR) == ACCEL_STATUS_OK);
  CHECK(bench.keys.find(2) == nullptr);
  CHECK(bench.load(4, 0, 0, ACCEL_KEY_COMMAND_CLEAR) == ACCEL_STATUS_BAD_KEY);
  CHECK(bench.core.read32(regs::kKEY_COMMAND_offset) == 0);
  CHECK(bench.core.read32(regs::kKEY_STATUS_offset) >> 16 == 4);
  bench.core.write32(regs::kCONTROL_offset, regs::kCONTROL_RESET_mask);
  CHECK(bench.keys.find(3) == nullptr);
}

TEST_CASE("Reset in the middle of jobs leaves registers as at the start") {
  Bench bench;
  bring_up(bench.core, 0, 0x1000, 0x2000, 4);
  bring_up(bench.core, 3, 0x4000, 0x5000, 4);
  AccelJob job{};
  job.opcode = ACCEL_OP_FILL;
  job.destination = 0x10000;
  job.destination_length = 100'000;
  bench.memory.put(0x2000, job);
  bench.core.write32(regs::kCONTROL_offset, 1);
  bench.core.write32(regs::kSQ_TAIL_offset, 1);
  run_until(500_ns);
  CHECK(bench.core.read32(regs::kSTATUS_offset) == regs::kSTATUS_BUSY_mask);
  bench.core.write32(regs::kCONTROL_offset, regs::kCONTROL_RESET_mask | 1);
  CHECK(bench.core.read32(regs::kSTATUS_offset) == 0);
  CHECK(bench.core.read32(regs::kCONTROL_offset) == 0);
  CHECK(bench.core.read32(at(regs::kSQ_STATUS_offset, 3)) == 0);
  CHECK(bench.core.read64(regs::kSQ_BASE_offset) == 0);
  CHECK(bench.core.read32(regs::kSQ_HEAD_offset) == 0);
  run_until(100_us);
  CHECK(bench.memory.get<AccelCompletion>(0x1000).phase == 0);
  CHECK(bench.run.simulation.stats().broken_laws(now()).empty());
  CHECK(bench.run.stat("dma.jobs_reset") == 1);
}

TEST_CASE("An accelerator does not find its own registers in memory") {
  // Memory whose upper half leads back to the registers, as a bus does.
  class Loop : public Memory {
   public:
    Loop(Core& core, std::uint64_t registers) : Memory("loop", 0x40000, 50_ns), core_(core), registers_(registers) {}

   private:
    bool allow(bool write, std::uint64_t address, std::uint64_t length) override {
      if (address < registers_) return true;
      std::uint64_t reset = regs::kCONTROL_RESET_mask;
      return core_.access(write, address - registers_, &reset, static_cast<unsigned>(length)) == ::tlm::TLM_OK_RESPONSE;
    }
    Core& core_;
    std::uint64_t registers_;
  };
  Run run;
  const BlockContext context(run.simulation, "dma", Fidelity::kApproximate);
  DmaConfig config;
  config.engines = 1;
  Accelerator accelerator(context, config, make_parts(context, config));
  Core core("core");
  Loop memory(core, 0x20000);
  core.socket.bind(accelerator.bus());
  accelerator.dma_socket.bind(memory.socket);
  bring_up(core, 0, 0x1000, 0x2000, 4);
  core.write32(regs::kCONTROL_offset, 1);
  AccelJob job{};
  job.opcode = ACCEL_OP_COPY;
  job.source = 0x10000;
  job.destination = 0x20000 + regs::kCONTROL_offset;
  job.source_length = job.destination_length = 4;
  memory.put(0x2000, job);
  std::swap(job.source, job.destination);
  memory.put(0x2040, job);
  core.write32(regs::kSQ_TAIL_offset, 2);
  run_until(10_us);
  CHECK(memory.get<AccelCompletion>(0x1000).status == ACCEL_STATUS_DESTINATION_BUS_ERROR);
  CHECK(memory.get<AccelCompletion>(0x1020).status == ACCEL_STATUS_SOURCE_BUS_ERROR);
  CHECK(core.read32(regs::kCONTROL_offset) == 1);
}

TEST_CASE("Types are in the family's table with their parameters") {
  bool found = false;
  for (const BlockType& type : block_types()) {
    CHECK(type.family == "accel");
    const nlohmann::ordered_json schema = type.config->schema();
    CHECK(schema["properties"].contains("engines"));
    found = found || type.name == "dma";
  }
  CHECK(found);
}
