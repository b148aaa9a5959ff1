// SPDX-License-Identifier: Apache-2.0
// ResidualTable, PrefixTable, PrefixStream, Toeplitz, and the verbs that make their inputs.
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "base/children_for_tests.h"
#include "mechanism/door.h"
#include "mechanism/gaussian_vector.h"
#include "mechanism/prefix_stream.h"
#include "mechanism/prefix_table.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/residual_table.h"
#include "mechanism/tape_for_tests.h"
#include "mechanism/values_for_tests.h"
#include "mechanism/verbs.h"

namespace discreet::mechanism::tables_test {
namespace {

using cli::OwnValues;
using Entries = std::vector<std::int64_t>;

/// A sealed table as it is: noise of next to no variance.
Entries opened(const Sensitive<Entries>& sealed) {
  const auto exact =
      GaussianVector::make({.sensitivity_squared = l2_squared_of("1"), .rho = rho_of("1e11")});
  TestTape<5> tape(0x155555, 40);  // any tape: 0 is drawn but with probability below 2^-10^10
  return Door::replay(exact.value(), sealed, tape).outcome();
}

/// The differences from the first slices, written down once more: by inclusion and exclusion.
Entries differences(const Entries& axes, const Entries& x) {
  Entries out;
  std::size_t cells = 1;
  for (const std::int64_t n : axes) cells *= static_cast<std::size_t>(n);
  for (std::size_t c = 0; c < cells; ++c) {
    Entries at;
    for (std::size_t rest = c, a = axes.size(); a-- > 0;
         rest /= static_cast<std::size_t>(axes[a])) {
      at.insert(at.begin(), static_cast<std::int64_t>(rest % static_cast<std::size_t>(axes[a])));
    }
    if (std::find(at.begin(), at.end(), 0) != at.end()) continue;
    std::int64_t sum = 0;
    for (unsigned mask = 0; mask < 1U << axes.size(); ++mask) {
      std::int64_t place = 0;
      for (std::size_t a = 0; a < axes.size(); ++a) {
        place = place * axes[a] + ((mask >> a & 1) != 0 ? 0 : at[a]);
      }
      sum += (std::popcount(mask) % 2 != 0 ? -1 : 1) * x[static_cast<std::size_t>(place)];
    }
    out.push_back(sum);
  }
  return out;
}

TEST(ResidualTable, IsTheDifferencesOfNoisyCellsOnEveryTape) {
  const Entries axes{2, 3};
  const auto residual = ResidualTable::make({.axes = axes, .reach = 1, .rho = rho_of("6")});
  const auto cells = GaussianVector::make(  // the same sigma^2 = 12/12
      {.sensitivity_squared = l2_squared_of("12"), .rho = rho_of("6")});
  ASSERT_TRUE(residual && cells);
  EXPECT_EQ(residual->noise().text, "residual-table(axes=2x3,reach=1,sigma_squared=1)");
  int seen = 0;
  for (std::uint64_t string = 1; string < 400; ++string) {
    const Entries x{5, -2, 7, 0, 1000, 3};
    Entries scaled;
    for (const std::int64_t each : x) scaled.push_back(6 * each);
    try {
      TestTape<5> one((string * 0x9e3779b97f4a7c15) >> 24, 40);
      TestTape<5> two((string * 0x9e3779b97f4a7c15) >> 24, 40);
      const Entries noisy = Door::replay(*cells, Sensitive(Entries(scaled)), two).outcome();
      EXPECT_EQ(Door::replay(*residual, Sensitive(Entries(x)), one).outcome(),
                differences(axes, noisy));
      ++seen;
    } catch (const TestTape<5>::Ended&) {
    }
  }
  EXPECT_GT(seen, 20);
}

// Theorem, §1 and §2: for every small change of a table the whole vector L P d has the same
// differences as L d, and a squared length of at most m^2 K; one row attains it.
TEST(ResidualTable, ReachesExactlyAsFarAsItIsChargedFor) {
  const Entries axes{2, 3};
  const std::int64_t cells = 6, longest = 2 * 1 * 3 * 2;
  for (int code = 0; code < 15'625; ++code) {  // entries -2 .. 2
    Entries d;
    std::int64_t size = 0;
    for (int rest = code, i = 0; i < cells; ++i, rest /= 5) {
      d.push_back(rest % 5 - 2);
      size += std::abs(d.back());
    }
    if (size == 0 || size > 3) continue;
    Entries projected(6);  // L P d
    for (std::int64_t i = 0; i < 2; ++i) {
      for (std::int64_t j = 0; j < 3; ++j) {
        std::int64_t sum = 0;
        for (std::int64_t k = 0; k < 2; ++k) {
          for (std::int64_t l = 0; l < 3; ++l) {
            sum += (i == k ? 1 : -1) * (j == l ? 2 : -1) * d[static_cast<std::size_t>(k * 3 + l)];
          }
        }
        projected[static_cast<std::size_t>(i * 3 + j)] = sum;
      }
    }
    Entries whole;
    std::int64_t squared = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      whole.push_back(cells * d[i]);
      squared += projected[i] * projected[i];
    }
    EXPECT_EQ(differences(axes, projected), differences(axes, whole));
    EXPECT_LE(squared, size * size * longest);
    if (size == 1) {
      EXPECT_EQ(squared, longest);
    }
  }
  EXPECT_EQ(ResidualTable::make({.axes = axes, .reach = 3, .rho = rho_of("1")})
                ->sensitivity_squared()
                .value(),
            Rational(9 * longest));
  EXPECT_FALSE(ResidualTable::make({.axes = {2, 1}, .reach = 1, .rho = rho_of("1")}));
  EXPECT_FALSE(ResidualTable::make({.axes = {}, .reach = 0, .rho = rho_of("1")}));
}

// Nothing is clamped before the differences: what they forget, a constant along an axis, they also
// forget at the ends of the domain, on every tape. What comes out is clamped, and then only.
TEST(ResidualTable, ForgetsTheSameAtTheEndsOfItsDomain) {
  constexpr std::int64_t kTop = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kBottom = std::numeric_limits<std::int64_t>::min();
  const Entries axes{2, 3};
  const auto residual = ResidualTable::make({.axes = axes, .reach = 1, .rho = rho_of("6")});
  const auto drawn = [&](const Entries& x, std::uint64_t string) {
    TestTape<5> tape((string * 0x9e3779b97f4a7c15) >> 24, 40);
    return Door::replay(*residual, Sensitive(Entries(x)), tape).outcome();
  };
  int seen = 0;
  for (std::uint64_t string = 1; string < 400; ++string) {
    try {
      const Entries noise = drawn({0, 0, 0, 0, 0, 0}, string);
      for (const std::int64_t at :
           {kTop, kBottom, kEntryMax, -kEntryMax, kEntryMax / 6, kEntryMax / 6 + 1}) {
        EXPECT_EQ(drawn(Entries(6, at), string), noise) << at;
        EXPECT_EQ(drawn({0, 0, 0, at, at, at}, string), noise) << at;
        EXPECT_EQ(drawn({at, 0, kBottom, at, 0, kBottom}, string), noise) << at;
      }
      const std::int64_t near = kEntryMax / 6;  // 6 near = 2^62 - 4
      const Entries most = drawn({0, 0, 0, 0, near, 0}, string);
      EXPECT_EQ(most[0], std::min(kEntryMax, 6 * near + noise[0]));
      EXPECT_EQ(most[1], noise[1]);
      const Entries beyond = drawn({0, kTop, kBottom, 0, kBottom, kTop}, string);
      EXPECT_EQ(beyond, (Entries{-kEntryMax, kEntryMax}));
      ++seen;
    } catch (const TestTape<5>::Ended&) {
    }
  }
  EXPECT_GT(seen, 20);
}

TEST(PrefixTable, IsExactUntilItIsMixed) {
  constexpr std::int64_t kTop = std::numeric_limits<std::int64_t>::max();
  const auto mechanism = PrefixTable::make(
      {.rows = 1, .mixing = Toeplitz::square_root(3), .reach = 1, .rho = rho_of("1e20")});
  const auto drawn = [&](const Entries& x) {
    TestTape<5> tape(0x155555, 40);
    return Door::replay(*mechanism, Sensitive(Entries(x)), tape).outcome();
  };
  const std::int64_t big = std::int64_t{1} << 40;
  EXPECT_EQ(drawn({big, -2 * big, 0}),
            (Entries{65536 * big, (32768 - 131072) * big, (24576 - 65536) * big}));
  EXPECT_EQ(drawn({kTop, -kTop, 0}), (Entries{kEntryMax, -kEntryMax, -kEntryMax}));
}

TEST(Toeplitz, IsASquareRootOfRunningSumsAndFalls) {
  const Toeplitz mixing = Toeplitz::square_root(300);
  const Entries& c = mixing.coefficients();
  ASSERT_EQ(c.size(), 300U);
  EXPECT_EQ(c[0], 65536);
  EXPECT_EQ(c[1], 32768);
  EXPECT_EQ(c[2], 24576);  // 6/16
  EXPECT_EQ(c[3], 20480);  // 20/64
  EXPECT_TRUE(std::is_sorted(c.rbegin(), c.rend()));
  for (std::size_t t = 0; t < c.size(); ++t) {  // the square is 1, but for rounding down
    double sum = 0;
    for (std::size_t k = 0; k <= t; ++k) {
      sum += static_cast<double>(c[k]) * static_cast<double>(c[t - k]) / 65536 / 65536;
    }
    EXPECT_NEAR(sum, 1, 0.001);
  }
}

// The lemma: no choice of w days is longer than the first w. All choices of 9 days.
TEST(Toeplitz, ChargesTheLongestChoiceOfDays) {
  for (const Toeplitz& mixing : {Toeplitz::square_root(9), Toeplitz::identity(9)}) {
    const Entries& c = mixing.coefficients();
    std::vector<Integer> longest(10, 0);
    for (unsigned days = 1; days < 512; ++days) {
      Integer squared = 0;
      for (std::size_t t = 0; t < 9; ++t) {
        Integer entry = 0;
        for (std::size_t s = 0; s <= t; ++s) {
          if ((days >> s & 1) != 0 && t - s < c.size()) entry += Integer(c[t - s]);
        }
        squared += entry * entry;
      }
      Integer& most = longest[static_cast<std::size_t>(std::popcount(days))];
      most = std::max(most, squared);
    }
    for (std::int64_t w = 1; w <= 9; ++w) {
      EXPECT_EQ(mixing.length_squared(w), longest[static_cast<std::size_t>(w)]) << w;
    }
  }
}

TEST(PrefixTable, MixesEveryRow) {
  const auto mechanism = PrefixTable::make(
      {.rows = 2, .mixing = Toeplitz::square_root(3), .reach = 1, .rho = rho_of("1e20")});
  ASSERT_TRUE(mechanism);
  TestTape<5> tape(0x155555, 40);
  EXPECT_EQ(Door::replay(*mechanism, Sensitive(Entries{1, 0, 2, 0, 1, 0}), tape).outcome(),
            (Entries{65536, 32768, 24576 + 2 * 65536, 0, 65536, 32768}));
}

PrefixStream::Terms terms(const char* rho, std::int64_t days = 3) {
  return PrefixStream::Terms::make(
             {.days = days, .days_per_unit = 1, .reach = 1, .rho = rho_of(rho)})
      .value();
}

// The theorem's bijection, on many tapes: g(o) - C x is the noise, whatever x is.
TEST(PrefixStream, IsAFunctionOfTheMixedStreamWithFreshNoise) {
  const PrefixStream::Terms t = terms("1e8");
  const Entries& c = t.mixing().coefficients();
  const auto noise_of = [&](const Entries& x, std::uint64_t string) {
    TestTape<5> tape((string * 0x9e3779b97f4a7c15) >> 24, 40);
    const Entries o = PrefixStream::replay(t, Sensitive(Entries(x)), tape).outcome();
    Entries z;
    for (std::size_t day = 0; day < o.size(); ++day) {
      std::int64_t past = 0, mixed = 0;
      for (std::size_t s = 0; s < day; ++s) past += c[day - s] * o[s];
      for (std::size_t s = 0; s <= day; ++s) mixed += c[day - s] * x[s];
      z.push_back(o[day] + (past >= 0 ? past / 65536 : -((-past + 65535) / 65536)) - mixed);
    }
    return z;
  };
  int seen = 0, different = 0;
  Entries last;
  for (std::uint64_t string = 1; string < 300; ++string) {
    try {
      const Entries z = noise_of({0, 0, 0}, string);
      EXPECT_EQ(noise_of({7, -3, 100}, string), z);
      EXPECT_EQ(noise_of({1, 1, 1}, string), z);
      different += z != last ? 1 : 0;
      last = z;
      ++seen;
    } catch (const TestTape<5>::Ended&) {
    }
  }
  EXPECT_GT(seen, 20);
  EXPECT_GT(different, 10);
}

TEST(PrefixStream, ResumesWithTheNoiseThatWasDrawnAndStopsAfterTheLastDay) {
  const PrefixStream::Terms t = terms("1", 2);
  const auto plain = [](std::string_view bytes) -> Result<std::string> {
    return std::string(bytes);
  };
  auto stream = PrefixStream::open(t, OwnValues::for_use_of(t));
  ASSERT_TRUE(stream);
  ASSERT_TRUE(stream->prepare().value());
  EXPECT_FALSE(stream->prepare().value());  // drawn once
  const std::string kept = stream->sealed(plain).value();
  EXPECT_EQ(kept.size(), 8U);
  const std::int64_t first = stream->release(Sensitive<Int128>(10))->value();
  // A crash before the answer was stored: the same noise again.
  auto again = PrefixStream::resume(t, "1", 0, Sensitive(std::string(kept)));
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->prepare().value());
  EXPECT_EQ(again->release(Sensitive<Int128>(10))->value(), first);
  auto next = PrefixStream::resume(t, "1", 1, Sensitive(std::string(kept)));
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->prepare().value());
  EXPECT_TRUE(next->release(Sensitive<Int128>(10)).has_value());
  EXPECT_EQ(next->prepare().error().code, Code::kBudget);
  EXPECT_EQ(PrefixStream::resume(t, "1", 2, Sensitive(std::string(kept))).error().code,
            Code::kCorrupt);
  EXPECT_EQ(PrefixStream::resume(t, "1", 0, Sensitive(std::string("abc"))).error().code,
            Code::kCorrupt);
  EXPECT_EQ(PrefixStream::open(t, OwnValues::for_use_of(terms("2", 2))).error().code,
            Code::kRefused);
}

TEST(PrefixStream, AForkedChildIsRefused) {
  expect_children_refused([] {
    const PrefixStream::Terms t = terms("1", 3);
    const auto stream =
        std::make_shared<PrefixStream>(PrefixStream::open(t, OwnValues::for_use_of(t)).value());
    return [stream] {
      const auto prepared = stream->prepare();
      return !prepared && prepared.error().code == Code::kRefused;
    };
  });
}

TEST(Codes, CountEveryRowOnceOrNowhere) {
  const UnitRows rows{.columns = 3,
                      .cells = {0, 17, 4,         // unit 0
                                1, 18, -9,        //
                                1, 64, kMissing,  // unit 1
                                2, 65, 3,         // beyond the first axis' places
                                kMissing, 1, 1},
                      .ends = {2, 5}};
  const Axis plain{.column = 0, .places = 2};
  const Axis cut{.column = 1, .places = 3, .cuts = {18, 65}};
  const Weight weight{.column = 2, .width = 2, .offset = 1, .largest = 2};
  {
    const auto codes = Verbs::codes(Sensitive(UnitRows(rows)), {plain, cut}, {weight});
    EXPECT_EQ(opened(Verbs::table(codes, {.axes = {0, 1}})), (Entries{1, 0, 0, 0, 2, 0}));
    EXPECT_EQ(opened(Verbs::table(codes, {.axes = {1, 0}})), (Entries{1, 0, 0, 2, 0, 0}));
    EXPECT_EQ(opened(Verbs::table(codes, {})), (Entries{3}));
    // (4+1)/2 = 2.5 goes up and is held at 2; (-9+1)/2 = -4 is held at -2; missing is 0.
    EXPECT_EQ(opened(Verbs::table(codes, {.axes = {0}, .weight = 0})), (Entries{2, -2}));
  }
  const Axis rest{.column = 0, .places = 3, .rest = true};
  const Axis groups{.column = 1, .width = 32, .places = 2, .groups = {1, 1, 0}};
  const auto codes = Verbs::codes(Sensitive(UnitRows(rows)), {rest, groups}, {});
  EXPECT_EQ(opened(Verbs::table(codes, {.axes = {0}})), (Entries{1, 2, 2}));
  EXPECT_EQ(opened(Verbs::table(codes, {.axes = {1}})), (Entries{2, 3}));
}

TEST(DayCount, TakesSoManyRowsOfAUnit) {
  const auto count = [](const DayRule& rule) {
    const Sensitive<UnitRows> rows(UnitRows{
        .columns = 1, .cells = {1, 3, 3, 3, 5, 5, 2, 5, kMissing, 5}, .ends = {5, 8, 9, 10}});
    // A count is opened through the stream's own mechanism, with next to no noise.
    const auto stream_terms = PrefixStream::Terms::make(
        {.days = 1, .days_per_unit = 1, .reach = 1, .rho = rho_of("1e20")});
    auto stream = PrefixStream::open(*stream_terms, OwnValues::for_use_of(*stream_terms));
    EXPECT_TRUE(stream->prepare().value());
    return stream->release(Verbs::day_count(rows, rule))->value() / 65536;
  };
  EXPECT_EQ(count({.day = 3, .rows = 2}), 2);  // unit 0: three rows, two count
  EXPECT_EQ(count({.day = 3, .rows = 9}), 3);
  EXPECT_EQ(count({.day = 5, .rows = 1}), 3);
  EXPECT_EQ(count({.day = 4, .rows = 1}), 0);
}

}  // namespace
}  // namespace discreet::mechanism::tables_test
