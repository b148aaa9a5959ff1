// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace discreet::engine::text {

/// Whether it is UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF. Linear.
bool is_utf8(std::string_view text);

}  // namespace discreet::engine::text
