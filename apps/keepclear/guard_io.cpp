// SPDX-License-Identifier: BSD-3-Clause
//
// What a live guard has of the operating system: signals, priorities, a timer, a port.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstring>
#include <system_error>

#include "guard_live.hpp"
#include "keepclear/error.hpp"
#include "output.hpp"

namespace keepclear::command {

namespace {

constexpr int kPriority = 80;  ///< below the threads of the kernel that deliver interrupts

timespec timespec_of(Nanoseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  return {seconds.count(), (time - seconds).count()};
}

/// 127.0.0.0/8 and ::1, and nothing else.
bool is_loopback(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    sockaddr_in in = {};
    std::memcpy(&in, &address, sizeof in);
    return (ntohl(in.sin_addr.s_addr) >> 24) == 127;
  }
  sockaddr_in6 in6 = {};
  std::memcpy(&in6, &address, sizeof in6);
  return IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr);
}

/// HOST:PORT, [HOST]:PORT for IPv6. Numbers, and `localhost`: a name server has no say in who may
/// talk to a guard.
sockaddr_storage parse_address(const std::string& text, socklen_t& size) {
  const auto fail = [&](const std::string& what) {
    usage("--udp " + printable(text) + ": " + what, "write for example --udp 127.0.0.1:47600");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) fail("is not HOST:PORT");
  std::string host = text.substr(0, colon);
  const std::string digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (digits.empty() || error != std::errc() || stop != digits.data() + digits.size()) {
    fail("the port is not a number from 0 to 65535");
  }
  if (host == "localhost") host = "127.0.0.1";
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  sockaddr_storage address = {};
  sockaddr_in in = {};
  sockaddr_in6 in6 = {};
  if (::inet_pton(AF_INET, host.c_str(), &in.sin_addr) == 1) {
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    std::memcpy(&address, &in, sizeof in);
    size = sizeof in;
  } else if (::inet_pton(AF_INET6, host.c_str(), &in6.sin6_addr) == 1) {
    in6.sin6_family = AF_INET6;
    in6.sin6_port = htons(port);
    std::memcpy(&address, &in6, sizeof in6);
    size = sizeof in6;
  } else {
    fail("the host is no IP address");
  }
  return address;
}

std::string text_of(const sockaddr_storage& address) {
  char host[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_INET) {
    sockaddr_in in = {};
    std::memcpy(&in, &address, sizeof in);
    ::inet_ntop(AF_INET, &in.sin_addr, host, sizeof host);
    return fmt::format("{}:{}", host, ntohs(in.sin_port));
  }
  sockaddr_in6 in6 = {};
  std::memcpy(&in6, &address, sizeof in6);
  ::inet_ntop(AF_INET6, &in6.sin6_addr, host, sizeof host);
  return fmt::format("[{}]:{}", host, ntohs(in6.sin6_port));
}

}  // namespace

void ask_for_realtime(bool quiet) {
  const auto note = [&](const char* what, int code) {
    if (!quiet) {
      message(
          fmt::format("keepclear: note: {}: {}; the guard runs without\n", what, reason_of(code)));
    }
  };
  if (::mlockall(MCL_CURRENT | MCL_FUTURE) != 0) note("memory could not be locked", errno);
  sched_param priority = {};
  priority.sched_priority = kPriority;
  if (::sched_setscheduler(0, SCHED_FIFO, &priority) != 0) {
    note("no real-time priority (SCHED_FIFO)", errno);
  }
}

StopSignals::StopSignals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  descriptor_ = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) {
    throw Error(Error::Kind::internal, "", 0, "no signals: " + reason_of(errno));
  }
}

StopSignals::~StopSignals() {
  ::close(descriptor_);
}

bool StopSignals::came() const noexcept {
  pollfd waiting = {descriptor_, POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

bool StopSignals::wait(int descriptor, Nanoseconds most) const {
  pollfd waiting[2] = {{descriptor, POLLIN, 0}, {descriptor_, POLLIN, 0}};
  const timespec timeout = timespec_of(most);
  return ::ppoll(waiting, 2, &timeout, nullptr) > 0 && waiting[0].revents != 0;
}

void LiveOutput::wait(Clock::time_point until) const noexcept {
  pollfd waiting[2] = {{STDOUT_FILENO, POLLOUT, 0}, {stop_.descriptor(), POLLIN, 0}};
  const Nanoseconds most = std::max<Nanoseconds>(until - Clock::now(), Nanoseconds(0));
  const timespec timeout = timespec_of(most);
  ::ppoll(waiting, 2, &timeout, nullptr);
}

void LiveOutput::write(std::string_view lines) {
  const std::lock_guard lock(mutex_);
  while (!lines.empty()) {
    pollfd waiting[2] = {{STDOUT_FILENO, POLLOUT, 0}, {stop_.descriptor(), POLLIN, 0}};
    if (::poll(waiting, 2, -1) < 0 && errno != EINTR) waiting[0].revents = POLLOUT;
    if (waiting[0].revents == 0) {
      if (waiting[1].revents != 0) return;
      continue;
    }
    // A pipe that can be written to takes this many bytes without a wait.
    const ssize_t n =
        ::write(STDOUT_FILENO, lines.data(), std::min<std::size_t>(lines.size(), PIPE_BUF));
    if (n >= 0) {
      lines.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR && errno != EAGAIN) {
      throw Error(Error::Kind::write, "standard output", 0, "cannot write: " + reason_of(errno),
                  "the guard has stopped");
    }
  }
}

Watchdog::Watchdog(Nanoseconds deadline, std::function<void(bool)> brake)
    : deadline_(deadline), brake_(std::move(brake)), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  stop();
}

void Watchdog::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::watch() {
  // Above the thread that it watches, where that has a real-time priority at all.
  sched_param priority = {};
  int policy = 0;
  if (::pthread_getschedparam(::pthread_self(), &policy, &priority) == 0 && policy == SCHED_FIFO) {
    ++priority.sched_priority;
    ::pthread_setschedparam(::pthread_self(), policy, &priority);
  }
  Clock::rep expired = 0;
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const Clock::rep fed = fed_;
    const Clock::time_point now = Clock::now();
    Clock::time_point next = Clock::time_point(Clock::duration(fed)) + deadline_;
    if (fed == 0) {
      next = now + deadline_;
    } else if (now >= next) {
      const bool first = fed != expired;
      if (first) ++expiries_;
      expired = fed;
      lock.unlock();
      brake_(first);
      lock.lock();
      next = now + deadline_;
    }
    changed_.wait_until(lock, next, [this] { return stop_; });
  }
}

bool Peer::operator==(const Peer& other) const noexcept {
  return size == other.size && std::memcmp(&address, &other.address, size) == 0;
}

UdpPort::UdpPort(const std::string& text, bool allow_remote) {
  socklen_t size = 0;
  sockaddr_storage address = parse_address(text, size);
  if (!is_loopback(address) && !allow_remote) {
    usage("--udp " + printable(text) + ": others than this machine could send states",
          "give --allow-remote if the network is yours alone");
  }
  const auto fail = [&](int code) {
    if (socket_ >= 0) ::close(socket_);
    throw Error(Error::Kind::missing, "--udp " + printable(text), 0,
                "cannot be opened: " + reason_of(code),
                code == EADDRINUSE ? "is another guard running?" : "choose another port");
  };
  socket_ = ::socket(address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ < 0) fail(errno);
  // Without SO_REUSEADDR: a second guard on this port is refused.
  if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), size) != 0) fail(errno);
  if (::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) fail(errno);
  name_ = text_of(address);
}

UdpPort::~UdpPort() {
  ::close(socket_);
}

std::ptrdiff_t UdpPort::receive(std::span<std::byte> bytes, Peer& from) const noexcept {
  from = {};
  from.size = sizeof from.address;
  ssize_t got = 0;
  do {
    got = ::recvfrom(socket_, bytes.data(), bytes.size(), MSG_TRUNC,
                     reinterpret_cast<sockaddr*>(&from.address), &from.size);
  } while (got < 0 && errno == EINTR);
  if (got >= 0) return got;
  return errno == EAGAIN || errno == EWOULDBLOCK ? kNothing : kFailed;
}

bool UdpPort::send(std::span<const std::byte> bytes, const Peer& to) const noexcept {
  ssize_t sent = 0;
  do {
    sent = ::sendto(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                    reinterpret_cast<const sockaddr*>(&to.address), to.size);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes.size());
}

}  // namespace keepclear::command
