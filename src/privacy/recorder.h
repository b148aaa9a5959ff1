// SPDX-License-Identifier: Apache-2.0
// A Recorder is told of every mechanism call: which mechanism, its input (still sealed) and what
// came out. The audit compares the recordings of two neighbouring runs (record and replay); the
// product runs without one.
#pragma once

#include <string>
#include <vector>

#include "numeric/int128.h"
#include "privacy/receipt.h"
#include "privacy/sensitive.h"

namespace discreet {

struct Recording {
  NoiseSpec noise;
  Sensitive<std::vector<Int128>> input;  ///< the mechanism's input as coordinates
  std::string output;
};

class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void record(Recording recording) = 0;
};

}  // namespace discreet
