// SPDX-License-Identifier: Apache-2.0
#include "learn/logistic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "learn/moments.h"

namespace discreet::learn {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// E f(sqrt(variance) N), N standard normal.
template <class F>
double gaussian_mean(double variance, const F& f) {
  const double s = std::sqrt(std::max(variance, 0.0));
  double sum = 0;
  double weights = 0;
  for (int i = -40; i <= 40; ++i) {
    const double z = i / 8.0;
    const double w = std::exp(-z * z / 2);
    sum += w * f(s * z);
    weights += w;
  }
  return sum / weights;
}

double slope_at(double x) { return logistic(x) * (1 - logistic(x)); }

/// The k with k E[slope(k t)] = 1, t ~ N(0, q): from discriminant weights to logistic ones.
double logistic_factor(double q) {
  double low = 4;
  double high = 64;
  for (int i = 0; i < 50; ++i) {
    const double k = (low + high) / 2;
    const double value = k * gaussian_mean(q, [&](double t) { return slope_at(k * t); });
    (value < 1 ? low : high) = k;
  }
  return (low + high) / 2;
}

/// The b with E logistic(t + b) = p, t ~ N(0, q).
double intercept_for(double p, double q) {
  double low = -30;
  double high = 30;
  for (int i = 0; i < 60; ++i) {
    const double b = (low + high) / 2;
    (gaussian_mean(q, [&](double t) { return logistic(t + b); }) < p ? low : high) = b;
  }
  return (low + high) / 2;
}

/// What is known of the features' second moments: all of them if there are few, else the diagonal.
class Spread {
 public:
  /// Two rounds.
  static Result<Spread> measure(Sums& sums, const Features& features, const Encode& encode) {
    const std::size_t width = features.width();
    Spread out;
    if (width > (sums.pure() ? 10U : 24U)) {
      DISCREET_ASSIGN(DiagonalMoments found,
                      diagonal_moments(sums, width, encode,
                                       [&](std::size_t i) { return features.is_mark(i); }));
      out.count_ = found.count;
      out.means_ = std::move(found.means);
      out.variances_ = std::move(found.variances);
      return out;
    }
    DISCREET_ASSIGN(const Moments found, moments(sums, width, encode));
    out.count_ = std::max(found.sums(0, 0), 10.0);
    for (std::size_t i = 0; i < width; ++i) {
      out.means_.push_back(std::clamp(found.sums(0, i + 1) / out.count_, -1.0, 1.0));
    }
    const double noise = found.deviation / out.count_;
    Symmetric covariance(width);
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        covariance.set(i, j, found.sums(i + 1, j + 1) / out.count_ - out.means_[i] * out.means_[j]);
      }
      out.variances_.push_back(std::clamp(covariance(i, i), 2 * noise + 1e-6, 1.0 + 2 * noise));
    }
    const double ridge = noise * std::sqrt(static_cast<double>(width)) + 1e-6;
    out.full_ = covariance;
    out.inverse_ = Cholesky::with_ridge(std::move(covariance), ridge);
    return out;
  }

  double count() const { return count_; }
  const std::vector<double>& means() const { return means_; }
  const std::vector<double>& variances() const { return variances_; }

  /// Cov^-1 of a correlation whose entries have noise of variance noise[i]. Without products of
  /// different features each weight is shrunk by how much of it can be noise, the weights' own
  /// size being estimated from all of them.
  std::vector<double> solve(std::span<const double> correlation,
                            std::span<const double> noise) const {
    if (inverse_) return inverse_->solve(correlation);
    std::vector<double> w(correlation.size());
    double size = 0;
    double weight = 0;
    double largest = 0;
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double v = variances_[i];
      w[i] = correlation[i] / v;
      size += (w[i] * w[i] - noise[i] / (v * v)) * v;
      largest += w[i] * w[i] * v;
      weight += v;
    }
    const double prior = std::max(size, 0.02 * largest) / weight;
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double v = variances_[i];
      w[i] *= prior / (prior + noise[i] / (v * v) + 1e-300);
    }
    return w;
  }

  /// w^T Cov w
  double quadratic(std::span<const double> w) const {
    double sum = 0;
    for (std::size_t i = 0; i < w.size(); ++i) {
      if (!inverse_) {
        sum += w[i] * w[i] * variances_[i];
        continue;
      }
      for (std::size_t j = 0; j < w.size(); ++j) sum += w[i] * w[j] * full_(i, j);
    }
    return std::max(sum, 0.0);
  }

 private:
  double count_ = 0;
  std::vector<double> means_, variances_;
  Symmetric full_;
  std::optional<Cholesky> inverse_;
};

/// The sum of residual(row) * (1, a * features), and what it says of the features' covariance with
/// the residual, in the features' own units.
struct Correlation {
  double mean_residual = 0;
  std::vector<double> covariance;
  std::vector<double> noise;  ///< variances
};

struct Reader {
  const ClassifierTask& task;
  const Features& features;
  std::vector<double> x;

  bool read(std::span<const std::int64_t> row) {
    return class_of(task, row) && features.encode(row, x);
  }
};

template <class Residual>
Result<Correlation> correlate(Sums& sums, Reader& reader, const Spread& spread,
                              std::span<const double> a, double clip, const Residual& residual) {
  const std::size_t d = reader.x.size();
  const auto row_function = [&](std::span<const std::int64_t> row, std::span<double> out) {
    if (!reader.read(row)) return 0.0;
    const double r = residual(row);
    out[0] = r;
    for (std::size_t i = 0; i < d; ++i) out[i + 1] = r * a[i] * reader.x[i];
    return 1.0;
  };
  // Residuals of a unit's rows may cancel, which leaves more of them than the spread has counted.
  Sums::Counted found{{}, spread.count()};
  if (reader.task.rows_each > 1) {
    DISCREET_ASSIGN(found, sums.counted(d + 1, clip, row_function));
  } else {
    DISCREET_ASSIGN(found.sum, sums.dense(d + 1, clip, row_function));
  }
  const std::vector<double>& flat = found.sum;
  const double n = found.count;
  Correlation result;
  result.mean_residual = flat[0] / n;
  for (std::size_t i = 0; i < d; ++i) {
    result.covariance.push_back(flat[i + 1] / (n * a[i]) - spread.means()[i] * flat[0] / n);
    const double noise = sums.deviation() / (n * a[i]);
    result.noise.push_back(noise * noise);
  }
  return result;
}

/// Of the rows that have a class.
Result<Spread> spread_of(Sums& sums, const ClassifierTask& task, const Features& features) {
  return Spread::measure(sums, features,
                         [&](std::span<const std::int64_t> row, std::span<double> x) {
                           return class_of(task, row) && features.encode(row, x);
                         });
}

Result<Classifier> fit_two(Sums& sums, const ClassifierTask& task, Classifier out) {
  const std::size_t d = out.features.width();
  Reader reader{task, out.features, std::vector<double>(d)};
  DISCREET_ASSIGN(const Spread spread, spread_of(sums, task, out.features));
  // Features of little variance are measured larger: their weights divide by it.
  std::vector<double> a;
  for (const double v : spread.variances())
    a.push_back(std::pow(v, sums.pure() ? -1.0 / 6 : -0.25));
  double most = 1;
  for (const double x : a) most += x;
  DISCREET_ASSIGN(const double length,
                  length_quantile(sums, 0.9, most, [&](std::span<const std::int64_t> row) {
                    if (!reader.read(row)) return -1.0;
                    for (std::size_t i = 0; i < d; ++i) reader.x[i] *= a[i];
                    return sums.norm(reader.x);
                  }));
  const auto label = [&](std::span<const std::int64_t> row) {
    return row[task.target] == 1 ? 1.0 : 0.0;
  };
  DISCREET_ASSIGN(const Correlation first, correlate(sums, reader, spread, a, 0.5 * (length + 1),
                                                     [&](auto row) { return label(row) - 0.5; }));
  std::vector<double> w = spread.solve(first.covariance, first.noise);
  const double factor = logistic_factor(spread.quadratic(w));
  for (double& x : w) x *= factor;
  const double positive = std::clamp(first.mean_residual + 0.5, 0.001, 0.999);
  double b = intercept_for(positive, spread.quadratic(w)) - dot(spread.means(), w);

  out.intercepts = {b};
  if (sums.terms().rounds() - sums.rounds_done() < 2) {  // the accuracy's round is not ours
    out.weights = {std::move(w)};
    return out;
  }
  // One Newton step; residuals are now smaller than 1/2, and clipped at their usual size.
  DISCREET_ASSIGN(const Correlation second,
                  correlate(sums, reader, spread, a, 0.4 * (length + 1),
                            [&](auto row) { return label(row) - logistic(dot(w, reader.x) + b); }));
  const double q = spread.quadratic(w);
  const double offset = dot(spread.means(), w) + b;
  const double slope =
      std::max(gaussian_mean(q, [&](double t) { return slope_at(t + offset); }), 0.01);
  std::vector<double> covariance = second.covariance;
  std::vector<double> noise = second.noise;
  for (double& x : covariance) x /= slope;
  for (double& x : noise) x /= slope * slope;
  const std::vector<double> step = spread.solve(covariance, noise);
  // A step that is no longer than its noise would be is not taken.
  double expected = 0;
  double length_squared = 0;
  for (std::size_t i = 0; i < d; ++i) {
    const double v = spread.variances()[i];
    expected += noise[i] / v;
    length_squared += covariance[i] * covariance[i] / v;
  }
  const double trust = std::clamp(1 - expected / std::max(length_squared, 1e-300), 0.0, 1.0);
  for (std::size_t i = 0; i < d; ++i) w[i] += trust * step[i];
  b = intercept_for(positive, spread.quadratic(w)) - dot(spread.means(), w);
  out.weights = {std::move(w)};
  out.intercepts = {b};
  return out;
}

/// Discriminants: each class's mean against the pooled spread.
Result<Classifier> fit_many(Sums& sums, const ClassifierTask& task, Classifier out) {
  const std::size_t d = out.features.width();
  const std::size_t k = out.classes.size();
  Reader reader{task, out.features, std::vector<double>(d)};
  DISCREET_ASSIGN(const Spread spread, spread_of(sums, task, out.features));
  const auto centred = [&](std::span<const std::int64_t> row) {
    if (!reader.read(row)) return false;
    for (std::size_t i = 0; i < d; ++i) reader.x[i] -= spread.means()[i];
    return true;
  };
  DISCREET_ASSIGN(const double length, length_quantile(sums, 0.9, 2 * static_cast<double>(d) + 1,
                                                       [&](std::span<const std::int64_t> row) {
                                                         return centred(row) ? sums.norm(reader.x)
                                                                             : -1.0;
                                                       }));
  // A unit's vector stands in its own class's block only, so that classes share the noise.
  const double one = length / 2;
  const double clip = sums.pure() ? length + one : std::hypot(length, one);
  DISCREET_ASSIGN(
      const std::vector<double> flat,
      sums.sparse(k * (d + 1), clip, [&](std::span<const std::int64_t> row, Sums::Pairs& pairs) {
        if (!centred(row)) return;
        const std::size_t first = *class_of(task, row) * (d + 1);
        pairs.emplace_back(first, one);
        for (std::size_t i = 0; i < d; ++i) pairs.emplace_back(first + i + 1, reader.x[i]);
      }));
  for (std::size_t c = 0; c < k; ++c) {
    const double count = std::max(flat[c * (d + 1)] / one, 2 * sums.deviation() / one + 1);
    std::vector<double> mean(flat.begin() + static_cast<std::ptrdiff_t>(c * (d + 1) + 1),
                             flat.begin() + static_cast<std::ptrdiff_t>((c + 1) * (d + 1)));
    const double noise = sums.deviation() / count;
    for (double& x : mean) x /= count;
    std::vector<double> w = spread.solve(mean, std::vector<double>(d, noise * noise));
    out.intercepts.push_back(std::log(count / spread.count()) - dot(w, mean) / 2 -
                             dot(w, spread.means()));
    out.weights.push_back(std::move(w));
  }
  return out;
}

}  // namespace

std::optional<std::size_t> class_of(const ClassifierTask& task, std::span<const std::int64_t> row) {
  const std::int64_t cell = row[task.target];
  const std::size_t classes = task.columns[task.target].categories.size();
  if (cell < 0 || static_cast<std::size_t>(cell) >= classes) return std::nullopt;
  return static_cast<std::size_t>(cell);
}

std::vector<double> Classifier::probabilities(std::span<const double> encoded) const {
  if (weights.size() == 1) {
    const double p = logistic(dot(weights[0], encoded) + intercepts[0]);
    return {1 - p, p};
  }
  std::vector<double> scores;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    scores.push_back(dot(weights[c], encoded) + intercepts[c]);
  }
  softmax(scores);
  return scores;
}

std::size_t Classifier::choose(std::span<const double> encoded) const {
  const std::vector<double> p = probabilities(encoded);
  return static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
}

Result<void> check_task(const ClassifierTask& task) {
  if (task.features.empty()) return invalid_input("name at least one feature with --features");
  if (task.columns[task.target].categories.size() < 2) {
    return invalid_input("the target " + in_quotes(task.columns[task.target].name) +
                         " needs at least two classes listed in the policy");
  }
  for (const Column& column : task.columns) DISCREET_TRY(check_column(column));
  const double width = static_cast<double>(Features(task.columns, task.features).width());
  return check_entries(
      (width + 1) * static_cast<double>(task.columns[task.target].categories.size()),
      "take fewer --features");
}

std::vector<Rational> classifier_shares(const ClassifierTask& task, const Epsilon& epsilon,
                                        const Delta& delta) {
  // Lengths, moments, lengths, correlations (and the Newton step); the accuracy.
  if (task.columns[task.target].categories.size() > 2) return {4, 25, 4, 62, 5};
  const auto width = static_cast<std::int64_t>(Features(task.columns, task.features).width());
  if (delta.value() == 0 && epsilon.value() * 200 < Rational(width)) return {3, 30, 3, 60, 4};
  return {3, 26, 3, 43, 20, 5};
}

Result<Classifier> fit_classifier(Sums& sums, const ClassifierTask& task) {
  DISCREET_TRY(check_task(task));
  Classifier out;
  out.features = Features(task.columns, task.features);
  out.classes = task.columns[task.target].categories;
  const bool two = out.classes.size() == 2;
  DISCREET_ASSIGN(Classifier found,
                  two ? fit_two(sums, task, std::move(out)) : fit_many(sums, task, std::move(out)));
  for (std::size_t c = 0; c < found.weights.size(); ++c) {
    settle_marks(task.columns, task.features, found.weights[c], found.intercepts[c]);
  }
  return found;
}

Result<std::vector<AccuracyEstimate>> estimate_accuracy(Sums& sums, const Classifier& classifier,
                                                        const ClassifierTask& task,
                                                        std::size_t group) {
  std::vector<double> x(classifier.features.width());
  return estimate_accuracy(
      sums,
      [&](std::span<const std::int64_t> row) -> std::optional<std::size_t> {
        if (!classifier.features.encode(row, x)) return std::nullopt;
        return classifier.choose(x);
      },
      task, group);
}

Result<std::vector<AccuracyEstimate>> estimate_accuracy(Sums& sums, const Choose& choose,
                                                        const ClassifierTask& task,
                                                        std::size_t group) {
  const bool grouped = group < task.columns.size();
  const std::size_t groups = grouped ? task.columns[group].categories.size() : 0;
  // Each group, and those in none: rows, and rows that are right. A row counts in one of them.
  const double clip = sums.pure() ? 2 : std::sqrt(2.0);
  DISCREET_ASSIGN(const std::vector<double> counts,
                  sums.sparse(2 * (groups + 1), clip,
                              [&](std::span<const std::int64_t> row, Sums::Pairs& pairs) {
                                const std::optional<std::size_t> truth = class_of(task, row);
                                if (!truth) return;
                                const std::optional<std::size_t> chosen = choose(row);
                                if (!chosen) return;
                                const std::int64_t g = grouped ? row[group] : 0;
                                const bool listed = g >= 0 && static_cast<std::size_t>(g) < groups;
                                const std::size_t at =
                                    2 * (listed ? static_cast<std::size_t>(g) : groups);
                                pairs.emplace_back(at, 1.0);
                                if (*chosen == *truth) pairs.emplace_back(at + 1, 1.0);
                              }));
  std::vector<AccuracyEstimate> out;
  const auto add = [&](double count, double right, double parts) {
    const double n = std::max(count, 1.0);
    // The noise of right/count: of both, the count's weighed by the accuracy (at most 1).
    const double half = 1.96 * sums.deviation() * std::sqrt(2.0 * parts) / n;
    out.push_back({count, std::clamp(right / n, 0.0, 1.0), std::min(half, 1.0)});
  };
  double count = 0;
  double right = 0;
  for (std::size_t g = 0; g <= groups; ++g) {
    count += counts[2 * g];
    right += counts[2 * g + 1];
  }
  add(count, right, static_cast<double>(groups + 1));
  for (std::size_t g = 0; g < groups; ++g) add(counts[2 * g], counts[2 * g + 1], 1);
  return out;
}

}  // namespace discreet::learn
