// SPDX-License-Identifier: Apache-2.0
#include "ledger/terms.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "base/suggest.h"
#include "mechanism/sv_certificate.h"
#include "privacy/shown.h"

namespace discreet::ledger {
namespace {

constexpr std::size_t kNameSizeMax = 200;
constexpr std::uint64_t kWitnessEveryMax = 1'000'000;

constexpr std::string_view kAddRemoveWord = "add-remove";
constexpr std::string_view kReplaceOneWord = "replace-one";

Amount one() { return *Amount::up(1); }

Result<void> check_cap(Notion notion, const Price& cap, std::string_view whose) {
  const std::string subject = "the cap of " + std::string(whose);
  const std::string amount = std::string(amount_name(notion));
  if (cap.amount == Amount()) return invalid_input(subject + " must have " + amount + " above 0");
  if (cap.amount > largest_cap()) {
    return invalid_input(subject + " must have " + amount + " of at most 2^40");
  }
  if (cap.delta >= one()) return invalid_input(subject + " must have a delta below 1");
  if (notion == Notion::kPure && cap.delta != Amount()) {
    return invalid_input(subject +
                         " has a delta, but a pure namespace knows none; use the notion "
                         "epsilon or zcdp");
  }
  return {};
}

/// "word value" lines as a map; nothing when a line has no blank or a word comes twice.
std::optional<std::map<std::string, std::string, std::less<>>> parse_lines(std::string_view text) {
  std::map<std::string, std::string, std::less<>> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const std::size_t blank = line.find(' ');
    if (end == text.npos || blank == line.npos) return std::nullopt;
    if (!lines.emplace(line.substr(0, blank), line.substr(blank + 1)).second) return std::nullopt;
    text.remove_prefix(end + 1);
  }
  return lines;
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

Error misspelt(const Record& record) {
  return {Code::kCorrupt, "record " + std::to_string(record.sequence) + " (" +
                              std::string(to_string(record.kind)) +
                              ") has terms that this version cannot read"};
}

Result<Rational> amount_of(Notion notion, const ChargeLine& line) {
  const Cost& cost = line.cost;
  if (notion == Notion::kZcdp) {
    if (cost.rho) return cost.rho->value();
    if (cost.epsilon) return cost.epsilon->value() * cost.epsilon->value() / 2;
  } else if (cost.epsilon) {
    return cost.epsilon->value();
  }
  return Error{Code::kRefused,
               line.noise.text + " has no guarantee in the notion " +
                   std::string(to_string(notion)) +
                   " of this namespace; ask for a mechanism with an epsilon (Laplace), or keep "
                   "the budget in the notion zcdp"};
}

}  // namespace

std::string_view to_string(Notion notion) {
  switch (notion) {
    case Notion::kEpsilon:
      return "epsilon";
    case Notion::kZcdp:
      return "zcdp";
    case Notion::kPure:
      return "pure";
  }
  DISCREET_CHECK(false);
}

Result<Notion> parse_notion(std::string_view text) {
  for (const Notion notion : {Notion::kEpsilon, Notion::kZcdp, Notion::kPure}) {
    if (text == to_string(notion)) return notion;
  }
  return invalid_input("the notion must be " + one_of({"epsilon", "zcdp", "pure"}) + "; got " +
                       in_quotes(text));
}

std::string_view amount_name(Notion notion) { return notion == Notion::kZcdp ? "rho" : "epsilon"; }

std::string to_text(Notion notion, const Price& price) {
  std::string text = std::string(amount_name(notion)) + " " + price.amount.to_string();
  if (price.delta != Amount()) text += " and delta " + price.delta.to_string();
  return text;
}

std::string to_text(Notion notion, const Price& price, Round direction) {
  std::string text =
      std::string(amount_name(notion)) + " " + shown(price.amount.value(), direction);
  if (price.delta != Amount()) text += " and delta " + shown(price.delta.value(), direction);
  return text;
}

Amount largest_cap() {
  static const Amount value = *Amount::up(power_of_two(40));
  return value;
}

Result<void> check_name(std::string_view what, std::string_view name) {
  const std::string subject = "the name of " + std::string(what);
  if (name.empty()) return invalid_input(subject + " must not be empty");
  if (name.size() > kNameSizeMax) {
    return invalid_input(subject + " must have at most " + std::to_string(kNameSizeMax) +
                         " bytes; got " + in_quotes(name));
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), is_control)) {
    return invalid_input(subject + " must not hold control characters; got " + in_quotes(name));
  }
  return {};
}

Result<void> check_analyst_cap(Notion notion, const Price& cap) {
  return check_cap(notion, cap, "an analyst");
}

Result<void> check_terms(const NamespaceTerms& terms) {
  DISCREET_TRY(check_name("a namespace", terms.name));
  DISCREET_TRY(check_cap(terms.notion, terms.cap, "namespace " + in_quotes(terms.name)));
  const bool is_zcdp = terms.notion == Notion::kZcdp;
  if (is_zcdp == (terms.conversion_delta == Amount())) {
    return invalid_input(is_zcdp ? "a zcdp namespace must set a delta above 0 aside, at which rho "
                                   "is turned into epsilon"
                                 : "only a zcdp namespace sets a delta aside for conversion");
  }
  if (terms.conversion_delta.saturating_plus(terms.cap.delta) >= one()) {
    return invalid_input("delta and the delta for conversion must add up to less than 1");
  }
  if (terms.block_attribute.empty() && !terms.blocks.empty()) {
    return invalid_input("blocks need the name of the attribute whose values they are");
  }
  if (!terms.block_attribute.empty()) {
    DISCREET_TRY(check_name("a block attribute", terms.block_attribute));
  }
  DISCREET_TRY(mechanism::SvGamma::of(terms.gamma));
  std::set<std::string> seen;
  for (const std::string& block : terms.blocks) {
    DISCREET_TRY(check_name("a block", block));
    if (!seen.insert(block).second) return invalid_input("block " + in_quotes(block) + " twice");
  }
  seen.clear();
  for (const AnalystTerms& analyst : terms.analysts) {
    DISCREET_TRY(check_name("an analyst", analyst.name));
    DISCREET_TRY(check_cap(terms.notion, analyst.cap, "analyst " + in_quotes(analyst.name)));
    if (!seen.insert(analyst.name).second) {
      return invalid_input("analyst " + in_quotes(analyst.name) + " twice");
    }
  }
  return {};
}

std::string to_detail(const NamespaceTerms& terms) {
  const bool is_replace = terms.neighbours == Neighbours::kReplaceOne;
  std::string text = "notion " + std::string(to_string(terms.notion)) + "\nneighbours " +
                     std::string(is_replace ? kReplaceOneWord : kAddRemoveWord) + "\n";
  if (terms.notion == Notion::kZcdp) {
    text += "conversion-delta " + terms.conversion_delta.to_string() + "\n";
  }
  if (!terms.block_attribute.empty()) text += "blocks-by " + terms.block_attribute + "\n";
  if (terms.gamma != 0) text += "santha-vazirani " + terms.gamma.to_string() + "\n";
  return text;
}

Result<NamespaceTerms> parse_namespace(const Record& record) {
  const auto lines = parse_lines(record.detail);
  if (!lines || !lines->contains("notion") || !lines->contains("neighbours")) {
    return misspelt(record);
  }
  NamespaceTerms terms;
  terms.name = record.units;
  terms.cap = record.price;
  const auto notion = parse_notion(lines->at("notion"));
  if (!notion) return misspelt(record);
  terms.notion = *notion;
  const std::string& relation = lines->at("neighbours");
  if (relation == kReplaceOneWord) terms.neighbours = Neighbours::kReplaceOne;
  if (const auto by = lines->find("blocks-by"); by != lines->end()) {
    terms.block_attribute = by->second;
  }
  if (const auto delta = lines->find("conversion-delta"); delta != lines->end()) {
    const auto value = Rational::parse(delta->second);
    const auto amount = value ? Amount::up(*value) : Result<Amount>(value.error());
    if (!amount) return misspelt(record);
    terms.conversion_delta = *amount;
  }
  if (const auto gamma = lines->find("santha-vazirani"); gamma != lines->end()) {
    const auto value = Rational::parse(gamma->second);
    if (!value) return misspelt(record);
    terms.gamma = *value;
  }
  // Spelling it out again finds words that are unknown, missing or out of order.
  if (to_detail(terms) != record.detail || !check_terms(terms)) return misspelt(record);
  return terms;
}

std::string to_detail(const LedgerTerms& terms) {
  return "id " + terms.id + "\nowner " + to_hex(terms.owner) + "\nwitness-every " +
         std::to_string(terms.witness_every) + "\nwitness-ms " + std::to_string(terms.witness_ms) +
         "\n";
}

Result<LedgerTerms> parse_created(const Record& record) {
  const auto lines = parse_lines(record.detail);
  if (!lines) return misspelt(record);
  for (const char* word : {"id", "owner", "witness-every", "witness-ms"}) {
    if (!lines->contains(word)) return misspelt(record);
  }
  LedgerTerms terms;
  terms.id = lines->at("id");
  const auto owner = from_hex(lines->at("owner"));
  const auto every = parse_number<std::uint64_t>(lines->at("witness-every"));
  const auto milliseconds = parse_number<std::int64_t>(lines->at("witness-ms"));
  if (!owner || owner->size() != terms.owner.size() || !every || !milliseconds) {
    return misspelt(record);
  }
  std::copy(owner->begin(), owner->end(), terms.owner.begin());
  terms.witness_every = *every;
  terms.witness_ms = *milliseconds;
  if (to_detail(terms) != record.detail || !check_terms(terms)) return misspelt(record);
  return terms;
}

std::string to_detail(const UpgradeTerms& terms) {
  return "from " + std::to_string(terms.from) + "\nto " + std::to_string(terms.to) + "\nprogram " +
         terms.program + "\n";
}

Result<UpgradeTerms> parse_upgraded(const Record& record) {
  const auto lines = parse_lines(record.detail);
  if (!lines) return misspelt(record);
  for (const char* word : {"from", "to", "program"}) {
    if (!lines->contains(word)) return misspelt(record);
  }
  const auto from = parse_number<int>(lines->at("from"));
  const auto to = parse_number<int>(lines->at("to"));
  if (!from || !to || *from < 1 || *to <= *from) return misspelt(record);
  UpgradeTerms terms{*from, *to, lines->at("program")};
  if (to_detail(terms) != record.detail) return misspelt(record);
  if (*to > kLedgerFormat) return newer_format("the ledger", std::to_string(*to));
  return terms;
}

Result<void> check_terms(const LedgerTerms& terms) {
  if (terms.witness_every < 1 || terms.witness_every > kWitnessEveryMax) {
    return invalid_input("the witness must be synced every 1 to 1,000,000 charges");
  }
  if (terms.witness_ms < 0) {
    return invalid_input("the witness cannot be synced every " + std::to_string(terms.witness_ms) +
                         " milliseconds");
  }
  return {};
}

Result<void> check_coins(const NamespaceTerms& terms, const std::vector<ChargeLine>& lines) {
  for (const ChargeLine& line : lines) {
    const Rational gamma = mechanism::certified_gamma(line.noise);
    if (gamma == terms.gamma && (gamma == 0 || lines.size() == 1)) continue;
    const std::string space = "namespace " + in_quotes(terms.name);
    if (terms.gamma == 0) {
      return Error{Code::kRefused,
                   space + " was made for fair coins, the question for coins bent by " +
                       gamma.to_string() +
                       "; a ledger's randomness is for ever: take `randomness` out of the policy, "
                       "or make a new ledger from it"};
    }
    return Error{Code::kRefused, space + " assumes coins bent by " + terms.gamma.to_string() +
                                     " (santha-vazirani), for which " + line.noise.text +
                                     " has no certificate; ask one COUNT or SUM without groups, "
                                     "under a policy with the same `randomness`"};
  }
  return {};
}

Result<Price> price_of(Notion notion, const std::vector<ChargeLine>& lines, std::int64_t moves) {
  if (lines.empty()) return invalid_input("a charge must have a line");
  if (moves < 1) return invalid_input("a charge is for one unit at least");
  Price sum;
  const Amount largest = *Amount::from_units(kInt128Max);
  for (const ChargeLine& one : lines) {
    std::optional<ChargeLine> of_group;  // costs are not copied in vain
    if (moves > 1) of_group = ChargeLine{one.noise, group_cost(one.cost, moves)};
    const ChargeLine& line = of_group ? *of_group : one;
    DISCREET_ASSIGN(const Rational amount, amount_of(notion, line));
    DISCREET_ASSIGN(const Price price, accounting::Filter::price(amount, line.cost.delta.value()));
    if (notion == Notion::kPure && price.delta != Amount()) {
      return Error{Code::kRefused, line.noise.text +
                                       " needs a delta, but this namespace is pure; ask for a "
                                       "mechanism without one (Laplace, listed keys)"};
    }
    if (!sum.amount.plus_fits(price.amount, largest) ||
        !sum.delta.plus_fits(price.delta, largest)) {
      return invalid_input("the price of the question is beyond every budget");
    }
    sum.amount.add(price.amount);
    sum.delta.add(price.delta);
  }
  return sum;
}

}  // namespace discreet::ledger
