// SPDX-License-Identifier: Apache-2.0
// What was tried: every command with input that is off. Each time the status is the table's,
// nothing is on standard output, and the message names the fix.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/process_for_tests.h"

namespace discreet::cli::bad_input_test {
namespace {

using Words = std::vector<std::string>;

struct Command {
  Words words;
  std::string input;
};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Status, silence, and the fix.
void expect_refused(const Words& words, const std::string& input, const std::string& fix,
                    int status = 2) {
  std::string shown = "discreet";
  for (const std::string& word : words) shown += " " + word.substr(0, 40);
  SCOPED_TRACE(shown);
  const Finished got = discreet(words, input);
  EXPECT_EQ(got.status, status) << got.err;
  EXPECT_EQ(got.out, "");
  EXPECT_EQ(got.err.substr(0, 10), "discreet: ");
  EXPECT_NE(got.err.find(fix), std::string::npos) << got.err;
  EXPECT_EQ(got.err.find('\n'), got.err.size() - 1) << "one line: " << got.err;
}

const Words kLaplace = {"noise", "laplace", "--value", "42", "--sensitivity", "1"};
const Words kGaussian = {"noise", "gaussian", "--value", "42", "--sensitivity", "1"};
const Words kGeometric = {"noise", "geometric", "--value", "42", "--sensitivity", "1"};
const Words kChoose = {"choose", "--sensitivity", "1"};
const std::string kScores = "a,1\nb,2\n";
const std::string kBits = "0\n1\n";

std::vector<Command> commands_with_epsilon() {
  return {{kLaplace, ""},
          {with(kGaussian, {"--delta", "1e-6"}), ""},
          {kGeometric, ""},
          {{"local", "respond"}, kBits},
          {{"local", "estimate"}, kBits},
          {kChoose, kScores}};
}

TEST(BadInput, EpsilonThatIsNoEpsilon) {
  for (const Command& command : commands_with_epsilon()) {
    for (const char* epsilon : {"0", "-1", "nan", "inf", "1e400", "1e99999", "abc", "", "1/0",
                                "0x1", "1 ", "--epsilon", "\xff\xfe"}) {
      expect_refused(with(command.words, {"--epsilon", epsilon}), command.input,
                     "epsilon must be a number above 0");
    }
    expect_refused(with(command.words, {"--epsilon", std::string(100'000, '9')}), command.input,
                   "epsilon must be a number above 0");
  }
}

TEST(BadInput, MissingOptionsAreNamedWithAnExample) {
  for (const Command& command : commands_with_epsilon()) {
    expect_refused(command.words, command.input, "--epsilon");
    expect_refused(command.words, command.input, "is missing; for example: ");
  }
  expect_refused({"noise", "laplace", "--sensitivity", "1", "--epsilon", "1"}, "", "--value");
  expect_refused({"noise", "laplace", "--value", "1", "--epsilon", "1"}, "", "--sensitivity");
  expect_refused({"choose", "--epsilon", "1"}, kScores, "--sensitivity");
  expect_refused(with(kGaussian, {"--epsilon", "1"}), "", "--delta");
  expect_refused(with(kLaplace, {"--epsilon"}), "", "--epsilon");
}

TEST(BadInput, OtherQuantities) {
  for (const char* bad : {"0", "-1", "nan", "inf", "abc", ""}) {
    for (const char* kind : {"laplace", "geometric", "gaussian"}) {
      expect_refused({"noise", kind, "--value", "1", "--epsilon", "1", "--delta", "1e-6",
                      "--sensitivity", bad},
                     "", kind == std::string("gaussian") ? "sensitivity must be" : "--delta");
      expect_refused({"noise", kind, "--value", "1", "--epsilon", "1", "--sensitivity", bad}, "",
                     "sensitivity must be");
    }
    expect_refused({"choose", "--epsilon", "1", "--sensitivity", bad}, kScores,
                   "sensitivity must be");
    expect_refused(with(kGaussian, {"--rho", bad}), "", "rho must be");
    expect_refused(with(kLaplace, {"--epsilon", "1", "--step", bad}), "", "step must be");
    expect_refused({"local", "respond", "--bias", bad}, kBits, "bias");
    expect_refused({"local", "estimate", "--bias", bad}, kBits, "bias");
  }
  for (const char* bad : {"0", "1", "2", "-0.5", "nan", "abc", ""}) {
    for (const Command& command : commands_with_epsilon()) {
      if (command.words[0] == "local" && command.words[1] == "respond") continue;
      expect_refused(with(command.words, {"--epsilon", "1", "--confidence", bad}), command.input,
                     "confidence must be a number between 0 and 1");
    }
  }
  for (const char* bad : {"0", "-1", "1e12", "1.5", "abc", ""}) {
    expect_refused(with(kLaplace, {"--epsilon", "1", "--count", bad}), "",
                   "count must be a whole number from 1 to 10000000000");
    expect_refused(with(kGaussian, {"--rho", "1", "--count", bad}), "", "count must be");
    expect_refused(with(kChoose, {"--epsilon", "1", "--top", bad}), kScores,
                   "top must be a whole number from 1 to 1000");
  }
  expect_refused(with(kGaussian, {"--epsilon", "1", "--delta", "1"}), "", "delta must be");
  expect_refused(with(kGaussian, {"--epsilon", "1", "--delta", "0"}), "", "delta above 0");
  for (const char* command : {"respond", "estimate"}) {
    expect_refused({"local", command, "--bias", "1/2"}, kBits,
                   "the bias must lie strictly between 0 and 1/2, such as 1/4");
  }
}

TEST(BadInput, ValuesThatDoNotFit) {
  const Words rest = {"--sensitivity", "1", "--epsilon", "1"};
  for (const char* kind : {"laplace", "geometric"}) {
    for (const char* bad : {"nan", "inf", "abc", ""}) {
      expect_refused(with({"noise", kind, "--value", bad}, rest), "", "write it as 42, 0.1");
    }
    expect_refused(with({"noise", kind, "--value", "1.5"}, rest), "", "--step 0.01");
    expect_refused(with({"noise", kind, "--value", "1e39"}, rest), "", "must lie between");
    expect_refused(with({"noise", kind, "--value", "1e19", "--count", "2"}, rest), "",
                   "must lie between");
  }
  expect_refused(with({"noise", "laplace", "--value", "1e35", "--step", "1e-5"}, rest), "",
                 "larger --step");
  expect_refused(with({"noise", "laplace", "--value", "1", "--step", "1/3", "--count", "2"}, rest),
                 "", "such as 0.01");
  expect_refused(with(kGeometric, {"--epsilon", "1", "--upper", "41"}), "", "widen");
  expect_refused(with(kGeometric, {"--epsilon", "1", "--lower", "50", "--upper", "1"}), "", "low");
  expect_refused(with(kGeometric, {"--epsilon", "1", "--lower", "x"}), "", "lower");
  expect_refused({"noise", "laplace", "--value", "1", "--sensitivity", "1e30", "--epsilon", "1"},
                 "", "raise epsilon");
  expect_refused(with(kLaplace, {"--epsilon", "1e-30"}), "", "raise epsilon");
  expect_refused(with(kGaussian, {"--rho", "1e-30"}), "", "raise");
}

TEST(BadInput, OptionsThatContradict) {
  expect_refused(with(kGaussian, {"--rho", "1", "--epsilon", "1"}), "", "not both");
  expect_refused({"local", "respond", "--epsilon", "1", "--almost-random"}, kBits, "give one of");
  expect_refused(with(kLaplace, {"--epsilon", "1", "--json", "--format", "csv"}), "", "give one");
  expect_refused(with(kLaplace, {"--epsilon", "1", "--count", "3", "--json"}), "", "leave out");
  expect_refused(with(kLaplace, {"--epsilon", "1", "--epsilon", "2"}), "", "--help");
  expect_refused(with(kLaplace, {"--epsilon", "1", "--format", "xml"}), "", "table, csv, json");
  expect_refused(with(kChoose, {"--epsilon", "1", "--method", "best"}), kScores,
                 "exponential or permute-and-flip");
  expect_refused(with(kChoose, {"--epsilon", "1", "--method", "permute-and-flip", "--top", "2"}),
                 kScores, "--top works with");
  expect_refused(with(kChoose, {"--epsilon", "1", "--top", "3"}), kScores, "2");
}

TEST(BadInput, UnknownWords) {
  expect_refused({}, "", "noise, local, choose, audit, attack, account, policy, ledger");
  expect_refused({"nose"}, "", "did you mean noise?");
  expect_refused({"zebra"}, "",
                 "the commands are noise, local, choose, audit, attack, account, policy");
  expect_refused({"noise"}, "", "laplace, gaussian or geometric");
  expect_refused({"noise", "lapalce"}, "", "did you mean laplace?");
  expect_refused({"help", "nose"}, "", "did you mean noise?");
  expect_refused({"audit", "exact", "no-such-mechanism"}, "", "laplace");
  expect_refused(with(kLaplace, {"--epslion", "1"}), "", "did you mean --epsilon?");
  expect_refused(with(kLaplace, {"--zebra"}), "", "see discreet noise laplace --help");
  expect_refused(with(kLaplace, {"--epsilon", "1", "stray"}), "", "unexpected word 'stray'");
  expect_refused({"--zebra"}, "", "see discreet --help");
  expect_refused({""}, "", "the commands are");
  expect_refused({std::string(1 << 16, 'x')}, "", "the commands are");
  expect_refused({"\x1b[2J"}, "", "'?[2J'");
}

TEST(BadInput, LinesThatAreNoBits) {
  for (const char* command : {"respond", "estimate"}) {
    const Words words = {"local", command, "--epsilon", "1"};
    expect_refused(words, "", "there is no input; write one bit a line");
    expect_refused(words, "\n\n", "there is no input");
    expect_refused(words, "0\n1\n2\n", "line 3 is '2'; write one bit a line");
    expect_refused(words, "0\n\n1\n", "line 2 is empty; write one bit a line");
    expect_refused(words, "yes\n1\n", "line 2 is '1' but line 1 uses no/yes; use one spelling");
    expect_refused(words, std::string(1 << 20, '1') + "\n", "line 1 is too long");
    expect_refused(words, std::string("\x00\xff\x1b[2J\n", 7), "line 1 is");
    // Nothing is written although a million good lines stand before the bad one.
    std::string long_input;
    for (int i = 0; i < 1'000'000; ++i) long_input += "1\n";
    expect_refused(words, long_input + "maybe\n", "line 1000001 is 'maybe'");
  }
}

TEST(BadInput, LinesThatAreNoCandidates) {
  const Words words = with(kChoose, {"--epsilon", "1"});
  const std::string form = "write name,score, such as apples,12";
  expect_refused(words, "", form);
  expect_refused(words, "a\n", "line 1 has no comma; " + form);
  expect_refused(words, "a,1\n\nb,2\n", "line 2 is empty; " + form);
  expect_refused(words, "a,1\n,2\n", "line 2 has no name; " + form);
  expect_refused(words, "a,1\nb,\n", "line 2 has the score '', which is no number; " + form);
  expect_refused(words, "a,nan\n", form);
  expect_refused(words, "a,inf\n", form);
  expect_refused(words, "name,score\na,1\n", "line 1 has the score 'score'");
  expect_refused(words, "a,1\nb,2\na,3\n", "line 3 repeats the name 'a'; give each candidate once");
  expect_refused(words, "a,9223372036854775808\n", "line 1 has a score that does not fit 64 bits");
  expect_refused(words, "a,-9223372036854775809\n", "line 1 has a score that does not fit 64 bits");
  expect_refused(words, "a,9223372036854775807\nb,0.5\n", "round the scores");
  expect_refused(words, "a,1e-30\n", "round the scores");
  expect_refused(words, "a,1e400\n", "round the scores");
  expect_refused(words, "a," + std::string(1 << 20, '9') + "\n", form);
  expect_refused(words, std::string("\x00\xff\xfe\n", 4), form);
}

TEST(TheWorld, StreamsThatFailGiveStatus5) {
  struct Case {
    const char* command;
    const char* says;
  };
  const std::string noise = "$D noise laplace --value 1 --sensitivity 1 --epsilon 1";
  const Case cases[] = {
      {" >&-", "the output could not be written"},
      {" >/dev/full", "the output could not be written"},
      {" --count 1e6 2>/dev/null >/dev/full", ""},
      {" --count 1e6 >&-", "the output could not be written"},
  };
  for (const Case& c : cases) {
    const Finished got = shell(noise + c.command);
    EXPECT_EQ(got.status, 5) << c.command;
    EXPECT_NE(got.err.find(c.says), std::string::npos) << got.err;
  }
  EXPECT_EQ(shell("$D --help >/dev/full").status, 5);
  EXPECT_EQ(shell("$D --version >&-").status, 5);
  for (const char* input : {"<&-", "< /"}) {
    for (const char* command : {"local respond --epsilon 1", "local estimate --epsilon 1",
                                "choose --epsilon 1 --sensitivity 1"}) {
      const Finished got = shell(std::string("$D ") + command + " " + input);
      EXPECT_EQ(got.status, 5) << command << input;
      EXPECT_EQ(got.out, "");
      EXPECT_NE(got.err.find("give a file or a pipe"), std::string::npos) << got.err;
    }
  }
}

TEST(TheWorld, AReaderThatHasEnoughIsNoError) {
  const Finished draws = shell(
      "set -o pipefail; $D noise laplace --value 0 --sensitivity 1 --epsilon 1 --count 1e9 "
      "2>/dev/null | head -n 3");
  EXPECT_EQ(draws.status, 0);
  EXPECT_EQ(std::count(draws.out.begin(), draws.out.end(), '\n'), 3);
  const Finished replies = shell(
      "set -o pipefail; { yes 1 | head -n 1000000 || true; } | $D local respond --epsilon 1 | head "
      "-n 2");
  EXPECT_EQ(replies.status, 0);
  EXPECT_EQ(replies.err.find("discreet:"), std::string::npos) << replies.err;
}

TEST(TheWorld, AClosedStandardErrorDoesNotMixIntoAnything) {
  const Finished got =
      shell("$D noise laplace --value 1 --sensitivity 1 --epsilon 1 --count 2 2>&-");
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 2);
}

}  // namespace
}  // namespace discreet::cli::bad_input_test
