// SPDX-License-Identifier: Apache-2.0
// The parts of read_policy(), one a file. Each notes its mistakes and returns what it could read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "policy/fields.h"
#include "policy/policy.h"

namespace discreet::policy {

/// Where things stand that can be judged only when all tables are known.
struct Places {
  struct ColumnPlace {
    std::string table;
    std::string column;
    int line = 0;
  };
  struct BlocksPlace {
    int line = 0;                  ///< of the column
    std::vector<int> value_lines;  ///< of Units::block_values, one each
  };
  std::map<std::string, int> unit_lines;      ///< table -> the line of its unit
  std::map<std::string, int> public_lines;    ///< public table -> the line of its source
  std::map<std::string, BlocksPlace> blocks;  ///< by namespace
  std::map<std::string, int> within_lines;    ///< by namespace
  std::vector<ColumnPlace> values_from;
};

/// `units:`; read_units.cc
std::map<std::string, Units> read_units(const Node& node, Places& places, Mistakes& mistakes);

/// One column; read_column.cc
Column read_column(const Node& node, const std::string& path, Mistakes& mistakes);

/// `tables:` and `public:`; read_tables.cc
void read_tables(const Node& node, bool is_public, Policy& policy, Places& places,
                 Mistakes& mistakes);

inline constexpr const char* kDailyExample =
    "daily: {visits_by_day: {table: visits, day: day, first: 2026-01-01, days: 365, rho: 0.05}}";

/// `daily:`, once the tables are known; read_daily.cc
void read_daily(const Node& node, Policy& policy, Mistakes& mistakes);

/// Facts that span several tables: paths lead to declared tables whose own units agree with them,
/// key lists come from public tables, no public table is a private one's source; connect.cc
void check_connections(const Policy& policy, const Places& places, Mistakes& mistakes);

/// That a namespace's block column says of each unit which block it is in, and that reading it
/// takes no two values for one; blocks.cc
void check_blocks(const Policy& policy, const Units& units, const Places::BlocksPlace& place,
                  Mistakes& mistakes);

/// That the larger units that a namespace is in are declared, and that each unit has one; within.cc
void check_within(const Policy& policy, const Units& units, int line, Mistakes& mistakes);

/// "path: [labs.visit_id -> visits.id, visits.patient_id]" without the first word.
std::string path_text(const std::string& table, const UnitPath& unit);

}  // namespace discreet::policy
