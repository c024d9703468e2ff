#include "interconnect/interconnect_types.h"

#include "interconnect/crossbar.h"

namespace dpusim::interconnect {

std::span<const BlockType> block_types() {
  static const BlockType types[] = {
      block_type<Crossbar, CrossbarConfig>("crossbar", "interconnect",
                                           "Coherent crossbar with a shared last-level cache"),
  };
  return types;
}

}  // namespace dpusim::interconnect
