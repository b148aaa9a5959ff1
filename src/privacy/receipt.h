// SPDX-License-Identifier: Apache-2.0
// Charge and Receipt: a budget that is consumed as a value. A Charge says what a question will
// cost; the ledger makes it durable and then mints a Receipt; a mechanism consumes the Receipt. A
// dropped Receipt is spent, not refunded: forgetting, crashing and retrying can waste budget, never
// create it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "privacy/cost.h"

namespace discreet {

namespace plan {
class Checker;
}
namespace ledger {
class Ledger;
}
namespace cli {
class OwnValues;
}
namespace mechanism {
class Door;
class AboveThreshold;
class ClippedSums;
class PrefixStream;
}  // namespace mechanism

/// The canonical text of a mechanism with every parameter that its privacy depends on, e.g.
/// "discrete-laplace(scale=2,sensitivity=1)". Two mechanisms with the same text have the same
/// guarantee.
struct NoiseSpec {
  std::string text;
  friend bool operator==(const NoiseSpec&, const NoiseSpec&) = default;
};

using Hash = std::array<std::uint8_t, 32>;

/// One use of one mechanism, and what it costs. A question's price is the sum of its lines: what is
/// cheaper than a sum (disjoint groups, say) is inside a mechanism, with its proof.
struct ChargeLine {
  NoiseSpec noise;
  Cost cost;
  friend bool operator==(const ChargeLine&, const ChargeLine&) = default;
};

/// Whose budget pays: a namespace of units, under one relation of neighbours, and of its blocks
/// those that the question's text names (none: all of them). `block_attribute` is what says a
/// unit's block, as the policy names it (patients.year); empty when no block is named.
struct ChargedUnits {
  std::string name;
  Neighbours neighbours = Neighbours::kAddRemove;
  std::vector<std::string> blocks;
  std::string block_attribute = {};
  /// The lines' costs are for one unit that comes or goes; of those one of *these* moves so many,
  /// and pays for a group of them (group_cost).
  std::int64_t moves = 1;
  /// Further namespaces that pay for the same lines, each its own price: households beside persons.
  /// They stand here so that whoever charges the same units charges these too.
  std::vector<ChargedUnits> also = {};
};

/// What a checked question will cost, and whom. Only the plan's checker can make one, and the
/// command line for values that its caller already holds.
class Charge {
 public:
  const ChargedUnits& units() const { return units_; }
  const std::vector<ChargeLine>& lines() const { return lines_; }
  const Hash& plan() const { return plan_; }
  const std::string& request_id() const { return request_id_; }

 private:
  friend class plan::Checker;
  friend class cli::OwnValues;
  friend class ChargeForTests;  // privacy/charge_for_tests.h
  Charge(ChargedUnits units, std::vector<ChargeLine> lines, Hash plan, std::string request_id)
      : units_(std::move(units)),
        lines_(std::move(lines)),
        plan_(plan),
        request_id_(std::move(request_id)) {}

  ChargedUnits units_;
  std::vector<ChargeLine> lines_;
  Hash plan_;
  std::string request_id_;
};

/// Proof that a charge is on disk, good for one use of exactly the mechanism that was charged.
class Receipt {
 public:
  Receipt(Receipt&& other) noexcept;
  Receipt& operator=(Receipt&&) = delete;
  Receipt(const Receipt&) = delete;
  Receipt& operator=(const Receipt&) = delete;
  ~Receipt() = default;

  const NoiseSpec& noise() const { return noise_; }
  const Cost& cost() const { return cost_; }
  /// The ledger's id of the charge; "unaccounted" for a value that the caller already holds.
  const std::string& id() const { return id_; }

 private:
  friend class ledger::Ledger;   // mints, after the record is durable
  friend class mechanism::Door;  // consumes
  friend class mechanism::AboveThreshold;
  friend class mechanism::ClippedSums;
  friend class mechanism::PrefixStream;
  friend class cli::OwnValues;  // unaccounted(), for values typed in by the caller

  Receipt(NoiseSpec noise, Cost cost, std::string id)
      : noise_(std::move(noise)), cost_(std::move(cost)), id_(std::move(id)), live_(true) {}

  /// Noise on a value that the caller already holds, charged to no budget.
  static Receipt unaccounted(NoiseSpec noise, Cost cost) {
    return Receipt(std::move(noise), std::move(cost), "unaccounted");
  }

  /// Uses the receipt up. A second use, or one after a move, is our bug (a CHECK).
  /// Fails with: kRefused when the receipt was paid for another mechanism.
  Result<void> consume(const NoiseSpec& noise, const Cost& cost);

  NoiseSpec noise_;
  Cost cost_;
  std::string id_;
  bool live_;
};

}  // namespace discreet
