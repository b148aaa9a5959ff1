// SPDX-License-Identifier: Apache-2.0
// Words inside HTML and SVG.
#pragma once

#include <string>

namespace discreet::report {

/// Shown as it is: nothing in it is a tag, an entity or the end of an attribute; control characters
/// are blanks.
std::string escaped(const std::string& text);

/// The first `letters` letters, with an ellipsis for the last one when there are more; UTF-8 stays
/// whole.
std::string shortened(const std::string& text, std::size_t letters);

}  // namespace discreet::report
