// SPDX-License-Identifier: Apache-2.0
#include "engine/trino/numbers.h"

#include <algorithm>
#include <string>

#include "base/check.h"

namespace discreet::engine::trino {
namespace {

using policy::Grid;

Integer power(unsigned long base, unsigned long exponent) {
  Integer out;
  mpz_ui_pow_ui(out.get_mpz_t(), base, exponent);
  return out;
}

/// What DECIMAL(38,0) can hold lies below.
const Integer& wide_end() {
  static const Integer end = power(10, 38);
  return end;
}

std::size_t bits_of(const Integer& value) { return mpz_sizeinbase(value.get_mpz_t(), 2); }
std::size_t digits_of(const Integer& value) { return Integer(abs(value)).get_str().size(); }

struct Ends {
  Integer low;
  Integer high;
  Integer p;  // step = p / q
  Integer q;
  Integer reach() const { return std::max(Integer(abs(low)), Integer(abs(high))); }
};

Ends ends_of(const Grid& grid) {
  return {(grid.low / grid.step).numerator(), (grid.high / grid.step).numerator(),
          grid.step.numerator(), grid.step.denominator()};
}

Sql negated(Sql value) { return Sql::prefix("-", std::move(value)); }
Sql bigint(Sql value) { return Sql::cast(std::move(value), "BIGINT"); }
Sql null() { return Sql::null("BIGINT"); }

/// n * times / by to the nearest integer, halves away from zero: what Trino's division of
/// DECIMAL(38,0) gives. `most`: no |n| is above it.
Sql rounded(const Sql& n, const Rational& factor, const Integer& most) {
  const Integer times = factor.numerator();
  const Integer by = factor.denominator();
  const auto over = [&](Sql value) {
    return by == 1 ? value : Sql::infix("/", {std::move(value), wide(by)});
  };
  const auto multiplied = [&](Sql value) {
    return times == 1 ? value : Sql::infix("*", {std::move(value), wide(times)});
  };
  if (most * times < wide_end()) return over(multiplied(n));
  // n = a by + b, b with the sign of n: a times + round(b times / by).
  DISCREET_CHECK(by * times < wide_end());
  return once(n, [&](const Sql& value) {
    const Sql rest = Sql::infix("%", {value, wide(by)});
    return Sql::infix("+",
                      {multiplied(over(Sql::infix("-", {value, rest}))), over(multiplied(rest))});
  });
}

/// Comparisons with the ends for a type of values u / 10^scale, |u| <= largest; behind them stands
/// `inside`.
Sql between(const Sql& x, const Grid& grid, int scale, const Integer& largest,
            const std::function<Sql(const Integer&)>& constant, Sql inside) {
  const Ends ends = ends_of(grid);
  const Rational unit(power(10, static_cast<unsigned long>(scale)));
  const Integer low = (grid.low * unit).ceil();
  const Integer high = (grid.high * unit).floor();
  const Sql is_null = Sql::postfix(x, "IS NULL");
  if (low > largest) return Sql::choose({is_null, null(), steps(ends.low)});
  if (high < -largest) return Sql::choose({is_null, null(), steps(ends.high)});
  std::vector<Sql> cases;
  if (low >= -largest) {
    cases.push_back(Sql::infix("<", {x, constant(low)}));
    cases.push_back(steps(ends.low));
  }
  if (high <= largest) {
    cases.push_back(Sql::infix(">", {x, constant(high)}));
    cases.push_back(steps(ends.high));
  }
  if (cases.empty()) return inside;
  cases.push_back(std::move(inside));
  return Sql::choose(std::move(cases));
}

Sql clamped(const Sql& value, const Ends& ends) {
  return once(value, [&](const Sql& v) {
    return Sql::choose({Sql::infix("<", {v, wide(ends.low)}), steps(ends.low),
                        Sql::infix(">", {v, wide(ends.high)}), steps(ends.high), bigint(v)});
  });
}

/// The decimals after which every multiple of half a step ends; nothing if some never do.
std::optional<unsigned long> half_decimals(const Integer& q) {
  for (unsigned long j = 0; j < 30; ++j) {
    if (power(10, j) % q == 0) return j + 1;
  }
  return std::nullopt;
}

Sql number_of_double(double value) { return Sql::cast(Sql::text(std::to_string(value)), "DOUBLE"); }
Sql binary64(const Integer& value) { return Sql::cast(Sql::text(value.get_str()), "DOUBLE"); }

/// 2^n as DECIMAL(38,0) for n in [0, 124]; below 0: 1.
Sql power_of_two_sql(const Sql& n) {
  const auto part = [&](const Sql& exponent) {
    return wide(Sql::call("bitwise_left_shift", {steps(1), Sql::cast(exponent, "INTEGER")}));
  };
  const Sql zero = steps(0);
  const Sql half = steps(62);
  return Sql::infix("*", {part(Sql::call("greatest", {zero, Sql::call("least", {n, half})})),
                          part(Sql::call("greatest", {zero, Sql::infix("-", {n, half})}))});
}

constexpr unsigned long kPlacesMost = 30;

/// How many digits of a text are read before and behind the point.
struct Places {
  unsigned long before;
  unsigned long behind;
};

Places places_of(const Grid& grid) {
  const Integer reach = Integer(std::max(grid.low.abs(), grid.high.abs()).ceil()) + 1;
  const auto before = static_cast<unsigned long>(digits_of(reach));
  const auto half = half_decimals(grid.step.denominator());
  return {before, half ? *half : std::min(kPlacesMost, 37 - std::min(36UL, before))};
}

}  // namespace

Sql steps(const Integer& value) {
  DISCREET_CHECK(value.fits_slong_p());
  return Sql::number(value.get_si(), "BIGINT");
}

Sql wide(Sql value) { return Sql::cast(std::move(value), "DECIMAL(38,0)"); }
Sql wide(const Integer& value) { return wide(Sql::text(value.get_str())); }

Sql once(const Sql& value, const std::function<Sql(const Sql&)>& body) {
  constexpr std::size_t kShort = 120;
  return value.print().size() <= kShort ? body(value) : Sql::let_by_lambda(value, body);
}

bool can_quantize(const Type& stored, const Grid& grid) {
  const Ends ends = ends_of(grid);
  if (bits_of(ends.p) > 58 || bits_of(ends.q) > 60 || bits_of(ends.reach()) > 62) return false;
  const Places places = places_of(grid);
  const bool text = stored.kind == Kind::kVarchar || stored.kind == Kind::kChar;
  if (text && places.before + places.behind + 1 > 38) return false;
  if (stored.kind == Kind::kDecimal && stored.scale > 18) {
    const Rational factor =
        Rational(1) / (grid.step * Rational(power(10, static_cast<unsigned long>(stored.scale))));
    return factor.numerator() == 1 ||
           Integer(factor.numerator() * factor.denominator()) < wide_end();
  }
  return true;
}

Sql whole_on_grid(const Sql& x, const Grid& grid) {
  const Ends ends = ends_of(grid);
  Sql inside = bigint(x);
  if (ends.p != 1 || ends.q != 1) {
    inside = bigint(rounded(wide(x), Rational(1) / grid.step, power(2, 63)));
  }
  return between(
      x, grid, 0, power(2, 63) - 1, [](const Integer& end) { return steps(end); },
      std::move(inside));
}

Sql decimal_on_grid(const Sql& x, const Type& type, const Grid& grid) {
  const Ends ends = ends_of(grid);
  const auto scale = static_cast<unsigned long>(type.scale);
  const auto constant = [&](const Integer& end) {
    std::string digits = Integer(abs(end)).get_str();
    if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
    digits.insert(digits.size() - scale, ".");
    if (end < 0) digits.insert(0, "-");
    return Sql::cast_decimal(Sql::text(digits), type.precision, type.scale);
  };
  Sql inside = x;
  if (ends.p == 1 && scale <= 18) {
    // Between the ends |x q| <= 2^62, so that x q has at most 37 digits; the cast rounds it.
    inside = bigint(
        ends.q == 1
            ? x
            : Sql::infix("*", {x, Sql::cast_decimal(Sql::text(ends.q.get_str()),
                                                    static_cast<int>(digits_of(ends.q)), 0)}));
  } else {
    // All digits as an integer.
    const Sql digits =
        wide(Sql::call("replace", {Sql::cast(x, "VARCHAR"), Sql::text("."), Sql::text("")}));
    const Rational factor = Rational(1) / (grid.step * Rational(power(10, scale)));
    inside =
        bigint(rounded(digits, factor, power(10, static_cast<unsigned long>(type.precision)) - 1));
  }
  return between(x, grid, type.scale, power(10, static_cast<unsigned long>(type.precision)) - 1,
                 constant, std::move(inside));
}

Sql double_on_grid(const Sql& x, const Grid& grid) {
  const Ends ends = ends_of(grid);
  const Rational most = std::max(grid.low.abs(), grid.high.abs()) + Rational(1);
  const Integer reach = power(2, bits_of(Integer(most.ceil())));
  if (ends.p == 1 && ends.q == 1 && ends.reach() < power(2, 53)) {
    // Whole steps: the ends are numbers of the type and the cast rounds as we do. NULL and NaN fail
    // every comparison.
    const Sql low = binary64(ends.low);
    const Sql high = binary64(ends.high);
    const Sql between =
        Sql::infix("AND", {Sql::infix(">=", {x, low}), Sql::infix("<=", {x, high})});
    return Sql::choose({between, bigint(x), Sql::infix(">", {x, high}), steps(ends.high),
                        Sql::infix("<", {x, low}), steps(ends.low), null()});
  }
  std::vector<Sql> cases;
  if (ends.p == 1 && ends.q < (1 << 20) && ends.reach() < power(2, 36)) {
    // Between the ends no clamping is needed; NULL and NaN are not there. Below 2^36 the product is
    // off by less than 2^-17: away from a half its rounding is right.
    const Sql y = Sql::infix("*", {x, binary64(ends.q)});
    const Sql part = Sql::call("abs", {Sql::infix("-", {y, Sql::call("truncate", {y})})});
    const Sql from_half = Sql::call("abs", {Sql::infix("-", {part, number_of_double(0.5)})});
    cases = {Sql::infix("AND", {Sql::infix(">=", {y, binary64(ends.low)}),
                                Sql::infix("<=", {y, binary64(ends.high)}),
                                Sql::infix(">", {from_half, number_of_double(0.0001)})}),
             bigint(y)};
  }
  for (const Sql& one : {Sql::postfix(x, "IS NULL"), null(), Sql::call("is_nan", {x}), null(),
                         Sql::infix(">", {x, binary64(reach)}), steps(ends.high),
                         Sql::infix("<", {x, binary64(Integer(-reach))}), steps(ends.low)}) {
    cases.push_back(one);
  }
  // x = sign m 2^e from its bits; m q 2^e / p with the powers of two where they are whole.
  const Sql bits = Sql::call("from_big_endian_64", {Sql::call("to_ieee754_64", {x})});
  const Sql exponent = Sql::call(
      "bitwise_and",
      {Sql::call("bitwise_right_shift", {bits, Sql::number(52, "INTEGER")}), steps(2047)});
  const Integer fraction_end = power(2, 52);
  const Sql mantissa = Sql::infix(
      "+", {Sql::call("bitwise_and", {bits, steps(fraction_end - 1)}), steps(fraction_end)});
  // Numbers with -e > tiny are nearer to 0 than to half a step; subnormals are among them.
  const auto tiny =
      static_cast<long>(55 + bits_of(ends.q)) - static_cast<long>(bits_of(ends.p)) + 1;
  const long tiny_most = std::max(tiny, 0L);
  DISCREET_CHECK(tiny_most <= 124);
  cases.push_back(Sql::infix("<", {exponent, steps(1075 - tiny_most)}));
  cases.push_back(steps(std::clamp(Integer(0), ends.low, ends.high)));
  const Sql above = Sql::infix("*", {wide(mantissa), wide(ends.q),
                                     power_of_two_sql(Sql::infix("-", {exponent, steps(1075)}))});
  const Sql below =
      Sql::infix("*", {wide(ends.p), power_of_two_sql(Sql::infix("-", {steps(1075), exponent}))});
  const Sql size = Sql::infix("/", {above, below});
  const Sql zero = Sql::cast(Sql::text("0"), "DOUBLE");
  cases.push_back(Sql::infix("<", {x, zero}));
  cases.push_back(clamped(negated(size), ends));
  cases.push_back(clamped(size, ends));
  return Sql::choose(std::move(cases));
}

Sql text_on_grid(const Sql& text, const Grid& grid) {
  const Ends ends = ends_of(grid);
  const Places places = places_of(grid);
  const std::string blanks = "[ \t-\r]*";
  const Sql whole_pattern =
      Sql::text("^" + blanks + "([+-]?)([0-9]*)[.]?([0-9]*)(?:[eE]([+-]?[0-9]+))?" + blanks + "$");
  const Sql plain_pattern = Sql::text("^" + blanks +
                                      "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)"
                                      "([eE][+-]?([0-9]{1,3}|0[0-9]{3}|1000))?" +
                                      blanks + "$");
  return once(text, [&](const Sql& t) {
    const auto group = [&](std::int64_t index) {
      return Sql::call("regexp_extract", {t, whole_pattern, steps(index)});
    };
    const Sql digits = Sql::call("regexp_replace", {Sql::infix("||", {group(2), group(3)}),
                                                    Sql::text("^0+"), Sql::text("")});
    const Sql number = Sql::let_by_lambda(digits, [&](const Sql& z) {
      const Sql exponent = Sql::call("coalesce", {bigint(group(4)), steps(0)});
      const Sql position = Sql::infix(
          "+",
          {Sql::infix("-", {Sql::call("length", {z}), Sql::call("length", {group(3)})}), exponent});
      return Sql::let_by_lambda(position, [&](const Sql& point) {
        const Sql taken = Sql::infix("+", {point, steps(places.behind)});
        const Sql rest = Sql::call("substr", {z, Sql::infix("+", {taken, steps(1)})});
        const Sql sticky = Sql::choose(
            {Sql::call("regexp_like", {rest, Sql::text("[1-9]")}), Sql::text("1"), Sql::text("0")});
        const Sql read =
            wide(Sql::infix("||", {Sql::call("rpad", {z, taken, Sql::text("0")}), sticky}));
        const Rational factor = Rational(1) / (grid.step * Rational(power(10, places.behind + 1)));
        const Sql size = rounded(read, factor, power(10, places.before + places.behind + 1));
        const Sql negative = Sql::infix("=", {group(1), Sql::text("-")});
        const Sql beyond = Sql::choose({negative, steps(ends.low), steps(ends.high)});
        const Sql none = steps(std::clamp(Integer(0), ends.low, ends.high));
        return Sql::choose({Sql::infix("=", {z, Sql::text("")}), none,
                            Sql::infix(">", {point, steps(places.before)}), beyond,
                            Sql::infix("<", {taken, steps(0)}), none, negative,
                            clamped(negated(size), ends), clamped(size, ends)});
      });
    });
    const Sql value = Sql::choose({Sql::call("regexp_like", {t, plain_pattern}), number, null()});
    return Sql::choose(
        {Sql::infix("<=", {Sql::call("length", {Sql::call("to_utf8", {t})}), steps(1000)}), value,
         null()});
  });
}

Sql scaled(const Sql& value, const IntegerMap::Formula& formula, const Integer& low,
           const Integer& high) {
  const Integer d = lcm(formula.slope.denominator(), formula.offset.denominator());
  Integer a = (formula.slope * Rational(d)).numerator();
  Integer b = (formula.offset * Rational(d)).numerator();
  const Integer one = a * low + b;
  const Integer other = a * high + b;
  const Integer least = std::min(one, other);
  const Integer most = std::max(one, other);
  const Integer size =
      std::max(Integer(abs(a * low)), Integer(abs(a * high))) + Integer(abs(b)) + Integer(2 * d);
  const bool narrow = bits_of(Integer(4 * size)) <= 62 &&
                      (d == 1 || formula.rounding != Rounding::kNearest || least >= 0);
  const auto constant = [&](const Integer& number) {
    return narrow ? steps(number) : wide(number);
  };
  const auto linear = [&](const Integer& factor, const Integer& offset) {
    Sql out = narrow ? value : wide(value);
    if (factor != 1) out = Sql::infix("*", {out, constant(factor)});
    if (offset != 0) out = Sql::infix("+", {out, constant(offset)});
    return out;
  };
  Sql result = value;
  if (narrow) {
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
    DISCREET_CHECK(size < wide_end());  // shapes keep products within 126 bits
    if (formula.rounding == Rounding::kNearest || d == 1) {
      result = linear(a, b);
      if (d != 1) result = Sql::infix("/", {result, wide(d)});
    } else {
      const bool up = formula.rounding == Rounding::kCeiling;  // -floor(-n / d)
      if (up) {
        a = -a;
        b = -b;
      }
      result = once(linear(a, b), [&](const Sql& n) {
        const Sql rest =
            Sql::infix("%", {Sql::infix("+", {Sql::infix("%", {n, wide(d)}), wide(d)}), wide(d)});
        return Sql::infix("/", {Sql::infix("-", {n, rest}), wide(d)});
      });
      if (up) result = negated(result);
    }
  }
  if (least < Integer(formula.low) * d || most > Integer(formula.high) * d) {
    result = once(result, [&](const Sql& v) {
      const Sql first = constant(formula.low);
      const Sql last = constant(formula.high);
      return Sql::choose({Sql::infix("<", {v, first}), first, Sql::infix(">", {v, last}), last, v});
    });
  }
  return narrow ? result : bigint(std::move(result));
}

Sql quotient(Sql a, Sql b) {
  return bigint(Sql::infix("/", {Sql::infix("*", {wide(std::move(a)), wide(power(10, 6))}),
                                 Sql::call("nullif", {wide(std::move(b)), wide(Integer(0))})}));
}

}  // namespace discreet::engine::trino
