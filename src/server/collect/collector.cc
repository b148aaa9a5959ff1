// SPDX-License-Identifier: Apache-2.0
#include "server/collect/collector.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/files.h"

namespace discreet::server::collect {
namespace {

/// A frame begins with counts that have no record of their own.
constexpr std::size_t kCarried = 3 * sizeof(std::uint64_t);

local::Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// What the log's reports are of. The only shard's is the survey's: logs that were written before
/// there were shards are its.
std::uint64_t about(const CollectorOptions& options) {
  const std::uint64_t part =
      std::uint64_t{options.shard.count - 1} << 32 | (options.shard.index - 1);
  return local::fingerprint(options.survey) ^ part * 0x9E3779B97F4A7C15;
}

}  // namespace

Result<std::shared_ptr<const local::TokenList>> read_tokens(const std::string& file,
                                                            const local::Survey& survey) {
  constexpr std::uint64_t kMost = 40 * std::uint64_t{local::kTokensMax};
  DISCREET_ASSIGN(const OpenFile opened, OpenFile::open(file, O_RDONLY));
  DISCREET_ASSIGN(const std::uint64_t size, opened.size());
  if (size > kMost) return invalid_input(in_quotes(file) + " is too large for a list of tokens");
  DISCREET_ASSIGN(const std::string text, opened.read_at(0, static_cast<std::size_t>(size)));
  DISCREET_ASSIGN(local::TokenList list, local::TokenList::parse(survey, text));
  return std::shared_ptr<const local::TokenList>(
      std::make_shared<local::TokenList>(std::move(list)));
}

Result<std::shared_ptr<const local::TokenList>> tokens_beside(const std::string& survey_file,
                                                              const local::Survey& survey) {
  const std::string file = survey_file + ".tokens";
  std::error_code failed;
  const bool is_there = std::filesystem::exists(file, failed);
  if (!is_there && !failed) return std::shared_ptr<const local::TokenList>();
  return read_tokens(file, survey);  // what cannot be looked at is no permission to do without
}

Counts& Counts::operator+=(const Counts& more) {
  accepted += more.accepted;
  duplicate += more.duplicate;
  out_of_range += more.out_of_range;
  implausible += more.implausible;
  wrong_survey += more.wrong_survey;
  elsewhere += more.elsewhere;
  uninvited += more.uninvited;
  over_quota += more.over_quota;
  malformed += more.malformed;
  return *this;
}

Collector::Collector(CollectorOptions options)
    : options_(std::move(options)), queue_([this](const auto& works) { run_batch(works); }) {}

Result<std::unique_ptr<Collector>> Collector::open(const CollectorOptions& options) {
  std::unique_ptr<Collector> collector(new Collector(options));
  DISCREET_TRY(collector->reload());
  return collector;
}

Result<void> Collector::reload() {
  seen_.emplace();
  {
    const std::lock_guard lock(mutex_);
    aggregate_.emplace(options_.survey, options_.shard);
    totals_ = {};
  }
  const auto visit = [this](std::string_view frame) { return restore(frame); };
  if (log_) {
    DISCREET_TRY(log_->read_again(visit));
  } else {
    DISCREET_ASSIGN(log_, ReportLog::open({.folder = options_.folder,
                                           .about = about(options_),
                                           .segment_bytes = options_.segment_bytes},
                                          visit));
  }
  const std::lock_guard lock(mutex_);
  totals_ += unsaved_;
  torn_bytes_ += log_->torn_bytes();
  is_healthy_ = true;
  return {};
}

Result<void> Collector::restore(std::string_view frame) {
  const std::size_t size = local::record_size(options_.survey);
  if (frame.size() < kCarried || (frame.size() - kCarried) % size != 0) {
    return Error{Code::kCorrupt, "a frame in " + in_quotes(options_.folder.string()) +
                                     " does not hold whole reports; this is no collector's log"};
  }
  std::array<std::uint64_t, 3> carried{};
  std::memcpy(carried.data(), frame.data(), kCarried);
  const local::Bytes records = bytes_of(frame.substr(kCarried));
  const local::Batch batch{records, size, records.size() / size};
  for (std::size_t i = 0; i < batch.count; ++i) seen_->insert(batch.record(i));
  const std::lock_guard lock(mutex_);
  aggregate_->add(batch);
  totals_.duplicate += carried[0];
  totals_.wrong_survey += carried[1];
  totals_.malformed += carried[2];
  return {};
}

Result<Counts> Collector::accept(std::string_view bytes, std::string* why) {
  std::vector<local::Batch> batches;
  Counts counts;
  const auto note = [&](const std::string& text) {
    if (why != nullptr && why->empty()) *why = text;
  };
  if (bytes.empty()) {
    ++counts.malformed;
    note("the body is empty; send a batch of reports");
  }
  while (!bytes.empty()) {
    std::string_view rest = bytes;
    const Result<local::Batch> batch = local::take_batch(options_.survey, rest);
    if (batch) {
      batches.push_back(*batch);
      bytes = rest;
      continue;
    }
    note(batch.error().message);
    const Result<local::BatchFacts> foreign = local::take_any_batch(bytes);
    if (batch.error().code != Code::kConflict || !foreign) {
      ++counts.malformed;
      break;
    }
    counts.wrong_survey += foreign->batch.count;
  }
  {
    const std::lock_guard lock(mutex_);
    totals_ += counts;
    unsaved_ += counts;
  }
  if (batches.empty()) return counts;
  Pending pending{.batches = &batches, .counts = counts};
  ledger::CommitQueue::Work work;
  work.run = [&] { return choose(pending); };
  queue_.submit(work);
  if (!work.result) return work.result.error();
  return pending.counts;
}

Result<void> Collector::choose(Pending& pending) {
  std::uint64_t claimed = 0;
  for (const local::Batch& batch : *pending.batches) claimed += batch.count;
  if (seen_->size() + claimed > options_.reports_max) {
    return Error{Code::kStorage, "the collector is full; start it with a larger --reports-max"};
  }
  if (kCarried + fresh_.size() + claimed * local::record_size(options_.survey) > kFrameMax) {
    return Error{Code::kStorage, "these are too many reports at once; send fewer in a piece"};
  }
  pending.begin = fresh_.size();
  for (const local::Batch& batch : *pending.batches) {
    for (std::size_t i = 0; i < batch.count; ++i) {
      const local::Bytes record = batch.record(i);
      if (!options_.shard.holds(record)) {
        ++pending.counts.elsewhere;
      } else if (options_.tokens && !options_.tokens->holds(record.first(local::kIdBytes))) {
        ++pending.counts.uninvited;
      } else if (options_.quota && seen_->size() >= *options_.quota && !seen_->contains(record)) {
        ++pending.counts.over_quota;
      } else if (seen_->insert(record)) {
        fresh_.append(reinterpret_cast<const char*>(record.data()), record.size());
      } else {
        ++pending.counts.duplicate;
      }
    }
  }
  pending.end = fresh_.size();
  pending_.push_back(&pending);
  return {};
}

void Collector::run_batch(const std::vector<ledger::CommitQueue::Work*>& works) {
  const Result<void> health = heal();
  mark_healthy(false);  // until the end is reached: a library may throw when memory runs out
  pending_.clear();
  fresh_.clear();
  for (ledger::CommitQueue::Work* const work : works) {
    work->result = health ? work->run() : health;
  }
  const Result<void> written = write_frame();
  if (written) {
    for (Pending* const pending : pending_) count(*pending);
    mark_healthy(health.has_value());
    return;
  }
  for (ledger::CommitQueue::Work* const work : works) {
    if (work->result) work->result = written;
  }
}

Result<void> Collector::write_frame() {
  if (fresh_.empty()) return {};
  std::array<std::uint64_t, 3> carried{};
  {
    const std::lock_guard lock(mutex_);
    carried = {unsaved_.duplicate, unsaved_.wrong_survey, unsaved_.malformed};
  }
  std::string frame(reinterpret_cast<const char*>(carried.data()), kCarried);
  frame += fresh_;
  Result<void> appended = log_->append(frame);
  const std::lock_guard lock(mutex_);
  if (!appended) return appended;  // unhealthy from now on: seen_ knows ids that the log does not
  unsaved_.duplicate -= carried[0];
  unsaved_.wrong_survey -= carried[1];
  unsaved_.malformed -= carried[2];
  return appended;
}

void Collector::count(Pending& pending) {
  const std::size_t size = local::record_size(options_.survey);
  const local::Bytes records =
      bytes_of(std::string_view(fresh_).substr(pending.begin, pending.end - pending.begin));
  const std::lock_guard lock(mutex_);
  const local::Tally before = aggregate_->tally();
  aggregate_->add(local::Batch{records, size, records.size() / size});
  const local::Tally after = aggregate_->tally();
  pending.counts.accepted = after.counted - before.counted;
  pending.counts.out_of_range = after.out_of_range - before.out_of_range;
  pending.counts.implausible = after.implausible - before.implausible;
  for (Counts* const sum : {&totals_, &unsaved_}) {
    sum->duplicate += pending.counts.duplicate;
    sum->elsewhere += pending.counts.elsewhere;
    sum->uninvited += pending.counts.uninvited;
    sum->over_quota += pending.counts.over_quota;
  }
}

/// After a failed write everything is read again, now and then, up to what is surely on disk: then
/// ids and log agree again, and clients send what was cut off once more.
Result<void> Collector::heal() {
  if (is_healthy()) return {};
  const auto now = std::chrono::steady_clock::now();
  if (now - healed_at_ < std::chrono::milliseconds(options_.heal_ms)) {
    return Error{Code::kStorage, "the reports could not be written to disk; send them again later"};
  }
  healed_at_ = now;
  return reload();
}

void Collector::mark_healthy(bool is_healthy) {
  const std::lock_guard lock(mutex_);
  is_healthy_ = is_healthy;
}

Counts Collector::totals() const {
  const std::lock_guard lock(mutex_);
  Counts counts = totals_;
  const local::Tally& tally = aggregate_->tally();
  counts.accepted = tally.counted;
  counts.out_of_range = tally.out_of_range;
  counts.implausible = tally.implausible;
  return counts;
}

local::Aggregate Collector::aggregate() const {
  const std::lock_guard lock(mutex_);
  local::Aggregate copy = *aggregate_;
  copy.count_duplicates(totals_.duplicate);
  return copy;
}

std::optional<std::uint64_t> Collector::most() const {
  std::optional<std::uint64_t> out = options_.quota;
  if (!options_.tokens) return out;
  const std::uint64_t tokens = options_.tokens->size();
  return out ? std::min(*out, tokens) : tokens;
}

std::uint64_t Collector::torn_bytes() const {
  const std::lock_guard lock(mutex_);
  return torn_bytes_;
}

bool Collector::is_healthy() const {
  const std::lock_guard lock(mutex_);
  return is_healthy_;
}

}  // namespace discreet::server::collect
