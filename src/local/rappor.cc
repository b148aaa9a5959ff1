// SPDX-License-Identifier: Apache-2.0
#include "local/rappor.h"

#include <algorithm>
#include <cmath>

#include "local/aggregate.h"
#include "local/client/randomizer.h"

namespace discreet::local {
namespace {

// One cohort and bit: the estimated share of people with that bit, and how much it counts.
struct Row {
  double share = 0;
  double weight = 0;  // 1 / variance
};

struct System {
  std::vector<Row> rows;
  std::vector<std::vector<std::uint32_t>> columns;  // rows that a candidate sets
  double others = 0;                                // how much of a bit an unlisted string sets
};

System system_of(const Aggregate& aggregate, const std::vector<std::string>& candidates,
                 std::uint64_t first_cohort, std::uint64_t step) {
  const Parameters& p = aggregate.survey().parameters;
  const std::vector<std::uint64_t> cells = aggregate.cells();
  const double flip = static_cast<double>(unary_threshold(p.odds)) * 0x1p-32;
  const double quiet = static_cast<double>(p.quiet) * 0x1p-16;
  const double loud = static_cast<double>(p.loud) * 0x1p-16;
  const double zero = quiet + (loud - quiet) * flip;  // Pr[1 | the filter's bit is 0]
  const double gap = (loud - quiet) * (1 - 2 * flip);
  System system;
  const double m = static_cast<double>(p.domain);
  system.others = 1 - std::pow(1 - 1 / m, static_cast<double>(p.width));
  system.columns.resize(candidates.size());
  for (std::uint64_t cohort = first_cohort; cohort < p.depth; cohort += step) {
    const double people = static_cast<double>(cells[cohort]);
    if (people == 0) continue;
    const std::size_t base = system.rows.size();
    for (std::uint64_t bit = 0; bit < p.domain; ++bit) {
      const double rate = static_cast<double>(cells[p.depth + cohort * p.domain + bit]) / people;
      const double kept = std::clamp(rate, 0.5 / people, 1 - 0.5 / people);
      system.rows.push_back({(rate - zero) / gap, people * gap * gap / (kept * (1 - kept))});
    }
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      std::vector<std::uint32_t>& rows = system.columns[c];
      const std::size_t begin = rows.size();
      for (std::uint64_t i = 0; i < p.width; ++i) {
        const auto row = static_cast<std::uint32_t>(base + bloom_bit(p, cohort, i, candidates[c]));
        if (std::find(rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.end(), row) ==
            rows.end()) {
          rows.push_back(row);
        }
      }
    }
  }
  return system;
}

// Coordinate descent for weighted least squares with coefficients >= 0 and an L1 penalty.
std::vector<std::size_t> lasso(const System& system, std::size_t keep_max) {
  std::vector<double> residual;
  for (const Row& row : system.rows) residual.push_back(row.share);
  std::vector<double> coefficient(system.columns.size());
  std::vector<double> norm(system.columns.size());
  double largest = 0;
  for (std::size_t c = 0; c < norm.size(); ++c) {
    double pull = 0;
    for (const std::uint32_t r : system.columns[c]) {
      norm[c] += system.rows[r].weight;
      pull += system.rows[r].weight * residual[r];
    }
    largest = std::max(largest, pull);
  }
  double others = 0;
  const double penalty = largest / 100;
  for (int sweep = 0; sweep < 60; ++sweep) {
    double pull = 0;
    double weight = 0;
    for (std::size_t r = 0; r < residual.size(); ++r) {
      pull += system.rows[r].weight * system.others * residual[r];
      weight += system.rows[r].weight * system.others * system.others;
    }
    const double shift = std::max(-others, pull / weight);
    others += shift;
    for (double& r : residual) r -= shift * system.others;
    for (std::size_t c = 0; c < coefficient.size(); ++c) {
      double gain = norm[c] * coefficient[c] - penalty;
      for (const std::uint32_t r : system.columns[c]) gain += system.rows[r].weight * residual[r];
      const double next = norm[c] > 0 ? std::max(0.0, gain / norm[c]) : 0;
      if (next == coefficient[c]) continue;
      for (const std::uint32_t r : system.columns[c]) residual[r] += coefficient[c] - next;
      coefficient[c] = next;
    }
  }
  std::vector<std::size_t> chosen;
  for (std::size_t c = 0; c < coefficient.size(); ++c) {
    if (coefficient[c] > 0) chosen.push_back(c);
  }
  std::sort(chosen.begin(), chosen.end(),
            [&](std::size_t a, std::size_t b) { return coefficient[a] > coefficient[b]; });
  if (chosen.size() > keep_max) chosen.resize(keep_max);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

using Matrix = std::vector<std::vector<double>>;

// In place: a becomes its Cholesky factor. A column that the others explain gets a huge pivot, so
// that its coefficient is 0 and its variance is seen to be without bound.
void factor(Matrix& a) {
  for (std::size_t j = 0; j < a.size(); ++j) {
    for (std::size_t i = j; i < a.size(); ++i) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
      if (i == j) {
        a[j][j] = sum > 1e-9 * a[j][j] ? std::sqrt(sum) : 1e150;
      } else {
        a[i][j] = sum / a[j][j];
      }
    }
  }
}

std::vector<double> solve(const Matrix& l, std::vector<double> b) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= l[i][k] * b[k];
    b[i] /= l[i][i];
  }
  for (std::size_t i = b.size(); i-- > 0;) {
    for (std::size_t k = i + 1; k < b.size(); ++k) b[i] -= l[k][i] * b[k];
    b[i] /= l[i][i];
  }
  return b;
}

// The diagonal of the inverse, from the factor's inverse.
std::vector<double> variances(const Matrix& l) {
  std::vector<double> diagonal(l.size());
  std::vector<double> column(l.size());
  for (std::size_t j = 0; j < l.size(); ++j) {
    for (std::size_t i = j; i < l.size(); ++i) {
      double sum = i == j ? 1 : 0;
      for (std::size_t k = j; k < i; ++k) sum -= l[i][k] * column[k];
      column[i] = sum / l[i][i];
      diagonal[j] += column[i] * column[i];
    }
  }
  return diagonal;
}

struct Fit {
  std::vector<double> shares;  // the unlisted ones last
  std::vector<double> variance;
};

Fit fit(const System& system) {
  const std::size_t size = system.columns.size() + 1;
  std::vector<std::vector<std::uint32_t>> setters(system.rows.size());
  for (std::size_t c = 0; c + 1 < size; ++c) {
    for (const std::uint32_t r : system.columns[c]) {
      setters[r].push_back(static_cast<std::uint32_t>(c));
    }
  }
  Matrix a(size, std::vector<double>(size));
  std::vector<double> b(size);
  for (std::size_t r = 0; r < setters.size(); ++r) {
    const double w = system.rows[r].weight;
    for (const std::uint32_t i : setters[r]) {
      for (const std::uint32_t j : setters[r]) a[i][j] += w;
      a[size - 1][i] += w * system.others;
      b[i] += w * system.rows[r].share;
    }
    a[size - 1][size - 1] += w * system.others * system.others;
    b[size - 1] += w * system.others * system.rows[r].share;
  }
  factor(a);
  return {solve(a, std::move(b)), variances(a)};
}

}  // namespace

Result<Decoded> decode(const Aggregate& aggregate, const std::vector<std::string>& candidates,
                       double beta) {
  const Parameters& p = aggregate.survey().parameters;
  if (p.mechanism != Mechanism::kBloom) return invalid_input("this survey is not a RAPPOR survey");
  if (aggregate.tally().counted == 0) return invalid_input("there are no reports to decode");
  if (candidates.empty()) return invalid_input("decoding needs candidate strings, one a line");
  Decoded decoded;
  std::vector<std::size_t> chosen(candidates.size());
  for (std::size_t c = 0; c < chosen.size(); ++c) chosen[c] = c;
  const std::size_t rows = p.depth * p.domain;
  std::uint64_t first = 0;
  std::uint64_t step = 1;
  if (candidates.size() > std::min<std::size_t>(rows / 4, 1500)) {
    if (p.depth < 2) return invalid_input("so many candidates need at least two cohorts");
    chosen = lasso(system_of(aggregate, candidates, 0, 2), std::min<std::size_t>(rows / 8, 500));
    decoded.screened = true;
    first = 1;
    step = 2;
  }
  std::vector<std::string> names;
  for (const std::size_t c : chosen) names.push_back(candidates[c]);
  decoded.tested = chosen.size();
  if (chosen.empty()) return decoded;
  const System system = system_of(aggregate, names, first, step);
  if (system.rows.empty()) return invalid_input("no reports came from the cohorts that are tested");
  const Fit fitted = fit(system);
  double people = 0;
  for (std::uint64_t cohort = first; cohort < p.depth; cohort += step) {
    people += static_cast<double>(aggregate.cells()[cohort]);
  }
  const double tests = static_cast<double>(chosen.size());
  const double z = normal_quantile(beta / (2 * tests));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const double share = fitted.shares[i];
    const double inside = std::clamp(share, 0.0, 1.0);
    const double deviation = std::sqrt(fitted.variance[i] + inside * (1 - inside) / people);
    const double p_value = std::erfc(share / std::sqrt(2 * fitted.variance[i])) / 2;
    decoded.shares.push_back({chosen[i],
                              share,
                              deviation,
                              p_value,
                              p_value < beta / tests,
                              {share - z * deviation, share + z * deviation}});
  }
  decoded.others = fitted.shares.back();
  return decoded;
}

}  // namespace discreet::local
