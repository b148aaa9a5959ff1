// SPDX-License-Identifier: Apache-2.0
#include "cli/asking.h"

#include <utility>

#include "engine/duckdb/duckdb_engine.h"
#include "policy/value.h"

namespace discreet::cli {

void WorldArguments::add_to(CLI::App& app) {
  add_text(app, "--policy", policy, "what the owner declared (./policy.yaml)", "FILE");
  add_text(app, "--analyst", analyst, "whose cap pays (owner)", "NAME");
  where.add_to(app);
}

namespace {

constexpr std::size_t kListedMax = 100'000;

/// Reads the keys that a public table lists.
Result<void> list_values(policy::Policy& policy, engine::duckdb::DuckDbEngine& engine,
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

Result<std::unique_ptr<Asking>> Asking::open(const WorldArguments& arguments, ledger::Access access,
                                             const Say& say) {
  auto asking = std::make_unique<Asking>();
  DISCREET_ASSIGN(asking->policy_, policy::load_policy(arguments.policy_path()));
  Result<std::unique_ptr<ledger::Ledger>> ledger = arguments.where.open(access);
  if (!ledger && ledger.error().code == Code::kNotFound) {
    return Error{Code::kNotFound, "there is no ledger " + in_quotes(arguments.where.path()) +
                                      "; make it with discreet ledger init --policy " +
                                      arguments.policy_path() + ", or name it with --ledger"};
  }
  if (!ledger) return ledger.error();
  asking->ledger_ = std::move(*ledger);
  const engine::OwnerLog log{.say = say, .progress = {}};
  DISCREET_ASSIGN(auto engine, engine::duckdb::DuckDbEngine::open(asking->policy_, log));
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
  add_text(app, "--error", error, "in place of --epsilon: 100, or 5% of --about", "ERROR");
  add_text(app, "--about", about, "a public or released number that --error is relative to");
  add_text(app, "--confidence", confidence, "of the intervals (0.95)");
  add_text(app, "--max-groups", groups, "groups that one unit may contribute to");
  add_text(app, "--max-rows", rows, "rows that one unit may contribute to a group");
  add_text(app, "--request-id", request_id, "retrying with it gives the same answer, free", "ID");
}

namespace {

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
    DISCREET_ASSIGN(request.error, wanted_error(*error, about));
  } else if (about) {
    return invalid_input("--about belongs to --error");
  }
  return request;
}

}  // namespace discreet::cli
