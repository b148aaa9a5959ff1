// SPDX-License-Identifier: Apache-2.0
#include "learn/course.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/json.h"
#include "base/suggest.h"
#include "learn/choices.h"
#include "learn/distribution.h"
#include "learn/model.h"
#include "learn/synthetic.h"

namespace discreet::learn {
namespace {

/// A course while it is being made.
struct Making {
  const Wish& wish;
  Course course = {};
  std::vector<std::size_t> features = {};
  std::size_t target = 0;
  std::int64_t rows_each = 1;  ///< the most that a unit has

  const Column& target_column() const { return course.columns[target]; }
  std::vector<Column> feature_columns() const {
    return {course.columns.begin(),
            course.columns.begin() + static_cast<std::ptrdiff_t>(features.size())};
  }
  Result<double> real(const std::string& name, double otherwise) const {
    const auto found = wish.options.find(name);
    if (found == wish.options.end()) return otherwise;
    const auto value = Rational::parse(found->second);
    if (!value) return invalid_input("--" + name + ": " + value.error().message);
    return value->to_double(Round::kDown);
  }
  Result<std::uint64_t> count(const std::string& name, std::uint64_t otherwise,
                              std::uint64_t most = 1'000'000) const {
    const auto found = wish.options.find(name);
    if (found == wish.options.end()) return otherwise;
    const auto value = Rational::parse(found->second);
    const Rational limit(static_cast<std::int64_t>(most));
    if (!value || value->denominator() != 1 || value->sign() <= 0 || *value > limit) {
      return invalid_input("--" + name + " must be a whole number from 1 to " + limit.to_string() +
                           "; got " + in_quotes(found->second));
    }
    return static_cast<std::uint64_t>(value->numerator().get_ui());
  }
};

/// The names between commas, without blanks around them.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::size_t first = at;
    std::size_t last = end;
    while (first < last && text[first] == ' ') ++first;
    while (last > first && text[last - 1] == ' ') --last;
    if (last > first) out.push_back(text.substr(first, last - first));
    at = end + 1;
  }
  return out;
}

/// Every column that has a domain that the task can learn from, but the named one.
std::vector<std::string> all_with_a_domain(const policy::Table& table, const Wish& wish) {
  std::vector<std::string> out;
  for (const policy::Column& column : table.columns) {
    const bool category = !column.values.empty() || column.type == policy::Type::kBoolean;
    const bool number = !category && column.grid && column.type != policy::Type::kTimestamp;
    const bool known = number || (category && wish.task != "cluster");
    if (known && column.may_aggregate && column.name != wish.option("target")) {
      out.push_back(column.name);
    }
  }
  return out;
}

/// The lesson's table, columns and price.
Result<void> read_lesson(const policy::Policy& policy, Making& making) {
  const Wish& wish = making.wish;
  Lesson& lesson = making.course.lesson;
  if (wish.option("epsilon").empty()) return invalid_input("epsilon is missing");
  DISCREET_ASSIGN(lesson.training.epsilon, Epsilon::parse(wish.option("epsilon")));
  const std::string delta = wish.option("delta");
  DISCREET_ASSIGN(lesson.training.delta, Delta::parse(delta.empty() ? "0" : delta));
  DISCREET_ASSIGN(lesson.table, table_of(policy, wish.option("table")));
  const std::string target = wish.option("target");
  std::vector<std::string>& names = lesson.columns;
  names = wish.options.contains("features") ? split(wish.option("features"))
                                            : all_with_a_domain(*policy.find(lesson.table), wish);
  if (std::ranges::count(names, target) > 0) {
    return invalid_input("the target " + in_quotes(target) + " cannot be one of its own features");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::count(names, names[i]) > 1) {
      return invalid_input("--features names " + in_quotes(names[i]) + " twice");
    }
    making.features.push_back(i);
  }
  making.target = names.size();
  if (!target.empty()) names.push_back(target);
  const std::string group = wish.option("group");
  if (!group.empty() && std::ranges::count(names, group) == 0) names.push_back(group);
  DISCREET_ASSIGN(making.course.columns, columns_of(policy, lesson.table, names));
  const policy::Table& table = *policy.find(lesson.table);
  if (!table.unit->row_is_unit) making.rows_each = table.bounds.rows_per_unit_and_group;
  lesson.analyst = wish.analyst;
  lesson.request_id = wish.request_id;
  return {};
}

/// What the tasks for classes share: the group, the fit with its accuracy, the model.
template <class FitModel>
Result<void> make_classes(Making& making, const ClassifierTask& task, FitModel fit) {
  const std::string name = making.wish.option("group");
  std::size_t group = task.columns.size();
  for (std::size_t i = 0; !name.empty() && i < task.columns.size(); ++i) {
    if (task.columns[i].name == name) group = i;
  }
  if (group < task.columns.size() && !task.columns[group].categorical()) {
    return invalid_input("--group needs a column with listed values");
  }
  making.course.fit = [task, group, fit, features = making.feature_columns(),
                       target = making.target_column().name](
                          Sums& sums, const Certificate& c) -> Result<std::string> {
    DISCREET_ASSIGN(auto fitted, fit(sums));
    DISCREET_ASSIGN(const auto estimates, estimate_accuracy(sums, fitted, task, group));
    Model model{features, std::move(fitted), target, {}};
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      model.accuracy.emplace_back(i == 0 ? "all" : task.columns[group].categories[i - 1],
                                  estimates[i]);
    }
    return to_json(model, c);
  };
  return {};
}

Result<void> make_classify(Making& making) {
  const ClassifierTask task{making.course.columns, making.features, making.target,
                            making.rows_each};
  DISCREET_TRY(check_task(task));
  plan::Training& training = making.course.lesson.training;
  training.shares = classifier_shares(task, training.epsilon, training.delta);
  making.course.lesson.text =
      "classify " + making.target_column().name + " by group " + making.wish.option("group");
  return make_classes(making, task, [task](Sums& sums) { return fit_classifier(sums, task); });
}

Result<void> make_naive_bayes(Making& making) {
  const ClassifierTask task{making.course.columns, making.features, making.target};
  DISCREET_ASSIGN(const std::uint64_t bins, making.count("bins", 16, 256));
  DISCREET_TRY(check_naive_bayes(task, bins));
  making.course.lesson.training.shares = naive_bayes_shares();
  making.course.lesson.text = "naive-bayes " + making.target_column().name + " " +
                              std::to_string(bins) + " by group " + making.wish.option("group");
  return make_classes(making, task,
                      [task, bins](Sums& sums) { return fit_naive_bayes(sums, task, bins); });
}

Result<void> make_regress(Making& making) {
  RegressionTask task{making.course.columns, making.features, making.target};
  task.rows_each = making.rows_each;
  DISCREET_ASSIGN(task.ridge, making.real("ridge", 0));
  if (!(task.ridge >= 0)) return invalid_input("--ridge must not be negative");
  DISCREET_TRY(check_task(task));
  making.course.lesson.training.shares = regression_shares();
  const std::string ridge = making.wish.option("ridge");
  making.course.lesson.text =
      "regress " + making.target_column().name + " ridge " + (ridge.empty() ? "0" : ridge);
  making.course.fit = [task, features = making.feature_columns(),
                       target = making.target_column().name](
                          Sums& sums, const Certificate& c) -> Result<std::string> {
    DISCREET_ASSIGN(Regression fitted, fit_regression(sums, task));
    return to_json({features, std::move(fitted), target, {}}, c);
  };
  return {};
}

Result<void> make_cluster(Making& making) {
  ClusterTask task{making.course.columns, making.features, 8};
  DISCREET_ASSIGN(task.k, making.count("k", 8, 1000));
  DISCREET_TRY(check_task(task));
  making.course.lesson.training.shares = cluster_shares(task);
  making.course.lesson.text = "cluster " + std::to_string(task.k);
  making.course.fit = [task, names = making.course.lesson.columns](
                          Sums& sums, const Certificate& c) -> Result<std::string> {
    ClusterModel model{names, {}};
    DISCREET_ASSIGN(model.clusters, fit_clusters(sums, task));
    return to_json({task.columns, std::move(model), "", {}}, c);
  };
  return {};
}

Result<void> make_network(Making& making, const Rounds& rounds) {
  /// How many times it is saved on the way: a killed run loses at most so much of its steps.
  constexpr std::uint64_t kParts = 10;
  NetworkTask task;
  task.columns = making.course.columns;
  task.features = making.features;
  task.target = making.target;
  DISCREET_ASSIGN(task.hidden, making.count("hidden", task.hidden, 4096));
  DISCREET_ASSIGN(task.steps, making.count("steps", task.steps));
  DISCREET_ASSIGN(task.sampling, making.real("sampling", task.sampling));
  DISCREET_ASSIGN(task.rate, making.real("rate", task.rate));
  task.progress = rounds;
  DISCREET_TRY(check_task(task));
  Lesson& lesson = making.course.lesson;
  lesson.training = network_training(task, lesson.training.epsilon, lesson.training.delta,
                                     std::min<std::uint64_t>(kParts, task.steps));
  lesson.text = "network " + making.target_column().name + " " + std::to_string(task.hidden) + " " +
                making.wish.option("rate");
  making.course.fit_in_parts = [task, features = making.feature_columns(),
                                target = making.target_column().name](
                                   Parts& parts, const Certificate& c) -> Result<std::string> {
    DISCREET_ASSIGN(Network fitted, fit_network(parts, task));
    return to_json({features, std::move(fitted), target, {}}, c);
  };
  return {};
}

Json json_of(const Histogram& h, const Column& column) {
  Json out = {{"column", h.column}, {"counts", h.counts}, {"deviation", h.deviation}};
  out["shares"] = h.shares();
  if (!h.labels.empty()) {
    out["values"] = h.labels;
    return out;
  }
  // Dates are written as dates.
  const auto shown = [&](double x) { return column.is_date ? Json(column.text(x)) : Json(x); };
  out["low"] = shown(h.low);
  out["high"] = shown(h.high);
  Json quantiles = Json::object();
  for (const int p : {1, 5, 10, 25, 50, 75, 90, 95, 99}) {
    quantiles[std::to_string(p)] = shown(h.quantile(p / 100.0));
  }
  out["quantiles"] = std::move(quantiles);
  const ParametricFit fit = parametric_fit(h);
  out["mean"] = shown(fit.mean);
  out["standard_deviation"] = fit.deviation;
  if (column.is_date) return out;  // laws of numbers from a zero that means something
  for (const auto& law : fit.laws) {
    out["laws"].push_back(
        {{"name", law.name}, {"parameters", law.parameters}, {"distance", law.distance}});
  }
  return out;
}

Result<void> make_distribution(Making& making) {
  DistributionTask task{making.course.columns, 64};
  DISCREET_ASSIGN(task.bins, making.count("bins", task.bins, 4096));
  DISCREET_TRY(check_task(task));
  making.course.lesson.training.shares = distribution_shares();
  making.course.lesson.text = "distribution " + std::to_string(task.bins);
  making.course.fit = [task](Sums& sums, const Certificate& c) -> Result<std::string> {
    DISCREET_ASSIGN(const auto found, fit_distribution(sums, task));
    Json out = {{"certificate", to_json(c)}};
    for (std::size_t i = 0; i < found.size(); ++i) {
      out["columns"].push_back(json_of(found[i], task.columns[i]));
    }
    out.sort_keys();
    return out.dump({.indent = 1}) + "\n";
  };
  return {};
}

/// What is stored: the table, the released marginals beside the table's, the certificate.
Json json_of(const Synthetic& made, const SyntheticTask& task, const Certificate& c) {
  Json out = {{"certificate", to_json(c)}, {"count", made.count}};
  Choices random(task.seed);
  for (const auto& row : made.rows) {
    Json cells = Json::array();
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(value_text(task.columns[i], row[i], task.bins, random()));
    }
    out["rows"].push_back(std::move(cells));
  }
  for (const auto& m : made.marginals) {
    out["marginals"].push_back({{"columns", m.columns},
                                {"distance", m.distance()},
                                {"released", m.released},
                                {"synthetic", m.synthetic}});
  }
  return out;
}

Result<void> make_synthesize(Making& making) {
  SyntheticTask task{.columns = making.course.columns};
  DISCREET_ASSIGN(task.bins, making.count("bins", task.bins, 256));
  DISCREET_ASSIGN(task.rows, making.count("rows", task.rows, 10'000'000));
  DISCREET_TRY(check_task(task));
  making.course.lesson.training.shares = synthetic_shares(task);
  making.course.lesson.text =
      "synthesize " + std::to_string(task.bins) + " " + std::to_string(task.rows);
  making.course.fit = [task](Sums& sums, const Certificate& c) -> Result<std::string> {
    DISCREET_ASSIGN(const auto made, fit_synthetic(sums, task));
    Json out = json_of(made, task, c);
    out.sort_keys();
    return out.dump();
  };
  return {};
}

}  // namespace

const std::vector<std::string>& tasks() {
  static const std::vector<std::string> kTasks = {
      "classify", "naive-bayes", "regress", "cluster", "network", "distribution", "synthesize"};
  return kTasks;
}

std::string Wish::option(const std::string& name) const {
  const auto found = options.find(name);
  return found == options.end() ? "" : found->second;
}

Result<Course> course_of(const policy::Policy& policy, const Wish& wish, const Rounds& rounds) {
  if (std::ranges::count(tasks(), wish.task) == 0) {
    return Error{Code::kNotFound, "nothing is learned by the name " + in_quotes(wish.task) +
                                      did_you_mean(wish.task, tasks()) + "; there are " +
                                      one_of(tasks())};
  }
  const bool has_target = wish.task == "classify" || wish.task == "naive-bayes" ||
                          wish.task == "regress" || wish.task == "network";
  if (has_target && wish.option("target").empty()) {
    return invalid_input("target is missing: the column to predict");
  }
  if (!has_target && wish.options.contains("target")) {
    return invalid_input(wish.task + " has no target");
  }
  Making making{.wish = wish};
  DISCREET_TRY(read_lesson(policy, making));
  const Result<void> made = wish.task == "classify"       ? make_classify(making)
                            : wish.task == "naive-bayes"  ? make_naive_bayes(making)
                            : wish.task == "regress"      ? make_regress(making)
                            : wish.task == "cluster"      ? make_cluster(making)
                            : wish.task == "network"      ? make_network(making, rounds)
                            : wish.task == "distribution" ? make_distribution(making)
                                                          : make_synthesize(making);
  if (!made) return made.error();
  return std::move(making.course);
}

Result<ledger::Quote> quote(const policy::Policy& policy, ledger::Ledger& ledger,
                            const Course& course) {
  DISCREET_ASSIGN(const CheckedLesson checked, check_lesson(policy, ledger, course.lesson));
  return ledger.quote(checked.training.rows.charge(), checked.question);
}

Result<Taught> teach(const policy::Policy& policy, ledger::Ledger& ledger, engine::Engine& engine,
                     const Course& course, const engine::OwnerLog& log, const Saving& saving) {
  if (course.fit_in_parts) {
    return teach_in_parts(policy, ledger, engine, course.lesson, log, saving, course.fit_in_parts);
  }
  return teach(policy, ledger, engine, course.lesson, log, course.fit);
}

}  // namespace discreet::learn
