// SPDX-License-Identifier: Apache-2.0
#include "cli/asking.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/files.h"
#include "cli/output_file.h"
#include "cli/policy_ledger.h"
#include "engine/open.h"
#include "policy/value.h"

namespace discreet::cli {

void WorldArguments::add_to(CLI::App& app) {
  where.add_to(app);
  add_text(app, "--analyst", analyst, "whose cap pays (owner)", "NAME");
}

namespace {

constexpr std::size_t kListedMax = 100'000;

std::string words_of_charges(const Result<std::string>& charges) {
  if (!charges) return "discreet ledger history shows what was charged";
  return charges->empty() ? "nothing was charged" : "charged: " + *charges;
}

/// Whether a question asks under `id`: itself, or with a word of its own behind it.
bool is_made_of(const std::string& id, const std::string& given) {
  if (given.empty() || !id.starts_with(given)) return false;
  return id.size() == given.size() || id.substr(given.size()) == " (pilot)";
}

/// Reads the keys that a public table lists.
Result<void> list_values(policy::Policy& policy, engine::Engine& engine,
                         const engine::OwnerLog& log) {
  for (auto& [name, table] : policy.tables) {
    for (policy::Column& column : table.columns) {
      const std::size_t dot = column.values_from.find('.');
      if (dot == std::string::npos) continue;
      DISCREET_ASSIGN(const std::vector<std::string> texts,
                      engine.public_values(policy, column.values_from.substr(0, dot),
                                           column.values_from.substr(dot + 1), kListedMax, log));
      for (const std::string& text : texts) {
        DISCREET_ASSIGN(policy::Value value, policy::parse_value(column.type, text));
        column.values.push_back(std::move(value));
      }
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<ledger::Ledger>> open_ledger(const LedgerArguments& where,
                                                    const policy::Policy& policy,
                                                    ledger::Access access) {
  DISCREET_TRY(check_is_not_elsewhere(where, policy));
  Result<std::unique_ptr<ledger::Ledger>> ledger = where.open(access);
  if (ledger || ledger.error().code != Code::kNotFound) return ledger;
  const std::string none = "there is no ledger " + path_in_quotes(where.path());
  if (!policy.ledger.empty()) {
    return Error{Code::kNotFound,
                 none + "; the policy belongs to ledger " + in_quotes(policy.ledger) +
                     ": say where it is with --ledger, or restore its newest copy"};
  }
  return Error{Code::kNotFound, none + "; make it with discreet ledger init" + places_of(where) +
                                    ", or name it with --ledger"};
}

Result<std::unique_ptr<Asking>> Asking::open(const WorldArguments& arguments, ledger::Access access,
                                             const Say& say) {
  DISCREET_ASSIGN(policy::Policy policy, policy::load_policy(arguments.policy_path()));
  DISCREET_ASSIGN(auto ledger, open_ledger(arguments.where, policy, access));
  DISCREET_ASSIGN(auto asking, over(std::move(policy), std::move(ledger), say));
  if (access == ledger::Access::kUse) DISCREET_TRY(asking->bind(arguments.where));
  return asking;
}

Result<void> Asking::bind(const LedgerArguments& where) {
  if (!policy_.ledger.empty()) return {};
  DISCREET_TRY(check_is_alone(where, ledger_->id()));
  DISCREET_TRY(bind_ledger(where.policy_path(), ledger_->id(), where.ledger.has_value()));
  policy_.ledger = ledger_->id();
  return {};
}

Result<session::Answered> Asking::ask(const session::Request& request,
                                      const engine::OwnerLog& log) {
  return stoppable<session::Answered>({request.analyst, request.request_id},
                                      [&] { return session_->ask(request, log); });
}

Result<std::string> Asking::charged() {
  using ledger::Kind;
  // Ids that were not given begin alike, with what was drawn when the ledger was opened.
  const std::string fresh = ledger_->fresh_request_id();
  const std::string drawn = fresh.substr(0, fresh.rfind('-') + 1);
  std::string charged;
  const Result<void> read = ledger_->history([&](const ledger::Record& record) -> Result<void> {
    const bool pays = record.kind == Kind::kCharge || record.kind == Kind::kShare ||
                      record.kind == Kind::kAlsoCharge || record.kind == Kind::kAlsoShare;
    const bool is_ours =
        record.request_id.starts_with(drawn) ||
        (record.analyst == asker_.analyst && is_made_of(record.request_id, asker_.request_id));
    const auto space = before_.namespaces().find(record.units);
    if (record.sequence < before_.next() || !pays || !is_ours) return {};
    if (record.price == ledger::Price{} || space == before_.namespaces().end()) return {};
    charged += (charged.empty() ? "" : ", ") +
               to_text(space->second.terms.notion, record.price, Round::kUp) + " to " +
               record.analyst + " of " + record.units + " (record " +
               std::to_string(record.sequence) + ")";
    return {};
  });
  if (!read) return read.error();
  return charged;
}

Error Asking::stopped() {
  const Result<std::string> charges = charged();
  const bool is_charged = charges && !charges->empty();
  return {Code::kInterrupted, "stopped before the end; " + words_of_charges(charges) +
                                  (is_charged ? "; what was charged stays charged" : "")};
}

std::string Asking::last_words() {
  return "stopped before the answer was written; " + words_of_charges(charged()) +
         "; the answer is stored in the ledger: run the same command again, it is free";
}

Result<void> Asking::hand_over(const Streams& streams, const std::function<Result<void>()>& write) {
  const EndOnSignal end(streams.err, [this] { return last_words(); });
  return bought(write());
}

Result<std::unique_ptr<Asking>> Asking::over(policy::Policy policy,
                                             std::unique_ptr<ledger::Ledger> ledger,
                                             const Say& say) {
  auto asking = std::make_unique<Asking>();
  asking->policy_ = std::move(policy);
  asking->ledger_ = std::move(ledger);
  DISCREET_TRY(check_terms(asking->policy_, *asking->ledger_));
  const engine::OwnerLog log{.say = say, .progress = {}};
  DISCREET_ASSIGN(auto engine, engine::open_engine(asking->policy_, log));
  DISCREET_TRY(list_values(asking->policy_, *engine, log));
  asking->engine_ = std::move(engine);
  asking->session_ =
      std::make_unique<session::Session>(asking->policy_, *asking->ledger_, *asking->engine_);
  return asking;
}

Asking::Say engine_says(const Streams& streams) {
  return [err = streams.err](const std::string& words) { say(err, "engine: " + words + "\n"); };
}

void QuestionOptions::add_to(CLI::App& app) {
  add_text(app, "--epsilon", epsilon, "what the answer may cost, such as 0.5");
  add_text(app, "--delta", delta, "for keys that must be found, such as 1e-8");
  add_text(app, "--error", error, "in place of --epsilon, for the first value: 100, or 5%",
           "ERROR");
  add_text(app, "--about", about, "a public or released number that --error 5% is relative to");
  add_text(app, "--rows", expected_rows,
           "about how many rows a group has: for --error of averages");
  add_text(app, "--pilot", pilot, "what --error may spend first to learn these two (0.05)");
  add_text(app, "--weights", weights,
           "shares of epsilon by column: n=3,mean_cost=1 (1 where none is given)", "LIST");
  add_text(app, "--confidence", confidence, "of the intervals (0.95)");
  add_text(app, "--max-groups", groups, "groups that one unit may contribute to");
  add_text(app, "--max-rows", rows, "rows that one unit may contribute to a group");
  add_text(app, "--request-id", request_id, "retrying with it gives the same answer, free", "ID");
}

namespace {

/// "n=3,mean_cost=1"
Result<std::map<std::string, Rational>> parse_weights(const std::string& text) {
  std::map<std::string, Rational> weights;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string one = text.substr(at, end - at);
    const std::size_t sign = one.rfind('=');
    if (sign == std::string::npos || sign == 0) {
      return invalid_input("weights must be written like n=3,mean_cost=1; got " + in_quotes(one));
    }
    DISCREET_ASSIGN(const Rational weight, parse_number("weight", one.substr(sign + 1)));
    if (!weights.emplace(one.substr(0, sign), weight).second) {
      return invalid_input("weights name " + in_quotes(one.substr(0, sign)) + " twice");
    }
    at = end + 1;
  }
  return weights;
}

Result<session::WantedError> wanted_error(const std::string& text, const Text& about) {
  session::WantedError wanted;
  const bool percent = text.ends_with("%");
  DISCREET_ASSIGN(wanted.half_width,
                  parse_number("error", percent ? text.substr(0, text.size() - 1) : text));
  if (wanted.half_width.sign() <= 0) {
    return invalid_input("error must be above 0, such as 100 or 5%; got " + in_quotes(text));
  }
  wanted.relative = percent;
  if (percent) wanted.half_width = wanted.half_width / 100;
  if (about) {
    if (!percent) return invalid_input("--about belongs to an --error in percent");
    DISCREET_ASSIGN(wanted.about, parse_number("about", *about));
  }
  return wanted;
}

constexpr std::uint64_t kBoundMax = 1'000'000;

}  // namespace

Result<session::Request> QuestionOptions::request(const std::string& sql,
                                                  const Text& analyst) const {
  session::Request request{.sql = sql};
  request.analyst = analyst.value_or("owner");
  request.request_id = request_id.value_or("");
  DISCREET_ASSIGN(request.confidence, confidence_of(confidence));
  if (epsilon) {
    DISCREET_ASSIGN(request.options.epsilon, Epsilon::parse(*epsilon));
  }
  if (delta) {
    DISCREET_ASSIGN(request.options.delta, Delta::parse(*delta));
  }
  if (groups) {
    DISCREET_ASSIGN(const std::uint64_t most, parse_count("max-groups", *groups, kBoundMax));
    request.options.groups_per_unit = static_cast<std::int64_t>(most);
  }
  if (rows) {
    DISCREET_ASSIGN(const std::uint64_t most, parse_count("max-rows", *rows, kBoundMax));
    request.options.rows_per_unit_and_group = static_cast<std::int64_t>(most);
  }
  if (error) {
    DISCREET_ASSIGN(session::WantedError wanted, wanted_error(*error, about));
    DISCREET_ASSIGN(wanted.rows, rows_number());
    if (pilot) {
      DISCREET_ASSIGN(wanted.pilot, Epsilon::parse(*pilot));
    }
    request.error = std::move(wanted);
  } else if (about || pilot) {
    return invalid_input("--about and --pilot belong to --error");
  }
  if (weights) {
    DISCREET_ASSIGN(request.options.weights, parse_weights(*weights));
  }
  return request;
}

Result<std::optional<Rational>> QuestionOptions::rows_number() const {
  if (!expected_rows) return std::optional<Rational>();
  DISCREET_ASSIGN(Rational number, parse_number("rows", *expected_rows));
  if (number < Rational(1)) return invalid_input("rows must be at least 1");
  return std::optional<Rational>(std::move(number));
}

}  // namespace discreet::cli
