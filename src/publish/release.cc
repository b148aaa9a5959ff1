// SPDX-License-Identifier: Apache-2.0
#include "publish/release.h"

#include <cmath>

#include "base/json.h"
#include "learn/lesson.h"
#include "ledger/seal.h"
#include "mechanism/door.h"
#include "mechanism/verbs.h"
#include "plan/daily.h"

namespace discreet::publish {
namespace {

using mechanism::Door;
using mechanism::Verbs;

/// The door is asked for the interval that is least work: errors are computed for whole tables.
const mechanism::ReleaseOptions& no_interval() {
  static const mechanism::ReleaseOptions options = {.confidence =
                                                        Confidence::trusted(power_of_two(-40))};
  return options;
}

Result<std::vector<std::int64_t>> release_part(const plan::CheckedTabulation& checked,
                                               std::size_t part,
                                               const Sensitive<mechanism::Codes>& codes,
                                               Receipt receipt) {
  return std::visit(
      [&](const auto& noise) -> Result<std::vector<std::int64_t>> {
        DISCREET_ASSIGN(
            auto released,
            Door::release(noise, Verbs::table(codes, checked.tabulation.parts[part].table),
                          std::move(receipt), no_interval()));
        return released.value();
      },
      checked.noises[part]);
}

std::string bytes_of(const ReleaseFacts& facts,
                     const std::vector<std::vector<std::int64_t>>& released) {
  Json out = {{"kind", "publication"},
              {"units", facts.units},
              {"neighbours", facts.neighbours},
              {"snapshot", facts.snapshot},
              {"table", facts.table},
              {"rho", facts.rho},
              {"receipt", facts.receipt},
              {"rows_per_unit", facts.rows_per_unit},
              {"row_is_unit", facts.row_is_unit},
              {"noise", facts.noise}};
  out["released"] = released;
  out.sort_keys();
  return out.dump() + "\n";
}

Result<Publication> parse(const std::string& bytes) {
  const Json in = Json::parse(bytes).value_or(nullptr);
  Publication out;
  ReleaseFacts& facts = out.facts;
  const bool is_sound = in["units"].read(facts.units) && in["neighbours"].read(facts.neighbours) &&
                        in["snapshot"].read(facts.snapshot) && in["table"].read(facts.table) &&
                        in["rho"].read(facts.rho) && in["receipt"].read(facts.receipt) &&
                        in["rows_per_unit"].read(facts.rows_per_unit) &&
                        in["row_is_unit"].read(facts.row_is_unit) &&
                        in["noise"].read(facts.noise) && in["released"].read(out.released);
  if (!is_sound) return Error{Code::kCorrupt, "the stored publication is damaged"};
  out.bytes = bytes;
  return out;
}

}  // namespace

struct Publisher::Prepared {
  Design design;
  plan::CheckedTabulation checked;
  ledger::Question question;
};

Result<Publisher::Prepared> Publisher::prepare(const Request& request) const {
  const Workload& workload = request.workload;
  DISCREET_ASSIGN(const Terms terms, terms_of(workload, policy_));
  DISCREET_ASSIGN(Design design, publish::design(workload, terms));
  plan::Plan rows = learn::rows_plan(policy_, workload.table, workload.columns);
  const policy::Table& table = *policy_.find(workload.table);
  for (std::size_t i = 0; i < workload.columns.size(); ++i) {
    const policy::Column& column = *table.find(workload.columns[i]);
    if (column.type != policy::Type::kDate || !column.values.empty()) continue;
    rows.measurements[i].argument = plan::days_from_start(table, column.name);
  }
  rows.bounds = {
      .groups_per_unit = 1, .rows_per_unit_and_group = terms.rows_per_unit, .declared = true};
  const std::string id =
      request.request_id.empty() ? ledger_.fresh_request_id() : request.request_id;
  DISCREET_ASSIGN(plan::CheckedTabulation checked,
                  plan::Checker::check_tabulation(std::move(rows), design.tabulation, policy_, id));
  // What was foreseen is for the reach that the checker found.
  DISCREET_CHECK(checked.rows.plan().bounds.rows_per_unit_and_group == terms.rows_per_unit);
  const Hash& plan = checked.rows.charge().plan();
  const Hash key = ledger::sha256("publish\n" + std::string(plan.begin(), plan.end()));
  ledger::Question question{.analyst = request.analyst,
                            .key = std::string(key.begin(), key.end()),
                            .snapshot = policy_.snapshot,
                            .takes_over = true};
  return Prepared{std::move(design), std::move(checked), std::move(question)};
}

Result<Foreseen> Publisher::foresee(const Request& request, Sees sees) const {
  DISCREET_ASSIGN(Prepared prepared, prepare(request));
  DISCREET_ASSIGN(ledger::OwnerQuote quote,
                  ledger_.owner_quote(prepared.checked.rows.charge(), prepared.question));
  const ledger::Price& own = quote.analysts.left;
  const ledger::Price& left =
      sees == Sees::kAll && quote.total_left.amount < own.amount ? quote.total_left : own;
  Foreseen out{.design = std::move(prepared.design),
               .price = ledger::to_text(ledger::Notion::kZcdp, quote.analysts.price, Round::kUp),
               .left = ledger::to_text(ledger::Notion::kZcdp, left, Round::kDown),
               .fits = sees == Sees::kAll ? quote.fits : quote.analysts.fits,
               .repeat = quote.analysts.repeat,
               .units = prepared.checked.rows.charge().units().name,
               .quote = std::move(quote.analysts)};
  // Deviations go with 1/sqrt(rho).
  const double rho = left.amount.value().to_double(Round::kDown);
  const double price = out.design.rho.to_double(Round::kUp);
  if (rho > 0) out.width_that_fits = out.design.worst_width * std::sqrt(price / rho);
  return out;
}

Result<Publication> Publisher::publish(const Request& request, const engine::OwnerLog& log) {
  DISCREET_ASSIGN(Prepared prepared, prepare(request));
  const plan::CheckedTabulation& checked = prepared.checked;
  const Charge& charge = checked.rows.charge();
  DISCREET_ASSIGN(const ledger::Quote quote, ledger_.quote(charge, prepared.question));
  if (!quote.repeat && quote.fits) DISCREET_TRY(engine::check_ready(engine_, checked.rows, log));
  DISCREET_ASSIGN(ledger::Outcome outcome, ledger_.charge(charge, prepared.question));
  const auto shown = [&](const ledger::Answer& answer) -> Result<Publication> {
    DISCREET_ASSIGN(Publication out, parse(answer.bytes()));
    out.repeated = answer.repeated();
    out.design = std::move(prepared.design);
    return out;
  };
  if (const auto* const seen = std::get_if<ledger::Answer>(&outcome)) return shown(*seen);
  ledger::Paid& paid = std::get<ledger::Paid>(outcome);
  const engine::TimedLog timed(log);
  Result<Sensitive<mechanism::UnitRows>> rows = engine_.rows(checked, timed.log());
  if (!rows) {
    if (timed.ran_out()) DISCREET_TRY(ledger_.end_charge(paid));
    return paid.failed(rows.error());
  }
  if (paid.is_share()) {
    DISCREET_ASSIGN(const ledger::Answer answer, ledger_.give_share(std::move(paid)));
    return shown(answer);
  }
  ReleaseFacts facts{.units = charge.units().name,
                     .neighbours = to_string(charge.units().neighbours),
                     .snapshot = policy_.snapshot,
                     .table = request.workload.table,
                     .rho = prepared.design.rho.to_string(),
                     .receipt = paid.receipts.front().id(),
                     .rows_per_unit = checked.rows.plan().bounds.rows_per_unit_and_group,
                     .row_is_unit = checked.rows.unit_column().empty(),
                     .noise = {}};
  for (const ChargeLine& line : charge.lines()) facts.noise.push_back(line.noise.text);
  const Sensitive<mechanism::Codes> codes =
      Verbs::codes(*rows, checked.tabulation.axes, checked.tabulation.weights);
  rows = Sensitive(mechanism::UnitRows{});
  DISCREET_ASSIGN(ledger::Drawing drawing, ledger_.begin_drawing(paid));
  std::vector<std::vector<std::int64_t>> released;
  for (std::size_t i = 0; i < checked.noises.size(); ++i) {
    DISCREET_ASSIGN(auto part, release_part(checked, i, codes, std::move(paid.receipts[i])));
    released.push_back(std::move(part));
    if (log.progress) log.progress(static_cast<int>(100 * (i + 1) / checked.noises.size()));
  }
  DISCREET_ASSIGN(const ledger::Answer answer,
                  drawing.store(std::move(paid), bytes_of(facts, released)));
  return shown(answer);
}

}  // namespace discreet::publish
