// SPDX-License-Identifier: Apache-2.0
// The commands that attack and audit, as a user runs them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/process_for_tests.h"

namespace discreet::cli {
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

TEST(Attack, AnInterruptedRunIsPartialAndSaysSo) {
  const Finished run = shell(
      "timeout --signal=INT 0.5 $D attack difference --seed 1 --trials 10000000 --json; echo "
      "status $?");
  EXPECT_NE(run.out.find("\"partial\": true"), run.out.npos) << run.out.substr(0, 300) << run.err;
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
}  // namespace discreet::cli
