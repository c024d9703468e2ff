#include "accel/crypto/crypto_function.h"

#include "accel/job_check.h"
#include "sim/error.h"

namespace dpusim::accel {

namespace {

/// Returns the octets of a job's result, which for these opcodes the descriptor alone tells; `job` has passed the check
/// of its lengths.
std::uint32_t result_octets(const AccelJob& job) {
  switch (job.opcode) {
    case ACCEL_OP_AES_GCM_ENCRYPT:
      return job.source_length - job.aad_length + std::uint32_t{kGcmTag};
    case ACCEL_OP_AES_GCM_DECRYPT:
      return job.source_length - job.aad_length - std::uint32_t{kGcmTag};
    case ACCEL_OP_AES_XTS_ENCRYPT:
    case ACCEL_OP_AES_XTS_DECRYPT:
      return job.source_length;
    case ACCEL_OP_SHA256:
    case ACCEL_OP_HMAC_SHA256:
      return kSha256Octets;
    default:
      return kSha512Octets;
  }
}

JobFields used_fields(CryptoClass kind) {
  switch (kind) {
    case CryptoClass::kAesGcm:
      return {.key = true, .aad_length = true, .iv_octets = kGcmIv};
    case CryptoClass::kAesXts:
      return {.key = true, .iv_octets = kXtsTweak, .parameter0 = true};
    case CryptoClass::kHmac:
      return {.key = true};
    default:
      return {};
  }
}

bool unit_in_range(const AccelJob& job) { return job.parameter0 >= kLeastXtsUnit && job.parameter0 <= kMostXtsUnit; }

bool source_in_range(const AccelJob& job) {
  const std::uint64_t aad = job.aad_length;
  switch (job.opcode) {
    case ACCEL_OP_AES_GCM_ENCRYPT:
      return job.source_length >= aad;
    case ACCEL_OP_AES_GCM_DECRYPT:
      return job.source_length >= aad + kGcmTag;
    case ACCEL_OP_AES_XTS_ENCRYPT:
    case ACCEL_OP_AES_XTS_DECRYPT: {
      const std::uint32_t last = job.source_length % job.parameter0;
      return job.source_length >= kLeastXtsUnit && (last == 0 || last >= kLeastXtsUnit);
    }
    default:
      return true;
  }
}

}  // namespace

CryptoFunction::CryptoFunction(const CryptoConfig& config, const KeyTable& keys)
    : config_(config),
      keys_(keys),
      gcm_128_(fetch_cipher("AES-128-GCM")),
      gcm_256_(fetch_cipher("AES-256-GCM")),
      xts_128_(fetch_cipher("AES-128-XTS")),
      xts_256_(fetch_cipher("AES-256-XTS")),
      hmac_(fetch_mac("HMAC")),
      sha256_("SHA2-256"),
      sha512_("SHA2-512"),
      slots_(keys.slots()) {}

std::uint8_t CryptoFunction::check(const AccelJob& job) const {
  const std::optional<CryptoClass> kind = crypto_class(job.opcode);
  if (!kind || !config_.has(*kind)) return ACCEL_STATUS_BAD_OPCODE;
  if (!unused_are_zero(job, used_fields(*kind))) return ACCEL_STATUS_BAD_FLAGS;
  if (*kind == CryptoClass::kAesXts && !unit_in_range(job)) return ACCEL_STATUS_BAD_FLAGS;
  if (!lengths_in_range(job) || !source_in_range(job)) return ACCEL_STATUS_BAD_LENGTH;
  if (job.destination_length < result_octets(job)) return ACCEL_STATUS_BAD_LENGTH;
  return check_key(job);
}

std::uint32_t CryptoFunction::most_produced(const AccelJob& job) const { return result_octets(job); }

std::uint8_t CryptoFunction::check_key(const AccelJob& job) const {
  const std::optional<CryptoClass> kind = crypto_class(job.opcode);
  if (kind == CryptoClass::kSha) return ACCEL_STATUS_OK;
  const KeyTable::Key* const key = keys_.find(job.key);
  if (key == nullptr) return ACCEL_STATUS_BAD_KEY;
  const std::uint8_t type = key->type();
  bool fits = false;
  switch (*kind) {
    case CryptoClass::kAesGcm:
      fits = type == ACCEL_KEY_AES_128 || type == ACCEL_KEY_AES_256;
      break;
    case CryptoClass::kAesXts:
      fits = (type == ACCEL_KEY_XTS_128 || type == ACCEL_KEY_XTS_256) && xts_keys_differ(key->octets());
      break;
    default:
      fits = type == ACCEL_KEY_HMAC;
      break;
  }
  return fits ? ACCEL_STATUS_OK : ACCEL_STATUS_BAD_KEY;
}

CryptoFunction::Slot& CryptoFunction::slot(const AccelJob& job) {
  Slot& slot = slots_[job.key];
  const std::uint64_t version = keys_.find(job.key)->version();
  if (slot.version != version) {
    slot = Slot{};
    slot.version = version;
  }
  return slot;
}

AesGcm& CryptoFunction::gcm(const AccelJob& job) {
  Slot& cached = slot(job);
  if (!cached.gcm) {
    const KeyTable::Key& key = *keys_.find(job.key);
    const EVP_CIPHER* const cipher = key.type() == ACCEL_KEY_AES_128 ? gcm_128_.get() : gcm_256_.get();
    cached.gcm = std::make_unique<AesGcm>(cipher, key.octets());
  }
  return *cached.gcm;
}

AesXts& CryptoFunction::xts(const AccelJob& job) {
  Slot& cached = slot(job);
  if (!cached.xts) {
    const KeyTable::Key& key = *keys_.find(job.key);
    const EVP_CIPHER* const cipher = key.type() == ACCEL_KEY_XTS_128 ? xts_128_.get() : xts_256_.get();
    cached.xts = std::make_unique<AesXts>(cipher, key.octets());
  }
  return *cached.xts;
}

Hmac& CryptoFunction::hmac(const AccelJob& job) {
  Slot& cached = slot(job);
  const bool sha256 = job.opcode == ACCEL_OP_HMAC_SHA256;
  std::unique_ptr<Hmac>& hmac = sha256 ? cached.hmac_sha256 : cached.hmac_sha512;
  if (!hmac) {
    hmac = std::make_unique<Hmac>(hmac_.get(), sha256 ? "SHA2-256" : "SHA2-512", keys_.find(job.key)->octets());
  }
  return *hmac;
}

FunctionResult CryptoFunction::run(const AccelJob& job, std::span<const std::uint8_t> source,
                                   std::span<std::uint8_t> destination) {
  // The slot may have changed since check().
  if (const std::uint8_t status = check_key(job); status != ACCEL_STATUS_OK) return {.status = status};
  const std::uint32_t octets = result_octets(job);
  const std::span<std::uint8_t> out = destination.first(octets);
  const std::span<const std::uint8_t, kXtsTweak> iv(job.iv);
  const std::span<const std::uint8_t> aad = source.first(job.aad_length), text = source.subspan(job.aad_length);
  switch (job.opcode) {
    case ACCEL_OP_AES_GCM_ENCRYPT:
      gcm(job).encrypt(iv.first<kGcmIv>(), aad, text, out);
      break;
    case ACCEL_OP_AES_GCM_DECRYPT:
      if (!gcm(job).decrypt(iv.first<kGcmIv>(), aad, text.first(octets), text.last<kGcmTag>(), out)) {
        return {.status = ACCEL_STATUS_AUTHENTICATION};
      }
      break;
    case ACCEL_OP_AES_XTS_ENCRYPT:
      xts(job).encrypt(iv, job.parameter0, text, out);
      break;
    case ACCEL_OP_AES_XTS_DECRYPT:
      xts(job).decrypt(iv, job.parameter0, text, out);
      break;
    case ACCEL_OP_SHA256:
      sha256_.compute(text, out);
      break;
    case ACCEL_OP_SHA512:
      sha512_.compute(text, out);
      break;
    case ACCEL_OP_HMAC_SHA256:
    case ACCEL_OP_HMAC_SHA512:
      hmac(job).compute(text, out);
      break;
    default:
      DPUSIM_CHECK(false, "opcode {:#x} was not checked", job.opcode);
  }
  return {.produced = octets, .consumed = job.source_length};
}

}  // namespace dpusim::accel
