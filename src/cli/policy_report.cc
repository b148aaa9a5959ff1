// SPDX-License-Identifier: Apache-2.0
// A policy, or its mistakes, for people and for programs.
#include <algorithm>

#include "base/json.h"
#include "cli/policy.h"
#include "policy/value.h"
#include "policy/write.h"
#include "report/table.h"
#include "session/ledger_terms.h"

namespace discreet::cli {
namespace {

/// An engine's address as it may be shown: a password in it is left out, wherever libpq takes one.
std::string without_password(std::string address) {
  constexpr std::string_view kNamed = "password=";
  const std::size_t scheme = address.find("://");
  if (scheme != address.npos) {
    const std::size_t colon = address.find(':', scheme + 3);
    const std::size_t at = address.rfind('@', address.find('/', scheme + 3));
    if (at != address.npos && colon < at) address.replace(colon + 1, at - colon - 1, "...");
  }
  for (std::size_t found = address.find(kNamed); found != address.npos;
       found = address.find(kNamed, found + kNamed.size())) {
    const std::size_t begin = found + kNamed.size();
    const std::size_t end = address.find_first_of("& ", begin);
    address.replace(begin, (end == address.npos ? address.size() : end) - begin, "...");
  }
  return address;
}

using policy::Column;
using policy::Policy;
using policy::Units;
using report::Cell;

std::string caps_text(const policy::Caps& caps) {
  return (caps.is_rho ? "rho " : "epsilon ") + caps.epsilon.to_string() +
         (caps.delta.sign() > 0 ? ", delta " + caps.delta.to_string() : "");
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string noise_text(policy::NoisePreference noise) {
  if (noise == policy::NoisePreference::kLaplace) return "laplace";
  if (noise == policy::NoisePreference::kGaussian) return "gaussian";
  return "automatic";
}

std::string coins_text(const policy::Policy& policy) {
  if (!policy.santha_vazirani) return "fair";
  return "santha-vazirani " + policy.santha_vazirani->to_string();
}

std::string owner_text(const policy::UnitPath& unit) {
  if (unit.row_is_unit) return unit.space + ", each row another";
  std::string out = unit.space + " by ";
  for (const auto& step : unit.steps) {
    out += step.column + " -> " + step.table + "." + step.key + ", ";
  }
  return out + unit.column;
}

std::string bounds_text(const policy::ContributionBounds& bounds) {
  return std::to_string(bounds.rows_per_unit_and_group) + " in each of " +
         std::to_string(bounds.groups_per_unit) +
         (bounds.groups_per_unit == 1 ? " group" : " groups") +
         (bounds.declared ? "" : " (the defaults)");
}

std::string range_text(const Column& column) {
  const policy::GridText grid = policy::grid_text(column.type, *column.grid);
  return grid.low + " to " + grid.high + " in steps of " + grid.step;
}

std::string declared_text(const Column& column) {
  std::vector<std::string> parts;
  if (column.grid) parts.push_back(range_text(column));
  if (!column.values.empty()) {
    parts.push_back(std::to_string(column.values.size()) + " listed keys");
  } else if (!column.values_from.empty()) {
    parts.push_back("keys of " + column.values_from);
  } else if (column.type == policy::Type::kBoolean) {
    parts.emplace_back("false, true");
  } else if (!column.grid) {
    parts.emplace_back("not listed: keys are found privately");
  }
  return joined(parts);
}

std::string domain_text(const Column& column) {
  return declared_text(column) + (column.bought.empty() ? "" : " (bought)");
}

std::string null_text(const Column& column) {
  return column.null_rule == policy::NullRule::kDrop ? "drop" : policy::to_string(column.fallback);
}

/// The most that one unit adds to SUM of the column in one group; "" when it cannot be summed.
std::string sum_text(const policy::Table& table, const Column& column) {
  if (!policy::is_number(column.type) || !column.grid || !column.may_aggregate ||
      table.is_public()) {
    return "";
  }
  const Rational most = std::max(column.grid->low.abs(), column.grid->high.abs());
  return (most * Rational(table.bounds.rows_per_unit_and_group)).to_string();
}

/// Why a delta promises little; nothing where it does not. A mechanism may publish one person's
/// rows with chance delta and still keep its word, and there are as many such chances as persons.
std::optional<std::string> delta_note(const Policy& policy, const Units& units) {
  const Rational& delta = units.budget.delta;
  if (delta > Rational::ratio(1, 10'000)) {
    return "the delta of " + units.name + " is " + delta.to_string() +
           ", which is too large: a promise with delta " + delta.to_string() +
           " allows that with that chance a person's rows are told as they are; take at most "
           "0.0001, and far below one over the number of " +
           units.name;
  }
  for (const auto& [name, table] : policy.tables) {
    if (table.is_public() || table.unit->space != units.name || !table.rows_max) continue;
    if (delta * Rational(*table.rows_max) <= Rational(1)) continue;
    return "the delta of " + units.name + " is " + delta.to_string() + ", above one over the " +
           std::to_string(*table.rows_max) + " rows that " + name +
           " may have: to tell the rows of a few persons at random would keep that promise; take "
           "far less than " +
           Rational::ratio(1, Integer(static_cast<long>(*table.rows_max)))
               .to_decimal(2, Round::kDown);
  }
  return std::nullopt;
}

/// What an owner should know although it is no mistake.
std::vector<std::string> notes_of(const Policy& policy) {
  std::vector<std::string> notes;
  for (const auto& [name, units] : policy.units) {
    if (!units.budget.is_rho && units.budget.epsilon > Rational(10)) {
      notes.push_back("the budget of " + name + " is very large: it promises next to nothing");
    } else if (!units.budget.is_rho && units.budget.epsilon > Rational(1)) {
      notes.push_back("the budget of " + name + " is above 1, which is where strong promises end");
    }
    if (units.budget.delta.sign() == 0) {
      notes.push_back(name + " has no delta: keys that are not listed cannot be found");
    }
    if (auto note = delta_note(policy, units)) notes.push_back(std::move(*note));
    const auto reserved = session::caps_are_reserved(units);
    if (reserved && !*reserved && !units.analysts.empty()) {
      notes.push_back(
          "the caps of " + name + "'s analysts" +
          (units.analysts.contains("owner") ? "" : " and of owner, who may spend all,") +
          " are together above the budget: behind a server it closes for everybody once the "
          "largest question might not fit any more, and a larger one is refused (" +
          (units.largest_question ? "largest_question"
                                  : "a quarter of the budget; or declare largest_question") +
          "). To reserve each analyst's cap, so that no analyst learns anything of what others "
          "ask, list owner under analysts, and let all epsilons (or rhos) and all deltas add up to "
          "at most the budget's");
    }
    if (units.analysts.size() > 1) {
      notes.push_back("analysts who share their answers learn together what the budget of " + name +
                      " allows, not only what their own caps allow");
    }
  }
  notes.emplace_back("rows whose unit is NULL are left out of every answer");
  notes.emplace_back("sum_moves is the most that one unit adds to a SUM in one group");
  for (const auto& [name, table] : policy.tables) {
    if (!table.is_public() && table.columns.empty()) {
      notes.push_back(name + " declares no columns: its rows can be counted, and no more");
    }
  }
  return notes;
}

report::Table columns_table(const Policy& policy) {
  report::Table out({"table", "column", "type", "known", "null", "may", "sum_moves"});
  for (const auto& [name, table] : policy.tables) {
    for (const Column& column : table.columns) {
      out.add({Cell::words(name), Cell::words(column.name), Cell::words(to_string(column.type)),
               Cell::words(domain_text(column)), Cell::words(null_text(column)),
               Cell::words(joined(policy::may_words(column))),
               Cell::words(sum_text(table, column))});
    }
  }
  return out;
}

void add_units(report::Sheet& sheet, const Units& units) {
  sheet.line("protected", units.name + ": all rows of any one of them, in all tables together");
  sheet.line("  neighbours", to_string(units.neighbours));
  sheet.line("  budget", caps_text(units.budget) + ", for life, over all analysts together");
  sheet.line("  notion", policy::to_string(units.notion));
  std::vector<std::string> who;
  for (const auto& [name, caps] : units.analysts)
    who.push_back(name + " (" + caps_text(caps) + ")");
  sheet.line("  may ask", who.empty() ? "whoever the owner lets ask" : joined(who));
  if (const auto reserved = session::caps_are_reserved(units)) {
    sheet.line("  caps", *reserved ? "reserved: nobody's questions take anything from another"
                                   : "shared: together they are above the budget");
  }
  if (units.largest_question) {
    sheet.line("  largest question", caps_text(*units.largest_question) +
                                         ", for analysts behind a server who share the budget");
  }
  if (!units.block_column.empty()) {
    sheet.line("  blocks", "by " + units.block_column + ": " + joined(units.block_values));
  }
  if (units.within) {
    sheet.line("  within", units.within->space + ", by " + units.within->column + ": " +
                               std::to_string(units.within->members) +
                               " of each count, and both are charged");
  }
}

std::string people_text(const std::string& file, const Policy& policy,
                        const std::vector<session::Difference>& differences) {
  report::Sheet head;
  head.line("policy", file + ", without mistakes");
  head.line("snapshot", policy.snapshot);
  head.line("engine", without_password(policy.engine));
  if (!policy.ledger.empty()) head.line("ledger", policy.ledger + ", and no other");
  head.line("noise", noise_text(policy.noise));
  head.line("randomness",
            coins_text(policy) +
                (policy.santha_vazirani ? ": one COUNT or SUM without groups, once" : ""));
  for (const auto& [name, units] : policy.units) add_units(head, units);
  for (const auto& [name, table] : policy.tables) {
    if (table.is_public()) head.line("public", name + " from " + table.source);
  }
  for (const std::string& release : policy.other_releases) head.line("other release", release);
  for (const std::string& note : notes_of(policy)) head.line("note", note);
  for (const session::Difference& each : differences) {
    head.line("ledger differs", each.what);
    if (!each.fix.empty()) head.line(each.is_command ? "  run" : "  mend", each.fix);
  }

  report::Table tables({"table", "source", "rows belong to", "rows of a unit that count"});
  for (const auto& [name, table] : policy.tables) {
    if (table.is_public()) continue;
    tables.add({Cell::words(name), Cell::words(table.source), Cell::words(owner_text(*table.unit)),
                Cell::words(bounds_text(table.bounds))});
  }
  const report::Format format = report::Format::kTable;
  return head.render(format) + "\n" + tables.render(format) + "\n" +
         columns_table(policy).render(format);
}

Json units_json(const Units& units) {
  const auto caps_json = [](const policy::Caps& caps) {
    return Json{{caps.is_rho ? "rho" : "epsilon", caps.epsilon.to_string()},
                {"delta", caps.delta.to_string()}};
  };
  Json out{{"budget", caps_json(units.budget)},
           {"notion", policy::to_string(units.notion)},
           {"neighbours", to_string(units.neighbours)},
           {"analysts", Json::object()}};
  for (const auto& [name, caps] : units.analysts) out["analysts"][name] = caps_json(caps);
  if (const auto reserved = session::caps_are_reserved(units)) {
    out["caps"] = *reserved ? "reserved" : "shared";
  }
  if (units.largest_question) out["largest_question"] = caps_json(*units.largest_question);
  if (!units.block_column.empty()) {
    out["blocks"] = {{"column", units.block_column}, {"values", units.block_values}};
  }
  if (units.within) {
    out["within"] = {{"namespace", units.within->space},
                     {"column", units.within->column},
                     {"members", units.within->members}};
  }
  return out;
}

Json table_json(const policy::Table& table) {
  Json out{{"source", table.source}, {"public", table.is_public()}};
  if (!table.is_public()) {
    out["unit"] = owner_text(*table.unit);
    out["bounds"] = {{"groups_per_unit", table.bounds.groups_per_unit},
                     {"rows_per_unit_and_group", table.bounds.rows_per_unit_and_group},
                     {"default", !table.bounds.declared}};
  }
  out["columns"] = Json::object();
  for (const Column& column : table.columns) {
    Json& entry = out["columns"][column.name];
    entry = {{"type", to_string(column.type)},
             {"known", domain_text(column)},
             {"null", null_text(column)},
             {"may", joined(policy::may_words(column))}};
    if (!column.bought.empty()) entry["bought"] = column.bought;
    const std::string sum = sum_text(table, column);
    if (!sum.empty()) entry["sum_moves"] = sum;
  }
  return out;
}

std::string policy_json(const std::string& file, const Policy& policy,
                        const std::vector<session::Difference>& differences) {
  Json out{{"policy", file},
           {"ok", true},
           {"snapshot", policy.snapshot},
           {"engine", without_password(policy.engine)},
           {"ledger", policy.ledger},
           {"noise", noise_text(policy.noise)},
           {"randomness", coins_text(policy)},
           {"units", Json::object()},
           {"tables", Json::object()},
           {"other_releases", policy.other_releases},
           {"notes", notes_of(policy)},
           {"differences", Json::array()}};
  for (const session::Difference& each : differences) {
    out["differences"].push_back({{"what", each.what}, {"fix", each.fix}});
  }
  for (const auto& [name, units] : policy.units) out["units"][name] = units_json(units);
  for (const auto& [name, table] : policy.tables) out["tables"][name] = table_json(table);
  return out.dump({.indent = 2}) + "\n";
}

}  // namespace

std::string render_mistakes(const std::string& file, const std::vector<policy::Mistake>& mistakes,
                            report::Format format) {
  if (format == report::Format::kJson) {
    Json out{{"policy", file}, {"ok", false}, {"mistakes", Json::array()}};
    for (const policy::Mistake& each : mistakes) {
      out["mistakes"].push_back(
          {{"line", each.line}, {"message", each.message}, {"fix", each.fix}});
    }
    return out.dump({.indent = 2}) + "\n";
  }
  if (format == report::Format::kTable) {
    std::string out;
    for (const policy::Mistake& each : mistakes) {
      out +=
          file + ":" + std::to_string(each.line) + ": " + each.message + "\n  " + each.fix + "\n";
    }
    return out;
  }
  report::Table table({"line", "message", "fix"});
  for (const policy::Mistake& each : mistakes) {
    table.add({Cell::number(std::to_string(each.line)), Cell::words(each.message),
               Cell::words(each.fix)});
  }
  return table.render(format);
}

std::string render_policy(const std::string& file, const Policy& policy,
                          const std::vector<session::Difference>& differences,
                          report::Format format) {
  if (format == report::Format::kTable) return people_text(file, policy, differences);
  if (format == report::Format::kJson) return policy_json(file, policy, differences);
  return columns_table(policy).render(format);
}

}  // namespace discreet::cli
