// SPDX-License-Identifier: Apache-2.0
// discreet publish: many tables under one price; and the curve of a workload.
#include "cli/publish.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "accounting/zcdp.h"
#include "base/clock.h"
#include "cli/plot_file.h"
#include "cli/world_files.h"
#include "policy/document.h"
#include "report/number.h"
#include "report/progress.h"

namespace discreet::cli {
namespace {

constexpr const char* kPublishExample = "discreet publish workload.yaml --output tables";

struct PublishArguments {
  Text file, output, report, certificate, request_id;
  bool dry_run = false;
  WorldArguments world;
  FormatArguments format;
};

enum class FileFormat { kText, kCsv, kJson, kParquet };

Result<FileFormat> format_of(const PublishArguments& arguments) {
  if (arguments.format.format == "parquet") {
    if (!arguments.output) return invalid_input("Parquet needs a folder; name it with --output");
    return FileFormat::kParquet;
  }
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  if (format == report::Format::kJson) return FileFormat::kJson;
  if (format == report::Format::kCsv || arguments.output) return FileFormat::kCsv;
  return FileFormat::kText;
}

/// Where a sheet goes in the folder.
std::string sheet_file(std::string name, FileFormat format) {
  for (char& c : name) c = c == '/' || c == '.' ? '_' : c;
  return name + (format == FileFormat::kParquet ? ".parquet"
                 : format == FileFormat::kJson  ? ".json"
                                                : ".csv");
}

/// What the options name, before anything is opened.
Result<void> check_places(const PublishArguments& arguments) {
  DISCREET_TRY(check_folder("--output", arguments.output));
  DISCREET_TRY(check_place("--report", arguments.report));
  return check_place("--certificate", arguments.certificate);
}

/// The files that are written into the folder.
std::vector<std::string> files_in_folder(const publish::Workload& workload, FileFormat format) {
  std::vector<std::string> names = {"certificate.json", "report.html"};
  const auto add = [&](const auto& asked) {
    for (const auto& each : asked) names.push_back(sheet_file(each.name, format));
  };
  add(workload.tables);
  add(workload.ranges);
  add(workload.hierarchies);
  return names;
}

/// The workload, and the files that its hierarchies are read from.
std::vector<KeptFile> files_of_workload(const std::string& file) {
  std::vector<KeptFile> kept = {{"the workload", file}};
  const Result<std::string> text = policy::read_policy_file(file);
  const policy::Document document = policy::read_document(text ? *text : "");
  const policy::Node* const asked = document.root ? document.root->find("hierarchies") : nullptr;
  if (asked == nullptr) return kept;
  for (const policy::Node& hierarchy : asked->children) {
    const policy::Node* const parents = hierarchy.find("parents");
    if (parents == nullptr || parents->text.find('\n') != std::string::npos) continue;
    kept.push_back({"what the hierarchy " + in_quotes(hierarchy.key) + " is read from",
                    std::filesystem::path(policy::directory_of(file)) / parents->text});
  }
  return kept;
}

/// That every file to be written can be, and overwrites nothing that is needed.
Result<void> check_files(const PublishArguments& arguments, FileFormat format,
                         const publish::Workload& workload, Asking& asking) {
  std::vector<OutputFile> outputs;
  if (arguments.report) outputs.push_back({"--report", *arguments.report});
  if (arguments.certificate) outputs.push_back({"--certificate", *arguments.certificate});
  const std::size_t named = outputs.size();
  if (arguments.output) {
    for (const std::string& name : files_in_folder(workload, format)) {
      outputs.push_back({"--output", (std::filesystem::path(*arguments.output) / name).string(),
                         "name another folder, or the table otherwise"});
    }
  }
  std::vector<KeptFile> kept = files_of_world(arguments.world, asking);
  for (KeptFile& file : files_of_workload(*arguments.file)) kept.push_back(std::move(file));
  DISCREET_TRY(check_outputs(outputs, kept));
  std::error_code failed;
  if (!arguments.output || !std::filesystem::exists(*arguments.output, failed)) return {};
  for (std::size_t i = named; i < outputs.size(); ++i) {
    DISCREET_TRY(check_place(outputs[i].option, outputs[i].path));
  }
  return {};
}

/// One file a sheet, the certificate and the page.
Result<void> write_folder(const std::string& folder, FileFormat format,
                          const publish::Workload& workload,
                          const std::vector<publish::Sheet>& sheets, const std::string& certificate,
                          const std::string& page) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const std::filesystem::path at(folder);
  for (const publish::Sheet& sheet : sheets) {
    std::string bytes;
    if (format == FileFormat::kParquet) {
      DISCREET_ASSIGN(bytes, publish::sheet_parquet(sheet, workload.confidence));
    } else if (format == FileFormat::kJson) {
      bytes = publish::sheets_json({sheet}, workload.confidence, certificate);
    } else {
      bytes = publish::sheet_csv(sheet, workload.confidence);
    }
    DISCREET_TRY(write_file((at / sheet_file(sheet.name, format)).string(), bytes));
  }
  DISCREET_TRY(write_file((at / "certificate.json").string(), certificate));
  return write_file((at / "report.html").string(), page);
}

std::string sheets_text(const std::vector<publish::Sheet>& sheets, double confidence,
                        FileFormat format) {
  std::string out;
  for (const publish::Sheet& sheet : sheets) {
    if (format == FileFormat::kCsv) {
      out += (sheets.size() > 1 ? "# " + sheet.name + "\n" : "") +
             publish::sheet_csv(sheet, confidence);
      continue;
    }
    std::vector<std::string> columns = sheet.columns;
    columns.insert(columns.end(), {sheet.measure, "half width"});
    if (!sheet.whole.empty()) columns.push_back("whole");
    report::Table table(columns);
    const double width = publish::normal_width(confidence);
    for (std::size_t i = 0; i < sheet.values.size(); ++i) {
      std::vector<report::Cell> row;
      for (const std::string& key : sheet.keys[i]) row.push_back(report::Cell::words(key));
      char text[40];
      std::snprintf(text, sizeof text, "%.1f", sheet.values[i]);
      row.push_back(report::Cell::number(text));
      std::snprintf(text, sizeof text, "%.3g", width * sheet.deviations[i]);
      row.push_back(report::Cell::number(text));
      if (!sheet.whole.empty()) {
        std::snprintf(text, sizeof text, "%.0f", sheet.whole[i]);
        row.push_back(report::Cell::number(text));
      }
      table.add(std::move(row));
    }
    out += sheet.name + " (" + sheet.kind + ")\n" + table.render(report::Format::kTable) + "\n";
  }
  return out;
}

std::string what_fits(const publish::Foreseen& foreseen) {
  if (foreseen.width_that_fits == 0) return "Ask the owner for a top-up";
  char width[40];
  std::snprintf(width, sizeof width, "%.4g", foreseen.width_that_fits);
  return "At the price that is left the same workload fits with a largest half width of " +
         std::string(width) + ": write that rho in it, or ask the owner for a top-up";
}

Result<int> run_publish(const PublishArguments& arguments, const Streams& streams) {
  if (!arguments.file) return missing("the workload", kPublishExample);
  DISCREET_ASSIGN(const FileFormat format, format_of(arguments));
  DISCREET_TRY(check_places(arguments));
  DISCREET_ASSIGN(const auto asking,
                  Asking::open(arguments.world,
                               arguments.dry_run ? ledger::Access::kLook : ledger::Access::kUse,
                               engine_says(streams)));
  DISCREET_ASSIGN(const publish::Workload workload,
                  publish::load_workload(*arguments.file, asking->policy()));
  DISCREET_TRY(check_files(arguments, format, workload, *asking));
  publish::Publisher publisher(asking->policy(), asking->ledger(), asking->engine());
  const publish::Request request{.workload = workload,
                                 .analyst = arguments.world.analyst.value_or("owner"),
                                 .request_id = arguments.request_id.value_or("")};
  DISCREET_ASSIGN(const publish::Foreseen foreseen,
                  publisher.foresee(request, publish::Publisher::Sees::kAll));
  DISCREET_TRY(write_all(arguments.dry_run ? streams.out : streams.err,
                         report::design_text(workload, foreseen)));
  if (!foreseen.fits) {
    return Error{Code::kBudget, "this publication costs " + foreseen.price + ", and " +
                                    foreseen.left + " is left; nothing was charged. " +
                                    what_fits(foreseen)};
  }
  if (arguments.dry_run) {
    say(streams.err, "nothing was charged\n");
    return 0;
  }
  report::Progress progress(streams.err, "measuring");
  const engine::OwnerLog log{.say = engine_says(streams), .progress = [&](int percent) {
                               progress.show(static_cast<std::uint64_t>(percent), 100);
                             }};
  DISCREET_ASSIGN(
      const publish::Publication publication,
      asking->stoppable<publish::Publication>({request.analyst, request.request_id},
                                              [&] { return publisher.publish(request, log); }));
  say(streams.err, publication.repeated
                       ? "the same publication was paid for before: the stored numbers, free\n"
                       : "charged to " + request.analyst + ": " + foreseen.price +
                             "; everything made from these numbers is free\n");
  const std::vector<publish::Sheet> sheets = publish::sheets_of(workload, publication);
  for (const publish::Sheet& sheet : sheets) {
    if (sheet.at_limit) say(streams.err, "table " + sheet.name + ": " + publish::kAtLimit + "\n");
  }
  const std::string certificate = publish::certificate_json(workload, publication, *arguments.file,
                                                            to_utc(system_time_ms()).substr(0, 10));
  const std::string page =
      report::exhibit_html(report::publication_page(workload, publication, sheets));
  const auto write = [&]() -> Result<void> {
    if (arguments.report) DISCREET_TRY(write_file(*arguments.report, page));
    if (arguments.certificate) DISCREET_TRY(write_file(*arguments.certificate, certificate));
    if (arguments.output) {
      return write_folder(*arguments.output, format, workload, sheets, certificate, page);
    }
    return write_all(streams.out,
                     format == FileFormat::kJson
                         ? publish::sheets_json(sheets, workload.confidence, certificate)
                         : sheets_text(sheets, workload.confidence, format));
  };
  DISCREET_TRY(asking->hand_over(streams, write));
  return 0;
}

constexpr int kCurvePoints = 25;

}  // namespace

Result<int> run_workload_curve(const WorkloadCurve& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  DISCREET_TRY(check_plot_name(arguments.plot));
  DISCREET_ASSIGN(const Rational from, parse_number("from", arguments.from.value_or("0.1")));
  DISCREET_ASSIGN(const Rational to, parse_number("to", arguments.to.value_or("10")));
  DISCREET_ASSIGN(const Delta delta, Delta::parse(arguments.delta.value_or("1e-6")));
  if (from.sign() <= 0 || to <= from) return invalid_input("--from must be above 0 and below --to");
  if (delta.value().sign() == 0) return invalid_input("--delta must be above 0, such as 1e-6");
  DISCREET_ASSIGN(const policy::Policy policy, policy::load_policy(arguments.world.policy_path()));
  DISCREET_ASSIGN(const publish::Workload workload,
                  publish::load_workload(*arguments.file, policy));
  DISCREET_ASSIGN(const publish::Terms terms, publish::terms_of(workload, policy));
  // Deviations go with 1/sqrt(rho): one design tells all.
  DISCREET_ASSIGN(const publish::Design one, publish::design_at(workload, terms, 1));
  double mean = 0;
  double cells = 0;
  for (std::size_t i = 0; i < workload.tables.size(); ++i) {
    if (workload.tables[i].measure != 0) continue;
    for (const double deviation : one.tables[i].deviations) mean += deviation * deviation;
    cells += static_cast<double>(one.tables[i].deviations.size());
  }
  report::Plot plot{.title = "error of " + *arguments.file,
                    .x_label = "epsilon at delta " + delta.to_string(),
                    .y_label = "largest half width of a cell"};
  report::Table table({"epsilon", "rho", "largest half width", "rms deviation of counts"});
  for (int i = 0; i < kCurvePoints; ++i) {
    const Rational epsilon = from + (to - from) * Rational::ratio(i, kCurvePoints - 1);
    const Rational rho = accounting::zcdp_rho_for(epsilon, delta.value());
    const double price = rho.to_double(Round::kDown);
    if (price <= 0) continue;
    const double width = one.worst_width / std::sqrt(price);
    plot.points.push_back({epsilon.to_double(Round::kDown), 0, width});
    char text[2][40];
    std::snprintf(text[0], sizeof text[0], "%.4g", width);
    std::snprintf(text[1], sizeof text[1], "%.4g",
                  cells > 0 ? std::sqrt(mean / cells / price) : 0.0);
    table.add({report::Cell::number(report::approximate(epsilon, 4)),
               report::Cell::number(report::approximate(rho, 4)), report::Cell::number(text[0]),
               report::Cell::number(text[1])});
  }
  if (arguments.plot) DISCREET_TRY(write_plot(*arguments.plot, plot));
  const bool draws = !arguments.plot && !arguments.format.given() && isatty(streams.out) == 1;
  DISCREET_TRY(write_all(streams.out, draws ? plot_text(plot, 64, 16) : table.render(format)));
  return 0;
}

void add_publish(Program& program) {
  const auto arguments = std::make_shared<PublishArguments>();
  CLI::App& app = program.command(
      program.root(), "publish",
      {.summary = "many tables under one price, consistent with themselves",
       .explanation =
           "A workload file asks for tables, marginals, running sums, ranges and hierarchies of\n"
           "one table of the policy (docs/publish.md). All of it is measured together with the\n"
           "least total (or worst) error; how far off every cell will be is printed before\n"
           "anything is charged. One charge pays for all; what is made from the released numbers\n"
           "afterwards is free, and publishing the same again gives the same numbers, free.\n",
       .closing = std::string("Example:\n  discreet publish workload.yaml --dry-run\n  ") +
                  kPublishExample +
                  " --format parquet\n  discreet curve workload.yaml --plot curve.svg\n"
                  "  discreet publish daily register visits_by_day"},
      [arguments](const Streams& streams) { return run_publish(*arguments, streams); });
  add_text(app, "file", arguments->file, "the workload, in YAML", "FILE");
  add_flag(app, "--dry-run", arguments->dry_run, "print the plan and its errors; charge nothing");
  add_text(app, "--output", arguments->output,
           "a folder for one file a table, certificate.json and report.html", "FOLDER");
  add_text(app, "--report", arguments->report, "write the page there", "FILE");
  add_text(app, "--certificate", arguments->certificate, "write the certificate there", "FILE");
  add_text(app, "--request-id", arguments->request_id,
           "retrying with it gives the same numbers, free", "ID");
  arguments->world.add_to(app);
  arguments->format.add_to(app);
  add_publish_daily(program, app);
}

}  // namespace discreet::cli
