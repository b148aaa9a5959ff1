// SPDX-License-Identifier: Apache-2.0
// The bit source, the integer coins and the uniform integers need nothing but the C and C++
// libraries and the kernel's headers: the local client compiles them without GMP, MPFR or OpenSSL.
#include <gtest/gtest.h>

#include <deque>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>

namespace discreet::random::standalone_test {
namespace {

using ReadFile = std::function<std::string(const std::string&)>;

std::string read_from_tree(const std::string& path) {
  std::ifstream file(std::string(DISCREET_SOURCE_DIR) + "/src/" + path);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// All headers in angle brackets that are reached from these files, and our own files on the way.
struct Closure {
  std::set<std::string> ours;
  std::set<std::string> others;
};

// The `<name` or `"name` of an #include line, or "".
std::string included(std::string line) {
  std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
  const std::string directive = "#include";
  if (!line.starts_with(directive) || line.size() == directive.size()) return "";
  const char open = line[directive.size()];
  const std::size_t end = line.find(open == '<' ? '>' : open, directive.size() + 1);
  return line.substr(directive.size(), end - directive.size());
}

Closure closure_of(std::deque<std::string> todo, const ReadFile& read) {
  Closure closure;
  for (; !todo.empty(); todo.pop_front()) {
    if (!closure.ours.insert(todo.front()).second) continue;
    std::istringstream lines(read(todo.front()));
    for (std::string line; std::getline(lines, line);) {
      const std::string name = included(line);
      if (name.starts_with('<')) closure.others.insert(name.substr(1));
      if (name.starts_with('"')) todo.push_back(name.substr(1));
    }
  }
  return closure;
}

// The C++ library's headers have no extension and no folder; these few have.
std::set<std::string> foreign(const Closure& closure) {
  static const std::set<std::string> kSystem = {"immintrin.h", "sys/mman.h", "sys/random.h",
                                                "sys/types.h"};
  std::set<std::string> found;
  for (const std::string& name : closure.others) {
    const bool standard = name.find_first_of("./") == name.npos;
    if (!standard && !kSystem.contains(name)) found.insert(name);
  }
  return found;
}

TEST(Standalone, BitSourceAndIntegerCoinsIncludeNoBigNumbersAndNoOpenSsl) {
  const Closure closure =
      closure_of({"random/system_bits.cc", "random/stream.cc", "random/entropy.cc",
                  "random/health.cc", "random/cipher.cc", "random/aes_ctr.cc", "random/chacha20.cc",
                  "random/uniform.h", "base/error.cc", "base/check.cc", "base/process_mark.cc"},
                 read_from_tree);
  EXPECT_EQ(foreign(closure), std::set<std::string>{});
  EXPECT_TRUE(closure.ours.contains("base/result.h"));
  EXPECT_TRUE(closure.others.contains("sys/random.h"));
}

TEST(Standalone, APlantedIncludeIsFoundThroughOtherFiles) {
  const auto planted = [](const std::string& path) -> std::string {
    if (path == "a.cc") return "#include <vector>\n#include \"b.h\"\n";
    if (path == "b.h") return "int x;\n # include \"c.h\"\n#include \"b.h\"\n";
    return "// #include <mpfr.h>\n#include <gmpxx.h>\n#include <openssl/evp.h>\n";
  };
  EXPECT_EQ(foreign(closure_of({"a.cc"}, planted)),
            (std::set<std::string>{"gmpxx.h", "openssl/evp.h"}));
}

}  // namespace
}  // namespace discreet::random::standalone_test
