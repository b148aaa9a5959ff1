// SPDX-License-Identifier: Apache-2.0
// The table of effective epsilons, and the curves.
#include <cmath>
#include <numbers>

#include "audit/source/pair_game.h"
#include "audit/source/randomness.h"
#include "numeric/interval.h"

namespace discreet::audit {
namespace {

using mechanism::SvCertificate;
using mechanism::SvGamma;
using random::SvCells;
using report::Cell;

const char* const kGammas[] = {"0", "0.01", "0.05", "0.1", "0.2", "0.4"};

Rational number(const char* text) { return Rational::parse(text).value(); }

SvCells cells_of(const Rational& epsilon, std::int64_t q, int halvings = 1) {
  return {mechanism::sv_shape(epsilon, q, halvings), 0, 0};
}

/// Periods whose base epsilon is within one percent below what is asked for.
struct Base {
  const char* epsilon;
  int halvings;
};
constexpr Base kBases[] = {{"0.5", 5}, {"0.1", 8}, {"0.02", 3}};

std::optional<Rational> effective(const SvCells& cells, const Rational& gamma) {
  return SvCertificate(cells, SvGamma::of(gamma).value()).epsilon();
}

std::string shown_epsilon(const std::optional<Rational>& epsilon) {
  return epsilon ? epsilon->to_decimal(3, Round::kUp) : "> 5.5";
}

std::string shown_epsilon(double x, int digits = 3) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.*g", digits, x);
  return buffer;
}

}  // namespace

double sv_error(const SvCells& cells) {
  const random::SvShape& shape = cells.shape();
  const auto s = [&](std::int64_t h) {
    const double e =
        std::exp2(-static_cast<double>(std::abs(h)) * shape.halvings / shape.period - 1);
    return h < 0 ? e : 1 - e;
  };
  const std::int64_t q = shape.q;
  const std::int64_t far = 40 * shape.period / (2 * shape.halvings * q) + 4;
  double sum = 0;
  const std::int64_t step = std::max<std::int64_t>(1, q / 64);
  std::int64_t positions = 0;
  for (std::int64_t y = 0; y < q; y += step, ++positions) {
    for (std::int64_t k = -far; k <= far; ++k) {
      const double p = s((2 * k + 1) * q - 2 * y) - s((2 * k - 1) * q - 2 * y);
      const auto error = static_cast<double>(k * q - y);
      sum += p * error * error;
    }
  }
  return std::sqrt(sum / static_cast<double>(positions));
}

report::Section effective_epsilon() {
  report::Section section{
      .heading = "Effective epsilon when every bit may be bent by gamma",
      .words =
          {"Each entry is the supremum over ALL gamma-Santha-Vazirani sources, all answers and "
           "all neighbours, rounded up; integers and rationals only. `plain` is the inverse of "
           "the distribution function on a grid of 1; the others decode the same tape into "
           "cells of 1, 2 and 4 times 1/epsilon. `aligned`: the noise halves in a whole "
           "number of half units, so that edges fall on powers of two and an adversary finds "
           "less to bend. Errors are those on fair coins."},
      .columns = {"base", "cells", "rmse x base"}};
  for (const char* gamma : kGammas) section.columns.push_back(std::string("gamma ") + gamma);
  for (const Base& base : kBases) {
    const Rational epsilon = number(base.epsilon);
    const std::int64_t unit = (Rational(1) / epsilon).round().get_si();
    const auto add = [&](const std::string& name, const SvCells& cells) {
      std::vector<Cell> row = {
          Cell::number(base.epsilon), Cell::words(name),
          Cell::number(shown_epsilon(sv_error(cells) * epsilon.to_double(Round::kDown)))};
      for (const char* gamma : kGammas) {
        row.push_back(Cell::number(shown_epsilon(effective(cells, number(gamma)))));
      }
      section.rows.push_back(std::move(row));
    };
    add("plain", cells_of(epsilon, 1, base.halvings));
    for (const int times : {1, 2, 4}) {
      add(std::to_string(times) + "/eps", cells_of(epsilon, times * unit, base.halvings));
    }
    add("1/eps aligned", cells_of(epsilon, unit));
    add("4/eps aligned", cells_of(epsilon, 4 * unit));
  }
  return section;
}

report::Section chosen_shapes() {
  report::Section section{
      .heading = "The least error for a wanted effective epsilon",
      .words = {"The shape is chosen by the certificate: of all periods and cell widths that were "
                "tried, the one with the least error whose certificate is at most what is charged. "
                "The last columns compare with cells of 1/epsilon at base epsilon 0.1, which have "
                "the same effective epsilon."},
      .columns = {"gamma", "effective", "fair", "cell", "rmse", "rmse of 1/eps cells", "less"}};
  const SvCells fixed = cells_of(number("0.1"), 10);
  const double before = sv_error(fixed);
  for (const char* text : {"0.01", "0.05", "0.1", "0.2", "0.4"}) {
    const Rational gamma = number(text);
    const std::optional<Rational> target = effective(fixed, gamma);
    const auto shape =
        mechanism::choose_sv_shape(Epsilon::trusted(*target), SvGamma::of(gamma).value());
    if (!shape) continue;
    const SvCells cells(*shape, 0, 0);
    const double after = sv_error(cells);
    section.rows.push_back(
        {Cell::number(text), Cell::number(shown_epsilon(target)),
         Cell::number(shown_epsilon(effective(cells, 0))), Cell::number(std::to_string(shape->q)),
         Cell::number(shown_epsilon(after, 4)), Cell::number(shown_epsilon(before, 4)),
         Cell::words(shown_epsilon(100 * (1 - after / before), 2) + " %")});
  }
  return section;
}

report::Section effective_curves() {
  report::Section section{.heading = "Over the whole range of gamma, base epsilon 0.1",
                          .words = {"The certificate at every gamma from 0 to 0.4."}};
  report::Chart chart{.title = "effective epsilon over all sources, base epsilon 0.1",
                      .x_label = "gamma",
                      .y_label = "effective epsilon",
                      .y_log = true};
  const std::pair<const char*, std::int64_t> designs[] = {
      {"plain, grid 1", 1}, {"cells of 1/eps", 10}, {"cells of 2/eps", 20}, {"cells of 4/eps", 40}};
  for (const auto& [name, q] : designs) {
    const SvCells cells = cells_of(number("0.1"), q);
    report::ChartCurve curve{.name = name, .points = {}};
    for (int i = 0; i <= 20; ++i) {
      const Rational gamma = Rational::ratio(i, 50);
      const std::optional<Rational> epsilon = effective(cells, gamma);
      if (epsilon) curve.points.emplace_back(i / 50.0, epsilon->to_double(Round::kUp));
    }
    chart.curves.push_back(std::move(curve));
  }
  report::ChartCurve floor{.name = "any additive noise", .points = {}, .bound = true};
  for (int i = 1; i <= 20; ++i) {
    const double gamma = i / 50.0;
    floor.points.emplace_back(gamma, std::log((1 + gamma) / (1 - gamma)));
  }
  chart.curves.push_back(std::move(floor));
  section.chart = std::move(chart);
  return section;
}

report::Section memory_attack() {
  report::Section section{
      .heading = "Two answers from one source that remembers",
      .words = {"The certificate is for one answer, whatever bits came before it. It does not add "
                "up: an adversary who remembers in which of the two neighbours' cells the first "
                "tape fell can bend what comes second to tell. Below is what an explicit adversary "
                "reaches, exactly, against twice the certificate. Second comes another answer, "
                "whose cell lies behind `far` equal bits; or `far` bits that have nothing to do "
                "with the person, seen by the same reader. Neither has a bound that holds for all "
                "`far`. So under `randomness: santha-vazirani` a ledger gives one answer in its "
                "life, and later bits of the source must not be shown to its readers."},
      .columns = {"gamma", "one answer", "twice", "second", "far", "reached at least"}};
  const SvCells cells = cells_of(number("0.5"), 4);
  for (const char* text : {"0.05", "0.1", "0.2"}) {
    const Rational gamma = number(text);
    const std::optional<Rational> one = effective(cells, gamma);
    const auto add = [&](const char* second, int far, const Rational& ratio) {
      const Rational reached = log(Interval::around(ratio, 96)).low();
      section.rows.push_back({Cell::number(text), Cell::number(shown_epsilon(one)),
                              Cell::number(shown_epsilon(Rational(2) * *one)), Cell::words(second),
                              Cell::number(std::to_string(far)),
                              Cell::number(reached.to_decimal(3, Round::kDown))});
    };
    for (const int far : {0, 8, 24}) {
      add("another answer", far, two_answer_attack(cells, gamma, far).ratio);
    }
    for (const int far : {8, 64}) {
      add("unrelated bits", far, bystander_attack(cells, gamma, far));
    }
  }
  return section;
}

}  // namespace discreet::audit
