// SPDX-License-Identifier: Apache-2.0
// Reports on the wire. A batch is a header, a count and records of one size; one report is a batch
// of one, and batches may follow each other in a file.
//
//   header    "DLR1"  parameters (varints)  fingerprint of the survey (8 bytes, little endian)
//   count     4 bytes, little endian
//   records   count times: id (16 bytes), payload (payload_size(parameters) bytes)
//
// The header says what the randomizer did, so a report can be read without its survey. The id is
// drawn once for a report and stays with it when it is sent again; it says nothing about the
// answer. For hash it is also the seed of the report's hash function.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "local/client/survey.h"

namespace discreet::local {

using Bytes = std::span<const std::uint8_t>;
using ReportId = std::array<std::uint8_t, 16>;

/// The last character of "DLR1".
inline constexpr int kReportFormat = 1;
inline constexpr std::size_t kIdBytes = 16;

std::string report_header(const Survey& survey);
std::size_t record_size(const Survey& survey);

/// Header, count and records. Requires: records hold whole records, below 2^32 of them.
std::string make_batch(const Survey& survey, Bytes records);

/// Records inside somebody else's bytes.
struct Batch {
  Bytes records;
  std::size_t record_size = 0;
  std::size_t count = 0;

  Bytes record(std::size_t i) const { return records.subspan(i * record_size, record_size); }
};

/// Takes one batch off the front of `bytes`.
/// Fails with: kInvalidInput when the bytes are no batch, end early or claim more than there is;
/// kUnsupported for another version; kConflict when the batch is for another survey or its
/// parameters (epsilon, say) differ, naming what differs.
Result<Batch> take_batch(const Survey& survey, std::string_view& bytes);

/// What a batch says about itself, without a survey.
struct BatchFacts {
  Parameters parameters;
  std::uint64_t fingerprint = 0;
  Batch batch;
};
Result<BatchFacts> take_any_batch(std::string_view& bytes);

/// Up to eight bytes, the lowest first.
inline std::uint64_t read_little(Bytes bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
  return value;
}
inline void write_little(std::uint64_t value, std::span<std::uint8_t> out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

}  // namespace discreet::local
