// SPDX-License-Identifier: Apache-2.0
#include "server/api/pages.h"

#include <fcntl.h>

#include "base/files.h"

namespace discreet::server::api {
namespace {

constexpr std::uint64_t kPagesMax = std::uint64_t{64} << 20;
constexpr std::string_view kPacked = ".gz";

/// The page of a person at home runs the client of the local model, which is WebAssembly; nothing
/// else may compile code.
std::string policy_of(std::string_view name) {
  const bool runs_wasm = name == "/survey.html";
  return std::string("default-src 'none'; script-src 'self'") +
         (runs_wasm ? " 'wasm-unsafe-eval'" : "") +
         "; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
         "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
         "require-trusted-types-for 'script'";
}

const std::map<std::string, std::string, std::less<>>& types() {
  static const std::map<std::string, std::string, std::less<>> kTypes = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
      {".json", "application/json"},
      {".webmanifest", "application/manifest+json"},
      {".wasm", "application/wasm"},
      {".txt", "text/plain; charset=utf-8"}};
  return kTypes;
}

/// "" for a type that is not known.
std::string type_of(std::string name) {
  if (name.ends_with(kPacked)) name.resize(name.size() - kPacked.size());
  const auto found = types().find(std::filesystem::path(name).extension().string());
  return found == types().end() ? "" : found->second;
}

bool takes_gzip(const http::Request& request) {
  const std::string_view accepted = request.header("accept-encoding");
  return accepted.find("gzip") != accepted.npos && accepted.find("gzip;q=0") == accepted.npos;
}

}  // namespace

void Pages::add(const std::string& name, std::string bytes) {
  std::string type = type_of(name);
  if (!type.empty()) pages_[name] = {std::move(bytes), std::move(type)};
}

Result<Pages> Pages::unpack(std::string_view packed) {
  const Error broken{Code::kCorrupt, "the pages inside the program are cut off"};
  Pages pages;
  while (!packed.empty()) {
    const std::size_t end = packed.find('\0');
    if (end == packed.npos || packed.size() < end + 5) return broken;
    const std::string name(packed.substr(0, end));
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      size |= static_cast<std::size_t>(static_cast<unsigned char>(packed[end + 1 + i])) << (8 * i);
    }
    packed.remove_prefix(end + 5);
    if (packed.size() < size) return broken;
    pages.add(name, std::string(packed.substr(0, size)));
    packed.remove_prefix(size);
  }
  return pages;
}

Result<Pages> Pages::load(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    return Error{Code::kNotFound, "there is no folder of pages " + in_quotes(folder.string())};
  }
  Pages pages;
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
    const std::string name = "/" + entry.path().lexically_relative(folder).generic_string();
    if (entry.is_symlink(error) || !entry.is_regular_file(error) || type_of(name).empty()) continue;
    DISCREET_ASSIGN(const OpenFile file, OpenFile::open(entry.path(), O_RDONLY | O_NOFOLLOW));
    DISCREET_ASSIGN(const std::uint64_t size, file.size());
    bytes += size;
    if (bytes > kPagesMax) {
      return invalid_input("the pages in " + in_quotes(folder.string()) + " are more than 64 MiB");
    }
    DISCREET_ASSIGN(std::string text, file.read_at(0, static_cast<std::size_t>(size)));
    pages.add(name, std::move(text));
  }
  return pages;
}

http::Response Pages::get(const http::Request& request) const {
  const std::string name = request.path == "/" ? "/index.html" : request.path;
  const auto found = pages_.find(name);
  if (found == pages_.end()) return http::refuse(http::Refusal::kNoSuchPath);
  const auto packed = pages_.find(name + std::string(kPacked));
  const bool is_packed = packed != pages_.end() && takes_gzip(request);
  http::Response response{.body = is_packed ? packed->second.bytes : found->second.bytes,
                          .type = found->second.type,
                          .headers = {{"Content-Security-Policy", policy_of(name)},
                                      {"X-Frame-Options", "DENY"},
                                      {"Cross-Origin-Opener-Policy", "same-origin"},
                                      {"Cross-Origin-Resource-Policy", "same-origin"},
                                      {"Vary", "Accept-Encoding"}}};
  if (is_packed) response.headers.emplace_back("Content-Encoding", "gzip");
  // The names of what is below /assets/ are made of their contents.
  if (name.starts_with("/assets/")) {
    response.headers.emplace_back("Cache-Control", "public, max-age=31536000, immutable");
  }
  return response;
}

}  // namespace discreet::server::api
