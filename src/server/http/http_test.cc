// SPDX-License-Identifier: Apache-2.0
// H1 to H5 of http/server.h, each tried from the outside, byte by byte where it matters.
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "ledger/scratch_for_tests.h"
#include "server/http/client_for_tests.h"
#include "server/http/router.h"
#include "server/http/server.h"

namespace discreet::server::http::http_test {
namespace {

std::string word(std::size_t size) { return std::string(size, 'x'); }

/// Replies that are kept until somebody lets them go.
class Gate {
 public:
  void keep(Reply reply) {
    const std::lock_guard lock(mutex_);
    kept_.push_back(std::move(reply));
    changed_.notify_all();
  }
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return kept_.size() >= count; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    for (const Reply& reply : kept_) reply({.body = "late"});
    kept_.clear();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Reply> kept_;
};

class House {
 public:
  explicit House(Options options = {}) {
    router_.add({"GET", "/hello", [](const Request&, const Reply& reply) {
                   reply({.body = "hi", .type = "text/plain"});
                 }});
    router_.add({"POST", "/echo", [](const Request& request, const Reply& reply) {
                   reply({.body = request.body});
                 }});
    router_.add(
        {"GET", "/things/{id}/parts/{part}", [](const Request& request, const Reply& reply) {
           const auto found = request.query.find("q");
           reply({.body = std::string(request.part("id")) + "|" +
                          std::string(request.part("part")) + "|" +
                          (found == request.query.end() ? "" : found->second)});
         }});
    router_.add(
        {"GET", "/late", [this](const Request&, Reply reply) { gate.keep(std::move(reply)); }});
    router_.add({"GET", "/dropped", [](const Request&, const Reply&) {}});
    router_.add({"GET", "/thrown", [](const Request&, const Reply&) {
                   throw std::runtime_error("secret words of a library");
                 }});
    auto server = Server::listen(std::move(options), [this](Request request, Reply reply) {
      router_.handle(std::move(request), std::move(reply));
    });
    DISCREET_CHECK(server.has_value());
    server_ = std::move(*server);
  }
  std::uint16_t port() const { return server_->port(); }
  Server& server() { return *server_; }

  Gate gate;

 private:
  Router router_;
  std::unique_ptr<Server> server_;
};

TEST(Http, AnswersOnOneConnectionAgainAndAgain) {
  House house;
  Client client(house.port());
  std::set<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    const Got got = client.ask("GET", "/hello");
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body, "hi");
    EXPECT_EQ(got.headers.at("x-content-type-options"), "nosniff");
    EXPECT_EQ(got.headers.at("cache-control"), "no-store");
    EXPECT_EQ(got.headers.at("content-security-policy").substr(0, 18), "default-src 'none'");
    EXPECT_EQ(got.headers.at("x-request-id").size(), 32U);
    ids.insert(got.headers.at("x-request-id"));
    EXPECT_FALSE(got.headers.contains("server"));
  }
  EXPECT_EQ(ids.size(), 3U);
  EXPECT_EQ(client.ask("POST", "/echo", word(100'000)).body, word(100'000));
  EXPECT_EQ(client.ask("GET", "/things/a%20b/parts/%2e%2e?q=1%2B1+x").body, "a b|..|1+1 x");
  EXPECT_EQ(client.ask("GET", "/hello", "", "Connection: close\r\n").status, 200);
  EXPECT_TRUE(client.sees_end());
}

TEST(Http, AsksForTheBodyWhenTheClientWaitsForThat) {
  House house;
  Client client(house.port());
  client.send(
      "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive().status, 100);
  client.send("abc");
  EXPECT_EQ(client.receive().body, "abc");
}

TEST(Http, RoutesAreExact) {
  House house;
  Client client(house.port());
  for (const char* path : {"/", "/hell", "/hello/", "//hello", "/hello/x", "/things//parts/b",
                           "/things/a/parts", "/things/a/parts/b/", "/%2e%2e/hello"}) {
    EXPECT_EQ(client.ask("GET", path).status, 404) << path;
  }
  EXPECT_EQ(client.ask("POST", "/hello", "x").status, 405);
  EXPECT_EQ(client.ask("BREW", "/hello").status, 405);
}

// H5, H3: what is malformed is refused with a constant, and the connection ends.
TEST(Http, MalformedRequestsAreRefused) {
  House house;
  const std::string get = "GET /hello HTTP/1.1\r\n";
  const struct {
    std::string bytes;
    int status;
  } kCases[] = {
      {"GARBAGE\r\n\r\n", 400},
      {"GET /hello HTTP/3.7\r\n\r\n", 400},
      {"GET http://elsewhere/hello HTTP/1.1\r\nHost: t\r\n\r\n", 400},
      {"GET * HTTP/1.1\r\nHost: t\r\n\r\n", 400},
      {"GET /%zz HTTP/1.1\r\nHost: t\r\n\r\n", 400},
      {"GET /a%00b HTTP/1.1\r\nHost: t\r\n\r\n", 400},
      {"GET /hello?a=1&a=2 HTTP/1.1\r\nHost: t\r\n\r\n", 400},
      {get + "Host: a\r\nHost: b\r\n\r\n", 400},
      {get + "no colon\r\n\r\n", 400},
      {get + "Host: t\r\n X: folded\r\n\r\n", 0},
      {get + "X: " + word(20'000) + "\r\n\r\n", 431},
      {"POST /echo HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc", 400},
      {"POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 411},
      {"POST /echo HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400},
      {"POST /echo HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400},
      {"POST /echo HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n", 400},
      {"POST /echo HTTP/1.1\r\nContent-Length: 1000000000000\r\n\r\n", 413},
  };
  for (const auto& tried : kCases) {
    Client client(house.port());
    client.send(tried.bytes);
    const Got got = client.receive();
    // A folded header is one that RFC 7230 lets a server join or refuse.
    if (tried.status == 0) {
      EXPECT_TRUE(got.status == 200 || got.status == 400) << tried.bytes;
      continue;
    }
    EXPECT_EQ(got.status, tried.status) << tried.bytes.substr(0, 80);
    EXPECT_TRUE(client.sees_end()) << tried.bytes.substr(0, 80);
  }
}

// H2: a byte now and then does not keep a connection.
TEST(Http, SlowRequestsAreDropped) {
  House house({.limits = {.header_ms = 150, .body_ms = 150}});
  for (const char* begin : {"", "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\n\r\n"}) {
    Client client(house.port());
    client.send(begin);
    bool is_dropped = false;
    for (int i = 0; i < 1000 && !is_dropped; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      is_dropped = !client.send("x");
    }
    EXPECT_TRUE(is_dropped) << begin;
  }
  Client idle(house.port());
  EXPECT_TRUE(idle.sees_end());
}

// H1: a thousand wait, and two threads suffice.
TEST(Http, ManyClientsWaitAtOnce) {
  House house({.workers = 2});
  constexpr std::size_t kClients = 1000;
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<Client>(house.port()));
    ASSERT_TRUE(clients.back()->send("GET /late HTTP/1.1\r\nHost: t\r\n\r\n"));
  }
  house.gate.wait_for(kClients);
  EXPECT_EQ(house.server().connections(), kClients);
  EXPECT_EQ(Client(house.port()).ask("GET", "/hello").status, 200);  // nobody is in the way
  house.gate.open();
  for (auto& client : clients) EXPECT_EQ(client->receive().body, "late");
}

TEST(Http, ConnectionsAndBodiesAreCounted) {
  House house({.limits = {.body_bytes = 1000, .bodies_bytes = 1500}});
  Client first(house.port());
  first.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\n\r\n");
  Client second(house.port());
  // The first one's headers may still be on their way; then ours is the one that fits.
  Got got;
  for (int i = 0; i < 1000 && got.status != 503; ++i) {
    got = Client(house.port()).ask("POST", "/echo", word(1000));
  }
  EXPECT_EQ(got.status, 503);
  EXPECT_EQ(Client(house.port()).ask("POST", "/echo", word(1001)).status, 413);
  first.send(word(1000));
  EXPECT_EQ(first.receive().status, 200);
  EXPECT_EQ(second.ask("POST", "/echo", word(1000)).status, 200);  // given back

  House small({.limits = {.connections = 2}});
  Client one(small.port());
  Client two(small.port());
  EXPECT_EQ(one.ask("GET", "/hello").status, 200);
  EXPECT_EQ(two.ask("GET", "/hello").status, 200);
  Client three(small.port());
  EXPECT_EQ(three.receive().status, 503);
  EXPECT_TRUE(three.sees_end());
}

// H6: a crowd of strangers gives way to those who come.
TEST(Http, StrangersDoNotKeepOthersOut) {
  House house({.limits = {.strangers = 4}});
  std::vector<std::unique_ptr<Client>> silent;
  for (int i = 0; i < 30; ++i) {
    silent.push_back(std::make_unique<Client>(house.port()));
    EXPECT_EQ(Client(house.port()).ask("GET", "/hello").status, 200);
  }
  EXPECT_TRUE(silent.front()->sees_end());
}

// H7: those who wait for others do not keep the rest waiting.
TEST(Http, APoolOfItsOwnWaitsForNobody) {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_open = false;
  Options options{.workers = 1};
  options.pools = {
      {.workers = 1, .takes = [](const Request& request) { return request.path == "/light"; }}};
  const auto server = Server::listen(options, [&](const Request& request, const Reply& reply) {
                        if (request.path != "/light") {
                          std::unique_lock lock(mutex);
                          changed.wait(lock, [&] { return is_open; });
                        }
                        reply({.body = request.path});
                      }).value();
  std::vector<std::unique_ptr<Client>> heavy;
  for (int i = 0; i < 5; ++i) {
    heavy.push_back(std::make_unique<Client>(server->port()));
    heavy.back()->send("GET /heavy HTTP/1.1\r\nHost: t\r\n\r\n");
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(Client(server->port()).ask("GET", "/light").body, "/light");
  }
  {
    const std::lock_guard lock(mutex);
    is_open = true;
  }
  changed.notify_all();
  for (auto& client : heavy) EXPECT_EQ(client->receive().body, "/heavy");
}

// H7: an address that sends much keeps only itself waiting, and out.
TEST(Http, AddressesAreServedInTurn) {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_open = false;
  int turned_away = 0;
  std::vector<std::string> served;
  Options options{.workers = 1};
  options.pools = {{.workers = 1, .takes = [](const Request&) { return true; }, .waiting_max = 4}};
  options.log = [&](const Seen& seen) {
    const std::lock_guard lock(mutex);
    turned_away += seen.status == 503 ? 1 : 0;
    changed.notify_all();
  };
  const auto server = Server::listen(options, [&](const Request& request, const Reply& reply) {
                        std::unique_lock lock(mutex);
                        served.push_back(request.path);
                        changed.notify_all();
                        changed.wait(lock, [&] { return is_open; });
                        reply({.body = request.path});
                      }).value();
  const auto until = [&](const auto& is_so) {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(20), is_so));
  };
  const auto send = [&](const std::string& path, unsigned source) {
    const std::string from = "127.0.0." + std::to_string(source);
    auto client = std::make_unique<Client>(server->port(), 0, from.c_str());
    client->send("GET " + path + " HTTP/1.1\r\nHost: t\r\n\r\n");
    return client;
  };
  const auto first = send("/first", 2);
  until([&] { return served.size() == 1; });
  std::vector<std::unique_ptr<Client>> crowd;
  for (int i = 0; i < 10; ++i) crowd.push_back(send("/crowd", 2));
  until([&] { return turned_away == 6; });
  const auto honest = send("/honest", 3);
  until([&] { return turned_away == 7; });
  {
    const std::lock_guard lock(mutex);
    is_open = true;
  }
  changed.notify_all();
  EXPECT_EQ(honest->receive().body, "/honest");
  int told = 0;
  for (auto& client : crowd) told += client->receive().status == 503 ? 1 : 0;
  EXPECT_EQ(told, 7);
  EXPECT_EQ(first->receive().status, 200);
  const std::lock_guard lock(mutex);
  ASSERT_EQ(served.size(), 5U);
  EXPECT_TRUE(served[1] == "/honest" || served[2] == "/honest") << served[1] << served[2];
}

// H5: a handler that forgets its client, or throws, is a bug, and tells nothing of it.
TEST(Http, AForgottenReplyIsABug) {
  House house;
  Client client(house.port());
  for (const char* path : {"/dropped", "/thrown"}) {
    const Got got = client.ask("GET", path);
    EXPECT_EQ(got.status, 500);
    EXPECT_EQ(got.body.find("secret"), got.body.npos);
  }
}

TEST(Http, StopAnswersWhatHasArrived) {
  House house;
  Client busy(house.port());
  Client idle(house.port());
  EXPECT_EQ(idle.ask("GET", "/hello").status, 200);
  busy.send("GET /late HTTP/1.1\r\nHost: t\r\n\r\n");
  house.gate.wait_for(1);
  std::thread stopping([&] { house.server().stop(); });
  EXPECT_TRUE(idle.sees_end());
  EXPECT_FALSE(Client(house.port()).is_open());
  house.gate.open();
  const Got got = busy.receive();
  EXPECT_EQ(got.body, "late");
  EXPECT_EQ(got.headers.at("connection"), "close");
  stopping.join();
}

TEST(Http, StopDoesNotWaitForEver) {
  House house({.limits = {.drain_ms = 50}});
  Client busy(house.port());
  busy.send("GET /late HTTP/1.1\r\nHost: t\r\n\r\n");
  house.gate.wait_for(1);
  house.server().stop();
  EXPECT_EQ(busy.receive().status, 0);
  house.gate.open();  // too late, and harmless
}

// H4
TEST(Http, TlsIsNewOrNothing) {
  const ledger::Scratch scratch(ledger::Scratch::Place::kMemory);
  write_certificate(scratch.path());
  House house({.tls = TlsFiles{scratch / "certificate.pem", scratch / "key.pem"}});
  for (const int version : {TLS1_3_VERSION, TLS1_2_VERSION}) {
    Client client(house.port(), version);
    ASSERT_TRUE(client.is_open());
    EXPECT_EQ(client.ask("GET", "/hello").body, "hi");
    EXPECT_EQ(client.ask("POST", "/echo", word(50'000)).body, word(50'000));
  }
  for (const int version : {TLS1_1_VERSION, TLS1_VERSION}) {
    EXPECT_FALSE(Client(house.port(), version).is_open());
  }
  Client plain(house.port());
  EXPECT_EQ(plain.ask("GET", "/hello").status, 0);
}

TEST(Http, WhatCannotBeListenedOnIsSaid) {
  const auto handler = [](const Request&, const Reply&) {};
  const ledger::Scratch scratch(ledger::Scratch::Place::kMemory);
  write_certificate(scratch.path());
  House house;
  const struct {
    Options options;
    Code code;
  } kCases[] = {
      {{.port = house.port()}, Code::kConflict},
      {{.address = "nowhere"}, Code::kInvalidInput},
      {{.address = "203.0.113.7"}, Code::kStorage},
      {{.tls = TlsFiles{scratch / "absent", scratch / "key.pem"}}, Code::kInvalidInput},
      {{.tls = TlsFiles{scratch / "certificate.pem", scratch / "certificate.pem"}},
       Code::kInvalidInput},
  };
  for (const auto& tried : kCases) {
    const auto server = Server::listen(tried.options, handler);
    ASSERT_FALSE(server.has_value());
    EXPECT_EQ(server.error().code, tried.code) << server.error().message;
  }
  Options options;
  EXPECT_TRUE(parse_listen("[::1]:80", options));
  EXPECT_EQ(options.address, "::1");
  for (const char* text : {"", "8080", ":80", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536"}) {
    EXPECT_FALSE(parse_listen(text, options)) << text;
  }
}

// The world's words are for the log; the caller's own are for the caller.
TEST(Http, ErrorsOfTheWorldAreConstant) {
  for (const CodeFacts& facts : all_codes()) {
    const Response response = refuse(Error{facts.code, "row 17 holds 'Bob'"});
    EXPECT_EQ(response.status, facts.http_status);
    const bool is_shown = response.body.find("Bob") != response.body.npos;
    EXPECT_EQ(is_shown, facts.exit_status < 5) << facts.name;
  }
}

}  // namespace
}  // namespace discreet::server::http::http_test
