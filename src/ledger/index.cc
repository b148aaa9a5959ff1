// SPDX-License-Identifier: Apache-2.0
#include "ledger/index.h"

#include <algorithm>

#include "base/check.h"

namespace discreet::ledger {
namespace {

// Numbers of the first segment: many, since a key that is new is looked for in every segment.
constexpr std::size_t kFirstSize = std::size_t{1} << 16;
constexpr std::size_t kSizeMax = std::size_t{1} << 26;
constexpr std::size_t kNumbersOfBucket = 2;  // in a segment that is full

}  // namespace

void Chains::add(const std::optional<Key>& key) {
  if (segments_.empty() ||
      segments_.back().links.size() == kNumbersOfBucket * segments_.back().heads.size()) {
    const std::size_t size =
        segments_.empty() ? kFirstSize : std::min(kSizeMax, 2 * segments_.back().links.size());
    Segment next;
    next.begin = size_;
    next.heads.resize(size / kNumbersOfBucket);
    next.links.reserve(size);
    segments_.push_back(std::move(next));
  }
  Segment& last = segments_.back();
  ++size_;
  if (!key) {
    last.links.push_back({});
    return;
  }
  std::uint32_t& head = last.heads[last.bucket(*key)];
  last.links.push_back({head, Segment::mark(*key)});
  head = static_cast<std::uint32_t>(last.links.size());
}

std::size_t Chains::bytes() const {
  std::size_t sum = 0;
  for (const Segment& segment : segments_) {
    sum += segment.heads.size() * sizeof(segment.heads[0]) +
           segment.links.size() * sizeof(segment.links[0]);
  }
  return sum;
}

Chains::Trail::Trail(const Chains& chains, const Key& key)
    : chains_(&chains), key_(key), older_segments_(chains.segments_.size()) {}

std::optional<std::uint64_t> Chains::Trail::next() {
  for (;;) {
    if (at_ == 0) {
      if (older_segments_ == 0) return std::nullopt;
      const Segment& segment = chains_->segments_[--older_segments_];
      at_ = segment.heads[segment.bucket(key_)];
      continue;
    }
    const Segment& segment = chains_->segments_[older_segments_];
    const std::size_t offset = at_ - 1;
    const auto [older, mark] = segment.links[offset];
    at_ = older;
    if (mark == Segment::mark(key_)) return segment.begin + offset;
  }
}

void OpenCharges::add(Sequence charge, const Key& key) {
  keys_.emplace(charge, key);
  charges_.emplace(key, charge);
}

void OpenCharges::answer(Sequence charge) {
  const auto known = keys_.find(charge);
  if (known == keys_.end()) return;
  const auto [first, last] = charges_.equal_range(known->second);
  charges_.erase(std::find_if(first, last, [&](const auto& one) { return one.second == charge; }));
  keys_.erase(known);
}

void OpenCharges::forget() {
  keys_.clear();
  charges_.clear();
}

std::vector<Sequence> OpenCharges::of(const Key& key) const {
  std::vector<Sequence> found;
  const auto [first, last] = charges_.equal_range(key);
  for (auto at = first; at != last; ++at) found.push_back(at->second);
  std::sort(found.begin(), found.end());
  return found;
}

Index::Key Index::key_of(char kind, std::initializer_list<std::string_view> parts) const {
  if (misleads_) return {};
  random::SipState<> state(secret_);
  state.widen();
  state.add(static_cast<std::uint64_t>(kind));
  // With their lengths, so that what stands where cannot be mistaken.
  for (const std::string_view part : parts) {
    state.add(part.size());
    state.add_bytes(part);
  }
  return state.finish_wide();
}

Index::Keys Index::keys_of(const Record& record) const {
  Keys keys;
  if (record.kind == Kind::kCharge || record.kind == Kind::kShare) {
    keys.record = key_of('r', {record.units, record.analyst, record.request_id});
  }
  if (record.kind == Kind::kShare) {
    keys.share = key_of('s', {record.units, record.question, record.snapshot, record.analyst});
  }
  if (record.kind == Kind::kAnswer) {
    keys.record = key_of('a', {record.units, record.question, record.snapshot});
    keys.answered = record.about;
  }
  // Those without a price only say how another charge was used, and shares without content were
  // given at once.
  const bool is_paid = record.price != Price();
  if ((record.kind == Kind::kCharge && is_paid) ||
      (record.kind == Kind::kShare && record.content != Hash{})) {
    keys.charge = key_of('c', {record.units, record.question, record.snapshot, record.analyst});
  }
  if (record.kind == Kind::kCharge && !is_paid && record.about != 0) keys.answered = record.about;
  keys.forgets = record.kind == Kind::kRecovery || record.kind == Kind::kWitness;
  return keys;
}

void Index::add(const Record& record) {
  DISCREET_CHECK(record.sequence == records_.size() + waiting_.size());
  const Keys keys = keys_of(record);
  if (tries_) {
    waiting_.push_back(keys);
  } else {
    link(keys);
  }
}

void Index::link(const Keys& keys) {
  if (keys.share) {
    shown_.push_back(records_.size());
    shares_.add(keys.share);
  }
  if (keys.charge) open_.add(records_.size(), *keys.charge);
  if (keys.answered) open_.answer(*keys.answered);
  if (keys.forgets) open_.forget();
  records_.add(keys.record);
}

void Index::keep() {
  tries_ = false;
  for (const Keys& keys : waiting_) link(keys);
  waiting_.clear();
}

void Index::undo() {
  tries_ = false;
  waiting_.clear();
}

Index::Trail Index::requests(std::string_view units, std::string_view analyst,
                             std::string_view request_id) const {
  return {*this, false, key_of('r', {units, analyst, request_id})};
}

Index::Trail Index::answers(const QuestionKey& key) const {
  return {*this, false, key_of('a', {key.units, key.question, key.snapshot})};
}

Index::Trail Index::shares(const QuestionKey& key, std::string_view analyst) const {
  return {*this, true, key_of('s', {key.units, key.question, key.snapshot, analyst})};
}

std::vector<Sequence> Index::unanswered(const QuestionKey& key, std::string_view analyst) const {
  const Key wanted = key_of('c', {key.units, key.question, key.snapshot, analyst});
  std::vector<Sequence> found = open_.of(wanted);
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const Keys& keys = waiting_[i];
    if (keys.charge == wanted) found.push_back(records_.size() + i);
    if (keys.answered) std::erase(found, *keys.answered);
    if (keys.forgets) found.clear();
  }
  return found;
}

Index::Trail::Trail(const Index& index, bool is_of_shares, const Key& key)
    : index_(&index),
      is_of_shares_(is_of_shares),
      key_(key),
      waiting_(index.waiting_.size()),
      kept_(is_of_shares ? index.shares_ : index.records_, key) {}

std::optional<Sequence> Index::Trail::next() {
  while (waiting_ > 0) {
    const Keys& keys = index_->waiting_[--waiting_];
    if ((is_of_shares_ ? keys.share : keys.record) == key_) {
      return index_->records_.size() + waiting_;
    }
  }
  const std::optional<std::uint64_t> found = kept_.next();
  if (!found || !is_of_shares_) return found;
  return index_->shown_[*found];
}

std::size_t Index::bytes() const {
  return records_.bytes() + shares_.bytes() + shown_.size() * sizeof(Sequence);
}

}  // namespace discreet::ledger
