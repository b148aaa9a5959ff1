// SPDX-License-Identifier: Apache-2.0
// TLS as this server speaks it, on every port.
#pragma once

#include "base/result.h"
#include "server/http/server.h"

struct ssl_ctx_st;

namespace discreet::server::http {

/// Version 1.2 or newer, forward secret, without compression, renegotiation and tickets; with this
/// certificate and key. Fails with: kInvalidInput.
Result<void> use_tls(ssl_ctx_st* context, const TlsFiles& files);

}  // namespace discreet::server::http
