// Blocks: decoding, keeping, dropping.
#include <algorithm>
#include <cstring>
#include <new>

#include "cpu/a64/engine/engine.h"
#include "cpu/a64/isa/decoder.h"
#include "sim/error.h"

namespace dpusim::cpu {

namespace {
constexpr std::uint64_t kPage = 4096, kPageMask = ~(kPage - 1);

std::size_t bucket_of(std::uint64_t physical, std::uint64_t pc, std::size_t buckets) {
  return ((physical >> 2) ^ (pc >> 14)) & (buckets - 1);
}
const Entry& special(Special which) { return special_entries()[static_cast<unsigned>(which)]; }
}  // namespace

Block* Engine::find_block(bool single) {
  CpuState& state = machine_->state;
  const std::uint64_t pc = state.pc = system_->canonical_branch_target(state.pc);
  if ((pc & 3) != 0) {
    take(System::pc_alignment_fault(pc));
    return nullptr;
  }
  JumpEntry& jump = machine_->jumps[jump_index(pc)];
  const bool skip = pc == skip_breakpoint_ && breakpoints_.contains(pc);
  const bool keep = !single && !skip;
  if (keep && jump.pc == pc) return jump.block;
  Translation translation;
  Exception exception{};
  if (!system_->translate(pc, Access::kFetch, false, translation, exception)) {
    take(exception);
    return nullptr;
  }
  const std::uint64_t physical = translation.physical;
  const bool secure = system_->secure();
  const HostRegion* memory = region(physical, secure);
  if (memory != nullptr && keep) {
    Block* known = lookup(physical, pc);
    if (known != nullptr) {
      jump = {pc, known};
      return known;
    }
  }
  std::array<std::uint32_t, kMaxBlockInstructions> words{};
  const std::size_t limit =
      memory == nullptr || !keep ? 1 : std::min<std::uint64_t>(words.size(), (kPage - (pc & ~kPageMask)) / 4);
  if (memory != nullptr) {
    std::memcpy(words.data(), memory->host + (physical - memory->base), 4 * limit);
  } else if (memory_->must_synchronise()) {
    machine_->leave = Leave::kSync;
    return nullptr;
  } else if (on_bus(true); !memory_->read(physical, words.data(), 4, secure)) {
    take(System::external_abort(pc, Access::kFetch));
    return nullptr;
  }
  Block* block = translate(pc, physical, std::span(words).first(limit), !keep);
  if (memory != nullptr && keep) {
    keep_block(block);
    jump = {pc, block};
  }
  return block;
}

Block* Engine::lookup(std::uint64_t physical, std::uint64_t pc) const {
  for (Block* b = buckets_[bucket_of(physical, pc, buckets_.size())]; b != nullptr; b = b->next_in_bucket)
    if (b->physical == physical && b->pc == pc && b->mode == mode_) return b;
  return nullptr;
}

Block* Engine::translate(std::uint64_t pc, std::uint64_t physical, std::span<const std::uint32_t> words,
                         bool skip_breakpoint) {
  const Decoder& decoder = Decoder::instance();
  std::vector<Op> ops;
  std::vector<std::uint64_t> pool;
  std::vector<std::pair<std::size_t, std::size_t>> constants;  // op, pool index
  std::vector<CostedOp> costs;
  const auto emit = [&](const Entry& entry, std::uint32_t word, const Pattern& pattern) {
    Op op;
    const std::size_t before = pool.size();
    if (!entry.decode(Fields(word, pc + 4 * ops.size(), pattern, pool), op)) return false;
    DPUSIM_CHECK(pool.size() <= before + 1, "{} has more than one constant", entry.text);
    if (pool.size() > before) constants.emplace_back(ops.size(), before);
    op.handler = entry.handler[timed_ ? 1 : 0];
    ops.push_back(op);
    return true;
  };
  bool open = true;
  std::int64_t offset = 4;
  for (std::size_t i = 0; i < words.size() && open; ++i) {
    const std::uint64_t here = pc + 4 * i;
    if (!skip_breakpoint && breakpoints_.contains(here)) {
      if (i != 0) break;
      emit(special(Special::kBreakpoint), words[i], special(Special::kBreakpoint).pattern);
      costs.push_back({Cost::kSystem, words[i]});
      open = false;
      break;
    }
    const Entry* entry = decoder.find(words[i]);
    if (entry != nullptr && (features_ & feature_bit(entry->feature)) == 0) entry = nullptr;
    if (entry != nullptr && entry->fp && (mode_ & 1) == 0) entry = &special(Special::kFpDisabled);
    if (entry == nullptr || !emit(*entry, words[i], entry->pattern)) {
      entry = &special(Special::kUndefined);
      emit(*entry, words[i], entry->pattern);
    }
    costs.push_back({entry->cost, words[i]});
    open = !entry->ends_block;
    if (entry->offset != nullptr) offset = entry->offset(Fields(words[i], here, entry->pattern, pool));
  }
  const std::size_t count = costs.size();
  if (open) emit(special(Special::kFallThrough), 0, special(Special::kFallThrough).pattern);
  ++counters_.blocks_translated;
  counters_.instructions_translated += count;

  const std::size_t ops_at = sizeof(Block), exit_at = ops_at + ops.size() * sizeof(Op),
                    pool_at = exit_at + sizeof(Exit), prefix_at = pool_at + 8 * pool.size(),
                    size = (prefix_at + 2 * (count + 1) + 15) & ~std::size_t{15};
  if (arena_used_ + size > arena_.size()) flush_code();
  std::byte* memory = arena_.data() + arena_used_;
  arena_used_ += size;
  Block* block = new (memory) Block;
  for (const auto& [op, index] : constants)
    ops[op].imm = static_cast<std::int32_t>(pool_at + 8 * index) - static_cast<std::int32_t>(ops_at + op * sizeof(Op));
  std::memcpy(memory + ops_at, ops.data(), ops.size() * sizeof(Op));
  Exit* exit = new (memory + exit_at) Exit;
  exit->pc = pc + 4 * (count - 1);
  exit->target[0] = pc + 4 * count;
  exit->target[1] = exit->pc + static_cast<std::uint64_t>(offset);
  if (!pool.empty()) std::memcpy(memory + pool_at, pool.data(), 8 * pool.size());
  auto* prefix = reinterpret_cast<std::uint16_t*>(memory + prefix_at);
  prefix[0] = 0;
  for (std::size_t i = 1; i <= count; ++i)
    prefix[i] =
        static_cast<std::uint16_t>(std::min<std::uint32_t>(timing_->block_cost(std::span(costs).first(i)), 0xffff));
  block->pc = pc;
  block->physical = physical;
  block->mode = mode_;
  block->count = static_cast<std::uint32_t>(count);
  block->cost = prefix[count];
  block->prefix_cost = prefix;
  return block;
}

void Engine::keep_block(Block* block) {
  Block*& bucket = buckets_[bucket_of(block->physical, block->pc, buckets_.size())];
  block->next_in_bucket = bucket;
  bucket = block;
  CodePage& code = code_pages_[block->physical / kPage];
  if (code.blocks == nullptr) protect(block->physical / kPage);
  block->next_in_page = code.blocks;
  code.blocks = block;
  const unsigned first = static_cast<unsigned>((block->physical % kPage) / 64),
                 last = static_cast<unsigned>(((block->physical % kPage) + 4 * block->count - 1) / 64);
  for (unsigned line = first; line <= last; ++line) code.lines |= std::uint64_t{1} << line;
}

void Engine::drop_page(std::uint64_t physical_page) {
  const auto found = code_pages_.find(physical_page);
  if (found == code_pages_.end()) return;
  for (Block* b = found->second.blocks; b != nullptr; b = b->next_in_page) {
    Block** at = &buckets_[bucket_of(b->physical, b->pc, buckets_.size())];
    while (*at != b) at = &(*at)->next_in_bucket;
    *at = b->next_in_bucket;
    JumpEntry& jump = jumps_[b->mode][jump_index(b->pc)];
    if (jump.block == b) jump = {};
  }
  code_pages_.erase(found);
  // Its octets stay until the next flush: the block in execution may be one of them, so it must be left after this
  // instruction.
  machine_->revisit = true;
  ++counters_.code_flushes;
}

void Engine::flush_code() {
  flush_pending_ = false;
  arena_used_ = 0;
  std::fill(buckets_.begin(), buckets_.end(), nullptr);
  for (auto& table : jumps_) table.fill({});
  code_pages_.clear();
  ++counters_.code_flushes;
}

void Engine::invalidate_physical(std::uint64_t physical, std::uint64_t size) {
  if (size == 0) {
    flush_pending_ = machine_->revisit = true;
    return;
  }
  code_written(physical, size);
}

void Engine::code_written(std::uint64_t physical, std::uint64_t size) {
  const std::uint64_t last = physical + size - 1;
  for (std::uint64_t page_number = physical / kPage; page_number <= last / kPage; ++page_number) {
    const auto found = code_pages_.find(page_number);
    if (found == code_pages_.end()) continue;
    const std::uint64_t base = page_number * kPage;
    const auto from = static_cast<unsigned>((std::max(physical, base) - base) / 64),
               to = static_cast<unsigned>((std::min(last, base + kPage - 1) - base) / 64);
    const std::uint64_t lines = (~std::uint64_t{0} << from) & (~std::uint64_t{0} >> (63 - to));
    if ((found->second.lines & lines) != 0) drop_page(page_number);
  }
}

bool Engine::holds_code(std::uint64_t physical) const { return code_pages_.contains(physical / kPage); }

void Engine::protect(std::uint64_t physical_page) {
  for (unsigned c = 0; c < kContexts; ++c) {
    if (!context_used_[c]) continue;
    for (TlbEntry& e : tlbs_[c])
      if (e.physical / kPage == physical_page) e.write_tag = TlbEntry::kNoTag;
  }
}

}  // namespace dpusim::cpu
