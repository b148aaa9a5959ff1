// SPDX-License-Identifier: Apache-2.0
#include "cli/audit_exhibit.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace discreet::cli {

void ExhibitArguments::add_to(CLI::App& app) {
  add_text(app, "--out", out, "write report.html, report.json and the charts here", "FOLDER");
  add_flag(app, "--json", json, "print JSON in place of text");
}

Result<void> write_new_file(const std::string& path, const std::string& bytes) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return Error{Code::kStorage, in_quotes(path) + ": " + std::strerror(errno)};
  const Result<void> written = write_all(fd, bytes);
  if (close(fd) != 0 || !written) {
    return Error{Code::kStorage, in_quotes(path) + " could not be written"};
  }
  return {};
}

Result<void> show_exhibit(const report::Exhibit& exhibit, const ExhibitArguments& arguments,
                          const Streams& streams) {
  if (arguments.out) {
    std::error_code failed;
    std::filesystem::create_directories(*arguments.out, failed);
    if (failed) {
      return Error{Code::kStorage, "folder " + in_quotes(*arguments.out) + ": " + failed.message()};
    }
    DISCREET_TRY(write_new_file(*arguments.out + "/report.html", exhibit_html(exhibit)));
    DISCREET_TRY(write_new_file(*arguments.out + "/report.json", exhibit_json(exhibit)));
    int number = 0;
    for (const report::Section& section : exhibit.sections) {
      if (!section.chart) continue;
      const std::string name = *arguments.out + "/chart" + std::to_string(++number);
      DISCREET_TRY(write_new_file(name + ".svg", chart_svg(*section.chart)));
      DISCREET_TRY(write_new_file(name + ".png", chart_png(*section.chart)));
    }
  }
  return write_all(streams.out, arguments.json ? exhibit_json(exhibit) : exhibit_text(exhibit));
}

}  // namespace discreet::cli
