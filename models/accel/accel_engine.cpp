#include "accel/accel_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sim/error.h"

namespace dpusim::accel {

AccelEngine::AccelEngine(const AccelConfig& config, const BlockContext& context, AccelEnvironment& environment,
                         Function& function, const Timing& timing)
    : config_(config),
      context_(context),
      environment_(environment),
      function_(function),
      timing_(timing),
      timed_(context.fidelity != Fidelity::kFunctional),
      setup_(timed_ ? config.setup : Time(0)),
      doorbell_latency_(timed_ ? config.doorbell_latency : Time(0)),
      interrupt_latency_(timed_ ? config.interrupt_latency : Time(0)),
      stats_(context.stats, config.queues, config.completion_queues),
      submission_(config.queues),
      completion_(config.completion_queues),
      last_served_(config.queues - 1) {
  engines_.reserve(config.engines);
  for (unsigned i = 0; i < config.engines; ++i) {
    engines_.emplace_back(config);
    const Engine& engine = engines_.back();
    add_utilisation(fmt::format("engine{}_utilisation", i), fmt::format("engine {}", i), [&engine](Time now) {
      const Time ahead = engine.free > now ? engine.free - now : Time(0);
      return static_cast<double>((engine.busy - ahead).count());
    });
  }
  const auto slots = [this](AccessWindow Engine::*window) {
    return [this, window](Time) {
      Time held{0};
      for (const Engine& engine : engines_) held += (engine.*window).held();
      return static_cast<double>(held.count()) / (config_.engines * config_.outstanding);
    };
  };
  add_utilisation("read_slots_utilisation", "average slot for outstanding reads of data", slots(&Engine::reads));
  add_utilisation("write_slots_utilisation", "average slot for outstanding writes of data", slots(&Engine::writes));
}

void AccelEngine::add_utilisation(const std::string& name, const std::string& what, std::function<double(Time)> busy) {
  const auto ratio = [busy = std::move(busy)](Time now) {
    return now > Time(0) ? std::clamp(busy(now) / static_cast<double>(now.count()), 0.0, 1.0) : 0.0;
  };
  utilisation_.emplace_back(context_.stats, name, "ratio",
                            fmt::format("Fraction of the run in which the {} was in use", what), ratio,
                            FormulaKind::kTimeMean);
}

void AccelEngine::schedule(Event event, unsigned number, Time when) {
  calendar_.push({std::max(when, now_), order_++, event, static_cast<std::uint8_t>(number)});
}

void AccelEngine::run(Time until) {
  while (!calendar_.empty() && calendar_.top().when <= until) {
    const Due due = calendar_.top();
    calendar_.pop();
    now_ = due.when;
    handle(due);
  }
}

void AccelEngine::handle(const Due& due) {
  switch (due.event) {
    case Event::kFetch:
      submission_[due.number].fetch_scheduled = false;
      fetch(due.number);
      break;
    case Event::kDispatch:
      dispatch();
      break;
    case Event::kRead:
      read(due.number);
      break;
    case Event::kWrite:
      write(due.number);
      break;
    case Event::kDone:
      retire(due.number);
      break;
    case Event::kInterrupt:
      raise_interrupt(due.number, due.when);
      break;
  }
}

AccelEnvironment::DmaResult AccelEngine::access_once(bool write, std::uint64_t address, std::span<std::uint8_t> data) {
  ++(write ? stats_.dma_writes : stats_.dma_reads);
  (write ? stats_.dma_write_octets : stats_.dma_read_octets) += data.size();
  return environment_.dma(write, address, data, now_);
}

// Splits at multiples of the burst size, as AXI does not let a burst cross 4 KiB (Arm IHI 0022 A3.4.1).
Time AccelEngine::access(bool write, std::uint64_t address, std::span<std::uint8_t> data, bool& ok) {
  const std::uint64_t burst = config_.burst.count();
  Time done = now_;
  ok = true;
  while (!data.empty() && ok) {
    const std::size_t octets = std::min<std::uint64_t>(data.size(), burst - address % burst);
    const AccelEnvironment::DmaResult result = access_once(write, address, data.first(octets));
    done = std::max(done, result.done);
    ok = result.ok;
    data = data.subspan(octets);
    address += octets;
  }
  return done;
}

void AccelEngine::set_enabled(bool enabled, Time when) {
  enabled_ = enabled;
  if (enabled) schedule(Event::kDispatch, 0, when);
}

void AccelEngine::enable_submission(unsigned queue, std::uint64_t base, unsigned log2, unsigned completion_queue) {
  JobRing& ring = submission_[queue];
  forget(queue);
  ring.start(base, log2, static_cast<std::uint8_t>(completion_queue));
  if (base % 64 != 0 || base > UINT64_MAX - (sizeof(AccelJob) << log2) || completion_queue >= completion_.size()) {
    fail(queue, ACCEL_STATUS_BAD_CONFIGURATION);
  } else if (!completion_[completion_queue].ready()) {
    fail(queue, ACCEL_STATUS_CQ_ERROR);
  }
}

void AccelEngine::disable_submission(unsigned queue) {
  forget(queue);
  submission_[queue].stop(ACCEL_STATUS_OK);
}

// Takes the jobs that wait in a ring off the books.
void AccelEngine::forget(unsigned queue) {
  JobRing& ring = submission_[queue];
  stats_.forgotten += ring.posted();
  stats_.waiting.add(-std::int64_t{ring.posted()});
  ring.fetched = ring.tail = ring.head;
  active_ &= ~(1U << queue);
}

void AccelEngine::fail(unsigned queue, std::uint8_t reason) {
  forget(queue);
  submission_[queue].stop(reason);
  ++stats_.queue_errors;
  context_.log(LogLevel::kInfo, "submission queue {} is in error, reason {}", queue, reason);
}

void AccelEngine::post(unsigned queue, std::uint16_t tail, Time when) {
  JobRing& ring = submission_[queue];
  if (!ring.ready()) return;
  const auto more = static_cast<std::uint16_t>(tail - ring.tail);
  if (ring.posted() + std::uint32_t{more} > ring.size) return fail(queue, ACCEL_STATUS_BAD_DOORBELL);
  for (std::uint16_t counter = ring.tail; counter != tail; ++counter) ring.posted_at[ring.entry(counter)] = when;
  ring.tail = tail;
  stats_.posted += more;
  stats_.queue[queue].posted += more;
  stats_.waiting.add(more);
  if (ring.fetch_scheduled || ring.cached() > config_.prefetch / 2 || ring.unfetched() == 0) return;
  ring.fetch_scheduled = true;
  schedule(Event::kFetch, queue, when + doorbell_latency_);
}

// Reads descriptors ahead when half of the room for them is empty.
void AccelEngine::fetch(unsigned queue) {
  JobRing& ring = submission_[queue];
  while (ring.ready() && ring.cached() <= config_.prefetch / 2 && ring.unfetched() > 0) {
    const std::uint32_t count = ring.fetchable(config_.prefetch - ring.cached());
    std::array<AccelJob, kMaxPrefetch> jobs;
    bool ok = true;
    const Time done = access(false, ring.address(ring.fetched),
                             {reinterpret_cast<std::uint8_t*>(jobs.data()), count * sizeof(AccelJob)}, ok);
    if (!ok) return fail(queue, ACCEL_STATUS_DESCRIPTOR_BUS_ERROR);
    for (std::uint32_t i = 0; i < count; ++i) ring.at(ring.fetched++) = {jobs[i], done};
    active_ |= 1U << queue;
    schedule(Event::kDispatch, 0, done);
  }
}

unsigned AccelEngine::least_loaded() const {
  const auto best = std::min_element(engines_.begin(), engines_.end(),
                                     [](const Engine& a, const Engine& b) { return a.held() < b.held(); });
  return static_cast<unsigned>(best - engines_.begin());
}

// Returns the next queue in turn that has a job to give, or the number of queues.
unsigned AccelEngine::next_queue() {
  // Those behind the one last served, then the others.
  const std::uint32_t behind = active_ & ~((2U << last_served_) - 1);
  for (const std::uint32_t half : {behind, active_ & ~behind}) {
    for (std::uint32_t left = half; left != 0; left &= left - 1) {
      const auto queue = static_cast<unsigned>(std::countr_zero(left));
      JobRing& ring = submission_[queue];
      if (ring.at(ring.head).ready > now_) continue;
      const CompletionRing& completions = completion_[ring.completion_queue];
      if (!completions.ready()) {
        fail(queue, ACCEL_STATUS_CQ_ERROR);
      } else if (completions.has_room()) {
        return queue;
      } else if (!ring.waits_for_room) {
        ring.waits_for_room = true;
        ring.waits_since = now_;
        ++stats_.completion_stalls;
      }
    }
  }
  return config_.queues;
}

void AccelEngine::dispatch() {
  while (enabled_ && active_ != 0) {
    const unsigned engine = least_loaded();
    if (engines_[engine].held() > config_.overlap) return;
    const unsigned queue = next_queue();
    if (queue == config_.queues) return;
    last_served_ = queue;
    take(engine, queue);
    fetch(queue);
  }
}

void AccelEngine::reset(Time when) {
  enabled_ = false;
  for (unsigned queue = 0; queue < config_.queues; ++queue) {
    forget(queue);
    JobRing& ring = submission_[queue];
    ring.stop(ACCEL_STATUS_OK);
    ring.head = ring.fetched = ring.tail = 0;
    ring.completed = 0;
    ring.fetch_scheduled = false;
  }
  for (CompletionRing& ring : completion_) ring = CompletionRing{.round = ring.round + 1};
  for (Engine& engine : engines_) {
    stats_.jobs_reset += engine.held();
    stats_.held.add(-std::int64_t{engine.held()});
    engine.read = engine.written = engine.retired = engine.taken;
    if (engine.free > when) engine.busy -= engine.free - when;
    engine.free = engine.last_done = Time(0);
    engine.piece = {0, 0};
    engine.writing = false;
    engine.reads.reset();
    engine.writes.reset();
    engine.input.reset();
  }
  calendar_ = {};
  last_served_ = config_.queues - 1;
  function_.reset();
}

}  // namespace dpusim::accel
