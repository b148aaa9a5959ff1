// SPDX-License-Identifier: Apache-2.0
#include "learn/network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>

#include "learn/choices.h"
#include "learn/parts.h"

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
    for (std::size_t c = 0; c < shape.k; ++c) {
      double sum = w[shape.t() + c];
      for (std::size_t i = 0; i < shape.h; ++i) {
        sum += w[shape.u() + c * shape.h + i] * hidden[i] * shrink;
      }
      for (std::size_t j = 0; j < shape.d; ++j) sum += w[shape.s() + c * shape.d + j] * x[j];
      scores[c] = sum;
    }
    softmax(scores);
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

constexpr double kNetworkMark = 0.25;  ///< beside a vector of length 1, in the first step
constexpr double kClip = 0.5;          ///< of a gradient
constexpr double kRateMax = 1000;

std::uint64_t sampling_threshold(double sampling) {
  return static_cast<std::uint64_t>(std::clamp(sampling, 0x1p-40, 1 - 0x1p-40) * 0x1p64);
}

/// The descent, step by step: what it knows between steps is its state.
class Descent {
 public:
  explicit Descent(const NetworkTask& task)
      : task_(task),
        features_(task.columns, task.features),
        shape_{features_.width(), task.hidden, task.columns[task.target].categories.size()},
        pass_(shape_),
        weights_(first_weights(shape_, task.seed)),
        velocity_(weights_.size(), 0.0),
        mean_(weights_.size(), 0.0),
        centre_(shape_.d, 0.0) {}

  /// The first step that is taken finds the middle of the rows, and how many a sample has, which is
  /// not public.
  Result<void> step(Sums& sums) {
    const std::uint64_t round = sums.rounds_done();
    DISCREET_TRY(usual_ == 0 ? measure(sums) : descend(sums, round));
    taken_ += 1;
    if (task_.progress) DISCREET_TRY(task_.progress(round + 1, task_.steps));
    return {};
  }

  std::string state() const {
    std::string out;
    for (const std::vector<double>* part : {&weights_, &velocity_, &mean_, &centre_}) {
      out.append(reinterpret_cast<const char*>(part->data()), part->size() * sizeof(double));
    }
    const std::array<double, 3> rest{usual_, averaged_, taken_};
    return out.append(reinterpret_cast<const char*>(rest.data()), sizeof(rest));
  }

  /// Fails with: kCorrupt for what is no state of this task.
  Result<void> restore(const std::string& state) {
    if (state.empty()) return {};
    if (state.size() != this->state().size()) {
      return Error{Code::kCorrupt, "the saved state is of another network"};
    }
    const char* at = state.data();
    const auto read = [&](void* to, std::size_t size) {
      std::memcpy(to, at, size);
      at += size;
    };
    for (std::vector<double>* part : {&weights_, &velocity_, &mean_, &centre_}) {
      read(part->data(), part->size() * sizeof(double));
    }
    for (double* number : {&usual_, &averaged_, &taken_}) read(number, sizeof(double));
    return {};
  }

  Network network() const {
    Network out{features_, task_.columns[task_.target].categories, task_.hidden, centre_,
                weights_,  static_cast<std::uint64_t>(taken_)};
    for (std::size_t i = 0; averaged_ > 0 && i < mean_.size(); ++i) {
      out.weights[i] = mean_[i] / averaged_;
    }
    return out;
  }

 private:
  std::optional<std::size_t> read(std::span<const std::int64_t> row) {
    const std::int64_t truth = row[task_.target];
    if (truth < 0 || static_cast<std::size_t>(truth) >= shape_.k) return std::nullopt;
    if (!features_.encode(row, pass_.x)) return std::nullopt;
    pass_.normalise();
    return static_cast<std::size_t>(truth);
  }

  Result<void> measure(Sums& sums) {
    DISCREET_ASSIGN(const std::vector<double> middle,
                    sums.dense(shape_.d + 1, std::sqrt(1 + kNetworkMark * kNetworkMark),
                               [&](std::span<const std::int64_t> row, std::span<double> v) {
                                 if (!read(row)) return;
                                 std::copy(pass_.x.begin(), pass_.x.end(), v.begin());
                                 v[shape_.d] = kNetworkMark;
                               }));
    usual_ = std::max(middle[shape_.d], 2 * sums.deviation()) / kNetworkMark;
    for (std::size_t i = 0; i < shape_.d; ++i) centre_[i] = middle[i] / usual_;
    return {};
  }

  Result<void> descend(Sums& sums, std::uint64_t round) {
    DISCREET_ASSIGN(const std::vector<double> sum,
                    sums.dense(weights_.size(), kClip,
                               [&](std::span<const std::int64_t> row, std::span<double> gradient) {
                                 const std::optional<std::size_t> truth = read(row);
                                 if (!truth) return;
                                 pass_.subtract(centre_);
                                 pass_.forward(shape_, weights_);
                                 pass_.backward(shape_, weights_, *truth, gradient);
                               }));
    const bool late = 10 * round >= 7 * task_.steps;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      velocity_[i] = task_.momentum * velocity_[i] + sum[i] / (usual_ * kClip);
      weights_[i] -= task_.rate * velocity_[i];
      if (late) mean_[i] += weights_[i];
    }
    if (late) averaged_ += 1;
    return {};
  }

  const NetworkTask& task_;
  Features features_;
  Shape shape_;
  Pass pass_;
  std::vector<double> weights_, velocity_, mean_, centre_;
  double usual_ = 0;     // units in a sample; 0: not measured yet
  double averaged_ = 0;  // how many weights mean_ adds up
  double taken_ = 0;     // steps
};

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
  // A rate that makes weights endless would cost its whole price for nothing.
  if (!(task.rate > 0 && task.rate <= kRateMax)) {
    return invalid_input("--rate must be above 0 and at most 1000");
  }
  const double width = static_cast<double>(Features(task.columns, task.features).width());
  const double hidden = static_cast<double>(task.hidden);
  const auto classes = static_cast<double>(task.columns[task.target].categories.size());
  return check_entries(hidden * (width + 1 + classes) + classes * (width + 1),
                       "take a smaller --hidden, or fewer --features");
}

plan::Training network_training(const NetworkTask& task, const Epsilon& epsilon, const Delta& delta,
                                std::uint64_t parts) {
  return {.epsilon = epsilon,
          .delta = delta,
          .shares = {},
          .sampling = plan::Sampling{sampling_threshold(task.sampling), task.steps, parts}};
}

Result<Network> fit_network(Sums& sums, const NetworkTask& task) {
  DISCREET_TRY(check_task(task));
  Descent descent(task);
  while (sums.rounds_left() > 0) DISCREET_TRY(descent.step(sums));
  return descent.network();
}

Result<Network> fit_network(Parts& parts, const NetworkTask& task) {
  DISCREET_TRY(check_task(task));
  Descent descent(task);
  DISCREET_TRY(descent.restore(parts.state()));
  while (true) {
    DISCREET_ASSIGN(const bool more, parts.next(descent.state()));
    if (!more) return descent.network();
    while (parts.sums().rounds_left() > 0) DISCREET_TRY(descent.step(parts.sums()));
  }
}

}  // namespace discreet::learn
