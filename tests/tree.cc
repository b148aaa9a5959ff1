// SPDX-License-Identifier: Apache-2.0
#include "tests/tree.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

namespace discreet::tree {
namespace {

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream stream{std::string(line)};
  return {std::istream_iterator<std::string>(stream), {}};
}

/// Where the literal or comment that begins at `at` ends; `at` itself when none begins there.
size_t end_of_comment(std::string_view text, size_t at) {
  if (text.substr(at, 2) == "//") return std::min(text.find('\n', at), text.size());
  if (text.substr(at, 2) != "/*") return at;
  size_t end = text.find("*/", at + 2);
  return end == text.npos ? text.size() : end + 2;
}

size_t end_of_literal(std::string_view text, size_t at) {
  char quote = text[at];
  bool in_word = at > 0 && is_word_char(text[at - 1]);
  if (quote != '"' && (quote != '\'' || in_word)) return at;  // in a word ' separates digits
  if (quote == '"' && at > 0 && text[at - 1] == 'R') {
    size_t open = text.find('(', at);
    std::string close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
    size_t end = text.find(close, open);
    return end == text.npos ? text.size() : end + close.size();
  }
  size_t end = at + 1;
  while (end < text.size() && text[end] != quote) end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

std::string only_newlines(std::string_view text) {
  return std::string(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')), '\n');
}

struct Include {
  size_t line;
  std::string path;
};

std::vector<Include> includes_of(const File& file) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*"([^"]*)")re");
  std::vector<Include> includes;
  std::vector<std::string> lines = lines_of(code(file.text, Strings::kKeep));
  for (size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (std::regex_search(lines[i], match, kInclude)) includes.push_back({i + 1, match[1]});
  }
  return includes;
}

}  // namespace

std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<File> read(const std::filesystem::path& root, const std::vector<std::string>& folders) {
  std::vector<File> files;
  for (const std::string& folder : folders) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file()) continue;
      files.push_back({entry.path().lexically_relative(root).string(), read_text(entry.path())});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.path < b.path; });
  return files;
}

bool is_source(std::string_view path) { return path.ends_with(".cc") || path.ends_with(".h"); }

bool is_product(std::string_view path) {
  return is_source(path) && path.find("_test.") == path.npos &&
         path.find("_for_tests.") == path.npos && path.find("/nocompile/") == path.npos;
}

std::string layer_of(std::string_view path) {
  if (!path.starts_with("src/")) return "";
  std::string_view rest = path.substr(4);
  size_t slash = rest.find('/');
  return std::string(slash == rest.npos ? "" : rest.substr(0, slash));
}

std::string code(std::string_view text, Strings strings) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (size_t end = end_of_comment(text, at); end != at) {
      out += ' ' + only_newlines(text.substr(at, end - at));
      at = end;
    } else if (end = end_of_literal(text, at); end != at) {
      std::string_view literal = text.substr(at, end - at);
      out += strings == Strings::kKeep ? std::string(literal) : "\"\"" + only_newlines(literal);
      at = end;
    } else {
      out += text[at++];
    }
  }
  return out;
}

std::vector<std::string> find_words(const File& file, Strings strings,
                                    const std::vector<std::string>& words) {
  std::vector<std::string> found;
  std::vector<std::string> lines = lines_of(code(file.text, strings));
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    for (const std::string& word : words) {
      for (size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
        size_t end = at + word.size();
        bool inside_word = std::all_of(word.begin(), word.end(), is_word_char) &&
                           ((at > 0 && is_word_char(line[at - 1])) ||
                            (end < line.size() && is_word_char(line[end])));
        if (!inside_word) found.push_back(file.path + ":" + std::to_string(i + 1) + ": " + word);
      }
    }
  }
  return found;
}

std::vector<Layer> parse_layers(std::string_view text) {
  std::vector<Layer> layers;
  for (const std::string& line : lines_of(text)) {
    std::vector<std::string> words = words_of(line.substr(0, line.find('#')));
    if (words.empty()) continue;
    if (words.size() > 1 && words[1] != "not") throw std::runtime_error("layers.txt: " + line);
    layers.push_back({words[0], {words.begin() + (words.size() > 1 ? 2 : 1), words.end()}});
  }
  return layers;
}

std::vector<std::string> layer_faults(const std::vector<Layer>& layers,
                                      const std::vector<File>& files) {
  std::map<std::string, size_t> height;
  for (size_t i = 0; i < layers.size(); ++i) height[layers[i].name] = i;
  std::vector<std::string> faults;
  for (const File& file : files) {
    std::string from = layer_of(file.path);
    if (!is_source(file.path)) continue;
    if (!height.contains(from)) {
      faults.push_back(file.path + ": is in no layer of src/layers.txt");
      continue;
    }
    for (const Include& include : includes_of(file)) {
      std::string where =
          file.path + ":" + std::to_string(include.line) + ": includes " + include.path + ", ";
      std::string to = layer_of("src/" + include.path);
      const std::vector<std::string>& walls = layers[height[from]].walls;
      if (!height.contains(to)) {
        faults.push_back(where + "which does not begin with a layer");
      } else if (height[to] > height[from]) {
        faults.push_back(where + "which lies above " + from);
      } else if (std::find(walls.begin(), walls.end(), to) != walls.end()) {
        faults.push_back(where + "which is walled off from " + from);
      } else if (is_product(file.path) && !is_product("src/" + include.path)) {
        faults.push_back(where + "which is for tests");
      }
    }
  }
  return faults;
}

std::string diagram(const std::vector<Layer>& layers, const std::vector<File>& files) {
  std::map<std::string, std::set<std::string>> uses;
  for (const File& file : files) {
    if (!is_product(file.path)) continue;
    std::set<std::string>& used = uses[layer_of(file.path)];
    for (const Include& include : includes_of(file)) used.insert(layer_of("src/" + include.path));
  }
  std::string out;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    if (!uses.contains(layer->name)) continue;
    std::string line =
        layer->name + std::string(12 - std::min<size_t>(11, layer->name.size()), ' ');
    for (auto below = layer + 1; below != layers.rend(); ++below) {
      if (uses[layer->name].contains(below->name)) line += below->name + " ";
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string with_diagram(std::string_view document, std::string_view diagram) {
  constexpr std::string_view kOpen = "<!-- layers -->\n";
  constexpr std::string_view kClose = "<!-- /layers -->";
  size_t open = document.find(kOpen);
  size_t close = document.find(kClose);
  if (open == document.npos || close == document.npos || close < open) {
    throw std::runtime_error("the document lacks <!-- layers --> and <!-- /layers -->");
  }
  return std::string(document.substr(0, open + kOpen.size())) + "```text\n" + std::string(diagram) +
         "```\n" + std::string(document.substr(close));
}

namespace {

bool is_page(std::string_view path) { return path.starts_with("src/") && path.ends_with(".md"); }

/// The comments of a header, the whole text of a page; nothing of other files.
std::string prose(const File& file) {
  if (is_page(file.path)) return file.text;
  if (!file.path.starts_with("src/") || !file.path.ends_with(".h")) return "";
  std::string out;
  std::istringstream lines(file.text);
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t at = line.find("//"); at != std::string::npos) {
      out += line.substr(at) + "\n";
    }
  }
  return out;
}

/// Calls `visit` with the number and the text of each line that is not in a block of code.
void each_line(const std::string& text,
               const std::function<void(int number, const std::string& line)>& visit) {
  bool in_code = false;
  int number = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("```")) {
      in_code = !in_code;
    } else if (!in_code) {
      visit(number, line);
    }
  }
}

}  // namespace

std::vector<std::string> missing_names(const std::vector<File>& files) {
  static const std::regex kName("[a-z0-9_/]*[a-z0-9_](_test\\b(?!\\()|\\.md\\b)");
  const auto exists = [&](const std::string& name) {
    const std::string end = "/" + (name.ends_with(".md") ? name : name + ".cc");
    return std::any_of(files.begin(), files.end(),
                       [&](const File& file) { return ("/" + file.path).ends_with(end); });
  };
  std::vector<std::string> found;
  for (const File& file : files) {
    const std::string text = prose(file);
    for (std::sregex_iterator it(text.begin(), text.end(), kName), end; it != end; ++it) {
      if (!exists(it->str())) found.push_back(file.path + ": " + it->str());
    }
  }
  return found;
}

std::vector<std::string> reflowed(const File& file) {
  static const std::regex kLabelInside(
      "^ *///.*[^ ] (Mechanism|Domain|Neighbours|Measure|Theorem|Proof|Privacy map|Accuracy|"
      "Rounding|Randomness|Fails with|Side channel|Source|Checked by)  +[^ ]");
  static const std::regex kRunTogether("^(#+[A-Za-z]| {4,}#+ )");
  std::vector<std::string> found;
  const bool is_header = file.path.starts_with("src/") && file.path.ends_with(".h");
  if (!is_header && !is_page(file.path)) return found;
  each_line(file.text, [&](int number, const std::string& line) {
    const std::regex& fault = is_header ? kLabelInside : kRunTogether;
    if (std::regex_search(line, fault)) found.push_back(file.path + ":" + std::to_string(number));
  });
  return found;
}

bool is_floating_point(std::string_view mnemonic) {
  static const std::regex kArithmetic(
      "v?(h?add|h?sub|addsub|mul|div|sqrt|min|max|rcp|rsqrt|round|dp|cmp[a-z_]*)[sp][sd]"
      "|vf.*|v?cvt.*|v?u?comis[sd]"  // fused operations, conversions, comparisons
      "|f.*|[su]cvtf");              // x87, and AArch64, whose moves are fmov
  return mnemonic != "fmov" && std::regex_match(mnemonic.begin(), mnemonic.end(), kArithmetic);
}

std::vector<std::string> floating_point_in(std::string_view disassembly) {
  std::vector<std::string> found;
  std::map<std::string, bool> known;  // there are few mnemonics and many instructions
  std::string function;
  for (const std::string& line : lines_of(disassembly)) {
    if (line.ends_with(">:")) function = line.substr(line.find('<'));
    size_t tab = line.find('\t');
    if (tab == line.npos) continue;
    std::vector<std::string> words = words_of(line.substr(tab + 1));
    if (words.empty()) continue;
    auto [entry, is_new] = known.try_emplace(words[0], false);
    if (is_new) entry->second = is_floating_point(words[0]);
    if (entry->second) found.push_back(function + " " + words[0]);
  }
  return found;
}

}  // namespace discreet::tree
