// SPDX-License-Identifier: BSD-3-Clause
//
// From rings of vertices to elements: vertices merged, edges each once, faces in coordinates of
// their own, parts.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "keepclear/error.hpp"
#include "rounding/rounding.hpp"
#include "shape/polyhedron_parts.hpp"

namespace keepclear::polyhedron {
namespace {

using rounding::gamma;
using rounding::inflate;
using rounding::norm_hi;
constexpr std::uint32_t kNone = Primitive::kNone;

/// A face that is lower than this share of its length is as thin as an edge: the direction across
/// it would be more rounding than direction.
constexpr double kThin = 0x1p-46;
/// As bodies have it: beyond this (metres) squares could overflow on the way to a verdict.
constexpr double kLargest = 1e9;
/// Metres: faces that are smaller are as good as points.
constexpr double kSmallest = 1e-100;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Error::Kind::usage, "", 0, what);
}

std::uint64_t mix(std::uint64_t h, std::uint64_t x) {
  h ^= x + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdULL;
  return h ^ (h >> 32);
}

/// Open addressing from hashes to indices of a list that grows; equality is the caller's.
class Index {
 public:
  explicit Index(std::size_t most) : slots_(std::bit_ceil(2 * most + 1), kNone) {}

  /// The index of what `same` finds, or `fresh`, which is kept.
  template <class Same>
  std::uint32_t find(std::uint64_t hash, std::uint32_t fresh, const Same& same) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    while (slots_[slot] != kNone) {
      if (same(slots_[slot])) return slots_[slot];
      slot = (slot + 1) & mask;
    }
    return slots_[slot] = fresh;
  }

 private:
  std::vector<std::uint32_t> slots_;
};

class Builder {
 public:
  explicit Builder(const Parts& parts)
      : parts_(parts), edge_index_(edge_count(parts)), face_index_(parts.face_ends.size()) {}
  Polyhedron run();

 private:
  static std::size_t edge_count(const Parts& parts) {
    return parts.corners.size() + parts.edges.size();
  }
  void merge_vertices();
  std::uint32_t vertex(std::uint32_t given);
  std::uint32_t edge(std::uint32_t a, std::uint32_t b);
  bool is_known(const std::vector<std::uint32_t>& ring);
  void add_face(std::size_t face);
  bool keep_face(std::size_t number);
  void find_parts();
  void make_tree();

  std::uint32_t root(std::uint32_t v) {
    while (above_[v] != v) v = above_[v] = above_[above_[v]];
    return v;
  }
  void connect(std::uint32_t a, std::uint32_t b) {
    a = root(a), b = root(b);
    if (a != b) above_[std::max(a, b)] = std::min(a, b);
  }

  const Parts& parts_;
  PolyhedronData data_;
  std::vector<std::uint32_t> merged_;  ///< of given vertices: the first at that place
  std::vector<std::uint32_t> name_;    ///< of given vertices: that of the polyhedron
  Index edge_index_;
  Index face_index_;  ///< of triangles
  std::vector<std::array<std::uint32_t, 3>> known_;
  std::vector<std::uint32_t> uses_;  ///< of each edge: by borders that were given
  std::vector<std::uint32_t> above_;
  double lost_hi_ = 0;
  // Of the faces that are kept, one after the other.
  std::vector<std::uint32_t> border_ends_, border_;
  Borders borders_;
  // Of the face at hand.
  std::vector<std::vector<std::uint32_t>> rings_;
  std::vector<std::uint32_t> corners_;
  std::vector<FlatPoint> flat_;
};

void Builder::merge_vertices() {
  const auto& given = parts_.vertices;
  if (given.size() > 0x3fffffff || parts_.corners.size() > 0x3fffffff) refuse("too many vertices");
  merged_.resize(given.size());
  name_.assign(given.size(), kNone);
  Index index(given.size());
  const auto group = [&](std::uint32_t i) { return parts_.groups.empty() ? 0 : parts_.groups[i]; };
  for (std::uint32_t i = 0; i < given.size(); ++i) {
    const Vec3 p = given[i];
    if (!(std::abs(p.x) <= kLargest && std::abs(p.y) <= kLargest && std::abs(p.z) <= kLargest)) {
      refuse("a coordinate is not finite or beyond 1e9 m");
    }
    std::uint64_t hash = group(i);
    // Adding zero makes both zeros one.
    for (const double x : {p.x + 0.0, p.y + 0.0, p.z + 0.0}) {
      hash = mix(hash, std::bit_cast<std::uint64_t>(x));
    }
    merged_[i] = index.find(hash, i, [&](std::uint32_t other) {
      return given[other] == p && group(other) == group(i);
    });
  }
}

std::uint32_t Builder::vertex(std::uint32_t given) {
  if (given >= merged_.size()) refuse("an index names no vertex");
  std::uint32_t& name = name_[merged_[given]];
  if (name == kNone) {
    name = static_cast<std::uint32_t>(data_.vertices.size());
    data_.vertices.push_back(parts_.vertices[given] + Vec3{});
    above_.push_back(name);
  }
  return name;
}

std::uint32_t Builder::edge(std::uint32_t a, std::uint32_t b) {
  const Polyhedron::Edge ends{std::min(a, b), std::max(a, b)};
  const auto fresh = static_cast<std::uint32_t>(data_.edges.size());
  const std::uint32_t found =
      edge_index_.find(mix(ends[0], ends[1]), fresh,
                       [&](std::uint32_t other) { return data_.edges[other] == ends; });
  if (found == fresh) {
    data_.edges.push_back(ends);
    uses_.push_back(0);
    connect(a, b);
  }
  return found;
}

/// True if this triangle was there before, either way round: double-sided meshes have each twice.
bool Builder::is_known(const std::vector<std::uint32_t>& ring) {
  std::array<std::uint32_t, 3> corners{ring[0], ring[1], ring[2]};
  std::sort(corners.begin(), corners.end());
  const auto fresh = static_cast<std::uint32_t>(known_.size());
  const std::uint32_t found =
      face_index_.find(mix(mix(corners[0], corners[1]), corners[2]), fresh,
                       [&](std::uint32_t other) { return known_[other] == corners; });
  if (found != fresh) return true;
  known_.push_back(corners);
  return false;
}

void Builder::add_face(std::size_t number) {
  const std::uint32_t first_ring = number == 0 ? 0 : parts_.face_ends[number - 1];
  const std::uint32_t last_ring = parts_.face_ends[number];
  rings_.resize(last_ring - first_ring);
  corners_.clear();
  const auto first_edge = static_cast<std::ptrdiff_t>(borders_.edges.size());
  for (std::uint32_t r = first_ring; r < last_ring; ++r) {
    const std::uint32_t begin = r == 0 ? 0 : parts_.ring_ends[r - 1];
    const std::uint32_t end = parts_.ring_ends[r];
    if (end - begin < 3) refuse("a border of fewer than three vertices");
    auto& ring = rings_[r - first_ring];
    ring.clear();
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t v = vertex(parts_.corners[i]);
      if (ring.empty() || ring.back() != v) ring.push_back(v);
    }
    while (ring.size() > 1 && ring.back() == ring.front()) ring.pop_back();
    if (last_ring - first_ring == 1 && ring.size() == 3 && is_known(ring)) return;
    for (std::size_t i = 0; ring.size() > 1 && i < ring.size(); ++i) {
      const std::uint32_t e = edge(ring[i], ring[(i + 1) % ring.size()]);
      ++uses_[e];
      borders_.edges.push_back(e);
    }
    connect(ring.front(), rings_[0].front());
    corners_.insert(corners_.end(), ring.begin(), ring.end());
  }
  if (keep_face(number)) {
    border_.insert(border_.end(), corners_.begin(), corners_.end());
    border_ends_.push_back(static_cast<std::uint32_t>(border_.size()));
    borders_.ends.push_back(static_cast<std::uint32_t>(borders_.edges.size()));
  } else {
    std::vector<std::uint32_t>& thin = borders_.thin_edges;
    thin.insert(thin.end(), borders_.edges.begin() + first_edge, borders_.edges.end());
    borders_.thin_ends.push_back(static_cast<std::uint32_t>(thin.size()));
    borders_.edges.erase(borders_.edges.begin() + first_edge, borders_.edges.end());
  }
}

std::uint32_t farthest(std::span<const Vec3> vertices, std::span<const std::uint32_t> among,
                       Vec3 from) {
  return *std::max_element(among.begin(), among.end(), [&](std::uint32_t a, std::uint32_t b) {
    return squared_norm(vertices[a] - from) < squared_norm(vertices[b] - from);
  });
}

/// The vertex farthest from the line through two, and at least how far any is from it.
std::pair<std::uint32_t, double> farthest_from_line(std::span<const Vec3> vertices,
                                                    std::span<const std::uint32_t> among, Vec3 p,
                                                    Vec3 q) {
  const Vec3 along = q - p;
  const double length2 = squared_norm(along);
  std::pair<std::uint32_t, double> best{among[0], 0};
  for (const std::uint32_t i : among) {
    const Vec3 w = vertices[i] - p;
    const double t = length2 > 0 ? dot(w, along) / length2 : 0;
    const double off_hi =
        inflate(norm_hi(w - t * along) + gamma(8) * (norm_hi(w) + std::abs(t) * norm_hi(along)), 4);
    if (off_hi > best.second) best = {i, off_hi};
  }
  return best;
}

/// False if the face at hand is as thin as an edge. Then the direction across it takes any of its
/// points to its border within twice the farthest that a vertex is from its line.
bool Builder::keep_face(std::size_t number) {
  const std::span<const Vec3> vertices = data_.vertices;
  const bool is_triangle = rings_.size() == 1 && corners_.size() == 3;
  FaceData face;
  if (is_triangle) {
    const std::array<std::uint32_t, 3> c{corners_[0], corners_[1], corners_[2]};
    const auto length2 = [&](std::size_t i) {
      return squared_norm(vertices[c[(i + 1) % 3]] - vertices[c[i]]);
    };
    std::size_t longest = length2(1) > length2(0) ? 1 : 0;
    if (length2(2) > length2(longest)) longest = 2;
    face.anchors = {c[longest], c[(longest + 1) % 3], c[(longest + 2) % 3]};
  } else {
    face.anchors[0] = farthest(vertices, corners_, vertices[corners_[0]]);
    face.anchors[1] = farthest(vertices, corners_, vertices[face.anchors[0]]);
  }
  const Vec3 v0 = vertices[face.anchors[0]], v1 = vertices[face.anchors[1]];
  const double length = norm(v1 - v0);
  const auto [across, height_hi] = farthest_from_line(vertices, corners_, v0, v1);
  if (!(height_hi > kThin * length && length > kSmallest)) {
    lost_hi_ = std::max(lost_hi_, inflate(2 * height_hi, 2));
    return false;
  }
  face.first = static_cast<std::uint32_t>(data_.triangles.size());
  if (is_triangle) {
    set_triangle(face, vertices);
    data_.triangles.push_back(face.anchors);
    data_.corners.push_back({0, 0, 1, 0, face.lambda, 1});
  } else {
    face.anchors[2] = across;
    const double off_hi = set_coordinates(face, vertices, corners_, flat_);
    if (!(off_hi <= 1e-6 * length)) {
      refuse("face " + std::to_string(number) + " is not flat to a millionth of its size");
    }
    lost_hi_ = std::max(lost_hi_, off_hi);
    // The rings again, as places among its corners.
    std::vector<std::vector<std::uint32_t>> places(rings_.size());
    std::uint32_t place = 0;
    for (std::size_t r = 0; r < rings_.size(); ++r) {
      places[r].resize(rings_[r].size());
      std::iota(places[r].begin(), places[r].end(), place);
      place += static_cast<std::uint32_t>(rings_[r].size());
    }
    // A hole of one vertex, or two, is none.
    const bool has_border = places[0].size() >= 3;
    std::erase_if(places, [](const auto& ring) { return ring.size() < 3; });
    const auto triangles = has_border ? divide(flat_, places) : std::nullopt;
    if (!triangles) {
      refuse("face " + std::to_string(number) +
             " cannot be divided into triangles: do its borders meet?");
    }
    for (const auto& t : *triangles) {
      data_.triangles.push_back({corners_[t[0]], corners_[t[1]], corners_[t[2]]});
      data_.corners.push_back({flat_[t[0]].u, flat_[t[0]].v, flat_[t[1]].u, flat_[t[1]].v,
                               flat_[t[2]].u, flat_[t[2]].v});
    }
  }
  face.last = static_cast<std::uint32_t>(data_.triangles.size());
  data_.faces.push_back(face);
  return true;
}

void Builder::find_parts() {
  for (std::uint32_t v = 0; v < data_.vertices.size(); ++v) {
    // The root of a part is its least vertex.
    if (root(v) == v) data_.parts.push_back({v});
  }
  find_shells(data_, borders_, uses_);
}

void Builder::make_tree() {
  std::vector<Primitive> primitives;
  std::vector<std::uint32_t> edges, vertices;
  std::vector<char> has_edge(data_.edges.size(), 0), has_vertex(data_.vertices.size(), 0);
  const auto own = [](std::uint32_t i, std::vector<char>& has, std::vector<std::uint32_t>& list) {
    if (!has[i]) list.push_back(i);
    has[i] = 1;
  };
  const auto add = [&](std::uint32_t face, std::span<const std::uint32_t> of_edges,
                       std::span<const std::uint32_t> of_vertices) {
    Primitive p;
    p.face = face;
    p.first_edge = static_cast<std::uint32_t>(edges.size());
    p.first_vertex = static_cast<std::uint32_t>(vertices.size());
    for (const std::uint32_t e : of_edges) own(e, has_edge, edges);
    for (const std::uint32_t v : of_vertices) own(v, has_vertex, vertices);
    p.last_edge = static_cast<std::uint32_t>(edges.size());
    p.last_vertex = static_cast<std::uint32_t>(vertices.size());
    Vec3 sum;
    for (const std::uint32_t v : of_vertices) sum = sum + data_.vertices[v];
    p.middle = (1 / static_cast<double>(of_vertices.size())) * sum;
    primitives.push_back(p);
  };
  for (std::uint32_t f = 0; f < data_.faces.size(); ++f) {
    add(f, borders_.of(f), Borders::part(border_, border_ends_, f));
  }
  data_.is_loose.assign(data_.edges.size(), 0);
  for (std::uint32_t e = 0; e < data_.edges.size(); ++e) {
    if (has_edge[e]) continue;
    data_.is_loose[e] = 1;
    add(kNone, {&e, 1}, data_.edges[e]);
  }
  for (std::uint32_t v = 0; v < data_.vertices.size(); ++v) {
    if (has_vertex[v]) continue;
    const auto e = static_cast<std::uint32_t>(data_.edges.size());
    data_.edges.push_back({v, v});
    data_.is_loose.push_back(1);
    has_edge.push_back(0);
    add(kNone, {&e, 1}, {&v, 1});
  }
  build_tree(data_, primitives, edges, vertices);
}

Polyhedron Builder::run() {
  if (!(parts_.radius >= 0 && parts_.radius <= kLargest)) {
    refuse("a radius must be from 0 to 1e9 m");
  }
  if (!(parts_.error >= 0 && parts_.error <= kLargest)) refuse("an error must be from 0 to 1e9 m");
  merge_vertices();
  for (std::size_t f = 0; f < parts_.face_ends.size(); ++f) add_face(f);
  for (const auto& [a, b] : parts_.edges) {
    const std::uint32_t from = vertex(a), to = vertex(b);
    if (from != to) edge(from, to);
  }
  for (std::uint32_t i = 0; parts_.loose_vertices && i < parts_.vertices.size(); ++i) vertex(i);
  if (data_.vertices.empty()) refuse("a polyhedron needs at least one vertex");
  data_.radius = parts_.radius;
  data_.error = lost_hi_ > 0 ? rounding::up(parts_.error + lost_hi_) : parts_.error;
  find_parts();
  make_tree();
  return Polyhedron(std::make_shared<const PolyhedronData>(std::move(data_)));
}

}  // namespace

void Parts::add_ring(std::span<const std::uint32_t> ring) {
  corners.insert(corners.end(), ring.begin(), ring.end());
  ring_ends.push_back(static_cast<std::uint32_t>(corners.size()));
}

void Parts::end_face() {
  face_ends.push_back(static_cast<std::uint32_t>(ring_ends.size()));
}

void set_triangle(FaceData& face, std::span<const Vec3> vertices) {
  const Vec3 v0 = vertices[face.anchors[0]];
  const Vec3 along = vertices[face.anchors[1]] - v0, third = vertices[face.anchors[2]] - v0;
  const double length2 = squared_norm(along);
  const double lambda = length2 > 0 ? dot(third, along) / length2 : 0;
  face.lambda = std::clamp(lambda, 0.0, 1.0);
  face.stretch_hi = 1;
  face.most_u = 1;
  face.most_v = 1;
}

double set_coordinates(FaceData& face, std::span<const Vec3> vertices,
                       std::span<const std::uint32_t> border, std::vector<FlatPoint>& flat) {
  const Vec3 v0 = vertices[face.anchors[0]];
  const Vec3 along = vertices[face.anchors[1]] - v0, third = vertices[face.anchors[2]] - v0;
  const double length2 = squared_norm(along);
  face.lambda = dot(third, along) / length2;
  const Vec3 across = third - face.lambda * along;
  const double height2 = squared_norm(across);
  const double along_hi = norm_hi(along);
  const double across_hi = norm_hi(third) + std::abs(face.lambda) * along_hi;
  double off_hi = 0, stretch = 1;
  face.most_u = face.most_v = 0;
  flat.clear();
  for (const std::uint32_t i : border) {
    const Vec3 w = vertices[i] - v0;
    FlatPoint p{dot(w, along) / length2, dot(w, across) / height2};
    Vec3 rest = w - p.u * along - p.v * across;
    // Once more, with what is left: the directions are at right angles only to within rounding.
    p = {p.u + dot(rest, along) / length2, p.v + dot(rest, across) / height2};
    rest = w - p.u * along - p.v * across;
    // Seven roundings at most on the way of each term.
    const double terms = norm_hi(w) + std::abs(p.u) * along_hi + std::abs(p.v) * across_hi;
    const double off = inflate(norm_hi(rest) + gamma(8) * terms, 10);
    if (!(off <= kLargest)) return std::numeric_limits<double>::infinity();
    off_hi = std::max(off_hi, off);
    const double lean = face.lambda * p.v;
    stretch = std::max(
        stretch, std::abs(1 - p.u - p.v + lean) + std::abs(p.u - lean) + std::abs(p.v) +
                     gamma(8) * (1 + 2 * std::abs(p.u) + 2 * std::abs(p.v) + 2 * std::abs(lean)));
    face.most_u = std::max(face.most_u, std::abs(p.u));
    face.most_v = std::max(face.most_v, std::abs(p.v));
    flat.push_back(p);
  }
  face.stretch_hi = inflate(stretch, 16);
  return off_hi;
}

Polyhedron build(const Parts& parts) {
  return Builder(parts).run();
}

}  // namespace keepclear::polyhedron
