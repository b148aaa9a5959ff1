// SPDX-License-Identifier: Apache-2.0
// learn and publish: the same lessons and publications as the command line's, charged to whoever
// asks.
#include <utility>

#include "base/clock.h"
#include "base/json.h"
#include "learn/course.h"
#include "learn/synthetic.h"
#include "ledger/seal.h"
#include "publish/sheets.h"
#include "report/learned_page.h"
#include "report/publication.h"
#include "server/api/work.h"

namespace discreet::server::api {
namespace {

Json price_json(const session::Explanation& e) {
  return {{"units", e.units},       {"neighbours", e.neighbours}, {"price", e.price},
          {"analyst_left", e.left}, {"repeat", e.repeat},         {"retry", e.retry},
          {"fits", e.fits}};
}

/// Fields that are not options of a lesson.
bool is_ours(const std::string& name) {
  return name == "task" || name == "wait" || name == "deadline_ms" || name == "request_id";
}

Result<learn::Wish> wish_of(const Fields& fields, const std::string& analyst) {
  DISCREET_ASSIGN(const std::string task, fields.need("task"));
  learn::Wish wish{.task = task, .analyst = analyst};
  for (const auto& [name, value] : fields.all()) {
    if (!is_ours(name)) wish.options[name] = value;
  }
  if (const auto id = fields.text("request_id")) {
    DISCREET_ASSIGN(wish.request_id, request_id(analyst, *id));
  }
  return wish;
}

/// A lesson that is checked and priced, but not begun.
struct Priced {
  learn::Wish wish;
  learn::Course course;
  session::Explanation explained;
};

Result<Priced> price_lesson(Service& service, World& world, const Fields& fields,
                            const std::string& analyst) {
  Priced out;
  DISCREET_ASSIGN(out.wish, wish_of(fields, analyst));
  DISCREET_ASSIGN(out.course, learn::course_of(world.policy(), out.wish));
  DISCREET_ASSIGN(const learn::CheckedLesson checked,
                  learn::check_lesson(world.policy(), world.ledger(), out.course.lesson));
  DISCREET_ASSIGN(const ledger::Quote quote,
                  world.ledger().quote(checked.training.rows.charge(), checked.question));
  DISCREET_ASSIGN(out.explained, explain_quote(service, world, analyst,
                                               checked.training.rows.charge().units().name, quote,
                                               "learn " + ledger::to_hex(checked.question.key)));
  return out;
}

Error does_not_fit(const session::Explanation& e) {
  return {Code::kBudget, "not enough budget: this costs " + e.price + ", and " + e.left +
                             " is left for you; nothing was charged"};
}

Result<void> try_learn(Service& service, const Call& call) {
  DISCREET_ASSIGN(const Fields fields, fields_of(call));
  const std::shared_ptr<World> world = service.world();
  DISCREET_ASSIGN(Priced priced, price_lesson(service, *world, fields, call.account.name));
  if (!priced.explained.fits) return does_not_fit(priced.explained);
  // A run in parts that was cut off is gone on with when it is asked for again.
  const auto key = ledger::sha256(call.account.name + "\n" + priced.explained.sent);
  const std::filesystem::path folder = service.options().state / "lessons";
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  const learn::Saving saving{.file = folder / ledger::to_hex(key)};
  const auto watch = std::make_shared<EngineWatch>();
  const auto run =
      [&service, world, watch, wish = priced.wish, names = priced.course.lesson.columns, saving,
       known = known_of(call)](const std::function<void(int)>& progress) -> jobs::Done {
    const auto rounds = [&progress](std::uint64_t done, std::uint64_t all) -> Result<void> {
      progress(static_cast<int>(100 * done / all));
      return {};
    };
    const auto course = learn::course_of(world->policy(), wish, rounds);
    if (!course) return failed(service, known, course.error());
    const auto taught = learn::teach(world->policy(), world->ledger(), world->engine(), *course,
                                     owner_log(service, known, progress), saving);
    taught ? watch->answered(taught->repeated) : watch->failed(taught.error().code);
    if (!taught) return failed(service, known, taught.error());
    std::string page;
    if (wish.task == "synthesize") {
      const auto exhibit =
          report::synthetic_page(taught->bytes, names, learn::bin_begins(course->columns));
      if (!exhibit) return failed(service, known, exhibit.error());
      page = report::exhibit_html(*exhibit);
    }
    return {{.body = padded("{\"task\":" + json_text(wish.task) +
                            ",\"repeated\":" + (taught->repeated ? "true" : "false") +
                            ",\"learned\":" + taught->bytes + "}")},
            page};
  };
  service.count_question(priced.explained.repeat);
  return begin_work(service, *world, call, fields,
                    {.kind = "learn", .charged = priced.explained, .run = run, .watch = watch});
}

Result<std::string> try_explain_lesson(Service& service, const Call& call) {
  DISCREET_ASSIGN(const Fields fields, fields_of(call));
  const std::shared_ptr<World> world = service.world();
  DISCREET_ASSIGN(const Priced priced, price_lesson(service, *world, fields, call.account.name));
  Json json = price_json(priced.explained);
  json["columns"] = priced.course.lesson.columns;
  return json_text(json);
}

/// A publication that is designed and priced, but not begun.
struct Designed {
  std::shared_ptr<const publish::Workload> workload;
  std::string request_id;
  publish::Foreseen foreseen;
  session::Explanation explained;
};

Result<Designed> design(Service& service, World& world, const Fields& fields,
                        const std::string& analyst) {
  Designed out;
  DISCREET_ASSIGN(const std::string text, fields.need("workload"));
  DISCREET_ASSIGN(publish::Workload workload, publish::read_workload(text, "", world.policy()));
  out.workload = std::make_shared<const publish::Workload>(std::move(workload));
  if (const auto id = fields.text("request_id")) {
    DISCREET_ASSIGN(out.request_id, request_id(analyst, *id));
  }
  const publish::Publisher publisher(world.policy(), world.ledger(), world.engine());
  DISCREET_ASSIGN(out.foreseen,
                  publisher.foresee(
                      {.workload = *out.workload, .analyst = analyst, .request_id = out.request_id},
                      publish::Publisher::Sees::kOwn));
  const auto what = ledger::sha256(text);
  DISCREET_ASSIGN(out.explained,
                  explain_quote(service, world, analyst, out.foreseen.units, out.foreseen.quote,
                                "publish " + ledger::to_hex(what)));
  return out;
}

Result<void> try_publish(Service& service, const Call& call) {
  DISCREET_ASSIGN(const Fields fields, fields_of(call));
  const std::shared_ptr<World> world = service.world();
  DISCREET_ASSIGN(const Designed designed, design(service, *world, fields, call.account.name));
  if (!designed.explained.fits) return does_not_fit(designed.explained);
  const auto watch = std::make_shared<EngineWatch>();
  const auto run = [&service, world, watch, workload = designed.workload, id = designed.request_id,
                    known =
                        known_of(call)](const std::function<void(int)>& progress) -> jobs::Done {
    publish::Publisher publisher(world->policy(), world->ledger(), world->engine());
    const auto made =
        publisher.publish({.workload = *workload, .analyst = known.account.name, .request_id = id},
                          owner_log(service, known, progress));
    made ? watch->answered(made->repeated) : watch->failed(made.error().code);
    if (!made) return failed(service, known, made.error());
    const std::vector<publish::Sheet> sheets = publish::sheets_of(*workload, *made);
    const std::string certificate = publish::certificate_json(
        *workload, *made, "workload", to_utc(service.options().clock()).substr(0, 10));
    return {{.body = padded("{\"repeated\":" + std::string(made->repeated ? "true" : "false") +
                            ",\"publication\":" +
                            publish::sheets_json(sheets, workload->confidence, certificate) + "}")},
            report::exhibit_html(report::publication_page(*workload, *made, sheets))};
  };
  service.count_question(designed.explained.repeat);
  return begin_work(service, *world, call, fields,
                    {.kind = "publish", .charged = designed.explained, .run = run, .watch = watch});
}

Result<std::string> try_explain_publication(Service& service, const Call& call) {
  DISCREET_ASSIGN(const Fields fields, fields_of(call));
  const std::shared_ptr<World> world = service.world();
  DISCREET_ASSIGN(Designed designed, design(service, *world, fields, call.account.name));
  Json json = price_json(designed.explained);
  designed.foreseen.left = designed.explained.left;
  designed.foreseen.repeat = designed.explained.repeat;
  json["design"] = report::design_text(*designed.workload, designed.foreseen);
  return json_text(json);
}

}  // namespace

void learn_something(Service& service, Call call) {
  const Result<void> begun = try_learn(service, call);
  if (!begun) refuse_question(service, call, begun.error());
}
void explain_lesson(Service& service, Call call) {
  send_discreetly(service, call, try_explain_lesson(service, call));
}
void publish_tables(Service& service, Call call) {
  const Result<void> begun = try_publish(service, call);
  if (!begun) refuse_question(service, call, begun.error());
}
void explain_publication(Service& service, Call call) {
  send_discreetly(service, call, try_explain_publication(service, call));
}

}  // namespace discreet::server::api
