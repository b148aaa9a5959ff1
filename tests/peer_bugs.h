// SPDX-License-Identifier: Apache-2.0
// "Would we have had it?": public failures of other systems, each with the tests of this tree that
// would have caught it (tests/peer_bugs.txt), as a page for people (docs/peer-bugs.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/tree.h"

namespace discreet::tree {

struct PeerBug {
  std::string reference;
  std::string broke;
  std::string here;
  std::vector<std::string> tests;  // Suite.Name
};

struct PeerBugs {
  std::string heading;
  std::vector<PeerBug> bugs;
};

/// Fails (throws) on a line that has not four parts, all of them there.
std::vector<PeerBugs> parse_peer_bugs(std::string_view text);

/// The tests that are named and not in these files.
std::vector<std::string> missing_tests(const std::vector<PeerBugs>& all,
                                       const std::vector<File>& files);

std::string peer_bugs_page(const std::vector<PeerBugs>& all);

}  // namespace discreet::tree
