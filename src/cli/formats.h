// SPDX-License-Identifier: Apache-2.0
// discreet --version --formats: the version of everything that is stored. Each number is a constant
// of the layer that writes the format.
#pragma once

#include <string>
#include <vector>

#include "cli/program.h"

namespace discreet::cli {

/// Whether the words are --version with --formats.
bool asks_for_formats(const std::vector<std::string>& words);
/// Fails with: kInvalidInput for a word that does not belong there.
Result<Action> formats_action(const std::vector<std::string>& words);

}  // namespace discreet::cli
