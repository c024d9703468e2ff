#include "uart/uart_types.h"

#include "uart/pl011.h"

namespace dpusim::uart {

std::span<const BlockType> block_types() {
  static const BlockType types[] = {block_type<Pl011, Pl011Config>(
      "pl011", "uart", "PL011 UART with its line to a terminal, a file or standard output")};
  return types;
}

}  // namespace dpusim::uart
