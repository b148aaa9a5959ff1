// SPDX-License-Identifier: Apache-2.0
// The record that a publication writes has the registry's form, whatever the workload says.
#include <gtest/gtest.h>

#include <set>

#include "publish/registry_for_tests.h"
#include "publish/sheets.h"

namespace discreet::publish::record_test {
namespace {

using Rows = std::vector<std::string>;

Publication publication_of(bool row_is_unit, const std::string& rho) {
  Publication out;
  out.facts = {.units = "people",
               .neighbours = row_is_unit ? "replace one unit" : "add or remove one unit",
               .snapshot = "s1",
               .table = "people",
               .rho = rho,
               .receipt = "7",
               .rows_per_unit = 2,
               .row_is_unit = row_is_unit,
               .noise = {"discrete Gaussian", "discrete Gaussian", "rounded Gaussian"}};
  return out;
}

/// Every combination of what a record depends on.
std::vector<Json> all_records() {
  std::vector<Json> out;
  const std::vector<About> abouts = {
      {},
      {"People by region", "Office", "planning", "all", ""},
      {"\xC3\x84rzte \"&\" <b>", "", "", "", "Energy"},
      {"---", "a", "b", "c", "Government"},
  };
  for (const About& about : abouts) {
    for (const char* const rho : {"20", "1/3", "0.3", "1/1000000007"}) {
      for (int bits = 0; bits < 16; ++bits) {
        Workload workload;
        workload.about = about;
        workload.nonnegative = (bits & 1) != 0;
        workload.objective = (bits & 2) != 0 ? Objective::kWorst : Objective::kTotal;
        if ((bits & 4) != 0) {
          workload.price.epsilon = Rational::parse("1.1").value();
          workload.price.delta = Rational::parse("1e-6").value();
          workload.invariants.push_back({"places/top", 1000});
        }
        const std::string text = certificate_json(workload, publication_of((bits & 8) != 0, rho),
                                                  "/home/somebody/workload.yaml", "2026-11-19");
        EXPECT_EQ(text.find("somebody"), text.npos);
        out.push_back(Json::parse(text).value());
      }
    }
  }
  return out;
}

TEST(Record, HasTheRegistrysForm) {
  for (const Json& record : all_records()) EXPECT_EQ(breaches_of(record), Rows()) << record.dump();
  // What may be said of a sector is what the registry knows.
  for (const RegistryField& field : registry_form()) {
    if (!field.path.ends_with("sector")) continue;
    EXPECT_EQ(field.values, registry_sectors());
  }
}

TEST(Record, SaysNoLessThanWasPaidAndNoDust) {
  Workload workload;
  workload.price.epsilon = Rational::parse("1.1").value();
  workload.price.delta = Rational::parse("1e-6").value();
  for (const char* const rho : {"0.3", "1/3", "2/7", "0.1", "123456789.000000001", "1e-9"}) {
    const Json record =
        Json::parse(certificate_json(workload, publication_of(false, rho), "w", "2026-11-19"))
            .value();
    const Json& parameters = record["deployment"]["privacy_loss"]["privacy_parameters"];
    EXPECT_GE(Rational::parse(parameters["rho"].dump()).value(), Rational::parse(rho).value());
    EXPECT_EQ(parameters["epsilon"].dump(), "1.1");
    EXPECT_EQ(parameters["delta"], Json(1e-6));
  }
}

/// The object at a path such as "deployment.basic", to be changed.
Json* at(Json& record, const std::string& path) {
  Json* out = &record;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    out = out == nullptr ? nullptr : out->find(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

// What the validator finds: a mistake in each field, and an additional one in each object.
TEST(Record, EveryPlantedMistakeIsFound) {
  Workload workload;
  workload.about.sector = "Finance";
  workload.price.epsilon = 1;
  const Json good =
      Json::parse(certificate_json(workload, publication_of(false, "1"), "w", "2026-11-19"))
          .value();
  ASSERT_EQ(breaches_of(good), Rows());
  std::vector<std::string> objects = {""};
  for (const RegistryField& field : registry_form()) {
    Json bad = good;
    Json* const value = at(bad, field.path);
    EXPECT_TRUE(!field.required || value != nullptr) << field.path;
    if (value == nullptr) continue;
    for (const Json& wrong : {Json(), Json(true), Json(4), Json(""), Json(Rows()),
                              Json("2026-13-01"), Json::array({1}), Json("an other value")}) {
      *value = wrong;
      const bool is_fine = has_type(wrong, field.type) && field.values.empty();
      EXPECT_EQ(breaches_of(bad).empty(), is_fine) << field.path << " " << wrong;
    }
    if (field.type == FieldType::kObject) objects.push_back(field.path);
    if (!field.required) continue;
    bad = good;
    const std::size_t dot = field.path.rfind('.');
    Json* const parent = at(bad, dot == field.path.npos ? "" : field.path.substr(0, dot));
    EXPECT_TRUE(parent->erase(field.path.substr(dot + 1)));
    EXPECT_EQ(breaches_of(bad), Rows{field.path + " is missing"});
  }
  for (const std::string& object : objects) {
    Json bad = good;
    (*at(bad, object))["more"] = "text";
    EXPECT_EQ(breaches_of(bad).size(), 1U) << object;
  }
  // The form before July 2026.
  Json old = good;
  (*at(old, "deployment"))["dp_flavor"] = {{"name", "Zero-concentrated DP"}};
  old["registry_authors"] = Json::array({"Office"});
  EXPECT_EQ(breaches_of(old).size(), 2U);
}

}  // namespace
}  // namespace discreet::publish::record_test
