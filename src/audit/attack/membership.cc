// SPDX-License-Identifier: Apache-2.0
// Membership: was this person in the study whose means were published (Homer), or in the data that
// a model was trained on?
#include <cmath>

#include "audit/attack/scene.h"
#include "mechanism/laplace_vector.h"

namespace discreet::audit {
namespace {

using Person = std::vector<std::int64_t>;  // attributes, 0 or 1

Result<mechanism::LaplaceVector> vector_noise_of(const Rational& epsilon, int l1) {
  DISCREET_ASSIGN(const Epsilon checked, Epsilon::of(epsilon));
  return mechanism::LaplaceVector::make(
      {.sensitivity = Sensitivity::trusted(l1), .epsilon = checked});
}

Person person(const std::vector<double>& rates, SeededBits& coins) {
  Person out;
  for (const double rate : rates) out.push_back(coins.unit() < rate ? 1 : 0);
  return out;
}

/// Homer's statistic: does the person lean towards the study more than towards everybody?
double leaning(const Person& who, const std::vector<double>& means,
               const std::vector<double>& rates) {
  double sum = 0;
  for (std::size_t j = 0; j < who.size(); ++j) {
    sum += (static_cast<double>(who[j]) - rates[j]) * (means[j] - rates[j]);
  }
  return sum;
}

/// Ridge regression of y on d attributes of +-1 by the normal equations (Gaussian elimination).
std::vector<double> solve(std::vector<std::vector<double>> gram, std::vector<double> right,
                          double ridge) {
  const std::size_t d = right.size();
  for (std::size_t i = 0; i < d; ++i) gram[i][i] += ridge;
  for (std::size_t i = 0; i < d; ++i) {
    std::size_t pivot = i;
    for (std::size_t k = i + 1; k < d; ++k) {
      if (std::abs(gram[k][i]) > std::abs(gram[pivot][i])) pivot = k;
    }
    std::swap(gram[i], gram[pivot]);
    std::swap(right[i], right[pivot]);
    if (std::abs(gram[i][i]) < 1e-12) gram[i][i] = 1e-12;
    for (std::size_t k = i + 1; k < d; ++k) {
      const double factor = gram[k][i] / gram[i][i];
      for (std::size_t c = i; c < d; ++c) gram[k][c] -= factor * gram[i][c];
      right[k] -= factor * right[i];
    }
  }
  for (std::size_t i = d; i-- > 0;) {
    for (std::size_t c = i + 1; c < d; ++c) right[i] -= gram[i][c] * right[c];
    right[i] /= gram[i][i];
  }
  return right;
}

struct Trained {
  std::uint64_t exact_right = 0;
  std::uint64_t ours_right = 0;
};

/// One model on `n` people with d attributes each, more attributes than people: it memorises. The
/// attacker sees the weights and decides by the residual of the person.
Result<void> model_trial(int n, int d, const mechanism::LaplaceVector& noise, SeededBits& coins,
                         Trained& out) {
  const auto dim = static_cast<std::size_t>(d);
  const auto draw = [&] {
    Person x;
    for (int j = 0; j < d; ++j) x.push_back(coins.below(2) == 1 ? 1 : -1);
    x.push_back(coins.below(2) == 1 ? 1 : -1);  // the label: nothing to learn, all to memorise
    return x;
  };
  std::vector<Person> people;
  for (int i = 0; i < n; ++i) people.push_back(draw());
  const bool in = coins.below(2) == 1;
  const Person target = in ? people[0] : draw();

  // Integers: the upper half of the Gram matrix, then the products with the label.
  std::vector<std::int64_t> sums(dim * (dim + 1) / 2 + dim);
  for (const Person& who : people) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t j = i; j < dim; ++j) sums[at++] += who[i] * who[j];
    }
    for (std::size_t i = 0; i < dim; ++i) sums[at++] += who[i] * who[dim];
  }
  const std::vector<std::int64_t> noisy = answer(noise, sums, coins);
  const auto residual = [&](const std::vector<std::int64_t>& from, double ridge) {
    std::vector<std::vector<double>> gram(dim, std::vector<double>(dim));
    std::size_t at = 0;
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t j = i; j < dim; ++j) {
        gram[i][j] = gram[j][i] = static_cast<double>(from[at++]);
      }
    }
    std::vector<double> right;
    for (std::size_t i = 0; i < dim; ++i) right.push_back(static_cast<double>(from[at++]));
    const std::vector<double> weights = solve(gram, right, ridge);
    double predicted = 0;
    for (std::size_t i = 0; i < dim; ++i) predicted += weights[i] * static_cast<double>(target[i]);
    return std::abs(predicted - static_cast<double>(target[dim]));
  };
  out.exact_right += (residual(sums, 1e-6) < 0.1) == in ? 1 : 0;
  out.ours_right += (residual(noisy, 10.0 * n) < 1) == in ? 1 : 0;
  return {};
}

}  // namespace

Result<AttackRun> attack_membership(const AttackOptions& options) {
  const int trials = options.trials > 0 ? options.trials : 500;
  const int people = options.size > 0 ? options.size : 100;
  if (people < 10) {
    return invalid_input("membership needs a study of at least 10 people (--size); got " +
                         std::to_string(people));
  }
  if (people > 10000) return invalid_input("at most 10000 people; got " + std::to_string(people));
  constexpr int kAttributes = 2000;
  constexpr int kFeatures = 24;
  constexpr int kRows = 16;
  SeededBits coins(options.seed);
  DISCREET_ASSIGN(const auto means_noise, vector_noise_of(options.epsilon, kAttributes));
  DISCREET_ASSIGN(const auto model_noise,
                  vector_noise_of(options.epsilon, kFeatures * (kFeatures + 1) / 2 + kFeatures));
  AttackRun run;
  run.exhibit.title = "Membership: was this person in it?";
  run.exhibit.sections.push_back(
      {.heading = "The set-up",
       .words = {"Means: a study of " + std::to_string(people) + " people publishes the means of " +
                     std::to_string(kAttributes) +
                     " attributes. The attacker knows a person's attributes and the rates in the "
                     "population, and asks on which side the person leans. A coin decides whether "
                     "the person was in.",
                 "Model: a linear model of " + std::to_string(kFeatures) +
                     " weights is fitted to " + std::to_string(kRows) +
                     " people whose labels are coins, so that it can only memorise. The attacker "
                     "looks at the residual. Ours fits the same model to noisy sums of products: "
                     "one release of the kernel's Laplace vector, then post-processing."}});
  std::uint64_t exact_right = 0;
  std::uint64_t ours_right = 0;
  Trained trained;
  int done = 0;
  for (; done < trials && !run.exhibit.partial; ++done) {
    std::vector<double> rates;
    for (int j = 0; j < kAttributes; ++j) rates.push_back(0.1 + 0.8 * coins.unit());
    std::vector<std::int64_t> sums(kAttributes);
    Person first;
    for (int i = 0; i < people; ++i) {
      Person who = person(rates, coins);
      for (std::size_t j = 0; j < who.size(); ++j) sums[j] += who[j];
      if (i == 0) first = std::move(who);
    }
    const bool in = coins.below(2) == 1;
    const Person target = in ? first : person(rates, coins);
    const auto guess = [&](const std::vector<std::int64_t>& released) {
      std::vector<double> means;
      for (const std::int64_t sum : released) means.push_back(static_cast<double>(sum) / people);
      // Half-way between the statistic's means for members and for others.
      double spread = 0;
      for (const double rate : rates) spread += rate * (1 - rate);
      return leaning(target, means, rates) > spread / people / 2;
    };
    exact_right += guess(sums) == in ? 1 : 0;
    ours_right += guess(answer(means_noise, sums, coins)) == in ? 1 : 0;
    DISCREET_TRY(model_trial(kRows, kFeatures, model_noise, coins, trained));
    if (done % 16 == 0) {
      if (options.progress) options.progress(1000 * done / trials);
      run.exhibit.partial = options.stopped && options.stopped();
    }
  }
  const auto all = static_cast<std::uint64_t>(done);
  const std::string ours = "discreet, epsilon " + options.epsilon.to_string();
  run.measured = {measured("exact means", exact_right, all),
                  measured("means, " + ours, ours_right, all),
                  measured("model from exact sums", trained.exact_right, all),
                  measured("model, " + ours, trained.ours_right, all)};
  for (std::size_t i = 0; i < run.measured.size(); ++i) {
    run.measured[i].chance = 0.5;
    run.measured[i].ours = i % 2 == 1;
    if (run.measured[i].ours) run.measured[i].limit = guess_limit(options.epsilon * Rational(2));
  }
  conclude(run,
           "In or not, the study has the same size, so another person stands in the place: two "
           "changes of one person each, 2 epsilon (group privacy). The guess is right with "
           "probability at most e^(2 epsilon) / (1 + e^(2 epsilon)).");
  return run;
}

}  // namespace discreet::audit
