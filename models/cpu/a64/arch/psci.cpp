#include "cpu/a64/arch/psci.h"

#include <optional>

namespace dpusim::cpu {

namespace {

std::optional<unsigned> find_pe(const PowerController& power, std::uint64_t target) {
  for (unsigned pe = 0; pe < power.pe_count(); ++pe) {
    if (power.affinity(pe) == target) return pe;
  }
  return std::nullopt;
}

PsciStatus cpu_on(PowerController& power, std::uint64_t target, std::uint64_t entry, std::uint64_t context) {
  const auto pe = find_pe(power, target);
  if (!pe) return PsciStatus::kInvalidParameters;
  if ((entry & 3) != 0) return PsciStatus::kInvalidAddress;  // bit 0 asks for T32, which no level here has
  switch (power.power_state(*pe)) {
    case PowerState::kOn:
      return PsciStatus::kAlreadyOn;
    case PowerState::kOnPending:
      return PsciStatus::kOnPending;
    default:
      break;
  }
  power.power_on(*pe, entry, context);
  return PsciStatus::kSuccess;
}

// Reserved bits of power_state in the original format. @spec DEN 0022E 5.4.2.1
constexpr std::uint64_t kPowerStateReserved = 0xfcfe'0000;

PsciStatus features(std::uint32_t function) {
  using namespace psci_function;
  switch (function) {
    case kVersion:
    case kCpuOff:
    case kMigrateInfoType:
    case kSystemOff:
    case kSystemReset:
    case kFeatures:
    case kSmcccVersion:
    case kCpuSuspend:
    case kCpuSuspend | kSmc64:
    case kCpuOn:
    case kCpuOn | kSmc64:
    case kAffinityInfo:
    case kAffinityInfo | kSmc64:
      return PsciStatus::kSuccess;  // CPU_SUSPEND: original power_state format, platform-coordinated
    default:
      return PsciStatus::kNotSupported;
  }
}

}  // namespace

Flow answer_psci(PowerController& power, std::uint32_t function, const std::array<std::uint64_t, 3>& arguments,
                 std::uint64_t& result) {
  using namespace psci_function;
  constexpr std::uint64_t kVersion1_1 = 0x0001'0001;
  const auto answer = [&result](PsciStatus status) {
    result = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(status)));
    return Flow::kContinue;
  };
  // An SMC32 call passes 32-bit arguments, whatever the upper halves hold.
  std::array<std::uint64_t, 3> a = arguments;
  if ((function & kSmc64) == 0) {
    for (std::uint64_t& value : a) value &= 0xffff'ffff;
  }
  switch (function) {
    case kVersion:
      result = kVersion1_1;
      return Flow::kContinue;
    case kCpuSuspend:
    case kCpuSuspend | kSmc64:
      if ((a[0] & kPowerStateReserved) != 0) return answer(PsciStatus::kInvalidParameters);
      // A power-down request may be served by a shallower state, which returns like standby. @spec DEN 0022E 5.4.1
      answer(PsciStatus::kSuccess);
      return Flow::kWaitInterrupt;
    case kCpuOff:
      return Flow::kOff;
    case kCpuOn:
    case kCpuOn | kSmc64:
      return answer(cpu_on(power, a[0], a[1], a[2]));
    case kAffinityInfo:
    case kAffinityInfo | kSmc64: {
      const auto pe = find_pe(power, a[0]);
      if (!pe || a[1] != 0) return answer(PsciStatus::kInvalidParameters);
      result = static_cast<std::uint64_t>(power.power_state(*pe));
      return Flow::kContinue;
    }
    case kMigrateInfoType:
      result = 2;
      return Flow::kContinue;  // no Trusted OS that needs migration
    case kSystemOff:
      power.system_off(false);
      return Flow::kStop;
    case kSystemReset:
      power.system_off(true);
      return Flow::kStop;
    case kFeatures:
      return answer(features(static_cast<std::uint32_t>(a[0])));
    case kSmcccVersion:
      result = kVersion1_1;
      return Flow::kContinue;
    case kSmcccArchFeatures: {
      const auto asked = static_cast<std::uint32_t>(a[0]);
      return answer(asked == kSmcccVersion || asked == kSmcccArchFeatures ? PsciStatus::kSuccess
                                                                          : PsciStatus::kNotSupported);
    }
    default:
      return answer(PsciStatus::kNotSupported);
  }
}

}  // namespace dpusim::cpu
