// SPDX-License-Identifier: Apache-2.0
#include "session/draw.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include "base/check.h"
#include "engine/key.h"
#include "mechanism/door.h"
#include "mechanism/verbs.h"
#include "session/rank_interval.h"

namespace discreet::session {
namespace {

using mechanism::Door;
using mechanism::Groups;
using mechanism::Verbs;

// Intervals are computed once for the whole answer (plan/accuracy.h), not for each release: the
// door is asked for the one that is least work.
const mechanism::ReleaseOptions& no_interval() {
  static const mechanism::ReleaseOptions options = {.confidence =
                                                        Confidence::trusted(power_of_two(-40))};
  return options;
}

/// The keys; and the numbers of the step that they were found with, if they were.
Result<void> draw_keys(const plan::Checked& checked, const Sensitive<Groups>& groups,
                       std::vector<Receipt>& receipts, Drawn& drawn) {
  if (checked.listed()) {
    for (const auto& tuple : *checked.listed()) {
      drawn.keys.push_back(engine::encode_key(tuple, checked.key_shapes()));
    }
    return {};
  }
  if (checked.threshold()) {
    const auto& [step, noise] = *checked.threshold();
    const Int128 capacity = to_int128(noise.options().capacity);
    DISCREET_ASSIGN(auto released, Door::release(noise, Verbs::key_sums(groups, step, capacity),
                                                 std::move(receipts.front()), no_interval()));
    drawn.keys = released.value().keys;
    drawn.steps[step] = released.value().sums;
    return {};
  }
  DISCREET_CHECK(checked.selection().has_value());
  DISCREET_ASSIGN(auto released, Door::release(*checked.selection(), Verbs::key_counts(groups),
                                               std::move(receipts.front()), no_interval()));
  drawn.keys = released.value();
  return {};
}

/// One mechanism on its own input.
struct Release {
  const Sensitive<Groups>& groups;
  std::size_t measurement;
  const std::vector<std::string>& keys;
  Receipt receipt;

  Result<std::vector<std::int64_t>> operator()(const mechanism::LaplaceVector& noise) {
    return numbers(noise);
  }
  Result<std::vector<std::int64_t>> operator()(const mechanism::GaussianVector& noise) {
    return numbers(noise);
  }
  Result<std::vector<std::int64_t>> operator()(const mechanism::SvLaplace& noise) {
    DISCREET_CHECK(keys.size() == 1);
    DISCREET_ASSIGN(auto released,
                    Door::release(noise, Verbs::number(groups, measurement, keys.front()),
                                  std::move(receipt), no_interval()));
    return std::vector<std::int64_t>{saturate_to_int64(released.value())};
  }
  Result<std::vector<std::int64_t>> operator()(const mechanism::Quantiles& noise) {
    DISCREET_ASSIGN(auto released, Door::release(noise, Verbs::runs(groups, measurement, keys),
                                                 std::move(receipt), no_interval()));
    return released.value();
  }

 private:
  template <class M>
  Result<std::vector<std::int64_t>> numbers(const M& noise) {
    DISCREET_ASSIGN(auto released, Door::release(noise, Verbs::column(groups, measurement, keys),
                                                 std::move(receipt), no_interval()));
    return released.value();
  }
};

/// A key's quantiles in the order of their fractions: independent draws need not be.
void put_in_order(const std::vector<Rational>& fractions, std::vector<std::int64_t>& values) {
  const std::size_t n = fractions.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return fractions[i]; });
  for (std::size_t first = 0; first + n <= values.size(); first += n) {
    std::vector<std::int64_t> sorted(values.begin() + static_cast<std::ptrdiff_t>(first),
                                     values.begin() + static_cast<std::ptrdiff_t>(first + n));
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < n; ++i) values[first + order[i]] = sorted[i];
  }
}

/// The rows around the quantiles of a step, which are released by now.
Result<void> draw_cells(const plan::Checked& checked, const Sensitive<Groups>& groups,
                        std::size_t i, Receipt receipt, Drawn& drawn) {
  const plan::Step& step = checked.steps()[i];
  const std::size_t n = step.measurement.numbers();
  std::vector<std::vector<std::int64_t>> cuts;
  for (std::size_t k = 0; k < drawn.keys.size(); ++k) {
    const auto first = drawn.steps[i].begin() + static_cast<std::ptrdiff_t>(k * n);
    cuts.push_back(cuts_around({first, first + static_cast<std::ptrdiff_t>(n)}, step.lowered.low,
                               step.lowered.high));
  }
  auto sealed = Verbs::cells(groups, i, drawn.keys, cuts);
  const auto release = [&](const auto& noise) -> Result<std::vector<std::int64_t>> {
    if constexpr (std::is_same_v<decltype(noise), const mechanism::LaplaceVector&> ||
                  std::is_same_v<decltype(noise), const mechanism::GaussianVector&>) {
      DISCREET_ASSIGN(auto released,
                      Door::release(noise, std::move(sealed), std::move(receipt), no_interval()));
      return released.value();
    } else {
      DISCREET_CHECK(false);  // counts have additive noise
      return std::vector<std::int64_t>();
    }
  };
  DISCREET_ASSIGN(const std::vector<std::int64_t> counts, std::visit(release, *step.counts));
  auto next = counts.begin();
  for (std::vector<std::int64_t>& of_key : cuts) {
    const auto end = next + static_cast<std::ptrdiff_t>(of_key.size() + 1);
    drawn.cells[i].push_back({std::move(of_key), {next, end}});
    next = end;
  }
  return {};
}

}  // namespace

Result<Drawn> draw(const plan::Checked& checked, const Sensitive<Groups>& groups,
                   std::vector<Receipt> receipts) {
  DISCREET_CHECK(receipts.size() == checked.charge().lines().size());
  Drawn drawn;
  drawn.steps.resize(checked.steps().size());
  drawn.cells.resize(checked.steps().size());
  DISCREET_TRY(draw_keys(checked, groups, receipts, drawn));
  for (std::size_t i = 0; i < checked.steps().size(); ++i) {
    if (checked.threshold() && checked.threshold()->step == i) continue;
    Release release{groups, i, drawn.keys, std::move(receipts[checked.line_of_step(i)])};
    const plan::Step& step = checked.steps()[i];
    DISCREET_ASSIGN(drawn.steps[i], std::visit(release, step.noise));
    if (step.measurement.kind == plan::MeasureKind::kQuantile) {
      put_in_order(step.measurement.fractions, drawn.steps[i]);
    }
    if (!step.counts) continue;
    DISCREET_TRY(
        draw_cells(checked, groups, i, std::move(receipts[checked.line_of_counts(i)]), drawn));
  }
  return drawn;
}

std::vector<std::string> notes_on_coins(const plan::Checked& checked) {
  std::vector<std::string> notes;
  for (const plan::Step& step : checked.steps()) {
    const auto* const bent = std::get_if<mechanism::SvLaplace>(&step.noise);
    if (bent == nullptr) continue;
    notes.push_back("coins: epsilon " + bent->cost().epsilon->to_string() +
                    " is charged and holds on every Santha-Vazirani source of gamma " +
                    checked.policy().santha_vazirani->to_string() +
                    "; on fair coins this answer would cost epsilon " +
                    bent->fair_epsilon().to_decimal(6, Round::kUp));
    notes.push_back(
        "coins: that is for this one answer, the only one of this ledger, read by people who see "
        "no later bits of the same source");
  }
  return notes;
}

}  // namespace discreet::session
