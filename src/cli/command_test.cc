// SPDX-License-Identifier: Apache-2.0
// What each command says when all is well. Noise is random; each bound below fails by chance with
// probability below 10^-9 a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "base/json.h"
#include "base/version.h"
#include "cli/process_for_tests.h"

namespace discreet::cli::command_test {
namespace {

using Words = std::vector<std::string>;

/// Runs a command that must succeed, and reads its JSON.
Json json_of(Words words, const std::string& input = "") {
  words.push_back("--json");
  const Finished got = discreet(words, input);
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_EQ(got.err, "");
  return Json::parse(got.out).value();
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> out;
  std::istringstream stream(text);
  for (double x = 0; stream >> x;) out.push_back(x);
  return out;
}

double mean(const std::vector<double>& xs) {
  double sum = 0;
  for (double x : xs) sum += x;
  return sum / static_cast<double>(xs.size());
}

TEST(Noise, SaysAnswerIntervalErrorPriceAndNoBudget) {
  const Finished got =
      discreet({"noise", "laplace", "--value", "42", "--sensitivity", "1", "--epsilon", "1/2"});
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(got.err, "");
  for (const char* part :
       {"answer          ", "interval        ", ", with 95 % confidence", "expected error  1.92\n",
        "price           epsilon 0.5, charged to no budget\n",
        "noise           discrete-laplace(scale=2,sensitivity=1)\n"}) {
    EXPECT_NE(got.out.find(part), std::string::npos) << part << got.out;
  }
}

TEST(Noise, RoundsATinyExpectedErrorUp) {
  const auto got =
      json_of({"noise", "laplace", "--value", "1", "--sensitivity", "1", "--epsilon", "1e12"});
  EXPECT_EQ(got["answer"], 1);
  EXPECT_EQ(got["expected_error"], 1e-12);
}

TEST(Noise, JsonCarriesTheSameAsFields) {
  const auto laplace =
      json_of({"noise", "laplace", "--value", "42", "--sensitivity", "1", "--epsilon", "1/2"});
  // The least w with 2 q^(w+1)/(1+q) <= 0.05, q = e^(-1/2), is 6.
  EXPECT_EQ(laplace["answer_high"].number() - laplace["answer"].number(), 6);
  EXPECT_EQ(laplace["answer"].number() - laplace["answer_low"].number(), 6);
  EXPECT_EQ(laplace["epsilon"], "0.5");
  EXPECT_EQ(laplace["rho"], "0.125");
  EXPECT_EQ(laplace["budget"], "charged to no budget");

  const auto grid = json_of({"noise", "laplace", "--value", "12.34", "--step", "0.01",
                             "--sensitivity", "5", "--epsilon", "1"});
  const double steps = grid["answer"].number() * 100;
  EXPECT_NEAR(steps, std::round(steps), 1e-6);
  EXPECT_EQ(grid["noise"], "grid-laplace(step=0.01,scale=500,sensitivity=5)");

  const auto gaussian =
      json_of({"noise", "gaussian", "--value", "-7", "--sensitivity", "2", "--rho", "1/8"});
  EXPECT_EQ(gaussian["rho"], "0.125");
  EXPECT_FALSE(gaussian.contains("epsilon"));

  const auto rounded = json_of({"noise", "gaussian", "--value", "-7", "--sensitivity", "2",
                                "--epsilon", "1", "--delta", "1e-6"});
  EXPECT_EQ(rounded["epsilon"], "1");
  EXPECT_EQ(rounded["delta"], "0.000001");

  const auto geometric = json_of({"noise", "geometric", "--value", "0", "--sensitivity", "1",
                                  "--epsilon", "1/10", "--upper", "5"});
  EXPECT_GE(geometric["answer"].number(), 0);
  EXPECT_LE(geometric["answer"].number(), 5);
  EXPECT_GE(geometric["answer_low"].number(), 0);
  EXPECT_LE(geometric["answer_high"].number(), 5);
  EXPECT_EQ(std::clamp(geometric["raw"].number(), 0.0, 5.0), geometric["answer"].number());
}

TEST(Noise, CountPrintsSoManyDrawsAroundTheValueAndTheWholePrice) {
  struct Case {
    Words words;
    const char* price;
    double sigma;  // standard deviation of one draw
  };
  const Case cases[] = {
      {{"laplace", "--epsilon", "1/2"}, "cost epsilon 10000 in all, charged to no budget", 2.8},
      {{"laplace", "--epsilon", "1", "--step", "0.25"}, "cost epsilon 20000 in all", 1.5},
      {{"gaussian", "--rho", "1/8"}, "cost rho 2500 in all", 2},
      {{"geometric", "--epsilon", "1", "--lower", "-9999"}, "cost epsilon 20000 in all", 1.5},
  };
  for (const Case& c : cases) {
    Words words = {"noise"};
    words.insert(words.end(), c.words.begin(), c.words.end());
    for (const char* word : {"--value", "100", "--sensitivity", "1", "--count", "2e4"}) {
      words.push_back(word);
    }
    const Finished got = discreet(words);
    ASSERT_EQ(got.status, 0) << got.err;
    EXPECT_NE(got.err.find(c.price), std::string::npos) << got.err;
    const auto draws = numbers(got.out);
    ASSERT_EQ(draws.size(), 20'000u);
    // 7 sigma of the mean of 20,000 draws.
    EXPECT_NEAR(mean(draws), 100, 7 * c.sigma / std::sqrt(20'000)) << c.words[0];
    EXPECT_GT(std::set<double>(draws.begin(), draws.end()).size(), 5u);
  }
  EXPECT_EQ(discreet({"noise", "gaussian", "--value", "1", "--sensitivity", "1", "--epsilon", "1",
                      "--delta", "1e-6", "--count", "3"})
                .err,
            "note: 3 independent draws cost epsilon 3, delta 0.000003 in all, charged to no "
            "budget; the average of many tells the value\n");
}

TEST(Respond, KeepsTheWordsTheNumberAndMostOfTheTruth) {
  std::string yes;
  for (int i = 0; i < 20'000; ++i) yes += "YES\r\n";
  yes.resize(yes.size() - 2);  // the last line end may be missing
  const Finished got = discreet({"local", "respond", "--almost-random"}, yes);
  ASSERT_EQ(got.status, 0) << got.err;
  EXPECT_EQ(got.err,
            "note: each reply costs its person epsilon 1.098612288668109692, charged to no "
            "budget\n");
  std::istringstream stream(got.out);
  int kept = 0;
  int lines = 0;
  for (std::string line; std::getline(stream, line); ++lines) {
    EXPECT_TRUE(line == "yes" || line == "no") << line;
    kept += line == "yes" ? 1 : 0;
  }
  EXPECT_EQ(lines, 20'000);
  EXPECT_NEAR(kept, 15'000, 7 * std::sqrt(20'000 * 3.0 / 16));
}

TEST(MedicalSurvey, RespondThenEstimateFindsTheShare) {
  std::string bits;
  for (int i = 0; i < 1'000'000; ++i) bits += i % 10 < 3 ? "1\n" : "0\n";
  const Finished replies = discreet({"local", "respond", "--epsilon", "1"}, bits);
  ASSERT_EQ(replies.status, 0) << replies.err;
  ASSERT_EQ(replies.out.size(), bits.size());
  const auto estimate = json_of({"local", "estimate", "--epsilon", "1"}, replies.out);
  EXPECT_EQ(estimate["half_width"].number(), 0.00294);
  EXPECT_EQ(estimate["replies"], 1'000'000);
  // Hoeffding: off by 0.0074 with probability below 10^-10.
  EXPECT_NEAR(estimate["share"].number(), 0.3, 0.0074);
  EXPECT_NEAR(estimate["share_high"].number() - estimate["share_low"].number(), 0.00588, 0.00002);
}

TEST(Estimate, TakesTheBiasToo) {
  const auto estimate = json_of({"local", "estimate", "--bias", "1/4"}, "1\n1\n1\n0\n");
  EXPECT_EQ(estimate["share"].number(), 1);
  EXPECT_EQ(json_of({"local", "estimate", "--almost-random"}, "1\n1\n1\n0\n"), estimate);
}

TEST(Choose, TakesTheBestWhenEpsilonIsLarge) {
  // Off by chance with probability e^-500.
  for (const char* method : {"exponential", "permute-and-flip"}) {
    const auto got =
        json_of({"choose", "--epsilon", "1000", "--sensitivity", "1", "--method", method},
                "a,1\r\nb, with a comma,2\r\nc,-1\r\n");
    EXPECT_EQ(got["chosen"], "b, with a comma");
    EXPECT_EQ(got["epsilon"], "1000");
    EXPECT_EQ(got["candidates"], 3);
  }
  const auto top =
      json_of({"choose", "--epsilon", "4000", "--sensitivity", "1", "--top", "2"}, "a,1\nb,2\nc,3");
  EXPECT_EQ(top["chosen_1"], "c");
  EXPECT_EQ(top["chosen_2"], "b");
}

TEST(Choose, ReadsDecimalsExactly) {
  const auto got =
      json_of({"choose", "--epsilon", "1000", "--sensitivity", "0.01"}, "a,0.1\nb,1/3\nc,0.3\n");
  EXPECT_EQ(got["chosen"], "b");
  EXPECT_EQ(got["noise"],
            "exponential(epsilon=1000,sensitivity=0.3,candidates=3) on scores times 30");
}

TEST(Choose, TakesScoresAtTheLimitsOfInt64AndAMillionCandidates) {
  const auto limits = json_of({"choose", "--epsilon", "1", "--sensitivity", "1"},
                              "low,-9223372036854775808\nhigh,9223372036854775807\n");
  EXPECT_EQ(limits["chosen"], "high");
  std::string many = "best,1000000\n";
  for (int i = 1; i < 1'000'000; ++i) many += "c" + std::to_string(i) + ",0\n";
  const auto million = json_of({"choose", "--epsilon", "1", "--sensitivity", "1"}, many);
  EXPECT_EQ(million["chosen"], "best");
  EXPECT_EQ(million["candidates"], 1'000'000);
}

TEST(Audit, PrintsARowAndStatus0WhenTheClaimHolds) {
  const Finished got = discreet({"audit", "exact", "almost-random", "--json"});
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(got.err, "") << "no progress bar where there is no terminal";
  const auto rows = Json::parse(got.out).value();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["verdict"], "holds");
}

TEST(Help, TeachesEveryCommand) {
  const Words all[] = {{},
                       {"noise"},
                       {"noise", "laplace"},
                       {"noise", "gaussian"},
                       {"noise", "geometric"},
                       {"local"},
                       {"local", "respond"},
                       {"local", "estimate"},
                       {"choose"},
                       {"audit"},
                       {"audit", "exact"}};
  for (const Words& command : all) {
    Words asked = command;
    asked.push_back("--help");
    const Finished got = discreet(asked);
    EXPECT_EQ(got.status, 0);
    EXPECT_EQ(got.err, "");
    EXPECT_NE(got.out.find("discreet ", got.out.rfind("Usage:") + 20), std::string::npos)
        << "an example: " << got.out;
    EXPECT_EQ(got.out.back(), '\n');
    std::istringstream stream(got.out);
    for (std::string line; std::getline(stream, line);) EXPECT_LE(line.size(), 100u) << line;
    Words in_words = {"help"};
    in_words.insert(in_words.end(), command.begin(), command.end());
    EXPECT_EQ(discreet(in_words).out, got.out);
    const bool is_leaf = command.size() == 2 || command == Words{"choose"};
    EXPECT_EQ(got.out.find("Costs ") != std::string::npos, is_leaf) << got.out;
  }
}

TEST(Version, IsThatOfTheBuild) {
  EXPECT_EQ(discreet({"--version"}).out, std::string("discreet ") + kVersion + "\n");
  const std::string version = kVersion;
  const std::pair<const char*, std::string> said[] = {
      {"/CMakeLists.txt", "project(discreet VERSION " + version + " "},
      {"/python/pyproject.toml", "\nversion = \"" + version + "\"\n"},
      {"/python/discreet/__init__.py", "\n__version__ = \"" + version + "\"\n"},
      {"/CHANGELOG.md", "\n## " + version + " ("},
  };
  for (const auto& [name, words] : said) {
    std::ifstream file(std::string(DISCREET_SOURCE_DIR) + name);
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_NE(text.str().find(words), std::string::npos) << name << " says " << words;
  }
}

TEST(Version, TellsTheVersionsOfStoredFormats) {
  const Json formats = json_of({"--version", "--formats"});
  std::map<std::string, double> versions;
  for (const Json& row : formats.items()) versions[row["format"].text()] = row["version"].number();
  const std::map<std::string, double> expected = {
      {"policy", 1},      {"ledger", 6}, {"stored answer", 1}, {"witness", 1},
      {"daily state", 2}, {"model", 1},  {"report", 1},        {"survey", 1}};
  EXPECT_EQ(versions, expected);
  const Finished people = discreet({"--version", "--formats"});
  EXPECT_TRUE(people.out.starts_with(std::string("discreet ") + kVersion + "\n\n")) << people.out;
  EXPECT_EQ(discreet({"--version", "--formats", "--nonsense"}).status, 2);
  EXPECT_EQ(discreet({"--formats"}).status, 2);
}

}  // namespace
}  // namespace discreet::cli::command_test
