// SPDX-License-Identifier: Apache-2.0
#include "server/http/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace discreet::server::http {
namespace {

std::string reason() {
  const char* const words = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return words == nullptr ? "unknown reason" : words;
}

}  // namespace

Result<void> use_tls(ssl_ctx_st* context, const TlsFiles& files) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_TICKET);
  SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
    return invalid_input("the certificate " + in_quotes(files.certificate) +
                         " cannot be used: " + reason() + "; give a PEM chain");
  }
  if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    ERR_clear_error();
    return invalid_input("the key " + in_quotes(files.key) +
                         " cannot be used with that certificate; give the PEM file made with it");
  }
  return {};
}

}  // namespace discreet::server::http
