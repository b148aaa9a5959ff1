// SPDX-License-Identifier: Apache-2.0
// Durable charges beside the bare one-row durable commit of the database that keeps them, SQLite or
// PostgreSQL, in turns on the same disk; opening and verifying a million records; memory.
// bench/ledger.py makes the table.
#include "ledger/ledger.h"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bench.h"
#include "ledger/postgres_server_for_tests.h"
#include "ledger/sqlite_store.h"
#include "privacy/charge_for_tests.h"

namespace discreet::ledger::ledger_bench {
namespace {

constexpr std::uint64_t kWitnessEvery = 64;
constexpr std::size_t kClients = 64;

using Seconds = std::chrono::duration<double>;

Seconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

Price price(const char* amount) {
  return accounting::Filter::price(Rational::parse(amount).value()).value();
}

struct Asked {
  Charge charge;
  Question question;
};

/// A ledger with room for ever more charges.
class House {
 public:
  explicit House(std::filesystem::path place = {})
      : place_(place.empty() ? folder_ / "ledger" : std::move(place)) {
    auto created = Ledger::create({.path = place_,
                                   .key = folder_ / "key",
                                   .witness = folder_ / "witness",
                                   .witness_every = kWitnessEvery});
    ledger = std::move(created).value();
    NamespaceTerms terms{.name = "patients", .cap = price("1000000000")};
    terms.analysts.push_back({"ann", price("1000000000")});
    ledger->add_namespace(terms).value();
  }

  Result<std::unique_ptr<Ledger>> open() const {
    return Ledger::open({.path = place_, .key = folder_ / "key", .witness = folder_ / "witness"});
  }

  /// Questions that were never asked, as a client would ask them.
  std::vector<Asked> ask(std::size_t many) {
    std::vector<Asked> all;
    for (std::size_t i = 0; i < many; ++i) {
      const std::string n = std::to_string(++asked_);
      all.push_back({ChargeForTests::make({"patients", Neighbours::kAddRemove, {}},
                                          {{{"discrete-laplace(scale=10,sensitivity=1)"}, cost_}},
                                          Hash{1, 2, 3}, "request-" + n),
                     {"ann", "SELECT count(*) FROM visits WHERE n = " + n, "2026-11"}});
    }
    return all;
  }
  void pay(std::span<const Asked> questions) {
    for (const Asked& asked : questions) {
      const Outcome outcome = ledger->charge(asked.charge, asked.question).value();
      DISCREET_CHECK(std::holds_alternative<Paid>(outcome));
    }
  }

  std::unique_ptr<Ledger> ledger;

  const bench::ScratchFolder& folder() const { return folder_; }

 private:
  bench::ScratchFolder folder_{"ledger"};
  std::filesystem::path place_;
  std::uint64_t asked_ = 0;
  Cost cost_ = pure_cost(Epsilon::parse("0.1").value());
};

/// What SQLite does with a row of the same size and nothing else.
class Bare {
 public:
  Bare() {
    DISCREET_CHECK(sqlite3_open((folder_ / "bare").c_str(), &database_) == SQLITE_OK);
    run("PRAGMA journal_mode = WAL");
    run("PRAGMA synchronous = FULL");
    run("CREATE TABLE rows (n INTEGER PRIMARY KEY, bytes BLOB NOT NULL)");
    DISCREET_CHECK(sqlite3_prepare_v2(database_, "INSERT INTO rows (bytes) VALUES (?)", -1,
                                      &insert_, nullptr) == SQLITE_OK);
  }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;
  ~Bare() {
    sqlite3_finalize(insert_);
    sqlite3_close(database_);
  }

  void commit() {
    sqlite3_bind_blob(insert_, 1, row_.data(), static_cast<int>(row_.size()), SQLITE_STATIC);
    DISCREET_CHECK(sqlite3_step(insert_) == SQLITE_DONE);
    sqlite3_reset(insert_);
  }

 private:
  void run(const char* sql) {
    DISCREET_CHECK(sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  }
  bench::ScratchFolder folder_{"ledger"};
  sqlite3* database_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  std::string row_ = std::string(300, 'x');
};

/// The same of PostgreSQL.
class BarePostgres {
 public:
  explicit BarePostgres(const std::string& url) : session_(PgSession::open(url).value()) {
    session_.run("CREATE TABLE rows (n bigint PRIMARY KEY, bytes bytea NOT NULL)").value();
    session_.prepare("insert", "INSERT INTO rows VALUES ($1, $2)").value();
  }
  void commit() { session_.run("insert", PgValues().add(next_++).add(row_)).value(); }

 private:
  PgSession session_;
  std::int64_t next_ = 0;
  std::string row_ = std::string(300, 'x');
};

/// Seconds that two took in the same turn.
struct Turn {
  double one;
  double other;
};

/// A machine that others use has good and bad moments, and a disk has more: two rates that are of
/// different moments say little. So the turn counts whose ratio is the middle one.
Turn middle(std::vector<Turn> turns) {
  const auto at = turns.begin() + static_cast<std::ptrdiff_t>(turns.size() / 2);
  std::ranges::nth_element(turns, at, {}, [](const Turn& turn) { return turn.one / turn.other; });
  return *at;
}

// One of ours, one of theirs, in turns of one sync of the witness, so that ours pays for exactly
// one.
template <class Peer>
void compare_one_client(benchmark::State& state, House& house, Peer& bare) {
  std::vector<Turn> turns;
  for (auto _ : state) {
    const std::vector<Asked> questions = house.ask(kWitnessEvery);
    Seconds of_ours{0};
    Seconds of_theirs{0};
    for (const Asked& asked : questions) {
      const Seconds start = now();
      house.pay({&asked, 1});
      const Seconds middle = now();
      bare.commit();
      of_ours += middle - start;
      of_theirs += now() - middle;
    }
    turns.push_back({of_ours.count(), of_theirs.count()});
  }
  const auto [ours, theirs] = middle(std::move(turns));
  state.counters["ours"] = kWitnessEvery / ours;
  state.counters["bare"] = kWitnessEvery / theirs;
}

void one_client(benchmark::State& state) {
  House house;
  Bare bare;
  compare_one_client(state, house, bare);
}

void one_client_postgres(benchmark::State& state, PostgresServer& server) {
  House house(server.fresh());
  BarePostgres bare(server.fresh());
  compare_one_client(state, house, bare);
}

void compare_many_clients(benchmark::State& state, House& house) {
  const auto in_turn = bench::sized<std::size_t>(128, 4);
  const auto each = bench::sized<std::size_t>(64, 1);
  std::vector<Turn> turns;
  for (auto _ : state) {
    const std::vector<Asked> questions = house.ask(in_turn + each * kClients);
    const std::span<const Asked> all = questions;
    const Seconds start = now();
    house.pay(all.first(in_turn));
    const Seconds then = now();
    std::vector<std::thread> clients;
    for (std::size_t client = 0; client < kClients; ++client) {
      clients.emplace_back(
          [&house, mine = all.subspan(in_turn + client * each, each)] { house.pay(mine); });
    }
    for (std::thread& client : clients) client.join();
    turns.push_back({(then - start).count(), (now() - then).count()});
  }
  const auto [alone, together] = middle(std::move(turns));
  state.counters["one"] = static_cast<double>(in_turn) / alone;
  state.counters["many"] = static_cast<double>(each * kClients) / together;
}

void many_clients(benchmark::State& state) {
  House house;
  compare_many_clients(state, house);
}

void many_clients_postgres(benchmark::State& state, PostgresServer& server) {
  House house(server.fresh());
  compare_many_clients(state, house);
}

double resident_mb() {
  std::ifstream statm("/proc/self/statm");
  double size = 0;
  double resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

/// Appends charges and answers in turns up to `records`, in large transactions.
void fill(House& house, std::uint64_t records) {
  State state = house.ledger->state().value();
  house.ledger.reset();
  auto store = open_sqlite_store({.path = house.folder() / "ledger"}).value();
  store->begin_write().value();
  while (state.next() < records) {
    const std::string n = std::to_string(state.next());
    Record record;
    record.sequence = state.next();
    record.time_ms = state.time_ms();
    record.units = "patients";
    record.analyst = "ann";
    const bool is_answer = record.sequence % 2 == 0;  // the first to be added is 3
    record.question =
        "SELECT count(*) FROM visits WHERE n = " + std::to_string((record.sequence + 1) / 2);
    record.snapshot = "2026-11";
    const std::string bytes = R"({"answer": 1234, "low": 1200, "high": 1268, "n": )" + n + "}";
    if (is_answer) {
      record.kind = Kind::kAnswer;
      record.about = record.sequence - 1;
      record.content = sha256(bytes);
    } else {
      record.kind = Kind::kCharge;
      record.price = price("0.1");
      record.request_id = "request-" + n;
      record.plan = {1, 2, 3};
      record.detail = "discrete-laplace(scale=10,sensitivity=1)";
    }
    record.hash = chain(state.hash(), record);
    state.apply(record).value();
    store->append(record).value();
    if (is_answer) store->put_answer(record, bytes).value();
    if (state.next() % 100'000 == 0) {
      store->commit().value();
      store->begin_write().value();
    }
  }
  store->commit().value();
}

void open_and_verify(benchmark::State& state) {
  const auto records = static_cast<std::uint64_t>(state.range(0));
  House house;
  fill(house, records);
  Seconds opening{0};
  Seconds verifying{0};
  double memory = 0;
  for (auto _ : state) {
    const Seconds start = now();
    auto ledger = house.open().value();
    const Seconds middle = now();
    const Verified verified = ledger->verify().value();
    DISCREET_CHECK(verified.records == records);
    opening = middle - start;
    verifying = now() - middle;
    memory = resident_mb();
  }
  state.counters["open"] = opening.count();
  state.counters["verify"] = verifying.count();
  state.counters["memory"] = memory;
}

int run(const bench::Words& words) {
  using benchmark::RegisterBenchmark;
  // On the disk of the temporary directory; started by the first that needs it.
  std::unique_ptr<PostgresServer> server;
  const auto on_postgres = [&](void (*measure)(benchmark::State&, PostgresServer&)) {
    return [&server, measure](benchmark::State& state) {
      if (!server) server = std::make_unique<PostgresServer>(Scratch::Place::kDisk);
      measure(state, *server);
    };
  };
  const auto open = [](const char* name, std::int64_t records) {
    RegisterBenchmark(name, open_and_verify)->Arg(records)->Iterations(1);
  };
  open("open 10^4", bench::sized(10'000, 1'000));
  open("open 10^6", bench::sized(1'000'000, 2'000));
  const int few = bench::sized(31, 1);
  const int many = bench::sized(100, 1);
  RegisterBenchmark("one client", one_client)->Iterations(many);
  RegisterBenchmark("64 clients", many_clients)->Iterations(few);
  RegisterBenchmark("postgres, one client", on_postgres(one_client_postgres))->Iterations(many);
  RegisterBenchmark("postgres, 64 clients", on_postgres(many_clients_postgres))->Iterations(few);
  return bench::run_registered(words);
}

const bench::Benchmark kBenchmark("ledger", run);

}  // namespace
}  // namespace discreet::ledger::ledger_bench
