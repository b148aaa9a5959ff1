// SPDX-License-Identifier: Apache-2.0
#include "server/pgwire/rows.h"

#include <utility>

namespace discreet::server::pgwire {

std::string_view Rows::between(std::size_t from, std::size_t to) const {
  const std::size_t begin = from == 0 ? 0 : ends[from - 1];
  const std::size_t end = to == 0 ? 0 : ends[to - 1];
  return std::string_view(messages).substr(begin, end - begin);
}

Result<Rows> encode(std::vector<Field> fields, const std::vector<Cells>& rows,
                    const Formats& formats) {
  Rows out{.fields = std::move(fields)};
  out.ends.reserve(rows.size());
  Writer writer;
  for (const Cells& row : rows) {
    writer.begin('D').int16(static_cast<std::int64_t>(row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i]) {
        DISCREET_TRY(write_value(writer, out.fields[i].type, is_binary(formats, i), *row[i]));
      } else {
        writer.int32(-1);
      }
    }
    writer.end();
    out.ends.push_back(writer.gathered().size());
  }
  out.messages = writer.take();
  out.messages.shrink_to_fit();  // they may be kept
  return out;
}

}  // namespace discreet::server::pgwire
