// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/functions.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "base/check.h"
#include "engine/duckdb/keep.h"
#include "engine/duckdb/keyed.h"
#include "engine/duckdb/moments.h"
#include "engine/integer_map.h"
#include "engine/like.h"
#include "engine/quantize.h"

namespace discreet::engine::duckdb {
namespace {

constexpr std::int64_t kPerUnit = 1'000'000;  // plan/expression.h: quotients are multiples of 10^-6

/// The text constant that is the second argument; nothing if it is not one.
std::optional<std::string> second_argument(duckdb_bind_info info) {
  ClientContext context;
  duckdb_scalar_function_get_client_context(info, context.out());
  Expression argument(duckdb_scalar_function_bind_get_argument(info, 1));
  if (!duckdb_expression_is_foldable(argument.get())) return std::nullopt;
  Constant constant;
  ErrorData error(duckdb_expression_fold(context.get(), argument.get(), constant.out()));
  if (duckdb_error_data_has_error(error.get())) return std::nullopt;
  std::unique_ptr<char, decltype(&duckdb_free)> text(duckdb_get_varchar(constant.get()),
                                                     duckdb_free);
  return std::string(text.get());
}

/// Keeps a T, made from the constant, for the calls.
template <class T, class Make>
void bind_constant(duckdb_bind_info info, Make make) {
  std::optional<std::string> text = second_argument(info);
  if (!text) return duckdb_scalar_function_bind_set_error(info, "the second argument varies");
  duckdb_scalar_function_set_bind_data(info, new T(make(*text)),
                                       [](void* data) { delete static_cast<T*>(data); });
  duckdb_scalar_function_set_bind_data_copy(
      info, [](void* data) -> void* { return new T(*static_cast<T*>(data)); });
}

Rational number(std::string_view text) {
  Result<Rational> value = Rational::parse(text);
  DISCREET_CHECK(value.has_value());
  return *value;
}

policy::Grid parse_grid(std::string_view text) {
  std::size_t dots = text.find("..");
  std::size_t by = text.find(" by ");
  DISCREET_CHECK(dots != text.npos && by != text.npos && dots < by);
  return {number(text.substr(0, dots)), number(text.substr(dots + 2, by - dots - 2)),
          number(text.substr(by + 4))};
}

/// out[i] = f(i) where that is something, and NULL where the input or f(i) is nothing.
template <class F>
void fill(const Column& in, idx_t count, duckdb_vector output, F f) {
  auto* out = static_cast<std::int64_t*>(duckdb_vector_get_data(output));
  std::uint64_t* valid = nullptr;
  for (idx_t i = 0; i < count; ++i) {
    std::optional<std::int64_t> value;
    if (!in.is_null(i)) value = f(i);
    if (value) {
      out[i] = *value;
      continue;
    }
    out[i] = 0;
    if (valid == nullptr) {
      duckdb_vector_ensure_validity_writable(output);
      valid = duckdb_vector_get_validity(output);
    }
    duckdb_validity_set_row_invalid(valid, i);
  }
}

using duckdb::wide;

Int128 wide(const duckdb_uhugeint& value) {  // above 2^127 all grids have ended
  return value.upper > static_cast<std::uint64_t>(INT64_MAX)
             ? kInt128Max
             : static_cast<Int128>(Uint128{value.upper} << 64 | value.lower);
}

template <class T>
Int128 wide(T value) {
  return value;
}

/// What is stored is in steps already: into the range. NULLs stay.
template <class T>
void clamp(const Quantizer& quantizer, const Column& in, idx_t count, duckdb_vector output) {
  const T* values = in.values<T>();
  auto* out = static_cast<std::int64_t*>(duckdb_vector_get_data(output));
  const std::int64_t low = quantizer.low();
  const std::int64_t high = quantizer.high();
  for (idx_t i = 0; i < count; ++i) {
    const auto value = static_cast<std::int64_t>(values[i]);
    out[i] = value < low ? low : (value > high ? high : value);
  }
  copy_nulls(in, count, output);
}

template <class T>
void quantize(const Quantizer& quantizer, const Column& in, idx_t count, duckdb_vector output,
              int scale = 0) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, std::uint64_t>) {
    if (quantizer.reads_steps(scale)) return clamp<T>(quantizer, in, count, output);
  }
  const T* values = in.values<T>();
  fill(in, count, output, [&](idx_t i) -> std::optional<std::int64_t> {
    return scale == 0 ? quantizer.from_integer(wide(values[i]))
                      : quantizer.from_decimal(wide(values[i]), scale);
  });
}

void quantize_decimal(const Quantizer& quantizer, const Column& in, idx_t count,
                      duckdb_vector output, duckdb_logical_type type) {
  int scale = duckdb_decimal_scale(type);
  switch (duckdb_decimal_internal_type(type)) {
    case DUCKDB_TYPE_SMALLINT:
      return quantize<std::int16_t>(quantizer, in, count, output, scale);
    case DUCKDB_TYPE_INTEGER:
      return quantize<std::int32_t>(quantizer, in, count, output, scale);
    case DUCKDB_TYPE_BIGINT:
      return quantize<std::int64_t>(quantizer, in, count, output, scale);
    default:
      return quantize<duckdb_hugeint>(quantizer, in, count, output, scale);
  }
}

void on_grid(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& quantizer = *static_cast<Quantizer*>(duckdb_scalar_function_get_bind_data(info));
  duckdb_vector vector = duckdb_data_chunk_get_vector(input, 0);
  LogicalType type(duckdb_vector_get_column_type(vector));
  Column in(vector);
  idx_t count = duckdb_data_chunk_get_size(input);
  switch (duckdb_get_type_id(type.get())) {
    case DUCKDB_TYPE_BOOLEAN:
    case DUCKDB_TYPE_UTINYINT:
      return quantize<std::uint8_t>(quantizer, in, count, output);
    case DUCKDB_TYPE_TINYINT:
      return quantize<std::int8_t>(quantizer, in, count, output);
    case DUCKDB_TYPE_SMALLINT:
      return quantize<std::int16_t>(quantizer, in, count, output);
    case DUCKDB_TYPE_USMALLINT:
      return quantize<std::uint16_t>(quantizer, in, count, output);
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_DATE:  // days; infinities are its ends
      return quantize<std::int32_t>(quantizer, in, count, output);
    case DUCKDB_TYPE_UINTEGER:
      return quantize<std::uint32_t>(quantizer, in, count, output);
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_TIMESTAMP:  // microseconds
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return quantize<std::int64_t>(quantizer, in, count, output);
    case DUCKDB_TYPE_UBIGINT:
      return quantize<std::uint64_t>(quantizer, in, count, output);
    case DUCKDB_TYPE_HUGEINT:
      return quantize<duckdb_hugeint>(quantizer, in, count, output);
    case DUCKDB_TYPE_UHUGEINT:
      return quantize<duckdb_uhugeint>(quantizer, in, count, output);
    case DUCKDB_TYPE_DECIMAL:
      return quantize_decimal(quantizer, in, count, output, type.get());
    case DUCKDB_TYPE_FLOAT:
      return fill(in, count, output,
                  [&](idx_t i) { return quantizer.from_binary32(in.values<std::uint32_t>()[i]); });
    case DUCKDB_TYPE_DOUBLE:
      return fill(in, count, output,
                  [&](idx_t i) { return quantizer.from_binary64(in.values<std::uint64_t>()[i]); });
    case DUCKDB_TYPE_VARCHAR:
      return fill(in, count, output, [&](idx_t i) { return quantizer.from_text(in.text(i)); });
    default:  // refused by bind_grid
      DISCREET_CHECK(false);
  }
}

void bind_grid(duckdb_bind_info info) {
  if (!on_grid_reads(argument_type(info, 0))) {
    return duckdb_scalar_function_bind_set_error(info, "on_grid does not read this type");
  }
  bind_constant<Quantizer>(info,
                           [](const std::string& text) { return Quantizer(parse_grid(text)); });
}

std::string decimal_digits_of(Int128 value, std::size_t scale) {
  std::string digits = discreet::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  if (digits.size() - first <= scale)
    digits.insert(first, scale + 1 - (digits.size() - first), '0');
  if (scale > 0) digits.insert(digits.size() - scale, 1, '.');
  return digits;
}

template <class T>
void print_decimals(const Column& in, idx_t count, std::size_t scale, duckdb_vector output) {
  const T* values = in.values<T>();
  for (idx_t i = 0; i < count; ++i) {
    if (in.is_null(i)) continue;
    const std::string text = decimal_digits_of(wide(values[i]), scale);
    duckdb_vector_assign_string_element_len(output, i, text.data(), text.size());
  }
  copy_nulls(in, count, output);
}

void bind_decimal(duckdb_bind_info info) {
  if (argument_type(info, 0) == DUCKDB_TYPE_DECIMAL) return;
  duckdb_scalar_function_bind_set_error(info, "decimal_text does not read this type");
}

void decimal_text(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  const duckdb_vector vector = duckdb_data_chunk_get_vector(input, 0);
  const LogicalType type(duckdb_vector_get_column_type(vector));
  // Others are refused by bind_decimal.
  DISCREET_CHECK(duckdb_get_type_id(type.get()) == DUCKDB_TYPE_DECIMAL);
  const Column in(vector);
  const idx_t count = duckdb_data_chunk_get_size(input);
  const std::size_t scale = duckdb_decimal_scale(type.get());
  switch (duckdb_decimal_internal_type(type.get())) {
    case DUCKDB_TYPE_SMALLINT:
      return print_decimals<std::int16_t>(in, count, scale, output);
    case DUCKDB_TYPE_INTEGER:
      return print_decimals<std::int32_t>(in, count, scale, output);
    case DUCKDB_TYPE_BIGINT:
      return print_decimals<std::int64_t>(in, count, scale, output);
    default:
      return print_decimals<duckdb_hugeint>(in, count, scale, output);
  }
}

void scaled(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& map = *static_cast<IntegerMap*>(duckdb_scalar_function_get_bind_data(info));
  const Column in(duckdb_data_chunk_get_vector(input, 0));
  const idx_t count = duckdb_data_chunk_get_size(input);
  const auto* values = in.values<std::int64_t>();
  auto* out = static_cast<std::int64_t*>(duckdb_vector_get_data(output));
  // Also of what lies under a NULL: the map is total.
  for (idx_t i = 0; i < count; ++i) out[i] = map(values[i]);
  copy_nulls(in, count, output);
}

/// out[i] = f(a[i], b[i]) of words, also of what lies under a NULL: f is total.
template <class F>
void fill_words(duckdb_data_chunk input, duckdb_vector output, F f) {
  const Column a(duckdb_data_chunk_get_vector(input, 0));
  const Column b(duckdb_data_chunk_get_vector(input, 1));
  const idx_t count = duckdb_data_chunk_get_size(input);
  const auto* x = a.values<std::uint64_t>();
  const auto* y = b.values<std::uint64_t>();
  auto* out = static_cast<std::uint64_t*>(duckdb_vector_get_data(output));
  for (idx_t i = 0; i < count; ++i) out[i] = f(x[i], y[i]);
  copy_nulls(a, count, output);
  if (!b.has_nulls()) return;
  if (!a.has_nulls()) return copy_nulls(b, count, output);
  std::uint64_t* valid = duckdb_vector_get_validity(output);
  for (idx_t word = 0; word < (count + 63) / 64; ++word) valid[word] &= b.validity()[word];
}

void plus(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  fill_words(input, output, [](std::uint64_t a, std::uint64_t b) { return a + b; });
}
void minus(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  fill_words(input, output, [](std::uint64_t a, std::uint64_t b) { return a - b; });
}
void times(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  fill_words(input, output, [](std::uint64_t a, std::uint64_t b) { return a * b; });
}

std::optional<std::int64_t> quotient_of(std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  Int128 n = static_cast<Int128>(a) * kPerUnit;
  Int128 result = n / b;
  Int128 rest = n % b;
  Int128 size = rest < 0 ? -rest : rest;
  Int128 divisor = b < 0 ? -static_cast<Int128>(b) : b;
  if (size >= divisor - size) result += (n < 0) == (b < 0) ? 1 : -1;
  return saturate_to_int64(result);
}

void quotient(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  Column a(duckdb_data_chunk_get_vector(input, 0));
  Column b(duckdb_data_chunk_get_vector(input, 1));
  fill(a, duckdb_data_chunk_get_size(input), output, [&](idx_t i) -> std::optional<std::int64_t> {
    if (b.is_null(i)) return std::nullopt;
    return quotient_of(a.values<std::int64_t>()[i], b.values<std::int64_t>()[i]);
  });
}

/// Texts, to be found among.
class TextSet {
 public:
  explicit TextSet(const std::vector<std::string>& texts) {
    std::size_t slots = 4;
    while (slots < 2 * texts.size()) slots *= 2;
    mask_ = slots - 1;
    short_.resize(slots);
    for (const std::string& text : texts) {
      if (text.size() > InlinedText::kMost) {
        long_.insert(text);
        continue;
      }
      duckdb_string_t inlined{};
      inlined.value.inlined.length = static_cast<std::uint32_t>(text.size());
      std::memcpy(inlined.value.inlined.inlined, text.data(), text.size());
      const InlinedText words(inlined);
      if (!has(words)) short_[place(words)] = {words, true};
    }
  }

  bool has(const duckdb_string_t& text) const {
    if (text.value.inlined.length > InlinedText::kMost) {
      return long_.contains(std::string(text.value.pointer.ptr, text.value.pointer.length));
    }
    return has(InlinedText(text));
  }

 private:
  struct Slot {
    InlinedText words;
    bool used = false;
  };
  bool has(const InlinedText& words) const { return short_[place(words)].used; }
  /// Where it is, or would be.
  std::size_t place(const InlinedText& words) const {
    std::size_t at = words.mixed() & mask_;
    while (short_[at].used && !(short_[at].words == words)) at = (at + 1) & mask_;
    return at;
  }

  std::size_t mask_;
  std::vector<Slot> short_;
  std::unordered_set<std::string> long_;
};

std::vector<std::string> parse_list(std::string_view text) {
  std::vector<std::string> values;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    DISCREET_CHECK(colon != text.npos);
    const std::size_t size = std::stoul(std::string(text.substr(0, colon)));
    values.emplace_back(text.substr(colon + 1, size));
    text.remove_prefix(colon + 1 + size);
  }
  return values;
}

void listed(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& set = *static_cast<TextSet*>(duckdb_scalar_function_get_bind_data(info));
  const Column in(duckdb_data_chunk_get_vector(input, 0));
  const idx_t count = duckdb_data_chunk_get_size(input);
  auto* out = static_cast<bool*>(duckdb_vector_get_data(output));
  const auto* texts = in.values<duckdb_string_t>();
  for (idx_t i = 0; i < count; ++i) out[i] = !in.is_null(i) && set.has(texts[i]);
  copy_nulls(in, count, output);
  give_back(input);
}

char capital(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

template <char (*letter)(char)>
void copy_letters(std::string_view text, std::string& to) {
  to.resize(text.size());
  std::transform(text.begin(), text.end(), to.begin(), letter);
}

template <bool any_case>
void matches(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& pattern = *static_cast<LikePattern*>(duckdb_scalar_function_get_bind_data(info));
  const Column in(duckdb_data_chunk_get_vector(input, 0));
  const idx_t count = duckdb_data_chunk_get_size(input);
  auto* out = static_cast<bool*>(duckdb_vector_get_data(output));
  std::string copy;
  for (idx_t i = 0; i < count; ++i) {
    out[i] = false;
    if (in.is_null(i)) continue;
    std::string_view text = first_characters(in.text(i), kMatchedCharacters);
    if constexpr (any_case) {
      copy_letters<small>(text, copy);
      text = copy;
    }
    out[i] = pattern.matches(text);
  }
  copy_nulls(in, count, output);
  give_back(input);
}

template <char (*letter)(char)>
void with_letters(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  const Column in(duckdb_data_chunk_get_vector(input, 0));
  const idx_t count = duckdb_data_chunk_get_size(input);
  std::string copy;
  for (idx_t i = 0; i < count; ++i) {
    if (in.is_null(i)) continue;
    copy_letters<letter>(in.text(i), copy);
    duckdb_vector_assign_string_element_len(output, i, copy.data(), copy.size());
  }
  copy_nulls(in, count, output);
}

void as_stored(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  duckdb_vector_reference_vector(output, duckdb_data_chunk_get_vector(input, 0));
}

bool register_scalar(duckdb_connection connection, const char* name,
                     std::initializer_list<duckdb_type> parameters,
                     duckdb_scalar_function_bind_t bind, duckdb_scalar_function_t function,
                     duckdb_type result_type = DUCKDB_TYPE_BIGINT) {
  ScalarFunction made(duckdb_create_scalar_function());
  duckdb_scalar_function_set_name(made.get(), name);
  for (duckdb_type parameter : parameters) {
    LogicalType type(duckdb_create_logical_type(parameter));
    duckdb_scalar_function_add_parameter(made.get(), type.get());
  }
  LogicalType result(duckdb_create_logical_type(result_type));
  duckdb_scalar_function_set_return_type(made.get(), result.get());
  duckdb_scalar_function_set_special_handling(made.get());  // NULLs come to us
  if (bind != nullptr) duckdb_scalar_function_set_bind(made.get(), bind);
  duckdb_scalar_function_set_function(made.get(), function);
  return duckdb_register_scalar_function(connection, made.get()) == DuckDBSuccess;
}

}  // namespace

void copy_nulls(const Column& in, idx_t count, duckdb_vector output) {
  if (!in.has_nulls()) return;
  duckdb_vector_ensure_validity_writable(output);
  std::copy_n(in.validity(), (count + 63) / 64, duckdb_vector_get_validity(output));
}

void give_back(duckdb_data_chunk input) {
  const LogicalType text(duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR));
  const Owner<duckdb_vector, duckdb_destroy_vector> nothing(duckdb_create_vector(text.get(), 1));
  // Not a value: it would be written to where DuckDB says which of the table's own rows are NULL.
  duckdb_vector_reference_vector(duckdb_data_chunk_get_vector(input, 0), nothing.get());
}

std::string grid_text(const policy::Grid& grid) {
  return grid.low.mpq().get_str() + ".." + grid.high.mpq().get_str() + " by " +
         grid.step.mpq().get_str();
}

std::string list_text(const std::vector<std::string>& values) {
  std::string out;
  for (const std::string& value : values) out += std::to_string(value.size()) + ":" + value;
  return out;
}

bool on_grid_reads(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_BOOLEAN:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_DATE:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_TZ:
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UHUGEINT:
    case DUCKDB_TYPE_DECIMAL:
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_VARCHAR:
      return true;
    default:
      return false;
  }
}

bool register_functions(duckdb_connection connection, KeepTarget& target, const Secret& secret) {
  auto bind_formula = [](duckdb_bind_info info) {
    bind_constant<IntegerMap>(
        info, [](const std::string& text) { return IntegerMap(parse_formula(text)); });
  };
  auto bind_list = [](duckdb_bind_info info) {
    bind_constant<TextSet>(info, [](const std::string& text) { return TextSet(parse_list(text)); });
  };
  auto bind_pattern = [](duckdb_bind_info info) {
    bind_constant<LikePattern>(info, [](const std::string& text) { return LikePattern(text); });
  };
  const std::string numbers = "CREATE TEMP SEQUENCE \"" + std::string(kRowNumbers) + "\"";
  return duckdb_query(connection, numbers.c_str(), nullptr) == DuckDBSuccess &&
         register_scalar(connection, "on_grid", {DUCKDB_TYPE_ANY, DUCKDB_TYPE_VARCHAR}, bind_grid,
                         on_grid) &&
         register_scalar(connection, "as_stored", {DUCKDB_TYPE_VARCHAR}, nullptr, as_stored,
                         DUCKDB_TYPE_VARCHAR) &&
         register_scalar(connection, "decimal_text", {DUCKDB_TYPE_ANY}, bind_decimal, decimal_text,
                         DUCKDB_TYPE_VARCHAR) &&
         register_scalar(connection, "scaled", {DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_VARCHAR},
                         bind_formula, scaled) &&
         register_scalar(connection, "plus", {DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_BIGINT}, nullptr,
                         plus) &&
         register_scalar(connection, "minus", {DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_BIGINT}, nullptr,
                         minus) &&
         register_scalar(connection, "times", {DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_BIGINT}, nullptr,
                         times) &&
         register_scalar(connection, "quotient", {DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_BIGINT}, nullptr,
                         quotient) &&
         register_scalar(connection, "listed", {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR},
                         bind_list, listed, DUCKDB_TYPE_BOOLEAN) &&
         register_scalar(connection, "matches", {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR},
                         bind_pattern, matches<false>, DUCKDB_TYPE_BOOLEAN) &&
         register_scalar(connection, "matches_any_case", {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR},
                         bind_pattern, matches<true>, DUCKDB_TYPE_BOOLEAN) &&
         register_scalar(connection, "capitals", {DUCKDB_TYPE_VARCHAR}, nullptr,
                         with_letters<capital>, DUCKDB_TYPE_VARCHAR) &&
         register_scalar(connection, "small_letters", {DUCKDB_TYPE_VARCHAR}, nullptr,
                         with_letters<small>, DUCKDB_TYPE_VARCHAR) &&
         register_moments(connection) && register_keyed(connection, secret) &&
         register_keep(connection, target);
}

}  // namespace discreet::engine::duckdb
