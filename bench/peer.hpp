// SPDX-License-Identifier: BSD-3-Clause
//
// What the benchmark asks of every library, and what it hands to each of them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/scene.hpp"

namespace keepclear::bench {

enum class Question { all_pairs, least, check };
inline constexpr Question kQuestions[] = {Question::all_pairs, Question::least, Question::check};

constexpr const char* to_string(Question question) {
  switch (question) {
    case Question::all_pairs:
      return "all_pairs";
    case Question::least:
      return "least";
    case Question::check:
      break;
  }
  return "check";
}

/// One pose, in both forms: joints for those who do the kinematics, link poses for those who do
/// not. Peers get the link poses for nothing.
struct Frame {
  std::span<const double> q;
  std::span<const Pose> X_WL;
};

/// A library, prepared for one scene. One object serves one question on one workload, so that
/// whatever it remembers from pose to pose comes from that alone.
class Peer {
 public:
  virtual ~Peer() = default;

  /// The distance of each pair of Scene::pairs, metres; zero for an overlap.
  virtual void all_pairs(const Frame& frame, std::span<double> distances) = 0;
  /// The least of them.
  virtual double least(const Frame& frame) = 0;
  /// Whether any pair is not free.
  virtual bool check(const Frame& frame) = 0;
};

/// A way to build a peer. `stride` thins the workload of those too slow to run all of it.
struct PeerKind {
  std::string name, what;
  std::unique_ptr<Peer> (*make)(const Scene& scene);
  bool answers_all_pairs = true;
  std::size_t stride = 1;

  bool answers(Question question) const {
    return answers_all_pairs || question != Question::all_pairs;
  }
};

std::vector<PeerKind> keepclear_peers();
std::vector<PeerKind> fcl_peers();
std::vector<PeerKind> bullet_peers();

/// FCL on single pairs of the shapes of a scene: convex ones by libccd, surfaces as trees of
/// oriented boxes. The scene must outlive this.
class FclShapes {
 public:
  explicit FclShapes(const Scene& scene);
  ~FclShapes();
  void move(std::span<const Pose> X_WL);
  bool collide(int shape_a, int shape_b) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Names and versions, for the head of a report.
std::string keepclear_version();
std::string fcl_version();
std::string bullet_version();

/// The bounds of Keepclear for each pair, against which the others are held.
struct Bounds {
  double lower = 0, upper = 0;
  bool contact = false, free = false;
};
class Reference {
 public:
  explicit Reference(const Scene& scene);
  ~Reference();
  void operator()(std::span<const double> q, std::span<Bounds> bounds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace keepclear::bench
