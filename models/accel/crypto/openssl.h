// OpenSSL's objects with owners, and its error queue kept clean.
#pragma once

#include <openssl/err.h>
#include <openssl/evp.h>

#include <memory>

namespace dpusim::accel {

/// Frees what OpenSSL allocated.
struct OpensslFree {
  void operator()(OSSL_LIB_CTX* context) const { OSSL_LIB_CTX_free(context); }
  void operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  void operator()(EVP_MD* digest) const { EVP_MD_free(digest); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  void operator()(EVP_MAC* code) const { EVP_MAC_free(code); }
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};
template <class T>
using OpensslPtr = std::unique_ptr<T, OpensslFree>;

/// Takes back what OpenSSL appends to the thread's error queue while this lives; older entries stay.
class ErrorQueueGuard {
 public:
  ErrorQueueGuard() { ERR_set_mark(); }
  ~ErrorQueueGuard() { ERR_pop_to_mark(); }
  ErrorQueueGuard(const ErrorQueueGuard&) = delete;
  ErrorQueueGuard& operator=(const ErrorQueueGuard&) = delete;
};

/// Returns a library context of our own with the default provider, so that the machine's openssl.cnf has no say.
/// @error ConfigError when libcrypto cannot give one.
OSSL_LIB_CTX* openssl_library();

/// Return an algorithm of that context by OpenSSL's name. @error ConfigError when libcrypto lacks it.
OpensslPtr<EVP_CIPHER> fetch_cipher(const char* name);
OpensslPtr<EVP_MD> fetch_digest(const char* name);
OpensslPtr<EVP_MAC> fetch_mac(const char* name);

}  // namespace dpusim::accel
