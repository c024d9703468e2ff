// The slow path of memory accesses: translation, alignment, page crossing, devices, and filling the software TLB.
#include <algorithm>
#include <cstring>

#include "cpu/a64/engine/engine.h"

namespace dpusim::cpu {

namespace {
constexpr std::uint64_t kPage = 4096, kPageMask = ~(kPage - 1);
}

bool Engine::fault(const Exception& exception) {
  machine_->fault = exception;
  machine_->leave = Leave::kFault;
  return false;
}

const HostRegion* Engine::region(std::uint64_t physical, bool secure) {
  for (const Region& r : regions_)
    if (r.secure == secure && physical - r.region.base < r.region.size) return &r.region;
  const auto found = memory_->host_region(physical, secure);
  if (!found) return nullptr;
  regions_.push_back({*found, secure});
  return &regions_.back().region;
}

bool Engine::on_bus(bool use) {
  const std::uint64_t number = instructions();
  const bool already = bus_instruction_ == number;
  if (use) bus_instruction_ = number;
  return already;
}

bool Engine::page(std::uint64_t va, bool write, bool unprivileged, PageEntry& out) {
  const std::uint64_t tag = va & kPageMask;
  PageEntry& cached = pages_[context_][(va / kPage) & (kTlbEntries - 1)];
  if (!unprivileged && cached.tag == tag && (write ? cached.writable : cached.readable)) {
    out = cached;
    return true;
  }
  Translation t;
  Exception exception{};
  if (!system_->translate(va, write ? Access::kWrite : Access::kRead, unprivileged, t, exception))
    return fault(exception);
  out = {};
  out.tag = tag;
  out.physical = t.physical & kPageMask;
  out.readable = t.readable;
  out.writable = t.writable;
  out.strict = t.device;
  out.cacheable = !t.device && !t.non_cacheable;
  out.secure = system_->secure();
  if (const HostRegion* memory = region(out.physical, out.secure)) {
    out.host = memory->host + (out.physical - memory->base);
    out.memory_writable = memory->writable;
  }
  if (unprivileged) {
    out.readable = out.writable = false;  // EL0's permissions must not reach the table of the present level
  } else {
    cached = out;
  }
  return true;
}

void Engine::install(std::uint64_t va, const PageEntry& p, bool read, bool write) {
  if (!p.readable && !p.writable) return;
  const std::uint64_t mask = ~((std::uint64_t{1} << shift_) - 1), tag = va & mask;
  TlbEntry& e = tlbs_[context_][(va >> shift_) & (kTlbEntries - 1)];
  // What an entry says of another granule goes; what it says of this one stays.
  if (e.read_tag != tag && e.write_tag != tag) e = {};
  if (read && p.readable) e.read_tag = tag;
  if (write && p.writable && p.memory_writable && !holds_code(p.physical)) e.write_tag = tag;
  e.addend = reinterpret_cast<std::uint64_t>(p.host) - p.tag;
  e.physical = (p.physical + (tag - p.tag)) | (p.strict || system_->alignment_checked() ? 1 : 0);
}

void Engine::time_access(std::uint64_t va, unsigned size, bool write, const PageEntry& p) {
  const std::uint64_t last = va + size - 1, epoch = translation_epoch_;
  for (std::uint64_t at = va; at <= last; at = (at | 63) + 1) {
    const auto part = static_cast<unsigned>(std::min(last, at | 63) - at + 1);
    const AccessTiming t = timing_->data_access(p.physical + (at & ~kPageMask), part, write, p.cacheable);
    charge(t.cycles);
    // What no cache keeps is on the bus at each attempt, so the instruction must not be begun again for its time.
    if (!p.cacheable) on_bus(true);
    // The call may have let other cores run; one of them may have made this translation invalid.
    if (epoch == translation_epoch_ && (t.keep_read || t.keep_write)) install(at, p, t.keep_read, t.keep_write);
  }
}

bool Engine::device_access(std::uint64_t va, std::uint8_t* data, unsigned size, bool write, const PageEntry& p) {
  // Only before an instruction's first access: begun again after it, the instruction would repeat its effect.
  if (!on_bus(false) && memory_->must_synchronise()) {
    machine_->leave = Leave::kSync;
    return false;
  }
  on_bus(true);
  // A bus takes naturally aligned powers of two; anything else goes octet by octet.
  const bool whole = (size & (size - 1)) == 0 && (va & (size - 1)) == 0;
  const unsigned step = whole ? size : 1;
  for (unsigned i = 0; i < size; i += step) {
    ++counters_.device_accesses;
    const std::uint64_t physical = p.physical + ((va + i) & ~kPageMask);
    const bool ok =
        write ? memory_->write(physical, data + i, step, p.secure) : memory_->read(physical, data + i, step, p.secure);
    if (!ok) return fault(System::external_abort(va, write ? Access::kWrite : Access::kRead));
  }
  return true;
}

bool Engine::access_within_page(std::uint64_t va, std::uint8_t* data, unsigned size, bool write, const PageEntry& p) {
  if (p.host == nullptr || (write && !p.memory_writable)) return device_access(va, data, size, write, p);
  std::uint8_t* place = p.host + (va & ~kPageMask);
  if (write) {
    std::memcpy(place, data, size);
    if (holds_code(p.physical)) code_written(p.physical + (va & ~kPageMask), size);
  } else {
    std::memcpy(data, place, size);
  }
  if (timed_)
    time_access(va, size, write, p);
  else
    install(va, p, true, write);
  return true;
}

bool Engine::access(std::uint64_t va, void* data, unsigned size, bool write, bool unprivileged, bool aligned) {
  ++counters_.slow_accesses;
  auto* octets = static_cast<std::uint8_t*>(data);
  const bool misaligned = (va & (size - 1)) != 0;
  if (misaligned && (aligned || system_->alignment_checked())) return fault(System::alignment_fault(va, write));
  PageEntry first;
  if (!page(va, write, unprivileged, first)) return false;
  if (misaligned && first.strict) return fault(System::alignment_fault(va, write));
  const auto room = static_cast<unsigned>(kPage - (va & ~kPageMask));
  if (size <= room) return access_within_page(va, octets, size, write, first);
  // Both halves must be accessible before either is written.
  PageEntry second;
  if (!page(va + room, write, unprivileged, second)) return false;
  if (second.strict) return fault(System::alignment_fault(va, write));
  const std::uint64_t epoch = translation_epoch_;
  bool done = access_within_page(va, octets, room, write, first);
  if (done && epoch != translation_epoch_) done = page(va + room, write, unprivileged, second);
  return done && access_within_page(va + room, octets + room, size - room, write, second);
}

std::uint8_t* Engine::place(std::uint64_t va, unsigned size, bool write, std::uint64_t& physical) {
  ++counters_.slow_accesses;
  PageEntry p;
  if ((va & (size - 1)) != 0) {
    fault(System::alignment_fault(va, write));
    return nullptr;
  }
  const auto locate = [&] {
    if (!page(va, write, false, p)) return false;
    // No exclusives or atomics on devices. @spec Arm ARM B2.9.2: the access may abort
    if (p.host == nullptr || (write && !p.memory_writable))
      return fault(System::external_abort(va, write ? Access::kWrite : Access::kRead));
    physical = p.physical + (va & ~kPageMask);
    if (write && holds_code(physical)) code_written(physical, size);
    return true;
  };
  if (!locate()) return nullptr;
  if (timed_) {
    const std::uint64_t epoch = translation_epoch_;
    time_access(va, size, write, p);
    // Another core may have unmapped or moved the page meanwhile; the access itself happens only now.
    if (epoch != translation_epoch_ && !locate()) return nullptr;
  } else {
    install(va, p, true, write);
  }
  return p.host + (va & ~kPageMask);
}

void Engine::flush_translations() {
  ++translation_epoch_;
  for (unsigned c = 0; c < kContexts; ++c) {
    if (!context_used_[c]) continue;
    tlbs_[c].fill({});
    pages_[c].fill({});
    context_used_[c] = c == context_;
  }
  for (unsigned mode = 0; mode < kModes; ++mode) {
    if (!jumps_used_[mode]) continue;
    jumps_[mode].fill({});
    jumps_used_[mode] = mode == mode_;
  }
  machine_->revisit = true;
}

void Engine::flush_page(std::uint64_t va, std::uint64_t size) {
  if (size > 16 * kPage) {
    flush_translations();
    return;
  }
  ++translation_epoch_;
  const std::uint64_t first = va & kPageMask, last = (va + size - 1) | ~kPageMask;
  for (unsigned c = 0; c < kContexts; ++c) {
    if (!context_used_[c]) continue;
    for (std::uint64_t at = first; at - first <= last - first; at += kPage) {
      pages_[c][(at / kPage) & (kTlbEntries - 1)] = {};
      for (std::uint64_t line = at; line - at < kPage; line += std::uint64_t{1} << shift_)
        tlbs_[c][(line >> shift_) & (kTlbEntries - 1)] = {};
    }
  }
  for (unsigned mode = 0; mode < kModes; ++mode) {
    if (!jumps_used_[mode]) continue;
    for (JumpEntry& jump : jumps_[mode])
      if (jump.pc - first <= last - first) jump = {};
  }
  machine_->revisit = true;
}

void Engine::forget_memory() {
  regions_.clear();
  context_used_.fill(true);
  jumps_used_.fill(true);
  flush_translations();
}

void Engine::evict_line(std::uint64_t physical_line) {
  const std::uint64_t line = physical_line / 64;
  for (unsigned c = 0; c < kContexts; ++c) {
    if (!context_used_[c]) continue;
    // The index takes virtual bits; those below the page are the physical ones, the others may be any.
    for (unsigned high = 0; high < kTlbEntries; high += 64) {
      TlbEntry& e = tlbs_[c][(line & 63) | high];
      if (e.physical / 64 == line) e = {};
    }
  }
}

void Engine::clean_line(std::uint64_t physical_line) {
  const std::uint64_t line = physical_line / 64;
  for (unsigned c = 0; c < kContexts; ++c) {
    if (!context_used_[c]) continue;
    for (unsigned high = 0; high < kTlbEntries; high += 64) {
      TlbEntry& e = tlbs_[c][(line & 63) | high];
      if (e.physical / 64 == line) e.write_tag = TlbEntry::kNoTag;
    }
  }
}

}  // namespace dpusim::cpu
