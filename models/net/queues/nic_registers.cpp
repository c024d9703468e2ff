#include <algorithm>
#include <array>

#include "net/nic_regs.h"
#include "net/queues/nic.h"
#include "sim/systemc_time.h"

namespace dpusim::net {

using namespace nic_regs;

namespace {

constexpr std::uint64_t status(std::uint8_t state, std::uint8_t reason) {
  return std::uint64_t{state} << kRXQ_STATUS_STATE_shift | std::uint64_t{reason} << kRXQ_STATUS_REASON_shift;
}
constexpr bool rises(const RegisterBank::Write& write) { return (write.value & ~write.old & 1) != 0; }
constexpr bool falls(const RegisterBank::Write& write) { return (~write.value & write.old & 1) != 0; }

}  // namespace

RegisterResult Nic::access(const RegisterTarget::Access& access) {
  when_ = access.when;
  const RegisterResult result = access.write ? bank_.write(access.offset, access.data, access.enables)
                                             : bank_.read(access.offset, access.data, access.enables);
  if (access.write) rearm();
  return result;
}

void Nic::reset_registers() {
  bank_.reset();
  bank_.set(CAPABILITY, std::uint64_t{config_.ports} << kCAPABILITY_PORTS_shift |
                            std::uint64_t{config_.receive_queues} << kCAPABILITY_RX_QUEUES_shift |
                            std::uint64_t{config_.transmit_queues} << kCAPABILITY_TX_QUEUES_shift |
                            std::uint64_t{config_.completion_queues} << kCAPABILITY_COMPLETION_QUEUES_shift);
  bank_.set(MAX_FRAME, config_.max_frame.count());
  update_lines();
}

void Nic::update_lines() {
  const std::uint64_t active = bank_.get(INTERRUPT_STATUS) & bank_.get(INTERRUPT_ENABLE);
  for (unsigned i = 0; i < irq_.size(); ++i) irq_[i].set((active >> i & 1U) != 0);
}

void Nic::install_registers() {
  bank_.on_write(CONTROL, [this](const Write& write) { write_control(write); });
  bank_.on_read(
      TIME, [this](RegisterBank::Element) { return static_cast<std::uint64_t>(std::max(when_, now()).count()); }, true);
  bank_.on_read(
      STATUS,
      [this](RegisterBank::Element) {
        bool error = false;
        for (unsigned i = 0; i < config_.receive_queues; ++i)
          error = error || engine_.receive_ring(i).state == NIC_STATE_ERROR;
        for (unsigned i = 0; i < config_.transmit_queues; ++i)
          error = error || engine_.transmit_ring(i).state == NIC_STATE_ERROR;
        for (unsigned i = 0; i < config_.completion_queues; ++i)
          error = error || engine_.completion_ring(i).state == NIC_STATE_ERROR;
        return std::uint64_t{error} << kSTATUS_QUEUE_ERROR_shift;
      },
      true);
  bank_.on_write(INTERRUPT_STATUS, [this](const Write&) { update_lines(); });
  bank_.on_write(INTERRUPT_ENABLE, [this](const Write&) { update_lines(); });
  bank_.on_write(PORT_CONTROL, [this](const Write& write) { write_port_control(write); });
  bank_.on_write(RSS_KEY, [this](const Write& write) { write_key(write); });
  bank_.on_write(RSS_TABLE, [this](const Write& write) {
    if (write.element / 128 < config_.ports) {
      engine_.steering(write.element / 128).table[write.element % 128] = static_cast<std::uint8_t>(write.value);
    }
  });
  const NicStats& stats = engine_.stats();
  bank_.on_read(
      PORT_RX_FRAMES,
      [this, &stats](RegisterBank::Element port) {
        return port < config_.ports ? stats.port_received[port].value() : 0;
      },
      true);
  bank_.on_read(
      PORT_RX_DROPPED,
      [this, &stats](RegisterBank::Element port) {
        return port < config_.ports ? stats.port_dropped[port].value() : 0;
      },
      true);
  install_receive_registers();
  install_transmit_registers();
  install_completion_registers();
}

void Nic::write_control(const Write& write) {
  if ((write.written & kCONTROL_RESET_mask) != 0) {
    engine_.reset();
    reset_registers();
    return;
  }
  engine_.set_enabled((write.value & kCONTROL_ENABLE_mask) != 0, when_);
}

void Nic::write_port_control(const Write& write) {
  if (write.element >= config_.ports) return;
  PortSteering& steering = engine_.steering(write.element);
  const auto bit = [&write](std::uint64_t mask) { return (write.value & mask) != 0; };
  steering.enabled = bit(kPORT_CONTROL_RX_ENABLE_mask);
  steering.rss = bit(kPORT_CONTROL_RSS_ENABLE_mask);
  steering.default_queue =
      static_cast<std::uint8_t>((write.value & kPORT_CONTROL_DEFAULT_QUEUE_mask) >> kPORT_CONTROL_DEFAULT_QUEUE_shift);
  steering.types = {bit(kPORT_CONTROL_HASH_IPV4_mask),     bit(kPORT_CONTROL_HASH_TCP_IPV4_mask),
                    bit(kPORT_CONTROL_HASH_UDP_IPV4_mask), bit(kPORT_CONTROL_HASH_IPV6_mask),
                    bit(kPORT_CONTROL_HASH_TCP_IPV6_mask), bit(kPORT_CONTROL_HASH_UDP_IPV6_mask)};
}

void Nic::write_key(const Write& write) {
  const unsigned port = write.element / 10;
  if (port >= config_.ports) return;
  std::array<std::uint8_t, ToeplitzHash::kKey> key{};
  for (unsigned i = 0; i < key.size(); ++i)
    key[i] = static_cast<std::uint8_t>(bank_.get(RSS_KEY, port * 10 + i / 4) >> (i % 4 * 8));
  engine_.steering(port).hash.set_key(key);
}

// A queue that this instance does not have shows an error as long as software enables it.
void Nic::install_receive_registers() {
  const auto exists = [this](RegisterBank::Element queue) { return queue < config_.receive_queues; };
  bank_.on_write(RXQ_CONTROL, [this, exists](const Write& write) {
    const unsigned queue = write.element;
    if (!exists(queue)) return;
    if (rises(write)) {
      bank_.set(RXQ_TAIL, 0, queue);
      engine_.enable_receive(queue, bank_.get(RXQ_BASE, queue), static_cast<unsigned>(bank_.get(RXQ_SIZE, queue)),
                             static_cast<unsigned>(bank_.get(RXQ_CQ, queue)));
    } else if (falls(write)) {
      engine_.disable_receive(queue);
    }
  });
  bank_.on_write(RXQ_TAIL, [this, exists](const Write& write) {
    if (exists(write.element)) engine_.post_receive(write.element, static_cast<std::uint16_t>(write.value), when_);
  });
  bank_.on_read(
      RXQ_STATUS,
      [this, exists](RegisterBank::Element queue) {
        if (exists(queue)) return status(engine_.receive_ring(queue).state, engine_.receive_ring(queue).reason);
        return bank_.get(RXQ_CONTROL, queue) != 0 ? status(NIC_STATE_ERROR, NIC_STATUS_BAD_CONFIGURATION) : 0;
      },
      true);
  bank_.on_read(
      RXQ_HEAD,
      [this, exists](RegisterBank::Element queue) -> std::uint64_t {
        return exists(queue) ? engine_.receive_ring(queue).head : 0;
      },
      true);
  const NicStats& stats = engine_.stats();
  bank_.on_read(
      RXQ_FRAMES,
      [&stats, exists](RegisterBank::Element queue) { return exists(queue) ? stats.receive[queue].frames.value() : 0; },
      true);
  bank_.on_read(
      RXQ_DROPPED,
      [&stats, exists](RegisterBank::Element queue) {
        return exists(queue) ? stats.receive[queue].dropped.value() : 0;
      },
      true);
}

void Nic::install_transmit_registers() {
  const auto exists = [this](RegisterBank::Element queue) { return queue < config_.transmit_queues; };
  bank_.on_write(TXQ_CONTROL, [this, exists](const Write& write) {
    const unsigned queue = write.element;
    if (!exists(queue)) return;
    if (rises(write)) {
      bank_.set(TXQ_TAIL, 0, queue);
      engine_.enable_transmit(queue, bank_.get(TXQ_BASE, queue), static_cast<unsigned>(bank_.get(TXQ_SIZE, queue)),
                              static_cast<unsigned>(bank_.get(TXQ_CQ, queue)),
                              static_cast<unsigned>(bank_.get(TXQ_PORT, queue)));
    } else if (falls(write)) {
      engine_.disable_transmit(queue);
    }
  });
  bank_.on_write(TXQ_TAIL, [this, exists](const Write& write) {
    if (exists(write.element)) engine_.post_transmit(write.element, static_cast<std::uint16_t>(write.value), when_);
  });
  bank_.on_read(
      TXQ_STATUS,
      [this, exists](RegisterBank::Element queue) {
        if (exists(queue)) return status(engine_.transmit_ring(queue).state, engine_.transmit_ring(queue).reason);
        return bank_.get(TXQ_CONTROL, queue) != 0 ? status(NIC_STATE_ERROR, NIC_STATUS_BAD_CONFIGURATION) : 0;
      },
      true);
  bank_.on_read(
      TXQ_HEAD,
      [this, exists](RegisterBank::Element queue) -> std::uint64_t {
        return exists(queue) ? engine_.transmit_ring(queue).head : 0;
      },
      true);
  const NicStats& stats = engine_.stats();
  bank_.on_read(
      TXQ_FRAMES,
      [&stats, exists](RegisterBank::Element queue) {
        return exists(queue) ? stats.transmit[queue].frames.value() : 0;
      },
      true);
}

void Nic::install_completion_registers() {
  const auto exists = [this](RegisterBank::Element queue) { return queue < config_.completion_queues; };
  bank_.on_write(CQ_CONTROL, [this, exists](const Write& write) {
    const unsigned queue = write.element;
    if (!exists(queue)) return;
    if (rises(write)) {
      bank_.set(CQ_HEAD, 0, queue);
      engine_.enable_completion(queue, bank_.get(CQ_BASE, queue), static_cast<unsigned>(bank_.get(CQ_SIZE, queue)));
    } else if (falls(write)) {
      engine_.disable_completion(queue);
    }
  });
  bank_.on_write(CQ_HEAD, [this, exists](const Write& write) {
    if (exists(write.element)) engine_.consume(write.element, static_cast<std::uint16_t>(write.value), when_);
  });
  bank_.on_write(CQ_ARM, [this, exists](const Write& write) {
    const std::uint64_t head = write.written & kCQ_ARM_COUNTER_mask;
    bank_.set(CQ_HEAD, head, write.element);
    if (exists(write.element)) engine_.arm(write.element, static_cast<std::uint16_t>(head), when_);
  });
  bank_.on_write(CQ_MODERATION, [this, exists](const Write& write) {
    using namespace literals;
    const auto count =
        static_cast<std::uint32_t>((write.value & kCQ_MODERATION_COUNT_mask) >> kCQ_MODERATION_COUNT_shift);
    const auto units = static_cast<std::int64_t>((write.value & kCQ_MODERATION_TIME_mask) >> kCQ_MODERATION_TIME_shift);
    if (exists(write.element)) engine_.set_moderation(write.element, count, 100_ns * units);
  });
  bank_.on_read(
      CQ_STATUS,
      [this, exists](RegisterBank::Element queue) {
        if (exists(queue)) return status(engine_.completion_ring(queue).state, engine_.completion_ring(queue).reason);
        return bank_.get(CQ_CONTROL, queue) != 0 ? status(NIC_STATE_ERROR, NIC_STATUS_BAD_CONFIGURATION) : 0;
      },
      true);
  bank_.on_read(
      CQ_TAIL,
      [this, exists](RegisterBank::Element queue) -> std::uint64_t {
        return exists(queue) ? engine_.completion_ring(queue).tail : 0;
      },
      true);
}

}  // namespace dpusim::net
