// SPDX-License-Identifier: Apache-2.0
// Texts as YAML scalars.
#pragma once

#include <string>
#include <string_view>

namespace discreet::policy {

/// Plain where every YAML reader takes it for this text, else in double quotes.
std::string yaml_text(std::string_view text);

}  // namespace discreet::policy
