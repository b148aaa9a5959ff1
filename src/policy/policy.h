// SPDX-License-Identifier: Apache-2.0
// The policy: what the owner declares about the data, once, in YAML. Whom to protect, which columns
// may be reached and what is publicly known about them. What is not declared cannot be reached.
//
// These facts are trusted: a range that is declared too wide costs accuracy, a range that is too
// narrow is clamped to, and a unit column that does not name the person breaks the promise
// (GUARANTEE). Nothing here is ever derived from data unless it was bought.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/deprecated.h"
#include "base/result.h"
#include "numeric/rational.h"
#include "privacy/cost.h"

namespace discreet::policy {

enum class Type { kBoolean, kInteger, kDecimal, kText, kDate, kTimestamp };

std::string to_string(Type type);

constexpr bool is_number(Type type) { return type == Type::kInteger || type == Type::kDecimal; }

/// A constant. Dates are days and timestamps are microseconds since 1970-01-01, as integers.
struct Value {
  std::variant<std::monostate, bool, Rational, std::string> data;  ///< monostate: NULL
  Type type = Type::kText;

  bool is_null() const { return data.index() == 0; }
  const Rational& number() const { return std::get<Rational>(data); }
  const std::string& text() const { return std::get<std::string>(data); }
  friend bool operator==(const Value&, const Value&) = default;
};

/// As people read it: 42, 0.25, north, 2026-11-16, NULL.
std::string to_string(const Value& value);

/// Numbers, dates and timestamps live on low, low + step, ..., high. Requires: low <= high, step >
/// 0, both ends multiples of step.
struct Grid {
  Rational low;
  Rational high;
  Rational step;
  friend bool operator==(const Grid&, const Grid&) = default;
};

enum class NullRule {
  kDrop,     ///< the row does not count where this column is used
  kDefault,  ///< counts as `Column::fallback`
};

/// A column and its privacy domain.
struct Column {
  std::string name;
  Type type = Type::kText;
  std::optional<Grid> grid;   ///< numbers, dates, timestamps: needed to sum, average or rank them
  std::vector<Value> values;  ///< listed keys: always appear in a GROUP BY
  std::string values_from;    ///< "table.column" of a public table that lists the keys
  NullRule null_rule = NullRule::kDrop;
  Value fallback;
  std::string bought;  ///< where the range or the values come from, if they were bought privately
  bool may_aggregate = true;
  bool may_group = true;
  bool may_filter = true;
  friend bool operator==(const Column&, const Column&) = default;
};

/// Whose row it is. A row whose unit is NULL, or whose path leads nowhere, belongs to nobody known:
/// it is left out of every answer.
struct UnitPath {
  struct Step {  ///< this table's `column` refers to `table`.`key`, which is unique there
    std::string column;
    std::string table;
    std::string key;
    friend bool operator==(const Step&, const Step&) = default;
  };
  std::string space;         ///< the namespace of units
  std::vector<Step> steps;   ///< empty: the unit's column is in this very table
  std::string column;        ///< of the last table on the path
  bool row_is_unit = false;  ///< each row is a unit of its own; `column` is empty
  friend bool operator==(const UnitPath&, const UnitPath&) = default;
};

struct ContributionBounds {
  std::int64_t groups_per_unit = 1;
  std::int64_t rows_per_unit_and_group = 1;
  bool declared = false;  ///< false: these are the safe defaults
  friend bool operator==(const ContributionBounds&, const ContributionBounds&) = default;
};

/// Of tables that do not declare `rows_per_unit`, and of policies that do not declare
/// `joined_rows_per_unit`.
inline constexpr std::int64_t kRowsPerUnit = 16'384;
inline constexpr std::int64_t kJoinedRowsPerUnit = 1'000'000;

struct Table {
  std::string name;
  std::string source;            ///< a file, or a table of the engine
  std::optional<UnitPath> unit;  ///< none: a public table
  ContributionBounds bounds;
  /// At most so many rows of a unit are read where joins would multiply them (plan/joined_rows.h);
  /// none: kRowsPerUnit, or fewer.
  std::optional<std::int64_t> rows_per_unit;
  std::vector<Column> columns;           ///< what may be reached
  std::optional<std::int64_t> rows_max;  ///< a public bound on the number of rows

  bool is_public() const { return !unit.has_value(); }
  const Column* find(const std::string& column) const;
  friend bool operator==(const Table&, const Table&) = default;
};

/// Caps in the namespace's notion; exact.
struct Caps {
  Rational epsilon;  ///< rho if `is_rho`
  Rational delta;
  bool is_rho = false;  ///< only in a zcdp namespace
  friend bool operator==(const Caps&, const Caps&) = default;
};

enum class Notion { kEpsilon, kZcdp, kPure };

std::string to_string(Notion notion);

/// Larger units that these are in: persons in households. A question about the smaller ones is
/// charged to both.
struct Within {
  std::string space;  ///< the larger ones' namespace
  /// "people.household": of a table of the smaller units' namespace that has their column itself.
  /// A unit with several values there is in the least; one without any is left out everywhere.
  std::string column;
  std::int64_t members = 1;  ///< of one larger unit at most so many count, the first by name
  friend bool operator==(const Within&, const Within&) = default;
};

struct Units {
  std::string name;
  Notion notion = Notion::kEpsilon;
  Neighbours neighbours = Neighbours::kAddRemove;
  Caps budget;
  std::map<std::string, Caps> analysts;
  /// The largest price of one question, behind a server whose analysts share the budget: it closes
  /// when that might not fit any more. None: a quarter of the budget.
  std::optional<Caps> largest_question = {};
  /// "patients.year": a column of a table of this namespace that has the unit's column itself; a
  /// unit has exactly one value there, for ever. Empty: no blocks.
  std::string block_column;
  std::vector<std::string> block_values;  ///< as they are written; all differ as the column reads
  std::optional<Within> within = {};
  friend bool operator==(const Units&, const Units&) = default;
};

/// Which noise the owner prefers where a namespace allows more than one.
enum class NoisePreference { kAutomatic, kLaplace, kGaussian };

/// A question that is answered every day: how many rows of `table` there were up to that day. It is
/// paid for as a whole when it is registered (publish/daily.h).
struct Daily {
  std::string name;
  std::string table;
  std::string day;                 ///< the column, of dates
  std::int64_t first = 0;          ///< the first day, in days since 1970-01-01
  std::int64_t days = 1;           ///< how many there will ever be
  std::int64_t days_per_unit = 1;  ///< on at most so many a unit counts: its first ones
  std::int64_t rows_per_day = 1;   ///< with at most so many rows on each
  Rational rho;                    ///< what all of it costs
  friend bool operator==(const Daily&, const Daily&) = default;
};

/// Of a policy file: its `version`.
inline constexpr int kPolicyFormat = 1;

struct Policy {
  std::string engine = "duckdb";
  std::string snapshot;   ///< the owner's label for this state of the data
  std::string ledger;     ///< the id of the only ledger that may pay; empty: any that fits
  std::string directory;  ///< sources are relative to it: the policy file's own folder
  std::map<std::string, Units> units;
  std::map<std::string, Table> tables;       ///< public ones too
  std::map<std::string, std::string> views;  ///< a name for FROM -> the SELECT that it stands for
  std::map<std::string, Daily> daily;
  NoisePreference noise = NoisePreference::kAutomatic;
  std::int64_t joined_rows_per_unit = kJoinedRowsPerUnit;  ///< a unit may cause at most so many
  /// `randomness: santha-vazirani GAMMA`: how far each bit of the source may be bent; none: fair.
  std::optional<Rational> santha_vazirani = {};
  std::vector<std::string> other_releases;  ///< what else was published about these people; shown

  const Table* find(const std::string& table) const;
  friend bool operator==(const Policy&, const Policy&) = default;
};

/// "labs.visit_id" as a table and a column; a column's name may hold further dots.
std::optional<std::pair<std::string, std::string>> split_at_dot(const std::string& text);

/// A mistake in a policy file, and where.
struct Mistake {
  int line = 0;  ///< from 1; 0 when it is about the file as a whole
  std::string message;
  std::string fix;
  friend bool operator==(const Mistake&, const Mistake&) = default;
};

struct Reading {
  std::optional<Policy> policy;            ///< none when there are mistakes
  std::vector<Mistake> mistakes;           ///< all of them, by line
  std::vector<std::string> warnings = {};  ///< keys under old names (base/deprecated.h)
};

/// What a "?" that a draft left is taken for.
enum class Open {
  kMistake,     ///< in every place
  kUndeclared,  ///< in a column's range, step or values: not declared, yet to be bought
};

/// Reads and checks YAML text. `directory` is where relative sources are looked up.
Reading read_policy(const std::string& text, const std::string& directory,
                    Open open = Open::kMistake, Deprecations old_keys = deprecations());

/// The same for a file; the error's one line has the first mistakes and how to see all of them.
/// Fails with: kNotFound, kStorage, kInvalidInput.
/// Warnings are the owner's: they go to standard error, each once in a process.
Result<Policy> load_policy(const std::string& file, Open open = Open::kMistake,
                           Deprecations old_keys = deprecations());

/// Its two halves: the text of a policy file, and the folder that its sources are relative to.
Result<std::string> read_policy_file(const std::string& file);
std::string directory_of(const std::string& file);

/// YAML that reads back as the same policy.
std::string write_policy(const Policy& policy);

}  // namespace discreet::policy
