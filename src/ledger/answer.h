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
};

/// Bytes that are stored and may be sent.
class Answer {
 public:
  const std::string& bytes() const { return bytes_; }
  /// The charge that bought these bytes.
  Sequence charge() const { return charge_; }
  /// Whether these bytes were stored earlier, for this or another request.
  bool repeated() const { return repeated_; }

 private:
  friend class Ledger;
  Answer(std::string bytes, Sequence charge, bool repeated)
      : bytes_(std::move(bytes)), charge_(charge), repeated_(repeated) {}
  std::string bytes_;
  Sequence charge_;
  bool repeated_;
};

/// How often a charge can be tried, the first time included, before it counts as used (L11).
inline constexpr int kTries = 3;

/// A durable charge that has no answer yet: one receipt for each line of the charge. Dropping it
/// gives nothing back; but a question that takes over can be asked again.
class Paid {
 public:
  Paid(Paid&&) noexcept = default;
  Paid& operator=(Paid&&) = delete;
  Paid(const Paid&) = delete;
  Paid& operator=(const Paid&) = delete;
  ~Paid() = default;

  Sequence charge() const { return charge_; }
  /// Which try of its charge this is: 1, or more if it was taken over.
  int number_of_try() const { return number_of_try_; }
  /// An error before noise was drawn, with what asking again will cost. The words are the same for
  /// all errors, also for one after which the charge was ended.
  Error failed(const Error& error) const;
  std::vector<Receipt> receipts;

 private:
  friend class Ledger;
  Paid(std::vector<Receipt> all, Sequence charge, const Hash& hash,
       std::shared_ptr<const UnderWay> under_way = nullptr, int number_of_try = 1,
       std::shared_ptr<HeldRoom> room = nullptr)
      : receipts(std::move(all)),
        charge_(charge),
        hash_(hash),
        under_way_(std::move(under_way)),
        number_of_try_(number_of_try),
        room_(std::move(room)) {}
  Sequence charge_;
  Hash hash_;  // of the charge's record: the answer goes to the ledger that was charged
  std::shared_ptr<const UnderWay> under_way_;  // of a question that takes over
  int number_of_try_;
  std::shared_ptr<HeldRoom> room_;  // from before the charge, for what is drawn with it
};

using Outcome = std::variant<Answer, Paid>;

/// What a charge would cost now, and whether it would be admitted. Nothing is charged.
struct Quote {
  Price price;          ///< of the question, in the namespace's notion
  Price total_pays;     ///< 0 for a repeat
  Price analyst_pays;   ///< 0 for a repeat by the analyst who paid before
  Price total_left;     ///< of the blocks named, before it
  Price analyst_left;   ///< the same
  bool repeat = false;  ///< a stored answer would be given
  bool retry = false;   ///< a charge without an answer would be used: nothing is paid
  bool fits = false;

  /// Further namespaces that pay when this one does.
  struct Also {
    std::string units;
    Price price;
    Price total_left;
    Price analyst_left;
  };
  std::vector<Also> also = {};
};

}  // namespace discreet::ledger
