#include "mem/backing_store.h"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "sim/error.h"

namespace dpusim::mem {

BackingStore::BackingStore(const std::string& name, Bytes size) : size_(size.count()) {
  // MAP_NORESERVE: a card has more memory than most hosts; only touched pages count.
  void* const mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    throw ConfigError(name + ".capacity", fmt::format("{} octets", size_),
                      fmt::format("an amount that the host can reserve ({})", std::generic_category().message(errno)));
  }
  data_ = static_cast<std::uint8_t*>(mapped);
  madvise(mapped, size_, MADV_DONTDUMP);  // a core dump would write gigabytes of zeros; failure does not matter
}

BackingStore::~BackingStore() { munmap(data_, size_); }

}  // namespace dpusim::mem
