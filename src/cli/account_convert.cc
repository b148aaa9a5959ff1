// SPDX-License-Identifier: Apache-2.0
// discreet account convert: from one notion of privacy to another.
#include <cmath>
#include <memory>

#include "accounting/calibrate.h"
#include "accounting/conversion.h"
#include "accounting/gaussian_dp.h"
#include "accounting/outward.h"
#include "accounting/renyi_curves.h"
#include "accounting/zcdp.h"
#include "base/suggest.h"
#include "cli/account.h"
#include "cli/account_question.h"

namespace discreet::cli {
namespace {

using report::Cell;

constexpr const char* kAccountConvertExample = "discreet account convert --rho 0.1 --delta 1e-6";

struct ConvertArguments {
  Text epsilon, delta, rho, set_aside, mu, order, tau, to;
  FormatArguments format;
};

constexpr const char* kZcdpTheorem = "zCDP to (epsilon, delta) [CKS20 Prop. 12]";
constexpr const char* kApproximateTheorem =
    "approximate zCDP to (epsilon, delta) [CKS20 Prop. 12; notions.md, Set aside]";
constexpr const char* kRenyiTheorem = "Renyi to (epsilon, delta) [CKS20 Prop. 12]";
constexpr const char* kGaussianTheorem = "Gaussian DP, exact [BW18, DRS22]";

void add_upper(report::Sheet& sheet, const std::string& what, double upper,
               const std::string& theorem) {
  sheet.line(what + "_upper", upper_text(upper, kPeopleDigits))
      .field(what + "_upper", Cell::number(upper_text(upper, kProgramDigits)));
  add_both(sheet, "theorem", theorem, false);
}

Result<Rational> positive(const std::string& name, const std::string& text) {
  DISCREET_ASSIGN(Rational value, parse_number(name, text));
  if (value < power_of_two(-40) || value > power_of_two(40)) {
    return invalid_input(name + " must be between 2^-40 and 2^40; got " + in_quotes(text));
  }
  return value;
}

/// An order just above 1 is as good as none: 1 + 2^-20 is the least that is taken.
Result<double> parse_order(const std::string& text) {
  DISCREET_ASSIGN(const Rational order, parse_number("order", text));
  if (order < Rational(1) + power_of_two(-20) || order > power_of_two(40)) {
    return invalid_input("order must be above 1 (by 2^-20 at least) and at most 2^40; got " +
                         in_quotes(text));
  }
  // Divergences grow with the order, so tau bounds that of a smaller one too.
  return order.to_double(Round::kDown);
}

/// A curve of guarantees, asked at a delta or at an epsilon. Bounds without a lower end come from
/// notions that say nothing about it.
struct Curve {
  std::function<accounting::Bounds(const Rational&)> epsilon_at;
  std::function<accounting::Bounds(const Rational&)> delta_at;
  bool has_lower = false;
};

Result<Curve> curve_of_rho(const std::string& text, const Text& set_aside) {
  DISCREET_ASSIGN(const Rho rho, Rho::parse(text));
  DISCREET_TRY(positive("rho", text));
  const auto aside = Delta::parse(set_aside.value_or("0"));
  if (!aside) return invalid_input("set-aside: " + aside.error().message);
  const accounting::Zcdp cost{rho.value(), aside->value()};
  const char* theorem = cost.delta.sign() == 0 ? kZcdpTheorem : kApproximateTheorem;
  return Curve{[cost, theorem](const Rational& delta) -> accounting::Bounds {
                 return {0, accounting::zcdp_epsilon(cost, delta), theorem};
               },
               [cost, theorem](const Rational& epsilon) -> accounting::Bounds {
                 return {0, accounting::zcdp_delta(cost, epsilon), theorem};
               }};
}

Result<Curve> curve_of_mu(const std::string& text) {
  DISCREET_ASSIGN(const Rational mu, positive("mu", text));
  const auto dp = accounting::GaussianDp::of_mu_squared(mu * mu);
  const auto named = [](accounting::Bounds bounds) {
    bounds.theorem = kGaussianTheorem;
    return bounds;
  };
  return Curve{[dp, named](const Rational& delta) { return named(dp.epsilon(delta)); },
               [dp, named](const Rational& epsilon) { return named(dp.delta(epsilon)); }, true};
}

Result<Curve> curve_of_order(const Text& order_text, const Text& tau_text) {
  if (!order_text || !tau_text) {
    return invalid_input(
        "--order and --tau go together; for example: discreet account convert --order 16 "
        "--tau 0.5 --delta 1e-6");
  }
  DISCREET_ASSIGN(const double order, parse_order(*order_text));
  DISCREET_ASSIGN(const Rational tau, positive("tau", *tau_text));
  const double cost = tau.to_double(Round::kUp);
  return Curve{[order, cost](const Rational& delta) -> accounting::Bounds {
                 return {0, accounting::epsilon_at_order(order, cost, delta), kRenyiTheorem};
               },
               [order, cost](const Rational& epsilon) -> accounting::Bounds {
                 const double log_delta = accounting::log_delta_at_order(order, cost, epsilon);
                 return {0, accounting::exp_up(log_delta), kRenyiTheorem};
               }};
}

Result<Curve> source_of(const ConvertArguments& arguments) {
  const int given = static_cast<int>(arguments.rho.has_value()) +
                    static_cast<int>(arguments.mu.has_value()) +
                    static_cast<int>(arguments.order || arguments.tau);
  if (given != 1) {
    return invalid_input("name one notion to convert from: --rho, --mu, or --order with --tau; " +
                         std::string("for example: ") + kAccountConvertExample);
  }
  if (arguments.rho) return curve_of_rho(*arguments.rho, arguments.set_aside);
  if (arguments.mu) return curve_of_mu(*arguments.mu);
  return curve_of_order(arguments.order, arguments.tau);
}

Result<Delta> delta_above_zero(const Text& text) {
  DISCREET_ASSIGN(Delta delta, required<Delta>(text, "--delta", kAccountConvertExample));
  if (delta.value().sign() == 0) {
    return invalid_input("delta must be above 0 for this conversion, such as 1e-6");
  }
  return delta;
}

void add_result(report::Sheet& sheet, const std::string& what, const accounting::Bounds& bounds,
                bool has_lower) {
  if (has_lower) {
    add_bounds(sheet, what, bounds);
  } else {
    add_upper(sheet, what, bounds.upper, bounds.theorem);
  }
}

Result<report::Sheet> to_epsilon(const ConvertArguments& arguments) {
  DISCREET_ASSIGN(const Curve curve, source_of(arguments));
  if (arguments.epsilon) {
    return invalid_input("--epsilon goes with --to delta; for --to epsilon give --delta");
  }
  DISCREET_ASSIGN(const Delta delta, delta_above_zero(arguments.delta));
  report::Sheet sheet;
  add_result(sheet, "epsilon", curve.epsilon_at(delta.value()), curve.has_lower);
  add_both(sheet, "delta", delta.to_string());
  return sheet;
}

Result<report::Sheet> to_delta(const ConvertArguments& arguments) {
  DISCREET_ASSIGN(const Curve curve, source_of(arguments));
  if (arguments.delta) {
    return invalid_input("--delta goes with --to epsilon; for --to delta give --epsilon");
  }
  DISCREET_ASSIGN(const Epsilon epsilon,
                  required<Epsilon>(arguments.epsilon, "--epsilon",
                                    "discreet account convert --rho 0.1 --to delta --epsilon 1"));
  report::Sheet sheet;
  add_result(sheet, "delta", curve.delta_at(epsilon.value()), curve.has_lower);
  add_both(sheet, "epsilon", epsilon.to_string());
  return sheet;
}

/// What a guarantee implies.
Result<report::Sheet> to_rho(const ConvertArguments& arguments) {
  report::Sheet sheet;
  if (arguments.mu) {
    DISCREET_ASSIGN(const Rational mu, positive("mu", *arguments.mu));
    add_both(sheet, "rho", (mu * mu / Rational(2)).to_string());
    add_both(sheet, "theorem", "a Gaussian is (mu^2/2)-zCDP [BS16 Prop. 1.6]", false);
    return sheet;
  }
  DISCREET_ASSIGN(const Epsilon epsilon,
                  required<Epsilon>(arguments.epsilon, "--epsilon",
                                    "discreet account convert --epsilon 1 --to rho"));
  DISCREET_ASSIGN(const Delta delta, Delta::parse(arguments.delta.value_or("0")));
  const Rational rho = epsilon.value() * epsilon.value() / Rational(2);
  add_both(sheet, "rho", rho.to_string());
  add_both(sheet, "delta", delta.to_string());
  add_both(sheet, "theorem",
           delta.value().sign() == 0
               ? "epsilon-DP is (epsilon^2/2)-zCDP [BS16 Prop. 1.4]"
               : "(epsilon, delta)-DP is delta-approximately (epsilon^2/2)-zCDP [BS16]",
           false);
  return sheet;
}

/// The Renyi divergence that an epsilon implies at an order.
Result<report::Sheet> to_tau(const ConvertArguments& arguments) {
  const std::string example = "discreet account convert --epsilon 1 --order 16 --to tau";
  if (arguments.rho || arguments.mu || arguments.tau || arguments.delta) {
    return invalid_input("tau comes from --epsilon and --order alone; for example: " + example);
  }
  DISCREET_ASSIGN(const Epsilon epsilon,
                  required<Epsilon>(arguments.epsilon, "--epsilon", example));
  DISCREET_TRY(positive("epsilon", *arguments.epsilon));
  if (!arguments.order) return missing("--order", example);
  DISCREET_TRY(parse_order(*arguments.order));
  DISCREET_ASSIGN(const Rational order, parse_number("order", *arguments.order));
  // Divergences grow with the order, so the next double above serves.
  const double above[] = {order.to_double(Round::kUp)};
  const double tau = accounting::renyi_curve(accounting::Generic{epsilon.value(), 0}, above)[0];
  report::Sheet sheet;
  add_upper(sheet, "tau", tau, "randomized response is the worst epsilon-DP mechanism [KOV15]");
  add_both(sheet, "order", order.to_string());
  add_both(sheet, "epsilon", epsilon.to_string());
  return sheet;
}

/// What is enough for a guarantee.
Result<report::Sheet> to_budget(const ConvertArguments& arguments, bool mu) {
  const std::string example = "discreet account convert --epsilon 1 --delta 1e-6 --to rho-budget";
  if (arguments.rho || arguments.mu || arguments.order || arguments.tau) {
    return invalid_input("a budget comes from --epsilon and --delta; for example: " + example);
  }
  DISCREET_ASSIGN(const Epsilon epsilon,
                  required<Epsilon>(arguments.epsilon, "--epsilon", example));
  DISCREET_ASSIGN(const Delta delta, delta_above_zero(arguments.delta));
  report::Sheet sheet;
  if (mu) {
    DISCREET_ASSIGN(const accounting::Calibrated found,
                    accounting::calibrate_gaussian({epsilon.value(), delta}, 1));
    add_both(sheet, "mu", (Rational(1) / found.noise).to_decimal(kPeopleDigits, Round::kDown));
    add_both(sheet, "theorem", kGaussianTheorem, false);
  } else {
    const Rational rho = accounting::zcdp_rho_for(epsilon.value(), delta.value());
    if (rho.sign() == 0) return invalid_input("no rho is small enough; raise epsilon or delta");
    add_both(sheet, "rho", rho.to_decimal(kPeopleDigits, Round::kDown));
    add_both(sheet, "theorem", kZcdpTheorem, false);
  }
  add_both(sheet, "epsilon", epsilon.to_string());
  add_both(sheet, "delta", delta.to_string());
  return sheet;
}

Result<report::Sheet> convert(const ConvertArguments& arguments) {
  const bool has_source = arguments.rho || arguments.mu || arguments.order || arguments.tau;
  const bool implies_tau = arguments.epsilon && arguments.order && !arguments.tau;
  const std::string natural =
      implies_tau ? "tau" : (has_source ? (arguments.epsilon ? "delta" : "epsilon") : "rho");
  const std::string to = arguments.to.value_or(natural);
  if (arguments.set_aside && !(arguments.rho && (to == "epsilon" || to == "delta"))) {
    return invalid_input("--set-aside goes with --rho; for example: " +
                         std::string(kAccountConvertExample) + " --set-aside 1e-9");
  }
  if (to == "epsilon") return to_epsilon(arguments);
  if (to == "delta") return to_delta(arguments);
  if (to == "rho") return to_rho(arguments);
  if (to == "tau") return to_tau(arguments);
  if (to == "rho-budget") return to_budget(arguments, false);
  if (to == "mu-budget") return to_budget(arguments, true);
  const std::vector<std::string> names = {"epsilon", "delta",      "rho",
                                          "tau",     "rho-budget", "mu-budget"};
  return invalid_input("to must be " + one_of(names) + "; got " + in_quotes(to) +
                       did_you_mean(to, names));
}

Result<int> run_convert(const ConvertArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  DISCREET_ASSIGN(const report::Sheet sheet, convert(arguments));
  DISCREET_TRY(write_all(streams.out, sheet.render(format)));
  return 0;
}

}  // namespace

void add_account_convert(Program& program, CLI::App& account) {
  const auto arguments = std::make_shared<ConvertArguments>();
  CLI::App& app = program.command(
      account, "convert",
      {.summary = "from one notion of privacy to another",
       .explanation =
           "From --rho (zCDP; approximate zCDP with --set-aside), --mu (Gaussian DP) or --order\n"
           "and --tau (Renyi): epsilon at --delta, or delta at --epsilon. From --epsilon: the rho\n"
           "that it implies (--to rho), or with --order the Renyi divergence at that order\n"
           "(--to tau); with --delta, the largest rho or mu that is enough for (epsilon, delta)\n"
           "(--to rho-budget, --to mu-budget). Implied costs are rounded up, budgets down.\n",
       .closing = "Costs nothing: no data is involved.\n\n"
                  "Example:\n"
                  "  discreet account convert --rho 0.1 --delta 1e-6\n"
                  "  discreet account convert --rho 0.1 --set-aside 1e-9 --delta 1e-6\n"
                  "  discreet account convert --mu 1 --epsilon 2\n"
                  "  discreet account convert --order 16 --tau 0.5 --delta 1e-6\n"
                  "  discreet account convert --epsilon 1\n"
                  "    rho      0.5\n"
                  "    delta    0\n"
                  "    theorem  epsilon-DP is (epsilon^2/2)-zCDP [BS16 Prop. 1.4]\n"
                  "  discreet account convert --epsilon 1 --order 16\n"
                  "  discreet account convert --epsilon 1 --delta 1e-6 --to rho-budget"},
      [arguments](const Streams& streams) { return run_convert(*arguments, streams); });
  add_text(app, "--rho", arguments->rho, "zero-concentrated DP");
  add_text(app, "--set-aside", arguments->set_aside,
           "with --rho: the delta that approximate zCDP sets aside (0)");
  add_text(app, "--mu", arguments->mu, "Gaussian DP: sensitivity over standard deviation");
  add_text(app, "--order", arguments->order, "of a Renyi divergence, above 1");
  add_text(app, "--tau", arguments->tau, "the Renyi divergence at that order");
  add_text(app, "--epsilon", arguments->epsilon, "pure DP, or the epsilon at which delta is asked");
  add_text(app, "--delta", arguments->delta, "the delta at which epsilon is asked");
  add_text(app, "--to", arguments->to, "epsilon, delta, rho, tau, rho-budget or mu-budget", "NAME");
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
