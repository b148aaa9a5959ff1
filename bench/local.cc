// SPDX-License-Identifier: Apache-2.0
// The local model, one thread: clients (a whole record: id and payload) and the collector (from a
// batch's bytes to estimates). Domain 1,024, epsilon 1. bench/local.py sets the numbers beside
// pure-ldp's.
#include <cmath>
#include <vector>

#include "bench.h"
#include "local/aggregate.h"
#include "local/design.h"
#include "local/frequencies.h"
#include "local/numbers.h"
#include "local/people.h"

namespace discreet::local::local_bench {
namespace {

constexpr std::uint64_t kChoices = 1024;

Epsilon one() { return Epsilon::trusted(Rational(1)); }

Survey choices(Mechanism mechanism) {
  return design_choices(
             {.name = "bench", .epsilon = one(), .choices = kChoices, .mechanism = mechanism})
      .value();
}

// As pure-ldp's: 128 bits, 2 hash functions, 8 cohorts, no second step.
Survey rappor() {
  return design_bloom({.name = "bench",
                       .epsilon = one(),
                       .bits = 128,
                       .hashes = 2,
                       .cohorts = 8,
                       .quiet = 0,
                       .loud = 1 << 16})
      .value();
}

Survey survey_of(Mechanism m) {
  if (m == Mechanism::kBloom) return rappor();
  if (m > Mechanism::kProjective) {
    return design_number(
               {.name = "bench", .epsilon = one(), .low = 0, .high = 1000000, .mechanism = m})
        .value();
  }
  return choices(m);
}

std::vector<Answer> answers_for(const Survey& survey, std::size_t n) {
  std::vector<Answer> answers;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t x = i * 7919 % kChoices;
    const bool number = survey.answers == Answers::kNumbers;
    answers.push_back(
        read_answer(survey, number ? "0." + std::to_string(x) : std::to_string(x)).value());
  }
  return answers;
}

void client(benchmark::State& state, Mechanism mechanism) {
  const Survey survey = survey_of(mechanism);
  const auto answers = answers_for(survey, 4096);
  for (auto _ : state) {
    benchmark::DoNotOptimize(simulate(survey, answers).value());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * answers.size()));
}

void collector(benchmark::State& state, Mechanism mechanism) {
  const Survey survey = survey_of(mechanism);
  const bool slow = survey.parameters.mechanism == Mechanism::kHash;
  const auto answers = answers_for(survey, slow ? 1 << 12 : 1 << 16);
  const std::string bytes = simulate(survey, answers).value();
  const int batches = slow ? 4 : 16;
  for (auto _ : state) {
    Aggregate aggregate(survey);
    for (int i = 0; i < batches; ++i) {
      std::string_view view = bytes;
      aggregate.add(take_batch(survey, view).value());
    }
    if (survey.parameters.mechanism <= Mechanism::kProjective) {
      benchmark::DoNotOptimize(supports(aggregate));
    } else {
      benchmark::DoNotOptimize(aggregate.cells());
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * answers.size()) * batches);
}

// n Var of an absent choice: measured from reports, beside the design's formula.
void variance(benchmark::State& state, Mechanism mechanism) {
  const Survey survey = survey_of(mechanism);
  constexpr std::size_t kPeople = 20000;
  std::vector<Answer> answers(kPeople);
  for (std::size_t i = 0; i < kPeople; ++i) answers[i].index = i % 4;
  double squares = 0;
  double count = 0;
  for (auto _ : state) {
    Aggregate aggregate(survey);
    const std::string bytes = simulate(survey, answers).value();
    std::string_view view = bytes;
    aggregate.add(take_batch(survey, view).value());
    const Support s = support_of(survey.parameters);
    const auto counts = supports(aggregate);
    for (std::size_t x = 4; x < counts.size(); ++x) {
      const double share = (counts[x] / kPeople - s.q) / (s.p - s.q);
      squares += share * share;
      count += 1;
    }
  }
  state.counters["measured"] = squares / count * kPeople;
  state.counters["formula"] = support_of(survey.parameters).variance(0);
  state.counters["bytes"] = static_cast<double>(record_size(survey));
}

void seen_ids(benchmark::State& state) {
  const Survey survey = survey_of(Mechanism::kResponse);
  const auto answers = answers_for(survey, 1 << 16);
  std::vector<std::string> batches;
  for (int i = 0; i < 16; ++i) batches.push_back(simulate(survey, answers).value());
  for (auto _ : state) {
    SeenIds seen;
    for (const std::string& bytes : batches) {
      std::string_view view = bytes;
      const Batch batch = take_batch(survey, view).value();
      for (std::size_t i = 0; i < batch.count; ++i)
        benchmark::DoNotOptimize(seen.insert(batch.record(i)));
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * answers.size()) * 16);
}

void add(const std::string& name, void (*measure)(benchmark::State&, Mechanism),
         Mechanism mechanism) {
  benchmark::RegisterBenchmark(name.c_str(), measure, mechanism);
}

int run(const bench::Words& words) {
  constexpr std::pair<const char*, Mechanism> kOfChoices[] = {
      {"response", Mechanism::kResponse}, {"oue", Mechanism::kUnary},
      {"olh", Mechanism::kHash},          {"hadamard", Mechanism::kHadamard},
      {"subset", Mechanism::kSubset},     {"projective", Mechanism::kProjective}};
  for (const auto& [name, mechanism] : kOfChoices) {
    add(std::string("client/") + name, client, mechanism);
    add(std::string("collector/") + name, collector, mechanism);
    add(std::string("variance/") + name, variance, mechanism);
  }
  add("client/rappor", client, Mechanism::kBloom);
  add("client/laplace", client, Mechanism::kLaplace);
  add("client/piecewise", client, Mechanism::kPiecewise);
  add("collector/rappor", collector, Mechanism::kBloom);
  benchmark::RegisterBenchmark("seen_ids", seen_ids);
  return bench::run_registered(words);
}

const bench::Benchmark kBenchmark("local", run);

}  // namespace
}  // namespace discreet::local::local_bench
