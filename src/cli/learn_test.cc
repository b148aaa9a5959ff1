// SPDX-License-Identifier: Apache-2.0
// Learning as a user does: every task, a run that is killed, places that cannot be written to.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/process_for_tests.h"

namespace discreet::cli::learn_test {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kPolicy = R"(version: 1
snapshot: one
units:
  people: {budget: {epsilon: 1000, delta: 1e-3}}
tables:
  survey:
    source: survey.csv
    unit: person
    columns:
      age:    {type: integer, range: [0, 120]}
      cost:   {type: decimal, range: [0, 1000], step: 0.01}
      clinic: {type: text, values: [north, south]}
      smoker: {type: boolean}
      note:   {type: text}
      day:    {type: date, range: [2026-01-01, 2026-12-31], step: 7 days}
      at:     {type: timestamp, range: [2026-01-01, 2026-12-31]}
)";

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// 600 people; who pays much smokes.
class World {
 public:
  World() {
    std::filesystem::create_directories(folder_);
    setenv("XDG_STATE_HOME", at("state").c_str(), 1);
    std::string csv = "person,age,cost,clinic,smoker,note,day,at\n";
    for (int i = 0; i < 600; ++i) {
      const int cost = (i * 37) % 1000;
      csv += std::to_string(i) + "," + std::to_string(20 + i % 60) + "," + std::to_string(cost) +
             (i % 2 == 0 ? ",north," : ",south,") + (cost > 500 ? "true,x," : "false,x,") +
             "2026-03-0" + std::to_string(1 + i % 9) + ",2026-03-01 08:00:00\n";
    }
    csv += "601,,,,,,,\n602,NaN,inf,west,true,,,\n";
    put(at("survey.csv"), csv);
    put(at("policy.yaml"), kPolicy);
    EXPECT_EQ(run({"ledger", "init"}).status, 0);
  }
  ~World() { std::filesystem::remove_all(folder_); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  Words words(Words words) const {
    words.insert(words.end(), {"--policy", at("policy.yaml"), "--ledger", at("l.ledger")});
    return words;
  }
  Finished run(const Words& more) const { return discreet(words(more)); }
  /// What the namespace has spent, as the ledger shows it.
  std::string spent() const {
    const Finished got = discreet({"ledger", "show", "--ledger", at("l.ledger"), "--json"});
    EXPECT_EQ(got.status, 0) << got.err;
    return Json::parse(got.out).value()[0].dump();
  }

 private:
  std::string folder_ = ::testing::TempDir() + "learn_" + std::to_string(::getpid());
};

TEST(Learn, EveryTaskIsChargedOnceAndItsModelPredicts) {
  const World world;
  const std::string rows = "age,cost,clinic\n30,900,north\n30,100,south\n,1,north\n";
  const auto learn = [&](Words words, const std::string& output) {
    words.insert(words.begin(), "learn");
    words.insert(words.end(), {"--epsilon", "20", "--output", world.at(output)});
    const Finished got = world.run(words);
    EXPECT_EQ(got.status, 0) << words[1] << got.err;
    return got.err;
  };
  const Words which{"--target", "smoker", "--features", "age,cost,clinic", "--group", "clinic"};
  for (const char* task : {"classify", "naive-bayes"}) {
    Words words = which;
    words.insert(words.begin(), task);
    const std::string said = learn(words, "smoker.json");
    EXPECT_NE(said.find("all: right for "), std::string::npos) << said;
    EXPECT_NE(said.find("south: right for "), std::string::npos) << said;
    const std::string before = world.spent();
    EXPECT_NE(learn(words, "smoker.json").find("free"), std::string::npos);
    EXPECT_EQ(world.spent(), before);
    const Finished predicted = discreet({"predict", world.at("smoker.json")}, rows);
    EXPECT_NE(predicted.out.find("30,900,north,true"), std::string::npos) << predicted.out;
    EXPECT_NE(predicted.out.find("30,100,south,false"), std::string::npos) << predicted.out;
    EXPECT_NE(predicted.out.find(",1,north,,,"), std::string::npos) << predicted.out;
  }
  learn({"regress", "--target", "cost", "--features", "age,smoker"}, "cost.json");
  learn({"cluster", "--features", "age,cost", "--k", "2"}, "groups.json");
  learn({"distribution", "--features", "age,clinic"}, "columns.json");
  learn({"synthesize", "--report", world.at("made.html"), "--certificate", world.at("made.json")},
        "made.parquet");
  EXPECT_NE(bytes_of(world.at("made.html")).find("released"), std::string::npos);
  for (const char* shown : {"begins at", "north", "2026-"}) {
    EXPECT_NE(bytes_of(world.at("made.html")).find(shown), std::string::npos) << shown;
  }
  EXPECT_EQ(bytes_of(world.at("made.parquet")).substr(0, 4), "PAR1");
  const auto certificate = Json::parse(bytes_of(world.at("made.json"))).value();
  EXPECT_NE(certificate["statement"].text().find("is free"), std::string::npos);

  // Without --features: all that the task can learn from. Dates are written as dates.
  const Finished made =
      world.run({"learn", "synthesize", "--epsilon", "20", "--rows", "20", "--delta", "1e-6"});
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.out.substr(0, made.out.find('\n')), "age,cost,clinic,smoker,day");
  EXPECT_NE(made.out.find(",2026-"), std::string::npos) << made.out;
  learn({"distribution", "--features", "day"}, "days.json");
  const auto days = Json::parse(bytes_of(world.at("days.json"))).value();
  const std::string median = days["columns"][0]["quantiles"]["50"].text();
  EXPECT_TRUE(median > "2026-02-25" && median < "2026-03-13")
      << median;  // all are from March 1 to 9
  const Finished numbers = world.run({"learn", "cluster", "--epsilon", "20", "--k", "2"});
  EXPECT_EQ(numbers.status, 0) << numbers.err;
  learn({"regress", "--target", "cost", "--features", "age, day"}, "day.json");
  const Finished dated =
      discreet({"predict", world.at("day.json")}, "age,day\n30,2026-03-05\n30,5\n");
  EXPECT_NE(dated.out.find("30,5,\n"), std::string::npos) << dated.out;
  EXPECT_EQ(dated.out.find("30,2026-03-05,\n"), std::string::npos) << dated.out;
  EXPECT_NE(dated.err.find("'day' has 1 values that cannot be read"), std::string::npos)
      << dated.err;
  const Finished other = discreet({"predict", world.at("smoker.json")},
                                  "\xEF\xBB\xBF"
                                  "age,cost,clinic\r\n30,900,North\r\n");
  EXPECT_EQ(other.status, 0) << other.err;  // a spreadsheet's file
  EXPECT_NE(other.err.find("'clinic' has 1 values that the model does not list"), std::string::npos)
      << other.err;
}

TEST(Learn, NothingIsChargedForWhatCannotBe) {
  const World world;
  const std::string before = world.spent();
  const auto refused = [&](Words words, const std::string& says, int status) {
    words.insert(words.begin(), "learn");
    words.insert(words.end(), {"--epsilon", "1"});
    const Finished got = world.run(words);
    EXPECT_EQ(got.status, status) << words[1] << got.err;
    EXPECT_NE(got.err.find(says), std::string::npos) << got.err;
  };
  const std::string nowhere = world.at("none/out.json");
  const std::string folder = world.at("state");
  refused({"classify", "--target", "smoker", "--output", nowhere}, "nothing was charged", 2);
  refused({"naive-bayes", "--target", "smoker", "--output", folder}, "nothing was charged", 2);
  refused({"regress", "--target", "cost", "--output", nowhere}, "nothing was charged", 2);
  refused({"cluster", "--features", "age", "--output", folder}, "nothing was charged", 2);
  refused({"network", "--target", "smoker", "--output", nowhere}, "nothing was charged", 2);
  refused({"distribution", "--output", folder}, "nothing was charged", 2);
  refused({"synthesize", "--output", world.at("x.csv"), "--report", nowhere}, "nothing was", 2);
  refused({"synthesize", "--certificate", folder}, "nothing was charged", 2);
  EXPECT_FALSE(std::filesystem::exists(world.at("x.csv")));  // nor left behind
  const std::string data = bytes_of(world.at("survey.csv"));
  refused({"synthesize", "--output", world.at("survey.csv")}, "is the source of table", 2);
  EXPECT_EQ(bytes_of(world.at("survey.csv")), data);
  refused({"classify", "--target", "age", "--features", "cost"}, "two classes", 2);
  refused({"classify", "--target", "smoker", "--features", "smoker"}, "its own features", 2);
  refused({"classify", "--target", "smoker", "--features", "age,age"}, "twice", 2);
  refused({"classify", "--target", "smoker", "--features", "note"}, "neither a range", 3);
  refused({"classify", "--target", "smoker", "--features", "agee"}, "age", 2);
  refused({"naive-bayes", "--target", "smoker", "--bins", "1"}, "--bins", 2);
  refused({"regress", "--target", "cost", "--ridge", "-1"}, "--ridge", 2);
  refused({"cluster", "--features", "clinic"}, "clinic", 2);
  refused({"cluster", "--features", "age", "--k", "1001"}, "from 1 to 1000;", 2);
  refused({"cluster", "--features", "age,at"}, "is a timestamp", 2);
  refused({"regress", "--target", "day", "--features", "age"}, "must be a number", 2);
  refused({"network", "--target", "smoker", "--delta", "1e-6", "--rate", "1e300"}, "--rate", 2);
  refused({"network", "--target", "smoker"}, "--delta", 2);
  refused({"network", "--target", "smoker", "--delta", "1e-6", "--steps", "1"}, "--steps", 2);
  EXPECT_EQ(world.spent(), before);
}

// What a user can run of audit's one_run_test: one family, sound and with the planted fault.
TEST(Learn, ItsAuditHoldsAndFindsThatClippingIsGone) {
  const Finished sound = discreet({"audit", "learn", "distribution", "--format", "csv"});
  EXPECT_EQ(sound.status, 0) << sound.err << sound.out;
  EXPECT_NE(sound.out.find("distribution,canaries,epsilon 1,"), std::string::npos) << sound.out;
  EXPECT_NE(sound.out.find("distribution,membership,"), std::string::npos) << sound.out;
  EXPECT_EQ(sound.out.find("VIOLATED"), std::string::npos) << sound.out;
  const Finished broken =
      discreet({"audit", "learn", "distribution", "--mutants", "--format", "csv"});
  EXPECT_EQ(broken.status, 0) << broken.err << broken.out;
  EXPECT_NE(broken.out.find("caught"), std::string::npos) << broken.out;
  EXPECT_EQ(broken.out.find("MISSED"), std::string::npos) << broken.out;
  const Finished unknown = discreet({"audit", "learn", "astrology"});
  EXPECT_EQ(unknown.status, 2) << unknown.err;
  EXPECT_NE(unknown.err.find("naive-bayes, regress, cluster"), unknown.err.npos) << unknown.err;
  // A family is chosen, not one of its attacks.
  const Finished one_attack = discreet({"audit", "learn", "regress canaries"});
  EXPECT_EQ(one_attack.status, 2) << one_attack.err;
  EXPECT_EQ(one_attack.err.find("membership"), one_attack.err.npos) << one_attack.err;
  const Finished mistyped = discreet({"audit", "learn", "regres"});
  EXPECT_NE(mistyped.err.find("did you mean regress?"), mistyped.err.npos) << mistyped.err;
  EXPECT_EQ(discreet({"audit", "learn", "--epsilon", "-1"}).status, 2);
}

// SIGKILL in the middle of training: the charge stays, the same command goes on without another,
// no part is taken twice, and the result is there once.
TEST(Learn, AKilledNetworkGoesOnFromItsSealedCheckpoint) {
  const World world;
  const std::string output = world.at("net.json");
  const std::string checkpoint = output + ".checkpoint";
  const Words words = world.words({"learn", "network", "--target", "smoker", "--features",
                                   "age,cost,clinic", "--epsilon", "3", "--delta", "1e-5",
                                   "--steps", "200", "--hidden", "256", "--output", output});
  const auto start = [&] {
    const pid_t child = fork();
    if (child != 0) return child;
    std::vector<char*> argv{strdup(program_path().c_str())};
    for (const std::string& word : words) argv.push_back(strdup(word.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  };
  // Killed when the second part was taken: what the first one drew is saved by then.
  const pid_t child = start();
  const auto taken = [&] {
    const Finished history =
        discreet({"ledger", "history", "--ledger", world.at("l.ledger"), "--json"});
    return history.out.find("\"request\": \"part 2 of ") != std::string::npos;
  };
  int status = 0;
  while (!taken() && waitpid(child, &status, WNOHANG) == 0) usleep(1000);
  ASSERT_EQ(waitpid(child, &status, WNOHANG), 0) << "it ended before it was killed";
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(std::filesystem::exists(output));
  const std::string once = world.spent();

  // A file that was changed is refused, and costs nothing.
  const std::string sealed = bytes_of(checkpoint);
  std::string changed = sealed;
  changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
  put(checkpoint, changed);
  const Finished refused = discreet(words);
  EXPECT_EQ(refused.status, 3) << refused.err;
  EXPECT_NE(refused.err.find("was changed"), std::string::npos) << refused.err;
  EXPECT_EQ(world.spent(), once);

  put(checkpoint, sealed);
  const Finished done = discreet(words);
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_NE(done.err.find("going on from"), std::string::npos) << done.err;
  EXPECT_EQ(world.spent(), once);
  EXPECT_FALSE(std::filesystem::exists(checkpoint));
  const auto model = Json::parse(bytes_of(output)).value();
  // The part in which it was killed is lost; none, if that was between two.
  const double steps = model["model"]["steps"].number();
  EXPECT_TRUE(steps == 180 || steps == 200) << steps;

  // The old file again, and none: the stored bytes, free.
  put(checkpoint, sealed);
  for (int i = 0; i < 2; ++i) {
    const Finished again = discreet(words);
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_NE(again.err.find("free"), std::string::npos) << again.err;
    EXPECT_EQ(Json::parse(bytes_of(output)).value(), model);
    EXPECT_EQ(world.spent(), once);
  }
  // Each of the ten parts stands in the history once.
  const Finished history =
      discreet({"ledger", "history", "--ledger", world.at("l.ledger"), "--json"});
  for (int part = 1; part <= 10; ++part) {
    const std::string text = "\"request\": \"part " + std::to_string(part) + " of ";
    std::size_t count = 0;
    for (std::size_t at = history.out.find(text); at != std::string::npos;
         at = history.out.find(text, at + 1)) {
      ++count;
    }
    EXPECT_EQ(count, 1u) << part;
  }
}

}  // namespace
}  // namespace discreet::cli::learn_test
