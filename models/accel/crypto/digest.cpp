#include "accel/crypto/digest.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <array>
#include <string>

#include "sim/error.h"

namespace dpusim::accel {

Digest::Digest(const char* name) : algorithm_(fetch_digest(name)), context_(EVP_MD_CTX_new()) {
  DPUSIM_CHECK(context_ != nullptr, "libcrypto has no memory for {}", name);
}

void Digest::compute(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  const ErrorQueueGuard guard;
  unsigned written = 0;
  const bool done = EVP_DigestInit_ex2(context_.get(), algorithm_.get(), nullptr) == 1 &&
                    EVP_DigestUpdate(context_.get(), in.data(), in.size()) == 1 &&
                    EVP_DigestFinal_ex(context_.get(), out.data(), &written) == 1;
  DPUSIM_CHECK(done && written == out.size(), "libcrypto fails to digest {} octets", in.size());
}

Hmac::Hmac(EVP_MAC* algorithm, const char* digest, std::span<const std::uint8_t> key)
    : context_(EVP_MAC_CTX_new(algorithm)) {
  const ErrorQueueGuard guard;
  std::string name = digest;  // OpenSSL's parameter is not const
  const std::array<OSSL_PARAM, 2> parameters{OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name.data(), 0),
                                             OSSL_PARAM_construct_end()};
  DPUSIM_CHECK(context_ && EVP_MAC_init(context_.get(), key.data(), key.size(), parameters.data()) == 1,
               "libcrypto takes no HMAC key of {} octets", key.size());
}

void Hmac::compute(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  const ErrorQueueGuard guard;
  std::size_t written = 0;
  const bool done = EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1 &&
                    EVP_MAC_update(context_.get(), in.data(), in.size()) == 1 &&
                    EVP_MAC_final(context_.get(), out.data(), &written, out.size()) == 1;
  DPUSIM_CHECK(done && written == out.size(), "libcrypto fails to authenticate {} octets", in.size());
}

}  // namespace dpusim::accel
