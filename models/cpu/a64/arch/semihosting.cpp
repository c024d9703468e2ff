#include "cpu/a64/arch/semihosting.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <vector>

namespace dpusim::cpu {

namespace {

enum Operation : std::uint32_t {
  kOpen = 0x01,
  kClose = 0x02,
  kWriteC = 0x03,
  kWrite0 = 0x04,
  kWrite = 0x05,
  kRead = 0x06,
  kReadC = 0x07,
  kIsError = 0x08,
  kIsTty = 0x09,
  kSeek = 0x0a,
  kFlen = 0x0c,
  kTmpnam = 0x0d,
  kRemove = 0x0e,
  kRename = 0x0f,
  kClock = 0x10,
  kTime = 0x11,
  kSystem = 0x12,
  kErrno = 0x13,
  kGetCmdline = 0x15,
  kHeapInfo = 0x16,
  kExit = 0x18,
  kExitExtended = 0x20,
  kElapsed = 0x30,
  kTickFreq = 0x31,
};
constexpr std::uint64_t kMinusOne = ~0ull;
constexpr std::uint64_t kApplicationExit = 0x20026;  // ADP_Stopped_ApplicationExit
constexpr std::size_t kMaxFiles = 64, kMaxName = 4096, kChunk = 4096;

// Magic, then SH_EXT_EXIT_EXTENDED (bit 0) and SH_EXT_STDOUT_STDERR (bit 1).
constexpr std::string_view kFeatures{"SHFB\x03", 5};

// Words of the argument block of each operation that has one.
unsigned argument_words(std::uint32_t operation) {
  switch (operation) {
    case kOpen:
    case kWrite:
    case kRead:
    case kTmpnam:
      return 3;
    case kSeek:
    case kRemove:
    case kGetCmdline:
    case kExit:
    case kExitExtended:
      return 2;
    case kRename:
      return 4;
    case kClose:
    case kIsError:
    case kIsTty:
    case kFlen:
    case kHeapInfo:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

Semihosting::Semihosting(std::filesystem::path directory) : directory_(std::move(directory)) {}

Semihosting::~Semihosting() {
  for (auto& [handle, file] : files_) {
    if (file.descriptor >= 0) ::close(file.descriptor);
  }
}

std::uint64_t Semihosting::fail(int error) {
  errno_ = error;
  return kMinusOne;
}

Semihosting::File* Semihosting::find(std::uint64_t handle) {
  const auto it = files_.find(handle);
  return it == files_.end() ? nullptr : &it->second;
}

bool Semihosting::read_name(GuestMemory& memory, std::uint64_t va, std::uint64_t length, std::string& name) {
  if (length > kMaxName) {
    errno_ = ENAMETOOLONG;
    return false;
  }
  std::vector<std::uint8_t> octets(length);
  if (!memory.read(va, octets)) {
    errno_ = EFAULT;
    return false;
  }
  name.assign(octets.begin(), octets.end());
  if (name.empty() || name.find('\0') != std::string::npos) {
    errno_ = EINVAL;
    return false;
  }
  return true;
}

int Semihosting::open_parent(const std::string& name, std::string& leaf) {
  if (name.front() == '/') {
    errno_ = EACCES;
    return -1;
  }
  int directory = ::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::size_t begin = 0;
  // One component at a time and never through a link, so that no name, and no link that a guest or another process
  // makes, leads out.
  while (directory >= 0) {
    const std::size_t end = name.find('/', begin);
    const std::string part = name.substr(begin, end == std::string::npos ? end : end - begin);
    if (part == ".." || (end == std::string::npos && (part.empty() || part == "."))) {
      ::close(directory);
      errno_ = EACCES;
      return -1;
    }
    if (end == std::string::npos) {
      leaf = part;
      return directory;
    }
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    const int next = ::openat(directory, part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int error = errno;
    ::close(directory);
    directory = next;
    errno = error;
  }
  errno_ = errno;
  return -1;
}

std::uint64_t Semihosting::open(GuestMemory& memory, const std::uint64_t* block) {
  std::string name;
  if (!read_name(memory, block[0], block[2], name)) return kMinusOne;
  const std::uint64_t mode = block[1];
  if (mode > 11) return fail(EINVAL);
  if (files_.size() >= kMaxFiles) return fail(EMFILE);
  File file;
  const bool plus = (mode & 2) != 0;
  if (name == ":tt") {
    file.console = true;
    file.readable = mode < 4;
    file.writable = mode >= 4;
  } else if (name == ":semihosting-features") {
    if (mode > 1) return fail(EACCES);
    file.contents = kFeatures;
    file.writable = false;
  } else {
    // fopen modes in threes of "r", "w", "a", each with b (bit 0) and + (bit 1).
    const int access = plus ? O_RDWR : (mode < 4 ? O_RDONLY : O_WRONLY);
    const int create = mode < 4 ? 0 : (mode < 8 ? O_CREAT | O_TRUNC : O_CREAT | O_APPEND);
    std::string leaf;
    const int parent = open_parent(name, leaf);
    if (parent < 0) return kMinusOne;
    file.descriptor = ::openat(parent, leaf.c_str(), access | create | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
    const int error = errno;
    ::close(parent);
    if (file.descriptor < 0) return fail(error == ELOOP ? EACCES : error);
    struct stat info {};
    if (::fstat(file.descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
      ::close(file.descriptor);
      return fail(EACCES);
    }
    file.readable = plus || mode < 4;
    file.writable = plus || mode >= 4;
  }
  files_[next_handle_] = std::move(file);
  return next_handle_++;
}

std::uint64_t Semihosting::close(std::uint64_t handle) {
  File* file = find(handle);
  if (file == nullptr) return fail(EBADF);
  if (file->descriptor >= 0) ::close(file->descriptor);
  files_.erase(handle);
  return 0;
}

std::uint64_t Semihosting::write(GuestMemory& memory, const std::uint64_t* block) {
  File* file = find(block[0]);
  if (file == nullptr || !file->writable) {
    errno_ = EBADF;
    return block[2];
  }
  // One call takes no simulated time, so it is bounded; the rest counts as not written.
  constexpr std::uint64_t kMostPerCall = 1 << 24;
  const std::uint64_t beyond = block[2] > kMostPerCall ? block[2] - kMostPerCall : 0;
  std::uint64_t left = block[2] - beyond, va = block[1];
  std::array<std::uint8_t, kChunk> buffer{};
  while (left > 0) {
    const std::span<std::uint8_t> chunk(buffer.data(), std::min<std::uint64_t>(left, kChunk));
    if (!memory.read(va, chunk)) {
      errno_ = EFAULT;
      break;
    }
    std::size_t done = chunk.size();
    if (file->console) {
      if (console_) console_({reinterpret_cast<const char*>(chunk.data()), chunk.size()});
    } else {
      const ssize_t written = ::write(file->descriptor, chunk.data(), chunk.size());
      if (written <= 0) {
        errno_ = errno;
        break;
      }
      done = static_cast<std::size_t>(written);
    }
    left -= done;
    va += done;
  }
  return left + beyond;
}

std::uint64_t Semihosting::read(GuestMemory& memory, const std::uint64_t* block) {
  File* file = find(block[0]);
  if (file == nullptr || !file->readable) {
    errno_ = EBADF;
    return kMinusOne;
  }
  std::uint64_t left = block[2], va = block[1];
  if (file->console) return left;  // the console has no input: end of file
  std::array<std::uint8_t, kChunk> buffer{};
  while (left > 0) {
    const std::size_t wanted = std::min<std::uint64_t>(left, kChunk);
    std::size_t got = 0;
    if (file->descriptor < 0) {
      got = std::min(wanted, file->contents.size() - file->position);
      std::copy_n(file->contents.begin() + static_cast<std::ptrdiff_t>(file->position), got, buffer.begin());
      file->position += got;
    } else {
      const ssize_t count = ::read(file->descriptor, buffer.data(), wanted);
      if (count < 0) return fail(errno);
      got = static_cast<std::size_t>(count);
    }
    if (got == 0) break;
    if (!memory.write(va, {buffer.data(), got})) return fail(EFAULT);
    left -= got;
    va += got;
  }
  return left;
}

std::uint64_t Semihosting::seek(std::uint64_t handle, std::uint64_t position) {
  File* file = find(handle);
  if (file == nullptr || file->console) return fail(EBADF);
  if (file->descriptor < 0) {
    if (position > file->contents.size()) return fail(EINVAL);
    file->position = position;
    return 0;
  }
  if (position > static_cast<std::uint64_t>(INT64_MAX)) return fail(EINVAL);
  return ::lseek(file->descriptor, static_cast<off_t>(position), SEEK_SET) < 0 ? fail(errno) : 0;
}

std::uint64_t Semihosting::length(std::uint64_t handle) {
  File* file = find(handle);
  if (file == nullptr || file->console) return fail(EBADF);
  if (file->descriptor < 0) return file->contents.size();
  struct stat info {};
  return ::fstat(file->descriptor, &info) != 0 ? fail(errno) : static_cast<std::uint64_t>(info.st_size);
}

std::uint64_t Semihosting::temporary_name(GuestMemory& memory, const std::uint64_t* block) {
  const std::string name = fmt::format("tmp{:03}", block[1] & 0xff);
  if (block[2] < name.size() + 1) return fail(EINVAL);
  return memory.write(block[0], {reinterpret_cast<const std::uint8_t*>(name.c_str()), name.size() + 1}) ? 0
                                                                                                        : fail(EFAULT);
}

std::uint64_t Semihosting::remove(GuestMemory& memory, const std::uint64_t* block) {
  std::string name, leaf;
  if (!read_name(memory, block[0], block[1], name)) return kMinusOne;
  const int parent = open_parent(name, leaf);
  if (parent < 0) return kMinusOne;
  const int result = ::unlinkat(parent, leaf.c_str(), 0);
  const int error = errno;
  ::close(parent);
  return result != 0 ? fail(error) : 0;
}

std::uint64_t Semihosting::rename(GuestMemory& memory, const std::uint64_t* block) {
  std::string from, to, from_leaf, to_leaf;
  if (!read_name(memory, block[0], block[1], from) || !read_name(memory, block[2], block[3], to)) return kMinusOne;
  const int from_parent = open_parent(from, from_leaf);
  if (from_parent < 0) return kMinusOne;
  const int to_parent = open_parent(to, to_leaf);
  if (to_parent < 0) {
    ::close(from_parent);
    return kMinusOne;
  }
  const int result = ::renameat(from_parent, from_leaf.c_str(), to_parent, to_leaf.c_str());
  const int error = errno;
  ::close(from_parent);
  ::close(to_parent);
  return result != 0 ? fail(error) : 0;
}

std::uint64_t Semihosting::command_line(GuestMemory& memory, std::uint64_t argument, const std::uint64_t* block) {
  if (block[1] < command_line_.size() + 1) return fail(EINVAL);
  if (!memory.write(block[0], {reinterpret_cast<const std::uint8_t*>(command_line_.c_str()), command_line_.size() + 1}))
    return fail(EFAULT);
  const std::uint64_t size = command_line_.size();
  std::array<std::uint8_t, 8> octets{};
  for (unsigned i = 0; i < 8; ++i) octets[i] = static_cast<std::uint8_t>(size >> (8 * i));
  return memory.write(argument + 8, octets) ? 0 : fail(EFAULT);
}

void Semihosting::write_string(GuestMemory& memory, std::uint64_t va) {
  constexpr std::size_t kLimit = std::size_t{1} << 20;  // a string without end stops here
  std::string text;
  std::uint8_t octet = 0;
  while (text.size() < kLimit && memory.read(va++, {&octet, 1}) && octet != 0) text.push_back(static_cast<char>(octet));
  if (console_) console_(text);
}

Semihosting::Answer Semihosting::call(std::uint32_t operation, std::uint64_t argument, GuestMemory& memory, Time now) {
  std::uint64_t block[4] = {};
  const auto put = [&](std::uint64_t va, std::uint64_t value) {
    std::array<std::uint8_t, 8> octets{};
    for (unsigned i = 0; i < 8; ++i) octets[i] = static_cast<std::uint8_t>(value >> (8 * i));
    return memory.write(va, octets);
  };
  for (unsigned word = 0; word < argument_words(operation); ++word) {
    std::array<std::uint8_t, 8> octets{};
    if (!memory.read(argument + std::uint64_t{8} * word, octets)) return {fail(EFAULT), false, 0, {}};
    for (unsigned i = 0; i < 8; ++i) block[word] |= std::uint64_t{octets[i]} << (8 * i);
  }
  const auto value = [](std::uint64_t result) { return Answer{result, false, 0, {}}; };
  switch (operation) {
    case kOpen:
      return value(open(memory, block));
    case kClose:
      return value(close(block[0]));
    case kWriteC: {
      std::uint8_t octet = 0;
      if (memory.read(argument, {&octet, 1}) && console_) console_({reinterpret_cast<const char*>(&octet), 1});
      return value(argument);
    }
    case kWrite0:
      write_string(memory, argument);
      return value(argument);
    case kWrite:
      return value(write(memory, block));
    case kRead:
      return value(read(memory, block));
    case kReadC:
      return value(kMinusOne);
    case kIsError:
      return value(static_cast<std::int64_t>(block[0]) < 0 ? 1 : 0);
    case kIsTty: {
      const File* file = find(block[0]);
      return value(file == nullptr ? fail(EBADF) : (file->console ? 1 : 0));
    }
    case kSeek:
      return value(seek(block[0], block[1]));
    case kFlen:
      return value(length(block[0]));
    case kTmpnam:
      return value(temporary_name(memory, block));
    case kRemove:
      return value(remove(memory, block));
    case kRename:
      return value(rename(memory, block));
    case kClock:
      return value(static_cast<std::uint64_t>(now.count() / (kPicosecondsPerSecond / 100)));
    case kTime:
      return value(static_cast<std::uint64_t>(now.count() / kPicosecondsPerSecond));
    case kErrno:
      return value(static_cast<std::uint64_t>(errno_));
    case kGetCmdline:
      return value(command_line(memory, argument, block));
    case kHeapInfo: {
      // Nothing is known of the image's layout: all four fields 0, as the specification has it for unknown values.
      for (unsigned i = 0; i < 4; ++i) {
        if (!put(block[0] + std::uint64_t{8} * i, 0)) return value(fail(EFAULT));
      }
      return value(0);
    }
    case kElapsed:
      return value(put(argument, static_cast<std::uint64_t>(now.count() / 1000)) ? 0 : fail(EFAULT));
    case kTickFreq:
      return value(1'000'000'000);
    case kExit:
    case kExitExtended: {
      const bool good = block[0] == kApplicationExit && block[1] == 0;
      return {0, true, good ? 0 : 1,
              fmt::format("the guest exited by semihosting: reason {:#x}, code {}", block[0], block[1])};
    }
    case kSystem:
      return value(kMinusOne);  // no host commands
    default:
      return value(fail(ENOSYS));
  }
}

}  // namespace dpusim::cpu
