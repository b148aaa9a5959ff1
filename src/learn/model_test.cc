// SPDX-License-Identifier: Apache-2.0
// Model files that are not what learn wrote: each member of each kind of model is taken away or
// replaced by something else, and what is still read must predict without harm.
#include "learn/model.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/json.h"

namespace discreet::learn::model_test {
namespace {

constexpr const char* kColumns =
    R"("columns": [{"name": "x", "low": 0, "high": 10, "step": 0.5},
                   {"name": "d", "low": 0, "high": 100, "step": 1, "type": "date"},
                   {"name": "c", "values": ["u", "v"]}], "target": "t")";

/// One small model of each kind; d + 1 weights for d = 4 features.
const std::vector<std::string> kModels = {
    R"({"kind": "classifier", "classes": ["a", "b"], "weights": [[1, 2, 3, 4]], "intercepts": [0.5]})",
    R"({"kind": "classifier", "classes": ["a", "b", "c"],
        "weights": [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]], "intercepts": [0.5, 1, 2]})",
    R"({"kind": "naive-bayes", "classes": ["a", "b"], "bins": 2, "log_priors": [-1, -1],
        "tables": [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]})",
    R"({"kind": "regression", "intercept": 1, "encoded": [1, 2, 3, 4], "half_widths": [1, 1, 1, 1],
        "low": 0, "high": 9})",
    R"({"kind": "network", "classes": ["a", "b"], "hidden": 1, "centre": [0, 0, 0, 0],
        "weights": [1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "steps": 3})",
    R"({"kind": "clusters", "features": ["x", "d", "c"], "centres": [[1, 2, 0], [3, 4, 1]],
        "sizes": [10, 20]})",
};

Json file_of(const std::string& model) {
  return Json::parse(R"({"format": "discreet model 1", )" + std::string(kColumns) +
                     R"(, "model": )" + model + "}")
      .value();
}

const Csv& table() {
  static const Csv csv{.header = {"x", "d", "c"},
                       .rows = {{"3", "1970-01-20", "u"}, {"", "", ""}, {"9", "5", "w"}}};
  return csv;
}

/// Whether it is read; if so it predicts, or says why not.
bool is_read(const Json& file) {
  const Result<Model> model = model_of_json(file.dump());
  if (!model) return false;
  (void)predict(*model, table());
  return true;
}

/// Calls `visit` with every value inside of `json`, which it may change.
void each(Json& json, const std::function<void(Json&)>& visit) {
  if (json.is_object()) {
    for (JsonMember& member : json.members()) {
      visit(member.value);
      each(member.value, visit);
    }
  } else if (json.is_array()) {
    for (Json& item : json.items()) {
      visit(item);
      each(item, visit);
    }
  }
}

std::vector<Json> others() {
  return {nullptr,
          true,
          "date",
          "",
          0,
          1,
          2,
          -1,
          0.5,
          1e300,
          std::int64_t{1} << 62,
          std::uint64_t{1} << 63,
          Json::array(),
          Json::array({1}),
          Json::array({"a"}),
          Json::array({Json::array({1, 1, 1, 1})}),
          Json::object()};
}

TEST(ModelFile, OfEachKindIsRead) {
  for (const std::string& model : kModels) EXPECT_TRUE(is_read(file_of(model))) << model;
}

TEST(ModelFile, WithAnythingInPlaceOfAnyValueDoesNoHarm) {
  int tried = 0;
  int refused = 0;
  for (const std::string& model : kModels) {
    std::size_t places = 0;
    Json whole = file_of(model);
    each(whole, [&](Json&) { ++places; });
    for (std::size_t place = 0; place < places; ++place) {
      for (const Json& other : others()) {
        Json file = file_of(model);
        std::size_t at = 0;
        Json* chosen = nullptr;
        each(file, [&](Json& value) {
          if (at++ == place) chosen = &value;
        });
        *chosen = other;
        ++tried;
        refused += is_read(file) ? 0 : 1;
      }
    }
  }
  EXPECT_GT(tried, 2000);
  EXPECT_GT(refused, tried / 2);
}

TEST(ModelFile, WithTooFewClassesOrAWrappedSizeIsRefused) {
  for (const char* const model :
       {R"({"kind": "classifier", "classes": ["a"], "weights": [[1, 2, 3, 4]], "intercepts": [1]})",
        R"({"kind": "classifier", "classes": [], "weights": [], "intercepts": []})",
        R"({"kind": "naive-bayes", "classes": ["a", "b"], "bins": 9223372036854775808,
            "log_priors": [-1, -1], "tables": [[], [], [0, 0, 0, 0]]})",
        R"({"kind": "network", "classes": ["a", "b"], "hidden": 4611686018427387904,
            "centre": [0, 0, 0, 0], "weights": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]})"}) {
    EXPECT_FALSE(is_read(file_of(model))) << model;
  }
}

TEST(ModelFile, ATypeThatIsNotADateIsRefused) {
  for (const Json& other : others()) {
    if (other == "date") continue;
    Json file = file_of(kModels.front());
    file["columns"].items()[1]["type"] = other;
    EXPECT_FALSE(is_read(file)) << other.dump();
  }
}

}  // namespace
}  // namespace discreet::learn::model_test
