// SPDX-License-Identifier: Apache-2.0
// Publications through the front door: tables planned and measured together, a geography, running
// counts, and keys that nobody listed. bench/publish.py sets the numbers beside closed forms.
//
//   bench publish FOLDER TASK ...     prints {"work": value, ...}
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "bench.h"
#include "cli/run.h"
#include "mechanism/prefix_stream.h"
#include "publish/marginals.h"
#include "publish/ranges.h"

namespace discreet::publish_bench {
namespace {

using Results = std::map<std::string, double>;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Values without a pattern, the same in every run.
std::uint64_t scattered(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

class Folder {
 public:
  explicit Folder(std::string path) : path_(std::move(path)) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
    setenv("XDG_STATE_HOME", (path_ + "/state").c_str(), 1);
  }
  std::string at(const std::string& name) const { return path_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name), std::ios::binary) << text;
  }
  /// Of the last run, all threads together.
  double cpu_seconds() const { return cpu_seconds_; }
  /// The program itself; what it prints goes to a file.
  double run(const std::vector<std::string>& words) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--policy", at("policy.yaml"), "--ledger", at("l.ledger")});
    const int out = open(at("out.txt").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int in = open("/dev/null", O_RDONLY);
    const std::clock_t before = std::clock();
    const auto start = Clock::now();
    const int status = cli::run(all, {.in = in, .out = out, .err = STDERR_FILENO});
    const double seconds = seconds_since(start);
    cpu_seconds_ = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    close(out);
    close(in);
    if (status != 0) std::exit(status);
    return seconds;
  }

 private:
  std::string path_;
  double cpu_seconds_ = 0;
};

constexpr int kAttributes = 20;
constexpr std::uint64_t kValues = 10;

std::uint64_t people() { return bench::sized<std::uint64_t>(1'000'000, 1'000); }

std::vector<publish::Marginal> pairs(int attributes) {
  std::vector<publish::Marginal> out;
  for (int i = 0; i < attributes; ++i) {
    for (int j = i + 1; j < attributes; ++j) out.push_back({{i, j}, 1});
  }
  return out;
}

/// The least total variance at price 1 of all pairs of d attributes of n values, in closed form
/// (marginals.h, Theorem 1, by symmetry).
double closed_form(double d, double n) {
  const double two = d * (d - 1) / 2;
  const double root =
      std::sqrt(two) / n + d * std::sqrt(d - 1) * (n - 1) / n + two * (n - 1) * (n - 1) / n;
  return root * root;
}

void plans(Results& out) {
  for (const int named : {20, 100}) {
    const int d = bench::sized(named, named / 5);
    const std::string name = std::to_string(named) + " attributes";
    const std::vector<publish::Attribute> attributes(static_cast<std::size_t>(d),
                                                     {"a", static_cast<std::int64_t>(kValues)});
    const auto start = Clock::now();
    const auto planned = plan_marginals(attributes, pairs(d), publish::Objective::kTotal).value();
    out[name + ": planning"] = seconds_since(start);
    const double n = kValues;
    const double two = static_cast<double>(d) * (d - 1) / 2;
    out[name + ": total variance"] = planned.objective;
    out[name + ": closed form"] = closed_form(d, n);
    out[name + ": independent"] = two * two * n * n;
  }
}

std::uint64_t value_of(std::uint64_t row, int attribute) {
  const std::uint64_t x = scattered(row * 64 + static_cast<std::uint64_t>(attribute));
  return std::min(x % kValues, x / 16 % kValues);  // small values are more frequent
}

void tables(const std::string& path, Results& out) {
  Folder folder(path + "/tables");
  std::string policy =
      "version: 1\nsnapshot: s\nunits: {people: {notion: zcdp, budget: {rho: 10, delta: 1e-6}}}\n"
      "tables:\n  people:\n    source: people.csv\n    unit: {namespace: people, column: id}\n"
      "    bounds: {groups_per_unit: 1, rows_per_unit_and_group: 1}\n    columns:\n";
  std::string workload = "table: people\nrho: 0.5\nmarginals: {ways: 2, columns: [";
  std::string header = "id";
  for (int a = 0; a < kAttributes; ++a) {
    const std::string name = "a" + std::to_string(a);
    policy += "      " + name + ": {type: integer, range: [0, 9]}\n";
    workload += (a == 0 ? "" : ", ") + name;
    header += "," + name;
  }
  folder.write("policy.yaml", policy);
  folder.write("w.yaml", workload + "]}\n");
  {
    std::ofstream rows(folder.at("people.csv"));
    rows << header << "\n";
    std::string line;
    for (std::uint64_t r = 0; r < people(); ++r) {
      line = std::to_string(r);
      for (int a = 0; a < kAttributes; ++a) {
        line += ',';
        line += static_cast<char>('0' + value_of(r, a));
      }
      rows << line << '\n';
    }
  }
  (void)folder.run({"ledger", "init"});
  out["20 attributes, 10^6 rows: publishing"] =
      folder.run({"publish", folder.at("w.yaml"), "--output", folder.at("out")});
  out["20 attributes, 10^6 rows: publishing, CPU"] = folder.cpu_seconds();
  // How far off the numbers are, beside what the plan foresaw at rho 1/2 and reach 1.
  std::vector<std::vector<std::uint8_t>> columns(kAttributes);
  for (int a = 0; a < kAttributes; ++a) {
    for (std::uint64_t r = 0; r < people(); ++r) {
      columns[static_cast<std::size_t>(a)].push_back(static_cast<std::uint8_t>(value_of(r, a)));
    }
  }
  double squares = 0;
  for (std::size_t i = 0; i < kAttributes; ++i) {
    for (std::size_t j = i + 1; j < kAttributes; ++j) {
      std::vector<double> truth(100, 0);
      for (std::uint64_t r = 0; r < people(); ++r) truth[columns[i][r] * 10U + columns[j][r]] += 1;
      std::ifstream file(
          folder.at("out/a" + std::to_string(i) + "_a" + std::to_string(j) + ".csv"));
      std::string line;
      std::getline(file, line);
      for (const double count : truth) {
        if (!std::getline(file, line)) std::exit(5);
        double released = 0;
        if (std::sscanf(line.c_str(), "%*[^,],%*[^,],%lf", &released) != 1) std::exit(5);
        squares += (released - count) * (released - count);
      }
    }
  }
  out["20 attributes, 10^6 rows: total squared error"] = squares;
  out["20 attributes, 10^6 rows: foreseen"] =
      closed_form(kAttributes, kValues);  // reach^2/(2 rho)=1
}

void geography(const std::string& path, Results& out) {
  const auto counties = bench::sized<std::uint64_t>(1'000, 10);
  const std::uint64_t tracts = counties * counties;
  Folder folder(path + "/geography");
  folder.write("policy.yaml",
               "version: 1\nsnapshot: s\n"
               "units: {people: {notion: zcdp, budget: {rho: 10, delta: 1e-6}}}\n"
               "tables:\n  people:\n    source: people.csv\n"
               "    unit: {namespace: people, column: id}\n"
               "    bounds: {groups_per_unit: 1, rows_per_unit_and_group: 1}\n"
               "    columns: {tract: {type: integer, range: [0, " +
                   std::to_string(tracts - 1) + "]}}\n");
  folder.write("w.yaml",
               "table: people\nrho: 0.5\nnonnegative: true\n"
               "hierarchies: {places: {column: tract, parents: places.csv}}\n");
  {
    std::ofstream rows(folder.at("people.csv"));
    rows << "id,tract\n";
    for (std::uint64_t r = 0; r < 2 * tracts; ++r) {
      rows << r << ',' << scattered(r) % tracts << '\n';
    }
    std::ofstream places(folder.at("places.csv"));
    places << "child,parent\n";
    for (std::uint64_t i = 0; i < tracts; ++i) places << i << ",county" << i / counties << '\n';
    for (std::uint64_t i = 0; i < counties; ++i) places << "county" << i << ",nation\n";
  }
  (void)folder.run({"ledger", "init"});
  out["geography of 1 + 1000 + 10^6 areas: publishing"] =
      folder.run({"publish", folder.at("w.yaml"), "--output", folder.at("out")});
  out["geography of 1 + 1000 + 10^6 areas: publishing, CPU"] = folder.cpu_seconds();
}

void running(Results& out) {
  using mechanism::PrefixStream;
  for (const int bits : {10, 12, 14, 16, 18, 20}) {
    const std::int64_t days = std::int64_t{1} << bench::sized(bits, bits / 2);
    const std::string name = "2^" + std::to_string(bits) + " days: ";
    const auto terms = PrefixStream::Terms::make(
        {.days = days, .days_per_unit = 1, .reach = 1, .rho = Rho::trusted(1)});
    const auto& mixing = terms->mixing();
    const std::vector<double> variances =
        publish::running_sum_variances(publish::running_sum_series(mixing));
    const double unit = static_cast<double>(mixing.unit());
    const double length =
        std::sqrt(Rational(mixing.length_squared(1)).to_double(Round::kUp)) / unit;
    out[name + "worst error"] = length * std::sqrt(variances.back());
    out[name + "best known"] = publish::best_known_error(days);
    out[name + "mean error"] =
        length * std::sqrt(std::accumulate(variances.begin(), variances.end(), 0.0) /
                           static_cast<double>(days));
    out[name + "lower bound of the mean"] = publish::mean_error_bound(days);
    out[name + "binary tree, worst"] = publish::binary_tree_error(days).worst;
    out[name + "asking anew"] = std::sqrt(static_cast<double>(days));
    // The last day's step: all earlier noise is read, the day's noise drawn, the count released.
    std::string kept(static_cast<std::size_t>(days - 1) * 8, '\0');
    for (std::size_t i = 0; i < kept.size(); i += 8) kept[i] = static_cast<char>(i % 251);
    const auto start = Clock::now();
    auto stream = PrefixStream::resume(*terms, "bench", days - 1, Sensitive(std::move(kept)));
    if (!stream->prepare()) std::exit(5);
    const std::string sealed = stream
                                   ->sealed([](std::string_view bytes) -> Result<std::string> {
                                     return std::string(bytes);
                                   })
                                   .value();
    if (!stream->release(Sensitive<Int128>(5))) std::exit(5);
    out[name + "last step"] = seconds_since(start);
    out[name + "state"] = static_cast<double>(sealed.size());
  }
}

void keys(const std::string& path, Results& out) {
  Folder folder(path + "/keys");
  folder.write("policy.yaml",
               "version: 1\nsnapshot: s\n"
               "units: {people: {budget: {epsilon: 100, delta: 1e-3}}}\n"
               "tables:\n  searches:\n    source: searches.csv\n"
               "    unit: {namespace: people, column: id}\n"
               "    bounds: {groups_per_unit: 1, rows_per_unit_and_group: 1}\n"
               "    columns: {word: {type: text}}\n");
  const auto rare = bench::sized<std::uint64_t>(10'000'000, 10'000);
  const auto searches = bench::sized<std::uint64_t>(1'000'000, 10'000);
  const auto words = bench::sized<std::uint64_t>(1'000, 10);
  {
    std::ofstream rows(folder.at("searches.csv"));
    rows << "id,word\n";
    for (std::uint64_t r = 0; r < rare; ++r) rows << r << ",w" << r << '\n';
    for (std::uint64_t r = 0; r < searches; ++r) {
      rows << rare + r << ",common" << std::min(scattered(r) % words, scattered(r + 7) % words)
           << '\n';
    }
  }
  (void)folder.run({"ledger", "init"});
  out["10^7 keys that nobody listed: histogram"] =
      folder.run({"query", "SELECT word, COUNT(*) AS n FROM searches GROUP BY word", "--epsilon",
                  "1", "--delta", "1e-8", "--format", "csv"});
  out["10^7 keys that nobody listed: histogram, CPU"] = folder.cpu_seconds();
  std::ifstream file(folder.at("out.txt"));
  std::string line;
  double shown = -1;
  double common = 0;
  while (std::getline(file, line)) {
    ++shown;
    common += line.starts_with("common") ? 1 : 0;
  }
  out["10^7 keys that nobody listed: keys shown"] = shown;
  out["10^7 keys that nobody listed: of the 1000 common ones"] = common;
  out["10^7 keys that nobody listed: the 20 most frequent"] =
      folder.run({"query",
                  "SELECT word, COUNT(*) AS n FROM searches GROUP BY word ORDER BY n DESC "
                  "LIMIT 20",
                  "--epsilon", "1", "--delta", "1e-8", "--format", "csv"});
}

int run(const bench::Words& words) {
  if (words.size() < 2) {
    std::fprintf(stderr, "bench publish FOLDER TASK...\n");
    return 2;
  }
  const std::string& folder = words[0];
  Results out;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& task = words[i];
    if (task == "plan") plans(out);
    if (task == "tables") tables(folder, out);
    if (task == "geography") geography(folder, out);
    if (task == "running") running(out);
    if (task == "keys") keys(folder, out);
  }
  std::string text;
  for (const auto& [work, value] : out) {
    char number[40];
    std::snprintf(number, sizeof number, "%.12g", value);
    text += (text.empty() ? "{" : ",\n ") + ("\"" + work + "\": ") + number;
  }
  std::puts((text + "}").c_str());
  return 0;
}

const bench::Benchmark kBenchmark("publish", run);

}  // namespace
}  // namespace discreet::publish_bench
