// SPDX-License-Identifier: Apache-2.0
// SQL, put together like a tree: each function below makes one node from whole nodes, in
// parentheses; names and constants are quoted in one place each; what stands between them are words
// of our own source (Word). Nothing that a caller, a policy or a file says can become anything but
// a name or a constant (S23).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numeric/int128.h"

namespace discreet::engine::lowering {

/// A function, an operator or a type: written in our source, known to the compiler.
struct Word {
  consteval Word(const char* literal) : text(literal) {}
  std::string_view text;
};

/// "a name", with its quotes doubled.
std::string quote_name(std::string_view name);
/// 'a text'; a zero byte, which DuckDB's parser does not take, becomes chr(0).
std::string quote_text(std::string_view text);

class Sql {
 public:
  static Sql name(std::vector<std::string> parts);  ///< "t0"."age"
  static Sql text(std::string value);
  static Sql number(Int128 value, Word type = "BIGINT");
  static Sql truth(bool value);
  static Sql null(Word type);
  static Sql call(Word function, std::vector<Sql> args);
  static Sql count_rows();             ///< count(*)
  static Sql count_distinct(Sql arg);  ///< count(DISTINCT arg)
  /// An aggregate of those rows alone where `condition` is true.
  static Sql filtered(Sql aggregate, const Sql& condition);
  static Sql prefix(Word op, Sql arg);
  static Sql postfix(Sql arg, Word op);
  /// Between all of them; one argument stays as it is.
  static Sql infix(Word op, std::vector<Sql> args);
  static Sql cast(Sql arg, Word type);
  static Sql try_cast(Sql arg, Word type);
  /// DECIMAL(precision, scale), which no Word can spell.
  static Sql cast_decimal(Sql arg, int precision, int scale);
  /// X'00ff'
  static Sql bytes(std::string_view value);
  /// Condition, result, condition, result, ..., else.
  static Sql choose(std::vector<Sql> args);
  /// `value` is computed once: constant, result, constant, result, ..., else; else for NULL too.
  static Sql match(const Sql& value, std::vector<Sql> args);
  static Sql in(Sql arg, std::vector<Sql> list);
  static Sql like(Sql arg, Sql pattern);  ///< with \ before what stands for itself
  /// DuckDB's {'name': value, ...}, [item, ...]
  static Sql row(std::vector<std::pair<std::string, Sql>> fields);
  static Sql list(std::vector<Sql> items);
  static Sql array(std::vector<Sql> items);  ///< Trino's ARRAY[item, ...]
  /// PostgreSQL's way to mention a value often and compute it once: body(v) where v is `value`.
  static Sql let(const Sql& value, const std::function<Sql(const Sql&)>& body);
  /// Trino's way to do so.
  static Sql let_by_lambda(const Sql& value, const std::function<Sql(const Sql&)>& body);
  /// function(argument, name = value, ...), as table functions take them.
  static Sql table_call(Word function, Sql argument, const std::vector<struct Option>& options);

  /// An output with a name.
  static Sql as(Sql arg, std::string_view name);
  /// A whole question as a table of FROM.
  static Sql subquery(const struct Select& select);
  /// The UNION ALL of several, likewise.
  static Sql union_all(const std::vector<struct Select>& selects);
  /// Whether it has a row.
  static Sql exists(const struct Select& select);
  /// 1, 2, ... among the rows with the same values of `among`, in the order of `by`.
  static Sql row_number(const std::vector<Sql>& among, const std::vector<Sql>& by);
  /// A function of such a window; `by` may be empty.
  static Sql over(Word function, const std::vector<Sql>& among, const std::vector<Sql>& by);

  const std::string& print() const { return text_; }

 private:
  explicit Sql(std::string text) : text_(std::move(text)) {}
  std::string text_;  // of the whole tree below
};

struct Option {
  Word name;
  Sql value;
};

/// A table of FROM with the condition that joins it to those before.
struct FromTable {
  Sql table;
  std::string alias;
  std::vector<Sql> on;
  Word how = "JOIN";  ///< LEFT JOIN; DuckDB has SEMI JOIN and ANTI JOIN
};

struct Select {
  std::vector<Sql> outputs;
  std::vector<FromTable> from;
  std::vector<Sql> where;
  std::size_t group_by = 0;                          ///< by the first so many outputs
  std::vector<Sql> group_more = {};                  ///< and by these, which are not put out
  std::vector<std::vector<Sql>> grouping_sets = {};  ///< instead, by each of these

  std::string print() const;
};

}  // namespace discreet::engine::lowering
