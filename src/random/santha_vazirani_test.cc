// SPDX-License-Identifier: Apache-2.0
#include "random/santha_vazirani.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <set>

#include "random/santha_vazirani_cells.h"
#include "random/tape_for_tests.h"

namespace discreet::random::santha_vazirani_test {
namespace {

std::uint64_t state = 1;

// A fixed stream that looks uniform.
ssize_t good(void* out, std::size_t size) {
  auto* const bytes = static_cast<std::uint8_t*>(out);
  for (std::size_t i = 0; i < size; ++i) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    bytes[i] = static_cast<std::uint8_t>(z >> 40);
  }
  return static_cast<ssize_t>(size);
}
ssize_t stuck(void* out, std::size_t size) {
  std::memset(out, 7, size);
  return static_cast<ssize_t>(size);
}
ssize_t absent(void*, std::size_t) {
  errno = ENOSYS;
  return -1;
}
int reads_left = 0;
ssize_t dies(void* out, std::size_t size) {
  return reads_left-- > 0 ? good(out, size) : absent(out, size);
}

TEST(RawBits, AreTheSourcesBitsInOrder) {
  state = 1;
  RawBits bits(good);
  ASSERT_TRUE(bits.begin().has_value());
  const std::uint64_t before = state;
  const std::uint64_t word = bits.take(40);
  state = before;
  std::uint8_t bytes[16];
  good(bytes, sizeof(bytes));
  std::uint64_t expected = 0;
  for (int i = 0; i < 5; ++i) expected = expected << 8 | bytes[i];
  EXPECT_EQ(word, expected);
  EXPECT_EQ(bits.bits_taken(), 40u);
}

TEST(RawBits, StartAfreshForEachDraw) {
  state = 1;
  RawBits bits(good);
  ASSERT_TRUE(bits.begin().has_value());
  bits.take(3);
  const std::uint64_t before = state;  // a block was read; 125 of its bits are not used
  ASSERT_TRUE(bits.begin().has_value());
  const std::uint64_t fresh = bits.take(8);
  EXPECT_NE(state, before);  // a new block was read
  state = before;
  std::uint8_t tested[32];
  good(tested, sizeof(tested));
  std::uint8_t bytes[16];
  good(bytes, sizeof(bytes));
  EXPECT_EQ(fresh, bytes[0]);
}

// V3: a tape that looks sick is an answer like any other.
TEST(RawBits, DoNotJudgeTheTapeOfADraw) {
  state = 1;
  RawBits bits([](void* out, std::size_t size) -> ssize_t {
    if (size != 16) return good(out, size);  // what is tested
    std::memset(out, 0, size);
    return static_cast<ssize_t>(size);
  });
  for (int draw = 0; draw < 3; ++draw) {
    ASSERT_TRUE(bits.begin().has_value());
    for (int i = 0; i < 20; ++i) EXPECT_EQ(bits.take(64), 0u);
    EXPECT_TRUE(bits.healthy());
  }
}

TEST(RawBits, FailWithTheSource) {
  RawBits none(absent);
  EXPECT_EQ(none.begin().error().code, Code::kNoEntropy);
  RawBits sick(stuck);
  EXPECT_EQ(sick.begin().error().code, Code::kNoEntropy);
  EXPECT_FALSE(sick.healthy());

  reads_left = 1;
  RawBits dying(dies);
  ASSERT_TRUE(dying.begin().has_value());
  EXPECT_EQ(dying.take(8), 0x55u);  // bits of both kinds, so that a decoder ends
  EXPECT_FALSE(dying.healthy());
  EXPECT_FALSE(dying.begin().has_value());
}

TEST(RawBits, OfTheSystemWork) {
  const auto bits = RawBits::this_thread();
  ASSERT_TRUE(bits.has_value());
  EXPECT_TRUE((*bits)->healthy());
}

const SvShape kShapes[] = {{.period = 1, .halvings = 1, .bits = 10, .q = 1},
                           {.period = 3, .halvings = 1, .bits = 8, .q = 2},
                           {.period = 5, .halvings = 3, .bits = 9, .q = 2},
                           {.period = 14, .halvings = 1, .bits = 8, .q = 5},
                           {.period = 7, .halvings = 2, .bits = 6, .q = 3}};

TEST(SvCells, EdgesFallStrictlyAndRepeat) {
  for (const SvShape& shape : kShapes) {
    const SvCells cells(shape, 0, 0);
    EXPECT_EQ(cells.edge(0), Rational::ratio(1, 2));
    for (int d = 0; d < 3 * shape.period; ++d) {
      EXPECT_GT(cells.edge(d), cells.edge(d + 1));
      EXPECT_EQ(cells.edge(d + shape.period), cells.edge(d) * power_of_two(-shape.halvings));
    }
  }
}

Rational edge_at(const SvCells& cells, std::int64_t h) {
  return h <= 0 ? cells.edge(-h) : 1 - cells.edge(h);
}

// Law 3, on all tapes: the bits that end in a cell weigh exactly what the cell is wide, and they
// lie in it; no bit is read after the cell is certain.
TEST(SvCells, EveryTapeFindsItsCell) {
  for (const SvShape& shape : kShapes) {
    for (const int y : {0, 1, 4, -3}) {
      constexpr int kLow = -3, kHigh = 3;
      const SvCells cells(shape, kLow, kHigh);
      const auto left = [&](std::int64_t k) -> Rational {
        if (k <= kLow) return 0;
        if (k > kHigh) return 1;
        return edge_at(cells, (2 * k - 1) * shape.q - 2 * y);
      };
      std::map<Int128, Rational> mass;
      std::uint64_t at = 0;
      constexpr int kDepth = 60;
      constexpr std::uint64_t kEnd = std::uint64_t{1} << kDepth;
      int tapes = 0;
      while (at < kEnd && ++tapes < 100000) {
        std::vector<bool> string;
        for (int i = kDepth - 1; i >= 0; --i) string.push_back((at >> i & 1) == 1);
        TestTape<1> tape(string);
        const Int128 k = cells.decode(y, tape);
        const int used = static_cast<int>(tape.used());
        const Rational from = Rational(Integer(at)) * power_of_two(-kDepth);
        const Rational width = power_of_two(-used);
        const auto cell = static_cast<std::int64_t>(k);
        EXPECT_LE(left(cell), from);
        EXPECT_LE(from + width, left(cell + 1));
        if (used > 0) {  // the block twice as wide is in no cell
          const Rational wide = width * Rational(2);
          const Rational wide_from = Rational((from / wide).floor()) * wide;
          EXPECT_TRUE(wide_from < left(cell) || wide_from + wide > left(cell + 1));
        }
        mass[k] = mass[k] + width;
        at += std::uint64_t{1} << (kDepth - used);
      }
      ASSERT_EQ(at, kEnd) << "period " << shape.period << " q " << shape.q << " y " << y;
      for (std::int64_t k = kLow; k <= kHigh; ++k) EXPECT_EQ(mass[k], left(k + 1) - left(k));
    }
  }
}

TEST(SvCells, OneCellNeedsNoBits) {
  const SvCells cells(kShapes[0], 4, 4);
  const std::vector<bool> nothing;
  TestTape<1> tape(nothing);
  EXPECT_EQ(cells.decode(99, tape), 4);
}

}  // namespace
}  // namespace discreet::random::santha_vazirani_test
