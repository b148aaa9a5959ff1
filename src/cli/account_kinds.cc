// SPDX-License-Identifier: Apache-2.0
#include "cli/account_kinds.h"

#include <algorithm>

#include "base/suggest.h"
#include "cli/arguments.h"

namespace discreet::cli {
namespace {

using accounting::Mechanism;
using Values = std::vector<std::optional<Rational>>;

constexpr std::string_view kSigma = "noise_multiplier";
constexpr std::string_view kEpsilon = "epsilon";
constexpr std::string_view kDelta = "delta";
constexpr std::string_view kSampling = "sampling_probability";
constexpr std::string_view kSensitivity = "sensitivity";

/// A whole number that fits; anything else becomes 0, which check() refuses with the range.
std::uint32_t steps_of(const std::optional<Rational>& value) {
  if (!value) return 1;
  if (value->denominator() != 1 || value->sign() <= 0 || *value > 1'000'000) return 0;
  return static_cast<std::uint32_t>(to_int128(value->numerator()));
}

std::vector<Kind> make_kinds() {
  using namespace accounting;
  return {
      {"gaussian",
       "--gaussian",
       "SIGMA",
       "Gaussian noise; SIGMA is its standard deviation over the L2 sensitivity",
       {{kSigma}},
       [](const Values& v) -> Mechanism { return Gaussian{*v[0]}; }},
      {"discrete-gaussian",
       "--discrete-gaussian",
       "SIGMA",
       "discrete Gaussian noise (charged in zCDP)",
       {{kSigma}},
       [](const Values& v) -> Mechanism { return DiscreteGaussian{*v[0]}; }},
      {"laplace",
       "--laplace-epsilon",
       "E",
       "Laplace noise; E is the L1 sensitivity over the scale",
       {{kEpsilon}},
       [](const Values& v) -> Mechanism { return Laplace{*v[0]}; }},
      {"discrete-laplace",
       "--discrete-laplace",
       "E[,SENSITIVITY]",
       "discrete Laplace noise on an integer of that sensitivity (1)",
       {{kEpsilon}, {kSensitivity, false}},
       [](const Values& v) -> Mechanism { return DiscreteLaplace{*v[0], steps_of(v[1])}; }},
      {"pure",
       "--epsilon",
       "E",
       "anything that is E-DP",
       {{kEpsilon}},
       [](const Values& v) -> Mechanism { return Generic{*v[0], 0}; }},
      {"approx",
       "--approx",
       "E,D",
       "anything that is (E,D)-DP, such as thresholded noise",
       {{kEpsilon}, {kDelta}},
       [](const Values& v) -> Mechanism { return Generic{*v[0], *v[1]}; }},
      {"randomized-response",
       "--randomized-response",
       "E",
       "randomized response",
       {{kEpsilon}},
       [](const Values& v) -> Mechanism { return Generic{*v[0], 0}; }},
      {"exponential",
       "--exponential",
       "E",
       "the exponential mechanism",
       {{kEpsilon}},
       [](const Values& v) -> Mechanism { return Exponential{*v[0]}; }},
      {"permute-and-flip",
       "--permute-and-flip",
       "E",
       "permute-and-flip",
       {{kEpsilon}},
       [](const Values& v) -> Mechanism { return PermuteAndFlip{*v[0]}; }},
      {"subsampled-gaussian",
       "--subsampled-gaussian",
       "SIGMA,Q",
       "Gaussian noise on a sample that each unit joins with probability Q",
       {{kSigma}, {kSampling}},
       [](const Values& v) -> Mechanism { return SubsampledGaussian{*v[0], *v[1]}; }},
      {"subsampled-laplace",
       "--subsampled-laplace",
       "E,Q",
       "Laplace noise on such a sample",
       {{kEpsilon}, {kSampling}},
       [](const Values& v) -> Mechanism { return SubsampledLaplace{*v[0], *v[1]}; }},
  };
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (true) {
    const std::size_t to = text.find(separator, from);
    parts.push_back(text.substr(from, to - from));
    if (to == std::string::npos) return parts;
    from = to + 1;
  }
}

}  // namespace

std::span<const Kind> account_kinds() {
  static const std::vector<Kind> kKinds = make_kinds();
  return kKinds;
}

Result<const Kind*> find_kind(std::string_view name) {
  std::vector<std::string> names;
  for (const Kind& kind : account_kinds()) {
    if (kind.name == name) return &kind;
    names.emplace_back(kind.name);
  }
  return invalid_input("unknown mechanism " + in_quotes(name) + did_you_mean(name, names) +
                       "; the mechanisms are " + one_of(names));
}

Result<accounting::Use> make_use(const Kind& kind,
                                 const std::vector<std::optional<std::string>>& texts,
                                 const std::optional<std::string>& count) {
  Values values;
  for (std::size_t i = 0; i < kind.fields.size(); ++i) {
    const KindField& field = kind.fields[i];
    if (!texts[i]) {
      if (field.is_required) {
        return invalid_input(std::string(kind.name) + " needs " + std::string(field.name));
      }
      values.emplace_back();
      continue;
    }
    DISCREET_ASSIGN(Rational value, parse_number(std::string(field.name), *texts[i]));
    values.emplace_back(std::move(value));
  }
  accounting::Use use{kind.make(values), 1};
  if (count) {
    DISCREET_ASSIGN(use.count, parse_count("count", *count, accounting::kCountMax));
  }
  DISCREET_TRY(accounting::check({use}));
  return use;
}

Result<accounting::Use> parse_use(const Kind& kind, const std::string& text) {
  const std::size_t times = text.find_last_of("xX");
  const std::optional<std::string> count =
      times == std::string::npos ? std::nullopt : std::optional(text.substr(times + 1));
  const std::vector<std::string> parts = split(text.substr(0, times), ',');
  const auto refuse = [&](const std::string& message) {
    return invalid_input(std::string(kind.option) + " " + in_quotes(text) + ": " + message);
  };
  if (parts.size() > kind.fields.size()) {
    return refuse("has too many parts; write " + std::string(kind.form) + " or " +
                  std::string(kind.form) + "xCOUNT");
  }
  std::vector<std::optional<std::string>> texts(parts.begin(), parts.end());
  texts.resize(kind.fields.size());
  auto use = make_use(kind, texts, count);
  if (!use) return refuse(use.error().message);
  return use;
}

}  // namespace discreet::cli
