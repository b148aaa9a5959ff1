// SPDX-License-Identifier: Apache-2.0
// Attacks: guided runs that break what others release, and do not break ours. Data is made on the
// spot; what answers is the product's own kernel (mechanism::Door::replay on seeded coins, so that
// a run can be repeated), and beside it a naive baseline that the same attacker beats.
//
//   DISCREET_ASSIGN(const AttackRun run, run_attack("reconstruct", {.seed = 1}));
//   run.ok                     the baselines fell, ours stands
//   run.measured[i].success    with its Clopper-Pearson interval, and the theorem's limit
//
// The theorem behind every limit: if an answer is epsilon-DP, an attacker's odds between two
// neighbouring data sets move by at most e^epsilon, whatever the attacker knows and computes. From
// even odds, a guess is right with probability at most e^epsilon / (1 + e^epsilon).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/exact.h"
#include "base/result.h"
#include "report/html.h"

namespace discreet::audit {

struct AttackOptions {
  std::uint64_t seed = 1;
  Rational epsilon = 1;  ///< of everything that ours releases in the attack, together
  int trials = 0;        ///< 0: the attack's own number
  int size = 0;          ///< 0: as in the lectures
  Progress progress = {};
  std::function<bool()> stopped = {};  ///< asked now and then; a run that stops is partial
};

/// How often an attacker was right about one target.
struct Measured {
  std::string target;  ///< "exact means", "discreet, epsilon 1"
  double success = 0;
  double low = 0;  ///< Clopper-Pearson, 99 %
  double high = 1;
  double surely = 0;  ///< the same lower end at 1 - 1e-9: a verdict must not be a matter of luck
  double limit = 1;   ///< no attacker does better, by theorem; 1 where there is none
  double chance = 0;  ///< what blind guessing gets
  std::optional<double> beyond = std::nullopt;  ///< what breaks a baseline; chance if absent
  bool ours = false;
  bool must_succeed = true;  ///< a baseline that the attack must beat

  /// A baseline fell (its interval is above blind guessing, or above `beyond`), or ours stands
  /// (even the widest interval reaches down to the limit: a false alarm has probability below
  /// 1e-9).
  bool ok() const { return ours ? surely <= limit : !must_succeed || is_broken(); }
  bool is_broken() const { return low > beyond.value_or(chance); }
};

struct AttackRun {
  report::Exhibit exhibit;
  std::vector<Measured> measured;
  bool ok = true;
};

/// A seed from the operating system, of 32 bits. Fails with: kNoEntropy.
Result<std::uint64_t> fresh_seed();

std::vector<std::string> attack_names();
std::string attack_summary(std::string_view name);

/// Fails with: kNotFound, naming the attacks; kInvalidInput for a size that is too small for it.
Result<AttackRun> run_attack(std::string_view name, const AttackOptions& options);

}  // namespace discreet::audit
