// SPDX-License-Identifier: Apache-2.0
#include "accounting/filter.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "accounting/conversion.h"
#include "accounting/zcdp.h"

namespace discreet::accounting {
namespace {

constexpr std::int64_t kUnits = 1'000'000'000'000'000'000;

const Rational& unit() {
  static const Rational value(kUnits);
  return value;
}

/// Numerator and denominator, if both are small, as those of most prices are: then the numerator's
/// units are below 2^123.
struct Small {
  Int128 units;
  Int128 denominator;
};
std::optional<Small> small(const Rational& value) {
  const mpq_srcptr q = value.mpq().get_mpq_t();
  if (mpz_fits_slong_p(mpq_numref(q)) == 0 || mpz_fits_slong_p(mpq_denref(q)) == 0) {
    return std::nullopt;
  }
  return Small{Int128{mpz_get_si(mpq_numref(q))} * kUnits, mpz_get_si(mpq_denref(q))};
}

std::string_view name_of(FilterNotion notion) {
  switch (notion) {
    case FilterNotion::kEpsilon:
      return "epsilon";
    case FilterNotion::kZcdp:
      return "rho";
    case FilterNotion::kRenyi:
      return "tau";
  }
  DISCREET_CHECK(false);
}

}  // namespace

Result<Amount> Amount::of(const Integer& units) {
  if (sgn(units) < 0) return invalid_input("a price or cap must not be negative");
  if (!fits_int128(units)) return invalid_input("a price or cap must be below 1.7e20");
  Amount out;
  out.units_ = to_int128(units);
  return out;
}

Result<Amount> Amount::up(const Rational& value) {
  if (const auto it = small(value)) return from_units(-floor_div(-it->units, it->denominator));
  return of((value * unit()).ceil());
}
Result<Amount> Amount::down(const Rational& value) {
  if (const auto it = small(value)) return from_units(floor_div(it->units, it->denominator));
  return of((value * unit()).floor());
}

Result<Amount> Amount::from_units(Int128 units) {
  if (units < 0) return invalid_input("a price or cap must not be negative");
  Amount out;
  out.units_ = units;
  return out;
}

Rational Amount::value() const { return Rational(to_integer(units_)) / unit(); }

bool Amount::plus_fits(const Amount& more, const Amount& cap) const {
  Int128 sum = 0;
  return !__builtin_add_overflow(units_, more.units_, &sum) && sum <= cap.units_;
}

void Amount::add(const Amount& more) {
  DISCREET_CHECK(!__builtin_add_overflow(units_, more.units_, &units_));
}

Amount Amount::saturating_plus(const Amount& more) const {
  Amount sum;
  sum.units_ = saturating_add(units_, more.units_);
  return sum;
}

Amount Amount::minus_or_zero(const Amount& less) const {
  Amount rest;
  rest.units_ = units_ > less.units_ ? units_ - less.units_ : 0;
  return rest;
}

Result<Price> Filter::price(const Rational& amount, const Rational& delta) {
  DISCREET_ASSIGN(const Amount first, Amount::up(amount));
  DISCREET_ASSIGN(const Amount second, Amount::up(delta));
  return Price{first, second};
}

Result<Filter> Filter::pure(const Rational& epsilon, const Rational& delta) {
  DISCREET_ASSIGN(const Amount first, Amount::down(epsilon));
  DISCREET_ASSIGN(const Amount second, Amount::down(delta));
  return Filter(FilterNotion::kEpsilon, {first, second}, 0);
}

Result<Filter> Filter::zcdp(const Rational& rho, const Rational& delta) {
  DISCREET_ASSIGN(const Amount first, Amount::down(rho));
  DISCREET_ASSIGN(const Amount second, Amount::down(delta));
  return Filter(FilterNotion::kZcdp, {first, second}, 0);
}

Result<Filter> Filter::renyi(const Rational& order, const Rational& tau) {
  if (order <= 1)
    return invalid_input("the order must be greater than 1; got " + in_quotes(order.to_string()));
  if (order > power_of_two(50))
    return invalid_input("the order must be at most 2^50; got " + in_quotes(order.to_string()));
  DISCREET_ASSIGN(const Amount cap, Amount::down(tau));
  return Filter(FilterNotion::kRenyi, {cap, Amount()}, order);
}

Result<void> Filter::charge(const Price& price) {
  if (!admits(price)) return refusal(price);
  spent_.amount.add(price.amount);
  spent_.delta.add(price.delta);
  return {};
}

Error Filter::refusal(const Price& price) const {
  std::string text =
      "not enough budget: needs " + std::string(name_of(notion_)) + " " + price.amount.to_string();
  if (price.delta > Amount()) text += " and delta " + price.delta.to_string();
  text += ", but " + cap_.amount.minus_or_zero(spent_.amount).to_string();
  if (price.delta > Amount())
    text += " and delta " + cap_.delta.minus_or_zero(spent_.delta).to_string();
  return {Code::kBudget, text + " is left; ask for less or a less accurate answer"};
}

double Filter::epsilon(const Rational& delta) const {
  switch (notion_) {
    case FilterNotion::kEpsilon:
      return cap_.delta.value() <= delta ? cap_.amount.value().to_double(Round::kUp)
                                         : std::numeric_limits<double>::infinity();
    case FilterNotion::kZcdp:
      return zcdp_epsilon({cap_.amount.value(), cap_.delta.value()}, delta);
    case FilterNotion::kRenyi:
      break;
  }
  // A divergence grows with its order, so the bound at `order_` holds at the double just below it.
  return epsilon_at_order(std::max(order_.to_double(Round::kDown), 1 + 0x1p-52),
                          cap_.amount.value().to_double(Round::kUp), delta);
}

Result<Odometer> Odometer::zcdp(const Rational& base_rho, const Rational& delta) {
  if (delta.sign() <= 0 || delta >= 1)
    return invalid_input("an odometer's delta must lie between 0 and 1");
  DISCREET_ASSIGN(const Amount base, Amount::down(base_rho));
  if (base == Amount()) return invalid_input("an odometer's first level must be at least 1e-18");
  return Odometer(base, delta);
}

Result<void> Odometer::charge(const Price& price) {
  DISCREET_CHECK(price.delta == Amount());
  if (!spent_.plus_fits(price.amount, *Amount::down(Rational(to_integer(kInt128Max)) / unit()))) {
    return Error{Code::kBudget, "the odometer is full: rho would pass 1.7e20"};
  }
  spent_.add(price.amount);
  return {};
}

double Odometer::reading() const {
  if (spent_ == Amount()) return 0;
  Rational level = base_.value();
  int j = 0;
  for (; level < spent_.value(); ++j) level = level + level;
  return zcdp_epsilon_classical(level, delta_ / Rational((j + 1) * (j + 2)));
}

}  // namespace discreet::accounting
