// SPDX-License-Identifier: Apache-2.0
// What the attacks have in common: measuring a success rate, stating its limit, and drawing noise
// from the kernel.
#pragma once

#include <string>
#include <vector>

#include "audit/attack/attack.h"
#include "audit/seeded_bits.h"
#include "mechanism/door.h"
#include "mechanism/laplace.h"

namespace discreet::audit {

struct Proportion {
  double low = 0;
  double high = 1;
};
/// The Clopper-Pearson interval: it holds the true rate with at least this confidence.
Proportion clopper_pearson(std::uint64_t successes, std::uint64_t trials, double confidence = 0.99);

/// e^epsilon / (e^epsilon + others), rounded up a little: the limit for a guess among 1 + others.
double guess_limit(const Rational& epsilon, int others = 1);

/// How often the attacker was right about a target.
Measured measured(std::string target, std::uint64_t successes, std::uint64_t trials);

/// One answer of the kernel, on coins that can be repeated.
template <class M>
typename M::Output answer(const M& mechanism, typename M::Input value, SeededBits& coins) {
  const Sensitive<typename M::Input> sealed(std::move(value));
  return mechanism::Door::replay(mechanism, sealed, coins).outcome();
}

/// What answers a count.
Result<mechanism::Laplace> noise_of(const Rational& epsilon);

/// Adds the table of what was measured, and says whether everything went as it must.
void conclude(AttackRun& run, const std::string& theorem);

std::string shown(double x, int digits = 3);
std::string percent(double x);

// One a file.
Result<AttackRun> attack_average(const AttackOptions& options);         // repeat.cc
Result<AttackRun> attack_difference(const AttackOptions& options);      // repeat.cc
Result<AttackRun> attack_reconstruct(const AttackOptions& options);     // reconstruct.cc
Result<AttackRun> attack_membership(const AttackOptions& options);      // membership.cc
Result<AttackRun> attack_floating_point(const AttackOptions& options);  // floating_point.cc
Result<AttackRun> attack_timing(const AttackOptions& options);          // timing.cc
Result<AttackRun> attack_weld(const AttackOptions& options);            // weld.cc
Result<AttackRun> attack_kanye(const AttackOptions& options);           // kanye.cc

}  // namespace discreet::audit
