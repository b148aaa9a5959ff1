// SPDX-License-Identifier: Apache-2.0
#include "session/ledger_terms.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "accounting/zcdp.h"
#include "policy/write.h"

namespace discreet::session {
namespace {

using accounting::Price;

ledger::Notion notion_of(policy::Notion notion) {
  switch (notion) {
    case policy::Notion::kEpsilon:
      return ledger::Notion::kEpsilon;
    case policy::Notion::kZcdp:
      return ledger::Notion::kZcdp;
    case policy::Notion::kPure:
      return ledger::Notion::kPure;
  }
  return ledger::Notion::kEpsilon;
}

/// Half of a delta in zCDP is set aside for turning rho into epsilon.
Result<Price> cap_in_ledger(const policy::Units& units, const policy::Caps& caps) {
  const ledger::Notion notion = notion_of(units.notion);
  const bool zcdp = notion == ledger::Notion::kZcdp;
  return cap_of(notion, caps.epsilon, caps.is_rho, zcdp ? caps.delta / 2 : caps.delta,
                zcdp ? units.budget.delta / 2 : Rational(0));
}

/// "--epsilon 1 --delta 0.000001"
std::string price_options(ledger::Notion notion, const Price& price) {
  std::string out =
      "--" + std::string(ledger::amount_name(notion)) + " " + price.amount.to_string();
  if (price.delta.value().sign() > 0) out += " --delta " + price.delta.to_string();
  return out;
}

std::string namespace_command(const ledger::NamespaceTerms& terms) {
  std::string out = "discreet ledger namespace --namespace " + shell_word(terms.name);
  if (terms.notion != ledger::Notion::kEpsilon) {
    out += " --notion " + std::string(to_string(terms.notion));
  }
  if (terms.neighbours == Neighbours::kReplaceOne) out += " --neighbours replace-one";
  out += " " + price_options(terms.notion, terms.cap);
  if (terms.notion == ledger::Notion::kZcdp) {
    out += " --conversion-delta " + terms.conversion_delta.to_string();
  }
  for (const ledger::AnalystTerms& analyst : terms.analysts) {
    out += " --analyst " + shell_word(analyst.name + ":" + analyst.cap.amount.to_string() + ":" +
                                      analyst.cap.delta.to_string());
  }
  if (!terms.block_attribute.empty()) out += " --block " + shell_word(terms.block_attribute);
  for (const std::string& value : terms.blocks) out += " --block-value " + shell_word(value);
  return out;
}

/// A cap as a policy writes it, so that terms_of() gives it back. Its delta is always there: an
/// analyst without one has the budget's.
std::string cap_in_policy(ledger::Notion notion, const Price& cap) {
  const std::string amount =
      "{" + std::string(ledger::amount_name(notion)) + ": " + cap.amount.to_string();
  if (notion == ledger::Notion::kPure) return amount + "}";
  const Rational delta = cap.delta.value() * (notion == ledger::Notion::kZcdp ? 2 : 1);
  return amount + ", delta: " + delta.to_string() + "}";
}

/// An analyst's cap above the total is as good as the total, and a policy cannot say more.
Price at_most(const Price& cap, const Price& total) {
  return {std::min(cap.amount, total.amount), std::min(cap.delta, total.delta)};
}

/// Compares one namespace.
class Comparison {
 public:
  Comparison(const ledger::NamespaceTerms& wanted, const ledger::NamespaceState& kept,
             const std::string& places)
      : wanted_(wanted), kept_(kept), places_(places) {}

  std::vector<Difference> take(const policy::Units& units) {
    units_ = &units;
    if (wanted_.cap != kept_.total.cap()) {
      differ("the total cap of " + wanted_.name, {}, wanted_.cap, kept_.total.cap());
    }
    for (const ledger::AnalystTerms& analyst : wanted_.analysts) {
      if (units.analysts.contains(analyst.name)) compare_analyst(analyst);
    }
    for (const auto& [name, account] : kept_.analysts) {
      if (name == "owner" || units.analysts.contains(name)) continue;
      found_.push_back({"analyst " + name + " of " + wanted_.name +
                            " is not in the policy, but has a cap in the ledger, which stays",
                        "write " + in_policy(name, at_most(account.cap(), kept_.total.cap())) +
                            "; who may log in is said by the server's accounts"});
    }
    for (const std::string& value : wanted_.blocks) {
      if (kept_.block_numbers.contains(value)) continue;
      command("block " + value + " of " + wanted_.name + " is in the policy, but not in the ledger",
              "block --namespace " + shell_word(wanted_.name) + " --value " + shell_word(value));
    }
    return std::move(found_);
  }

 private:
  void command(std::string what, const std::string& words) {
    found_.push_back({std::move(what), "discreet ledger " + words + places_, true});
  }

  void compare_analyst(const ledger::AnalystTerms& analyst) {
    const auto account = kept_.analysts.find(analyst.name);
    if (account != kept_.analysts.end()) {
      const Price kept = account->second.cap();
      if (analyst.cap == kept || analyst.cap == at_most(kept, kept_.total.cap())) return;
      return differ("the cap of analyst " + analyst.name + " of " + wanted_.name, analyst.name,
                    analyst.cap, kept);
    }
    command("analyst " + analyst.name + " of " + wanted_.name +
                " is in the policy, but has no cap in the ledger, and so cannot ask",
            "analyst --namespace " + shell_word(wanted_.name) + " --analyst " +
                shell_word(analyst.name) + " " + price_options(wanted_.notion, analyst.cap));
  }

  /// "ann: {rho: 0.5, delta: 0.000001} under analysts: in the policy"; without a name the budget.
  /// All caps of a policy are in one unit: where it has epsilons in zCDP, and the ledger's rho is no
  /// round epsilon, all of them become rho.
  std::string in_policy(const std::optional<std::string>& name, const Price& cap) const {
    const auto text = [&](const Price& price) { return cap_in_policy(wanted_.notion, price); };
    const bool becomes_rho = wanted_.notion == ledger::Notion::kZcdp && !units_->budget.is_rho;
    if (!becomes_rho) {
      return name ? policy::yaml_text(*name) + ": " + text(cap) + " under analysts: in the policy"
                  : "budget: " + text(cap) + " in the policy";
    }
    std::map<std::string, Price> caps;
    for (const ledger::AnalystTerms& analyst : wanted_.analysts) {
      if (units_->analysts.contains(analyst.name)) caps.insert_or_assign(analyst.name, analyst.cap);
    }
    if (name) caps.insert_or_assign(*name, cap);
    std::string analysts;
    for (const auto& [each, price] : caps) {
      analysts += (analysts.empty() ? "" : ", ") + policy::yaml_text(each) + ": " + text(price);
    }
    return "budget: " + text(name ? wanted_.cap : cap) +
           (analysts.empty() ? "" : " and analysts: {" + analysts + "}") + " under " +
           policy::yaml_text(wanted_.name) + ": in the policy, all in rho as the ledger has them";
  }

  /// A cap can be raised in the ledger, and never lowered.
  void differ(const std::string& whose, const std::optional<std::string>& name, const Price& wanted,
              const Price& kept) {
    const std::string options = name ? " --analyst " + shell_word(*name) : "";
    const std::string what = whose + " is " + ledger::to_text(wanted_.notion, wanted) +
                             " in the policy and " + ledger::to_text(wanted_.notion, kept) +
                             " in the ledger, which holds";
    const Price more{wanted.amount.minus_or_zero(kept.amount),
                     wanted.delta.minus_or_zero(kept.delta)};
    const bool is_less = wanted.amount < kept.amount || wanted.delta < kept.delta;
    if (!is_less) {
      return command(what, "top-up --namespace " + shell_word(wanted_.name) + options + " " +
                               price_options(wanted_.notion, more) +
                               " --reason 'as the policy says'");
    }
    const Price most = name ? at_most(kept, kept_.total.cap()) : kept;
    found_.push_back({what, "a cap is never lowered: write " + in_policy(name, most)});
  }

  const ledger::NamespaceTerms& wanted_;
  const ledger::NamespaceState& kept_;
  const std::string& places_;
  const policy::Units* units_ = nullptr;
  std::vector<Difference> found_;
};

}  // namespace

Result<Price> cap_of(ledger::Notion notion, const Rational& epsilon_or_rho, bool is_rho,
                     const Rational& delta, const Rational& conversion_delta) {
  Rational amount = epsilon_or_rho;
  if (is_rho != (notion == ledger::Notion::kZcdp)) {
    if (is_rho) return invalid_input("--rho is for --notion zcdp; give --epsilon");
    if (epsilon_or_rho.sign() <= 0) {
      return invalid_input("epsilon must be a number greater than 0; got " +
                           in_quotes(epsilon_or_rho.to_string()));
    }
    if (conversion_delta.sign() <= 0 || conversion_delta >= Rational(1)) {
      return invalid_input(
          "zcdp turns epsilon into rho at a delta above 0 and below 1; give --delta, such as 1e-6, "
          "or the cap as --rho");
    }
    amount = accounting::zcdp_rho_for(epsilon_or_rho, conversion_delta);
  }
  DISCREET_ASSIGN(const accounting::Amount cap, accounting::Amount::down(amount));
  DISCREET_ASSIGN(const accounting::Amount cap_delta, accounting::Amount::down(delta));
  return Price{cap, cap_delta};
}

Result<ledger::NamespaceTerms> terms_of(const policy::Units& units) {
  const ledger::Notion notion = notion_of(units.notion);
  const bool zcdp = notion == ledger::Notion::kZcdp;
  const Rational conversion = zcdp ? units.budget.delta / 2 : Rational(0);
  const auto cap = [&](const policy::Caps& caps) { return cap_in_ledger(units, caps); };
  ledger::NamespaceTerms terms;
  terms.name = units.name;
  terms.notion = notion;
  terms.neighbours = units.neighbours;
  DISCREET_ASSIGN(terms.cap, cap(units.budget));
  DISCREET_ASSIGN(terms.conversion_delta, accounting::Amount::up(conversion));
  terms.block_attribute = units.block_column;
  terms.blocks = units.block_values;
  for (const auto& [name, caps] : units.analysts) {
    DISCREET_ASSIGN(const Price own, cap(caps));
    terms.analysts.push_back({name, own});
  }
  if (!units.analysts.contains("owner")) terms.analysts.push_back({"owner", terms.cap});
  return terms;
}

Result<bool> caps_are_reserved(const policy::Units& units) {
  DISCREET_ASSIGN(const ledger::NamespaceTerms terms, terms_of(units));
  Price sum;
  for (const ledger::AnalystTerms& analyst : terms.analysts) {
    sum.amount = sum.amount.saturating_plus(analyst.cap.amount);
    sum.delta = sum.delta.saturating_plus(analyst.cap.delta);
  }
  return sum.amount <= terms.cap.amount && sum.delta <= terms.cap.delta;
}

Result<ledger::Closing> closing_of(const policy::Policy& policy) {
  ledger::Closing closing;
  for (const auto& [name, units] : policy.units) {
    if (!units.largest_question) continue;
    DISCREET_ASSIGN(const Price largest, cap_in_ledger(units, *units.largest_question));
    closing.declared.emplace(name, largest);
  }
  return closing;
}

Result<std::vector<Difference>> differences(const policy::Policy& policy,
                                            const ledger::State& state, const std::string& places) {
  std::vector<Difference> all;
  for (const auto& [name, units] : policy.units) {
    DISCREET_ASSIGN(const ledger::NamespaceTerms wanted, terms_of(units));
    const auto kept = state.namespaces().find(name);
    if (kept == state.namespaces().end()) {
      all.push_back(
          {"the ledger has no namespace " + name, namespace_command(wanted) + places, true});
      continue;
    }
    if (kept->second.terms.notion != wanted.notion) continue;  // refused elsewhere
    std::vector<Difference> found = Comparison(wanted, kept->second, places).take(units);
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  return all;
}

std::string to_text(const Difference& difference) {
  return difference.what + "; " + (difference.is_command ? "run: " : "") + difference.fix;
}

std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-/:@%+=,").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace discreet::session
