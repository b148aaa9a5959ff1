// SPDX-License-Identifier: Apache-2.0
// The commands that attack and audit, as a user runs them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/process_for_tests.h"

namespace discreet::cli::attack_test {
namespace {

class Folder {
 public:
  Folder() {
    std::string pattern = testing::TempDir() + "/discreet-attack-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string read(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string path_;
};

TEST(Attack, WritesAReportThatNeedsNothingElse) {
  const Folder folder;
  const Finished run = discreet({"attack", "reconstruct", "--size", "64", "--trials", "1", "--seed",
                                 "3", "--out", folder.file("r")});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("limit by theorem"), run.out.npos);
  EXPECT_NE(run.out.find("stands"), run.out.npos);
  EXPECT_EQ(run.out.find('\x1b'), run.out.npos);  // no colours, on no display
  const std::string page = folder.read("r/report.html");
  EXPECT_NE(page.find("<svg"), page.npos);
  EXPECT_EQ(page.find("src="), page.npos);
  EXPECT_EQ(page.find("href="), page.npos);
  EXPECT_EQ(folder.read("r/chart1.png").substr(1, 3), "PNG");
  EXPECT_NE(folder.read("r/chart1.svg").find("<svg"), std::string::npos);
  EXPECT_NE(folder.read("r/report.json").find("\"partial\": false"), std::string::npos);
}

TEST(Attack, SameSeedSameRun) {
  const std::vector<std::string> words = {"attack", "difference", "--seed", "7", "--trials", "300"};
  EXPECT_EQ(discreet(words).out, discreet(words).out);
}

TEST(Attack, BadInput) {
  struct Case {
    std::vector<std::string> words;
    const char* says;
  };
  for (const Case& one :
       {Case{{"attack", "weeld"}, "weld"}, Case{{"attack", "weld", "--size", "9"}, "at least 1000"},
        Case{{"attack", "reconstruct", "--size", "5"}, "at least 32"},
        Case{{"attack", "kanye", "--epsilon", "-1"}, "epsilon"},
        Case{{"attack", "kanye", "--trials", "0"}, "trials"},
        Case{{"audit", "randomness", "parties"}, "parity"},
        Case{{"audit", "statistical", "laplace", "--samples", "5"}, "at least 1000"},
        Case{{"audit", "conformance", "--policy", "/nowhere/policy.yaml"}, "policy"},
        Case{{"audit", "replay", "SELECT COUNT(*) FROM visits", "--epsilon", "1"}, "--neighbour"},
        Case{{"audit", "replay", "SELECT COUNT(*) FROM visits", "--epsilon", "1", "--neighbour",
              "drop:7"},
             "remove:COLUMN=VALUE"},
        Case{{"audit", "verify", "--report", "/nowhere"}, "report.json"},
        Case{{"audit", "report", "--out", "x"}, "--key"}}) {
    const Finished run = discreet(one.words);
    EXPECT_EQ(run.status, 2) << one.words[1] << " " << run.err;
    EXPECT_NE(run.err.find(one.says), run.err.npos) << run.err;
  }
}

TEST(Attack, AnUnwritableFolderIsSaid) {
  const Finished run = discreet(
      {"attack", "difference", "--trials", "50", "--seed", "1", "--out", "/proc/no/where"});
  EXPECT_EQ(run.status, 5);
  EXPECT_NE(run.err.find("/proc/no/where"), run.err.npos);
}

/// Interrupted as soon as it listens: bit 1 of the caught signals is SIGINT.
Finished interrupted(const std::string& words) {
  return shell("$D " + words +
               " & p=$!; until (( 0x$(awk '/SigCgt/ {print $2}' /proc/$p/status) & 2 )); do sleep "
               "0.01; done; kill -INT $p; wait $p; echo status $?");
}

TEST(Attack, AnInterruptedRunIsPartialAndSaysSo) {
  const Finished run = interrupted("attack difference --seed 1 --trials 10000000 --json");
  EXPECT_NE(run.out.find("\"partial\": true"), run.out.npos) << run.out.substr(0, 300) << run.err;
}

TEST(Audit, AnInterruptedTableIsMarked) {
  for (const char* words :
       {"audit exact", "audit exact --json", "audit learn", "audit statistical"}) {
    const Finished run = interrupted(words);
    EXPECT_NE(run.out.find("PARTIAL: stopped before its end"), run.out.npos) << run.out;
    EXPECT_NE(run.out.find("status 130"), run.out.npos) << run.out;
    EXPECT_NE(run.err.find("the table is partial"), run.err.npos);
  }
  const Finished report = interrupted("audit randomness");
  EXPECT_NE(report.err.find("the report is partial"), report.err.npos) << report.err;
}

// From the policy's line to the receipt: one certified answer, both prices said, nothing else.
TEST(Randomness, APolicyForBentCoinsGetsOneAnswer) {
  const Folder folder;
  std::ofstream(folder.file("people.csv")) << "id,age\n1,20\n2,30\n3,40\n";
  std::ofstream(folder.file("policy.yaml"))
      << "version: 1\nsnapshot: a\nrandomness: santha-vazirani 0.05\n"
         "units: {people: {budget: {epsilon: 4}}}\n"
         "tables: {people: {source: people.csv, unit: id, columns: {age: {type: integer, range: "
         "[0, 100]}}}}\n";
  const auto run = [&](const std::string& words) {
    return shell("cd '" + folder.file("") + "'; export XDG_STATE_HOME=$PWD/state; $D " + words);
  };
  EXPECT_NE(run("policy check").out.find("santha-vazirani 0.05"), std::string::npos);
  const Finished made = run("ledger init --policy policy.yaml");
  EXPECT_NE(made.out.find("one answer in the life of this ledger"), made.out.npos) << made.err;
  for (const char* question :
       {"SELECT AVG(age) FROM people", "SELECT age, COUNT(*) FROM people GROUP BY age",
        "SELECT MEDIAN(age) FROM people"}) {
    const Finished refused = run("query '" + std::string(question) + "' --epsilon 0.5");
    EXPECT_EQ(refused.status, 3) << refused.out << refused.err;
    EXPECT_NE(refused.err.find("COUNT or SUM without GROUP BY"), refused.err.npos) << refused.err;
  }
  EXPECT_EQ(run("query 'SELECT COUNT(*) FROM people' --error 5").status, 2);
  EXPECT_EQ(run("query 'SELECT COUNT(*) FROM people' --epsilon 6").status, 2);
  EXPECT_EQ(run("serve").status, 3);
  // Nothing was spent by all that.
  const std::string both =
      "epsilon 0.5 is charged and holds on every Santha-Vazirani source of "
      "gamma 0.05; on fair coins this answer would cost epsilon 0.396361";
  const std::string question = "'SELECT SUM(age) FROM people' --epsilon 0.5";
  EXPECT_NE(run("explain " + question).out.find(both), std::string::npos);
  const Finished first = run("query " + question);
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_NE(first.out.find(both), first.out.npos) << first.out;
  const std::string receipt = run("ledger history --json").out;
  EXPECT_NE(receipt.find("gamma=0.05,epsilon=0.5,fair-epsilon=0.396361"), receipt.npos) << receipt;
  // The same again is the same bytes; anything else is refused, under whatever policy.
  EXPECT_EQ(run("query " + question + " --json").out, run("query " + question + " --json").out);
  const Finished second = run("query 'SELECT COUNT(*) FROM people' --epsilon 0.5");
  EXPECT_EQ(second.status, 3);
  EXPECT_NE(second.err.find("gave its one answer"), second.err.npos) << second.err;
  const Finished fair = run("query " + question + " --policy <(sed /randomness/d policy.yaml)");
  EXPECT_NE(fair.status, 0);
  const Finished noise =
      run("noise laplace --value 1 --sensitivity 1 --epsilon 0.1 --ledger discreet.ledger");
  EXPECT_EQ(noise.status, 3) << noise.out << noise.err;
}

TEST(Audit, RandomnessPrintsTheTable) {
  const Finished run = discreet({"audit", "randomness", "effective"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("aligned"), run.out.npos);
  EXPECT_NE(run.out.find("0.245"), run.out.npos);  // cells of 1/epsilon at gamma 0.1
}

TEST(Audit, ASignedReportIsAboutThisProgram) {
  const Folder folder;
  const std::string out = folder.file("r");
  const Finished made = discreet(
      {"audit", "report", "--key", folder.file("k"), "--out", out, "--case", "almost-random"});
  EXPECT_EQ(made.status, 0) << made.err;
  const Finished good = discreet({"audit", "verify", "--report", out});
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_NE(good.out.find("this very program"), good.out.npos);
  std::ofstream(out + "/report.json", std::ios::app) << " ";
  const Finished bad = discreet({"audit", "verify", "--report", out});
  EXPECT_EQ(bad.status, 5) << bad.out;
  EXPECT_NE(bad.err.find("does not fit"), bad.err.npos);
}

}  // namespace
}  // namespace discreet::cli::attack_test
