// SPDX-License-Identifier: Apache-2.0
// Types as the protocol numbers them, and values of them as text, as bytes and as SQL.
//
// An answer's values are decimal text. Whole numbers are int8, other measured numbers float8 (they
// were computed in it after the release), decimal keys numeric: a key's digits are exact.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/policy.h"
#include "server/pgwire/message.h"

namespace discreet::server::pgwire {

using TypeId = std::uint32_t;

inline constexpr TypeId kBool = 16;
inline constexpr TypeId kName = 19;
inline constexpr TypeId kInt8 = 20;
inline constexpr TypeId kInt2 = 21;
inline constexpr TypeId kInt4 = 23;
inline constexpr TypeId kText = 25;
inline constexpr TypeId kOid = 26;
inline constexpr TypeId kFloat4 = 700;
inline constexpr TypeId kFloat8 = 701;
inline constexpr TypeId kUnknown = 705;
inline constexpr TypeId kBpchar = 1042;
inline constexpr TypeId kVarchar = 1043;
inline constexpr TypeId kDate = 1082;
inline constexpr TypeId kTimestamp = 1114;
inline constexpr TypeId kTimestampTz = 1184;
inline constexpr TypeId kNumeric = 1700;
inline constexpr TypeId kBoolArray = 1000;
inline constexpr TypeId kInt2Array = 1005;
inline constexpr TypeId kInt4Array = 1007;
inline constexpr TypeId kTextArray = 1009;
inline constexpr TypeId kVarcharArray = 1015;
inline constexpr TypeId kInt8Array = 1016;
inline constexpr TypeId kNameArray = 1003;
inline constexpr TypeId kOidArray = 1028;

/// Of an answer's column.
TypeId type_of(policy::Type type, bool is_key);
/// PostgreSQL's name of a type, as the parse tree has it ("int8"); 0 when it is not known.
TypeId type_named(const std::string& name);
/// Whether parameters of it are understood.
bool is_known(TypeId type);
/// Bytes of a value; -1: they differ.
std::int16_t size_of(TypeId type);
/// What the items of an array are; 0 when it is none.
TypeId item_of(TypeId type);
/// DuckDB's name for it, for questions about the catalog.
std::string duckdb_name(TypeId type);

/// Adds a value, given as text, with its length before it.
/// Fails with: kUnsupported when the type cannot hold it.
Result<void> write_value(Writer& out, TypeId type, bool is_binary, const std::string& text);

/// A parameter's bytes as text. Fails with: kInvalidInput.
Result<std::string> read_value(TypeId type, bool is_binary, std::string_view bytes);

/// A parameter as a constant of a question. Fails with: kInvalidInput when it is no value of the
/// type; kUnsupported for arrays.
Result<std::string> sql_constant(TypeId type, const std::optional<std::string>& text);
/// Some value of the type, for a question that is only described.
std::string sql_example(TypeId type);

}  // namespace discreet::server::pgwire
