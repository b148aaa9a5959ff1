// SPDX-License-Identifier: Apache-2.0
#include "report/markup.h"

namespace discreet::report {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return out;
}

std::string shortened(const std::string& text, std::size_t letters) {
  std::size_t seen = 0;
  std::size_t last = 0;  // where the letter before the limit begins
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;  // inside a letter
    if (seen == letters) return text.substr(0, last) + "\u2026";
    last = i;
    ++seen;
  }
  return text;
}

}  // namespace discreet::report
