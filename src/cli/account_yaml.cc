// SPDX-License-Identifier: Apache-2.0
// A list of flat maps in YAML. The library throws; nothing of that leaves this file.
#include <yaml-cpp/yaml.h>

#include "cli/account_file.h"

namespace discreet::cli {
namespace {

constexpr const char* kYamlForm = "the file must be a list of maps: \"- mechanism: ...\"";

std::size_t line_of(const YAML::Mark& mark) {
  return mark.line < 0 ? 0 : static_cast<std::size_t>(mark.line) + 1;
}

Error at_mark(const YAML::Mark& mark, const std::string& message) {
  const std::size_t line = line_of(mark);
  return invalid_input((line > 0 ? "line " + std::to_string(line) + ": " : "") + message);
}

Result<std::vector<UseEntry>> entries_of(const YAML::Node& root) {
  if (!root.IsSequence()) return at_mark(root.Mark(), kYamlForm);
  std::vector<UseEntry> entries;
  for (const YAML::Node& node : root) {
    if (!node.IsMap()) return at_mark(node.Mark(), kYamlForm);
    UseEntry entry{line_of(node.Mark()), {}};
    for (const auto& pair : node) {
      if (!pair.first.IsScalar()) return at_mark(pair.first.Mark(), kYamlForm);
      if (!pair.second.IsScalar()) {
        return at_mark(pair.second.Mark(), "the field " + in_quotes(pair.first.Scalar()) +
                                               " must be a number or a name");
      }
      entry.fields.push_back(
          {pair.first.Scalar(), pair.second.Scalar(), line_of(pair.second.Mark())});
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

Result<std::vector<UseEntry>> read_yaml_entries(std::string_view text) {
  try {
    return entries_of(YAML::Load(std::string(text)));
  } catch (const YAML::Exception& error) {
    // The message can quote the file, line ends and all.
    std::string reason = error.msg;
    std::erase_if(reason, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
    return at_mark(error.mark, "this is no YAML: " + reason);
  }
}

}  // namespace discreet::cli
