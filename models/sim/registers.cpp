#include "sim/registers.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/error.h"

namespace dpusim {
namespace {

constexpr std::uint64_t low_octets(std::size_t octets) { return octets >= 8 ? ~0ULL : (1ULL << (8 * octets)) - 1; }

constexpr std::uint64_t readable(const RegisterInfo& info) {
  return info.rw_mask | info.ro_mask | info.w1c_mask | info.rc_mask;
}

std::uint64_t load_little_endian(const std::uint8_t* data, std::size_t octets) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < octets; ++i) value |= static_cast<std::uint64_t>(data[i]) << (8 * i);
  return value;
}

// Returns 0xff in every octet whose lane is on.
std::uint64_t lanes(std::span<const std::uint8_t> byte_enable, std::size_t first, std::size_t octets) {
  if (byte_enable.empty()) return low_octets(octets);
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < octets; ++i) {
    if (byte_enable[first + i] != 0) mask |= 0xffULL << (8 * i);
  }
  return mask;
}

void check_row(const RegisterInfo& info) {
  const unsigned octets = info.width / 8U;
  DPUSIM_CHECK(info.width == 8 || info.width == 16 || info.width == 32 || info.width == 64, "register {}: width {}",
               info.name, info.width);
  DPUSIM_CHECK(info.count > 0 && info.stride >= octets, "register {}: count {}, stride {}", info.name, info.count,
               info.stride);
  DPUSIM_CHECK(info.offset % octets == 0 && (info.count == 1 || info.stride % octets == 0),
               "register {}: offset {:#x} or stride {} not a multiple of {}", info.name, info.offset, info.stride,
               octets);
  DPUSIM_CHECK(info.min_access > 0 && info.min_access <= octets && (info.min_access & (info.min_access - 1)) == 0,
               "register {}: smallest access {}", info.name, info.min_access);
  std::uint64_t seen = ~low_octets(octets);
  for (const std::uint64_t mask : {info.rw_mask, info.ro_mask, info.wo_mask, info.w1c_mask, info.rc_mask}) {
    DPUSIM_CHECK((seen & mask) == 0, "register {}: bits {:#x} have two accesses or are outside", info.name,
                 seen & mask);
    seen |= mask;
  }
}

}  // namespace

RegisterBank::RegisterBank(std::span<const RegisterInfo> table)
    : table_(table), read_hooks_(table.size()), pure_(table.size()), write_hooks_(table.size()), order_(table.size()) {
  std::uint32_t values = 0;
  for (const RegisterInfo& info : table_) {
    check_row(info);
    first_.push_back(values);
    values += info.count;
  }
  values_.resize(values);
  std::iota(order_.begin(), order_.end(), 0U);
  std::sort(order_.begin(), order_.end(), [&](auto a, auto b) { return table_[a].offset < table_[b].offset; });
  build_regions();
  reset();
}

void RegisterBank::build_regions() {
  const auto end_of = [this](std::uint32_t i) {
    const RegisterInfo& info = table_[order_[i]];
    return info.offset + std::uint64_t{info.stride} * (info.count - 1) + info.width / 8U;
  };
  const auto count = static_cast<std::uint32_t>(order_.size());
  for (std::uint32_t first = 0, last = 0; first < count; first = last) {
    const RegisterInfo& head = table_[order_[first]];
    std::uint64_t end = end_of(first);
    bool regular = true;
    for (last = first + 1; last < count && table_[order_[last]].offset < end; ++last) {
      const RegisterInfo& info = table_[order_[last]];
      const RegisterInfo& before = table_[order_[last - 1]];
      regular = regular && info.count > 1 && info.stride == head.stride &&
                info.offset >= before.offset + before.width / 8U &&
                info.offset + info.width / 8U <= std::uint64_t{head.offset} + head.stride;
      end = std::max(end, end_of(last));
    }
    if (regular) {
      regions_.push_back({head.offset, end, head.count == 1 ? 0 : head.stride, first, last, 0});
    } else {
      add_elements(first, last);
    }
  }
  for (const Region& region : regions_) region_starts_.push_back(region.start);
}

// Arrays that interleave in no regular way: a region for each element.
void RegisterBank::add_elements(std::uint32_t first, std::uint32_t last) {
  const auto from = static_cast<std::ptrdiff_t>(regions_.size());
  for (std::uint32_t i = first; i < last; ++i) {
    const RegisterInfo& info = table_[order_[i]];
    for (std::uint32_t element = 0; element < info.count; ++element) {
      const std::uint32_t start = info.offset + element * info.stride;
      regions_.push_back({start, std::uint64_t{start} + info.width / 8U, 0, i, i + 1, element});
    }
  }
  std::sort(regions_.begin() + from, regions_.end(),
            [](const Region& a, const Region& b) { return a.start < b.start; });
  for (auto i = static_cast<std::size_t>(from) + 1; i < regions_.size(); ++i) {
    DPUSIM_CHECK(regions_[i].start >= regions_[i - 1].end, "registers {} and {} overlap at {:#x}",
                 table_[order_[regions_[i - 1].first]].name, table_[order_[regions_[i].first]].name, regions_[i].start);
  }
}

// Finds the register that holds the octet at `offset`: O(log registers), without touching hooks.
bool RegisterBank::find(std::uint64_t offset, Location& at) const {
  const auto after = std::upper_bound(region_starts_.begin(), region_starts_.end(), offset);
  if (after == region_starts_.begin()) return false;
  const Region& region = regions_[static_cast<std::size_t>(after - region_starts_.begin()) - 1];
  if (offset >= region.end) return false;
  const auto within = static_cast<std::uint32_t>(offset - region.start);
  if (region.stride == 0) {
    at = {order_[region.first], region.element, within};
    return true;
  }
  const std::uint32_t element = within / region.stride;
  const std::uint32_t rest = within - element * region.stride;  // from element 0 of the region's first register
  const auto begin = order_.begin() + region.first;
  const auto sought = [&](std::uint32_t octet, std::uint32_t reg) { return octet < table_[reg].offset - region.start; };
  at.reg = *(std::upper_bound(begin, order_.begin() + region.last, rest, sought) - 1);
  at.element = element;
  at.octet = rest - (table_[at.reg].offset - region.start);
  return at.octet < table_[at.reg].width / 8U && element < table_[at.reg].count;
}

// Says whether an access may be made, before anything is changed.
RegisterResult RegisterBank::check(std::uint64_t offset, std::size_t size, Location& at) const {
  if (!find(offset, at)) return RegisterResult::kUnmapped;
  if (size == 0 || size > 8 || (size & (size - 1)) != 0 || offset % size != 0) return RegisterResult::kBadSize;
  const RegisterInfo* info = &table_[at.reg];
  if (size <= info->width / 8U) return size >= info->min_access ? RegisterResult::kOk : RegisterResult::kBadSize;
  Location next = at;
  for (std::size_t done = info->width / 8U; done < size; done += info->width / 8U) {
    if (!find(offset + done, next)) return RegisterResult::kUnmapped;
    info = &table_[next.reg];
  }
  return RegisterResult::kOk;
}

void RegisterBank::on_read(unsigned reg, ReadHook hook, bool pure) {
  read_hooks_.at(reg) = std::move(hook);
  pure_.at(reg) = pure;
}

void RegisterBank::on_write(unsigned reg, WriteHook hook) { write_hooks_.at(reg) = std::move(hook); }

void RegisterBank::reset() {
  for (std::size_t reg = 0; reg < table_.size(); ++reg) {
    std::fill_n(values_.begin() + first_[reg], table_[reg].count, table_[reg].reset);
  }
}

std::uint64_t RegisterBank::read_one(const Location& at, std::uint64_t mask) {
  const RegisterInfo& info = table_[at.reg];
  std::uint64_t& stored = values_[first_[at.reg] + at.element];
  const std::uint64_t value = read_hooks_[at.reg] ? read_hooks_[at.reg](at.element) : stored;
  stored &= ~(info.rc_mask & mask);
  return value & readable(info);
}

void RegisterBank::write_one(const Location& at, std::uint64_t written, std::uint64_t mask) {
  const RegisterInfo& info = table_[at.reg];
  std::uint64_t& stored = values_[first_[at.reg] + at.element];
  const std::uint64_t old = stored;
  const std::uint64_t replaced = (info.rw_mask | info.wo_mask) & mask;
  stored = ((old & ~replaced) | (written & replaced)) & ~(written & info.w1c_mask);
  if (write_hooks_[at.reg]) {
    const Write write{at.element, stored, old, written, mask};
    write_hooks_[at.reg](write);
  }
}

RegisterResult RegisterBank::read(std::uint64_t offset, std::span<std::uint8_t> data,
                                  std::span<const std::uint8_t> byte_enable) {
  Location at;
  const RegisterResult result = check(offset, data.size(), at);
  if (result != RegisterResult::kOk) return result;
  for (std::size_t done = 0;;) {
    const std::size_t octets = std::min<std::size_t>(table_[at.reg].width / 8U, data.size());
    const std::uint64_t on = lanes(byte_enable, done, octets);
    if (on != 0) {
      const std::uint64_t value = read_one(at, on << (8 * at.octet)) >> (8 * at.octet);
      for (std::size_t i = 0; i < octets; ++i) {
        if ((on >> (8 * i) & 0xff) != 0) data[done + i] = static_cast<std::uint8_t>(value >> (8 * i));
      }
    }
    done += octets;
    if (done >= data.size()) return RegisterResult::kOk;
    find(offset + done, at);
  }
}

RegisterResult RegisterBank::write(std::uint64_t offset, std::span<const std::uint8_t> data,
                                   std::span<const std::uint8_t> byte_enable) {
  Location at;
  const RegisterResult result = check(offset, data.size(), at);
  if (result != RegisterResult::kOk) return result;
  for (std::size_t done = 0;;) {
    const std::size_t octets = std::min<std::size_t>(table_[at.reg].width / 8U, data.size());
    const std::uint64_t on = lanes(byte_enable, done, octets);
    if (on != 0) {
      const std::uint64_t written = load_little_endian(data.data() + done, octets) & on;
      write_one(at, written << (8 * at.octet), on << (8 * at.octet));
    }
    done += octets;
    if (done >= data.size()) return RegisterResult::kOk;
    find(offset + done, at);
  }
}

std::size_t RegisterBank::debug_read(std::uint64_t offset, std::span<std::uint8_t> data) const {
  Location at;
  std::size_t done = 0;
  while (done < data.size() && find(offset + done, at)) {
    const bool computed = read_hooks_[at.reg] && pure_[at.reg];
    const std::uint64_t value =
        (computed ? read_hooks_[at.reg](at.element) : values_[first_[at.reg] + at.element]) & readable(table_[at.reg]);
    for (; at.octet < table_[at.reg].width / 8U && done < data.size(); ++at.octet, ++done) {
      data[done] = static_cast<std::uint8_t>(value >> (8 * at.octet));
    }
  }
  return done;
}

std::size_t RegisterBank::debug_write(std::uint64_t offset, std::span<const std::uint8_t> data) {
  Location at;
  std::size_t done = 0;
  while (done < data.size() && find(offset + done, at)) {
    const RegisterInfo& info = table_[at.reg];
    const std::uint64_t writable = info.rw_mask | info.wo_mask | info.w1c_mask;
    std::uint64_t& stored = values_[first_[at.reg] + at.element];
    for (; at.octet < info.width / 8U && done < data.size(); ++at.octet, ++done) {
      const std::uint64_t mask = writable & (0xffULL << (8 * at.octet));
      stored = (stored & ~mask) | ((static_cast<std::uint64_t>(data[done]) << (8 * at.octet)) & mask);
    }
  }
  return done;
}

}  // namespace dpusim
