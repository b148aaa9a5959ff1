// SPDX-License-Identifier: Apache-2.0
#include "cli/account_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/account_kinds.h"
#include "cli/streams.h"

namespace discreet::cli {
namespace {

constexpr std::size_t kFileMax = std::size_t{64} << 20;

Error at_line(std::size_t line, const std::string& message) {
  return invalid_input((line > 0 ? "line " + std::to_string(line) + ": " : "") + message);
}

Result<const Kind*> kind_of_use(const UseEntry& entry) {
  const auto field = std::find_if(entry.fields.begin(), entry.fields.end(),
                                  [](const UseField& f) { return f.name == "mechanism"; });
  if (field == entry.fields.end()) {
    return at_line(entry.line,
                   "the field mechanism is missing; such as \"mechanism\": \"laplace\"");
  }
  auto kind = find_kind(field->text);
  if (!kind) return at_line(field->line, "mechanism: " + kind.error().message);
  return kind;
}

/// "mechanism, noise_multiplier, count"
std::string field_names(const Kind& kind) {
  std::string names = "mechanism, ";
  for (const KindField& field : kind.fields) names += std::string(field.name) + ", ";
  return names + "count";
}

Result<accounting::Use> use_of(const UseEntry& entry) {
  DISCREET_ASSIGN(const Kind* const kind, kind_of_use(entry));
  std::vector<std::optional<std::string>> texts(kind->fields.size());
  std::optional<std::string> count;
  for (std::size_t i = 0; i < entry.fields.size(); ++i) {
    const UseField& field = entry.fields[i];
    const auto same = [&](const UseField& other) { return other.name == field.name; };
    const auto begin = entry.fields.begin();
    if (std::any_of(begin, begin + static_cast<std::ptrdiff_t>(i), same)) {
      return at_line(field.line, "the field " + in_quotes(field.name) + " is given twice");
    }
    if (field.name == "mechanism") continue;
    if (field.name == "count") {
      count = field.text;
      continue;
    }
    const auto known = std::find_if(kind->fields.begin(), kind->fields.end(),
                                    [&](const KindField& f) { return f.name == field.name; });
    if (known == kind->fields.end()) {
      return at_line(field.line, "unknown field " + in_quotes(field.name) + " of " +
                                     std::string(kind->name) + "; its fields are " +
                                     field_names(*kind));
    }
    texts[static_cast<std::size_t>(known - kind->fields.begin())] = field.text;
  }
  auto use = make_use(*kind, texts, count);
  if (!use) return at_line(entry.line, use.error().message);
  return use;
}

}  // namespace

Result<UseSyntax> syntax_of(const std::string& path) {
  if (path.ends_with(".json")) return UseSyntax::kJson;
  if (path.ends_with(".yaml") || path.ends_with(".yml")) return UseSyntax::kYaml;
  return invalid_input("file must end in .json, .yaml or .yml; got " + in_quotes(path));
}

Result<std::vector<accounting::Use>> read_uses(std::string_view text, UseSyntax syntax) {
  DISCREET_ASSIGN(const auto entries,
                  syntax == UseSyntax::kJson ? read_json_entries(text) : read_yaml_entries(text));
  if (entries.empty()) return invalid_input("the list of uses is empty");
  std::vector<accounting::Use> uses;
  for (const UseEntry& entry : entries) {
    DISCREET_ASSIGN(accounting::Use use, use_of(entry));
    uses.push_back(std::move(use));
  }
  return uses;
}

Result<std::vector<accounting::Use>> read_uses_file(const std::string& path) {
  DISCREET_ASSIGN(const UseSyntax syntax, syntax_of(path));
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return Error{Code::kNotFound, "file " + in_quotes(path) + ": " + std::strerror(errno)};
  }
  const Result<std::string> text = read_all(fd, kFileMax);
  close(fd);
  if (!text)
    return invalid_input("file " + in_quotes(path) +
                         " could not be read, or is larger than 64 MiB");
  auto uses = read_uses(*text, syntax);
  if (!uses) return invalid_input("file " + in_quotes(path) + ": " + uses.error().message);
  return uses;
}

}  // namespace discreet::cli
