// SPDX-License-Identifier: BSD-3-Clause
#include "distance/epa.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "distance/simplex.hpp"

namespace keepclear {
namespace {

using Vertex = EpaWorkspace::Vertex;
using Face = EpaWorkspace::Face;

/// More than the roundings of a product of three vectors; long double is as good as double at
/// least.
constexpr long double kLongRounding = 64 * std::numeric_limits<long double>::epsilon();
/// Of an error bound of at most 40 roundings, for these roundings: 40 times 2^-53 is 5e-15.
constexpr long double kRoomOfError = 1e-9L;

/// A unit vector at right angles to v.
Vec3 perpendicular(Vec3 v) {
  const double ax = std::fabs(v.x), ay = std::fabs(v.y), az = std::fabs(v.z);
  const Vec3 axis = ax <= ay && ax <= az ? Vec3{1, 0, 0} : ay <= az ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  const Vec3 n = cross(v, axis);
  const double length = norm(n);
  return length > 0 ? (1 / length) * n : axis;
}

LongVec3 fine(Vec3 v) {
  return {v.x, v.y, v.z};
}

/// At least the size of any point of A - B, to rounding.
double reach_of(const Placement& pair) {
  return pair.a->reach_hi + pair.b->reach_hi * (1 + 1e-6) + rounding::norm_hi(pair.X_AB.p);
}

class Polytope {
 public:
  Polytope(const Placement& pair, EpaWorkspace& space) : pair_(pair), s_(space) {
    s_.vertices = s_.faces = s_.alive = s_.shown = s_.free_count = 0;
    flat_ = 1e-14 * reach_of(pair);
  }

  /// A tetrahedron around the start. False when A - B is flat to within rounding; `normal` is then
  /// a direction across it.
  bool begin(const Simplex& start, Vec3& normal) {
    int size = 0;
    for (int i = 0; i < start.size; ++i) {
      push(start.vertex_a[i], start.vertex_b[i]);
      ++size;
    }
    if (size == 0) push_towards({0, 0, 1}), size = 1;
    if (size == 4 && std::fabs(height(3)) <= flat_) size = s_.vertices = 3;
    if (size == 3 && norm(cross(w(1) - w(0), w(2) - w(0))) <= flat_ * norm(w(1) - w(0))) {
      size = s_.vertices = 2;
    }
    if (size == 2 && norm(w(1) - w(0)) <= flat_) size = s_.vertices = 1;
    if (size == 1) {
      normal = {1, 0, 0};
      const Vec3 tries[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
      for (const Vec3 n : tries) {
        push_towards(n);
        if (norm(w(1) - w(0)) > flat_) break;
        s_.vertices = 1;
      }
      if (s_.vertices == 1) return false;
      size = 2;
    }
    if (size == 2) {
      const Vec3 along = w(1) - w(0);
      Vec3 n = perpendicular(along);
      const Vec3 m = (1 / norm(along)) * cross(along, n);
      normal = n;
      for (const Vec3 direction : {n, -n, m, -m}) {
        push_towards(direction);
        if (norm(cross(along, w(2) - w(0))) > flat_ * norm(along)) break;
        s_.vertices = 2;
      }
      if (s_.vertices == 2) return false;
      size = 3;
    }
    if (size == 3) {
      Vec3 n = cross(w(1) - w(0), w(2) - w(0));
      n = (1 / norm(n)) * n;
      normal = n;
      for (const Vec3 direction : {n, -n}) {
        push_towards(direction);
        if (std::fabs(height(3)) > flat_) break;
        s_.vertices = 3;
      }
      if (s_.vertices == 3) return false;
    }
    // Outward orientation: the fourth vertex is behind the face of the first three.
    if (height(3) > 0) std::swap(s_.vertex[0], s_.vertex[1]);
    const int f0 = add_face(0, 1, 2), f1 = add_face(0, 3, 1), f2 = add_face(1, 3, 2),
              f3 = add_face(2, 3, 0);
    join(f0, 0, f1, 2), join(f0, 1, f2, 2), join(f0, 2, f3, 2);
    join(f1, 1, f2, 0), join(f2, 1, f3, 0), join(f3, 1, f1, 0);
    return true;
  }

  bool proved() const { return s_.alive > 0 && s_.shown == s_.alive; }
  bool full() const {
    return s_.vertices == EpaWorkspace::kMaxVertices ||
           s_.faces - s_.free_count > EpaWorkspace::kMaxFaces - 8;
  }

  /// At most the distance of the origin from the boundary of A - B, once contact is proved: every
  /// ray from the origin meets a triangle, no nearer than the plane of that triangle is.
  double sure_depth_lo() const {
    long double least = std::numeric_limits<long double>::infinity();
    for (int f = 0; f < s_.faces; ++f) {
      const Face& face = s_.face[f];
      if (face.alive) least = std::min(least, plane_lo(face));
    }
    return rounding::down(static_cast<double>(std::max(least, 0.0L)));
  }

  int nearest() const {
    int best = -1;
    for (int f = 0; f < s_.faces; ++f) {
      const Face& face = s_.face[f];
      if (face.alive && (best < 0 || face.distance < s_.face[best].distance)) best = f;
    }
    return best;
  }

  const Face& face(int f) const { return s_.face[f]; }
  Vec3 w(int i) const { return s_.vertex[i].w; }

  bool holds(std::uint32_t a, std::uint32_t b) const {
    return std::any_of(s_.vertex.begin(), s_.vertex.begin() + s_.vertices,
                       [&](const Vertex& v) { return v.a == a && v.b == b; });
  }

  /// Adds a vertex outside face `start`: removes what it sees and closes the hole. False when there
  /// is no room, or rounding leaves no clean horizon; the polytope is then as it was before.
  bool expand(int start, std::uint32_t a, std::uint32_t b) {
    if (s_.vertices == EpaWorkspace::kMaxVertices) return false;
    const int apex = s_.vertices;
    push(a, b);
    // Flood from the start over visible faces; the horizon is the edges to those that are not.
    int stacked = 0, seen = 0, edges = 0;
    s_.stack[stacked++] = static_cast<std::uint16_t>(start);
    s_.face[start].alive = false;
    while (seen < stacked) {
      const int f = s_.stack[seen++];
      for (int side = 0; side < 3; ++side) {
        const int other = s_.face[f].neighbour[side];
        Face& neighbour = s_.face[other];
        if (!neighbour.alive) continue;
        if (dot(neighbour.n, w(apex)) - neighbour.distance > 0) {
          neighbour.alive = false;
          s_.stack[stacked++] = static_cast<std::uint16_t>(other);
        }
      }
    }
    for (int i = 0; i < stacked; ++i) {
      const Face& f = s_.face[s_.stack[i]];
      for (int side = 0; side < 3; ++side) {
        const int other = f.neighbour[side];
        if (!s_.face[other].alive) continue;
        const auto back = static_cast<std::uint16_t>(side_towards(other, s_.stack[i]));
        s_.horizon[edges++] = {f.vertex[side], f.vertex[(side + 1) % 3],
                               static_cast<std::uint16_t>(other), back};
      }
    }
    const int room = EpaWorkspace::kMaxFaces - s_.faces + s_.free_count;
    if (!one_loop(edges) || edges > room) {
      for (int i = 0; i < stacked; ++i) s_.face[s_.stack[i]].alive = true;
      s_.vertices = apex;
      return false;
    }
    for (int i = 0; i < edges; ++i) {
      s_.created[i] = static_cast<std::uint16_t>(
          add_face(s_.horizon[i].from, s_.horizon[i].to, static_cast<std::uint16_t>(apex)));
      join(s_.created[i], 0, s_.horizon[i].face, s_.horizon[i].side);
    }
    for (int i = 0; i < edges; ++i) {
      join(s_.created[i], 1, s_.created[(i + 1) % edges], 2);
    }
    for (int i = 0; i < stacked; ++i) {
      const int f = s_.stack[i];
      --s_.alive;
      if (s_.face[f].shown) --s_.shown;
      s_.free[s_.free_count++] = static_cast<std::uint16_t>(f);
    }
    return true;
  }

  /// The point of a face nearest to the origin, as points of A and B.
  void witness_of(int f, Vec3& p_a, Vec3& p_b) const {
    Simplex simplex;
    for (const auto v : s_.face[f].vertex) append(pair_, simplex, s_.vertex[v].a, s_.vertex[v].b);
    nearest_by_signed_volumes(simplex);
    const Witness found = witness(pair_, simplex);
    p_a = found.p_a, p_b = found.p_b;
  }

 private:
  void push(std::uint32_t a, std::uint32_t b) {
    s_.vertex[s_.vertices++] = {difference(pair_, a, b), a, b};
  }
  void push_towards(Vec3 n) {
    const Separation found = evaluate_direction(pair_, n);
    push(found.vertex_a, found.vertex_b);
  }

  /// Of vertex i above the plane of the first three.
  double height(int i) const {
    const Vec3 n = cross(w(1) - w(0), w(2) - w(0));
    const double length = norm(n);
    return length > 0 ? dot(n, w(i) - w(0)) / length : 0;
  }

  int add_face(int i, int j, int k) {
    const int f = s_.free_count > 0 ? s_.free[--s_.free_count] : s_.faces++;
    Face& face = s_.face[f];
    face.vertex = {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j),
                   static_cast<std::uint16_t>(k)};
    const Vec3 n = cross(w(j) - w(i), w(k) - w(i));
    const double length = norm(n);
    face.n = length > 0 ? (1 / length) * n : Vec3{0, 0, 1};
    face.distance = dot(face.n, w(i));
    face.alive = true;
    face.shown = faces_away(w(i), w(j), w(k));
    ++s_.alive;
    if (face.shown) ++s_.shown;
    return f;
  }

  /// At most six times the volume of the origin and the real points behind these three, each within
  /// error_hi of its computed one: positive if they turn counter-clockwise as seen from outside.
  long double determinant_lo(Vec3 a, Vec3 b, Vec3 c) const {
    const LongVec3 bc = cross(fine(b), fine(c)), ca = cross(fine(c), fine(a)),
                   ab = cross(fine(a), fine(b));
    // det(a + da, b + db, c + dc) differs from det(a, b, c) by at most the sum over one, two and
    // three replaced columns. The products themselves are rounded in extended precision, at least
    // as good as double: six terms below |a||b||c|, each rounded at most five times.
    const long double e = pair_.error_hi;
    const long double na = norm(a), nb = norm(b), nc = norm(c);
    const long double areas =
        std::sqrt(squared_norm(bc)) + std::sqrt(squared_norm(ca)) + std::sqrt(squared_norm(ab));
    const long double error = e * areas + e * e * (na + nb + nc) + e * e * e +
                              kLongRounding * (na * nb * nc + e * (na * nb + nb * nc + nc * na));
    return dot(fine(a), bc) - error * (1 + kRoomOfError);
  }

  /// True if the origin is strictly on the inner side of the real points behind these three.
  bool faces_away(Vec3 a, Vec3 b, Vec3 c) const { return determinant_lo(a, b, c) > 0; }

  /// At most the distance of the origin from the plane of the real points behind a face: six times
  /// the volume by twice the area.
  long double plane_lo(const Face& face) const {
    const Vec3 a = w(face.vertex[0]), b = w(face.vertex[1]), c = w(face.vertex[2]);
    const LongVec3 ab = fine(b) - fine(a), ac = fine(c) - fine(a);
    // Each side is off by at most 2 e.
    const long double e = pair_.error_hi;
    const long double lab = std::sqrt(squared_norm(ab)), lac = std::sqrt(squared_norm(ac));
    const long double area_hi = std::sqrt(squared_norm(cross(ab, ac))) + 2 * e * (lab + lac) +
                                4 * e * e + kLongRounding * lab * lac;
    const long double lo = determinant_lo(a, b, c) * (1 - kRoomOfError);
    return lo > 0 && area_hi > 0 ? lo / (area_hi * (1 + kRoomOfError)) : 0;
  }

  void join(int f, int side_f, int g, int side_g) {
    s_.face[f].neighbour[side_f] = static_cast<std::uint16_t>(g);
    s_.face[g].neighbour[side_g] = static_cast<std::uint16_t>(f);
  }

  int side_towards(int f, int g) const {
    for (int side = 0; side < 3; ++side) {
      if (s_.face[f].neighbour[side] == g) return side;
    }
    return 0;
  }

  /// Sorts the horizon edges head to tail; true if they form one closed loop. Anything else would
  /// not leave a closed surface.
  bool one_loop(int edges) {
    if (edges < 3) return false;
    for (int i = 0; i + 1 < edges; ++i) {
      int next = -1;
      for (int j = i + 1; j < edges; ++j) {
        if (s_.horizon[j].from != s_.horizon[i].to) continue;
        if (next >= 0) return false;
        next = j;
      }
      if (next < 0) return false;
      std::swap(s_.horizon[i + 1], s_.horizon[next]);
    }
    return s_.horizon[edges - 1].to == s_.horizon[0].from;
  }

  const Placement& pair_;
  EpaWorkspace& s_;
  double flat_ = 0;
};

/// Four directions without a symmetry that shapes could share; another four for each attempt.
Vec3 odd_direction(int attempt, int k) {
  constexpr Vec3 kOdd[4] = {{0.5411961, 0.6217613, 0.5661823},
                            {-0.6533815, 0.3720467, -0.6593094},
                            {0.4721359, -0.7320511, -0.4911643},
                            {-0.5196152, -0.4358899, 0.7348469}};
  const Vec3 d = kOdd[k];
  switch (attempt) {
    case 1:
      return d;
    case 2:
      return {-d.y, d.z, -d.x};
    case 3:
      return {d.z, d.x, -d.y};
    default:
      return {-d.x, -d.z, d.y};
  }
}

/// Corners of A - B as a start.
Simplex odd_corners(const Placement& pair, int attempt) {
  Simplex start;
  for (int k = 0; k < 4; ++k) {
    const Separation found = evaluate_direction(pair, odd_direction(attempt, k));
    if (!holds(start, found.vertex_a, found.vertex_b)) append(start, found);
  }
  return start;
}

struct Search {
  EpaResult result;
  bool stuck = false;  ///< ended neither at a result nor for lack of room
};

/// One search. From the second attempt on, of points that are equally far along a face's normal, a
/// corner is taken: a point between corners makes faces of no area.
Search search_from(const Placement& pair, const Simplex& start, bool depth_wanted, double tolerance,
                   int attempt, EpaWorkspace& space) {
  Search search;
  EpaResult& result = search.result;
  Polytope polytope(pair, space);
  result.signed_lo = -std::numeric_limits<double>::infinity();
  Vec3 normal;
  if (!polytope.begin(start, normal)) {
    // Flat across `normal`: the hulls touch, and moving by nothing along it parts them.
    for (const Vec3 n : {normal, -normal}) {
      const double lo = hull_distance_lo(pair, evaluate_direction(pair, n).gap, norm(n));
      if (lo > result.signed_lo) result.signed_lo = lo, result.n = n;
    }
    const Witness found = witness(pair, start);
    result.p_a = found.p_a, result.p_b = found.p_b;
    return search;
  }
  int best = polytope.nearest();
  for (int step = 0; step < 2 * EpaWorkspace::kMaxVertices; ++step) {
    result.contact = result.contact || polytope.proved();
    if (result.contact && !depth_wanted) break;
    const Vec3 n = polytope.face(best).n;
    Separation found = evaluate_direction(pair, n);
    const double lo = hull_distance_lo(pair, found.gap, norm(n));
    if (lo > result.signed_lo) result.signed_lo = lo, result.n = n;
    // The gap along n is minus the depth along n; the face is inside A - B. Until contact is proved
    // there is no tolerance: the overlap may be shallower than that.
    const double open = -found.gap - polytope.face(best).distance;
    if (open <= (result.contact ? tolerance : 0)) break;
    if (attempt > 0) {
      const Separation corner = evaluate_direction(pair, n + 1e-7 * odd_direction(attempt, 0));
      if (!polytope.holds(corner.vertex_a, corner.vertex_b) &&
          dot(n, corner.w) - polytope.face(best).distance > 0.5 * open) {
        found = corner;
      }
    }
    search.stuck = polytope.holds(found.vertex_a, found.vertex_b) ||
                   !polytope.expand(best, found.vertex_a, found.vertex_b);
    if (search.stuck) break;
    best = polytope.nearest();
  }
  result.contact = result.contact || polytope.proved();
  search.stuck = (search.stuck || !result.contact) && !polytope.full();
  result.depth_lo = std::max(0.0, polytope.face(best).distance);
  if (depth_wanted && polytope.proved()) result.sure_depth_lo = polytope.sure_depth_lo();
  polytope.witness_of(best, result.p_a, result.p_b);
  return search;
}

}  // namespace

EpaResult epa(const Placement& pair, const Simplex& start, bool depth_wanted, double tolerance,
              EpaWorkspace& space) noexcept {
  Search search = search_from(pair, start, depth_wanted, tolerance, 0, space);
  EpaResult result = search.result;
  // Bodies that just touch are stuck by rounding, and no other start helps them.
  const double rounding = 1e-12 * reach_of(pair) + 16 * pair.error_hi;
  constexpr int kAttempts = 4;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    const double shown = result.contact ? result.depth_lo : 0;
    const bool open = search.stuck && (depth_wanted || !result.contact) &&
                      -result.signed_lo - shown > tolerance + rounding;
    // A face next to no area hides how deep the surface around the origin is.
    const bool unsure = depth_wanted && result.contact && shown > rounding &&
                        !(result.sure_depth_lo > 0.999 * shown);
    if (!open && !unsure) break;
    search = search_from(pair, odd_corners(pair, attempt), depth_wanted, tolerance, attempt, space);
    const EpaResult& other = search.result;
    result.sure_depth_lo = std::max(result.sure_depth_lo, other.sure_depth_lo);
    if (!open) continue;
    if (other.signed_lo > result.signed_lo) {
      result.signed_lo = other.signed_lo, result.n = other.n;
    }
    if (!other.contact) continue;
    if (!result.contact || other.depth_lo > result.depth_lo) {
      result.depth_lo = other.depth_lo, result.p_a = other.p_a, result.p_b = other.p_b;
    }
    result.contact = true;
  }
  return result;
}

}  // namespace keepclear
