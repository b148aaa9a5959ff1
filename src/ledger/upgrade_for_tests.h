// SPDX-License-Identifier: Apache-2.0
// Ledgers of older formats, for tests. Format 6 differs from 4 (files) and 5 (PostgreSQL) by a kind
// of record alone, so one without such a record becomes older by its number.
#pragma once

#include <string>

#include "ledger/ledger_for_tests.h"

namespace discreet::ledger::fixture {

inline int older_format(const Home& home) { return is_postgres(home.path) ? 5 : 4; }

inline void set_format(Home& home, int format) {
  const std::string number = std::to_string(format);
  home.sql(is_postgres(home.path) ? "UPDATE format SET version = " + number
                                  : "PRAGMA user_version = " + number);
}

/// With an answer, "42" for ann, and a share of it for the press; of the format before this one.
inline void create_older(Home& home) {
  auto ledger = home.create();
  ASSERT_TRUE(ask_and_store(*ledger, {}, "42"));
  ASSERT_TRUE(ask(*ledger, {.analyst = "press"}));
  ledger.reset();
  set_format(home, older_format(home));
}

inline Opened opened(Home& home) {
  return {.path = home.path, .key = home.key, .witness = home.witness, .world = home.world()};
}

}  // namespace discreet::ledger::fixture
