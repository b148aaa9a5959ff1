// SPDX-License-Identifier: Apache-2.0
// How a ledger comes into being, and how it is opened: everything is folded and checked.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/files.h"
#include "ledger/ledger.h"
#include "ledger/store_place.h"
#include "random/entropy.h"

namespace discreet::ledger {
namespace {

constexpr std::size_t kIdBytes = 16;

Result<std::string> draw(std::size_t size) {
  std::string bytes(size, '\0');
  DISCREET_TRY(random::read_fully(random::read_system,
                                  {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()}));
  return bytes;
}

}  // namespace

Result<std::filesystem::path> default_home(const std::string& ledger_id) {
  std::filesystem::path base;
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    base = state;
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    base = std::filesystem::path(home) / ".local" / "state";
  } else {
    return invalid_input(
        "neither XDG_STATE_HOME nor HOME names a directory for the ledger's key and witness; name "
        "them with --key and --witness");
  }
  return base / "discreet" / ledger_id;
}

Ledger::Ledger(World world, std::unique_ptr<Store> store)
    : world_(std::move(world)),
      queue_([this](const std::vector<CommitQueue::Work*>& works) { commit_batch(works); }),
      store_(std::move(store)) {}

Ledger::~Ledger() {
  if (!process_.is_here()) {
    // A forked child must not touch the parent's database, not even to close it.
    (void)store_.release();
    (void)reader_.release();
    for (auto& view : views_) (void)view.release();
    return;
  }
  const bool waits = witnessed_.has_value() && state_.charges() > charges_then_;
  if (waits && !dead_ && !witness_fault_ && key_) (void)advance_witness(head()).has_value();
}

Result<std::unique_ptr<Ledger>> Ledger::create(const Created& created) {
  DISCREET_TRY(check_terms(LedgerTerms{.id = {},
                                       .owner = {},
                                       .witness_every = created.witness_every,
                                       .witness_ms = created.witness_ms}));
  DISCREET_ASSIGN(auto store, open_store({.path = created.path,
                                          .mode = StoreMode::kCreate,
                                          .vfs = created.world.sqlite_vfs,
                                          .busy_ms = created.world.busy_ms}));
  std::unique_ptr<Ledger> ledger(new Ledger(created.world, std::move(store)));
  ledger->path_ = created.path;
  if (const Result<void> begun = ledger->begin_history(created); !begun) {
    ledger.reset();
    remove_new_store(created.path);
    return begun.error();
  }
  return ledger;
}

Result<void> Ledger::begin_history(const Created& created) {
  DISCREET_ASSIGN(const std::string id, draw(kIdBytes));
  terms_.id = to_hex(id);
  terms_.witness_every = created.witness_every;
  terms_.witness_ms = created.witness_ms;
  DISCREET_TRY(draw_secrets());
  DISCREET_TRY(find_places(created.key, created.witness));
  if (created.key.empty() || created.witness.empty()) {
    DISCREET_ASSIGN(const std::filesystem::path home, default_home(terms_.id));
    DISCREET_TRY(make_directories(home));
  }
  auto key = OwnerKey::load(key_path_);
  if (!key) {
    if (key.error().code != Code::kNotFound) return key.error();
    key = OwnerKey::generate();
    if (!key) return key.error();
    DISCREET_TRY(key->save(key_path_));
  }
  terms_.owner = key->public_key();
  key_.emplace(std::move(key).value());
  witness_ = world_.witness(witness_path_);
  DISCREET_ASSIGN(const std::optional<Head> kept, witness_->read());
  if (kept) {
    return Error{Code::kConflict, "the witness " + witness_->name() + " belongs to ledger " +
                                      kept->ledger_id +
                                      "; name another place for this one with --witness"};
  }

  DISCREET_TRY(store_->begin_write());
  batch_time_ = world_.clock();
  Record first;
  first.kind = Kind::kCreated;
  first.detail = to_detail(terms_);
  DISCREET_TRY(append(std::move(first)));
  DISCREET_TRY(store_->commit());
  show();
  const Head begun = head();
  DISCREET_TRY(witness_->replace(begun));
  note_witnessed(begun);
  return {};
}

Result<std::unique_ptr<Ledger>> Ledger::open(const Opened& opened) {
  switch (opened.access) {
    case Access::kLook:
      return open_as(opened, StoreMode::kRead);
    case Access::kUse:
      return open_as(opened, StoreMode::kWrite);
    case Access::kRepair:
      return open_as(opened, StoreMode::kAnyFormat);
  }
  DISCREET_CHECK(false);
}

Result<std::unique_ptr<Ledger>> Ledger::open_as(const Opened& opened, StoreMode mode) {
  DISCREET_ASSIGN(auto store, open_store({.path = opened.path,
                                          .mode = mode,
                                          .vfs = opened.world.sqlite_vfs,
                                          .busy_ms = opened.world.busy_ms}));
  std::unique_ptr<Ledger> ledger(new Ledger(opened.world, std::move(store)));
  ledger->path_ = opened.path;
  const Result<void> read = ledger->read_history(opened);
  if (!read) {
    const Error& error = read.error();
    return Error{error.code, "ledger " + path_in_quotes(shown(opened.path)) + ": " + error.message};
  }
  return ledger;
}

Result<void> Ledger::read_history(const Opened& opened) {
  access_ = opened.access;
  DISCREET_TRY(draw_secrets());
  DISCREET_TRY(store_->begin_read());
  const auto first = store_->record(0);
  store_->rollback();
  if (!first) return first.error();
  if (!first->has_value()) {
    return Error{Code::kCorrupt,
                 "it holds no record: its creation was cut short, so nothing was charged to it. "
                 "Remove the file and create it again"};
  }
  DISCREET_ASSIGN(terms_, parse_created(**first));
  DISCREET_TRY(find_places(opened.key, opened.witness));
  if (access_ != Access::kLook) DISCREET_TRY(load_key());

  // The witness first: what others append in between then looks newer than it, never older (L6).
  witness_ = world_.witness(witness_path_);
  const Result<std::optional<Head>> kept = witness_->read();
  DISCREET_TRY(store_->begin_read());
  Result<void> good = store_->records_from(0, [&](const Record& record) -> Result<void> {
    DISCREET_TRY(fold(record));
    if (kept && *kept && (*kept)->sequence == record.sequence) note_witnessed(**kept);
    return {};
  });
  if (good) good = check_against_witness(kept);
  store_->rollback();
  if (!good) return good;
  looked_ = state_.sequence();
  show();
  if (access_ == Access::kUse && witnessed_->sequence < state_.sequence())
    return advance_witness(head());
  return {};
}

Result<void> Ledger::find_places(const std::filesystem::path& key,
                                 const std::filesystem::path& witness) {
  key_path_ = key;
  witness_path_ = witness;
  if (!key.empty() && !witness.empty()) return {};
  DISCREET_ASSIGN(const std::filesystem::path home, default_home(terms_.id));
  if (key.empty()) key_path_ = home / "key";
  if (witness.empty()) witness_path_ = home / "witness";
  return {};
}

Result<void> Ledger::load_key() {
  auto key = OwnerKey::load(key_path_);
  if (!key) {
    return Error{key.error().code == Code::kNotFound ? Code::kCorrupt : key.error().code,
                 "it can be written only with its owner's key: " + key.error().message +
                     "; put the key back, or name it with --key"};
  }
  if (key->public_key() != terms_.owner) {
    return Error{Code::kCorrupt, "the key " + path_in_quotes(key_path_) +
                                     " is not the one that created it; name the right one with "
                                     "--key"};
  }
  key_.emplace(std::move(key).value());
  return {};
}

Result<void> Ledger::draw_secrets() {
  DISCREET_ASSIGN(const std::string bytes, draw(sizeof(writer_)));
  std::memcpy(&writer_, bytes.data(), sizeof(writer_));
  DISCREET_ASSIGN(const random::Secret secret, random::Secret::fresh());
  index_ = Index(secret, world_.index_misleads);
  return {};
}

Result<void> Ledger::check_against_witness(const Result<std::optional<Head>>& kept) {
  const bool is_absent = !kept || !kept->has_value();
  const Result<void> verdict = kept ? judge(*kept) : Result<void>(kept.error());
  if (verdict) return {};
  if (access_ == Access::kUse || (access_ == Access::kLook && !is_absent)) return verdict;
  witness_fault_ = verdict.error();
  witnessed_.reset();
  return {};
}

}  // namespace discreet::ledger
