// Watches a binding and reports every departure from the TLM-2.0 base protocol and from the house rules on top of it.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "tlm/block.h"
#include "tlm/transfer.h"

namespace dpusim {

/// Stands between an initiator and a target in a test bench and passes everything through unchanged:
/// `initiator.bind(checker.target); checker.initiator.bind(target_socket);`. A test ends with
/// CHECK(checker.violations().empty()).
///
/// Rules of IEEE 1666-2011 are reported with their clause. House rules, reported as "dpusim": the address attribute is
/// restored on return; TransferAttributes are not changed on the way; a timing_only access may have no data pointer
/// (the standard forbids a null pointer for reads and writes) and leaves a data array as it was; debug and DMI calls
/// leave the payload as it was.
class ProtocolChecker : public sc_core::sc_module,
                        public ::tlm::tlm_fw_transport_if<>,
                        public ::tlm::tlm_bw_transport_if<> {
 public:
  explicit ProtocolChecker(const sc_core::sc_module_name& name);

  MemoryTargetSocket target{"target"};           ///< the initiator is bound to this
  MemoryInitiatorSocket initiator{"initiator"};  ///< this is bound to the target

  /// Returns what was found, in order, each with clause, call and address.
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
  /// Returns all violations, one a line, for a test's message.
  [[nodiscard]] std::string report() const;
  /// Returns how many calls of all kinds passed: a test that expects traffic can tell that there was some.
  [[nodiscard]] std::uint64_t calls() const { return calls_; }

  void b_transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  ::tlm::tlm_sync_enum nb_transport_fw(::tlm::tlm_generic_payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  ::tlm::tlm_sync_enum nb_transport_bw(::tlm::tlm_generic_payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(::tlm::tlm_generic_payload& payload, ::tlm::tlm_dmi& dmi) override;
  unsigned int transport_dbg(::tlm::tlm_generic_payload& payload) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;

 private:
  struct Before;
  void found(const char* clause, const std::string& what, const ::tlm::tlm_generic_payload& payload);
  void check_request(const ::tlm::tlm_generic_payload& payload);
  void check_unchanged(const Before& before, const ::tlm::tlm_generic_payload& payload);
  void check_data(const Before& before, const ::tlm::tlm_generic_payload& payload);
  void check_dmi(const Before& before, bool granted, const ::tlm::tlm_generic_payload& payload,
                 const ::tlm::tlm_dmi& dmi);

  const char* call_ = "";
  std::vector<std::string> violations_;
  std::uint64_t calls_ = 0;
};

}  // namespace dpusim
