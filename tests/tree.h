// SPDX-License-Identifier: Apache-2.0
// The source tree read as text: what the tests need to check rules that no compiler knows.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace discreet::tree {

struct File {
  std::string path;  // from the root of the repository, e.g. src/random/coin.h
  std::string text;
};

/// One line of src/layers.txt: a layer, and the layers below it that it may not include.
struct Layer {
  std::string name;
  std::vector<std::string> walls;
};

/// All files under the given folders, sorted by path. A folder that does not exist holds no files.
std::vector<File> read(const std::filesystem::path& root, const std::vector<std::string>& folders);

/// Fails (throws) when the file cannot be read: a rule that is not checked must not pass.
std::string read_text(const std::filesystem::path& path);

bool is_source(std::string_view path);  // .cc or .h
bool is_product(
    std::string_view path);  // a source that is neither a test nor a must-not-compile case

/// The layer of src/<layer>/..., or "" for other paths.
std::string layer_of(std::string_view path);

enum class Strings { kKeep, kDrop };

/// The text without comments, and without the contents of literals if asked. Line numbers stay.
std::string code(std::string_view text, Strings strings);

/// "path:line: word" for each of these words that occurs in the code. A word of letters matches
/// whole identifiers; any other (such as a path) matches everywhere.
std::vector<std::string> find_words(const File& file, Strings strings,
                                    const std::vector<std::string>& words);

/// Lines `name [not name...]`, bottom up; # begins a comment.
std::vector<Layer> parse_layers(std::string_view text);

/// What the includes of these files break: an upward include, a folder that is no layer, a wall, a
/// path that does not begin with a layer, a test's header in the product. The layers are in one
/// line and includes go down it, so a cycle between folders would need an upward include.
std::vector<std::string> layer_faults(const std::vector<Layer>& layers,
                                      const std::vector<File>& files);

/// The layers that exist, top down, each with those that its product files include.
std::string diagram(const std::vector<Layer>& layers, const std::vector<File>& files);

/// `document` with the text between <!-- layers --> and <!-- /layers --> replaced.
std::string with_diagram(std::string_view document, std::string_view diagram);

/// "path: name" for each test (x_test) and page (x.md, folder/x.md) that a comment of a header or a
/// page under src/ names and that is not among `files`.
std::vector<std::string> missing_names(const std::vector<File>& files);

/// "path:line" where a formatter has run a contract or a proof together: a contract's label in the
/// middle of a line, a heading without its blank or indented like code.
std::vector<std::string> reflowed(const File& file);

/// Whether an instruction of x86-64 or AArch64 computes in floating point (moves do not).
bool is_floating_point(std::string_view mnemonic);

/// "function: mnemonic" for each floating-point instruction in the output of `objdump -d`.
std::vector<std::string> floating_point_in(std::string_view disassembly);

}  // namespace discreet::tree
