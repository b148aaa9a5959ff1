// SPDX-License-Identifier: Apache-2.0
#include "tests/peer_bugs.h"

#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

namespace discreet::tree {
namespace {

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == text.npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> out;
  std::istringstream in{std::string(text)};
  for (std::string part; std::getline(in, part, at);) out.push_back(trimmed(part));
  return out;
}

}  // namespace

std::vector<PeerBugs> parse_peer_bugs(std::string_view text) {
  std::vector<PeerBugs> all;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with("## ")) {
      all.push_back({line.substr(3), {}});
      continue;
    }
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string> parts = split(line, '|');
    bool whole = parts.size() == 4 && !all.empty();
    for (const std::string& part : parts) whole = whole && !part.empty();
    if (!whole) throw std::runtime_error("peer_bugs.txt: " + line);
    all.back().bugs.push_back({parts[0], parts[1], parts[2], split(parts[3], ',')});
  }
  return all;
}

std::vector<std::string> missing_tests(const std::vector<PeerBugs>& all,
                                       const std::vector<File>& files) {
  std::set<std::string> known;
  const std::regex test(R"(\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))");
  for (const File& file : files) {
    if (!file.path.ends_with("_test.cc")) continue;
    for (std::sregex_iterator found(file.text.begin(), file.text.end(), test), end; found != end;
         ++found) {
      known.insert((*found)[1].str() + "." + (*found)[2].str());
    }
  }
  std::vector<std::string> missing;
  for (const PeerBugs& some : all) {
    for (const PeerBug& bug : some.bugs) {
      for (const std::string& name : bug.tests) {
        if (!known.contains(name)) missing.push_back(name);
      }
    }
  }
  return missing;
}

std::string peer_bugs_page(const std::vector<PeerBugs>& all) {
  std::size_t count = 0;
  for (const PeerBugs& some : all) count += some.bugs.size();
  std::string page =
      "# Would we have had it?\n\nFailures of other systems that are public, and the tests here "
      "that would have caught them. " +
      std::to_string(count) +
      " entries; `./dev test` runs every test that is named, and checks that it exists. Where "
      "several people found the same thing they stand in one line; numbers are of issues (#) and "
      "pull requests (PR#) in the projects' own trackers. Made from `tests/peer_bugs.txt` by "
      "`./dev format`.\n";
  for (const PeerBugs& some : all) {
    page += "\n## " + some.heading + "\n| where | what broke there | why not here | tests |\n" +
            "|---|---|---|---|\n";
    for (const PeerBug& bug : some.bugs) {
      page += "| " + bug.reference + " | " + bug.broke + " | " + bug.here + " | ";
      for (std::size_t i = 0; i < bug.tests.size(); ++i) {
        page += (i == 0 ? "`" : ", `") + bug.tests[i] + "`";
      }
      page += " |\n";
    }
  }
  return page;
}

}  // namespace discreet::tree
