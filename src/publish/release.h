// SPDX-License-Identifier: Apache-2.0
// A publication's life, as a question's in session/: designed, checked, charged whole in one
// record, then the rows, the tables, the noise, the stored answer. What is stored are the released
// integers; every table is made from them afterwards, free, and the same workload under the same
// snapshot label gives the same bytes again.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "ledger/ledger.h"
#include "publish/design.h"

namespace discreet::publish {

struct Request {
  const Workload& workload;
  std::string analyst = "owner";
  std::string request_id = {};  ///< empty: one is made up
};

/// What a publication would do; nothing is charged.
struct Foreseen {
  Design design;
  std::string price;
  std::string left;
  bool fits = true;
  bool repeat = false;
  double width_that_fits =
      0;                   ///< the largest half width at the price that is left; 0: none is left
  std::string units = {};  ///< who pays
  ledger::Quote quote = {};
};

/// What it says about itself.
struct ReleaseFacts {
  std::string units, neighbours, snapshot, table, rho, receipt;
  std::int64_t rows_per_unit = 1;
  bool row_is_unit = false;
  std::vector<std::string> noise;  ///< the lines of the charge
};

struct Publication {
  Design design;
  ReleaseFacts facts;
  std::vector<std::vector<std::int64_t>> released;  ///< of every part
  std::string bytes;                                ///< as stored
  bool repeated = false;
};

class Publisher {
 public:
  /// All three must outlive it.
  Publisher(const policy::Policy& policy, ledger::Ledger& ledger, engine::Engine& engine)
      : policy_(policy), ledger_(ledger), engine_(engine) {}

  /// What is left, and whether it fits: for the owner in all, for an analyst of their own cap.
  enum class Sees { kOwn, kAll };
  /// Fails with: what the design, the checker and the ledger say.
  Result<Foreseen> foresee(const Request& request, Sees sees) const;
  /// Fails with: the same; kBudget, naming what would fit; after the charge only the world.
  Result<Publication> publish(const Request& request, const engine::OwnerLog& log);

 private:
  struct Prepared;
  Result<Prepared> prepare(const Request& request) const;

  const policy::Policy& policy_;
  ledger::Ledger& ledger_;
  engine::Engine& engine_;
};

}  // namespace discreet::publish
