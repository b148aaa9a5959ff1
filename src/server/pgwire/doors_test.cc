// SPDX-License-Identifier: Apache-2.0
// A4 at both doors: what wrong passwords do to a name and a peer, over HTTP and in PostgreSQL's
// protocol, in any mixture.
#include <optional>
#include <random>

#include "server/api/house_for_tests.h"
#include "server/pgwire/script_for_tests.h"
#include "server/pgwire/service_desk.h"

namespace discreet::server::pgwire::doors_test {
namespace {

class Doors {
 public:
  Doors() : desk_(*house.service) {}

  bool log_in(int door, const std::string& name, const std::string& password,
              const std::string& peer) {
    return door == 0 ? over_http(name, password, peer) : over_postgres(name, password, peer);
  }
  void unlock(const std::string& name) {
    house.tokens["owner"] = house.log_in("owner", right("owner"));
    EXPECT_EQ(house.ask("owner", "POST", "/api/v1/accounts/" + name + "/unlock").status, 200);
  }
  const std::string& right(const std::string& name) { return house.passwords[name]; }

  api::House house{{.holds_clock = true, .scram_rounds = 2}};

 private:
  bool over_http(const std::string& name, const std::string& password, const std::string& peer) {
    http::Request request;
    request.method = "POST";
    request.path = "/api/v1/login";
    request.headers["content-type"] = "application/json";
    request.body = Json{{"name", name}, {"password", password}}.dump();
    request.peer = peer;
    std::optional<int> status;
    house.service->handle(
        request, http::Reply([&](const http::Response& response) { status = response.status; }));
    EXPECT_TRUE(status == 200 || status == 401) << status.value_or(0);
    return status == 200;
  }
  bool over_postgres(const std::string& name, const std::string& password,
                     const std::string& peer) {
    Script client = Script::with_password(name, password);
    ConversationFacts facts;
    facts.peer = peer;
    Conversation(client, desk_, Waiting(), std::move(facts)).run();
    const std::string seen = outline(client.written);
    const bool is_in = seen.ends_with("ZI");
    EXPECT_TRUE(is_in || seen == "R R E(28P01)") << seen;
    return is_in;
  }

  ServiceDesk desk_;
};

constexpr const char* kHere = "192.0.2.1";
constexpr const char* kThere = "198.51.100.7";

struct Step {
  const char* what;
  int times;
  const char* name;
  const char* peer;
  bool is_right;
  bool gets_in;
  int later_ms = 0;  ///< before it
  bool unlocks = false;
};

// By hand, with the rule in view: five wrong ones lock for a second, then two, four.
const std::vector<Step>& steps() {
  static const std::vector<Step> kSteps = {
      {"a stranger guesses", 50, "ann", kThere, false, false},
      {"and is locked, also with what is right", 3, "ann", kThere, true, false},
      {"which keeps nobody else out", 1, "ann", kHere, true, true},
      {"nor other names", 1, "press", kThere, true, true},
      {"tries in vain did not prolong it: one second is over", 1, "ann", kThere, true, true, 1000},
      {"and it is forgotten", 4, "ann", kThere, false, false},
      {"four are free", 1, "ann", kThere, true, true},
      {"five are not", 5, "ann", kThere, false, false},
      {"after a second one more", 1, "ann", kThere, false, false, 1000},
      {"costs two", 1, "ann", kThere, true, false, 1999},
      {"right ones in between changed nothing", 1, "ann", kThere, true, true, 1},
      {"locked again", 5, "ann", kThere, false, false},
      {"until the owner unlocks", 1, "ann", kThere, true, true, 0, true},
      {"a name that nobody has is locked like one", 50, "nobody", kThere, false, false},
      {"names that are none are not remembered", 50, "not\na name", kThere, false, false}};
  return kSteps;
}

TEST(Doors, LockANameForThePeerThatGuesses) {
  for (const int mixture : {0, 1, 2}) {  // HTTP, PostgreSQL, both in turn
    Doors doors;
    int turn = 0;
    for (const Step& step : steps()) {
      doors.house.later_ms += step.later_ms;
      if (step.unlocks) doors.unlock(step.name);
      for (int i = 0; i < step.times; ++i) {
        const int door = mixture == 2 ? turn++ % 2 : mixture;
        EXPECT_EQ(
            doors.log_in(door, step.name,
                         step.is_right ? doors.right(step.name) : "not the right one", step.peer),
            step.gets_in)
            << step.what << ", " << mixture;
      }
    }
  }
}

/// What the rule says, said once more.
class Model {
 public:
  bool try_once(const std::string& name, const std::string& peer, bool is_right, std::int64_t now) {
    auto& [failures, until] = pairs_[{name, peer}];
    if (now < until) return false;
    if (is_right) {
      failures = 0;
      return true;
    }
    if (++failures >= 5) until = now + std::min(900'000, 1000 << std::min(failures - 5, 20));
    return false;
  }
  void unlock(const std::string& name) {
    std::erase_if(pairs_, [&](const auto& each) { return each.first.first == name; });
  }

 private:
  std::map<std::pair<std::string, std::string>, std::pair<int, std::int64_t>> pairs_;
};

TEST(Doors, AgreeWithTheRuleInAnyHistory) {
  Doors doors;
  Model model;
  std::mt19937 random(8);
  const auto one_of = [&](const std::vector<std::string>& all) {
    return all[random() % all.size()];
  };
  int let_in = 0;
  for (int i = 0; i < 1500; ++i) {
    if (random() % 8 == 0) doors.house.later_ms += std::int64_t{125} << (random() % 12);
    const std::string name = one_of({"ann", "press", "nobody"});
    const std::string peer = one_of({kHere, kThere, "2001:db8:1:2::/64"});
    if (random() % 100 == 0) {
      doors.unlock(name);
      model.unlock(name);
    }
    const bool is_right = name != "nobody" && random() % 6 == 0;
    const bool expected = model.try_once(name, peer, is_right, doors.house.later_ms);
    const bool found = doors.log_in(static_cast<int>(random() % 2), name,
                                    is_right ? doors.right(name) : "not the right one", peer);
    ASSERT_EQ(found, expected) << i << " " << name << " " << peer << " " << is_right;
    let_in += found ? 1 : 0;
  }
  EXPECT_GT(let_in, 50);
}

}  // namespace
}  // namespace discreet::server::pgwire::doors_test
