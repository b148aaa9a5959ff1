// SPDX-License-Identifier: Apache-2.0
// discreet ledger and discreet budget as an owner uses them: the real program on real files.
#include "cli/ledger.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/json.h"
#include "cli/process_for_tests.h"

namespace discreet::cli::ledger_test {
namespace {

namespace fs = std::filesystem;

/// A folder with a state directory of its own; gone with the test.
class LedgerCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("ledger_cli_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    ASSERT_EQ(setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1), 0);
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }

  std::string file() const { return (folder_ / "a.ledger").string(); }

  Finished ask(std::vector<std::string> words) {
    words.insert(words.end(), {"--ledger", file()});
    return discreet(words);
  }
  void init(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"ledger",    "init", "--namespace", "patients",
                                      "--epsilon", "10",   "--analyst",   "ann:2"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished made = ask(words);
    ASSERT_EQ(made.status, 0) << made.err;
  }
  Finished noise(const std::string& epsilon, const std::string& analyst = "ann") {
    return ask({"noise", "laplace", "--value", "42", "--sensitivity", "1", "--epsilon", epsilon,
                "--analyst", analyst});
  }
  /// What is left of ann's epsilon.
  std::string left() {
    const Finished got = ask({"budget", "--analyst", "ann", "--json"});
    EXPECT_EQ(got.status, 0) << got.err;
    return Json::parse(got.out).value()[0]["left"].dump();
  }
  fs::path witness() const {
    for (const auto& entry : fs::directory_iterator(folder_ / "state" / "discreet")) {
      return entry.path() / "witness";
    }
    return {};
  }

  fs::path folder_;
};

TEST_F(LedgerCommand, ChargesNoiseUntilTheBudgetIsGone) {
  init();
  const Finished first = noise("1.5");
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_NE(first.out.find("charged to ann of patients"), std::string::npos);
  EXPECT_EQ(left(), "0.5");
  const Finished second = noise("0.6");
  EXPECT_EQ(second.status, 4);
  EXPECT_EQ(second.out, "");
  EXPECT_NE(second.err.find("top-up"), std::string::npos) << "the fix is named";
  EXPECT_EQ(left(), "0.5") << "a refusal costs nothing";
  EXPECT_EQ(noise("0.5").status, 0);
  EXPECT_EQ(left(), "0");
}

TEST_F(LedgerCommand, ChoosesForAPrice) {
  init();
  const Finished got = discreet(
      {"choose", "--epsilon", "1", "--sensitivity", "1", "--ledger", file(), "--analyst", "ann"},
      "apples,12\npears,9\n");
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_EQ(left(), "1");
}

TEST_F(LedgerCommand, TopsUpWithAReasonThatStaysVisible) {
  init();
  ASSERT_EQ(noise("2").status, 0);
  EXPECT_EQ(ask({"ledger", "top-up", "--analyst", "ann", "--epsilon", "1"}).status, 2)
      << "a reason is needed";
  ASSERT_EQ(ask({"ledger", "top-up", "--analyst", "ann", "--epsilon", "1", "--reason",
                 "the board agreed"})
                .status,
            0);
  EXPECT_EQ(left(), "1");
  EXPECT_NE(ask({"ledger", "history"}).out.find("the board agreed"), std::string::npos);
}

TEST_F(LedgerCommand, RefusesYesterdaysCopyAndNamesTheWayOut) {
  init();
  ASSERT_EQ(noise("0.5").status, 0);
  fs::copy_file(file(), folder_ / "yesterday");
  ASSERT_EQ(noise("0.5").status, 0);
  for (const char* tail : {"-wal", "-shm"}) fs::remove(file() + tail);
  fs::copy_file(folder_ / "yesterday", file(), fs::copy_options::overwrite_existing);
  const Finished refused = noise("0.5");
  EXPECT_EQ(refused.status, 5);
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.err.find("rolled back"), std::string::npos);
  EXPECT_NE(refused.err.find("discreet ledger recover"), std::string::npos);
  ASSERT_EQ(ask({"ledger", "recover", "--reason", "lost a disk"}).status, 0);
  EXPECT_EQ(left(), "0") << "what the lost records charged is unknown, so all is spent";
}

TEST_F(LedgerCommand, RefusesWithoutItsWitnessUntilTheOwnerSpeaks) {
  init();
  const Finished receipt = ask({"ledger", "witness"});
  ASSERT_EQ(receipt.status, 0) << receipt.err;
  fs::remove(witness());
  const Finished refused = noise("0.5");
  EXPECT_EQ(refused.status, 5);
  EXPECT_NE(refused.err.find("witness restore"), std::string::npos) << refused.err;
  const Finished word = ask({"ledger", "witness", "restore", "--reason", "believe me"});
  EXPECT_NE(word.status, 0) << "a word is no receipt";
  EXPECT_NE(word.err.find("--receipt"), std::string::npos) << word.err;
  EXPECT_NE(word.err.find("discreet ledger recover --reason"), std::string::npos) << word.err;
  const std::string text = receipt.out.substr(0, receipt.out.find('\n'));
  const Finished restored =
      ask({"ledger", "witness", "restore", "--reason", "cleaned too much", "--receipt", text});
  EXPECT_EQ(restored.status, 0) << restored.err;
  EXPECT_EQ(noise("0.5").status, 0);
  EXPECT_EQ(ask({"ledger", "verify", "--receipt", text}).status, 0);
}

TEST_F(LedgerCommand, WithoutWitnessAndReceiptEverythingIsSpent) {
  init();
  fs::remove(witness());
  ASSERT_EQ(ask({"ledger", "recover", "--reason", "cleaned too much"}).status, 0);
  EXPECT_EQ(left(), "0");
}

TEST_F(LedgerCommand, ExportsAHistoryThatAnybodyCanCheck) {
  init();
  ASSERT_EQ(noise("0.5").status, 0);
  const Finished exported = ask({"ledger", "export"});
  ASSERT_EQ(exported.status, 0) << exported.err;
  const std::string path = (folder_ / "history.jsonl").string();
  const auto verify = [&](const std::string& text) {
    std::ofstream(path) << text;
    return discreet({"ledger", "verify", "--export", path});
  };
  const Finished fine = verify(exported.out);
  EXPECT_EQ(fine.status, 0) << fine.err;
  EXPECT_NE(fine.out.find("1 answers"), std::string::npos) << fine.out;

  std::string changed = exported.out;
  changed.replace(changed.find("\"amount\":\"0.5\""), 14, "\"amount\":\"0.1\"");
  EXPECT_EQ(verify(changed).status, 5);
  const std::string cut = exported.out.substr(0, exported.out.rfind("{\"head\""));
  EXPECT_NE(verify(cut).err.find("cut short"), std::string::npos);
  EXPECT_EQ(verify("").status, 5);
  EXPECT_EQ(verify("not json\n").status, 5);
  // Of a kind that a newer program writes, whatever else it has.
  const Finished newer = verify("{\"record\":0,\"kind\":\"merged\",\"about\":[1,2]}\n");
  EXPECT_EQ(newer.status, 2);
  EXPECT_NE(newer.err.find("a newer version of discreet wrote it"), std::string::npos);
}

TEST_F(LedgerCommand, PlotsSpendingAndShowsAGauge) {
  init();
  ASSERT_EQ(noise("0.5").status, 0);
  const std::string svg = (folder_ / "spent.svg").string();
  const Finished got = ask({"budget", "--plot", svg});
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_NE(got.out.find("% left"), std::string::npos);
  EXPECT_NE(got.out.find("more counts at ±10"), std::string::npos);
  EXPECT_GT(fs::file_size(svg), 1000u);
  EXPECT_EQ(ask({"budget", "--plot", "spent.gif"}).status, 2);
}

TEST_F(LedgerCommand, CountsInZcdpWithTheConversionSetAside) {
  const Finished made = ask({"ledger", "init", "--namespace", "people", "--notion", "zcdp",
                             "--epsilon", "4", "--delta", "1e-6", "--analyst", "ann:4"});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_NE(made.out.find("rho 0."), std::string::npos);
  const Finished gaussian = ask({"noise", "gaussian", "--value", "7", "--sensitivity", "1", "--rho",
                                 "0.01", "--analyst", "ann"});
  EXPECT_EQ(gaussian.status, 0) << gaussian.err;
}

TEST_F(LedgerCommand, NewPeopleBringNewBudgetThroughBlocks) {
  init({"--block", "enrolled", "--block-value", "2025"});
  EXPECT_EQ(ask({"ledger", "block", "--value", "2026"}).status, 0);
  EXPECT_NE(ask({"ledger", "show"}).out.find("enrolled = 2026"), std::string::npos);
  EXPECT_NE(ask({"ledger", "block", "--value", "2026"}).status, 0) << "declared already";
}

TEST_F(LedgerCommand, TurnsDownBadInputWithTheFix) {
  const std::vector<std::vector<std::string>> wrong = {
      {"--namespace", "p", "--epsilon", "-1"},
      {"--namespace", "p", "--epsilon", "nan"},
      {"--namespace", "p", "--epsilon", "1e400"},
      {"--namespace", "p", "--epsilon", "0"},
      {"--namespace", "p", "--epsilon", "1", "--delta", "1"},
      {"--namespace", "p", "--epsilon", "1", "--delta", "-0.1"},
      {"--namespace", "", "--epsilon", "1"},
      {"--namespace", "p"},
      {"--epsilon", "1"},
      {"--namespace", "p", "--epsilon", "1", "--rho", "1"},
      {"--namespace", "p", "--epsilon", "1", "--analyst", "ann"},
      {"--namespace", "p", "--epsilon", "1", "--analyst", ":2"},
      {"--namespace", "p", "--epsilon", "1", "--notion", "renyi"},
      {"--namespace", "p", "--epsilon", "1", "--notion", "zcdp"},
      {"--namespace", "p", "--epsilon", "1", "--neighbours", "friends"},
      {"--namespace", "p", "--epsilon", "1", "--witness-every", "0"},
  };
  for (const auto& options : wrong) {
    std::vector<std::string> words = {"ledger", "init"};
    words.insert(words.end(), options.begin(), options.end());
    const Finished got = ask(words);
    EXPECT_EQ(got.status, 2) << options.back() << ": " << got.err;
    EXPECT_EQ(got.out, "");
    EXPECT_FALSE(fs::exists(file())) << options.back();
  }
  init();
  EXPECT_EQ(noise("0.1", "nobody").status, 2);
  EXPECT_EQ(ask({"ledger", "init", "--namespace", "p", "--epsilon", "1"}).status, 2)
      << "there is one already";
  EXPECT_EQ(left(), "2");
  EXPECT_EQ(discreet({"ledger", "show", "--ledger", (folder_ / "none").string()}).status, 2);
  std::ofstream(folder_ / "junk") << std::string(10'000, 'x');
  EXPECT_EQ(discreet({"ledger", "show", "--ledger", (folder_ / "junk").string()}).status, 5);
  EXPECT_EQ(discreet({"noise", "laplace", "--value", "1", "--sensitivity", "1", "--epsilon", "1",
                      "--analyst", "ann"})
                .status,
            2)
      << "an analyst without a ledger";
}

}  // namespace
}  // namespace discreet::cli::ledger_test
