// SPDX-License-Identifier: Apache-2.0
// Answers as text, for recordings.
#pragma once

#include <string>
#include <vector>

namespace discreet::mechanism {

/// "1 -2 3"
template <class T>
std::string describe_entries(const std::vector<T>& entries) {
  std::string text;
  for (const T& entry : entries) {
    if (!text.empty()) text += ' ';
    text += std::to_string(entry);
  }
  return text;
}

}  // namespace discreet::mechanism
