// SPDX-License-Identifier: Apache-2.0
// A witness on a FaultDisk: its write and its sync are operations in the same count as those of the
// database, so that every order of the two is tried. That a torn slot leaves the head before is
// witness_test's business; here a move that was not synced is kept or not.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "ledger/fault_disk_for_tests.h"
#include "ledger/witness.h"

namespace discreet::ledger {

/// What is left of a witness when its process is gone.
struct WitnessOnDisk {
  std::optional<Head> cached;   ///< what a read gives
  std::optional<Head> durable;  ///< what a power cut leaves

  void power_cut(FaultDisk& disk, Survival survival) {
    const bool keeps =
        survival == Survival::kEverything || (survival != Survival::kNothing && disk.flip());
    if (!keeps) cached = durable;
    durable = cached;
  }
};

class FaultWitness : public Witness {
 public:
  FaultWitness(FaultDisk& disk, WitnessOnDisk& file) : disk_(disk), file_(file) {}

  Result<std::optional<Head>> read() override {
    if (disk_.is_dead()) return gone();
    return file_.cached;
  }
  Result<void> advance(const Head& head, const Recognise& recognise) override {
    if (disk_.is_dead() || !file_.cached) return gone();
    if (recognise) DISCREET_TRY(recognise(*file_.cached));
    if (file_.cached->sequence == head.sequence && file_.cached->hash != head.hash) {
      return Error{Code::kCorrupt, "another history"};
    }
    if (file_.cached->sequence >= head.sequence) return {};
    return put(head);
  }
  Result<void> replace(const Head& head) override { return put(head); }
  std::string name() const override { return "the modelled witness"; }

 private:
  using Verdict = FaultDisk::Verdict;

  Result<void> put(const Head& head) {
    const Verdict written = disk_.step(Operation::kWrite);
    if (written == Verdict::kGood || written == Verdict::kDies) file_.cached = head;
    if (written != Verdict::kGood) return gone();
    if (disk_.step(Operation::kSync) != Verdict::kGood) return gone();
    if (!disk_.ignores_syncs()) file_.durable = head;
    return {};
  }
  static Error gone() { return {Code::kStorage, "the modelled witness failed"}; }

  FaultDisk& disk_;
  WitnessOnDisk& file_;
};

}  // namespace discreet::ledger
