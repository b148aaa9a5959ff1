// SPDX-License-Identifier: Apache-2.0
#include "accounting/loss.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "accounting/constants.h"

namespace discreet::accounting {
namespace {

// The C library's exp, log, expm1, log1p and erfc are within 5 ulp (its manual's table of known
// errors); we allow 8.
constexpr double kLibrary = 16 * kUnit;

/// Pr[N(0,1) > |z|].
double tail(double z) { return 0.5 * std::erfc(std::fabs(z) * 0.70710678118654752440); }

/// How far `tail(z)` may be off, when z itself carries an error of 4u (|z| + shift): the density is
/// at most (|z| + 1) times the tail (Birnbaum's bound on Mills' ratio).
double tail_error(double z, double mass, double shift) {
  const double size = std::fabs(z);
  return mass * (kLibrary + 8 * kUnit * (size + shift) * (size + 1));
}

struct Bracket {
  double low = 0;
  double high = 0;
};

/// A point on the line, and the mass beyond it.
struct Point {
  double z;
  double beyond;
};

Point point(double z) { return {z, std::isinf(z) ? 0 : tail(z)}; }

/// Pr[a < N(0,1) <= b], where each end carries an error of 4u (|z| + shift).
Bracket normal_mass(const Point& a, const Point& b, double shift) {
  if (!(a.z < b.z)) return {};
  double mass = 0;
  if (a.z >= 0) {
    mass = a.beyond - b.beyond;
  } else if (b.z <= 0) {
    mass = b.beyond - a.beyond;
  } else {
    mass = 1 - a.beyond - b.beyond;
  }
  double error = 4 * kUnit * mass;
  if (!std::isinf(a.z)) error += tail_error(a.z, a.beyond, shift);
  if (!std::isinf(b.z)) error += tail_error(b.z, b.beyond, shift);
  return {std::max(0.0, mass - error), std::max(0.0, mass + error)};
}

/// A function of a boundary that remembers its last values: neighbouring cells share a boundary,
/// whichever way one goes through them.
template <class Function>
class Remembered {
 public:
  using Value = std::invoke_result_t<Function, double>;

  explicit Remembered(Function function) : function_(std::move(function)) {}
  Value operator()(double x) {
    for (const auto& [at, value] : last_) {
      if (at == x) return value;
    }
    const Value value = function_(x);
    last_[next_] = {x, value};
    next_ = (next_ + 1) % last_.size();
    return value;
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // equals nothing
  Function function_;
  std::array<std::pair<double, Value>, 3> last_{{{kNone, {}}, {kNone, {}}, {kNone, {}}}};
  std::size_t next_ = 0;
};

Bracket widen(double value, double relative) {
  return {value * (1 - relative), value * (1 + relative)};
}

Atom atom(double loss, double p) {
  const Bracket bp = widen(p, kLibrary);
  const Bracket bq = widen(p * std::exp(-loss), kLibrary * (2 + std::fabs(loss)));
  return {loss, 4 * kUnit * std::fabs(loss), {bp.low, bp.high, bq.low, bq.high}};
}

}  // namespace

Loss gaussian_loss(double mu) {
  Loss out;
  struct Ends {
    Point p;
    Point q;
  };
  const auto ends = [mu](double loss) {
    return Ends{point(loss / mu - mu / 2), point(loss / mu + mu / 2)};
  };
  out.cell = [mu, at = Remembered(ends)](double a, double b) mutable {
    const double shift = mu + 1;
    const Ends left = at(a);
    const Ends right = at(b);
    const Bracket p = normal_mass(left.p, right.p, shift);
    const Bracket q = normal_mass(left.q, right.q, shift);
    return Mass{p.low, p.high, q.low, q.high};
  };
  return out;
}

Loss laplace_loss(double epsilon) {
  Loss out;
  // With x between the two centres the loss is linear in x; everywhere else it is +epsilon or
  // -epsilon.
  out.cell = [epsilon](double a, double b) {
    a = std::clamp(a, -epsilon, epsilon);
    b = std::clamp(b, -epsilon, epsilon);
    if (!(a < b)) return Mass{};
    const double relative = kLibrary * 2 + 4 * kUnit * (1 + epsilon / (b - a));
    const Bracket p = widen(0.5 * std::exp((a - epsilon) / 2) * std::expm1((b - a) / 2), relative);
    const Bracket q =
        widen(-0.5 * std::exp(-(a + epsilon) / 2) * std::expm1(-(b - a) / 2), relative);
    return Mass{p.low, p.high, q.low, q.high};
  };
  out.atoms = {atom(epsilon, 0.5), atom(-epsilon, 0.5 * std::exp(-epsilon))};
  return out;
}

Loss discrete_laplace_loss(double epsilon, unsigned steps) {
  Loss out;
  out.cell = [](double, double) { return Mass{}; };
  // P is centred at 0 and Q at `steps`; z <= 0 has loss epsilon, z >= steps has -epsilon, and z = j
  // in between has epsilon (steps - 2j) / steps. Pr[z <= 0] = 1 / (1 + r), Pr[z >= steps] = r^steps
  // / (1 + r), with r = e^{-epsilon/steps}.
  const double unit = epsilon / steps;
  const double norm = 1 / (1 + std::exp(-unit));
  out.atoms.push_back(atom(epsilon, norm));
  for (unsigned j = 1; j < steps; ++j) {
    out.atoms.push_back(
        atom(epsilon - 2 * unit * j, norm * -std::expm1(-unit) * std::exp(-unit * j)));
  }
  out.atoms.push_back(atom(-epsilon, norm * std::exp(-epsilon)));
  return out;
}

Loss response_loss(double epsilon, double delta) {
  Loss out;
  out.cell = [](double, double) { return Mass{}; };
  const double keep = (1 - delta) / (1 + std::exp(-epsilon));
  const double flip = (1 - delta) * std::exp(-epsilon) / (1 + std::exp(-epsilon));
  out.atoms = {atom(epsilon, keep), atom(-epsilon, flip)};
  out.infinity_low = delta * (1 - 2 * kUnit);
  out.infinity_high = delta * (1 + 2 * kUnit);
  return out;
}

Loss reversed(const Loss& loss) {
  Loss out;
  const auto swapped = [](const Mass& m) { return Mass{m.q_low, m.q_high, m.p_low, m.p_high}; };
  out.cell = [cell = loss.cell, swapped](double a, double b) { return swapped(cell(-b, -a)); };
  out.loss_error = loss.loss_error;
  for (const Atom& a : loss.atoms) out.atoms.push_back({-a.loss, a.loss_error, swapped(a.mass)});
  out.infinity_low = loss.infinity_low;
  out.infinity_high = loss.infinity_high;
  return out;
}

Loss subsampled(const Loss& base, double q) {
  Loss out;
  const auto mixed = [q](const Mass& m) {
    const double low = (1 - q) * m.q_low + q * m.p_low;
    const double high = (1 - q) * m.q_high + q * m.p_high;
    return Mass{low * (1 - 4 * kUnit), high * (1 + 4 * kUnit), m.q_low, m.q_high};
  };
  // L' = ln(1 - q + q e^L) grows with L; its inverse is L = ln(1 + (e^{L'} - 1) / q), and -inf from
  // ln(1-q) downwards.
  const auto inverse = [q](double loss) {
    if (loss > 1)
      return loss - std::log(q) + std::log1p((q - 1) * std::exp(-loss));  // e^L' / q may overflow
    const double x = std::expm1(loss) / q;
    return x <= -1 ? -kInfinity : std::log1p(x);
  };
  out.cell = [cell = base.cell, mixed, at = Remembered(inverse)](double a, double b) mutable {
    const double left = at(a);
    return mixed(cell(left, at(b)));
  };
  out.loss_error = base.loss_error + 64 * kUnit;
  for (const Atom& a : base.atoms) {
    const double loss = std::log1p(q * std::expm1(a.loss));
    out.atoms.push_back({loss, a.loss_error + 16 * kUnit * (1 + std::fabs(loss)), mixed(a.mass)});
  }
  return out;
}

}  // namespace discreet::accounting
