// SPDX-License-Identifier: Apache-2.0
// JSON as it goes out, on one line. Bytes that are no UTF-8 are replaced: it does not fail.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace discreet::server {

std::string json_text(const nlohmann::ordered_json& json);
/// With ASCII characters alone: a line of a log.
std::string json_line(const nlohmann::ordered_json& json);

}  // namespace discreet::server
