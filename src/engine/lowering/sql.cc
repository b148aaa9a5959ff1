// SPDX-License-Identifier: Apache-2.0
#include "engine/lowering/sql.h"

#include "base/check.h"

namespace discreet::engine::lowering {
namespace {

std::string doubled(std::string_view text, char quote) {
  std::string out(1, quote);
  for (char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  return out += quote;
}

std::string joined(const std::vector<Sql>& parts, std::string_view between) {
  std::string out;
  for (const Sql& part : parts) {
    if (&part != &parts.front()) out += between;
    out += part.print();
  }
  return out;
}

/// What stands behind CASE: condition or constant, result, ..., else.
std::string cases(const std::vector<Sql>& args) {
  DISCREET_CHECK(args.size() % 2 == 1 && args.size() >= 3);
  std::string out;
  for (std::size_t i = 0; i + 1 < args.size(); i += 2) {
    out += " WHEN " + args[i].print() + " THEN " + args[i + 1].print();
  }
  return out + " ELSE " + args.back().print() + " END)";
}

std::string spaced(Word op) { return " " + std::string(op.text) + " "; }

}  // namespace

std::string quote_name(std::string_view name) {
  DISCREET_CHECK(name.find('\0') == name.npos);
  return doubled(name, '"');
}

std::string quote_text(std::string_view text) {
  std::size_t zero = text.find('\0');
  if (zero == text.npos) return doubled(text, '\'');
  std::string out = "(";
  while (zero != text.npos) {
    out += doubled(text.substr(0, zero), '\'') + " || chr(0) || ";
    text.remove_prefix(zero + 1);
    zero = text.find('\0');
  }
  return out + doubled(text, '\'') + ")";
}

Sql Sql::name(std::vector<std::string> parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ".") + quote_name(part);
  return Sql(out);
}

Sql Sql::text(std::string value) { return Sql(quote_text(value)); }

// With its type: arithmetic on bare constants would be done in 32 bits, and raise.
Sql Sql::number(Int128 value, Word type) { return cast(Sql(discreet::to_string(value)), type); }

Sql Sql::truth(bool value) { return Sql(value ? "TRUE" : "FALSE"); }

Sql Sql::null(Word type) { return cast(Sql("NULL"), type); }

Sql Sql::call(Word function, std::vector<Sql> args) {
  return Sql(std::string(function.text) + "(" + joined(args, ", ") + ")");
}

Sql Sql::count_rows() { return Sql("count(*)"); }

Sql Sql::count_distinct(Sql arg) { return Sql("count(DISTINCT " + arg.print() + ")"); }

Sql Sql::filtered(Sql aggregate, const Sql& condition) {
  return Sql(aggregate.print() + " FILTER (WHERE " + condition.print() + ")");
}

Sql Sql::prefix(Word op, Sql arg) {
  return Sql("(" + std::string(op.text) + " " + arg.print() + ")");
}

Sql Sql::postfix(Sql arg, Word op) {
  return Sql("(" + arg.print() + " " + std::string(op.text) + ")");
}

Sql Sql::infix(Word op, std::vector<Sql> args) {
  DISCREET_CHECK(!args.empty());
  if (args.size() == 1) return args.front();
  return Sql("(" + joined(args, spaced(op)) + ")");
}

Sql Sql::cast(Sql arg, Word type) {
  return Sql("CAST(" + arg.print() + " AS " + std::string(type.text) + ")");
}

Sql Sql::try_cast(Sql arg, Word type) {
  return Sql("TRY_CAST(" + arg.print() + " AS " + std::string(type.text) + ")");
}

Sql Sql::cast_decimal(Sql arg, int precision, int scale) {
  DISCREET_CHECK(precision >= 1 && precision <= 38 && scale >= 0 && scale <= precision);
  return Sql("CAST(" + arg.print() + " AS DECIMAL(" + std::to_string(precision) + "," +
             std::to_string(scale) + "))");
}

Sql Sql::bytes(std::string_view value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "X'";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return Sql(out + "'");
}

Sql Sql::choose(std::vector<Sql> args) { return Sql("(CASE" + cases(args)); }

Sql Sql::match(const Sql& value, std::vector<Sql> args) {
  return Sql("(CASE " + value.print() + cases(args));
}

Sql Sql::in(Sql arg, std::vector<Sql> list) {
  DISCREET_CHECK(!list.empty());
  return Sql("(" + arg.print() + " IN (" + joined(list, ", ") + "))");
}

Sql Sql::like(Sql arg, Sql pattern) {
  return Sql("(" + arg.print() + " LIKE " + pattern.print() + " ESCAPE '\\')");
}

Sql Sql::row(std::vector<std::pair<std::string, Sql>> fields) {
  std::string out = "{";
  for (const auto& [field, value] : fields) {
    out += (out.size() == 1 ? "" : ", ") + quote_text(field) + ": " + value.print();
  }
  return Sql(out + "}");
}

Sql Sql::list(std::vector<Sql> items) { return Sql("[" + joined(items, ", ") + "]"); }
Sql Sql::array(std::vector<Sql> items) { return Sql("ARRAY[" + joined(items, ", ") + "]"); }

// OFFSET keeps the planner from writing the value into all its places again.
Sql Sql::let(const Sql& value, const std::function<Sql(const Sql&)>& body) {
  return Sql("(SELECT " + body(name({"let", "v"})).print() + " FROM (SELECT " + value.print() +
             " AS v OFFSET 0) AS let)");
}

Sql Sql::let_by_lambda(const Sql& value, const std::function<Sql(const Sql&)>& body) {
  // A name of its own for each value: the body may mention those around it.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : value.print()) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  const std::string variable = "v" + std::to_string(hash);
  return Sql("transform(ARRAY[" + value.print() + "], " + variable + " -> " +
             body(Sql(variable)).print() + ")[1]");
}

Sql Sql::table_call(Word function, Sql argument, const std::vector<Option>& options) {
  std::string out = std::string(function.text) + "(" + argument.print();
  for (const Option& option : options) {
    out += ", " + std::string(option.name.text) + " = " + option.value.print();
  }
  return Sql(out + ")");
}

Sql Sql::as(Sql arg, std::string_view name) { return Sql(arg.print() + " AS " + quote_name(name)); }

Sql Sql::subquery(const Select& select) { return Sql("(" + select.print() + ")"); }

Sql Sql::union_all(const std::vector<Select>& selects) {
  std::string out;
  for (const Select& select : selects) {
    out += (out.empty() ? "(" : "\nUNION ALL\n") + select.print();
  }
  return Sql(out + ")");
}

Sql Sql::exists(const Select& select) { return Sql("(EXISTS (" + select.print() + "))"); }

Sql Sql::row_number(const std::vector<Sql>& among, const std::vector<Sql>& by) {
  return over("row_number", among, by);
}

Sql Sql::over(Word function, const std::vector<Sql>& among, const std::vector<Sql>& by) {
  return Sql("(" + std::string(function.text) + "() OVER (PARTITION BY " + joined(among, ", ") +
             (by.empty() ? "" : " ORDER BY " + joined(by, ", ")) + "))");
}

std::string Select::print() const {
  std::string out = "SELECT " + joined(outputs, ",\n       ") + "\nFROM ";
  for (const FromTable& table : from) {
    if (&table != &from.front()) out += "\n" + std::string(table.how.text) + " ";
    out += table.table.print() + " AS " + quote_name(table.alias);
    if (!table.on.empty()) out += " ON " + joined(table.on, " AND ");
  }
  if (!where.empty()) out += "\nWHERE " + joined(where, "\n  AND ");
  for (std::size_t i = 0; i < group_by; ++i) {
    out += (i == 0 ? "\nGROUP BY " : ", ") + std::to_string(i + 1);
  }
  if (!group_more.empty()) {
    out += (group_by == 0 ? "\nGROUP BY " : ", ") + joined(group_more, ", ");
  }
  for (const std::vector<Sql>& set : grouping_sets) {
    out += (&set == &grouping_sets.front() ? "\nGROUP BY GROUPING SETS ((" : ", (") +
           joined(set, ", ") + ")";
  }
  if (!grouping_sets.empty()) out += ")";
  return out;
}

}  // namespace discreet::engine::lowering
