// SPDX-License-Identifier: Apache-2.0
// The randomizers that run in people's homes, from the code that ships to them: every outcome of
// their draws with its exact probability (local/branching_draws.h; that the draws themselves are
// exact is random/coin.md's). Of all pairs of answers the row shows the worst.
#include "audit/cases_local.h"

#include <algorithm>

#include "local/branching_draws.h"
#include "local/client/randomizer.h"
#include "local/design.h"

namespace discreet::audit {
namespace {

using local::Answer;
using local::Mechanism;
using local::Survey;

const Epsilon kLocalEpsilon = Epsilon::trusted(1);

std::string hex(const Payload& payload) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : payload) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

/// The largest ratio of two probabilities; 2^62 where an output is possible on one side only.
Rational worst_ratio(const Distribution& a, const Distribution& b) {
  Rational worst = 1;
  for (const auto& [outcome, bracket] : a.outcomes) {
    const auto other = b.outcomes.find(outcome);
    if (other == b.outcomes.end()) return power_of_two(62);
    worst = std::max(worst, bracket.finished / other->second.finished);
  }
  return worst;
}

Survey choices(Mechanism mechanism, std::uint64_t k) {
  return local::design_choices(
             {.name = "q", .epsilon = kLocalEpsilon, .choices = k, .mechanism = mechanism})
      .value();
}

Pair of_choices(Mechanism mechanism, std::uint64_t k, const Progress& progress) {
  LocalProgram program{.survey = choices(mechanism, k)};
  for (std::uint64_t i = 0; i < k; ++i) {
    program.answers.push_back({.index = i});
    program.words.push_back(std::to_string(i));
  }
  return audit_local(program, progress);
}

LocalProgram with_answers(Survey survey, std::initializer_list<const char*> words) {
  LocalProgram program{.survey = std::move(survey)};
  for (const char* word : words) {
    program.answers.push_back(local::read_answer(program.survey, word).value());
    program.words.emplace_back(word[0] == 0 ? "\"\"" : word);
  }
  return program;
}

Pair response_case(const Progress& progress) {
  return of_choices(Mechanism::kResponse, 9, progress);
}
Pair unary(const Progress& progress) { return of_choices(Mechanism::kUnary, 6, progress); }
Pair hash(const Progress& progress) { return of_choices(Mechanism::kHash, 12, progress); }
Pair hadamard(const Progress& progress) { return of_choices(Mechanism::kHadamard, 13, progress); }
Pair subset(const Progress& progress) { return of_choices(Mechanism::kSubset, 7, progress); }
Pair projective(const Progress& progress) {
  return of_choices(Mechanism::kProjective, 12, progress);
}

/// A survey about a number whose parameters are small enough to walk.
Survey number_survey(Mechanism mechanism, std::uint64_t domain, std::uint64_t width,
                     std::uint64_t odds) {
  Survey survey;
  survey.parameters = {.mechanism = mechanism,
                       .epsilon = local::kNano,
                       .odds = odds,
                       .domain = domain,
                       .width = width};
  survey.answers = local::Answers::kNumbers;
  survey.high = 1'000'000;
  return survey;
}

Pair piecewise(const Progress& progress) {
  return audit_local(
      with_answers(number_survey(Mechanism::kPiecewise, 12, 5, local::odds_below(local::kNano)),
                   {"0", "0.13", "0.5", "0.77", "1"}),
      progress);
}

/// Waiting times have no end: runs of more than 60 draws stay unresolved.
Pair laplace_local_case(const Progress& progress) {
  LocalProgram program =
      with_answers(number_survey(Mechanism::kLaplace, 2, 30, local::odds_below(local::kNano / 2)),
                   {"0", "0.4", "1"});
  program.draws_max = 60;
  return audit_local(program, progress);
}

/// What the theorem is about: the bits that are drawn once for each value and kept for good. All
/// reports are made from them, so each of these, and all together, tell no more.
Pair rappor(const Progress& progress) {
  LocalProgram program = with_answers(
      local::design_bloom(
          {.name = "r", .epsilon = kLocalEpsilon, .bits = 8, .hashes = 2, .cohorts = 2})
          .value(),
      {"a", "b", "c", "d", "e"});
  program.step = LocalStep::kPermanentBits;
  return audit_local(program, progress);
}

Pair tree(const Progress& progress) {
  Survey survey =
      local::design_tree({.name = "t", .epsilon = kLocalEpsilon, .alphabet = "ab", .length = 2})
          .value();
  survey.parameters.domain = 4;
  survey.parameters.depth = 2;
  return audit_local(with_answers(std::move(survey), {"", "a", "ab", "bb"}), progress);
}

}  // namespace

Distribution local_distribution(const LocalProgram& program, const Answer& answer) {
  const local::Randomizer randomizer(program.survey);
  const local::Parameters& p = program.survey.parameters;
  // The id is public and drawn before the answer is looked at: any will do.
  const local::ReportId id = {7, 1, 9, 77, 3, 200, 81, 5, 13, 2, 4, 6, 99, 1, 1, 250};
  local::BranchingDraws draws;
  draws.bits = p.domain;
  draws.depth_max = program.draws_max;
  Rational lost = 0;
  std::uint64_t runs = 0;
  const auto pmf = draws.run(
      [&](local::BranchingDraws& each) {
        ++runs;
        if (program.step == LocalStep::kPermanentBits) {
          Payload bits((p.domain + 7) / 8);
          randomizer.permanent(0, answer.text, each, bits);
          return bits;
        }
        Payload out(local::payload_size(p));
        randomizer.draw(answer, id, each, out);
        return out;
      },
      &lost);
  Distribution result{.outcomes = {}, .unresolved = lost, .tapes = runs};
  for (const auto& [payload, weight] : pmf) {
    result.outcomes.emplace(hex(payload), Bracket{weight, std::nullopt});
  }
  return result;
}

Pair audit_local(const LocalProgram& program, const Progress& progress) {
  std::vector<Distribution> all;
  for (std::size_t i = 0; i < program.answers.size(); ++i) {
    all.push_back(local_distribution(program, program.answers[i]));
    if (progress) progress(static_cast<int>(1000 * (i + 1) / program.answers.size()));
  }
  std::size_t first = 0;
  std::size_t second = 1;
  Rational worst = 0;
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = 0; b < all.size(); ++b) {
      const Rational ratio = a == b ? Rational(0) : worst_ratio(all[a], all[b]);
      if (ratio <= worst) continue;
      worst = ratio;
      first = a;
      second = b;
    }
  }
  const local::Parameters& p = program.survey.parameters;
  const auto epsilon = [](std::uint64_t nano) {
    return Epsilon::trusted(Rational(Integer(nano)) / Rational(Integer(local::kNano)));
  };
  return {std::string(local::name_of(p.mechanism)) + "(epsilon=" + local::nats(p.epsilon) +
              ",odds=" + std::to_string(p.odds) + "/2^32,domain=" + std::to_string(p.domain) + ")",
          program.words[first] + " | " + program.words[second], pure_cost(epsilon(p.epsilon)),
          all[first], all[second]};
}

std::vector<Case> local_cases() {
  return {{"local-response", response_case},
          {"local-unary", unary},
          {"local-hash", hash},
          {"local-hadamard", hadamard},
          {"local-subset", subset},
          {"local-projective", projective},
          {"local-piecewise", piecewise},
          {"local-laplace", laplace_local_case},
          {"local-rappor", rappor},
          {"local-tree", tree}};
}

/// e^epsilon rounded up by one part in 1000. The client refuses such a survey, so the faulty one
/// says that it costs more, and is judged by what it should have cost.
Verdict odds_rounded_up(bool faulty, const Progress& progress) {
  LocalProgram program{.survey = choices(Mechanism::kResponse, 4)};
  local::Parameters& p = program.survey.parameters;
  const Cost claimed = pure_cost(kLocalEpsilon);
  if (faulty) {
    p.odds += p.odds / 1'000;
    p.epsilon += p.epsilon / 100;
  }
  const Distribution a = local_distribution(program, {.index = 0});
  if (progress) progress(500);
  return judge(claimed, a, local_distribution(program, {.index = 1}));
}

}  // namespace discreet::audit
