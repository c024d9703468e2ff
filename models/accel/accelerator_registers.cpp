#include <algorithm>
#include <array>
#include <utility>

#include "accel/accel_regs.h"
#include "accel/accelerator.h"
#include "sim/systemc_time.h"

namespace dpusim::accel {

using namespace accel_regs;

namespace {

constexpr std::uint64_t queue_status(std::uint8_t state, std::uint8_t reason) {
  return std::uint64_t{state} << kSQ_STATUS_STATE_shift | std::uint64_t{reason} << kSQ_STATUS_REASON_shift;
}
static_assert(kSQ_STATUS_STATE_shift == kCQ_STATUS_STATE_shift && kSQ_STATUS_REASON_shift == kCQ_STATUS_REASON_shift);

constexpr unsigned field(std::uint64_t value, std::uint64_t mask, unsigned shift) {
  return static_cast<unsigned>((value & mask) >> shift);
}
constexpr std::uint64_t kEnable = kSQ_CONFIG_ENABLE_mask;
static_assert(kEnable == kCQ_CONFIG_ENABLE_mask);
constexpr bool rises(const RegisterBank::Write& write) { return (write.value & ~write.old & kEnable) != 0; }
constexpr bool falls(const RegisterBank::Write& write) { return (~write.value & write.old & kEnable) != 0; }

}  // namespace

// A job or ring that names these very registers finds no memory there: what an access of its own would do to it is
// nobody's to tell.
RegisterResult Accelerator::access(const RegisterTarget::Access& access) {
  if (in_dma_) return RegisterResult::kUnmapped;
  when_ = access.when;
  const RegisterResult result = access.write ? bank_.write(access.offset, access.data, access.enables)
                                             : bank_.read(access.offset, access.data, access.enables);
  if (access.write) rearm();
  return result;
}

void Accelerator::reset_registers() {
  bank_.reset();
  bank_.set(CAPABILITY, std::uint64_t{parts_.type} << kCAPABILITY_TYPE_shift |
                            std::uint64_t{config_.queues} << kCAPABILITY_QUEUES_shift |
                            std::uint64_t{config_.completion_queues} << kCAPABILITY_COMPLETION_QUEUES_shift |
                            std::uint64_t{config_.engines} << kCAPABILITY_ENGINES_shift);
  bank_.set(KEY_STATUS, std::uint64_t{parts_.keys->slots()} << kKEY_STATUS_SLOTS_shift);
  update_lines();
}

void Accelerator::update_lines() {
  const std::uint64_t active = bank_.get(INTERRUPT_STATUS) & bank_.get(INTERRUPT_ENABLE);
  // Whoever senses a line may write registers at once, so what is known of the lines is changed first.
  const std::uint64_t changed = std::exchange(lines_, active) ^ active;
  for (unsigned i = 0; i < irq_.size(); ++i) {
    if ((changed >> i & 1U) != 0) irq_[i].set((lines_ >> i & 1U) != 0);
  }
}

void Accelerator::install_registers() {
  bank_.on_write(CONTROL, [this](const Write& write) { write_control(write); });
  bank_.on_read(
      TIME, [this](RegisterBank::Element) { return static_cast<std::uint64_t>(std::max(when_, now()).count()); }, true);
  bank_.on_read(
      STATUS, [this](RegisterBank::Element) { return read_status(); }, true);
  bank_.on_write(INTERRUPT_STATUS, [this](const Write&) { update_lines(); });
  bank_.on_write(INTERRUPT_ENABLE, [this](const Write&) { update_lines(); });
  bank_.on_write(KEY_COMMAND, [this](const Write& write) { write_key_command(write.written); });
  install_submission_registers();
  install_completion_registers();
}

std::uint64_t Accelerator::read_status() const {
  bool error = false;
  for (unsigned i = 0; i < config_.queues; ++i) {
    error = error || engine_.submission_ring(i).state == ACCEL_STATE_ERROR;
  }
  for (unsigned i = 0; i < config_.completion_queues; ++i) {
    error = error || engine_.completion_ring(i).state == ACCEL_STATE_ERROR;
  }
  return std::uint64_t{error} << kSTATUS_QUEUE_ERROR_shift | std::uint64_t{engine_.busy()} << kSTATUS_BUSY_shift;
}

void Accelerator::write_control(const Write& write) {
  if ((write.written & kCONTROL_RESET_mask) != 0) {
    engine_.reset(when_);
    parts_.keys->clear();
    reset_registers();
    return;
  }
  engine_.set_enabled((write.value & kCONTROL_ENABLE_mask) != 0, when_);
}

// The data registers are emptied, so that a key stays in the table only.
void Accelerator::write_key_command(std::uint64_t command) {
  std::array<std::uint8_t, ACCEL_KEY_OCTETS> octets{};
  for (unsigned i = 0; i < octets.size(); ++i) {
    octets[i] = static_cast<std::uint8_t>(bank_.get(KEY_DATA, i / 4) >> (i % 4 * 8));
    if (i % 4 == 3) bank_.set(KEY_DATA, 0, i / 4);
  }
  bank_.set(KEY_COMMAND, 0);
  const auto slot = static_cast<unsigned>(bank_.get(KEY_INDEX));
  const auto type = static_cast<std::uint8_t>(field(command, kKEY_COMMAND_TYPE_mask, kKEY_COMMAND_TYPE_shift));
  std::size_t length = KeyTable::length_of(type);
  if (type == ACCEL_KEY_HMAC) length = field(command, kKEY_COMMAND_LENGTH_mask, kKEY_COMMAND_LENGTH_shift);
  std::uint8_t result = ACCEL_STATUS_BAD_OPCODE;
  switch (field(command, kKEY_COMMAND_COMMAND_mask, kKEY_COMMAND_COMMAND_shift)) {
    case ACCEL_KEY_COMMAND_LOAD:
      result = length > octets.size() ? std::uint8_t{ACCEL_STATUS_BAD_LENGTH}
                                      : parts_.keys->load(slot, type, std::span(octets).first(length));
      break;
    case ACCEL_KEY_COMMAND_CLEAR:
      result = parts_.keys->clear(slot);
      break;
    default:
      break;
  }
  octets.fill(0);
  bank_.set(KEY_STATUS, (bank_.get(KEY_STATUS) & ~kKEY_STATUS_RESULT_mask) | result);
}

// A queue that this instance does not have shows an error as long as software enables it.
void Accelerator::install_submission_registers() {
  const auto exists = [this](RegisterBank::Element queue) { return queue < config_.queues; };
  bank_.on_write(SQ_CONFIG, [this, exists](const Write& write) {
    const unsigned queue = write.element;
    if (!exists(queue)) return;
    if (rises(write)) {
      bank_.set(SQ_TAIL, 0, queue);
      engine_.enable_submission(queue, bank_.get(SQ_BASE, queue),
                                field(write.value, kSQ_CONFIG_LOG2_mask, kSQ_CONFIG_LOG2_shift),
                                field(write.value, kSQ_CONFIG_CQ_mask, kSQ_CONFIG_CQ_shift));
    } else if (falls(write)) {
      engine_.disable_submission(queue);
    }
  });
  bank_.on_write(SQ_TAIL, [this, exists](const Write& write) {
    if (exists(write.element)) engine_.post(write.element, static_cast<std::uint16_t>(write.value), when_);
  });
  bank_.on_read(
      SQ_STATUS,
      [this, exists](RegisterBank::Element queue) {
        if (exists(queue))
          return queue_status(engine_.submission_ring(queue).state, engine_.submission_ring(queue).reason);
        const bool enabled = (bank_.get(SQ_CONFIG, queue) & kEnable) != 0;
        return enabled ? queue_status(ACCEL_STATE_ERROR, ACCEL_STATUS_BAD_CONFIGURATION) : 0;
      },
      true);
  bank_.on_read(
      SQ_HEAD,
      [this, exists](RegisterBank::Element queue) -> std::uint64_t {
        return exists(queue) ? engine_.submission_ring(queue).head : 0;
      },
      true);
  bank_.on_read(
      SQ_JOBS,
      [this, exists](RegisterBank::Element queue) -> std::uint64_t {
        return exists(queue) ? engine_.submission_ring(queue).completed : 0;
      },
      true);
}

void Accelerator::install_completion_registers() {
  const auto exists = [this](RegisterBank::Element queue) { return queue < config_.completion_queues; };
  bank_.on_write(CQ_CONFIG, [this, exists](const Write& write) {
    const unsigned queue = write.element;
    if (!exists(queue)) return;
    if (rises(write)) {
      bank_.set(CQ_HEAD, 0, queue);
      engine_.enable_completion(queue, bank_.get(CQ_BASE, queue),
                                field(write.value, kCQ_CONFIG_LOG2_mask, kCQ_CONFIG_LOG2_shift));
    } else if (falls(write)) {
      engine_.disable_completion(queue, when_);
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
    const unsigned count = field(write.value, kCQ_MODERATION_COUNT_mask, kCQ_MODERATION_COUNT_shift);
    const unsigned units = field(write.value, kCQ_MODERATION_TIME_mask, kCQ_MODERATION_TIME_shift);
    if (exists(write.element)) engine_.set_moderation(write.element, count, 100_ns * std::int64_t{units});
  });
  bank_.on_read(
      CQ_STATUS,
      [this, exists](RegisterBank::Element queue) {
        if (exists(queue))
          return queue_status(engine_.completion_ring(queue).state, engine_.completion_ring(queue).reason);
        const bool enabled = (bank_.get(CQ_CONFIG, queue) & kEnable) != 0;
        return enabled ? queue_status(ACCEL_STATE_ERROR, ACCEL_STATUS_BAD_CONFIGURATION) : 0;
      },
      true);
  bank_.on_read(
      CQ_TAIL,
      [this, exists](RegisterBank::Element queue) -> std::uint64_t {
        return exists(queue) ? engine_.completion_ring(queue).tail : 0;
      },
      true);
}

}  // namespace dpusim::accel
