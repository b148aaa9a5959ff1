// SPDX-License-Identifier: Apache-2.0
#include "learn/linear.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "learn/matrix.h"

namespace discreet::learn {

namespace {

// What these numbers are was tried out on other tables than those of the benchmark; none is
// critical. Spreads are of numbers in [-1, 1].
constexpr double kUsualX = 0.12;    ///< the square of a feature's spread, before anything is known
constexpr double kUsualY = 0.15;    ///< the target's
constexpr double kUsualMean = 0.1;  ///< the square of the target's mean
constexpr double kUsualOff = 0.1;   ///< the square of a covariance of two directions, in spreads
constexpr double kUsualOn = 0.3;    ///< how far a variance is from 1, squared, in spreads
constexpr double kNoiseBorne = 0.12;  ///< by each moment, in spreads
constexpr double kAbsolute = 0.8;     ///< the mean of |x| for a spread of 1, about
constexpr double kDoubt = 1.5;  ///< so many deviations below its measure a moment is for intervals

/// Where the rows lie: one mean and spread for all features, one for the target.
struct Place {
  double count = 10;
  double mean_x = 0, spread_x = 1, mean_y = 0, spread_y = 1;
  double doubt = 1;             ///< the deviation of mean_y, in spreads
  double absolute = kAbsolute;  ///< the mean of a feature's |z|; less for marks that are rarely set
};

/// Means over rows, each unit's rows weighing as much as its clipping left of them.
struct Look {
  std::vector<double> means;
  double noise = 0;  ///< the deviation of each mean
};

/// The looks of linear.h. Between them everything is in spreads about the means: z of the features,
/// t of the directions, u of the target.
class Looks {
 public:
  Looks(Sums& sums, const RegressionTask& task, const Features& features)
      : sums_(sums),
        task_(task),
        features_(features),
        d_(features.width()),
        z_(d_),
        pure_(sums.pure()) {}

  Result<void> take() {
    DISCREET_TRY(look_at_place());
    const std::size_t m = directions_borne();
    if (m < d_) {
      DISCREET_TRY(look_for_directions(m));
    } else {
      t_.resize(d_);
      inside_.assign(d_, 1.0);
    }
    DISCREET_TRY(look_at_moments());
    while (sums_.rounds_left() > 0) DISCREET_TRY(look_at_residuals());
    return {};
  }

  /// In encoded features and the target's units.
  void write(Regression& out) const {
    const Column& target = task_.columns[task_.target];
    const double half = (target.high - target.low) / 2;
    const double slope = half * place_.spread_y / place_.spread_x;
    const Cholesky inverse = Cholesky::with_ridge(matrix_, 1e-12);
    double at_means = place_.mean_y + place_.spread_y * offset_;
    for (std::size_t k = 0; k < t_.size(); ++k)
      at_means -= place_.spread_y * means_[k] * slopes_[k];
    out.intercept = (target.low + target.high) / 2 + half * at_means;
    out.residual_deviation = half * place_.spread_y * std::sqrt(unexplained());
    for (std::size_t i = 0; i < d_; ++i) {
      // The interval is that of what settle_marks() will leave: of marks, differences.
      std::vector<double> settled(d_, 0.0), at(t_.size());
      double ignored = 0;
      settled[i] = 1;
      settle_marks(task_.columns, task_.features, settled, ignored);
      for (std::size_t k = 0; k < at.size(); ++k) {
        for (std::size_t j = 0; j < d_; ++j) at[k] += entry(k, j) * settled[j];
      }
      const std::vector<double> noise = times(error_, at);
      const std::vector<double> sample = inverse.solve(at);
      double variance = 1 - inside_[i];
      double coefficient = 0;
      for (std::size_t k = 0; k < at.size(); ++k) {
        variance += at[k] * (noise[k] + sample[k] * unexplained() / place_.count);
        coefficient += entry(k, i) * slopes_[k];
      }
      out.coefficients.push_back(slope * coefficient);
      out.half_widths.push_back(slope * 1.96 * std::sqrt(std::max(variance, 0.0)));
      out.intercept -= slope * coefficient * place_.mean_x;
    }
  }

 private:
  /// Entry i of direction k.
  double entry(std::size_t k, std::size_t i) const {
    return directions_.empty() ? (k == i ? 1 : 0) : directions_[k][i];
  }

  bool read_encoded(std::span<const std::int64_t> row) {
    const Column& target = task_.columns[task_.target];
    const std::int64_t cell = row[task_.target];
    if (cell == kMissing || !features_.encode(row, z_)) return false;
    u_ =
        std::clamp((2 * target.value(cell) - target.low - target.high) / (target.high - target.low),
                   -1.0, 1.0);
    return true;
  }

  bool read(std::span<const std::int64_t> row) {
    if (!read_encoded(row)) return false;
    for (double& x : z_) x = (x - place_.mean_x) / place_.spread_x;
    u_ = (u_ - place_.mean_y) / place_.spread_y;
    for (std::size_t k = 0; k < t_.size(); ++k) {
      t_[k] = directions_.empty()
                  ? z_[k]
                  : std::inner_product(z_.begin(), z_.end(), directions_[k].begin(), 0.0);
    }
    return true;
  }

  Result<void> look_at_place() {
    const double clip = pure_ ? 1.7 : 1.0;
    DISCREET_ASSIGN(
        const std::vector<double> sum,
        sums_.dense(6, clip, [&](std::span<const std::int64_t> row, std::span<double> out) {
          if (!read_encoded(row)) return;
          const double d = static_cast<double>(d_);
          out[0] = 1;
          out[1] = u_;
          for (const double x : z_) {
            out[2] += x / d;
            out[3] += x * x / (2 * d);
            out[5] += std::abs(x) / (2 * d);
          }
          out[4] = u_ * u_ / 2;
        }));
    const double count = std::max(sum[0], 10.0);
    std::vector<double> mean{1};
    for (std::size_t i = 1; i < 6; ++i) mean.push_back(std::clamp(sum[i] / count, -1.0, 1.0));
    // Rows that are usually longer than the clip were all made shorter, their count with them.
    place_.count = count * std::clamp(sums_.norm(mean) / clip, 1.0, 2.5);
    const double noise = sums_.deviation() / count;
    const double square = mean[2] * mean[2];
    place_.mean_x = mean[2] * std::clamp(1 - noise * noise / std::max(square, 1e-12), 0.0, 1.0);
    place_.mean_y = mean[1] * kUsualMean / (kUsualMean + noise * noise);
    // The spreads are believed as far as the noise lets them.
    const double belief = 1 / (1 + std::pow(30 * noise, 2));
    const auto spread = [&](double squares, double middle, double usual) {
      const double found = 2 * squares - middle * middle;
      return std::sqrt(std::clamp(belief * found + (1 - belief) * usual, 0.005, 1.0));
    };
    place_.spread_x = spread(mean[3], place_.mean_x, kUsualX);
    place_.spread_y = spread(mean[4], place_.mean_y, kUsualY);
    const double absolute = std::max(2 * mean[5] + std::abs(place_.mean_x), 0.0) / place_.spread_x;
    place_.absolute = belief * std::min(absolute, kAbsolute) + (1 - belief) * kAbsolute;
    place_.doubt = 1 / std::sqrt(1 / (noise * noise) + 1 / kUsualMean) / place_.spread_y;
    return {};
  }

  /// The usual length of all moments of m directions.
  double moments_length(std::size_t m) const {
    const auto n = static_cast<double>(m);
    const double first = place_.absolute * n;
    return 0.85 * (pure_ ? kAbsolute + (1 + kAbsolute) * first + (n + first * first) / 2
                         : std::sqrt(n * n + 2 * n + 1));
  }

  double residuals_length(std::size_t m) const {
    const auto n = static_cast<double>(m);
    const double left = std::sqrt(0.1 + 0.6 * unexplained());
    return 1.3 * left * (pure_ ? kAbsolute * (1 + place_.absolute * n) : std::sqrt(1 + n));
  }

  /// A unit with many rows is clipped in every look, in each by another factor. So where there may
  /// be such units a look counts what it sums, and its means are those of one set of weights.
  bool counts_itself() const { return task_.rows_each > 1; }

  double clip_of(double length) const { return counts_itself() ? sums_.with_mark(length) : length; }

  /// Where noise is no concern nothing needs to be clipped.
  double widened(double usual) const {
    const double noise = sums_.deviation(sums_.rounds_done(), clip_of(usual)) / place_.count;
    return usual * std::clamp(0.02 / noise, 1.0, 4.0);
  }

  /// What a row counts for in looks at residuals: no more than its features alone left of it in the
  /// moments, for a step by moments overshoots where rows weigh more than they did in them. The
  /// target has no part in it, or slopes would be drawn to 0.
  double weight() const {
    double absolute = 0;
    double squares = 0;
    for (const double x : t_) {
      absolute += std::abs(x);
      squares += x * x;
    }
    const double length = pure_ ? absolute + (absolute * absolute + squares) / 2
                                : std::sqrt(squares + squares * squares);
    return length > moments_clip_ ? moments_clip_ / length : 1;
  }

  Result<Look> look(std::size_t width, double clip,
                    const std::function<void(std::span<double>)>& write) {
    const auto row_function = [&](std::span<const std::int64_t> row, std::span<double> out) {
      if (!read(row)) return 0.0;
      write(out);
      const double w = weight();
      for (double& x : out) x *= w;
      return w;
    };
    Sums::Counted found{{}, place_.count};
    if (counts_itself()) {
      DISCREET_ASSIGN(found, sums_.counted(width, clip, row_function));
    } else {
      DISCREET_ASSIGN(found.sum, sums_.dense(width, clip, row_function));
    }
    for (double& x : found.sum) x /= found.count;
    return Look{std::move(found.sum), sums_.deviation() / found.count};
  }

  /// All features, or as many directions as there are rows to measure the moments of.
  std::size_t directions_borne() const {
    const auto borne = [&](std::size_t m, std::uint64_t round) {
      return sums_.deviation(round, clip_of(moments_length(m))) < kNoiseBorne * place_.count;
    };
    if (borne(d_, 1)) return d_;
    std::size_t m = 1;
    while (m + 1 < d_ && borne(m + 1, 2)) ++m;
    return m;
  }

  /// First the direction in which the target leans, then the features with the largest part in it.
  Result<void> look_for_directions(std::size_t m) {
    const auto d = static_cast<double>(d_);
    const double clip = 0.7 * (pure_ ? place_.absolute * d : std::sqrt(d));
    DISCREET_ASSIGN(
        const std::vector<double> lean,
        sums_.dense(d_, clip, [&](std::span<const std::int64_t> row, std::span<double> out) {
          if (!read(row)) return;
          for (std::size_t i = 0; i < d_; ++i) out[i] = z_[i] * u_;
        }));
    const double noise = sums_.deviation() * sums_.deviation();
    std::vector<double> all = lean;
    for (double& x : all) x *= std::max(0.0, 1 - noise / std::max(2 * x * x, 1e-12));
    if (std::all_of(all.begin(), all.end(), [](double x) { return x == 0; })) all = lean;
    double absolute = 1e-12;
    double squares = 1e-12;
    for (const double x : all) {
      absolute += std::abs(x);
      squares += x * x;
    }
    const double length = std::sqrt(absolute * std::sqrt(squares));
    for (double& x : all) x /= length;
    std::vector<std::size_t> order(d_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::abs(lean[a]) > std::abs(lean[b]);
    });
    inside_.assign(d_, 0.0);
    directions_.push_back(all);
    for (std::size_t k = 0; k + 1 < m; ++k) {
      std::vector<double> one(d_, 0.0);
      one[order[k]] = 1;
      inside_[order[k]] = 1;
      directions_.push_back(std::move(one));
    }
    // How much of a feature lies in the span: beyond the single ones, what the first adds.
    double rest = 1e-12;
    for (std::size_t i = 0; i < d_; ++i) rest += inside_[i] == 1 ? 0 : all[i] * all[i];
    for (std::size_t i = 0; i < d_; ++i) {
      if (inside_[i] != 1) inside_[i] = all[i] * all[i] / rest;
    }
    t_.resize(m);
    return {};
  }

  Result<void> look_at_moments() {
    const std::size_t m = t_.size();
    // In L2 a product of two different entries is measured sqrt(2) times as large, so that the
    // length of all is |t|^2 (moments.h).
    const double twice = pure_ ? 1 : std::sqrt(2.0);
    moments_clip_ = widened(moments_length(m));
    DISCREET_ASSIGN(const Look found,
                    look(2 * m + 1 + m * (m + 1) / 2, moments_clip_, [&](std::span<double> out) {
                      std::size_t at = 0;
                      out[at++] = u_;
                      for (const double x : t_) out[at++] = x;
                      for (const double x : t_) out[at++] = x * u_;
                      for (std::size_t i = 0; i < m; ++i) {
                        out[at++] = t_[i] * t_[i];
                        for (std::size_t j = i + 1; j < m; ++j) out[at++] = twice * t_[i] * t_[j];
                      }
                    }));
    const std::vector<double>& mean = found.means;
    const double noise = found.noise;
    const double variance = noise * noise;
    const double offset = mean[0];
    covariance_ = Symmetric(m);
    const double on = kUsualOn / (kUsualOn + variance);
    const double least = std::min(0.1, noise) + 1e-6;
    for (std::size_t i = 0; i < m; ++i) {
      means_.push_back(mean[1 + i]);
      with_y_.push_back(mean[1 + m + i] - means_[i] * offset);
    }
    double pairs = 10;  // how many the usual covariance counts for
    double squares = pairs * kUsualOff;
    std::size_t at = 1 + 2 * m;
    std::vector<double> measured;  // variances
    for (std::size_t i = 0; i < m; ++i) {
      const double own = mean[at++] - means_[i] * means_[i];
      measured.push_back(own);
      covariance_.set(i, i, std::max(1 + (own - 1) * on, least));
      for (std::size_t j = i + 1; j < m; ++j) {
        covariance_.set(i, j, mean[at++] / twice - means_[i] * means_[j]);
        squares += covariance_(i, j) * covariance_(i, j) - variance;
        pairs += 1;
      }
    }
    // How large covariances are beyond their noise says how far each is to be believed: noise in a
    // row of the matrix would be taken for knowledge of a feature that nobody has.
    const double usual = std::max(squares / pairs, 1e-4);
    const double off = usual / (usual + variance);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = i + 1; j < m; ++j) covariance_.set(i, j, off * covariance_(i, j));
    }
    covariance_ = lifted(covariance_, least);
    double moved = 0;  // how far the diagonal is from what was measured, squared, at most
    for (std::size_t i = 0; i < m; ++i) {
      moved = std::max(moved, std::pow(covariance_(i, i) - measured[i], 2));
    }
    offset_ = offset / (1 + std::pow(noise / place_.doubt, 2));
    offset_variance_ = 1 / (1 / variance + 1 / (place_.doubt * place_.doubt));
    // The ridge that was asked for, in the directions' coordinates.
    ridge_ = Symmetric(m);
    for (std::size_t a = 0; a < m; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        double dot = 0;
        for (std::size_t i = 0; i < d_; ++i) dot += entry(a, i) * entry(b, i);
        ridge_.set(a, b, task_.ridge / (place_.spread_x * place_.spread_x) * dot);
      }
    }
    matrix_ = covariance_;
    for (std::size_t a = 0; a < m; ++a) {
      for (std::size_t b = 0; b <= a; ++b) matrix_.set(a, b, matrix_(a, b) + ridge_(a, b));
    }
    matrix_error_ = variance * off;
    matrix_off_ = matrix_error_ + moved;
    trust_ = Symmetric(m);
    trust_.add_to_diagonal(std::sqrt(static_cast<double>(m)));  // slopes are about 1, all in all
    slopes_.assign(m, 0.0);
    improve(with_y_, variance + matrix_error_ / 2);
    Symmetric lower = matrix_;
    lower.add_to_diagonal(-kDoubt * std::sqrt(matrix_off_));
    doubted_ = lifted(lower, 0.3 * least);
    error_ = Symmetric(m);
    // Before this look the slopes were 0: off by all that they are, as far as the moments tell; and
    // no slope alone explains more than all of the target's variance.
    const std::vector<double> plain = Cholesky::with_ridge(doubted_, 1e-12).solve(with_y_);
    double length = 0;
    for (std::size_t k = 0; k < m; ++k) {
      const double most = std::min(plain[k] * plain[k], 1 / doubted_(k, k));
      error_.set(k, k, most + 1 / std::sqrt(static_cast<double>(m)));
    }
    settle_error();
    for (std::size_t k = 0; k < m; ++k) length += error_(k, k);
    carry_error(variance + matrix_error_ / 2, variance + matrix_off_ * length);
    return {};
  }

  Result<void> look_at_residuals() {
    const std::size_t m = t_.size();
    DISCREET_ASSIGN(const Look found,
                    look(m + 1, widened(residuals_length(m)), [&](std::span<double> out) {
                      double left = u_ - offset_;
                      for (std::size_t k = 0; k < m; ++k) left -= (t_[k] - means_[k]) * slopes_[k];
                      for (std::size_t k = 0; k < m; ++k) out[k] = (t_[k] - means_[k]) * left;
                      out[m] = left;
                    }));
    const double variance = found.noise * found.noise;
    offset_ += found.means[m] * offset_variance_ / (offset_variance_ + variance);
    offset_variance_ = 1 / (1 / offset_variance_ + 1 / variance);
    const std::vector<double> pulled = times(ridge_, slopes_);
    std::vector<double> gradient(m);
    for (std::size_t k = 0; k < m; ++k) gradient[k] = found.means[k] - pulled[k];
    const Cholesky trust = Cholesky::with_ridge(trust_, 1e-12);
    double open = 0;  // the squared error of the slopes so far
    for (std::size_t k = 0; k < m; ++k) {
      std::vector<double> unit(m, 0.0);
      unit[k] = 1;
      open += trust.solve(unit)[k];
    }
    const double assumed = variance + matrix_error_ * std::min(open, 1.0);
    double error = 0;
    for (std::size_t k = 0; k < m; ++k) error += error_(k, k);
    improve(gradient, assumed);
    carry_error(assumed, variance + matrix_off_ * error);
    return {};
  }

  /// The equations matrix * change = gradient, each with noise of that variance, beside those that
  /// were there before: least squares.
  void improve(const std::vector<double>& gradient, double variance) {
    const Symmetric squared = square(matrix_);
    for (std::size_t i = 0; i < t_.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        trust_.set(i, j, trust_(i, j) + squared(i, j) / variance);
      }
    }
    std::vector<double> right = times(matrix_, gradient);
    for (double& x : right) x /= variance;
    const std::vector<double> change = Cholesky::with_ridge(trust_, 1e-12).solve(right);
    for (std::size_t k = 0; k < t_.size(); ++k) slopes_[k] += change[k];
  }

  /// What that does to the slopes' error, for equations that are off by `off`, squared: with
  /// change = G gradient, error' = (1 - G truth) error + G (what the equations are off by). The
  /// true moments are not known: where a feature varies little beside the noise of its variance, a
  /// measure that came out high would promise steps that reach the truth. So the truth is taken
  /// as lower than measured.
  void carry_error(double variance, double off) {
    const std::size_t m = t_.size();
    const Cholesky trust = Cholesky::with_ridge(trust_, 1e-12);
    std::vector<std::vector<double>> by_row(m), kept(m);  // G and 1 - G truth
    for (std::size_t i = 0; i < m; ++i) {
      std::vector<double> unit(m, 0.0);
      unit[i] = 1;
      by_row[i] = times(matrix_, trust.solve(unit));
      for (double& x : by_row[i]) x /= variance;
      kept[i] = times(doubted_, by_row[i]);
      for (double& x : kept[i]) x = -x;
      kept[i][i] += 1;
    }
    Symmetric next(m);
    for (std::size_t i = 0; i < m; ++i) {
      const std::vector<double> along = times(error_, kept[i]);
      for (std::size_t j = 0; j <= i; ++j) {
        next.set(i, j,
                 std::inner_product(along.begin(), along.end(), kept[j].begin(), 0.0) +
                     off * std::inner_product(by_row[i].begin(), by_row[i].end(), by_row[j].begin(),
                                              0.0));
      }
    }
    error_ = std::move(next);
    settle_error();
  }

  /// What all marks of a column share in their slopes is a part of the offset, so that it is no
  /// error of theirs. (Directions that were looked for are no marks.)
  void settle_error() {
    if (!directions_.empty()) return;
    const auto settled = [&](const std::function<double(std::size_t, std::size_t)>& at) {
      std::vector<std::vector<double>> rows(d_, std::vector<double>(d_));
      for (std::size_t i = 0; i < d_; ++i) {
        double ignored = 0;
        for (std::size_t j = 0; j < d_; ++j) rows[i][j] = at(i, j);
        settle_marks(task_.columns, task_.features, rows[i], ignored);
      }
      return rows;
    };
    const auto once = settled([&](std::size_t i, std::size_t j) { return error_(i, j); });
    const auto twice = settled([&](std::size_t i, std::size_t j) { return once[j][i]; });
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) error_.set(i, j, twice[i][j]);
    }
  }

  /// The part of the target's variance that is left.
  double unexplained() const {
    const std::vector<double> along = times(covariance_, slopes_);
    double found = 0;
    for (std::size_t k = 0; k < slopes_.size(); ++k) {
      found += slopes_[k] * (2 * with_y_[k] - along[k]);
    }
    return std::clamp(1 - found, 0.05, 1.0);
  }

  Sums& sums_;
  const RegressionTask& task_;
  const Features& features_;
  std::size_t d_;
  std::vector<double> z_, t_;
  double u_ = 0;
  bool pure_;
  Place place_;
  std::vector<std::vector<double>> directions_;  // empty: the features themselves
  std::vector<double> inside_;                   // for each feature
  double moments_clip_ = 1;
  Symmetric covariance_, ridge_, matrix_;        // matrix = covariance + ridge
  std::vector<double> means_, with_y_, slopes_;  // of the directions
  Symmetric doubted_;                            // matrix_ as low as noise may have hidden
  double matrix_error_ = 0;                      // variance of an entry of covariance_
  double matrix_off_ = 0;                        // the same with what it was drawn and lifted by
  Symmetric trust_;                              // in the slopes: how much each equation counted
  Symmetric error_;                              // the slopes' error, squared
  double offset_ = 0, offset_variance_ = 0;
};

}  // namespace

double Regression::predict(std::span<const double> encoded) const {
  const double y =
      std::inner_product(encoded.begin(), encoded.end(), coefficients.begin(), intercept);
  return std::clamp(y, low, high);
}

Result<void> check_task(const RegressionTask& task) {
  if (task.features.empty()) return invalid_input("name at least one feature with --features");
  for (const Column& column : task.columns) DISCREET_TRY(check_column(column));
  const Column& target = task.columns[task.target];
  if (target.categorical() || target.is_date) {
    return invalid_input("the target " + in_quotes(target.name) +
                         " of a regression must be a number" +
                         (target.is_date ? "" : "; classify it instead"));
  }
  const double width = static_cast<double>(Features(task.columns, task.features).width());
  return check_entries(width * (width + 5) / 2 + 1, "take fewer --features");
}

std::vector<Rational> regression_shares() { return {20, 32, 28, 20}; }

Result<Regression> fit_regression(Sums& sums, const RegressionTask& task) {
  DISCREET_TRY(check_task(task));
  Regression out;
  out.features = Features(task.columns, task.features);
  const Column& target = task.columns[task.target];
  out.target = target.name;
  out.low = target.low;
  out.high = target.high;
  Looks looks(sums, task, out.features);
  DISCREET_TRY(looks.take());
  looks.write(out);
  settle_marks(task.columns, task.features, out.coefficients, out.intercept);
  return out;
}

}  // namespace discreet::learn
