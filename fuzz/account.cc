// SPDX-License-Identifier: Apache-2.0
// Any bytes are a list of uses or an error in one line, in JSON and in YAML. What was read is in
// range. The first byte says which syntax.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "cli/account_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace discreet;
  if (size == 0) return 0;
  const auto syntax = data[0] == 'y' ? cli::UseSyntax::kYaml : cli::UseSyntax::kJson;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto uses = cli::read_uses(text, syntax);
  if (uses) {
    for (const accounting::Use& use : *uses) {
      DISCREET_CHECK(accounting::check({use}).has_value());
      DISCREET_CHECK(!accounting::to_string(use).empty());
    }
    return 0;
  }
  DISCREET_CHECK(uses.error().code == Code::kInvalidInput);
  DISCREET_CHECK(!uses.error().message.empty());
  DISCREET_CHECK(uses.error().message.find('\n') == std::string::npos);
  return 0;
}
