// SPDX-License-Identifier: Apache-2.0
// Static pages, in memory: no path of a request ever becomes a path of a file. The program carries
// its own inside (web/), so that one binary is all; --pages takes others.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/http/message.h"

namespace discreet::server::api {

class Pages {
 public:
  /// None.
  Pages() = default;
  /// What web/pack.mjs packed into the program; none when it was built without. Fails with: kBug.
  static Result<Pages> built_in();
  /// name, '\0', size in four bytes (the smallest first), bytes; and so on.
  /// Fails with: kCorrupt.
  static Result<Pages> unpack(std::string_view packed);
  /// All files of known types below `folder`; at most 64 MiB. Links are left out: a page is what
  /// lies in the folder. Fails with: kNotFound, kStorage, kInvalidInput.
  static Result<Pages> load(const std::filesystem::path& folder);

  bool empty() const { return pages_.empty(); }

  /// "/" is /index.html. Strict headers: scripts and styles from here only, in no frame.
  http::Response get(const http::Request& request) const;

 private:
  struct Page {
    std::string bytes;
    std::string type;
  };
  void add(const std::string& name, std::string bytes);

  std::map<std::string, Page, std::less<>> pages_;  // "/a.js" and perhaps "/a.js.gz"
};

}  // namespace discreet::server::api
