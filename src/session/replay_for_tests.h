// SPDX-License-Identifier: Apache-2.0
// Record and replay: one question on two databases with the same secret of the engine and the same
// tape of coins. Then all that differs comes from the one unit, and it must stay within what the
// question was charged for: exactly, in integers, without looking at noise.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "engine/key.h"
#include "mechanism/door.h"
#include "mechanism/verbs.h"
#include "session/clinic_for_tests.h"
#include "session/rank_interval.h"

namespace discreet::session {

/// Words that a seed decides (splitmix64).
class SeededTape final : public random::Tape<64> {
 public:
  explicit SeededTape(std::uint64_t seed) : state_(seed) {}
  std::uint64_t take(int k) override {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) >> (64 - k);
  }

 private:
  std::uint64_t state_;
};

/// One side of a replay.
class Replayed {
 public:
  Replayed(Clinic& clinic, const Request& request, const engine::Secret& secret)
      : checked_(check(clinic, request)),
        groups_(Sensitive<mechanism::Groups>(clinic.groups(checked_, secret))) {}

  const plan::Checked& checked() const { return checked_; }

  /// The keys that would be shown on the tape.
  std::vector<std::string> keys(std::uint64_t seed) const {
    if (!checked_.listed()) {
      SeededTape tape(seed);
      if (checked_.threshold()) {
        return mechanism::Door::replay(checked_.threshold()->noise, sums(), tape).outcome().keys;
      }
      return mechanism::Door::replay(*checked_.selection(), mechanism::Verbs::key_counts(groups_),
                                     tape)
          .outcome();
    }
    std::vector<std::string> keys;
    for (const auto& tuple : *checked_.listed()) {
      keys.push_back(engine::encode_key(tuple, checked_.key_shapes()));
    }
    return keys;
  }

  /// What the threshold's mechanism gets. Requires: there is one.
  Sensitive<mechanism::KeySums> sums() const {
    const plan::Threshold& threshold = *checked_.threshold();
    return mechanism::Verbs::key_sums(groups_, threshold.step,
                                      to_int128(threshold.noise.options().capacity));
  }

  /// The noised numbers of a step on the tape.
  std::vector<std::int64_t> values(std::size_t step, const std::vector<std::string>& keys,
                                   std::uint64_t seed) const {
    SeededTape tape(seed);
    return std::visit(
        [&](const auto& noise) -> std::vector<std::int64_t> {
          using Noise = std::decay_t<decltype(noise)>;
          if constexpr (std::is_same_v<Noise, mechanism::Quantiles>) {
            return mechanism::Door::replay(noise, mechanism::Verbs::runs(groups_, step, keys), tape)
                .outcome();
          } else if constexpr (std::is_same_v<Noise, mechanism::SvLaplace>) {
            return {saturate_to_int64(
                mechanism::Door::replay(noise,
                                        mechanism::Verbs::number(groups_, step, keys.front()), tape)
                    .outcome())};
          } else {
            return mechanism::Door::replay(noise, mechanism::Verbs::column(groups_, step, keys),
                                           tape)
                .outcome();
          }
        },
        checked_.steps()[step].noise);
  }

  /// The noised rows around `released`, which are the quantiles of a step.
  std::vector<std::int64_t> cells(std::size_t step, const std::vector<std::string>& keys,
                                  const std::vector<std::int64_t>& released,
                                  std::uint64_t seed) const {
    SeededTape tape(seed);
    const plan::Step& of = checked_.steps()[step];
    const auto cuts = cuts_around(released, of.lowered.low, of.lowered.high);
    const auto sealed = mechanism::Verbs::cells(
        groups_, step, keys, std::vector<std::vector<std::int64_t>>(keys.size(), cuts));
    if (const auto* const laplace = std::get_if<mechanism::LaplaceVector>(&*of.counts)) {
      return mechanism::Door::replay(*laplace, sealed, tape).outcome();
    }
    return mechanism::Door::replay(std::get<mechanism::GaussianVector>(*of.counts), sealed, tape)
        .outcome();
  }

 private:
  static plan::Checked check(Clinic& clinic, const Request& request) {
    sql::Options options = request.options;
    return std::move(plan::Checker::check(sql::bind(request.sql, options, clinic.policy())->plan,
                                          clinic.policy(), "replay")
                         .value());
  }

  plan::Checked checked_;
  Sensitive<mechanism::Groups> groups_;
};

/// That two noised arrays on one tape differ by no more than their noise is for.
inline void expect_within(const plan::Noise& noise, const std::vector<std::int64_t>& with,
                          const std::vector<std::int64_t>& without, const std::string& sql) {
  const std::string text = plan::line_of(noise).noise.text;
  ASSERT_EQ(with.size(), without.size()) << sql;
  Rational l1 = 0;
  Rational l2_squared = 0;
  for (std::size_t k = 0; k < with.size(); ++k) {
    const Rational moved = (Rational(with[k]) - Rational(without[k])).abs();
    l1 = l1 + moved;
    l2_squared = l2_squared + moved * moved;
  }
  if (const auto* const laplace = std::get_if<mechanism::LaplaceVector>(&noise)) {
    EXPECT_LE(l1, laplace->sensitivity().value()) << sql << "\n" << text;
  } else {
    EXPECT_LE(l2_squared, std::get<mechanism::GaussianVector>(noise).sensitivity_squared().value())
        << sql << "\n"
        << text;
  }
}

/// Both databases on the same tape: the same keys where they are listed, and numbers that differ by
/// no more than the sensitivity that was charged. (A quantile's answer may be any of the range:
/// there the tape shows only that nothing else differs.)
inline void expect_same_tape(Clinic& a, Clinic& b, const Request& request) {
  const engine::Secret secret{{17, 42}};
  const Replayed one(a, request, secret);
  const Replayed two(b, request, secret);
  std::vector<std::string> keys = one.keys(1);
  if (one.checked().listed()) {
    EXPECT_EQ(keys, two.keys(1)) << request.sql;
  } else {
    std::set<std::string> both(keys.begin(), keys.end());
    for (const std::string& key : two.keys(1)) both.insert(key);
    keys.assign(both.begin(), both.end());
  }
  ASSERT_EQ(one.checked().steps().size(), two.checked().steps().size());
  for (std::size_t i = 0; i < one.checked().steps().size(); ++i) {
    const plan::Step& step = one.checked().steps()[i];
    const std::string text = plan::line_of(step.noise).noise.text;
    ASSERT_EQ(text, plan::line_of(two.checked().steps()[i].noise).noise.text);
    const std::vector<std::int64_t> with = one.values(i, keys, 100 + i);
    const std::vector<std::int64_t> without = two.values(i, keys, 100 + i);
    ASSERT_EQ(with.size(), without.size()) << request.sql;
    if (const auto* const quantiles = std::get_if<mechanism::Quantiles>(&step.noise)) {
      for (const auto* values : {&with, &without}) {
        for (const std::int64_t value : *values) {
          EXPECT_GE(value, quantiles->options().low);
          EXPECT_LE(value, quantiles->options().high);
        }
      }
      if (step.counts) {  // around what was released of one side
        expect_within(*step.counts, one.cells(i, keys, with, 200 + i),
                      two.cells(i, keys, with, 200 + i), request.sql);
      }
      continue;
    }
    expect_within(step.noise, with, without, request.sql);
  }
}

}  // namespace discreet::session
