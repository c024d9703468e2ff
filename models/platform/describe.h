// Text about a card: its memory map, its blocks, and a diagram.
#pragma once

#include <string>

#include "platform/card.h"

namespace dpusim::platform {

/// Returns blocks (name, type, what it is) and the memory map of every bus, holes included, as a table.
std::string describe_text(const Card& card);
/// Returns the block diagram in Graphviz' language (render with `dot -Tsvg`).
std::string describe_graphviz(const Card& card);
/// Returns the block diagram in Mermaid's language (Markdown viewers show it).
std::string describe_mermaid(const Card& card);

}  // namespace dpusim::platform
