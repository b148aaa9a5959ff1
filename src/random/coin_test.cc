// SPDX-License-Identifier: Apache-2.0
// The integer coins and uniform integers, with every tape walked: chances are exact.
#include "random/coin.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "numeric/int128.h"
#include "random/system_bits.h"
#include "random/uniform.h"

namespace discreet::random::coin_test {
namespace {

struct TapeEnd {};

/// A tape read most significant bit first.
template <int kWidth>
class Tape {
 public:
  static constexpr int kWordBits = kWidth;
  explicit Tape(const std::vector<bool>& bits) : bits_(bits) {}
  std::uint64_t take(int k) {
    std::uint64_t value = 0;
    for (int i = 0; i < k; ++i) {
      if (read_ == bits_.size()) throw TapeEnd{};
      value = value << 1 | std::uint64_t{bits_[read_++]};
    }
    return value;
  }
  std::size_t read() const { return read_; }

 private:
  const std::vector<bool>& bits_;
  std::size_t read_ = 0;
};

/// The chance of each outcome in 2^-depth, over all tapes; what needs more than `depth` bits is
/// under no key.
template <int kWidth>
std::map<std::uint64_t, Uint128> enumerate(
    int depth, const std::function<std::uint64_t(Tape<kWidth>&)>& draw) {
  std::map<std::uint64_t, Uint128> mass;
  std::vector<bool> bits;
  const std::function<void()> walk = [&] {
    Tape<kWidth> tape(bits);
    try {
      const std::uint64_t outcome = draw(tape);
      EXPECT_EQ(tape.read(), bits.size());
      mass[outcome] += Uint128{1} << (depth - static_cast<int>(bits.size()));
      return;
    } catch (TapeEnd) {
    }
    if (static_cast<int>(bits.size()) == depth) return;
    for (const bool bit : {false, true}) {
      bits.push_back(bit);
      walk();
      bits.pop_back();
    }
  };
  walk();
  return mass;
}

template <int kWidth>
std::map<std::uint64_t, Uint128> outcomes_of(const DyadicCoin& coin) {
  return enumerate<kWidth>(64, [&](Tape<kWidth>& tape) { return std::uint64_t{coin.flip(tape)}; });
}

template <int kWidth>
bool is_exact(const DyadicCoin& coin, Uint128 threshold) {
  std::map<std::uint64_t, Uint128> mass = outcomes_of<kWidth>(coin);
  return mass[1] == threshold && mass[0] == (Uint128{1} << 64) - threshold;
}

bool is_exact_at_all_widths(const DyadicCoin& coin, Uint128 threshold) {
  return is_exact<1>(coin, threshold) && is_exact<2>(coin, threshold) &&
         is_exact<3>(coin, threshold) && is_exact<4>(coin, threshold) &&
         is_exact<5>(coin, threshold) && is_exact<6>(coin, threshold);
}

constexpr std::uint64_t kMax = ~std::uint64_t{0};

TEST(DyadicCoin, HasExactlyItsChanceOverAllTapes) {
  for (const std::uint64_t threshold :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 63, kMax - 1,
        kMax, std::uint64_t{0x8000000000000001}, std::uint64_t{0x0123456789abcdef},
        std::uint64_t{0x5555555555555555}, std::uint64_t{0xfffffffe00000000}}) {
    EXPECT_TRUE(is_exact_at_all_widths(DyadicCoin(threshold), threshold)) << threshold;
  }
  EXPECT_TRUE(is_exact_at_all_widths(DyadicCoin::always(), Uint128{1} << 64));
}

TEST(DyadicCoin, AThresholdThatIsOffByOneIsSeen) {
  EXPECT_FALSE(is_exact<1>(DyadicCoin(12345), 12346));
  EXPECT_FALSE(is_exact<4>(DyadicCoin(12345), 12344));
  EXPECT_FALSE(is_exact<6>(DyadicCoin(kMax), Uint128{1} << 64));
}

/// Hands out one given word.
struct OneWord {
  static constexpr int kWordBits = 64;
  std::uint64_t word;
  int reads = 0;
  std::uint64_t take(int k) {
    EXPECT_EQ(k, 64);
    ++reads;
    return word;
  }
};

RC_GTEST_PROP(DyadicCoin, OneWideWordIsComparedWithTheThreshold, (std::uint64_t threshold)) {
  const auto near = *rc::gen::inRange<std::uint64_t>(0, 4);
  for (const std::uint64_t word : {threshold - near, threshold + near, std::uint64_t{0}, kMax}) {
    OneWord bits{word};
    RC_ASSERT(DyadicCoin(threshold).flip(bits) == (word < threshold));
    RC_ASSERT(DyadicCoin::always().flip(bits));
    RC_ASSERT(bits.reads == 2);
  }
}

// One round of the rejection: every answer has floor(2^w / n) of the 2^w words, the others are
// drawn again. `draw` may be the product's function or a mutant.
template <int kWidth, class Draw>
bool is_uniform(std::uint64_t n, Draw draw) {
  int width = kWidth;
  while ((Uint128{1} << width) < n) width += kWidth;
  const auto mass = enumerate<kWidth>(width, [&](Tape<kWidth>& tape) { return draw(n, tape); });
  for (const auto& [outcome, weight] : mass) {
    if (outcome >= n || weight != (Uint128{1} << width) / n) return false;
  }
  return mass.size() == n;
}

template <int kWidth>
bool is_uniform_below_up_to(std::uint64_t most) {
  const auto draw = [](std::uint64_t n, Tape<kWidth>& tape) { return uniform_below(n, tape); };
  for (std::uint64_t n = 2; n <= most; ++n) {
    if (!is_uniform<kWidth>(n, draw)) return false;
  }
  return true;
}

TEST(UniformBelow, GivesEveryAnswerTheSameChanceOverAllTapes) {
  EXPECT_TRUE(is_uniform_below_up_to<1>(70));
  EXPECT_TRUE(is_uniform_below_up_to<2>(70));
  EXPECT_TRUE(is_uniform_below_up_to<3>(70));
  EXPECT_TRUE(is_uniform_below_up_to<4>(70));
  EXPECT_TRUE(is_uniform_below_up_to<5>(70));
  EXPECT_TRUE(is_uniform_below_up_to<6>(70));
}

TEST(UniformBelow, RemaindersAndMissingRejectionAreSeen) {
  const auto remainder = [](std::uint64_t n, auto& tape) { return tape.take(6) % n; };
  const auto no_rejection = [](std::uint64_t n, auto& tape) { return tape.take(6) * n >> 6; };
  EXPECT_FALSE(is_uniform<6>(10, remainder));
  EXPECT_FALSE(is_uniform<6>(10, no_rejection));
  EXPECT_TRUE(is_uniform<6>(16, remainder));
}

TEST(UniformBelow, OneReadsNothing) {
  const std::vector<bool> empty;
  Tape<6> tape(empty);
  EXPECT_EQ(uniform_below(1, tape), 0u);
}

/// Hands out the given word, then ends.
struct ThenEnd {
  static constexpr int kWordBits = 64;
  std::uint64_t word;
  bool used = false;
  std::uint64_t take(int) {
    if (used) throw TapeEnd{};
    used = true;
    return word;
  }
};

std::optional<std::uint64_t> on_word(std::uint64_t n, std::uint64_t word) {
  ThenEnd bits{word};
  try {
    return uniform_below(n, bits);
  } catch (TapeEnd) {
    return std::nullopt;
  }
}

// At 64 bits the words that give h are floor(2^64 / n) neighbours: both ends are tried, and the
// words beyond them.
RC_GTEST_PROP(UniformBelow, AtFullWidthEveryAnswerHasTheSameNumberOfWords, (std::uint64_t any)) {
  const int shift = *rc::gen::inRange(0, 63);
  const std::uint64_t n = (any >> shift) < 2 ? 2 : any >> shift;
  const auto h = *rc::gen::oneOf(rc::gen::element<std::uint64_t>(0, 1, n - 1),
                                 rc::gen::inRange<std::uint64_t>(0, n));
  const Uint128 all = Uint128{1} << 64;
  const Uint128 count = all / n;
  const Uint128 first = (h * all + all % n + n - 1) / n;
  const auto low = static_cast<std::uint64_t>(first);
  const auto high = static_cast<std::uint64_t>(first + count - 1);
  RC_ASSERT(on_word(n, low) == h);
  RC_ASSERT(on_word(n, high) == h);
  if (low > 0) RC_ASSERT(on_word(n, low - 1) != h);
  if (high < kMax) RC_ASSERT(on_word(n, high + 1) != h);
}

}  // namespace
}  // namespace discreet::random::coin_test
