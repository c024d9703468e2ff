#include "accel/compress/deflate.h"

#include "sim/error.h"

namespace dpusim::accel {

namespace {

constexpr int kMemoryLevel = 8, kMostWindowLog2 = 15, kGzipWindow = 16;
constexpr int kUnknownSystem = 255;

/// Returns zlib's windowBits, which also tells the framing.
int window_bits(unsigned framing, int window_log2) {
  if (framing == ACCEL_FRAMING_RAW) return -window_log2;
  return framing == ACCEL_FRAMING_ZLIB ? window_log2 : window_log2 + kGzipWindow;
}

/// Gives a stream its buffers. zlib refuses null pointers even for no octets.
void set_buffers(z_stream& stream, std::span<const std::uint8_t> in, std::span<std::uint8_t> out, std::uint8_t& spare) {
  stream.next_in = const_cast<std::uint8_t*>(in.empty() ? &spare : in.data());  // zlib does not write there
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = out.empty() ? &spare : out.data();
  stream.avail_out = static_cast<uInt>(out.size());
}

}  // namespace

std::uint64_t deflate_bound(std::uint64_t source) {
  // Blocks of fixed codes take 9 bits an octet at most, stored ones 5 octets each; then the larger framing, gzip's 18
  // octets.
  return source + (source + 7) / 8 + (source + 63) / 64 + 5 + 18;
}

void DeflateEncoder::End::operator()(z_stream* stream) const {
  deflateEnd(stream);
  delete stream;
}

z_stream& DeflateEncoder::stream(unsigned framing) {
  std::unique_ptr<z_stream, End>& stream = streams_.at(framing);
  if (!stream) {
    auto fresh = std::make_unique<z_stream>();
    const int status = deflateInit2(fresh.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits(framing, window_log2_),
                                    kMemoryLevel, Z_DEFAULT_STRATEGY);
    DPUSIM_CHECK(status == Z_OK, "zlib gives no stream: {}", status);
    stream.reset(fresh.release());
  }
  return *stream;
}

FunctionResult DeflateEncoder::run(unsigned framing, int level, std::span<const std::uint8_t> in,
                                   std::span<std::uint8_t> out) {
  z_stream& stream = this->stream(framing);
  deflateReset(&stream);
  if (framing == ACCEL_FRAMING_GZIP) {
    header_.os = kUnknownSystem;
    deflateSetHeader(&stream, &header_);
  }
  std::uint8_t spare = 0;
  set_buffers(stream, in, out, spare);
  const int set = deflateParams(&stream, level, Z_DEFAULT_STRATEGY);  // before any octet: writes nothing
  DPUSIM_CHECK(set == Z_OK, "zlib takes no level {}: {}", level, set);
  int status = deflate(&stream, Z_FINISH);
  const std::uint64_t produced = stream.total_out;
  if ((status == Z_OK || status == Z_BUF_ERROR) && stream.avail_out == 0) {
    // Room is used up: zlib says only when asked again whether there is more to write.
    stream.next_out = &spare;
    stream.avail_out = 1;
    status = deflate(&stream, Z_FINISH);
  }
  DPUSIM_CHECK(status == Z_OK || status == Z_STREAM_END, "zlib fails to compress {} octets: {}", in.size(), status);
  if (status == Z_OK || stream.total_out > produced) return {.status = ACCEL_STATUS_OUTPUT_FULL};
  return {.produced = static_cast<std::uint32_t>(produced), .consumed = static_cast<std::uint32_t>(in.size())};
}

void DeflateDecoder::End::operator()(z_stream* stream) const {
  inflateEnd(stream);
  delete stream;
}

FunctionResult DeflateDecoder::run(unsigned framing, std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  const int bits = window_bits(framing, kMostWindowLog2);
  if (!stream_) {
    auto fresh = std::make_unique<z_stream>();
    const int made = inflateInit2(fresh.get(), bits);
    DPUSIM_CHECK(made == Z_OK, "zlib gives no stream: {}", made);
    stream_.reset(fresh.release());
  }
  inflateReset2(stream_.get(), bits);
  std::uint8_t spare = 0;
  set_buffers(*stream_, in, out, spare);
  int status = inflate(stream_.get(), Z_FINISH);
  const std::uint64_t produced = stream_->total_out;
  if (status == Z_BUF_ERROR && stream_->avail_out == 0) {
    // Room is used up: does the stream end here, has it more to give, or was it cut short?
    stream_->next_out = &spare;
    stream_->avail_out = 1;
    status = inflate(stream_.get(), Z_FINISH);
    if (stream_->total_out > produced) return {.status = ACCEL_STATUS_OUTPUT_FULL};
  }
  if (status != Z_STREAM_END) return {.status = ACCEL_STATUS_CORRUPT_INPUT};
  return {.produced = static_cast<std::uint32_t>(produced), .consumed = static_cast<std::uint32_t>(stream_->total_in)};
}

}  // namespace dpusim::accel
