// SPDX-License-Identifier: Apache-2.0
#include "server/pgwire/types.h"

#include <algorithm>
#include <cctype>

#include "policy/value.h"
#include "server/pgwire/binary.h"

namespace discreet::server::pgwire {
namespace {

struct TypeFacts {
  TypeId type;
  std::string_view name;
  std::int16_t size;
  TypeId item;
  std::string_view duckdb;
};

constexpr TypeFacts kFacts[] = {
    {kBool, "bool", 1, 0, "BOOLEAN"},
    {kName, "name", -1, 0, "VARCHAR"},
    {kInt8, "int8", 8, 0, "BIGINT"},
    {kInt2, "int2", 2, 0, "SMALLINT"},
    {kInt4, "int4", 4, 0, "INTEGER"},
    {kText, "text", -1, 0, "VARCHAR"},
    {kOid, "oid", 4, 0, "UINTEGER"},
    {kFloat4, "float4", 4, 0, "DOUBLE"},
    {kFloat8, "float8", 8, 0, "DOUBLE"},
    {kBpchar, "bpchar", -1, 0, "VARCHAR"},
    {kVarchar, "varchar", -1, 0, "VARCHAR"},
    {kDate, "date", 4, 0, "DATE"},
    {kTimestamp, "timestamp", 8, 0, "TIMESTAMP"},
    {kTimestampTz, "timestamptz", 8, 0, "TIMESTAMP"},
    {kNumeric, "numeric", -1, 0, "DOUBLE"},
    {kBoolArray, "_bool", -1, kBool, "BOOLEAN[]"},
    {kInt2Array, "_int2", -1, kInt2, "SMALLINT[]"},
    {kInt4Array, "_int4", -1, kInt4, "INTEGER[]"},
    {kTextArray, "_text", -1, kText, "VARCHAR[]"},
    {kVarcharArray, "_varchar", -1, kVarchar, "VARCHAR[]"},
    {kNameArray, "_name", -1, kName, "VARCHAR[]"},
    {kInt8Array, "_int8", -1, kInt8, "BIGINT[]"},
    {kOidArray, "_oid", -1, kOid, "UINTEGER[]"},
};

const TypeFacts* find_type(TypeId type) {
  const auto* const found = std::ranges::find(kFacts, type, &TypeFacts::type);
  return found == std::end(kFacts) ? nullptr : found;
}

policy::Type policy_type(TypeId type) {
  switch (type) {
    case kBool:
      return policy::Type::kBoolean;
    case kInt2:
    case kInt4:
    case kInt8:
    case kOid:
      return policy::Type::kInteger;
    case kFloat4:
    case kFloat8:
    case kNumeric:
      return policy::Type::kDecimal;
    case kDate:
      return policy::Type::kDate;
    case kTimestamp:
    case kTimestampTz:
      return policy::Type::kTimestamp;
    default:
      return policy::Type::kText;
  }
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += c;
    out += c;
  }
  return out + "'";
}

/// PostgreSQL writes booleans and zones in more ways than the policy.
std::string normal(TypeId type, const std::string& text) {
  if (type == kBool) {
    std::string word = text;
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
    if (word == "t" || word == "true" || word == "1" || word == "on" || word == "yes")
      return "true";
    if (word == "f" || word == "false" || word == "0" || word == "off" || word == "no") {
      return "false";
    }
  }
  if (type == kTimestamp || type == kTimestampTz) {
    std::string out = text;
    std::ranges::replace(out, 'T', ' ');
    for (const std::string_view zone : {"+00:00", "+00", "Z"}) {
      if (out.ends_with(zone)) return out.substr(0, out.size() - zone.size());
    }
    return out;
  }
  return text;
}

}  // namespace

TypeId type_of(policy::Type type, bool is_key) {
  switch (type) {
    case policy::Type::kBoolean:
      return kBool;
    case policy::Type::kInteger:
      return kInt8;
    case policy::Type::kDecimal:
      return is_key ? kNumeric : kFloat8;
    case policy::Type::kText:
      return kText;
    case policy::Type::kDate:
      return kDate;
    case policy::Type::kTimestamp:
      return kTimestamp;
  }
  return kText;
}

TypeId type_named(const std::string& name) {
  const auto* const found = std::ranges::find(kFacts, name, &TypeFacts::name);
  return found == std::end(kFacts) ? 0 : found->type;
}

bool is_known(TypeId type) { return find_type(type) != nullptr; }

std::int16_t size_of(TypeId type) {
  const TypeFacts* const facts = find_type(type);
  return facts == nullptr ? std::int16_t{-1} : facts->size;
}

TypeId item_of(TypeId type) {
  const TypeFacts* const facts = find_type(type);
  return facts == nullptr ? 0 : facts->item;
}

std::string duckdb_name(TypeId type) {
  const TypeFacts* const facts = find_type(type);
  return facts == nullptr ? "VARCHAR" : std::string(facts->duckdb);
}

Result<void> write_value(Writer& out, TypeId type, bool is_binary, const std::string& text) {
  if (!is_binary) {
    if (type == kBool) {
      out.int32(1).byte(text.starts_with("t") ? 't' : 'f');
      return {};
    }
    out.int32(static_cast<std::int64_t>(text.size())).bytes(text);
    return {};
  }
  const std::size_t place = out.reserve();
  DISCREET_TRY(write_binary(out, type, text));
  out.fill(place, static_cast<std::int64_t>(out.gathered().size() - place - 4));
  return {};
}

Result<std::string> read_value(TypeId type, bool is_binary, std::string_view bytes) {
  if (is_binary) {
    DISCREET_ASSIGN(std::string text, read_binary(type, bytes));
    if (!is_text(text)) return invalid_input("a parameter is not UTF-8 without zero bytes");
    return text;
  }
  if (!is_text(bytes)) return invalid_input("a parameter is not UTF-8 without zero bytes");
  return std::string(bytes);
}

Result<std::string> sql_constant(TypeId type, const std::optional<std::string>& text) {
  if (!text) return std::string("NULL");
  if (item_of(type) != 0) {
    return Error{Code::kUnsupported, "arrays are not accepted as parameters of a question"};
  }
  const policy::Type kind = policy_type(type);
  if (kind == policy::Type::kText) return quoted(*text);
  DISCREET_ASSIGN(const policy::Value value, policy::parse_value(kind, normal(type, *text)));
  const std::string shown = policy::to_string(value);
  switch (kind) {
    case policy::Type::kDate:
      return "DATE '" + shown + "'";
    case policy::Type::kTimestamp:
      return "TIMESTAMP '" + shown + "'";
    default:
      return shown.starts_with("-") ? "(" + shown + ")" : shown;
  }
}

std::string sql_example(TypeId type) {
  switch (policy_type(type)) {
    case policy::Type::kBoolean:
      return "true";
    case policy::Type::kInteger:
      return "1";
    case policy::Type::kDecimal:
      return "1.5";
    case policy::Type::kDate:
      return "DATE '2000-01-01'";
    case policy::Type::kTimestamp:
      return "TIMESTAMP '2000-01-01 00:00:00'";
    case policy::Type::kText:
      break;
  }
  return "'x'";
}

}  // namespace discreet::server::pgwire
