// SPDX-License-Identifier: BSD-3-Clause
//
// How a running guard shows itself: what is seen is what it said, nothing half written is seen,
// nobody can change it, and a reader survives whatever stands under the name.
#include "live_ring.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <random>
#include <thread>

#include "guard_run.hpp"
#include "keepclear/error.hpp"
#include "keepclear/world.hpp"

namespace keepclear::test {
namespace {

using command::LiveCycle;
using command::LiveCycles;
using command::LiveInfo;
using command::LiveReader;
using command::LiveRing;
using command::LiveTotals;
namespace fs = std::filesystem;

const std::string kHash(64, 'a');

LiveInfo info_of(std::size_t dof) {
  LiveInfo info;
  info.process = 7;
  info.world = kHash;
  info.margin = 0.25;
  info.budget = 1000;
  info.work_bound = 2000;
  info.brake.delays = BrakeDelays{.age = 0.001,
                                  .cycle = 0.002,
                                  .communication = 0.0005,
                                  .brake_reaction = 0.005,
                                  .missing_answer_noticed = MissingAnswer::end_of_cycle};
  info.brake.latency = latency_of(*info.brake.delays);
  info.brake.joints.resize(dof);
  for (std::size_t i = 0; i < dof; ++i) {
    info.brake.joints[i].max_acceleration = 1.5 + static_cast<double>(i);
    info.brake.joints[i].brake_deceleration = 9;
    info.brake.joints[i].stops = i % 2 == 1;
  }
  return info;
}

class LiveRingTest : public testing::Test {
 protected:
  std::string error_of(const std::function<void()>& call) const {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "";
  }
  std::string reading(const std::string& file) const {
    return error_of([&] { const LiveReader reader(file, kHash, 2, 9); });
  }
  /// A memory of ours with these words, under `file_`; the descriptor is to be closed.
  int forge(const std::vector<std::uint64_t>& words, int seals) const {
    const int memory = ::memfd_create("forged", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const std::size_t bytes = words.size() * sizeof words[0];
    EXPECT_EQ(::write(memory, words.data(), bytes), static_cast<ssize_t>(bytes));
    EXPECT_EQ(::fcntl(memory, F_ADD_SEALS, seals), 0);
    std::error_code ignored;
    fs::remove(file_, ignored);
    fs::create_symlink("/proc/self/fd/" + std::to_string(memory), file_);
    return memory;
  }
  /// The words of a ring of two joints, three solids and a few cycles.
  std::vector<std::uint64_t> words() const {
    LiveRing ring(file_, info_of(2), 8);
    const double q[] = {0.5, 1}, v[] = {0.25, 2};
    for (std::uint64_t i = 1; i <= 20; ++i) {
      ring.push({.cycle = i, .time = 1, .go = true, .a = 0, .b = 2, .bound = 3, .q = q, .v = v},
                {.cycles = i});
    }
    const std::string text = slurp(file_);
    std::vector<std::uint64_t> all(text.size() / 8);
    std::memcpy(all.data(), text.data(), text.size());
    return all;
  }
  static constexpr int kSealed = F_SEAL_SHRINK | F_SEAL_GROW;

  const TempFolder folder_;
  const std::string file_ = folder_.path() / "guard";
};

TEST_F(LiveRingTest, ShowsWhatWasPushed) {
  LiveRing ring(file_, info_of(2), 8);
  LiveReader reader(file_, kHash, 2, 9);
  EXPECT_EQ(reader.info().process, 7U);
  EXPECT_EQ(reader.info().brake, info_of(2).brake);
  EXPECT_EQ(reader.info().margin, 0.25);
  EXPECT_EQ(reader.info().budget, 1000U);
  EXPECT_EQ(reader.info().work_bound, 2000U);
  LiveCycles cycles;
  reader.read(cycles);
  EXPECT_EQ(cycles.size(), 0U);
  const double q[] = {0.5, -1}, v[] = {0.25, 2};
  const LiveCycle pushed{.cycle = 3,
                         .time = 1.5,
                         .go = true,
                         .reason = 4,
                         .a = 5,
                         .b = 6,
                         .bound = 0.125,
                         .scale = 0.75,
                         .flops = 77,
                         .nanoseconds = 88,
                         .q = q,
                         .v = v};
  ring.push(pushed, {.cycles = 3, .brakes = 2, .overruns = 1, .silences = 4});
  ring.push({.time = 1.5, .reason = 65}, {.cycles = 3, .brakes = 2, .overruns = 1, .silences = 5});
  reader.read(cycles);
  ASSERT_EQ(cycles.size(), 2U);
  const LiveCycle seen = cycles[0];
  EXPECT_EQ(seen.cycle, 3U);
  EXPECT_EQ(seen.time, 1.5);
  EXPECT_TRUE(seen.go);
  EXPECT_EQ(seen.reason, 4);
  EXPECT_EQ(seen.a, 5);
  EXPECT_EQ(seen.b, 6);
  EXPECT_EQ(seen.bound, 0.125);
  EXPECT_EQ(seen.scale, 0.75);
  EXPECT_EQ(seen.flops, 77U);
  EXPECT_EQ(seen.nanoseconds, 88);
  ASSERT_EQ(seen.q.size(), 2U);
  EXPECT_EQ(seen.q[1], -1);
  EXPECT_EQ(seen.v[0], 0.25);
  EXPECT_FALSE(cycles[1].go);
  EXPECT_TRUE(cycles[1].q.empty());
  EXPECT_EQ(reader.totals().brakes, 2U);
  EXPECT_EQ(reader.totals().silences, 5U);
  reader.read(cycles);
  EXPECT_EQ(cycles.size(), 0U);
}

TEST_F(LiveRingTest, WhoeverIsSlowMissesTheOldest) {
  LiveRing ring(file_, info_of(0), 8);
  LiveReader reader(file_, kHash, 0, 9);
  for (std::uint64_t i = 1; i <= 20; ++i) ring.push({.cycle = i}, {.cycles = i});
  LiveCycles cycles;
  reader.read(cycles);
  ASSERT_EQ(cycles.size(), 8U);
  EXPECT_EQ(cycles[0].cycle, 13U);
  EXPECT_EQ(cycles[7].cycle, 20U);
  EXPECT_EQ(reader.missed(), 12U);
}

TEST_F(LiveRingTest, NothingHalfWrittenIsEverSeen) {
  constexpr std::size_t kDof = 24;
  constexpr std::uint64_t kWrites = 100'000;
  LiveRing ring(file_, info_of(kDof), 4);
  LiveReader reader(file_, kHash, kDof, 1'000'000'000);
  std::atomic<bool> done = false;
  std::thread writer([&] {
    std::vector<double> q(kDof), v(kDof);
    for (std::uint64_t i = 1; i <= kWrites; ++i) {
      const auto number = static_cast<double>(i);
      std::ranges::fill(q, number);
      std::ranges::fill(v, -number);
      ring.push({.cycle = i,
                 .time = number,
                 .go = i % 2 == 0,
                 .a = static_cast<int>(i),
                 .b = static_cast<int>(i),
                 .bound = number,
                 .flops = i,
                 .q = q,
                 .v = v},
                {.cycles = i});
    }
    done = true;
  });
  LiveCycles cycles;
  std::uint64_t seen = 0, last = 0;
  bool whole = true;
  for (bool again = true; again;) {
    again = !done;
    reader.read(cycles);
    for (std::size_t i = 0; i < cycles.size(); ++i) {
      const LiveCycle cycle = cycles[i];
      const auto number = static_cast<double>(cycle.cycle);
      whole = whole && cycle.cycle > last && cycle.time == number && cycle.bound == number &&
              cycle.flops == cycle.cycle && cycle.a == static_cast<int>(cycle.cycle) &&
              cycle.go == (cycle.cycle % 2 == 0);
      for (std::size_t k = 0; k < kDof; ++k) {
        whole = whole && cycle.q[k] == number && cycle.v[k] == -number;
      }
      last = cycle.cycle;
      ++seen;
    }
  }
  writer.join();
  EXPECT_TRUE(whole);
  EXPECT_EQ(last, kWrites);
  EXPECT_EQ(seen + reader.missed(), kWrites);
}

TEST_F(LiveRingTest, NobodyElseCanChangeIt) {
  const LiveRing ring(file_, info_of(1), 8);
  const int file = ::open(file_.c_str(), O_RDWR);
  if (file < 0) {
    EXPECT_EQ(errno, EACCES);
    return;
  }
  // The superuser may open it, and no more.
  EXPECT_NE(::ftruncate(file, 0), 0);
  EXPECT_NE(::pwrite(file, "x", 1, 0), 1);
  EXPECT_EQ(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), MAP_FAILED);
  ::close(file);
}

TEST_F(LiveRingTest, TheNameIsGoneAtTheEndAndTakenOnce) {
  {
    const LiveRing ring(file_, info_of(1), 8);
    EXPECT_TRUE(fs::is_symlink(file_));
    const LiveReader reader(file_, kHash, 1, 9);
    EXPECT_NE(error_of([&] { const LiveRing other(file_, info_of(1), 8); }).find("another guard"),
              std::string::npos);
    EXPECT_FALSE(reader.over());
  }
  EXPECT_FALSE(fs::is_symlink(file_));
  std::error_code ignored;
  // What a guard that was killed has left is replaced; of a process that has the number now, too.
  for (const char* const left : {"/proc/2147483647/fd/3", "/proc/1/fd/999999", "/proc/self/fd/0"}) {
    fs::create_symlink(left, file_);
    const bool ours = std::string(left) != "/proc/self/fd/0";
    EXPECT_EQ(error_of([&] { const LiveRing ring(file_, info_of(1), 8); }).empty(), ours) << left;
    fs::remove(file_, ignored);
  }
  folder_.write("guard", "precious");
  EXPECT_NE(error_of([&] { const LiveRing ring(file_, info_of(1), 8); }).find("something else"),
            std::string::npos);
  EXPECT_EQ(slurp(file_), "precious");
}

TEST_F(LiveRingTest, AReaderKnowsWhenAnotherGuardHasTakenTheName) {
  auto ring = std::make_unique<LiveRing>(file_, info_of(1), 8);
  const LiveReader reader(file_, kHash, 1, 9);
  EXPECT_FALSE(reader.over());
  ring.reset();
  EXPECT_TRUE(reader.over());
  const LiveRing next(file_, info_of(1), 8);
  const LiveReader again(file_, kHash, 1, 9);
  EXPECT_FALSE(again.over());
}

TEST_F(LiveRingTest, WhatIsNoRingIsRefusedInOneLine) {
  EXPECT_NE(reading(file_).find("no guard"), std::string::npos);
  EXPECT_NE(reading(folder_.path()), "");
  EXPECT_NE(reading("/dev/zero"), "");
  EXPECT_NE(reading(folder_.write("empty", "")), "");
  const std::string pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(reading(pipe), "");

  const std::vector<std::uint64_t> good = words();
  // A copy on the disk could be cut off while it is read.
  const auto* const bytes = reinterpret_cast<const char*>(good.data());
  EXPECT_NE(reading(folder_.write("copy", std::string(bytes, good.size() * 8))), "");
  ::close(forge(good, kSealed));
  const int memory = forge(good, kSealed);
  EXPECT_EQ(reading(file_), "");
  ::close(memory);
  const int open = forge(good, 0);
  EXPECT_NE(reading(file_), "");
  ::close(open);
  // Every word of the header that says what it is, or how large.
  for (std::size_t at = 0; at < 21; ++at) {
    if (at == 7 || at == 18 || at == 19 || at == 20) continue;  // process, budget, bound, ended
    for (const std::uint64_t value : {std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
      if (at >= 16 && value != ~std::uint64_t{0}) continue;  // a latency, a margin: it is 2.0
      std::vector<std::uint64_t> changed = good;
      changed[at] = value;
      const int forged = forge(changed, kSealed);
      EXPECT_NE(reading(file_), "") << at;
      ::close(forged);
    }
  }
  for (const std::size_t size : {std::size_t{1}, std::size_t{31}, good.size() - 1}) {
    const int forged = forge({good.begin(), good.begin() + static_cast<long>(size)}, kSealed);
    EXPECT_NE(reading(file_), "") << size;
    ::close(forged);
  }
  EXPECT_NE(error_of([&] {
              const int forged = forge(good, kSealed);
              const LiveReader reader(file_, std::string(64, 'b'), 2, 9);
              ::close(forged);
            }).find("another world"),
            std::string::npos);
}

TEST_F(LiveRingTest, NumbersFromAStrangerStayWithinTheWorld) {
  const std::vector<std::uint64_t> good = words();
  std::mt19937_64 random(9);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint64_t> changed = good;
    // Sequences stay: what is in the slots is believed to be whole.
    for (std::size_t at = 21; at < changed.size(); ++at) {
      if (at < 48 || (at - 48) % 16 == 0) continue;
      if (random() % 4 == 0) changed[at] = random();
    }
    if (round % 4 == 0) changed[21] = random();
    const int forged = forge(changed, kSealed);
    LiveReader reader(file_, kHash, 2, 3);
    LiveCycles cycles;
    reader.read(cycles);
    EXPECT_LE(cycles.size(), 8U);
    for (std::size_t i = 0; i < cycles.size(); ++i) {
      const LiveCycle cycle = cycles[i];
      EXPECT_TRUE(cycle.a >= -1 && cycle.a < 3 && cycle.b >= -1 && cycle.b < 3);
      EXPECT_TRUE(std::isfinite(cycle.time) && std::isfinite(cycle.scale));
      EXPECT_TRUE(cycle.q.empty() || cycle.q.size() == 2);
      for (const double value : cycle.q) EXPECT_TRUE(std::isfinite(value));
    }
    ::close(forged);
  }
}

class LiveGuard : public GuardCommand {
 protected:
  const World world_ = load(rail_);
  const std::string live_ = folder_.path() / "live";
};

TEST_F(LiveGuard, IsSeenWhileItRunsAndGoneWhenItIsStopped) {
  Live guard(words({"--stdin", "--json", "--quiet", "--live", live_}));
  guard.say(kHeader);
  std::vector<json> answers;
  for (int i = 0; i < 4; ++i) {
    guard.say(std::to_string(i + 1) + "e-3,3,0\n");
    answers.push_back(guard.answer());
  }
  guard.say("not a state\n");
  answers.push_back(guard.answer());
  LiveCycles cycles;
  {
    LiveReader reader(live_, world_.hash(), world_.dof(), world_.solids().size());
    EXPECT_EQ(reader.info().brake.latency, 20);
    // It is shown after it was said.
    for (int tries = 0; tries < 1000 && reader.totals().cycles < 5; ++tries) ::usleep(10'000);
    reader.read(cycles);
    ASSERT_EQ(cycles.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i) {
      const LiveCycle cycle = cycles[i];
      EXPECT_EQ(cycle.cycle, answers[i]["cycle"]);
      EXPECT_EQ(cycle.go, answers[i]["action"] == "go");
      EXPECT_EQ(cycle.flops, answers[i]["flops"]);
      if (i < 4) {
        EXPECT_EQ(cycle.time, answers[i]["time"]);
        EXPECT_EQ(cycle.q[0], 3);
      }
    }
    EXPECT_EQ(cycles[3].bound, answers[3]["distance"]);
    EXPECT_TRUE(cycles[4].q.empty());
    EXPECT_FALSE(reader.over());
    guard.signal(SIGTERM);
    guard.rest();
    EXPECT_EQ(guard.wait(), 1);
    EXPECT_TRUE(reader.over());
  }
  EXPECT_FALSE(fs::is_symlink(live_));
}

TEST_F(LiveGuard, SaysTheSameBytesWhetherItIsSeenOrNot) {
  std::string text = kHeader;
  for (int i = 0; i < 200; ++i) {
    text += std::to_string(i) + "," + std::to_string(4 - 0.02 * i) + ",-0.02\n";
  }
  const std::vector<std::string> common = {"--replay", states(text), "--json", "--no-timing",
                                           "--quiet"};
  std::vector<std::string> shown = common;
  shown.insert(shown.end(), {"--live", live_});
  const Result alone = guard(common), seen = guard(shown);
  EXPECT_EQ(alone.out, seen.out);
  EXPECT_EQ(alone.code, seen.code);
  EXPECT_EQ(seen.err, "");
  EXPECT_FALSE(fs::is_symlink(live_));
}

TEST_F(LiveGuard, DoesNotWriteOverAFile) {
  const std::string file = folder_.write("mine", "precious");
  expect_error(guard({"--replay", states(kHeader), "--quiet", "--live", file}), 74,
               "something else");
  EXPECT_EQ(slurp(file), "precious");
  expect_error(guard({"--replay", states(kHeader), "--quiet", "--live", "/nowhere/x"}), 74,
               "cannot be written");
}

}  // namespace
}  // namespace keepclear::test
