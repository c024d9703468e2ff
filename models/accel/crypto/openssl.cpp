#include "accel/crypto/openssl.h"

#include <openssl/provider.h>

#include <string>

#include "sim/error.h"

namespace dpusim::accel {

namespace {

template <class T>
OpensslPtr<T> need(T* object, const std::string& what) {
  if (object == nullptr) throw ConfigError("libcrypto", "no " + what, "OpenSSL 3 with its default provider");
  return OpensslPtr<T>(object);
}

struct Library {
  Library() : context(need(OSSL_LIB_CTX_new(), "library context")) {
    default_provider = OSSL_PROVIDER_load(context.get(), "default");
    if (default_provider == nullptr) need<OSSL_LIB_CTX>(nullptr, "default provider");
  }
  ~Library() { OSSL_PROVIDER_unload(default_provider); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  OpensslPtr<OSSL_LIB_CTX> context;
  OSSL_PROVIDER* default_provider = nullptr;
};

}  // namespace

OSSL_LIB_CTX* openssl_library() {
  const ErrorQueueGuard guard;
  static const Library library;
  return library.context.get();
}

OpensslPtr<EVP_CIPHER> fetch_cipher(const char* name) {
  const ErrorQueueGuard guard;
  return need(EVP_CIPHER_fetch(openssl_library(), name, nullptr), name);
}
OpensslPtr<EVP_MD> fetch_digest(const char* name) {
  const ErrorQueueGuard guard;
  return need(EVP_MD_fetch(openssl_library(), name, nullptr), name);
}
OpensslPtr<EVP_MAC> fetch_mac(const char* name) {
  const ErrorQueueGuard guard;
  return need(EVP_MAC_fetch(openssl_library(), name, nullptr), name);
}

}  // namespace dpusim::accel
