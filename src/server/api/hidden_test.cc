// SPDX-License-Identifier: Apache-2.0
// V2, F1 and F2 from the outside: what an analyst sees of questions, lessons and publications is
// the same on two databases that differ in one person, and before their deadline it is the same
// whether the engine is done or has not begun. The clock of the jobs is the test's, so that nothing
// here depends on how fast the machine is.
#include <future>
#include <optional>
#include <regex>

#include "server/api/house_for_tests.h"
#include "server/api/json_body.h"
#include "server/pgwire/service_desk.h"

namespace discreet::server::api::hidden_test {
namespace {

using jobs::Lane;

constexpr int kAnswerMs = 20;

/// A lane of jobs that stands still until it is opened: the engine has not begun.
class Gate {
 public:
  Gate(House& house, Lane lane) : house_(house), lane_(lane) {
    submit([opened = opened_.get_future().share()] { opened.wait(); });
  }
  /// Lets what was asked run to its end.
  void open_and_finish() {
    std::promise<void> reached;
    submit([&] { reached.set_value(); });  // one at a time: what came before it is done
    opened_.set_value();
    reached.get_future().wait();
  }

 private:
  void submit(const std::function<void()>& work) {
    const auto run = [work](const std::function<void(int)>&) {
      work();
      return http::Response{};
    };
    const auto made =
        house_.service->jobs().submit({.analyst = "gate", .work = run, .lane = lane_});
    ASSERT_TRUE(made.has_value());
  }
  House& house_;
  Lane lane_;
  std::promise<void> opened_;
};

/// Lets the deadlines of what was asked so far pass.
void pass(House& house) {
  house.held_ms += 10 * kAnswerMs;
  while (!house.service->jobs().waiting().empty()) std::this_thread::yield();
}

/// Numbers, of which all but a few are noise, as '#', and names of charges, which are drawn, as
/// '@': what is left must not depend on data at all.
std::string shape_of(const std::string& text) {
  static const std::regex kCharge("(charge|number) [0-9a-f]+/[0-9]+");
  static const std::regex kNumber("[-+]?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?");
  return std::regex_replace(std::regex_replace(text, kCharge, "@"), kNumber, "#");
}

/// How long a body is tells its bucket and no more.
std::string bucket_of(const Got& got) {
  const std::size_t size = got.body.size();
  return size >= 1024 && (size & (size - 1)) == 0 ? " padded" : " of its own length";
}

/// A page's words: its tables and pictures have as many lines and marks as what was released needs.
std::string words_of(std::string page) {
  for (const std::string name : {"svg", "table"}) {
    for (std::size_t at = 0; (at = page.find("<" + name)) != page.npos;) {
      page.erase(at, page.find("</" + name + ">", at) + name.size() + 3 - at);
    }
  }
  // Nor does it matter whether there was something to draw.
  for (std::size_t at = 0; (at = page.find("\n\n")) != page.npos;) page.erase(at, 1);
  page.erase(page.find_last_not_of(" \n") + 1);
  return page;
}

/// JSON without what differs in any two runs: secrets, the ledger's clock and its hashes; and of
/// what was released, rows that are made up (but how many) and which law fits best.
std::string masked(const std::string& body) {
  std::optional<Json> parsed = Json::parse(body);
  if (!parsed) return body;
  const std::function<void(Json&)> mask = [&](Json& value) {
    if (value.is_object()) {
      for (const char* name : {"job", "time", "hash", "path", "receipt", "record", "charge",
                               "about", "request_id", "laws", "rows"}) {
        if (value.contains(name)) value[name] = std::to_string(value[name].size());
      }
    }
    if (value.is_object()) {
      for (auto& [name, each] : value.members()) mask(each);
    } else if (value.is_array()) {
      for (Json& each : value.items()) mask(each);
    }
  };
  mask(*parsed);
  parsed->sort_keys();
  return parsed->dump();
}

/// What is asked, in one of the ways of asking.
struct Asking {
  std::string what;
  std::string explain_path;
  std::string explain_body;
  Lane lane = Lane::kQuestions;
  /// What the asker is told, and the job's id.
  std::function<std::pair<std::string, std::string>(House&)> begin = {};
};

/// Everything that ann can look at while a job is there, and afterwards.
std::string seen(House& house, const Asking& asking, const std::string& id) {
  std::string out;
  const std::string job = "/api/v1/jobs/" + id;
  const auto look = [&](const std::string& method, const std::string& path, const std::string& name,
                        const std::string& body = {}) {
    const Got got = house.ask("ann", method, path, body);
    const bool is_page = got.status == 200 && got.headers.at("content-type").starts_with("text/");
    out += name + " " +
           (is_page ? bucket_of(got) + shape_of(words_of(got.body))
                    : seen_of(got) + masked(got.body)) +
           "\n";
  };
  look("GET", "/api/v1/budget", "budget");
  look("GET", "/api/v1/history", "history");
  look("GET", "/api/v1/jobs", "jobs");
  look("GET", job, "job");
  look("GET", job + "/report", "report");
  look("POST", job + "/report-link", "link");
  if (!asking.explain_path.empty()) {
    look("POST", asking.explain_path, "explain", asking.explain_body);
  }
  pgwire::ServiceDesk desk(*house.service);
  for (const char* const units : {"patients", "people"}) {
    const auto left = desk.left("ann", units);
    out += left ? *left + "\n" : left.error().message + "\n";
  }
  return out;
}

/// How two houses, in which one person more or less lives, can be told apart by asking this in
/// both, and what shows before the deadline; "" when nothing does.
std::string told_apart(House& one, House& two, const Asking& asking) {
  std::string found;
  const auto compare = [&](const std::string& when, const std::string& a, const std::string& b) {
    if (a == b) return;
    const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
    const std::size_t from =
        static_cast<std::size_t>(at) < 60 ? 0 : static_cast<std::size_t>(at) - 60;
    found += asking.what + ", " + when + ":\n" + a.substr(from, 200) + "\nand\n" +
             b.substr(from, 200) + "\n";
  };
  struct Look {
    std::string told, early, late, answer, after;
  };
  const auto ask = [&](House& house) {
    Look look;
    Gate gate(house, asking.lane);
    std::string id;
    std::tie(look.told, id) = asking.begin(house);
    look.early = seen(house, asking, id);
    gate.open_and_finish();
    look.late = seen(house, asking, id);
    pass(house);
    const Got got = house.ask("ann", "GET", "/api/v1/jobs/" + id + "/answer");
    // The text in it, numbers apart, must be the same in both.
    look.answer = std::to_string(got.status) + got.headers.at("content-type") + bucket_of(got) +
                  shape_of(got.status == 200 ? masked(got.body) : got.body);
    look.after = seen(house, asking, id);
    return look;
  };
  const Look a = ask(one);
  const Look b = ask(two);
  compare("what is told", a.told, b.told);
  compare("before the deadline, not begun", a.early, b.early);
  compare("before the deadline, done", a.late, b.late);
  compare("before the deadline, not begun and done", a.early, a.late);
  compare("before the deadline, not begun and done, with one more", b.early, b.late);
  compare("the answer", a.answer, b.answer);
  compare("after the deadline", a.after, b.after);
  for (const std::string& each : {a.answer, a.after, b.answer, b.after}) {
    if (each.find("of its own length") != each.npos) found += asking.what + ": " + each + "\n";
  }
  return found;
}

/// As over HTTP: a job at once.
Asking over_http(const std::string& path, const Json& fields) {
  const bool is_question = path == "/api/v1/query";
  Json asked = fields;
  asked["wait"] = false;
  if (!is_question) asked["deadline_ms"] = kAnswerMs;
  return {.what = path + " " + fields.dump(),
          .explain_path = is_question ? "/api/v1/explain" : path + "/explain",
          .explain_body = fields.dump(),
          .lane = is_question ? Lane::kQuestions : Lane::kLong,
          .begin = [path, asked](House& house) {
            const Got got = house.ask("ann", "POST", path, asked.dump());
            EXPECT_EQ(got.status, 202) << path << asked << got.body;
            const Json job = Json::parse(got.body).value();
            return std::pair(seen_of(got) + masked(got.body), job["job"].text());
          }};
}

std::string survey_with(const std::string& line) { return session::survey_csv() + line; }

/// Somebody who looks like the others, and such as break a naive reader.
const std::vector<std::string>& newcomers() {
  static const std::vector<std::string> kLines = {"1000,5000,a\n", "1000,999999999,nowhere\n",
                                                  "1000,,\n"};
  return kLines;
}

const std::vector<Json>& lessons() {
  const auto lesson = [](const char* task, const Json& more) {
    Json fields = {{"task", task}, {"table", "survey"}, {"epsilon", "0.5"}};
    for (const auto& [name, value] : more.members()) fields[name] = value;
    return fields;
  };
  static const std::vector<Json> kLessons = {
      lesson("classify", {{"target", "region"}, {"features", "income"}}),
      lesson("naive-bayes", {{"target", "region"}, {"features", "income"}}),
      lesson("regress", {{"target", "income"}, {"features", "region"}}),
      lesson("cluster", {{"features", "income"}, {"k", "3"}}),
      lesson("distribution", {{"features", "income"}}),
      lesson("synthesize", {{"features", "income,region"}, {"rows", "20"}, {"delta", "1e-6"}})};
  return kLessons;
}

TEST(Hidden, LessonsDoNotTellNeighboursApart) {
  for (const std::string& newcomer : newcomers()) {
    House one({.answer_ms = kAnswerMs, .holds_time = true});
    House two({.answer_ms = kAnswerMs, .survey = survey_with(newcomer), .holds_time = true});
    for (const Json& lesson : lessons()) {
      EXPECT_EQ(told_apart(one, two, over_http("/api/v1/learn", lesson)), "");
    }
  }
}

// A network is learned in parts, from samples. Its price takes a second to find, so that it is not
// asked for at every look.
TEST(Hidden, ANetworkDoesNotTellNeighboursApart) {
  House one({.answer_ms = kAnswerMs, .holds_time = true});
  House two({.answer_ms = kAnswerMs, .survey = survey_with(newcomers()[0]), .holds_time = true});
  Asking network = over_http("/api/v1/learn", {{"task", "network"},
                                               {"table", "survey"},
                                               {"target", "region"},
                                               {"features", "income"},
                                               {"steps", "2"},
                                               {"sampling", "0.5"},
                                               {"epsilon", "0.5"},
                                               {"delta", "1e-6"}});
  network.explain_path = "";
  EXPECT_EQ(told_apart(one, two, network), "");
}

// One person, and nobody: sums of nothing must fail no more than others.
TEST(Hidden, LessonsDoNotTellThatTheTableIsEmpty) {
  const std::string head = "person,income,region\n";
  House one({.answer_ms = kAnswerMs, .survey = head, .holds_time = true});
  House two({.answer_ms = kAnswerMs, .survey = head + newcomers()[0], .holds_time = true});
  for (const Json& lesson : lessons()) {
    EXPECT_EQ(told_apart(one, two, over_http("/api/v1/learn", lesson)), "");
  }
}

TEST(Hidden, PublicationsDoNotTellNeighboursApart) {
  const Json workload = {
      {"workload",
       "table: survey\nrho: 0.01\ncolumns: {income: {bins: 25000}}\ntables: {by_region: [region]}\n"
       "ranges: {incomes: {column: income, kind: prefix}}\n"}};
  for (const std::string& newcomer : newcomers()) {
    House one({.answer_ms = kAnswerMs, .is_zcdp = true, .holds_time = true});
    House two({.answer_ms = kAnswerMs,
               .is_zcdp = true,
               .survey = survey_with(newcomer),
               .holds_time = true});
    EXPECT_EQ(told_apart(one, two, over_http("/api/v1/publish", workload)), "");
  }
}

TEST(Hidden, QuestionsDoNotTellNeighboursApart) {
  House one({.answer_ms = kAnswerMs, .holds_time = true});
  House two({.changes = {session::bobs_visit("")}, .answer_ms = kAnswerMs, .holds_time = true});
  for (const char* sql :
       {"SELECT COUNT(*) FROM visits", "SELECT clinic, AVG(cost) FROM visits GROUP BY clinic",
        "SELECT SUM(cost) FROM visits WHERE name = 'Bob'", "SELECT MEDIAN(age) FROM visits"}) {
    EXPECT_EQ(told_apart(one, two, over_http("/api/v1/query", {{"sql", sql}, {"epsilon", "1"}})),
              "");
  }
}

// An error to reach is solved from an earlier answer, which is none before its deadline.
TEST(Hidden, WhatAnErrorIsSolvedFromDoesNotTellWhetherTheEngineIsDone) {
  House house({.answer_ms = kAnswerMs, .holds_time = true});
  const auto explained = [&] {
    return house
        .ask("ann", "POST", "/api/v1/explain",
             R"({"sql":"SELECT COUNT(*) FROM visits","error":"5%"})")
        .body;
  };
  const std::string before = explained();
  Gate gate(house, Lane::kQuestions);
  Json asked = Json::parse(kCount).value();
  asked["wait"] = false;
  EXPECT_EQ(house.query("ann", asked.dump()).status, 202);
  const std::string early = explained();
  gate.open_and_finish();
  EXPECT_EQ(explained(), early);
  pass(house);
  EXPECT_NE(explained(), early);
  EXPECT_NE(explained(), before);
}

/// A question over PostgreSQL's protocol, from its own thread.
class PgClient {
 public:
  PgClient(House& house, std::string sql) : desk_(*house.service) {
    thread_ = std::thread([this, sql = std::move(sql)] {
      asked_ = desk_.ask(session::request(sql, "0.5"), waiting_, {});
    });
  }
  ~PgClient() {
    if (thread_.joinable()) thread_.join();
  }
  bool is_answered() {
    thread_.join();
    return asked_->has_value() && (*asked_)->has_value();
  }
  pgwire::ServiceDesk& desk() { return desk_; }

 private:
  pgwire::ServiceDesk desk_;
  pgwire::Waiting waiting_;
  std::optional<Result<std::optional<pgwire::Asked>>> asked_;
  std::thread thread_;
};

/// The newest job of ann's, as soon as there are more than `before`.
std::string next_job(House& house, std::size_t before) {
  while (house.service->jobs().of("ann", 100).size() <= before) std::this_thread::yield();
  return house.service->jobs().of("ann", 1).front().id;
}

Asking about_visits(const std::string& what) {
  return {
      .what = what,
      .explain_path = "/api/v1/explain",
      .explain_body = R"({"sql":"SELECT COUNT(*) FROM visits","epsilon":"0.5","delta":"1e-9"})"};
}

// F1, F2 for PostgreSQL's protocol: price as spent from asking on, and nothing else, whichever way
// ann looks; the answer and its records at the deadline.
TEST(Hidden, QuestionsOverPostgresAreHiddenInFlight) {
  std::vector<std::string> looks;
  for (const bool with_bob : {false, true}) {
    House house(
        {.changes = with_bob ? std::vector{session::bobs_visit("")} : std::vector<std::string>{},
         .answer_ms = kAnswerMs,
         .holds_time = true});
    const Asking asking = about_visits("over PostgreSQL's protocol");
    Gate gate(house, Lane::kQuestions);
    PgClient client(house, "SELECT COUNT(*) FROM visits");
    const std::string id = next_job(house, 0);
    const auto look = [&] {
      const auto again =
          client.desk().explain(session::request("SELECT COUNT(*) FROM visits", "0.5"));
      return seen(house, asking, id) + (again ? session::seen_of(*again) : again.error().message);
    };
    const std::string early = look();
    EXPECT_NE(early.find(R"("spent":"0.5")"), early.npos) << early;
    EXPECT_EQ(early.find(R"("kind":"charge")"), early.npos) << early;
    EXPECT_NE(early.find(R"("repeat":false)"), early.npos) << early;
    gate.open_and_finish();
    EXPECT_EQ(look(), early);
    pass(house);
    EXPECT_TRUE(client.is_answered());
    const std::string after = look();
    EXPECT_NE(after.find(R"("kind":"answer")"), after.npos) << after;
    EXPECT_NE(after.find(R"("repeat":true)"), after.npos) << after;
    looks.push_back(early + after);
  }
  EXPECT_EQ(looks[0], looks[1]);
}

// Planted: work that is not covered while it is in flight, as a way of asking would leave it that
// gives its job to the queue itself.
TEST(Hidden, UncoveredWorkIsSeen) {
  House one({.answer_ms = kAnswerMs, .holds_time = true});
  House two({.answer_ms = kAnswerMs, .holds_time = true});
  Asking uncovered = about_visits("planted");
  uncovered.begin = [](House& house) {
    const auto run = [world = house.service->world()](const std::function<void(int)>&) {
      const auto answered =
          world->session().ask(session::request("SELECT COUNT(*) FROM visits", "0.5"));
      EXPECT_TRUE(answered.has_value());
      return http::Response{.body = padded("{}")};
    };
    const auto made = house.service->jobs().submit({.analyst = "ann", .work = run});
    return std::pair(std::string(), made.value().id);
  };
  const std::string found = told_apart(one, two, uncovered);
  EXPECT_NE(found.find("not begun and done:"), found.npos) << found;
}

// Planted: an engine that fails on one of two neighbours, and an answer of its own length.
TEST(Hidden, AFailureOnOneNeighbourIsSeen) {
  House one({.answer_ms = kAnswerMs, .holds_time = true});
  House two({.answer_ms = kAnswerMs, .holds_time = true});
  two.service->world()->engine();
  std::filesystem::remove(std::filesystem::path(two.clinic.folder()) / "survey.csv");
  const std::string found = told_apart(one, two, over_http("/api/v1/learn", lessons()[2]));
  EXPECT_NE(found.find("the answer:"), found.npos) << found;
  EXPECT_EQ(found.find("before the deadline"), found.npos) << found;
  Asking bare = about_visits("planted");
  bare.begin = [](House& house) {
    const auto run = [](const std::function<void(int)>&) { return http::Response{.body = "{}"}; };
    return std::pair(std::string(),
                     house.service->jobs().submit({.analyst = "ann", .work = run}).value().id);
  };
  EXPECT_NE(told_apart(one, two, bare).find("of its own length"), std::string::npos);
}

// F1, F2: when the engine was done with a question shows in nothing that its analyst sees.
TEST(Hidden, NothingOfAQuestionShowsBeforeItsDeadline) {
  House house({.answer_ms = kAnswerMs, .holds_time = true});
  const std::string body = R"({"sql":"SELECT COUNT(*) FROM visits","epsilon":"0.5","wait":false})";
  const auto asked = [&](const std::string& who) { return house.query(who, body).status; };
  {
    Gate gate(house, Lane::kQuestions);
    EXPECT_EQ(asked("ann"), 202);
    gate.open_and_finish();
  }
  // It is answered and stored, and yet whoever asks for it waits like the first.
  EXPECT_NE(house.ask("owner", "GET", "/api/v1/history").body.find(R"("kind":"answer")"),
            std::string::npos);
  Gate gate(house, Lane::kQuestions);
  EXPECT_EQ(asked("ann"), 202);
  EXPECT_EQ(asked("press"), 202);
  gate.open_and_finish();
  pass(house);
  EXPECT_EQ(asked("ann"), 200);
  EXPECT_EQ(asked("press"), 200);
  EXPECT_EQ(house.clinic.spent("ann"), "0.5 0.5");  // one release, which both pay for
  EXPECT_EQ(house.clinic.spent("press"), "0.5 0.5");
}

// V2: two databases that differ in one person.
TEST(Hidden, NeighboursLookTheSame) {
  House without;
  House with({.changes = {session::bobs_visit("")}});
  const auto both = [&](const std::string& method, const std::string& path, const std::string& body,
                        const std::string& who = "ann") {
    const Got one = without.ask(who, method, path, body);
    const Got two = with.ask(who, method, path, body);
    EXPECT_EQ(seen_of(one), seen_of(two)) << path << body;
    return std::pair(one, two);
  };
  for (const char* sql :
       {"SELECT COUNT(*) FROM visits",
        "SELECT clinic, COUNT(*), AVG(cost) FROM visits GROUP BY clinic",
        "SELECT SUM(cost) FROM visits WHERE name = 'Bob'", "SELECT MEDIAN(age) FROM visits",
        "SELECT 1/0 FROM visits", "SELECT name FROM visits", "SELECT COUNT(*) FROM nowhere"}) {
    const std::string body = Json{{"sql", sql}, {"epsilon", "1"}}.dump();
    const auto explained = both("POST", "/api/v1/explain", body);
    EXPECT_EQ(explained.first.body, explained.second.body);
    both("POST", "/api/v1/query", body);
    both("POST", "/api/v1/query", body);  // the repeat
  }
  const std::string body = R"({"sql":"SELECT COUNT(*) FROM labs","epsilon":"1","wait":false})";
  const auto [one, two] = both("POST", "/api/v1/query", body);
  EXPECT_EQ(Json::parse(one.body).value()["stage"], Json::parse(two.body).value()["stage"]);
  EXPECT_EQ(both("GET", "/api/v1/budget", "").first.body,
            without.ask("ann", "GET", "/api/v1/budget").body);
  both("GET", "/api/v1/history", "");
}

}  // namespace
}  // namespace discreet::server::api::hidden_test
