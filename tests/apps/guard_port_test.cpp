// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear guard as a controller on the network meets it: whom it answers, what it ignores, and
// that it brakes when anything falls silent.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cmath>
#include <functional>

#include "guard_run.hpp"
#include "keepclear/message.hpp"

namespace keepclear::test {
namespace {

/// A controller: one socket, its own source and sequence.
class Controller {
 public:
  Controller(std::uint16_t port, std::uint64_t world) : world_(world) {
    socket_ = ::socket(AF_INET, SOCK_DGRAM, 0);
    guard_.sin_family = AF_INET;
    guard_.sin_port = htons(port);
    guard_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  }
  ~Controller() { ::close(socket_); }
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  std::vector<std::byte> state(std::uint64_t sequence, double slide = 3) const {
    const double v = 0;
    StateMessage message;
    message.source = source;
    message.sequence = sequence;
    message.world = world_;
    message.time = 0.001 * static_cast<double>(sequence);
    message.q = {&slide, 1};
    message.v = {&v, 1};
    std::vector<std::byte> bytes(state_bytes(1));
    EXPECT_EQ(encode(message, bytes), bytes.size());
    return bytes;
  }
  void send(const std::vector<std::byte>& bytes) const {
    ::sendto(socket_, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&guard_),
             sizeof guard_);
  }
  /// False if nothing comes for that long.
  bool receive(VerdictMessage& verdict, int milliseconds) const {
    pollfd waiting = {socket_, POLLIN, 0};
    if (::poll(&waiting, 1, milliseconds) <= 0) return false;
    std::array<std::byte, 200> bytes;
    const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), 0);
    EXPECT_EQ(decode(std::span(bytes).first(static_cast<std::size_t>(got)), verdict),
              MessageFault::none);
    return true;
  }
  VerdictMessage ask(std::uint64_t sequence, double slide = 3) const {
    send(state(sequence, slide));
    VerdictMessage verdict;
    // On a machine that is busy the watchdog may have its say about the state before.
    do {
      if (!receive(verdict, 30'000)) break;
    } while (verdict.sequence != sequence && verdict.action == Action::brake);
    EXPECT_EQ(verdict.sequence, sequence);
    EXPECT_EQ(verdict.source, source);
    return verdict;
  }

  std::uint64_t source = 77;

 private:
  int socket_ = -1;
  sockaddr_in guard_ = {};
  std::uint64_t world_;
};

class GuardPort : public GuardCommand {
 protected:
  static std::uint16_t port_of(const std::string& line) {
    return static_cast<std::uint16_t>(std::stoi(line.substr(line.rfind(':') + 1)));
  }
  std::uint64_t tag() const {
    const std::string hash = json::parse(run({"info", rail_, "--json"}).out)["hash"];
    return world_tag(hash);
  }
  static std::uint16_t code(LinkReason reason) { return static_cast<std::uint16_t>(reason); }
};

TEST_F(GuardPort, AnswersItsControllerAndNobodyElse) {
  Live live(words({"--udp", "127.0.0.1:0", "--json"}));
  const std::uint16_t port = port_of(live.error_line());
  ASSERT_GT(port, 0);
  expect_error(guard({"--udp", "127.0.0.1:" + std::to_string(port)}), 66,
               "Address already in use; is another guard running?");
  const std::uint64_t world = tag();
  const Controller controller(port, world);
  const VerdictMessage first = controller.ask(1);
  EXPECT_EQ(first.action, Action::brake) << "a guard that starts says brake";
  EXPECT_EQ(first.reason, code(LinkReason::restarted));
  for (std::uint64_t i = 2; i < 6; ++i) EXPECT_EQ(controller.ask(i).action, Action::go) << i;
  EXPECT_NEAR(controller.ask(6).bound, 2, 1);

  // None of these is a state of the controller: no answer, and nothing taken from it.
  VerdictMessage verdict;
  const Controller second(port, world);
  Controller other_source(port, world), other_world(port, world + 1);
  other_source.source = 78;
  second.send(second.state(7));
  other_source.send(other_source.state(7));
  other_world.send(other_world.state(7));
  controller.send(controller.state(6));
  controller.send(controller.state(3));
  controller.send(controller.state(0));
  std::vector<std::byte> flipped = controller.state(7);
  flipped[60] ^= std::byte{16};
  controller.send(flipped);
  controller.send({});
  controller.send(std::vector<std::byte>(60'000));
  for (const Controller& sender :
       {std::cref(controller), std::cref(second), std::cref<Controller>(other_source),
        std::cref<Controller>(other_world)}) {
    EXPECT_FALSE(sender.receive(verdict, 20));
  }
  EXPECT_EQ(controller.ask(7).action, Action::go);

  EXPECT_EQ(controller.ask(9).reason, code(LinkReason::lost));
  EXPECT_EQ(controller.ask(10).action, Action::go);
  EXPECT_EQ(controller.ask(111).reason, code(LinkReason::lost));
  EXPECT_EQ(controller.ask(112, std::nan("")).reason, static_cast<int>(Reason::not_finite));

  live.signal(SIGTERM);
  ASSERT_TRUE(controller.receive(verdict, 30'000));
  EXPECT_EQ(verdict.action, Action::brake);
  EXPECT_EQ(verdict.reason, code(LinkReason::stopped));
  const json summary = live.rest().back()["summary"];
  EXPECT_EQ(summary["cycles"], 11);
  EXPECT_EQ(summary["brakes"], 3);
  EXPECT_EQ(summary["starting"], 1);
  EXPECT_EQ(summary["foreign"], 2);
  EXPECT_EQ(summary["wrong_world"], 1);
  EXPECT_EQ(summary["old"], 3);
  EXPECT_EQ(summary["corrupted"], 3);
  EXPECT_EQ(summary["lost"], 101);
  EXPECT_EQ(live.wait(), 1);
}

TEST_F(GuardPort, BrakesWhenStatesStopComing) {
  Live live(words({"--udp", "127.0.0.1:0", "--json", "--deadline", "0.1", "--max-lost", "1"}));
  const Controller controller(port_of(live.error_line()), tag());
  VerdictMessage verdict;
  std::uint64_t sequence = 0;
  do {
    ASSERT_LT(sequence, 1000U);
    verdict = controller.ask(sequence += 2);
  } while (verdict.action != Action::go);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(controller.receive(verdict, 30'000)) << "said again until states come";
    EXPECT_EQ(verdict.action, Action::brake);
    EXPECT_EQ(verdict.reason, code(LinkReason::no_state));
    EXPECT_EQ(verdict.sequence, sequence);
    EXPECT_EQ(verdict.cycle, sequence / 2);
  }
  live.signal(SIGINT);
  EXPECT_GE(live.rest().back()["summary"]["watchdog"].get<int>(), 1);
  EXPECT_EQ(live.wait(), 1);
}

TEST_F(GuardPort, StatesThatWaitedForLongerThanTheDeadlineBrake) {
  Live live(words({"--udp", "127.0.0.1:0", "--json", "--deadline", "0.2"}));
  const Controller controller(port_of(live.error_line()), tag());
  std::uint64_t sequence = 0;
  const auto until_go = [&] {
    do {
      ASSERT_LT(++sequence, 1000U);
    } while (controller.ask(sequence).action != Action::go);
  };
  until_go();
  live.pause();
  const std::uint64_t last = sequence + 20;
  while (sequence < last) controller.send(controller.state(++sequence));
  ::usleep(400'000);
  live.go_on();
  VerdictMessage verdict;
  do {
    ASSERT_TRUE(controller.receive(verdict, 30'000));
    EXPECT_EQ(verdict.action, Action::brake) << verdict.sequence;
    EXPECT_EQ(verdict.reason, code(LinkReason::no_state)) << verdict.sequence;
  } while (verdict.cycle < last);
  until_go();
}

TEST_F(GuardPort, BrakesWhenItsOwnLoopHangs) {
  // Nobody reads what it prints: at some point it waits for that, in the middle of a cycle.
  Live live(words({"--udp", "127.0.0.1:0", "--json", "--deadline", "0.2"}));
  const Controller controller(port_of(live.error_line()), tag());
  VerdictMessage verdict;
  std::uint64_t sequence = 0;
  do {
    ASSERT_LT(++sequence, 20'000U);
    controller.send(controller.state(sequence));
    ASSERT_TRUE(controller.receive(verdict, 30'000));
  } while (verdict.sequence == sequence);
  EXPECT_EQ(verdict.action, Action::brake);
  EXPECT_EQ(verdict.reason, code(LinkReason::no_state));
  live.signal(SIGTERM);
  EXPECT_EQ(live.wait(), 1) << "and it can still be stopped";
}

}  // namespace
}  // namespace keepclear::test
