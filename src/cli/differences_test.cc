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
      out += "  " + name + ": {budget: {epsilon: 1/3}, analysts: {ann: 1/7}}\n";
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
