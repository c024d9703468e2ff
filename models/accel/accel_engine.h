// The engine room of an accelerator: queues, engines, memory accesses and completions on a calendar of its own. No
// SystemC.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <span>
#include <vector>

#include "accel/accel_config.h"
#include "accel/accel_stats.h"
#include "accel/function.h"
#include "accel/job_ring.h"
#include "accel/job_slot.h"
#include "accel/timing.h"
#include "sim/simulation.h"

namespace dpusim::accel {

/// What the engine room needs of the world around it.
class AccelEnvironment {
 public:
  struct DmaResult {
    Time done;  ///< when memory has answered
    bool ok;    ///< false: memory answered with an error
  };
  virtual ~AccelEnvironment() = default;
  /// Makes one memory access, issued at `when`.
  virtual DmaResult dma(bool write, std::uint64_t address, std::span<std::uint8_t> data, Time when) = 0;
  /// Tells that completion queue `queue` raises its interrupt.
  virtual void interrupt(unsigned queue) = 0;
};

/// Accesses of one kind that an engine has under way: a new one takes the oldest one's place.
class AccessWindow {
 public:
  explicit AccessWindow(unsigned most) : free_(most, Time(0)) {}
  /// Returns the earliest time from `from` on at which the next access can be issued.
  [[nodiscard]] Time ready(Time from) const { return from > free_[next_] ? from : free_[next_]; }
  /// Notes an access that holds its place until `until`.
  void issue(Time when, Time until) {
    if (until > when) held_ += until - when;
    free_[next_] = until;
    if (++next_ == free_.size()) next_ = 0;
  }
  void reset() { std::fill(free_.begin(), free_.end(), Time(0)); }
  [[nodiscard]] Time held() const { return held_; }

 private:
  std::vector<Time> free_;
  std::size_t next_ = 0;
  Time held_{0};
};

/// Serves the queues. The owner calls run(t) whenever time has reached next_due(); between, registers call in with
/// times not before the last run.
///
/// A job is taken by the engine that holds fewest, in turn over the queues. An engine reads its jobs' sources, works
/// and writes in order; while it works for one job it reads the next ones' data and writes the last ones'. Work on
/// octets starts when they have arrived and what came before is done.
class AccelEngine {
 public:
  AccelEngine(const AccelConfig& config, const BlockContext& context, AccelEnvironment& environment, Function& function,
              const Timing& timing);

  /// Does everything due until `until`, in order of time.
  void run(Time until);
  /// Returns when run() is needed next; kTimeMax for never.
  [[nodiscard]] Time next_due() const { return calendar_.empty() ? kTimeMax : calendar_.top().when; }

  void set_enabled(bool enabled, Time when);
  /// Starts or stops a queue with the values that its registers hold. A value out of range leaves it in error.
  void enable_submission(unsigned queue, std::uint64_t base, unsigned log2, unsigned completion_queue);
  void enable_completion(unsigned queue, std::uint64_t base, unsigned log2);
  void disable_submission(unsigned queue);
  void disable_completion(unsigned queue, Time when);
  /// Doorbells, with the counters that software wrote.
  void post(unsigned queue, std::uint16_t tail, Time when);
  void consume(unsigned queue, std::uint16_t head, Time when);
  void arm(unsigned queue, std::uint16_t head, Time when);
  void set_moderation(unsigned queue, std::uint32_t count, Time time);
  /// Turns everything off and forgets jobs. Accesses under way are memory's to finish.
  void reset(Time when);

  [[nodiscard]] const JobRing& submission_ring(unsigned queue) const { return submission_[queue]; }
  [[nodiscard]] const CompletionRing& completion_ring(unsigned queue) const { return completion_[queue]; }
  [[nodiscard]] const AccelStats& stats() const { return stats_; }
  [[nodiscard]] bool busy() const { return stats_.held.value() != 0; }

 private:
  enum class Event : std::uint8_t { kFetch, kDispatch, kRead, kWrite, kDone, kInterrupt };
  struct Due {
    Time when;
    std::uint64_t order;  // of scheduling: ties are served first come, first served
    Event event;
    std::uint8_t number;  // of the queue or engine
    bool operator>(const Due& other) const { return when != other.when ? when > other.when : order > other.order; }
  };
  // An engine. Its jobs are numbered by running counters: those below `retired` are done, those below `written` have
  // issued all writes, those below `read` have issued all reads, those below `taken` were dispatched.
  struct Engine {
    explicit Engine(const AccelConfig& config)
        : slots(config.overlap + 1), reads(config.outstanding), writes(config.outstanding), input(config.read_ahead) {}
    [[nodiscard]] JobSlot& slot(std::uint32_t number) { return slots[number % slots.size()]; }
    [[nodiscard]] std::uint32_t held() const { return taken - retired; }
    std::vector<JobSlot> slots;
    std::uint32_t taken = 0, read = 0, written = 0, retired = 0;
    AccessWindow reads, writes, input;  // input: source read and not yet worked on
    SegmentWalk::Piece piece{0, 0};     // the next write; no octets: not known yet
    bool writing = false;               // its event is scheduled
    Time free{0};                       // when it has done all work that it knows of
    Time busy{0};                       // sum of work
    Time last_done{0};
  };

  void schedule(Event event, unsigned number, Time when);
  void handle(const Due& due);
  /// Makes an access of any length. @return when all is done; `ok` false when memory answered any part with an error.
  Time access(bool write, std::uint64_t address, std::span<std::uint8_t> data, bool& ok);
  AccelEnvironment::DmaResult access_once(bool write, std::uint64_t address, std::span<std::uint8_t> data);
  void add_utilisation(const std::string& name, const std::string& what, std::function<double(Time)> busy);

  // queues (accel_engine.cpp)
  void forget(unsigned queue);
  void fail(unsigned queue, std::uint8_t reason);
  void fetch(unsigned queue);
  void dispatch();
  [[nodiscard]] unsigned least_loaded() const;
  [[nodiscard]] unsigned next_queue();

  // jobs (accel_jobs.cpp)
  void take(unsigned engine, unsigned queue);
  [[nodiscard]] std::uint8_t check(const AccelJob& job) const;
  std::uint8_t read_lists(JobSlot& slot);
  std::uint8_t read_list(SegmentWalk& walk, std::uint64_t address, unsigned count, std::uint32_t length,
                         std::uint8_t beyond, JobSlot& slot);
  void schedule_read(unsigned engine);
  void read(unsigned engine);
  void prepare(JobSlot& slot) const;
  /// Lets an engine work until it has taken `in` octets of a job in and given `out` octets out, from when it is free
  /// on.
  void work(Engine& engine, JobSlot& slot, std::uint64_t in, std::uint64_t out);
  void finish_reading(unsigned engine);
  void schedule_write(unsigned engine);
  [[nodiscard]] Time available(JobSlot& slot, std::uint32_t octets) const;
  void write(unsigned engine);
  void finish_writing(unsigned engine);
  void retire(unsigned engine);

  // completions (accel_completion.cpp)
  void complete(const JobSlot& slot, unsigned engine);
  void consider_interrupt(unsigned queue, Time when);
  void raise_interrupt(unsigned queue, Time when);
  void fail_completion_queue(unsigned queue, std::uint8_t reason, Time when);

  const AccelConfig config_;
  const BlockContext& context_;
  AccelEnvironment& environment_;
  Function& function_;
  const Timing& timing_;
  const bool timed_;
  const Time setup_, doorbell_latency_, interrupt_latency_;
  AccelStats stats_;
  bool enabled_ = false;
  std::vector<JobRing> submission_;
  std::vector<CompletionRing> completion_;
  std::vector<Engine> engines_;
  std::deque<Formula> utilisation_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> calendar_;
  std::uint64_t order_ = 0;
  Time now_{0};               // of what is being done, or was last
  std::uint32_t active_ = 0;  // bit a queue that has descriptors fetched
  unsigned last_served_;
};

}  // namespace dpusim::accel
