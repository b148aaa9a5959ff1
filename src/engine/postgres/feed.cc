// SPDX-License-Identifier: Apache-2.0
#include "engine/postgres/feed.h"

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

Feed::Feed(Bounding& bounding, const lowering::BoundedRun& run)
    : bounding_(bounding), worker_(bounding.new_worker()) {
  for (const lowering::RowField& field : run.fields) {
    Reader& reader = readers_.emplace_back();
    if (!is_fetched_raw(field)) continue;
    reader.quantizer.emplace(field.column->grid);
    reader.type = field.column->stored.type;
    reader.fallback = field.column->fallback;
  }
  for (const Content& content : run.task.contents) is_text_.push_back(is_hashed(content));
}

std::optional<std::int64_t> Feed::Reader::number(std::optional<std::string_view> bytes) const {
  if (!quantizer) {
    if (!bytes) return std::nullopt;
    if (bytes->size() == 1) return bytes->front();  // a truth value
    return big_endian<std::int64_t>(bytes->data());
  }
  std::optional<std::int64_t> steps;
  if (bytes) steps = stored_steps(type, *bytes, *quantizer);
  return steps ? steps : fallback;
}

void Feed::put_units(std::uint64_t* rows) {
  const std::size_t words = bounding_.layout().words();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::optional<std::string_view> bytes = rows_[i].next();
    DISCREET_CHECK(bytes.has_value());
    std::uint64_t* row = rows + i * words;
    if (!bounding_.task().wide_unit) {
      row[0] = big_endian<std::uint64_t>(bytes->data());
    } else {
      const Hash128 hash = keyed_hash_wide(bounding_.secret(), *bytes);
      row[0] = hash.low;
      row[1] = hash.high;
    }
  }
}

void Feed::put_key(std::uint64_t* rows, std::size_t key, const Reader& reader) {
  KeyIds& keys = worker_.keys;
  const KeyKind kind = keys.kind(key);
  const std::size_t words = bounding_.layout().words();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::optional<std::string_view> bytes = rows_[i].next();
    std::uint32_t id = KeyIds::kNull;
    if (kind == KeyKind::kText || kind == KeyKind::kCutText) {
      if (bytes) id = keys.of_text(key, *bytes);
    } else if (const std::optional<std::int64_t> value = reader.number(bytes)) {
      id =
          kind == KeyKind::kBoolean ? KeyIds::of_boolean(*value != 0) : keys.of_number(key, *value);
    }
    std::uint64_t& place = rows[i * words + bounding_.layout().unit_words()];
    place = keys.extend(key, static_cast<std::uint32_t>(place), id);
  }
}

void Feed::put_content(std::uint64_t* rows, std::size_t content, const Reader& reader) {
  const RowLayout::Field& field = bounding_.layout().field(content);
  const std::size_t words = bounding_.layout().words();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::optional<std::string_view> bytes = rows_[i].next();
    std::optional<std::int64_t> value;
    if (!is_text_[content] || reader.quantizer) {
      value = reader.number(bytes);
    } else if (bytes) {
      value = static_cast<std::int64_t>(keyed_hash(bounding_.secret(), *bytes));
    }
    if (value) RowLayout::put(field, rows + i * words, *value);
  }
}

void Feed::take(std::span<const CopyRow> rows) {
  rows_.clear();
  for (const CopyRow row : rows) rows_.emplace_back(row);
  std::uint64_t* words = worker_.rows.begin(rows.size());
  put_units(words);
  std::size_t field = 1;
  for (std::size_t k = 0; k < bounding_.task().keys.size(); ++k) {
    put_key(words, k, readers_[field++]);
  }
  for (std::size_t c = 0; c < bounding_.task().contents.size(); ++c) {
    put_content(words, c, readers_[field++]);
  }
  worker_.rows.commit();
}

}  // namespace discreet::engine::postgres
