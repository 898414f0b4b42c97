// SPDX-License-Identifier: BSD-3-Clause
//
// Which faces bound something together. Faces that share edges are a shell; one is closed if every
// edge has an even number of them. Where each has two, faces can be turned alike, whatever way
// round they were given, and a shell says how often it goes round a point.
#include <algorithm>
#include <numeric>

#include "shape/polyhedron_parts.hpp"

namespace keepclear::polyhedron {
namespace {

/// A face along one of its border edges; forward: from the lesser vertex to the larger, as its
/// triangles go.
struct Along {
  std::uint32_t face = 0;
  bool forward = false;
};

std::uint64_t key(std::uint32_t a, std::uint32_t b) {
  return (std::uint64_t{std::min(a, b)} << 32) | std::max(a, b);
}

/// The sides of a face's triangles that no other of its triangles has.
std::vector<std::pair<std::uint64_t, bool>> border_of(const PolyhedronData& data,
                                                      const FaceData& face) {
  std::vector<std::pair<std::uint64_t, bool>> sides;
  for (std::uint32_t t = face.first; t < face.last; ++t) {
    const Polyhedron::Triangle& triangle = data.triangles[t];
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = triangle[k], b = triangle[(k + 1) % 3];
      sides.push_back({key(a, b), a < b});
    }
  }
  std::sort(sides.begin(), sides.end());
  std::vector<std::pair<std::uint64_t, bool>> border;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const bool twice = i + 1 < sides.size() && sides[i + 1].first == sides[i].first &&
                       sides[i + 1].second != sides[i].second;
    if (twice) {
      ++i;
    } else {
      border.push_back(sides[i]);
    }
  }
  return border;
}

}  // namespace

void find_shells(PolyhedronData& data, const Borders& given, std::span<const std::uint32_t> uses) {
  const std::size_t count = data.faces.size();
  std::vector<std::uint32_t> above(count);
  std::iota(above.begin(), above.end(), 0U);
  const auto root = [&](std::uint32_t f) {
    while (above[f] != f) f = above[f] = above[above[f]];
    return f;
  };
  const auto connect = [&](std::uint32_t a, std::uint32_t b) {
    a = root(a), b = root(b);
    if (a != b) above[std::max(a, b)] = std::min(a, b);
  };
  // Faces along edges, as they were given and as their triangles go; where the two differ, a face
  // cannot be turned.
  std::vector<std::vector<Along>> faces_of(data.edges.size());
  std::vector<std::vector<std::pair<std::uint32_t, bool>>> edges_of(count);
  std::vector<char> odd_border(count, 0);
  for (std::uint32_t f = 0; f < count; ++f) {
    const auto sides = border_of(data, data.faces[f]);
    const std::span<const std::uint32_t> border = given.of(f);
    odd_border[f] = sides.size() != border.size();
    for (const std::uint32_t e : border) {
      const std::uint64_t side = key(data.edges[e][0], data.edges[e][1]);
      const auto found = std::lower_bound(sides.begin(), sides.end(), std::pair{side, false});
      const bool is_there = found != sides.end() && found->first == side;
      if (!is_there) odd_border[f] = 1;
      const bool forward = is_there && found->second;
      if (!faces_of[e].empty()) connect(faces_of[e].front().face, f);
      faces_of[e].push_back({f, forward});
      edges_of[f].push_back({e, forward});
    }
  }
  // What was left out because it is thin still joins what is on both sides of it.
  for (std::uint32_t t = 0; t < given.thin_ends.size(); ++t) {
    std::uint32_t first = Primitive::kNone;
    for (const std::uint32_t e : given.of_thin(t)) {
      if (faces_of[e].empty()) continue;
      if (first == Primitive::kNone) first = faces_of[e].front().face;
      connect(first, faces_of[e].front().face);
    }
  }
  data.shells.clear();
  for (std::uint32_t f = 0; f < count; ++f) {
    FaceData& face = data.faces[f];
    // The first face of each shell comes first.
    if (root(f) == f) {
      face.shell = static_cast<std::uint32_t>(data.shells.size());
      data.shells.push_back({true, true});
    } else {
      face.shell = data.faces[root(f)].shell;
    }
  }
  for (std::uint32_t f = 0; f < count; ++f) {
    PolyhedronShell& shell = data.shells[data.faces[f].shell];
    if (odd_border[f]) shell.oriented = false;
    for (const auto& [edge, forward] : edges_of[f]) {
      if (uses[edge] % 2 != 0) shell.closed = false;
      if (uses[edge] != 2 || faces_of[edge].size() != 2) shell.oriented = false;
    }
  }
  // From face to face: neighbours go along their edge in opposite directions.
  std::vector<char> turned(count, 0), seen(count, 0);
  std::vector<std::uint32_t> open;
  for (std::uint32_t f = 0; f < count; ++f) {
    if (seen[f] || !data.shells[data.faces[f].shell].oriented) continue;
    seen[f] = 1;
    open.assign(1, f);
    while (!open.empty()) {
      const std::uint32_t a = open.back();
      open.pop_back();
      for (const auto& [edge, forward] : edges_of[a]) {
        for (const Along& next : faces_of[edge]) {
          if (next.face == a) continue;
          const char turn = static_cast<char>(turned[a] ^ (next.forward == forward ? 1 : 0));
          if (!seen[next.face]) {
            seen[next.face] = 1;
            turned[next.face] = turn;
            open.push_back(next.face);
          } else if (turned[next.face] != turn) {
            data.shells[data.faces[a].shell].oriented = false;
          }
        }
      }
    }
  }
  for (std::uint32_t f = 0; f < count; ++f) data.faces[f].turned = turned[f] != 0;
  for (PolyhedronShell& shell : data.shells) shell.oriented = shell.oriented && shell.closed;
}

}  // namespace keepclear::polyhedron
