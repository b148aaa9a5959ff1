// SPDX-License-Identifier: Apache-2.0
// The program as a function: words in, exit status out.
#pragma once

#include <string>
#include <vector>

#include "cli/streams.h"

namespace discreet::cli {

/// Runs `discreet words...`. Errors are one line on streams.err, "discreet: ...", and then nothing
/// is on streams.out, but for answers of a stream that broke in the middle. The status is that of
/// base/error.h's table; a reader that closes its pipe early has had enough, which is no error.
int run(const std::vector<std::string>& words, const Streams& streams);

}  // namespace discreet::cli
