// SPDX-License-Identifier: Apache-2.0
// discreet policy buy: where a column's values lie, or which keys it has, for a price; and what
// policy init buys.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/plot_file.h"
#include "cli/policy.h"
#include "cli/world_files.h"
#include "policy/edit.h"
#include "policy/write.h"
#include "report/progress.h"
#include "report/table.h"
#include "session/bounds.h"

namespace discreet::cli {
namespace {

using report::Cell;

constexpr const char* kPolicyBuyExample = "discreet policy buy visits.cost --epsilon 0.2 --write";

struct BuyArguments {
  Text place, epsilon, delta, step;
  bool write = false;
  WorldArguments world;
  FormatArguments format;
};

Result<session::Purchase> purchase_of(const BuyArguments& arguments, const std::string& text) {
  if (!arguments.place) return missing("TABLE.COLUMN", kPolicyBuyExample);
  const auto place = policy::split_at_dot(*arguments.place);
  if (!place) {
    return invalid_input("name a table and a column, such as visits.cost; got " +
                         in_quotes(*arguments.place));
  }
  DISCREET_ASSIGN(const Epsilon epsilon,
                  required<Epsilon>(arguments.epsilon, "--epsilon", kPolicyBuyExample));
  session::Purchase purchase{.table = place->first, .column = place->second, .epsilon = epsilon};
  if (arguments.delta) {
    DISCREET_ASSIGN(purchase.delta, Delta::parse(*arguments.delta));
  }
  if (arguments.step) {
    DISCREET_ASSIGN(const Rational step, parse_number("step", *arguments.step));
    if (step.sign() <= 0) return invalid_input("step must be above 0");
    purchase.step = step;
  } else {
    purchase.step = policy::declared_step(text, {purchase.table, purchase.column});
  }
  purchase.analyst = arguments.world.analyst.value_or("owner");
  return purchase;
}

Result<session::Bought> bought_of(Asking& asking, const session::Purchase& purchase,
                                  const Streams& streams) {
  report::Progress progress(streams.err, "reading the data");
  const engine::OwnerLog log{.say = engine_says(streams), .progress = [&](int percent) {
                               progress.show(static_cast<std::uint64_t>(percent), 100);
                             }};
  return asking.stoppable<session::Bought>({purchase.analyst, ""}, [&] {
    return session::buy(asking.session(), asking.policy(), purchase, asking.ledger().id(), log);
  });
}

/// The column as it was declared, with what was bought.
policy::Column with_domain(policy::Column column, const session::Bought& bought) {
  column.grid = bought.grid;
  column.values = bought.values;
  column.values_from.clear();
  column.bought = bought.origin;
  return column;
}

/// The file itself, where the policy is a link to it: the link stays.
std::string real_file(const std::string& file) {
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::canonical(file, failed);
  return failed ? file : real.string();
}

/// Where a policy is written before it takes the other's place.
std::string fresh_file(const std::string& file) { return real_file(file) + ".new"; }

Result<void> replace_file(const std::string& file, const std::string& text) {
  const std::string fresh = fresh_file(file);
  DISCREET_TRY(write_file(fresh, text));
  std::error_code failed;
  const auto mode = std::filesystem::status(file, failed).permissions();
  if (!failed) std::filesystem::permissions(fresh, mode, failed);
  std::filesystem::rename(fresh, real_file(file), failed);
  if (failed) return Error{Code::kStorage, "the policy could not be replaced; it is in " + fresh};
  return {};
}

/// That the policy can be replaced, and the column's line in it be found.
Result<void> check_can_write(const std::string& file, const std::string& text,
                             const session::Purchase& purchase) {
  DISCREET_TRY(check_place("--write", fresh_file(file)));
  const Result<void> found = policy::check_column_lines(text, {purchase.table, purchase.column});
  if (found) return {};
  return Error{found.error().code, found.error().message + "; nothing was charged"};
}

Result<int> run_buy(const BuyArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  const std::string file = arguments.world.policy_path();
  DISCREET_ASSIGN(std::string text, policy::read_policy_file(file));
  DISCREET_ASSIGN(const session::Purchase purchase, purchase_of(arguments, text));
  DISCREET_ASSIGN(const policy::Policy declared,
                  policy::load_policy(file, policy::Open::kUndeclared));
  DISCREET_ASSIGN(policy::Policy bare, session::policy_for_purchase(declared, purchase));
  if (arguments.write) DISCREET_TRY(check_can_write(file, text, purchase));
  DISCREET_ASSIGN(auto ledger, open_ledger(arguments.world.where, declared, ledger::Access::kUse));
  DISCREET_ASSIGN(const auto asking,
                  Asking::over(std::move(bare), std::move(ledger), engine_says(streams)));
  if (arguments.write) {
    DISCREET_TRY(check_outputs({{"--write", fresh_file(file), "rename that file"}},
                               files_of_world(arguments.world, *asking)));
  }
  DISCREET_TRY(asking->bind(arguments.world.where));
  DISCREET_ASSIGN(text, policy::read_policy_file(file));  // it may name its ledger by now
  DISCREET_ASSIGN(const session::Bought bought, bought_of(*asking, purchase, streams));

  const policy::Column column =
      with_domain(*declared.find(purchase.table)->find(purchase.column), bought);
  const std::string line = policy::column_text(column);
  Result<std::string> changed = policy::with_column(text, purchase.table, column);
  std::string place = "put this line into the policy, or buy again with --write: it is free now";
  if (arguments.write) {
    // The purchase stands in the ledger whatever comes of the file.
    if (!changed) return changed.error();
    DISCREET_TRY(replace_file(file, *changed));
    place = "written to " + file;
  }
  (void)changed.has_value();
  report::Sheet sheet;
  const auto both = [&](const std::string& name, const std::string& words) {
    sheet.line(name, words).field(name, Cell::words(words));
  };
  both("column", purchase.table + "." + purchase.column);
  both("declared", line);
  both("price", bought.repeated ? "nothing new: it was bought before"
                                : bought.origin.substr(0, bought.origin.find(';')) + ", paid by " +
                                      purchase.analyst);
  both("origin", bought.origin);
  both("policy", place);
  DISCREET_TRY(write_all(streams.out, sheet.render(format)));
  return 0;
}

/// The ledger's namespace as a policy declares it. Its blocks and analysts stay the ledger's.
policy::Units units_of(const ledger::NamespaceTerms& terms) {
  policy::Units units;
  units.name = terms.name;
  units.neighbours = terms.neighbours;
  units.budget.epsilon = terms.cap.amount.value();
  units.budget.delta = terms.cap.delta.value();
  if (terms.notion == ledger::Notion::kPure) units.notion = policy::Notion::kPure;
  if (terms.notion == ledger::Notion::kZcdp) {
    units.notion = policy::Notion::kZcdp;
    units.budget.is_rho = true;
    units.budget.delta = units.budget.delta + terms.conversion_delta.value();
  }
  return units;
}

/// What can be bought of a file: by name, with the step that its schema declares.
struct Buyable {
  std::vector<session::Purchase> purchases;
  policy::Table table;
};

Result<Buyable> buyable_of(const DraftPurchase& asked, const policy::SchemaTable& schema,
                           const std::string& space) {
  DISCREET_ASSIGN(const Epsilon epsilon,
                  required<Epsilon>(asked.epsilon, "--epsilon",
                                    "discreet policy init visits.parquet --unit patient_id "
                                    "--snapshot 2026-11 --epsilon 0.4"));
  Buyable out;
  out.table.name = schema.name;
  out.table.source = schema.source;
  out.table.unit = policy::UnitPath{.space = space, .steps = {}, .column = *asked.unit};
  std::int64_t texts = 0;
  for (const policy::SchemaColumn& column : schema.columns) {
    const auto drafted = policy::drafted(column);
    if (!drafted || drafted->points_at_one || column.name == *asked.unit) continue;
    policy::Column declared;
    declared.name = column.name;
    declared.type = drafted->type;
    out.table.columns.push_back(declared);
    const bool text = drafted->type == policy::Type::kText;
    if (drafted->type == policy::Type::kBoolean || (text && !asked.delta)) continue;
    texts += text ? 1 : 0;
    out.purchases.push_back({.table = schema.name,
                             .column = column.name,
                             .epsilon = epsilon,
                             .delta = {},
                             .step = drafted->step,
                             .analyst = asked.world.analyst.value_or("owner")});
  }
  if (out.purchases.empty()) {
    return invalid_input("there is nothing to buy: no column of " + in_quotes(schema.source) +
                         " has a type with a range (a CSV declares none); with --delta the keys of "
                         "texts can be bought");
  }
  const auto parts = static_cast<std::int64_t>(out.purchases.size());
  for (session::Purchase& purchase : out.purchases) {
    purchase.epsilon = Epsilon::trusted(epsilon.value() / Rational(parts));
    if (!asked.delta) continue;
    DISCREET_ASSIGN(const Delta delta, Delta::parse(*asked.delta));
    purchase.delta = Delta::trusted(delta.value() / Rational(std::max<std::int64_t>(1, texts)));
  }
  return out;
}

}  // namespace

Result<policy::DraftFacts> buy_draft(const DraftPurchase& asked, const policy::SchemaTable& schema,
                                     const Streams& streams) {
  const char* const example =
      "discreet policy init visits.parquet --unit patient_id --snapshot 2026-11 --epsilon 0.4";
  if (!asked.unit) return missing("--unit", example);
  if (!asked.snapshot) return missing("--snapshot", example);
  DISCREET_ASSIGN(auto ledger,
                  open_ledger(asked.world.where, policy::Policy(), ledger::Access::kUse));
  DISCREET_ASSIGN(const ledger::State state, ledger->state());
  DISCREET_ASSIGN(const std::string space, namespace_of(state, asked.units));
  DISCREET_ASSIGN(const Buyable buyable, buyable_of(asked, schema, space));
  policy::DraftFacts facts{.snapshot = *asked.snapshot,
                           .ledger = ledger->id(),
                           .units = units_of(state.namespaces().at(space).terms),
                           .unit = *asked.unit,
                           .bought = {}};
  policy::Policy policy;
  policy.snapshot = facts.snapshot;
  policy.directory = ".";
  policy.units[space] = *facts.units;
  policy.tables[schema.name] = buyable.table;
  DISCREET_ASSIGN(const auto asking,
                  Asking::over(std::move(policy), std::move(ledger), engine_says(streams)));
  for (const session::Purchase& purchase : buyable.purchases) {
    Result<session::Bought> bought = bought_of(*asking, purchase, streams);
    if (!bought && bought.error().code != Code::kInvalidInput) return bought.error();
    if (!bought) {
      say(streams.err, "note: " + bought.error().message + "\n");
      continue;
    }
    facts.bought[purchase.column] =
        with_domain(*asking->policy().find(schema.name)->find(purchase.column), *bought);
  }
  return facts;
}

void add_policy_buy(Program& program, CLI::App& policy) {
  const auto arguments = std::make_shared<BuyArguments>();
  CLI::App& app = program.command(
      policy, "buy",
      {.summary = "a column's range or keys, found privately and charged",
       .explanation =
           "Where nobody knows what values a column can have, noisy counts tell: of numbers in "
           "bins\n"
           "that grow (1, 2, 5, 10, ...) and then in about 50 even ones; of dates by year; of "
           "texts\n"
           "the keys that enough units share (--delta). The result is a property of the column in "
           "the\n"
           "policy, with where it comes from; further questions use it for nothing. Values beyond\n"
           "a bought range are clamped to it. A \"?\" in a range that a draft left may stay there "
           "until\nit is bought.\n",
       .closing = std::string("Costs what --epsilon (and --delta) say; the same purchase again is "
                              "free.\n\nExample:\n  ") +
                  kPolicyBuyExample},
      [arguments](const Streams& streams) { return run_buy(*arguments, streams); });
  add_text(app, "TABLE.COLUMN", arguments->place, "which column", "");
  add_text(app, "--epsilon", arguments->epsilon, "what it may cost, such as 0.2");
  add_text(app, "--delta", arguments->delta, "for the keys of a text, such as 1e-8");
  add_text(app, "--step", arguments->step,
           "of decimals: how fine (the declared one, or a millionth of the range)");
  add_flag(app, "--write", arguments->write, "put it into the policy's file");
  arguments->world.add_to(app);
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
