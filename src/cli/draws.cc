// SPDX-License-Identifier: Apache-2.0
#include "cli/draws.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "cli/streams.h"

namespace discreet::cli {
namespace {

/// "00" to "99".
constexpr std::array<char, 200> two_digits() {
  std::array<char, 200> out{};
  for (std::size_t i = 0; i < 100; ++i) {
    out[2 * i] = static_cast<char>('0' + i / 10);
    out[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return out;
}
constexpr std::array<char, 200> kTwoDigits = two_digits();

/// Writes digits backwards, ending before `end`; at least `least` of them.
template <class Unsigned>
char* put_digits_before(char* end, Unsigned value, int least) {
  char* at = end;
  while (value >= 100) {
    const auto pair = static_cast<std::size_t>(value % 100);
    value /= 100;
    at -= 2;
    std::memcpy(at, &kTwoDigits[2 * pair], 2);
  }
  if (value >= 10) {
    at -= 2;
    std::memcpy(at, &kTwoDigits[2 * static_cast<std::size_t>(value)], 2);
  } else {
    *--at = static_cast<char>('0' + static_cast<int>(value));
  }
  while (end - at < least) *--at = '0';
  return at;
}

char* put_digits(char* out, Uint128 magnitude, int least) {
  char buffer[kLineMax];
  char* const end = buffer + sizeof(buffer);
  // Division of 128 bits is slow and hardly ever needed.
  const char* const begin =
      magnitude >> 64 == 0 ? put_digits_before(end, static_cast<std::uint64_t>(magnitude), least)
                           : put_digits_before(end, magnitude, least);
  std::memcpy(out, begin, static_cast<std::size_t>(end - begin));
  return out + (end - begin);
}

}  // namespace

char* put_line(char* out, std::int64_t draw, const LineForm& form) {
  const Int128 value = static_cast<Int128>(std::clamp(draw, form.low, form.high)) * form.factor;
  if (value < 0) *out++ = '-';
  out = put_digits(out, value < 0 ? -static_cast<Uint128>(value) : static_cast<Uint128>(value),
                   form.decimals + 1);
  if (form.decimals > 0) {
    std::memmove(out - form.decimals + 1, out - form.decimals,
                 static_cast<std::size_t>(form.decimals));
    out[-form.decimals] = '.';
    ++out;
  }
  *out++ = '\n';
  return out;
}

Result<void> write_draws(int fd, std::uint64_t count, const DrawBlock& draw, const LineForm& form) {
  std::vector<char> text(kDrawsAtOnce * kLineMax);
  while (count > 0) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(count, kDrawsAtOnce));
    DISCREET_ASSIGN(const std::vector<std::int64_t> draws, draw(size));
    char* end = text.data();
    for (std::int64_t value : draws) end = put_line(end, value, form);
    DISCREET_TRY(
        write_all(fd, std::string_view(text.data(), static_cast<std::size_t>(end - text.data()))));
    count -= size;
  }
  return {};
}

}  // namespace discreet::cli
