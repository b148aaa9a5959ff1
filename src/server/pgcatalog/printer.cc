// SPDX-License-Identifier: Apache-2.0
#include "server/pgcatalog/printer.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "server/pgcatalog/names.h"
#include "server/pgcatalog/tables.h"
#include "sql/grouped.h"

namespace discreet::server::pgcatalog {
namespace {

using sql::Node;

std::string text_literal(const std::string& text) { return quote(text, '\''); }
std::string name(const std::string& text) { return quote(text, '"'); }

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : between) + part;
  return out;
}

/// Prints one statement; the first thing that is not known stays as the error.
class Printer {
 public:
  explicit Printer(const Asker& asker) : asker_(asker) {}

  Result<Printed> run(const Node& root) {
    Printed printed{.sql = select(root, true)};
    if (error_) return *error_;
    if (!has_star_) printed.names = std::move(names_);
    printed.assignments = std::move(assignments_);
    return printed;
  }

 private:
  std::string fail(const std::string& what, Code code = Code::kUnsupported) {
    if (!error_) error_ = Error{code, "the catalog does not know " + what};
    return "NULL";
  }

  std::vector<std::string> exprs(const std::vector<Node>& nodes) {
    std::vector<std::string> out;
    for (const Node& node : nodes) out.push_back(expr(node));
    return out;
  }

  // Statements.

  std::string select(const Node& node, bool is_top = false) {
    if (!node.is("SelectStmt") && !node.kind().empty()) return fail("this kind of statement");
    const std::set<std::string> outer = with_names_;
    std::string out = with(node.part("withClause"));
    const std::string operation = node.text("op");
    if (!operation.empty() && operation != "SETOP_NONE") {
      const std::string word = operation == "SETOP_UNION"       ? "UNION"
                               : operation == "SETOP_INTERSECT" ? "INTERSECT"
                                                                : "EXCEPT";
      out += "(" + select(node.part("larg"), is_top) + ") " + word +
             (node.flag("all") ? " ALL (" : " (") + select(node.part("rarg")) + ")";
    } else if (node.has("valuesLists")) {
      out += values(node, is_top);
    } else {
      out += body(node, is_top);
    }
    out += order(node.list("sortClause"));
    if (const Node limit = node.child("limitCount")) {
      if (!limit.flag("isnull")) out += " LIMIT " + expr(limit);
    }
    if (const Node offset = node.child("limitOffset")) out += " OFFSET " + expr(offset);
    with_names_ = outer;
    return out;
  }

  std::string with(const Node& clause) {
    if (!clause) return "";
    std::vector<std::string> tables;
    if (clause.flag("recursive")) fail("WITH RECURSIVE");
    for (const Node& table : clause.list("ctes")) {
      const std::string called = table.text("ctename");
      std::vector<std::string> columns;
      for (const std::string& column : table.names("aliascolnames"))
        columns.push_back(name(column));
      tables.push_back(name(called) + (columns.empty() ? "" : "(" + joined(columns, ", ") + ")") +
                       " AS (" + select(table.child("ctequery")) + ")");
      with_names_.insert(called);
    }
    return "WITH " + joined(tables, ", ") + " ";
  }

  std::string values(const Node& node, bool is_top) {
    std::vector<std::string> rows;
    for (const Node& row : node.list("valuesLists")) {
      const std::vector<std::string> cells = exprs(row.list("items"));
      if (is_top && rows.empty()) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
          names_.push_back("column" + std::to_string(i + 1));
        }
      }
      rows.push_back("(" + joined(cells, ", ") + ")");
    }
    return "SELECT * FROM (VALUES " + joined(rows, ", ") + ")";
  }

  std::string body(const Node& node, bool is_top) {
    for (const char* const clause : {"intoClause", "windowClause", "lockingClause"}) {
      if (node.has(clause)) fail("this clause");
    }
    std::vector<std::string> targets;
    for (const Node& each : node.list("targetList")) targets.push_back(target(each, is_top));
    if (targets.empty()) return "SELECT 1 WHERE false";
    std::string out = "SELECT ";
    if (node.has("distinctClause")) {
      const std::vector<std::string> on = exprs(node.list("distinctClause"));
      out += on.empty() ? "DISTINCT " : "DISTINCT ON (" + joined(on, ", ") + ") ";
    }
    out += joined(targets, ", ");
    std::vector<std::string> tables;
    for (const Node& item : node.list("fromClause")) tables.push_back(from(item));
    if (!tables.empty()) out += " FROM " + joined(tables, ", ");
    if (const Node where = node.child("whereClause")) out += " WHERE " + expr(where);
    const std::vector<std::string> keys = exprs(node.list("groupClause"));
    if (!keys.empty()) out += " GROUP BY " + joined(keys, ", ");
    if (const Node having = node.child("havingClause")) out += " HAVING " + expr(having);
    return out;
  }

  std::string target(const Node& node, bool is_top) {
    const Node value = node.child("val");
    const std::vector<Node> fields = value.list("fields");
    if (value.is("ColumnRef") && !fields.empty() && fields.back().is("A_Star")) {
      has_star_ = has_star_ || is_top;
      return expr(value);
    }
    const std::string given = node.text("name");
    const std::string called = given.empty() ? output_name(value) : given;
    if (is_top) names_.push_back(called);
    // Names that nobody chose may repeat, and stay out of the way of ORDER BY.
    if (given.empty() && called == "?column?") return expr(value);
    return expr(value) + " AS " + name(called);
  }

  static std::string output_name(const Node& value) {
    if (value.is("TypeCast")) {
      const std::string inner = output_name(value.child("arg"));
      if (inner != "?column?") return inner;
      const std::vector<std::string> names = value.part("typeName").names("names");
      return names.empty() ? inner : names.back();
    }
    if (value.is("SQLValueFunction")) {
      std::string out = value.text("op");
      std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
      return out.starts_with("svfop_") ? out.substr(6) : out;
    }
    if (value.is("CollateClause")) return output_name(value.child("arg"));
    const std::string found = sql::output_name(value);
    return found.empty() ? "?column?" : found;
  }

  std::string order(const std::vector<Node>& items) {
    std::vector<std::string> out;
    for (const Node& item : items) {
      const bool is_down = item.text("sortby_dir") == "SORTBY_DESC";
      const std::string nulls = item.text("sortby_nulls");
      const bool first = nulls == "SORTBY_NULLS_FIRST" || (is_down && nulls != "SORTBY_NULLS_LAST");
      out.push_back(expr(item.child("node")) + (is_down ? " DESC" : " ASC") +
                    (first ? " NULLS FIRST" : " NULLS LAST"));
    }
    return out.empty() ? "" : " ORDER BY " + joined(out, ", ");
  }

  // FROM.

  std::string alias(const Node& node) {
    const Node part = node.part("alias");
    if (!part) return "";
    std::vector<std::string> columns;
    for (const std::string& column : part.names("colnames")) columns.push_back(name(column));
    return " AS " + name(part.text("aliasname")) +
           (columns.empty() ? "" : "(" + joined(columns, ", ") + ")");
  }

  std::string from(const Node& item) {
    if (item.is("RangeVar")) return table(item);
    if (item.is("RangeSubselect")) {
      const std::string called = item.part("alias") ? alias(item) : " AS \"unnamed\"";
      return (item.flag("lateral") ? "LATERAL (" : "(") + select(item.child("subquery")) + ")" +
             called;
    }
    if (item.is("JoinExpr")) return join(item);
    if (item.is("RangeFunction")) return rows_function(item);
    return fail("this in FROM: " + std::string(item.kind()));
  }

  std::string table(const Node& item) {
    const std::string schema = item.text("schemaname");
    const std::string called = item.text("relname");
    if (schema.empty() && with_names_.contains(called)) return name(called) + alias(item);
    if (!is_catalog_table(schema, called)) return fail("the table " + called, Code::kNotFound);
    const bool is_information = schema == "information_schema";
    const std::string as = item.part("alias") ? alias(item) : " AS " + name(called);
    if (!is_information && is_about_roles(called)) {
      return std::string(kCatalogSchema) + "." + (called == "pg_authid" ? "pg_roles" : called) +
             "(" + text_literal(asker_.user) + ")" + as;
    }
    return std::string(is_information ? kInformationSchema : kCatalogSchema) + "." + name(called) +
           as;
  }

  std::string join(const Node& node) {
    const std::string kind = node.text("jointype");
    const std::vector<std::string> columns = node.names("usingClause");
    const Node condition = node.child("quals");
    std::string word = kind == "JOIN_LEFT"    ? " LEFT JOIN "
                       : kind == "JOIN_RIGHT" ? " RIGHT JOIN "
                       : kind == "JOIN_FULL"  ? " FULL JOIN "
                                              : " JOIN ";
    if (node.flag("isNatural")) return fail("NATURAL JOIN");
    if (columns.empty() && !condition) word = " CROSS JOIN ";
    std::string out = from(node.child("larg")) + word + from(node.child("rarg"));
    if (condition) out += " ON " + expr(condition);
    if (!columns.empty()) {
      std::vector<std::string> names;
      for (const std::string& column : columns) names.push_back(name(column));
      out += " USING (" + joined(names, ", ") + ")";
    }
    return node.part("alias") ? "(" + out + ")" + alias(node) : "(" + out + ")";
  }

  std::string rows_function(const Node& item) {
    const std::vector<Node> functions = item.list("functions");
    if (functions.size() != 1 || item.has("coldeflist")) return fail("this function in FROM");
    const std::vector<Node> parts = functions[0].list("items");
    const Node call = parts.empty() ? functions[0] : parts[0];
    if (!call.is("FuncCall")) return fail("this function in FROM");
    const std::string called = call.names("funcname").empty() ? "" : call.names("funcname").back();
    const std::string as = item.part("alias") ? alias(item) : " AS " + name(called);
    if (called == "generate_series") return series(item, call, as);
    const std::string ordinal = item.flag("ordinality") ? " WITH ORDINALITY" : "";
    return (item.flag("lateral") ? "LATERAL " : "") + function(call) + ordinal + as;
  }

  /// Whole numbers, few.
  std::string series(const Node& item, const Node& call, const std::string& as) {
    const std::vector<std::string> ends = exprs(call.list("args"));
    if (ends.size() != 2 || item.flag("ordinality")) return fail("this series");
    const Node part = item.part("alias");
    const std::string column = part ? part.text("aliasname") : "generate_series";
    const std::string a = "CAST(" + ends[0] + " AS BIGINT)";
    const std::string b = "CAST(" + ends[1] + " AS BIGINT)";
    return "LATERAL (SELECT unnest(generate_series(" + a + ", CASE WHEN " + b + " - " + a +
           " > 10000 THEN error('too long a series') ELSE " + b + " END)) AS " + name(column) +
           ")" + as;
  }

  // Expressions.

  std::string expr(const Node& node) {
    if (node.is("ColumnRef")) return column(node);
    if (node.is("A_Const")) return constant(node);
    if (node.is("A_Expr")) return operation(node);
    if (node.is("BoolExpr")) return logic(node);
    if (node.is("FuncCall")) return function(node);
    if (node.is("TypeCast")) return cast(node);
    if (node.is("ParamRef")) return parameter(node);
    if (node.is("SubLink")) return subquery(node);
    if (node.is("CaseExpr")) return choice(node);
    if (node.is("CoalesceExpr")) return "coalesce(" + joined(exprs(node.list("args")), ", ") + ")";
    if (node.is("CollateClause")) return expr(node.child("arg"));
    if (node.is("SQLValueFunction")) return value_function(node);
    if (node.is("A_ArrayExpr")) return "[" + joined(exprs(node.list("elements")), ", ") + "]";
    if (node.is("RowExpr")) return "row(" + joined(exprs(node.list("args")), ", ") + ")";
    if (node.is("NullTest")) {
      return "(" + expr(node.child("arg")) +
             (node.text("nulltesttype") == "IS_NOT_NULL" ? " IS NOT NULL)" : " IS NULL)");
    }
    if (node.is("BooleanTest")) return boolean_test(node);
    if (node.is("MinMaxExpr")) {
      return (node.text("op") == "IS_LEAST" ? "least(" : "greatest(") +
             joined(exprs(node.list("args")), ", ") + ")";
    }
    if (node.is("A_Indirection")) return indirection(node);
    return fail("this expression: " + std::string(node.kind()));
  }

  std::string column(const Node& node) {
    std::vector<std::string> parts;
    std::vector<Node> fields = node.list("fields");
    // DuckDB knows the table by its alias alone.
    if (fields.size() > 2) fields.erase(fields.begin(), fields.end() - 2);
    for (const Node& field : fields) {
      parts.push_back(field.is("A_Star") ? "*" : name(field.text("sval")));
    }
    return joined(parts, ".");
  }

  static std::string constant(const Node& node) {
    if (node.flag("isnull")) return "NULL";
    if (node.has("boolval")) return node.part("boolval").flag("boolval") ? "true" : "false";
    if (node.has("ival")) return "(" + std::to_string(node.part("ival").number("ival")) + ")";
    if (node.has("fval")) {
      const std::string digits = node.part("fval").text("fval");
      return "CAST(" + text_literal(digits) + " AS DOUBLE)";
    }
    return text_literal(node.part("sval").text("sval"));
  }

  std::string parameter(const Node& node) {
    const auto number = static_cast<std::size_t>(node.number("number"));
    if (number == 0 || number > asker_.parameters.size()) return "CAST(NULL AS VARCHAR)";
    const Parameter& given = asker_.parameters[number - 1];
    if (given.type.ends_with("[]")) return array(given.text, given.type);
    return "CAST(" + (given.text ? text_literal(*given.text) : "NULL") + " AS " + given.type + ")";
  }

  std::string array(const std::optional<std::string>& text, const std::string& type) {
    if (!text) return "CAST(NULL AS " + type + ")";
    const auto items = read_array(*text);
    if (!items) return fail("this array");
    std::vector<std::string> out;
    for (const std::string& item : *items) out.push_back(text_literal(item));
    return "CAST([" + joined(out, ", ") + "] AS " + type + ")";
  }

  std::string operation(const Node& node) {
    const std::string kind = node.text("kind");
    const std::vector<std::string> names = node.names("name");
    const std::string sign = names.empty() ? "" : names.back();
    const Node right = node.child("rexpr");
    const std::string a = node.child("lexpr") ? expr(node.child("lexpr")) : "";
    if (kind == "AEXPR_OP") return plain_operation(sign, a, expr(right));
    if (kind == "AEXPR_OP_ANY" && sign == "=") {
      return "coalesce(list_contains(" + list_of(right) + ", " + a + "), false)";
    }
    if (kind == "AEXPR_OP_ALL" && sign == "<>") {
      return "NOT coalesce(list_contains(" + list_of(right) + ", " + a + "), false)";
    }
    if (kind == "AEXPR_IN") {
      return "(" + a + (sign == "<>" ? " NOT IN (" : " IN (") +
             joined(exprs(right.list("items")), ", ") + "))";
    }
    if (kind == "AEXPR_LIKE" || kind == "AEXPR_ILIKE") return like(sign, a, right);
    if (kind == "AEXPR_DISTINCT") return "(" + a + " IS DISTINCT FROM " + expr(right) + ")";
    if (kind == "AEXPR_NOT_DISTINCT") return "(" + a + " IS NOT DISTINCT FROM " + expr(right) + ")";
    if (kind == "AEXPR_NULLIF") return "nullif(" + a + ", " + expr(right) + ")";
    if (kind == "AEXPR_BETWEEN" || kind == "AEXPR_NOT_BETWEEN") {
      const std::vector<std::string> ends = exprs(right.list("items"));
      if (ends.size() != 2) return fail("this BETWEEN");
      return "(" + a + (kind == "AEXPR_BETWEEN" ? " BETWEEN " : " NOT BETWEEN ") + ends[0] +
             " AND " + ends[1] + ")";
    }
    return fail("this operator: " + sign);
  }

  /// The right side of = ANY: '{a,b}' is a list there, whatever it looks like.
  std::string list_of(const Node& node) {
    if (node.is("A_Const") && node.has("sval")) {
      return array(node.part("sval").text("sval"), "VARCHAR[]");
    }
    return expr(node);
  }

  std::string plain_operation(const std::string& sign, const std::string& a, const std::string& b) {
    if (sign == "~") return "regexp_matches(" + a + ", " + b + ")";
    if (sign == "!~") return "NOT regexp_matches(" + a + ", " + b + ")";
    if (sign == "~*") return "regexp_matches(" + a + ", " + b + ", 'i')";
    if (sign == "!~*") return "NOT regexp_matches(" + a + ", " + b + ", 'i')";
    if (sign == "~~") return "(" + a + " LIKE " + b + " ESCAPE '\\')";
    if (sign == "!~~") return "(" + a + " NOT LIKE " + b + " ESCAPE '\\')";
    if (sign == "@>") return "list_has_all(" + a + ", " + b + ")";
    if (sign == "<@") return "list_has_all(" + b + ", " + a + ")";
    if (sign == "&&") return "list_has_any(" + a + ", " + b + ")";
    static const std::set<std::string> kSame = {"=", "<>", "<", ">", "<=", ">=", "+",
                                                "-", "*",  "/", "%", "||", "&",  "|"};
    if (!kSame.contains(sign)) return fail("the operator " + sign);
    return "(" + a + " " + sign + " " + b + ")";
  }

  std::string like(const std::string& sign, const std::string& a, const Node& right) {
    std::string pattern;
    std::string escape = "'\\'";
    if (right.is("FuncCall") && right.names("funcname").back() == "like_escape") {
      const std::vector<std::string> arguments = exprs(right.list("args"));
      if (arguments.size() != 2) return fail("this LIKE");
      pattern = arguments[0];
      escape = arguments[1];
    } else {
      pattern = expr(right);
    }
    const bool is_not = sign.starts_with("!");
    const bool any_case = sign.ends_with("*");
    return "(" + a + (is_not ? " NOT" : "") + (any_case ? " ILIKE " : " LIKE ") + pattern +
           " ESCAPE " + escape + ")";
  }

  std::string logic(const Node& node) {
    const std::vector<std::string> parts = exprs(node.list("args"));
    const std::string kind = node.text("boolop");
    if (kind == "NOT_EXPR") return "(NOT " + joined(parts, "") + ")";
    return "(" + joined(parts, kind == "OR_EXPR" ? " OR " : " AND ") + ")";
  }

  std::string boolean_test(const Node& node) {
    static const std::vector<std::pair<std::string, std::string>> kTests = {
        {"IS_TRUE", "IS TRUE"},    {"IS_NOT_TRUE", "IS NOT TRUE"},
        {"IS_FALSE", "IS FALSE"},  {"IS_NOT_FALSE", "IS NOT FALSE"},
        {"IS_UNKNOWN", "IS NULL"}, {"IS_NOT_UNKNOWN", "IS NOT NULL"}};
    const std::string kind = node.text("booltesttype");
    for (const auto& [known, words] : kTests) {
      if (kind == known) return "(" + expr(node.child("arg")) + " " + words + ")";
    }
    return "(" + expr(node.child("arg")) + " IS TRUE)";  // the tree leaves zeros out
  }

  std::string choice(const Node& node) {
    std::string out = "CASE";
    if (const Node value = node.child("arg")) out += " " + expr(value);
    for (const Node& when : node.list("args")) {
      out += " WHEN " + expr(when.child("expr")) + " THEN " + expr(when.child("result"));
    }
    if (const Node otherwise = node.child("defresult")) out += " ELSE " + expr(otherwise);
    return out + " END";
  }

  std::string subquery(const Node& node) {
    const std::string kind = node.text("subLinkType");
    const std::string inside = "(" + select(node.child("subselect")) + ")";
    if (kind == "EXISTS_SUBLINK") return "EXISTS " + inside;
    if (kind == "EXPR_SUBLINK") return inside;
    if (kind == "ARRAY_SUBLINK") return "ARRAY" + inside;
    const std::vector<std::string> names = node.names("operName");
    const std::string sign = names.empty() ? "=" : names.back();
    const std::string test = expr(node.child("testexpr"));
    if (kind == "ANY_SUBLINK" && sign == "=") return "(" + test + " IN " + inside + ")";
    if (kind == "ALL_SUBLINK" && sign == "<>") return "(" + test + " NOT IN " + inside + ")";
    return fail("this subquery");
  }

  std::string value_function(const Node& node) {
    const std::string kind = node.text("op");
    if (kind.ends_with("_USER") || kind.ends_with("_ROLE")) return text_literal(asker_.user);
    if (kind == "SVFOP_CURRENT_CATALOG") return text_literal(kDatabaseName);
    if (kind == "SVFOP_CURRENT_SCHEMA") return "'public'";
    return fail("this function");
  }

  std::string indirection(const Node& node) {
    std::string out = expr(node.child("arg"));
    for (const Node& step : node.list("indirection")) {
      if (step.is("String")) {
        out = "(" + out + ")." + name(step.text("sval"));
      } else if (step.is("A_Indices") && !step.flag("is_slice")) {
        out = "(" + out + ")[" + expr(step.child("uidx")) + "]";
      } else {
        return fail("this part of a value");
      }
    }
    return out;
  }

  static bool is_registered(const std::string& type) {
    return type == "regclass" || type == "regtype" || type == "regnamespace";
  }

  std::string cast(const Node& node) {
    const Node type = node.part("typeName");
    const std::vector<std::string> names = type.names("names");
    const std::string called = names.empty() ? "" : names.back();
    const Node inner = node.child("arg");
    const bool is_constant = inner.is("A_Const") || inner.is("ParamRef") ||
                             (inner.is("TypeCast") && inner.child("arg").is("A_Const"));
    if (is_registered(called)) {
      return std::string(kCatalogSchema) + "." + called + (is_constant ? "_of(" : "_name(") +
             expr(inner) + ")";
    }
    // As a number it is looked up, whatever it was.
    const std::vector<std::string> inner_names = inner.part("typeName").names("names");
    if (called == "oid" && !inner_names.empty() && is_registered(inner_names.back())) {
      return std::string(kCatalogSchema) + "." + inner_names.back() + "_of(" +
             expr(inner.child("arg")) + ")";
    }
    const std::string known = duckdb_type(called);
    if (known.empty()) return fail("the type " + called);
    if (type.has("arrayBounds") || known.ends_with("[]")) {
      const std::string list = known.ends_with("[]") ? known : known + "[]";
      if (inner.is("A_Const") && inner.has("sval")) {
        return array(inner.part("sval").text("sval"), list);
      }
      return "CAST(" + expr(inner) + " AS " + list + ")";
    }
    return "CAST(" + expr(inner) + " AS " + known + ")";
  }

  std::string function(const Node& node) {
    const std::vector<std::string> path = node.names("funcname");
    const std::string called = path.empty() ? "" : path.back();
    if (called == "current_setting" || called == "set_config") return setting(called, node);
    if (called == "pg_backend_pid") return "(" + std::to_string(asker_.process) + ")";
    if (called == "json_build_object") {
      return "CAST(json_object(" + joined(exprs(node.list("args")), ", ") + ") AS VARCHAR)";
    }
    if (called == "now" || called == "clock_timestamp") return "CAST(now() AS TIMESTAMP)";
    const std::string known = duckdb_function(called);
    if (known.empty()) return fail("the function " + called);
    std::string out = known + "(" + (node.flag("agg_distinct") ? "DISTINCT " : "");
    out += node.flag("agg_star") ? "*" : joined(exprs(node.list("args")), ", ");
    out += order(node.list("agg_order")) + ")";
    if (const Node filter = node.child("agg_filter")) out += " FILTER (WHERE " + expr(filter) + ")";
    if (const Node over = node.part("over")) {
      const std::vector<std::string> keys = exprs(over.list("partitionClause"));
      out += " OVER (" + (keys.empty() ? "" : "PARTITION BY " + joined(keys, ", ")) +
             order(over.list("orderClause")) + ")";
    }
    return out;
  }

  std::string given_text(const Node& node) const {
    if (node.is("TypeCast")) return given_text(node.child("arg"));
    if (!node.is("ParamRef")) return node.part("sval").text("sval");
    const auto number = static_cast<std::size_t>(node.number("number"));
    const bool is_there = number > 0 && number <= asker_.parameters.size();
    return is_there ? asker_.parameters[number - 1].text.value_or("") : "";
  }

  std::string setting(const std::string& called, const Node& node) {
    const std::vector<Node> arguments = node.list("args");
    std::vector<std::string> texts;
    for (const Node& argument : arguments) texts.push_back(given_text(argument));
    // A parameter that is not bound yet: the type is all that is wanted.
    if (texts.empty() || texts[0].empty()) return "CAST(NULL AS VARCHAR)";
    if (called == "set_config") {
      if (texts.size() != 3) return fail("set_config() but with three constants");
      assignments_.emplace_back(texts[0], texts[1]);
      return text_literal(texts[1]);
    }
    const auto value = asker_.setting ? asker_.setting(texts[0]) : std::nullopt;
    if (value) return text_literal(*value);
    if (texts.size() == 2) return "CAST(NULL AS VARCHAR)";  // missing_ok
    return fail("the setting " + texts[0], Code::kNotFound);
  }

  const Asker& asker_;
  std::optional<Error> error_;
  std::set<std::string> with_names_;
  std::vector<std::string> names_;
  bool has_star_ = false;
  std::vector<std::pair<std::string, std::string>> assignments_;
};

}  // namespace

Result<Printed> print(const Node& select, const Asker& asker) { return Printer(asker).run(select); }

}  // namespace discreet::server::pgcatalog
