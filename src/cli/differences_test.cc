// SPDX-License-Identifier: Apache-2.0
// A policy that was changed after its ledger was made: `policy check` finds every difference, and
// the commands that it shows mend those that can be mended.
#include <random>

#include "cli/town_for_tests.h"

namespace discreet::cli::differences_test {
namespace {

/// A policy's namespace as numbers, to be changed at random.
struct People {
  bool is_zcdp = false;
  int budget = 50;
  std::map<std::string, int> analysts = {{"ann", 20}, {"bob", 10}};
  std::vector<std::string> further = {};  ///< other namespaces
  int blocks = 2;

  std::string text() const {
    std::string out = "version: 1\nsnapshot: one\nunits:\n  people:\n    notion: " +
                      std::string(is_zcdp ? "zcdp" : "epsilon") +
                      "\n    budget: {epsilon: " + std::to_string(budget) +
                      ", delta: 1e-6}\n    analysts:\n";
    for (const auto& [name, cap] : analysts) {
      out += "      " + name + ": {epsilon: " + std::to_string(cap) + ", delta: 1e-7}\n";
    }
    out += "    blocks: {column: survey.clinic, values: [";
    for (int i = 0; i < blocks; ++i) out += (i == 0 ? "c" : ", c") + std::to_string(i);
    out += "]}\n";
    for (const std::string& name : further) {
      out += "  " + name + ": {budget: {epsilon: 1/3}, analysts: {ann: 1/7, \"a:b\": 1/9}}\n";
    }
    return out +
           "tables:\n  survey:\n    source: survey.csv\n    unit: {namespace: people, column: "
           "person}\n    columns:\n      clinic: {type: text}\n      age: {type: integer, range: "
           "[0, 120]}\n";
  }
};

class Checked {
 public:
  explicit Checked(const Town& town)
      : got_(discreet_in(town.folder(), {"policy", "check", "--json"})) {
    EXPECT_EQ(got_.status, 0) << got_.out << got_.err;
    EXPECT_EQ(got_.err, "");
    const Json said = got_.status == 0 ? Json::parse(got_.out).value() : Json::object();
    for (const Json& each : said["differences"].items()) {
      (each["fix"].text().starts_with("discreet ") ? commands : advice)
          .push_back(each["fix"].text());
    }
  }
  std::vector<std::string> commands;
  std::vector<std::string> advice;

 private:
  Finished got_;
};

TEST(Differences, AreFoundAndMendedByTheCommandsThatAreShown) {
  std::mt19937_64 random(20261118);
  const auto one_of = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  setenv("PATH",
         (std::filesystem::path(program_path()).parent_path().string() + ":" + std::getenv("PATH"))
             .c_str(),
         1);
  for (int trial = 0; trial < 4; ++trial) {
    const Town town(20);
    People people{.is_zcdp = trial % 2 == 1};
    town.put("policy.yaml", people.text());
    const Finished made = discreet_in(town.folder(), {"ledger", "init"});
    ASSERT_EQ(made.status, 0) << made.err;
    const std::string bound = town.get("policy.yaml").substr(people.text().size());
    EXPECT_TRUE(Checked(town).commands.empty());
    EXPECT_TRUE(Checked(town).advice.empty());
    std::size_t commands = 0;
    if (one_of(2) == 0) people.budget += 1 + one_of(9), ++commands;
    if (one_of(2) == 0) people.analysts["ann"] += 1 + one_of(9), ++commands;
    if (one_of(2) == 0) people.blocks += 1, ++commands;
    if (one_of(2) == 0) people.further = {"the clinic's staff"}, ++commands;
    people.analysts["zoë of the north"] = 1 + one_of(9), ++commands;
    std::size_t advice = 0;
    if (one_of(2) == 0)
      people.analysts["bob"] -= 1, ++advice;
    else
      people.analysts.erase("bob"), ++advice;
    town.put("policy.yaml", people.text() + bound);
    const Checked changed(town);
    EXPECT_EQ(changed.commands.size(), commands) << people.text();
    EXPECT_EQ(changed.advice.size(), advice) << people.text();
    for (const std::string& command : changed.commands) {
      const Finished mended =
          run_process({"/usr/bin/env", "-C", town.folder(), "/bin/sh", "-c", command}, "");
      EXPECT_EQ(mended.status, 0) << command << ": " << mended.err;
    }
    const Checked after(town);
    EXPECT_TRUE(after.commands.empty()) << after.commands.front();
    EXPECT_EQ(after.advice.size(), advice);
    const Finished asked =
        discreet_in(town.folder(), {"query", "SELECT COUNT(*) FROM survey", "--epsilon", "0.001",
                                    "--analyst", "zoë of the north"});
    EXPECT_EQ(asked.status, 0) << asked.err;
  }
}

/// One namespace of a policy as texts, so that advice can be followed word by word.
struct Written {
  std::string notion;
  std::string budget;
  std::map<std::string, std::string> analysts = {};  ///< by what stands before the colon

  std::string text() const {
    std::string out = "version: 1\nsnapshot: one\nunits:\n  people:\n    notion: " + notion +
                      "\n    budget: " + budget + "\n";
    if (!analysts.empty()) out += "    analysts:\n";
    for (const auto& [name, cap] : analysts) out += "      " + name + ": " + cap + "\n";
    return out + "tables:\n  survey: {source: survey.csv, unit: person}\n";
  }
  /// Does what "... write WORDS in the policy" says.
  void follow(const std::string& advice) {
    std::string words = advice.substr(advice.find("write ") + 6);
    if (words.starts_with("budget: {")) {
      budget = words.substr(8, words.find('}') - 7);
      const std::size_t more = words.find(" and analysts: {");
      if (more == words.npos) return;
      words = words.substr(more + 16, words.rfind("}}") - more - 15);
      analysts.clear();
      for (std::size_t end = 0; !words.empty(); words.erase(0, end)) {
        end = std::min(words.size(), words.find('}') + 3);
        add(words.substr(0, words.find('}') + 1));
      }
      return;
    }
    ASSERT_NE(words.find(" under analysts: in the policy"), words.npos) << advice;
    add(words.substr(0, words.find('}') + 1));
  }

 private:
  void add(const std::string& entry) {
    const std::size_t colon = entry.rfind(": {");
    analysts[entry.substr(0, colon)] = entry.substr(colon + 2);
  }
};

// Whatever the ledger has: what the policy is told to write makes the two agree.
TEST(Differences, AdviceEndsWhenItIsFollowed) {
  const std::vector<std::tuple<Written, Town::Words>> worlds = {
      {{"zcdp", "{epsilon: 4, delta: 1e-6}", {{"ann", "{epsilon: 2, delta: 1e-7}"}}},
       {"--rho", "1/10", "--delta", "1e-7"}},
      {{"zcdp", "{rho: 1, delta: 1e-6}"}, {"--rho", "1/3", "--delta", "3e-7"}},
      {{"epsilon", "{epsilon: 4, delta: 1e-6}"}, {"--epsilon", "9", "--delta", "0"}},
      {{"pure", "4"}, {"--epsilon", "2"}}};
  const Town::Words names = {"a: b", "it's #1", "yes", "x, y", "zoë"};
  std::size_t next = 0;
  for (const auto& [written, cap] : worlds) {
    const Town town(20);
    Written policy = written;
    town.put("policy.yaml", policy.text());
    ASSERT_EQ(discreet_in(town.folder(), {"ledger", "init"}).status, 0) << policy.text();
    const std::string bound = town.get("policy.yaml").substr(policy.text().size());
    for (int i = 0; i < 2; ++i) {
      Town::Words analyst = {"ledger", "analyst", "--analyst", names[next++ % names.size()]};
      analyst.insert(analyst.end(), cap.begin(), cap.end());
      const Finished added = discreet_in(town.folder(), analyst);
      ASSERT_EQ(added.status, 0) << added.err;
    }
    // The total is less in the policy than in the ledger.
    policy.budget = policy.notion == "pure"             ? "3"
                    : policy.budget.starts_with("{rho") ? "{rho: 1/2, delta: 1e-6}"
                                                        : "{epsilon: 3, delta: 1e-6}";
    for (int round = 0; round < 5; ++round) {
      town.put("policy.yaml", policy.text() + bound);
      const Checked found(town);
      ASSERT_TRUE(found.commands.empty()) << found.commands.front();
      if (found.advice.empty()) break;
      ASSERT_LT(round, 4) << found.advice.front() << "\n" << policy.text();
      policy.follow(found.advice.front());
    }
  }
}

TEST(Differences, AreShownToPeopleWithTheCommand) {
  const Town town(20);
  ASSERT_EQ(discreet_in(town.folder(), {"ledger", "init"}).status, 0);
  std::string text = town.get("policy.yaml");
  text.replace(text.find("ann: {epsilon: 9}"), 17, "ann: {epsilon: 9}, bob: {epsilon: 1}");
  town.put("policy.yaml", text);
  const Finished got = discreet({"policy", "check", "--policy", town.at("policy.yaml")});
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_NE(got.out.find("analyst bob of people is in the policy, but has no cap in the ledger"),
            std::string::npos)
      << got.out;
  EXPECT_NE(got.out.find("discreet ledger analyst --namespace people --analyst bob --epsilon 1 "
                         "--delta 0.001 --policy " +
                         town.at("policy.yaml")),
            std::string::npos)
      << got.out;
}

}  // namespace
}  // namespace discreet::cli::differences_test
