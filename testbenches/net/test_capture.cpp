#include <pcap/pcap.h>

#include <catch2/catch.hpp>

#include "capture_files.h"
#include "net/capture/capture_reader.h"
#include "net/capture/capture_writer.h"
#include "net/capture/frame_source.h"
#include "sim/error.h"

using namespace capture_files;
using namespace dpusim;
using namespace dpusim::net;
using namespace dpusim::literals;

namespace {

struct Read {
  std::vector<CapturedFrame> frames;
  CaptureOddities oddities;
  std::vector<std::string> warnings;
};

Read read_all(const std::filesystem::path& path) {
  Read result;
  CaptureReader reader(path, [&result](const std::string& text) { result.warnings.push_back(text); });
  while (std::optional<CapturedFrame> frame = reader.next()) result.frames.push_back(std::move(*frame));
  result.oddities = reader.oddities();
  return result;
}

std::string refusal(const std::filesystem::path& path) {
  try {
    CaptureReader reader(path);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("pcap of both byte orders and both resolutions") {
  for (const bool big : {false, true}) {
    for (const bool nano : {false, true}) {
      // 0.5 s after the second: 500000 us or 500000001 ns.
      const std::uint32_t fraction = nano ? 500'000'001 : 500'000;
      const TemporaryFile file(
          join({pcap_header(big, nano), pcap_record(big, 1'700'000'000, fraction, frame(60, 1), 60),
                pcap_record(big, 0xffffffff, 0, frame(61, 2), 61)}));
      const Read read = read_all(file.path());
      REQUIRE(read.frames.size() == 2);
      CHECK(read.frames[0].when == CaptureTime{1'700'000'000, nano ? 500'000'001'000 : 500'000'000'000});
      CHECK(read.frames[0].octets == frame(60, 1));
      CHECK(read.frames[1].when == CaptureTime{4'294'967'295, 0});  // unsigned: 2106, not 1969
      CHECK(read.frames[1].octets == frame(61, 2));
      CHECK(read.warnings.empty());
    }
  }
}

TEST_CASE("a cut frame is padded with zeros to its original length and counted") {
  const TemporaryFile file(join({pcap_header(false, false), pcap_record(false, 1, 0, frame(20, 1), 100)}));
  const Read read = read_all(file.path());
  REQUIRE(read.frames.size() == 1);
  Octets expected = frame(20, 1);
  expected.resize(100);
  CHECK(read.frames[0].octets == expected);
  CHECK(read.oddities.cut == 1);
  CHECK(read.oddities.oversize == 0);
}

TEST_CASE("original lengths without reason are limited to 262144") {
  const TemporaryFile file(
      join({pcap_header(false, false), pcap_record(false, 1, 0, frame(20, 1), 0xffffffff),
            pcap_record(false, 1, 0, frame(20, 1), 262'144), pcap_record(false, 1, 0, frame(20, 1), 5)}));
  const Read read = read_all(file.path());
  REQUIRE(read.frames.size() == 3);
  CHECK(read.frames[0].octets.size() == 262'144);
  CHECK(read.frames[1].octets.size() == 262'144);
  CHECK(read.frames[2].octets.size() == 20);  // an original length below the captured one is not believed
  CHECK(read.oddities.cut == 2);
  CHECK(read.oddities.oversize == 1);
}

TEST_CASE("capture: a full disk is an error of output, told once") {
  CaptureWriter writer("/dev/full", "p0");  // every write fails with ENOSPC
  writer.write(1_us, frame(60, 1));
  CHECK_THROWS_AS(writer.flush(), OutputError);
  CHECK_NOTHROW(writer.flush());
}

TEST_CASE("pcap: an FCS that the file says it holds is taken off") {
  for (const bool big : {false, true}) {
    // pcap.h: bit 26 tells that the length is known, bits 31:28 are the length in units of 16 bits.
    const std::uint32_t four = 1U << 26U | 2U << 28U | 1U;
    const TemporaryFile file(join({pcap_header(big, false, four), pcap_record(big, 1, 0, frame(64, 1), 64),
                                   pcap_record(big, 2, 0, frame(62, 2), 64),  // cut within the FCS
                                   pcap_record(big, 3, 0, frame(60, 3), 64),  // cut where it begins
                                   pcap_record(big, 4, 0, frame(59, 4), 64),  // cut ahead of it
                                   pcap_record(big, 5, 0, frame(3, 5), 3)}));
    const Read read = read_all(file.path());
    REQUIRE(read.frames.size() == 5);
    CHECK(read.frames[0].octets == frame(60, 1));
    CHECK(read.frames[1].octets == frame(60, 2));
    CHECK(read.frames[2].octets == frame(60, 3));
    Octets padded = frame(59, 4);
    padded.push_back(0);
    CHECK(read.frames[3].octets == padded);
    CHECK(read.frames[4].octets.empty());
    CHECK(read.oddities.cut == 1);
    CHECK(read.oddities.fcs_stripped == 5);
    pcap_t* opened = nullptr;
    char error[PCAP_ERRBUF_SIZE];
    REQUIRE((opened = pcap_open_offline(file.path().c_str(), error)) != nullptr);
    CHECK(pcap_datalink(opened) == DLT_EN10MB);
    pcap_close(opened);
  }
  for (const std::uint32_t link : {1U, 1U << 26U | 1U, 2U << 28U | 1U}) {  // unknown; none; not valid
    const TemporaryFile file(join({pcap_header(false, false, link), pcap_record(false, 1, 0, frame(64, 1), 64)}));
    const Read read = read_all(file.path());
    REQUIRE(read.frames.size() == 1);
    CHECK(read.frames[0].octets == frame(64, 1));
    CHECK(read.oddities.fcs_stripped == 0);
  }
}

TEST_CASE("pcapng: an FCS that an interface or a packet says it has is taken off") {
  for (const bool big : {false, true}) {
    const auto with_fcs = [big](std::uint8_t length) {
      return block(big, 1, Builder(big).u16(1).u16(0).u32(0).u16(13).u16(1).raw({length}).pad().u32(0).data);
    };
    const auto flagged = [big](std::uint32_t interface_number, std::uint32_t flags, const Octets& octets) {
      const auto size = static_cast<std::uint32_t>(octets.size());
      return block(big, 6,
                   Builder(big)
                       .u32(interface_number)
                       .u32(0)
                       .u32(1)
                       .u32(size)
                       .u32(size)
                       .raw(octets)
                       .pad()
                       .u16(1)
                       .u16(3)
                       .raw({'a', 'b', 'c'})
                       .pad()  // a comment ahead
                       .u16(2)
                       .u16(4)
                       .u32(flags)
                       .u32(0)
                       .data);
    };
    // if_fcslen is in bits: 32; some write 4. Bits 8:5 of a packet's flags are in octets, 0 for "not known".
    const TemporaryFile file(
        join({section(big), with_fcs(32), with_fcs(4), with_fcs(0), enhanced(big, 0, 1, frame(64, 1), 64),
              enhanced(big, 1, 1, frame(65, 2), 65), enhanced(big, 2, 1, frame(66, 3), 66),
              flagged(2, 4U << 5U, frame(67, 4)), flagged(0, 2U << 5U, frame(68, 5)), flagged(0, 1U, frame(69, 6))}));
    const Read read = read_all(file.path());
    REQUIRE(read.frames.size() == 6);
    CHECK(read.frames[0].octets == frame(60, 1));
    CHECK(read.frames[1].octets == frame(61, 2));
    CHECK(read.frames[2].octets == frame(66, 3));
    CHECK(read.frames[3].octets == frame(63, 4));
    CHECK(read.frames[4].octets == frame(66, 5));
    CHECK(read.frames[5].octets == frame(65, 6));
    CHECK(read.oddities.fcs_stripped == 5);
    CHECK(read.oddities.cut == 0);
    CHECK(read.warnings.empty());
  }
}

TEST_CASE("pcapng of both byte orders, resolutions of powers of 10 and 2, offsets") {
  for (const bool big : {false, true}) {
    const TemporaryFile file(
        join({section(big), interface(big, 1), interface(big, 1, 9), interface(big, 1, 0x80 | 10, 100),
              block(big, 0xbad, frame(8, 0)),  // unknown blocks are passed over
              enhanced(big, 0, 5'000'001, frame(60, 1), 60), enhanced(big, 1, 5'000'000'001, frame(61, 2), 61),
              enhanced(big, 2, 1024 + 512, frame(62, 3), 62)}));
    const Read read = read_all(file.path());
    REQUIRE(read.frames.size() == 3);
    CHECK(read.frames[0].when == CaptureTime{5, 1'000'000});          // 5 s and 1 us
    CHECK(read.frames[1].when == CaptureTime{5, 1'000});              // 5 s and 1 ns
    CHECK(read.frames[2].when == CaptureTime{101, 500'000'000'000});  // 1.5 s of 1/1024 s, and 100 s
    CHECK(read.frames[2].octets == frame(62, 3));
    CHECK(read.warnings.empty());
  }
}

TEST_CASE("pcapng: sections begin anew, in another byte order, with their own interfaces") {
  const TemporaryFile file(
      join({section(false), interface(false, 1), enhanced(false, 0, 1, frame(60, 1), 60), section(true),
            interface(true, 1, 9), enhanced(true, 0, 2'000'000'000, frame(60, 2), 60)}));
  const Read read = read_all(file.path());
  REQUIRE(read.frames.size() == 2);
  CHECK(read.frames[1].when == CaptureTime{2, 0});
  CHECK(read.frames[1].octets == frame(60, 2));
}

TEST_CASE("pcapng: packets of interfaces that are not Ethernet are skipped, counted, and warned of once") {
  const TemporaryFile file(
      join({section(false), interface(false, 113), interface(false, 1), enhanced(false, 0, 1, frame(60, 1), 60),
            enhanced(false, 0, 1, frame(60, 1), 60), enhanced(false, 1, 1, frame(60, 2), 60)}));
  const Read read = read_all(file.path());
  REQUIRE(read.frames.size() == 1);
  CHECK(read.frames[0].octets == frame(60, 2));
  CHECK(read.oddities.other_link == 2);
  CHECK(read.warnings.size() == 1);
}

TEST_CASE("pcapng: Simple and obsolete Packet Blocks") {
  const Octets simple = block(false, 3, Builder(false).u32(100).raw(frame(40, 4)).data);  // snap length 40 cuts it
  const Octets old = block(false, 2, Builder(false).u16(0).u16(7).u32(0).u32(9).u32(60).u32(60).raw(frame(60, 5)).data);
  const TemporaryFile file(join({section(false), interface(false, 1, 6, 0, 40), old, simple}));
  const Read read = read_all(file.path());
  REQUIRE(read.frames.size() == 2);
  CHECK(read.frames[0].when == CaptureTime{0, 9'000'000});
  CHECK(read.frames[1].when == CaptureTime{0, 9'000'000});  // no stamp: the one ahead's
  CHECK(read.frames[1].octets.size() == 100);
  CHECK(read.oddities.untimed == 1);
  CHECK(read.oddities.cut == 1);
}

TEST_CASE("files that are no captures are refused with file, offset, found and expected") {
  const TemporaryFile file;
  CHECK_THAT(refusal("/nonexistent/capture.pcap"),
             Catch::Contains("/nonexistent/capture.pcap") && Catch::Contains("no file"));
  CHECK_THAT(refusal(std::filesystem::temp_directory_path()), Catch::Contains("expected a pcap or pcapng file"));
  CHECK_THAT(refusal(file.path()),
             Catch::Contains(file.path().string()) && Catch::Contains("offset 0: found an empty file"));
  file.write({1, 2, 3, 4, 5, 6, 7, 8});
  CHECK_THAT(refusal(file.path()), Catch::Contains("offset 0: found magic number 0x04030201"));
  file.write(pcap_header(false, false, 101));
  CHECK_THAT(refusal(file.path()), Catch::Contains("offset 20: found link type 101, expected 1 (Ethernet)"));
  file.write(Builder(true).u32(0xa1b2c3d4).u16(3).u16(0).u64(0).u32(0).u32(1).data);
  CHECK_THAT(refusal(file.path()), Catch::Contains("offset 4: found pcap version 3, expected 2"));
  file.write(join({section(false), interface(false, 101), enhanced(false, 0, 1, frame(60, 1), 60)}));
  CHECK_THAT(refusal(file.path()),
             Catch::Contains("found interfaces of other link types only, expected an Ethernet interface"));
  file.write(block(false, 0x0a0d0d0a, Builder(false).u32(0x1a2b3c4e).u16(1).u16(0).u64(0).data));
  CHECK_THAT(refusal(file.path()), Catch::Contains("offset 8: found byte order"));
}

TEST_CASE("a capture without packets is empty, not an error") {
  const TemporaryFile file(pcap_header(false, false));
  CHECK(read_all(file.path()).frames.empty());
  file.write(section(false));
  CHECK(read_all(file.path()).frames.empty());
}

TEST_CASE("a pcap cut at every octet gives all whole frames and one warning with the offset") {
  const Octets whole = join({pcap_header(false, true), pcap_record(false, 1, 0, frame(60, 1), 60),
                             pcap_record(false, 2, 0, frame(70, 2), 70)});
  const TemporaryFile file;
  for (std::size_t size = 1; size <= whole.size(); ++size) {
    CAPTURE(size);
    file.write(Octets(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    if (size < 24) {
      CHECK_THAT(refusal(file.path()),
                 Catch::Contains("offset 0: found " + std::to_string(size) + " octets before the end of file"));
      continue;
    }
    const Read read = read_all(file.path());
    // Records end at 24, 24 + 16 + 60 = 100 and 100 + 16 + 70 = 186.
    CHECK(read.frames.size() == (size >= 186 ? 2U : size >= 100 ? 1U : 0U));
    const bool boundary = size == 24 || size == 100 || size == 186;
    CHECK(read.oddities.damaged == !boundary);
    REQUIRE(read.warnings.size() == (boundary ? 0U : 1U));
    if (boundary) continue;
    const std::size_t record = size > 100 ? 100 : 24;
    const std::size_t at = size < record + 16 ? record : record + 16;
    CHECK_THAT(read.warnings[0], Catch::Contains("offset " + std::to_string(at) + ": "));
  }
}

TEST_CASE("a pcapng cut at every octet gives all whole frames and one warning") {
  for (const bool big : {false, true}) {
    const Octets head = join({section(big), interface(big, 1, 9)});
    const Octets first = enhanced(big, 0, 1, frame(61, 1), 61), second = enhanced(big, 0, 2, frame(70, 2), 70);
    const Octets whole = join({head, first, second});
    const TemporaryFile file;
    for (std::size_t size = 1; size <= whole.size(); ++size) {
      CAPTURE(big, size);
      file.write(Octets(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
      if (size < 28) {
        CHECK_THAT(refusal(file.path()), Catch::Contains("offset 0: found " + std::to_string(size) + " octets"));
        continue;
      }
      const Read read = read_all(file.path());
      const std::size_t ends[] = {28, head.size(), head.size() + first.size(), whole.size()};
      CHECK(read.frames.size() == (size >= ends[3] ? 2U : size >= ends[2] ? 1U : 0U));
      const bool boundary = std::find(std::begin(ends), std::end(ends), size) != std::end(ends);
      CHECK(read.warnings.size() == (boundary ? 0U : 1U));
      CHECK(read.oddities.damaged == !boundary);
    }
  }
}

TEST_CASE("damage in the middle ends the capture there") {
  const Octets first = pcap_record(false, 1, 0, frame(60, 1), 60);
  Octets bad = pcap_record(false, 1, 0, frame(60, 2), 60);
  bad[10] = 0x05;  // captured length 0x5003c, above 262144
  const TemporaryFile file(join({pcap_header(false, false), first, bad, first}));
  Read read = read_all(file.path());
  CHECK(read.frames.size() == 1);
  REQUIRE(read.warnings.size() == 1);
  CHECK_THAT(read.warnings[0], Catch::Contains("offset 108: found captured length 327740, expected at most 262144"));

  Octets block_bad = enhanced(false, 0, 1, frame(60, 2), 60);
  block_bad.back() = 1;  // trailing length differs
  file.write(join({section(false), interface(false, 1), enhanced(false, 0, 1, frame(60, 1), 60), block_bad}));
  read = read_all(file.path());
  CHECK(read.frames.size() == 1);
  REQUIRE(read.warnings.size() == 1);
  CHECK_THAT(read.warnings[0], Catch::Contains("trailing block length"));

  file.write(join({section(false), interface(false, 1), enhanced(false, 3, 1, frame(60, 1), 60)}));
  read = read_all(file.path());
  CHECK(read.frames.empty());
  REQUIRE(read.warnings.size() == 1);
  CHECK_THAT(read.warnings[0], Catch::Contains("offset 56: found interface 3, expected one of the 1 described"));
}

TEST_CASE("every single octet of a pcapng set to ff is survived") {
  const Octets whole = join({section(false), interface(false, 1, 9, 3), enhanced(false, 0, 1, frame(61, 1), 61)});
  const TemporaryFile file;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    Octets bad = whole;
    bad[at] = 0xff;
    file.write(bad);
    std::size_t frames = 0;
    try {
      frames = read_all(file.path()).frames.size();
    } catch (const ConfigError& error) {
      CHECK_THAT(error.what(), Catch::Contains(file.path().string()));
    }
    CHECK(frames <= 1);
  }
}

TEST_CASE("rewind gives the same frames and counts nothing twice") {
  const TemporaryFile file(join({section(false), interface(false, 1), enhanced(false, 0, 1, frame(60, 1), 90),
                                 enhanced(false, 0, 2, frame(60, 2), 60)}));
  CaptureReader reader(file.path());
  CHECK(reader.next()->octets.size() == 90);
  reader.rewind();
  CHECK(reader.next()->octets.size() == 90);
  CHECK(reader.next()->octets == frame(60, 2));
  CHECK_FALSE(reader.next());
  CHECK(reader.oddities().cut == 1);
}

TEST_CASE("the writer's file is what libpcap reads, to the nanosecond, and the same every time") {
  const TemporaryFile file, again;
  for (const auto* target : {&file, &again}) {
    CaptureWriter writer(target->path(), "p0", 100_Gbps);
    writer.write(Time(1'234'567'890'123'999), frame(60, 1));  // 1234.567890123 s, rounded down
    writer.write(Time(1'234'567'890'124'000), frame(61, 2));
    writer.flush();
  }
  CHECK(file.read() == again.read());
  char error[PCAP_ERRBUF_SIZE];
  pcap_t* handle = pcap_open_offline_with_tstamp_precision(file.path().c_str(), PCAP_TSTAMP_PRECISION_NANO, error);
  REQUIRE(handle != nullptr);
  CHECK(pcap_datalink(handle) == DLT_EN10MB);
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  REQUIRE(pcap_next_ex(handle, &header, &data) == 1);
  CHECK(header->ts.tv_sec == 1234);
  CHECK(header->ts.tv_usec == 567'890'123);
  CHECK(Octets(data, data + header->caplen) == frame(60, 1));
  REQUIRE(pcap_next_ex(handle, &header, &data) == 1);
  CHECK(header->ts.tv_usec == 567'890'124);
  CHECK(Octets(data, data + header->len) == frame(61, 2));
  CHECK(pcap_next_ex(handle, &header, &data) == PCAP_ERROR_BREAK);
  pcap_close(handle);
  CHECK_THROWS_AS(CaptureWriter("/nonexistent/out.pcapng", "p0"), ConfigError);
}

namespace {

TemporaryFile& three_frames() {
  // Stamps 10 s, 10 s + 1 us, 10 s + 3 us.
  static TemporaryFile file(
      join({pcap_header(false, true), pcap_record(false, 10, 0, frame(60, 1), 60),
            pcap_record(false, 10, 1'000, frame(60, 2), 60), pcap_record(false, 10, 3'000, frame(60, 3), 60)}));
  return file;
}

std::vector<std::int64_t> starts(FrameSource& source) {
  std::vector<std::int64_t> all;
  while (std::optional<FrameSource::Timed> timed = source.next()) {
    CHECK(timed->frame->first_bit == timed->start);
    CHECK(timed->frame->id == all.size());
    all.push_back(timed->start.count());
  }
  return all;
}

}  // namespace

TEST_CASE("replay at recorded time, scaled, and back to back") {
  ReplayOptions options;
  FrameSource recorded(three_frames().path(), options);
  CHECK(starts(recorded) == std::vector<std::int64_t>{0, 1'000'000, 3'000'000});
  options.speed = 2;
  options.start = 5_us;
  FrameSource doubled(three_frames().path(), options);
  CHECK(starts(doubled) == std::vector<std::int64_t>{5'000'000, 5'500'000, 6'500'000});
  // 64 octets, 8 of preamble and 12 of gap at 100 Gb/s: 84 * 80 ps = 6720 ps.
  options = {};
  options.pace = ReplayOptions::Pace::kLineRate;
  FrameSource line(three_frames().path(), options);
  CHECK(starts(line) == std::vector<std::int64_t>{0, 6'720, 13'440});
}

TEST_CASE("loops follow on with the last gap, or the wire time") {
  ReplayOptions options;
  options.loops = 3;
  FrameSource recorded(three_frames().path(), options);
  // The last gap is 2 us, so a loop is 5 us long.
  CHECK(starts(recorded) == std::vector<std::int64_t>{0, 1'000'000, 3'000'000, 5'000'000, 6'000'000, 8'000'000,
                                                      10'000'000, 11'000'000, 13'000'000});
  const TemporaryFile one(join({pcap_header(false, true), pcap_record(false, 10, 0, frame(60, 1), 60)}));
  FrameSource single(one.path(), options);
  CHECK(starts(single) == std::vector<std::int64_t>{0, 6'720, 13'440});
  CHECK(single.delayed() == 0);
  const TemporaryFile none(pcap_header(false, true));
  options.loops = 0;
  FrameSource empty(none.path(), options);
  CHECK_FALSE(empty.next());  // and does not loop for ever
}

TEST_CASE("stamps that go backwards are clamped, counted and warned of once; a busy wire delays") {
  const TemporaryFile file(
      join({pcap_header(false, true), pcap_record(false, 10, 500, frame(60, 1), 60),
            pcap_record(false, 10, 100, frame(60, 2), 60), pcap_record(false, 9, 0, frame(60, 3), 60),
            pcap_record(false, 10, 1'000, frame(60, 4), 60)}));
  int warnings = 0;
  FrameSource source(file.path(), {}, [&warnings](const std::string&) { ++warnings; });
  CHECK(starts(source) == std::vector<std::int64_t>{0, 6'720, 13'440, 500'000});
  CHECK(source.backward() == 2);
  CHECK(source.delayed() == 2);
  CHECK(warnings == 1);
}

TEST_CASE("the source pads short frames to 60 octets and refuses options without sense") {
  const TemporaryFile file(join({pcap_header(false, true), pcap_record(false, 10, 0, frame(42, 1), 42)}));
  FrameSource source(file.path(), {});
  Octets expected = frame(42, 1);
  expected.resize(60);
  const FramePtr sent = source.next()->frame;
  CHECK(Octets(sent->octets().begin(), sent->octets().end()) == expected);
  ReplayOptions options;
  options.speed = 0;
  CHECK_THROWS_AS(FrameSource(file.path(), options), ConfigError);
  options.speed = 1;
  options.rate = BitRate(0);
  CHECK_THROWS_AS(FrameSource(file.path(), options), ConfigError);
}
