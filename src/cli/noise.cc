// SPDX-License-Identifier: Apache-2.0
// discreet noise laplace|gaussian|geometric: noise on a number that the caller holds.
#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "cli/draws.h"
#include "cli/noise_lessons.h"
#include "cli/noise_request.h"
#include "cli/own_values.h"
#include "cli/price.h"
#include "cli/program.h"
#include "mechanism/gaussian.h"
#include "mechanism/gaussian_vector.h"
#include "mechanism/geometric.h"
#include "mechanism/grid_laplace.h"
#include "mechanism/laplace.h"
#include "mechanism/laplace_vector.h"
#include "mechanism/rounded_gaussian.h"
#include "mechanism/rounded_gaussian_vector.h"
#include "mechanism/tails.h"

namespace discreet::cli {
namespace {

using mechanism::kAnswerMax;
using mechanism::kEntryMax;

/// One answer of a mechanism that adds noise to integers.
template <class M>
Result<int> answer_integer(const Streams& streams, const NoiseRequest& request,
                           const M& mechanism) {
  DISCREET_ASSIGN(const Int128 value, whole("value", request.value, kAnswerMax));
  DISCREET_ASSIGN(const auto released,
                  OwnValues::release(mechanism, value, request.confidence, request.payer.get()));
  const Rational answer = rational(released.value());
  const Rational half_width = released.provenance().accuracy->half_width;
  return show(streams, request,
              {.answer = answer,
               .low = answer - half_width,
               .high = answer + half_width,
               .expected_error = mechanism::upper_bound(mechanism.expected_size()),
               .raw = std::nullopt},
              released.provenance());
}

/// Draws of a vector mechanism on copies of one value. `make(n)` gives the mechanism for n copies:
/// whoever differs in the value differs in every copy, so that its sensitivity and its price are n
/// times those of one, and its noise is the same.
template <class MakeVector>
DrawBlock copies_of(std::int64_t value, const MakeVector& make) {
  return [value, make](std::size_t n) -> Result<std::vector<std::int64_t>> {
    DISCREET_ASSIGN(const auto mechanism, make(rational(static_cast<Int128>(n))));
    DISCREET_ASSIGN(const auto released,
                    OwnValues::release(mechanism, std::vector<std::int64_t>(n, value)));
    return released.value();
  };
}

Result<int> draw_lines(const Streams& streams, const NoiseRequest& request, const Cost& each,
                       const LineForm& form, const DrawBlock& draw) {
  say(streams.err, "note: " + std::to_string(request.count) + " independent draws cost " +
                       total_price(each, request.count) + " in all, " + kNoBudget +
                       "; the average of many tells the value\n");
  DISCREET_TRY(write_draws(streams.out, request.count, draw, form));
  return 0;
}

Result<int> laplace_lines(const Streams& streams, const NoiseRequest& request, Int128 value,
                          const mechanism::LaplaceOptions& each, const LineForm& form) {
  const auto make = [each](const Rational& n) -> Result<mechanism::LaplaceVector> {
    DISCREET_ASSIGN(Sensitivity sensitivity, Sensitivity::of(each.sensitivity.value() * n));
    DISCREET_ASSIGN(Epsilon epsilon, Epsilon::of(each.epsilon.value() * n));
    return mechanism::LaplaceVector::make(
        {.sensitivity = std::move(sensitivity), .epsilon = std::move(epsilon)});
  };
  // Parameters that do not work are named before anything is printed.
  DISCREET_TRY(
      make(rational(static_cast<Int128>(std::min<std::uint64_t>(request.count, kDrawsAtOnce)))));
  return draw_lines(streams, request, pure_cost(each.epsilon), form,
                    copies_of(static_cast<std::int64_t>(value), make));
}

/// A step of finitely many decimals as a factor and a number of decimals.
Result<LineForm> grid_form(const Step& step) {
  LineForm form;
  Rational scaled = step.value();
  while (scaled.denominator() != 1 && form.decimals < 18) {
    scaled = scaled * 10;
    ++form.decimals;
  }
  if (scaled.denominator() != 1 || scaled > rational(kEntryMax)) {
    return invalid_input("--count needs a step of at most 18 decimals, such as 0.01; got " +
                         in_quotes(step.to_string()));
  }
  form.factor = static_cast<std::int64_t>(to_int128(scaled.numerator()));
  return form;
}

Result<int> run_grid(const Streams& streams, const NoiseRequest& request, const Epsilon& epsilon,
                     const Step& step) {
  DISCREET_ASSIGN(const auto grid,
                  mechanism::GridLaplace::make(
                      {.step = step, .sensitivity = request.sensitivity, .epsilon = epsilon}));
  const Int128 most = request.count > 0 ? Int128{kEntryMax} : kAnswerMax;
  if ((request.value / step.value()).abs() >= rational(most)) {
    return invalid_input("value must be fewer than " + to_string(most) +
                         " steps from 0; give a larger --step");
  }
  const Int128 index = mechanism::GridLaplace::to_grid(request.value, step);
  if (request.count > 0) {
    DISCREET_ASSIGN(const LineForm form, grid_form(step));
    return laplace_lines(streams, request, index,
                         {grid.in_steps().sensitivity(), grid.in_steps().epsilon()}, form);
  }
  DISCREET_ASSIGN(const auto released,
                  OwnValues::release(grid, index, request.confidence, request.payer.get()));
  // The value may lie half a step from its grid point. Whether it does is not for the output to
  // tell, so the interval is always that much wider.
  const Rational rounding = step.value() / 2;
  const Rational half_width = released.provenance().accuracy->half_width + rounding;
  return show(
      streams, request,
      {.answer = released.value(),
       .low = released.value() - half_width,
       .high = released.value() + half_width,
       .expected_error =
           mechanism::upper_bound(grid.in_steps().expected_size()) * step.value() + rounding,
       .raw = std::nullopt},
      released.provenance());
}

Result<int> run_laplace(const NoiseArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const auto request, NoiseRequest::read(arguments, kLaplaceExample));
  DISCREET_ASSIGN(const auto epsilon,
                  required<Epsilon>(arguments.epsilon, "--epsilon", kLaplaceExample));
  if (arguments.step) {
    DISCREET_ASSIGN(const Step step, Step::parse(*arguments.step));
    return run_grid(streams, request, epsilon, step);
  }
  if (request.count > 0) {
    DISCREET_ASSIGN(const Int128 value, whole("value", request.value, kEntryMax));
    return laplace_lines(streams, request, value, {request.sensitivity, epsilon}, {});
  }
  DISCREET_ASSIGN(const auto laplace, mechanism::Laplace::make({request.sensitivity, epsilon}));
  return answer_integer(streams, request, laplace);
}

Result<int> run_zcdp(const Streams& streams, const NoiseRequest& request, const Rho& rho) {
  const Rational squared = request.sensitivity.value() * request.sensitivity.value();
  DISCREET_ASSIGN(
      const auto gaussian,
      mechanism::Gaussian::make({.sensitivity_squared = L2Squared::trusted(squared), .rho = rho}));
  if (request.count == 0) return answer_integer(streams, request, gaussian);
  DISCREET_ASSIGN(const Int128 value, whole("value", request.value, kEntryMax));
  const auto make = [squared, rho](const Rational& n) {
    return mechanism::GaussianVector::make({.sensitivity_squared = L2Squared::trusted(squared * n),
                                            .rho = Rho::trusted(rho.value() * n)});
  };
  return draw_lines(streams, request, gaussian.cost(), {},
                    copies_of(static_cast<std::int64_t>(value), make));
}

Result<int> run_rounded(const Streams& streams, const NoiseRequest& request, const Epsilon& epsilon,
                        const Delta& delta) {
  DISCREET_ASSIGN(const auto rounded,
                  mechanism::RoundedGaussian::make(
                      {.sensitivity = request.sensitivity, .epsilon = epsilon, .delta = delta}));
  if (request.count == 0) return answer_integer(streams, request, rounded);
  DISCREET_ASSIGN(const Int128 value, whole("value", request.value, kEntryMax));
  // The same noise on n copies: in zCDP, n times what one draw costs.
  const auto make = [&](const Rational& n) -> Result<mechanism::RoundedGaussianVector> {
    const Rational& distance = request.sensitivity.value();
    return mechanism::RoundedGaussianVector::in_zcdp(rounded.sigma_squared(),
                                                     L2Squared::trusted(distance * distance * n));
  };
  return draw_lines(streams, request, rounded.cost(), {},
                    copies_of(static_cast<std::int64_t>(value), make));
}

Result<int> run_gaussian(const NoiseArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const auto request, NoiseRequest::read(arguments, kGaussianExample));
  if (arguments.rho) {
    if (arguments.epsilon || arguments.delta) {
      return invalid_input("give --rho, or --epsilon and --delta, not both");
    }
    DISCREET_ASSIGN(const Rho rho, Rho::parse(*arguments.rho));
    return run_zcdp(streams, request, rho);
  }
  DISCREET_ASSIGN(const auto epsilon,
                  required<Epsilon>(arguments.epsilon, "--epsilon (or --rho)", kGaussianExample));
  DISCREET_ASSIGN(const auto delta,
                  required<Delta>(arguments.delta, "--delta (or --rho)", kGaussianExample));
  return run_rounded(streams, request, epsilon, delta);
}

/// A bound of the public range.
Result<Int128> bound(const std::string& name, const Text& text, Int128 otherwise) {
  if (!text) return otherwise;
  DISCREET_ASSIGN(const Rational number, parse_number(name, *text));
  return whole(name, number, kAnswerMax);
}

Result<int> run_geometric(const NoiseArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const auto request, NoiseRequest::read(arguments, kGeometricExample));
  DISCREET_ASSIGN(const auto epsilon,
                  required<Epsilon>(arguments.epsilon, "--epsilon", kGeometricExample));
  DISCREET_ASSIGN(const Int128 low, bound("lower", arguments.lower, 0));
  DISCREET_ASSIGN(const Int128 high, bound("upper", arguments.upper, kAnswerMax));
  DISCREET_ASSIGN(
      const auto geometric,
      mechanism::Geometric::make(
          {.sensitivity = request.sensitivity, .epsilon = epsilon, .low = low, .high = high}));
  DISCREET_ASSIGN(const Int128 value, whole("value", request.value,
                                            request.count > 0 ? Int128{kEntryMax} : kAnswerMax));
  if (value < low || value > high) {
    return invalid_input("value must lie in the public range; widen --lower and --upper");
  }
  if (request.count > 0) {
    return laplace_lines(streams, request, value, {request.sensitivity, epsilon},
                         {.low = saturate_to_int64(low),
                          .high = saturate_to_int64(high),
                          .factor = 1,
                          .decimals = 0});
  }
  DISCREET_ASSIGN(const auto released,
                  OwnValues::release(geometric, value, request.confidence, request.payer.get()));
  const Rational raw = rational(released.value().raw);
  const Rational half_width = released.provenance().accuracy->half_width;
  // The value lies in the range, so the part of the interval that does too is good enough.
  const auto clamp = [&](const Rational& x) {
    return std::clamp(x, rational(low), rational(high));
  };
  return show(streams, request,
              {.answer = rational(released.value().truncated),
               .low = clamp(raw - half_width),
               .high = clamp(raw + half_width),
               .expected_error = mechanism::upper_bound(geometric.expected_size()),
               .raw = raw},
              released.provenance());
}

using NoiseRun = Result<int> (*)(const NoiseArguments&, const Streams&);

/// Adds a command with the options that all three take.
CLI::App& add_kind(Program& program, CLI::App& noise, const std::string& name, const Lesson& lesson,
                   NoiseRun run, const std::shared_ptr<NoiseArguments>& arguments) {
  CLI::App& app = program.command(noise, name, lesson, [arguments, run](const Streams& streams) {
    return run(*arguments, streams);
  });
  add_text(app, "--value", arguments->value, "the number to protect");
  add_text(app, "--sensitivity", arguments->sensitivity,
           "how far one person can move the value, at most");
  add_text(app, "--confidence", arguments->confidence, "of the interval (0.95)");
  add_text(app, "--count", arguments->count,
           "print N independent draws, one a line, for N times the price");
  arguments->format.add_to(app);
  arguments->payer.add_to(app);
  return app;
}

}  // namespace

void add_noise(Program& program) {
  CLI::App& noise = program.group("noise", noise_lesson());
  const auto laplace = std::make_shared<NoiseArguments>();
  CLI::App& laplace_app =
      add_kind(program, noise, "laplace", laplace_lesson(), run_laplace, laplace);
  add_text(laplace_app, "--epsilon", laplace->epsilon, "the privacy parameter, such as 1/2");
  add_text(laplace_app, "--step", laplace->step,
           "for numbers with decimals: the grid they live on, such as 0.01");

  const auto gaussian = std::make_shared<NoiseArguments>();
  CLI::App& gaussian_app =
      add_kind(program, noise, "gaussian", gaussian_lesson(), run_gaussian, gaussian);
  add_text(gaussian_app, "--rho", gaussian->rho, "zCDP's privacy parameter, such as 0.1");
  add_text(gaussian_app, "--epsilon", gaussian->epsilon, "in place of --rho, with --delta");
  add_text(gaussian_app, "--delta", gaussian->delta, "far below 1/people, such as 1e-6");

  const auto geometric = std::make_shared<NoiseArguments>();
  CLI::App& geometric_app =
      add_kind(program, noise, "geometric", geometric_lesson(), run_geometric, geometric);
  add_text(geometric_app, "--epsilon", geometric->epsilon, "the privacy parameter, such as 1/2");
  add_text(geometric_app, "--lower", geometric->lower, "least public value (0)");
  add_text(geometric_app, "--upper", geometric->upper, "greatest public value (none)");
}

}  // namespace discreet::cli
