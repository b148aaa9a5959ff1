// SPDX-License-Identifier: Apache-2.0
// discreet account calibrate: the noise for a guarantee, and the guarantee for an error.
#include <memory>

#include "accounting/calibrate.h"
#include "base/suggest.h"
#include "cli/account.h"
#include "cli/account_people.h"
#include "cli/account_question.h"
#include "cli/price.h"

namespace discreet::cli {
namespace {

constexpr const char* kAccountCalibrateExample =
    "discreet account calibrate --mechanism gaussian --epsilon 1 --delta 1e-6 --count 1000";
constexpr const char* kErrorExample =
    "discreet account calibrate --mechanism laplace --error 10 --sensitivity 1 --delta 0";

struct CalibrateArguments {
  Text mechanism, epsilon, delta, count, sampling_probability, notion;
  Text error, confidence, sensitivity;
  FormatArguments format;
};

enum class Noise { kGaussian, kLaplace, kSubsampled };

Result<Noise> noise_of(const Text& text) {
  if (!text) return missing("--mechanism", kAccountCalibrateExample);
  if (*text == "gaussian") return Noise::kGaussian;
  if (*text == "laplace") return Noise::kLaplace;
  if (*text == "subsampled-gaussian" || *text == "dp-sgd") return Noise::kSubsampled;
  const std::vector<std::string> names = {"gaussian", "laplace", "subsampled-gaussian"};
  return invalid_input("mechanism must be " + one_of(names) + "; got " + in_quotes(*text) +
                       did_you_mean(*text, names));
}

struct Request {
  Noise noise;
  Delta delta;
  std::uint64_t count;
  accounting::Notion notion;
  Rational q;
};

Result<Request> read_request(const CalibrateArguments& arguments) {
  DISCREET_ASSIGN(const Noise noise, noise_of(arguments.mechanism));
  const char* const example = arguments.error ? kErrorExample : kAccountCalibrateExample;
  DISCREET_ASSIGN(Delta delta, required<Delta>(arguments.delta, "--delta", example));
  if (delta.value().sign() == 0 && noise != Noise::kLaplace) {
    return invalid_input("delta must be above 0 for Gaussian noise, such as 1e-6");
  }
  DISCREET_ASSIGN(const std::uint64_t count,
                  parse_count("count", arguments.count.value_or("1"), accounting::kCountMax));
  DISCREET_ASSIGN(const accounting::Notion notion, notion_of(arguments.notion));
  if (arguments.sampling_probability.has_value() != (noise == Noise::kSubsampled)) {
    return invalid_input(
        "--sampling-probability belongs to --mechanism subsampled-gaussian; give both or neither");
  }
  DISCREET_ASSIGN(Rational q, parse_number("sampling-probability",
                                           arguments.sampling_probability.value_or("1")));
  return Request{noise, std::move(delta), count, notion, std::move(q)};
}

std::vector<accounting::Use> uses_at(const Request& request, const Rational& noise) {
  switch (request.noise) {
    case Noise::kGaussian:
      return {{accounting::Gaussian{noise}, request.count}};
    case Noise::kLaplace:
      return {{accounting::Laplace{Rational(1) / noise}, request.count}};
    case Noise::kSubsampled:
      return {{accounting::SubsampledGaussian{noise, request.q}, request.count}};
  }
  return {};
}

const char* noise_name(Noise noise) {
  return noise == Noise::kLaplace ? "scale" : "noise_multiplier";
}

void add_rest(report::Sheet& sheet, const Request& request, const accounting::Bounds& bounds,
              const Rational& noise) {
  add_bounds(sheet, "epsilon", bounds);
  add_both(sheet, "delta", request.delta.to_string());
  add_uses(sheet, uses_at(request, noise));
}

/// The least noise for (epsilon, delta).
Result<report::Sheet> noise_for(const CalibrateArguments& arguments, const Request& request) {
  DISCREET_ASSIGN(const Epsilon epsilon,
                  required<Epsilon>(arguments.epsilon, "--epsilon", kAccountCalibrateExample));
  const accounting::Target target{epsilon.value(), request.delta};
  DISCREET_ASSIGN(
      const accounting::Calibrated found,
      request.noise == Noise::kGaussian
          ? accounting::calibrate_gaussian(target, request.count, request.notion)
      : request.noise == Noise::kLaplace
          ? accounting::calibrate_laplace(target, request.count, request.notion)
          : accounting::calibrate_subsampled(target, request.count, request.q, request.notion));
  report::Sheet sheet;
  add_both(sheet, noise_name(request.noise), found.noise.to_string());
  add_rest(sheet, request, found.epsilon, found.noise);
  return sheet;
}

/// What it costs to be within the error.
Result<report::Sheet> epsilon_for(const CalibrateArguments& arguments, const Request& request) {
  if (arguments.epsilon) {
    return invalid_input("--error asks for epsilon and --epsilon for noise; give one of them");
  }
  DISCREET_ASSIGN(const Rational error, parse_number("error", *arguments.error));
  DISCREET_ASSIGN(const Confidence confidence, confidence_of(arguments.confidence));
  DISCREET_ASSIGN(const Sensitivity sensitivity,
                  Sensitivity::parse(arguments.sensitivity.value_or("1")));
  DISCREET_ASSIGN(const Rational size,
                  request.noise == Noise::kLaplace
                      ? accounting::laplace_scale_for_error(error, confidence)
                      : accounting::gaussian_sigma_for_error(error, confidence));
  const Rational noise = size / sensitivity.value();
  const std::vector<accounting::Use> uses = uses_at(request, noise);
  DISCREET_TRY(accounting::check(uses));
  DISCREET_ASSIGN(
      const accounting::Bounds bounds,
      ask(uses, {.delta = request.delta, .epsilon = {}, .notion = request.notion, .people = 1}));
  report::Sheet sheet;
  // Rounded down: a larger one would miss the error.
  add_both(sheet, request.noise == Noise::kLaplace ? "scale" : "sigma",
           size.to_decimal(kPeopleDigits, Round::kDown));
  add_both(sheet, "error", error.to_string());
  add_both(sheet, "confidence", confidence.to_string());
  // Not the uses: their parameter is a long fraction.
  add_bounds(sheet, "epsilon", bounds);
  add_both(sheet, "delta", request.delta.to_string());
  add_both(sheet, "count", std::to_string(request.count));
  return sheet;
}

Result<int> run_calibrate(const CalibrateArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  DISCREET_ASSIGN(const Request request, read_request(arguments));
  if (!arguments.error && (arguments.confidence || arguments.sensitivity)) {
    return invalid_input("--confidence and --sensitivity go with --error; the noise for an " +
                         std::string("epsilon is shown over the sensitivity"));
  }
  DISCREET_ASSIGN(const report::Sheet sheet, arguments.error ? epsilon_for(arguments, request)
                                                             : noise_for(arguments, request));
  DISCREET_TRY(write_all(streams.out, sheet.render(format)));
  return 0;
}

}  // namespace

void add_account_calibrate(Program& program, CLI::App& account) {
  const auto arguments = std::make_shared<CalibrateArguments>();
  CLI::App& app = program.command(
      account, "calibrate",
      {.summary = "the noise for a guarantee, or the guarantee for an error",
       .explanation =
           "With --epsilon: the least noise with which --count uses together meet the guarantee.\n"
           "It is shown over the sensitivity: multiply by yours. For Laplace it is the scale, for\n"
           "Gaussians the standard deviation.\n"
           "With --error: the noise whose size stays within the error with the confidence, in\n"
           "each use, and what that costs. For the real-valued distributions; on integers add\n"
           "half a unit to the error.\n",
       .closing =
           "Costs nothing: no data is involved.\n\n"
           "Example:\n"
           "  discreet account calibrate --mechanism gaussian --epsilon 1 --delta 1e-6 --count 10\n"
           "  discreet account calibrate --mechanism subsampled-gaussian --epsilon 2 \\\n"
           "    --delta 1e-6 --count 10000 --sampling-probability 0.01\n"
           "  discreet account calibrate --mechanism laplace --error 10 --delta 0"},
      [arguments](const Streams& streams) { return run_calibrate(*arguments, streams); });
  add_text(app, "--mechanism", arguments->mechanism, "gaussian, laplace or subsampled-gaussian",
           "NAME");
  add_text(app, "--epsilon", arguments->epsilon, "the guarantee to meet");
  add_text(app, "--error", arguments->error, "or the error to stay within");
  add_text(app, "--confidence", arguments->confidence, "of the error (0.95)");
  add_text(app, "--sensitivity", arguments->sensitivity, "with --error: of the answer (1)");
  add_text(app, "--delta", arguments->delta, "of the guarantee; 0 is possible for laplace");
  add_text(app, "--count,--steps", arguments->count, "how many uses (1)");
  add_text(app, "--sampling-probability", arguments->sampling_probability,
           "of subsampled-gaussian");
  add_notion(app, arguments->notion);
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
