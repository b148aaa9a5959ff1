// SPDX-License-Identifier: Apache-2.0
// discreet learn classify|naive-bayes|regress|cluster|network: models from sealed rows, charged to
// the ledger.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "cli/learn_request.h"
#include "learn/model.h"

namespace discreet::cli {
namespace {

constexpr const char* kClassify =
    "discreet learn classify --target smoker --features age,cost --epsilon 1 --output smoker.json";
constexpr const char* kNaiveBayes =
    "discreet learn naive-bayes --target smoker --features age,cost --epsilon 1 "
    "--output smoker.json";
constexpr const char* kRegress =
    "discreet learn regress --target cost --features age,clinic --epsilon 1 --output cost.json";
constexpr const char* kCluster =
    "discreet learn cluster --features age,cost --k 4 --epsilon 1 --output groups.json";
constexpr const char* kNetwork =
    "discreet learn network --target digit --epsilon 3 --delta 1e-5 --output digit.json";

Result<double> real(const std::string& name, const Text& text, double otherwise) {
  if (!text) return otherwise;
  DISCREET_ASSIGN(const Rational number, parse_number(name, *text));
  return number.to_double(Round::kDown);
}

Result<std::uint64_t> count(const std::string& name, const Text& text, std::uint64_t otherwise) {
  if (!text) return otherwise;
  return parse_count(name, *text, 1'000'000);
}

std::vector<learn::Column> feature_columns(const LearnRequest& request) {
  return {request.columns.begin(),
          request.columns.begin() + static_cast<std::ptrdiff_t>(request.features.size())};
}

struct ClassifyArguments {
  LearnArguments learn;
  Text group, bins;  ///< bins: of naive Bayes
};

/// How often the model is right, as released: overall, then for each group.
void say_accuracy(const learn::Model& model, const Streams& streams) {
  for (const auto& [group, estimate] : model.accuracy) {
    std::array<char, 160> line{};
    std::snprintf(line.data(), line.size(), "%s: right for %.3f of about %.0f rows (+- %.3f)\n",
                  group.c_str(), estimate.accuracy, std::max(estimate.count, 0.0),
                  estimate.half_width);
    say(streams.err, line.data());
  }
}

/// What the commands for classes share: the task, the group, the fit with its accuracy, the model.
template <class FitModel>
Result<int> teach_classes(LearnRequest& request, const learn::ClassifierTask& task,
                          const ClassifyArguments& arguments, const Streams& streams,
                          const FitModel& fit) {
  std::size_t group = task.columns.size();
  for (std::size_t i = 0; arguments.group && i < task.columns.size(); ++i) {
    if (task.columns[i].name == *arguments.group) group = i;
  }
  if (group < task.columns.size() && !task.columns[group].categorical()) {
    return invalid_input("--group needs a column with listed values");
  }
  DISCREET_ASSIGN(
      const learn::Taught taught,
      teach(request, streams,
            [&](learn::Sums& sums, const learn::Certificate& c) -> Result<std::string> {
              DISCREET_ASSIGN(auto fitted, fit(sums));
              DISCREET_ASSIGN(const auto estimates,
                              learn::estimate_accuracy(sums, fitted, task, group));
              learn::Model model{
                  feature_columns(request), std::move(fitted), request.target_column().name, {}};
              for (std::size_t i = 0; i < estimates.size(); ++i) {
                model.accuracy.emplace_back(i == 0 ? "all" : task.columns[group].categories[i - 1],
                                            estimates[i]);
              }
              return learn::to_json(model, c);
            }));
  DISCREET_ASSIGN(const learn::Model model, learn::model_of_json(taught.bytes));
  say_accuracy(model, streams);
  return hand_over(arguments.learn, taught.bytes, streams);
}

Result<int> run_classify(const ClassifyArguments& arguments, const Streams& streams) {
  if (!arguments.learn.target) return missing("--target", kClassify);
  DISCREET_ASSIGN(LearnRequest request,
                  LearnRequest::read(arguments.learn, streams, kClassify, arguments.group));
  const learn::ClassifierTask task{request.columns, request.features, request.target};
  DISCREET_TRY(learn::check_task(task));
  plan::Training& training = request.lesson.training;
  training.shares = learn::classifier_shares(task, training.epsilon, training.delta);
  request.lesson.text =
      "classify " + request.target_column().name + " by group " + arguments.group.value_or("");
  return teach_classes(request, task, arguments, streams,
                       [&](learn::Sums& sums) { return learn::fit_classifier(sums, task); });
}

Result<int> run_naive_bayes(const ClassifyArguments& arguments, const Streams& streams) {
  if (!arguments.learn.target) return missing("--target", kNaiveBayes);
  DISCREET_ASSIGN(LearnRequest request,
                  LearnRequest::read(arguments.learn, streams, kNaiveBayes, arguments.group));
  const learn::ClassifierTask task{request.columns, request.features, request.target};
  DISCREET_ASSIGN(const std::uint64_t bins, count("bins", arguments.bins, 16));
  DISCREET_TRY(learn::check_naive_bayes(task, bins));
  request.lesson.training.shares = learn::naive_bayes_shares();
  request.lesson.text = "naive-bayes " + request.target_column().name + " " + std::to_string(bins) +
                        " by group " + arguments.group.value_or("");
  return teach_classes(request, task, arguments, streams,
                       [&](learn::Sums& sums) { return learn::fit_naive_bayes(sums, task, bins); });
}

struct RegressArguments {
  LearnArguments learn;
  Text ridge;
};

Result<int> run_regress(const RegressArguments& arguments, const Streams& streams) {
  if (!arguments.learn.target) return missing("--target", kRegress);
  DISCREET_ASSIGN(LearnRequest request, LearnRequest::read(arguments.learn, streams, kRegress));
  learn::RegressionTask task{request.columns, request.features, request.target, 0};
  DISCREET_ASSIGN(task.ridge, real("ridge", arguments.ridge, 0));
  if (!(task.ridge >= 0)) return invalid_input("--ridge must not be negative");
  DISCREET_TRY(learn::check_task(task));
  request.lesson.training.shares = learn::regression_shares();
  request.lesson.text =
      "regress " + request.target_column().name + " ridge " + arguments.ridge.value_or("0");
  DISCREET_ASSIGN(
      const learn::Taught taught,
      teach(request, streams,
            [&](learn::Sums& sums, const learn::Certificate& c) -> Result<std::string> {
              DISCREET_ASSIGN(learn::Regression fitted, learn::fit_regression(sums, task));
              return learn::to_json(
                  {feature_columns(request), std::move(fitted), request.target_column().name, {}},
                  c);
            }));
  return hand_over(arguments.learn, taught.bytes, streams);
}

struct ClusterArguments {
  LearnArguments learn;
  Text k;
};

Result<int> run_cluster(const ClusterArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(LearnRequest request, LearnRequest::read(arguments.learn, streams, kCluster));
  learn::ClusterTask task{request.columns, request.features, 8};
  DISCREET_ASSIGN(task.k, count("k", arguments.k, 8));
  DISCREET_TRY(learn::check_task(task));
  request.lesson.training.shares = learn::cluster_shares(task);
  request.lesson.text = "cluster " + std::to_string(task.k);
  DISCREET_ASSIGN(const learn::Taught taught,
                  teach(request, streams,
                        [&](learn::Sums& sums, const learn::Certificate& c) -> Result<std::string> {
                          learn::ClusterModel model{request.lesson.columns, {}};
                          DISCREET_ASSIGN(model.clusters, learn::fit_clusters(sums, task));
                          return learn::to_json({request.columns, std::move(model), "", {}}, c);
                        }));
  return hand_over(arguments.learn, taught.bytes, streams);
}

/// How many times a network is saved on the way: a killed run loses at most so much of its steps.
constexpr std::uint64_t kParts = 10;

struct NetworkArguments {
  LearnArguments learn;
  Text hidden, steps, sampling, rate, checkpoint;
};

Result<int> run_network(const NetworkArguments& arguments, const Streams& streams) {
  if (!arguments.learn.target) return missing("--target", kNetwork);
  DISCREET_ASSIGN(LearnRequest request, LearnRequest::read(arguments.learn, streams, kNetwork));
  learn::NetworkTask task;
  task.columns = request.columns;
  task.features = request.features;
  task.target = request.target;
  DISCREET_ASSIGN(task.hidden, count("hidden", arguments.hidden, task.hidden));
  DISCREET_ASSIGN(task.steps, count("steps", arguments.steps, task.steps));
  DISCREET_ASSIGN(task.sampling, real("sampling", arguments.sampling, task.sampling));
  DISCREET_ASSIGN(task.rate, real("rate", arguments.rate, task.rate));
  DISCREET_TRY(learn::check_task(task));
  request.lesson.training =
      learn::network_training(task, request.lesson.training.epsilon, request.lesson.training.delta,
                              std::min<std::uint64_t>(kParts, task.steps));
  request.lesson.text = "network " + request.target_column().name + " " +
                        std::to_string(task.hidden) + " " + arguments.rate.value_or("");
  const std::string whole = request.lesson.training.epsilon.to_string();
  const std::string beside = arguments.learn.output ? *arguments.learn.output + ".checkpoint" : "";
  DISCREET_ASSIGN(
      const learn::Taught taught,
      teach_in_parts(
          request, streams, arguments.checkpoint.value_or(beside),
          [&](learn::Parts& parts, const learn::Certificate& c) -> Result<std::string> {
            // The run is one mechanism: all of it is spent from the first step on.
            report::Progress progress(streams.err, "training, epsilon " + whole + " spent");
            task.progress = [&](std::uint64_t done, std::uint64_t all) {
              progress.show(done, all);
            };
            DISCREET_ASSIGN(learn::Network fitted, learn::fit_network(parts, task));
            return learn::to_json(
                {feature_columns(request), std::move(fitted), request.target_column().name, {}}, c);
          }));
  return hand_over(arguments.learn, taught.bytes, streams);
}

constexpr const char* kPrice =
    "It costs --epsilon and --delta, whole, before the first look at the data; a run that is\n"
    "killed stays charged. The same lesson under the same snapshot label is free the second time.\n"
    "The result, predictions and all else that is made from it cost nothing.\n\nExample:\n  ";

}  // namespace

void add_learn(Program& program) {
  CLI::App& learn = program.group(
      "learn", {.summary = "models, clusters, distributions and synthetic tables",
                .explanation = "Every look at the rows is a sum in which each unit's part is\n"
                               "clipped, with exact noise; domains come from the policy.\n",
                .closing = std::string("Example:\n  ") + kClassify});
  const auto classify = std::make_shared<ClassifyArguments>();
  CLI::App& classify_app = program.command(
      learn, "classify",
      {.summary = "which of several listed values a column has",
       .explanation =
           "Logistic regression for two classes, linear discriminants for more, from noisy\n"
           "correlations. The model gives class probabilities, and how often it is right on the\n"
           "rows it learned from, privately; with --group for each value of a column too.\n",
       .closing = std::string(kPrice) + kClassify},
      [classify](const Streams& streams) { return run_classify(*classify, streams); });
  classify->learn.add_to(classify_app, true);
  add_text(classify_app, "--group", classify->group, "a listed column: accuracy for each value",
           "COLUMN");

  const auto bayes = std::make_shared<ClassifyArguments>();
  CLI::App& bayes_app = program.command(
      learn, "naive-bayes",
      {.summary = "the same by counts of each feature alone",
       .explanation =
           "Counts how often each bin of each feature occurs in each class. Better than classify\n"
           "only for few features whose effect goes up and down; it counts twice what two\n"
           "features say together.\n",
       .closing = std::string(kPrice) + kNaiveBayes},
      [bayes](const Streams& streams) { return run_naive_bayes(*bayes, streams); });
  bayes->learn.add_to(bayes_app, true);
  add_text(bayes_app, "--bins", bayes->bins, "of a number's range (16)");
  add_text(bayes_app, "--group", bayes->group, "a listed column: accuracy for each value",
           "COLUMN");

  const auto regress = std::make_shared<RegressArguments>();
  CLI::App& regress_app = program.command(
      learn, "regress",
      {.summary = "a number from others, by least squares",
       .explanation = "Linear regression with a ridge that grows with the noise; coefficients\n"
                      "have intervals that cover sampling and noise, to first order.\n",
       .closing = std::string(kPrice) + kRegress},
      [regress](const Streams& streams) { return run_regress(*regress, streams); });
  regress->learn.add_to(regress_app, true);
  add_text(regress_app, "--ridge", regress->ridge, "at least so much (0)");

  const auto cluster = std::make_shared<ClusterArguments>();
  CLI::App& cluster_app =
      program.command(learn, "cluster",
                      {.summary = "k centres that rows are near to (k-means)",
                       .explanation = "Columns are scaled by their declared ranges.\n",
                       .closing = std::string(kPrice) + kCluster},
                      [cluster](const Streams& streams) { return run_cluster(*cluster, streams); });
  cluster->learn.add_to(cluster_app, false);
  add_text(cluster_app, "--k", cluster->k, "how many centres (8)");

  const auto network = std::make_shared<NetworkArguments>();
  CLI::App& network_app = program.command(
      learn, "network",
      {.summary = "a small network, by noisy gradients (DP-SGD)",
       .explanation =
           "Each step sums clipped gradients over a Poisson sample and adds Gaussian noise; the\n"
           "noise is solved from --epsilon, --delta, --steps and --sampling beforehand. It is\n"
           "saved, sealed, ten times on the way: the same command goes on with a killed run,\n"
           "which is not charged again and loses at most a tenth of its steps.\n",
       .closing = std::string(kPrice) + kNetwork},
      [network](const Streams& streams) { return run_network(*network, streams); });
  network->learn.add_to(network_app, true);
  add_text(network_app, "--hidden", network->hidden, "units of the hidden layer (16)");
  add_text(network_app, "--steps", network->steps, "how many (60)");
  add_text(network_app, "--sampling", network->sampling, "the chance to be in a step (0.9)");
  add_text(network_app, "--rate", network->rate, "of learning (2)");
  add_text(network_app, "--checkpoint", network->checkpoint,
           "where a killed run is gone on with (OUTPUT.checkpoint)", "FILE");
  add_learn_data(program, learn);
}

}  // namespace discreet::cli
