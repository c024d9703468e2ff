#include "host/ping_pong_program.h"

#include <fmt/format.h>

namespace dpusim::host {

const ConfigTable<PingPongConfig>& PingPongConfig::table() {
  using namespace literals;
  static const ConfigTable<PingPongConfig> table(
      "Program ping_pong",
      {field("type", &PingPongConfig::type, "\"ping_pong\""),
       field("name", &PingPongConfig::name, "Name of its statistics"),
       field("start", &PingPongConfig::start, between(0_ps, 1'000_s),
             "When it starts; not before the host has enumerated its devices"),
       field("device", &PingPongConfig::device, "Where the NIC is"),
       field("port", &PingPongConfig::port, between(0U, 3U),
             "Port of the NIC that frames leave by and answers come to"),
       field("count", &PingPongConfig::count, between(std::uint64_t{1}, std::uint64_t{1} << 62), "Rounds"),
       field("size", &PingPongConfig::size, between(64_B, 16'383_B), "Of a frame, FCS included"),
       field("gap", &PingPongConfig::gap, between(0_ps, 1_s), "From an answer to the next frame"),
       field("timeout", &PingPongConfig::timeout, between(1_us, 10_s), "After which an answer is given up"),
       field("frame_cycles", &PingPongConfig::frame_cycles, between(0U, 1'000'000'000U),
             "Work to send a frame, and again to take the answer"),
       field("receive", &PingPongConfig::receive,
             "Its receive queue; the transmit queue has a ring of the same size")});
  return table;
}

PingPongProgram::PingPongProgram(HostServices& host, StatGroup& stats, const PingPongConfig& config, std::string who)
    : Program(host, stats, std::move(who)),
      config_(config),
      frame_(static_cast<std::uint32_t>(config.size.count()), 0x676e6970),  // "ping"
      answers_(stats, "answers", "frames", "Answers that came in time"),
      timeouts_(stats, "timeouts", "frames", "Answers given up"),
      strays_(stats, "strays", "frames", "Frames that were no answer, or came too late"),
      interrupts_(stats, "interrupts", "interrupts", "Interrupts handled"),
      round_trip_(stats, "round_trip", "ps", "From beginning to send a frame to having taken its answer") {}

void PingPongProgram::prepare() {
  thread_ = host().take_threads(1, who());
  add_utilisation(0, *thread_[0]);
  frame_cost_ = thread_[0]->timing().cycles(config_.frame_cycles);
  nic_ = &host().find_nic(config_.device, who());
  receive_ = make_receive_queues(host(), *nic_, config_.receive, config_.port, kAnyQueue, thread_, who());
  const unsigned number = nic_->take(NicDevice::kTransmit, 1, std::nullopt, who());
  const unsigned completions = nic_->take(NicDevice::kCompletion, 1, std::nullopt, who());
  send_ = std::make_unique<NicTransmitQueue>(host(), *nic_, *thread_[0], number, completions, config_.port,
                                             config_.receive.ring, (frame_.size() + 63) / 64 * 64, who());
}

Task PingPongProgram::run(Time from) {
  HostThread& thread = *thread_[0];
  NicReceiveQueue& in = *receive_[0];
  const Time poll = thread.timing().cycles(config_.receive.poll);
  const unsigned batch = std::min(config_.receive.batch, (in.entries() + 1) / 2);
  co_await thread.idle(std::max(from, config_.start), HostThread::WakeBy::kMemory);
  co_await send_->start();
  co_await start_receiving(*nic_, config_.port, receive_, thread_);
  for (; finished_ < config_.count; ++finished_) {
    co_await thread.sync();
    const Time begin = thread.time();
    send(finished_);
    co_await send_->ring_doorbell();
    bool answered = false;
    while (!answered && thread.time() < begin + config_.timeout) {
      co_await thread.sync();
      if (in.completions().available(thread.time(), 1) == 0) {
        if (in.interrupt_driven()) co_await in.arm();
        co_await in.wait(begin + config_.timeout, poll, interrupts_);
        continue;
      }
      answered = receive(finished_);
      if (answered) round_trip_.record(thread.time() - begin);
      if (in.unannounced() >= batch) co_await in.ring_doorbells();
    }
    if (!answered) ++timeouts_;
    host().simulation.note_work(thread.time());
    thread.rest(config_.gap);
  }
}

void PingPongProgram::send(std::uint64_t number) {
  while (send_->completions().available(thread_[0]->time(), 1) > 0) {
    if (!send_->reap()) note_bad_completion();
  }
  thread_[0]->spend(frame_cost_);
  if (send_->room() == 0) return;  // nothing leaves the NIC: the round times out
  frame_.write(host().memory.at(send_->next_buffer(), frame_.size()), 0, number);
  send_->post(send_->next_buffer(), frame_.size(), 0, NIC_TX_L4_CHECKSUM | NIC_TX_COMPLETION, 0);
}

bool PingPongProgram::receive(std::uint64_t number) {
  NicReceiveQueue& in = *receive_[0];
  const std::optional<NicCompletion> entry = in.take();
  thread_[0]->spend(frame_cost_);
  if (!entry) {
    note_bad_completion();
    return false;
  }
  const bool answer = entry->status == NIC_STATUS_OK &&
                      frame_.number_of(host().memory.at(in.buffer(entry->cookie), entry->length)) == number;
  ++(answer ? answers_ : strays_);
  in.post(entry->cookie);
  return answer;
}

std::optional<std::string> PingPongProgram::trouble() const {
  if (finished_ == 0 || timeouts_.value() < finished_) return std::nullopt;
  return fmt::format("all {} rounds timed out", finished_);
}

}  // namespace dpusim::host
