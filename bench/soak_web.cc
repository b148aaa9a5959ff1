// SPDX-License-Identifier: Apache-2.0
// Every page of every role in Chromium, light and dark, on a desk and on a phone: `./dev soak web`.
// With DISCREET_SHOTS=FOLDER it leaves screenshots there.
#include <cstdlib>

int main() {
  // From the root of the tree, where ./dev runs it.
  const char* const command =
      "DISCREET=build/bin/discreet node web/test/story.mjs && "
      "DISCREET=build/bin/discreet node web/test/visits.mjs";
  return std::system(command) == 0 ? 0 : 1;
}
