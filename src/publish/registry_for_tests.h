// SPDX-License-Identifier: Apache-2.0
// The form of a record in the public registry of deployments, as a table, and what a record breaks
// of it.
#pragma once

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "base/json.h"

namespace discreet::publish {

enum class FieldType { kObject, kText, kTexts, kNumber, kNumberOrText, kTier, kDate, kSlug };

struct RegistryField {
  std::string path;
  FieldType type;
  bool required = false;                 ///< where the object that holds it is there
  std::vector<std::string> values = {};  ///< empty: any
};

/// Every field that a record may have; additional ones are forbidden everywhere.
inline const std::vector<RegistryField>& registry_form() {
  using enum FieldType;
  static const std::vector<RegistryField> form = {
      {"url_slug", kSlug, true},
      {"status",
       kText,
       true,
       {"Converted", "Draft", "Pending", "Changes Required", "Approved",
        "Approved (Update Requested)", "Approved (Pending)"}},
      {"tier", kTier, true},
      {"deployment", kObject, true},
      {"deployment.basic", kObject, true},
      {"deployment.basic.name", kText, true},
      {"deployment.basic.data_curators", kTexts, true},
      {"deployment.basic.description", kText, true},
      {"deployment.basic.intended_use", kText, true},
      {"deployment.basic.data_product_type",
       kText,
       true,
       {"Summary statistics", "Machine learning model", "Dataset", "Synthetic data",
        "Interactive API", "SQL queries"}},
      {"deployment.basic.data_product_region", kText, true},
      {"deployment.basic.publication_date", kDate, true},
      {"deployment.basic.data_product_sector",
       kText,
       false,
       {"Technology", "Healthcare", "Education", "Government", "Energy", "Finance"}},
      {"deployment.dp_variant", kObject},
      {"deployment.dp_variant.variant_name",
       kText,
       false,
       {"Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"}},
      {"deployment.dp_variant.data_domain", kText},
      {"deployment.dp_variant.unprotected_quantities", kText},
      {"deployment.privacy_loss", kObject},
      {"deployment.privacy_loss.privacy_unit", kText},
      {"deployment.privacy_loss.privacy_unit_details", kText},
      {"deployment.privacy_loss.privacy_parameters", kObject},
      {"deployment.privacy_loss.privacy_parameters.epsilon", kNumber},
      {"deployment.privacy_loss.privacy_parameters.delta", kNumberOrText},
      {"deployment.privacy_loss.privacy_parameters.rho", kNumber},
      {"deployment.privacy_loss.privacy_parameters_details", kText},
      {"deployment.deployment_model", kObject},
      {"deployment.deployment_model.model_name",
       kText,
       false,
       {"Local", "Central", "Shuffle", "Federated", "Varies"}},
      {"deployment.deployment_model.model_name_details", kText},
      {"deployment.deployment_model.actors", kText},
      {"deployment.deployment_model.release_type", kText, false, {"One release", "Many releases"}},
      {"deployment.deployment_model.release_type_details", kText},
      {"deployment.deployment_model.data_source_type", kText, false, {"Static", "Dynamic"}},
      {"deployment.deployment_model.data_source_type_details", kText},
      {"deployment.deployment_model.access_type", kText, false, {"Non-interactive", "Interactive"}},
      {"deployment.deployment_model.access_type_details", kText},
      {"deployment.accounting", kObject},
      {"deployment.accounting.post_processing", kText},
      {"deployment.accounting.composition", kText},
      {"deployment.implementation", kObject},
      {"deployment.implementation.preprocessing_and_hyperparameter_tuning", kText},
      {"deployment.implementation.mechanisms", kText},
      {"deployment.implementation.justification", kText},
      {"deployment.administrative", kObject},
      {"deployment.administrative.registry_authors", kTexts, true},
      {"deployment.administrative.sources", kText},
      {"deployment.administrative.notes", kText},
  };
  return form;
}

inline bool has_type(const Json& value, FieldType type) {
  const auto is_like = [&](const char* pattern) {
    return value.is_string() && std::regex_match(value.text(), std::regex(pattern));
  };
  switch (type) {
    case FieldType::kObject:
      return value.is_object();
    case FieldType::kText:
      return value.is_string() && !value.text().empty();
    case FieldType::kTexts:
      return !value.empty() &&
             std::all_of(value.items().begin(), value.items().end(),
                         [](const Json& item) { return item.is_string(); }) &&
             value.is_array();
    case FieldType::kNumber:
      return value.is_number();
    case FieldType::kNumberOrText:
      return value.is_number() || value.is_string();
    case FieldType::kTier:
      return value == Json(1) || value == Json(2) || value == Json(3);
    case FieldType::kDate:
      return is_like("[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])");
    case FieldType::kSlug:
      return is_like("[a-z0-9]+(-[a-z0-9]+)*");
  }
  return false;
}

inline void add_breaches(const Json& object, const std::string& path,
                         std::vector<std::string>& out) {
  const std::vector<RegistryField>& form = registry_form();
  for (const auto& [name, value] : object.members()) {
    const std::string here = path + name;
    const auto field = std::find_if(form.begin(), form.end(),
                                    [&](const RegistryField& each) { return each.path == here; });
    if (field == form.end()) {
      out.push_back(here + " is not in the form");
      continue;
    }
    if (!has_type(value, field->type)) out.push_back(here + " has another type");
    const std::vector<std::string>& values = field->values;
    if (!values.empty() && std::find(values.begin(), values.end(), value.text()) == values.end()) {
      out.push_back(here + " has another value");
    }
    if (field->type == FieldType::kObject) add_breaches(value, here + ".", out);
  }
  for (const RegistryField& field : form) {
    if (!field.required || !field.path.starts_with(path)) continue;
    const std::string name = field.path.substr(path.size());
    if (name.find('.') == name.npos && !object.contains(name)) {
      out.push_back(field.path + " is missing");
    }
  }
}

/// Everything that a record breaks of the form; nothing for a record that the registry takes.
inline std::vector<std::string> breaches_of(const Json& record) {
  std::vector<std::string> out;
  if (!record.is_object()) return {"a record is an object"};
  add_breaches(record, "", out);
  return out;
}

}  // namespace discreet::publish
