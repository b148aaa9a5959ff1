// SPDX-License-Identifier: Apache-2.0
#include "audit/record.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "mechanism/door.h"

namespace discreet::audit {
namespace {

/// The value of `key` in "name(key=value,...)"; nothing when it is not there.
std::optional<Rational> parameter(std::string_view text, std::string_view key) {
  const std::string wanted = std::string(key) + "=";
  for (std::size_t at = text.find('('); at != std::string_view::npos; at = text.find(',', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    if (!rest.starts_with(wanted)) continue;
    const std::string_view value =
        rest.substr(wanted.size(), rest.find_first_of(",)") - wanted.size());
    const Result<Rational> parsed = Rational::parse(value);
    return parsed ? std::optional(*parsed) : std::nullopt;
  }
  return std::nullopt;
}

struct Rule {
  std::string_view name;
  Metric metric;
  std::string_view key;         ///< the parameter that holds the bound; empty when it is always 1
  std::string_view times = "";  ///< a second one that multiplies it
};

constexpr Rule kRules[] = {
    {"discrete-laplace", Metric::kL1, "sensitivity"},
    {"discrete-laplace-vector", Metric::kL1, "sensitivity"},
    {"sv-laplace", Metric::kL1, "sensitivity"},
    {"grid-laplace", Metric::kL1, "sensitivity"},
    {"truncated-geometric", Metric::kL1, "sensitivity"},
    {"discrete-gaussian", Metric::kL2Squared, "sensitivity_squared"},
    {"discrete-gaussian-vector", Metric::kL2Squared, "sensitivity_squared"},
    {"rounded-gaussian", Metric::kL1, "sensitivity"},
    {"mean-of-bits", Metric::kL1, ""},
    {"randomized-response", Metric::kL0, ""},
    {"randomized-responses", Metric::kL0, ""},
    {"exponential", Metric::kLinf, "sensitivity"},
    {"permute-and-flip", Metric::kLinf, "sensitivity"},
    {"top-k", Metric::kLinf, "sensitivity"},
    {"partition-selection", Metric::kL1, ""},
    {"key-selection", Metric::kL1, "keys_per_unit"},
    {"quantiles", Metric::kL1, "keys_per_unit", "rows_per_unit"},
    {"thresholded-laplace", Metric::kL1, "sensitivity"},
    {"thresholded-gaussian", Metric::kL1, "sensitivity"},
    {"thresholded-groups-laplace", Metric::kL1, "sensitivity"},
    {"thresholded-groups-gaussian", Metric::kL2Squared, "sensitivity_squared"},
    {"above-threshold", Metric::kLinf, "sensitivity"},
    {"rounded-gaussian-vector", Metric::kL2Squared, "sensitivity_squared"},
    {"residual-table", Metric::kL1, "reach"},
    {"prefix-table", Metric::kL1, "reach"},
    {"prefix-stream", Metric::kL1, "reach"},  // of one day
    {"clipped-sum-l1", Metric::kL1, "sensitivity"},
    {"clipped-sum-l2", Metric::kL2Squared, "sensitivity_squared"},
};

std::string_view to_string(Metric metric) {
  switch (metric) {
    case Metric::kL0:
      return "changed entries";
    case Metric::kL1:
      return "L1 distance";
    case Metric::kLinf:
      return "largest difference";
    case Metric::kL2Squared:
      return "squared L2 distance";
  }
  return "";
}

const Integer& pick(const mechanism::Distances& distances, Metric metric) {
  switch (metric) {
    case Metric::kL0:
      return distances.l0;
    case Metric::kL1:
      return distances.l1;
    case Metric::kLinf:
      return distances.linf;
    case Metric::kL2Squared:
      break;
  }
  return distances.l2_squared;
}

/// What is wrong with one pair of calls; empty when nothing is.
std::string find_fault(const Recording& a, const Recording& b) {
  if (!(a.noise == b.noise)) {
    return "control flow depends on the data: " + a.noise.text + " against " + b.noise.text;
  }
  const Result<DeclaredSensitivity> declared = declared_sensitivity(a.noise);
  if (!declared) return declared.error().message;
  const auto distances = mechanism::Door::distance(a.input, b.input).outcome();
  if (!distances) return "inputs of different lengths go into " + a.noise.text;
  const Rational measured(pick(*distances, declared->metric));
  if (measured <= declared->bound) return "";
  return std::string(to_string(declared->metric)) + " of the inputs to " + a.noise.text + " is " +
         measured.to_string() + ", more than the declared " + declared->bound.to_string();
}

}  // namespace

void Recordings::record(Recording recording) { all_.push_back(std::move(recording)); }

Result<DeclaredSensitivity> declared_sensitivity(const NoiseSpec& noise) {
  const std::string_view text = noise.text;
  for (const Rule& rule : kRules) {
    if (text.substr(0, text.find('(')) != rule.name) continue;
    if (rule.key.empty()) return DeclaredSensitivity{rule.metric, Rational(1)};
    const std::optional<Rational> bound = parameter(text, rule.key);
    if (!bound) break;
    if (!rule.times.empty()) {
      const std::optional<Rational> times = parameter(text, rule.times);
      if (!times) break;
      return DeclaredSensitivity{rule.metric, *bound * *times};
    }
    // A grid's inputs are counted in steps.
    const std::optional<Rational> step = parameter(text, "step");
    return DeclaredSensitivity{rule.metric, step ? Rational((*bound / *step).ceil()) : *bound};
  }
  return Error{Code::kUnsupported, "the audit does not know the sensitivity of " +
                                       in_quotes(noise.text) + "; add its rule to audit/record.cc"};
}

RecordComparison compare_recordings(const Recordings& a, const Recordings& b) {
  RecordComparison comparison;
  const std::size_t common = std::min(a.all().size(), b.all().size());
  for (std::size_t i = 0; i < common; ++i) {
    const std::string fault = find_fault(a.all()[i], b.all()[i]);
    if (!fault.empty()) {
      comparison.findings.push_back("call " + std::to_string(i + 1) + ": " + fault);
    }
  }
  if (a.all().size() != b.all().size()) {
    comparison.findings.push_back(
        "control flow depends on the data: " + std::to_string(a.all().size()) + " calls against " +
        std::to_string(b.all().size()));
  }
  comparison.ok = comparison.findings.empty();
  return comparison;
}

}  // namespace discreet::audit
