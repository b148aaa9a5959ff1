// SPDX-License-Identifier: Apache-2.0
// `discreet account`, as a user runs it: answers, formats, files, and everything that was tried
// with input that is off.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/account_file.h"
#include "cli/account_people.h"
#include "cli/process_for_tests.h"

namespace discreet::cli::account_test {
namespace {

using Words = std::vector<std::string>;

Finished account(Words words) {
  words.insert(words.begin(), "account");
  return discreet(words);
}

Json json_of(Words words) {
  words.emplace_back("--json");
  const Finished got = account(words);
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_EQ(got.err, "");
  return Json::parse(got.out).value();
}

void expect_refused(const Words& words, const std::string& fix, int status = 2) {
  std::string shown = "account";
  for (const std::string& word : words) shown += " " + word;
  SCOPED_TRACE(shown);
  const Finished got = account(words);
  EXPECT_EQ(got.status, status) << got.err;
  EXPECT_EQ(got.out, "");
  EXPECT_EQ(got.err.substr(0, 10), "discreet: ");
  EXPECT_NE(got.err.find(fix), std::string::npos) << got.err;
  EXPECT_EQ(got.err.find('\n'), got.err.size() - 1) << "one line: " << got.err;
}

/// A file that lives as long as the test.
class TestFile {
 public:
  TestFile(const std::string& name, const std::string& text)
      : path_(std::filesystem::temp_directory_path() / (std::to_string(getpid()) + "_" + name)) {
    std::ofstream(path_) << text;
  }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;
  ~TestFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }
  std::string content() const {
    std::ifstream stream(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

 private:
  std::filesystem::path path_;
};

TEST(Compose, ShowsTheAnchorsRoundedOutward) {
  const Finished got = account({"compose", "--gaussian", "100x1000", "--delta", "1e-6"});
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(got.out,
            "epsilon_upper  1.367572\n"
            "epsilon_lower  1.367571\n"
            "theorem        Gaussian DP, exact [BW18, DRS22]\n"
            "delta          0.000001\n"
            "uses           1000: gaussian(sigma=100) x 1000\n"
            "neighbours     add or remove one\n");
  const auto wide = json_of({"compose", "--gaussian", "1x1000", "--delta", "1e-6"});
  EXPECT_NEAR(wide["epsilon_upper"].number(), 649.385, 1e-3);
  const auto many = json_of({"compose", "--gaussian", "100x1e4", "--delta", "1e-6"});
  EXPECT_NEAR(many["epsilon_lower"].number(), 4.886554, 1e-5);
  EXPECT_LT(many["epsilon_lower"].number(), many["epsilon_upper"].number());
}

TEST(Compose, MixesRepeatedOptionsAndNamesEveryMechanism) {
  const auto mixed = json_of({"compose", "--laplace-epsilon", "0.01x500", "--gaussian", "100x200",
                              "--gaussian", "100x300", "--delta", "1e-6"});
  EXPECT_EQ(mixed["uses"], 1000);
  EXPECT_GT(mixed["epsilon_lower"].number(), 1.364);
  EXPECT_LT(mixed["epsilon_upper"].number(), 1.3655);
  const auto all = json_of({"compose",  "--gaussian",
                            "10",       "--discrete-gaussian",
                            "10",       "--laplace-epsilon",
                            "0.1",      "--discrete-laplace",
                            "0.1,2",    "--epsilon",
                            "0.1",      "--approx",
                            "0.1,1e-9", "--randomized-response",
                            "0.1",      "--exponential",
                            "0.1",      "--permute-and-flip",
                            "0.1",      "--subsampled-gaussian",
                            "1,0.001",  "--subsampled-laplace",
                            "1,0.001",  "--delta",
                            "1e-6"});
  EXPECT_EQ(all["uses"], 11);
  EXPECT_GT(all["epsilon_upper"].number(), 0.5);
  EXPECT_LT(all["epsilon_upper"].number(), 4);
}

TEST(Compose, AnswersInEveryFormatAndForDelta) {
  const Words words = {"compose", "--epsilon", "1/3x3", "--delta", "0", "--format"};
  const auto with = [&](const char* format) {
    Words all = words;
    all.emplace_back(format);
    return account(all).out;
  };
  EXPECT_EQ(with("csv").substr(0, 42), "epsilon_upper,epsilon_lower,theorem,delta,");
  EXPECT_EQ(with("markdown").substr(0, 1), "|");
  EXPECT_NE(with("json").find("\"epsilon_upper\": 1"), std::string::npos);
  const auto delta = json_of({"compose", "--gaussian", "100x1000", "--at-epsilon", "1.367571"});
  EXPECT_NEAR(delta["delta_upper"].number(), 1e-6, 1e-9);
  EXPECT_EQ(delta["epsilon"], 1.367571);
  const auto none = json_of({"compose", "--gaussian", "1", "--delta", "0"});
  EXPECT_EQ(none["epsilon_upper"], "inf") << "no Gaussian has a guarantee at delta 0";
}

TEST(Compose, EveryNotionIsAnUpperBound) {
  const Words words = {"compose", "--laplace-epsilon", "0.1x100", "--delta", "1e-6"};
  const auto best = json_of(words);
  for (const char* notion : {"loss", "zcdp", "renyi", "basic", "advanced"}) {
    Words asked = words;
    asked.insert(asked.end(), {"--notion", notion});
    EXPECT_GE(json_of(asked)["epsilon_upper"].number(), best["epsilon_lower"].number()) << notion;
  }
}

TEST(Compose, ReplacedPersonIsTwoPeople) {
  const auto replaced = json_of(
      {"compose", "--gaussian", "100x1000", "--delta", "1e-6", "--neighbours", "replace-one"});
  const auto twice = json_of({"compose", "--gaussian", "50x1000", "--delta", "1e-6"});
  EXPECT_EQ(replaced["epsilon_upper"], twice["epsilon_upper"]);
  EXPECT_EQ(replaced["neighbours"], "replace one");
}

TEST(Files, JsonAndYamlSayTheSameAsOptions) {
  const TestFile json("uses.json",
                      "[{\"mechanism\": \"gaussian\", \"noise_multiplier\": 100, \"count\": 500},\n"
                      " {\"mechanism\": \"laplace\", \"epsilon\": 0.01, \"count\": \"500\"}]\n");
  const TestFile yaml("uses.yaml",
                      "# both at once\n"
                      "- mechanism: gaussian\n  noise_multiplier: 100\n  count: 500\n"
                      "- {mechanism: laplace, epsilon: 1/100, count: 5e2}\n");
  const auto options = json_of(
      {"compose", "--gaussian", "100x500", "--laplace-epsilon", "0.01x500", "--delta", "1e-6"});
  EXPECT_EQ(json_of({"compose", "--file", json.path(), "--delta", "1e-6"}), options);
  EXPECT_EQ(json_of({"compose", "--file", yaml.path(), "--delta", "1e-6"}), options);
}

TEST(Files, NumbersAreReadFromTheirText) {
  const auto uses = read_uses("[{\"mechanism\":\"pure\",\"epsilon\":0.1}]", UseSyntax::kJson);
  ASSERT_TRUE(uses.has_value());
  EXPECT_EQ(std::get<accounting::Generic>(uses->front().mechanism).epsilon, Rational::ratio(1, 10));
}

TEST(Files, FaultsAreNamedWithLineAndField) {
  struct Case {
    UseSyntax syntax;
    const char* text;
    const char* message;
  };
  const UseSyntax json = UseSyntax::kJson;
  const UseSyntax yaml = UseSyntax::kYaml;
  const Case cases[] = {
      {json, "", "line 1: the JSON ends too early"},
      {json, "[\n{\"mechanism\": \"gaussian\",\n\"noise_mul", "line 3: "},
      {json, "[{\"mechanism\": \"gaussian\", \"noise_multiplier\": 1}", "line 1: "},
      {json, "[]", "the list of uses is empty"},
      {json, "[]]", "line 1: "},
      {json, "{}", "the file must be a list"},
      {json, "3", "the file must be a list"},
      {json, "[3]", "the file must be a list"},
      {json, "[[1]]", "the file must be a list"},
      {json, "[\n\n{}]", "line 3: the field mechanism is missing"},
      {json, "[{\"mechanism\": \"gausian\"}]",
       "unknown mechanism 'gausian' (did you mean gaussian?)"},
      {json, "[{\"mechanism\": \"gaussian\"}]", "line 1: gaussian needs noise_multiplier"},
      {json, "[{\"mechanism\": \"laplace\", \"epsilon\": null}]", "the field 'epsilon' is null"},
      {json, "[{\"mechanism\": \"laplace\", \"epsilon\": true}]", "the field 'epsilon' is true"},
      {json, "[{\"mechanism\": \"laplace\", \"epsilon\": [1]}]", "the field 'epsilon' is a list"},
      {json, "[{\"mechanism\": \"laplace\", \"epsilon\": {}}]", "the field 'epsilon' is an object"},
      {json, "[{\"mechanism\": \"laplace\", \"epsilon\": \"x\"}]", "epsilon: 'x' is not a number"},
      {json, "[{\"mechanism\": \"laplace\", \"epsilon\": 0}]", "laplace: epsilon must be between"},
      {json, "[{\"mechanism\": \"laplace\", \"epsilon\": 1, \"count\": 0}]", "count must be"},
      {json, "[{\"mechanism\": \"laplace\", \"epsilon\": 1,\n\"sigma\": 1}]",
       "line 2: unknown field 'sigma' of laplace; its fields are mechanism, epsilon, count"},
      {json, "[{\"mechanism\": \"laplace\", \"epsilon\": 1,\n\"epsilon\": 2}]",
       "line 2: the field 'epsilon' is given twice"},
      {json, "[{\"mechanism\": \"laplace\", \"epsilon\": 1e400}]", "line 1: "},
      {yaml, "", "the file must be a list of maps"},
      {yaml, "a: b", "line 1: the file must be a list of maps"},
      {yaml, "- 3", "line 1: the file must be a list of maps"},
      {yaml, "- mechanism: laplace\n  epsilon: 1\n- mechanism: lap\n",
       "line 3: mechanism: unknown"},
      {yaml, "- mechanism: laplace\n  epsilon: [1]\n",
       "line 2: the field 'epsilon' must be a number"},
      {yaml, "- mechanism: laplace\n  epsilon: {a\n", "this is no YAML"},
      {yaml, "- mechanism: laplace\n\tepsilon: 1\n", "this is no YAML"},
      {yaml, "- mechanism: laplace\n  epsilon: 1\n  epsilon: 2\n", "'epsilon' is given twice"},
      {yaml, "- mechanism: laplace\n  epsilon: ~\n", "the field 'epsilon' must be a number"},
  };
  for (const Case& c : cases) {
    const auto uses = read_uses(c.text, c.syntax);
    ASSERT_FALSE(uses.has_value()) << c.text;
    EXPECT_NE(uses.error().message.find(c.message), std::string::npos) << c.text << "\n"
                                                                       << uses.error().message;
  }
}

TEST(Files, EveryTruncationIsAnErrorWithStatusTwo) {
  const std::string whole =
      "[{\"mechanism\": \"gaussian\", \"noise_multiplier\": 100, \"count\": 500}]";
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_FALSE(read_uses(whole.substr(0, n), UseSyntax::kJson).has_value()) << n;
  }
  const TestFile cut("cut.json", whole.substr(0, 40));
  expect_refused({"compose", "--file", cut.path(), "--delta", "1e-6"}, "line 1: the JSON ends");
  expect_refused({"compose", "--file", "/nonexistent.json", "--delta", "1e-6"}, "No such file");
  expect_refused({"compose", "--file", "/tmp", "--delta", "1e-6"}, "must end in .json");
  const TestFile folder("uses.txt", whole);
  expect_refused({"compose", "--file", folder.path(), "--delta", "1e-6"}, "must end in .json");
}

TEST(DpSgd, TakesPrvsSpellingToo) {
  const Words words = {
      "dp-sgd", "--sampling-probability", "0.01", "--noise-multiplier", "1", "--delta", "1e-6"};
  Words ours = words;
  ours.insert(ours.end(), {"--steps", "10000"});
  Words prv = words;
  prv.insert(prv.end(), {"--num-compositions", "10000"});
  const auto answer = json_of(ours);
  EXPECT_EQ(answer, json_of(prv));
  EXPECT_GT(answer["epsilon_lower"].number(), 6.41);
  EXPECT_LT(answer["epsilon_upper"].number(), 6.91);
}

TEST(Calibrate, NoiseMeetsTheGuaranteeAndErrorHasAPrice) {
  const auto gaussian = json_of({"calibrate", "--mechanism", "gaussian", "--epsilon", "1",
                                 "--delta", "1e-6", "--count", "10"});
  EXPECT_LE(gaussian["epsilon_upper"].number(), 1);
  EXPECT_GT(gaussian["epsilon_lower"].number(), 0.9999);
  EXPECT_NEAR(gaussian["noise_multiplier"].number(), 13.3596, 1e-4);
  const auto laplace =
      json_of({"calibrate", "--mechanism", "laplace", "--error", "10", "--delta", "0"});
  EXPECT_NEAR(laplace["scale"].number(), 10 / std::log(20), 1e-5);
  EXPECT_NEAR(laplace["epsilon_upper"].number(), std::log(20) / 10, 1e-6);
  const auto wider = json_of({"calibrate", "--mechanism", "laplace", "--error", "10", "--delta",
                              "0", "--sensitivity", "2"});
  EXPECT_NEAR(wider["epsilon_upper"].number(), std::log(20) / 5, 1e-6);
}

TEST(Convert, GoesBothWays) {
  const auto epsilon = json_of({"convert", "--rho", "0.1", "--delta", "1e-6"});
  EXPECT_NEAR(epsilon["epsilon_upper"].number(), 2.141939, 1e-5);
  const auto rho =
      json_of({"convert", "--epsilon", "2.141939", "--delta", "1e-6", "--to", "rho-budget"});
  EXPECT_NEAR(rho["rho"].number(), 0.1, 1e-6);
  EXPECT_EQ(json_of({"convert", "--epsilon", "1"})["rho"], 0.5);
  EXPECT_EQ(json_of({"convert", "--mu", "1", "--to", "rho"})["rho"], 0.5);
  EXPECT_NEAR(json_of({"convert", "--mu", "1", "--epsilon", "2"})["delta_upper"].number(),
              0.0209236, 1e-6);
  EXPECT_LE(
      json_of({"convert", "--order", "1.1", "--tau", "0.5", "--delta", "1e-6"})["epsilon_upper"]
          .number(),
      140);
  EXPECT_NEAR(
      json_of({"convert", "--epsilon", "1.367571", "--delta", "1e-6", "--to", "mu-budget"})["mu"]
          .number(),
      0.316227, 1e-5);
}

TEST(Convert, ApproximateZcdpSetsADeltaAside) {
  const double exact =
      json_of({"convert", "--rho", "0.1", "--delta", "1e-6"})["epsilon_upper"].number();
  const auto aside = [](const char* delta) {
    return json_of({"convert", "--rho", "0.1", "--set-aside", delta, "--delta", "1e-6"});
  };
  EXPECT_EQ(aside("0")["epsilon_upper"], exact);
  // What is left is (1e-6 - d)/(1 - d).
  const double left =
      json_of({"convert", "--rho", "0.1", "--delta", "5e-7"})["epsilon_upper"].number();
  EXPECT_NEAR(aside("5e-7")["epsilon_upper"].number(), left, 1e-5);
  EXPECT_EQ(aside("1e-6")["epsilon_upper"], "inf");
  EXPECT_NE(aside("5e-7")["theorem"].text().find("approximate"), std::string::npos);
  expect_refused({"convert", "--rho", "1", "--set-aside", "1", "--delta", "1e-6"}, "set-aside");
  expect_refused({"convert", "--mu", "1", "--set-aside", "1e-9", "--delta", "1e-6"},
                 "--set-aside goes with --rho");
}

TEST(Convert, AnEpsilonImpliesARenyiDivergence) {
  const double tau = json_of({"convert", "--epsilon", "1", "--order", "2"})["tau_upper"].number();
  EXPECT_NEAR(tau, std::log((std::exp(1.0) + std::exp(-2.0)) / (1 + std::exp(-1.0))), 1e-9);
  EXPECT_EQ(json_of({"convert", "--epsilon", "1", "--order", "2", "--to", "tau"})["tau_upper"],
            tau);
  // Orders go up to epsilon itself, and the way back is no better than where it came from.
  EXPECT_LE(json_of({"convert", "--epsilon", "1", "--order", "1e6"})["tau_upper"].number(),
            1.000001);
  expect_refused({"convert", "--epsilon", "1", "--order", "1"}, "order");
  expect_refused({"convert", "--epsilon", "1", "--to", "tau"}, "--order is missing");
  expect_refused({"convert", "--epsilon", "1", "--rho", "1", "--order", "2", "--to", "tau"},
                 "alone");
}

TEST(Parallel, TakesTheLargestOrAddsTheTwoLargest) {
  const auto one = json_of({"parallel", "--part", "0.5", "--part", "0.3,1e-7", "--part", "0.2"});
  EXPECT_EQ(one["epsilon"], 0.5);
  EXPECT_EQ(one["delta"], 1e-7);
  const auto two = json_of({"parallel", "--part", "0.5", "--part", "0.25,1e-7", "--part", "0.125",
                            "--neighbours", "replace-one"});
  EXPECT_EQ(two["epsilon"], 0.75);
  EXPECT_EQ(two["delta"], 1e-7);
  EXPECT_TRUE(two.contains("requires"));
  EXPECT_EQ(json_of({"parallel", "--rho", "0.5", "--rho", "0.25"})["rho"], 0.5);
  expect_refused({"parallel"}, "--part");
  expect_refused({"parallel", "--part", "0.5", "--rho", "1"}, "all with --part or all with --rho");
  expect_refused({"parallel", "--part", "-1"}, "epsilon must");
  expect_refused({"parallel", "--part", "1,2"}, "delta must");
}

TEST(Compose, IsMonotoneToTheLastDigitShown) {
  double last = 0;
  for (const char* count : {"300", "301", "302", "310"}) {
    const auto got = json_of({"compose", "--subsampled-gaussian", std::string("2,0.01x") + count,
                              "--epsilon", "0.5", "--delta", "1e-6"});
    EXPECT_GE(got["epsilon_upper"].number(), last);
    last = got["epsilon_upper"].number();
  }
  for (const char* delta : {"1.001e-6", "1.1e-6", "1e-4"}) {
    const auto got = json_of(
        {"compose", "--subsampled-gaussian", "2,0.01x310", "--epsilon", "0.5", "--delta", delta});
    EXPECT_LE(got["epsilon_upper"].number(), last);
    last = got["epsilon_upper"].number();
  }
}

TEST(Group, GrowsAsTheTheoremsSay) {
  EXPECT_EQ(
      json_of({"group", "--people", "4", "--epsilon", "0.5", "--delta", "0"})["epsilon_upper"], 2);
  EXPECT_EQ(json_of({"group", "--people", "4", "--rho", "0.1"})["rho"], 1.6);
  const auto one = json_of({"compose", "--subsampled-laplace", "1,0.01x10", "--delta", "1e-6"});
  const auto three =
      json_of({"group", "--people", "3", "--subsampled-laplace", "1,0.01x10", "--delta", "1e-6"});
  EXPECT_GE(three["epsilon_upper"].number(), one["epsilon_upper"].number());
  EXPECT_GE(three["epsilon_upper"].number(), three["epsilon_lower"].number());
}

// The rule for noise (sensitivity times k) is never worse than the rule for (epsilon, delta).
TEST(Group, BothRulesAgreeWhereBothApply) {
  const std::vector<accounting::Use> uses = {{accounting::Gaussian{10}, 5}};
  const Question question{.delta = Delta::trusted(Rational::ratio(1, 1000000)),
                          .epsilon = {},
                          .notion = accounting::Notion::kBest,
                          .people = 2};
  const auto scaled = ask(uses, question);
  ASSERT_TRUE(scaled.has_value());
  // Sampled with q = 1 it is the same mechanism, by the other rule.
  const auto grouped = ask({{accounting::SubsampledGaussian{10, 1}, 5}}, question);
  ASSERT_TRUE(grouped.has_value());
  EXPECT_GE(grouped->upper, scaled->lower);
  EXPECT_LT(grouped->upper, scaled->upper * 1.5);
}

TEST(Shuffle, AmplifiesAndShowsTheClosedForm) {
  const auto got = json_of({"shuffle", "--epsilon0", "1", "--n", "1000", "--delta", "1e-6"});
  EXPECT_LT(got["epsilon_upper"].number(), got["closed_form"].number());
  EXPECT_LE(got["epsilon_lower"].number(), got["epsilon_upper"].number());
  const auto response = json_of({"shuffle", "--epsilon0", "1", "--n", "1000", "--delta", "1e-6",
                                 "--mechanism", "randomized-response"});
  EXPECT_LE(response["epsilon_upper"].number(), got["epsilon_upper"].number());
}

TEST(Curve, FallsAndIsDrawn) {
  const Words words = {"curve", "--laplace-epsilon", "0.1x10", "--points", "6", "--to", "1"};
  Words csv = words;
  csv.insert(csv.end(), {"--format", "csv"});
  EXPECT_EQ(account(csv).out.substr(0, 44), "epsilon,delta_lower,delta_upper,theorem\n0,0.");
  const auto rows = json_of(words);
  ASSERT_EQ(rows.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_LE(rows[i]["delta_lower"].number(), rows[i]["delta_upper"].number());
    if (i > 0) {
      EXPECT_LE(rows[i]["delta_upper"].number(), rows[i - 1]["delta_upper"].number());
    }
  }
  for (const auto& [name, start] :
       {std::pair<std::string, std::string>{"c.svg", "<svg"}, {"c.png", "\x89PNG"}}) {
    const TestFile picture(name, "");
    Words drawn = words;
    drawn.insert(drawn.end(), {"--plot", picture.path()});
    EXPECT_EQ(account(drawn).status, 0);
    EXPECT_EQ(picture.content().substr(0, 4), start);
  }
}

// An epsilon that is shown rounded down would stand beside a delta that holds only further up.
TEST(Curve, ShowsTheEpsilonsThatWereAsked) {
  const auto shown = [](const char* to, const char* points) {
    std::vector<std::string> out;
    const Finished got =
        account({"curve", "--gaussian", "10", "--to", to, "--points", points, "--format", "csv"});
    std::istringstream lines(got.out);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) out.push_back(line.substr(0, line.find(',')));
    return out;
  };
  EXPECT_EQ(shown("0.3", "4"), (std::vector<std::string>{"0", "0.1", "0.2", "0.3"}));
  const std::vector<std::string> thirds = shown("1", "4");
  EXPECT_EQ(thirds[1], "0.3333333");
  const auto at = json_of({"compose", "--gaussian", "10", "--at-epsilon", thirds[1]});
  const auto rows = json_of({"curve", "--gaussian", "10", "--to", "1", "--points", "4"});
  EXPECT_EQ(rows[1]["delta_upper"], at["delta_upper"]);
}

TEST(BadAccountInput, MechanismsOutOfRange) {
  for (const char* bad : {"0", "-1", "-0.5x10", "0x10", "1e30"}) {
    for (const char* option : {"--gaussian", "--discrete-gaussian"}) {
      expect_refused({"compose", option, bad, "--delta", "1e-6"}, "noise multiplier must be");
    }
    for (const char* option : {"--laplace-epsilon", "--discrete-laplace", "--epsilon",
                               "--exponential", "--permute-and-flip", "--randomized-response"}) {
      expect_refused({"compose", option, bad, "--delta", "1e-6"}, "epsilon must be");
    }
  }
  for (const char* bad : {"", "abc", "nan", "inf", "1/0", "1,2"}) {
    expect_refused({"compose", "--gaussian", bad, "--delta", "1e-6"}, "--gaussian");
  }
  for (const char* bad : {"1x0", "1x-1", "1x1e12", "1x1.5", "1x", "1xa"}) {
    expect_refused({"compose", "--gaussian", bad, "--delta", "1e-6"},
                   "count must be a whole number from 1 to 1000000000");
  }
  for (const char* bad : {"1,-0.1", "1,1.1", "1,2x5"}) {
    for (const char* option : {"--subsampled-gaussian", "--subsampled-laplace"}) {
      expect_refused({"compose", option, bad, "--delta", "1e-6"},
                     "sampling probability must be between 0 and 1");
    }
  }
  expect_refused({"compose", "--subsampled-gaussian", "1", "--delta", "1e-6"},
                 "needs sampling_probability");
  expect_refused({"compose", "--approx", "1,1", "--delta", "1e-6"}, "delta must be");
  expect_refused({"compose", "--approx", "1,-0.1", "--delta", "1e-6"}, "delta must be");
  expect_refused({"compose", "--discrete-laplace", "1,0.5", "--delta", "1e-6"},
                 "sensitivity must be a whole number");
  expect_refused({"compose", "--gaussian", "1x1e9", "--gaussian", "2x1e9", "--delta", "1e-6"},
                 "more than 1000000000 uses");
}

TEST(BadAccountInput, QuestionsThatAreOff) {
  for (const char* bad : {"1", "-0.1", "2", "nan", "abc", ""}) {
    expect_refused({"compose", "--gaussian", "1", "--delta", bad}, "delta must be");
    expect_refused({"shuffle", "--epsilon0", "1", "--n", "10", "--delta", bad}, "delta must be");
    expect_refused({"convert", "--rho", "1", "--delta", bad}, "delta must be");
  }
  for (const char* bad : {"-1", "nan", "1e400", ""}) {
    expect_refused({"compose", "--gaussian", "1", "--at-epsilon", bad}, "at-epsilon");
  }
  expect_refused({"compose", "--gaussian", "1", "--delta", "0.1", "--at-epsilon", "1"},
                 "give one of them");
  expect_refused({"compose", "--gaussian", "1"}, "--delta is missing; for example: ");
  expect_refused({"compose", "--delta", "1e-6"}, "no mechanism is named");
  expect_refused({"compose", "--gaussian", "1", "--delta", "1e-6", "--notion", "pld"},
                 "unknown notion 'pld'");
  expect_refused({"compose", "--laplace-epsilon", "1", "--delta", "1e-6", "--notion", "gaussian"},
                 "gives no bound here");
  expect_refused({"compose", "--gaussian", "1", "--delta", "1e-6", "--neighbours", "both"},
                 "neighbours must be add-remove or replace-one");
  expect_refused({"compose", "--gausian", "1", "--delta", "1e-6"}, "did you mean --gaussian?");
  expect_refused({"compse"}, "did you mean compose?");
  expect_refused({}, "compose");
}

TEST(BadAccountInput, EveryOtherCommand) {
  const Words sgd = {"dp-sgd", "--delta", "1e-6"};
  const auto dp_sgd = [&](const char* q, const char* sigma, const char* steps) {
    Words words = sgd;
    words.insert(words.end(),
                 {"--sampling-probability", q, "--noise-multiplier", sigma, "--steps", steps});
    return words;
  };
  expect_refused(dp_sgd("1.5", "1", "10"), "sampling probability must be between 0 and 1");
  expect_refused(dp_sgd("-0.1", "1", "10"), "sampling probability must be between 0 and 1");
  expect_refused(dp_sgd("0.1", "0", "10"), "noise multiplier must be");
  expect_refused(dp_sgd("0.1", "-1", "10"), "noise multiplier must be");
  for (const char* steps : {"0", "1e12", "-5", "1.5"}) {
    expect_refused(dp_sgd("0.1", "1", steps), "steps must be a whole number from 1 to 1000000000");
  }
  expect_refused(sgd, "--sampling-probability is missing");
  for (const char* order : {"1", "0", "-2", "0.999", "nan", "1.0000001"}) {
    expect_refused({"convert", "--order", order, "--tau", "1", "--delta", "1e-6"}, "order");
  }
  expect_refused({"convert", "--order", "2", "--delta", "1e-6"}, "--order and --tau go together");
  expect_refused({"convert", "--rho", "1", "--mu", "1", "--delta", "1e-6"}, "name one notion");
  expect_refused({"convert", "--rho", "-1", "--delta", "1e-6"}, "rho must be");
  expect_refused({"convert", "--mu", "0", "--delta", "1e-6"}, "mu must be");
  expect_refused({"convert", "--rho", "1", "--delta", "0"}, "delta must be above 0");
  expect_refused({"convert", "--rho", "1", "--to", "sigma"}, "to must be");
  expect_refused({"group", "--epsilon", "1", "--delta", "0"}, "--people is missing");
  expect_refused({"group", "--people", "0", "--epsilon", "1", "--delta", "0"}, "people must be");
  expect_refused({"shuffle", "--epsilon0", "0", "--n", "10", "--delta", "1e-6"},
                 "--epsilon0: epsilon must be");
  expect_refused({"parallel", "--part", "0.5,2"}, "--part '0.5,2': delta must be");
  expect_refused({"shuffle", "--epsilon0", "1", "--n", "1", "--delta", "1e-6"}, "people must be");
  expect_refused({"shuffle", "--epsilon0", "1", "--n", "1e12", "--delta", "1e-6"}, "n must be");
  expect_refused({"calibrate", "--mechanism", "laplac", "--epsilon", "1", "--delta", "0"},
                 "did you mean laplace?");
  expect_refused({"calibrate", "--mechanism", "gaussian", "--epsilon", "0", "--delta", "1e-6"},
                 "epsilon must be");
  expect_refused({"calibrate", "--mechanism", "gaussian", "--epsilon", "1", "--delta", "0"},
                 "delta must be above 0");
  expect_refused({"calibrate", "--mechanism", "laplace", "--error", "0", "--delta", "0"},
                 "the error must be greater than 0");
  expect_refused({"calibrate", "--mechanism", "gaussian", "--epsilon", "1", "--delta", "1e-6",
                  "--sampling-probability", "0.1"},
                 "--sampling-probability belongs to");
  const Words curve = {"curve", "--gaussian", "1"};
  for (const Words& more : {Words{"--points", "1"}, Words{"--points", "1e9"}, Words{"--to", "-1"},
                            Words{"--from", "5", "--to", "5"}, Words{"--plot", "curve.pdf"}}) {
    Words words = curve;
    words.insert(words.end(), more.begin(), more.end());
    expect_refused(words, more[0].substr(2) == "from" ? "to must be" : more[0].substr(2));
  }
  Words nowhere = curve;
  nowhere.insert(nowhere.end(), {"--points", "2", "--plot", "/nonexistent/c.svg"});
  expect_refused(nowhere, "No such file", 5);
}

TEST(AccountHelp, TeachesEveryCommand) {
  for (const char* command :
       {"compose", "dp-sgd", "calibrate", "convert", "group", "parallel", "shuffle", "curve"}) {
    const Finished got = account({command, "--help"});
    EXPECT_EQ(got.status, 0);
    EXPECT_NE(got.out.find("Example"), std::string::npos) << command;
    EXPECT_NE(got.out.find("Costs nothing"), std::string::npos) << command;
  }
}

}  // namespace
}  // namespace discreet::cli::account_test
