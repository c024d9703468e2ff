// The decode table's rows of loads and stores of general registers, and of atomics.
#include "cpu/a64/engine/table_lists.h"
#include "cpu/a64/isa/atomics.h"
#include "cpu/a64/isa/decoder.h"
#include "cpu/a64/isa/load_store.h"

namespace dpusim::cpu {

namespace {

template <class X>
using Forms = InstructionList<LoadStoreUnsigned<X>, LoadStoreUnscaled<X>, LoadStoreUnprivileged<X>,
                              LoadStoreIndexed<X, false>, LoadStoreIndexed<X, true>, LoadStoreRegister<X, 2>,
                              LoadStoreRegister<X, 3>, LoadStoreRegister<X, 6>, LoadStoreRegister<X, 7>>;

template <unsigned kOpc, bool kLoad>
using PairForms =
    InstructionList<LoadStorePair<kOpc, kLoad, PairForm::kPost>, LoadStorePair<kOpc, kLoad, PairForm::kOffset>,
                    LoadStorePair<kOpc, kLoad, PairForm::kPre>>;

using Transfers = Concat<
    Forms<Transfer<0, 0>>, Forms<Transfer<0, 1>>, Forms<Transfer<0, 2>>, Forms<Transfer<0, 3>>, Forms<Transfer<1, 0>>,
    Forms<Transfer<1, 1>>, Forms<Transfer<1, 2>>, Forms<Transfer<1, 3>>, Forms<Transfer<2, 0>>, Forms<Transfer<2, 1>>,
    Forms<Transfer<2, 2>>, Forms<Transfer<3, 0>>, Forms<Transfer<3, 1>>, PairForms<0, false>, PairForms<0, true>,
    PairForms<1, true>, PairForms<2, false>, PairForms<2, true>,
    InstructionList<LoadStorePair<0, false, PairForm::kNoAllocate>, LoadStorePair<0, true, PairForm::kNoAllocate>,
                    LoadStorePair<2, false, PairForm::kNoAllocate>, LoadStorePair<2, true, PairForm::kNoAllocate>,
                    LoadLiteral<0>, LoadLiteral<1>, LoadLiteral<2>, Prefetch<0>, Prefetch<1>, Prefetch<2>,
                    Prefetch<3>>>;

template <unsigned kSize>
using OfSize = InstructionList<
    LoadExclusive<kSize, false>, LoadExclusive<kSize, true>, StoreExclusive<kSize, false>, StoreExclusive<kSize, true>,
    LoadStoreOrdered<kSize, false, false>, LoadStoreOrdered<kSize, false, true>, LoadStoreOrdered<kSize, true, false>,
    LoadStoreOrdered<kSize, true, true>, LoadAcquireRcpc<kSize>, CompareAndSwap<kSize>,
    AtomicMemory<kSize, Atomic::kAdd>, AtomicMemory<kSize, Atomic::kClr>, AtomicMemory<kSize, Atomic::kEor>,
    AtomicMemory<kSize, Atomic::kSet>, AtomicMemory<kSize, Atomic::kSmax>, AtomicMemory<kSize, Atomic::kSmin>,
    AtomicMemory<kSize, Atomic::kUmax>, AtomicMemory<kSize, Atomic::kUmin>, AtomicMemory<kSize, Atomic::kSwap>>;

template <bool k64>
using OfPair = InstructionList<LoadExclusivePair<k64, false>, LoadExclusivePair<k64, true>,
                               StoreExclusivePair<k64, false>, StoreExclusivePair<k64, true>, CompareAndSwapPair<k64>>;

using Atomics = Concat<OfSize<0>, OfSize<1>, OfSize<2>, OfSize<3>, OfPair<false>, OfPair<true>>;

}  // namespace

std::span<const Entry> load_store_entries() {
  static constexpr auto rows = entries_of(Transfers{});
  return rows;
}

std::span<const Entry> atomic_entries() {
  static constexpr auto rows = entries_of(Atomics{});
  return rows;
}

}  // namespace dpusim::cpu
