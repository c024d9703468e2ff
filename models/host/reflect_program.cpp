#include "host/reflect_program.h"

#include "host/test_frame.h"

namespace dpusim::host {

const ConfigTable<ReflectConfig>& ReflectConfig::table() {
  using namespace literals;
  static const ConfigTable<ReflectConfig> table(
      "Program reflect",
      {field("type", &ReflectConfig::type, "\"reflect\""),
       field("name", &ReflectConfig::name, "Name of its statistics"),
       field("start", &ReflectConfig::start, between(0_ps, 1'000_s),
             "When it starts; not before the host has enumerated its devices"),
       field("device", &ReflectConfig::device, "Where the NIC is"),
       field("port", &ReflectConfig::port, between(0U, 3U), "Port of the NIC whose frames it sends back"),
       field("threads", &ReflectConfig::threads, between(1U, 32U),
             "Threads, each with a queue of each kind; RSS spreads frames over them"),
       field("first_queue", &ReflectConfig::first_queue, between(kAnyQueue, 31),
             "Its first receive queue of the NIC; -1: any that are free"),
       field("frame_cycles", &ReflectConfig::frame_cycles, between(0U, 1'000'000'000U),
             "Work on a frame, receiving and sending"),
       field("receive", &ReflectConfig::receive, "Its receive queues; transmit queues have rings of the same size")});
  return table;
}

ReflectProgram::ReflectProgram(HostServices& host, StatGroup& stats, const ReflectConfig& config, std::string who)
    : Program(host, stats, std::move(who)),
      config_(config),
      sending_(config.threads, std::vector<std::uint32_t>(config.receive.ring)),
      frames_(stats, "frames", "frames", "Frames handed back to the NIC"),
      octets_(stats, "octets", "octets", "Octets of these, without FCS"),
      errors_(stats, "errors", "frames", "Frames that came, or completed, with an error status"),
      dropped_(stats, "dropped", "frames",
               "Frames that the NIC counts as dropped at the program's queues, read after the run"),
      interrupts_(stats, "interrupts", "interrupts", "Interrupts handled") {}

void ReflectProgram::prepare() {
  threads_ = host().take_threads(config_.threads, who());
  for (unsigned i = 0; i < config_.threads; ++i) add_utilisation(i, *threads_[i]);
  frame_cost_ = threads_[0]->timing().cycles(config_.frame_cycles);
  nic_ = &host().find_nic(config_.device, who());
  receive_ = make_receive_queues(host(), *nic_, config_.receive, config_.port, config_.first_queue, threads_, who());
  const unsigned number = nic_->take(NicDevice::kTransmit, config_.threads, std::nullopt, who());
  const unsigned completions = nic_->take(NicDevice::kCompletion, config_.threads, std::nullopt, who());
  for (unsigned i = 0; i < config_.threads; ++i)
    send_.push_back(std::make_unique<NicTransmitQueue>(host(), *nic_, *threads_[i], number + i, completions + i,
                                                       config_.port, config_.receive.ring, 0, who()));
}

Task ReflectProgram::run(Time from) {
  co_await threads_[0]->idle(std::max(from, config_.start), HostThread::WakeBy::kMemory);
  for (unsigned i = 0; i < send_.size(); ++i) {
    if (i > 0) threads_[i]->join(*threads_[i - 1]);
    co_await send_[i]->start();
  }
  threads_[0]->join(*threads_.back());
  co_await start_receiving(*nic_, config_.port, receive_, threads_);
  for (unsigned i = 0; i < send_.size(); ++i) {
    threads_[i]->join(*threads_.back());
    tasks_.push_back(serve(i));
  }
  for (Task& task : tasks_) task.start();
}

Task ReflectProgram::serve(unsigned number) {
  HostThread& thread = *threads_[number];
  NicReceiveQueue& in = *receive_[number];
  NicTransmitQueue& out = *send_[number];
  const unsigned batch = std::min(config_.receive.batch, (in.entries() + 1) / 2);
  const Time poll = thread.timing().cycles(config_.receive.poll);
  for (;;) {
    co_await thread.sync();
    const bool reaped = give_back(in, out, number);
    const unsigned found = in.completions().available(thread.time(), batch);
    for (unsigned i = 0; i < found; ++i) turn(in, out, number, i + 1 == found);
    co_await out.ring_doorbell();
    if (in.unannounced() >= batch) co_await in.ring_doorbells();
    if (found > 0 || reaped) continue;
    // Completions of sent frames raise no interrupt; with many buffers there the thread does not rely on one.
    const bool sleeps = in.interrupt_driven() && out.room() >= out.entries() / 2;
    if (sleeps) {
      co_await in.arm();
      co_await in.wait(kTimeMax, poll, interrupts_);
    } else {
      const Time next = std::min(in.completions().next_visible(), out.completions().next_visible());
      co_await thread.idle(next, HostThread::WakeBy::kMemory, poll);
    }
  }
}

void ReflectProgram::turn(NicReceiveQueue& in, NicTransmitQueue& out, unsigned number, bool last_of_batch) {
  const std::optional<NicCompletion> found = in.take();
  threads_[number]->spend(frame_cost_);
  host().simulation.note_work(threads_[number]->time());
  if (!found) return note_bad_completion();
  const NicCompletion& entry = *found;
  if (entry.status != NIC_STATUS_OK) {
    ++errors_;
    in.post(entry.cookie);
    return;
  }
  const std::uint64_t buffer = in.buffer(entry.cookie);
  TestFrame::exchange_addresses(host().memory.at(buffer, entry.length));
  sending_[number][out.next() & (out.entries() - 1)] = entry.cookie;
  out.post(buffer, entry.length, 0, last_of_batch ? std::uint32_t{NIC_TX_COMPLETION} : 0U, entry.timestamp);
  ++frames_;
  octets_ += entry.length;
}

// Buffers of completed frames receive again. The ring of the transmit queue is as large as the receive queue's, so it
// has room for all.
bool ReflectProgram::give_back(NicReceiveQueue& in, NicTransmitQueue& out, unsigned number) {
  bool any = false;
  while (out.completions().available(threads_[number]->time(), 1) > 0) {
    any = true;
    std::uint16_t counter = out.oldest();
    const std::optional<NicCompletion> entry = out.reap();
    if (!entry) {
      note_bad_completion();
      continue;
    }
    if (entry->status != NIC_STATUS_OK) ++errors_;
    for (; counter != out.oldest(); ++counter) in.post(sending_[number][counter & (out.entries() - 1)]);
  }
  return any;
}

void ReflectProgram::finish(Time now) {
  for (const auto& queue : receive_) dropped_ += queue->dropped(now);
  queue_error_ = first_error<NicReceiveQueue>(receive_, now);
  if (!queue_error_) queue_error_ = first_error<NicTransmitQueue>(send_, now);
}

}  // namespace dpusim::host
