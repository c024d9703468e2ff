// Random jobs, rings, registers and doorbells against an accelerator, with a memory that knows what each access is
// entitled to.
#pragma once

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <set>

#include "accelerator_bench.h"
#include "sim/random.h"

namespace fuzz_bench {

using namespace accelerator_bench;

/// What is fuzzed: the algorithms and how to make a job of theirs that may work.
struct Subject {
  AcceleratorParts parts;
  std::vector<std::uint8_t> opcodes;
  /// Makes fields of a job plausible for its opcode, and its source; addresses and lengths are set. May be empty.
  std::function<void(Random&, AccelJob&, std::span<std::uint8_t> source)> shape;
};

/// Memory that follows the rings and jobs that the device reads, and notes every access that none of them names.
class Guard : public Memory {
 public:
  static constexpr std::uint64_t kSize = 1U << 18U;
  explicit Guard(Random& random) : Memory("memory", kSize, 0_ps), random_(random) {}
  /// Forgets what was named before. The device holds no jobs.
  void clear() { jobs_.clear(), completions_.clear(), readable_.clear(), writable_.clear(), lists_.clear(); }
  void name_ring(std::uint64_t base, std::uint64_t size, bool jobs) {
    (jobs ? jobs_ : completions_).insert({base, size});
  }
  std::uint64_t bad_begin = 0, bad_end = 0;
  std::vector<std::string> violations;

 private:
  struct Range {
    std::uint64_t address, length;
    bool operator<(const Range& other) const {
      return address != other.address ? address < other.address : length < other.length;
    }
    [[nodiscard]] bool holds(std::uint64_t at, std::uint64_t size) const {
      return at >= address && size <= length && at - address <= length - size;
    }
  };
  struct List {
    Range range;
    bool source;
    bool operator<(const List& other) const {
      return source != other.source ? source < other.source : range < other.range;
    }
  };
  using Ranges = std::set<Range>;
  static bool holds(const Ranges& ranges, std::uint64_t at, std::uint64_t size) {
    return std::any_of(ranges.begin(), ranges.end(), [=](const Range& range) { return range.holds(at, size); });
  }
  Time latency() override { return Time(static_cast<std::int64_t>(random_.below(200'000))); }

  bool allow(bool write, std::uint64_t at, std::uint64_t length) override {
    bool named = write ? holds(completions_, at, length) || holds(writable_, at, length) : holds(readable_, at, length);
    if (!write && holds(jobs_, at, length)) {
      named = true;
      for (std::uint64_t job = at; job + sizeof(AccelJob) <= std::min(at + length, kSize); job += sizeof(AccelJob)) {
        name_job(get<AccelJob>(job));
      }
    }
    if (!write) {
      for (const List& list : lists_) {
        if (!list.range.holds(at, length)) continue;
        named = true;
        name_list(list);
      }
    }
    if (!named) violations.push_back(fmt::format("{} of {} octets at {:#x}", write ? "write" : "read", length, at));
    return !(at < bad_end && at + length > bad_begin);
  }
  void name_job(const AccelJob& job) {
    name_data(job.source, job.source_length, job.source_segments, true);
    name_data(job.destination, job.destination_length, job.destination_segments, false);
  }
  void name_data(std::uint64_t address, std::uint32_t length, unsigned segments, bool source) {
    if (segments == 0) {
      (source ? readable_ : writable_).insert({address, length});
    } else {
      lists_.insert({{address, segments * sizeof(AccelSegment)}, source});
    }
  }
  // The whole list is read at one instant.
  void name_list(const List& list) {
    for (std::uint64_t at = list.range.address; at + 16 <= std::min(list.range.address + list.range.length, kSize);
         at += 16) {
      const auto segment = get<AccelSegment>(at);
      (list.source ? readable_ : writable_).insert({segment.address, segment.length});
    }
  }
  Random& random_;
  Ranges jobs_, completions_, readable_, writable_;
  std::set<List> lists_;
};

class Fuzz {
 public:
  Fuzz(Subject subject, std::uint64_t seed)
      : random_(seed, "fuzz"),
        opcodes_(std::move(subject.opcodes)),
        shape_(std::move(subject.shape)),
        context_(run_.simulation, "accel", Fidelity::kApproximate),
        accelerator_(context_, config(), std::move(subject.parts)),
        memory_(random_) {
    accelerator_.dma_socket.bind(memory_.socket);
    core_.socket.bind(accelerator_.bus());
  }

  /// Runs rounds of fuzzing until so many jobs were taken, or for DPUSIM_FUZZ_SECONDS of the host's time if that is
  /// set.
  void run(double jobs) {
    const char* const seconds = std::getenv("DPUSIM_FUZZ_SECONDS");  // NOLINT(concurrency-mt-unsafe): no threads here
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::seconds(seconds != nullptr ? std::atoll(seconds) : 0);
    while (seconds != nullptr ? std::chrono::steady_clock::now() < end : run_.stat("accel.jobs") < jobs) {
      INFO("round " << rounds_ << ", " << run_.stat("accel.jobs") << " jobs");
      round();
      REQUIRE(memory_.violations == std::vector<std::string>{});
      REQUIRE(run_.simulation.stats().broken_laws(now()) == std::vector<std::string>{});
      ++rounds_;
    }
  }
  /// Returns how many jobs ended with a status, by the name of the statistic.
  double jobs(const std::string& outcome) { return run_.stat("accel." + outcome); }

 private:
  static constexpr std::uint64_t kCq = 0x1000, kSq = 0x4000, kLists = 0x8000, kSource = 0x10000, kDestination = 0x20000;

  static AccelConfig config() {
    AccelConfig config;
    config.queues = config.completion_queues = 4;
    config.engines = 3;
    config.overlap = 2;
    config.burst = 256_B;
    config.outstanding = 3;
    config.read_ahead = 5;
    config.prefetch = 7;
    return config;
  }

  // Software sets up, does much that is right and something that is not, and resets.
  void round() {
    core_.write32(regs::kCONTROL_offset, regs::kCONTROL_RESET_mask);
    memory_.clear();
    memory_.bad_begin = memory_.bad_end = 0;
    for (std::uint64_t at = kSource; at < kDestination; at += 8) memory_.put(at, random_());
    std::fill(&memory_.octets[kCq], &memory_.octets[kSq], std::uint8_t{0});
    for (unsigned queue = 0; queue < 4; ++queue) {
      tail_[queue] = seen_[queue] = 0;
      log2_[queue] = static_cast<unsigned>(random_.below(5));
      start(queue);
    }
    core_.write32(regs::kCONTROL_offset, 1);
    for (unsigned i = 0; i < 8; ++i) load_key();
    if (random_.below(4) == 0) {
      memory_.bad_begin = kSource + random_.below(kDestination);
      memory_.bad_end = memory_.bad_begin + random_.below(5000);
    }
    const bool wild = random_.below(3) == 0;
    for (std::uint64_t steps = 5 + random_.below(60); steps > 0; --steps) {
      step(wild);
      sc_core::sc_start(to_sc(Time(static_cast<std::int64_t>(1 + random_.below(2'000'000)))));
    }
    for (unsigned i = 0; i < 200 && accelerator_.engine().busy(); ++i) sc_core::sc_start(to_sc(1_ms));
    REQUIRE_FALSE(accelerator_.engine().busy());
  }

  void start(unsigned queue) {
    bring_up(core_, queue, kCq + queue * 0x400, kSq + queue * 0x400, log2_[queue]);
    name_rings(queue);
  }
  void name_rings(unsigned queue) {
    const std::uint32_t jobs = core_.read32(at(regs::kSQ_CONFIG_offset, queue));
    const std::uint32_t completions = core_.read32(at(regs::kCQ_CONFIG_offset, queue));
    memory_.name_ring(core_.read64(at(regs::kSQ_BASE_offset, queue, 8)), 64ULL << (jobs & 15), true);
    memory_.name_ring(core_.read64(at(regs::kCQ_BASE_offset, queue, 8)), 32ULL << (completions & 15), false);
  }

  void step(bool wild) {
    const auto queue = static_cast<unsigned>(random_.below(4));
    switch (random_.below(wild ? 10 : 7)) {
      case 0:
        return load_key();
      case 1:
      case 2:
        return consume(queue);
      default:
        return post(queue);
      case 7:
        return write_register();
      case 8:
        core_.write32(at(random_.below(2) == 0 ? regs::kSQ_CONFIG_offset : regs::kCQ_CONFIG_offset, queue), 0);
        if (random_.below(2) == 0) {
          tail_[queue] = seen_[queue] = 0;
          start(queue);
        }
        return;
      case 9:
        return core_.write32(at(random_.below(2) == 0 ? regs::kSQ_TAIL_offset : regs::kCQ_HEAD_offset, queue),
                             static_cast<std::uint32_t>(random_.below(random_.below(2) == 0 ? 20 : 70'000)));
    }
  }

  // Any register but the whole device's, any value.
  void write_register() {
    const std::uint64_t pages[] = {0x000, 0x100, 0x1000, 0x2000};
    std::uint64_t value = random_() >> random_.below(64);
    const std::uint64_t offset = pages[random_.below(4)] + random_.below(0x80) * 4;
    if (offset == regs::kCONTROL_offset) value = 1;
    core_.access(true, offset, &value, random_.below(2) == 0 ? 4 : 8);
    for (unsigned queue = 0; queue < 4; ++queue) name_rings(queue);
  }

  void load_key() {
    for (unsigned i = 0; i < 16; ++i)
      core_.write32(at(regs::kKEY_DATA_offset, i), static_cast<std::uint32_t>(random_()));
    core_.write32(regs::kKEY_INDEX_offset, static_cast<std::uint32_t>(random_.below(5)));
    const std::uint32_t command = random_.below(8) == 0 ? 2 : 1;
    core_.write32(regs::kKEY_COMMAND_offset,
                  static_cast<std::uint32_t>(command | random_.below(7) << 8 | random_.below(66) << 16));
  }

  // Software looks at what is new and makes room, now and then asking for an interrupt.
  void consume(unsigned queue) {
    const auto written = static_cast<std::uint16_t>(core_.read32(at(regs::kCQ_TAIL_offset, queue)));
    seen_[queue] = written;
    core_.write32(at(random_.below(2) == 0 ? regs::kCQ_HEAD_offset : regs::kCQ_ARM_offset, queue), written);
  }

  void post(unsigned queue) {
    const auto head = static_cast<std::uint16_t>(core_.read32(at(regs::kSQ_HEAD_offset, queue)));
    const std::uint32_t size = 1U << log2_[queue];
    for (std::uint64_t n = 1 + random_.below(4); n > 0; --n) {
      if (static_cast<std::uint16_t>(tail_[queue] - head) >= size) break;
      memory_.put(kSq + queue * 0x400 + (tail_[queue] & (size - 1)) * 64ULL, make_job());
      ++tail_[queue];
    }
    core_.write32(at(regs::kSQ_TAIL_offset, queue), tail_[queue]);
  }

  std::uint64_t address(std::uint64_t usual) {
    switch (random_.below(12)) {
      case 0:
        return random_() >> random_.below(64);  // anywhere, rings too
      case 1:
        return Guard::kSize - random_.below(64);  // at the end of memory
      case 2:
        return ~random_.below(64);  // at the end of the address space
      default:
        return usual + random_.below(0xf000);
    }
  }
  std::uint32_t length() {
    switch (random_.below(200)) {
      case 0:
      case 3:
        return static_cast<std::uint32_t>(random_() >> random_.below(32));
      case 1:
        return static_cast<std::uint32_t>(ACCEL_MAX_JOB + random_.below(2));
      case 2:
      case 4:
      case 5:
      case 6:
        return 0;
      default:
        return static_cast<std::uint32_t>(random_.below(random_.below(4) == 0 ? 4000 : 200));
    }
  }

  AccelJob make_job() {
    AccelJob job{};
    job.opcode =
        random_.below(20) == 0 ? static_cast<std::uint8_t>(random_()) : opcodes_[random_.below(opcodes_.size())];
    job.cookie = static_cast<std::uint32_t>(random_());
    job.source = address(kSource);
    job.destination = address(kDestination);
    job.source_length = length();
    job.destination_length =
        random_.below(2) == 0 ? length() : static_cast<std::uint32_t>(job.source_length + random_.below(40));
    const bool inside = job.source <= Guard::kSize && job.source_length <= Guard::kSize - job.source;
    if (shape_ && inside && job.source >= kSource) {
      shape_(random_, job, std::span(memory_.octets).subspan(job.source, job.source_length));
    }
    if (random_.below(3) == 0) job.source_segments = scatter(job.source, job.source_length);
    if (random_.below(3) == 0) job.destination_segments = scatter(job.destination, job.destination_length);
    for (std::uint64_t n = random_.below(8) == 0 ? 1 + random_.below(3) : 0; n > 0; --n) {
      const std::uint64_t octet = random_.below(sizeof job);
      reinterpret_cast<std::uint8_t*>(&job)[octet] ^= static_cast<std::uint8_t>(1U << random_.below(8));
    }
    return job;
  }

  // Makes a list of what lies at `address`, right for the most part. @return the number of segments.
  std::uint16_t scatter(std::uint64_t& where, std::uint32_t octets) {
    if (random_.below(30) == 0) return static_cast<std::uint16_t>(random_());
    const std::uint64_t list = kLists + random_.below(0x7000) / (random_.below(4) == 0 ? 1 : 16) * 16 % 0x7000;
    std::uint64_t from = where;
    std::uint16_t count = 0;
    while (octets > 0 && count < 20) {
      const std::uint32_t part = count == 19 ? octets : static_cast<std::uint32_t>(1 + random_.below(octets));
      AccelSegment segment{from, part, 0};
      if (random_.below(200) == 0) segment.length = static_cast<std::uint32_t>(random_());
      if (random_.below(200) == 0) segment.reserved = 1;
      if (random_.below(50) == 0) segment.address = address(kDestination);
      memory_.put(list + 16ULL * count++, segment);
      from += part;
      octets -= part;
    }
    if (count > 0) where = list;
    return count;
  }

  Random random_;
  std::vector<std::uint8_t> opcodes_;
  std::function<void(Random&, AccelJob&, std::span<std::uint8_t>)> shape_;
  Run run_;
  BlockContext context_;
  Accelerator accelerator_;
  Guard memory_;
  Core core_{"core"};
  std::array<std::uint16_t, 4> tail_{}, seen_{};
  std::array<unsigned, 4> log2_{};
  std::uint64_t rounds_ = 0;
};

}  // namespace fuzz_bench
