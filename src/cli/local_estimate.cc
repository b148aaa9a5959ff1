// SPDX-License-Identifier: Apache-2.0
// discreet local estimate --survey: what the reports of a survey say.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "accounting/shuffle.h"
#include "cli/local.h"
#include "cli/local_plot.h"
#include "cli/plot_file.h"
#include "cli/price.h"
#include "local/frequencies.h"
#include "local/heavy_hitters.h"
#include "local/numbers.h"
#include "local/rappor.h"
#include "local/stuffing.h"
#include "report/table.h"

namespace discreet::cli {
namespace {

using report::Cell;

constexpr const char* kLocalEstimateExample = "discreet local estimate --survey s.survey reports";

// Six significant digits; ends of intervals a last digit outward.
std::string text_of(double x) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.6g", x);
  return buffer;
}
std::string low_text(double x) { return text_of(x - std::abs(x) * 1e-6); }
std::string high_text(double x) { return text_of(x + std::abs(x) * 1e-6); }

struct Context {
  const SurveyEstimate& wanted;
  const local::Aggregate& aggregate;
  double beta;
  report::Format format;
};

// How often each answer is among the truth's lines; empty without --truth.
Result<std::map<std::string, double>> truth_of(const Context& c) {
  std::map<std::string, double> shares;
  if (!c.wanted.truth) return shares;
  DISCREET_ASSIGN(const std::string text, read_whole_file(*c.wanted.truth));
  const std::vector<std::string> lines = lines_of(text);
  for (const std::string& line : lines) shares[line] += 1 / static_cast<double>(lines.size());
  return shares;
}

std::string choice_label(const local::Survey& survey, std::size_t choice) {
  if (survey.answers == local::Answers::kNumbers) {
    const double low = static_cast<double>(survey.low) * 1e-6;
    const double width = (static_cast<double>(survey.high) * 1e-6 - low) /
                         static_cast<double>(survey.parameters.domain);
    return text_of(low + width * static_cast<double>(choice)) + " to " +
           text_of(low + width * static_cast<double>(choice + 1));
  }
  return survey.labels.empty() ? std::to_string(choice) : survey.labels[choice];
}

// A table of shares, with the truth beside them where it is known, and the drawing of it.
class ShareTable {
 public:
  ShareTable(const Context& context, std::vector<std::string> more) : context_(context) {
    columns_ = {"answer", "share", "share_low", "share_high", "all_low", "all_high"};
    columns_.insert(columns_.end(), more.begin(), more.end());
    if (context.wanted.truth) columns_.push_back("truth");
    table_.emplace(columns_);
  }
  void add(const std::string& label, double share, const local::Bounds& one,
           const local::Bounds& all, std::vector<Cell> more, double truth) {
    std::vector<Cell> row = {Cell::words(label),
                             Cell::number(text_of(share)),
                             Cell::number(low_text(one.low)),
                             Cell::number(high_text(one.high)),
                             Cell::number(low_text(all.low)),
                             Cell::number(high_text(all.high))};
    row.insert(row.end(), more.begin(), more.end());
    if (context_.wanted.truth) row.push_back(Cell::number(text_of(truth)));
    table_->add(std::move(row));
    if (chart_.marks.size() < 40) {
      chart_.marks.push_back({label, share, all.low, all.high, context_.wanted.truth ? truth : -1});
    }
  }
  Result<std::string> finish() {
    if (context_.wanted.plot && !chart_.marks.empty()) {
      chart_.title = context_.aggregate.survey().name + ": " +
                     std::to_string(context_.aggregate.tally().counted) + " reports";
      DISCREET_TRY(write_chart(*context_.wanted.plot, chart_));
    }
    return table_->render(context_.format);
  }

 private:
  const Context& context_;
  std::vector<std::string> columns_;
  std::optional<report::Table> table_;
  ShareChart chart_;
};

double find_share(const std::map<std::string, double>& truth, const std::string& label) {
  const auto found = truth.find(label);
  return found == truth.end() ? 0 : found->second;
}

Result<std::string> choices(const Context& c) {
  DISCREET_ASSIGN(const auto truth, truth_of(c));
  const local::Survey& survey = c.aggregate.survey();
  DISCREET_ASSIGN(auto shares, local::estimate_shares(c.aggregate, c.beta));
  std::vector<std::string> more;
  std::vector<double> nearest;
  if (c.wanted.distribution) {
    std::vector<double> raw;
    for (const auto& s : shares) raw.push_back(s.share);
    nearest = local::nearest_distribution(raw);
    more.push_back("nearest_distribution");
  }
  std::vector<bool> certain;
  if (c.wanted.top) {
    DISCREET_ASSIGN(const std::uint64_t top, parse_count("top", *c.wanted.top, 1 << 20));
    DISCREET_ASSIGN(const auto best, local::top_choices(c.aggregate, top, c.beta));
    shares = best.choices;
    certain = best.certain;
    more.push_back("certain");
  }
  ShareTable table(c, more);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const auto& s = shares[i];
    const std::string label = choice_label(survey, s.choice);
    std::vector<Cell> cells;
    if (!nearest.empty()) cells.push_back(Cell::number(text_of(nearest[s.choice])));
    if (!certain.empty()) cells.push_back(Cell::words(certain[i] ? "yes" : "no"));
    table.add(label, s.share, s.bounds, s.all_bounds, std::move(cells), find_share(truth, label));
  }
  return table.finish();
}

Result<std::string> quantiles(const Context& c) {
  std::vector<double> levels;
  for (const std::string& text : lines_of([&] {
         std::string list = *c.wanted.quantiles;
         std::replace(list.begin(), list.end(), ',', '\n');
         return list;
       }())) {
    DISCREET_ASSIGN(const Rational level, parse_number("quantiles", text));
    levels.push_back(level.to_double(Round::kDown));
  }
  DISCREET_ASSIGN(const auto found, local::estimate_quantiles(c.aggregate, levels, c.beta));
  DISCREET_ASSIGN(const auto mean, local::mean_of_bins(c.aggregate, c.beta));
  report::Table table({"statistic", "value", "value_low", "value_high"});
  for (const auto& q : found) {
    table.add({Cell::words("quantile " + text_of(q.level)), Cell::number(text_of(q.value)),
               Cell::number(low_text(q.bounds.low)), Cell::number(high_text(q.bounds.high))});
  }
  table.add({Cell::words("mean"), Cell::number(text_of(mean.share)),
             Cell::number(low_text(mean.bounds.low)), Cell::number(high_text(mean.bounds.high))});
  return table.render(c.format);
}

Result<std::string> mean(const Context& c) {
  DISCREET_ASSIGN(const local::MeanEstimate m, local::estimate_mean(c.aggregate, c.beta));
  report::Table table({"statistic", "value", "value_low", "value_high"});
  table.add({Cell::words("mean"), Cell::number(text_of(m.mean)),
             Cell::number(low_text(m.bounds.low)), Cell::number(high_text(m.bounds.high))});
  return table.render(c.format);
}

Result<std::string> strings(const Context& c) {
  DISCREET_ASSIGN(const auto truth, truth_of(c));
  if (c.aggregate.survey().parameters.mechanism == local::Mechanism::kTree) {
    DISCREET_ASSIGN(const auto found, local::heavy_hitters(c.aggregate, c.beta));
    ShareTable table(c, {});
    for (const auto& h : found.strings) {
      const std::string label = h.text + (h.cut ? "*" : "");
      table.add(label, h.share, h.all_bounds, h.all_bounds, {}, find_share(truth, h.text));
    }
    return table.finish();
  }
  if (!c.wanted.candidates) {
    return missing("--candidates",
                   "discreet local estimate --survey home.survey --candidates sites.txt reports");
  }
  DISCREET_ASSIGN(const std::string text, read_whole_file(*c.wanted.candidates));
  const std::vector<std::string> names = lines_of(text);
  DISCREET_ASSIGN(auto decoded, local::decode(c.aggregate, names, c.beta));
  std::sort(decoded.shares.begin(), decoded.shares.end(),
            [](const auto& a, const auto& b) { return a.share > b.share; });
  ShareTable table(c, {"p_value", "significant"});
  const double z = local::normal_quantile(c.beta / 2);
  for (const auto& s : decoded.shares) {
    const local::Bounds one{s.share - z * s.deviation, s.share + z * s.deviation};
    table.add(names[s.candidate], s.share, one, s.all_bounds,
              {Cell::number(text_of(s.p_value)), Cell::words(s.significant ? "yes" : "no")},
              find_share(truth, names[s.candidate]));
  }
  return table.finish();
}

Result<std::string> estimate(const Context& c) {
  using local::Mechanism;
  const Mechanism mechanism = c.aggregate.survey().parameters.mechanism;
  if (mechanism == Mechanism::kBloom || mechanism == Mechanism::kTree) return strings(c);
  if (mechanism == Mechanism::kLaplace || mechanism == Mechanism::kPiecewise) return mean(c);
  return c.wanted.quantiles ? quantiles(c) : choices(c);
}

/// How many of the reports are taken as honest people's. Forged and repeated ones hide nobody.
Result<std::uint64_t> honest_people(const Context& c) {
  const std::uint64_t counted = c.aggregate.tally().counted;
  if (!c.wanted.honest) return counted;
  DISCREET_ASSIGN(const Rational honest, parse_number("honest", *c.wanted.honest));
  if (honest.denominator() != 1 || honest.sign() <= 0 ||
      honest > Rational(Integer(static_cast<unsigned long>(counted)))) {
    return invalid_input("--honest is a number of people, at most that of the reports, " +
                         std::to_string(counted) + "; got " + in_quotes(*c.wanted.honest));
  }
  return static_cast<std::uint64_t>(honest.numerator().get_ui());
}

/// What shuffled reports cost, to be said with its assumptions.
Result<std::string> shuffle_note(const Context& c) {
  if (!c.wanted.shuffled_delta) {
    if (c.wanted.honest) return invalid_input("--honest goes with --shuffled-delta");
    return std::string();
  }
  DISCREET_ASSIGN(const Delta delta, Delta::parse(*c.wanted.shuffled_delta));
  DISCREET_ASSIGN(const std::uint64_t honest, honest_people(c));
  const local::Parameters& p = c.aggregate.survey().parameters;
  const accounting::Shuffle shuffle{honest,
                                    Rational::ratio(static_cast<unsigned long>(p.epsilon),
                                                    static_cast<unsigned long>(local::kNano))};
  DISCREET_TRY(accounting::check(shuffle));
  if (delta.value().sign() == 0) return invalid_input("shuffling helps only at a delta above 0");
  const bool binary = p.mechanism == local::Mechanism::kResponse && p.domain == 2;
  const double epsilon = (binary ? accounting::shuffled_response_epsilon(shuffle, delta.value())
                                 : accounting::shuffled_epsilon(shuffle, delta.value()))
                             .upper;
  return "note: if a shuffler that does not collude with the collector had mixed these reports, "
         "and " +
         std::to_string(honest) +
         " of them came from as many honest people, they would together be (" + high_text(epsilon) +
         ", " + delta.to_string() + ")-DP for each of these people, whose own report is " +
         local::nats(p.epsilon) + "-DP" +
         (c.wanted.honest ? "\n"
                          : "; forged and repeated reports hide nobody: say with --honest how many "
                            "people are surely honest\n");
}

std::string notes(const Context& c, const Confidence& confidence) {
  const local::Tally& t = c.aggregate.tally();
  std::string text = "note: " + std::to_string(t.counted) +
                     " reports counted; left out: " + std::to_string(t.duplicate) + " duplicate, " +
                     std::to_string(t.out_of_range) + " out of range, " +
                     std::to_string(t.implausible) + " implausible\n";
  text += "note: intervals have " + percent(confidence) +
          " confidence; share_low to share_high for one answer, all_low to all_high for all "
          "answers at once\n";
  if (c.wanted.distribution) {
    text +=
        "note: nearest_distribution has no negative shares and adds up to 1; it is biased: "
        "small shares come out too large on average\n";
  }
  return text;
}

}  // namespace

void SurveyEstimate::add_to(CLI::App& app) {
  add_text(app, "--survey", survey, "reports of this survey, from files", "FILE");
  add_words(app, "files", files, "with --survey: files of reports, or a collector's counts");
  add_text(app, "--top", top, "only so many, the most frequent");
  add_text(app, "--quantiles", quantiles, "of numbers in bins, such as 0.25,0.5,0.75", "LEVELS");
  add_text(app, "--candidates", candidates, "RAPPOR: strings to look for, one a line", "FILE");
  add_flag(app, "--distribution", distribution,
           "also the nearest distribution: no negative shares, sum 1, biased");
  add_text(app, "--shuffled-delta", shuffled_delta,
           "also what honest people's reports cost if shuffled");
  add_text(app, "--honest", honest,
           "with --shuffled-delta: how many honest people, one report each (all)");
  add_text(app, "--truth", truth, "true answers, one a line, to be shown beside", "FILE");
  add_text(app, "--quota", quota, "how many reports could be sent: more are warned of");
  add_text(app, "--plot", plot, "draw the shares: .svg or .png", "FILE");
}

Result<int> run_survey_estimate(const SurveyEstimate& wanted, const Text& confidence_text,
                                const FormatArguments& format_arguments, const Streams& streams) {
  DISCREET_ASSIGN(const local::Survey survey, read_survey(wanted.survey, kLocalEstimateExample));
  DISCREET_ASSIGN(const Confidence confidence, confidence_of(confidence_text));
  DISCREET_ASSIGN(const report::Format format, format_arguments.parse());
  DISCREET_TRY(check_plot_name(wanted.plot));
  std::optional<std::uint64_t> most;
  if (wanted.quota) {
    DISCREET_ASSIGN(most, parse_count("quota", *wanted.quota, std::uint64_t{1} << 40));
  }
  if (wanted.files.empty()) return missing("a file of reports", kLocalEstimateExample);
  DISCREET_ASSIGN(const local::Aggregate aggregate, read_reports(wanted.files, survey));
  const double beta = (Rational(1) - confidence.value()).to_double(Round::kDown);
  const Context context{wanted, aggregate, beta, format};
  DISCREET_ASSIGN(const std::string shuffled, shuffle_note(context));
  DISCREET_ASSIGN(const std::string text, estimate(context));
  DISCREET_TRY(write_all(streams.out, text));
  say(streams.err, notes(context, confidence) + shuffled);
  for (const local::Stuffing& found : local::find_stuffing(aggregate, most)) {
    say(streams.err, "warning: " + to_text(found) + "\n");
  }
  return 0;
}

}  // namespace discreet::cli
