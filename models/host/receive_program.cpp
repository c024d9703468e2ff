#include "host/receive_program.h"

namespace dpusim::host {

const ConfigTable<ReceiveConfig>& ReceiveConfig::table() {
  using namespace literals;
  static const ConfigTable<ReceiveConfig> table(
      "Program receive", {field("type", &ReceiveConfig::type, "\"receive\""),
                          field("name", &ReceiveConfig::name, "Name of its statistics"),
                          field("start", &ReceiveConfig::start, between(0_ps, 1'000_s),
                                "When it starts; not before the host has enumerated its devices"),
                          field("device", &ReceiveConfig::device, "Where the NIC is"),
                          field("port", &ReceiveConfig::port, between(0U, 3U), "Port of the NIC whose frames it takes"),
                          field("threads", &ReceiveConfig::threads, between(1U, 32U),
                                "Threads, each with a queue; RSS spreads frames over them"),
                          field("first_queue", &ReceiveConfig::first_queue, between(kAnyQueue, 31),
                                "Its first receive queue of the NIC; -1: any that are free"),
                          field("count", &ReceiveConfig::count, "Frames after which it ends; 0: never"),
                          field("frame_cycles", &ReceiveConfig::frame_cycles, between(0U, 1'000'000'000U),
                                "Work on a frame, driver and consumer"),
                          field("copy_rate", &ReceiveConfig::copy_rate, between(0_Gbps, 100'000_Gbps),
                                "At which a frame's octets are copied; 0: they are not"),
                          field("receive", &ReceiveConfig::receive, "Its queues")});
  return table;
}

ReceiveProgram::ReceiveProgram(HostServices& host, StatGroup& stats, const ReceiveConfig& config, std::string who)
    : Program(host, stats, std::move(who)),
      config_(config),
      frames_(stats, "frames", "frames", "Frames that the program took, without errors"),
      octets_(stats, "octets", "octets", "Octets of these, without FCS"),
      errors_(stats, "errors", "frames", "Frames that came with an error status"),
      dropped_(stats, "dropped", "frames",
               "Frames that the NIC counts as dropped at the program's queues, read after the run"),
      doorbells_(stats, "doorbells", "batches", "Batches of buffers given back"),
      interrupts_(stats, "interrupts", "interrupts", "Interrupts handled"),
      latency_(stats, "latency", "ps", "First bit of the frame on the wire to the program being done with it") {}

void ReceiveProgram::prepare() {
  threads_ = host().take_threads(config_.threads, who());
  for (unsigned i = 0; i < config_.threads; ++i) add_utilisation(i, *threads_[i]);
  nic_ = &host().find_nic(config_.device, who());
  queues_ = make_receive_queues(host(), *nic_, config_.receive, config_.port, config_.first_queue, threads_, who());
  frame_cost_ = threads_[0]->timing().cycles(config_.frame_cycles);
}

Task ReceiveProgram::run(Time from) {
  co_await threads_[0]->idle(std::max(from, config_.start), HostThread::WakeBy::kMemory);
  co_await start_receiving(*nic_, config_.port, queues_, threads_);
  for (unsigned i = 0; i < queues_.size(); ++i) {
    threads_[i]->join(*threads_.back());
    tasks_.push_back(serve(i));
  }
  for (Task& task : tasks_) task.start();
}

Task ReceiveProgram::serve(unsigned number) {
  HostThread& thread = *threads_[number];
  NicReceiveQueue& queue = *queues_[number];
  const unsigned batch = std::min(config_.receive.batch, (queue.entries() + 1) / 2);
  const Time poll = thread.timing().cycles(config_.receive.poll);
  while (!done()) {
    co_await thread.sync();
    const unsigned found = queue.completions().available(thread.time(), batch);
    if (found == 0) {
      if (queue.interrupt_driven()) co_await queue.arm();
      co_await queue.wait(kTimeMax, poll, interrupts_);
      continue;
    }
    for (unsigned i = 0; i < found && !done(); ++i) consume(queue, thread);
    if (queue.unannounced() < batch) continue;
    ++doorbells_;
    co_await queue.ring_doorbells();
  }
}

void ReceiveProgram::consume(NicReceiveQueue& queue, HostThread& thread) {
  const std::optional<NicCompletion> found = queue.take();
  thread.spend(frame_cost_);
  if (!found) return note_bad_completion();
  const NicCompletion& entry = *found;
  ++seen_;
  if (entry.status == NIC_STATUS_OK) {
    if (config_.copy_rate > BitRate(0) && !thread.timing().functional)
      thread.spend(transfer_time(Bytes(entry.length), config_.copy_rate));
    ++frames_;
    octets_ += entry.length;
    if (is_between(entry.timestamp, Time(0), thread.time()))
      latency_.record(thread.time() - Time(static_cast<std::int64_t>(entry.timestamp)));
  } else {
    ++errors_;
  }
  host().simulation.note_work(thread.time());
  queue.post(entry.cookie);
}

void ReceiveProgram::finish(Time now) {
  for (const auto& queue : queues_) dropped_ += queue->dropped(now);
  queue_error_ = first_error<NicReceiveQueue>(queues_, now);
}

}  // namespace dpusim::host
