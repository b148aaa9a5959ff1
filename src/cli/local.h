// SPDX-License-Identifier: Apache-2.0
// The commands of `discreet local`, one a file, and what they share.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/program.h"
#include "local/aggregate.h"

namespace discreet::cli {

void add_local_survey(Program& program, CLI::App& local);   // local_survey.cc
void add_local_tokens(Program& program, CLI::App& local);   // local_tokens.cc
void add_local_report(Program& program, CLI::App& local);   // local_report.cc
void add_local_show(Program& program, CLI::App& local);     // local_show.cc
void add_local_compare(Program& program, CLI::App& local);  // local_compare.cc

/// What `local estimate` can be asked about reports of a survey.
struct SurveyEstimate {
  Text survey, top, quantiles, candidates, truth, plot, shuffled_delta, honest, quota;
  std::vector<std::string> files;
  bool distribution = false;

  void add_to(CLI::App& app);
};
/// local_estimate.cc
Result<int> run_survey_estimate(const SurveyEstimate& wanted, const Text& confidence,
                                const FormatArguments& format, const Streams& streams);

/// A whole file. Fails with: kNotFound, kStorage; kInvalidInput above 2^32 bytes.
Result<std::string> read_whole_file(const std::string& path);
/// The lines of a text; a last line without an end counts.
std::vector<std::string> lines_of(const std::string& text);
/// Fails with: what parse_survey says, naming the file.
Result<local::Survey> read_survey(const Text& path, const char* example);
/// All reports of files, each once: batches, whose ids are compared, or the counts of collectors,
/// each of another shard; not both.
Result<local::Aggregate> read_reports(const std::vector<std::string>& paths,
                                      const local::Survey& survey);

}  // namespace discreet::cli
