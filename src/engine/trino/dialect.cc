// SPDX-License-Identifier: Apache-2.0
#include "engine/trino/dialect.h"

#include "base/check.h"
#include "engine/trino/dates.h"
#include "engine/trino/numbers.h"
#include "engine/trino/types.h"

namespace discreet::engine::trino {
namespace {

using lowering::SqlType;
using lowering::StoredColumn;
using lowering::Word;
using plan::Grid;

Sql varchar(Sql value) { return Sql::cast(std::move(value), "VARCHAR"); }

class TrinoDialect final : public lowering::Dialect {
 public:
  Word type(SqlType type) const override {
    switch (type) {
      case SqlType::kTruth:
        return "BOOLEAN";
      case SqlType::kSteps:
        return "BIGINT";
      case SqlType::kWide:
        return "DECIMAL(38,0)";
      case SqlType::kText:
        return "VARCHAR";
    }
    DISCREET_CHECK(false);
  }

  Sql text(const std::string& value) const override { return varchar(Sql::text(value)); }

  Sql read(const StoredColumn& stored, Sql raw, const policy::Column& declared,
           const std::optional<Grid>& grid) const override {
    const Type type = type_of(stored.type);
    switch (declared.type) {
      case policy::Type::kText:
        return text_of(type, std::move(raw));
      case policy::Type::kBoolean:
        return type.kind == Kind::kBoolean ? raw : Sql::infix("<>", {std::move(raw), steps(0)});
      case policy::Type::kDate:
        return read_date(type, raw, *grid);
      case policy::Type::kTimestamp:
        return read_timestamp(type, raw, *grid);
      case policy::Type::kInteger:
      case policy::Type::kDecimal:
        break;
    }
    switch (type.kind) {
      case Kind::kDouble:
        return double_on_grid(raw, *grid);
      case Kind::kReal:
        return double_on_grid(Sql::cast(raw, "DOUBLE"), *grid);
      case Kind::kDecimal:
        return decimal_on_grid(raw, type, *grid);
      case Kind::kVarchar:
      case Kind::kChar:
        return text_on_grid(text_of(type, std::move(raw)), *grid);
      case Kind::kBoolean:
        return whole_on_grid(Sql::cast(raw, "BIGINT"), *grid);
      default:
        return whole_on_grid(raw, *grid);
    }
  }

  Sql equal_stored(const StoredColumn& left, Sql a, const StoredColumn& right,
                   Sql b) const override {
    const Kind kind = type_of(left.type).kind;
    const bool alike = left.type == right.type && kind != Kind::kReal && kind != Kind::kDouble;
    if (alike) return Sql::infix("=", {std::move(a), std::move(b)});
    return Sql::infix("=", {name_of(left, std::move(a)), name_of(right, std::move(b))});
  }

  bool is_whole(const StoredColumn& stored) const override {
    return type_of(stored.type).kind == Kind::kWhole;
  }

  Sql identifier(const StoredColumn& stored, Sql raw) const override {
    if (is_whole(stored)) return Sql::cast(std::move(raw), "BIGINT");
    return name_of(stored, std::move(raw));
  }

  Sql to_number(Sql text, const Grid& grid) const override { return text_on_grid(text, grid); }

  Sql scaled(Sql value, const IntegerMap::Formula& formula, const Grid& from) const override {
    return trino::scaled(value, formula, (from.low / from.step).numerator(),
                         (from.high / from.step).numerator());
  }

  Sql quotient(Sql a, Sql b) const override { return trino::quotient(std::move(a), std::move(b)); }
  // Of DECIMAL(38,0) `/` rounds: what remains is taken away first.
  Sql divided(Sql a, Sql b, SqlType type_of) const override {
    if (type_of == SqlType::kSteps) return Sql::infix("/", {std::move(a), unless_zero(b, type_of)});
    return once(a, [&](const Sql& n) {
      return once(b, [&](const Sql& d) {
        return Sql::infix(
            "/", {Sql::infix("-", {n, remainder(n, d, type_of)}), unless_zero(d, type_of)});
      });
    });
  }
  Sql remainder(Sql a, Sql b, SqlType type_of) const override {
    return Sql::infix("%", {std::move(a), unless_zero(b, type_of)});
  }

  Sql date_part(const std::string& part, Sql value, bool date) const override {
    return trino::date_part(part, std::move(value), date);
  }
  Sql date_trunc(const std::string& unit, Sql value, bool date) const override {
    return trino::date_trunc(unit, std::move(value), date);
  }

  Sql like(Sql text, Sql pattern) const override {
    return Sql::like(std::move(text), std::move(pattern));
  }
  Sql trim(Sql text) const override { return Sql::call("trim", {std::move(text), Sql::text(" ")}); }
  Sql length(Sql text) const override { return Sql::call("length", {std::move(text)}); }
  Sql substring(Sql text, std::int64_t first, std::int64_t count) const override {
    return Sql::call("substr", {std::move(text), number(first), number(count)});
  }
  Sql first_characters(Sql text, std::int64_t count) const override {
    return substring(std::move(text), 1, count);
  }
  Sql cut(Sql text, std::int64_t count) const override {
    return substring(std::move(text), 1, count);
  }

  Sql order_hash(std::vector<Sql> values, std::uint64_t seed) const override {
    values.push_back(Sql::number(static_cast<std::int64_t>(seed), "BIGINT"));
    const Sql json = Sql::cast(Sql::call("ROW", std::move(values)), "JSON");
    return Sql::call("xxhash64", {Sql::call("to_utf8", {Sql::call("json_format", {json})})});
  }

  std::vector<Sql> outputs(const std::vector<lowering::RowField>& fields) const override {
    std::vector<Sql> row;
    for (const lowering::RowField& field : fields) row.push_back(Sql::as(field.value, field.name));
    return row;
  }
  std::string bounding_words() const override { return ""; }

 private:
  Sql unless_zero(Sql b, SqlType type_of) const {
    return Sql::call("nullif", {std::move(b), number(0, type_of)});
  }

  /// A value as text; bytes that are no UTF-8, which files can hold, become U+FFFD, since some
  /// functions of text would fail on them.
  static Sql text_of(const Type& type, Sql raw) {
    if (type.kind == Kind::kVarchar || type.kind == Kind::kChar) {
      raw = Sql::call("from_utf8", {Sql::call("to_utf8", {varchar(std::move(raw))})});
      if (type.kind == Kind::kChar) raw = Sql::call("rtrim", {std::move(raw), Sql::text(" ")});
      return raw;
    }
    return varchar(std::move(raw));
  }

  /// Equal texts for equal values, and for no others, whatever numbers are stored as: one table
  /// has 7 and another 7.0 of the same person. Zeros behind a decimal's point do not make another
  /// number, nor does a zero's sign, nor blanks at the end of a CHAR, nor a time zone.
  static Sql name_of(const StoredColumn& stored, Sql raw) {
    const Type type = type_of(stored.type);
    switch (type.kind) {
      case Kind::kDecimal:
        raw = varchar(std::move(raw));
        if (type.scale == 0) return raw;
        raw = Sql::call("rtrim", {std::move(raw), Sql::text("0")});
        return Sql::call("rtrim", {std::move(raw), Sql::text(".")});
      case Kind::kReal:
      case Kind::kDouble:
        return once(Sql::infix("+", {Sql::cast(std::move(raw), "DOUBLE"),
                                     Sql::cast(Sql::text("0"), "DOUBLE")}),
                    [](const Sql& d) {
                      // A whole number is cast exactly, or is too large and stays as it is.
                      const Sql whole = varchar(Sql::try_cast(d, "BIGINT"));
                      return Sql::choose({Sql::infix("=", {d, Sql::call("truncate", {d})}),
                                          Sql::call("coalesce", {whole, varchar(d)}), varchar(d)});
                    });
      case Kind::kChar:
        return Sql::call("rtrim", {varchar(std::move(raw)), Sql::text(" ")});
      case Kind::kTimestamp:
        return varchar(Sql::cast(std::move(raw), "TIMESTAMP(12)"));
      case Kind::kTimestampTz:
        return varchar(Sql::cast(utc(std::move(raw)), "TIMESTAMP(12)"));
      default:
        return varchar(std::move(raw));
    }
  }
};

}  // namespace

const lowering::Dialect& dialect() {
  static const TrinoDialect made;
  return made;
}

}  // namespace discreet::engine::trino
