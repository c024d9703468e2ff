// The slow machine's accesses, exclusives and exceptions.
#include <algorithm>
#include <cstring>

#include "cpu/a64/engine/access.h"
#include "cpu/a64/engine/engine.h"

namespace dpusim::cpu {

bool Slow::read(std::uint64_t va, void* data, unsigned size) {
  return machine_.engine->access(va, data, size, false, unprivileged_, aligned_);
}

bool Slow::write(std::uint64_t va, const void* data, unsigned size) {
  std::uint8_t copy[16];
  std::memcpy(copy, data, size);
  return machine_.engine->access(va, copy, size, true, unprivileged_, aligned_);
}

bool Slow::read_elements(std::uint64_t va, void* data, unsigned size, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (!read(va + i * size, static_cast<std::uint8_t*>(data) + i * size, size)) return false;
  return true;
}

bool Slow::write_elements(std::uint64_t va, const void* data, unsigned size, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (!write(va + i * size, static_cast<const std::uint8_t*>(data) + i * size, size)) return false;
  return true;
}

bool Slow::load_exclusive(std::uint64_t va, void* data, unsigned size) {
  std::uint64_t physical = 0;
  const std::uint8_t* place = machine_.engine->place(va, size, false, physical);
  if (place == nullptr) return false;
  std::memcpy(data, place, size);
  CpuState& state = machine_.state;
  state.monitor_address = physical;
  state.monitor_size = static_cast<std::uint8_t>(size);
  std::memcpy(state.monitor_value, place, size);
  return true;
}

bool Slow::store_exclusive(std::uint64_t va, const void* data, unsigned size, std::uint32_t& status) {
  CpuState& state = machine_.state;
  status = 1;
  const bool marked = state.monitor_size == size;
  std::uint64_t physical = 0;
  std::uint8_t* place = machine_.engine->place(va, size, true, physical);
  if (place == nullptr) return false;
  state.monitor_size = 0;
  // The global monitor is the memory itself: the store succeeds while the marked value still stands there.
  // Deviates: a value that was changed and changed back between the two goes unnoticed (as in QEMU).
  if (!marked || physical != state.monitor_address || std::memcmp(place, state.monitor_value, size) != 0) return true;
  std::memcpy(place, data, size);
  status = 0;
  return true;
}

std::uint8_t* Slow::atomic_place(std::uint64_t va, unsigned size) {
  std::uint64_t physical = 0;
  return machine_.engine->place(va, size, true, physical);
}

bool Slow::zero_block(std::uint64_t va, unsigned rt) {
  Exception exception{};
  if (system().dc_zva_trap(rt, exception) == SysRegResult::kTrapped) return machine_.engine->fault(exception);
  constexpr std::uint64_t kSize = std::uint64_t{1} << System::kZvaLog2;
  Engine::PageEntry page;
  if (!machine_.engine->page(va, true, false, page)) return false;
  if (page.strict) return machine_.engine->fault(System::alignment_fault(va, true));
  const std::uint64_t start = va & ~(kSize - 1);
  const std::uint64_t zero = 0;
  for (std::uint64_t i = 0; i < kSize; i += 8)
    if (!write(start + i, &zero, 8)) return false;
  return true;
}

Outcome Slow::raise(const Exception& exception) {
  machine_.flow = system().take(exception, pc());
  machine_.budget -= 1;  // as Engine::take
  return Outcome::kFault;
}

void Slow::barrier(Cost cost) {
  Engine& engine = *machine_.engine;
  if (engine.timed_) engine.charge(engine.timing_->barrier(cost));
}

void Slow::report_unimplemented(std::uint32_t word) {
  Engine& engine = *machine_.engine;
  if (engine.reported_.insert(word).second && engine.on_undefined) engine.on_undefined(pc(), word);
}

}  // namespace dpusim::cpu
