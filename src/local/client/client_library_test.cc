// SPDX-License-Identifier: Apache-2.0
// The client library needs the C library and the loader, and nothing else; it exports its C
// interface.
#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

namespace discreet::local::client_library_test {
namespace {

std::string library() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return (std::filesystem::path(std::string(path, static_cast<std::size_t>(size))).parent_path() /
          "libdiscreet_client.so")
      .string();
}

// The NEEDED entries of a 64-bit ELF file.
std::set<std::string> needed(const std::string& bytes) {
  const auto at = [&](std::size_t offset) { return bytes.data() + offset; };
  Elf64_Ehdr header;
  std::memcpy(&header, at(0), sizeof header);
  std::set<std::string> names;
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, at(header.e_shoff + static_cast<std::size_t>(i) * sizeof section),
                sizeof section);
    if (section.sh_type != SHT_DYNAMIC) continue;
    Elf64_Shdr strings;
    std::memcpy(&strings, at(header.e_shoff + section.sh_link * sizeof strings), sizeof strings);
    for (std::size_t o = 0; o < section.sh_size; o += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry;
      std::memcpy(&entry, at(section.sh_offset + o), sizeof entry);
      if (entry.d_tag == DT_NEEDED) names.insert(at(strings.sh_offset + entry.d_un.d_val));
    }
  }
  return names;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ClientLibrary, NeedsTheOperatingSystemAndNothingElse) {
  const std::set<std::string> allowed = {
      "libc.so.6",    "libm.so.6",     "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
      "libasan.so.8", "libubsan.so.1", "libtsan.so.2"};
  for (const std::string& name : needed(read(library()))) {
    EXPECT_TRUE(allowed.contains(name)) << name;
  }
  // The reading itself works: this program needs more.
  EXPECT_TRUE(needed(read("/proc/self/exe")).contains("libgmp.so.10"));
}

TEST(ClientLibrary, ExportsItsCInterface) {
  void* const opened = dlopen(library().c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(opened, nullptr) << dlerror();
  for (const char* name :
       {"discreet_client_open", "discreet_client_report", "discreet_client_price",
        "discreet_client_error", "discreet_client_close"}) {
    EXPECT_NE(dlsym(opened, name), nullptr) << name;
  }
  dlclose(opened);
}

}  // namespace
}  // namespace discreet::local::client_library_test
