// SPDX-License-Identifier: Apache-2.0
#include "audit/mutants.h"

#include <algorithm>

#include "audit/cases_local.h"
#include "mechanism/above_threshold.h"
#include "mechanism/clipped_sums.h"
#include "mechanism/exponential.h"
#include "mechanism/gaussian.h"
#include "mechanism/gaussian_vector.h"
#include "mechanism/laplace.h"
#include "mechanism/partition_selection.h"
#include "mechanism/permute_and_flip.h"
#include "mechanism/prefix_stream.h"
#include "mechanism/prefix_table.h"
#include "mechanism/quantiles.h"
#include "mechanism/randomized_response.h"
#include "mechanism/residual_table.h"
#include "mechanism/thresholded_laplace.h"
#include "mechanism/top_k.h"
#include "mechanism/verbs.h"
#include "random/bernoulli.h"
#include "random/gaussian.h"
#include "random/laplace.h"
#include "random/select.h"
#include "random/tries.h"

namespace discreet::audit {
namespace {

using mechanism::Door;
using random::BitSource;

Cost pure(const Rational& epsilon) { return pure_cost(Epsilon::trusted(epsilon)); }

std::string printed_number(Int128 x) { return discreet::to_string(x); }
std::string printed_number(const std::optional<Int128>& x) {
  return x ? discreet::to_string(*x) : "absent";
}
std::string printed_number(std::size_t x) { return std::to_string(x); }
std::string printed_number(std::int64_t x) { return std::to_string(x); }
std::string printed_number(bool x) { return x ? "1" : "0"; }
template <class Entry>
std::string printed_number(const std::vector<Entry>& entries) {
  std::string text;
  for (const Entry entry : entries) text += printed_number(entry) + " ";
  return text;
}

/// Walks program(input, tape) on both inputs. theorem(input, outcome) is an optional<Range>.
template <int kWidth, class Input, class Program, class Theorem>
Verdict judge_program(const Cost& claimed, const Input& a, const Input& b,
                      const WalkOptions& options, const Program& program, const Theorem& theorem) {
  const auto walk = [&](const Input& input, int part) {
    WalkOptions half = options;
    half.progress = part_of(options.progress, part, 2);
    const auto walked =
        Walk(half).run<kWidth>([&](Tape<kWidth>& tape) { return program(input, tape); });
    return distribution(
        walked, [](const auto& outcome) { return printed_number(outcome); },
        [&](const auto& outcome) { return theorem(input, outcome); });
  };
  const Distribution first = walk(a, 0);
  return judge(claimed, first, walk(b, 1));
}

constexpr auto kNoTheorem = [](const auto&, const auto&) -> std::optional<Range> {
  return std::nullopt;
};

/// x + Z with the theorem of discrete Laplace noise at `scale`.
template <int kWidth, class Noise>
Verdict judge_noise(const Rational& scale, int depth, const Progress& progress,
                    const Noise& noise) {
  return judge_program<kWidth>(
      pure(1 / scale), Int128{0}, Int128{1}, {.depth = depth, .progress = progress},
      [&](Int128 x, Tape<kWidth>& tape) { return x + noise(tape); },
      [&](Int128 x, Int128 y) {
        return std::optional(laplace_probability(static_cast<int>(y - x), scale));
      });
}

template <class B>
Int128 mutant_laplace(const Rational& scale, B& bits) {
  return random::LaplaceFor<B>::shared(Scale::trusted(scale))->draw(bits);
}

Verdict scale_off(bool faulty, const Progress& progress) {
  const Rational scale = Rational::ratio(1, 2);
  const Rational used = faulty ? scale * Rational::ratio(999, 1000) : scale;
  return judge_noise<6>(scale, 20, progress,
                        [&](Tape<6>& tape) { return mutant_laplace(used, tape); });
}

/// sign * G gives zero twice: as +0 and as -0.
template <BitSource B>
Int128 laplace_without_sign_rule(B& bits) {
  const bool is_negative = bits.take(1) == 1;
  const Int128 size = to_int128(random::geometric(Rational(1), bits));
  return is_negative ? -size : size;
}

Verdict dropped_sign_rule(bool faulty, const Progress& progress) {
  return judge_noise<5>(1, 20, progress, [&](Tape<5>& tape) {
    return faulty ? laplace_without_sign_rule(tape) : mutant_laplace(1, tape);
  });
}

/// The waiting time counts the success itself: sizes 2, 3, ... and never 1.
template <BitSource B>
Int128 laplace_with_late_geometric(B& bits) {
  const Range zero = laplace_probability(0, 1);
  if (random::bernoulli(zero.low, bits)) return 0;
  const bool is_negative = bits.take(1) == 1;
  const Int128 size = 1 + to_int128(1 + random::geometric(Rational(1), bits));
  return is_negative ? -size : size;
}

Verdict late_geometric(bool faulty, const Progress& progress) {
  return judge_noise<5>(1, 20, progress, [&](Tape<5>& tape) {
    return faulty ? laplace_with_late_geometric(tape) : mutant_laplace(1, tape);
  });
}

Verdict low_threshold(bool faulty, const Progress& progress) {
  const auto mechanism =
      mechanism::ThresholdedLaplace::make({.epsilon = Epsilon::trusted(1),
                                           .delta = Delta::trusted(Rational::ratio(1, 20)),
                                           .sensitivity = Sensitivity::trusted(1)});
  const Int128 tau = mechanism.value().threshold();
  const auto program = [&](Int128 x, Tape<5>& tape) -> std::optional<Int128> {
    if (!faulty) {
      return Door::replay(mechanism.value(), Sensitive<Int128>(x), tape).outcome();
    }
    const Int128 noisy = x + mutant_laplace(1, tape);
    if (x <= 0 || noisy < tau - 1) return std::nullopt;
    return noisy;
  };
  return judge_program<5>(mechanism.value().cost(), Int128{0}, Int128{1},
                          {.depth = 20, .progress = progress}, program, kNoTheorem);
}

Verdict biased_bit(bool faulty, const Progress& progress) {
  const auto mechanism = mechanism::RandomizedResponse::make({.epsilon = Epsilon::trusted(1)});
  const Coin coin = faulty ? Coin{.ones = 33, .bits = 6} : Coin{};
  return judge_program<1>(
      mechanism.value().cost(), false, true, {.depth = 21, .coin = coin, .progress = progress},
      [&](bool bit, Tape<1>& tape) {
        return Door::replay(mechanism.value(), Sensitive<bool>(bit), tape).outcome();
      },
      kNoTheorem);
}

/// The noise is right for rows between 0 and 1; an outlier of 4 is added as it is.
Verdict missing_clamp(bool faulty, const Progress& progress) {
  using Rows = std::vector<std::int64_t>;
  const auto mechanism = mechanism::Laplace::make(
      {.sensitivity = Sensitivity::trusted(1), .epsilon = Epsilon::trusted(1)});
  const auto bounds = mechanism::Bounds::make({.low = 0, .high = 1});
  const auto sum = [&](const Rows& rows) {
    if (!faulty) return mechanism::Verbs::clamp_and_sum(Sensitive<Rows>{Rows(rows)}, *bounds);
    Int128 total = 0;
    for (const std::int64_t row : rows) total += row;
    return Sensitive<Int128>(total);
  };
  return judge_program<5>(
      mechanism.value().cost(), Rows{1, 0}, Rows{1, 0, 4}, {.depth = 20, .progress = progress},
      [&](const Rows& rows, Tape<5>& tape) {
        return Door::replay(mechanism.value(), sum(rows), tape).outcome();
      },
      kNoTheorem);
}

/// Weights e^(epsilon u / Delta): twice what the price pays for.
Verdict missing_factor_two(bool faulty, const Progress& progress) {
  using Scores = std::vector<std::int64_t>;
  const auto mechanism = mechanism::Exponential::make(
      {.epsilon = Epsilon::trusted(1), .sensitivity = Sensitivity::trusted(1), .candidates = 4});
  return judge_program<1>(
      mechanism.value().cost(), Scores{1, 0, 0, 0}, Scores{0, 1, 1, 1},
      {.depth = 20, .progress = progress},
      [&](const Scores& scores, Tape<1>& tape) -> std::size_t {
        if (faulty) return random::exponential_select(scores, Rational(1), tape);
        return Door::replay(mechanism.value(), Sensitive<Scores>{Scores(scores)}, tape).outcome();
      },
      kNoTheorem);
}

/// opendp#2911: permute-and-flip at the exponential mechanism's price in zCDP.
Verdict wrong_rho(bool faulty, const Progress& progress) {
  using Scores = std::vector<std::int64_t>;
  const auto mechanism = mechanism::PermuteAndFlip::make(
      {.epsilon = Epsilon::trusted(1), .sensitivity = Sensitivity::trusted(1), .candidates = 2});
  Cost claimed = mechanism.value().cost();
  if (faulty) claimed.rho = Rho::trusted(Rational::ratio(1, 8));
  return judge_program<1>(
      claimed, Scores{1, 0}, Scores{0, 1}, {.depth = 20, .progress = progress},
      [&](const Scores& scores, Tape<1>& tape) {
        return Door::replay(mechanism.value(), Sensitive<Scores>{Scores(scores)}, tape).outcome();
      },
      kNoTheorem);
}

/// Two quantiles, each as exact as if it were the only one.
Verdict quantiles_for_one(bool faulty, const Progress& progress) {
  using Keys = std::vector<mechanism::Runs>;
  using Pair = std::vector<std::int64_t>;
  constexpr std::int64_t kHigh = 1;
  // C is 5/2 for both, and 3/2 for the higher one.
  const auto mechanism = mechanism::Quantiles::make(
      {.epsilon = Epsilon::trusted(faulty ? Rational::ratio(10, 3) : Rational(2)),
       .fractions = {Rational::ratio(1, 2), Rational::ratio(3, 4)},
       .high = kHigh,
       .choice = mechanism::Quantiles::Choice::kPermuteAndFlip});
  const auto theorem = [](const Keys& keys, const Pair& answer) {
    const Rational weight = Rational::ratio(4, 5);
    return std::optional(flipped_quantile_probability(keys[0], 2, kHigh, weight, answer[0]) *
                         flipped_quantile_probability(keys[0], 3, kHigh, weight, answer[1]));
  };
  return judge_program<1>(
      pure(2), Keys{{{0, 3}}}, Keys{{{0, 3}, {1, 1}}}, {.depth = 24, .progress = progress},
      [&](const Keys& keys, Tape<1>& tape) {
        return Door::replay(mechanism.value(), Sensitive<Keys>{Keys(keys)}, tape).outcome();
      },
      theorem);
}

Verdict small_variance(bool faulty, const Progress& progress) {
  const Rho rho = Rho::trusted(Rational::ratio(1, 2));
  const Rho used = faulty ? Rho::trusted(rho.value() * Rational::ratio(8, 7)) : rho;
  const auto mechanism =
      mechanism::Gaussian::make({.sensitivity_squared = L2Squared::trusted(1), .rho = used});
  return judge_program<6>(
      Cost{.epsilon = std::nullopt, .rho = rho, .delta = Delta::trusted(0)}, Int128{0}, Int128{1},
      {.depth = 24, .progress = progress},
      [&](Int128 x, Tape<6>& tape) {
        return Door::replay(mechanism.value(), Sensitive<Int128>(x), tape).outcome();
      },
      [](Int128 x, Int128 y) {
        return std::optional(gaussian_probability(static_cast<int>(y - x), 1));
      });
}

/// A residual's cells are multiplied by their number; their noise is that of one cell.
Verdict residual_of_one_cell(bool faulty, const Progress& progress) {
  using Cells = std::vector<std::int64_t>;
  const Rho rho = Rho::trusted(2);
  const auto honest = mechanism::ResidualTable::make({.axes = {2}, .reach = 1, .rho = rho});
  const auto cells =
      mechanism::GaussianVector::make({.sensitivity_squared = L2Squared::trusted(1), .rho = rho});
  return judge_program<6>(
      honest.value().cost(), Cells{0, 0}, Cells{1, 0}, {.depth = 30, .progress = progress},
      [&](const Cells& x, Tape<6>& tape) -> Int128 {
        if (!faulty)
          return Door::replay(honest.value(), Sensitive<Cells>{Cells(x)}, tape).outcome()[0];
        const Cells noisy =
            Door::replay(cells.value(), Sensitive<Cells>{Cells{2 * x[0], 2 * x[1]}}, tape)
                .outcome();
        return noisy[1] - noisy[0];
      },
      kNoTheorem);
}

int near_zero(std::int64_t z) { return static_cast<int>(std::clamp<std::int64_t>(z, -99, 99)); }

/// Running sums: a count is mixed into later places too; the noise is for its own place alone.
Verdict unmixed_length(bool faulty, const Progress& progress) {
  using Counts = std::vector<std::int64_t>;
  const Rho rho = Rho::trusted(5);
  const auto honest = mechanism::PrefixTable::make(
      {.rows = 1, .mixing = mechanism::Toeplitz::square_root(2, 1), .reach = 1, .rho = rho});
  const auto short_noise =
      mechanism::GaussianVector::make({.sensitivity_squared = L2Squared::trusted(4), .rho = rho});
  const Rational variance = honest.value().sigma_squared().value();
  return judge_program<6>(
      honest.value().cost(), Counts{0, 0}, Counts{1, 0}, {.depth = 24, .progress = progress},
      [&](const Counts& x, Tape<6>& tape) -> Counts {
        if (!faulty) {
          return Door::replay(honest.value(), Sensitive<Counts>{Counts(x)}, tape).outcome();
        }
        const Counts mixed{2 * x[0], x[0] + 2 * x[1]};
        return Door::replay(short_noise.value(), Sensitive<Counts>{Counts(mixed)}, tape).outcome();
      },
      [&](const Counts& x, const Counts& y) -> std::optional<Range> {
        return gaussian_probability(near_zero(y[0] - 2 * x[0]), variance) *
               gaussian_probability(near_zero(y[1] - x[0] - 2 * x[1]), variance);
      });
}

/// A daily count whose second day is released with the first day's noise.
Verdict noise_of_yesterday(bool faulty, const Progress& progress) {
  using Counts = std::vector<std::int64_t>;
  const auto terms = mechanism::PrefixStream::Terms::make(
      {.days = 2, .days_per_unit = 1, .reach = 1, .rho = Rho::trusted(5), .unit_bits = 1});
  const Rational variance = terms.value().sigma_squared().value();
  return judge_program<6>(
      terms.value().cost(), Counts{0, 0}, Counts{1, 0}, {.depth = 30, .progress = progress},
      [&](const Counts& x, Tape<6>& tape) -> Counts {
        Counts out =
            mechanism::PrefixStream::replay(terms.value(), Sensitive<Counts>{Counts(x)}, tape)
                .outcome();
        if (faulty) out[1] = out[0] + 2 * (x[1] - x[0]);
        return out;
      },
      [&](const Counts& x, const Counts& o) -> std::optional<Range> {
        const std::int64_t half = o[0] >= 0 ? o[0] / 2 : -((1 - o[0]) / 2);  // floor
        return gaussian_probability(near_zero(o[0] - 2 * x[0]), variance) *
               gaussian_probability(near_zero(o[1] + half - x[0] - 2 * x[1]), variance);
      });
}

/// p(n + 1) in place of p(n): a key with one unit is shown with probability (e^epsilon + 1) delta.
Verdict selection_ahead(bool faulty, const Progress& progress) {
  const auto mechanism = mechanism::PartitionSelection::make(
      {.epsilon = Epsilon::trusted(1), .delta = Delta::trusted(Rational::ratio(1, 20))});
  return judge_program<4>(
      mechanism.value().cost(), Int128{0}, Int128{1}, {.depth = 60, .progress = progress},
      [&](Int128 n, Tape<4>& tape) {
        const Int128 counted = faulty && n > 0 ? n + 1 : n;
        return Door::replay(mechanism.value(), Sensitive<Int128>(counted), tape).outcome();
      },
      kNoTheorem);
}

/// Two rounds at epsilon each: as if the price were k times as high.
Verdict undivided_rounds(bool faulty, const Progress& progress) {
  using Scores = std::vector<std::int64_t>;
  const auto make = [](const Rational& epsilon) {
    return mechanism::TopK::make({.epsilon = Epsilon::trusted(epsilon),
                                  .sensitivity = Sensitivity::trusted(1),
                                  .candidates = 3,
                                  .k = 2});
  };
  const auto honest = make(2);
  const auto mechanism = make(faulty ? 4 : 2);
  return judge_program<1>(
      honest.value().cost(), Scores{1, 1, 0}, Scores{0, 0, 1}, {.depth = 24, .progress = progress},
      [&](const Scores& scores, Tape<1>& tape) {
        return Door::replay(mechanism.value(), Sensitive<Scores>{Scores(scores)}, tape).outcome();
      },
      kNoTheorem);
}

/// A unit's vector goes into the sum as its function wrote it.
Verdict clipping_removed(bool faulty, const Progress& progress) {
  using Cells = std::vector<std::int64_t>;
  const auto terms =
      mechanism::ClippedSums::Terms::pure(Epsilon::trusted(2), {.shares = {1}, .limit = 1});
  const auto itself = [](std::span<const std::int64_t> row, std::span<std::int64_t> out) {
    out[0] = row[0];
  };
  return judge_program<6>(
      terms.value().cost(), Cells{5}, Cells{}, {.depth = 24, .progress = progress},
      [&](const Cells& cells, Tape<6>& tape) -> Int128 {
        if (faulty)
          return (cells.empty() ? 0 : cells[0]) + mutant_laplace(Rational::ratio(1, 2), tape);
        mechanism::UnitRows rows{.columns = 1, .cells = cells, .ends = {}};
        if (!cells.empty()) rows.ends = {1};
        return mechanism::ClippedSums::replay(terms.value(), 0,
                                              Sensitive<mechanism::UnitRows>(std::move(rows)), 1,
                                              itself, tape)
            .outcome()[0];
      },
      kNoTheorem);
}

/// Questions get the noise of the threshold: half the scale that a pair of neighbours needs.
Verdict unscaled_questions(bool faulty, const Progress& progress) {
  using Counts = std::vector<Int128>;
  const mechanism::AboveThreshold::Options options{.epsilon = Epsilon::trusted(12),
                                                   .sensitivity = Sensitivity::trusted(1),
                                                   .threshold = 1,
                                                   .above_max = 1};
  const Rational scale = Rational::ratio(1, 6);
  const auto program = [&](const Counts& counts, Tape<4>& tape) -> std::vector<bool> {
    if (!faulty) {
      return mechanism::AboveThreshold::replay(options, Sensitive<Counts>{Counts(counts)}, tape)
          .value()
          .outcome();
    }
    const Int128 bar = options.threshold + mutant_laplace(scale, tape);
    std::vector<bool> answers;
    for (const Int128 count : counts) {
      answers.push_back(count + mutant_laplace(scale, tape) >= bar);
      if (answers.back()) break;
    }
    return answers;
  };
  const auto theorem = [&](const Counts& counts, const std::vector<bool>& answers) {
    return std::optional(
        answers_probability({.threshold_scale = scale,
                             .question_scale = 2 * scale,
                             .threshold = 1,
                             .questions = std::vector<int>(counts.begin(), counts.end())},
                            answers));
  };
  return judge_program<4>(mechanism::AboveThreshold::cost(options), Counts{0, 1}, Counts{1, 0},
                          {.depth = 22, .progress = progress}, program, theorem);
}

/// Between the noise and the differences, everything is held within what comes out: the cell beyond
/// that limit has no noise left.
Verdict residual_clamped_first(bool faulty, const Progress& progress) {
  using Cells = std::vector<std::int64_t>;
  const Rho rho = Rho::trusted(1);
  const auto honest = mechanism::ResidualTable::make({.axes = {2}, .reach = 1, .rho = rho});
  const auto cells =
      mechanism::GaussianVector::make({.sensitivity_squared = L2Squared::trusted(2), .rho = rho});
  const std::int64_t half = std::int64_t{1} << 61;
  return judge_program<6>(
      honest.value().cost(), Cells{half - 4, half + 3}, Cells{half - 5, half + 3},
      {.depth = 24, .progress = progress},
      [&](const Cells& x, Tape<6>& tape) -> Int128 {
        if (!faulty)
          return Door::replay(honest.value(), Sensitive<Cells>{Cells(x)}, tape).outcome()[0];
        const Cells noisy =
            Door::replay(cells.value(), Sensitive<Cells>{Cells{2 * x[0], 2 * x[1]}}, tape)
                .outcome();
        return noisy[1] - noisy[0];
      },
      kNoTheorem);
}

/// How a point of a cell is kept.
enum class Kept { kRightly, kForPlus, kAlways };

/// The discrete Gaussian's cells (random/gaussian.md), with the same table and the same points.
template <BitSource B>
Int128 gaussian_by_cells(const random::GaussianFor<B>& sampler, Kept kept, B& bits) {
  const auto& cells = sampler.cells();
  for (random::Tries tries(bits);; tries.again()) {
    const std::uint64_t word = bits.take(B::kWordBits);
    const random::CellPoint point = cells.read(bits);
    const std::uint64_t column = sampler.table().outcome(word, bits);
    if (column == random::GaussianFor<B>::Table::kMask) {
      const Integer reach = sampler.shape().reach;
      const bool is_negative = bits.take(1) == 1;
      const Integer beyond =
          random::geometric(cells.twice_variance() / Rational(Integer(2 * reach)), bits);
      const Integer size = reach + beyond + (is_negative ? 1 : 0);
      const Integer x = size * size - reach * reach - 2 * reach * beyond;
      if (!random::bernoulli_exp(cells.exponent(Rational(x)), bits)) continue;
      return is_negative ? -to_int128(size) : to_int128(size);
    }
    const std::uint64_t start = column << sampler.shape().cell_bits;
    const std::uint64_t a = start + point.place;
    const Int128 z = point.is_negative ? -1 - Int128{a} : Int128{a};
    const bool is_further = point.is_negative && kept != Kept::kForPlus;
    const std::uint64_t inside = point.place + (is_further ? 1 : 0);
    const std::uint64_t x = inside * (2 * start + inside);
    const auto digits = [&](int n) {
      return random::digits_of(exp_real(-cells.exponent(Rational(to_integer(Int128{x})))), n);
    };
    if (kept == Kept::kAlways || random::uniform_is_below(point.accept, cells.accept_bits(),
                                                          cells.acceptance(x), digits, bits)) {
      return z;
    }
  }
}

/// Gaussian noise of variance 9 for integers that move by 3, as it is drawn on narrow words; its
/// cells hold two numbers each.
template <class Noise>
Verdict judge_cells(const Progress& progress, const Noise& noise) {
  const auto mechanism = mechanism::Gaussian::make(
      {.sensitivity_squared = L2Squared::trusted(9), .rho = Rho::trusted(Rational::ratio(1, 2))});
  return judge_program<5>(
      mechanism.value().cost(), Int128{0}, Int128{3}, {.depth = 24, .progress = progress},
      [&](Int128 x, Tape<5>& tape) { return x + noise(tape); },
      [](Int128 x, Int128 y) {
        return std::optional(gaussian_probability(static_cast<int>(y - x), 9));
      });
}

Verdict cell_kept(Kept fault, bool faulty, const Progress& progress) {
  const random::GaussianFor<Tape<5>> sampler(Variance::trusted(9));
  return judge_cells(progress, [&](Tape<5>& tape) {
    return faulty ? gaussian_by_cells(sampler, fault, tape) : sampler.draw(tape);
  });
}

Verdict cell_kept_by_size(bool faulty, const Progress& progress) {
  return cell_kept(Kept::kForPlus, faulty, progress);
}
Verdict cell_always_kept(bool faulty, const Progress& progress) {
  return cell_kept(Kept::kAlways, faulty, progress);
}

Verdict small_variance_in_cells(bool faulty, const Progress& progress) {
  const random::GaussianFor<Tape<5>> sampler(
      Variance::trusted(faulty ? 9 * Rational::ratio(7, 8) : Rational(9)));
  return judge_cells(progress, [&](Tape<5>& tape) { return sampler.draw(tape); });
}

/// The price of a row, and half of it in the number that its pair uses up.
enum class Halved { kEpsilon, kDelta, kRho };

Verdict half_price(std::string_view name, Halved halved, bool faulty, const Progress& progress) {
  const std::vector<Case> cases = all_cases();
  const auto row =
      std::find_if(cases.begin(), cases.end(), [&](const Case& one) { return one.name == name; });
  DISCREET_CHECK(row != cases.end());
  Pair pair = row->walk(progress);
  if (!faulty) return judge(pair);
  Cost& cost = *pair.claimed;
  if (halved == Halved::kEpsilon) cost.epsilon = Epsilon::trusted(cost.epsilon->value() / 2);
  if (halved == Halved::kDelta) cost.delta = Delta::trusted(cost.delta.value() / 2);
  if (halved == Halved::kRho) cost.rho = Rho::trusted(cost.rho->value() / 2);
  return judge(pair);
}

template <std::size_t kSize>
struct RowName {
  char text[kSize];
  constexpr RowName(const char (&name)[kSize]) { std::copy_n(name, kSize, text); }
};

/// The faulty price of the row that is named.
template <RowName kRow, Halved kHalved>
Verdict half_price_of(bool faulty, const Progress& progress) {
  return half_price(kRow.text, kHalved, faulty, progress);
}

}  // namespace

std::vector<Mutant> all_mutants() {
  return {
      {"scale-off-by-one-part-in-1000", "Laplace noise of scale 999/1000 of the price's",
       scale_off},
      {"dropped-sign-rule", "sign times geometric: zero gets twice its weight", dropped_sign_rule},
      {"off-by-one-threshold", "keys are shown from tau - 1 on", low_threshold},
      {"biased-bit", "every random bit is 1 with probability 33/64", biased_bit},
      {"missing-clamp", "rows are added without being clamped to their bounds", missing_clamp},
      {"missing-factor-two", "exponential mechanism with weights e^(epsilon u), not /2",
       missing_factor_two},
      {"doubled-offset", "the cells for bent coins count offsets in whole units, not half ones",
       doubled_offset},
      {"geometric-started-at-1", "the waiting time counts the success", late_geometric},
      {"wrong-rho", "permute-and-flip charged epsilon^2/8 instead of epsilon^2/2", wrong_rho},
      {"quantiles-for-one", "two quantiles at the price of one", quantiles_for_one},
      {"small-variance", "Gaussian noise of variance 7/8 of the price's", small_variance},
      {"selection-one-ahead", "a key is shown with the probability for one more unit",
       selection_ahead},
      {"undivided-rounds", "top-k with the whole epsilon in each round", undivided_rounds},
      {"clipping-removed", "a unit's vector goes into the sum without being clipped",
       clipping_removed},
      {"residual-of-one-cell", "a residual of multiplied cells with the noise of one",
       residual_of_one_cell},
      {"unmixed-length", "running sums with the noise of counts that are not mixed",
       unmixed_length},
      {"noise-of-yesterday", "a daily count released with the noise of the day before",
       noise_of_yesterday},
      {"unscaled-questions", "above-threshold with the threshold's noise on the questions",
       unscaled_questions},
      {"residual-clamped-first", "a residual table that is clamped before its differences",
       residual_clamped_first},
      {"cell-kept-by-size", "a Gaussian's cell keeps -1 - a as if it were a", cell_kept_by_size},
      {"cell-always-kept", "a Gaussian's cell keeps all of its points", cell_always_kept},
      {"small-variance-in-cells", "wide Gaussian noise of variance 7/8 of the price's",
       small_variance_in_cells},
      {"half-price-top-k", "top-k for half of its epsilon",
       half_price_of<"top-k", Halved::kEpsilon>},
      {"half-price-quantiles-several", "several quantiles for half of their epsilon",
       half_price_of<"quantiles-several", Halved::kEpsilon>},
      {"half-price-above-threshold", "above-threshold for half of its epsilon",
       half_price_of<"above-threshold", Halved::kEpsilon>},
      {"half-price-rounded-gaussian", "rounded Gaussian noise for half of its delta",
       half_price_of<"rounded-gaussian", Halved::kDelta>},
      {"half-price-rounded-gaussian-vector", "the same for an array",
       half_price_of<"rounded-gaussian-vector", Halved::kDelta>},
      {"half-price-clipped-sums-sampled", "a sampled round for half of its delta",
       half_price_of<"clipped-sums-sampled", Halved::kDelta>},
      {"half-price-thresholded-gaussian", "a key's threshold for half of its delta",
       half_price_of<"thresholded-gaussian", Halved::kDelta>},
      {"half-price-thresholded-gaussian-known", "a known key's noise for half of its rho",
       half_price_of<"thresholded-gaussian-known", Halved::kRho>},
      {"half-price-prefix-table", "running sums for half of their rho",
       half_price_of<"prefix-table", Halved::kRho>},
      {"half-price-prefix-stream", "daily counts for half of their rho",
       half_price_of<"prefix-stream", Halved::kRho>},
      {"odds-rounded-up", "a local randomizer with odds one part in 1000 above e^epsilon",
       odds_rounded_up}};
}

std::vector<std::string> mutant_names() {
  std::vector<std::string> names;
  for (const Mutant& mutant : all_mutants()) names.emplace_back(mutant.name);
  return names;
}

Result<MutantRow> run_mutant(std::string_view name, const Progress& progress) {
  std::string known;
  for (const Mutant& mutant : all_mutants()) {
    if (mutant.name == name) {
      const Verdict faulty = mutant.run(true, part_of(progress, 0, 2));
      const Verdict intact = mutant.run(false, part_of(progress, 1, 2));
      return MutantRow{.name = std::string(mutant.name),
                       .fault = std::string(mutant.fault),
                       .caught = faulty.violated ? faulty.text : "missed (" + faulty.text + ")",
                       .intact = intact.text,
                       .ok = faulty.violated && intact.ok};
    }
    known += (known.empty() ? " " : ", ") + std::string(mutant.name);
  }
  return Error{Code::kNotFound, "no mutant is called " + in_quotes(name) + "; known:" + known};
}

}  // namespace discreet::audit
