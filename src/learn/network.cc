// SPDX-License-Identifier: Apache-2.0
#include "learn/network.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "learn/choices.h"

namespace discreet::learn {
namespace {

/// Where each part of the weights begins.
struct Shape {
  std::size_t d, h, k;
  std::size_t a() const { return h * d; }
  std::size_t u() const { return a() + h; }
  std::size_t s() const { return u() + k * h; }
  std::size_t t() const { return s() + k * d; }
  std::size_t size() const { return t() + k; }
};

/// What a row passes through, kept for the way back.
struct Pass {
  std::vector<double> x, hidden, scores;

  explicit Pass(const Shape& shape) : x(shape.d), hidden(shape.h), scores(shape.k) {}

  /// Each row is centred and scaled by itself: no statistics of other rows are involved.
  void normalise() {
    double mean = 0;
    for (const double v : x) mean += v / static_cast<double>(x.size());
    for (double& v : x) v -= mean;
    to_unit_length();
  }

  void subtract(std::span<const double> centre) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] -= centre[i];
    to_unit_length();
  }

  void to_unit_length() {
    double squares = 0;
    for (const double v : x) squares += v * v;
    const double length = std::sqrt(std::max(squares, 1e-12));
    for (double& v : x) v /= length;
  }

  void forward(const Shape& shape, std::span<const double> w) {
    const double shrink = 1 / std::sqrt(static_cast<double>(shape.h));
    for (std::size_t i = 0; i < shape.h; ++i) {
      double sum = w[shape.a() + i];
      for (std::size_t j = 0; j < shape.d; ++j) sum += w[i * shape.d + j] * x[j];
      hidden[i] = std::tanh(sum);
    }
    double top = -1e300;
    for (std::size_t c = 0; c < shape.k; ++c) {
      double sum = w[shape.t() + c];
      for (std::size_t i = 0; i < shape.h; ++i) {
        sum += w[shape.u() + c * shape.h + i] * hidden[i] * shrink;
      }
      for (std::size_t j = 0; j < shape.d; ++j) sum += w[shape.s() + c * shape.d + j] * x[j];
      scores[c] = sum;
      top = std::max(top, sum);
    }
    double total = 0;
    for (double& score : scores) total += score = std::exp(score - top);
    for (double& score : scores) score /= total;
  }

  /// The gradient of the loss at class `truth`, after forward().
  void backward(const Shape& shape, std::span<const double> w, std::size_t truth,
                std::span<double> out) {
    const double shrink = 1 / std::sqrt(static_cast<double>(shape.h));
    scores[truth] -= 1;
    for (std::size_t c = 0; c < shape.k; ++c) {
      const double g = scores[c];
      out[shape.t() + c] = g;
      for (std::size_t i = 0; i < shape.h; ++i) {
        out[shape.u() + c * shape.h + i] = g * hidden[i] * shrink;
      }
      for (std::size_t j = 0; j < shape.d; ++j) out[shape.s() + c * shape.d + j] = g * x[j];
    }
    for (std::size_t i = 0; i < shape.h; ++i) {
      double g = 0;
      for (std::size_t c = 0; c < shape.k; ++c) g += scores[c] * w[shape.u() + c * shape.h + i];
      g *= shrink * (1 - hidden[i] * hidden[i]);
      out[shape.a() + i] = g;
      for (std::size_t j = 0; j < shape.d; ++j) out[i * shape.d + j] = g * x[j];
    }
  }
};

/// The first weights: public, the hidden layer's random, the others 0.
std::vector<double> first_weights(const Shape& shape, std::uint64_t seed) {
  std::vector<double> w(shape.size(), 0.0);
  Choices random(seed);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < shape.a(); ++i) w[i] = normal(random);
  for (std::size_t i = shape.a(); i < shape.u(); ++i) w[i] = 0.3 * normal(random);
  return w;
}

constexpr double kMark = 0.25;  ///< beside a vector of length 1, in the first step
constexpr double kClip = 0.5;   ///< of a gradient

std::uint64_t sampling_threshold(double sampling) {
  return static_cast<std::uint64_t>(std::clamp(sampling, 0x1p-40, 1 - 0x1p-40) * 0x1p64);
}

}  // namespace

std::vector<double> Network::probabilities(std::span<const double> encoded) const {
  const Shape shape{features.width(), hidden, classes.size()};
  Pass pass(shape);
  std::copy(encoded.begin(), encoded.end(), pass.x.begin());
  pass.normalise();
  pass.subtract(centre);
  pass.forward(shape, weights);
  return pass.scores;
}

Result<void> check_task(const NetworkTask& task) {
  if (task.features.empty()) return invalid_input("name at least one feature with --features");
  for (const Column& column : task.columns) DISCREET_TRY(check_column(column));
  if (task.columns[task.target].categories.size() < 2) {
    return invalid_input("the target " + in_quotes(task.columns[task.target].name) +
                         " needs at least two classes listed in the policy");
  }
  if (task.hidden < 1 || task.hidden > 4096) return invalid_input("--hidden must be 1 to 4096");
  if (task.steps < 2 || task.steps > 1'000'000) {
    return invalid_input("--steps must be 2 to 1000000");
  }
  if (!(task.sampling > 0 && task.sampling < 1)) {
    return invalid_input("--sampling must lie between 0 and 1");
  }
  return {};
}

plan::Training network_training(const NetworkTask& task, const Epsilon& epsilon,
                                const Delta& delta) {
  return {.epsilon = epsilon,
          .delta = delta,
          .shares = {},
          .sampling = plan::Sampling{sampling_threshold(task.sampling), task.steps}};
}

Result<Network> fit_network(Sums& sums, const NetworkTask& task) {
  DISCREET_TRY(check_task(task));
  Network out;
  out.features = Features(task.columns, task.features);
  out.classes = task.columns[task.target].categories;
  out.hidden = task.hidden;
  const Shape shape{out.features.width(), task.hidden, out.classes.size()};
  std::vector<double> w = first_weights(shape, task.seed);
  std::vector<double> velocity(w.size(), 0.0);
  std::vector<double> mean(w.size(), 0.0);
  Pass pass(shape);
  const auto read = [&](std::span<const std::int64_t> row) -> std::optional<std::size_t> {
    const std::int64_t truth = row[task.target];
    if (truth < 0 || static_cast<std::size_t>(truth) >= shape.k) return std::nullopt;
    if (!out.features.encode(row, pass.x)) return std::nullopt;
    pass.normalise();
    return static_cast<std::size_t>(truth);
  };
  // The first step: the middle of the rows, and how many a sample has, which is not public.
  DISCREET_ASSIGN(const std::vector<double> middle,
                  sums.dense(shape.d + 1, std::sqrt(1 + kMark * kMark),
                             [&](std::span<const std::int64_t> row, std::span<double> v) {
                               if (!read(row)) return;
                               std::copy(pass.x.begin(), pass.x.end(), v.begin());
                               v[shape.d] = kMark;
                             }));
  const double usual = std::max(middle[shape.d], 2 * sums.deviation()) / kMark;
  for (std::size_t i = 0; i < shape.d; ++i) out.centre.push_back(middle[i] / usual);
  if (task.progress) task.progress(1, task.steps);
  std::uint64_t averaged = 0;
  for (std::uint64_t step = 1; step < task.steps; ++step) {
    DISCREET_ASSIGN(const std::vector<double> sum,
                    sums.dense(w.size(), kClip,
                               [&](std::span<const std::int64_t> row, std::span<double> gradient) {
                                 const std::optional<std::size_t> truth = read(row);
                                 if (!truth) return;
                                 pass.subtract(out.centre);
                                 pass.forward(shape, w);
                                 pass.backward(shape, w, *truth, gradient);
                               }));
    for (std::size_t i = 0; i < w.size(); ++i) {
      velocity[i] = task.momentum * velocity[i] + sum[i] / (usual * kClip);
      w[i] -= task.rate * velocity[i];
    }
    if (10 * step >= 7 * task.steps) {
      for (std::size_t i = 0; i < w.size(); ++i) mean[i] += w[i];
      ++averaged;
    }
    if (task.progress) task.progress(step + 1, task.steps);
  }
  if (averaged == 0) {
    mean = w;
    averaged = 1;
  }
  for (double& x : mean) x /= static_cast<double>(averaged);
  out.weights = std::move(mean);
  return out;
}

}  // namespace discreet::learn
