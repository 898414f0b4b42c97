// SPDX-License-Identifier: BSD-3-Clause
//
// cpp-httplib reads requests and writes answers; sockets, threads and patience are ours. It only
// meets requests that are whole and have been judged: its reader has no limits of its own.
#include "view_gate.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <httplib.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "keepclear/error.hpp"
#include "output.hpp"
#include "view_request.hpp"

namespace keepclear::command {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostVisitors = 160;
constexpr int kMostRequests = 1000;  ///< of a connection
constexpr int kBacklog = 128;
constexpr std::size_t kLarge = std::size_t{64} << 10, kPiece = std::size_t{64} << 10;
constexpr int kMostLarge = 4, kSendBuffer = 128 << 10;
/// For the first byte of a request, for the rest of its head, for each piece of a body or an
/// answer, for an answer as a whole.
constexpr milliseconds kIdle{15'000}, kHeadTime{5'000}, kPieceTime{5'000}, kAnswerTime{120'000};
/// Bytes a second that a body has to come with.
constexpr std::size_t kSlowest = std::size_t{256} << 10;
/// Nobody has to go who has just come.
constexpr milliseconds kGrace{100};
/// To read on after a refusal, so that it arrives.
constexpr milliseconds kLinger{300};
constexpr std::size_t kMostLingered = std::size_t{1} << 20;

Clock::rep ticks() {
  return std::max<Clock::rep>(Clock::now().time_since_epoch().count(), 1);
}

/// False when the time is over, or the connection.
bool ready(int socket, short event, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(until - Clock::now()).count();
    if (left < 0) return false;
    pollfd waiting = {socket, event, 0};
    const int found = ::poll(&waiting, 1, static_cast<int>(left) + 1);
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) return false;
  }
}

}  // namespace

Reply reply(std::string body, std::string type) {
  return {.type = std::move(type), .body = std::make_shared<const std::string>(std::move(body))};
}

Reply refuse(int status, std::string_view why) {
  Reply answer = reply(fmt::format("{{\"error\":{}}}\n", json_string(why)));
  answer.status = status;
  return answer;
}

/// What httplib sees of a connection: one whole request to read, and somewhere to write to.
class Gate::Connection : public httplib::Stream {
 public:
  explicit Connection(Visitor& visitor) : visitor_(visitor) { current_ = this; }
  ~Connection() override { current_ = nullptr; }

  /// That of the thread.
  static Connection& current() { return *current_; }

  enum class Got { request, nothing, too_long, too_slow };
  /// The head of the next request, with its empty line.
  Got read_head(std::string& head) {
    Clock::time_point until = Clock::now() + kIdle;
    bool begun = false;
    for (;;) {
      if (!pending_.empty() && !std::exchange(begun, true)) until = Clock::now() + kHeadTime;
      const std::size_t end = pending_.find("\r\n\r\n");
      if (end != std::string::npos && end + 4 <= kMaxHead) {
        head = pending_.substr(0, end + 4);
        pending_.erase(0, end + 4);
        return Got::request;
      }
      if (pending_.size() > kMaxHead) return Got::too_long;
      if (!fill(until)) return begun && !gone_ ? Got::too_slow : Got::nothing;
    }
  }

  bool read_body(std::size_t size, std::string& body) {
    const auto patience = kPieceTime + milliseconds(1000 * size / kSlowest);
    const Clock::time_point until = Clock::now() + patience;
    while (pending_.size() < size) {
      if (!fill(until)) return false;
    }
    if (pending_.size() == size) {
      body = std::exchange(pending_, {});
      return true;
    }
    body = pending_.substr(0, size);
    pending_.erase(0, size);
    return true;
  }
  bool has_pending() const { return !pending_.empty(); }

  /// What the next calls of read() give.
  void set_request(std::string request) {
    request_ = std::move(request);
    read_ = 0;
    answer_until_ = Clock::now() + kAnswerTime;
  }
  /// This answer goes on for as long as someone reads it.
  void set_endless() { answer_until_ = Clock::time_point::max(); }
  /// A write failed or the answer was a refusal: nothing more is to be read.
  bool is_over() const { return gone_; }
  void end() { gone_ = true; }

  /// So that the other side gets to read the last answer, although it may still be sending.
  void linger() {
    ::shutdown(visitor_.socket, SHUT_WR);
    const Clock::time_point until = Clock::now() + kLinger;
    char bytes[4096];
    for (std::size_t sum = 0; sum < kMostLingered && ready(visitor_.socket, POLLIN, until);) {
      const ssize_t got = ::recv(visitor_.socket, bytes, sizeof bytes, MSG_DONTWAIT);
      if (got <= 0) break;
      sum += static_cast<std::size_t>(got);
    }
  }

  bool is_readable() const override { return read_ < request_.size(); }
  bool is_writable() const override { return !gone_; }
  ssize_t read(char* bytes, size_t size) override {
    const std::size_t count = std::min(size, request_.size() - read_);
    std::memcpy(bytes, request_.data() + read_, count);
    read_ += count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* bytes, size_t size) override {
    const Clock::time_point until = std::min(Clock::now() + kPieceTime, answer_until_);
    for (std::size_t sent = 0; sent < size && !gone_;) {
      const ssize_t done = ::send(visitor_.socket, bytes + sent, std::min(size - sent, kPiece),
                                  MSG_NOSIGNAL | MSG_DONTWAIT);
      if (done > 0) {
        sent += static_cast<std::size_t>(done);
      } else if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        visitor_.blocked = ticks();
        if (!ready(visitor_.socket, POLLOUT, until)) gone_ = true;
        visitor_.blocked = 0;
      } else if (done == 0 || errno != EINTR) {
        gone_ = true;
      }
    }
    return gone_ ? -1 : static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { ip = "", port = 0; }
  void get_local_ip_and_port(std::string& ip, int& port) const override { ip = "", port = 0; }
  socket_t socket() const override { return visitor_.socket; }

 private:
  bool fill(Clock::time_point until) {
    if (gone_ || !ready(visitor_.socket, POLLIN, until)) return false;
    const std::size_t before = pending_.size();
    pending_.resize(before + kPiece);
    const ssize_t got = ::recv(visitor_.socket, pending_.data() + before, kPiece, MSG_DONTWAIT);
    pending_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    gone_ = got <= 0;
    return !gone_;
  }

  static thread_local Connection* current_;
  Visitor& visitor_;
  std::string pending_;  ///< what came in and is not read yet
  std::string request_;
  std::size_t read_ = 0;
  Clock::time_point answer_until_{};
  bool gone_ = false;
};

thread_local Gate::Connection* Gate::Connection::current_ = nullptr;

/// Routes and answers. Its own loop is never run.
class Gate::Http : public httplib::Server {
 public:
  Http(int listener, const std::vector<Route>& routes) {
    svr_sock_ = listener;
    keep_alive_max_count_ = kMostRequests;
    keep_alive_timeout_sec_ = kIdle.count() / 1000;
    httplib::Headers headers;
    std::string_view lines = common_headers();
    while (!lines.empty()) {
      const std::size_t colon = lines.find(':'), end = lines.find("\r\n");
      headers.emplace(lines.substr(0, colon), lines.substr(colon + 2, end - colon - 2));
      lines.remove_prefix(end + 2);
    }
    set_default_headers(headers);
    for (const Route& route : routes) {
      const auto handler = [&route](const httplib::Request& asked, httplib::Response& to) {
        send(answer_of(route, asked), to);
      };
      // Patterns are regular expressions; the gate has compared the path already.
      const std::string pattern = std::regex_replace(route.path, std::regex("\\."), "\\.");
      route.method == "GET" ? Get(pattern, handler) : Post(pattern, handler);
    }
  }

  /// False: the connection is to be closed.
  bool answer(Connection& connection, bool last) {
    bool closed = false;
    return process_request(connection, last, closed, nullptr) && !closed;
  }
  /// Answers without an end come to one.
  void stop_answers() { svr_sock_ = INVALID_SOCKET; }

 private:
  static Reply answer_of(const Route& route, const httplib::Request& asked) {
    try {
      return route.answer({asked.get_param_value("name"), asked.body});
    } catch (const Error& error) {
      const bool ours = error.kind() == Error::Kind::internal;
      return refuse(ours ? 500 : 400, error.what());
    } catch (const std::bad_alloc&) {
      return refuse(503, "out of memory");
    } catch (const std::exception& error) {
      return refuse(500, error.what());
    }
  }

  static void send(Reply answer, httplib::Response& to) {
    to.status = answer.status;
    if (answer.next) {
      Connection::current().set_endless();
      to.set_chunked_content_provider(answer.type,
                                      [next = std::move(answer.next), text = std::string()](
                                          std::size_t, httplib::DataSink& sink) mutable {
                                        text.clear();
                                        if (!next(text)) {
                                          sink.done();
                                          return true;
                                        }
                                        return text.empty() || sink.write(text.data(), text.size());
                                      });
      return;
    }
    if (!answer.body || answer.body->empty()) return;
    // Not copied: those who do not read theirs take no memory for it.
    to.set_content_provider(
        answer.body->size(), answer.type,
        [body = answer.body](std::size_t at, std::size_t left, httplib::DataSink& sink) {
          return sink.write(body->data() + at, std::min(left, kPiece));
        });
  }
};

Gate::Gate(int port) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int yes = 1;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  // For a port on which connections of an earlier run are still closing; one that is listened on
  // stays taken.
  if (listener_ < 0 || ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(listener_, plain, size) != 0 || ::listen(listener_, kBacklog) != 0 ||
      ::getsockname(listener_, plain, &size) != 0) {
    const int code = errno;
    if (listener_ >= 0) ::close(listener_);
    throw Error(Error::Kind::write, "", 0,
                fmt::format("cannot listen on 127.0.0.1:{}: {}", port,
                            std::generic_category().message(code)),
                "--port 0 takes one that is free");
  }
  port_ = ntohs(address.sin_port);
}

Gate::~Gate() {
  ::close(listener_);
}

void Gate::run(std::vector<Route> routes, const StopSignals& stop) {
  routes_ = std::move(routes);
  http_ = std::make_unique<Http>(listener_, routes_);
  while (!stop.came()) {
    if (stop.wait(listener_, std::chrono::seconds(1))) admit();
  }
}

void Gate::admit() {
  const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket < 0) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      const std::lock_guard lock(mutex_);
      drop_slowest();
      std::this_thread::sleep_for(milliseconds(10));
    }
    return;
  }
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  // A large buffer tells of progress by the megabyte: a slow reader would look like none.
  ::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
  const auto turn_away = [&] {
    const std::string text = refusal_answer({503, "too many connections"});
    ::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::close(socket);
  };
  std::unique_lock lock(mutex_);
  const Clock::time_point until = Clock::now() + 2 * kGrace;
  while (visitors_.size() >= kMostVisitors && Clock::now() < until) {
    drop_slowest();
    left_.wait_for(lock, milliseconds(20));
  }
  if (visitors_.size() >= kMostVisitors) return turn_away();
  const auto visitor = visitors_.emplace(visitors_.end());
  visitor->socket = socket;
  try {
    std::thread([this, visitor] {
      serve(*visitor);
      // Whoever looks at visitors holds the lock: a socket of theirs is open.
      const std::lock_guard leaving(mutex_);
      ::close(visitor->socket);
      visitors_.erase(visitor);
      left_.notify_all();
    }).detach();
  } catch (const std::system_error&) {
    visitors_.erase(visitor);
    turn_away();
  }
}

/// With the lock. False: all are busy, or have just come.
bool Gate::drop_slowest() {
  Visitor* slowest = nullptr;
  for (Visitor& visitor : visitors_) {
    const Clock::rep since = visitor.blocked;
    if (since != 0 && (slowest == nullptr || since < slowest->blocked)) slowest = &visitor;
  }
  const Clock::duration grace = kGrace;
  if (slowest == nullptr || ticks() - slowest->blocked < grace.count()) return false;
  ::shutdown(slowest->socket, SHUT_RDWR);
  slowest->blocked = 0;
  return true;
}

const Route* Gate::route_of(const std::string& method, const std::string& path, int& status) const {
  status = 404;
  for (const Route& route : routes_) {
    if (route.path != path) continue;
    if (route.method == method || (method == "HEAD" && route.method == "GET")) return &route;
    status = 405;
  }
  return nullptr;
}

void Gate::serve(Visitor& visitor) {
  Connection connection(visitor);
  const auto turn_away = [&](const Refusal& refusal) {
    const std::string text = refusal_answer(refusal);
    connection.set_request({});
    connection.write(text.data(), text.size());
    connection.linger();
  };
  using Got = Connection::Got;
  for (int count = 1; count <= kMostRequests && !closing_; ++count) {
    visitor.blocked = ticks();
    std::string text, body;
    const Got got = connection.read_head(text);
    if (got == Got::nothing) return;
    if (got == Got::too_long) return turn_away({431, "the head is too long"});
    if (got == Got::too_slow) return turn_away({408, "too slow"});
    RequestHead head;
    if (const auto refusal = judge(text, head)) return turn_away(*refusal);
    int status = 0;
    const Route* const route = route_of(head.method, head.path, status);
    if (route == nullptr) {
      return turn_away({status, status == 404 ? "there is nothing here" : "not this method"});
    }
    if (head.length > route->most) {
      return turn_away({413, fmt::format("at most {} bytes", route->most)});
    }
    const bool large = head.length > kLarge;
    if (large && ++large_ > kMostLarge) {
      --large_;
      return turn_away({503, "busy: ask again in a moment"});
    }
    if (head.waits && head.length > 0 && !connection.has_pending()) {
      constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
      connection.set_request({});
      connection.write(kGoOn.data(), kGoOn.size());
    }
    const bool whole = connection.read_body(head.length, body);
    if (!whole) {
      if (large) --large_;
      return turn_away({408, "the body did not come"});
    }
    visitor.blocked = 0;
    head.close = head.close || count == kMostRequests;
    connection.set_request(plain_head(head) + body);
    body = {};
    const bool goes_on = http_->answer(connection, head.close);
    if (large) --large_;
    if (!goes_on || connection.is_over()) return;
  }
}

bool Gate::close() {
  closing_ = true;
  if (http_) http_->stop_answers();
  std::unique_lock lock(mutex_);
  for (const Visitor& visitor : visitors_) ::shutdown(visitor.socket, SHUT_RDWR);
  return left_.wait_for(lock, std::chrono::seconds(2), [this] { return visitors_.empty(); });
}

}  // namespace keepclear::command
