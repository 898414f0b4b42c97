// SPDX-License-Identifier: BSD-3-Clause
//
// scenes [--stride N] [--random N] FOLDER...: start and goal of every N-th problem of the problem
// sets (*.json) in each folder, and N random states of each, against 113-bit arithmetic and against
// FCL on the same shapes. The robots are sought in the folder `robots` beside or above. Exit 0 when
// nothing was wrong and every difference from FCL was explained, 1 otherwise, 64 for a wrong call.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "scene/mbm.hpp"

namespace {

using keepclear::oracle::SceneTally;

/// The folder that holds `robots`, upwards from a folder of problems.
std::filesystem::path data_above(std::filesystem::path folder) {
  for (folder = std::filesystem::canonical(folder); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (std::filesystem::exists(folder / "robots")) return folder;
  }
  throw std::runtime_error("no folder 'robots' above");
}

void print(const char* name, std::int64_t count) {
  std::printf("  %-60s %lld\n", name, static_cast<long long>(count));
}

void print(const char* name, std::vector<double> distances) {
  if (distances.empty()) return;
  std::sort(distances.begin(), distances.end());
  std::printf("  %-60s %.6g, %.6g, %.6g m\n", name, distances.front(),
              distances[distances.size() / 2], distances.back());
}

void print(const std::string& folder, const SceneTally& t, double seconds) {
  std::printf("%s\n", folder.c_str());
  print("scenes", t.scenes);
  print("states", t.states);
  print("free", t.states_free);
  print("contact", t.states_contact);
  print("  of a link and an object", t.object_contacts);
  print("undecided", t.states_undecided);
  print("states where both say the same", t.agree);
  print("states in contact by ours alone", t.ours_only);
  print("states in contact by FCL alone", t.fcl_only);
  print("pairs", t.pairs);
  print("pairs held against 113-bit arithmetic", t.referenced);
  print("pairs in contact by ours alone", t.pairs_ours_only);
  print("pairs in contact by FCL alone", t.pairs_fcl_only);
  print("why: the prism around a cylinder touches", t.by_prism);
  print("why: FCL misses an overlap of the real shapes", t.fcl_missed);
  print("why: FCL sees a contact where real shapes are apart", t.fcl_imagined);
  print("why: within 1e-9 m of touching", t.by_touching);
  print("differences that are NOT explained", t.unexplained);
  print("wrong verdicts", t.wrong_verdicts);
  print("distances off by more than 1e-9 m", t.wrong_distances);
  print("lower bounds above the reference", t.lower_violations);
  print("least distance or check differs from the pairs", t.wrong_least);
  std::printf("  %-60s %.3g m\n", "largest error of a distance", t.worst_error);
  print("free states: least, median, largest distance", t.distances);
  print("states clear of objects: the same from objects", t.object_distances);
  std::printf("  %-60s %.1f s\n", "time", seconds);
  for (const auto& [pair, count] : t.contact_pairs) print(("in contact: " + pair).c_str(), count);
  for (const std::string& message : t.messages) std::printf("  %s\n", message.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t stride = 1;
  int more = 0;
  std::vector<std::filesystem::path> folders;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--stride" && i + 1 < argc) {
      stride = static_cast<std::size_t>(std::atoll(argv[++i]));
    } else if (word == "--random" && i + 1 < argc) {
      more = std::atoi(argv[++i]);
    } else if (word.starts_with("--")) {
      folders.clear();
      break;
    } else {
      folders.emplace_back(word);
    }
  }
  if (folders.empty() || stride == 0) {
    std::fprintf(stderr, "usage: scenes [--stride N] [--random N] FOLDER...\n");
    return 64;
  }
  std::int64_t violations = 0;
  for (const auto& folder : folders) {
    SceneTally tally;
    const auto begin = std::chrono::steady_clock::now();
    try {
      std::vector<std::filesystem::path> files;
      for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".json") files.push_back(entry.path());
      }
      std::sort(files.begin(), files.end());
      for (const auto& file : files) {
        std::fprintf(stderr, "%s\n", file.c_str());
        const auto set = keepclear::oracle::read_problems(file, data_above(folder));
        keepclear::oracle::judge_problems(set, 0, stride, more, tally);
      }
    } catch (const std::exception& e) {
      ++tally.unexplained;
      tally.messages.emplace_back(e.what());
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    print(folder.string(), tally, seconds.count());
    violations += tally.violations();
  }
  return violations == 0 ? 0 : 1;
}
