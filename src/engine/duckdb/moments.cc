// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/moments.h"

#include <cstdio>
#include <limits>
#include <optional>
#include <string>

#include "base/check.h"
#include "numeric/int128.h"
#include "plan/calendar.h"

namespace discreet::engine::duckdb {
namespace {

constexpr std::int64_t kSecondsADay = 86'400;
constexpr std::int64_t kMicro = 1'000'000;
constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

/// How a type counts time: so many of its words are a second, or a word is a day.
struct Clock {
  std::int64_t per_second = 0;  ///< 0: days
  bool zone = false;
};

std::optional<Clock> clock_of(unsigned int type) {
  switch (type) {
    case DUCKDB_TYPE_DATE:
      return Clock{};
    case DUCKDB_TYPE_TIMESTAMP_S:
      return Clock{1};
    case DUCKDB_TYPE_TIMESTAMP_MS:
      return Clock{1'000};
    case DUCKDB_TYPE_TIMESTAMP:
      return Clock{kMicro};
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return Clock{kMicro, true};
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return Clock{1'000 * kMicro};
    default:
      return std::nullopt;
  }
}

/// Rounded down. Requires: divisor > 0.
std::int64_t floor_of(std::int64_t value, std::int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

/// The words of one vector; a date's infinities are those of 64 bits.
class Words {
 public:
  Words(const Column& in, const Clock& clock) : in_(in), days_(clock.per_second == 0) {}
  std::int64_t operator[](idx_t row) const {
    if (!days_) return in_.values<std::int64_t>()[row];
    const std::int32_t day = in_.values<std::int32_t>()[row];
    constexpr std::int32_t kEnd = std::numeric_limits<std::int32_t>::max();
    return day == kEnd ? kLast : day == -kEnd ? -kLast : day;
  }

 private:
  const Column& in_;
  bool days_;
};

bool is_infinite(std::int64_t word) { return word == kLast || word == -kLast; }

std::int64_t days_of(std::int64_t word, const Clock& clock) {
  if (is_infinite(word)) return word > 0 ? kLast : kFirst;
  return clock.per_second == 0 ? word : floor_of(word, clock.per_second * kSecondsADay);
}

std::int64_t microseconds_of(std::int64_t word, const Clock& clock) {
  if (is_infinite(word)) return word > 0 ? kLast : kFirst;
  if (clock.per_second > kMicro) return floor_of(word, clock.per_second / kMicro);
  const std::int64_t each =
      clock.per_second == 0 ? kSecondsADay * kMicro : kMicro / clock.per_second;
  return saturate_to_int64(Int128{word} * each);
}

std::string date_text(std::int64_t day) {
  const plan::Civil civil = plan::civil_of(day);
  const bool before = civil.year <= 0;  // the year before 1 is 1 BC
  char text[48];
  std::snprintf(text, sizeof text, "%04lld-%02d-%02d%s",
                static_cast<long long>(before ? 1 - civil.year : civil.year),
                static_cast<int>(civil.month), static_cast<int>(civil.day), before ? " (BC)" : "");
  return text;
}

std::string text_of(std::int64_t word, const Clock& clock) {
  if (is_infinite(word)) return word > 0 ? "infinity" : "-infinity";
  const std::int64_t day = days_of(word, clock);
  std::string text = date_text(day);
  if (clock.per_second == 0) return text;
  const auto rest = static_cast<std::int64_t>(
      Int128{word} - Int128{day} * (clock.per_second * kSecondsADay));  // within the day
  const auto second = static_cast<int>(rest / clock.per_second);
  char time[32];
  std::snprintf(time, sizeof time, " %02d:%02d:%02d", second / 3'600, second / 60 % 60,
                second % 60);
  text += time;
  if (const std::int64_t part = rest % clock.per_second; part != 0) {
    const std::string digits = std::to_string(clock.per_second + part);  // 1, then all digits
    text += "." + digits.substr(1, digits.find_last_not_of('0'));
  }
  return clock.zone ? text + "+00" : text;
}

/// Calls f(row, word, clock) for every row that is there; the others are NULL.
template <class F>
void each_moment(duckdb_data_chunk input, duckdb_vector output, F f) {
  const duckdb_vector vector = duckdb_data_chunk_get_vector(input, 0);
  const LogicalType type(duckdb_vector_get_column_type(vector));
  const std::optional<Clock> clock = clock_of(duckdb_get_type_id(type.get()));
  // Others are refused by bind_moment.
  DISCREET_CHECK(clock.has_value());
  const Column in(vector);
  const Words words(in, *clock);
  if (in.has_nulls()) duckdb_vector_ensure_validity_writable(output);
  for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row) {
    if (in.is_null(row)) {
      duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
    } else {
      f(row, words[row], *clock);
    }
  }
}

void days(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  auto* out = static_cast<std::int64_t*>(duckdb_vector_get_data(output));
  each_moment(input, output, [&](idx_t row, std::int64_t word, const Clock& clock) {
    out[row] = days_of(word, clock);
  });
}

void microseconds(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  auto* out = static_cast<std::int64_t*>(duckdb_vector_get_data(output));
  each_moment(input, output, [&](idx_t row, std::int64_t word, const Clock& clock) {
    out[row] = microseconds_of(word, clock);
  });
}

void bind_moment(duckdb_bind_info info) {
  if (is_moment(argument_type(info, 0))) return;
  duckdb_scalar_function_bind_set_error(info, "this is not a date or timestamp");
}

void moment_text(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  each_moment(input, output, [&](idx_t row, std::int64_t word, const Clock& clock) {
    const std::string text = text_of(word, clock);
    duckdb_vector_assign_string_element_len(output, row, text.data(), text.size());
  });
}

bool register_moment(duckdb_connection connection, const char* name,
                     duckdb_scalar_function_t function, duckdb_type result_type) {
  ScalarFunction made(duckdb_create_scalar_function());
  duckdb_scalar_function_set_name(made.get(), name);
  const LogicalType any(duckdb_create_logical_type(DUCKDB_TYPE_ANY));
  duckdb_scalar_function_add_parameter(made.get(), any.get());
  const LogicalType result(duckdb_create_logical_type(result_type));
  duckdb_scalar_function_set_return_type(made.get(), result.get());
  duckdb_scalar_function_set_special_handling(made.get());  // NULLs come to us
  duckdb_scalar_function_set_bind(made.get(), bind_moment);
  duckdb_scalar_function_set_function(made.get(), function);
  return duckdb_register_scalar_function(connection, made.get()) == DuckDBSuccess;
}

}  // namespace

bool is_moment(unsigned int type) { return clock_of(type).has_value(); }

bool register_moments(duckdb_connection connection) {
  return register_moment(connection, "days", days, DUCKDB_TYPE_BIGINT) &&
         register_moment(connection, "microseconds", microseconds, DUCKDB_TYPE_BIGINT) &&
         register_moment(connection, "moment_text", moment_text, DUCKDB_TYPE_VARCHAR);
}

}  // namespace discreet::engine::duckdb
