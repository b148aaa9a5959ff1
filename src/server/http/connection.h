// SPDX-License-Identifier: Apache-2.0
// One client's connection: reads a request, hands it over, writes the response, and again. All of
// it happens in the thread of input and output. Internal to this folder.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "server/http/boost.h"
#include "server/http/server.h"

namespace discreet::server::http {

namespace net = boost::asio;
namespace beast = boost::beast;
using net::ip::tcp;

class ConnectionBase;

/// What all connections of a server share.
struct Hub {
  explicit Hub(Options given, Handler on_request);

  /// 16 digits of this server and 16 of this request.
  std::string next_id();
  void enter(ConnectionBase* connection);
  void leave(ConnectionBase* connection);
  void log(const Request* request, int status, std::chrono::steady_clock::time_point start) const;

  /// Whether one more is welcome from there; another one may have to give way (H6).
  bool has_room(const std::string& peer);
  /// Hands a request to the pool that takes it. False: too many wait there.
  bool hand_over(Request request, Reply reply);
  /// Lets none wait for a request any more, or drops all.
  void finish_connections(bool at_once);

  const Options options;
  const Handler handler;
  net::io_context io{1};
  /// Threads, and the requests that wait for them (H7).
  struct Crew {
    explicit Crew(const Pool& given) : pool(given), threads(given.workers) {}
    const Pool pool;
    struct Waiting {
      Request request;
      Reply reply;
    };
    std::mutex mutex;                                    // guards the next three
    std::map<std::string, std::deque<Waiting>> waiting;  // by address; none is empty
    std::list<std::string> turns;                        // of those: whose is first
    std::size_t size = 0;                                // of all of them
    net::thread_pool threads;
  };
  std::list<Crew> crews;  ///< the last one takes everything
  std::atomic<std::size_t> connection_count{0};
  std::atomic<std::size_t> body_bytes{0};  ///< of all requests that were not answered yet
  bool is_stopping = false;                ///< read and written by the thread of input and output
  std::atomic<bool> is_closed{false};      ///< that thread has ended

 private:
  std::mutex mutex_;  // guards the next two: the last to hold a connection may be a worker
  std::set<ConnectionBase*> connections_;
  std::map<std::string, std::size_t> peers_;
  std::uint64_t born_ = 0;
  std::string prefix_;
  std::uint64_t requests_ = 0;

  void run_next(Crew& crew);
};

class ConnectionBase {
 public:
  ConnectionBase(std::shared_ptr<Hub> hub, std::string peer);
  ConnectionBase(const ConnectionBase&) = delete;
  ConnectionBase& operator=(const ConnectionBase&) = delete;
  virtual ~ConnectionBase();

  const std::string& peer() const { return peer_; }
  bool is_stranger() const { return !is_known_ && !gives_way_; }
  /// Ends it, for another one. In the thread of input and output.
  void give_way() {
    gives_way_ = true;
    abort();
  }
  /// Closes it if it waits for a request; else it closes after its response.
  virtual void finish() = 0;
  virtual void abort() = 0;

 protected:
  bool is_overdue() const;

  std::shared_ptr<Hub> hub_;
  const std::string peer_;
  std::atomic<bool> is_known_{false};

 private:
  friend struct Hub;
  const std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  std::uint64_t born_ = 0;  // in which order they came
  bool gives_way_ = false;
};

/// Starts a connection; it keeps itself alive.
void start_plain(std::shared_ptr<Hub> hub, tcp::socket socket, std::string peer);
void start_tls(std::shared_ptr<Hub> hub, tcp::socket socket, std::string peer,
               net::ssl::context& context);

}  // namespace discreet::server::http
