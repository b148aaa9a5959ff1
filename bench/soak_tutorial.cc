// SPDX-License-Identifier: Apache-2.0
// Every command of the tutorial, the slow ones too, as a reader would run them: `./dev soak
// tutorial`. The tests run the quick ones.
#include <cstdlib>

int main() {
  // From the root of the tree, where ./dev runs it.
  return std::system("examples/tutorial.sh build/bin/discreet all") == 0 ? 0 : 1;
}
