// SPDX-License-Identifier: Apache-2.0
// Takes reports of one survey, each once, and keeps them through crashes.
//
//   DISCREET_ASSIGN(auto collector, Collector::open({.survey = survey, .folder = "store"}));
//   DISCREET_ASSIGN(Counts counts, collector->accept(bytes));      // durable now
//
// C1  A report that accept() counted is on disk and in the aggregate, after any crash too.
// C2  A report is counted once: its id, 128 bits that its client drew once and keeps when it sends
//     again, is remembered for ever. So a client that got no answer sends again.
//     Of several collectors each counts its own shard only, so that this holds for all together.
// C3  Nothing about the sender is kept: no address, no time. (Whoever limits senders has addresses
//     in memory for a while, beside no report: peer_limits.h.)
// C4  With tokens only reports whose ids are listed are kept, and with a quota at most so many
//     (local/tokens.h); what else comes is counted as that, and forgotten.
//
// All state is a fold of the log (report_log.h). Threads that wait for the disk share one frame.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ledger/commit_queue.h"
#include "local/report.h"
#include "local/tokens.h"
#include "server/collect/report_log.h"

namespace discreet::server::collect {

/// What became of reports. Those that were not kept are counted since the last start only, but for
/// what the log could carry along.
struct Counts {
  std::uint64_t accepted = 0;      ///< new, sound, counted in the estimate
  std::uint64_t duplicate = 0;     ///< the id was seen before
  std::uint64_t out_of_range = 0;  ///< new, but no output of the survey's randomizer
  std::uint64_t implausible = 0;   ///< new, but hardly an honest client's
  std::uint64_t wrong_survey = 0;  ///< made for another survey, or with other parameters
  std::uint64_t elsewhere = 0;     ///< of another shard, not kept here
  std::uint64_t uninvited = 0;     ///< without one of the survey's tokens, not kept
  std::uint64_t over_quota = 0;    ///< new, but the quota was full, not kept
  std::uint64_t malformed = 0;     ///< pieces that are no batch; how many reports nobody knows

  Counts& operator+=(const Counts& more);
  friend bool operator==(const Counts&, const Counts&) = default;
};

struct CollectorOptions {
  local::Survey survey = {};
  std::filesystem::path folder = {};
  local::Shard shard = {};  ///< which reports are counted here; the same for ever
  /// An id takes up to 64 bytes of memory while the table of ids grows.
  std::uint64_t reports_max = 50'000'000;
  std::uint64_t segment_bytes = std::uint64_t{64} << 20;
  /// Only reports with one of these tokens count.
  std::shared_ptr<const local::TokenList> tokens = {};
  /// So many reports are kept, no more.
  std::optional<std::uint64_t> quota = {};
  int heal_ms = 2'000;  ///< after a failed write the log is read again, at most so often
};

/// The tokens that a survey's file demands: a file of the same name with ".tokens" behind it lies
/// beside it. None: there is no such file. Fails with: kStorage; as TokenList::parse.
Result<std::shared_ptr<const local::TokenList>> tokens_beside(const std::string& survey_file,
                                                              const local::Survey& survey);
Result<std::shared_ptr<const local::TokenList>> read_tokens(const std::string& file,
                                                            const local::Survey& survey);

class Collector {
 public:
  /// Fails with: as ReportLog::open.
  static Result<std::unique_ptr<Collector>> open(const CollectorOptions& options);

  /// One or more batches (local/client/report.h). Returns when what is new is durable; thread-safe.
  /// What follows a malformed piece is not read. `why` says what was wrong with the first piece
  /// that was not taken. Fails with: kStorage, also when reports_max is reached or a frame would
  /// exceed kFrameMax: none of these
  /// reports was counted; send them again later.
  Result<Counts> accept(std::string_view bytes, std::string* why = nullptr);

  Counts totals() const;
  /// What was counted so far.
  local::Aggregate aggregate() const;
  const local::Survey& survey() const { return options_.survey; }
  /// How many reports there may be: tokens, or the quota.
  std::optional<std::uint64_t> most() const;
  const local::Shard& shard() const { return options_.shard; }
  std::uint64_t torn_bytes() const;
  bool is_healthy() const;

 private:
  /// One call of accept() that waits for its frame.
  struct Pending {
    const std::vector<local::Batch>* batches = nullptr;
    std::size_t begin = 0;  ///< its part of fresh_
    std::size_t end = 0;
    Counts counts;
  };

  explicit Collector(CollectorOptions options);
  /// Reads the log from its beginning.
  Result<void> reload();
  Result<void> restore(std::string_view frame);
  /// Finds the new ones among the records and copies them to the frame.
  Result<void> choose(Pending& pending);
  void run_batch(const std::vector<ledger::CommitQueue::Work*>& works);
  Result<void> write_frame();
  void count(Pending& pending);
  Result<void> heal();
  void mark_healthy(bool is_healthy);

  const CollectorOptions options_;
  ledger::CommitQueue queue_;

  // Of the leader alone:
  std::unique_ptr<ReportLog> log_;
  std::optional<local::SeenIds> seen_;
  std::vector<Pending*> pending_;
  std::string fresh_;  // whole records
  std::chrono::steady_clock::time_point healed_at_{};

  mutable std::mutex mutex_;  // guards what follows
  std::optional<local::Aggregate> aggregate_;
  Counts totals_;   // but for what the aggregate counts
  Counts unsaved_;  // of these, what no frame has carried along yet
  bool is_healthy_ = true;
  std::uint64_t torn_bytes_ = 0;
};

}  // namespace discreet::server::collect
