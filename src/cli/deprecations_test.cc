// SPDX-License-Identifier: Apache-2.0
// The table of old names: as docs/deprecations.md and the Python package have it, none past its
// time, none too soon; and an old option on a command line.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/deprecated.h"
#include "base/version.h"
#include "cli/arguments.h"
#include "cli/process_for_tests.h"
#include "cli/program.h"

namespace discreet::cli::deprecations_test {
namespace {

constexpr int kMinorVersions = 2;

/// Whether a name works for two minor versions at least. Of another major version only the minor
/// ones that it has had itself are counted.
bool lasts(const Deprecated& entry) {
  const int before = entry.gone.major == entry.since.major ? entry.since.minor : 0;
  return entry.gone.major >= entry.since.major && entry.gone.minor - before >= kMinorVersions;
}

/// What is wrong with a table when the program has this version.
std::vector<std::string> complaints(Deprecations table, Version now) {
  std::vector<std::string> out;
  for (const Deprecated& entry : table) {
    const std::string name(entry.old_name);
    if (entry.gone <= now) {
      out.push_back(name + " goes in " + entry.gone.to_string() +
                    ", which is reached: remove it from base/deprecated.cc, docs/deprecations.md "
                    "and the code");
    }
    if (!lasts(entry)) out.push_back(name + " works for less than two minor versions");
    if (find_deprecated(entry.kind, entry.old_name, table) != &entry) {
      out.push_back(name + " is listed twice");
    }
    if (find_deprecated(entry.kind, entry.new_name, table) != nullptr) {
      out.push_back(name + " leads to a name that is old itself");
    }
  }
  return out;
}

std::string markdown(Deprecations table) {
  std::string out =
      "| kind | old name | new name | warns since | goes in |\n|---|---|---|---|---|\n";
  for (const Deprecated& entry : table) {
    out += "| " + std::string(to_string(entry.kind)) + " | `" + std::string(entry.old_name) +
           "` | `" + std::string(entry.new_name) + "` | " + entry.since.to_string() + " | " +
           entry.gone.to_string() + " |\n";
  }
  return out;
}

/// The lines of python/discreet that keep old names, sorted.
std::vector<std::string> python_lines(Deprecations table) {
  std::vector<std::string> out;
  for (const Deprecated& entry : table) {
    if (entry.kind != NameKind::kFunction) continue;
    const std::string old(entry.old_name);
    out.push_back(old + " = renamed(\"" + old + "\", " + std::string(entry.new_name) + ", \"" +
                  entry.since.to_string() + "\", \"" + entry.gone.to_string() + "\")");
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Those of a folder's files.
std::vector<std::string> lines_that_rename(const std::filesystem::path& folder) {
  std::vector<std::string> out;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) {
      line.erase(0, line.find_first_not_of(' '));  // a method is indented
      const std::size_t at = line.find(" = renamed(");
      if (at != line.npos && at == line.find(' ')) out.push_back(line);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Deprecations, NoneIsPastItsTimeOrGoesTooSoon) {
  const auto now = Version::parse(discreet::kVersion);
  ASSERT_TRUE(now.has_value()) << discreet::kVersion;
  for (const std::string& text : complaints(deprecations(), *now)) ADD_FAILURE() << text;
}

TEST(Deprecations, ThePageListsTheTable) {
  std::ifstream in(std::string(DISCREET_SOURCE_DIR) + "/docs/deprecations.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const std::string table = markdown(deprecations());
  const std::size_t at = page.find("| kind |");
  ASSERT_NE(at, page.npos);
  EXPECT_EQ(page.substr(at, page.find("\n\n", at) + 1 - at), table);
}

TEST(Deprecations, ThePythonPackageKeepsTheFunctionsOfTheTable) {
  const std::filesystem::path package =
      std::filesystem::path(DISCREET_SOURCE_DIR) / "python/discreet";
  EXPECT_EQ(lines_that_rename(package), python_lines(deprecations()));
}

// The checks above are empty while the table is: so they are tried on planted ones.
TEST(Deprecations, APlantedFaultIsFound) {
  const auto count = [](std::vector<Deprecated> table, Version now) {
    return complaints(table, now).size();
  };
  const Deprecated good{NameKind::kOption, "--old", "--new", {0, 9}, {0, 11}};
  EXPECT_EQ(count({good}, {0, 9}), 0U);
  EXPECT_EQ(count({good}, {0, 10}), 0U);
  EXPECT_EQ(count({good}, {0, 11}), 1U);
  EXPECT_EQ(count({good}, {1, 0}), 1U);
  EXPECT_EQ(count({good, good}, {0, 9}), 1U);
  EXPECT_EQ(count({good, {NameKind::kOption, "--new", "--newer", {0, 9}, {0, 11}}}, {0, 9}), 1U);
  EXPECT_EQ(count({{NameKind::kField, "a", "b", {0, 9}, {0, 10}}}, {0, 9}), 1U);
  EXPECT_EQ(count({{NameKind::kField, "a", "b", {0, 9}, {1, 1}}}, {0, 9}), 1U);
  EXPECT_EQ(count({{NameKind::kField, "a", "b", {0, 9}, {1, 2}}}, {0, 9}), 0U);
  EXPECT_NE(markdown(std::array{good}).find("| option | `--old` | `--new` | 0.9 | 0.11 |\n"),
            std::string::npos);
  const std::filesystem::path package =
      std::filesystem::path(::testing::TempDir()) / "deprecations_test";
  std::filesystem::create_directories(package);
  std::ofstream(package / "session.py") << "\"\"\"As in x = renamed(..)\"\"\"\nclass Session:\n    "
                                           "ask = renamed(\"ask\", query, \"0.9\", \"0.11\")\n";
  EXPECT_EQ(lines_that_rename(package),
            python_lines(std::array{
                good, Deprecated{NameKind::kFunction, "ask", "query", {0, 9}, {0, 11}}}));
  EXPECT_NE(lines_that_rename(package), python_lines(std::array{good}));
  std::filesystem::remove_all(package);
}

struct Parsed {
  Text text;
  std::vector<std::string> words;
  std::string err;
  std::string refused;
};

/// `discreet greet words...`, which has the option --greeting.
Parsed greet(std::vector<std::string> words) {
  static constexpr std::array kPlanted = {
      Deprecated{NameKind::kOption, "--hello", "--greeting", {0, 9}, {0, 11}},
      Deprecated{NameKind::kOption, "--bye", "--farewell", {0, 9}, {0, 11}}};
  Program program(kPlanted);
  Parsed parsed;
  CLI::App& app = program.command(program.root(), "greet", {"g", "g", "g"},
                                  [](const Streams&) -> Result<int> { return 0; });
  add_text(app, "--greeting", parsed.text, "what to say", "TEXT");
  add_words(app, "words", parsed.words, "to whom");
  words.insert(words.begin(), "greet");
  const auto action = program.parse(words);
  if (!action) {
    parsed.refused = action.error().message;
    return parsed;
  }
  StreamFile err;
  EXPECT_TRUE((*action)(Streams{0, 1, err.fd()}).has_value());
  parsed.err = err.content();
  return parsed;
}

TEST(Deprecations, AnOldOptionWorksAndWarnsOnStandardError) {
  const std::string warning =
      "discreet: warning: option '--hello' is deprecated since version 0.9 and goes in 0.11; use "
      "'--greeting'\n";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--hello", "hi"}, {"--hello=hi"}}) {
    const Parsed parsed = greet(words);
    EXPECT_EQ(parsed.text, "hi") << parsed.refused;
    EXPECT_EQ(parsed.err, warning);
  }
  EXPECT_EQ(greet({"--greeting", "hi"}).err, "");
  EXPECT_EQ(greet({"--greeting", "hi"}).text, "hi");
  const Parsed word = greet({"--", "--hello"});  // a word, not an option
  EXPECT_EQ(word.words, std::vector<std::string>{"--hello"});
  EXPECT_EQ(word.err, "");
  // Of another command: here there is no --farewell.
  EXPECT_NE(greet({"--bye", "x"}).refused.find("unknown option '--bye'"), std::string::npos);
  EXPECT_NE(greet({"--hello", "a", "--greeting", "b"}).refused, "");
}

}  // namespace
}  // namespace discreet::cli::deprecations_test
