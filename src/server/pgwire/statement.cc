// SPDX-License-Identifier: Apache-2.0
#include "server/pgwire/statement.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "server/pgcatalog/printer.h"
#include "server/pgwire/question_text.h"
#include "sql/dialect.h"

namespace discreet::server::pgwire {
namespace {

using sql::Node;
using sql::Text;
using sql::Token;

/// n of $n; 0 when the token is none.
std::size_t parameter_number(const Text& text, const Token& token) {
  const std::string_view word = sql::spelling(text, token);
  if (token.kind != sql::TokenKind::kOther || word.size() < 2 || word[0] != '$') return 0;
  std::size_t number = 0;
  const auto read = std::from_chars(word.data() + 1, word.data() + word.size(), number);
  return read.ptr == word.data() + word.size() ? number : 0;
}

std::string constant_text(const Node& node) {
  if (node.is("TypeCast")) return constant_text(node.child("arg"));
  if (node.has("ival")) return std::to_string(node.part("ival").number("ival"));
  if (node.has("fval")) return node.part("fval").text("fval");
  if (node.has("boolval")) return node.part("boolval").flag("boolval") ? "on" : "off";
  return node.part("sval").text("sval");
}

Result<Statement> read_transaction(const Node& root) {
  static const std::map<std::string, std::pair<Kind, std::string>> kKinds = {
      {"TRANS_STMT_BEGIN", {Kind::kBegin, "BEGIN"}},
      {"TRANS_STMT_START", {Kind::kBegin, "START TRANSACTION"}},
      {"TRANS_STMT_COMMIT", {Kind::kCommit, "COMMIT"}},
      {"TRANS_STMT_ROLLBACK", {Kind::kRollback, "ROLLBACK"}},
      {"TRANS_STMT_SAVEPOINT", {Kind::kSavepoint, "SAVEPOINT"}},
      {"TRANS_STMT_RELEASE", {Kind::kRelease, "RELEASE"}},
      {"TRANS_STMT_ROLLBACK_TO", {Kind::kRollbackTo, "ROLLBACK"}}};
  const auto found = kKinds.find(root.text("kind"));
  if (found == kKinds.end()) {
    return Error{Code::kUnsupported, "prepared transactions are not supported"};
  }
  Statement out{.kind = found->second.first, .tag = found->second.second};
  out.name = root.text("savepoint_name");
  return out;
}

Result<Statement> read_set(const Node& root) {
  const std::string kind = root.text("kind");
  Statement out{.kind = Kind::kSet, .tag = "SET", .name = root.text("name")};
  out.is_local = root.flag("is_local");
  out.is_default = kind == "VAR_SET_DEFAULT";
  if (kind == "VAR_RESET" || kind == "VAR_RESET_ALL") {
    out.kind = Kind::kReset;
    out.tag = "RESET";
    return out;
  }
  if (kind == "VAR_SET_MULTI") {  // SET TRANSACTION, SET SESSION CHARACTERISTICS
    out.kind = Kind::kNothing;
    return out;
  }
  for (const Node& argument : root.list("args")) {
    out.value += (out.value.empty() ? "" : ", ") + constant_text(argument);
  }
  return out;
}

/// Where the tables of a SELECT live: 1 the catalog, 2 the policy, 3 both; 0 nowhere.
unsigned sources_of(const Node& root) {
  std::set<std::string> own;
  for (const Node& with : root.find_all("CommonTableExpr")) own.insert(with.text("ctename"));
  unsigned sources = 0;
  for (const Node& table : root.find_all("RangeVar")) {
    const std::string schema = table.text("schemaname");
    if (schema.empty() && own.contains(table.text("relname"))) continue;
    const bool is_catalog = schema == "pg_catalog" || schema == "information_schema" ||
                            pgcatalog::is_catalog_table(schema, table.text("relname"));
    sources |= is_catalog ? 1U : 2U;
  }
  return sources;
}

Result<Statement> read_other(const Node& root) {
  if (root.is("TransactionStmt")) return read_transaction(root);
  if (root.is("VariableSetStmt")) return read_set(root);
  if (root.is("VariableShowStmt")) {
    return Statement{.kind = Kind::kShow, .tag = "SHOW", .name = root.text("name")};
  }
  if (root.is("DiscardStmt")) return Statement{.kind = Kind::kDiscard, .tag = "DISCARD ALL"};
  if (root.is("DeallocateStmt")) {
    return Statement{.kind = Kind::kDeallocate, .tag = "DEALLOCATE", .name = root.text("name")};
  }
  if (root.is("ClosePortalStmt")) return Statement{.kind = Kind::kNothing, .tag = "CLOSE CURSOR"};
  if (root.is("UnlistenStmt")) return Statement{.kind = Kind::kNothing, .tag = "UNLISTEN"};
  return Error{Code::kUnsupported,
               "this statement is not accepted: nothing can be written or defined here; ask with "
               "SELECT, EXPLAIN a SELECT, or SET what a question may cost"};
}

}  // namespace

Result<std::vector<std::string>> split(std::string_view text) {
  DISCREET_ASSIGN(const Text read, Text::read(text));
  DISCREET_ASSIGN(const std::vector<Token> tokens, sql::scan(read));
  std::vector<std::string> out;
  std::size_t start = 0;
  bool has_words = false;
  const auto add = [&](std::size_t end) {
    if (has_words) out.push_back(read.bytes().substr(start, end - start));
    has_words = false;
  };
  for (const Token& token : tokens) {
    if (token.symbol == ';') {
      add(token.start);
      start = token.end;
    } else {
      has_words = true;
    }
  }
  add(read.bytes().size());
  return out;
}

Result<Statement> read_statement(const std::string& sql, const policy::Policy& policy,
                                 const std::vector<TypeId>& given) {
  DISCREET_ASSIGN(const Text text, Text::read(sql));
  DISCREET_ASSIGN(const std::vector<Token> tokens, sql::scan(text));
  if (tokens.empty()) return Statement{};
  DISCREET_ASSIGN(const sql::Dialect dialect, sql::read_dialect(text, tokens));
  DISCREET_ASSIGN(sql::Statement tree, sql::parse(text, tokens, dialect.sql));
  const Node root = tree.root();
  const Node select = root.is("ExplainStmt") ? root.child("query") : root;
  if (!select.is("SelectStmt")) return read_other(root);
  std::size_t count = given.size();
  for (const Token& token : tokens) count = std::max(count, parameter_number(text, token));
  constexpr std::size_t kParametersMax = 1000;
  if (count > kParametersMax) return invalid_input("at most 1,000 parameters are accepted");
  Statement out{.kind = Kind::kQuestion, .tag = "SELECT"};
  out.parameters = given;
  out.parameters.resize(count, 0);
  for (TypeId& type : out.parameters) {
    if (type == kUnknown) type = 0;
    if (type != 0 && !is_known(type)) {
      return Error{Code::kUnsupported, "a parameter has a type that is not accepted (number " +
                                           std::to_string(type) +
                                           "); use bigint, numeric, double precision, text, "
                                           "boolean, date or timestamp"};
    }
  }
  const unsigned sources = sources_of(select);
  if (sources == 3) {
    return Error{Code::kUnsupported, "the catalog and the data cannot be in one question"};
  }
  if (sources != 2) {
    if (root.is("ExplainStmt")) {
      return Error{Code::kUnsupported, "only questions about the data are explained"};
    }
    out.kind = Kind::kCatalog;
    infer_parameters(select, nullptr, out.parameters);
    out.tree = std::make_shared<const sql::Statement>(std::move(tree));
    return out;
  }
  infer_parameters(select, &policy, out.parameters);
  QuestionText question(text, tokens);
  if (root.is("ExplainStmt")) {
    out.kind = Kind::kExplain;
    out.tag = "EXPLAIN";
    DISCREET_TRY(question.cut_explain());
  }
  question.cut_schemas(select, policy);
  out.intervals = question.cut_intervals(select, policy);
  out.text = question.take();
  return out;
}

std::string substitute(const std::string& sql, const std::vector<std::string>& constants) {
  const auto text = Text::read(sql);
  if (!text) return sql;
  const auto tokens = sql::scan(*text);
  if (!tokens) return sql;
  std::string out;
  std::size_t at = 0;
  for (const Token& token : *tokens) {
    const std::size_t number = parameter_number(*text, token);
    if (number == 0 || number > constants.size()) continue;
    out += text->bytes().substr(at, token.start - at) + constants[number - 1];
    at = token.end;
  }
  return out + text->bytes().substr(at);
}

}  // namespace discreet::server::pgwire
