// SPDX-License-Identifier: Apache-2.0
// A grid of tiles whose shade is a number: a map without geography.
#pragma once

#include <string>
#include <vector>

namespace discreet::report {

struct Tile {
  std::string label;
  double value = 0;     ///< finite
  bool hidden = false;  ///< its error is as large as itself, nearly: hatched
};

struct Tiles {
  std::string title = {};
  std::vector<Tile> tiles = {};
  std::size_t columns = 0;                     ///< tiles in a row; 0: as many as make it square
  std::vector<std::string> row_names = {};     ///< beside the rows, or none
  std::vector<std::string> column_names = {};  ///< above the columns, or none
};

/// Requires: at least one tile. Values are shaded from the least (light) to the largest (dark).
std::string tiles_svg(const Tiles& tiles);

}  // namespace discreet::report
