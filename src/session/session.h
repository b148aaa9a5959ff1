// SPDX-License-Identifier: Apache-2.0
// The life of a question: parse, bind, check, charge, run, noise, arrange, store, answer.
//
//   Session session(policy, *ledger, *engine);
//   DISCREET_ASSIGN(Answered answered, session.ask({.sql = "SELECT COUNT(*) FROM visits",
//                                                   .analyst = "ann"}));
//
// Z1  Everything up to the charge is a function of the question, the policy and the history; what
//     fails, fails there with a text that no data can change.
// Z2  After the charge only the world can fail, and the charge stays.
// Z3  What is returned was stored before: the bytes are the ledger's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "ledger/ledger.h"
#include "plan/checker.h"
#include "policy/policy.h"
#include "session/answer.h"
#include "sql/query.h"

namespace discreet::session {

/// "100" or "5%" of a public number: an error to solve epsilon for.
struct WantedError {
  Rational half_width;  ///< in the answer's units, or as a part of `about`
  bool relative = false;
  std::optional<Rational> about;  ///< a number that is public or already released
};

struct Request {
  std::string sql;
  sql::Options options = {};
  std::string analyst = "owner";
  std::string request_id = {};  ///< empty: one is made up
  Confidence confidence = default_confidence();
  std::optional<WantedError> error = {};  ///< in place of options.epsilon
};

/// One measurement of a question, before it is asked.
struct ExplainedStep {
  std::string measurement;  ///< "SUM(cost)"
  std::string noise;
  std::string price;
  std::string error;  ///< of each number or rank, at the request's confidence; "" for keys
};

/// What a question would do; nothing is charged and no data is touched.
struct Explanation {
  std::string units;
  std::string neighbours;
  std::string bounds;  ///< how many groups and rows a unit may contribute, and who said so
  std::string keys;    ///< listed (how many) or found privately
  std::vector<ExplainedStep> steps;
  std::string price;
  std::string total_left;
  std::string analyst_left;
  bool repeat = false;
  bool fits = true;
  std::string sent;  ///< what the engine would be sent
  std::vector<std::string> notes;
};

struct Answered {
  AnswerSheet sheet;
  std::string bytes;  ///< as stored
  bool repeated = false;
};

class Session {
 public:
  /// All three must outlive the session.
  Session(const policy::Policy& policy, ledger::Ledger& ledger, engine::Engine& engine)
      : policy_(policy), ledger_(ledger), engine_(engine) {}

  /// Fails with: what sql::bind, plan::Checker, ledger::Ledger::charge and the engine say.
  Result<Answered> ask(const Request& request, const engine::OwnerLog& log = {});
  Result<Explanation> explain(const Request& request);
  /// The half-width of the first value at each epsilon; for a curve. Nothing is charged.
  Result<std::vector<std::pair<Rational, Rational>>> curve(const Request& request,
                                                           const std::vector<Rational>& epsilons);

 private:
  /// A question that is bound, priced and checked.
  struct Prepared {
    sql::Query query;
    plan::Checked checked;
  };
  Result<Prepared> prepare(const Request& request) const;
  ledger::Question question_of(const Prepared& prepared, const Request& request) const;

  const policy::Policy& policy_;
  ledger::Ledger& ledger_;
  engine::Engine& engine_;
};

}  // namespace discreet::session
