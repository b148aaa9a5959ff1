// SPDX-License-Identifier: Apache-2.0
#include "server/api/pages.h"

#include <fcntl.h>

#include "base/files.h"

namespace discreet::server::api {
namespace {

constexpr std::uint64_t kPagesMax = std::uint64_t{64} << 20;
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

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

}  // namespace

Result<Pages> Pages::load(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    return Error{Code::kNotFound, "there is no folder of pages " + in_quotes(folder.string())};
  }
  Pages pages;
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
    if (!entry.is_regular_file(error)) continue;
    const auto type = types().find(entry.path().extension().string());
    if (type == types().end()) continue;
    DISCREET_ASSIGN(const OpenFile file, OpenFile::open(entry.path(), O_RDONLY));
    DISCREET_ASSIGN(const std::uint64_t size, file.size());
    bytes += size;
    if (bytes > kPagesMax) {
      return invalid_input("the pages in " + in_quotes(folder.string()) + " are more than 64 MiB");
    }
    DISCREET_ASSIGN(std::string text, file.read_at(0, static_cast<std::size_t>(size)));
    const std::string name = "/" + entry.path().lexically_relative(folder).generic_string();
    pages.pages_[name] = {std::move(text), type->second};
  }
  return pages;
}

http::Response Pages::get(const std::string& path) const {
  const auto found = pages_.find(path == "/" ? "/index.html" : path);
  if (found == pages_.end()) return http::refuse(http::Refusal::kNoSuchPath);
  return {.body = found->second.bytes,
          .type = found->second.type,
          .headers = {{"Content-Security-Policy", kPolicy},
                      {"X-Frame-Options", "DENY"},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cross-Origin-Resource-Policy", "same-origin"}}};
}

}  // namespace discreet::server::api
