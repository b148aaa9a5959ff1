// SPDX-License-Identifier: Apache-2.0
#include "audit/cases.h"

#include <algorithm>

namespace discreet::audit {
namespace {

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto& part :
       {response_cases(), noise_cases(), choice_cases(), keys_cases(), sums_cases(), tables_cases(),
        source_cases(), local_cases(), sampler_cases()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::string unknown(std::string_view kind, std::string_view name,
                    const std::vector<std::string>& known) {
  std::string text = "no " + std::string(kind) + " is called " + in_quotes(name) + "; known:";
  for (const std::string& one : known) text += " " + one + (&one == &known.back() ? "" : ",");
  return text;
}

AuditRow row_of(std::string mechanism, std::string neighbours, std::string claimed, Verdict verdict,
                const Distribution& a, const Distribution& b) {
  return {.mechanism = std::move(mechanism),
          .neighbours = std::move(neighbours),
          .claimed = std::move(claimed),
          .measured = std::move(verdict.measured),
          .delta = std::move(verdict.delta),
          .tapes = std::to_string(a.tapes + b.tapes),
          .unresolved = std::max(a.unresolved, b.unresolved).to_decimal(2, Round::kUp),
          .verdict = std::move(verdict.text),
          .certified = std::move(verdict.certified),
          .left = std::max(a.unresolved, b.unresolved),
          .ok = verdict.ok};
}

}  // namespace

Progress part_of(const Progress& whole, int part, int parts) {
  if (!whole) return {};
  return [&whole, part, parts](int permille) { whole((part * 1000 + permille) / parts); };
}

AuditRow make_row(std::string mechanism, std::string neighbours, const Cost& claimed,
                  const Distribution& a, const Distribution& b) {
  return row_of(std::move(mechanism), std::move(neighbours), to_string(claimed),
                judge(claimed, a, b), a, b);
}

AuditRow make_equality_row(std::string mechanism, std::string sides, const Distribution& a,
                           const Distribution& b) {
  return row_of(std::move(mechanism), std::move(sides), "the same distribution",
                judge_equality(a, b), a, b);
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const Case& one : all_cases()) names.emplace_back(one.name);
  return names;
}

Result<AuditRow> run_case(std::string_view name, const Progress& progress) {
  for (const Case& one : all_cases()) {
    if (one.name == name) return one.run(progress);
  }
  return Error{Code::kNotFound, unknown("audited mechanism", name, case_names())};
}

}  // namespace discreet::audit
