// Power State Coordination Interface 1.1 (Arm DEN 0022E), as firmware at a higher level would answer it.
#pragma once

#include <array>
#include <cstdint>

#include "cpu/a64/arch/system.h"

namespace dpusim::cpu {

/// Return codes. @spec DEN 0022E 5.2.2
enum class PsciStatus : std::int32_t {
  kSuccess = 0,
  kNotSupported = -1,
  kInvalidParameters = -2,
  kDenied = -3,
  kAlreadyOn = -4,
  kOnPending = -5,
  kInternalFailure = -6,
  kNotPresent = -7,
  kDisabled = -8,
  kInvalidAddress = -9,
};

/// Function identifiers, SMC32 form; those with an SMC64 form have bit 30 set there. @spec DEN 0022E 5.1, DEN 0028
/// (SMCCC)
namespace psci_function {
inline constexpr std::uint32_t kVersion = 0x84000000, kCpuSuspend = 0x84000001, kCpuOff = 0x84000002,
                               kCpuOn = 0x84000003, kAffinityInfo = 0x84000004, kMigrateInfoType = 0x84000006,
                               kSystemOff = 0x84000008, kSystemReset = 0x84000009, kFeatures = 0x8400000a,
                               kSmcccVersion = 0x80000000, kSmcccArchFeatures = 0x80000001, kSmc64 = 0x40000000;
}  // namespace psci_function

/// State of a PE as AFFINITY_INFO names it.
enum class PowerState : std::uint8_t { kOn = 0, kOff = 1, kOnPending = 2 };

/// What PSCI does with PEs; implemented by the cluster.
class PowerController {
 public:
  virtual ~PowerController() = default;
  /// Returns the number of PEs; PE n has the affinity that System::mpidr() gives it.
  [[nodiscard]] virtual unsigned pe_count() const = 0;
  [[nodiscard]] virtual std::uint64_t affinity(unsigned pe) const = 0;
  [[nodiscard]] virtual PowerState power_state(unsigned pe) const = 0;
  /// Starts a PE that is off, at `entry` with X0 = `context`.
  virtual void power_on(unsigned pe, std::uint64_t entry, std::uint64_t context) = 0;
  /// Ends the run: SYSTEM_OFF or SYSTEM_RESET.
  virtual void system_off(bool reset) = 0;
};

/// Answers one call. @param function W0; @param arguments X1..X3; @param result for X0, sign-extended.
/// @return kContinue, kWaitInterrupt (CPU_SUSPEND: result is already set), kOff or kStop.
Flow answer_psci(PowerController& power, std::uint32_t function, const std::array<std::uint64_t, 3>& arguments,
                 std::uint64_t& result);

}  // namespace dpusim::cpu
