// SPDX-License-Identifier: Apache-2.0
// A line of the tables of attacks: what works on a naive proxy, and what becomes of it here.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>

namespace discreet::session {

enum class Here { kAnswered, kRefused };

struct Attack {
  const char* id;
  const char* naive;  ///< what the analyst sends to the proxy
  const char* by;     ///< what then shows with Bob and not without
  Here here;
  const char* ours;  ///< what the analyst asks us
};

/// The id's letters and digits, as GoogleTest names a test.
inline std::string attack_name(const testing::TestParamInfo<Attack>& attack) {
  std::string name;
  for (const char c : std::string(attack.param.id)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  }
  return name;
}

}  // namespace discreet::session
