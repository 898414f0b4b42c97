// SPDX-License-Identifier: BSD-3-Clause
//
// A port of this machine that answers HTTP, and that nobody can keep from answering others. A
// thread a connection, as many as there are connections up to a limit; beyond it, whoever has kept
// a thread waiting for longest has to go.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "guard_live.hpp"

namespace keepclear::command {

struct Question {
  std::string name;  ///< ?name=...
  std::string body;
};

struct Reply {
  int status = 200;
  std::string type = "application/json";
  std::shared_ptr<const std::string> body{};
  /// In place of a body: waits for what comes next, a second at most; false ends the answer.
  std::function<bool(std::string&)> next{};
};
Reply reply(std::string body, std::string type = "application/json");
/// {"error": why}
Reply refuse(int status, std::string_view why);

struct Route {
  std::string method, path;
  std::size_t most = 0;  ///< bytes of a body
  std::function<Reply(const Question&)> answer;
};

class Gate {
 public:
  /// Takes 127.0.0.1:port; 0: any port. Who asks already waits for run(). Throws Error (write).
  explicit Gate(int port);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  int port() const noexcept { return port_; }
  /// Answers until a signal comes.
  void run(std::vector<Route> routes, const StopSignals& stop);
  /// Ends all connections. False if some answer is still worked on after a moment: then the program
  /// must end without taking this object apart.
  bool close();

 private:
  class Http;
  class Connection;
  struct Visitor {
    int socket = -1;
    /// Since when it has kept its thread waiting; 0: it does not.
    std::atomic<Clock::rep> blocked = 0;
  };

  void admit();
  void serve(Visitor& visitor);
  /// What is wrong with a request whose head is fine.
  const Route* route_of(const std::string& method, const std::string& path, int& status) const;
  bool drop_slowest();

  std::vector<Route> routes_;
  std::unique_ptr<Http> http_;
  int listener_ = -1, port_ = 0;
  std::mutex mutex_;
  std::condition_variable left_;
  std::list<Visitor> visitors_;
  std::atomic<bool> closing_ = false;
  std::atomic<int> large_ = 0;  ///< large bodies that are being read
};

}  // namespace keepclear::command
