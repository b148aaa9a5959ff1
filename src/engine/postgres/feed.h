// SPDX-License-Identifier: Apache-2.0
// Rows of a COPY into a Bounding: what engine/duckdb/keep.h does with vectors is done here with
// fields, by the same rule and into the same layout.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/bounding.h"
#include "engine/census.h"
#include "engine/lowering/plan.h"
#include "engine/postgres/binary.h"
#include "engine/postgres/connection.h"

namespace discreet::engine::postgres {

/// How a field is read: from its stored form, or as the dialect computed it.
class FieldForm {
 public:
  explicit FieldForm(const lowering::RowField& field);
  bool is_raw() const { return stored_.has_value(); }
  /// NULL for bytes that are not of its form.
  std::optional<std::int64_t> number(std::optional<std::string_view> bytes) const;
  /// The number of a key's column.
  std::uint32_t key(KeyIds& keys, std::size_t column, std::optional<std::string_view> bytes) const;

 private:
  std::optional<StoredForm> stored_;
  std::optional<std::int64_t> fallback_;
};

class Feed {
 public:
  /// `bounding` must outlive this. Requires: it was made for the task of `run`.
  Feed(Bounding& bounding, const lowering::BoundedRun& run);

  /// A row that names no unit is left out. Requires: at most Intake::kRowsMax.
  void take(std::span<const CopyRow> rows);

 private:
  struct Unit {
    std::uint64_t words[2];
  };
  std::optional<Unit> unit_of(std::optional<std::string_view> field) const;
  void put_key(std::uint64_t* rows, std::size_t key, const FieldForm& form);
  void put_content(std::uint64_t* rows, std::size_t content, const FieldForm& form);

  Bounding& bounding_;
  Bounding::Worker& worker_;
  std::vector<FieldForm> forms_;   // of each field
  std::vector<bool> is_text_;      // of each content
  std::vector<Unit> units_;        // of the rows that are somebody's,
  std::vector<FieldReader> rows_;  // and their other fields
};

/// The same into a Census: what names a row's owner, then its keys.
class CensusFeed {
 public:
  /// `census` must outlive this. Requires: `fields` are an owner, then the keys of `task`.
  CensusFeed(Census& census, const BoundingTask& task,
             const std::vector<lowering::RowField>& fields, const Secret& secret);

  void take(std::span<const CopyRow> rows);
  /// The keys that came, with their groups.
  std::vector<std::pair<std::string, const Census::Group*>> groups() const;

 private:
  Census& census_;
  KeyIds keys_;
  std::vector<FieldForm> forms_;
  std::vector<Census::Group*> groups_;  // by number of the key
};

}  // namespace discreet::engine::postgres
