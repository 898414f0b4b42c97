// SPDX-License-Identifier: BSD-3-Clause
//
// A cart on a rail, guarded: the command run to its end, or beside the test.
#pragma once

#include <poll.h>

#include <csignal>
#include <utility>

#include "run.hpp"

namespace keepclear::test {

using nlohmann::json;

/// Two balls of radius 0.5 on a rail: their distance is |slide| - 1.
inline constexpr const char* kRail = R"(<robot name="rail">
  <link name="stop"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
  <link name="axle"/>
  <link name="cart"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
  <joint name="slide" type="prismatic"><parent link="stop"/><child link="axle"/>
    <axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="1" velocity="9"/></joint>
  <joint name="mount" type="fixed"><parent link="axle"/><child link="cart"/></joint></robot>)";

/// For the rail: a tray of 0.4 x 0.4 x 0.1 that stands turned, a wall whose face is at z = 3, and a
/// ball where nothing comes.
inline constexpr const char* kTray = R"({"objects": [
  {"name": "ball", "shape": "sphere", "radius": 0.1, "pose": {"xyz": [-4, 0, 1]}},
  {"name": "wall", "shape": "box", "size": [4, 4, 1], "pose": {"xyz": [0, 0, 3.5]}},
  {"name": "tray", "shape": "box", "size": [0.4, 0.4, 0.1],
   "pose": {"xyz": [5, 1, 2], "rpy": [0, 0, 1]}}]})";

/// Upwards from z = 2, in two seconds.
inline std::string tray_motion(const std::string& z, const std::string& object = "tray") {
  return R"({"kind": "poses", "object": ")" + object +
         R"(", "times": [0, 2], "poses": [{"xyz": [0, 0, 2]}, {"xyz": [0, 0, )" + z + "]}]}";
}

/// Nothing speeds up: a cart that stands is free however long the latency is.
inline constexpr const char* kStill =
    R"({"latency": 20, "default": {"max_acceleration": 0, "brake_deceleration": 10}})";

inline constexpr const char* kHeader = "time,q.slide,v.slide\n";

/// The command, running beside the test.
class Live {
 public:
  explicit Live(std::vector<std::string> words) {
    words.insert(words.begin(), KEEPCLEAR_COMMAND);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int in[2], out[2], err[2];
    // Another one that runs beside must not keep these open.
    for (int* ends : {in, out, err}) {
      if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    }
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(in[0], 0), ::dup2(out[1], 1), ::dup2(err[1], 2);
      for (const int* ends : {in, out, err}) ::close(ends[0]), ::close(ends[1]);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::close(in[0]), ::close(out[1]), ::close(err[1]);
    in_ = in[1], out_ = out[0], err_ = err[0];
  }
  ~Live() {
    if (child_ > 0) ::kill(child_, SIGKILL), wait();
    for (const int end : {in_, out_, err_}) ::close(end);
  }
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  void say(const std::string& text) const {
    EXPECT_EQ(::write(in_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close_input() { ::close(in_), in_ = -1; }
  void close_output() { ::close(out_), out_ = -1; }
  void signal(int number) const { ::kill(child_, number); }
  /// Waits until a signal no longer kills it. (Before that it has nothing to say about one.) Who
  /// begins a thread blocks all signals for a moment: that is not meant.
  void wait_until_blocked(int number) const {
    const std::string name = "/proc/" + std::to_string(child_) + "/status";
    for (int tries = 0; tries < 3000; ++tries, ::usleep(10'000)) {
      const std::string status = slurp(name);
      const std::size_t blocked = status.find("SigBlk:");
      if (blocked == std::string::npos) continue;
      const unsigned long long mask = std::stoull(status.substr(blocked + 7), nullptr, 16);
      const auto blocks = [&](int signal) { return (mask >> (signal - 1) & 1) != 0; };
      if (blocks(number) && !blocks(SIGUSR1)) return;
    }
    ADD_FAILURE() << "it blocks no signal";
  }
  /// Stops it, and what is said meanwhile waits.
  void pause() const {
    int status = 0;
    ::kill(child_, SIGSTOP);
    ::waitpid(child_, &status, WUNTRACED);
    EXPECT_TRUE(WIFSTOPPED(status));
  }
  void go_on() const { ::kill(child_, SIGCONT); }
  std::string line() { return next(out_, pending_); }
  std::string error_line() { return next(err_, pending_error_); }
  json answer() { return json::parse(line(), nullptr, false); }
  /// What is left of the output, read until it ends.
  std::vector<json> rest() {
    std::string text;
    for (std::string one; !(one = line()).empty();) text += one + "\n";
    return json_lines(text);
  }
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(child_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  /// Empty at the end, and after half a minute.
  static std::string next(int end, std::string& pending) {
    for (;;) {
      if (const std::size_t stop = pending.find('\n'); stop != std::string::npos) {
        const std::string line = pending.substr(0, stop);
        pending.erase(0, stop + 1);
        return line;
      }
      pollfd waiting = {end, POLLIN, 0};
      char bytes[4096];
      if (::poll(&waiting, 1, 30'000) <= 0) return {};
      const ssize_t got = ::read(end, bytes, sizeof bytes);
      if (got <= 0) return {};
      pending.append(bytes, static_cast<std::size_t>(got));
    }
  }

  pid_t child_ = -1;
  int in_ = -1, out_ = -1, err_ = -1;
  std::string pending_, pending_error_;
};

class GuardCommand : public testing::Test {
 protected:
  std::vector<std::string> words(std::vector<std::string> more, bool still = true) const {
    more.insert(more.begin(), {"guard", rail_});
    if (still) more.insert(more.end(), {"--brake", still_});
    return more;
  }
  Result guard(const std::vector<std::string>& more, bool still = true) const {
    return run(words(more, still));
  }
  std::string states(const std::string& text) const { return folder_.write("states.csv", text); }
  /// The lines of a replay, the summary last.
  std::vector<json> replay(const std::string& text, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--replay", states(text), "--json", "--quiet"});
    const Result result = guard(more);
    EXPECT_LE(result.code, 1) << result.err;
    EXPECT_EQ(result.err, "");
    return json_lines(result.out);
  }

  const TempFolder folder_;
  const std::string rail_ = folder_.write("rail.urdf", kRail);
  const std::string still_ = folder_.write("still.json", kStill);
};

}  // namespace keepclear::test
