// SPDX-License-Identifier: BSD-3-Clause
//
// Keepclear itself. Its times include the forward kinematics.
#include <algorithm>

#include "bench/peer.hpp"
#include "keepclear/distance.hpp"
#include "keepclear/version.hpp"

namespace keepclear::bench {
namespace {

template <bool kCold>
class Ours final : public Peer {
 public:
  explicit Ours(const Scene& scene) : query_(scene.world) {}

  void all_pairs(const Frame& frame, std::span<double> distances) override {
    if (kCold) query_.reset();
    const std::span<const Nearest> nearest = query_.all_pairs(frame.q);
    for (std::size_t k = 0; k < distances.size(); ++k) distances[k] = nearest[k].distance;
  }

  double least(const Frame& frame) override {
    if (kCold) query_.reset();
    return query_(frame.q).distance;
  }

  bool check(const Frame& frame) override {
    if (kCold) query_.reset();
    return query_.check(frame.q).verdict != Verdict::free;
  }

 private:
  DistanceQuery query_;
};

}  // namespace

std::vector<PeerKind> keepclear_peers() {
  return {{"keepclear", "certified bounds, kinematics included",
           [](const Scene& scene) -> std::unique_ptr<Peer> {
             return std::make_unique<Ours<false>>(scene);
           }},
          {"keepclear_cold", "the same, the last pose forgotten each time",
           [](const Scene& scene) -> std::unique_ptr<Peer> {
             return std::make_unique<Ours<true>>(scene);
           }}};
}

std::string keepclear_version() {
  return std::string("Keepclear ") + kVersion;
}

struct Reference::Impl {
  DistanceQuery query;
};

Reference::Reference(const Scene& scene)
    : impl_(std::make_unique<Impl>(Impl{DistanceQuery(scene.world)})) {}
Reference::~Reference() = default;

void Reference::operator()(std::span<const double> q, std::span<Bounds> bounds) {
  const std::span<const Nearest> nearest = impl_->query.all_pairs(q);
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    bounds[k] = {nearest[k].lower_bound, nearest[k].distance,
                 nearest[k].verdict == Verdict::contact, nearest[k].verdict == Verdict::free};
  }
}

}  // namespace keepclear::bench
