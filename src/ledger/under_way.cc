// SPDX-License-Identifier: Apache-2.0
#include "ledger/under_way.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include "base/process_mark.h"

namespace discreet::ledger {
namespace {

struct Charges {
  std::mutex mutex;
  std::condition_variable changed;
  /// With the process: what a forked child finds here of its parent's is nobody's.
  std::map<std::pair<ProcessMark, Hash>, int> threads;
};

Charges& charges() {
  static Charges* const all = new Charges;  // whoever outlives main may still end a try
  return *all;
}

}  // namespace

UnderWay::UnderWay(const Hash& charge, TryLock held) : charge_(charge), lock_(std::move(held)) {
  Charges& all = charges();
  const std::lock_guard lock(all.mutex);
  ++all.threads[{ProcessMark(), charge_}];
}

UnderWay::~UnderWay() {
  lock_.let_go();  // before a thread that waits here looks at it
  Charges& all = charges();
  const std::lock_guard lock(all.mutex);
  const auto found = all.threads.find({ProcessMark(), charge_});
  if (found == all.threads.end() || --found->second > 0) return;
  all.threads.erase(found);
  all.changed.notify_all();
}

bool UnderWay::has(const Hash& charge) {
  Charges& all = charges();
  const std::lock_guard lock(all.mutex);
  return all.threads.contains({ProcessMark(), charge});
}

void UnderWay::wait_for(const Hash& charge) {
  Charges& all = charges();
  std::unique_lock lock(all.mutex);
  all.changed.wait(lock, [&] { return !all.threads.contains({ProcessMark(), charge}); });
}

}  // namespace discreet::ledger
