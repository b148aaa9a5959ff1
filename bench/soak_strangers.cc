// SPDX-License-Identifier: Apache-2.0
// Strangers, and one analyst, against a real server while an honest user logs in and asks:
// `./dev soak strangers [SECONDS [SEED]]` (600). bench/soak_strangers.py does it.
#include <unistd.h>

#include <string>
#include <vector>

int main(int count, char** words) {
  // From the root of the tree, where ./dev runs it.
  std::vector<std::string> all = {"/usr/bin/python3", "bench/soak_strangers.py"};
  all.insert(all.end(), words + 1, words + count);
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  return 1;
}
