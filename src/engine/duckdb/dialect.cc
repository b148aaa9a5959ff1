// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/dialect.h"

#include <algorithm>

#include "base/check.h"
#include "engine/duckdb/functions.h"
#include "engine/duckdb/moments.h"
#include "plan/grid.h"

namespace discreet::engine::duckdb {
namespace {

using lowering::Sql;
using lowering::SqlType;
using lowering::StoredColumn;
using lowering::Word;
using policy::Type;

bool is_multiple(const Rational& value, const Rational& step) {
  return (value / step).denominator() == 1;
}

class DuckDbDialect final : public lowering::Dialect {
 public:
  Word type(SqlType type) const override {
    switch (type) {
      case SqlType::kTruth:
        return "BOOLEAN";
      case SqlType::kSteps:
        return "BIGINT";
      case SqlType::kWide:
        return "HUGEINT";
      case SqlType::kText:
        return "VARCHAR";
    }
    DISCREET_CHECK(false);
  }

  Sql text(const std::string& value) const override { return Sql::text(value); }

  Sql read(const StoredColumn& stored, Sql raw, const policy::Column& declared,
           const std::optional<plan::Grid>& grid) const override {
    Sql value = std::move(raw);
    switch (declared.type) {
      case Type::kText:
        value = as_text(stored, std::move(value));
        break;
      case Type::kBoolean:
        if (stored.type != DUCKDB_TYPE_BOOLEAN) value = Sql::try_cast(value, "BOOLEAN");
        break;
      case Type::kDate:
        if (stored.type == DUCKDB_TYPE_VARCHAR) {
          value = Sql::try_cast(value, "DATE");
        } else if (stored.type != DUCKDB_TYPE_DATE) {
          value = Sql::call("days", {std::move(value)});
        }
        break;
      case Type::kTimestamp:
        if (stored.type == DUCKDB_TYPE_VARCHAR) {
          value = Sql::try_cast(value, "TIMESTAMP");
        } else if (stored.type != DUCKDB_TYPE_TIMESTAMP &&
                   stored.type != DUCKDB_TYPE_TIMESTAMP_TZ) {
          value = Sql::call("microseconds", {std::move(value)});
        }
        break;
      case Type::kInteger:
      case Type::kDecimal:
        break;
    }
    return grid ? to_number(std::move(value), *grid) : value;
  }

  std::optional<Sql> compared(const StoredColumn& stored, const Sql& raw,
                              const policy::Column& declared, const plan::Grid& grid, Word op,
                              const Rational& value) const override {
    const bool number = policy::is_number(declared.type);
    if (number && is_whole(stored) && is_multiple(Rational(1), grid.step)) {
      if (value.denominator() != 1) return std::nullopt;
      return Sql::infix(op, {raw, Sql::number(to_int128(value.numerator()), "BIGINT")});
    }
    if (declared.type == Type::kDate && stored.type == DUCKDB_TYPE_DATE &&
        grid.step == Rational(1)) {
      return Sql::infix(
          op, {raw, moment(Sql::number(to_int128(value.numerator()), "BIGINT"), /*date=*/true)});
    }
    if (!number || stored.type != DUCKDB_TYPE_DECIMAL) return std::nullopt;
    const auto type = lowering::decimal_type(stored);
    if (!type || !is_multiple(plan::power_of_ten(-type->scale), grid.step) ||
        !is_multiple(value, plan::power_of_ten(-type->scale)) ||
        value.abs() >= plan::power_of_ten(type->precision - type->scale)) {
      return std::nullopt;
    }
    const Sql digits = Sql::text(lowering::decimal_digits(value, type->scale));
    return Sql::infix(op, {raw, Sql::cast_decimal(digits, type->precision, type->scale)});
  }

  // DuckDB compares with every text in turn.
  Sql among(Sql text, const std::vector<std::string>& values) const override {
    const bool plain = std::all_of(values.begin(), values.end(), [](const std::string& value) {
      return value.find('\0') == value.npos;
    });
    if (values.size() < 2 || !plain) return Dialect::among(std::move(text), values);
    return Sql::call("listed", {std::move(text), Sql::text(list_text(values))});
  }

  Sql equal_stored(const StoredColumn& left, Sql a, const StoredColumn& right,
                   Sql b) const override {
    // Two decimals of different scales would be cast to a third, which not all of them fit.
    if (left.type_name == right.type_name || (is_whole(left) && is_whole(right))) {
      return Sql::infix("=", {std::move(a), std::move(b)});
    }
    return Sql::infix("=", {name_of(left, std::move(a)), name_of(right, std::move(b))});
  }

  bool is_whole(const StoredColumn& stored) const override {
    switch (stored.type) {
      case DUCKDB_TYPE_TINYINT:
      case DUCKDB_TYPE_SMALLINT:
      case DUCKDB_TYPE_INTEGER:
      case DUCKDB_TYPE_BIGINT:
      case DUCKDB_TYPE_UTINYINT:
      case DUCKDB_TYPE_USMALLINT:
      case DUCKDB_TYPE_UINTEGER:
        return true;
      default:
        return false;
    }
  }

  Sql identifier(const StoredColumn& stored, Sql raw) const override {
    return is_whole(stored) ? cast(std::move(raw), SqlType::kSteps)
                            : name_of(stored, std::move(raw));
  }

  Sql to_number(Sql text, const plan::Grid& grid) const override {
    return Sql::call("on_grid", {std::move(text), Sql::text(grid_text(grid))});
  }

  Sql scaled(Sql steps, const IntegerMap::Formula& formula, const plan::Grid&) const override {
    return Sql::call("scaled", {std::move(steps), Sql::text(to_string(formula))});
  }

  // DuckDB's own look for an overflow in every row.
  Sql arithmetic(Sign sign, Sql a, Sql b) const override {
    const Word name = sign == Sign::kPlus    ? Word("plus")
                      : sign == Sign::kMinus ? Word("minus")
                                             : Word("times");
    return Sql::call(name, {std::move(a), std::move(b)});
  }
  Sql quotient(Sql a, Sql b) const override {
    return Sql::call("quotient", {std::move(a), std::move(b)});
  }
  Sql divided(Sql a, Sql b, SqlType) const override {
    return Sql::infix("//", {std::move(a), std::move(b)});
  }
  Sql remainder(Sql a, Sql b, SqlType) const override {
    return Sql::infix("%", {std::move(a), std::move(b)});
  }

  Sql date_part(const std::string& part, Sql steps, bool date) const override {
    return Sql::cast(Sql::call("date_part", {Sql::text(part), moment(std::move(steps), date)}),
                     "BIGINT");
  }

  Sql date_trunc(const std::string& unit, Sql steps, bool date) const override {
    Sql start = Sql::call("date_trunc", {Sql::text(unit), moment(std::move(steps), date)});
    if (date) {
      return Sql::cast(Sql::infix("-", {Sql::cast(std::move(start), "DATE"), epoch()}), "BIGINT");
    }
    return Sql::call("epoch_us", {Sql::cast(std::move(start), "TIMESTAMP")});
  }

  Sql like(Sql text, Sql pattern) const override {
    return Sql::call("matches", {std::move(text), std::move(pattern)});
  }
  // matches() looks at no more by itself; left() would copy every text.
  Sql like_first(Sql text, std::int64_t count, Sql pattern) const override {
    DISCREET_CHECK(count == kMatchedCharacters);
    return like(std::move(text), std::move(pattern));
  }
  Sql like_any_case(Sql text, std::int64_t count, Sql pattern) const override {
    DISCREET_CHECK(count == kMatchedCharacters);
    return Sql::call("matches_any_case", {std::move(text), std::move(pattern)});
  }
  Sql with_letters(Sql text, std::int64_t count, bool capitals) const override {
    const Word function = capitals ? Word("capitals") : Word("small_letters");
    return Sql::call(function, {cut(std::move(text), count)});
  }
  Sql trim(Sql text) const override { return Sql::call("trim", {std::move(text), Sql::text(" ")}); }
  Sql length(Sql text) const override {
    return Sql::cast(Sql::call("length", {std::move(text)}), "BIGINT");
  }
  Sql substring(Sql text, std::int64_t first, std::int64_t count) const override {
    return Sql::call("substring", {std::move(text), number(first), number(count)});
  }
  Sql first_characters(Sql text, std::int64_t count) const override {
    const Sql most = number(count);
    return Sql::choose({Sql::infix(">", {Sql::call("strlen", {text}), most}),
                        Sql::call("left", {text, most}), text});
  }

  Sql cut(Sql text, std::int64_t count) const override {
    return Sql::call("left", {std::move(text), number(count)});
  }

  Sql order_hash(std::vector<Sql> values, std::uint64_t seed) const override {
    values.push_back(Sql::number(static_cast<std::int64_t>(seed), "BIGINT"));
    return Sql::call("hash", std::move(values));
  }
  std::optional<Sql> keyed(std::vector<Sql> numbers) const override {
    return Sql::call("keyed", std::move(numbers));
  }
  std::optional<Sql> named(Sql value) const override {
    return Sql::call("named", {std::move(value)});
  }
  bool has_semi_joins() const override { return true; }

  std::vector<Sql> outputs(const std::vector<lowering::RowField>& fields) const override {
    std::vector<std::pair<std::string, Sql>> row;
    // An aggregate cannot hold a window: rows that are units are numbered by a sequence instead.
    const std::string window = Sql::postfix(Sql::call("row_number", {}), "OVER ()").print();
    for (const lowering::RowField& field : fields) {
      const bool numbered = field.name == "unit" && field.value.print() == window;
      row.emplace_back(field.name,
                       numbered ? Sql::call("nextval", {Sql::text(kRowNumbers)}) : field.value);
    }
    return {Sql::call("keep", {Sql::row(std::move(row))})};
  }
  std::optional<Sql> census(Sql owner) const override {
    return Sql::call("census", {std::move(owner)});
  }
  std::vector<Sql> owners(Sql key, Sql unit) const override {
    return {Sql::call("owners", {Sql::row({{"key", std::move(key)}, {"unit", std::move(unit)}})})};
  }
  std::string bounding_words() const override { return "keep() is ours: "; }

 private:
  /// Equal texts for equal values: in a table where nobody's id is missing 7 is stored as 7, and in
  /// another as 7.0 or 7.00, and is one person's in both. A zero's sign makes no other number.
  Sql name_of(const StoredColumn& stored, Sql raw) const {
    const Sql text = as_text(stored, raw);
    if (stored.type == DUCKDB_TYPE_DECIMAL && lowering::decimal_type(stored)->scale > 0) {
      return Sql::call("rtrim", {Sql::call("rtrim", {text, Sql::text("0")}), Sql::text(".")});
    }
    if (stored.type != DUCKDB_TYPE_FLOAT && stored.type != DUCKDB_TYPE_DOUBLE) return text;
    const Sql whole = cast(Sql::try_cast(raw, "HUGEINT"), SqlType::kText);
    return Sql::choose({Sql::infix("=", {raw, Sql::call("trunc", {raw})}),
                        Sql::call("coalesce", {whole, text}), text});
  }
  static Sql epoch() { return Sql::cast(Sql::text("1970-01-01"), "DATE"); }
  static Sql moment(Sql steps, bool date) {
    return date ? Sql::infix("+", {epoch(), Sql::cast(std::move(steps), "INTEGER")})
                : Sql::call("make_timestamp", {std::move(steps)});
  }
};

}  // namespace

bool has_text(const StoredColumn& stored) {
  return stored.type != DUCKDB_TYPE_INVALID || stored.type_name == "BLOB" ||
         stored.type_name == "JSON";
}

Sql as_text(const StoredColumn& stored, Sql raw) {
  if (stored.type == DUCKDB_TYPE_VARCHAR) return raw;
  if (is_moment(stored.type)) return Sql::call("moment_text", {std::move(raw)});
  if (stored.type == DUCKDB_TYPE_DECIMAL) return Sql::call("decimal_text", {std::move(raw)});
  // A file keeps the sign of a zero and of a NaN or drops it by what other rows hold: a block of
  // equal numbers is stored as one of them.
  if (stored.type == DUCKDB_TYPE_FLOAT || stored.type == DUCKDB_TYPE_DOUBLE) {
    const Sql zero = Sql::infix("=", {raw, Sql::number(0, "INTEGER")});
    return Sql::choose({zero, Sql::text("0.0"), Sql::call("isnan", {raw}), Sql::text("nan"),
                        Sql::try_cast(raw, "VARCHAR")});
  }
  return Sql::try_cast(std::move(raw), "VARCHAR");
}

const lowering::Dialect& dialect() {
  static const DuckDbDialect made;
  return made;
}

}  // namespace discreet::engine::duckdb
