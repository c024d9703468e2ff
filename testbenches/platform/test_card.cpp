#include "platform_bench.h"
#include "uart/pl011.h"

using namespace dpusim;
using namespace dpusim::test;

namespace {

const std::string kNoc = R"("noc": {"type": "crossbar"},)";
const std::string kGic =
    R"("gic": {"type": "gicv3", "bus": "noc", "at": {"distributor": "0x10000", "redistributors": "0x20000"}, "cores": 2})";
// A UART with these keys after its type, beside the interrupt controller.
std::string uart_card(const std::string& keys) {
  return kNoc + R"("uart": {"type": "pl011", "output": "none", "bus": "noc", "at": "0x1000")" + keys + "}," + kGic;
}
std::string ram(const std::string& keys) { return kNoc + R"("ram": {"type": "ram")" + keys + "}"; }

}  // namespace

TEST_CASE("unknown blocks, ports and types are told with the nearest name", "[card]") {
  CardBench bench;
  SECTION("type") {
    CHECK_THAT(bench.error(R"("a": {"type": "crosbar"})"),
               Contains("blocks.a.type: found unknown type \"crosbar\"") && Contains("crossbar"));
  }
  SECTION("bus") {
    CHECK_THAT(bench.error(ram(R"(, "bus": "nok", "at": "0x0")")),
               Contains("blocks.ram.bus: found no block \"nok\"") && Contains("noc"));
  }
  SECTION("bus that is none") {
    CHECK_THAT(bench.error(ram(R"(, "bus": "ram", "at": "0x0")")), Contains("which is no interconnect"));
  }
  SECTION("own port") {
    CHECK_THAT(bench.error(uart_card(R"(, "connect": {"irk": "gic.spi[0]"})")),
               Contains("connect.irk: found pl011 has no port \"irk\"") && Contains("irq"));
  }
  SECTION("peer") {
    CHECK_THAT(bench.error(uart_card(R"(, "connect": {"irq": "gik.spi[0]"})")),
               Contains("connect.irq: found no block \"gik\"") && Contains("gic"));
  }
  SECTION("peer's port") {
    CHECK_THAT(bench.error(uart_card(R"(, "connect": {"irq": "gic.spj"})")),
               Contains("gicv3 has no port \"spj\"") && Contains("spi"));
  }
  SECTION("no dot") {
    CHECK_THAT(bench.error(uart_card(R"(, "connect": {"irq": "gic"})")), Contains("expected \"block.port\""));
  }
}

TEST_CASE("addresses must be given where they are needed, and only there", "[card]") {
  CardBench bench;
  SECTION("none") { CHECK_THAT(bench.error(ram(R"(, "bus": "noc")")), Contains("blocks.ram: found no address for")); }
  SECTION("no bus") { CHECK_THAT(bench.error(ram(R"(, "at": "0x0")")), Contains("blocks.ram: found no \"bus\"")); }
  SECTION("without registers") {
    CHECK_THAT(bench.error(R"("s": {"type": "shutdown_request", "at": "0x0"})"),
               Contains("blocks.s.at") && Contains("no registers or memory"));
  }
  SECTION("one for two") {
    CHECK_THAT(bench.error(kNoc + R"("gic": {"type": "gicv3", "bus": "noc", "at": "0x0"})"),
               Contains("blocks.gic.at: found one address") && Contains("distributor, redistributors"));
  }
  SECTION("unknown port") {
    CHECK_THAT(bench.error(kNoc + R"("gic": {"type": "gicv3", "bus": "noc", "at": {"distributer": "0x0"}})"),
               Contains("unknown port \"distributer\"") && Contains("distributor"));
  }
  SECTION("overlap by one octet") {
    const auto two = [&](const char* at) {
      return kNoc +
             R"("low": {"type": "ram", "bus": "noc", "at": "0x1000", "capacity": "4KiB"}, "high": {"type": "ram", "bus": "noc", "capacity": "4KiB", "at": ")" +
             at + "\"}";
    };
    CHECK_THAT(bench.error(two("0x1fff")), Contains("low") && Contains("high"));
  }
  SECTION("neighbours") {
    CHECK(
        bench
            .card(
                kNoc +
                R"("low": {"type": "ram", "bus": "noc", "at": "0x1000", "capacity": "4KiB"}, "high": {"type": "ram", "bus": "noc", "capacity": "4KiB", "at": "0x2000"})")
            ->mappings()
            .size() == 2);
  }
}

TEST_CASE("ports of kinds that do not fit are told with both kinds", "[card]") {
  CardBench bench;
  SECTION("line to target") {
    CHECK_THAT(bench.error(uart_card(R"(, "connect": {"irq": "uart.bus"})")),
               Contains("irq is of the kind interrupt line, uart.bus of the kind memory target"));
  }
  SECTION("target as source") {
    CHECK_THAT(bench.error(uart_card(R"(, "connect": {"bus": "gic.spi[0]"})")), Contains("written at the other block"));
  }
}

TEST_CASE("a line's index is below the number of inputs, and a line is connected once", "[card]") {
  CardBench bench;
  SECTION("beyond") {
    CHECK_THAT(bench.error(uart_card(R"(, "connect": {"irq": "gic.spi[100000]"})")),
               Contains("blocks.uart.connect.irq: found \"gic.spi[100000]\", expected an index below"));
  }
  SECTION("no number") {
    CHECK_THAT(bench.error(uart_card(R"(, "connect": {"irq": "gic.spi[x]"})")), Contains("has no port \"spi[x]\""));
  }
  SECTION("twice") {
    CHECK_THAT(bench.error(kNoc + kGic + R"(, "nic": {"type": "nic", "bus": "noc", "at": "0x100_0000", "ports": 1,
                           "connect": {"irq[*]": "gic.spi[*+64]", "irq[0]": "gic.spi[1]"}})"),
               Contains("blocks.nic.connect.irq[0]: found a line that is connected already"));
  }
  SECTION("two on one socket") {
    const std::string cards = kNoc + R"("p0": {"type": "ethernet_port", "bus": "noc", "at": "0x1000_0000", "connect": {"host_out": "nic.port_in[0]"}},
      "p1": {"type": "ethernet_port", "bus": "noc", "at": "0x1001_0000", "connect": {"host_out": "nic.port_in[)";
    const std::string rest = R"(]"}}, "nic": {"type": "nic", "bus": "noc", "at": "0x2000_0000", "ports": 2, "connect": {"port_out[0]": "p0.host_in"}})";
    CHECK_THAT(bench.error(cards + "0" + rest),
               Contains("blocks.p1.connect.host_out: found \"nic.port_in[0]\", which is connected already, expected one connection a port"));
  }
  SECTION("to itself") {
    CHECK_THAT(bench.error(kNoc + R"("p0": {"type": "ethernet_port", "bus": "noc", "at": "0x1000_0000", "connect": {"host_out": "p0.host_in"}})"),
               Contains("blocks.p0.connect.host_out: found \"p0.host_in\", a port of the same block"));
  }
  SECTION("two on one input") {
    CHECK_THAT(
        bench.error(
            uart_card(R"(, "connect": {"irq": "gic.spi[3]"})") +
            R"(, "uart2": {"type": "pl011", "output": "none", "bus": "noc", "at": "0x5000", "connect": {"irq": "gic.spi[3]"}})"),
        Contains("blocks.uart2.connect.irq: found \"gic.spi[3]\", which another line is connected to"));
  }
  SECTION("good") { CHECK(bench.card(uart_card(R"(, "connect": {"irq": "gic.spi[0]"})"))->links().size() == 1); }
}

TEST_CASE("a star as index runs over all elements of a port, and may have an offset", "[card]") {
  CardBench bench;
  const auto card = bench.card(kNoc + kGic + R"(, "ram": {"type": "ram", "bus": "noc", "at": "0x4000_0000"},
      "nic": {"type": "nic", "bus": "noc", "at": "0x100_0000", "ports": 1, "connect": {"port_out[0]": "p0.host_in", "irq[*]": "gic.spi[*+64]"}},
      "p0": {"type": "ethernet_port", "bus": "noc", "at": "0x200_0000", "connect": {"host_out": "nic.port_in[0]"}})");
  std::vector<std::string> lines;
  for (const auto& link : card->links()) {
    if (link.kind == "interrupt line") lines.push_back(link.from + ">" + link.to);
  }
  REQUIRE(lines.size() > 1);
  for (std::size_t i = 0; i < lines.size(); ++i) CHECK(lines[i] == fmt::format("nic.irq[{}]>gic.spi[{}]", i, i + 64));
}

TEST_CASE("the effective platform makes the same effective platform", "[card]") {
  CardBench bench;
  const auto card =
      bench.card(uart_card(R"(, "connect": {"irq": "gic.spi[3]"}, "clock": {"value": "48MHz", "source": "me"})"));
  const auto effective = card->effective();
  CHECK(effective.at("blocks").at("uart").at("connect").at("irq") == "gic.spi[3]");
  CHECK_THAT(effective.at("blocks").at("uart").at("clock").dump(), Contains("48MHz") && Contains("me"));
  CHECK(platform::read_platform(bench.folder.write("again.json", effective.dump()), {}).blocks.size() == 3);
}
