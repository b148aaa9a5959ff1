// SPDX-License-Identifier: Apache-2.0
// The client compiled to WebAssembly, run in node: `./dev soak wasm`. Compiling it takes a minute,
// so the tests leave it out.
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

int run(const std::string& command) {
  std::printf("%s\n", command.c_str());
  std::fflush(stdout);
  return std::system(command.c_str());
}

}  // namespace

int main() {
  // From the root of the tree, where ./dev runs it.
  if (run("src/local/client/wasm.sh build/wasm") != 0) return 1;
  return run("node src/local/client/page_test.mjs build/wasm build/bin/discreet") == 0 ? 0 : 1;
}
