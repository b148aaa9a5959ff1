// SPDX-License-Identifier: Apache-2.0
#include "policy/server_section.h"

#include <filesystem>

#include "policy/fields.h"

namespace discreet::policy {

using Kind = Node::Kind;

ServerSection read_server(const Node& node, const std::string& directory, Mistakes& mistakes) {
  ServerSection out;
  Fields fields(node, "server", {"listen", "postgres", "tls"}, mistakes);
  if (!node.is(Kind::kMap)) return out;
  out.listen = fields.get_text("listen");
  out.postgres = fields.get_text("postgres");
  const Node* const tls = fields.get_map("tls", "tls: {certificate: server.pem, key: server.key}");
  if (tls == nullptr) return out;
  Fields files(*tls, "server.tls", {"certificate", "key"}, mistakes);
  files.require("certificate", "certificate: server.pem, the chain in PEM");
  files.require("key", "key: server.key, the certificate's private key");
  const auto beside = [&](const char* name) -> std::optional<std::string> {
    const auto file = files.get_text(name);
    if (!file) return std::nullopt;
    return (std::filesystem::path(directory) / *file).string();
  };
  out.certificate = beside("certificate");
  out.key = beside("key");
  return out;
}

Result<ServerSection> load_server_section(const std::string& file) {
  DISCREET_ASSIGN(const std::string text, read_policy_file(file));
  const Document document = read_document(text);
  const Node* const node = document.root ? document.root->find("server") : nullptr;
  Mistakes mistakes;  // told by load_policy(), which reads the same
  return node == nullptr ? ServerSection{} : read_server(*node, directory_of(file), mistakes);
}

}  // namespace discreet::policy
