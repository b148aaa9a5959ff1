// SPDX-License-Identifier: Apache-2.0
// Any bytes are a policy or a list of mistakes, each in one line with its fix. A policy that was
// read is written so that it reads back as the same. Bytes taken for SmartNoise's metadata give a
// draft that is YAML, or an error.
#include "policy/policy.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "policy/document.h"
#include "policy/draft.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace discreet;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const policy::Reading reading = policy::read_policy(text, ".");
  DISCREET_CHECK(reading.policy.has_value() == reading.mistakes.empty());
  int line = 0;
  for (const policy::Mistake& each : reading.mistakes) {
    DISCREET_CHECK(!each.message.empty() && !each.fix.empty());
    DISCREET_CHECK((each.message + each.fix).find('\n') == std::string::npos);
    DISCREET_CHECK(each.line >= line);
    line = each.line;
  }
  if (reading.policy) {
    const policy::Reading again = policy::read_policy(policy::write_policy(*reading.policy), ".");
    DISCREET_CHECK(again.policy.has_value() && *again.policy == *reading.policy);
  }
  const auto draft = policy::import_smartnoise(text);
  if (draft) DISCREET_CHECK(policy::read_document(*draft).root.has_value());
  return 0;
}
