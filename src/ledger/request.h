// SPDX-License-Identifier: Apache-2.0
// What a charge in the making knows. Internal to ledger_charge.cc and ledger_tries.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ledger/ledger.h"

namespace discreet::ledger {

/// One namespace that pays, with what the state knows of it.
struct Ledger::Payer {
  const ChargedUnits* units = nullptr;
  const NamespaceState* space = nullptr;
  const Account* analyst = nullptr;
  Price price;
  std::string blocks;
  std::vector<std::size_t> numbers;
};

/// A charge with what was found out about it. Valid within a transaction, but for what it outputs.
struct Ledger::Request {
  Request(const Charge& asked, const Question& what) : charge(asked), question(what) {}

  const Charge& charge;
  const Question& question;
  std::vector<Payer> payers;  // Charge::units(), then its `also`

  // What came of it:
  std::optional<Owned> owned;    // what the analyst has already
  std::string bytes;             // its bytes
  std::optional<Record> shared;  // else another analyst's answer to the same
  bool is_share = false;         // what was paid: the bytes of that one
  std::string paid_as;           // the key of the question that was paid
  Sequence sequence = 0;         // of the charge: new, or taken over
  Hash hash{};
  int number_of_try = 1;
  bool waits = false;  // another thread or process works on that charge; nothing was appended
  std::shared_ptr<const UnderWay> under_way;
  std::shared_ptr<HeldRoom> room;  // stays held when the work is run again

  /// For a work that is run again.
  void begin() {
    payers.clear();
    owned.reset();
    shared.reset();
    is_share = false;
    number_of_try = 1;
    waits = false;
    under_way.reset();
  }

  const Payer& first() const { return payers.front(); }
};

/// A charge that may be taken over, or waited for.
struct Ledger::Unanswered {
  Record charge;
  int tries = 1;          ///< that were begun
  bool is_tried = false;  ///< by a thread of this process or another process, now
};

}  // namespace discreet::ledger
