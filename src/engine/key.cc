// SPDX-License-Identifier: Apache-2.0
#include "engine/key.h"

#include <charconv>

#include "base/check.h"

namespace discreet::engine {
namespace {

using plan::Shape;
using policy::Type;
using policy::Value;

void append_decimal(std::string& out, std::int64_t value) {
  char digits[24];
  auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value);
  DISCREET_CHECK(error == std::errc());
  out.append(digits, end);
}

std::int64_t steps_of(const Value& value, const Shape& shape) {
  DISCREET_CHECK(shape.grid.has_value());
  Rational steps = value.number() / shape.grid->step;
  DISCREET_CHECK(steps.denominator() == 1 && steps.numerator().fits_slong_p());
  return steps.numerator().get_si();
}

/// Reads a decimal up to `end` and steps over both.
std::int64_t take_number(std::string_view& rest, char end) {
  std::size_t size = rest.find(end);
  DISCREET_CHECK(size != rest.npos);
  std::int64_t value = 0;
  auto [stop, error] = std::from_chars(rest.data(), rest.data() + size, value);
  DISCREET_CHECK(error == std::errc() && stop == rest.data() + size);
  rest.remove_prefix(size + 1);
  return value;
}

Value take_value(std::string_view& rest, const Shape& shape) {
  DISCREET_CHECK(!rest.empty());
  char tag = rest.front();
  rest.remove_prefix(1);
  Value value{.data = {}, .type = shape.type};
  switch (tag) {
    case 'n':
      break;
    case 'b':
      DISCREET_CHECK(!rest.empty());
      value.data = rest.front() == '1';
      rest.remove_prefix(1);
      break;
    case 'i':
      DISCREET_CHECK(shape.grid.has_value());
      value.data = Rational(take_number(rest, ';')) * shape.grid->step;
      break;
    default: {
      DISCREET_CHECK(tag == 't');
      auto size = static_cast<std::size_t>(take_number(rest, ':'));
      DISCREET_CHECK(size <= rest.size());
      value.data = std::string(rest.substr(0, size));
      rest.remove_prefix(size);
    }
  }
  return value;
}

}  // namespace

std::string_view cut_key_text(std::string_view text) {
  if (text.size() <= kKeyCharacters) return text;  // no character is shorter than a byte
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool begins = (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    if (begins && characters++ == kKeyCharacters) return text.substr(0, i);
  }
  return text;
}

void append_null(std::string& key) { key += 'n'; }

void append_boolean(std::string& key, bool value) { key += value ? "b1" : "b0"; }

void append_number(std::string& key, std::int64_t steps) {
  key += 'i';
  append_decimal(key, steps);
  key += ';';
}

void append_text(std::string& key, std::string_view text) {
  key += 't';
  append_decimal(key, static_cast<std::int64_t>(text.size()));
  key += ':';
  key += text;
}

std::string encode_key(const std::vector<Value>& values, const std::vector<Shape>& shapes) {
  DISCREET_CHECK(values.size() == shapes.size());
  std::string key;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value& value = values[i];
    if (value.is_null()) {
      append_null(key);
    } else if (const bool* truth = std::get_if<bool>(&value.data)) {
      append_boolean(key, *truth);
    } else if (std::holds_alternative<std::string>(value.data)) {
      append_text(key, value.text());
    } else {
      append_number(key, steps_of(value, shapes[i]));
    }
  }
  return key;
}

std::vector<Value> decode_key(std::string_view key, const std::vector<Shape>& shapes) {
  std::vector<Value> values;
  for (const Shape& shape : shapes) values.push_back(take_value(key, shape));
  DISCREET_CHECK(key.empty());
  return values;
}

}  // namespace discreet::engine
