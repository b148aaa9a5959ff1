// SPDX-License-Identifier: Apache-2.0
// discreet ledger init, namespace: a new ledger, a new namespace of units.
#include "cli/ledger_init.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "cli/policy_ledger.h"
#include "ledger/store_place.h"
#include "policy/policy.h"
#include "report/table.h"
#include "session/ledger_terms.h"

namespace discreet::cli {
namespace {

using report::Cell;

constexpr const char* kLedgerInitExample =
    "discreet ledger init --namespace patients --epsilon 10 --analyst ann:2";

struct NamespaceArguments {
  Text name, notion, neighbours, conversion_delta, block;
  std::vector<std::string> analysts, block_values;
  CapArguments cap;

  bool is_given() const {
    return name || notion || neighbours || conversion_delta || block || !analysts.empty() ||
           !block_values.empty() || cap.epsilon || cap.delta || cap.rho;
  }
};

struct LedgerInitArguments {
  LedgerArguments where;
  NamespaceArguments units;
  Text witness_every, witness_ms;
  FormatArguments format;
};

Result<Neighbours> neighbours_of(const Text& text) {
  const std::string word = text.value_or("add-remove");
  if (word == "add-remove") return Neighbours::kAddRemove;
  if (word == "replace-one") return Neighbours::kReplaceOne;
  return invalid_input("neighbours must be add-remove or replace-one; got " + in_quotes(word));
}

Result<Rational> number_or(const std::string& name, const Text& text, const Rational& otherwise) {
  if (!text) return otherwise;
  return parse_number(name, *text);
}

/// What the caps of a namespace are measured in.
struct CapRule {
  ledger::Notion notion;
  bool is_rho;
  Rational delta;
  Rational conversion_delta;

  Result<accounting::Price> cap(const Rational& amount) const {
    return session::cap_of(notion, amount, is_rho, delta, conversion_delta);
  }
};

/// Half of delta pays for mechanisms that need one; in zCDP the other half is for turning rho into
/// epsilon.
Result<CapRule> rule_of(const NamespaceArguments& arguments) {
  DISCREET_ASSIGN(const ledger::Notion notion,
                  ledger::parse_notion(arguments.notion.value_or("epsilon")));
  DISCREET_ASSIGN(Rational delta, number_or("delta", arguments.cap.delta, 0));
  if (delta.sign() < 0 || delta >= Rational(1)) {
    return invalid_input("delta must be at least 0 and below 1; got " +
                         in_quotes(arguments.cap.delta.value_or("")));
  }
  Rational conversion = 0;
  if (notion == ledger::Notion::kZcdp) {
    DISCREET_ASSIGN(conversion,
                    number_or("conversion-delta", arguments.conversion_delta, delta / 2));
    if (!arguments.conversion_delta) delta = delta / 2;
  } else if (arguments.conversion_delta) {
    return invalid_input("--conversion-delta is for --notion zcdp");
  }
  return CapRule{notion, arguments.cap.rho.has_value(), std::move(delta), std::move(conversion)};
}

/// "ann:2" or "ann:2:1e-7"; a name may have colons, so it is read from the right.
Result<ledger::AnalystTerms> analyst_of(const std::string& text, const CapRule& rule) {
  std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) {
    return invalid_input("analyst must be NAME:CAP, such as ann:2; got " + in_quotes(text));
  }
  CapRule own = rule;
  std::string amount_text = text.substr(colon + 1);
  const std::size_t before = text.rfind(':', colon - 1);
  if (before != std::string::npos && before != 0) {
    const std::string middle = text.substr(before + 1, colon - before - 1);
    if (parse_number("cap", middle)) {
      DISCREET_ASSIGN(own.delta, parse_number("delta", amount_text));
      amount_text = middle;
      colon = before;
    }
  }
  DISCREET_ASSIGN(const Rational amount, parse_number("cap", amount_text));
  DISCREET_ASSIGN(const accounting::Price cap, own.cap(amount));
  return ledger::AnalystTerms{text.substr(0, colon), cap};
}

Result<ledger::NamespaceTerms> terms_of(const NamespaceArguments& arguments) {
  if (!arguments.name) return missing("--namespace", kLedgerInitExample);
  if (arguments.cap.epsilon.has_value() == arguments.cap.rho.has_value()) {
    return arguments.cap.epsilon ? invalid_input("give --epsilon or --rho, not both")
                                 : missing("--epsilon", kLedgerInitExample);
  }
  DISCREET_ASSIGN(const CapRule rule, rule_of(arguments));
  DISCREET_ASSIGN(const Rational amount,
                  parse_number(rule.is_rho ? "rho" : "epsilon",
                               rule.is_rho ? *arguments.cap.rho : *arguments.cap.epsilon));
  ledger::NamespaceTerms terms;
  terms.name = *arguments.name;
  terms.notion = rule.notion;
  DISCREET_ASSIGN(terms.neighbours, neighbours_of(arguments.neighbours));
  DISCREET_ASSIGN(terms.cap, rule.cap(amount));
  DISCREET_ASSIGN(terms.conversion_delta, accounting::Amount::up(rule.conversion_delta));
  terms.block_attribute = arguments.block.value_or("");
  terms.blocks = arguments.block_values;
  for (const std::string& analyst : arguments.analysts) {
    DISCREET_ASSIGN(ledger::AnalystTerms one, analyst_of(analyst, rule));
    terms.analysts.push_back(std::move(one));
  }
  // Somebody must be able to ask; the owner may spend all there is.
  if (terms.analysts.empty()) terms.analysts.push_back({"owner", terms.cap});
  return terms;
}

/// --policy, or ./policy.yaml where no option describes a namespace; none: the options do.
Result<std::optional<policy::Policy>> policy_of(const LedgerInitArguments& arguments) {
  if (arguments.where.policy && arguments.units.is_given()) {
    return invalid_input(
        "the policy says which namespaces there are and what their caps are; leave out --policy, "
        "or --namespace, --epsilon and the other options that say it");
  }
  std::error_code ignored;
  const bool is_there = std::filesystem::exists(arguments.where.policy_path(), ignored);
  if (!arguments.where.policy && arguments.units.is_given()) {
    return std::optional<policy::Policy>();
  }
  if (!arguments.where.policy && !is_there) {
    return invalid_input(
        "there is no policy.yaml in the current folder; name a policy with --policy FILE, or "
        "describe a namespace with --namespace; for example: " +
        std::string(kLedgerInitExample));
  }
  DISCREET_ASSIGN(policy::Policy policy, policy::load_policy(arguments.where.policy_path()));
  DISCREET_TRY(check_has_no_ledger(policy));
  DISCREET_TRY(check_is_not_elsewhere(arguments.where, policy));
  return std::optional<policy::Policy>(std::move(policy));
}

/// The namespaces of the policy, or the one of the options.
Result<std::vector<ledger::NamespaceTerms>> all_terms(const LedgerInitArguments& arguments,
                                                      const std::optional<policy::Policy>& policy) {
  std::vector<ledger::NamespaceTerms> all;
  if (!policy) {
    DISCREET_ASSIGN(ledger::NamespaceTerms terms, terms_of(arguments.units));
    all.push_back(std::move(terms));
    return all;
  }
  for (const auto& [name, units] : policy->units) {
    DISCREET_ASSIGN(ledger::NamespaceTerms terms, session::terms_of(units));
    terms.gamma = policy->santha_vazirani.value_or(0);
    all.push_back(std::move(terms));
  }
  return all;
}

/// How a ledger is removed that is not one yet.
std::string remove_command(const std::string& place) {
  std::string out = "rm -f";
  for (const char* const suffix : {"", "-wal", "-shm", "-journal"}) {
    out += " " + session::shell_word(place + suffix);
  }
  return out;
}

/// Of a ledger that exists already: whether its making was cut short before anybody could be charged.
/// Fails with what is wrong with it, if it cannot be read.
Result<bool> is_cut_short(const ledger::Created& created) {
  const auto found = ledger::Ledger::open({.path = created.path,
                                           .key = created.key,
                                           .witness = created.witness,
                                           .access = ledger::Access::kLook});
  if (!found) return found.error();
  DISCREET_ASSIGN(const ledger::State state, (*found)->state());
  return state.namespaces().empty();
}

/// A file that exists beside the policy may be its ledger, that of another policy there, or the
/// beginning of one.
Result<std::unique_ptr<ledger::Ledger>> create(const LedgerInitArguments& arguments,
                                               const ledger::Created& created) {
  Result<std::unique_ptr<ledger::Ledger>> made = ledger::Ledger::create(created);
  if (made || made.error().code != Code::kConflict) return made;
  const bool is_file = !ledger::is_postgres(created.path);
  const Result<bool> cut_short = is_file ? is_cut_short(created) : Result<bool>(false);
  if (!cut_short) {
    return Error{Code::kConflict,
                 made.error().message + ", and cannot be read: " + cut_short.error().message};
  }
  if (*cut_short) {
    return Error{Code::kConflict,
                 made.error().message +
                     ". It has no namespace: its making was cut short, and nothing was charged to "
                     "it. Remove it, and make it again: " +
                     remove_command(created.path.string())};
  }
  if (arguments.where.ledger) return made;
  return Error{Code::kConflict,
               made.error().message +
                   ". If it is about the same people, use it as it is: further people and analysts "
                   "are added with discreet ledger namespace and analyst. If not, name another "
                   "place with --ledger"};
}

void add_namespace_options(CLI::App& app, NamespaceArguments& arguments) {
  add_text(app, "--namespace", arguments.name, "whose budget it is, such as patients", "NAME");
  arguments.cap.add_to(app);
  add_text(app, "--notion", arguments.notion, "epsilon (default), zcdp or pure; for ever",
           "NOTION");
  add_text(app, "--neighbours", arguments.neighbours,
           "add-remove (default) or replace-one; for ever", "RELATION");
  add_text(app, "--conversion-delta", arguments.conversion_delta,
           "zcdp: the delta at which rho becomes epsilon (half of --delta)");
  add_texts(app, "--analyst", arguments.analysts,
            "NAME:CAP or NAME:CAP:DELTA, in the unit of the cap; may be repeated (owner, with "
            "the whole cap)",
            "NAME:CAP");
  add_text(app, "--block", arguments.block,
           "an immutable attribute of a unit, as the policy names it: patients.enrolled",
           "ATTRIBUTE");
  add_texts(app, "--block-value", arguments.block_values, "a value of it; may be repeated",
            "VALUE");
}

Result<int> run_ledger_init(const LedgerInitArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  DISCREET_ASSIGN(const std::optional<policy::Policy> policy, policy_of(arguments));
  DISCREET_ASSIGN(const std::vector<ledger::NamespaceTerms> all, all_terms(arguments, policy));
  for (const ledger::NamespaceTerms& terms : all) DISCREET_TRY(ledger::check_terms(terms));
  ledger::Created created{.path = arguments.where.path(),
                          .key = arguments.where.key.value_or(""),
                          .witness = arguments.where.witness.value_or("")};
  if (arguments.witness_every) {
    DISCREET_ASSIGN(created.witness_every,
                    parse_count("witness-every", *arguments.witness_every, 1'000'000));
  }
  if (arguments.witness_ms) {
    DISCREET_ASSIGN(const std::uint64_t ms,
                    parse_count("witness-ms", *arguments.witness_ms, 1'000'000'000));
    created.witness_ms = static_cast<std::int64_t>(ms);
  }
  DISCREET_ASSIGN(const auto made, create(arguments, created));
  const std::string window = std::to_string(made->terms().witness_every - 1);
  report::Sheet sheet;
  const std::string place = ledger::shown(created.path);
  sheet.line("ledger", place).field("ledger", Cell::words(place));
  sheet.line("id", made->id()).field("id", Cell::words(made->id()));
  for (const ledger::NamespaceTerms& terms : all) {
    DISCREET_TRY(made->add_namespace(terms));
    sheet.line("namespace", terms.name + ", cap " + to_text(terms.notion, terms.cap) +
                                ", for life; neighbours: " + to_string(terms.neighbours));
    sheet.field("namespace", Cell::words(terms.name));
    if (terms.gamma != 0) {
      sheet.line("coins", "santha-vazirani " + terms.gamma.to_string() +
                              ", for ever: one answer in the life of this ledger");
    }
    for (const ledger::AnalystTerms& analyst : terms.analysts) {
      sheet.line("analyst " + analyst.name, "cap " + to_text(terms.notion, analyst.cap));
    }
  }
  if (policy) {
    DISCREET_ASSIGN(const bool is_bound, bind_ledger(arguments.where.policy_path(), made->id()));
    sheet.line("policy", arguments.where.policy_path() +
                             (is_bound ? ", which pays from this ledger alone" : ""));
    sheet.field("policy", Cell::words(arguments.where.policy_path()));
  }
  sheet.line("key", made->key_path().string() + " (keep a copy offline: without it no top-up)");
  sheet.field("key", Cell::words(made->key_path().string()));
  sheet.line("witness", made->witness_path().string() + "; a rollback could hide at most " +
                            window + " charges");
  sheet.field("witness", Cell::words(made->witness_path().string()));
  sheet.field("rollback_window", Cell::number(window));
  DISCREET_TRY(write_all(streams.out, sheet.render(format)));
  return 0;
}

}  // namespace

Result<void> init_ledger(const LedgerArguments& where, const Streams& streams) {
  LedgerInitArguments arguments;
  arguments.where = where;
  arguments.where.policy = where.policy_path();
  DISCREET_TRY(
      run_ledger_init(arguments, {.in = streams.in, .out = streams.err, .err = streams.err}));
  return {};
}

namespace {

struct AddArguments {
  LedgerArguments where;
  NamespaceArguments units;
};

Result<int> run_add(const AddArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const ledger::NamespaceTerms terms, terms_of(arguments.units));
  DISCREET_ASSIGN(const auto ledger, arguments.where.open(ledger::Access::kUse));
  DISCREET_TRY(ledger->add_namespace(terms));
  DISCREET_TRY(write_all(streams.out, "namespace " + terms.name + ", cap " +
                                          to_text(terms.notion, terms.cap) + ", for life\n"));
  return 0;
}

}  // namespace

void add_ledger_init(Program& program, CLI::App& ledger) {
  const auto arguments = std::make_shared<LedgerInitArguments>();
  CLI::App& app = program.command(
      ledger, "init",
      {.summary = "make a ledger with a namespace of units",
       .explanation =
           "The cap is what may ever be learnt about one unit, by all analysts together, even if\n"
           "they share everything. An analyst's own cap bounds what that analyst learns alone.\n"
           "Namespaces and caps come from the policy (./policy.yaml), or from options. A ledger "
           "is\n"
           "one file beside the policy, and its id is written into the policy: one data set, one\n"
           "ledger. The owner's key and the witness are kept elsewhere, by default in the user's\n"
           "state directory. The ledger does not open without its witness.\n",
       .closing = std::string("Example:\n  discreet ledger init --policy policy.yaml\n  ") +
                  kLedgerInitExample +
                  "\n  discreet ledger init --namespace people --notion zcdp --epsilon 4 --delta "
                  "1e-6 \\\n    --block people.enrolled --block-value 2025 --block-value 2026"},
      [arguments](const Streams& streams) { return run_ledger_init(*arguments, streams); });
  arguments->where.add_to(app);
  add_namespace_options(app, arguments->units);
  add_text(app, "--witness-every", arguments->witness_every,
           "sync the witness after so many charges (1)");
  add_text(app, "--witness-ms", arguments->witness_ms, "or after so many milliseconds");
  arguments->format.add_to(app);

  const auto more = std::make_shared<AddArguments>();
  CLI::App& add = program.command(
      ledger, "namespace",
      {.summary = "a further namespace of units in the same ledger",
       .explanation = "For other units than those that the ledger has: a namespace is who is\n"
                      "protected, not a table. Tables about the same people share one.\n",
       .closing = "Example:\n  discreet ledger namespace --namespace clinics --epsilon 5"},
      [more](const Streams& streams) { return run_add(*more, streams); });
  more->where.add_to(add);
  add_namespace_options(add, more->units);
}

}  // namespace discreet::cli
