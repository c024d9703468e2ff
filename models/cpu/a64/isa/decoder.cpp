#include "cpu/a64/isa/decoder.h"

namespace dpusim::cpu {

const Decoder& Decoder::instance() {
  static const Decoder decoder;
  return decoder;
}

Decoder::Decoder() : buckets_(std::size_t{1} << (32 - kIndexLow)) {
  for (const auto family : {integer_entries(), load_store_entries(), atomic_entries(), branch_entries(),
                            system_entries(), fp_entries(), simd_entries(), simd_memory_entries(), crypto_entries()})
    for (const Entry& entry : family) entries_.push_back(&entry);
  for (const Entry* entry : entries_) {
    const std::uint32_t mask = entry->pattern.mask() >> kIndexLow, value = entry->pattern.value() >> kIndexLow;
    for (std::uint32_t i = 0; i < buckets_.size(); ++i)
      if ((i & mask) == value) buckets_[i].push_back(entry);
  }
}

const Entry* Decoder::find(std::uint32_t word) const {
  for (const Entry* entry : buckets_[word >> kIndexLow])
    if (entry->pattern.matches(word)) return entry;
  return nullptr;
}

}  // namespace dpusim::cpu
