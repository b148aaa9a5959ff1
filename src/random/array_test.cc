// SPDX-License-Identifier: Apache-2.0
// The loops over arrays against the scalar draws, on the same words: also on words that tie with an
// entry of a table, and on words that escape from it, which no run would meet otherwise.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "random/gaussian_fill.h"
#include "random/laplace_fill.h"

namespace discreet::random::array_test {
namespace {

/// Chosen words, at most `block` of them at once.
class Words {
 public:
  static constexpr int kWordBits = 64;
  Words(const std::vector<std::uint64_t>& words, std::size_t block)
      : words_(words), block_(block) {}

  std::uint64_t take(int k) { return words_.at(at_++) & (~std::uint64_t{0} >> (64 - k)); }
  std::span<const std::uint64_t> take_words(std::size_t max) {
    const std::size_t count = std::min(max, block_);
    at_ += count;
    return {&words_.at(at_ - count), count};
  }
  std::uint64_t bits_taken() const { return 64 * at_; }

 private:
  const std::vector<std::uint64_t>& words_;
  std::size_t block_;
  std::size_t at_ = 0;
};

std::vector<std::uint64_t> some_words(std::size_t count) {
  std::mt19937_64 generator(7);
  std::vector<std::uint64_t> words(count);
  for (std::uint64_t& word : words) word = generator();
  return words;
}

/// A word that ties with the column's entry.
template <class Table>
std::uint64_t tie(const Table& table, std::uint64_t column) {
  return (table.entries()[column] & ~std::uint64_t{Table::kMask}) | column;
}

/// Puts a tie with `table` into every fifth word, and into others a word that it sends to its last
/// outcome, the escape, when it has one.
template <class Table>
void plant_rare_words(const Table& table, std::vector<std::uint64_t>& words) {
  for (std::size_t i = 0; i + 1 < words.size(); i += 5) {
    words[i] = tie(table, words[i] & Table::kMask);
  }
  for (std::uint64_t column = 0; column <= Table::kMask; ++column) {
    if (Table::outcome_of(column) != Table::kMask) continue;
    for (std::size_t i = 2; i < words.size(); i += 35) words[i] = column;
  }
}

constexpr std::size_t kDraws = 2000;

template <class Sampler>
std::vector<std::int64_t> filled(const Sampler& sampler, const std::vector<std::uint64_t>& words,
                                 std::size_t block) {
  std::vector<std::int64_t> out(kDraws);
  Words source(words, block);
  sampler.fill(source, out);
  return out;
}

template <class Sampler>
std::vector<std::int64_t> drawn(const Sampler& sampler, const std::vector<std::uint64_t>& words) {
  std::vector<std::int64_t> out;
  Words source(words, 1);
  while (out.size() < kDraws) out.push_back(saturate_to_int64(sampler.draw(source)));
  return out;
}

TEST(LaplaceArray, IsTheScalarOnTheSameWords) {
  for (const char* scale : {"1/2", "20", "3000", "20000000", "1099511627776"}) {
    const DiscreteLaplace sampler(Scale::parse(scale).value());
    const auto per_draw = static_cast<std::size_t>(sampler.words_per_draw());
    const auto words = some_words(kDraws * per_draw + 1000);
    for (const std::size_t draws : {1, 2, 7, 100}) {
      EXPECT_EQ(filled(sampler, words, draws * per_draw), drawn(sampler, words)) << scale;
    }
  }
}

// The scalar settles a tie before it reads the next table's word, the loop after the whole block:
// so the word that settles it stands in different places.
TEST(LaplaceArray, SettlesTiesAsTheScalarDoes) {
  for (const char* scale : {"1/2", "20", "3000", "20000000", "1099511627776"}) {
    const DiscreteLaplace sampler(Scale::parse(scale).value());
    const auto per_draw = static_cast<std::size_t>(sampler.words_per_draw());
    for (std::size_t tied = 0; tied < per_draw; ++tied) {
      const auto& table = sampler.tables()[tied];
      for (std::uint64_t column = 0; column < 1024; ++column) {
        const auto& structure = table.structure();
        const bool is_settled = structure.is_full(column) || structure.threshold_ends(column);
        auto block = some_words(per_draw + 200);
        block[tied] = tie(table, column);
        auto scalar = block;
        if (!is_settled) {
          const auto at = [](std::size_t i) { return static_cast<std::ptrdiff_t>(i); };
          std::rotate(scalar.begin() + at(tied + 1), scalar.begin() + at(per_draw),
                      scalar.begin() + at(per_draw + 1));
        }
        std::int64_t filled_one = 0;
        Words source(block, per_draw);
        sampler.fill(source, {&filled_one, 1});
        Words other(scalar, 1);
        ASSERT_EQ(filled_one, saturate_to_int64(sampler.draw(other))) << scale << ' ' << column;
        ASSERT_EQ(source.bits_taken(), other.bits_taken()) << scale << ' ' << column;
      }
    }
  }
}

TEST(LaplaceArray, EscapesAsTheScalarDoes) {
  for (const char* scale : {"1/2", "20", "3000", "20000000", "1099511627776"}) {
    const DiscreteLaplace sampler(Scale::parse(scale).value());
    const auto per_draw = static_cast<std::size_t>(sampler.words_per_draw());
    auto words = some_words(2000);
    for (std::uint64_t column = 0; column < 1024; ++column) {
      if (DiscreteLaplace::Table::outcome_of(column) == DiscreteLaplace::Table::kMask) {
        words[per_draw - 1] = column;  // all digits zero: below every threshold but 0.000...
      }
    }
    std::int64_t filled_one = 0;
    Words source(words, per_draw);
    sampler.fill(source, {&filled_one, 1});
    Words other(words, 1);
    EXPECT_EQ(filled_one, saturate_to_int64(sampler.draw(other))) << scale;
    EXPECT_EQ(source.bits_taken(), other.bits_taken()) << scale;
  }
}

TEST(LaplaceArray, DropsABlockThatIsTooShortForADraw) {
  const DiscreteLaplace sampler(Scale::parse("3000").value());
  ASSERT_GT(sampler.words_per_draw(), 1);
  const auto words = some_words(kDraws * 4);
  Words source(words, 1);
  std::vector<std::int64_t> expected;
  while (expected.size() < kDraws) {
    (void)source.take(64);
    expected.push_back(saturate_to_int64(sampler.draw(source)));
  }
  EXPECT_EQ(filled(sampler, words, 1), expected);
}

template <class Sampler>
class GaussianArray : public testing::Test {};
using Gaussians = testing::Types<DiscreteGaussian, RoundedGaussian>;
TYPED_TEST_SUITE(GaussianArray, Gaussians);

TYPED_TEST(GaussianArray, IsTheScalarOnTheSameWords) {
  for (const char* variance : {"1/4", "100", "3000", "1000000", "1152921504606846976"}) {
    const TypeParam sampler(Variance::parse(variance).value());
    const std::size_t per_try = sampler.shape().is_direct ? 1 : 2;
    auto words = some_words(40 * kDraws);
    EXPECT_EQ(filled(sampler, words, per_try), drawn(sampler, words)) << variance;
    plant_rare_words(sampler.table(), words);
    EXPECT_EQ(filled(sampler, words, per_try), drawn(sampler, words)) << variance;
    if (sampler.shape().is_direct) {  // no try is rejected, so that whole blocks can be compared
      const auto plain = some_words(40 * kDraws);
      EXPECT_EQ(filled(sampler, plain, 64), drawn(sampler, plain)) << variance;
    }
  }
}

// Every cell, with points at its ends, of both signs, and uniform reals at its squeeze.
TYPED_TEST(GaussianArray, IsTheScalarAtTheEdgesOfEveryCell) {
  for (const char* variance : {"3000", "1000000", "1152921504606846976"}) {
    const TypeParam sampler(Variance::parse(variance).value());
    ASSERT_FALSE(sampler.shape().is_direct);
    const GaussianCells& cells = sampler.cells();
    const std::uint64_t places = std::uint64_t{1} << cells.place_bits();
    for (std::uint64_t column = 0; column < 1024; ++column) {
      const std::uint64_t low = column | std::uint64_t{1} << 10;  // below most thresholds
      const std::uint64_t high = column | ~std::uint64_t{1023} << 1;
      for (const std::uint64_t word : {low, high}) {
        for (const std::uint64_t place : {std::uint64_t{0}, places / 2, places - 1}) {
          const std::uint64_t cell =
              TypeParam::Table::select(word, sampler.table().entries()[column]);
          if (cell >= static_cast<std::uint64_t>(sampler.shape().cells)) continue;
          CellPoint point{.is_negative = column % 2 == 0, .place = place, .accept = 0};
          std::uint64_t least = 0;  // the first `accept` that is not sure
          for (int bit = cells.accept_bits() - 1; bit >= 0; --bit) {
            point.accept = least + (std::uint64_t{1} << bit) - 1;
            if (cells.surely_accepts(cell, point)) least += std::uint64_t{1} << bit;
          }
          for (const std::uint64_t accept : {least - 1, least}) {
            auto words = some_words(200);
            words[0] = word;
            words[1] = (accept << (1 + cells.place_bits())) | place << 1 |
                       std::uint64_t{point.is_negative};
            std::int64_t one = 0;
            Words source(words, 2);
            sampler.fill(source, {&one, 1});
            Words other(words, 1);
            ASSERT_EQ(one, saturate_to_int64(sampler.draw(other))) << variance << ' ' << column;
            ASSERT_EQ(source.bits_taken(), other.bits_taken()) << variance << ' ' << column;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace discreet::random::array_test
