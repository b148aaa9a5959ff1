// SPDX-License-Identifier: Apache-2.0
// Static pages, read into memory once: no path of a request ever becomes a path of a file.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/result.h"
#include "server/http/message.h"

namespace discreet::server::api {

class Pages {
 public:
  Pages() = default;
  /// All files of known types below `folder`; at most 64 MiB. Fails with: kNotFound, kStorage,
  /// kInvalidInput.
  static Result<Pages> load(const std::filesystem::path& folder);

  /// "/" is /index.html. Strict headers: scripts and styles from here only, in no frame.
  http::Response get(const std::string& path) const;

 private:
  struct Page {
    std::string bytes;
    std::string type;
  };
  std::map<std::string, Page, std::less<>> pages_;
};

}  // namespace discreet::server::api
