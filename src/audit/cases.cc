// SPDX-License-Identifier: Apache-2.0
#include "audit/cases.h"

#include <algorithm>

namespace discreet::audit {

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto& part :
       {response_cases(), noise_cases(), choice_cases(), keys_cases(), sums_cases(), tables_cases(),
        source_cases(), local_cases(), sampler_cases()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

namespace {

std::string unknown(std::string_view kind, std::string_view name,
                    const std::vector<std::string>& known) {
  std::string text = "no " + std::string(kind) + " is called " + in_quotes(name) + "; known:";
  for (const std::string& one : known) text += " " + one + (&one == &known.back() ? "" : ",");
  return text;
}

AuditRow row_of(const Case& one, const Pair& pair) {
  Verdict verdict = judge(pair);
  const Rational left = std::max(pair.a.unresolved, pair.b.unresolved);
  return {.mechanism = pair.mechanism,
          .neighbours = pair.neighbours,
          .claimed = pair.claimed ? to_string(*pair.claimed) : "the same distribution",
          .measured = std::move(verdict.measured),
          .share = verdict.share ? verdict.share->to_decimal(3, Round::kDown) : "-",
          .delta = std::move(verdict.delta),
          .tapes = std::to_string(pair.a.tapes + pair.b.tapes),
          .unresolved = left.to_decimal(2, Round::kUp),
          .verdict = std::move(verdict.text),
          .reason = std::string(one.reason),
          .used = std::move(verdict.share),
          .left = left,
          .ok = verdict.ok};
}

}  // namespace

Verdict judge(const Pair& pair) {
  if (!pair.claimed) return judge_equality(pair.a, pair.b);
  Verdict verdict = judge(*pair.claimed, pair.a, pair.b);
  if (pair.epsilon) use_another_epsilon(*pair.claimed, *pair.epsilon, verdict);
  return verdict;
}

Progress part_of(const Progress& whole, int part, int parts) {
  if (!whole) return {};
  return [&whole, part, parts](int permille) { whole((part * 1000 + permille) / parts); };
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const Case& one : all_cases()) names.emplace_back(one.name);
  return names;
}

Result<AuditRow> run_case(std::string_view name, const Progress& progress) {
  for (const Case& one : all_cases()) {
    if (one.name == name) return row_of(one, one.walk(progress));
  }
  return Error{Code::kNotFound, unknown("audited mechanism", name, case_names())};
}

}  // namespace discreet::audit
