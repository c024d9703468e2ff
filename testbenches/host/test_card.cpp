// Host and card with the real link, endpoint, fabric, NIC and DMA engine between them.
#include <catch2/catch.hpp>

#include "host/dma_program.h"
#include "real_card.h"

using namespace host_bench;
using namespace dpusim::literals;

namespace {

Json dma(const char* direction, Json more = Json::object()) {
  Json json = {{"type", "dma"}, {"name", "dma"}, {"direction", direction}};
  json.update(more);
  return json;
}

}  // namespace

TEST_CASE("card: frames from a program by the card, a cable and the card to a program, with interrupts") {
  const Json by = {{"notice", "interrupt"}, {"moderation_count", 4}, {"moderation_time", "5us"}};
  RealCard card(Json::array(
      {Json{{"type", "send"},
            {"name", "tx"},
            {"port", 0},
            {"count", 3000},
            {"flows", 16},
            {"rate", "50Gb/s"},
            {"start", "1ms"}},
       Json{{"type", "receive"}, {"name", "rx"}, {"port", 1}, {"threads", 2}, {"count", 3000}, {"receive", by}}}));
  card.run_out();
  CHECK(card.host->programs_done());
  CHECK(card.stat("rx.frames") == 3000);
  CHECK(card.stat("rx.errors") == 0);
  CHECK(card.stat("tx.frames") == 3000);
  CHECK(card.stat("rx.interrupts") > 0);
  CHECK(card.stat("spurious_interrupts") == 0);
  CHECK(card.stat("unsupported_requests") == 0);
  CHECK(card.stat("enumeration_time") > 0);
  CHECK(card.lawful());
}

TEST_CASE("card: a DMA job copies host memory to the card at any alignment, and back") {
  RealCard card(Json::array({dma("to_card", {{"count", 1}, {"size", 777}, {"alignment", 13}, {"card_buffer", "0x101"}}),
                             Json{{"type", "dma"},
                                  {"name", "back"},
                                  {"direction", "to_host"},
                                  {"count", 1},
                                  {"size", 777},
                                  {"alignment", 7},
                                  {"card_buffer", "0x101"},
                                  {"queue", 1},
                                  {"start", "1ms"}}}));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  host::HostMemory& memory = card.host->memory();
  // Memory of 16 GiB: programs have it from 4 GiB on. The buffer follows the rings: the first page after them, and 13
  // octets.
  const std::uint64_t from = (4ULL << 30U) + 4096 + 13;
  for (unsigned i = 0; i < 777; ++i) memory.at(from + i, 1)[0] = static_cast<std::uint8_t>(i * 7 + 1);
  card.run_out();
  CHECK(card.host->programs_done());
  CHECK(card.stat("dma.jobs") == 1);
  CHECK(card.stat("dma.octets_to_card") == 777);
  CHECK(card.stat("back.octets_to_host") == 777);
  CHECK(card.stat("dma.failed") + card.stat("back.failed") == 0);
  const auto sent = memory.at(from, 777), came = memory.at((4ULL << 30U) + 8192 + 7, 777);
  CHECK(std::equal(sent.begin(), sent.end(), came.begin()));
  CHECK(memory.at((4ULL << 30U) + 8192 + 6, 1)[0] == 0);
  CHECK(memory.at((4ULL << 30U) + 8192 + 7 + 777, 1)[0] == 0);
  CHECK(card.lawful());
}

TEST_CASE("card: bandwidth of DMA reads is that of completions on the wire") {
  RealCard card(Json::array({dma("to_card", {{"count", 2000}, {"depth", 64}})}));
  card.run_out();
  CHECK(card.stat("dma.jobs") == 2000);
  // Gen4 x16: 16 lanes of 16 GT/s, 128/130. 4096 octets come as 16 completions of 256 with 20 octets each. Doorbells
  // and the reading of jobs take a little of it: not more than 4 %.
  const double ideal = 16 * 16e9 * 128 / 130 * 256 / 276;
  CHECK(card.stat("dma.bandwidth") < ideal);
  CHECK(card.stat("dma.bandwidth") > ideal * 0.96);
}

TEST_CASE("card: bandwidth of DMA writes is that of writes on the wire") {
  RealCard card(Json::array({dma("to_host", {{"count", 2000}, {"depth", 64}})}));
  card.run_out();
  CHECK(card.stat("dma.jobs") == 2000);
  // 16 writes of 256 octets with 24 octets each; addresses are above 4 GiB. Completions and requests for jobs share the
  // way: up to 4 %.
  const double ideal = 16 * 16e9 * 128 / 130 * 256 / 280;
  CHECK(card.stat("dma.bandwidth") < ideal);
  CHECK(card.stat("dma.bandwidth") > ideal * 0.96);
}

TEST_CASE("card: both ways at once are faster than either") {
  RealCard card(Json::array({dma("both", {{"count", 4000}, {"depth", 64}, {"window", "1MiB"}})}));
  card.run_out();
  CHECK(card.stat("dma.octets_to_host") == 2000 * 4096);
  CHECK(card.stat("dma.octets_to_card") == 2000 * 4096);
  // More than one direction of the link has, and no more than the engine's port of 32 octets at 1.25 GHz lets through
  // each way: every octet is read from one side and written to the other.
  CHECK(card.stat("dma.bandwidth") > 16 * 16e9 * 128 / 130);
  CHECK(card.stat("dma.bandwidth") < 320e9);
  CHECK(card.lawful());
}

TEST_CASE("card: counters of jobs wrap, and small jobs are bound by the thread") {
  RealCard card(Json::array({dma("both", {{"count", 70000}, {"depth", 64}, {"size", 1024}, {"window", "16MiB"}})}));
  card.run_out();
  CHECK(card.stat("dma.jobs") == 70000);
  CHECK(card.stat("dma.octets_to_host") == 35000 * 1024);
  CHECK(card.stat("dma.octets_to_card") == 35000 * 1024);
  // 100 cycles of 3 GHz a job, and doorbells.
  CHECK(card.stat("dma.bandwidth") < 1024 * 8 / 33.333e-9);
  CHECK(card.stat("dma.thread0_utilisation") > 0.9);
  CHECK(card.lawful());
}

TEST_CASE("card: a job whose card buffer is nowhere fails, and the program goes on") {
  RealCard card(Json::array({dma("to_card", {{"count", 5}, {"card_buffer", "0x7000_0000"}})}));
  card.run_out();
  CHECK(card.stat("dma.failed") == 5);
  CHECK(card.stat("dma.jobs") == 0);
  CHECK(card.host->programs_done());
}

namespace {

void refuse(const Json& programs, const std::vector<std::string>& words, const Json& host_config = Json::object()) {
  RealCard card(programs, Json::object(), host_config);
  std::string message;
  try {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  } catch (const ConfigError& error) {
    message = error.what();
  }
  for (const std::string& word : words) CHECK_THAT(message, Catch::Contains(word));
}

}  // namespace

TEST_CASE("card refused: two programs on one queue of the accelerator") {
  refuse(Json::array({dma("both"), Json{{"type", "dma"}, {"name", "other"}}}),
         {"scenario[1].queue", "queue 0", "scenario[0]"});
}
TEST_CASE("card refused: a NIC where an accelerator is asked for") {
  refuse(Json::array({dma("both", {{"device", {{"offset", 0}}}})}), {"scenario[0].device", "0x4e494301", "dma"});
}
TEST_CASE("card refused: a window smaller than host memory") {
  refuse(Json::array({dma("both")}), {"scenario[0]", "window"}, {{"memory_size", "128GiB"}});
}
TEST_CASE("card refused: buffers larger than host memory") {
  refuse(Json::array({dma("both", {{"window", "1TiB"}})}), {"scenario[0].window", "memory_size"});
}
