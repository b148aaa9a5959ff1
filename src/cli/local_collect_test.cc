// SPDX-License-Identifier: Apache-2.0
// The collector as a program: killed while it works, stopped, and fed with what is wrong.
#include "cli/collect_kill_for_tests.h"
#include "cli/process_for_tests.h"
#include "ledger/scratch_for_tests.h"

namespace discreet::cli::local_collect_test {
namespace {

using ledger::Scratch;

TEST(LocalCollect, LosesNothingWhenKilled) {
  const Scratch scratch;
  CollectKillTrial trial(program_path(), scratch.path());
  for (int kill = 0; kill < 5; ++kill) {
    for (const std::string& complaint : trial.kill_after(std::chrono::milliseconds(30 + 17 * kill)))
      ADD_FAILURE() << complaint;
  }
  for (const std::string& complaint : trial.settle()) ADD_FAILURE() << complaint;
  EXPECT_GT(trial.acknowledged(), 0U);
  // Unacknowledged ones exist too, so that both sides of the account were tried.
  EXPECT_GT(trial.sent(), trial.acknowledged());
}

TEST(LocalCollect, TakesFilesAndSaysWhatIsWrong) {
  const Scratch scratch(Scratch::Place::kMemory);
  const local::Survey survey = server::collect::survey_for_tests();
  ledger::spill(scratch / "s", local::encode(survey));
  ledger::spill(scratch / "r", server::collect::reports(survey, 0, 100));
  ledger::spill(scratch / "bad", "rubbish");
  const std::string store = scratch / "store";
  const auto collect = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"local", "collect"};
    words.insert(words.end(), more.begin(), more.end());
    return discreet(words);
  };
  const std::string s = scratch / "s";
  const std::string r = scratch / "r";
  const Finished taken = collect({"--survey", s, "--store", store, r, r});
  EXPECT_EQ(taken.status, 0) << taken.err;
  EXPECT_EQ(taken.out, server::collect::to_json({.accepted = 100, .duplicate = 100}));
  const Finished noted = collect({"--survey", s, "--store", store, scratch / "bad"});
  EXPECT_EQ(noted.status, 0);
  EXPECT_NE(noted.err.find("bad"), noted.err.npos);

  ServerProcess holder({program_path(), "local", "collect", "--survey", s, "--store",
                        scratch / "held", "--listen", "127.0.0.1:0"});
  ASSERT_NE(holder.port(), 0);
  const std::string taken_port = "127.0.0.1:" + std::to_string(holder.port());
  const std::vector<std::vector<std::string>> kWrong = {
      {"--store", store, r},
      {"--survey", s, r},
      {"--survey", s, "--store", store},
      {"--survey", scratch / "absent", "--store", store, r},
      {"--survey", r, "--store", store, r},
      {"--survey", s, "--store", store, scratch / "absent"},
      {"--survey", s, "--store", store, "--listen", "8080"},
      {"--survey", s, "--store", store, "--listen", taken_port},
      {"--survey", s, "--store", scratch / "held", r},
      {"--survey", s, "--store", store, "--listen", "127.0.0.1:0", "--tls-key", s},
      {"--survey", s, "--store", store, "--listen", "127.0.0.1:0", "--tls-key", s,
       "--tls-certificate", s},
      {"--survey", s, "--store", store, "--reports-max", "0", r},
      {"--survey", s, "--store", scratch / "part", "--shard", "3/2", r},
  };
  for (const auto& words : kWrong) {
    const Finished finished = collect(words);
    EXPECT_EQ(finished.status, 2) << words.back() << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(finished.err.find("discreet: "), 0U) << finished.err;
  }
}

}  // namespace
}  // namespace discreet::cli::local_collect_test
