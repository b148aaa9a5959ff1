// SPDX-License-Identifier: Apache-2.0
// The rules of the source tree, each tried on planted text first: a check that cannot fail is no
// check.
//   tree_test            the tests
//   tree_test --write    draws the diagram in ARCHITECTURE.md again, and docs/peer-bugs.md
//   tree_test --trusted  prints the size of the trusted code
#include "tests/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/peer_bugs.h"

namespace discreet::tree {
namespace {

using Found = std::vector<std::string>;

const std::filesystem::path kRoot = DISCREET_SOURCE_DIR;
const std::vector<std::string> kFolders = {"src",   "tests", "bench", "fuzz",    "oracle",
                                           "cmake", "docs",  "tools", "examples"};

const std::vector<File>& tree() {
  static const std::vector<File> kTree = read(kRoot, kFolders);
  return kTree;
}

std::vector<File> sources() {
  std::vector<File> files;
  for (const File& file : tree()) {
    if (file.path.starts_with("src/") && is_source(file.path)) files.push_back(file);
  }
  return files;
}

std::vector<Layer> layers() { return parse_layers(read_text(kRoot / "src/layers.txt")); }

std::string list(const Found& found) {
  std::string out;
  for (const std::string& line : found) out += line + "\n";
  return out;
}

// Everything that the product's files in these layers contain of these words.
Found product_words(const std::function<bool(const std::string&)>& in_layer, Strings strings,
                    const std::vector<std::string>& words) {
  Found all;
  for (const File& file : sources()) {
    if (!is_product(file.path) || !in_layer(layer_of(file.path))) continue;
    Found found = find_words(file, strings, words);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

TEST(Code, LosesCommentsAndKeepsLines) {
  EXPECT_EQ(code("a // b\nc /* d\ne */ f", Strings::kKeep), "a  \nc  \n f");
  EXPECT_EQ(code(R"(x = "// no" + '"';)", Strings::kKeep), R"(x = "// no" + '"';)");
  EXPECT_EQ(code(R"(x = "a\"b" + 1'000;)", Strings::kDrop), R"(x = "" + 1'000;)");
  EXPECT_EQ(code("R\"x(\" // )\" \n)x\" y", Strings::kDrop), "R\"\"\n y");
}

TEST(Words, MatchWholeIdentifiersAndAnyPath) {
  File file{"f.cc", "double a; // double\nstrand(); rand();\nopen(\"/dev/urandom0\");"};
  EXPECT_EQ(find_words(file, Strings::kDrop, {"double", "rand"}),
            (Found{"f.cc:1: double", "f.cc:2: rand"}));
  EXPECT_EQ(find_words(file, Strings::kKeep, {"/dev/urandom"}), (Found{"f.cc:3: /dev/urandom"}));
}

TEST(Layers, PlantedFaultsAreFound) {
  std::vector<Layer> few = parse_layers("base\nrandom # bits\nsql not random\n");
  auto faults = [&](const char* path, const char* text) {
    return layer_faults(few, {{path, text}}).size();
  };
  EXPECT_EQ(faults("src/random/a.cc", "#include \"base/b.h\"\n#include <vector>\n"), 0u);
  EXPECT_EQ(faults("src/random/a.cc", "#include \"random/b.h\"\n"), 0u);
  EXPECT_EQ(faults("src/random/a.cc", "// #include \"sql/b.h\"\n"), 0u);
  EXPECT_EQ(faults("src/base/a.h", " # include \"random/b.h\"\n"), 1u);     // upward
  EXPECT_EQ(faults("src/sql/a_test.cc", "#include \"random/b.h\"\n"), 1u);  // a wall, in tests too
  EXPECT_EQ(faults("src/random/a.cc", "#include \"b.h\"\n"), 1u);           // not from src/
  EXPECT_EQ(faults("src/utils/a.cc", ""), 1u);                              // no layer
  EXPECT_EQ(faults("src/a.cc", ""), 1u);
  EXPECT_EQ(faults("src/base/a.cc", "#include \"base/tape_for_tests.h\"\n"), 1u);
  EXPECT_EQ(faults("src/base/a_test.cc", "#include \"base/tape_for_tests.h\"\n"), 0u);
  EXPECT_THROW(parse_layers("base random"), std::runtime_error);
}

TEST(Layers, DiagramIsDrawnFromTheIncludesOfTheProduct) {
  std::vector<File> files = {{"src/base/a.h", ""},
                             {"src/sql/a.cc", "#include \"base/a.h\"\n#include \"sql/a.h\"\n"},
                             {"src/sql/a_test.cc", "#include \"random/a.h\"\n"}};
  std::string drawn = diagram(parse_layers("base\nrandom\nsql\n"), files);
  EXPECT_EQ(drawn, "sql         base\nbase\n");
  EXPECT_EQ(with_diagram("a\n<!-- layers -->\nold\n<!-- /layers -->\nb", "new\n"),
            "a\n<!-- layers -->\n```text\nnew\n```\n<!-- /layers -->\nb");
  EXPECT_THROW(with_diagram("no marks", ""), std::runtime_error);
}

TEST(Contracts, PlantedFaultsAreFound) {
  const std::vector<File> files = {
      {"src/random/coin.h",
       "/// Proof  coin.md §2\n/// Checked by coin_test, odds_test.\nint x_test();"},
      {"src/random/coin_test.cc", ""},
      {"src/random/coin.md", "see random/coin.md and privacy/gone.md"}};
  EXPECT_EQ(missing_names(files),
            (Found{"src/random/coin.h: odds_test", "src/random/coin.md: privacy/gone.md"}));
  const auto faults = [](const char* path, const char* text) {
    return reflowed({path, text}).size();
  };
  EXPECT_EQ(faults("src/a/a.h", "/// Theorem      for every z.\n/// Domain       all\n"), 0u);
  EXPECT_EQ(faults("src/a/a.h", "/// z. Domain       2^-40 <= sigma^2\n"), 1u);
  EXPECT_EQ(faults("src/a/a.md", "# A title\n```\n                 code\n```\n- a list\n"), 0u);
  EXPECT_EQ(faults("src/a/a.md", "#Above - threshold\n"), 1u);
  EXPECT_EQ(faults("src/a/a.md", "                     ## 4 The split Any r\n"), 1u);
}

TEST(Contracts, NameTestsAndPagesThatExistAndKeepTheirLines) {
  EXPECT_EQ(list(missing_names(tree())), "");
  for (const File& file : tree()) EXPECT_EQ(list(reflowed(file)), "");
}

TEST(Instructions, ArithmeticIsToldFromMoves) {
  for (const char* bad : {"addsd", "vmulps", "divss", "cvtsi2sd", "cvttsd2si", "vfmadd231sd",
                          "ucomisd", "fld", "fadd", "scvtf", "sqrtsd", "cmpltsd"}) {
    EXPECT_TRUE(is_floating_point(bad)) << bad;
  }
  for (const char* good : {"add", "movsd", "movaps", "paddq", "pxor", "aesenc", "vpaddq", "fmov",
                           "cmp", "sub", "mulx", "maxsq", "xorps"}) {
    EXPECT_FALSE(is_floating_point(good)) << good;
  }
  EXPECT_EQ(floating_point_in("0 <f>:\n   4:\tmulsd  %xmm0,%xmm1\n   8:\tret\n"),
            (Found{"<f>: mulsd"}));
}

TEST(Tree, IncludesGoDownOnly) {
  EXPECT_GT(sources().size(), 0u);
  EXPECT_EQ(list(layer_faults(layers(), sources())), "");
}

TEST(Tree, ArchitectureShowsTheLayersAsTheyAre) {
  std::string document = read_text(kRoot / "ARCHITECTURE.md");
  EXPECT_EQ(document, with_diagram(document, diagram(layers(), sources()))) << "run ./dev format";
}

// Sums of floats depend on their order and their rounding leaks (K7): exact layers do not name
// them.
TEST(Tree, ExactLayersNameNoFloatingPoint) {
  const std::set<std::string> exact = {"random", "mechanism", "ledger", "plan"};
  auto is_exact = [&](const std::string& layer) { return exact.contains(layer); };
  EXPECT_EQ(list(product_words(is_exact, Strings::kDrop, {"float", "double"})), "");
}

// ... nor compute in them under another name (auto, a library's inline function).
TEST(Tree, KernelObjectsHoldNoFloatingPointArithmetic) {
  ASSERT_STRNE(DISCREET_KERNEL_ARCHIVES, "");
  std::istringstream archives(DISCREET_KERNEL_ARCHIVES);
  for (std::string archive; std::getline(archives, archive, '|');) {
    std::string command = "objdump -d -C --no-show-raw-insn '" + archive + "'";
    FILE* pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string disassembly;
    std::array<char, 1 << 16> buffer;
    while (size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) {
      disassembly.append(buffer.data(), n);
    }
    ASSERT_EQ(pclose(pipe), 0) << "objdump could not read " << archive;
    EXPECT_NE(disassembly.find("\tret"), disassembly.npos) << archive << " holds no code";
    EXPECT_EQ(list(floating_point_in(disassembly)), "") << archive;
  }
}

// K1: random bits come only from random/, and from the operating system.
TEST(Tree, OnlyRandomReadsEntropy) {
  auto outside = [](const std::string& layer) { return layer != "random"; };
  auto anywhere = [](const std::string&) { return true; };
  EXPECT_EQ(list(product_words(outside, Strings::kKeep,
                               {"getrandom", "getentropy", "/dev/urandom", "/dev/random"})),
            "");
  EXPECT_EQ(list(product_words(anywhere, Strings::kKeep,
                               {"rand", "srand", "drand48", "random_device", "mt19937",
                                "mt19937_64", "minstd_rand", "default_random_engine"})),
            "");
}

// A mechanism on a chosen tape tells its input to whoever chose the tape, and a distance compares
// sealed values: both are for the audit alone.
TEST(Tree, OnlyTheAuditReplays) {
  auto outside = [](const std::string& layer) {
    return layer != "audit" && layer != "mechanism" && layer != "privacy";
  };
  EXPECT_EQ(list(product_words(outside, Strings::kDrop, {"replay", "Door::distance", "Audited"})),
            "");
}

// P2: off the books only on the command line, for values that the caller typed in.
TEST(Tree, OnlyTheCommandLineRunsUnaccounted) {
  auto outside = [](const std::string& layer) { return layer != "cli" && layer != "privacy"; };
  EXPECT_EQ(list(product_words(outside, Strings::kDrop, {"unaccounted", "OwnValues"})), "");
}

// In two parts, so that this file does not hold it.
const std::string kJsonLibrary = std::string("nloh") + "mann";

/// Where the JSON library is named outside its one source; a precompiled header is one of the
/// build's files.
Found json_library_elsewhere(const std::vector<File>& files) {
  Found all;
  for (const File& file : files) {
    const bool is_build = file.path.ends_with(".cmake") || file.path.ends_with("CMakeLists.txt");
    if (!(is_source(file.path) || is_build) || file.path == "src/base/json.cc") continue;
    Found found = find_words(file, Strings::kKeep, {kJsonLibrary});
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

TEST(JsonLibrary, PlantedFaultsAreFound) {
  const std::string include = "#include <" + kJsonLibrary + "/json";
  EXPECT_EQ(json_library_elsewhere({{"src/base/json.cc", include + ".hpp>\n"},
                                    {"src/a/a.cc", "// " + include + ".hpp>\n"},
                                    {"src/a/b.cc", "#include \"base/json.h\"\n"},
                                    {"docs/a.md", include + ".hpp>\n"}}),
            Found{});
  EXPECT_EQ(json_library_elsewhere({{"src/base/json.h", "\n" + include + "_fwd.hpp>\n"},
                                    {"src/a/a_test.cc", include + ".hpp>\n"},
                                    {"bench/a.cc", "#include \"" + kJsonLibrary + "/json.hpp\""},
                                    {"cmake/a.cmake", "<" + kJsonLibrary + "/json.hpp>"}}),
            (Found{"src/base/json.h:2: " + kJsonLibrary, "src/a/a_test.cc:1: " + kJsonLibrary,
                   "bench/a.cc:1: " + kJsonLibrary, "cmake/a.cmake:1: " + kJsonLibrary}));
}

// It is 94,000 lines long: whoever includes it waits for it. base/json.h is what all others use.
TEST(Tree, OneSourceNamesTheJsonLibrary) {
  EXPECT_EQ(list(json_library_elsewhere(tree())), "");
  EXPECT_NE(read_text(kRoot / "src/base/json.cc").find(kJsonLibrary), std::string::npos);
}

/// What sees bytes of a file or a database: all of the engine but what writes SQL for it.
bool reads_bytes(const std::string& path) {
  static const std::regex kWriters("/(numbers|dates|dialect|statement|server_url|types)\\.(cc|h)$");
  static const std::regex kReaders(
      "^src/engine/((duckdb|postgres|trino)/|(quantize|like|key_ids|interning|keyed_hash)\\.)");
  return is_product(path) && std::regex_search(path, kReaders) &&
         !std::regex_search(path, kWriters);
}

/// "path: line of code" where a reader can end the program: by a check, or by a conversion that
/// throws when it is given something else.
Found checks_on_bytes(const std::vector<File>& files) {
  static const std::regex kEnds(
      "\\b(DISCREET_CHECK|check_failed|abort|terminate|assert|_Exit|exit|quick_exit"
      "|sto(i|l|ll|ul|ull|f|d|ld))\\s*\\(");
  Found all;
  for (const File& file : files) {
    if (!reads_bytes(file.path)) continue;
    std::istringstream lines(code(file.text, Strings::kDrop));
    for (std::string line; std::getline(lines, line);) {
      if (!std::regex_search(line, kEnds)) continue;
      all.push_back(file.path + ": " + line.substr(line.find_first_not_of(' ')));
    }
  }
  return all;
}

TEST(Readers, PlantedChecksAreFound) {
  const std::string check = "  DISCREET_CHECK(bytes.size() >= 8);\n";
  EXPECT_EQ(checks_on_bytes({{"src/engine/postgres/binary.cc", "// " + check + check},
                             {"src/engine/duckdb/keep.h", "int x = std::stoi(text);"},
                             {"src/engine/trino/client.cc", "if (bad) std::abort ();"},
                             {"src/engine/quantize.cc", "assert(x);"}}),
            (Found{"src/engine/postgres/binary.cc: DISCREET_CHECK(bytes.size() >= 8);",
                   "src/engine/duckdb/keep.h: int x = std::stoi(text);",
                   "src/engine/trino/client.cc: if (bad) std::abort ();",
                   "src/engine/quantize.cc: assert(x);"}));
  EXPECT_EQ(checks_on_bytes({{"src/engine/postgres/binary_test.cc", check},
                             {"src/engine/postgres/numbers.cc", check},
                             {"src/engine/postgres/binary.cc", "static_assert(true);\nabort_it();"},
                             {"src/ledger/ledger.cc", check}}),
            Found{});
}

// A row that ends the program tells that it is there. What a reader meets in bytes is a value or
// NULL; these are about the policy's and the program's own values.
TEST(Tree, NoReaderChecksBytesOfAFileOrADatabase) {
  const std::string functions = "src/engine/duckdb/functions.cc: ";  // constants of the statement
  const std::string interning = "src/engine/interning.cc: ";         // 2^32 of them
  const std::string quantize = "src/engine/quantize.cc: ";           // the policy's grid
  const Found own = {
      functions + "DISCREET_CHECK(value.has_value());",
      functions + "DISCREET_CHECK(dots != text.npos && by != text.npos && dots < by);",
      // Types of columns, fixed when a statement is bound.
      functions + "DISCREET_CHECK(false);",
      functions + "DISCREET_CHECK(duckdb_get_type_id(type.get()) == DUCKDB_TYPE_DECIMAL);",
      functions + "DISCREET_CHECK(colon != text.npos);",
      functions + "const std::size_t size = std::stoul(std::string(text.substr(0, colon)));",
      "src/engine/duckdb/keyed.cc: DISCREET_CHECK(false);",  // the same
      "src/engine/duckdb/moments.cc: DISCREET_CHECK(clock.has_value());",
      "src/engine/duckdb/sources.cc: DISCREET_CHECK(false);",  // behind a switch over an enum
      interning + "DISCREET_CHECK(words_.size() < kFree);",
      interning + "DISCREET_CHECK(texts_.size() < kFree);",
      quantize + "DISCREET_CHECK(value.denominator() == 1 && value.numerator().fits_slong_p());",
      quantize + "DISCREET_CHECK(grid.step.sign() > 0 && low_ <= high_);",
  };
  EXPECT_EQ(list(checks_on_bytes(tree())), list(own));
}

/// The mechanisms of a closed list ("class Laplace;") that no text names.
Found unaudited(const std::string& list, const std::string& cases) {
  Found out;
  const std::regex declared("\\bclass (?:mechanism::)?(\\w+);");
  for (std::sregex_iterator it(list.begin(), list.end(), declared), end; it != end; ++it) {
    const std::string name = (*it)[1];
    // These open for the others, and seal again.
    const bool is_door = name == "Door" || name == "Verbs" || name == "CountedDays";
    if (!is_door && !std::regex_search(cases, std::regex("\\b" + name + "\\b")))
      out.push_back(name);
  }
  return out;
}

TEST(Audit, AMechanismWithoutACaseIsMissed) {
  EXPECT_EQ(unaudited("class Laplace;\nclass Gaussian;", "run<Laplace>()"), Found{"Gaussian"});
  EXPECT_EQ(unaudited("class Laplace;", "LaplaceVector"), Found{"Laplace"});
}

// Whoever may open a Sensitive is enumerated by `audit exact`.
TEST(Tree, EveryMechanismOfTheClosedListHasAnAuditCase) {
  std::string cases;
  for (const File& file : read(kRoot, {"src/audit"})) {
    if (file.path.starts_with("src/audit/cases")) cases += code(file.text, Strings::kDrop);
  }
  const std::string list =
      read_text(kRoot / "src/mechanism/mechanisms.h") + read_text(kRoot / "src/privacy/unseal.h");
  EXPECT_GT(std::count(list.begin(), list.end(), ';'), 25);
  EXPECT_EQ(unaudited(list, cases), Found{});
}

TEST(Tree, EveryLayerHasAReadmeOfAtMostAPage) {
  for (const auto& entry : std::filesystem::directory_iterator(kRoot / "src")) {
    if (!entry.is_directory()) continue;
    std::filesystem::path readme = entry.path() / "README.md";
    std::string text = std::filesystem::exists(readme) ? read_text(readme) : "";
    EXPECT_NE(text, "") << readme;
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 70) << readme;
  }
}

TEST(Tree, HoldsNoLargeFilesAndNoUnfinishedMarks) {
  // In two parts, so that this file does not hold them.
  const std::vector<std::string> marks = {std::string("TO") + "DO", std::string("FIX") + "ME"};
  for (const File& file : tree()) {
    EXPECT_LE(file.text.size(), 1u << 20) << file.path;
    for (const std::string& mark : marks) {
      EXPECT_EQ(file.text.find(mark), file.text.npos) << file.path << ": " << mark;
    }
  }
}

std::vector<PeerBugs> peer_bugs() {
  return parse_peer_bugs(read_text(kRoot / "tests/peer_bugs.txt"));
}

TEST(PeerBugs, ATestThatDoesNotExistIsMissed) {
  const auto few = parse_peer_bugs("# note\n## Noise\nx#1 | broke | here | A.B, C.D\n");
  ASSERT_EQ(few.size(), 1u);
  EXPECT_EQ(missing_tests(few, {{"src/a/a_test.cc", "TEST_F(A, B) {\nTEST(C, Dx) {"}}),
            (Found{"C.D"}));
  EXPECT_NE(peer_bugs_page(few).find("| x#1 | broke | here | `A.B`, `C.D` |"), std::string::npos);
  EXPECT_THROW(parse_peer_bugs("## a\nx | y | z"), std::runtime_error);
  EXPECT_THROW(parse_peer_bugs("## a\nx | y | | z"), std::runtime_error);
}

TEST(PeerBugs, EachHasATestAndThePageShowsThem) {
  EXPECT_EQ(list(missing_tests(peer_bugs(), tree())), "");
  EXPECT_EQ(read_text(kRoot / "docs/peer-bugs.md"), peer_bugs_page(peer_bugs()))
      << "run ./dev format";
}

void write_peer_bugs() {
  std::ofstream(kRoot / "docs/peer-bugs.md", std::ios::binary) << peer_bugs_page(peer_bugs());
}

void write_diagram() {
  std::filesystem::path path = kRoot / "ARCHITECTURE.md";
  std::string document = with_diagram(read_text(path), diagram(layers(), sources()));
  std::ofstream(path, std::ios::binary) << document;
}

// What must be right for the guarantee to hold: its growth is to be seen in every test run.
void print_trusted() {
  ptrdiff_t total = 0;
  std::cout << "trusted lines:";
  for (const char* layer : {"random", "mechanism", "privacy"}) {
    ptrdiff_t lines = 0;
    for (const File& file : sources()) {
      if (layer_of(file.path) != layer || !is_product(file.path)) continue;
      lines += std::count(file.text.begin(), file.text.end(), '\n');
    }
    std::cout << ' ' << layer << ' ' << lines << ',';
    total += lines;
  }
  std::cout << " in all " << total << std::endl;
}

}  // namespace
}  // namespace discreet::tree

int main(int argc, char** argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "--write") {
    discreet::tree::write_diagram();
    discreet::tree::write_peer_bugs();
    return 0;
  }
  if (mode == "--trusted") {
    discreet::tree::print_trusted();
    return 0;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
