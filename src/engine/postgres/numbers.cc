// SPDX-License-Identifier: Apache-2.0
#include "engine/postgres/numbers.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "plan/grid.h"

namespace discreet::engine::postgres {
namespace {

using policy::Grid;

/// A constant of type numeric, exact. Requires: a finite decimal.
Sql decimal(const std::string& digits) { return Sql::cast(Sql::text(digits), "numeric"); }
Sql decimal(const Integer& value) { return decimal(value.get_str()); }

/// Its digits, if they end.
std::optional<std::string> finite_digits(const Rational& value) {
  Integer rest = value.denominator();
  Integer scale = 1;
  std::size_t places = 0;
  for (; rest != 1 && places < 60; ++places) {
    scale *= 10;
    rest = value.denominator() / gcd(value.denominator(), scale);
  }
  if (rest != 1) return std::nullopt;
  const Integer shifted = value.numerator() * (scale / value.denominator());
  std::string digits = Integer(abs(shifted)).get_str();
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (places > 0) digits.insert(digits.size() - places, ".");
  return (shifted < 0 ? "-" : "") + digits;
}

/// A one with so many decimals that a quotient by less than 10^(places-1) is told from a half.
Sql long_one(std::size_t places) { return decimal("1." + std::string(places, '0')); }

Sql binary64(const Integer& value) {
  return Sql::cast(Sql::text(value.get_str()), "double precision");
}

Integer power_of_two_integer(unsigned long exponent) {
  Integer power = 1;
  mpz_mul_2exp(power.get_mpz_t(), power.get_mpz_t(), exponent);
  return power;
}

struct Ends {
  Integer low;
  Integer high;
  Integer p;  // step = p / q
  Integer q;
};

Ends ends_of(const Grid& grid) {
  return {(grid.low / grid.step).numerator(), (grid.high / grid.step).numerator(),
          grid.step.numerator(), grid.step.denominator()};
}

/// Requires: a value that is not NULL, which `least` and `greatest` would leave out.
Sql clamped(Sql value, Sql low, Sql high) {
  return Sql::call("least",
                   {Sql::call("greatest", {std::move(value), std::move(low)}), std::move(high)});
}

/// A numeric that a cast to bigint makes round(x q / p): it rounds halves away from zero. A quotient
/// has 1,000 decimals at most, which do not tell all numbers from a half; div() cuts exactly.
Sql in_steps(const Sql& x, const Ends& ends) {
  if (ends.p == 1) return ends.q == 1 ? x : Sql::infix("*", {x, decimal(ends.q)});
  return once(x, [&](const Sql& v) {
    const Sql half = Sql::infix("*", {Sql::call("sign", {v}), decimal(ends.p)});
    const Sql twice = Sql::infix("*", {v, decimal(Integer(2 * ends.q))});
    return Sql::call("div", {Sql::infix("+", {twice, half}), decimal(Integer(2 * ends.p))});
  });
}

bool fits(const Integer& value) { return mpz_sizeinbase(value.get_mpz_t(), 2) <= 62; }

}  // namespace

Sql steps(const Integer& value) {
  DISCREET_CHECK(value.fits_slong_p());
  return Sql::number(value.get_si(), "bigint");
}

Sql once(const Sql& value, const std::function<Sql(const Sql&)>& body) {
  constexpr std::size_t kShort = 120;
  return value.print().size() <= kShort ? body(value) : Sql::let(value, body);
}

Sql numeric_on_grid(const Sql& x, const Grid& grid) {
  const Ends ends = ends_of(grid);
  const auto low = finite_digits(grid.low);
  const auto high = finite_digits(grid.high);
  const Sql nan = Sql::cast(Sql::text("NaN"), "numeric");
  // NaN is above everything here.
  const Sql above = Sql::choose({Sql::infix("=", {x, nan}), Sql::null("bigint"), steps(ends.high)});
  if (low && high) {
    return Sql::choose({Sql::infix("<", {x, decimal(*low)}), steps(ends.low),
                        Sql::infix(">", {x, decimal(*high)}), above,
                        Sql::cast(in_steps(x, ends), "bigint")});
  }
  const Integer reach =
      std::max(Integer(abs(grid.low.floor())), Integer(abs(grid.high.ceil()))) + 1;
  const Sql inside = clamped(in_steps(x, ends), decimal(ends.low), decimal(ends.high));
  return Sql::choose({Sql::postfix(x, "IS NULL"), Sql::null("bigint"),
                      Sql::infix("<", {x, decimal(Integer(-reach))}), steps(ends.low),
                      Sql::infix(">", {x, decimal(reach)}), above, Sql::cast(inside, "bigint")});
}

Sql decimal_on_grid(const Sql& x, const lowering::DecimalType& type, const Grid& grid) {
  const Ends ends = ends_of(grid);
  const Integer most = plan::power_of_ten(type.precision - type.scale).numerator() * ends.q;
  if (ends.p != 1 || !fits(most)) return numeric_on_grid(x, grid);
  const Sql nan = Sql::cast(Sql::text("NaN"), "numeric");
  const Sql inside =
      clamped(Sql::cast(in_steps(x, ends), "bigint"), steps(ends.low), steps(ends.high));
  return Sql::choose({Sql::infix("<>", {x, nan}), inside, Sql::null("bigint")});
}

Sql whole_on_grid(const Sql& x, const Grid& grid) {
  const Ends ends = ends_of(grid);
  if (ends.p != 1 || ends.q != 1) return numeric_on_grid(Sql::cast(x, "numeric"), grid);
  return Sql::choose({Sql::infix("<", {x, steps(ends.low)}), steps(ends.low),
                      Sql::infix(">", {x, steps(ends.high)}), steps(ends.high),
                      Sql::cast(x, "bigint")});
}

Sql float_on_grid(const Sql& x, const Grid& grid) {
  const Ends ends = ends_of(grid);
  const Rational most = std::max(grid.low.abs(), grid.high.abs()) + Rational(1);
  const Integer reach = power_of_two_integer(mpz_sizeinbase(Integer(most.ceil()).get_mpz_t(), 2));
  const Sql big = binary64(power_of_two_integer(60));
  const auto trunc = [](Sql value) { return Sql::call("trunc", {std::move(value)}); };
  const auto limb = [](Sql value) {
    return Sql::cast(Sql::cast(std::move(value), "bigint"), "numeric");
  };
  // x = h 2^60 + a + b 2^-60 + c 2^-120 (+ less, which decides nothing), all differences exact.
  const Sql h = trunc(Sql::infix("/", {x, big}));
  const Sql x1 = Sql::infix("-", {x, Sql::infix("*", {h, big})});
  const Sql f1 = Sql::infix("*", {Sql::infix("-", {x1, trunc(x1)}), big});
  const Sql f2 = Sql::infix("*", {Sql::infix("-", {f1, trunc(f1)}), big});
  const auto at = [](Sql value, unsigned long exponent) {
    return Sql::infix("*", {std::move(value), decimal(power_of_two_integer(exponent))});
  };
  const Sql sum = Sql::infix(
      "+", {at(limb(h), 180), at(limb(trunc(x1)), 120), at(limb(trunc(f1)), 60), limb(trunc(f2))});
  const Sql exact = Sql::infix("/", {Sql::infix("*", {sum, decimal(ends.q), long_one(80)}),
                                     decimal(Integer(ends.p * power_of_two_integer(120)))});
  const Sql tiny = Sql::cast(Sql::text("1e-60"), "double precision");
  const Sql slow = Sql::cast(clamped(exact, decimal(ends.low), decimal(ends.high)), "bigint");
  std::vector<Sql> cases = {Sql::postfix(x, "IS NULL"), Sql::null("bigint"),
                            Sql::infix("=", {x, Sql::cast(Sql::text("NaN"), "double precision")}),
                            Sql::null("bigint"), Sql::infix(">", {x, binary64(reach)}),
                            steps(ends.high), Sql::infix("<", {x, binary64(Integer(-reach))}),
                            steps(ends.low),
                            // Division by 2^60 would raise an underflow.
                            Sql::infix("<", {Sql::call("abs", {x}), tiny}),
                            steps(std::clamp(Integer(0), ends.low, ends.high))};
  if (ends.p == 1 && ends.q < (1 << 20)) {
    // Below 2^36 the product is off by less than 2^-17: away from a half its rounding is right.
    const Sql y = Sql::infix("*", {x, binary64(ends.q)});
    const Sql small = Sql::infix("<", {Sql::call("abs", {y}), binary64(power_of_two_integer(36))});
    const Sql part = Sql::call("abs", {Sql::infix("-", {y, trunc(y)})});
    const Sql half = Sql::cast(Sql::text("0.5"), "double precision");
    const Sql clear = Sql::infix(">", {Sql::call("abs", {Sql::infix("-", {part, half})}),
                                       Sql::cast(Sql::text("0.0001"), "double precision")});
    cases.push_back(Sql::infix("AND", {small, clear}));
    cases.push_back(clamped(Sql::cast(y, "bigint"), steps(ends.low), steps(ends.high)));
  }
  cases.push_back(slow);
  return Sql::choose(std::move(cases));
}

Sql text_on_grid(const Sql& text, const Grid& grid) {
  const Ends ends = ends_of(grid);
  const auto low = finite_digits(grid.low);
  const auto high = finite_digits(grid.high);
  return once(text, [&](const Sql& t) {
    const Sql plain =
        Sql::infix("~", {t, Sql::text("^[ \t-\r]*[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)"
                                      "([eE][+-]?([0-9]{1,3}|0[0-9]{3}|1000))?[ \t-\r]*$")});
    Sql number = Sql::cast(Sql::call("btrim", {t, Sql::text(" \t\n\v\f\r")}), "numeric");
    if (low && high) {
      number = in_steps(clamped(number, decimal(*low), decimal(*high)), ends);
    } else {
      number = clamped(in_steps(number, ends), decimal(ends.low), decimal(ends.high));
    }
    // The cast stands behind its condition: CASE does not compute what it does not reach.
    const Sql value = Sql::choose({plain, Sql::cast(number, "bigint"), Sql::null("bigint")});
    return Sql::choose({Sql::infix("<=", {Sql::call("octet_length", {t}), steps(1000)}), value,
                        Sql::null("bigint")});
  });
}

Sql scaled(const Sql& value, const IntegerMap::Formula& formula, const Integer& low,
           const Integer& high) {
  const Integer d = lcm(formula.slope.denominator(), formula.offset.denominator());
  const Integer a = (formula.slope * Rational(d)).numerator();
  const Integer b = (formula.offset * Rational(d)).numerator();
  const Integer one = a * low + b;
  const Integer other = a * high + b;
  const Integer least = std::min(one, other);
  const Integer most = std::max(one, other);
  // Twice the numerator and the divisor too: for rounding.
  const Integer bound = 4 * (std::max(Integer(abs(least)), Integer(abs(most))) + d) +
                        Integer(abs(a)) + Integer(abs(b)) + 4 * Integer(abs(Integer(a * low)));
  const bool narrow = fits(bound) && fits(Integer(4 * abs(a * high)));
  const bool towards_bigint =
      narrow && (d == 1 || formula.rounding != Rounding::kNearest || least >= 0);
  Sql result = value;
  if (towards_bigint) {
    const auto linear = [&](const Integer& factor, const Integer& offset) {
      Sql out = value;
      if (factor != 1) out = Sql::infix("*", {out, steps(factor)});
      if (offset != 0) out = Sql::infix("+", {out, steps(offset)});
      return out;
    };
    if (d == 1) {
      result = linear(a, b);
    } else if (formula.rounding == Rounding::kNearest) {  // n >= 0: floor((2n + d) / 2d)
      result = Sql::infix("/", {linear(2 * a, 2 * b + d), steps(2 * d)});
    } else {
      // Moved up by k d so that towards zero is down; down again by k.
      const Integer k = least >= 0 ? Integer(0) : Integer((-least + d - 1) / d);
      const Integer up = formula.rounding == Rounding::kCeiling ? Integer(d - 1) : Integer(0);
      result = Sql::infix("/", {linear(a, b + k * d + up), steps(d)});
      if (k != 0) result = Sql::infix("-", {result, steps(k)});
    }
  } else {
    result = Sql::cast(value, "numeric");
    if (a != 1) result = Sql::infix("*", {result, decimal(a)});
    if (b != 0) result = Sql::infix("+", {result, decimal(b)});
    if (d != 1) {
      result = Sql::infix("/", {Sql::infix("*", {result, long_one(60)}), decimal(d)});
    }
    if (formula.rounding == Rounding::kFloor) result = Sql::call("floor", {result});
    if (formula.rounding == Rounding::kCeiling) result = Sql::call("ceil", {result});
    if (formula.rounding == Rounding::kNearest) result = Sql::call("round", {result});
  }
  const bool too_low = least < Integer(formula.low) * d;
  const bool too_high = most > Integer(formula.high) * d;
  if (too_low || too_high) {
    result = once(result, [&](const Sql& v) {
      const auto end = [&](std::int64_t value_of_end) {
        return towards_bigint ? steps(value_of_end) : decimal(Integer(value_of_end));
      };
      return Sql::choose({Sql::infix("<", {v, end(formula.low)}), end(formula.low),
                          Sql::infix(">", {v, end(formula.high)}), end(formula.high), v});
    });
  }
  return towards_bigint ? result : Sql::cast(std::move(result), "bigint");
}

Sql quotient(Sql a, Sql b) {
  const Sql numerator = Sql::infix(
      "*", {Sql::cast(std::move(a), "numeric"), decimal("1000000." + std::string(60, '0'))});
  const Sql divisor =
      Sql::call("nullif", {Sql::cast(std::move(b), "numeric"), decimal(Integer(0))});
  return Sql::cast(Sql::infix("/", {numerator, divisor}), "bigint");
}

}  // namespace discreet::engine::postgres
