// SPDX-License-Identifier: BSD-3-Clause
//
// What `keepclear view` answers. Nothing that comes in changes anything: an answer depends on its
// question, the world, and what a running guard has shown.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "page_build.hpp"
#include "view_gate.hpp"
#include "view_guard.hpp"

namespace keepclear::command {

/// Objects that are for one thread at a time: as many as are wanted at once, up to a limit.
template <typename T>
class Pool {
 public:
  using Make = std::function<std::unique_ptr<T>()>;
  Pool(Make make, std::size_t most) : make_(std::move(make)), most_(most) {}

  using Lease = std::unique_ptr<T, std::function<void(T*)>>;
  /// Waits for a few seconds; empty if none is free even then.
  Lease take() {
    std::unique_lock lock(mutex_);
    if (!returned_.wait_for(lock, std::chrono::seconds(10),
                            [this] { return !free_.empty() || made_ < most_; })) {
      return Lease();
    }
    std::unique_ptr<T> object;
    if (free_.empty()) {
      ++made_;
      lock.unlock();
      try {
        object = make_();
      } catch (...) {
        give_back(nullptr);
        throw;
      }
    } else {
      object = std::move(free_.back());
      free_.pop_back();
    }
    return Lease(object.release(), [this](T* used) { give_back(std::unique_ptr<T>(used)); });
  }

 private:
  void give_back(std::unique_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    object ? free_.push_back(std::move(object)) : static_cast<void>(--made_);
    returned_.notify_one();
  }

  const Make make_;
  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<T>> free_;
  std::size_t made_ = 0;
};

class ViewServer {
 public:
  /// `guard`: null for none. All must outlive this.
  ViewServer(const ShownWorld& shown, const MotionOptions& motions, PageDocument document,
             EventHub& hub, AttachedGuard* guard);

  std::vector<Route> routes();

 private:
  Reply document();
  Reply events();
  Reply pose(const Question& question);
  Reply sweep(const Question& question);
  Reply braking(const Question& question);
  Reply motion(const Question& question);
  Reply object_motion(const std::string& file, const std::string& text);

  const ShownWorld& shown_;
  const MotionOptions& motions_;
  const World& world_;
  PageDocument document_;
  EventHub& hub_;
  AttachedGuard* guard_;
  Pool<Poser> posers_;
  Pool<Sweeper> sweepers_;
  std::mutex proving_;
  std::mutex writing_;
  // With `writing_`.
  std::shared_ptr<const std::string> written_;
  Clock::time_point written_at_{};
};

}  // namespace keepclear::command
