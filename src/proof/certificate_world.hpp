// SPDX-License-Identifier: BSD-3-Clause
//
// The world of a certificate (docs/certificate.md, section 2), and how its bodies and solids are
// counted there.
#pragma once

#include <cstdint>
#include <vector>

#include "proof/certificate_text.hpp"
#include "scene/world.hpp"

namespace keepclear {

/// What moves, or stands, other than the world has it.
struct LooseBase {
  int link = 0;  ///< of the certificate
  int robot = 0;
  double metres = 0, radians = 0;
  Vec3 origin;  ///< of the link, in the world
};

/// Numbers, links: the tree. Returns the index of each link of the model in the certificate.
std::vector<int> write_tree(CertificateText& text, const WorldData& world);

class CertificateWorld {
 public:
  /// `margin_of(pair margin)` is what is asked of a pair.
  template <typename Margin>
  CertificateWorld(const World& world, const Margin& margin_of) : data_(world.data()) {
    count();
    margin_ = margin_of(data_.rules.margin);
    for (const LinkPair& pair : data_.link_pairs) {
      checked_.push_back({pair.solid_a, pair.solid_b, margin_of(pair.margin)});
    }
    for (const auto& [key, margin] : data_.rules.margins()) {
      set_still_margin(key, margin_of(margin));
    }
    finish();
  }

  /// Numbers to skips; every pair but those skipped is claimed.
  void write(CertificateText& text) const;
  void write_off(CertificateText& text, const std::vector<LooseBase>& loose, double stray) const;
  /// The link in the certificate that the robot of this number stands on.
  int root_of_robot(int robot) const;

  struct Pair {
    int a = 0, b = 0;  ///< solids of the world
    double margin = 0;
  };
  /// Pairs of links that are claimed.
  const std::vector<Pair>& checked() const noexcept { return checked_; }
  /// Of a link and an object that stands still.
  double still_margin(int solid, int object) const;
  double margin() const noexcept { return margin_; }
  /// At least that of any pair.
  double margin_hi() const noexcept { return margin_hi_; }

  /// Indices in the certificate.
  int solid(int of_world) const noexcept { return solid_[of_world]; }
  int body(int of_world) const noexcept { return of_world; }
  int piece(std::uint32_t piece) const noexcept {
    return static_cast<int>(data_.bodies.size() + piece);
  }
  const WorldData& data() const noexcept { return data_; }
  /// Bodies of a solid that is a link or is carried by one: [first, second).
  std::pair<int, int> bodies_of(int solid) const noexcept { return bodies_[solid]; }

 private:
  void count();
  void finish();
  void set_still_margin(std::uint64_t key, double margin);

  const WorldData& data_;
  std::vector<int> solid_;
  std::vector<std::pair<int, int>> bodies_;
  std::vector<Pair> checked_;
  std::vector<std::pair<std::uint64_t, double>> still_margins_;
  double margin_ = 0, margin_hi_ = 0;
};

}  // namespace keepclear
