// The endpoint's registers of both sides, and interrupts.
#include <algorithm>
#include <array>

#include "pcie/pcie_endpoint_core.h"
#include "pcie/pcie_endpoint_host_regs.h"
#include "pcie/pcie_endpoint_regs.h"

namespace dpusim::pcie {

namespace card = pcie_endpoint_regs;
namespace host = pcie_endpoint_host_regs;

void PcieEndpointCore::install_card_registers() {
  card_.set(card::CAPABILITY, std::uint64_t{config_.vectors} << card::kCAPABILITY_VECTORS_shift);
  card_.set(card::WINDOW_SIZE, config_.window_size.count());
  card_.set(card::HOST_BASE, config_.host_base.count());
  card_.on_read(
      card::STATUS, [this](RegisterBank::Element) { return std::uint64_t{host_settings()}; }, true);
  card_.on_read(
      card::LINK,
      [this](RegisterBank::Element) {
        return std::uint64_t{config_.generation} << card::kLINK_SPEED_shift |
               std::uint64_t{config_.lanes} << card::kLINK_WIDTH_shift |
               std::uint64_t{id_.packed()} << card::kLINK_REQUESTER_shift;
      },
      true);
  card_.on_write(card::HOST_BASE, [this](const RegisterBank::Write& write) { space_.set_host_base(write.value); });
  card_.on_read(
      card::INTERRUPT_STATUS,
      [this](RegisterBank::Element) {
        return card_.get(card::INTERRUPT_STATUS) |
               (card_.get(card::DOORBELL) != 0 ? card::kINTERRUPT_STATUS_DOORBELL_mask : 0);
      },
      true);
  for (const unsigned reg : {card::INTERRUPT_STATUS, card::INTERRUPT_ENABLE, card::DOORBELL})
    card_.on_write(reg, [this](const RegisterBank::Write&) { environment_.irq_changed(); });
  card_.on_write(card::MSIX_RAISE, [this](const RegisterBank::Write& write) {
    if (write.value < msix_.vectors()) raise(static_cast<unsigned>(write.value), when_);
  });
  card_.on_read(
      card::WINDOW_REFUSED, [this](RegisterBank::Element) { return stats_.outbound_refused.value(); }, true);
  card_.on_read(
      card::WINDOW_ERRORS, [this](RegisterBank::Element) { return stats_.outbound_errors.value(); }, true);
  card_.on_read(
      card::FROM_HOST, [this](RegisterBank::Element i) { return host_.get(host::TO_CARD, i); }, true);
}

void PcieEndpointCore::install_host_registers() {
  host_.set(host::CAPABILITY, std::uint64_t{config_.vectors} << host::kCAPABILITY_VECTORS_shift);
  host_.set(host::WINDOW_AT, config_.window_at.count());
  host_.set(host::WINDOW_SIZE, config_.window_size.count());
  host_.on_read(
      host::HOST_BASE, [this](RegisterBank::Element) { return card_.get(card::HOST_BASE); }, true);
  host_.on_read(
      host::DOORBELL_PENDING, [this](RegisterBank::Element) { return card_.get(card::DOORBELL); }, true);
  host_.on_read(
      host::FROM_CARD, [this](RegisterBank::Element i) { return card_.get(card::TO_HOST, i); }, true);
  host_.on_write(host::DOORBELL, [this](const RegisterBank::Write& write) {
    ++stats_.doorbells;
    environment_.tell_at({.doorbells = static_cast<std::uint32_t>(write.written), .configuration = false}, when_);
  });
}

// As the card's STATUS shows it.
std::uint32_t PcieEndpointCore::host_settings() const {
  std::uint64_t settings = 0;
  if (space_.memory_enabled()) settings |= card::kSTATUS_MEMORY_mask;
  if (space_.bus_master()) settings |= card::kSTATUS_BUS_MASTER_mask;
  if (space_.msix_enabled()) settings |= card::kSTATUS_MSIX_mask;
  if (space_.msix_masked()) settings |= card::kSTATUS_MSIX_MASK_mask;
  return static_cast<std::uint32_t>(settings);
}

void PcieEndpointCore::take(const Notice& notice) {
  card_.set(card::DOORBELL, card_.get(card::DOORBELL) | notice.doorbells);
  if (notice.configuration)
    card_.set(card::INTERRUPT_STATUS, card_.get(card::INTERRUPT_STATUS) | card::kINTERRUPT_STATUS_CONFIGURATION_mask);
  environment_.irq_changed();
}

bool PcieEndpointCore::irq() const {
  const std::uint64_t enabled = card_.get(card::INTERRUPT_ENABLE);
  const bool rung = card_.get(card::DOORBELL) != 0 && (enabled & card::kINTERRUPT_ENABLE_DOORBELL_mask) != 0;
  return rung || (card_.get(card::INTERRUPT_STATUS) & enabled & card::kINTERRUPT_ENABLE_CONFIGURATION_mask) != 0;
}

void PcieEndpointCore::set_input(unsigned vector, bool level, Time when) {
  if (level) {
    raised_[vector] = when;
    raise(vector, when);
  } else if (msix_.pending(vector) && when > raised_[vector]) {
    msix_.set_pending(vector, false);
    ++stats_.msix_withdrawn;
    stats_.msix_pending.add(-1);
  }
}

void PcieEndpointCore::raise(unsigned vector, Time when) {
  ++stats_.msix_events;
  if (!space_.msix_enabled()) {
    ++stats_.msix_disabled;
  } else if (!space_.msix_masked() && !msix_.masked(vector) && space_.bus_master()) {
    send_message(vector, when);
  } else if (msix_.pending(vector)) {
    ++stats_.msix_merged;
  } else {
    msix_.set_pending(vector, true);
    stats_.msix_pending.add(1);
  }
}

// Goes the way of the card's writes to host memory, so it arrives after those that were made before.
void PcieEndpointCore::send_message(unsigned vector, Time when) {
  ++stats_.msix_messages;
  const MsixMessage message = msix_.message(vector);
  std::array<std::uint8_t, 4> octets{};
  for (unsigned i = 0; i < 4; ++i) octets[i] = static_cast<std::uint8_t>(message.data >> (8 * i));
  PcieRequest request{.type = TlpType::kMemoryWrite, .address = message.address, .data = octets, .requester = id_};
  environment_.request(request, when + latency_);
  if (request.status != CompletionStatus::kSuccessful) ++stats_.msix_errors;
}

void PcieEndpointCore::release_pending(Time when) {
  if (!space_.msix_enabled() || space_.msix_masked() || !space_.bus_master()) return;
  msix_.release([&](unsigned vector) {
    stats_.msix_pending.add(-1);
    send_message(vector, when);
  });
}

}  // namespace dpusim::pcie
