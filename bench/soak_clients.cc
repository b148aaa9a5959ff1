// SPDX-License-Identifier: Apache-2.0
// pgJDBC and node-postgres against the real server; psql and Python's clients are in `./dev test`.
// The scripts, and what they need, are in tests/clients; ./dev installs it.
#include <unistd.h>

#include <cstdio>

int main() {
  execl("/usr/bin/python3", "python3", "-B", "tests/clients/soak.py", "build/bin/discreet",
        "build/deps/node-clients/node_modules", static_cast<char*>(nullptr));
  std::perror("tests/clients/soak.py");
  return 5;
}
