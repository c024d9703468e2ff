// Measures the engine: instructions per host second on a mix of integer work and on a bare loop. Run by hand; prints, asserts nothing.
// Usage: cpu_engine_speed [rounds [timed]]; under callgrind use few rounds and read host instructions per guest instruction.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "flat_machine.h"

using namespace dpusim::cpu;

namespace {

/// All events, at no cost: what the seam itself takes.
class FreeTiming final : public TimingModel {
 public:
  std::uint32_t block_cost(std::span<const CostedOp> ops) override { return static_cast<std::uint32_t>(ops.size()); }
  [[nodiscard]] bool dynamic() const override { return true; }
  AccessTiming data_access(std::uint64_t, unsigned, bool, bool) override { return {0, true, true}; }
  std::uint32_t fetch(std::uint64_t, std::uint32_t) override { return 0; }
  [[nodiscard]] std::uint32_t mispredict_penalty() const override { return 0; }
  std::uint32_t barrier(Cost) override { return 0; }
};

void measure(const char* name, FlatMachine& machine) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  std::uint64_t retired = 0;
  for (;;) {
    const RunResult r = machine.engine.run(100'000);
    retired += r.retired;
    if (r.reason != StopReason::kBudget || !machine.exceptions.empty()) break;
  }
  const double seconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{}: {} instructions, {:.0f} MIPS of CPU time ({:.0f} of wall time), {} blocks, {} slow accesses, w0 = {:#x}\n", name, retired,
             static_cast<double>(retired) / seconds / 1e6, static_cast<double>(retired) / wall / 1e6,
             machine.engine.counters().blocks_translated, machine.engine.counters().slow_accesses, machine.x(0));
  if (!machine.exceptions.empty()) fmt::print("  exception class {:#x} at {:#x}\n", machine.exceptions[0], machine.state().elr[2]);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t rounds = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 200;
  FreeTiming free_timing;
  TimingModel* timing = argc > 2 ? &free_timing : nullptr;
  const std::string folder = std::filesystem::temp_directory_path() / "dpusim-engine-speed";
  std::filesystem::create_directories(folder);
  const std::string make = "aarch64-linux-gnu-gcc -O2 -ffreestanding -nostdlib -static -mgeneral-regs-only -fno-tree-loop-distribute-patterns -fno-toplevel-reorder "
                           "-Wl,-Ttext=0x40000000,--build-id=none -o " + folder + "/guest " DPUSIM_SOURCE_DIR
                           "/testbenches/cpu/speed_guest.c && aarch64-linux-gnu-objcopy -O binary " + folder + "/guest " + folder + "/bin";
  if (rounds != 0 && std::system(make.c_str()) == 0) {
    FlatMachine machine(std::size_t{4} << 20, {}, timing);
    std::ifstream file(folder + "/bin", std::ios::binary);
    const std::vector<char> image((std::istreambuf_iterator<char>(file)), {});
    std::memcpy(machine.ram.data(), image.data(), image.size());
    machine.enable_mmu();
    machine.x(0) = rounds;
    machine.state().pc = FlatMachine::kRam;
    measure("mix", machine);
  }
  FlatMachine machine(std::size_t{1} << 20, {}, timing);
  machine.enable_mmu();
  machine.x(0) = rounds * 100'000;
  machine.x(5) = FlatMachine::kRam + 0x8000;
  // add x1, x1, x0; eor x2, x2, x1, lsl #3; ldr x3, [x5]; add x3, x3, #1; str x3, [x5]; and x4, x3, #0xff; subs x0, x0, #1; b.ne; wfi
  machine.put(FlatMachine::kRam, {0x8b000021, 0xca010c42, 0xf94000a3, 0x91000463, 0xf90000a3, 0x92401c64, 0xf1000400, 0x54ffff21, 0xd503207f});
  machine.state().pc = FlatMachine::kRam;
  measure("loop", machine);
  return 0;
}
