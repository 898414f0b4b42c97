// SPDX-License-Identifier: BSD-3-Clause
//
// That the bodies of a model contain the shapes of their links, corner by corner
// (docs/certificate.md, section 6).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "keepclear/proof.hpp"
#include "proof/certificate_world.hpp"
#include "rounding/mode.hpp"
#include "scene/containing_body.hpp"
#include "scene/link_shapes.hpp"
#include "scene/model_file.hpp"

namespace keepclear {
namespace {

/// A point of a body as a mean of its points, by whole numbers.
using Mean = std::vector<std::pair<std::int64_t, std::uint32_t>>;

/// Weights become whole numbers that sum up to about this.
constexpr double kWhole = 0x1p50;
/// What is left to the rounding of whoever checks, as a share of the numbers that come in: some
/// hundred times what doubles round by.
constexpr long double kRoom = 0x1p-46L;

long double squared(long double x) {
  return x * x;
}

/// Less than the room above is lost here, also where a long double is a double.
long double distance_from(Vec3 p, const Mean& mean, const std::vector<Vec3>& points) {
  long double sum = 0, x = 0, y = 0, z = 0;
  for (const auto& [weight, index] : mean) {
    const auto w = static_cast<long double>(weight);
    const Vec3 v = points[index];
    sum += w;
    x += w * (static_cast<long double>(v.x) - p.x);
    y += w * (static_cast<long double>(v.y) - p.y);
    z += w * (static_cast<long double>(v.z) - p.z);
  }
  return std::sqrt(squared(x / sum) + squared(y / sum) + squared(z / sum));
}

/// Where a shape stands and what may be off about it.
struct Reach {
  double radius = 0, off = 0;
  double hi = 0;  ///< at least the sum
};

/// That everything within `reach` of p is inside the body, if p itself is known to `p_off`.
std::optional<Mean> inside(const ContainingBody& body, Vec3 p, const Reach& reach, double p_off) {
  const ModelBody& given = body.body();
  if (const int own = body.own_point(p); own >= 0 && p_off == 0) {
    if (reach.hi <= given.radius) return Mean{{1, static_cast<std::uint32_t>(own)}};
    return std::nullopt;
  }
  if (!body.contains(p, rounding::up(reach.hi + p_off))) return std::nullopt;
  const NearHull::Mean near = body.near().near(p);
  const double sum = near.weights[0] + near.weights[1] + near.weights[2] + near.weights[3];
  Mean mean;
  double size = rounding::norm_hi(p) + given.radius;
  for (std::size_t i = 0; i < near.weights.size(); ++i) {
    const std::int64_t weight = std::llround(near.weights[i] / sum * kWhole);
    if (weight <= 0) continue;
    mean.emplace_back(weight, near.points[i]);
    size = std::max(size, rounding::norm_hi(p) + rounding::norm_hi(given.points[near.points[i]]));
  }
  if (mean.empty()) return std::nullopt;
  if (mean.size() == 1) mean[0].first = 1;
  const long double needed =
      distance_from(p, mean, given.points) + reach.radius + reach.off + p_off + kRoom * size;
  if (!(needed <= given.radius)) return std::nullopt;
  return mean;
}

/// The bodies of one link, and where they stand in the certificate.
struct LinkBodiesInOrder {
  std::vector<ContainingBody> bodies;
  std::vector<std::size_t> by_volume;
  std::size_t first = 0;  ///< the first of them, among all bodies
};

/// Writes one shape and its proof.
class ShapeProof {
 public:
  ShapeProof(const LinkShape& shape, const LinkBodiesInOrder& bodies, WrittenCertificate& counts,
             CertificateText& text)
      : bodies_(bodies),
        counts_(counts),
        text_(text),
        reach_{shape.radius, shape.error_hi, shape.reach_hi()},
        corners_(shape.points),
        given_(shape.points.size()),
        // The checker has middles in intervals of its own.
        middle_off_(2 * middles_off_hi(shape.points)),
        state_(bodies.bodies.size(), std::vector<State>(corners_.size(), State::unknown)) {}

  void write_shape(const LinkShape& shape, int link) {
    text_.line("shape").index(static_cast<std::size_t>(link));
    text_.number(reach_.radius).number(reach_.off);
    for (const Vec3 p : shape.points) text_.line("corner").numbers(p);
    for (const auto& [a, b, c] : shape.triangles) text_.line("face").index(a).index(b).index(c);
  }

  /// All corners in one body.
  bool prove_hull() {
    std::vector<std::uint32_t> all(corners_.size());
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    return prove_whole(all);
  }

  bool prove_face(const std::array<std::uint32_t, 3>& face, int halvings = 0) {
    if (halvings > 0 && ++pieces_ > kMostPieces) return false;
    if (prove_whole(face)) return true;
    // A corner that is in no body stays in none.
    if (halvings == kMostHalvings ||
        !std::ranges::all_of(face, [&](std::uint32_t corner) { return is_somewhere(corner); })) {
      return false;
    }
    const int side = longest_side({corners_[face[0]], corners_[face[1]], corners_[face[2]]});
    const int next = (side + 1) % 3;
    const auto middle = static_cast<std::uint32_t>(corners_.size());
    corners_.push_back(0.5 * (corners_[face[side]] + corners_[face[next]]));
    for (auto& of_body : state_) of_body.push_back(State::unknown);
    text_.line("halve").index(static_cast<std::size_t>(side));
    auto first = face, second = face;
    first[next] = middle;
    second[side] = middle;
    return prove_face(first, halvings + 1) && prove_face(second, halvings + 1);
  }

 private:
  enum class State : char { unknown, inside, outside, written };

  double off_of(std::uint32_t corner) const { return corner < given_ ? 0 : middle_off_; }

  bool holds(std::size_t body, std::uint32_t corner) {
    State& state = state_[body][corner];
    if (state == State::unknown) {
      state = inside(bodies_.bodies[body], corners_[corner], reach_, off_of(corner))
                  ? State::inside
                  : State::outside;
    }
    return state != State::outside;
  }

  bool is_somewhere(std::uint32_t corner) {
    return std::ranges::any_of(bodies_.by_volume,
                               [&](std::size_t body) { return holds(body, corner); });
  }

  bool prove_whole(std::span<const std::uint32_t> corners) {
    for (const std::size_t body : bodies_.by_volume) {
      if (!std::ranges::all_of(corners,
                               [&](std::uint32_t corner) { return holds(body, corner); })) {
        continue;
      }
      for (const std::uint32_t corner : corners) write_inside(body, corner);
      text_.line("whole").index(bodies_.first + body);
      ++counts_.cells;
      return true;
    }
    return false;
  }

  void write_inside(std::size_t body, std::uint32_t corner) {
    State& state = state_[body][corner];
    if (state == State::written) return;
    state = State::written;
    const auto mean = inside(bodies_.bodies[body], corners_[corner], reach_, off_of(corner));
    text_.line("inside").index(corner).index(bodies_.first + body).index(mean->size());
    for (const auto& [weight, point] : *mean) text_.whole(weight).index(point);
    ++counts_.records;
  }

  const LinkBodiesInOrder& bodies_;
  WrittenCertificate& counts_;
  CertificateText& text_;
  Reach reach_;
  std::vector<Vec3> corners_;
  std::size_t given_;  ///< corners that are not middles
  double middle_off_;
  std::vector<std::vector<State>> state_;  ///< of each body and corner
  int pieces_ = 0;
};

/// "link 'a': mesh b.stl, face 3, is not inside its bodies" or why else there is no proof.
std::string not_shown(const Link& link, const Collision& element, std::optional<std::size_t> face) {
  const Geometry& g = element.geometry;
  std::string what = to_string(g.kind);
  if (!g.file.empty()) what += " " + g.file.string();
  if (face) what += fmt::format(", face {},", *face);
  return fmt::format("link '{}': {} was not shown to be inside the bodies", link.name, what);
}

class FitWriter {
 public:
  FitWriter(const World& world, const BodyModel& model) : data_(world.data()), model_(model) {}

  WrittenCertificate write(const World& world, const CertificateFacts& facts) {
    WrittenCertificate written;
    require_sound(model_);
    CertificateText text;
    write_head(text, "fit", world, facts);
    link_index_ = write_tree(text, data_);
    if (written.why = hand_out(); !written.why.empty()) return written;
    write_bodies(text);
    if (written.why = write_shapes(written, text); !written.why.empty()) return written;
    written.text = std::move(text).sealed();
    return written;
  }

 private:
  /// Objects that links carry keep their shapes.
  bool is_object(std::size_t link) const {
    const int solid = data_.link_solids[link];
    return solid >= 0 && data_.solids[static_cast<std::size_t>(solid)].is_object;
  }

  std::string hand_out() {
    const auto& links = data_.model->links;
    of_link_.resize(links.size());
    std::unordered_map<std::string_view, std::size_t> by_name;
    for (std::size_t l = 0; l < links.size(); ++l) {
      if (!is_object(l)) by_name.emplace(links[l].name, l);
    }
    for (const ModelBody& body : model_.bodies) {
      const auto found = by_name.find(body.link);
      if (found == by_name.end()) return fmt::format("the world has no link '{}'", body.link);
      of_link_[found->second].bodies.emplace_back(body);
    }
    std::size_t next = 0;
    for (std::size_t l = 0; l < links.size(); ++l) {
      LinkBodiesInOrder& of_link = of_link_[l];
      of_link.first = next;
      next += of_link.bodies.size();
      std::vector<double> volumes;
      for (const ContainingBody& body : of_link.bodies) volumes.push_back(body.volume());
      of_link.by_volume = by_volume(volumes);
      if (of_link.bodies.empty() && !is_object(l) &&
          !elements_of(links[l], model_.around).empty()) {
        return fmt::format("link '{}' has shapes and no body", links[l].name);
      }
    }
    return {};
  }

  void write_bodies(CertificateText& text) const {
    const auto& links = data_.model->links;
    for (std::size_t l = 0; l < links.size(); ++l) {
      if (of_link_[l].bodies.empty()) continue;
      text.line("solid").name(links[l].name).word("link");
      text.index(static_cast<std::size_t>(link_index_[l]));
    }
    std::size_t solid = 0;
    for (std::size_t l = 0; l < links.size(); ++l) {
      for (const ContainingBody& body : of_link_[l].bodies) {
        text.line("hull").index(solid).index(static_cast<std::size_t>(link_index_[l]));
        text.number(body.body().radius);
        for (const Vec3 p : body.body().points) text.numbers(p);
      }
      if (!of_link_[l].bodies.empty()) ++solid;
    }
  }

  /// Returns why there is no proof, or nothing.
  std::string write_shapes(WrittenCertificate& counts, CertificateText& text) const {
    const auto& links = data_.model->links;
    for (std::size_t l = 0; l < links.size(); ++l) {
      const LinkBodiesInOrder& of_link = of_link_[l];
      if (of_link.bodies.empty()) continue;
      require_visuals(links[l], model_.around, links[l].file.empty() ? data_.file : links[l].file);
      const std::vector<const Collision*> elements = elements_of(links[l], model_.around);
      const Meshes meshes = read_meshes(elements, 1);
      for (const Collision* element : elements) {
        const LinkShape shape = shape_of(*element, meshes);
        const bool is_mesh = element->geometry.kind == Geometry::Kind::mesh;
        ShapeProof proof(shape, of_link, counts, text);
        proof.write_shape(shape, link_index_[l]);
        if (!is_mesh && !proof.prove_hull()) return not_shown(links[l], *element, {});
        for (std::size_t f = 0; f < shape.triangles.size(); ++f) {
          if (!proof.prove_face(shape.triangles[f])) return not_shown(links[l], *element, f);
        }
      }
    }
    return {};
  }

  const WorldData& data_;
  const BodyModel& model_;
  std::vector<int> link_index_;
  std::vector<LinkBodiesInOrder> of_link_;
};

}  // namespace

WrittenCertificate fit_certificate(const World& world, const BodyModel& model,
                                   const CertificateFacts& facts) {
  rounding::require_mode();
  return FitWriter(world, model).write(world, facts);
}

}  // namespace keepclear
