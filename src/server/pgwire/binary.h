// SPDX-License-Identifier: Apache-2.0
// Values in the protocol's binary format, from and to text. Internal to this folder.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "server/pgwire/types.h"

namespace discreet::server::pgwire {

/// Without the length. Fails with: kUnsupported when the type cannot hold it.
Result<void> write_binary(Writer& out, TypeId type, const std::string& text);

/// Fails with: kInvalidInput.
Result<std::string> read_binary(TypeId type, std::string_view bytes);

}  // namespace discreet::server::pgwire
