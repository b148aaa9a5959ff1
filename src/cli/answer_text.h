// SPDX-License-Identifier: Apache-2.0
// An answer as a table, CSV, JSON, Markdown, or a drawing.
#pragma once

#include <optional>
#include <string>

#include "report/format.h"
#include "report/plot.h"
#include "session/session.h"

namespace discreet::cli {

/// Interval columns are <name>_low and <name>_high; for people they stand beside the value.
std::string answer_text(const session::Answered& answered, report::Format format);

std::string explanation_text(const session::Explanation& explained, report::Format format);

/// A histogram or box plots, if that is what was asked for.
std::optional<report::Plot> answer_plot(const session::AnswerSheet& sheet);

}  // namespace discreet::cli
