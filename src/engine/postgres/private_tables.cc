// SPDX-License-Identifier: Apache-2.0
#include "engine/postgres/private_tables.h"

#include <algorithm>

#include "engine/lowering/expression.h"

namespace discreet::engine::postgres {

using lowering::Readings;
using lowering::Select;
using lowering::Sql;

PrivateTables::PrivateTables(const std::vector<std::vector<std::string>>& names) : known_(true) {
  for (const std::vector<std::string>& name : names) {
    names_.insert(Sql::name(name).print() + " AS ");
  }
}

// A constant of the question's that looks like a table is counted as one: this errs to one side.
bool PrivateTables::allow_hash_joins(const Select& statement) const {
  if (!known_) return false;
  std::string sql = statement.print();
  // Readings end in a half without rows, which says the tables again.
  const bool are_readings =
      statement.from.size() == 1 && statement.from[0].alias == Readings::kTable;
  if (are_readings) sql.resize(std::min(sql.size(), sql.rfind("\nUNION ALL\n")));
  std::size_t uses = 0;
  for (const std::string& name : names_) {
    for (std::size_t at = sql.find(name); at != sql.npos; at = sql.find(name, at + 1)) ++uses;
  }
  return uses <= 1;
}

}  // namespace discreet::engine::postgres
