// The NIC's queues at work: receive, transmit, completions and interrupts on a calendar of its own. No SystemC.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "net/mac/port_timing.h"
#include "net/queues/nic_config.h"
#include "net/queues/nic_stats.h"
#include "net/queues/nic_timing.h"
#include "net/queues/toeplitz.h"
#include "net/queues/work_ring.h"
#include "sim/simulation.h"
#include "tlm/frame.h"

namespace dpusim::net {

/// What the engine needs of the world around it.
class NicEnvironment {
 public:
  struct DmaResult {
    Time done;  ///< when memory has answered
    bool ok;    ///< false: memory answered with an error
  };
  virtual ~NicEnvironment() = default;
  /// Makes one memory access, issued at `when`.
  virtual DmaResult dma(bool write, std::uint64_t address, std::span<std::uint8_t> data, Time when) = 0;
  struct SendResult {
    Time taken;  ///< when the port takes the frame
    Time next;   ///< earliest time of the next one
  };
  /// Hands a frame to a port, at `start` or when a pause ends.
  virtual SendResult send(unsigned port, const FramePtr& frame, Time start) = 0;
  /// Tells that completion queue `queue` raises its interrupt.
  virtual void interrupt(unsigned queue) = 0;
};

/// Settings of a port's receive side, from its registers.
struct PortSteering {
  bool enabled = false, rss = false;
  std::uint8_t default_queue = 0;
  HashTypes types{};
  ToeplitzHash hash;
  std::array<std::uint8_t, 128> table{};
};

/// Runs the queues. The owner calls run(t) whenever time has reached next_due(); between, registers and ports call in
/// with times not before the last run.
class NicEngine {
 public:
  NicEngine(const NicConfig& config, const BlockContext& context, NicEnvironment& environment);

  /// Takes a received frame that is there whole at `when`; per port in order of `when`.
  void receive(unsigned port, FramePtr frame, Time when);
  /// Does everything due until `until`, in order of time.
  void run(Time until);
  /// Returns when run() is needed next; kTimeMax for never.
  [[nodiscard]] Time next_due() const;

  void set_enabled(bool enabled, Time when);
  PortSteering& steering(unsigned port) { return steering_[port]; }
  /// Starts or stops a queue with the values that its registers hold. A value out of range leaves it in error.
  void enable_receive(unsigned queue, std::uint64_t base, unsigned log2, unsigned completion_queue);
  void enable_transmit(unsigned queue, std::uint64_t base, unsigned log2, unsigned completion_queue, unsigned port);
  void enable_completion(unsigned queue, std::uint64_t base, unsigned log2);
  void disable_receive(unsigned queue);
  void disable_transmit(unsigned queue);
  void disable_completion(unsigned queue);
  /// Doorbells, with the counters that software wrote.
  void post_receive(unsigned queue, std::uint16_t tail, Time when);
  void post_transmit(unsigned queue, std::uint16_t tail, Time when);
  void consume(unsigned queue, std::uint16_t head, Time when);
  void arm(unsigned queue, std::uint16_t head, Time when);
  void set_moderation(unsigned queue, std::uint32_t count, Time time) { moderation_[queue] = {count, time}; }
  /// Turns everything off and drops the received frames inside; frames handed over to ports leave at their times.
  void reset();

  [[nodiscard]] const WorkRing<NicRxDescriptor>& receive_ring(unsigned queue) const { return receive_[queue]; }
  [[nodiscard]] const WorkRing<NicTxDescriptor>& transmit_ring(unsigned queue) const { return transmit_[queue]; }
  [[nodiscard]] const CompletionRing& completion_ring(unsigned queue) const { return completion_[queue]; }
  [[nodiscard]] const NicStats& stats() const { return stats_; }

 private:
  enum class Event : std::uint8_t { kFetchReceive, kFetchTransmit, kCompletion, kInterrupt };
  struct Due {
    Time when;
    std::uint64_t order;  // of scheduling: ties are served first come, first served
    Event event;
    std::uint8_t queue;
    bool operator>(const Due& other) const { return when != other.when ? when > other.when : order > other.order; }
  };
  struct Arrival {
    FramePtr frame;
    Time when;
  };
  struct Moderation {
    std::uint32_t count = 0;
    Time time{0};
  };
  // A frame that has passed the pipeline and has its descriptor, or soon will.
  struct Placed {
    FramePtr frame;
    NicRxDescriptor descriptor;
    NicCompletion entry;
    Time ready;  // when the descriptor is there
    std::uint64_t order;
    std::uint8_t completion_queue;
    bool operator>(const Placed& other) const {
      return ready != other.ready ? ready > other.ready : order > other.order;
    }
  };
  // A frame in the receive buffer that waits for the pipeline.
  struct Admitted {
    Arrival arrival;
    unsigned port;
  };
  // Of a port: when it took the last frames, as a ring.
  struct PortOut {
    std::vector<Time> taken;
    std::size_t next = 0;
    Time earliest{0};
  };

  void add_utilisation(const char* name, const char* what, std::function<double(Time)> compute);
  void schedule(Event event, unsigned queue, Time when);
  void dispatch(const Due& due);
  Time dma_split(bool write, std::uint64_t address, std::span<std::uint8_t> data, Time when, DmaLane* lane, bool& ok);
  template <class Ring>
  void check_start(Ring& ring, std::uint64_t base, unsigned completion_queue, unsigned port);
  template <class Ring>
  void fail(Ring& ring, std::uint8_t reason);
  template <class Descriptor>
  bool fetch(WorkRing<Descriptor>& ring);
  void fetch_receive(unsigned queue);
  void fetch_transmit(unsigned queue);

  // receive (nic_receive.cpp)
  [[nodiscard]] unsigned earliest_port() const;
  [[nodiscard]] Time arrival_due() const;
  [[nodiscard]] Time receive_due() const;
  [[nodiscard]] Time pipeline_due(const Arrival& arrival) const;
  void admit();
  void step_receive();
  void park(Placed placed);
  bool place(unsigned port, FramePtr frame);
  void write_frame();
  void drop(unsigned port, const unsigned* queue, NicDrop reason);
  [[nodiscard]] unsigned classify(unsigned port, const Frame& frame, NicCompletion& entry) const;

  // transmit (nic_transmit.cpp)
  struct TransmitChoice {
    Time when;
    unsigned queue;
  };
  [[nodiscard]] TransmitChoice transmit_due() const;
  void step_transmit(unsigned queue);
  Time send_frame(const NicTxDescriptor& descriptor, NicCompletion& entry);

  // completions (nic_completion.cpp)
  void complete(unsigned queue, const NicCompletion& entry, Time when, Time first_bit);
  void write_completion(unsigned queue, Time when);
  void consider_interrupt(unsigned queue, Time when);
  void raise_interrupt(unsigned queue, Time when);
  void lose_completions(unsigned queue);
  void fail_completion_queue(unsigned queue, std::uint8_t reason);

  const NicConfig config_;
  const BlockContext& context_;
  NicEnvironment& environment_;
  NicTiming timing_;
  NicStats stats_;
  bool enabled_ = false;
  Time enabled_at_{0};
  std::vector<PortSteering> steering_;
  std::vector<WorkRing<NicRxDescriptor>> receive_;
  std::vector<WorkRing<NicTxDescriptor>> transmit_;
  std::vector<CompletionRing> completion_;
  std::vector<Moderation> moderation_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> calendar_;
  std::uint64_t order_ = 0;
  Time now_{0};  // the engine's: of what it does, or did last

  std::vector<std::deque<Arrival>> arrivals_;
  Time pipeline_free_{0}, pipeline_busy_{0};
  // A received frame's way: arrivals_ (not there yet), pipeline_, fetching_ (its descriptor is being fetched),
  // writable_, buffer_ (being written).
  std::deque<Admitted> pipeline_;
  std::priority_queue<Placed, std::vector<Placed>, std::greater<>> fetching_;
  std::deque<Placed> writable_;
  DrainingBuffer buffer_;
  Bytes waiting_{0};  // octets in the receive buffer before they are being written
  DmaLane write_lane_, read_lane_;

  std::vector<PortOut> out_;
  std::uint32_t active_transmit_ = 0;                 // bit per queue that has descriptors cached
  unsigned last_served_ = kMaxNicTransmitQueues - 1;  // for round robin
  std::uint64_t sent_ = 0;
  std::deque<Formula> utilisation_;
};

}  // namespace dpusim::net
