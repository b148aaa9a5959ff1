// SPDX-License-Identifier: Apache-2.0
// discreet local as its users run it: a survey, people, an estimate, and what goes wrong.
// Statistical checks fail with probability below 10^-8.
#include "cli/local.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/json.h"
#include "cli/process_for_tests.h"

namespace discreet::cli::local_test {
namespace {

class Local : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "discreet-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string file(const std::string& name) const { return (folder / name).string(); }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
  }
  Finished local(std::vector<std::string> words, const std::string& input = "") const {
    words.insert(words.begin(), {program_path(), "local"});
    return run_process(words, input);
  }
  Json json(std::vector<std::string> words, const std::string& input = "") const {
    words.push_back("--json");
    const Finished got = local(words, input);
    EXPECT_EQ(got.status, 0) << got.err;
    return Json::parse(got.out).value_or(nullptr);
  }
  void survey(const std::string& name, std::vector<std::string> flags) const {
    flags.insert(flags.begin(), {"survey", "--name", name, "--out", file(name)});
    const Finished got = local(flags);
    ASSERT_EQ(got.status, 0) << got.err;
  }
  void refused(const std::vector<std::string>& words, int status, const std::string& why) const {
    const Finished got = local(words);
    EXPECT_EQ(got.status, status) << got.err;
    EXPECT_EQ(got.out, "");
    EXPECT_NE(got.err.find(why), std::string::npos) << got.err;
  }

  std::filesystem::path folder;
};

TEST_F(Local, FindsSharesAndCountsEveryIdOnce) {
  survey("s", {"--epsilon", "3", "--labels", "red,green,blue"});
  std::string answers;
  for (int i = 0; i < 30000; ++i) answers += i % 10 < 7 ? "green\n" : "blue\n";
  const Finished made = local({"report", "--survey", file("s"), "--simulate"}, answers);
  ASSERT_EQ(made.status, 0) << made.err;
  write("reports", made.out);
  write("truth", answers);
  const auto rows = json({"estimate", "--survey", file("s"), "--confidence", "0.999999999",
                          "--truth", file("truth"), "--plot", file("plot.svg"), "--distribution",
                          file("reports"), file("reports")});
  ASSERT_EQ(rows.size(), 3u);
  for (const Json& row : rows.items()) {
    EXPECT_LE(row["all_low"].number(), row["truth"].number());
    EXPECT_GE(row["all_high"].number(), row["truth"].number());
  }
  EXPECT_NEAR(rows[1]["share"].number(), 0.7, 0.05);
  EXPECT_TRUE(std::filesystem::exists(file("plot.svg")));
  const Finished notes = local({"estimate", "--survey", file("s"), "--distribution",
                                "--shuffled-delta", "1e-6", file("reports"), file("reports")});
  EXPECT_NE(notes.err.find("30000 reports counted; left out: 30000 duplicate"), std::string::npos)
      << notes.err;
  EXPECT_NE(notes.err.find("biased"), std::string::npos);
  EXPECT_NE(notes.err.find("does not collude"), std::string::npos);
  // The theorem is about people: fewer honest ones cost more, and more than there are reports is no
  // number of them.
  EXPECT_NE(notes.err.find("30000 of them came from as many honest people"), std::string::npos);
  EXPECT_NE(notes.err.find("hide nobody"), std::string::npos);
  const auto epsilon_of = [&](const char* honest) {
    const Finished told = local({"estimate", "--survey", file("s"), "--shuffled-delta", "1e-6",
                                 "--honest", honest, file("reports")});
    const std::string before = "together be (";
    const std::size_t at = told.err.find(before);
    EXPECT_NE(at, std::string::npos) << told.err;
    return at == std::string::npos ? 0 : std::stod(told.err.substr(at + before.size()));
  };
  EXPECT_LT(epsilon_of("30000"), epsilon_of("20000"));
  EXPECT_LT(epsilon_of("20000"), epsilon_of("2000"));
  for (const char* wrong : {"30001", "0", "-5", "1/2", "x"}) {
    refused({"estimate", "--survey", file("s"), "--shuffled-delta", "1e-6", "--honest", wrong,
             file("reports")},
            2, "honest");
  }
  refused({"estimate", "--survey", file("s"), "--honest", "5", file("reports")}, 2,
          "--shuffled-delta");
}

TEST_F(Local, AnswersOnceFromALifetimeBudget) {
  survey("a", {"--epsilon", "1", "--labels", "no,yes"});
  survey("b", {"--epsilon", "1", "--choices", "100"});
  const std::vector<std::string> first = {"report",   "--survey", file("a"), "--memory",
                                          file("me"), "--answer", "yes"};
  refused(first, 2, "--lifetime-budget");
  std::vector<std::string> with_budget = first;
  with_budget.insert(with_budget.end(), {"--lifetime-budget", "1.5"});
  const Finished made = local(with_budget);
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(local(first).out, made.out);
  refused({"report", "--survey", file("b"), "--memory", file("me"), "--answer", "7"}, 4, "0.5");
  refused({"report", "--survey", file("b"), "--memory", file("me"), "--answer", "7",
           "--lifetime-budget", "9"},
          2, "cannot be changed");
  const auto memory = Json::parse(local({"show", file("me")}).out).value();
  EXPECT_EQ(memory["left"], 0.5);
  write("r", made.out);
  EXPECT_EQ(Json::parse(local({"show", file("r")}).out).value()["parameters"]["epsilon"], "1");
  std::filesystem::resize_file(file("me"), 10);
  refused(first, 5, "not what was written");
}

TEST_F(Local, SaysWhatIsWrongWithFiles) {
  survey("a", {"--epsilon", "1", "--labels", "no,yes"});
  survey("c", {"--epsilon", "2", "--labels", "no,yes"});
  const std::string reports =
      local({"report", "--survey", file("a"), "--simulate"}, "yes\nno\n").out;
  write("r", reports);
  write("cut", reports.substr(0, reports.size() - 1));
  refused({"estimate", "--survey", file("c"), file("r")}, 2, "epsilon");
  refused({"estimate", "--survey", file("a"), file("cut")}, 2, "bytes follow");
  refused({"estimate", "--survey", file("r"), file("r")}, 2, "not a survey");
  refused({"estimate", "--survey", file("a"), file("none")}, 2, "none");
  refused({"estimate", "--survey", file("a")}, 2, "missing");
  refused({"survey", "--name", "x", "--epsilon", "50", "--labels", "a,b", "--out", file("x")}, 2,
          "0.001 and 20");
  refused({"survey", "--name", "x", "--epsilon", "1", "--labels", "a,b", "--mechanism", "magic",
           "--out", file("x")},
          2, "projective");
  const Finished bad = local({"report", "--survey", file("a"), "--simulate"}, "yes\nmaybe\n");
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.err.find("line 2"), std::string::npos) << bad.err;
}

TEST_F(Local, ComparesLocalWithCentral) {
  const auto rows = json({"compare", "--epsilon", "1", "--people", "2000", "--trials", "40",
                          "--plot", file("price.png")});
  ASSERT_FALSE(rows.empty());
  for (const Json& row : rows.items()) {
    // Of 40 squares with a standard error of 22 % (36 % for Laplace), at six of them.
    EXPECT_NEAR(row["local_error"].number() / row["local_theorem"].number(), 1, 0.75);
    EXPECT_LT(row["central_error"].number(), 2 * row["central_theorem"].number());
  }
  EXPECT_TRUE(std::filesystem::exists(file("price.png")));
}

TEST_F(Local, FindsMeansQuantilesAndStrings) {
  survey("n", {"--epsilon", "2", "--low", "0", "--high", "100"});
  std::string numbers;
  for (int i = 0; i < 20000; ++i) numbers += std::to_string(i % 50) + "\n";
  write("rn", local({"report", "--survey", file("n"), "--simulate"}, numbers).out);
  const auto mean =
      json({"estimate", "--survey", file("n"), "--confidence", "0.999999999", file("rn")});
  EXPECT_LE(mean[0]["value_low"].number(), 24.5);
  EXPECT_GE(mean[0]["value_high"].number(), 24.5);
  survey("b", {"--epsilon", "2", "--low", "0", "--high", "100", "--bins", "10"});
  write("rb", local({"report", "--survey", file("b"), "--simulate"}, numbers).out);
  const auto median = json({"estimate", "--survey", file("b"), "--confidence", "0.999999999",
                            "--quantiles", "0.5", file("rb")});
  EXPECT_LE(median[0]["value_low"].number(), 25);
  EXPECT_GE(median[0]["value_high"].number(), 25);
  survey("h",
         {"--epsilon", "6", "--strings", "--no-second-step", "--bits", "32", "--cohorts", "8"});
  std::string pages;
  for (int i = 0; i < 20000; ++i) pages += i % 2 == 0 ? "one.org\n" : "two.org\n";
  write("rh", local({"report", "--survey", file("h"), "--simulate"}, pages).out);
  write("candidates", "one.org\ntwo.org\nabsent.org\n");
  const auto found = json({"estimate", "--survey", file("h"), "--confidence", "0.99999999",
                           "--candidates", file("candidates"), file("rh")});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0]["significant"], "yes");
  EXPECT_EQ(found[1]["significant"], "yes");
  EXPECT_EQ(found[2]["answer"], "absent.org");
  EXPECT_EQ(found[2]["significant"], "no");
}

}  // namespace
}  // namespace discreet::cli::local_test
