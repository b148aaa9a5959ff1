// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include <filesystem>

#include "base/files.h"
#include "cli/local.h"

namespace discreet::cli {
namespace {

Error in_file(const std::string& path, const Error& error) {
  return {error.code, path + ": " + error.message};
}

Result<void> add_batches(std::string_view bytes, local::Aggregate& aggregate,
                         local::SeenIds& seen) {
  std::vector<std::uint8_t> fresh;
  while (!bytes.empty()) {
    DISCREET_ASSIGN(const local::Batch batch, take_batch(aggregate.survey(), bytes));
    fresh.clear();
    for (std::size_t i = 0; i < batch.count; ++i) {
      const local::Bytes record = batch.record(i);
      if (seen.insert(record)) fresh.insert(fresh.end(), record.begin(), record.end());
    }
    const std::size_t count = fresh.size() / batch.record_size;
    aggregate.add(local::Batch{fresh, batch.record_size, count});
    aggregate.count_duplicates(batch.count - count);
  }
  return {};
}

}  // namespace

Result<std::string> read_whole_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return invalid_input(in_quotes(path) +
                         " is a folder; name files of reports, or save what a collector answers to "
                         "GET /v1/aggregate and name that file");
  }
  DISCREET_ASSIGN(const OpenFile file, OpenFile::open(path, O_RDONLY | O_CLOEXEC));
  DISCREET_ASSIGN(const std::uint64_t size, file.size());
  if (size >> 32 != 0) return invalid_input("the file " + in_quotes(path) + " is above 4 GiB");
  return file.read_at(0, size);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = text.find('\n', at);
    if (end == text.npos) end = text.size();
    std::string line = text.substr(at, end - at);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
    at = end + 1;
  }
  return lines;
}

Result<local::Survey> read_survey(const Text& path, const char* example) {
  if (!path) return missing("--survey", example);
  DISCREET_ASSIGN(const std::string bytes, read_whole_file(*path));
  Result<local::Survey> survey = local::parse_survey(bytes);
  if (!survey.has_value()) return in_file(*path, survey.error());
  return survey;
}

Result<local::Aggregate> read_reports(const std::vector<std::string>& paths,
                                      const local::Survey& survey) {
  std::optional<local::Aggregate> counted;
  local::Aggregate loose(survey);
  local::SeenIds seen;
  for (const std::string& path : paths) {
    DISCREET_ASSIGN(const std::string bytes, read_whole_file(path));
    if (!local::is_counts(bytes)) {
      const Result<void> added = add_batches(bytes, loose, seen);
      if (!added.has_value()) return in_file(path, added.error());
      continue;
    }
    Result<local::Aggregate> counts = local::Aggregate::parse(survey, bytes);
    if (!counts.has_value()) return in_file(path, counts.error());
    const Result<void> merged = counted ? counted->merge(*counts) : Result<void>();
    if (!merged) return in_file(path, merged.error());
    if (!counted) counted = *std::move(counts);
  }
  if (!counted) return loose;
  if (loose.tally().seen() == 0) return *std::move(counted);
  return Error{Code::kConflict,
               "reports and the counts of collectors cannot be added up, since these may hold the "
               "same reports; hand the reports to a collector (discreet local collect FILE)"};
}

}  // namespace discreet::cli
