// SPDX-License-Identifier: Apache-2.0
#include "cli/plot_file.h"

#include <set>

namespace discreet::cli {

Result<void> check_plot_name(const Text& path) {
  if (!path || path->ends_with(".png") || path->ends_with(".svg")) return {};
  return invalid_input("plot must end in .svg or .png; got " + in_quotes(*path));
}

std::string plot_name(const std::string& path, std::size_t n) {
  std::string name = path;
  if (n > 1) name.insert(name.rfind('.'), "." + std::to_string(n));
  return name;
}

std::vector<std::string> further_plots(const std::string& path,
                                       const std::vector<std::string>& others) {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::absolute(path, failed).parent_path();
  std::set<std::string> names;
  for (const std::string& other : others) {
    names.insert(std::filesystem::path(other).filename().string());
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    names.insert(entry.path().filename().string());
  }
  const std::string first = std::filesystem::path(path).filename().string();
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const std::size_t begin = first.rfind('.') + 1;
    const std::string number =
        name.size() > begin ? name.substr(begin, name.find('.', begin) - begin) : "";
    const auto n = parse_count("picture", number, 1'000'000);
    if (n && *n > 1 && name == plot_name(first, *n)) found.push_back((folder / name).string());
  }
  return found;
}

Result<void> write_plot(const std::string& path, const report::Plot& plot) {
  DISCREET_TRY(check_plot_name(path));
  return write_file(path, path.ends_with(".png") ? plot_png(plot) : plot_svg(plot));
}

}  // namespace discreet::cli
