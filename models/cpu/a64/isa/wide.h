// Integers of 128 bits, which both compilers have beyond the standard.
#pragma once

namespace dpusim::cpu {

__extension__ typedef unsigned __int128 UInt128;
__extension__ typedef __int128 Int128;

}  // namespace dpusim::cpu
