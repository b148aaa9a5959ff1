// SPDX-License-Identifier: Apache-2.0
// Rows of a COPY into a Bounding: what engine/duckdb/keep.h does with vectors is done here with
// fields, by the same rule and into the same layout.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/bounding.h"
#include "engine/lowering/plan.h"
#include "engine/postgres/binary.h"
#include "engine/postgres/connection.h"
#include "engine/quantize.h"

namespace discreet::engine::postgres {

class Feed {
 public:
  /// `bounding` must outlive this. Requires: it was made for the task of `run`.
  Feed(Bounding& bounding, const lowering::BoundedRun& run);

  /// Requires: at most Intake::kRowsMax.
  void take(std::span<const CopyRow> rows);

 private:
  /// How a field is read: from its stored form, or as the dialect computed it.
  struct Reader {
    std::optional<Quantizer> quantizer;
    unsigned int type = 0;
    std::optional<std::int64_t> fallback;
    std::optional<std::int64_t> number(std::optional<std::string_view> bytes) const;
  };
  void put_units(std::uint64_t* rows);
  void put_key(std::uint64_t* rows, std::size_t key, const Reader& reader);
  void put_content(std::uint64_t* rows, std::size_t content, const Reader& reader);

  Bounding& bounding_;
  Bounding::Worker& worker_;
  std::vector<Reader> readers_;  // of each field
  std::vector<bool> is_text_;    // of each content
  std::vector<FieldReader> rows_;
};

}  // namespace discreet::engine::postgres
