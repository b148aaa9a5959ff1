// SPDX-License-Identifier: Apache-2.0
#include "mechanism/partition_selection.h"

#include <utility>

#include "mechanism/draws.h"
#include "random/bernoulli.h"
#include "random/weights.h"

namespace discreet::mechanism {
namespace {

constexpr int kTableMax = 100'000;  // larger counts work their coin out when they come
constexpr int kTableEpsilonMax = 4096;
constexpr int kDeltaBitsMax = 4096;  // keeps the precision that the closed form needs within bounds

/// The closed form's ingredients at one precision.
struct Terms {
  const PartitionSelection::Options& options;
  int precision;

  Interval of(const Rational& x) const { return Interval::around(x, precision); }
  Interval delta() const { return of(options.delta.value()); }
  /// e^{n epsilon} - 1
  Interval grown(const Integer& n) const {
    return expm1(of(Rational(n) * options.epsilon.value()));
  }
  /// 1 - e^-epsilon, which does not overflow when epsilon is huge.
  Interval shrunk() const { return of(0) - expm1(of(-options.epsilon.value())); }
  /// delta (e^{n epsilon} - 1) / (e^epsilon - 1); a point for n = 1.
  Interval rising(const Integer& n) const {
    return n == 1 ? delta() : delta() * grown(n) / grown(1);
  }
  /// 1 - rising(n); without cancellation for n = 1, where epsilon may be huge.
  Interval left(const Integer& n) const {
    return n == 1 ? of(1 - options.delta.value()) : of(1) - rising(n);
  }
};

/// The least n >= 1 with rising(n) > (1 - delta) / (1 + e^epsilon): floor(x) + 1, because x is
/// never an integer.
Integer find_turn(const PartitionSelection::Options& options) {
  return 1 + floor_scaled(
                 [&](int precision) {
                   const Terms t{options, precision};
                   const Rational& delta = options.delta.value();
                   const Interval half_angle = t.shrunk() / (t.of(2) - t.shrunk());
                   return log(t.of(1) + t.of((1 - delta) / delta) * half_angle) /
                          t.of(options.epsilon.value());
                 },
                 0);
}

/// The least m >= 1 with 1 - p(turn + m) <= 0, likewise. The logarithm's argument is taken times
/// e^-epsilon, and epsilon given back outside it.
Integer find_last_stretch(const PartitionSelection::Options& options, const Integer& turn) {
  if (options.delta.value() >= Rational::ratio(1, 2)) return 1;  // then 1 - p(1) - delta <= 0
  return 2 + floor_scaled(
                 [&](int precision) {
                   // The ratio is positive; with too few digits for left(), that cannot be seen. A
                   // turn past 1 has e^epsilon < 1/delta, so twice delta's bits are enough.
                   for (int enough = precision;; enough *= 2) {
                     const Terms t{options, enough};
                     const Interval ratio =
                         t.shrunk() * t.left(turn) / t.delta() + (t.of(1) - t.shrunk());
                     if (certainly_less(t.of(0), ratio)) {
                       return log(ratio) / t.of(options.epsilon.value());
                     }
                   }
                 },
                 0);
}

constexpr int kBinaryDigits = 64;
constexpr int kGuard = 64;

/// How many bits 1/delta has, at most.
int bits_of(const Delta& delta) {
  return static_cast<int>(mpz_sizeinbase(Rational(1 / delta.value()).ceil().get_mpz_t(), 2));
}

/// One counts as 0.111...
std::uint64_t first_word(const Integer& digits) {
  return mpz_sizeinbase(digits.get_mpz_t(), 2) > kBinaryDigits ? ~std::uint64_t{0}
                                                               : digits.get_ui();
}

}  // namespace

PartitionSelection::PartitionSelection(Options options, Integer turn)
    : options_(std::move(options)),
      turn_(std::move(turn)),
      always_from_(turn_ + find_last_stretch(options_, turn_)),
      always_(fits_int128(always_from_) ? to_int128(always_from_) : kInt128Max),
      table_(std::make_shared<const std::vector<random::Bracket>>(brackets())) {}

std::vector<random::Bracket> PartitionSelection::brackets() const {
  using random::FixedInterval;
  std::vector<random::Bracket> out;
  const Rational& epsilon = options_.epsilon.value();
  if (epsilon > Rational(kTableEpsilonMax)) return out;
  const int bits = kBinaryDigits + kGuard + bits_of(options_.delta);
  const auto fixed = [&](const Interval& x) { return random::to_fixed(x, bits); };
  // e^epsilon has less than 2 epsilon digits before the point.
  const int precision = bits + 2 * static_cast<int>(epsilon.ceil().get_si());
  const FixedInterval one = random::fixed_one(bits);
  const FixedInterval grow = fixed(exp(Interval::around(epsilon, precision)));
  const FixedInterval shrink = random::fixed_exp(-epsilon, bits);
  const FixedInterval delta = fixed(Interval::around(options_.delta.value(), precision));

  FixedInterval p{0, 0};
  const auto surplus = static_cast<unsigned>(bits - kBinaryDigits);
  for (Integer n = 1; n < always_from_ && n <= kTableMax; ++n) {
    p = n <= turn_ ? sum(product(grow, p, bits), delta)
                   : difference(one, product(shrink, difference(difference(one, p), delta), bits));
    out.push_back({first_word(p.low >> surplus), first_word(p.high >> surplus)});
  }
  // p(1) = delta is rational: a flip may end where its digits do.
  if (!out.empty()) out[0] = random::bracket_of(real(options_.delta.value()));
  return out;
}

Result<PartitionSelection> PartitionSelection::make(Options options) {
  if (options.delta.value() < power_of_two(-kDeltaBitsMax)) {
    return invalid_input(
        "partition selection needs a delta of at least 2^-4096, such as 1e-6: with delta 0 no key "
        "that is not listed can ever be shown");
  }
  Integer turn = find_turn(options);
  return PartitionSelection(std::move(options), std::move(turn));
}

NoiseSpec PartitionSelection::noise() const {
  return {"partition-selection(epsilon=" + options_.epsilon.to_string() +
          ",delta=" + options_.delta.to_string() + ")"};
}

Cost PartitionSelection::cost() const {
  Cost cost = pure_cost(options_.epsilon);
  cost.delta = options_.delta;
  return cost;
}

Real PartitionSelection::rising(const Integer& n) const {
  return [options = options_, n](int precision) { return Terms{options, precision}.rising(n); };
}

Real PartitionSelection::left_over(const Integer& n) const {
  if (n == 1 && turn_ == 1) return real(1 - 2 * options_.delta.value());
  return [options = options_, turn = turn_, n](int precision) {
    const Terms t{options, precision};
    if (n == turn) return t.left(turn) - t.delta();
    const Interval shift = t.delta() / t.grown(1);
    const Interval decay = exp(t.of(-Rational(Integer(n - turn)) * options.epsilon.value()));
    return (t.left(turn) + shift) * decay - shift - t.delta();
  };
}

Real PartitionSelection::show_probability(const Integer& n) const {
  if (n <= 0) return real(0);
  if (n >= always_from_) return real(1);
  if (n <= turn_) return rising(n);
  return [shrink = exp_real(-options_.epsilon.value()), rest = left_over(n - 1)](int precision) {
    return Interval::around(1, precision) - shrink(precision) * rest(precision);
  };
}

template <random::BitSource B>
PartitionSelection::Output PartitionSelection::draw(const Input& count, B& bits) const {
  return shows(count, bits);
}

template <random::BitSource B>
bool PartitionSelection::shows(Int128 n, B& bits) const {
  if (n <= 0) return false;
  if (static_cast<Uint128>(n) <= table_->size()) {
    const auto digits = [&](int count) {
      return random::digits_of(show_probability(to_integer(n)), count);
    };
    return random::uniform_is_below(0, 0, (*table_)[static_cast<std::size_t>(n - 1)], digits, bits);
  }
  if (n >= always_ && to_integer(n) >= always_from_) {
    (void)bits.take(B::kWordBits);  // so that a certain key takes the time of the others
    return true;
  }
  return shows_by_two_coins(to_integer(n), bits);
}

template <random::BitSource B>
bool PartitionSelection::shows_by_two_coins(const Integer& n, B& bits) const {
  if (n <= turn_) return random::RealCoin(rising(n)).flip(bits);
  // 1 - p(n) = e^-epsilon (1 - p(n-1) - delta), as two coins: a single one for 1 - e^-epsilon (...)
  // would need more digits than there is memory when epsilon is huge.
  return !(random::bernoulli_exp(options_.epsilon.value(), bits) &&
           random::RealCoin(left_over(n - 1)).flip(bits));
}

#define DISCREET_SHOWS(M, Source) template bool M::shows(Int128 n, Source& bits) const;
DISCREET_ON_SOURCES(DISCREET_SHOWS, PartitionSelection)
DISCREET_DRAWS(PartitionSelection)
#undef DISCREET_SHOWS

}  // namespace discreet::mechanism
