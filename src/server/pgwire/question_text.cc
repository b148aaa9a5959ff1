// SPDX-License-Identifier: Apache-2.0
#include "server/pgwire/question_text.h"

#include <algorithm>

#include "sql/grouped.h"

namespace discreet::server::pgwire {
namespace {

using sql::Node;

/// The declared column of that name in the tables that the question names; none when there is none
/// or they differ in type.
const policy::Column* column_named(const std::string& name, const policy::Policy& policy) {
  const policy::Column* found = nullptr;
  for (const auto& [table_name, table] : policy.tables) {
    const policy::Column* const column = table.find(name);
    if (column == nullptr) continue;
    if (found != nullptr && found->type != column->type) return nullptr;
    found = column;
  }
  return found;
}

bool is_declared(const std::string& name, const policy::Policy& policy) {
  return std::ranges::any_of(policy.tables,
                             [&](const auto& entry) { return entry.second.find(name) != nullptr; });
}

class Inference {
 public:
  Inference(const policy::Policy* policy, std::vector<TypeId>& types)
      : policy_(policy), types_(types) {}

  void walk(const Node& node) {
    for (const Node& cast : all(node, "TypeCast", {"arg"})) {
      note(cast.child("arg"), named(cast.part("typeName")));
    }
    for (const Node& operation : all(node, "A_Expr", {"lexpr", "rexpr"})) {
      const Node left = operation.child("lexpr");
      const Node right = operation.child("rexpr");
      const bool is_list = operation.text("kind").starts_with("AEXPR_OP_A");
      for (const Node& each : right.is("List") ? right.list("items") : std::vector{right}) {
        note(each, is_list ? array_of(type_of(left)) : type_of(left));
        note(left, type_of(each));
      }
    }
    for (const Node& select : node.find_all("SelectStmt")) {
      note(select.child("limitCount"), kInt8);
      note(select.child("limitOffset"), kInt8);
    }
  }

 private:
  /// Each node of that kind once, also those inside of others.
  static std::vector<Node> all(const Node& node, const char* kind,
                               const std::vector<const char*>& inside) {
    std::vector<Node> found = node.find_all(kind);
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const char* const field : inside) {
        const std::vector<Node> deeper = found[i].child(field).find_all(kind);
        found.insert(found.end(), deeper.begin(), deeper.end());
      }
    }
    return found;
  }

  static TypeId named(const Node& type_name) {
    const std::vector<std::string> names = type_name.names("names");
    const TypeId type = names.empty() ? 0 : type_named(names.back());
    return type_name.has("arrayBounds") ? array_of(type) : type;
  }

  static TypeId array_of(TypeId item) {
    for (const TypeId array :
         {kTextArray, kInt8Array, kInt4Array, kInt2Array, kOidArray, kVarcharArray, kNameArray}) {
      if (item_of(array) == item) return array;
    }
    return kTextArray;
  }

  TypeId type_of(const Node& node) const {
    if (node.is("TypeCast")) return named(node.part("typeName"));
    if (node.is("ColumnRef")) {
      const std::vector<Node> fields = node.list("fields");
      const std::string name = fields.empty() ? "" : fields.back().text("sval");
      if (policy_ == nullptr) return name.ends_with("oid") && name != "ctid" ? kOid : kText;
      const policy::Column* const column = column_named(name, *policy_);
      if (column == nullptr) return 0;
      return pgwire::type_of(column->type, true);
    }
    if (node.is("A_Const")) {
      if (node.has("ival")) return kInt8;
      if (node.has("fval")) return kNumeric;
      if (node.has("boolval")) return kBool;
      return node.flag("isnull") ? 0 : kText;
    }
    if (node.is("FuncCall")) {
      const std::vector<std::string> names = node.names("funcname");
      if (policy_ == nullptr) return kText;
      return !names.empty() && names.back() == "count" ? kInt8 : kFloat8;
    }
    if (node.is("A_Expr")) {
      const TypeId left = type_of(node.child("lexpr"));
      return left != 0 ? left : type_of(node.child("rexpr"));
    }
    return 0;
  }

  void note(const Node& node, TypeId type) {
    if (!node.is("ParamRef")) return;
    const auto number = static_cast<std::size_t>(node.number("number"));
    if (number == 0 || number > types_.size() || types_[number - 1] != 0) return;
    types_[number - 1] = type;
  }

  const policy::Policy* policy_;
  std::vector<TypeId>& types_;
};

}  // namespace

void infer_parameters(const Node& select, const policy::Policy* policy,
                      std::vector<TypeId>& types) {
  if (std::ranges::count(types, TypeId{0}) == 0) return;
  Inference inference(policy, types);
  // find_all does not look into what it finds, and a SELECT is found first.
  for (const char* const clause : {"whereClause", "havingClause", "limitCount", "limitOffset"}) {
    inference.walk(select.child(clause));
  }
  for (const char* const clause : {"targetList", "fromClause", "groupClause", "sortClause"}) {
    for (const Node& item : select.list(clause)) inference.walk(item);
  }
  for (const Node& limit : {select.child("limitCount"), select.child("limitOffset")}) {
    const auto number = static_cast<std::size_t>(limit.number("number"));
    if (limit.is("ParamRef") && number > 0 && number <= types.size() && types[number - 1] == 0) {
      types[number - 1] = kInt8;
    }
  }
  for (const char* const side : {"larg", "rarg"}) {
    if (const Node part = select.part(side)) infer_parameters(part, policy, types);
  }
  if (policy == nullptr) std::ranges::replace(types, TypeId{0}, kText);
}

std::size_t QuestionText::token_at(sql::Place place) const {
  const auto found =
      std::ranges::lower_bound(tokens_, place.value_or(out_.size()), {}, &sql::Token::start);
  return static_cast<std::size_t>(found - tokens_.begin());
}

void QuestionText::blank(std::size_t first, std::size_t end) {
  for (std::size_t i = first; i < end; ++i) {
    if (out_[i] != '\n') out_[i] = ' ';
  }
}

Result<void> QuestionText::cut_explain() {
  std::size_t at = 1;
  if (at < tokens_.size() && tokens_[at].symbol == '(') {
    while (at < tokens_.size() && tokens_[at].symbol != ')') {
      if (sql::is_word(text_, tokens_[at], "analyze")) at = tokens_.size();
      ++at;
    }
    ++at;
  }
  while (at < tokens_.size() && sql::is_word(text_, tokens_[at], "verbose")) ++at;
  if (at >= tokens_.size() || sql::is_word(text_, tokens_[at], "analyze")) {
    return Error{Code::kUnsupported,
                 "EXPLAIN ANALYZE would ask the question; write EXPLAIN, which costs nothing"};
  }
  blank(0, tokens_[at].start);
  return {};
}

void QuestionText::cut_schemas(const Node& select, const policy::Policy& policy) {
  const auto cut = [&](std::size_t token, std::size_t names) {
    for (std::size_t i = 0; i < 2 * names && token + i < tokens_.size(); ++i) {
      blank(tokens_[token + i].start, tokens_[token + i].end);
    }
  };
  for (const Node& table : select.find_all("RangeVar")) {
    const std::string name = table.text("relname");
    if (table.text("schemaname") != "public" || policy.find("public." + name) != nullptr) continue;
    cut(token_at(table.place()), table.text("catalogname").empty() ? 1 : 2);
  }
  for (const Node& column : select.find_all("ColumnRef")) {
    const std::vector<Node> fields = column.list("fields");
    if (fields.size() == 3 && fields[0].text("sval") == "public") cut(token_at(column.place()), 1);
  }
}

void QuestionText::cut_target(std::size_t first) {
  std::size_t end = first;
  for (int depth = 0; end < tokens_.size(); ++end) {
    const char symbol = tokens_[end].symbol;
    depth += symbol == '(' ? 1 : symbol == ')' ? -1 : 0;
    if (depth == 0 && (symbol == ',' || sql::is_word(text_, tokens_[end], "from"))) break;
  }
  const bool has_comma_before =
      first > 0 && tokens_[first - 1].symbol == ',' && !is_blank(first - 1);
  if (has_comma_before) blank(tokens_[first - 1].start, tokens_[first - 1].end);
  const std::size_t stop = end < tokens_.size() ? tokens_[end].start : out_.size();
  blank(tokens_[first].start, stop);
  if (!has_comma_before && end < tokens_.size() && tokens_[end].symbol == ',') {
    blank(tokens_[end].start, tokens_[end].end);
  }
}

std::vector<IntervalColumn> QuestionText::cut_intervals(const Node& select,
                                                        const policy::Policy& policy) {
  const std::vector<Node> targets = select.list("targetList");
  std::vector<std::string> names;
  for (const Node& target : targets) {
    const std::string name = target.text("name");
    names.push_back(name.empty() ? sql::output_name(target.child("val")) : name);
  }
  std::vector<IntervalColumn> out;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Node value = targets[i].child("val");
    const std::vector<Node> fields = value.list("fields");
    if (!value.is("ColumnRef") || fields.size() != 1) continue;
    const std::string word = fields[0].text("sval");
    const Part part = word.ends_with("_low")    ? Part::kLow
                      : word.ends_with("_high") ? Part::kHigh
                                                : Part::kValue;
    if (part == Part::kValue || is_declared(word, policy)) continue;
    const std::string of = word.substr(0, word.rfind('_'));
    if (std::ranges::count(names, of) == 0) continue;
    out.push_back({i, of, part, names[i]});
    cut_target(token_at(targets[i].place()));
  }
  return out;
}

}  // namespace discreet::server::pgwire
