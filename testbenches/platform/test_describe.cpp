#include "platform/describe.h"

#include "platform_bench.h"

using namespace dpusim;
using namespace dpusim::test;

TEST_CASE("a small card is drawn block by block and edge by edge") {
  CardBench bench;
  const auto card = bench.card(R"("noc": {"type": "crossbar"},
      "ram": {"type": "ram", "bus": "noc", "at": "0x1000", "capacity": "4KiB"},
      "gic": {"type": "gicv3", "bus": "noc", "at": {"distributor": "0x10000", "redistributors": "0x20000"}, "cores": 1},
      "uart": {"type": "pl011", "bus": "noc", "at": "0x80000", "output": "none", "connect": {"irq": "gic.spi[1]"}})");
  CHECK(platform::describe_mermaid(*card) ==
        "flowchart LR\n  noc[\"noc<br/>crossbar\"]\n  ram[\"ram<br/>ram\"]\n  gic[\"gic<br/>gicv3\"]\n  "
        "uart[\"uart<br/>pl011\"]\n"
        "  noc --> gic\n  noc --> ram\n  noc --> uart\n  uart -.->|interrupt| gic\n");
  CHECK(platform::describe_graphviz(*card) ==
        "digraph \"small\" {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n"
        "  \"noc\" [label=\"noc\\ncrossbar\"];\n  \"ram\" [label=\"ram\\nram\"];\n"
        "  \"gic\" [label=\"gic\\ngicv3\"];\n  \"uart\" [label=\"uart\\npl011\"];\n"
        "  \"noc\" -> \"gic\" [label=\"\"];\n  \"noc\" -> \"ram\" [label=\"\"];\n  \"noc\" -> \"uart\" [label=\"\"];\n"
        "  \"uart\" -> \"gic\" [label=\"interrupt\", style=dashed];\n}\n");
  CHECK_THAT(platform::describe_text(*card), Contains("  0x0000000000001000   0x0000000000001fff        4KiB  ram\n"));
}
