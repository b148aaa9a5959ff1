// SPDX-License-Identifier: Apache-2.0
// The nearest known word to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace discreet {

/// The word that is at most a third of its letters away (insertions, deletions, substitutions,
/// neighbours swapped), the nearest first; "" when there is none.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

/// " (did you mean X?)", or "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

/// "a, b or c"
std::string one_of(const std::vector<std::string>& words);

}  // namespace discreet
