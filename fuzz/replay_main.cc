// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target on every file of a folder: libFuzzer's corpus as a plain test.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    std::ifstream stream(entry.path(), std::ios::binary);
    std::string input{std::istreambuf_iterator<char>(stream), {}};
    std::printf("%s\n", entry.path().c_str());
    std::fflush(stdout);  // the last line names the input of a crash
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
    ++files;
  }
  return files > 0 ? 0 : 1;  // an empty corpus tests nothing
}
