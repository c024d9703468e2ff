#include "accel/regex/regex_function.h"

#include <algorithm>
#include <cstring>

#include "accel/job_check.h"
#include "accel/regex/scan_runtime.h"
#include "sim/error.h"

namespace dpusim::accel {

namespace {

constexpr std::uint8_t kStreamFlags = ACCEL_FLAG_STREAM_OPEN | ACCEL_FLAG_STREAM_END;

int on_match(unsigned index, unsigned long long from, unsigned long long to, unsigned /*flags*/, void* store) {
  return static_cast<MatchStore*>(store)->add(index, from, to) ? 0 : 1;
}

}  // namespace

RegexFunction::RegexFunction(const RegexConfig& config, std::vector<std::vector<Rule>> sets)
    : config_(config), unused_(sets.size()) {
  hs_scratch_t* scratch = nullptr;
  for (std::vector<Rule>& rules : sets) {
    sets_.emplace_back(std::move(rules));
    const hs_error_t status = hs_alloc_scratch(sets_.back().database(), &scratch);
    static_cast<void>(scratch_.release());  // hs_alloc_scratch() has freed what was too small
    scratch_.reset(scratch);
    DPUSIM_CHECK(status == HS_SUCCESS, "Vectorscan gives no scratch space: {}", status);
  }
}

RegexFunction::~RegexFunction() { reset(); }

void RegexFunction::reset() {
  for (auto& [number, stream] : streams_) drop(stream);
  streams_.clear();
  for (std::vector<hs_stream_t*>& handles : unused_) {
    for (hs_stream_t* const handle : handles) scan_runtime().close(handle, nullptr, nullptr, nullptr);
    handles.clear();
  }
}

std::uint8_t RegexFunction::check(const AccelJob& job) const {
  const bool stream = job.opcode == ACCEL_OP_REGEX_STREAM;
  if (job.opcode != ACCEL_OP_REGEX_SCAN && !(stream && config_.streams > 0)) return ACCEL_STATUS_BAD_OPCODE;
  const bool opens = stream && (job.flags & ACCEL_FLAG_STREAM_OPEN) != 0;
  const JobFields used{
      .key = true, .parameter0 = true, .parameter1 = opens, .flags = stream ? kStreamFlags : std::uint8_t{0}};
  if (!unused_are_zero(job, used)) return ACCEL_STATUS_BAD_FLAGS;
  if (!lengths_in_range(job)) return ACCEL_STATUS_BAD_LENGTH;
  if (!stream && job.key >= sets_.size()) return ACCEL_STATUS_BAD_KEY;
  if (opens && job.parameter1 >= sets_.size()) return ACCEL_STATUS_BAD_KEY;
  return ACCEL_STATUS_OK;
}

std::uint32_t RegexFunction::most_produced(const AccelJob& job) const {
  std::uint64_t records = job.destination_length / sizeof(AccelMatch);
  if (job.parameter0 != 0) records = std::min<std::uint64_t>(records, job.parameter0);
  records = std::min<std::uint64_t>(records, config_.most_matches);
  return static_cast<std::uint32_t>(records * sizeof(AccelMatch));
}

FunctionResult RegexFunction::run(const AccelJob& job, std::span<const std::uint8_t> source,
                                  std::span<std::uint8_t> destination) {
  const bool buffer = job.opcode == ACCEL_OP_REGEX_SCAN;
  return buffer ? scan_buffer(job, source, destination) : scan_stream(job, source, destination);
}

FunctionResult RegexFunction::scan_buffer(const AccelJob& job, std::span<const std::uint8_t> source,
                                          std::span<std::uint8_t> destination) {
  Stream stream = open(job.key);
  store_.begin(sets_[stream.set].rules(), config_.most_matches, stream.done);
  if (!scan(stream, source)) {
    drop(stream);
    return {.status = ACCEL_STATUS_LIMIT};
  }
  return end(stream) ? report(job, destination) : FunctionResult{.status = ACCEL_STATUS_LIMIT};
}

FunctionResult RegexFunction::scan_stream(const AccelJob& job, std::span<const std::uint8_t> source,
                                          std::span<std::uint8_t> destination) {
  auto found = streams_.find(job.key);
  const bool opens = (job.flags & ACCEL_FLAG_STREAM_OPEN) != 0, ends = (job.flags & ACCEL_FLAG_STREAM_END) != 0;
  if (opens == (found != streams_.end())) return {.status = ACCEL_STATUS_STREAM};
  if (opens) {
    if (streams_.size() == config_.streams) return {.status = ACCEL_STATUS_STREAM};
    found = streams_.emplace(job.key, open(job.parameter1)).first;
  }
  Stream& stream = found->second;
  store_.begin(sets_[stream.set].rules(), config_.most_matches, stream.done);
  FunctionResult result{.status = ACCEL_STATUS_LIMIT};
  if (!scan(stream, source)) {
    drop(stream);
    streams_.erase(found);
  } else if (ends) {
    if (end(stream)) result = report(job, destination);
    streams_.erase(found);
  } else {
    result = report(job, destination);
  }
  return result;
}

RegexFunction::Stream RegexFunction::open(unsigned set) {
  Stream stream{.handle = nullptr, .set = set, .done = std::vector<bool>(sets_[set].rules().size())};
  std::vector<hs_stream_t*>& handles = unused_[set];
  if (!handles.empty()) {
    stream.handle = handles.back();
    handles.pop_back();
  } else {
    const hs_error_t status = scan_runtime().open(sets_[set].database(), 0, &stream.handle);
    DPUSIM_CHECK(status == HS_SUCCESS, "Vectorscan opens no stream: {}", status);
  }
  return stream;
}

bool RegexFunction::scan(Stream& stream, std::span<const std::uint8_t> octets) {
  const char* const begin = octets.empty() ? "" : reinterpret_cast<const char*>(octets.data());
  const hs_error_t status = scan_runtime().scan(stream.handle, begin, static_cast<unsigned>(octets.size()), 0,
                                                scratch_.get(), on_match, &store_);
  DPUSIM_CHECK(status == HS_SUCCESS || status == HS_SCAN_TERMINATED, "Vectorscan fails to scan: {}", status);
  return !store_.exceeded();
}

bool RegexFunction::end(Stream& stream) {
  const hs_error_t status = scan_runtime().reset(stream.handle, 0, scratch_.get(), on_match, &store_);
  DPUSIM_CHECK(status == HS_SUCCESS || status == HS_SCAN_TERMINATED, "Vectorscan fails to end a stream: {}", status);
  unused_[stream.set].push_back(stream.handle);
  return !store_.exceeded();
}

void RegexFunction::drop(Stream& stream) { scan_runtime().close(stream.handle, nullptr, nullptr, nullptr); }

FunctionResult RegexFunction::report(const AccelJob& job, std::span<std::uint8_t> destination) {
  const std::span<const AccelMatch> matches = store_.finish();
  const std::size_t wanted =
      job.parameter0 == 0 ? matches.size() : std::min<std::size_t>(matches.size(), job.parameter0);
  const std::size_t fit = std::min(wanted, destination.size() / sizeof(AccelMatch));
  if (fit > 0) std::memcpy(destination.data(), matches.data(), fit * sizeof(AccelMatch));
  return {.status = static_cast<std::uint8_t>(fit < wanted ? ACCEL_STATUS_OUTPUT_FULL : ACCEL_STATUS_OK),
          .produced = static_cast<std::uint32_t>(fit * sizeof(AccelMatch)),
          .consumed = job.source_length,
          .value = matches.size()};
}

}  // namespace dpusim::accel
