// The decode table's rows of data processing on general registers.
#include "cpu/a64/engine/table_lists.h"
#include "cpu/a64/isa/decoder.h"
#include "cpu/a64/isa/integer.h"

namespace dpusim::cpu {

namespace {

template <bool k64, bool kSub, bool kFlags>
using AddSub = InstructionList<
    AddSubImmediate<k64, kSub, kFlags>, AddSubExtended<k64, kSub, kFlags>, AddSubCarry<k64, kSub, kFlags>,
    AddSubShifted<k64, kSub, kFlags, Shift::kLsl, true>, AddSubShifted<k64, kSub, kFlags, Shift::kLsl, false>,
    AddSubShifted<k64, kSub, kFlags, Shift::kLsr, true>, AddSubShifted<k64, kSub, kFlags, Shift::kLsr, false>,
    AddSubShifted<k64, kSub, kFlags, Shift::kAsr, true>, AddSubShifted<k64, kSub, kFlags, Shift::kAsr, false>>;

template <bool k64, Logic kOp, bool kNot>
using Logical = InstructionList<
    LogicalShifted<k64, kOp, kNot, Shift::kLsl, true>, LogicalShifted<k64, kOp, kNot, Shift::kLsl, false>,
    LogicalShifted<k64, kOp, kNot, Shift::kLsr, true>, LogicalShifted<k64, kOp, kNot, Shift::kLsr, false>,
    LogicalShifted<k64, kOp, kNot, Shift::kAsr, true>, LogicalShifted<k64, kOp, kNot, Shift::kAsr, false>,
    LogicalShifted<k64, kOp, kNot, Shift::kRor, true>, LogicalShifted<k64, kOp, kNot, Shift::kRor, false>>;

template <bool k64, Logic kOp>
using Logicals = Concat<InstructionList<LogicalImmediate<k64, kOp>>, Logical<k64, kOp, false>, Logical<k64, kOp, true>>;

template <bool k64, unsigned... kConditions>
using SelectsOf = InstructionList<
    ConditionalSelect<k64, false, false, kConditions>..., ConditionalSelect<k64, false, true, kConditions>...,
    ConditionalSelect<k64, true, false, kConditions>..., ConditionalSelect<k64, true, true, kConditions>...>;

template <bool k64>
using OfWidth = Concat<
    AddSub<k64, false, false>, AddSub<k64, false, true>, AddSub<k64, true, false>, AddSub<k64, true, true>,
    Logicals<k64, Logic::kAnd>, Logicals<k64, Logic::kOrr>, Logicals<k64, Logic::kEor>, Logicals<k64, Logic::kAnds>,
    SelectsOf<k64, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15>,
    InstructionList<MoveWide<k64, false>, MoveWide<k64, true>, MoveKeep<k64>, BitfieldMove<k64, false>,
                    BitfieldMove<k64, true>, BitfieldInsert<k64>, Extract<k64>, ConditionalCompare<k64, false, false>,
                    ConditionalCompare<k64, false, true>, ConditionalCompare<k64, true, false>,
                    ConditionalCompare<k64, true, true>, TwoSource<k64, Shape2::kUdiv>, TwoSource<k64, Shape2::kSdiv>,
                    TwoSource<k64, Shape2::kLslv>, TwoSource<k64, Shape2::kLsrv>, TwoSource<k64, Shape2::kAsrv>,
                    TwoSource<k64, Shape2::kRorv>, OneSource<k64, Shape1::kRbit>, OneSource<k64, Shape1::kRev16>,
                    OneSource<k64, Shape1::kRev32>, OneSource<k64, Shape1::kClz>, OneSource<k64, Shape1::kCls>,
                    MultiplyAdd<k64, false>, MultiplyAdd<k64, true>>>;

using All = Concat<
    OfWidth<false>, OfWidth<true>,
    InstructionList<Address<false>, Address<true>, OneSource<true, Shape1::kRev64>, MultiplyAddLong<false, false>,
                    MultiplyAddLong<false, true>, MultiplyAddLong<true, false>, MultiplyAddLong<true, true>,
                    MultiplyHigh<false>, MultiplyHigh<true>, Crc32<false, 0>, Crc32<false, 1>, Crc32<false, 2>,
                    Crc32<false, 3>, Crc32<true, 0>, Crc32<true, 1>, Crc32<true, 2>, Crc32<true, 3>>>;

}  // namespace

std::span<const Entry> integer_entries() {
  static constexpr auto rows = entries_of(All{});
  return rows;
}

}  // namespace dpusim::cpu
