// SPDX-License-Identifier: Apache-2.0
#include "accounting/convolve.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "accounting/constants.h"
#include "accounting/fft.h"
#include "accounting/wide.h"
#include "base/check.h"

namespace discreet::accounting {

/// K(t) = sum of counts times ln E[e^{t L}], with its first two derivatives: value, mean and
/// variance of the tilted sum.
struct Cumulant {
  double value = 0;
  double mean = 0;
  double variance = 0;
};

namespace {

constexpr std::size_t kWindowMax = std::size_t{1} << 19;
constexpr double kOutside = 1e-13;  // tilted mass that may lie outside the window
constexpr double kWhole = 1 << 15;  // sums with so few values are composed whole
constexpr std::size_t kBlock = 64;  // entries that are summed at a time; divides every window
constexpr std::size_t kLanes = 8;   // sums that run side by side

double value_at(const GridLoss& loss, std::size_t i) {
  return loss.grid.offset + static_cast<double>(loss.first + static_cast<long>(i)) * loss.grid.step;
}

/// ln(a + b) from ln a and ln b.
double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == -kInfinity ? a : a + std::log1p(std::exp(b - a));
}

Cumulant cumulant(const GridLoss& loss, double t) {
  // Horner's rule towards the end that the tilt favours: s[m] is the sum of p_i r^d d^m, d the
  // distance from that end and r = e^{-|t| step}; no overflow, as r <= 1.
  const double r = std::exp(-std::fabs(t) * loss.grid.step);
  double s0 = 0;
  double s1 = 0;
  double s2 = 0;
  const auto take = [&](double p) {
    s2 = r * (s2 + 2 * s1 + s0);
    s1 = r * (s1 + s0);
    s0 = r * s0 + p;
    if (s0 < 1e-290) s0 = s1 = s2 = 0;  // subnormal numbers are slow
  };
  const std::size_t n = loss.p.size();
  if (t >= 0) {
    for (std::size_t i = 0; i < n; ++i) take(loss.p[i]);
  } else {
    for (std::size_t i = n; i-- > 0;) take(loss.p[i]);
  }
  const double end = value_at(loss, t >= 0 ? n - 1 : 0);
  const double away = t >= 0 ? -loss.grid.step : loss.grid.step;
  const double distance = s1 / s0;
  return {std::log(s0) + t * end, end + away * distance,
          std::max(0.0, s2 / s0 - distance * distance) * loss.grid.step * loss.grid.step};
}

/// The sum of p_i r^d, d the distance from the last entry, or from the first.
DISCREET_WIDE double power_sum(const double* p, std::size_t n, double r, bool from_last) {
  std::array<double, kBlock> powers;
  double power = 1;
  for (std::size_t i = 0; i < kBlock; ++i, power *= r)
    powers[from_last ? kBlock - 1 - i : i] = power;
  // The far end first, by Horner's rule: single entries, then whole blocks.
  double sum = 0;
  const std::size_t odd = n % kBlock;
  for (std::size_t i = 0; i < odd; ++i) sum = r * sum + p[from_last ? i : n - 1 - i];
  for (std::size_t block = 0; block < n / kBlock; ++block) {
    const double* at = p + (from_last ? odd + block * kBlock : n - odd - (block + 1) * kBlock);
    std::array<double, kLanes> lanes{};
    for (std::size_t i = 0; i < kBlock; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        lanes[lane] += at[i + lane] * powers[i + lane];
    }
    sum *= power;
    if (sum < 1e-290) sum = 0;  // subnormal numbers are slow
    for (const double lane : lanes) sum += lane;
  }
  return sum;
}

/// K(t) alone: much quicker, and what minima are looked for by.
double log_moment(const std::vector<Uses>& uses, double t) {
  double total = 0;
  for (const Uses& use : uses) {
    const GridLoss& loss = use.loss;
    const std::size_t n = loss.p.size();
    const double r = std::exp(-std::fabs(t) * loss.grid.step);
    const double sum = power_sum(loss.p.data(), n, r, t >= 0);
    total += use.count * (std::log(sum) + t * value_at(loss, t >= 0 ? n - 1 : 0));
  }
  return total;
}

Cumulant cumulant(const std::vector<Uses>& uses, double t) {
  Cumulant total;
  for (const Uses& use : uses) {
    const Cumulant one = cumulant(use.loss, t);
    total.value += use.count * one.value;
    total.mean += use.count * one.mean;
    total.variance += use.count * one.variance;
  }
  // A sum that hardly varies is still spread over a step: keeps the window and the tilts finite.
  const double step = uses.front().loss.grid.step;
  total.variance = std::max(total.variance, step * step);
  return total;
}

/// The t that minimises a function that falls and then rises in ln t: golden section, one new
/// evaluation a round.
template <class Function>
double best_tilt(const Function& f) {
  constexpr double kGolden = 0.6180339887498949;
  double low = std::log(1e-4);
  double high = std::log(1e6);
  double a = high - kGolden * (high - low);
  double b = low + kGolden * (high - low);
  double at_a = f(std::exp(a));
  double at_b = f(std::exp(b));
  for (int round = 0; round < 16; ++round) {
    if (at_a < at_b) {
      high = std::exchange(b, a);
      at_b = at_a;
      a = high - kGolden * (high - low);
      at_a = f(std::exp(a));
    } else {
      low = std::exchange(a, b);
      at_a = at_b;
      b = low + kGolden * (high - low);
      at_b = f(std::exp(b));
    }
  }
  return std::exp((low + high) / 2);
}

/// ln of Chernoff's bound on the tilted mass beyond `distance` from the mean, on the side of
/// `sign`, tried at some tilts.
double log_chernoff(const std::vector<Uses>& uses, double t, const Cumulant& at, double edge,
                    double sign) {
  double best = 0;
  double rounding = 1e-9 * (1 + std::fabs(at.value));
  for (const Uses& use : uses)
    rounding += use.count * 4 * kUnit * static_cast<double>(use.loss.p.size());
  const double natural = std::min(std::fabs(edge - at.mean) / at.variance, 1e6);
  for (double factor : {0.02, 0.05, 0.1, 0.2, 0.35, 0.6, 1.0}) {
    const double s = sign * factor * natural;
    const double bound = log_moment(uses, t + s) - at.value - s * edge;
    best = std::min(best, bound + rounding);
  }
  return best;
}

/// Sums over the frequencies 0 to n/2, each counted twice: more than those over all n.
struct Norms {
  double norm_1 = 0;  // of the product
  double square = 0;
  double rest_1 = 0;
  double rest_square = 0;
};

DISCREET_WIDE Norms norms(const Spectrum& product, const std::vector<double>& rest) {
  std::array<double, kLanes> norm_1{};
  std::array<double, kLanes> square{};
  std::array<double, kLanes> rest_1{};
  std::array<double, kLanes> rest_square{};
  const auto take = [&](std::size_t i, std::size_t lane) {
    const double size = product.re[i] * product.re[i] + product.im[i] * product.im[i];
    norm_1[lane] += 2 * std::sqrt(size);
    square[lane] += 2 * size;
    rest_1[lane] += 2 * rest[i];
    rest_square[lane] += 2 * rest[i] * rest[i];
  };
  const std::size_t whole = rest.size() / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) take(i + lane, lane);
  }
  for (std::size_t i = whole; i < rest.size(); ++i) take(i, 0);
  Norms out;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    out.norm_1 += norm_1[lane];
    out.square += square[lane];
    out.rest_1 += rest_1[lane];
    out.rest_square += rest_square[lane];
  }
  return out;
}

/// For each block, the sums of max(0, mass + error) times the powers of two factors.
DISCREET_WIDE void block_sums(const std::vector<double>& mass, double error, double decay,
                              double discount, double* weight, double* discounted) {
  std::array<double, kBlock> first;
  std::array<double, kBlock> second;
  first[0] = second[0] = 1;
  for (std::size_t i = 1; i < kBlock; ++i) {
    first[i] = first[i - 1] * decay;
    second[i] = second[i - 1] * discount;
  }
  for (std::size_t block = 0; block < mass.size() / kBlock; ++block) {
    const double* at = mass.data() + block * kBlock;
    std::array<double, kLanes> a{};
    std::array<double, kLanes> b{};
    for (std::size_t i = 0; i < kBlock; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const double m = at[i + lane] + error;
        const double kept = m > 0 ? m : 0;
        a[lane] += kept * first[i + lane];
        b[lane] += kept * second[i + lane];
      }
    }
    weight[block] = discounted[block] = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      weight[block] += a[lane];
      discounted[block] += b[lane];
    }
  }
}

}  // namespace

double tilt_for_delta(const std::vector<Uses>& uses, double delta) {
  return best_tilt([&](double t) { return (log_moment(uses, t) - std::log(delta)) / t; });
}

double tilt_for_epsilon(const std::vector<Uses>& uses, double epsilon) {
  return best_tilt([&](double t) { return log_moment(uses, t) - t * epsilon; });
}

/// The tilted masses in a window, and all that bounds their errors.
struct Composed::Window {
  std::vector<double> mass;  // entry i stands for first_value + i step
  double entry_error = 0;
  double step = 0;
  double first_value = 0;
  double tilt = 0;
  Cumulant at;
  double slack = 0;
  double no_infinity = 0;  // ln of the probability that no use is a giveaway
  double log_left = 0;     // ln of the tilted mass left and right of the window
  double log_right = 0;
  double relative = 0;  // of every weight
};

// One computation, in the order of pld.md: its error terms are read together.
// NOLINTNEXTLINE(readability-function-size)
Composed::Window Composed::window(const std::vector<Uses>& uses, double tilt) {
  DISCREET_CHECK(!uses.empty());
  Window out;
  out.step = uses.front().loss.grid.step;
  double offset = 0;
  // A sum with few values fits a window whole. A large tilt would then let its lower end underflow,
  // and is not needed.
  double values = 1;
  double least = 0;
  for (const Uses& use : uses) {
    DISCREET_CHECK(use.loss.grid.step == out.step);
    offset += use.count * use.loss.grid.offset;
    out.no_infinity += use.count * std::log1p(-std::min(use.loss.infinity, 1 - kUnit));
    out.slack += use.count * (use.loss.slack + 16 * kUnit * std::fabs(use.loss.grid.offset));
    values += use.count * static_cast<double>(use.loss.p.size() - 1);
    least += use.count * static_cast<double>(use.loss.first);
  }
  const bool all_inside = values <= kWhole;
  const double t = all_inside ? std::min(tilt, 600 / (values * out.step)) : tilt;
  out.tilt = t;
  out.at = cumulant(uses, t);
  const double deviation = std::sqrt(out.at.variance);
  std::size_t size =
      std::bit_ceil(static_cast<std::size_t>(std::min(17 * deviation / out.step, 1e9)) + 64);
  size = std::min(size, kWindowMax);
  const auto even = [](long i) { return i - (i & 1); };
  long first = 0;  // entry i of the window stands for offset + (first + i) step
  if (all_inside) {
    size = std::bit_ceil(std::max(kBlock, static_cast<std::size_t>(values) + 8));
    first = even(static_cast<long>(least));
    out.log_left = out.log_right = -kInfinity;
  }
  const double greatest = least + values - 1;
  for (; !all_inside; size *= 2) {
    // Around the mean, but not beyond the ends of what the sum can be: losses on samples end
    // abruptly on the left, and reach far to the right.
    const auto width = static_cast<double>(size);
    const double centred = std::floor((out.at.mean - offset) / out.step) - width / 2;
    const double start = std::max(std::min(centred, greatest + 2 - width), least);
    first = even(static_cast<long>(start));
    const double low = offset + static_cast<double>(first) * out.step;
    const bool whole_left = static_cast<double>(first) <= least;
    const bool whole_right = static_cast<double>(first) + width > greatest;
    out.log_left = whole_left ? -kInfinity : log_chernoff(uses, t, out.at, low, -1);
    out.log_right =
        whole_right ? -kInfinity : log_chernoff(uses, t, out.at, low + width * out.step, 1);
    if (log_add(out.log_left, out.log_right) <= std::log(kOutside) || size >= kWindowMax) break;
  }
  out.first_value = offset + static_cast<double>(first) * out.step;

  const auto plan = Fourier::shared(size);
  const Fourier& fourier = *plan;
  const double r = fourier.relative_error();
  const double root = std::sqrt(static_cast<double>(size));
  Spectrum product(size);
  std::fill(product.re.begin(), product.re.end(), 1.0);
  std::vector<double> rest(size / 2 + 1, 1.0);  // the product of (|X| + error)^{count - 1}
  double forward_2 = 0;                         // sum of counts times the 2-norms of forward errors
  double forward_most = 0;                      // the same for the largest entry of an error
  double count = 0;
  out.relative = 1e-10;
  const long n = static_cast<long>(size);
  for (const Uses& use : uses) {
    const double k = cumulant(use.loss, t).value;
    Spectrum x(size);
    double square = 0;
    auto index = static_cast<std::size_t>((use.loss.first % n + n) % n);
    for (std::size_t i = 0; i < use.loss.p.size(); ++i, index = (index + 1) & (size - 1)) {
      if (use.loss.p[i] <= 0) continue;
      const double w = use.loss.p[i] * std::exp(t * value_at(use.loss, i) - k);
      x.at(index) += w;
      square += w * w;
    }
    const double farthest = std::max(std::fabs(value_at(use.loss, 0)),
                                     std::fabs(value_at(use.loss, use.loss.p.size() - 1)));
    out.relative += use.count * 8 * kUnit * (8 + t * farthest + std::fabs(k));
    fourier.forward(x);
    const double error_2 = r * root * std::sqrt(square) + 4 * kUnit;
    const double error = std::min(error_2, 2.02 * r);
    forward_2 += use.count * error_2;
    forward_most += use.count * error;
    count += use.count;
    multiply_power(product, rest, x, use.count, error);
  }
  const Norms norm = norms(product, rest);
  fourier.inverse(product);
  const double forward =
      1.001 * std::min(forward_2 * std::sqrt(norm.rest_square), forward_most * norm.rest_1);
  out.entry_error = (12 * kUnit * count * norm.norm_1 + forward) / static_cast<double>(size) +
                    r * std::sqrt(norm.square) / root + 1e-130;
  out.mass.resize(size);
  auto pair = static_cast<std::size_t>((first % n + n) % n) / 2;
  for (std::size_t i = 0; i < size; i += 2, pair = (pair + 1) & (size / 2 - 1)) {
    out.mass[i] = product.re[pair];
    out.mass[i + 1] = product.im[pair];
  }
  return out;
}

Composed Composed::read(const std::shared_ptr<const Window>& shared, Side side) {
  Composed out;
  const Window& window = *shared;
  const double sign = side == Side::kUpper ? 1 : -1;
  const double t = window.tilt;
  const std::size_t size = window.mass.size();
  out.window_ = shared;
  out.side_ = side;
  out.entries_ = size;
  out.step_ = window.step;
  out.tilt_ = t;
  out.slack_ = window.slack;
  out.first_value_ = window.first_value;
  out.centre_ = window.at.mean;
  out.log_infinity_ = std::log(-std::expm1(window.no_infinity) * (1 + sign * 1e-12));
  out.log_scale_ = window.at.value - t * window.at.mean + sign * window.relative;
  out.log_outside_ = window.at.value + window.log_right -
                     t * (out.first_value_ + static_cast<double>(size) * out.step_) +
                     window.relative;
  out.log_left_ = window.at.value + window.log_left + window.relative;
  out.log_images_ = window.at.value + log_add(window.log_left, window.log_right) + window.relative -
                    t * window.at.mean;
  out.error_ = sign * window.entry_error;
  out.decay_ = std::exp(-t * out.step_);
  out.discount_ = out.decay_ * std::exp(-out.step_);
  // Suffix sums, relative to each block's first entry: those of the block itself, and on.
  const std::size_t blocks = size / kBlock;
  std::vector<double> weight(blocks);
  std::vector<double> discounted(blocks);
  block_sums(window.mass, out.error_, out.decay_, out.discount_, weight.data(), discounted.data());
  const double decay = std::pow(out.decay_, kBlock);
  const double discount = std::pow(out.discount_, kBlock);
  out.blocks_.resize(blocks + 1);
  for (std::size_t i = blocks; i-- > 0;) {
    const Suffix& next = out.blocks_[i + 1];
    // A subnormal times the decay rounds to itself for ever. (The upper side adds to every entry.)
    out.blocks_[i].weight = weight[i] + (next.weight < 1e-280 ? 0 : decay * next.weight);
    out.blocks_[i].discounted =
        discounted[i] + (next.discounted < 1e-280 ? 0 : discount * next.discounted);
  }
  return out;
}

Composed::Suffix Composed::suffix(std::size_t first) const {
  const std::size_t block = (first + kBlock - 1) / kBlock;
  Suffix out = blocks_[block];
  for (std::size_t i = block * kBlock; i-- > first;) {
    const double mass = std::max(0.0, window_->mass[i] + error_);
    out.weight = mass + decay_ * out.weight;
    out.discounted = mass + discount_ * out.discounted;
  }
  return out;
}

Composed Composed::of(const std::vector<Uses>& uses, Side side, double tilt) {
  return read(std::make_shared<const Window>(window(uses, tilt)), side);
}

std::pair<Composed, Composed> Composed::enclosing(const std::vector<Uses>& uses, Side side,
                                                  double tilt) {
  const auto both = std::make_shared<const Window>(window(uses, tilt));
  std::pair<Composed, Composed> out{read(both, Side::kUpper), read(both, Side::kLower)};
  // The slack belongs to the sum: read both at one place.
  Composed& other = side == Side::kUpper ? out.second : out.first;
  other.slack_ = -other.slack_;
  return out;
}

double Composed::finite_log_delta(double epsilon) const {
  // The first entry whose loss exceeds epsilon.
  const double position = std::floor((epsilon - first_value_) / step_) + 1;
  const double last = static_cast<double>(entries_);
  const auto i = static_cast<std::size_t>(std::clamp(position, 0.0, last));
  const double value = first_value_ + static_cast<double>(i) * step_;
  // sum over j >= i of m_j e^{-t (l_j - l_i)} (1 - e^{eps - l_j})
  const double factor = std::exp(std::min(epsilon - value, 700.0));
  const double sign = side_ == Side::kUpper ? 1 : -1;
  const Suffix from = suffix(i);
  const double sum =
      from.weight * (1 + sign * 1e-12) - factor * from.discounted * (1 - sign * 1e-12);
  if (!(sum > 0)) return -kInfinity;
  return log_scale_ - tilt_ * (value - centre_) + std::log(sum);
}

double Composed::log_delta(double epsilon) const {
  if (side_ == Side::kUpper) {
    const double at = epsilon - slack_;
    double sum = log_add(log_add(finite_log_delta(at), log_outside_), log_infinity_);
    // What lies between epsilon and the window, weighted back at most as at epsilon.
    if (at < first_value_) sum = log_add(sum, log_left_ - tilt_ * at);
    return std::min(0.0, sum);
  }
  // Images carry at most the outside mass, weighted back at most as at epsilon itself.
  const double finite = finite_log_delta(epsilon + slack_);
  const double images = log_images_ - tilt_ * (epsilon - centre_);
  const double kept =
      images < finite ? finite + std::log1p(-std::exp(images - finite)) : -kInfinity;
  return log_add(kept, log_infinity_);
}

double Composed::epsilon(double delta, double least) const {
  const double target = std::log(delta);
  const auto bisect = [&](double low, double high) {  // log_delta(low) > target >= log_delta(high)
    for (int round = 0; round < 200 && high - low > 1e-14 * (1 + std::fabs(high)); ++round) {
      const double middle = (low + high) / 2;
      (log_delta(middle) <= target ? high : low) = middle;
    }
    return side_ == Side::kUpper ? high : low;
  };
  const double end = first_value_ + static_cast<double>(entries_) * step_;
  if (side_ == Side::kUpper) {
    if (log_delta(least) <= target) return least;
    return log_delta(end) > target ? kInfinity : bisect(least, end);
  }
  // The lower bound is sharp near the tilted mean only; any epsilon at which it exceeds delta will
  // do, so look from there to the left.
  if (!(end > least)) return least;
  double high = end;
  const double stride = std::max((end - centre_) / 16, std::fabs(centre_) / 64);
  for (double low = std::min(centre_, end); low >= least; low -= stride) {
    if (log_delta(low) > target) return bisect(low, high);
    high = low;
  }
  return log_delta(least) > target ? bisect(least, high) : least;
}

}  // namespace discreet::accounting
