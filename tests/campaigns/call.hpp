// SPDX-License-Identifier: BSD-3-Clause
//
// What campaigns of numbered cases share: options that are whole numbers, and threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace keepclear::campaigns {

class Call {
 public:
  Call(int argc, char** argv, std::map<std::string, std::int64_t> defaults)
      : program_(argv[0]), values_(std::move(defaults)) {
    for (int i = 1; i < argc; i += 2) {
      const auto option = values_.find(argv[i]);
      if (option == values_.end() || i + 1 == argc) {
        good_ = false;
        return;
      }
      char* end = nullptr;
      option->second = std::strtoll(argv[i + 1], &end, 10);
      good_ = good_ && *end == '\0' && end != argv[i + 1] && option->second >= 0;
    }
  }

  bool good() const { return good_; }
  std::int64_t operator[](const std::string& option) const { return values_.at(option); }
  int usage() const {
    std::fprintf(stderr, "usage: %s", program_.c_str());
    for (const auto& [name, value] : values_) {
      std::fprintf(stderr, " [%s %lld]", name.c_str(), static_cast<long long>(value));
    }
    std::fprintf(stderr, "\n");
    return 64;
  }

 private:
  std::string program_;
  std::map<std::string, std::int64_t> values_;
  bool good_ = true;
};

/// Cases 0 to count - 1, over threads; one that throws is a violation, told by its number.
template <typename Tally, typename Judge>
Tally run(std::int64_t count, std::int64_t threads, const Judge& judge) {
  Tally total;
  std::mutex mutex;
  std::atomic<std::int64_t> next = 0;
  const auto work = [&] {
    for (std::int64_t k = next++; k < count; k = next++) {
      Tally tally;
      try {
        judge(k, tally);
      } catch (const std::exception& error) {
        ++tally.useless;
        tally.messages.emplace_back(error.what());
      }
      for (std::string& message : tally.messages) {
        message = "case " + std::to_string(k) + ": " + message;
      }
      const std::lock_guard lock(mutex);
      total.add(tally);
    }
  };
  std::vector<std::thread> workers;
  for (std::int64_t t = 1; t < threads; ++t) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();
  return total;
}

}  // namespace keepclear::campaigns
