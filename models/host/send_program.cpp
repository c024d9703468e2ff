#include "host/send_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "tlm/frame.h"

namespace dpusim::host {

const ConfigTable<SendConfig>& SendConfig::table() {
  using namespace literals;
  static const ConfigTable<SendConfig> table(
      "Program send",
      {field("type", &SendConfig::type, "\"send\""), field("name", &SendConfig::name, "Name of its statistics"),
       field("start", &SendConfig::start, between(0_ps, 1'000_s),
             "When it starts; not before the host has enumerated its devices"),
       field("device", &SendConfig::device, "Where the NIC is"),
       field("port", &SendConfig::port, between(0U, 3U), "Port of the NIC that frames leave by"),
       field("queue", &SendConfig::queue, between(kAnyQueue, 31), "Transmit queue of the NIC; -1: any that is free"),
       field("count", &SendConfig::count, between(std::uint64_t{1}, std::uint64_t{1} << 62), "Frames to send"),
       field("size", &SendConfig::size, between(64_B, 16'383_B), "Of a frame, FCS included"),
       field("rate", &SendConfig::rate, between(0_Gbps, 1'000_Gbps),
             "Of frames with preamble and gap; 0: as fast as it can"),
       field("flows", &SendConfig::flows, between(1U, 60'000U), "UDP flows that frames take turns in"),
       field("ring", &SendConfig::ring, power_of_two(2U, 32'768U), "Descriptors and buffers of the queue"),
       field("batch", &SendConfig::batch, between(1U, 4096U),
             "Most frames posted with one doorbell; at most half of the ring counts"),
       field("frame_cycles", &SendConfig::frame_cycles, between(0U, 1'000'000'000U),
             "Work on a frame, application and driver"),
       field("poll", &SendConfig::poll, between(1U, 1'000'000U), "One look at an empty completion ring")});
  return table;
}

SendProgram::SendProgram(HostServices& host, StatGroup& stats, const SendConfig& config, std::string who)
    : Program(host, stats, std::move(who)),
      config_(config),
      frame_(static_cast<std::uint32_t>(config.size.count()), 0x646e6573),  // "send"
      posted_at_(config.ring),
      frames_(stats, "frames", "frames", "Frames that the NIC reports as sent"),
      octets_(stats, "octets", "octets", "Octets of these, without FCS"),
      errors_(stats, "errors", "frames", "Frames that completed with an error status"),
      doorbells_(stats, "doorbells", "batches", "Batches of frames posted"),
      latency_(stats, "latency", "ps",
               "Descriptor written to first bit of the frame on the wire, of the last frame of each batch") {}

void SendProgram::prepare() {
  thread_ = host().take_threads(1, who()).front();
  add_utilisation(0, *thread_);
  nic_ = &host().find_nic(config_.device, who());
  nic_->check_port(config_.port, who());
  const unsigned number = nic_->take(NicDevice::kTransmit, 1, chosen(config_.queue), who());
  frame_cost_ = thread_->timing().cycles(config_.frame_cycles);
  const unsigned completions = nic_->take(NicDevice::kCompletion, 1, std::nullopt, who());
  queue_ = std::make_unique<NicTransmitQueue>(host(), *nic_, *thread_, number, completions, config_.port, config_.ring,
                                              (frame_.size() + 63) / 64 * 64, who());
}

// Frames keep their places in time however late one is.
Time SendProgram::due(std::uint64_t frame) const {
  if (config_.rate == BitRate(0) || thread_->timing().functional) return first_;
  const Bytes wire = config_.size + kPreambleAndSfd + kInterPacketGap;
  return first_ + Time(mul_div(wire.count() * 8 * frame, kPicosecondsPerSecond, config_.rate.count()));
}

unsigned SendProgram::frames_due(unsigned most) const {
  const std::uint64_t left = config_.count - posted_;
  most = static_cast<unsigned>(std::min<std::uint64_t>({most, queue_->room(), left}));
  unsigned n = 0;
  while (n < most && due(posted_ + n) <= thread_->time()) ++n;
  return n;
}

void SendProgram::post_frame(bool last_of_batch) {
  const unsigned entry = queue_->next() & (config_.ring - 1);
  const std::uint64_t address = queue_->next_buffer();
  const auto buffer = host().memory.at(address, frame_.size());
  const auto flow = static_cast<std::uint16_t>(posted_ % config_.flows);
  if (posted_ < config_.ring) {
    frame_.write(buffer, flow, posted_);
  } else {
    frame_.renew(buffer, flow, posted_);
  }
  thread_->spend(frame_cost_);
  queue_->post(address, frame_.size(), entry,
               NIC_TX_L4_CHECKSUM | (last_of_batch ? std::uint32_t{NIC_TX_COMPLETION} : 0U), 0);
  posted_at_[entry] = thread_->time();
  ++posted_;
}

void SendProgram::reap() {
  const unsigned room = queue_->room();
  const std::optional<NicCompletion> found = queue_->reap();
  host().simulation.note_work(thread_->time());
  if (!found) return note_bad_completion();
  const NicCompletion& entry = *found;
  const unsigned freed = queue_->room() - room;
  const bool failed = entry.status != NIC_STATUS_OK;
  const unsigned sent = failed ? freed - 1 : freed;
  completed_ += freed;
  if (failed && errors_.value() == 0) first_error_ = entry.status;
  errors_ += failed ? 1 : 0;
  frames_ += sent;
  octets_ += std::uint64_t{sent} * frame_.size();
  const Time posted = posted_at_[entry.cookie];
  if (!failed && entry.timestamp != 0 && is_between(entry.timestamp, posted, thread_->time()))
    latency_.record(Time(static_cast<std::int64_t>(entry.timestamp)) - posted);
}

std::optional<std::string> SendProgram::trouble() const {
  if (errors_.value() == 0) return std::nullopt;
  return fmt::format("{} of {} frames failed, first with status {} ({})", errors_.value(), completed_, first_error_,
                     nic_status_name(first_error_));
}

Task SendProgram::run(Time from) {
  HostThread& thread = *thread_;
  const unsigned batch = std::min(config_.batch, (config_.ring + 1) / 2);
  const Time poll = thread.timing().cycles(config_.poll);
  co_await thread.idle(std::max(from, config_.start), HostThread::WakeBy::kMemory);
  co_await queue_->start();
  co_await nic_->enable(thread);
  first_ = thread.time();
  while (!done()) {
    co_await thread.sync();
    while (queue_->completions().available(thread.time(), 1) > 0) reap();
    const unsigned ready = frames_due(batch);
    for (unsigned i = 0; i < ready; ++i) post_frame(i + 1 == ready);
    if (ready > 0) ++doorbells_;
    co_await queue_->ring_doorbell();
    if (ready > 0 || done()) continue;
    const bool waits_for_time = posted_ < config_.count && queue_->room() > 0;
    const Time next = waits_for_time ? due(posted_) : kTimeMax;
    co_await thread.idle(std::min(next, queue_->completions().next_visible()), HostThread::WakeBy::kMemory, poll);
  }
}

}  // namespace dpusim::host
