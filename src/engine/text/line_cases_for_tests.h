// SPDX-License-Identifier: Apache-2.0
// Text files with and without one unit's bytes. Whatever these are, and wherever between two lines
// of others they stand, the rows of the file are those of the others and those of the bytes alone:
// nobody else's row is gone, changed or read otherwise.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "engine/scratch_for_tests.h"
#include "engine/text/text_table.h"

namespace discreet::engine::text {

struct LineCase {
  bool is_json = false;
  std::string others;      ///< bytes below the header
  std::string one;         ///< the unit's
  std::size_t at = 0;      ///< where in `others` they stand; moved to a line's begin
  std::uint64_t seed = 0;  ///< of the places where files are cut into parts
};

/// What the rows of a file are: each as its cells, in any order.
using RowBag = std::multiset<std::vector<std::string>>;

/// Tries cases, in its own folder.
class LineTrial {
 public:
  /// Whether the unit's bytes change nothing of the others.
  bool holds(const LineCase& the) {
    std::size_t at = std::min(the.at, the.others.size());
    while (at > 0 && the.others[at - 1] != '\n' && the.others[at - 1] != '\r') --at;
    const std::string whole = the.others.substr(0, at) + the.one + "\n" + the.others.substr(at);
    RowBag expected = rows(the, the.others, 1);
    expected.merge(rows(the, the.one, 2));
    return rows(the, whole, 3) == expected && rows(the, whole, 4) == expected;
  }

 private:
  static std::vector<std::string> names() { return {"u", "x", "y"}; }

  RowBag rows(const LineCase& the, const std::string& body, std::uint64_t turn) const {
    const std::string path = folder_ / (the.is_json ? "t.ndjson" : "t.csv");
    std::filesystem::remove(path);  // file systems wait for the disk where a file is overwritten
    std::ofstream(path, std::ios::binary) << (the.is_json ? "" : "u,x,y\n") << body;
    const auto table = the.is_json ? open_json(path, names()) : open_csv(path);
    RowBag bag;
    if (!table) {
      bag.insert({"cannot be opened"});
      return bag;
    }
    TextRows rows(*table, {0, 1, 2});
    std::mt19937_64 random(the.seed * 4 + turn);
    const std::uint64_t size = table->file->size();
    for (std::uint64_t begin = table->rows_from; begin < size;) {
      const std::uint64_t end = std::min(size, begin + 1 + random() % (1 + random() % 70'000));
      if (!rows.go_to(begin, end)) bag.insert({"cannot be read"});
      while (rows.next()) bag.insert(cells(rows));
      begin = end;
    }
    return bag;
  }

  static std::vector<std::string> cells(const TextRows& rows) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < 3; ++i) {
      out.push_back(rows.value(i) ? "=" + std::string(*rows.value(i)) : "NULL");
    }
    return out;
  }

  ScratchFolder folder_;
};

/// Cases made of what such files hold, of what breaks readers, and of bytes; some with lines of
/// about the longest that are read.
class LineCases {
 public:
  explicit LineCases(std::uint64_t seed) : random_(seed) {}

  LineCase next() {
    LineCase out;
    out.is_json = chance(2);
    for (int n = pick(12); n > 0; --n) out.others += line(out.is_json, 12) + end();
    out.one = line(out.is_json, 2);
    for (int n = pick(3); n > 0; --n) out.one += end() + line(out.is_json, 2);
    if (chance(40)) out.others += long_line(out.is_json) + end();
    if (chance(40)) out.one += end() + long_line(out.is_json);
    out.at = random_() % (out.others.size() + 1);
    if (chance(4)) out.others.resize(out.others.size() - (out.others.empty() ? 0 : 1));
    out.seed = random_();
    return out;
  }

 private:
  bool chance(int of) { return random_() % static_cast<std::uint64_t>(of) == 0; }
  int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }
  std::string end() { return chance(4) ? "\r\n" : chance(8) ? "\r" : chance(30) ? "\n\n" : "\n"; }

  /// One in `odd` is mangled.
  std::string line(bool is_json, int odd) {
    const std::string u = std::to_string(pick(20));
    const std::string x = std::to_string(pick(1000));
    std::string out =
        is_json ? R"({"u": )" + u + R"(, "x": )" + x + R"(, "y": "a b"})" : u + "," + x + ",a b";
    if (!chance(odd)) return out;
    for (int n = 1 + pick(3); n > 0; --n) mangle(out);
    return out;
  }

  void mangle(std::string& text) {
    static const std::vector<std::string> kParts = {"\"",
                                                    "\"\"",
                                                    ",",
                                                    ";",
                                                    "{",
                                                    "}",
                                                    "[",
                                                    "]",
                                                    ":",
                                                    "\\",
                                                    "\\u",
                                                    "\\ud800",
                                                    "\\u0000",
                                                    "\n",
                                                    "\r",
                                                    "\r\n",
                                                    std::string(1, '\0'),
                                                    "\xef\xbb\xbf",
                                                    "\xff",
                                                    "\xc3",
                                                    "\xed\xa0\x80",
                                                    "\xf4\x90\x80\x80",
                                                    "\xe2\x82\xac",
                                                    " ",
                                                    "\t",
                                                    "null",
                                                    "true",
                                                    "1e400",
                                                    "-",
                                                    "[{",
                                                    "[1]",
                                                    "\x1f\x8b",
                                                    "//",
                                                    "\x01",
                                                    "PAR1",
                                                    "\"u\":",
                                                    R"({"u": 7, "tags": [)"};
    const std::size_t at = random_() % (text.size() + 1);
    switch (pick(4)) {
      case 0:
        text.resize(at);
        return;
      case 1:
        text.erase(at, 1 + random_() % 4);
        return;
      case 2:
        text.insert(at, 1, static_cast<char>(random_()));
        return;
      default:
        text.insert(at, kParts[random_() % kParts.size()]);
    }
  }

  std::string long_line(bool is_json) {
    const std::size_t size = kLineMax - 3 + random_() % 6;
    std::string out = is_json ? R"({"u": 1, "x": ")" : "1,";
    const std::string tail = is_json ? R"("})" : "";
    out.append(size - out.size() - tail.size(), chance(2) ? ',' : '7');
    return out + tail;
  }

  std::mt19937_64 random_;
};

}  // namespace discreet::engine::text
