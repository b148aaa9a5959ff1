// SPDX-License-Identifier: Apache-2.0
// A witness remembers, somewhere else than the ledger, how far the history had come. A ledger that
// is older than its witness was rolled back; one whose history does not contain the witness's head
// was rewritten or cloned. Both are refused.
//
// Two copies of a ledger share one witness, so the check and the move are one step under the
// witness's lock: of two copies that both committed a record after the same head, the second to
// arrive finds a head that is not its own and gets no receipt (W3).
//
//   W1  What advance() or replace() reported as done survives a crash.
//   W2  A crash in the middle leaves the old head or the new one.
//   W3  advance() moves from a head that the caller recognised, and only forward.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "ledger/record.h"
#include "ledger/seal.h"

namespace discreet::ledger {

/// Of a witness and of a printed receipt, which begins with "discreet-head-1".
inline constexpr int kWitnessFormat = 1;

/// A point of the history, signed by the owner's key. Whoever reads one checks the signature.
struct Head {
  std::string ledger_id;  ///< letters, digits, '-', '_' and '.', at most 100
  Sequence sequence = 0;
  Hash hash{};
  std::string signature;

  /// What the signature covers.
  std::string message() const;
  /// One line of text that can be printed, kept in a safe, and checked later. It ends with a
  /// checksum against slips of the pen.
  std::string to_text() const;
  /// Blanks around and line breaks within are allowed. Fails with: kInvalidInput.
  static Result<Head> parse(std::string_view text);

  friend bool operator==(const Head&, const Head&) = default;
};

class Witness {
 public:
  /// Says whether a head is on the caller's own history: nothing, or why not.
  using Recognise = std::function<Result<void>(const Head& kept)>;

  virtual ~Witness() = default;
  /// Nothing when there is none. Fails with: kStorage; kCorrupt when no copy in it is whole.
  virtual Result<std::optional<Head>> read() = 0;
  /// Takes its lock, so that advance() need not wait for it, until let_go(). False: another process
  /// has it for too long. Fails with: kStorage.
  virtual Result<bool> hold() { return true; }
  virtual void let_go() {}
  /// Durable when it returns. `recognise` is called, under the lock, with the head that is kept;
  /// its error is returned and nothing is written. A head that is not newer than the kept one is
  /// not written either, so the witness never moves back. `recognise` may be empty when the caller
  /// holds no doubts.
  /// Fails with: kStorage, also when there is none; kCorrupt when no copy is whole, when the kept
  /// head is another ledger's, or has the same sequence and another hash.
  virtual Result<void> advance(const Head& head, const Recognise& recognise) = 0;
  Result<void> advance(const Head& head) { return advance(head, {}); }
  /// Starts anew at `head`, whatever was kept: when a ledger is created, when the owner replaces a
  /// lost witness, and after a recovery. The only way back. Fails with: kStorage.
  virtual Result<void> replace(const Head& head) = 0;
  /// How people call it: a path.
  virtual std::string name() const = 0;
};

/// How long a witness waits for other processes, which hold its lock for a sync at most.
inline constexpr std::chrono::milliseconds kWitnessWait{4'000};

/// A file with two slots that are written in turn, so that a torn write leaves the other one whole;
/// locked while it is read or written, because several processes share it. Who does not get the
/// lock within kWitnessWait fails with kStorage.
std::unique_ptr<Witness> file_witness(std::filesystem::path file);
std::unique_ptr<Witness> file_witness_within(std::filesystem::path file,
                                             std::chrono::milliseconds wait);

}  // namespace discreet::ledger
