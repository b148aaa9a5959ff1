// SPDX-License-Identifier: Apache-2.0
// Lines of bits: any bytes are bits or an error, the same however they are cut into pieces, and
// what was read can be estimated from. The first byte says where to cut.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "local/bit_lines.h"
#include "local/estimate.h"

namespace {

bool read(discreet::local::BitLines& lines, std::string_view text, std::size_t piece) {
  for (std::size_t at = 0; at < text.size(); at += piece) {
    if (!lines.feed(text.substr(at, piece))) return false;
  }
  return lines.finish().has_value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace discreet;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  local::BitLines whole;
  local::BitLines cut;
  const bool good = read(whole, text, size);
  DISCREET_CHECK(read(cut, text, std::size_t{data[0]} + 1) == good);
  if (!good) return 0;
  DISCREET_CHECK(whole.bits() == cut.bits() && whole.vocabulary() == cut.vocabulary());
  const auto ones = std::count(whole.bits().begin(), whole.bits().end(), uint8_t{1});
  const auto estimate = local::estimate_share(
      local::ResponseRule::almost_random(),
      {.ones = static_cast<std::uint64_t>(ones), .count = whole.bits().size()},
      default_confidence());
  DISCREET_CHECK(estimate.has_value());
  DISCREET_CHECK(estimate->low < estimate->share && estimate->share < estimate->high);
  return 0;
}
