// SPDX-License-Identifier: Apache-2.0
// What databases say differently. Expressions and plans are lowered once (expression.h, plan.h);
// wherever engines differ in words, types or totality they ask the engine's dialect.
//
// The contract of every function: on all rows of all tables it gives the value of
// plan/expression.md, or NULL; no row can make it fail (S1 to S3). Arguments are mentioned a fixed
// number of times, once where they may be deep, so that text does not grow out of hand.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/integer_map.h"
#include "engine/lowering/sql.h"
#include "plan/expression.h"
#include "policy/policy.h"

namespace discreet::engine::lowering {

/// A column as it is stored.
struct StoredColumn {
  std::string name;
  std::string type_name;  ///< the database's words: BIGINT, numeric(9,2)
  unsigned int type = 0;  ///< its code: a duckdb_type, a PostgreSQL Oid
};

struct StoredTable {
  std::vector<std::string> name;  ///< in FROM: "visits", or schema and table
  std::vector<StoredColumn> columns;
  bool is_still = false;  ///< it holds the same rows in all statements of a run
};

/// DECIMAL(precision, scale), numeric(precision,scale): what a column's type says of its numbers.
struct DecimalType {
  int precision;
  int scale;
};
/// Nothing where the name gives no precision.
std::optional<DecimalType> decimal_type(const StoredColumn& stored);
/// A multiple of 10^-scale as digits, with a point if scale > 0.
std::string decimal_digits(const Rational& value, int scale);

/// The policy's table -> what the database holds for it.
using Schemas = std::map<std::string, StoredTable>;

/// What values are while they are computed.
enum class SqlType {
  kTruth,
  kSteps,  ///< 64 bits: whole steps of the expression's shape
  kWide,   ///< 128 bits at least
  kText,
};

/// A column of which an expression is nothing but the reading: an engine may fetch it as it is
/// stored and read it in its own code, by the same rule.
struct ColumnRead {
  StoredColumn stored;
  Sql raw;
  policy::Type declared;
  plan::Grid grid;
  std::optional<std::int64_t> fallback;  ///< in steps, for NULL
};

/// What a row brings to the bounding, by name: its unit, a key or a content.
struct RowField {
  std::string name;
  Sql value;
  std::optional<ColumnRead> column;
};

class Dialect {
 public:
  virtual ~Dialect() = default;

  virtual Word type(SqlType type) const = 0;
  virtual Sql text(const std::string& value) const = 0;
  Sql number(Int128 value, SqlType type_of = SqlType::kSteps) const {
    return Sql::number(value, type(type_of));
  }
  Sql null(SqlType type_of) const { return Sql::null(type(type_of)); }
  Sql cast(Sql arg, SqlType to) const { return Sql::cast(std::move(arg), type(to)); }

  /// A stored column as expressions see it (expression.md, "Columns"), before the NULL rule.
  /// `grid`: of its shape, if it has one. Requires: the engine checked that it can be read so.
  virtual Sql read(const StoredColumn& stored, Sql raw, const policy::Column& declared,
                   const std::optional<plan::Grid>& grid) const = 0;
  /// Where reading does no more than bring what is stored into the range, comparing may come before
  /// it, and databases do that best: stored `op` value, NULL where reading gives NULL. `value` is a
  /// multiple of the grid's step. Nothing where reading does more.
  virtual std::optional<Sql> compared(const StoredColumn& /*stored*/, const Sql& /*raw*/,
                                      const policy::Column& /*declared*/,
                                      const plan::Grid& /*grid*/, Word /*op*/,
                                      const Rational& /*value*/) const {
    return std::nullopt;
  }
  /// Whether a text is one of these; NULL of NULL.
  virtual Sql among(Sql text, const std::vector<std::string>& values) const {
    std::vector<Sql> list;
    for (const std::string& value : values) list.push_back(this->text(value));
    return Sql::in(std::move(text), std::move(list));
  }
  /// Stored values that are equal: `a = b`, without any loss on the way.
  virtual Sql equal_stored(const StoredColumn& left, Sql a, const StoredColumn& right,
                           Sql b) const = 0;
  /// Whether it holds whole numbers of at most 64 bits: a unit is then kept as a number, any other
  /// identifier as a text, so that no two become one (a double would merge 2^53 and 2^53 + 1).
  virtual bool is_whole(const StoredColumn& stored) const = 0;
  /// A stored identifier as kSteps if it is whole, else as kText: equal if and only if it is.
  virtual Sql identifier(const StoredColumn& stored, Sql raw) const = 0;

  /// kToNumber.
  virtual Sql to_number(Sql text, const plan::Grid& grid) const = 0;
  /// The formula of an IntegerMap. `from`: the grid on which the steps lie.
  virtual Sql scaled(Sql steps, const IntegerMap::Formula& formula,
                     const plan::Grid& from) const = 0;
  enum class Sign { kPlus, kMinus, kTimes };
  /// Of kSteps, where the shape says that the result fits.
  virtual Sql arithmetic(Sign sign, Sql a, Sql b) const {
    const Word op = sign == Sign::kPlus ? Word("+") : sign == Sign::kMinus ? Word("-") : Word("*");
    return Sql::infix(op, {std::move(a), std::move(b)});
  }
  /// round(10^6 a / b), halves away from zero; NULL for b = 0.
  virtual Sql quotient(Sql a, Sql b) const = 0;
  /// a / b towards zero and what remains; NULL for b = 0. `type_of`: of a and b.
  virtual Sql divided(Sql a, Sql b, SqlType type_of) const = 0;
  virtual Sql remainder(Sql a, Sql b, SqlType type_of) const = 0;

  /// Of days (`date`) or microseconds since 1970-01-01; parts as kSteps, truncations as what came.
  virtual Sql date_part(const std::string& part, Sql steps, bool date) const = 0;
  virtual Sql date_trunc(const std::string& unit, Sql steps, bool date) const = 0;

  virtual Sql like(Sql text, Sql pattern) const = 0;  ///< with \ before what stands for itself
  /// Of the first `count` characters.
  virtual Sql like_first(Sql text, std::int64_t count, Sql pattern) const {
    return like(cut(std::move(text), count), std::move(pattern));
  }
  /// Likewise, of ASCII letters of either case; the pattern has small ones.
  virtual Sql like_any_case(Sql text, std::int64_t count, Sql pattern) const {
    return like(with_letters(std::move(text), count, /*capitals=*/false), std::move(pattern));
  }
  /// The first `count` characters, with all ASCII letters capital or small; databases' own
  /// functions know other alphabets.
  virtual Sql with_letters(Sql text, std::int64_t count, bool capitals) const {
    Sql small = this->text("abcdefghijklmnopqrstuvwxyz");
    Sql large = this->text("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return Sql::call("translate", {cut(std::move(text), count), capitals ? small : large,
                                   capitals ? large : small});
  }
  virtual Sql trim(Sql text) const = 0;
  virtual Sql length(Sql text) const = 0;
  /// Requires: first >= 1, count >= 0.
  virtual Sql substring(Sql text, std::int64_t first, std::int64_t count) const = 0;
  virtual Sql first_characters(Sql text, std::int64_t count) const = 0;
  /// The same, mentioned once: for texts that are hardly ever cut.
  virtual Sql cut(Sql text, std::int64_t count) const = 0;

  /// Where databases hash what they group, count distinctly or join, people can choose values whose
  /// hashes collide, and the tables become slow (ADV-2026-40). Nothing where the engine sorts, or
  /// hashes under a secret itself. keyed(): of numbers (kSteps, kWide) and truths, a number that
  /// nobody can foresee; among the keys of a group it spreads them. named(): of a text or of kSteps,
  /// a number of 128 bits; equal where they are equal, else with a probability of 2^-128 for texts.
  virtual std::optional<Sql> keyed(std::vector<Sql> /*numbers*/) const { return std::nullopt; }
  virtual std::optional<Sql> named(Sql /*value*/) const { return std::nullopt; }
  /// Whether SEMI JOIN and ANTI JOIN are to be said so. DuckDB brings the columns that an EXISTS
  /// names of the outer rows into hash tables of their own, without what spreads them.
  virtual bool has_semi_joins() const { return false; }

  /// A number to order rows by, as if by chance: a function of the values and of a seed. Its
  /// quality is a matter of accuracy only.
  virtual Sql order_hash(std::vector<Sql> values, std::uint64_t seed) const = 0;

  /// Whether sums take longer to read a column several times than to read it apart (Readings).
  virtual bool reads_apart() const { return false; }

  /// What a statement puts out of a row that is to be bounded: its fields, in this order.
  virtual std::vector<Sql> outputs(const std::vector<RowField>& fields) const = 0;
  /// An aggregate of ours that counts a group's rows by what names their owner (census.h) and gives
  /// the group's number there. Nothing where the database has none.
  virtual std::optional<Sql> census(Sql /*owner*/) const { return std::nullopt; }
  /// What it puts out of pairs of a name and its unit.
  virtual std::vector<Sql> owners(Sql key, Sql unit) const {
    return {std::move(key), std::move(unit)};
  }
  /// Words for explain: what becomes of those rows.
  virtual std::string bounding_words() const = 0;
};

}  // namespace discreet::engine::lowering
