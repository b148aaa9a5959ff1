// SPDX-License-Identifier: Apache-2.0
// Where in the history an id, an answered question or a share of one stands: in memory, filled
// while the history is folded. So a store knows records by their sequence alone and keeps no index,
// which would cost a durable charge more than its record does.
//
//   Theorem. The trail of a key leads to every record that was added under it and not undone.
//   Proof. Such a record is among what waits for keep(), with its key, or it was linked into the
//   chain of its key's bucket, with its key's mark. Chains lose nothing, and a trail goes through
//   what waits and then through that bucket's chain of every segment.
//
// It may lead to records under other keys as well, so each is read and compared. That is a look at
// the store and nothing else; fewer than one new key in 10^7 causes one, whatever the history's
// length. Keys are hashed under a secret, so that nobody can choose ids that cause many. A record
// takes 10 bytes, up to 13 right after the index has grown; a share takes 18 more, or 21.
//
// Charges without an answer are kept beside it, by who asked what (OpenCharges): there are few, and
// each goes when its answer comes.
//
// [Kn98] Knuth: The Art of Computer Programming 3, 6.4: chaining.
// [AB07] Almeida, Baquero, Preguica, Hutchison: Scalable Bloom filters. IPL 101(6), 2007: growing
//        by a further, larger table, so that no key is ever needed again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ledger/record.h"
#include "random/keyed_hash.h"

namespace discreet::ledger {

/// What a question is looked up by.
struct QuestionKey {
  const std::string& units;
  const std::string& question;
  const std::string& snapshot;
};

/// Numbers 0, 1, 2, ... under keys.
class Chains {
 public:
  using Key = random::Hash128;

  /// The next number stands under this key, or under none.
  void add(const std::optional<Key>& key);
  std::uint64_t size() const { return size_; }
  std::size_t bytes() const;

  /// From the newest number to the oldest. Not to be used once something was added.
  class Trail {
   public:
    Trail(const Chains& chains, const Key& key);
    std::optional<std::uint64_t> next();

   private:
    const Chains* chains_;
    Key key_;
    std::size_t older_segments_;
    std::uint32_t at_ = 0;  // in the segment behind those; as Segment::heads has it
  };

 private:
  /// Twice as large as the one before it. Numbers within it count from 1; 0 is none.
  struct Segment {
    struct Link {
      std::uint32_t older;  // the next older number in its bucket
      std::uint32_t mark;   // 32 bits of its key
    };
    std::uint64_t begin = 0;           // the first number
    std::vector<std::uint32_t> heads;  // of each bucket: its newest number
    std::vector<Link> links;           // of each number

    std::size_t bucket(const Key& key) const { return key.low & (heads.size() - 1); }
    static std::uint32_t mark(const Key& key) { return static_cast<std::uint32_t>(key.high); }
  };

  std::vector<Segment> segments_;
  std::uint64_t size_ = 0;
};

/// Charges that wait for their answer, under keys.
class OpenCharges {
 public:
  using Key = random::Hash128;

  void add(Sequence charge, const Key& key);
  void answer(Sequence charge);
  void forget();
  /// From the oldest to the newest.
  std::vector<Sequence> of(const Key& key) const;

 private:
  struct Low {
    std::size_t operator()(const Key& key) const { return key.low; }
  };
  std::unordered_map<Sequence, Key> keys_;
  std::unordered_multimap<Key, Sequence, Low> charges_;
};

class Index {
 public:
  Index() = default;
  /// `misleads`: every trail leads to all records, as a false alarm leads to one. For tests.
  explicit Index(const random::Secret& secret, bool misleads = false)
      : secret_(secret), misleads_(misleads) {}

  /// Requires: all records are added, in order.
  void add(const Record& record);
  /// What is added from here on may be taken back, by undo(), until keep().
  void try_records() { tries_ = true; }
  void keep();
  void undo();

  /// Sequences, from the newest to the oldest. Not to be used once something was added.
  class Trail {
   public:
    std::optional<Sequence> next();

   private:
    friend class Index;
    Trail(const Index& index, bool is_of_shares, const Chains::Key& key);
    const Index* index_;
    bool is_of_shares_;
    Chains::Key key_;
    std::size_t waiting_;
    Chains::Trail kept_;
  };
  /// Charges and shares by this analyst under this id.
  Trail requests(std::string_view units, std::string_view analyst,
                 std::string_view request_id) const;
  Trail answers(const QuestionKey& key) const;
  /// Shares of an answer to this question by this analyst.
  Trail shares(const QuestionKey& key, std::string_view analyst) const;
  /// Charges of this question by this analyst that have a price and no answer, from the oldest to
  /// the newest; none from before a recovery or a new witness: what was lost with the records
  /// behind them may have been their answer (L11).
  std::vector<Sequence> unanswered(const QuestionKey& key, std::string_view analyst) const;

  /// Of the trails; an unanswered charge takes some 150 more.
  std::size_t bytes() const;

 private:
  using Key = Chains::Key;
  struct Keys {
    std::optional<Key> record;  ///< a payment's id, an answer's question
    std::optional<Key> share;   ///< its question and its analyst
    std::optional<Key> charge;  ///< the same of a charge that may be answered
    std::optional<Sequence> answered = {};
    bool forgets = false;  ///< who waits for an answer
  };

  Key key_of(char kind, std::initializer_list<std::string_view> parts) const;
  Keys keys_of(const Record& record) const;
  void link(const Keys& keys);

  random::Secret secret_;
  bool misleads_ = false;
  Chains records_;               // by sequence
  Chains shares_;                // by their place in the next
  std::vector<Sequence> shown_;  // the sequences of shares
  OpenCharges open_;
  std::vector<Keys> waiting_;  // of the records behind those
  bool tries_ = false;
};

}  // namespace discreet::ledger
