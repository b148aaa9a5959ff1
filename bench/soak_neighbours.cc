// SPDX-License-Identifier: Apache-2.0
// soak_neighbours [QUESTIONS [SEED]]: random questions with joins, self-joins and subqueries through
// the whole program, on two databases that differ in one unit (session/random_joins_for_tests.h).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "session/random_joins_for_tests.h"

namespace {

int questions = 100'000;
std::uint64_t seed = 1;

TEST(Neighbours, NothingButNoisedNumbersTellsOfAUnit) {
  const auto tally = discreet::session::ask_random_joins(seed, questions, [](int done) {
    std::fprintf(stderr, "\r%d of %d questions", done, questions);
  });
  std::printf(
      "\nseed %llu: %d questions: %d answered, %d refused; %d multiply rows, in %d of them a "
      "unit causes as much as it can\n",
      static_cast<unsigned long long>(seed), questions, tally.answered, tally.refused,
      tally.multiplied, tally.cut);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1) questions = std::atoi(argv[1]);
  if (argc > 2) seed = std::strtoull(argv[2], nullptr, 10);
  return RUN_ALL_TESTS();
}
