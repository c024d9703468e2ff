#include "cpu/a64/timing/caches.h"

#include <algorithm>
#include <utility>

namespace dpusim::cpu {

namespace {
constexpr std::uint64_t kLine = 64, kPage = 4096;
}  // namespace

Caches::Core::Core(const CacheConfig& config)
    : l1d(config.l1d), l1i(config.l1i), kept(l1d.sets(), kNoLine), stores(std::max(config.store_misses, 1u), 0) {}

Caches::Caches(const CacheConfig& config, MissPort& port) : config_(config), port_(port) {
  for (unsigned core = 0; core < config.cores; ++core) cores_.emplace_back(config);
  const unsigned groups = (config.cores + config.cores_per_l2 - 1) / config.cores_per_l2;
  for (unsigned group = 0; group < groups; ++group) l2_.push_back(std::make_unique<cache::TagArray>(config.l2));
}

void Caches::keep(Core& core, std::uint64_t line) {
  // Only the most recent line of a set may be accessed unseen: any other access changes the order of use.
  std::uint64_t& kept = core.kept[(line / kLine) % core.kept.size()];
  if (kept != line && kept != kNoLine && core.lines != nullptr) core.lines->evict_line(kept);
  kept = line;
}

void Caches::drop_l1(Core& core, std::uint64_t line) {
  core.l1d.invalidate(line);
  std::uint64_t& kept = core.kept[(line / kLine) % core.kept.size()];
  if (kept == line) {
    if (core.lines != nullptr) core.lines->evict_line(line);
    kept = kNoLine;
  }
}

bool Caches::snoop_cluster(unsigned core, std::uint64_t line, bool write) {
  bool found = false;
  for (unsigned other = 0; other < cores_.size(); ++other) {
    if (other == core) continue;
    Core& o = cores_[other];
    if (write) {
      if (o.l1d.present(line)) {
        found = true;
        // The octets are coherent anyway; a dirty copy's duty to be written back passes to the new owner.
        drop_l1(o, line);
        ++o.counters.snoops;
      }
    } else if (o.l1d.dirty(line)) {
      found = true;
      o.l1d.clean(line);
      if (o.lines != nullptr) o.lines->clean_line(line);
      l2_of(other).lookup(line, true);
      ++o.counters.snoops;
    }
  }
  const std::size_t own = core / config_.cores_per_l2;
  for (std::size_t group = 0; group < l2_.size(); ++group) {
    if (group == own || !l2_[group]->present(line)) continue;
    found = true;
    if (write) l2_[group]->invalidate(line);
  }
  return found;
}

void Caches::install_l2(unsigned core, std::uint64_t line) {
  cache::TagArray& l2 = l2_of(core);
  if (l2.present(line)) return;  // somebody else brought it while we waited
  const auto victim = l2.fill(line, false);
  if (!victim.valid) return;
  // The L2 includes its cores' L1s.
  bool dirty = victim.dirty;
  const unsigned first = core / config_.cores_per_l2 * config_.cores_per_l2;
  for (unsigned peer = first; peer < std::min<std::size_t>(first + config_.cores_per_l2, cores_.size()); ++peer) {
    dirty = cores_[peer].l1d.dirty(victim.address) || dirty;
    drop_l1(cores_[peer], victim.address);
    if (cores_[peer].l1i.invalidate(victim.address).valid && cores_[peer].lines != nullptr)
      cores_[peer].lines->fetch_evicted();
  }
  if (dirty) {
    ++cores_[core].counters.l2_write_backs;
    cores_[core].leaving.push_back(victim.address);
  }
}

std::uint32_t Caches::fetch_line(unsigned core, std::uint64_t line, bool write) {
  const std::uint32_t cycles = port_.fill(core, line, write);
  // Other cores ran meanwhile, and one may have taken the line as its own. From here to the fill of the L1 none runs.
  const bool snooped = snoop_cluster(core, line, write);
  install_l2(core, line);
  return cycles + (snooped ? config_.snoop_cycles : 0);
}

void Caches::write_back_leaving(unsigned core) {
  std::vector<std::uint64_t>& leaving = cores_[core].leaving;
  while (!leaving.empty()) {
    const std::uint64_t line = leaving.back();
    leaving.pop_back();
    port_.write_back(core, line);
  }
}

std::uint32_t Caches::bring(unsigned core, std::uint64_t line, bool write) {
  Core& c = cores_[core];
  ++c.counters.l2_accesses;
  const bool snooped = snoop_cluster(core, line, write);
  if (l2_of(core).lookup(line, false)) {
    // A prefetched line may still be on its way.
    for (Pending& pending : c.pending) {
      if (pending.line != line) continue;
      pending.line = kNoLine;
      const std::uint64_t now = port_.cycle(core);
      if (pending.ready > now) return config_.l2_cycles + static_cast<std::uint32_t>(pending.ready - now);
    }
    return config_.l2_cycles + (snooped ? config_.snoop_cycles : 0);
  }
  if (snooped) {
    install_l2(core, line);
    return config_.l2_cycles + config_.snoop_cycles;
  }
  ++c.counters.l2_refills;
  return config_.l2_cycles + fetch_line(core, line, write);
}

void Caches::train(unsigned core, std::uint64_t line) {
  if (config_.prefetch_lines == 0) return;
  Core& c = cores_[core];
  for (Stream& stream : c.streams) {
    if (stream.next != line) continue;
    stream.next = line + kLine;
    if (++stream.confidence < 2) return;
    // Two neighbours in order make a stream; from then on it is kept prefetch_lines ahead, within the page.
    std::uint64_t next = std::max(stream.ahead, line + kLine);
    const std::uint64_t end = std::min(line + kLine * (config_.prefetch_lines + 1), (line | (kPage - 1)) + 1);
    for (; next < end; next += kLine) {
      stream.ahead = next + kLine;
      if (l2_of(core).present(next) || snoop_cluster(core, next, false)) continue;
      ++c.counters.prefetches;
      const std::uint32_t cycles = fetch_line(core, next, false);
      c.pending[c.next_pending++ % kPending] = {next, port_.cycle(core) + cycles};
    }
    return;
  }
  c.streams[c.next_stream++ % kStreams] = {line + kLine, 0, 0};
}

std::uint32_t Caches::store_stall(Core& core, unsigned number, std::uint32_t latency) {
  const std::uint64_t now = port_.cycle(number);
  auto slot = std::min_element(core.stores.begin(), core.stores.end());
  const std::uint64_t stall = *slot > now ? *slot - now : 0;
  *slot = now + stall + latency;
  return static_cast<std::uint32_t>(stall);
}

std::uint32_t Caches::drain_stores(unsigned core) {
  const std::uint64_t now = port_.cycle(core);
  const std::uint64_t last = *std::max_element(cores_[core].stores.begin(), cores_[core].stores.end());
  return last > now ? static_cast<std::uint32_t>(last - now) : 0;
}

AccessTiming Caches::data_access(unsigned core, std::uint64_t physical, bool write) {
  Core& c = cores_[core];
  const std::uint64_t line = physical & ~(kLine - 1);
  std::uint32_t cycles = 0;
  const bool was_dirty = c.l1d.dirty(line);
  if (c.l1d.lookup(line, write)) {
    // The first store to a clean line takes it from the others.
    if (write && !was_dirty && snoop_cluster(core, line, true)) cycles = store_stall(c, core, config_.snoop_cycles);
  } else {
    ++c.counters.l1d_refills;
    cycles = bring(core, line, write);
    if (write) cycles = store_stall(c, core, cycles);
    if (!c.l1d.present(line)) {
      const auto victim = c.l1d.fill(line, write);
      if (victim.valid) {
        std::uint64_t& kept = c.kept[(line / kLine) % c.kept.size()];
        if (kept == victim.address) {
          if (c.lines != nullptr) c.lines->evict_line(kept);
          kept = kNoLine;
        }
        if (victim.dirty) l2_of(core).lookup(victim.address, true);
      }
    }
    train(core, line);
    write_back_leaving(core);
  }
  keep(c, line);
  // While the miss was under way another core may have taken the line again; then nothing may be kept.
  const bool there = c.l1d.present(line), dirty = there && c.l1d.dirty(line);
  return {cycles, there, dirty};
}

std::uint32_t Caches::uncached_access(unsigned core, std::uint64_t physical, unsigned size, bool write) {
  const std::uint32_t latency = port_.uncached(core, physical, size, write);
  return write ? store_stall(cores_[core], core, latency) : latency;
}

std::uint32_t Caches::fetch(unsigned core, std::uint64_t physical, std::uint32_t size) {
  Core& c = cores_[core];
  std::uint32_t cycles = 0;
  for (std::uint64_t line = physical & ~(kLine - 1); line < physical + size; line += kLine) {
    if (c.l1i.lookup(line, false)) continue;
    ++c.counters.l1i_refills;
    cycles += bring(core, line, false);
    if (!c.l1i.present(line) && c.l1i.fill(line, false).valid && c.lines != nullptr) c.lines->fetch_evicted();
    write_back_leaving(core);
  }
  return cycles;
}

void Caches::snoop_write(std::uint64_t physical, std::uint64_t size) {
  for (std::uint64_t line = physical & ~(kLine - 1); line < physical + size; line += kLine) {
    for (auto& l2 : l2_) {
      if (!l2->invalidate(line).valid) continue;  // inclusive: what the L2 lacks, its L1s lack
      const auto group = static_cast<unsigned>(&l2 - l2_.data());
      const unsigned first = group * config_.cores_per_l2;
      for (unsigned core = first; core < std::min<std::size_t>(first + config_.cores_per_l2, cores_.size()); ++core) {
        Core& c = cores_[core];
        if (c.l1d.present(line)) ++c.counters.snoops;
        drop_l1(c, line);
        if (c.l1i.invalidate(line).valid && c.lines != nullptr) c.lines->fetch_evicted();
      }
    }
  }
}

}  // namespace dpusim::cpu
