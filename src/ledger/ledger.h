// SPDX-License-Identifier: Apache-2.0
// The ledger: a privacy budget for life. It makes every charge durable before it mints the receipt
// that a mechanism consumes, and stores every answer before a byte of it can leave.
//
//   DISCREET_ASSIGN(auto ledger, Ledger::open({.path = "patients.ledger"}));
//   DISCREET_ASSIGN(Outcome outcome, ledger->charge(charge, question));
//   if (const Answer* seen = std::get_if<Answer>(&outcome)) return send(*seen);    // a repeat
//   Paid paid = std::get<Paid>(std::move(outcome));
//   ... Door::release(mechanism, value, std::move(paid.receipts[0])) ...
//   DISCREET_ASSIGN(Answer answer, ledger->store(std::move(paid), bytes));
//   send(answer);
//
// Promises (proofs: ledger.md):
//   L1  A Receipt exists only after its charge is durable.
//   L2  An Answer exists only after its bytes are durable; its charge was durable before.
//   L3  The fold of the history never passes a cap, whatever the interleaving of threads and
//       processes: the check and the append are one transaction.
//   L4  No record is changed or removed; there is no refund.
//   L5  A request id that has an answer gives the same bytes again and charges nothing. A question
//       (its key, plan, price and blocks) has the same bytes for everybody under one label.
//   L6  A history that is older than its witness, or not a continuation of it, is not used; nor are
//       two copies at once, if they share a witness that did not go back itself. With a witness
//       synced every N charges, at most N - 1 charges can be undone unseen.
//   L8  A charge that several namespaces pay is in the history for all of them, or for none.
//   L7  A charge has one receipt for each of its parts, ever, whichever process takes it.
//   L11 A question that takes over is not charged again while its charge has no answer: at most
//       kTries tries, each durable before its receipts exist, and one answer. The charge covers all
//       of them if no failure after the first draw depends on data or noise; in any case they are
//       private with kTries times its price.
//   L12 What an analyst is told, but for the bytes of answers, does not depend on what others asked:
//       where caps are reserved never, and where they are shared, after close_early(), until the
//       namespace closes for everybody.
//
// Thread-safe: threads that wait for the disk share one commit. Who looks does not wait for who
// writes, and no lock that another process holds is waited for without an end (ledger.md, "Who
// looks"). A child that fork() made is refused.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/process_mark.h"
#include "base/result.h"
#include "ledger/answer.h"
#include "ledger/commit_queue.h"
#include "ledger/index.h"
#include "ledger/record.h"
#include "ledger/room.h"
#include "ledger/seal.h"
#include "ledger/sqlite_store.h"
#include "ledger/state.h"
#include "ledger/store.h"
#include "ledger/terms.h"
#include "ledger/witness.h"

namespace discreet::ledger {

/// How long one process waits for another: for its transaction, and for its answer to the same
/// question.
inline constexpr int kBusyMs = 60'000;

/// How long who only looks waits for the threads that write, and for other processes' locks on
/// reading, of which there are none but for maintenance.
inline constexpr int kLookMs = kReadBusyMs;

/// What a ledger stands on; tests put faults here.
struct World {
  Clock clock = system_time_ms;
  std::function<std::unique_ptr<Witness>(const std::filesystem::path&)> witness = file_witness;
  std::function<Result<std::uint64_t>(const std::filesystem::path&)> device = device_of;
  /// Bytes that are free where a file is.
  std::function<Result<std::uint64_t>(const std::filesystem::path&)> room = room_at;
  /// Takes room where a file is.
  std::function<Result<HeldRoom>(const std::filesystem::path&, std::uint64_t)> hold = HeldRoom::at;
  std::string sqlite_vfs = {};  ///< empty: SQLite's own
  int busy_ms = kBusyMs;        ///< how long to wait for other processes
  int look_ms = kLookMs;        ///< how long who only looks waits
  bool index_misleads = false;  ///< it raises all the false alarms that there can be
};

struct Created {
  std::filesystem::path path = {};
  /// Empty: key and witness in the user's state directory (default_home). A key that exists is
  /// used.
  std::filesystem::path key = {};
  std::filesystem::path witness = {};
  /// The witness is synced after so many charges, or when so much time has passed at a commit,
  /// and when the ledger is closed. At most 10^6; 0 ms: no limit of time.
  std::uint64_t witness_every = 1;
  std::int64_t witness_ms = 0;
  World world = {};
};

enum class Access {
  kUse,   ///< needs the key and a sound witness
  kLook,  ///< reads only, without the key; a witness that is missing shows in witness_fault()
  /// In spite of a witness fault, and of an older format, which it leaves as it is: for recover(),
  /// replace_witness() and accept_clock().
  kRepair,
};

struct Opened {
  std::filesystem::path path = {};
  std::filesystem::path key = {};
  std::filesystem::path witness = {};
  Access access = Access::kUse;
  World world = {};
};

/// ${XDG_STATE_HOME:-~/.local/state}/discreet/<ledger id>, where the key and the witness are kept
/// unless the owner says otherwise. Fails with: kInvalidInput when the environment names neither.
Result<std::filesystem::path> default_home(const std::string& ledger_id);

/// A charge is refused when the ledger's disk has less room than this, or its file may grow by less.
inline constexpr std::uint64_t kLeastRoom = 16 << 20;

/// How far a clock may lag behind the last record before somebody must look at it.
inline constexpr std::int64_t kClockSlackMs = 5 * 60 * 1000;

/// What Ledger::verify() went through.
struct Verified {
  std::uint64_t records = 0;
  std::uint64_t answers = 0;
  std::uint64_t signatures = 0;
};

/// What an upgrade did, or would do.
struct Upgraded {
  int from = kLedgerFormat;
  int to = kLedgerFormat;  ///< equal: there was nothing to do
  std::string copy = {};   ///< where what was there before is kept
  Verified verified = {};  ///< of the history before
  Sequence record = 0;     ///< the signed record of it

  bool is_needed() const { return from != to; }
};

class Ledger;

/// The time in which noise is drawn for a charge and made an answer. If it ends without one, the
/// charge is ended too, durably: what failed may have depended on the noise, so nobody draws again.
/// Room for that record, and for an answer of up to kRoom / 4 bytes, is held on the disk meanwhile,
/// and from before the charge on (not where the ledger is in PostgreSQL, nor on a disk that cannot);
/// for a longer one it is looked for. Must not outlive the ledger.
class Drawing {
 public:
  static constexpr std::uint64_t kRoom = 1 << 20;

  Drawing(Drawing&& other) noexcept;
  Drawing& operator=(Drawing&&) = delete;
  ~Drawing();
  /// Ledger::store(), in the room that was held.
  Result<Answer> store(Paid&& paid, std::string bytes);

 private:
  friend class Ledger;
  Drawing(Ledger& ledger, Sequence charge, const Hash& hash,
          std::shared_ptr<const UnderWay> under_way)
      : ledger_(&ledger), charge_(charge), hash_(hash), under_way_(std::move(under_way)) {}
  Ledger* ledger_;  // none: it has its answer, or was moved from
  Sequence charge_;
  Hash hash_;
  std::shared_ptr<const UnderWay> under_way_;  // who waits goes on after the charge was ended
  std::shared_ptr<HeldRoom> room_;
};

class Ledger {
 public:
  /// Fails with: kConflict when the file exists; kInvalidInput; kStorage; kNoEntropy.
  static Result<std::unique_ptr<Ledger>> create(const Created& created);
  /// Folds and checks the whole history. Fails with: kNotFound; kStorage; kUnsupported for a newer
  /// format, and for an older one unless it is looked at or repaired; kCorrupt, with a text of its
  /// own and the way out, for a damaged file, a changed record (which), another key, and a witness
  /// that is missing, ahead, or not on the chain.
  static Result<std::unique_ptr<Ledger>> open(const Opened& opened);
  /// Converts a ledger of an older format (ledger_upgrade.cc; ledger.md, "Upgrades"): the whole
  /// history is verified, a copy is kept, a signed record is appended and the tables are changed in
  /// one transaction, and the witness is moved on. Needs the key and a sound witness; of several at
  /// once one does it. `opened.access` is not used.
  /// Fails with: as open() does; kConflict when something else has the copy's name.
  using Progress = std::function<void(std::uint64_t)>;
  static Result<Upgraded> upgrade(const Opened& opened, const Progress& progress = {});
  /// The same without changing anything.
  static Result<Upgraded> check_upgrade(const Opened& opened, const Progress& progress = {});
  /// Syncs the witness, if charges wait for it; a failure is found at the next open.
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// Fails with: kNotFound (namespace, analyst, block); kRefused (another relation of neighbours;
  /// no guarantee in the namespace's notion); kConflict (the request id belongs to another
  /// question, or was charged and has no tries left); kBudget; kInvalidInput; kStorage and
  /// kCorrupt: nothing was charged, or it was and is lost. Waits while another thread of this
  /// process works on a charge that would be taken over, and while another process does, for up to
  /// World::busy_ms; then kStorage, and nothing was charged or tried.
  Result<Outcome> charge(const Charge& charge, const Question& question);
  // Tries (ledger_tries.cc). Whoever takes over computes everything that can fail, calls this, and
  // then draws and stores:
  //   DISCREET_ASSIGN(Drawing drawing, ledger.begin_drawing(paid));
  //   ... Door::release(...) ...
  //   DISCREET_ASSIGN(Answer answer, drawing.store(std::move(paid), bytes));
  /// Fails with: kStorage when there is no room, which a charge that takes over has found already;
  /// nothing was drawn then, and the try failed.
  Result<Drawing> begin_drawing(const Paid& paid);
  /// Stores the answer to a share, as begin_drawing() and Drawing::store() do that to a charge.
  Result<Answer> give_share(Paid&& share);
  /// This charge is not taken over any more: whoever was stopped by a limit of time says so, since
  /// time depends on data. Fails with: kStorage, kCorrupt; it may be taken over then.
  Result<void> end_charge(const Paid& paid);
  /// Stores the answer to a charge. When the question was answered meanwhile, the stored bytes are
  /// returned and the new ones dropped (L5).
  /// Of a share: gives what was bought, and `bytes` are not looked at.
  /// Fails with: kInvalidInput (more than 256 MiB; another ledger's charge); kStorage; kCorrupt. The
  /// charge is lost then.
  Result<Answer> store(Paid&& paid, std::string bytes);
  // A run in parts, so that it survives its process (ledger_parts.cc). A mechanism that is paid for
  // once and used in parts takes no receipt but that of the part (mechanism/clipped_sums.h).
  /// The receipt for part `part` of what the charge of record `paid` bought: for the one line of
  /// that charge, its text followed by "#part". A record without a price is durable before.
  /// Fails with: kConflict when the part was taken before, or the question is answered; kRefused
  /// unless `paid` is a charge for just this question, plan and price; as charge() does.
  Result<Receipt> take_part(const Charge& charge, const Question& question, Sequence paid,
                            std::uint64_t part);
  /// A charge whose process died: the answer, if there is one by now, else a Paid without receipts,
  /// good for store() alone. Nothing is charged. Fails with: kRefused as take_part() does.
  Result<Outcome> resume(const Charge& charge, const Question& question, Sequence paid);
  /// 32 secret bytes that only this ledger's owner can make again; another purpose, other bytes.
  /// Fails with: kRefused without the key.
  Result<Hash> secret(const std::string& purpose);
  /// For a question that its caller gave no id: made of random bits, drawn when the ledger was
  /// opened, and a counter, so that no other request has it.
  std::string fresh_request_id();
  /// What charge() would do. Fails as charge() does, but for kBudget, and with kStorage after
  /// World::look_ms.
  Result<Quote> quote(const Charge& charge, const Question& question);
  Result<OwnerQuote> owner_quote(const Charge& charge, const Question& question);
  /// From here on analysts who share a total are kept apart (L12). Once, before others use it.
  void close_early(Closing closing) { closing_ = std::move(closing); }

  // The owner's records. All need the key and are durable, and witnessed, when they return.
  // Fails with: kRefused without the key; kInvalidInput; kConflict (exists); kNotFound.
  Result<void> add_namespace(const NamespaceTerms& terms);
  Result<void> add_block(const std::string& units, const std::string& value);
  Result<void> add_analyst(const std::string& units, const AnalystTerms& analyst);
  /// Raises the cap of the total, or of an analyst.
  Result<void> top_up(const std::string& units, const std::optional<std::string>& analyst,
                      const Price& more, const std::string& reason);
  /// After a rollback, or when the witness is lost and there is no receipt (Access::kRepair): from
  /// here on all accounts count as fully spent.
  Result<void> recover(const std::string& reason);
  /// A new witness for one that was lost, with Access::kRepair. The printed receipt shows that the
  /// history is no older than it; charges after it may be lost, and the record says so. Without a
  /// receipt nobody knows what was spent: recover(). Refused also when the witness is there and
  /// says that the history was rolled back.
  Result<void> replace_witness(const std::string& reason, const Head& receipt);
  /// Goes on with a clock that was set back.
  Result<void> accept_clock(const std::string& reason);

  // Who looks does not wait for who writes. While a writer waits for another process, readers have
  // a connection of their own; only quote() and signed_head() wait for a commit that is under way.
  /// The balances as they were committed, for showing: what is charged is checked against the
  /// newest ones in its own transaction (L3). All that this process wrote before is in it. Other
  /// processes' records are, too, unless another thread uses the ledger at this moment; then it is
  /// what that thread, or the last one, found. Fails with: kStorage when the store cannot be read;
  /// kCorrupt.
  Result<State> state();
  /// All records in order, in one view that has at least what state() shows, on a connection of its
  /// own: nobody waits for it. Fails as state() does.
  Result<void> history(const Store::Visit& visit);
  /// Reads everything again from the first record, in such a view: chain, signatures, caps, and the
  /// bytes of every answer. `progress` is called now and then with the number of records done.
  Result<Verified> verify(const Progress& progress = {});
  /// The head, signed: to be printed and kept. Fails with: kRefused without the key.
  Result<Head> signed_head();
  /// What the witness remembers; nothing when there is none.
  Result<std::optional<Head>> witness_head();

  const std::string& id() const { return terms_.id; }
  const LedgerTerms& terms() const { return terms_; }
  const std::filesystem::path& witness_path() const { return witness_path_; }
  const std::filesystem::path& key_path() const { return key_path_; }
  /// Whether the ledger's file and its witness are on one device, so that one backup or snapshot
  /// may restore both, and nobody would find the rollback (L6). False as well where that cannot be
  /// told: a ledger in PostgreSQL, a file that cannot be looked at. Two file systems on one disk
  /// are two devices.
  bool witness_shares_device() const;
  /// Why the witness does not vouch for this history (kLook, kRepair).
  const std::optional<Error>& witness_fault() const { return witness_fault_; }

 private:
  Ledger(World world, std::unique_ptr<Store> store);

  // ledger_open.cc
  static Result<std::unique_ptr<Ledger>> open_as(const Opened& opened, StoreMode mode);
  Result<void> begin_history(const Created& created);
  Result<void> read_history(const Opened& opened);
  Result<void> find_places(const std::filesystem::path& key, const std::filesystem::path& witness);
  Result<void> load_key();
  Result<void> draw_secrets();
  Result<void> check_against_witness(const Result<std::optional<Head>>& kept);

  // ledger_commit.cc: transactions
  /// Runs `work` inside a write transaction that other threads may share, and returns when it is
  /// durable and, when due, witnessed. `work` appends all its records or none.
  Result<void> commit(const std::function<Result<void>()>& work, bool may_repeat = false);
  void commit_batch(const std::vector<CommitQueue::Work*>& works);
  /// The batch in one journey to the store, if it all fits what we know. False: nothing was done.
  /// `kept` is what the witness said just before.
  Result<bool> try_batch(const std::vector<CommitQueue::Work*>& works,
                         const std::optional<Result<std::optional<Head>>>& kept,
                         std::unique_lock<std::timed_mutex>& lock);
  Result<void> run_batch(const std::vector<CommitQueue::Work*>& works,
                         std::optional<Result<std::optional<Head>>>& kept,
                         std::unique_lock<std::timed_mutex>& lock);
  /// Begins to write, and reads the witness if it may be due. Others may look while it waits for
  /// other processes.
  Result<void> begin_batch(const std::vector<CommitQueue::Work*>& works,
                           std::unique_lock<std::timed_mutex>& lock,
                           std::optional<Result<std::optional<Head>>>& kept);
  struct Waits;
  Result<void> move_witness(const Head& next, std::unique_lock<std::timed_mutex>& lock);
  /// As if it had not begun: nothing of it was committed.
  Result<void> give_batch_up(const Error& error);
  /// Runs `work` in a read transaction, caught up. Fails with: kStorage when who writes takes
  /// longer than World::look_ms.
  Result<void> look(const std::function<Result<void>()>& work);
  Result<void> look_locked(const std::function<Result<void>()>& work);
  /// What state_ has is committed: state() shows it from here on.
  void show();
  /// Folds what other processes appended; it must continue what we know.
  Result<void> catch_up();
  Result<void> append(Record record);
  /// A record of the store.
  Result<void> fold(const Record& record);
  Result<std::int64_t> next_time() const;
  Result<void> check_process() const;
  Result<void> check_alive() const;
  Result<void> check_writable() const;
  static Error stopped(const Error& error);
  Error die(const Error& error);

  // ledger_witness.cc
  Result<void> judge(const std::optional<Head>& kept);
  Result<void> check_head(const Head& kept) const;
  Result<void> recognise(const Head& kept);
  bool witness_is_due() const;
  Result<void> check_witness();
  Result<void> check_witness(const Result<std::optional<Head>>& kept);
  Result<void> advance_witness(const Head& next);
  /// The charges and the time that stand in the history up to `next`.
  Result<void> advance_witness(const Head& next, std::uint64_t charges, std::int64_t time_ms);
  Head head() const;
  void note_witnessed(const Head& kept);

  // ledger_find.cc: records by what they say
  /// The newest charge or share by this analyst under this id.
  Result<std::optional<Record>> find_request(const std::string& units, const std::string& analyst,
                                             const std::string& request_id);
  /// For what something was paid: with the question's key, what its bytes are a function of, but
  /// for data and coins.
  struct Terms {
    Price price;
    Hash plan{};
    std::string blocks;

    static Terms of(const Record& payment) { return {payment.price, payment.plan, payment.blocks}; }
    bool are_of(const Record& payment) const {
      return payment.price == price && payment.plan == plan && payment.blocks == blocks;
    }
  };
  /// What an analyst has: an answer, and their own payment for it.
  struct Owned {
    Record answer;
    Record payment;
  };
  /// The oldest answer under this key that was paid for so; that of `analyst`, if one is named.
  Result<std::optional<Record>> find_answer(const QuestionKey& key, const Terms& terms,
                                            const std::string* analyst = nullptr);
  /// The same under the newest of a question's keys that has one, whoever asked.
  Result<std::optional<Record>> find_answer(const std::string& units, const Question& question,
                                            const Terms& terms);
  Result<std::optional<Record>> answer_of_share(const Record& share);
  /// What the analyst who asks has bought and was given. A function of that analyst's own records.
  Result<std::optional<Owned>> find_owned(const std::string& units, const Question& question,
                                          const Terms& terms);

  // ledger_tries.cc
  friend class Drawing;
  struct Unanswered;
  struct Request;
  Result<std::optional<Unanswered>> find_unanswered(const Request& request);
  Result<std::optional<Unanswered>> tries_of(Sequence charge, const Request& request);
  Result<bool> use_unanswered(Request& request);
  /// Whether the answer of a share was handed over.
  Result<bool> was_given(const Record& share);
  Result<std::string> give(const Record& share);
  /// `given`: the share whose answer it hands over, if that is what it is.
  Result<void> append_use(const Record& charge, const std::string& id, Sequence given = 0);
  Result<void> end_charge(Sequence charge, const Hash& hash);
  Result<void> check_room(std::uint64_t bytes) const;
  bool has_room(std::uint64_t bytes) const;
  /// Before something is charged: there is room, and some of it is the request's from here on.
  Result<void> hold_room(Request& request) const;
  Error no_tries_left(const Request& request) const;

  // ledger_charge.cc
  struct Payer;
  Result<Payer> payer_of(const Request& request, const ChargedUnits& units) const;
  Result<void> examine(Request& request) const;
  /// The newest record under the request's id.
  Result<std::optional<Record>> check_request_id(const Request& request);
  Result<void> check_open(const Request& request) const;
  Result<void> check_budgets(const Request& request) const;
  Result<void> pay(Request& request);
  Result<void> append_payments(Request& request);
  Result<void> append_answer(const Record& charge, const std::string& bytes);
  Result<void> find_stored(Request& request);
  Result<void> quote_into(const Charge& charge, const Question& question, OwnerQuote& out);
  Error refusal(const Payer& payer, const Account& account, const std::string& whose) const;

  // ledger_upgrade.cc
  Result<Upgraded> convert(const Progress& progress);
  Result<void> convert_in_transaction(Upgraded& out, const Progress& progress);

  // ledger_read.cc
  /// Runs `work` in a read transaction of a store of its own.
  Result<void> view(const std::function<Result<void>(Store&)>& work);
  Result<std::unique_ptr<Store>> open_view() const;
  /// Folds the history into `again`, which is empty, and checks all answers. In a transaction.
  Result<Verified> verify_into(Store& store, State& again, const Progress& progress);

  // ledger_parts.cc
  Result<Record> charge_of_run(const Charge& charge, const Question& question, Sequence paid);
  Result<std::string> bytes_of_answer(const Record& answer);
  static Result<std::string> bytes_of_answer(Store& store, const Record& answer);

  // ledger_owner.cc
  Result<void> repair(Record record);
  Result<void> refuse_foreign_witness();

  /// So many batches after one that found records of other processes begin with a look at the
  /// store.
  static constexpr int kLookFirst = 8;
  /// So many look in the statement that writes; afterwards so many in a row trust that a store is
  /// only appended to, before one looks again.
  static constexpr int kTrust = 64;
  /// More records than these are shown by a copy of the state.
  static constexpr std::size_t kUnshown = 4096;

  const World world_;
  const ProcessMark process_;
  CommitQueue queue_;
  bool is_optimistic_ = false;  // whether the last batch was; of the thread that writes

  std::mutex writing_;  // held by whoever writes, before mutex_, which it lets go of now and then
  std::timed_mutex mutex_;  // guards all below; a writer that waits for others lets go of it
  std::unique_ptr<Store> store_;
  std::unique_ptr<Store> reader_;  // in the place of store_ for who looks meanwhile
  bool writer_waits_ = false;
  State state_;
  std::vector<Record> unshown_;     // in state_ and not in shown_: the last kUnshown at most
  Index index_;                     // of the records that state_ is the fold of
  int format_ = 0;                  // of the store, as it was last asked
  Sequence looked_ = 0;             // up to here the store's records were seen to be there
  int batches_trusted_ = 0;         // since then
  int batches_alone_ = kLookFirst;  // since records of other processes were found
  std::optional<OwnerKey> key_;
  std::unique_ptr<Witness> witness_;
  std::uint64_t writer_ = 0;
  std::atomic<std::uint64_t> fresh_ids_{0};
  std::optional<Error> dead_;       // S4: nothing is believed until it is opened again
  std::optional<Head> witnessed_;   // the newest head on our chain that we know to be kept
  std::uint64_t charges_then_ = 0;  // at that head
  std::int64_t time_then_ms_ = 0;   // at that head

  // Of the batch that is being worked on:
  Result<std::int64_t> batch_time_ = 0;
  std::optional<Error> broken_;  // a record could not be appended
  bool owner_wrote_ = false;

  std::mutex shown_mutex_;  // guards the next three; nobody waits for anything with it
  State shown_;             // what is committed
  std::optional<Error> shown_dead_;
  std::vector<std::unique_ptr<Store>> views_;  // that nobody uses now

  // Fixed once opened; but a repair takes the fault away.
  LedgerTerms terms_;
  std::optional<Closing> closing_;
  Access access_ = Access::kUse;
  std::filesystem::path path_;
  std::filesystem::path key_path_;
  std::filesystem::path witness_path_;
  std::optional<Error> witness_fault_;
};

}  // namespace discreet::ledger
