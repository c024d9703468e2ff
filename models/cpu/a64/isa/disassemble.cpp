#include "cpu/a64/isa/disassemble.h"

#include <capstone.h>
#include <fmt/format.h>

namespace dpusim::cpu {

namespace {

/// Keeps a capstone handle for the life of the process.
struct Capstone {
  Capstone() : usable(cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &handle) == CS_ERR_OK) {}
  ~Capstone() {
    if (usable) cs_close(&handle);
  }
  csh handle = 0;
  bool usable;
};

}  // namespace

std::string disassemble(std::uint32_t word, std::uint64_t pc) {
  static Capstone capstone;
  const std::uint8_t octets[4] = {static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8),
                                  static_cast<std::uint8_t>(word >> 16), static_cast<std::uint8_t>(word >> 24)};
  cs_insn* instruction = nullptr;
  const std::size_t count =
      capstone.usable ? cs_disasm(capstone.handle, octets, sizeof octets, pc, 1, &instruction) : 0;
  if (count == 0) return fmt::format(".word {:#010x}", word);
  const std::string text = instruction->op_str[0] == '\0'
                               ? std::string(instruction->mnemonic)
                               : fmt::format("{} {}", instruction->mnemonic, instruction->op_str);
  cs_free(instruction, count);
  return text;
}

}  // namespace dpusim::cpu
