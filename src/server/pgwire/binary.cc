// SPDX-License-Identifier: Apache-2.0
#include "server/pgwire/binary.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "policy/value.h"
#include "server/pgcatalog/names.h"

namespace discreet::server::pgwire {
namespace {

constexpr std::int64_t kDaysTo2000 = 10'957;
constexpr std::int64_t kMicrosecondsTo2000 = kDaysTo2000 * 86'400'000'000;

Error does_not_fit(const std::string& text) {
  return {Code::kUnsupported, "the value " + in_quotes(text) + " does not fit its binary type"};
}

Error malformed() { return invalid_input("a binary parameter is malformed"); }

template <class T>
Result<T> parsed(const std::string& text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return does_not_fit(text);
  return value;
}

/// numeric: number of digits, weight of the first, sign, decimals; digits to the base 10,000.
Result<void> write_numeric(Writer& out, const std::string& text) {
  const bool is_negative = text.starts_with("-");
  const std::string digits = is_negative ? text.substr(1) : text;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  std::string whole = digits.substr(0, point);
  std::string part = point < digits.size() ? digits.substr(point + 1) : "";
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (whole.empty() || whole.size() > 1000 || part.size() > 1000 ||
      !std::ranges::all_of(whole + part, is_digit)) {
    return does_not_fit(text);
  }
  const auto decimals = static_cast<std::int64_t>(part.size());
  whole.insert(0, (4 - whole.size() % 4) % 4, '0');
  part.append((4 - part.size() % 4) % 4, '0');
  std::vector<int> groups;
  const std::string all = whole + part;
  for (std::size_t i = 0; i < all.size(); i += 4) groups.push_back(std::stoi(all.substr(i, 4)));
  auto weight = static_cast<std::int64_t>(whole.size() / 4) - 1;
  std::size_t first = 0;
  for (; first < groups.size() && groups[first] == 0; ++first) --weight;
  while (groups.size() > first && groups.back() == 0) groups.pop_back();
  if (first == groups.size()) weight = 0;
  out.int16(static_cast<std::int64_t>(groups.size() - first)).int16(weight);
  out.int16(is_negative && first < groups.size() ? 0x4000 : 0).int16(decimals);
  for (std::size_t i = first; i < groups.size(); ++i) out.int16(groups[i]);
  return {};
}

Result<std::string> read_numeric(Reader& in) {
  const int count = in.int16();
  const int weight = in.int16();
  const int sign = static_cast<std::uint16_t>(in.int16());
  const int decimals = in.int16();
  if (!in.is_sound() || count < 0 || decimals < 0 || (sign != 0 && sign != 0x4000) ||
      weight > 1000 || weight < -1000 || in.left() != 2 * static_cast<std::size_t>(count)) {
    return malformed();
  }
  std::string whole;
  std::string part;
  const auto group = [](int value) {
    const std::string digits = std::to_string(value);
    return std::string(4 - digits.size(), '0') + digits;
  };
  for (int i = weight; i < -1; ++i) part += "0000";
  for (int i = 0; i < count; ++i) {
    const int value = in.int16();
    if (value < 0 || value > 9999) return malformed();
    (i <= weight ? whole : part) += group(value);
  }
  for (int i = count; i <= weight; ++i) whole += "0000";
  part.resize(static_cast<std::size_t>(decimals), '0');
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
  return (sign != 0 ? "-" : "") + (whole.empty() ? "0" : whole) + (part.empty() ? "" : "." + part);
}

/// One dimension: dimensions, whether there are NULLs, item type; size, lower bound; items.
Result<void> write_array(Writer& out, TypeId item, const std::string& text) {
  const auto items = pgcatalog::read_array(text).value_or(std::vector<std::string>{});
  out.int32(items.empty() ? 0 : 1).int32(0).int32(item);
  if (items.empty()) return {};
  out.int32(static_cast<std::int64_t>(items.size())).int32(1);
  for (const std::string& value : items) DISCREET_TRY(write_value(out, item, true, value));
  return {};
}

Result<std::string> read_items(TypeId item, Reader& in) {
  const std::int32_t dimensions = in.int32();
  in.int32();
  in.int32();
  if (dimensions == 0 && in.is_done()) return std::string("{}");
  const std::int32_t size = in.int32();
  in.int32();
  if (!in.is_sound() || dimensions != 1 || size < 0) return malformed();
  std::string out = "{";
  for (std::int32_t i = 0; i < size; ++i) {
    const std::int32_t length = in.int32();
    if (!in.is_sound() || length < 0) return malformed();
    const std::string_view bytes = in.bytes(static_cast<std::size_t>(length));
    if (!in.is_sound()) return malformed();
    DISCREET_ASSIGN(const std::string value, read_binary(item, bytes));
    out += i == 0 ? "\"" : ",\"";
    for (const char c : value) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  return out + "}";
}

std::string shortest(double value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

Result<std::string> finite(double value) {
  if (!std::isfinite(value)) return invalid_input("a parameter must be a finite number");
  return shortest(value);
}

std::string moment(policy::Type type, std::int64_t value) {
  return policy::to_string(policy::Value{Rational(value), type});
}

}  // namespace

Result<void> write_binary(Writer& out, TypeId type, const std::string& text) {
  if (const TypeId item = item_of(type); item != 0) return write_array(out, item, text);
  switch (type) {
    case kBool:
      out.byte(text.starts_with("t") ? '\1' : '\0');
      return {};
    case kInt2: {
      DISCREET_ASSIGN(const auto value, parsed<std::int16_t>(text));
      out.int16(value);
      return {};
    }
    case kInt4: {
      DISCREET_ASSIGN(const auto value, parsed<std::int32_t>(text));
      out.int32(value);
      return {};
    }
    case kOid: {
      DISCREET_ASSIGN(const auto value, parsed<std::uint32_t>(text));
      out.int32(value);
      return {};
    }
    case kInt8: {
      DISCREET_ASSIGN(const auto value, parsed<std::int64_t>(text));
      out.int64(value);
      return {};
    }
    case kFloat8: {
      DISCREET_ASSIGN(const auto value, parsed<double>(text));
      out.int64(std::bit_cast<std::int64_t>(value));
      return {};
    }
    case kNumeric:
      return write_numeric(out, text);
    case kDate: {
      DISCREET_ASSIGN(const auto value, policy::parse_value(policy::Type::kDate, text));
      out.int32(value.number().floor().get_si() - kDaysTo2000);
      return {};
    }
    case kTimestamp: {
      DISCREET_ASSIGN(const auto value, policy::parse_value(policy::Type::kTimestamp, text));
      out.int64(value.number().floor().get_si() - kMicrosecondsTo2000);
      return {};
    }
    default:
      out.bytes(text);
      return {};
  }
}

Result<std::string> read_binary(TypeId type, std::string_view bytes) {
  const std::int16_t size = size_of(type);
  if (size >= 0 && bytes.size() != static_cast<std::size_t>(size)) return malformed();
  Reader in(bytes);
  if (const TypeId item = item_of(type); item != 0) return read_items(item, in);
  switch (type) {
    case kBool:
      return std::string(in.byte() != 0 ? "true" : "false");
    case kInt2:
      return std::to_string(in.int16());
    case kInt4:
      return std::to_string(in.int32());
    case kOid:
      return std::to_string(static_cast<std::uint32_t>(in.int32()));
    case kInt8:
      return std::to_string(in.int64());
    case kFloat4: {
      const auto value = std::bit_cast<float>(in.int32());
      return finite(static_cast<double>(value));
    }
    case kFloat8:
      return finite(std::bit_cast<double>(in.int64()));
    case kNumeric:
      return read_numeric(in);
    case kDate: {
      const std::int64_t days = in.int32();
      constexpr std::int64_t kMost = 3'000'000;  // some 8,000 years
      if (days > kMost || days < -kMost) return invalid_input("a date is out of range");
      return moment(policy::Type::kDate, days + kDaysTo2000);
    }
    case kTimestamp:
    case kTimestampTz: {
      const std::int64_t time = in.int64();
      constexpr std::int64_t kMost = 250'000'000'000'000'000;
      if (time > kMost || time < -kMost) return invalid_input("a timestamp is out of range");
      return moment(policy::Type::kTimestamp, time + kMicrosecondsTo2000);
    }
    default:
      return std::string(bytes);
  }
}

}  // namespace discreet::server::pgwire
