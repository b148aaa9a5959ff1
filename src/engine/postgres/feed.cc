// SPDX-License-Identifier: Apache-2.0
#include "engine/postgres/feed.h"

#include <algorithm>
#include <limits>

#include "engine/postgres/dialect.h"

namespace discreet::engine::postgres {
namespace {

/// Texts are hashed to 64 bits: their content spans all of these (lowering/plan.cc).
bool is_hashed(const Content& content) {
  return content.low == std::numeric_limits<std::int64_t>::min() &&
         content.high == std::numeric_limits<std::int64_t>::max();
}

}  // namespace

FieldForm::FieldForm(const lowering::RowField& field) {
  if (!is_fetched_raw(field)) return;
  stored_.emplace(field.column->stored.type, field.column->grid);
  fallback_ = field.column->fallback;
}

std::optional<std::int64_t> FieldForm::number(std::optional<std::string_view> bytes) const {
  if (!stored_) {
    if (const std::optional<bool> is_true = truth(bytes)) return *is_true ? 1 : 0;
    return fixed<std::int64_t>(bytes);
  }
  std::optional<std::int64_t> steps;
  if (bytes) steps = stored_->steps(*bytes);
  return steps ? steps : fallback_;
}

std::uint32_t FieldForm::key(KeyIds& keys, std::size_t column,
                             std::optional<std::string_view> bytes) const {
  const KeyKind kind = keys.kind(column);
  if (kind == KeyKind::kText || kind == KeyKind::kCutText) {
    return bytes ? keys.of_text(column, *bytes) : KeyIds::kNull;
  }
  const std::optional<std::int64_t> value = number(bytes);
  if (!value) return KeyIds::kNull;
  return kind == KeyKind::kBoolean ? KeyIds::of_boolean(*value != 0)
                                   : keys.of_number(column, *value);
}

Feed::Feed(Bounding& bounding, const lowering::BoundedRun& run)
    : bounding_(bounding), worker_(bounding.new_worker()) {
  for (const lowering::RowField& field : run.fields) forms_.emplace_back(field);
  for (const Content& content : run.task.contents) is_text_.push_back(is_hashed(content));
}

std::optional<Feed::Unit> Feed::unit_of(std::optional<std::string_view> field) const {
  if (!field) return std::nullopt;
  if (bounding_.task().wide_unit) {
    const Hash128 hash = keyed_hash_wide(bounding_.secret(), *field);
    return Unit{{hash.low, hash.high}};
  }
  const auto word = fixed<std::uint64_t>(field);
  return word ? std::optional(Unit{{*word, 0}}) : std::nullopt;
}

void Feed::put_key(std::uint64_t* rows, std::size_t key, const FieldForm& form) {
  KeyIds& keys = worker_.keys;
  const std::size_t words = bounding_.layout().words();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::uint32_t id = form.key(keys, key, rows_[i].next());
    std::uint64_t& place = rows[i * words + bounding_.layout().unit_words()];
    place = keys.extend(key, static_cast<std::uint32_t>(place), id);
  }
}

void Feed::put_content(std::uint64_t* rows, std::size_t content, const FieldForm& form) {
  const RowLayout::Field& field = bounding_.layout().field(content);
  const Content& ends = bounding_.task().contents[content];
  const std::size_t words = bounding_.layout().words();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::optional<std::string_view> bytes = rows_[i].next();
    std::optional<std::int64_t> value;
    if (!is_text_[content] || form.is_raw()) {
      value = form.number(bytes);
    } else if (bytes) {
      value = static_cast<std::int64_t>(keyed_hash(bounding_.secret(), *bytes));
    }
    if (value && *value >= ends.low && *value <= ends.high) {
      RowLayout::put(field, rows + i * words, *value);
    }
  }
}

void Feed::take(std::span<const CopyRow> rows) {
  rows_.clear();
  units_.clear();
  for (const CopyRow row : rows) {
    FieldReader fields(row);
    const std::optional<Unit> unit = unit_of(fields.next());
    if (!unit) continue;
    units_.push_back(*unit);
    rows_.push_back(fields);
  }
  const RowLayout& layout = bounding_.layout();
  std::uint64_t* words = worker_.rows.begin(rows_.size());
  for (std::size_t i = 0; i < units_.size(); ++i) {
    std::copy_n(units_[i].words, layout.unit_words(), words + i * layout.words());
  }
  std::size_t field = 1;
  for (std::size_t k = 0; k < bounding_.task().keys.size(); ++k) {
    put_key(words, k, forms_[field++]);
  }
  for (std::size_t c = 0; c < bounding_.task().contents.size(); ++c) {
    put_content(words, c, forms_[field++]);
  }
  worker_.rows.commit();
}

CensusFeed::CensusFeed(Census& census, const BoundingTask& task,
                       const std::vector<lowering::RowField>& fields, const Secret& secret)
    : census_(census), keys_(task.keys, secret) {
  for (const lowering::RowField& field : fields) forms_.emplace_back(field);
}

void CensusFeed::take(std::span<const CopyRow> rows) {
  for (const CopyRow bytes : rows) {
    FieldReader row(bytes);
    const std::optional<std::int64_t> owner = fixed<std::int64_t>(row.next());
    std::uint32_t key = 0;
    for (std::size_t k = 0; k < keys_.columns(); ++k) {
      key = keys_.extend(k, key, forms_[k + 1].key(keys_, k, row.next()));
    }
    if (key >= groups_.size()) groups_.resize(key + 1);
    Census::Group*& group = groups_[key];
    if (group == nullptr) group = census_.new_group();
    bool fine = group != nullptr && owner;
    if (fine) {
      std::uint32_t unit = 0;
      fine = census_.find({&*owner, 1}, &unit) && census_.count(*group, unit);
    }
    if (fine) continue;
    census_.abandon();
    return;
  }
}

std::vector<std::pair<std::string, const Census::Group*>> CensusFeed::groups() const {
  std::vector<std::pair<std::string, const Census::Group*>> all;
  for (std::size_t key = 0; key < groups_.size(); ++key) {
    if (groups_[key] == nullptr) continue;
    all.emplace_back(keys_.bytes(static_cast<std::uint32_t>(key)), groups_[key]);
  }
  return all;
}

}  // namespace discreet::engine::postgres
