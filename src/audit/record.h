// SPDX-License-Identifier: Apache-2.0
// Record and compare: run a program on two neighbouring inputs with a recorder each, and hold the
// recordings against one another. A program that calls other mechanisms on the neighbour has a
// control flow that leaks; one whose inputs lie further apart than declared has a wrong
// sensitivity. Both are found without looking at noise.
//
//   Recordings with, without;
//   run(data, &with);  run(data_without_ann, &without);
//   EXPECT_TRUE(compare_recordings(with, without).ok);
//
// Recorded inputs stay sealed; only distances come out, through Door::distance. They depend on the
// data, so a comparison is for tests and for the owner, never for an analyst.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "privacy/recorder.h"

namespace discreet::audit {

class Recordings : public Recorder {
 public:
  void record(Recording recording) override;
  const std::vector<Recording>& all() const { return all_; }

 private:
  std::vector<Recording> all_;
};

/// In which distance a mechanism's sensitivity is declared.
enum class Metric { kL0, kL1, kLinf, kL2Squared };

/// What neighbours' inputs to one call may differ by.
struct DeclaredSensitivity {
  Metric metric;
  Rational bound;
};

/// Read from a mechanism's canonical text.
/// Fails with: kUnsupported for a text that is not of a mechanism in mechanism/mechanisms.h.
Result<DeclaredSensitivity> declared_sensitivity(const NoiseSpec& noise);

struct RecordComparison {
  bool ok = true;
  std::vector<std::string> findings;  ///< one line each; empty when ok
};

/// That both recordings call the same mechanisms in the same order, each on inputs within its
/// declared sensitivity.
RecordComparison compare_recordings(const Recordings& a, const Recordings& b);

}  // namespace discreet::audit
