// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "server/api/service.h"

namespace discreet::server::api {
namespace {

Json response(const std::string& description, const std::string& schema) {
  return {{"description", description},
          {"content",
           {{"application/json", {{"schema", {{"$ref", "#/components/schemas/" + schema}}}}}}}};
}

constexpr const char* kJsonType = "application/json";

Json body_of(const ApiRoute& route) {
  if (route.type != kJsonType) {
    return {{"required", true},
            {"content", {{route.type, {{"schema", {{"type", "string"}, {"format", "binary"}}}}}}}};
  }
  Json properties = Json::object();
  Json needed = Json::array();
  for (const FieldFacts& field : route.fields) {
    properties[field.name] = {{"description", field.description},
                              {"type", field.name == "wait" ? "boolean" : "string"}};
    if (field.is_needed) needed.push_back(field.name);
  }
  Json schema = {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
  if (!needed.empty()) schema["required"] = needed;
  return {{"required", !needed.empty()}, {"content", {{"application/json", {{"schema", schema}}}}}};
}

Json parameters_of(const ApiRoute& route) {
  Json list = Json::array();
  for (std::size_t at = route.pattern.find('{'); at != route.pattern.npos;
       at = route.pattern.find('{', at + 1)) {
    const std::size_t end = route.pattern.find('}', at);
    list.push_back({{"name", route.pattern.substr(at + 1, end - at - 1)},
                    {"in", "path"},
                    {"required", true},
                    {"schema", {{"type", "string"}}}});
  }
  if (route.method != "GET") return list;
  for (const FieldFacts& field : route.fields) {
    list.push_back({{"name", field.name},
                    {"in", "query"},
                    {"required", field.is_needed},
                    {"description", field.description},
                    {"schema", {{"type", "string"}}}});
  }
  return list;
}

std::string roles_text(Roles roles) {
  std::string text;
  for (const auto role :
       {identity::Role::kOwner, identity::Role::kAnalyst, identity::Role::kAuditor}) {
    if ((roles & bit(role)) == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(to_string(role));
  }
  return text.empty() ? "For anybody." : "For: " + text + ".";
}

Json operation(const ApiRoute& route) {
  Json json = {{"summary", route.summary}, {"description", roles_text(route.roles)}};
  std::string name = route.method + route.pattern;
  for (char& c : name) c = (c == '/' || c == '{' || c == '}' || c == '.') ? '_' : c;
  json["operationId"] = name;
  const Json parameters = parameters_of(route);
  if (!parameters.empty()) json["parameters"] = parameters;
  if (route.method == "POST" && (!route.fields.empty() || route.type != kJsonType)) {
    json["requestBody"] = body_of(route);
  }
  json["security"] = Json::array();
  if (route.roles != kAnybody) json["security"].push_back({{"token", Json::array()}});
  Json& responses = json["responses"];
  responses["200"] = response("done", "Any");
  if (route.answers != kJsonType) {
    responses["200"]["content"] = {{route.answers, {{"schema", {{"type", "string"}}}}}};
  }
  for (const CodeFacts& facts : all_codes()) {
    responses[std::to_string(facts.http_status)] = response(std::string(facts.name), "Error");
  }
  for (const int status : {202, 401, 405, 411, 413, 415, 429, 431}) {
    responses[std::to_string(status)] =
        response(status == 202 ? "a job was made" : "refused", status == 202 ? "Any" : "Error");
  }
  return json;
}

}  // namespace

std::string openapi() {
  Json json;
  json["openapi"] = "3.0.3";
  json["info"] = {{"title", "discreet"},
                  {"version", "1"},
                  {"description",
                   "Questions about people, with exact noise and a budget for life. Numbers that "
                   "matter are texts, so that they stay exact. Bodies are followed by spaces, so "
                   "that their length tells little."}};
  json["components"]["securitySchemes"]["token"] = {{"type", "http"}, {"scheme", "bearer"}};
  json["components"]["schemas"]["Any"] = Json::object();
  json["components"]["schemas"]["Error"] = {
      {"type", "object"},
      {"required", Json::array({"error", "message"})},
      {"properties", {{"error", {{"type", "string"}}}, {"message", {{"type", "string"}}}}}};
  for (const ApiRoute& route : routes()) {
    std::string method = route.method;
    for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
    json["paths"][route.pattern][method] = operation(route);
  }
  return json.dump({.indent = 1}) + "\n";
}

}  // namespace discreet::server::api
