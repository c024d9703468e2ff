// The decode table: rows do not overlap, and words find the row that the Arm ARM gives them.
#include <catch2/catch.hpp>

#include "cpu/a64/isa/decoder.h"
#include "cpu/a64/isa/disassemble.h"
#include "cpu/a64/isa/integer_functions.h"
#include "sim/random.h"

using namespace dpusim::cpu;

TEST_CASE("no word belongs to two rows of the decode table") {
  const auto& rows = Decoder::instance().entries();
  REQUIRE(rows.size() > 500);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = i + 1; j < rows.size(); ++j)
      if (rows[i]->pattern.overlaps(rows[j]->pattern))
        FAIL(rows[i]->text << " " << std::hex << rows[i]->pattern.mask() << "/" << rows[i]->pattern.value() << " and "
                           << rows[j]->text << " " << rows[j]->pattern.mask() << "/" << rows[j]->pattern.value());
}

TEST_CASE("overlap is seen through exclusions") {
  constexpr Pattern any("a:16 b:16");
  STATIC_REQUIRE(any.overlaps(any.fix("a", 1)));
  STATIC_REQUIRE(!any.except("a", 1).overlaps(any.fix("a", 1)));
  STATIC_REQUIRE(any.except("a", 1).overlaps(any.fix("a", 2)));
  STATIC_REQUIRE(!any.except("a", 1, "b", 2).overlaps(any.fix("a", 1).fix("b", 2)));
  STATIC_REQUIRE(any.except("a", 1, "b", 2).overlaps(any.fix("a", 1)));
  STATIC_REQUIRE(!any.except("a", 1).matches(0x0001'0000));
}

TEST_CASE("each row decodes a word of its own without slips in field names") {
  dpusim::Random random(1, "decode");
  for (const Entry* row : Decoder::instance().entries()) {
    for (int i = 0; i < 50; ++i) {
      const auto word =
          static_cast<std::uint32_t>((random() & ~std::uint64_t{row->pattern.mask()}) | row->pattern.value());
      if (!row->pattern.matches(word)) continue;  // an excluded value
      REQUIRE(Decoder::instance().find(word) == row);
      std::vector<std::uint64_t> pool;
      Op op;
      const Fields fields(word, 0x4000'0000, row->pattern, pool);
      REQUIRE_NOTHROW(row->decode(fields, op));
      REQUIRE(pool.size() <= 1);
      if (row->kind == Kind::kBranch) REQUIRE_NOTHROW(row->offset(fields));
    }
  }
}

TEST_CASE("unallocated words find no row") {
  for (const std::uint32_t word :
       {0x00000000u, 0xffffffffu, 0x1e200c00u & 0x02000000u, 0x5ac01c00u /* 1 source, opcode 7 */,
        0x1ac00000u /* 2 source, opcode 0 */, 0xd61f0800u /* braa space */})
    CHECK(Decoder::instance().find(word) == nullptr);
}

TEST_CASE("logical immediates") {  // values as GNU as encodes them: and x0, x0, #mask
  std::uint64_t mask = 0;
  REQUIRE(logical_immediate(1, 0, 0, mask));
  CHECK(mask == 1);
  REQUIRE(logical_immediate(0, 0, 0x3c, mask));  // element of 2 bits, one set
  CHECK(mask == 0x5555'5555'5555'5555);
  REQUIRE(logical_immediate(0, 1, 0x3c, mask));
  CHECK(mask == 0xaaaa'aaaa'aaaa'aaaa);
  REQUIRE(logical_immediate(1, 1, 62, mask));  // 63 ones, rotated right by 1
  CHECK(mask == 0xbfff'ffff'ffff'ffff);
  REQUIRE(logical_immediate(0, 0, 0x07, mask));  // element of 32 bits
  CHECK(mask == 0x0000'00ff'0000'00ff);
  CHECK(!logical_immediate(1, 0, 63, mask));    // all ones
  CHECK(!logical_immediate(0, 0, 0x3d, mask));  // all ones of 2 bits
  CHECK(!logical_immediate(0, 0, 0x3e, mask));  // element of one bit
}

TEST_CASE("disassembly for reports") {
  CHECK(disassemble(0x91000420, 0) == "add x0, x1, #1");
  CHECK(disassemble(0x14000000, 0x1000) == "b #0x1000");
  CHECK(disassemble(0x00000000, 0).find("0x00000000") != std::string::npos);
}
