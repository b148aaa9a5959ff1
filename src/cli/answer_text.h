// SPDX-License-Identifier: Apache-2.0
// An answer as a table, CSV, JSON, Markdown, or a drawing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/format.h"
#include "report/plot.h"
#include "session/session.h"

namespace discreet::cli {

/// Interval columns are <name>_low and <name>_high; for people they stand beside the value, with
/// the error relative to it where there are groups. too_small and clipped mark rows.
std::string answer_text(const session::Answered& answered, report::Format format);

std::string explanation_text(const session::OwnerExplanation& owners, report::Format format);

/// The columns of CSV, with types; the bytes of a file.
/// Fails with: kEngine, kStorage.
Result<std::string> answer_parquet(const session::Answered& answered);

/// Histograms, one for each group, or box plots in one picture, if that is what was asked for.
std::vector<report::Plot> answer_plots(const session::Answered& answered);
/// The same for a terminal; empty if there is nothing to draw.
std::string answer_drawing(const session::Answered& answered);

}  // namespace discreet::cli
