// SPDX-License-Identifier: Apache-2.0
// What comes of a question: bytes that may be sent, or a charge that waits for its answer. Only the
// ledger makes either.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ledger/record.h"
#include "ledger/room.h"
#include "ledger/under_way.h"
#include "privacy/receipt.h"

namespace discreet::ledger {

/// Who asks what. Key and label are opaque bytes from the caller; hit and price are functions of
/// them, the charge and the history alone.
struct Question {
  std::string analyst;
  std::string key;       ///< the canonical question; at most 64 KiB
  std::string snapshot;  ///< the owner's label for the state of the data; at most 1 KiB
  /// What earlier versions of the program would have said in the place of `key`, newest first. What
  /// is stored under them is found when nothing is stored under `key`; nothing new is stored so.
  std::vector<std::string> older_keys = {};
  /// Whether a charge of the same question by the same analyst that has no answer is used in place
  /// of a new one (L11). Whoever says so keeps to Ledger::begin_drawing().
  bool takes_over = false;

  bool is_known_as(const std::string& stored) const {
    return stored == key || std::ranges::find(older_keys, stored) != older_keys.end();
  }
  /// From the newest.
  std::vector<std::string> keys() const {
    std::vector<std::string> all = {key};
    all.insert(all.end(), older_keys.begin(), older_keys.end());
    return all;
  }
};

/// Bytes that are stored and may be sent.
class Answer {
 public:
  const std::string& bytes() const { return bytes_; }
  /// The charge or share with which the asker paid for these bytes.
  Sequence charge() const { return charge_; }
  /// The same in a number that tells nothing of others (receipt_number()).
  std::uint64_t receipt() const { return receipt_; }
  /// Whether the asker had these bytes before; says nothing about other analysts.
  bool repeated() const { return repeated_; }

 private:
  friend class Ledger;
  Answer(std::string bytes, const Record& payment, bool repeated)
      : bytes_(std::move(bytes)),
        charge_(payment.sequence),
        receipt_(receipt_number(payment)),
        repeated_(repeated) {}
  std::string bytes_;
  Sequence charge_;
  std::uint64_t receipt_;
  bool repeated_;
};

/// How often a charge can be tried, the first time included, before it counts as used (L11).
inline constexpr int kTries = 3;

/// A durable payment that has no answer yet: one receipt for each line of a charge, and none for a
/// share. Dropping it gives nothing back; but a question that takes over can be asked again.
class Paid {
 public:
  Paid(Paid&&) noexcept = default;
  Paid& operator=(Paid&&) = delete;
  Paid(const Paid&) = delete;
  Paid& operator=(const Paid&) = delete;
  ~Paid() = default;

  Sequence charge() const { return charge_; }
  /// Its number for whoever paid (receipt_number()).
  std::uint64_t receipt() const { return receipt_; }
  /// The answer is there, since another analyst bought it: nothing is drawn, and Ledger::store()
  /// gives it, whatever it is handed. Everything else is done as if it were not, so that nothing
  /// tells whether it was.
  bool is_share() const { return is_share_; }
  /// Which try of its charge this is: 1, or more if it was taken over.
  int number_of_try() const { return number_of_try_; }
  /// An error before noise was drawn, with what asking again will cost. The words are the same for
  /// all errors, also for one after which the charge was ended.
  Error failed(const Error& error) const;
  std::vector<Receipt> receipts;

 private:
  friend class Ledger;
  Paid(std::vector<Receipt> all, Sequence charge, const Hash& hash, std::uint64_t receipt,
       bool is_share, std::shared_ptr<const UnderWay> under_way = nullptr, int number_of_try = 1,
       std::shared_ptr<HeldRoom> room = nullptr)
      : receipts(std::move(all)),
        charge_(charge),
        hash_(hash),
        receipt_(receipt),
        is_share_(is_share),
        under_way_(std::move(under_way)),
        number_of_try_(number_of_try),
        room_(std::move(room)) {}
  Sequence charge_;
  Hash hash_;  // of the charge's record: the answer goes to the ledger that was charged
  std::uint64_t receipt_;
  bool is_share_;
  std::shared_ptr<const UnderWay> under_way_;  // of a question that takes over
  int number_of_try_;
  std::shared_ptr<HeldRoom> room_;  // from before the charge, for what is drawn with it
};

using Outcome = std::variant<Answer, Paid>;

/// What a question would cost an analyst now, and whether it would be admitted; nothing is charged.
/// A function of that analyst's own records, the owner's, and of whether a namespace is closed.
struct Quote {
  Price price;          ///< of the question, in the namespace's notion
  Price pays;           ///< 0 for a repeat or a retry
  Price left;           ///< of the analyst's own cap, of the blocks named, before it
  bool repeat = false;  ///< the analyst has the answer: it is given again
  bool retry = false;   ///< a payment without an answer would be used: nothing is paid
  bool is_open = true;  ///< false: what is not bought yet is not sold any more
  bool fits = false;

  /// Further namespaces that pay when this one does.
  struct Also {
    std::string units;
    Price price;
    Price left;
  };
  std::vector<Also> also = {};
};

/// The same for the owner, who may see what all have left together.
struct OwnerQuote {
  Quote analysts;                     ///< as the analyst sees it
  Price total_pays;                   ///< 0 also for an answer that another analyst bought
  Price total_left;                   ///< of the blocks named, before it
  bool fits = false;                  ///< in the total, too
  std::vector<Price> also_left = {};  ///< what all have left of each Quote::also
};

}  // namespace discreet::ledger
