// Executes A64 code: decodes it to blocks, keeps them, runs them for a budget of cycles. No SystemC.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "cpu/a64/engine/machine.h"
#include "cpu/a64/engine/memory_port.h"
#include "cpu/a64/isa/instruction.h"
#include "cpu/a64/timing/timing_model.h"

namespace dpusim::cpu {

/// Why Engine::run came back. state().pc is the next instruction in every case.
enum class StopReason : std::uint8_t {
  kBudget,         ///< the budget is used up
  kDeviceSync,     ///< the next instruction accesses a device and MemoryPort::must_synchronise() said yes
  kRequested,      ///< request_exit() was called
  kWaitInterrupt,  ///< WFI
  kWaitEvent,      ///< WFE
  kOff,            ///< PSCI CPU_OFF
  kStop,           ///< the run ends
  kBreakpoint,     ///< a debugger's breakpoint stands at the next instruction
};

struct RunResult {
  StopReason reason = StopReason::kBudget;
  std::uint64_t retired = 0;  ///< instructions
  std::uint64_t cycles = 0;   ///< may exceed the budget by one block and its events
};

/// What the engine has done, for statistics.
struct EngineCounters {
  std::uint64_t blocks_translated = 0, instructions_translated = 0, code_flushes = 0, slow_accesses = 0,
                device_accesses = 0;
};

class Engine final : public Lines {
 public:
  /// @param code_bytes memory for decoded blocks; when it is full, all are dropped.
  explicit Engine(std::size_t code_bytes = std::size_t{32} << 20);
  ~Engine() override;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// The state that System and the engine share. Give System a reference to it, then call connect().
  [[nodiscard]] CpuState& state() { return machine_->state; }
  /// Connects what surrounds the engine; each outlives it. @param features what the core has besides the base.
  void connect(System& system, MemoryPort& memory, TimingModel& timing, FeatureSet features);

  /// Runs until the budget is used up or something needs the caller. @param budget cycles, more than 0.
  RunResult run(std::int64_t budget);
  /// Executes one instruction (or takes one exception), for a debugger; breakpoints do not stop it.
  RunResult step();

  /// Makes run() return kRequested before the next block that it looks up; may be called from within an access.
  void request_exit() { exit_requested_ = machine_->revisit = true; }
  /// Makes run() look at interrupts after the instruction in execution (SystemHost::attention).
  void attention() { machine_->revisit = true; }
  /// Recomputes what depends on System's state (SystemHost::context_changed).
  void context_changed() { context_dirty_ = machine_->revisit = true; }

  /// Forgets translations (TLBI, TTBR or SCTLR writes).
  void flush_translations();
  void flush_page(std::uint64_t va, std::uint64_t size);
  /// Forgets host regions and translations: the memory map or its direct access changed.
  void forget_memory();
  /// Forgets decoded code of the octets [physical, physical + size), as a whole when size is 0. For IC instructions and
  /// writes by others.
  void invalidate_physical(std::uint64_t physical, std::uint64_t size);

  void evict_line(std::uint64_t physical_line) override;
  void clean_line(std::uint64_t physical_line) override;
  void fetch_evicted() override { ++machine_->fetch_epoch; }

  /// Cycles and instructions from the start up to the instruction in execution (exact within System calls and device
  /// accesses).
  [[nodiscard]] std::uint64_t cycles() const;
  [[nodiscard]] std::uint64_t instructions() const;
  [[nodiscard]] const EngineCounters& counters() const { return counters_; }
  [[nodiscard]] const Predictor& predictor() const { return machine_->predictor; }

  void add_breakpoint(std::uint64_t va);
  void remove_breakpoint(std::uint64_t va);
  /// Called once for each word that decodes to nothing.
  std::function<void(std::uint64_t pc, std::uint32_t word)> on_undefined;

 private:
  friend class Slow;
  friend struct EngineAccess;  // the out-of-line handlers
  struct PageEntry {
    std::uint64_t tag = TlbEntry::kNoTag;
    std::uint64_t physical = 0;
    std::uint8_t* host = nullptr;  // nullptr: not memory
    bool readable = false, writable = false, strict = false, cacheable = false, memory_writable = false, secure = false;
  };
  struct CodePage {
    Block* blocks = nullptr;
    std::uint64_t lines = 0;  // bit n: octets 64n.. hold decoded code
  };
  static constexpr unsigned kContexts = System::kTranslationContexts;
  static constexpr unsigned kModes = 2 * kContexts;
  static constexpr std::uint64_t kNoBus = ~std::uint64_t{0};

  void refresh_context();
  void take(const Exception& exception);
  void execute(Block* block);

  // Blocks (block_cache.cpp).
  /// Finds or makes the block at state.pc; nullptr when an exception was taken instead. @param single of one
  /// instruction, not kept.
  Block* find_block(bool single);
  [[nodiscard]] Block* lookup(std::uint64_t physical, std::uint64_t pc) const;
  /// Decodes up to `words.size()` instructions.
  Block* translate(std::uint64_t pc, std::uint64_t physical, std::span<const std::uint32_t> words,
                   bool skip_breakpoint);
  void keep_block(Block* block);
  void drop_page(std::uint64_t physical_page);
  void flush_code();
  /// Takes the right to write from the software TLB's entries of a page, since it now holds decoded code.
  void protect(std::uint64_t physical_page);
  RunResult run_loop(std::int64_t budget, bool single);

  // Memory (memory.cpp).
  bool page(std::uint64_t va, bool write, bool unprivileged, PageEntry& out);
  bool access(std::uint64_t va, void* data, unsigned size, bool write, bool unprivileged, bool aligned);
  bool access_within_page(std::uint64_t va, std::uint8_t* data, unsigned size, bool write, const PageEntry& page);
  bool device_access(std::uint64_t va, std::uint8_t* data, unsigned size, bool write, const PageEntry& page);
  void time_access(std::uint64_t va, unsigned size, bool write, const PageEntry& page);
  bool fault(const Exception& exception);
  /// Tells whether the instruction in execution has been on the bus already. @param use notes that it is now.
  bool on_bus(bool use);
  void install(std::uint64_t va, const PageEntry& page, bool read, bool write);
  /// Host memory for an aligned atomic access; nullptr with a fault recorded.
  std::uint8_t* place(std::uint64_t va, unsigned size, bool write, std::uint64_t& physical);
  void code_written(std::uint64_t physical, std::uint64_t size);
  const HostRegion* region(std::uint64_t physical, bool secure);
  [[nodiscard]] bool holds_code(std::uint64_t physical) const;
  void charge(std::uint32_t cycles) { machine_->budget -= cycles; }

  std::unique_ptr<Machine> machine_;
  System* system_ = nullptr;
  MemoryPort* memory_ = nullptr;
  TimingModel* timing_ = nullptr;
  FeatureSet features_ = 0;
  bool timed_ = false;
  unsigned shift_ = 12;

  std::vector<Tlb> tlbs_;
  std::vector<std::array<PageEntry, kTlbEntries>> pages_;
  std::vector<std::array<JumpEntry, kJumpEntries>> jumps_;
  unsigned context_ = 0;
  std::uint32_t mode_ = 0;
  bool context_dirty_ = true, exit_requested_ = false, flush_pending_ = false;
  std::array<bool, kModes> jumps_used_{};
  std::array<bool, kContexts> context_used_{};
  std::uint64_t translation_epoch_ = 0;     // changes whenever translations are forgotten, by whomever
  std::uint64_t bus_instruction_ = kNoBus;  // number of the instruction that was last on the bus

  std::vector<std::byte> arena_;
  std::size_t arena_used_ = 0;
  std::vector<Block*> buckets_;
  std::unordered_map<std::uint64_t, CodePage> code_pages_;
  struct Region {
    HostRegion region;
    bool secure;
  };
  std::vector<Region> regions_;
  std::set<std::uint32_t> reported_;
  std::set<std::uint64_t> breakpoints_;
  std::uint64_t skip_breakpoint_ = 1;
  std::uint64_t cycles_before_ = 0, retired_at_start_ = 0;
  std::int64_t budget_at_start_ = 0;
  EngineCounters counters_;
};

}  // namespace dpusim::cpu
