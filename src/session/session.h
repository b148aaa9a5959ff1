// SPDX-License-Identifier: Apache-2.0
// The life of a question: parse, bind, check, charge, run, noise, arrange, store, answer.
//
//   Session session(policy, *ledger, *engine);
//   DISCREET_ASSIGN(Answered answered, session.ask({.sql = "SELECT COUNT(*) FROM visits",
//                                                   .analyst = "ann"}));
//
// Z1  Everything up to the charge is a function of the question, the policy and the history; what
//     fails, fails there with a text that no data can change.
// Z2  After the charge only the world can fail, and the charge stays: the same question takes it
//     over, at most ledger::kTries times in all, and its answer is one (ledger.md, L11). Once noise
//     is drawn nothing can fail but the one append of the answer.
// Z3  What is returned was stored before: the bytes are the ledger's.
// Z5  A price is a function of the question, the policy and released numbers; that of a pilot,
//     of the question and the policy alone.
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
#include "session/foresight.h"
#include "sql/query.h"

namespace discreet::session {

/// "100", or "5%" of a number: an error to solve epsilon for. It is that of the first value, for
/// each group; a quantile's is one of ranks. Where it takes a number that is not there (what 5% is
/// of; how many rows an average has), a pilot is bought first: the same question at a fixed price,
/// or at that of an earlier answer to it, which is free.
struct WantedError {
  Rational half_width;  ///< in the answer's units, or as a part of `about`
  bool relative = false;
  std::optional<Rational> about = {};  ///< a number that is public or already released
  std::optional<Rational> rows = {};   ///< about how many rows a group has; public too
  Epsilon pilot = Epsilon::trusted(Rational::ratio(1, 20));
};

struct Request {
  std::string sql;
  sql::Options options = {};
  std::string analyst = "owner";
  std::string request_id = {};  ///< empty: one is made up
  Confidence confidence = default_confidence();
  std::optional<WantedError> error = {};  ///< in place of options.epsilon
  /// Records from there on are not looked at for an earlier answer: they are of what was not shown
  /// yet. None: all are.
  std::optional<ledger::Sequence> shown_before = {};
};

/// One measurement of a question, before it is asked.
struct ExplainedStep {
  std::string measurement;  ///< "SUM(cost)"
  std::string noise;
  std::string price;
  std::string error;  ///< of each number or rank, at the request's confidence; "" for keys
};

/// What a question would do; nothing is charged and nobody's rows are read.
struct Explanation {
  std::string units;
  std::string neighbours;
  std::string bounds;  ///< how many groups and rows a unit may contribute, and who said so
  std::string keys;    ///< listed (how many) or found privately
  std::vector<ExplainedStep> steps;
  std::string price;        ///< as people read it
  ledger::Price cost = {};  ///< exactly
  std::string left;         ///< of the analyst's own cap
  bool repeat = false;      ///< the analyst has its answer
  bool retry = false;       ///< it was charged and has no answer yet: asking again charges nothing
  bool is_open = true;      ///< false: what is not bought yet is not sold any more
  bool fits = true;
  std::string sent;  ///< what the engine would be sent
  std::vector<std::string> notes;
};

/// The same for the owner, who may see what all analysts have left together.
struct OwnerExplanation {
  Explanation analysts;  ///< as the analyst is shown it
  std::string total_left;
  bool fits = true;                ///< in the total, too
  std::vector<std::string> notes;  ///< what all have left of the larger units that pay as well
};

struct Answered {
  AnswerSheet sheet;
  std::string bytes;  ///< as stored
  bool repeated = false;
  // What is this asker's own, and not stored with the answer:
  std::string question = {};
  std::string analyst = {};
  ledger::Sequence charge = 0;          ///< of what was paid for it; the owner's to see
  std::uint64_t receipt = 0;            ///< the same for analysts (ledger::receipt_number)
  std::vector<std::string> notes = {};  ///< how epsilon was solved for
  std::vector<std::string> made = {};   ///< how the answer is made: bounds, groups, ranges
};

/// One point of a curve.
struct CurvePoint {
  Rational epsilon;
  double half_width;
};

class Session {
 public:
  /// All three must outlive the session.
  Session(const policy::Policy& policy, ledger::Ledger& ledger, engine::Engine& engine)
      : policy_(policy), ledger_(ledger), engine_(engine) {}

  /// Fails with: what sql::bind, plan::Checker, ledger::Ledger::charge and the engine say. With an
  /// error to solve for, also after a pilot was bought, if that is too noisy to go on.
  Result<Answered> ask(const Request& request, const engine::OwnerLog& log = {});
  /// If the question needs a pilot, explains the pilot. A function of the question, the policy and
  /// this analyst's own records (ledger::Quote).
  Result<Explanation> explain(const Request& request);  // explain.cc
  Result<OwnerExplanation> explain_to_owner(const Request& request);
  /// Half of the width of the first value's interval at each epsilon. Nothing is charged. The error
  /// of an average needs `rows`, about how many rows there are.
  /// Fails with: kInvalidInput when it does and there are none.
  Result<std::vector<CurvePoint>> curve(const Request& request,
                                        const std::vector<Rational>& epsilons,
                                        const std::optional<Rational>& rows = {});  // explain.cc

 private:
  /// A question that is bound, priced and checked.
  struct Prepared {
    sql::Query query;
    plan::Checked checked;
  };
  /// A request with an epsilon, and how that was found.
  struct Settled {
    Request request;
    std::vector<std::string> notes;
    bool is_pilot = false;  ///< of explain: what would be asked first
  };
  Result<Prepared> prepare(const Request& request) const;
  /// The engine's facts about public tables.
  plan::Multiplicity facts() const;
  ledger::Question question_of(const Prepared& prepared, const Request& request) const;
  Result<Answered> ask_settled(const Request& request, const engine::OwnerLog& log);

  // wanted_error.cc
  /// `may_buy`: whether a pilot may be bought; if not, the pilot is what comes back.
  Result<Settled> settle(const Request& request, const engine::OwnerLog& log, bool may_buy);
  Result<std::optional<Epsilon>> earlier_epsilon(sql::Query query, const Request& request);

  const policy::Policy& policy_;
  ledger::Ledger& ledger_;
  engine::Engine& engine_;
};

/// "at most 2 groups a unit and 3 rows in each", and who said so.
std::string bounds_text(const plan::Checked& checked);  // explain.cc

}  // namespace discreet::session
