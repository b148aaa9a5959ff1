// SPDX-License-Identifier: Apache-2.0
// The interface under requests that schemathesis makes from its own description: `./dev soak api`.
// bench/soak_api.py starts the server and reads what was found.
#include <cstdlib>

int main() {
  // From the root of the tree, where ./dev runs it.
  return std::system("/usr/bin/python3 bench/soak_api.py") == 0 ? 0 : 1;
}
