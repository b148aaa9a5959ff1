// SPDX-License-Identifier: Apache-2.0
#include "engine/postgres/dialect.h"

#include <charconv>

#include "base/check.h"
#include "engine/postgres/dates.h"
#include "engine/postgres/numbers.h"
#include "engine/postgres/types.h"
#include "plan/grid.h"

namespace discreet::engine::postgres {
namespace {

using lowering::SqlType;
using lowering::StoredColumn;
using lowering::Word;
using plan::Grid;
using policy::Type;

/// A longer text is read as NULL: a line of a text file is no longer either.
constexpr std::int64_t kTextBytesMost = std::int64_t{1} << 16;

Sql bytewise(Sql text) { return Sql::postfix(std::move(text), "COLLATE \"C\""); }
Sql as_text(Sql value) { return bytewise(Sql::cast(std::move(value), "text")); }

bool is_multiple(const Rational& value, const Rational& step) {
  return (value / step).denominator() == 1;
}

class PostgresDialect final : public lowering::Dialect {
 public:
  Word type(SqlType type) const override {
    switch (type) {
      case SqlType::kTruth:
        return "boolean";
      case SqlType::kSteps:
        return "bigint";
      case SqlType::kWide:
        return "numeric";
      case SqlType::kText:
        return "text";
    }
    DISCREET_CHECK(false);
  }

  // A text in PostgreSQL holds no zero byte; what is compared with one is not equal to it. Such
  // constants cannot be asked for (the parser ends there), and policies with one are refused.
  Sql text(const std::string& value) const override {
    if (value.find('\0') != value.npos) return bytewise(Sql::null("text"));
    return as_text(Sql::text(value));
  }

  Sql read(const StoredColumn& stored, Sql raw, const policy::Column& declared,
           const std::optional<Grid>& grid) const override {
    switch (declared.type) {
      case Type::kText:
        return text_of(stored, raw);
      case Type::kBoolean:
        return stored.type == kBool ? raw : Sql::infix("<>", {std::move(raw), steps(0)});
      case Type::kDate:
        return read_date(stored, raw, *grid);
      case Type::kTimestamp:
        return read_timestamp(stored, raw, *grid);
      case Type::kInteger:
      case Type::kDecimal:
        break;
    }
    if (stored.type == kFloat8) return float_on_grid(raw, *grid);
    if (stored.type == kFloat4) return float_on_grid(Sql::cast(raw, "double precision"), *grid);
    if (stored.type == kNumeric) {
      const auto type = lowering::decimal_type(stored);
      return type ? decimal_on_grid(raw, *type, *grid) : numeric_on_grid(raw, *grid);
    }
    if (stored.type == kBool) return whole_on_grid(Sql::cast(raw, "integer"), *grid);
    if (is_text(stored.type)) return text_on_grid(text_of(stored, raw), *grid);
    return whole_on_grid(raw, *grid);
  }

  std::optional<Sql> compared(const StoredColumn& stored, const Sql& raw,
                              const policy::Column& declared, const Grid& grid, Word op,
                              const Rational& value) const override {
    const bool number = policy::is_number(declared.type);
    if (number && is_whole(stored) && is_multiple(Rational(1), grid.step)) {
      if (value.denominator() != 1) return std::nullopt;
      return Sql::infix(op, {raw, steps(value.numerator())});
    }
    if (declared.type == Type::kDate && stored.type == kDate && grid.step == Rational(1)) {
      const Sql days = Sql::number(to_int128(value.numerator()), "integer");
      return Sql::infix(op,
                        {raw, Sql::infix("+", {Sql::cast(Sql::text("1970-01-01"), "date"), days})});
    }
    if (!number || stored.type != kNumeric) return std::nullopt;
    const auto type = lowering::decimal_type(stored);
    if (!type || !is_multiple(plan::power_of_ten(-type->scale), grid.step) ||
        !is_multiple(value, plan::power_of_ten(-type->scale))) {
      return std::nullopt;
    }
    // NaN is read as NULL, and is above everything here.
    const Sql x = Sql::call("nullif", {raw, Sql::cast(Sql::text("NaN"), "numeric")});
    const Sql digits = Sql::text(lowering::decimal_digits(value, type->scale));
    return Sql::infix(op, {x, Sql::cast(digits, "numeric")});
  }

  Sql equal_stored(const StoredColumn& left, Sql a, const StoredColumn& right,
                   Sql b) const override {
    const bool alike = left.type == right.type && !postgres::is_text(left.type) &&
                       left.type != kEnum;  // of two enums the types differ
    if (alike || (is_whole(left) && is_whole(right))) {
      return Sql::infix("=", {std::move(a), std::move(b)});
    }
    return Sql::infix("=", {join_name(left, std::move(a)), join_name(right, std::move(b))});
  }

  bool is_whole(const StoredColumn& stored) const override {
    return postgres::is_whole(stored.type);
  }

  Sql identifier(const StoredColumn& stored, Sql raw) const override {
    if (is_whole(stored)) return Sql::cast(std::move(raw), "bigint");
    return name_of(stored, std::move(raw));
  }

  Sql to_number(Sql text, const Grid& grid) const override { return text_on_grid(text, grid); }

  Sql scaled(Sql value, const IntegerMap::Formula& formula, const Grid& from) const override {
    return postgres::scaled(value, formula, (from.low / from.step).numerator(),
                            (from.high / from.step).numerator());
  }

  Sql quotient(Sql a, Sql b) const override {
    return postgres::quotient(std::move(a), std::move(b));
  }
  Sql divided(Sql a, Sql b, SqlType type_of) const override {
    if (type_of == SqlType::kWide) return Sql::call("div", {std::move(a), unless_zero(b, type_of)});
    return Sql::infix("/", {std::move(a), unless_zero(b, type_of)});
  }
  Sql remainder(Sql a, Sql b, SqlType type_of) const override {
    return Sql::infix("%", {std::move(a), unless_zero(b, type_of)});
  }

  Sql date_part(const std::string& part, Sql value, bool date) const override {
    return postgres::date_part(part, std::move(value), date);
  }
  Sql date_trunc(const std::string& unit, Sql value, bool date) const override {
    return postgres::date_trunc(unit, std::move(value), date);
  }

  Sql like(Sql text, Sql pattern) const override {
    return Sql::like(std::move(text), std::move(pattern));
  }
  Sql trim(Sql text) const override {
    return Sql::call("btrim", {std::move(text), Sql::text(" ")});
  }
  Sql length(Sql text) const override {
    return Sql::cast(Sql::call("char_length", {std::move(text)}), "bigint");
  }
  Sql substring(Sql text, std::int64_t first, std::int64_t count) const override {
    return Sql::call(
        "substr", {std::move(text), Sql::number(first, "integer"), Sql::number(count, "integer")});
  }
  Sql first_characters(Sql text, std::int64_t count) const override {
    return Sql::call("left", {std::move(text), Sql::number(count, "integer")});
  }
  Sql cut(Sql text, std::int64_t count) const override {
    return first_characters(std::move(text), count);
  }

  Sql order_hash(std::vector<Sql> values, std::uint64_t seed) const override {
    return Sql::call("hashtextextended", {as_text(Sql::call("ROW", std::move(values))),
                                          Sql::number(static_cast<std::int64_t>(seed), "bigint")});
  }

  bool reads_apart() const override { return true; }

  std::vector<Sql> outputs(const std::vector<lowering::RowField>& fields) const override {
    std::vector<Sql> row;
    for (const lowering::RowField& field : fields) {
      row.push_back(is_fetched_raw(field) ? field.column->raw : field.value);
    }
    return row;
  }
  std::string bounding_words() const override { return "then, in this program: "; }

 private:
  static Sql unless_zero(Sql b, SqlType type_of) {
    return Sql::call(
        "nullif", {std::move(b),
                   Sql::number(0, type_of == SqlType::kWide ? Word("numeric") : Word("bigint"))});
  }

  /// NULL where it is longer than kTextBytesMost, without unpacking it. A column whose type says
  /// that it cannot be is read as it is: the server knows how often its values come.
  static Sql text_of(const StoredColumn& stored, const Sql& raw) {
    if (!postgres::is_text(stored.type) || is_short(stored)) return as_text(raw);
    // A char(n) is as long as it is stored: as a text it would be unpacked first.
    const Sql measured = stored.type == kBpchar ? raw : Sql::cast(raw, "text");
    return Sql::choose(
        {Sql::infix("<=", {Sql::call("octet_length", {measured}), steps(kTextBytesMost)}),
         as_text(raw), Sql::null("text")});
  }

  /// character(n), character varying(n)
  static bool is_short(const StoredColumn& stored) {
    if (stored.type == kName) return true;
    const std::size_t open = stored.type_name.find('(');
    if ((stored.type != kBpchar && stored.type != kVarchar) || open == std::string::npos) {
      return false;
    }
    constexpr std::int64_t kBytesOfCharacter = 4;
    std::int64_t characters = kTextBytesMost;
    std::from_chars(stored.type_name.data() + open + 1,
                    stored.type_name.data() + stored.type_name.size(), characters);
    return characters * kBytesOfCharacter <= kTextBytesMost;
  }

  /// For joins: a text that is too long to be read is equal to none.
  static Sql join_name(const StoredColumn& stored, Sql raw) {
    if (postgres::is_text(stored.type)) return text_of(stored, raw);
    return name_of(stored, std::move(raw));
  }

  /// Equal texts for equal values, and for no others, whatever numbers are stored as: one table
  /// has 7 and another 7.0 of the same person. Zeros behind a numeric's point do not make another
  /// number, nor does a zero's sign.
  static Sql name_of(const StoredColumn& stored, Sql raw) {
    if (stored.type == kNumeric) raw = Sql::call("trim_scale", {std::move(raw)});
    if (!is_float(stored.type)) return as_text(std::move(raw));
    const Sql d = Sql::infix("+", {Sql::cast(std::move(raw), "double precision"),
                                   Sql::cast(Sql::text("0"), "double precision")});
    // A whole number is cast exactly; NaN is above all limits.
    const Sql limit = Sql::cast(Sql::text("9e18"), "double precision");
    const Sql is_whole = Sql::infix("AND", {Sql::infix("<", {Sql::call("abs", {d}), limit}),
                                            Sql::infix("=", {d, Sql::call("trunc", {d})})});
    return Sql::choose({is_whole, as_text(Sql::cast(d, "bigint")), as_text(d)});
  }
};

}  // namespace

const lowering::Dialect& dialect() {
  static const PostgresDialect made;
  return made;
}

bool is_fetched_raw(const lowering::RowField& field) {
  if (!field.column) return false;
  const unsigned int type = field.column->stored.type;
  switch (field.column->declared) {
    case Type::kInteger:
    case Type::
        kDecimal:  // a numeric without a length could be 70 KB of digits: the server reads it
      return is_whole(type) || is_float(type) ||
             (type == kNumeric && lowering::decimal_type(field.column->stored));
    case Type::kDate:
      return type == kDate;
    case Type::kTimestamp:
      return type == kTimestamp || type == kTimestamptz;
    default:
      return false;
  }
}

}  // namespace discreet::engine::postgres
