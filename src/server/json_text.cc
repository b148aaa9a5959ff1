// SPDX-License-Identifier: Apache-2.0
#include "server/json_text.h"

#include <nlohmann/json.hpp>

namespace discreet::server {

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace discreet::server
