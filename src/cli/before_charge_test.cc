// SPDX-License-Identifier: Apache-2.0
// What can be known before a charge is checked before it: every command that charges, with every
// place that it could not write to. And what Ctrl-C after a charge says.
#include <csignal>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <sstream>

#include "cli/killed_for_tests.h"
#include "cli/town_for_tests.h"

namespace discreet::cli::before_charge_test {
namespace {

using Words = Town::Words;

/// A command that charges, and one of its options that names what is written.
struct Writer {
  std::string policy;
  Words words;
  std::string option;
  bool is_folder = false;
  std::string ending = "";  ///< that a file's name must have
};

std::vector<Writer> writers(const Town& town) {
  const Words query = {"query", "SELECT HISTOGRAM(age) FROM survey", "--epsilon", "0.1"};
  const Words publish = {"publish", town.at("w.yaml")};
  const auto learn = [](Words words) {
    words.insert(words.begin(), "learn");
    words.insert(words.end(), {"--epsilon", "0.1"});
    return words;
  };
  const Words network = learn({"network", "--target", "smoker", "--delta", "1e-6"});
  const Words synthesize = learn({"synthesize", "--features", "age,clinic"});
  std::vector<Writer> all = {
      {"policy.yaml", query, "--output"},
      {"policy.yaml", query, "--plot", false, ".svg"},
      {"policy.yaml", learn({"classify", "--target", "smoker"}), "--output"},
      {"policy.yaml", learn({"naive-bayes", "--target", "smoker"}), "--output"},
      {"policy.yaml", learn({"regress", "--target", "cost"}), "--output"},
      {"policy.yaml", learn({"cluster", "--features", "age"}), "--output"},
      {"policy.yaml", learn({"distribution", "--features", "age"}), "--output"},
      {"policy.yaml", network, "--output"},
      {"policy.yaml", network, "--checkpoint"},
      {"policy.yaml", synthesize, "--output"},
      {"policy.yaml", synthesize, "--report"},
      {"policy.yaml", synthesize, "--certificate"},
      {"rho.yaml", publish, "--output", true},
      {"rho.yaml", publish, "--report"},
      {"rho.yaml", publish, "--certificate"},
      {"rho.yaml", {"publish", "daily", "register", "by_day"}, "--state", true},
  };
  return all;
}

/// Names that nothing can be written under.
std::vector<std::string> bad_places(const Town& town, const Writer& writer) {
  const std::string ending = writer.ending;
  std::vector<std::string> places = {
      town.at("survey.csv/x" + ending),         // below a file
      town.at("loop" + ending),                 // a link to itself
      town.at(std::string(300, 'n') + ending),  // too long
      "/proc/self/none/x" + ending,             // nothing can be made there
  };
  if (writer.is_folder) {
    places.push_back(town.at("survey.csv"));
    places.push_back("");
    return places;
  }
  places.insert(places.end(), {town.at("folder" + ending), town.at("none/x" + ending)});
  if (!ending.empty()) {
    places.insert(places.end(), {town.at("x.gif"), town.at("x"), town.at("policy.yaml")});
  } else {
    places.insert(places.end(), {"", town.at(writer.policy), town.at("survey.csv"),
                                 town.at("link to the data"), town.at("l.ledger")});
  }
  return places;
}

/// Two of the places for each command and option, and every place for the first of them.
TEST(BeforeACharge, PlacesThatCannotBeWrittenAreRefused) {
  const Town town;
  town.make_ledgers();
  for (const char* const name : {"loop", "loop.svg"}) {
    std::filesystem::create_symlink(name, town.at(name));
  }
  for (const char* const name : {"folder", "folder.svg"}) {
    std::filesystem::create_directory(town.at(name));
  }
  std::filesystem::create_symlink("survey.csv", town.at("link to the data"));
  const std::string before = town.spent();
  const std::string data = town.get("survey.csv");
  const std::string policy = town.get("policy.yaml");
  std::mt19937_64 random(20261118);
  bool is_first = true;
  for (const Writer& writer : writers(town)) {
    std::vector<std::string> places = bad_places(town, writer);
    std::shuffle(places.begin(), places.end(), random);
    if (!is_first) places.resize(2);
    is_first = false;
    for (const std::string& place : places) {
      // The ledger of the other policy is a file like any other.
      if (writer.policy == "rho.yaml" && place == town.at("l.ledger")) continue;
      Words words = town.with(writer.policy, writer.words);
      words.insert(words.end(), {writer.option, place});
      const Finished got = discreet(words);
      const std::string what = writer.words[0] + " " + writer.words[1] + " " + writer.option + " " +
                               place + ": " + got.err;
      EXPECT_EQ(got.status, 2) << what;
      EXPECT_EQ(got.out, "") << what;
      EXPECT_TRUE(got.err.starts_with("discreet: ")) << what;
    }
    EXPECT_EQ(town.spent(), before) << writer.words[0] << " " << writer.words[1];
  }
  EXPECT_EQ(town.get("survey.csv"), data);
  EXPECT_EQ(town.get("policy.yaml"), policy);
}

TEST(BeforeACharge, WhatCannotBeDrawnPrintedOrWrittenIsRefused) {
  const Town town;
  town.make_ledgers();
  const std::string before = town.spent();
  const auto refused = [&](const std::string& policy, const Words& words, const std::string& says) {
    const Finished got = discreet(town.with(policy, words));
    EXPECT_EQ(got.status, 2) << words[0] << " " << words[1] << ": " << got.err;
    EXPECT_NE(got.err.find(says), std::string::npos) << got.err;
    EXPECT_EQ(town.spent(), before) << words[0] << " " << words[1];
  };
  for (const char* const sql :
       {"SELECT COUNT(*) FROM survey", "SELECT clinic, AVG(cost) FROM survey GROUP BY clinic",
        "SELECT MEDIAN(age) FROM survey"}) {
    refused("policy.yaml", {"query", sql, "--epsilon", "0.1", "--plot", town.at("x.svg")},
            "nothing was charged");
  }
  const Words count = {"query", "SELECT COUNT(*) FROM survey", "--epsilon", "0.1"};
  const std::vector<std::pair<std::string, Words>> charging = {
      {"policy.yaml", count},
      {"policy.yaml", {"policy", "buy", "survey.cost", "--epsilon", "0.1"}},
      {"rho.yaml", {"publish", town.at("w.yaml")}},
      {"rho.yaml", {"publish", "daily", "register", "by_day"}},
      {"policy.yaml",
       {"noise", "laplace", "--value", "1", "--sensitivity", "1", "--epsilon", "0.1"}},
  };
  for (const auto& [policy, words] : charging) {
    Words with = words;
    with.insert(with.end(), {"--format", "papyrus"});
    refused(policy, with, "papyrus");
  }
  // Two columns in one line: it could not be replaced after the purchase.
  std::string policy = town.get("policy.yaml");
  policy.insert(policy.find("tables:\n") + 8,
                "  two:\n    source: survey.csv\n    unit: person\n"
                "    columns: {cost: {type: decimal, range: [\"?\", \"?\"], step: 1}, "
                "age: {type: integer, range: [0, 120]}}\n");
  town.put("policy.yaml", policy);
  refused("policy.yaml", {"policy", "buy", "two.cost", "--epsilon", "0.1", "--write"},
          "nothing was charged");
}

/// What the ledgers' witnesses hold: another one after each charge.
std::string witnesses(const Town& town) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(town.at("state"))) {
    if (entry.path().filename() != "witness") continue;
    std::ostringstream bytes;
    bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    files[entry.path()] = bytes.str();
  }
  std::string all;
  for (const auto& [path, bytes] : files) all += bytes;
  return all;
}

/// Runs the program, and sends SIGINT at its first change of a file after its nth charge was
/// witnessed. Nothing that the program may hold a lock on is opened.
Finished stopped(const Town& town, const Words& words, int nth) {
  std::string seen = witnesses(town);
  int charges = 0;
  const auto after_charges = [&](int) {
    if (charges == nth) return 0;
    std::string now = witnesses(town);
    if (now == seen) return 0;
    seen = std::move(now);
    return ++charges == nth ? SIGINT : 0;
  };
  return discreet_signalled(words, after_charges).end;
}

TEST(CtrlC, OnAPaidQuestionSaysWhatWasCharged) {
  const Town town(500'000);  // which take longer than a signal to be noticed
  town.make_ledgers();
  const Words query = {
      "query",        "SELECT clinic, COUNT(*), AVG(cost) FROM survey GROUP BY clinic",
      "--epsilon",    "2",
      "--analyst",    "ann",
      "--request-id", "stop me"};
  const Finished asked = stopped(town, town.with("policy.yaml", query), 1);
  EXPECT_EQ(asked.status, 130) << asked.err;
  EXPECT_EQ(asked.out, "");
  EXPECT_NE(asked.err.find("charged: epsilon 2 to ann of people (record "), std::string::npos)
      << asked.err;
}

TEST(CtrlC, OnATrainingSaysWhatWasCharged) {
  const Town town;
  town.make_ledgers();
  const Words learn = {"learn",    "network", "--target", "smoker",           "--epsilon",
                       "3",        "--delta", "1e-5",     "--steps",          "200",
                       "--hidden", "256",     "--output", town.at("net.json")};
  // The charge, and two parts of it.
  const Finished trained = stopped(town, town.with("policy.yaml", learn), 3);
  EXPECT_EQ(trained.status, 130) << trained.err;
  EXPECT_NE(trained.err.find("charged: epsilon 3 and delta 0.00001 to owner of people (record "),
            std::string::npos)
      << trained.err;
  EXPECT_FALSE(std::filesystem::exists(town.at("net.json")));
}

}  // namespace
}  // namespace discreet::cli::before_charge_test
