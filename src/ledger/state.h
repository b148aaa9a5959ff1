// SPDX-License-Identifier: Apache-2.0
// The state of a ledger: a pure fold of its history. Whoever has the history has the balances.
//
//   State state;
//   for (const Record& record : history) DISCREET_TRY(state.apply(record));
//
// apply() accepts a record only if it continues the chain, bears the owner's signature where it
// must, and keeps every account within its cap. So a state that exists is a checked one (L3).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ledger/account.h"
#include "ledger/record.h"
#include "ledger/terms.h"
#include "ledger/witness.h"

namespace discreet::ledger {

struct NamespaceState {
  NamespaceTerms terms;  ///< as laid down first, without blocks and analysts; caps: see accounts
  Account total;
  std::map<std::string, Account, std::less<>> analysts;
  std::vector<std::string> blocks;  ///< in the order in which they were declared
  std::map<std::string, std::size_t, std::less<>> block_numbers;
  std::uint64_t charges = 0;
  std::uint64_t shares = 0;
  std::uint64_t answers = 0;

  /// Fails with: kNotFound, naming what exists.
  Result<const Account*> analyst(std::string_view name) const;
  /// Fails with: kNotFound, naming what exists.
  Result<std::vector<std::size_t>> numbers_of(const std::vector<std::string>& names) const;
};

/// Whether the caps of all analysts together are at most the total, each without what a recovery
/// counted as spent: then nobody's spending takes anything from another. Else they share it.
bool is_reserved(const NamespaceState& space);

/// When a namespace whose caps are shared closes (L12).
struct Closing {
  /// The largest price of one question, by namespace; a quarter of the total cap where none is named.
  std::map<std::string, Price, std::less<>> declared = {};

  Price largest(const NamespaceState& space) const;
};

/// Whether `account` of `space` may have its cap raised by `more`. Fails with: kInvalidInput.
Result<void> check_raise(const NamespaceState& space, const Account& account, const Price& more);

class State {
 public:
  /// Fails with: kCorrupt, naming the record, and kUnsupported for one that only a newer program
  /// knows; then the state is as before.
  Result<void> apply(const Record& record);
  /// The same for a record of ours that needs no signature: gives it its sequence and its hash.
  Result<void> extend(Record& record);

  /// From here on apply() takes payments and answers only and remembers what it changes, until
  /// keep() or undo(), which brings back the state of this moment.
  void try_payments();
  void keep();
  void undo();

  /// Whether there is no record yet.
  bool empty() const { return front_.size == 0; }
  /// Of the last record.
  Sequence sequence() const { return front_.size - 1; }
  const Hash& hash() const { return front_.hash; }
  std::int64_t time_ms() const { return front_.time_ms; }
  /// What the next record must have.
  Sequence next() const { return front_.size; }

  const LedgerTerms& terms() const { return terms_; }
  const std::map<std::string, NamespaceState, std::less<>>& namespaces() const {
    return namespaces_;
  }
  /// Fails with: kNotFound, naming what exists.
  Result<const NamespaceState*> find(std::string_view units) const;
  /// Charges and shares so far: what a rollback could undo.
  std::uint64_t charges() const { return front_.charges; }
  std::uint64_t recoveries() const { return recoveries_; }
  /// To which format it was last upgraded; 0: it never was.
  int upgraded_to() const { return upgraded_to_; }
  /// Whether a namespace assumes bent coins. Answers drawn from one such source do not add up
  /// (mechanism/sv_laplace.md, section 5): there is one charge, ever, to whatever namespace.
  bool gives_one_answer() const { return gives_one_answer_; }
  bool gave_its_answer() const { return gives_one_answer_ && front_.charges > 0; }

 private:
  /// What a payment changes besides namespaces.
  struct Front {
    Sequence size = 0;
    Hash hash{};
    std::int64_t time_ms = 0;
    std::uint64_t charges = 0;
    /// The charge or share that the next record may join; nothing behind other records.
    std::optional<Sequence> joinable = {};
    Kind joinable_kind = Kind::kCharge;
  };
  /// How things were when try_payments() was called: whatever was changed since, once.
  struct Before {
    bool is_on = false;
    Front front = {};
    struct Space {
      NamespaceState* space;
      std::uint64_t charges, shares, answers;
    };
    std::vector<Space> spaces = {};
    std::vector<std::pair<Account*, Account>> accounts = {};

    void note(NamespaceState& space);
    void note(Account& account);
  };
  Result<void> check_chain(const Record& record) const;
  Result<void> check_order(const Record& record) const;
  Result<void> check_signature(const Record& record) const;
  Result<void> accept(const Record& record);
  Result<void> fold(const Record& record);
  Result<void> fold_namespace(const Record& record);
  Result<void> fold_member(const Record& record);
  Result<void> fold_payment(const Record& record);
  void note_joinable(const Record& record);
  Result<void> fold_top_up(const Record& record);
  Result<void> fold_upgraded(const Record& record);
  NamespaceState* find_mutable(std::string_view units);

  LedgerTerms terms_;
  std::map<std::string, NamespaceState, std::less<>> namespaces_;
  Front front_;
  std::uint64_t recoveries_ = 0;
  int upgraded_to_ = 0;
  bool gives_one_answer_ = false;
  Before before_;  // its pointers are into namespaces_: while it is on, not to be copied
};

}  // namespace discreet::ledger
