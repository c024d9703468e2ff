#include "accel/compress/lz4_codec.h"

#include <lz4.h>

#include <algorithm>

#include "sim/error.h"

namespace dpusim::accel {

namespace {

const char* chars(std::span<const std::uint8_t> octets) {
  return octets.empty() ? "" : reinterpret_cast<const char*>(octets.data());
}

LZ4F_preferences_t preferences(std::size_t content) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.blockSizeID = LZ4F_max64KB;
  preferences.frameInfo.blockMode = LZ4F_blockIndependent;
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  preferences.frameInfo.contentSize = content;
  preferences.autoFlush = 1;
  return preferences;
}

/// Reads a length's further octets. @return false when the block ends before.
bool extend(std::span<const std::uint8_t> in, std::size_t& at, std::uint64_t& length) {
  std::uint8_t octet = 255;
  while (octet == 255) {
    if (at == in.size()) return false;
    octet = in[at++];
    length += octet;
  }
  return true;
}

/// Says whether a block gives more than `room` octets before anything is wrong with it.
bool exceeds(std::span<const std::uint8_t> in, std::uint64_t room) {
  constexpr std::uint64_t kLeastMatch = 4;
  std::uint64_t produced = 0;
  for (std::size_t at = 0; at < in.size();) {
    const std::uint8_t token = in[at++];
    std::uint64_t literals = token >> 4, match = token & 15U;
    if (literals == 15 && !extend(in, at, literals)) return false;
    if (literals > in.size() - at) return false;
    at += literals;
    produced += literals;
    if (produced > room) return true;
    if (in.size() - at < 2) return false;  // the last sequence has no match
    const unsigned offset = in[at] | static_cast<unsigned>(in[at + 1]) << 8;
    at += 2;
    if (offset == 0 || offset > produced) return false;
    if (match == 15 && !extend(in, at, match)) return false;
    produced += match + kLeastMatch;
    if (produced > room) return true;
  }
  return false;
}

}  // namespace

std::uint64_t lz4_bound(std::uint64_t source) {
  // A block: LZ4_compressBound. A frame: 15 octets of header with the size, 4 a block of 64 KiB stored as it is, 8 at
  // the end.
  return source + source / 255 + 16 + 15 + 8;
}

Lz4Encoder::Lz4Encoder() : state_((static_cast<std::size_t>(LZ4_sizeofState()) + 7) / 8) {
  LZ4F_cctx* context = nullptr;
  DPUSIM_CHECK(!LZ4F_isError(LZ4F_createCompressionContext(&context, LZ4F_VERSION)), "liblz4 gives no context");
  context_.reset(context);
}

FunctionResult Lz4Encoder::block(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  const auto compress = [&](std::span<std::uint8_t> to) {
    return LZ4_compress_fast_extState(state_.data(), chars(in), reinterpret_cast<char*>(to.data()),
                                      static_cast<int>(in.size()), static_cast<int>(to.size()), 1);
  };
  int produced = compress(out);
  if (produced <= 0) {
    // liblz4 gives up a few octets early.
    const auto worst = static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(in.size())));
    if (whole_.size() < worst) whole_.resize(worst);
    produced = compress(whole_);
    if (static_cast<std::size_t>(produced) > out.size()) return {.status = ACCEL_STATUS_OUTPUT_FULL};
    std::copy_n(whole_.begin(), produced, out.begin());
  }
  return {.produced = static_cast<std::uint32_t>(produced), .consumed = static_cast<std::uint32_t>(in.size())};
}

FunctionResult Lz4Encoder::frame(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  // liblz4 asks for room for the worst case.
  const LZ4F_preferences_t wish = preferences(in.size());
  const std::size_t worst = LZ4F_HEADER_SIZE_MAX + LZ4F_compressBound(in.size(), &wish);
  const bool direct = out.size() >= worst;
  if (!direct && whole_.size() < worst) whole_.resize(worst);
  std::uint8_t* const begin = direct ? out.data() : whole_.data();
  std::size_t produced = 0;
  const auto add = [&](std::size_t octets) {
    DPUSIM_CHECK(!LZ4F_isError(octets), "liblz4 fails to compress {} octets: {}", in.size(), LZ4F_getErrorName(octets));
    produced += octets;
  };
  add(LZ4F_compressBegin(context_.get(), begin, worst, &wish));
  add(LZ4F_compressUpdate(context_.get(), begin + produced, worst - produced, chars(in), in.size(), nullptr));
  add(LZ4F_compressEnd(context_.get(), begin + produced, worst - produced, nullptr));
  if (!direct) {
    if (produced > out.size()) return {.status = ACCEL_STATUS_OUTPUT_FULL};
    std::copy_n(begin, produced, out.begin());
  }
  return {.produced = static_cast<std::uint32_t>(produced), .consumed = static_cast<std::uint32_t>(in.size())};
}

Lz4Decoder::Lz4Decoder() {
  LZ4F_dctx* context = nullptr;
  DPUSIM_CHECK(!LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)), "liblz4 gives no context");
  context_.reset(context);
}

FunctionResult Lz4Decoder::block(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  char spare = 0;
  char* const begin = out.empty() ? &spare : reinterpret_cast<char*>(out.data());
  const int produced = LZ4_decompress_safe(chars(in), begin, static_cast<int>(in.size()), static_cast<int>(out.size()));
  if (produced >= 0) {
    return {.produced = static_cast<std::uint32_t>(produced), .consumed = static_cast<std::uint32_t>(in.size())};
  }
  // liblz4 does not tell which of the two it was.
  return {.status = static_cast<std::uint8_t>(exceeds(in, out.size()) ? ACCEL_STATUS_OUTPUT_FULL
                                                                      : ACCEL_STATUS_CORRUPT_INPUT)};
}

FunctionResult Lz4Decoder::frame(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  LZ4F_resetDecompressionContext(context_.get());
  std::size_t consumed = 0, produced = 0;
  std::uint8_t spare = 0;
  while (true) {
    // Once room is used up, a spare octet tells whether the frame has more to give.
    const bool full = produced == out.size();
    std::size_t room = full ? 1 : out.size() - produced, taken = in.size() - consumed;
    const std::size_t hint = LZ4F_decompress(context_.get(), full ? &spare : out.data() + produced, &room,
                                             chars(in) + consumed, &taken, nullptr);
    if (LZ4F_isError(hint)) return {.status = ACCEL_STATUS_CORRUPT_INPUT};
    if (full && room > 0) return {.status = ACCEL_STATUS_OUTPUT_FULL};
    consumed += taken;
    produced += room;
    if (hint == 0) break;
    if (taken == 0 && room == 0) return {.status = ACCEL_STATUS_CORRUPT_INPUT};  // cut short
  }
  return {.produced = static_cast<std::uint32_t>(produced), .consumed = static_cast<std::uint32_t>(consumed)};
}

}  // namespace dpusim::accel
