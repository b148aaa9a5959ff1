// SPDX-License-Identifier: Apache-2.0
// A limit of file sizes (`ulimit -f`) is an error that names it, not a signal behind a charge.
#include "cli/town_for_tests.h"

namespace discreet::cli::file_limit_test {
namespace {

class FileLimit : public ::testing::Test {
 protected:
  FileLimit() { town.make_ledgers(); }

  /// `discreet words...` when files may have so many KiB.
  Finished under(int kib, const Town::Words& words) const {
    std::string command = "ulimit -c 0; ulimit -f " + std::to_string(kib) + "; exec $D";
    for (const std::string& word : words) command += " '" + word + "'";
    return shell(command);
  }

  Town town{50};
  const Town::Words question =
      town.with("policy.yaml", {"query", "SELECT COUNT(*) FROM survey", "--epsilon", "0.1"});
};

TEST_F(FileLimit, RefusesBeforeTheChargeAndNamesIt) {
  const std::string before = town.spent();
  for (int i = 0; i < 4; ++i) {
    const Finished asked = under(600, question);
    EXPECT_EQ(asked.status, 5) << asked.err;
    EXPECT_NE(asked.err.find("nothing was charged"), std::string::npos) << asked.err;
    EXPECT_NE(asked.err.find("ulimit -f"), std::string::npos) << asked.err;
  }
  EXPECT_EQ(town.spent(), before);
  EXPECT_EQ(under(64 << 10, question).status, 0);
  EXPECT_EQ(under(600, question).status, 0);  // what is stored is given all the time
}

TEST_F(FileLimit, OfALedgerThatIsAsLargeIsAnError) {
  const std::string before = town.spent();
  const Finished asked = under(8, question);
  EXPECT_EQ(asked.status, 5) << asked.err;
  EXPECT_FALSE(asked.err.empty());
  EXPECT_EQ(town.spent(), before);
}

}  // namespace
}  // namespace discreet::cli::file_limit_test
