// Joining lists of instructions.
#pragma once

#include "cpu/a64/engine/handlers.h"

namespace dpusim::cpu {

template <class... Lists>
struct ConcatOf;
template <class... A>
struct ConcatOf<InstructionList<A...>> {
  using Type = InstructionList<A...>;
};
template <class... A, class... B, class... Rest>
struct ConcatOf<InstructionList<A...>, InstructionList<B...>, Rest...> {
  using Type = typename ConcatOf<InstructionList<A..., B...>, Rest...>::Type;
};
/// One list of all instructions of the lists.
template <class... Lists>
using Concat = typename ConcatOf<Lists...>::Type;

}  // namespace dpusim::cpu
