// SPDX-License-Identifier: Apache-2.0
#include "engine/text/utf8.h"

#include <cstdint>
#include <cstring>

namespace discreet::engine::text {
namespace {

/// The bytes of ASCII at the front, eight at a time, perhaps a few fewer.
std::size_t ascii_at(std::string_view text, std::size_t at) {
  while (at + 8 <= text.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    if ((word & 0x8080808080808080U) != 0) break;
    at += 8;
  }
  return at;
}

/// What the second byte of a character may be, after its first (RFC 3629, section 4), and how many
/// bytes it has; size 0: no character begins so.
struct Lead {
  std::size_t size = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
};

Lead lead_of(unsigned char c) {
  if (c < 0x80) return {1};
  if (c < 0xC2 || c > 0xF4) return {};
  if (c < 0xE0) return {2};
  if (c == 0xE0) return {3, 0xA0};
  if (c == 0xED) return {3, 0x80, 0x9F};
  if (c < 0xF0) return {3};
  if (c == 0xF0) return {4, 0x90};
  if (c == 0xF4) return {4, 0x80, 0x8F};
  return {4};
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t at = ascii_at(text, 0); at < text.size(); at = ascii_at(text, at)) {
    const Lead lead = lead_of(static_cast<unsigned char>(text[at]));
    if (lead.size == 0 || at + lead.size > text.size()) return false;
    for (std::size_t i = 1; i < lead.size; ++i) {
      const auto c = static_cast<unsigned char>(text[at + i]);
      if (c < (i == 1 ? lead.low : 0x80) || c > (i == 1 ? lead.high : 0xBF)) return false;
    }
    at += lead.size;
  }
  return true;
}

}  // namespace discreet::engine::text
