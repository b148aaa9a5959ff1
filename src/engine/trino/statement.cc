// SPDX-License-Identifier: Apache-2.0
#include "engine/trino/statement.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "engine/key.h"
#include "engine/trino/choosing.h"
#include "engine/trino/dialect.h"
#include "engine/trino/numbers.h"

namespace discreet::engine::trino {
namespace {

using lowering::BoundedRun;
using lowering::RowField;
using plan::MeasureKind;
using Held = Choosing::Held;

/// What the rows of the last stage are.
enum class Rows {
  kAll,     ///< rows, each of them a unit
  kKept,    ///< kept rows, of which "n" is 1 once for each unit and key
  kSummed,  ///< units and keys, with their parts of all sums as m0, m1, ...
};

class StatementLowering {
 public:
  StatementLowering(const plan::Checked& checked, const lowering::Schemas& schemas,
                    const Secret& secret, std::int64_t rows_of_unit)
      : checked_(checked),
        rows_of_unit_(rows_of_unit),
        run_(lowering::lower_fields(checked, dialect(), schemas)),
        choosing_(secret, run_.task.wide_unit ? Held::kText : Held::kNumber, held_in_keys(),
                  held_in_contents()) {
    for (std::size_t i = 0; i < run_.task.keys.size(); ++i) {
      keys_.push_back(Sql::name({numbered("k", i)}));
    }
    for (std::size_t i = 0; i < run_.task.contents.size(); ++i) {
      contents_.push_back(Sql::name({numbered("c", i)}));
    }
  }

  Statement lower();

 private:
  const Measure& measure(std::size_t m) const { return run_.task.measures[m]; }
  std::vector<Held> held_in_keys() const;
  std::vector<Held> held_in_contents() const;
  bool chooses_groups() const;
  bool needs_values() const;
  bool goes_beside() const;

  Select rows() const;
  Select rows_that_count() const;
  bool has_code(std::size_t key) const;
  Sql counts() const;
  Select stages();
  Sql part(std::size_t m) const;
  Select sums(const Select& rows) const;
  Sql mean(std::size_t m, const Sql& n, const Sql& s) const;
  Select means(const Select& sums) const;
  std::vector<Sql> conditions() const;
  Statement lower_beside();
  Sql integer(std::size_t m) const;
  Sql sum(Sql value, std::size_t m) const;
  Sql units() const;
  static Sql total(Sql added);
  Sql number(std::size_t m) const;

  const plan::Checked& checked_;
  const std::int64_t rows_of_unit_;
  BoundedRun run_;
  Choosing choosing_;
  std::vector<Sql> keys_;
  std::vector<Sql> contents_;
  Rows last_ = Rows::kAll;
};

std::vector<Held> StatementLowering::held_in_keys() const {
  std::vector<Held> out;
  for (const KeyKind kind : run_.task.keys) {
    out.push_back(kind == KeyKind::kNumber    ? Held::kNumber
                  : kind == KeyKind::kBoolean ? Held::kTruth
                                              : Held::kText);
  }
  return out;
}

std::vector<Held> StatementLowering::held_in_contents() const {
  std::vector<Held> out(run_.task.contents.size(), Held::kNumber);
  for (std::size_t m = 0; m < run_.task.measures.size(); ++m) {
    if (!measure(m).content) continue;
    const plan::Shape& shape = checked_.steps()[m].shape;
    if (!shape.grid) {
      out[*measure(m).content] = shape.type == policy::Type::kText ? Held::kText : Held::kTruth;
    }
  }
  return out;
}

/// Whether a unit can have more groups than it may.
bool StatementLowering::chooses_groups() const {
  if (keys_.empty()) return false;
  if (!checked_.listed()) return true;
  Integer most = 1;
  for (const plan::Shape& shape : checked_.key_shapes()) {
    most *= static_cast<unsigned long>(shape.outcomes->size());
  }
  return most > Integer(static_cast<long>(run_.task.groups_per_unit));
}

/// Whether a sum of sums does not do.
bool StatementLowering::needs_values() const {
  return std::any_of(run_.task.measures.begin(), run_.task.measures.end(), [](const Measure& one) {
    return one.kind == MeasureKind::kQuantile || one.kind == MeasureKind::kDistinct;
  });
}

/// unit, k0, ..., c0, ... of every row.
Select StatementLowering::rows() const {
  Select select = run_.rows;
  select.outputs.clear();
  for (const RowField& field : run_.fields) {
    Sql value = field.value;
    const std::size_t key = field.name[0] == 'k' ? std::stoul(field.name.substr(1)) : keys_.size();
    if (key < keys_.size() && run_.task.keys[key] == KeyKind::kCutText) {
      value = dialect().first_characters(std::move(value), kKeyCharacters);
    }
    if (last_ == Rows::kSummed && has_code(key)) {
      std::vector<Sql> codes;
      for (std::size_t j = 0; j < run_.listed[key].size(); ++j) {
        codes.push_back(run_.listed[key][j]);
        codes.push_back(dialect().number(static_cast<std::int64_t>(j + 1)));
      }
      codes.push_back(dialect().number(0));
      value = Sql::match(value, std::move(codes));
    }
    select.outputs.push_back(Sql::as(std::move(value), field.name));
  }
  if (select.outputs.empty()) select.outputs.push_back(dialect().number(1));
  return select;
}

/// Whether a key is grouped by as its place in a short list of texts, 0 for all others: a number is
/// moved and compared faster.
bool StatementLowering::has_code(std::size_t key) const {
  return key < run_.listed.size() && run_.task.keys[key] == KeyKind::kText &&
         run_.listed[key].size() <= 16;
}

/// Of a row, or of a group of rows: it has a unit, and its keys are listed if keys are.
Sql StatementLowering::counts() const {
  std::vector<Sql> all = {Sql::postfix(Sql::name({"unit"}), "IS NOT NULL")};
  for (std::size_t i = 0; i < run_.listed.size(); ++i) {
    all.push_back(last_ == Rows::kSummed && has_code(i)
                      ? Sql::infix(">", {keys_[i], dialect().number(0)})
                      : Sql::in(keys_[i], run_.listed[i]));
  }
  return Sql::infix("AND", std::move(all));
}

Select StatementLowering::rows_that_count() const {
  Select select = select_from(rows());
  select.outputs = choosing_.unit_and_keys();
  select.outputs.insert(select.outputs.end(), contents_.begin(), contents_.end());
  select.where = {counts()};
  return select;
}

Select StatementLowering::stages() {
  if (run_.fields.empty() || run_.fields.front().name != "unit") return rows();
  const std::int64_t most_groups = run_.task.groups_per_unit;
  if (needs_values()) {
    last_ = Rows::kKept;
    Select kept =
        choosing_.kept_rows(rows_that_count(), rows_of_unit_, run_.task.rows_per_unit_and_group);
    return chooses_groups() ? choosing_.chosen_by_rank(kept, most_groups) : kept;
  }
  last_ = Rows::kSummed;
  Select inner = means(sums(rows()));
  if (!chooses_groups()) return inner;
  std::vector<Sql> parts;
  for (std::size_t m = 0; m < run_.task.measures.size(); ++m) {
    if (measure(m).kind != MeasureKind::kUnits) parts.push_back(Sql::name({numbered("m", m)}));
  }
  return choosing_.chosen(inner, std::move(parts), most_groups);
}

/// The integer z of a kept row, or NULL.
Sql StatementLowering::integer(std::size_t m) const {
  const Measure& one = measure(m);
  const Content& content = run_.task.contents[*one.content];
  const Sql& column = contents_[*one.content];
  if (one.map.is_identity_on(content.low, content.high)) return column;
  return dialect().scaled(column, one.map.formula(), *checked_.steps()[m].shape.grid);
}

/// sum(value), in the narrowest type that cannot overflow (statement.md): 2^43 rows of 2^20 are at
/// most 2^63, 2^63 of 2^62 below 10^38.
Sql StatementLowering::sum(Sql value, std::size_t m) const {
  const plan::Step& step = checked_.steps()[m];
  const plan::Range range = plan::range_of(step.measurement, step.lowered);
  const Integer most = std::max(Integer(abs(range.low)), Integer(abs(range.high)));
  if (most < (Integer(1) << 20)) return Sql::call("sum", {std::move(value)});  // BIGINT
  const Integer short_end("1000000000000000000");  // of DECIMAL(18,0), which is added up faster
  return Sql::call("sum", {Sql::cast_decimal(std::move(value), most < short_end ? 18 : 38, 0)});
}

/// What some rows of one unit and key add up to.
Sql StatementLowering::part(std::size_t m) const {
  const Measure& one = measure(m);
  if (one.kind == MeasureKind::kSum) return sum(integer(m), m);
  if (one.kind == MeasureKind::kSquares) {
    const Sql z = integer(m);
    return sum(Sql::infix("*", {z, z}), m);
  }
  return Sql::call("count", {contents_[*one.content]});
}

/// One row for each unit and key: how many rows it has, and what they add up to.
Select StatementLowering::sums(const Select& rows) const {
  Select select = select_from(rows);
  select.outputs = choosing_.unit_and_keys();
  select.group_by = select.outputs.size();
  select.outputs.push_back(Sql::as(Sql::count_rows(), "n"));
  for (std::size_t m = 0; m < run_.task.measures.size(); ++m) {
    if (measure(m).content) select.outputs.push_back(Sql::as(part(m), numbered("m", m)));
  }
  return select;
}

/// What n rows add up to, s, where no more than r of them count: of more, what r of them add up to
/// on average. Halves away from zero; with s = q n + t, as q r + round(t r / n), none of which
/// overflows.
Sql StatementLowering::mean(std::size_t m, const Sql& n, const Sql& s) const {
  const Sql r = dialect().number(run_.task.rows_per_unit_and_group);
  if (!measure(m).content) return Sql::call("least", {n, r});
  const Sql all = wide(s);
  const Sql rest = Sql::infix("%", {all, n});
  const Sql whole = Sql::infix("/", {Sql::infix("-", {all, rest}), n});
  return Sql::choose({Sql::infix("<=", {n, r}), all,
                      Sql::infix("+", {Sql::infix("*", {whole, r}),
                                       Sql::infix("/", {Sql::infix("*", {rest, r}), n})})});
}

/// One row for each unit and key that count: what it adds to the measurements.
Select StatementLowering::means(const Select& sums) const {
  Select select = select_from(sums);
  const Sql n = Sql::name({"n"});
  // What counts is decided here, by a word that Trino cannot push below the sums: a filter makes
  // many scans read twice, and at most one group of each unit is in vain.
  select.where = {
      Sql::infix(">", {Sql::choose({counts(), n, dialect().number(0)}), dialect().number(0)})};
  select.outputs.push_back(Sql::name({"unit"}));
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    select.outputs.push_back(
        has_code(i) ? Sql::as(Sql::call("element_at", {Sql::array(run_.listed[i]), keys_[i]}),
                              numbered("k", i))
                    : keys_[i]);
  }
  for (std::size_t m = 0; m < run_.task.measures.size(); ++m) {
    if (measure(m).kind == MeasureKind::kUnits) continue;
    const std::string name = numbered("m", m);
    select.outputs.push_back(Sql::as(mean(m, n, Sql::name({name})), name));
  }
  return select;
}

/// Whether a unit's rows are added up for all keys at once, side by side: where the keys are few,
/// listed, and no more than a unit may have. Then the unit alone is grouped by.
bool StatementLowering::goes_beside() const {
  constexpr std::size_t kKeys = 8;
  constexpr std::size_t kNumbers = 24;
  if (run_.fields.empty() || run_.fields.front().name != "unit") return false;
  if (keys_.empty() || !checked_.listed() || chooses_groups() || needs_values()) return false;
  const std::size_t keys = checked_.listed()->size();
  std::size_t numbers = 1;
  for (const Measure& one : run_.task.measures) numbers += one.content ? 1 : 0;
  return keys <= kKeys && keys * numbers <= kNumbers;
}

/// Of a row: that it has the listed key, for each in the order of `listed()`.
std::vector<Sql> StatementLowering::conditions() const {
  std::vector<std::vector<Sql>> all(1);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    std::vector<std::vector<Sql>> longer;
    for (const std::vector<Sql>& before : all) {
      for (std::size_t j = 0; j < run_.listed[i].size(); ++j) {
        longer.push_back(before);
        longer.back().push_back(Sql::infix(
            "=", {keys_[i], has_code(i) ? dialect().number(static_cast<std::int64_t>(j + 1))
                                        : run_.listed[i][j]}));
      }
    }
    all = std::move(longer);
  }
  std::vector<Sql> out;
  for (std::vector<Sql>& one : all) out.push_back(Sql::infix("AND", std::move(one)));
  return out;
}

/// One row for each unit, then one for all. By FILTER: sums over CASE are taken apart by Trino into
/// groups by unit and key again.
Statement StatementLowering::lower_beside() {
  last_ = Rows::kSummed;
  Statement out;
  Select sums = select_from(rows());
  sums.outputs = {Sql::name({"unit"})};
  sums.group_by = 1;
  std::vector<Sql> parts;
  const std::vector<Sql> conditions = this->conditions();
  DISCREET_CHECK(conditions.size() == checked_.listed()->size());
  for (std::size_t key = 0; key < conditions.size(); ++key) {
    out.beside.push_back(encode_key((*checked_.listed())[key], checked_.key_shapes()));
    const auto named = [&](const char* letter, std::size_t m) {
      return numbered(letter, m) + "_" + std::to_string(key);
    };
    const Sql n = Sql::name({numbered("n", key)});
    const Sql units = Sql::call("count_if", {Sql::infix(">", {n, dialect().number(0)})});
    sums.outputs.push_back(
        Sql::as(Sql::filtered(Sql::count_rows(), conditions[key]), numbered("n", key)));
    parts.push_back(n);
    out.select.outputs.push_back(units);
    for (std::size_t m = 0; m < run_.task.measures.size(); ++m) {
      if (measure(m).kind == MeasureKind::kUnits) {
        out.select.outputs.push_back(wide(units));
        continue;
      }
      if (measure(m).content) {
        sums.outputs.push_back(Sql::as(Sql::filtered(part(m), conditions[key]), named("s", m)));
      }
      parts.push_back(Sql::as(mean(m, n, Sql::name({named("s", m)})), named("m", m)));
      out.select.outputs.push_back(total(Sql::call("sum", {wide(Sql::name({named("m", m)}))})));
    }
  }
  for (std::size_t m = 0; m < run_.task.measures.size(); ++m) out.steps.push_back(m);
  Select of_units = select_from(sums);
  of_units.outputs = std::move(parts);
  // Not in the scan, as in means(): n0, which is never below 0, keeps the condition here.
  of_units.where = {Sql::infix(">=", {Sql::choose({Sql::postfix(Sql::name({"unit"}), "IS NOT NULL"),
                                                   Sql::name({"n0"}), dialect().number(-1)}),
                                      dialect().number(0)})};
  out.select.from = select_from(of_units).from;
  return out;
}

Sql StatementLowering::units() const {
  if (last_ != Rows::kKept) return Sql::count_rows();
  return Sql::call("count_if", {Sql::infix("=", {Sql::name({"n"}), dialect().number(1)})});
}

/// 0 where nothing was added.
Sql StatementLowering::total(Sql added) {
  return wide(Sql::call("coalesce", {std::move(added), wide(Integer(0))}));
}

/// A measurement over the last stage's rows, as DECIMAL(38,0).
Sql StatementLowering::number(std::size_t m) const {
  const Measure& one = measure(m);
  if (one.kind == MeasureKind::kUnits) return wide(units());
  if (last_ == Rows::kSummed) {
    return total(Sql::call("sum", {wide(Sql::name({numbered("m", m)}))}));
  }
  switch (one.kind) {
    case MeasureKind::kRows:
      return wide(one.content ? Sql::call("count", {contents_[*one.content]}) : Sql::count_rows());
    case MeasureKind::kDistinct:
      return wide(Sql::count_distinct(contents_[*one.content]));
    case MeasureKind::kSum:
      return total(sum(integer(m), m));
    case MeasureKind::kSquares: {
      const Sql z = integer(m);
      return total(sum(Sql::infix("*", {z, z}), m));
    }
    case MeasureKind::kUnits:
    case MeasureKind::kQuantile:
      break;
  }
  DISCREET_CHECK(false);
}

Statement StatementLowering::lower() {
  if (goes_beside()) return lower_beside();
  Statement out;
  out.keys = run_.task.keys;
  Select inner = stages();
  std::vector<Sql> numbers;
  std::vector<Sql> values;  // of the tallies
  for (std::size_t m = 0; m < run_.task.measures.size(); ++m) {
    if (measure(m).kind != MeasureKind::kQuantile) {
      out.steps.push_back(m);
      numbers.push_back(number(m));
      continue;
    }
    const Sql value = integer(m);
    const auto known = std::find_if(values.begin(), values.end(), [&](const Sql& other) {
      return other.print() == value.print();
    });
    const auto tally = static_cast<std::size_t>(known - values.begin());
    if (known == values.end()) {
      values.push_back(value);
      out.tallies.emplace_back();
    }
    out.tallies[tally].push_back(m);
  }
  std::vector<Sql> names;
  if (!values.empty()) {  // values get names, to be grouped by
    Select named = select_from(inner);
    named.outputs = keys_;
    named.outputs.insert(named.outputs.end(), contents_.begin(), contents_.end());
    if (last_ == Rows::kKept) named.outputs.push_back(Sql::name({"n"}));
    for (std::size_t t = 0; t < values.size(); ++t) {
      named.outputs.push_back(Sql::as(values[t], numbered("t", t)));
      names.push_back(Sql::name({numbered("t", t)}));
    }
    inner = std::move(named);
  }
  out.select = select_from(inner);
  out.select.outputs = keys_;
  out.select.outputs.push_back(units());
  out.select.outputs.insert(out.select.outputs.end(), numbers.begin(), numbers.end());
  if (values.empty()) {
    out.select.group_by = keys_.size();
    return out;
  }
  out.select.outputs.insert(out.select.outputs.end(), names.begin(), names.end());
  out.select.outputs.push_back(Sql::cast(Sql::call("grouping", names), "BIGINT"));
  out.select.outputs.push_back(Sql::count_rows());
  out.select.grouping_sets.push_back(keys_);
  for (const Sql& name : names) {
    out.select.grouping_sets.push_back(keys_);
    out.select.grouping_sets.back().push_back(name);
  }
  return out;
}

}  // namespace

Statement lower_statement(const plan::Checked& checked, const lowering::Schemas& schemas,
                          const Secret& secret, std::int64_t rows_of_unit) {
  return StatementLowering(checked, schemas, secret, rows_of_unit).lower();
}

}  // namespace discreet::engine::trino
