// SPDX-License-Identifier: BSD-3-Clause
//
// robots [--poses N] [--seed S] [--no-fcl] FILE.urdf...: every checked pair of every robot in
// random poses against 113-bit arithmetic, and against FCL where the gap is certain. One thread a
// robot. Exit 0 when nothing was wrong, 1 otherwise, 64 for a wrong call.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "oracle/robot_judge.hpp"

namespace {

using keepclear::oracle::judge_robot;
using keepclear::oracle::RobotTally;

void print(const char* name, std::int64_t count) {
  std::printf("  %-50s %lld\n", name, static_cast<long long>(count));
}

void print(const std::string& file, const RobotTally& t) {
  std::printf("%s\n", file.c_str());
  print("poses", t.poses);
  print("pairs judged", t.pairs);
  print("free", t.free);
  print("contact", t.contact);
  print("undecided", t.undecided);
  print("wrong verdicts", t.wrong_verdicts);
  print("distances off by more than 1e-9 m", t.wrong_distances);
  print("lower bounds above the reference", t.lower_violations);
  print("least distance or check differs from the pairs", t.wrong_least);
  print("pairs where FCL was asked (gap beyond 1e-6 m)", t.asked_fcl);
  print("verdicts that are not FCL's", t.against_fcl);
  print("FCL not as the reference", t.fcl_disagrees);
  std::printf("  %-50s %.3g m\n", "largest error of a distance", t.worst_error);
  std::printf("  %-50s %.3g m\n", "largest distance - lower bound", t.worst_gap);
  std::printf("  %-50s %.3g m\n", "duality gap of the reference", t.worst_reference);
  for (const std::string& message : t.messages) std::printf("  %s\n", message.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t poses = 300;
  std::uint64_t seed = 1;
  bool ask_fcl = true;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--poses" && i + 1 < argc) {
      poses = std::atoll(argv[++i]);
    } else if (word == "--seed" && i + 1 < argc) {
      seed = static_cast<std::uint64_t>(std::atoll(argv[++i]));
    } else if (word == "--no-fcl") {
      ask_fcl = false;
    } else if (word.starts_with("--")) {
      files.clear();
      break;
    } else {
      files.push_back(word);
    }
  }
  if (files.empty() || poses <= 0) {
    std::fprintf(stderr, "usage: robots [--poses N] [--seed S] [--no-fcl] FILE.urdf...\n");
    return 64;
  }
  std::vector<RobotTally> tallies(files.size());
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < files.size(); ++k) {
    threads.emplace_back([&, k] {
      try {
        tallies[k] = judge_robot(files[k], poses, seed, ask_fcl);
      } catch (const std::exception& e) {
        tallies[k].messages.emplace_back(e.what());
        ++tallies[k].wrong_verdicts;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::int64_t violations = 0;
  for (std::size_t k = 0; k < files.size(); ++k) {
    print(files[k], tallies[k]);
    violations += tallies[k].violations();
  }
  return violations == 0 ? 0 : 1;
}
