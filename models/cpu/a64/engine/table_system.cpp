// The decode table's rows of branches and system instructions, and the special rows.
#include "cpu/a64/engine/table_lists.h"
#include "cpu/a64/isa/branch.h"
#include "cpu/a64/isa/decoder.h"
#include "cpu/a64/isa/system.h"

namespace dpusim::cpu {

namespace {

template <unsigned... kConditions>
using Conditionals = InstructionList<BranchConditional<kConditions>...>;

using Branches = Concat<Conditionals<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15>,
                        InstructionList<Branch, BranchLink, CompareBranch<false, false>, CompareBranch<false, true>,
                                        CompareBranch<true, false>, CompareBranch<true, true>, TestBranch<false>,
                                        TestBranch<true>, BranchRegister<0>, BranchRegister<1>, BranchRegister<2>>>;

using Systems = InstructionList<ExceptionCall<1>, ExceptionCall<2>, ExceptionCall<3>, Breakpoint, Halt, ExceptionReturn,
                                ReadSystemRegister, WriteSystemRegister, WritePstate, SystemInstruction, ZeroBlock,
                                SystemInstructionLong, Hint, Wait<false>, Wait<true>, SendEvent<false>, SendEvent<true>,
                                Barrier<2>, Barrier<4>, Barrier<5>, Barrier<6>>;

using Specials = InstructionList<Undefined, FpDisabled, FallThrough, DebugStop>;

}  // namespace

std::span<const Entry> branch_entries() {
  static constexpr auto rows = entries_of(Branches{});
  return rows;
}

std::span<const Entry> system_entries() {
  static constexpr auto rows = entries_of(Systems{});
  return rows;
}

std::span<const Entry> special_entries() {
  static constexpr auto rows = entries_of(Specials{});
  return rows;
}

}  // namespace dpusim::cpu
