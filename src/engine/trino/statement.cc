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
                    const Secret& secret)
      : checked_(checked),
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

  Select rows() const;
  Select rows_that_count() const;
  bool has_code(std::size_t key) const;
  Sql counts() const;
  Select stages();
  Select sums(const Select& rows) const;
  Select means(const Select& sums) const;
  Sql integer(std::size_t m) const;
  Sql sum(Sql value, std::size_t m) const;
  Sql units() const;
  Sql number(std::size_t m) const;

  const plan::Checked& checked_;
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
      value = Sql::call("array_position", {Sql::array(run_.listed[key]), std::move(value)});
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
    Select kept = choosing_.kept_rows(rows_that_count(), run_.task.rows_per_unit_and_group);
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

/// sum(value), in the narrowest type that cannot overflow: 2^63 rows of 2^62 are below 10^38.
Sql StatementLowering::sum(Sql value, std::size_t m) const {
  const plan::Step& step = checked_.steps()[m];
  const plan::Range range = plan::range_of(step.measurement, step.lowered);
  const Integer most = std::max(Integer(abs(range.low)), Integer(abs(range.high)));
  const Integer short_end("1000000000000000000");  // of DECIMAL(18,0), which is added up faster
  return Sql::call("sum", {Sql::cast_decimal(std::move(value), most < short_end ? 18 : 38, 0)});
}

/// One row for each unit and key: how many rows it has, and what they add up to.
Select StatementLowering::sums(const Select& rows) const {
  Select select = select_from(rows);
  select.outputs = choosing_.unit_and_keys();
  select.group_by = select.outputs.size();
  select.outputs.push_back(Sql::as(Sql::count_rows(), "n"));
  for (std::size_t m = 0; m < run_.task.measures.size(); ++m) {
    const Measure& one = measure(m);
    if (!one.content) continue;
    Sql part = Sql::call("count", {contents_[*one.content]});
    if (one.kind == MeasureKind::kSum) part = sum(integer(m), m);
    if (one.kind == MeasureKind::kSquares) {
      const Sql z = integer(m);
      part = sum(Sql::infix("*", {z, z}), m);
    }
    select.outputs.push_back(Sql::as(std::move(part), numbered("m", m)));
  }
  return select;
}

/// The same where no more than r rows count: of more, what r of them add up to on average. Halves
/// away from zero; with s = q n + t, as q r + round(t r / n), none of which overflows.
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
  const Sql r = dialect().number(run_.task.rows_per_unit_and_group);
  for (std::size_t m = 0; m < run_.task.measures.size(); ++m) {
    if (measure(m).kind == MeasureKind::kUnits) continue;
    Sql mean = Sql::call("least", {n, r});
    if (measure(m).content) {
      const Sql s = wide(Sql::name({numbered("m", m)}));
      const Sql rest = Sql::infix("%", {s, n});
      const Sql whole = Sql::infix("/", {Sql::infix("-", {s, rest}), n});
      mean = Sql::choose({Sql::infix("<=", {n, r}), s,
                          Sql::infix("+", {Sql::infix("*", {whole, r}),
                                           Sql::infix("/", {Sql::infix("*", {rest, r}), n})})});
    }
    select.outputs.push_back(Sql::as(std::move(mean), numbered("m", m)));
  }
  return select;
}

Sql StatementLowering::units() const {
  if (last_ != Rows::kKept) return Sql::count_rows();
  return Sql::call("count_if", {Sql::infix("=", {Sql::name({"n"}), dialect().number(1)})});
}

/// A measurement over the last stage's rows, as DECIMAL(38,0).
Sql StatementLowering::number(std::size_t m) const {
  const Measure& one = measure(m);
  const auto total = [](Sql added) {
    return wide(Sql::call("coalesce", {std::move(added), wide(Integer(0))}));
  };
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
                          const Secret& secret) {
  return StatementLowering(checked, schemas, secret).lower();
}

}  // namespace discreet::engine::trino
