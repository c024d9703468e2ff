#include "host/dma_program.h"

#include <fmt/format.h>

#include <bit>

#include "accel/accel_regs.h"

namespace dpusim::host {
namespace {

// The ring is twice as long as jobs are under way, so that a late one seldom holds the next round back.
unsigned ring_log2(unsigned depth) { return static_cast<unsigned>(std::bit_width(std::bit_ceil(depth))); }

constexpr std::uint64_t kAlignment = 4096;  // of the first buffer: what `alignment` counts from

// Names of ACCEL_STATUS_* that a job can have.
const char* status_name(unsigned status) {
  static constexpr const char* kNames[] = {"OK",
                                           "BAD_OPCODE",
                                           "BAD_LENGTH",
                                           "BAD_FLAGS",
                                           "BAD_KEY",
                                           "BAD_SEGMENTS",
                                           "SOURCE_BUS_ERROR",
                                           "DESTINATION_BUS_ERROR",
                                           "DESCRIPTOR_BUS_ERROR",
                                           "OUTPUT_FULL",
                                           "CORRUPT_INPUT",
                                           "AUTHENTICATION",
                                           "STREAM",
                                           "LIMIT"};
  static_assert(std::size(kNames) == ACCEL_STATUS_LIMIT + 1);
  return status < std::size(kNames) ? kNames[status] : "unknown";
}

}  // namespace

const ConfigTable<DmaProgramConfig>& DmaProgramConfig::table() {
  using namespace literals;
  using C = DmaProgramConfig;
  static const ConfigTable<C> table(
      "Program dma",
      {field("type", &C::type, "\"dma\""), field("name", &C::name, "Name of its statistics"),
       field("start", &C::start, between(0_ps, 1'000_s),
             "When it starts; not before the host has enumerated its devices"),
       field("device", &C::device, "Where the accelerator is"),
       field("queue", &C::queue, between(0U, ACCEL_MAX_QUEUES - 1U), "Submission queue, and completion queue"),
       field(
           "direction", &C::direction,
           one_of(
               {{"to_host", DmaDirection::kToHost}, {"to_card", DmaDirection::kToCard}, {"both", DmaDirection::kBoth}}),
           "Way of the octets: the card writes host memory, reads it, or does both in turn"),
       field("count", &C::count, between(std::uint64_t{1}, std::uint64_t{1} << 62U), "Jobs"),
       field("size", &C::size, between(1_B, Bytes(ACCEL_MAX_JOB)), "Octets of a job"),
       field("depth", &C::depth, between(1U, 4096U), "Jobs under way"),
       field("window", &C::window, "Host memory that jobs go through; 0: as many buffers as jobs are under way"),
       field("alignment", &C::alignment, between(0_B, 4095_B), "Offset of each host buffer from a multiple of 64"),
       field("card_buffer", &C::card_buffer, "Address on the card of the other buffer, of size octets"),
       field("job_cycles", &C::job_cycles, between(0U, 1'000'000'000U), "Work on a job, application and driver"),
       field("poll", &C::poll, between(1U, 1'000'000U), "One look at an empty completion ring")});
  return table;
}

DmaProgram::DmaProgram(HostServices& host, StatGroup& stats, const DmaProgramConfig& config, std::string who)
    : Program(host, stats, std::move(who)),
      config_(config),
      log2_(ring_log2(config.depth)),
      jobs_(std::size_t{1} << log2_),
      jobs_done_(stats, "jobs", "jobs", "Jobs done"),
      failed_(stats, "failed", "jobs", "Jobs that completed with an error status"),
      to_host_(stats, "octets_to_host", "octets", "Octets that jobs wrote into host memory"),
      to_card_(stats, "octets_to_card", "octets", "Octets that jobs read from host memory"),
      latency_(stats, "latency", "ps", "Job written to completion seen"),
      bandwidth_(stats, "bandwidth", "b/s",
                 "Octets of jobs done, from the first job written to the last completion seen",
                 [this](Time) { return bandwidth(); }) {}

double DmaProgram::bandwidth() const {
  if (last_ <= first_) return 0;
  const auto octets = static_cast<double>(to_host_.value() + to_card_.value());
  return octets * 8 * static_cast<double>(kPicosecondsPerSecond) / static_cast<double>((last_ - first_).count());
}

void DmaProgram::prepare() {
  thread_ = host().take_threads(1, who()).front();
  add_utilisation(0, *thread_);
  job_cost_ = thread_->timing().cycles(config_.job_cycles);
  device_ = host().find_device(config_.device, accel_regs::kSize, who());
  function_ = &host().find_function(config_.device, who());
  const auto id = host().read_now<std::uint32_t>(device_ + accel_regs::kID_offset);
  const auto capability = host().read_now<std::uint32_t>(device_ + accel_regs::kCAPABILITY_offset);
  if (id >> 8U != 0x414343 || (capability & accel_regs::kCAPABILITY_TYPE_mask) != ACCEL_TYPE_DMA)
    throw ConfigError(who() + ".device", fmt::format("a device whose ID register reads {:#010x}", id),
                      "an accelerator of type \"dma\"");
  const std::uint32_t queues = std::min(capability >> accel_regs::kCAPABILITY_QUEUES_shift & 0xff,
                                        capability >> accel_regs::kCAPABILITY_COMPLETION_QUEUES_shift & 0xff);
  if (config_.queue >= queues)
    throw ConfigError(who() + ".queue", fmt::format("{}", config_.queue), fmt::format("one of {} queues", queues));
  host().take_queue(device_, config_.queue, who());
  completions_ = std::make_unique<CompletionRing>(host(), log2_, *thread_, who());
  ring_ = host().allocator.take(sizeof(AccelJob) << log2_, 64, who());
  const std::uint64_t stride = (config_.size.count() + config_.alignment.count() + 63) / 64 * 64;
  buffer_count_ = std::max<std::uint64_t>(config_.window.count() / stride, config_.depth);
  if (buffer_count_ > host().memory.size() / stride)
    throw ConfigError(who() + ".window", fmt::format("{} buffers of {} octets", buffer_count_, stride),
                      "less than memory_size");
  buffers_ = host().allocator.take(buffer_count_ * stride, kAlignment, who()) + config_.alignment.count();
}

Task DmaProgram::start() {
  using namespace accel_regs;
  HostThread& thread = *thread_;
  const PcieFunction::Window& window = function_->window;
  const std::uint32_t enable = log2_ | static_cast<std::uint32_t>(kSQ_CONFIG_ENABLE_mask);
  co_await thread.write(at(kCQ_BASE_offset, 8), window.card + completions_->base());
  co_await thread.write(at(kCQ_CONFIG_offset), enable);
  co_await thread.write(at(kSQ_BASE_offset, 8), window.card + ring_);
  co_await thread.write(at(kSQ_CONFIG_offset), enable | config_.queue << kSQ_CONFIG_CQ_shift);
  co_await thread.write(device_ + kCONTROL_offset, std::uint32_t{1});
}

Task DmaProgram::ring_doorbells() {
  using namespace accel_regs;
  if (announced_ != posted_) {
    announced_ = posted_;
    co_await thread_->write(at(kSQ_TAIL_offset), static_cast<std::uint32_t>(posted_ & 0xffff));
  }
  // Jobs under way fill half of the completion ring at most, so the accelerator's view may lag by the other half.
  if (static_cast<std::uint16_t>(completions_->head() - consumed_) < 1U << (log2_ - 1)) co_return;
  consumed_ = completions_->head();
  co_await thread_->write(at(kCQ_HEAD_offset), std::uint32_t{consumed_});
}

Task DmaProgram::run(Time from) {
  HostThread& thread = *thread_;
  const Time poll = thread.timing().cycles(config_.poll);
  co_await thread.idle(std::max(from, config_.start), HostThread::WakeBy::kMemory);
  co_await start();
  co_await thread.sync();
  first_ = thread.time();
  while (!done()) {
    co_await thread.sync();
    bool worked = false;
    for (; completions_->available(thread.time(), 1) > 0; worked = true) reap();
    for (; posted_ < config_.count && posted_ - completed_ < config_.depth &&
           !jobs_[posted_ & (jobs_.size() - 1)].under_way;
         worked = true)
      post();
    co_await ring_doorbells();
    if (worked) continue;
    co_await thread.idle(completions_->next_visible(), HostThread::WakeBy::kMemory, poll);
  }
}

void DmaProgram::post() {
  const std::uint64_t entry = posted_ & (jobs_.size() - 1);
  const std::uint64_t stride = (config_.size.count() + config_.alignment.count() + 63) / 64 * 64;
  const std::uint64_t buffer = function_->window.card + buffers_ + posted_ % buffer_count_ * stride;
  const bool to_host =
      config_.direction == DmaDirection::kToHost || (config_.direction == DmaDirection::kBoth && posted_ % 2 == 0);
  AccelJob job{};
  job.opcode = ACCEL_OP_COPY;
  job.cookie = static_cast<std::uint32_t>(entry);
  job.source = to_host ? config_.card_buffer.count() : buffer;
  job.destination = to_host ? buffer : config_.card_buffer.count();
  job.source_length = job.destination_length = static_cast<std::uint32_t>(config_.size.count());
  jobs_[entry] = {true, to_host, static_cast<std::uint16_t>(posted_), thread_->time()};
  thread_->spend(job_cost_);
  host().memory.store(ring_ + entry * sizeof job, job);
  ++posted_;
}

// The card can write anything into the ring.
bool DmaProgram::is_known(const AccelCompletion& entry) const {
  if (entry.cookie >= jobs_.size() || entry.queue != config_.queue || entry.produced > config_.size.count())
    return false;
  const Job& job = jobs_[entry.cookie];
  return job.under_way && job.index == entry.index;
}

std::optional<std::string> DmaProgram::trouble() const {
  if (failed_.value() == 0) return std::nullopt;
  return fmt::format("{} of {} jobs failed, first with status {} ({})", failed_.value(), completed_, first_failure_,
                     status_name(first_failure_));
}

void DmaProgram::reap() {
  const auto entry = completions_->take<AccelCompletion>();
  host().simulation.note_work(thread_->time());
  if (!is_known(entry)) return note_bad_completion();
  Job& job = jobs_[entry.cookie];
  job.under_way = false;
  ++completed_;
  last_ = thread_->time();
  if (entry.status != ACCEL_STATUS_OK) {
    if (failed_.value() == 0) first_failure_ = entry.status;
    ++failed_;
    return;
  }
  ++jobs_done_;
  (job.to_host ? to_host_ : to_card_) += entry.produced;
  latency_.record(last_ - job.posted);
}

}  // namespace dpusim::host
