// SPDX-License-Identifier: Apache-2.0
#include "local/client/report.h"

#include "base/check.h"

namespace discreet::local {
namespace {

constexpr std::string_view kReportMagic = "DLR1";
static_assert(kReportMagic.back() == '0' + kReportFormat);

void put_little(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// The count and the records behind a header.
Result<Batch> take_records(std::size_t size, std::string_view& bytes) {
  if (bytes.size() < 4) return invalid_input("the batch ends before its count");
  const std::uint64_t count = read_little(bytes_of(bytes.substr(0, 4)));
  bytes.remove_prefix(4);
  if (count > bytes.size() / size) {
    return invalid_input("the batch says that it holds " + std::to_string(count) + " reports of " +
                         std::to_string(size) + " bytes, but " + std::to_string(bytes.size()) +
                         " bytes follow");
  }
  const auto whole = static_cast<std::size_t>(count) * size;
  const Batch batch{bytes_of(bytes.substr(0, whole)), size, static_cast<std::size_t>(count)};
  bytes.remove_prefix(whole);
  return batch;
}

}  // namespace

std::string report_header(const Survey& survey) {
  std::string out(kReportMagic);
  out += encode(survey.parameters);
  put_little(out, fingerprint(survey), 8);
  return out;
}

std::size_t record_size(const Survey& survey) { return kIdBytes + payload_size(survey.parameters); }

std::string make_batch(const Survey& survey, Bytes records) {
  const std::size_t size = record_size(survey);
  DISCREET_CHECK(records.size() % size == 0 && std::uint64_t{records.size() / size} >> 32 == 0);
  std::string out = report_header(survey);
  put_little(out, records.size() / size, 4);
  out.append(reinterpret_cast<const char*>(records.data()), records.size());
  return out;
}

Result<BatchFacts> take_any_batch(std::string_view& bytes) {
  if (bytes.substr(0, 3) != kReportMagic.substr(0, 3)) {
    return invalid_input("these bytes are not reports (they must begin with DLR1)");
  }
  if (bytes.size() > 3 && bytes[3] != kReportMagic[3]) {
    return Error{Code::kUnsupported,
                 "the reports are of another version; this discreet reads version " +
                     std::to_string(kReportFormat)};
  }
  if (!bytes.starts_with(kReportMagic)) return invalid_input("the batch ends inside its header");
  bytes.remove_prefix(kReportMagic.size());
  BatchFacts facts;
  DISCREET_ASSIGN(facts.parameters, take_parameters(bytes));
  DISCREET_TRY(check(facts.parameters));
  if (bytes.size() < 8) return invalid_input("the batch ends inside its header");
  facts.fingerprint = read_little(bytes_of(bytes.substr(0, 8)));
  bytes.remove_prefix(8);
  DISCREET_ASSIGN(facts.batch, take_records(kIdBytes + payload_size(facts.parameters), bytes));
  return facts;
}

Result<Batch> take_batch(const Survey& survey, std::string_view& bytes) {
  const std::string header = report_header(survey);
  if (bytes.starts_with(header)) {
    bytes.remove_prefix(header.size());
    return take_records(record_size(survey), bytes);
  }
  DISCREET_ASSIGN(const BatchFacts facts, take_any_batch(bytes));
  return Error{Code::kConflict, "the reports do not fit the survey: " +
                                    difference(survey.parameters, facts.parameters)};
}

}  // namespace discreet::local
