// SPDX-License-Identifier: Apache-2.0
#include "policy/draft.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "policy/fields.h"
#include "policy/value.h"
#include "policy/write.h"

namespace discreet::policy {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

struct EngineType {
  const char* start;  ///< of the engine's word, in lower case
  Type type;
};

/// The first that fits counts, so longer words come before their beginnings.
constexpr std::array<EngineType, 25> kEngineTypes{{
    {"bool", Type::kBoolean},     {"tinyint", Type::kInteger},   {"smallint", Type::kInteger},
    {"integer", Type::kInteger},  {"bigint", Type::kInteger},    {"hugeint", Type::kInteger},
    {"utinyint", Type::kInteger}, {"usmallint", Type::kInteger}, {"uinteger", Type::kInteger},
    {"ubigint", Type::kInteger},  {"uhugeint", Type::kInteger},  {"int2", Type::kInteger},
    {"int4", Type::kInteger},     {"int8", Type::kInteger},      {"decimal", Type::kDecimal},
    {"numeric", Type::kDecimal},  {"double", Type::kDecimal},    {"float", Type::kDecimal},
    {"real", Type::kDecimal},     {"varchar", Type::kText},      {"char", Type::kText},
    {"text", Type::kText},        {"uuid", Type::kText},         {"timestamp", Type::kTimestamp},
    {"date", Type::kDate},
}};

std::optional<Type> type_of(const std::string& engine_type) {
  const std::string word = lower(engine_type);
  if (word.ends_with(']')) return std::nullopt;  // a list of some type: DECIMAL(4,1)[3]
  if (word == "int") return Type::kInteger;
  if (word.starts_with("enum"))
    return Type::kText;  // its values may come from the data: not listed
  for (const EngineType& known : kEngineTypes) {
    if (word.starts_with(known.start)) return known.type;
  }
  return std::nullopt;
}

/// DECIMAL(10,2) says in the schema that its step is 0.01.
std::string step_of(const std::string& engine_type) {
  const std::size_t comma = engine_type.find(',');
  const std::size_t close = engine_type.find(')');
  if (comma == std::string::npos || close == std::string::npos || close < comma) return "\"?\"";
  std::string digits = engine_type.substr(comma + 1, close - comma - 1);
  std::erase(digits, ' ');
  const auto places = Rational::parse("1e-" + digits);
  return places && parse_step(Type::kDecimal, places->to_string()) ? places->to_string() : "\"?\"";
}

/// How likely a column names the person, by its name alone; 0: not at all.
int unit_likelihood(const std::string& column) {
  const std::string name = lower(column);
  static const std::set<std::string> kPeople{
      "patient", "person", "user",   "customer", "member",    "client",  "subject",
      "student", "pupil",  "voter",  "employee", "citizen",   "account", "household",
      "device",  "driver", "tenant", "donor",    "respondent"};
  for (const std::string& person : kPeople) {
    if (name == person + "_id" || name == person + "id" || name == "id_" + person) return 4;
    if (name == person || name == person + "_key" || name == person + "_number") return 3;
  }
  if (name == "id") return 1;
  return name.ends_with("_id") ? 2 : 0;
}

bool is_identifier(const std::string& column) {
  const std::string name = lower(column);
  return unit_likelihood(column) > 0 || name == "name" || name.ends_with("_name") ||
         name.ends_with(" name") || name == "email" || name == "phone" || name == "ssn" ||
         name == "address";
}

std::string space_of(const DraftFacts& facts) { return facts.units ? facts.units->name : "people"; }

std::string unit_comment(const SchemaTable& table) {
  const SchemaColumn* best = nullptr;
  for (const SchemaColumn& column : table.columns) {
    const int likelihood = unit_likelihood(column.name);
    if (likelihood > (best == nullptr ? 0 : unit_likelihood(best->name))) best = &column;
  }
  const std::string guess = best == nullptr ? "" : "; by its name perhaps " + yaml_text(best->name);
  return "    # whose row it is" + guess +
         "\n"
         "    # or path: [" +
         yaml_text(table.name) +
         ".visit_id -> visits.id, visits.patient_id], or row: true "
         "if each row is\n    # another person, or move the table under public: if it is about "
         "nobody\n";
}

std::string column_line(const SchemaColumn& column) {
  const std::string name = "      " + yaml_text(column.name);
  const std::string shown = "      # " + yaml_text(column.name);
  Mistakes mistakes;
  if (!check_name(column.name, 0, "", mistakes)) {
    return shown + ": left out, SQL cannot spell its name\n";
  }
  const auto type = type_of(column.type);
  if (!type) return shown + ": left out, " + yaml_text(column.type) + " has no privacy domain\n";
  const std::string start = ": {type: " + to_string(*type);
  if (is_identifier(column.name)) {
    return shown + start + "}   # left out: its name says that it points at one person or thing\n";
  }
  if (*type == Type::kText) return name + start + "}   # keys found privately; or values: [a, b]\n";
  if (*type == Type::kBoolean) return name + start + "}\n";
  const std::string range = start + ", range: [\"?\", \"?\"]";
  if (*type != Type::kDecimal) return name + range + "}\n";
  return name + range + ", step: " + step_of(column.type) + "}\n";
}

/// Parquet and databases do; in CSV and JSON everything is text.
bool declares_types(const std::string& source) {
  const std::string name = lower(source);
  for (const char* end : {".csv", ".tsv", ".json", ".ndjson", ".jsonl", ".gz"}) {
    if (name.ends_with(end)) return false;
  }
  return true;
}

bool is_json(const std::string& source) {
  const std::string name = lower(source);
  return name.ends_with("json") || name.ends_with(".jsonl");
}

std::string table_draft(const SchemaTable& table, const DraftFacts& facts) {
  std::string out = "  " + yaml_text(table.name) + ":\n";
  out += "    source: " + yaml_text(table.source) + "\n";
  if (!declares_types(table.source)) {
    out += "    # this file declares no types, and none were guessed from its values: say them\n";
  }
  if (is_json(table.source)) {
    out += "    # its names are those of the first record: that this one has them is not hidden\n";
  }
  out += (facts.unit.empty() ? unit_comment(table) : "") +
         "    unit: {namespace: " + yaml_text(space_of(facts)) +
         ", column: " + (facts.unit.empty() ? "\"?\"" : yaml_text(facts.unit)) + "}\n";
  out +=
      "    # how much of one unit counts in an answer; these are the defaults, the rest is left "
      "out\n"
      "    # bounds: {groups_per_unit: 1, rows_per_unit_and_group: 1}\n"
      "    columns:   # remove what nobody needs: what is not declared cannot be reached\n";
  for (const SchemaColumn& column : table.columns) {
    const auto bought = facts.bought.find(column.name);
    out += bought == facts.bought.end()
               ? column_line(column)
               : "      " + column_text(bought->second) + kBoughtComment + "\n";
  }
  return out;
}

}  // namespace

std::optional<DraftedColumn> drafted(const SchemaColumn& column) {
  Mistakes mistakes;
  const auto type = type_of(column.type);
  if (!type || !check_name(column.name, 0, "", mistakes)) return std::nullopt;
  DraftedColumn out{*type, is_identifier(column.name), std::nullopt};
  if (*type == Type::kDecimal) {
    const auto step = parse_step(Type::kDecimal, step_of(column.type));
    if (step) out.step = *step;
  }
  return out;
}

std::string draft_head(const std::string& origin, const std::string& space,
                       const DraftFacts& facts) {
  const std::string label = facts.snapshot.empty() ? "\"?\"" : yaml_text(facts.snapshot);
  const std::string units =
      facts.units ? units_text(*facts.units)
                  : "  " + yaml_text(space) +
                        ":   # whom to protect; name them as you like\n"
                        "    # for life, over all analysts together; 1 and 1e-6 are a strong "
                        "promise\n"
                        "    budget: {epsilon: \"?\", delta: \"?\"}\n"
                        "    # analysts: {ann: {epsilon: 0.5}}   # caps of their own, below the "
                        "budget\n";
  return "# Drafted from " + origin +
         (facts.bought.empty() ? ". No value of the data was looked at.\n"
                               : ". What is marked as bought was paid for; no other value of the "
                                 "data was looked at.\n") +
         "# Replace every \"?\" by what is publicly known, such as the ages that people can have,\n"
         "# never by what occurs in the data: a range or a list that was read off the data tells\n"
         "# on somebody. A range that is too narrow is clamped to; one that is too wide costs\n"
         "# accuracy. Then: discreet policy check\n"
         "version: " +
         std::to_string(kPolicyFormat) +
         "\n"
         "engine: " +
         yaml_text(facts.engine) +
         "\n"
         "snapshot: " +
         label + "   # your label for this state of the data, such as 2026-11\n" +
         (facts.ledger.empty() ? "" : "ledger: " + yaml_text(facts.ledger) + "\n") + "units:\n" +
         units + "tables:\n";
}

std::string table_name_of(std::string_view source) {
  if (const std::size_t table = source.rfind(':'); table != std::string_view::npos) {
    source = source.substr(table + 1);  // clinic.duckdb:main.visits
    source = source.substr(source.find_last_of('.') + 1);
  }
  source = source.substr(source.find_last_of('/') + 1);
  std::string out;
  for (const char c : lower(source.substr(0, source.find('.')))) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (fine) out += c;
    if (!fine && !out.empty() && out.back() != '_') out += '_';
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  if (out.empty() || (out.front() >= '0' && out.front() <= '9')) out = "t_" + out;
  return out.substr(0, 60);
}

std::string draft_policy(const std::vector<SchemaTable>& tables, const DraftFacts& facts) {
  std::string out =
      draft_head(facts.bought.empty() ? "the schema alone" : "the schema", space_of(facts), facts);
  for (const SchemaTable& table : tables) out += table_draft(table, facts);
  return out;
}

}  // namespace discreet::policy
