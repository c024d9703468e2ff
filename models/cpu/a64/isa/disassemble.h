// Text of an instruction, for reports and traces.
#pragma once

#include <cstdint>
#include <string>

namespace dpusim::cpu {

/// Disassembles one A64 word at `pc`; ".word 0x..." when it is none. @spec capstone's syntax
std::string disassemble(std::uint32_t word, std::uint64_t pc);

}  // namespace dpusim::cpu
