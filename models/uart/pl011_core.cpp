#include "uart/pl011_core.h"

#include <algorithm>

#include "uart/pl011_regs.h"

namespace dpusim::uart {

namespace regs = pl011_regs;

namespace {

constexpr std::uint8_t kPeripheralId[] = {0x11, 0x10, 0x04, 0x00};  // part 0x011, designer 0x41; revision in ID2[7:4]
constexpr std::uint8_t kPrimeCellId[] = {0x0d, 0xf0, 0x05, 0xb1};

// DDI 0183G table 3-12: 1/8, 1/4, 1/2, 3/4, 7/8; the reserved codes are taken as the last.
unsigned trigger(unsigned depth, std::uint64_t select) {
  constexpr unsigned kEighths[] = {1, 2, 4, 6, 7, 7, 7, 7};
  return depth * kEighths[select & 7] / 8;
}

}  // namespace

Pl011Core::Pl011Core(Pl011Revision revision, bool configured)
    : bank_(regs::kTable), fifo_depth_(revision == Pl011Revision::kR1p5 ? 32 : 16) {
  const unsigned revision_field = revision == Pl011Revision::kR1p5 ? 3 : 2;
  for (unsigned i = 0; i < 4; ++i) {
    bank_.set(regs::PERIPHID, kPeripheralId[i] | (i == 2 ? revision_field << 4 : 0), i);
    bank_.set(regs::PCELLID, kPrimeCellId[i], i);
  }
  if (configured) {
    bank_.set(regs::CR, regs::kCR_UARTEN_mask | regs::kCR_TXE_mask | regs::kCR_RXE_mask);
    bank_.set(regs::IBRD, 13);  // 24 MHz / (16 * 115200) = 13 + 1/64
    bank_.set(regs::FBRD, 1);
    bank_.set(regs::LCR_H, regs::kLCR_H_FEN_mask | regs::kLCR_H_WLEN_mask);
    divisor_ = 13 * 64 + 1;
  }
  install_hooks();
}

void Pl011Core::install_hooks() {
  bank_.on_read(
      regs::DR, [this](auto) { return read_data(); }, false);
  bank_.on_write(regs::DR, [this](const RegisterBank::Write& write) {
    if ((write.mask & 0xff) != 0) write_data(static_cast<std::uint8_t>(write.written));
  });
  bank_.on_write(regs::RSR, [this](const auto&) {
    bank_.set(regs::RSR, 0);
    overrun_ = false;
  });
  bank_.on_read(
      regs::FR, [this](auto) { return flags(); }, true);
  bank_.on_read(
      regs::RIS, [this](auto) { return std::uint64_t{ris_}; }, true);
  bank_.on_read(
      regs::MIS, [this](auto) { return std::uint64_t{static_cast<std::uint16_t>(ris_ & imsc())}; }, true);
  bank_.on_write(regs::ICR, [this](const RegisterBank::Write& write) {
    ris_ = static_cast<std::uint16_t>(ris_ & ~write.written);
  });
  bank_.on_write(regs::LCR_H,
                 [this](const RegisterBank::Write& write) { line_control_written(write.value, write.old); });
}

void Pl011Core::line_control_written(std::uint64_t value, std::uint64_t old) {
  divisor_ = static_cast<std::uint32_t>(bank_.get(regs::IBRD) * 64 + bank_.get(regs::FBRD));
  if ((old & ~value & regs::kLCR_H_FEN_mask) == 0) return;
  tx_.clear();  // DDI 0183G 3.3.8: clearing FEN flushes the FIFOs
  rx_.clear();
  ris_ = static_cast<std::uint16_t>(ris_ & ~(kPl011Rx | kPl011Timeout));
}

// An access outside the registers reads 0 and ignores writes: APB knows no error response for the reserved words of the
// page.
RegisterResult Pl011Core::read(std::uint64_t offset, std::span<std::uint8_t> data,
                               std::span<const std::uint8_t> enables) {
  const RegisterResult result = bank_.read(offset, data, enables);
  if (result != RegisterResult::kUnmapped || offset + data.size() > regs::kSize) return result;
  std::fill(data.begin(), data.end(), std::uint8_t{0});
  return RegisterResult::kOk;
}

RegisterResult Pl011Core::write(std::uint64_t offset, std::span<const std::uint8_t> data,
                                std::span<const std::uint8_t> enables) {
  const RegisterResult result = bank_.write(offset, data, enables);
  if (result != RegisterResult::kUnmapped || offset + data.size() > regs::kSize) return result;
  return RegisterResult::kOk;
}

std::uint64_t Pl011Core::read_data() {
  const std::uint64_t overrun = overrun_ ? regs::kDR_OE_mask : 0;
  if (rx_.empty()) return overrun;
  const std::uint64_t value = rx_.front() | overrun;
  rx_.pop_front();
  bank_.set(regs::RSR, (value >> 8) & 0xf);
  if (rx_.size() < receive_trigger()) ris_ = static_cast<std::uint16_t>(ris_ & ~kPl011Rx);
  if (rx_.empty()) ris_ = static_cast<std::uint16_t>(ris_ & ~kPl011Timeout);
  return value;
}

void Pl011Core::write_data(std::uint8_t data) {
  if (tx_.size() >= depth()) return;  // a character written to a full FIFO is lost; software polls FR.TXFF
  const unsigned bits =
      5 + static_cast<unsigned>((bank_.get(regs::LCR_H) & regs::kLCR_H_WLEN_mask) >> regs::kLCR_H_WLEN_shift);
  tx_.push_back(static_cast<std::uint8_t>(data & ((1U << bits) - 1)));
  if (tx_.size() > transmit_trigger()) ris_ = static_cast<std::uint16_t>(ris_ & ~kPl011Tx);
}

std::optional<std::uint8_t> Pl011Core::begin_character() {
  constexpr std::uint64_t kSending = regs::kCR_UARTEN_mask | regs::kCR_TXE_mask;
  if (shifting_ || tx_.empty() || (bank_.get(regs::CR) & kSending) != kSending) return {};
  shifting_ = tx_.front();
  tx_.pop_front();
  // DDI 0183G 3.4.3: the interrupt follows the passage through the level, not the level.
  if (tx_.size() == transmit_trigger() || immediate_) ris_ = static_cast<std::uint16_t>(ris_ | kPl011Tx);
  return shifting_;
}

std::optional<std::uint8_t> Pl011Core::end_character() {
  std::optional<std::uint8_t> sent;
  sent.swap(shifting_);
  if (!sent || (bank_.get(regs::CR) & regs::kCR_LBE_mask) == 0) return sent;
  receive(*sent);
  return {};
}

bool Pl011Core::can_receive() const {
  constexpr std::uint64_t kReceiving = regs::kCR_UARTEN_mask | regs::kCR_RXE_mask;
  return (bank_.get(regs::CR) & kReceiving) == kReceiving && rx_.size() < depth();
}

void Pl011Core::receive(std::uint8_t data, std::uint8_t errors) {
  constexpr std::uint64_t kReceiving = regs::kCR_UARTEN_mask | regs::kCR_RXE_mask;
  if ((bank_.get(regs::CR) & kReceiving) != kReceiving) return;
  if (rx_.size() >= depth()) {
    overrun_ = true;
    ++overruns_;
    bank_.set(regs::RSR, bank_.get(regs::RSR) | regs::kRSR_OE_mask);
    ris_ = static_cast<std::uint16_t>(ris_ | kPl011Overrun);
    return;
  }
  overrun_ = false;  // DDI 0183G table 3-2: cleared once a new character can be written
  rx_.push_back(static_cast<std::uint16_t>(data | (errors << 8)));
  ris_ = static_cast<std::uint16_t>(ris_ | (errors << 7));
  if (rx_.size() >= receive_trigger()) ris_ = static_cast<std::uint16_t>(ris_ | kPl011Rx);
}

void Pl011Core::receive_timeout() {
  if (receive_waiting()) ris_ = static_cast<std::uint16_t>(ris_ | kPl011Timeout);
}

std::uint64_t Pl011Core::flags() const {
  std::uint64_t flags = 0;
  if (shifting_ || !tx_.empty()) flags |= regs::kFR_BUSY_mask;
  if (rx_.empty()) flags |= regs::kFR_RXFE_mask;
  if (rx_.size() >= depth()) flags |= regs::kFR_RXFF_mask;
  if (tx_.empty()) flags |= regs::kFR_TXFE_mask;
  if (tx_.size() >= depth()) flags |= regs::kFR_TXFF_mask;
  return flags;
}

bool Pl011Core::fifos_enabled() const { return (bank_.get(regs::LCR_H) & regs::kLCR_H_FEN_mask) != 0; }

std::uint16_t Pl011Core::imsc() const { return static_cast<std::uint16_t>(bank_.get(regs::IMSC)); }

std::uint8_t Pl011Core::line_control() const { return static_cast<std::uint8_t>(bank_.get(regs::LCR_H)); }

unsigned Pl011Core::transmit_trigger() const {
  return fifos_enabled() ? trigger(fifo_depth_, bank_.get(regs::IFLS) & 7) : 0;
}

unsigned Pl011Core::receive_trigger() const {
  return fifos_enabled() ? trigger(fifo_depth_, bank_.get(regs::IFLS) >> 3) : 1;
}

}  // namespace dpusim::uart
