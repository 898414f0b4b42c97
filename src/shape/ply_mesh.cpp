// SPDX-License-Identifier: BSD-3-Clause
//
// The surface of a PLY file: polygons of the element face, strips of the element tristrips. What
// could be a surface and is neither is refused: a shape must not lose a part in silence.
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "keepclear/error.hpp"
#include "shape/cloud_parts.hpp"
#include "shape/mesh.hpp"
#include "shape/ply.hpp"
#include "shape/polygons.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

using cloud::refuse;

class PlyMesh final : public ply::Taker {
 public:
  PlyMesh(std::string_view bytes, const std::string& name) : document_(bytes, name), name_(name) {}

  Mesh read() {
    const ply::Element& vertices = document_.want_vertices();
    vertices_ = &vertices;
    if (vertices.count > 3 * kMaxMeshTriangles) {
      refuse(name_, vertices.line,
             std::to_string(vertices.count) + " vertices, the most allowed are " +
                 std::to_string(3 * kMaxMeshTriangles));
    }
    for (ply::Element& element : document_.elements()) want_corners(element);
    document_.walk(*this);
    // Faces may stand before the vertices, and how a polygon is cut depends on where these are.
    std::size_t first = 0;
    for (const Face& face : faces_) {
      polygons_.add({corners_.data() + first, face.corners}, face.line, "face", face.index);
      first += face.corners;
    }
    if (mesh_.triangles.empty()) refuse(name_, 0, "no faces", "only a surface is a shape");
    polygons_.finish(document_.is_ascii());
    return std::move(mesh_);
  }

  void begin(const ply::Element& element) override {
    if (&element == vertices_) mesh_.vertices.reserve(static_cast<std::size_t>(element.count));
  }

  void take(const ply::Element& element, const ply::Row& row) override {
    if (&element == vertices_) {
      vertex(row);
    } else if (element.name == "face") {
      face(element, row);
    } else if (element.name == "tristrips") {
      strips(element, row);
    }
  }

 private:
  struct Face {
    std::uint32_t corners = 0, index = 0;
    int line = 0;
  };

  /// Where the corners of faces and strips are. A list of this name in any other element, or none
  /// in these, would be a surface that is passed over.
  void want_corners(ply::Element& element) const {
    if (element.count == 0 || &element == vertices_) return;
    const bool is_known = element.name == "face" || element.name == "tristrips";
    for (const char* name : {"face", "tristrips"}) {
      if (is_known || !text::equal_ignoring_case(element.name, name)) continue;
      refuse(name_, element.line,
             "the element " + text::quoted(element.name) + " is not " + text::quoted(name));
    }
    int lists = 0;
    for (ply::Property& property : element.properties) {
      if (property.name != "vertex_index" && property.name != "vertex_indices") {
        // Another surface, or this one by another name.
        const bool says_corners = property.count_type && cloud::is_integer(property.type) &&
                                  text::equal_ignoring_case(property.name.substr(0, 4), "vert");
        if (!says_corners) continue;
        refuse(name_, element.line,
               "the list " + text::quoted(property.name) + " of the element " +
                   text::quoted(element.name) + " is not read",
               "corners are in 'vertex_indices' or 'vertex_index'");
      }
      if (!is_known) {
        refuse(name_, element.line,
               "the element " + text::quoted(element.name) + " has " + text::quoted(property.name) +
                   " and is no known kind of surface",
               "faces and tristrips are read");
      }
      if (!property.count_type || !cloud::is_integer(property.type)) {
        refuse(name_, element.line,
               "the corners of the element " + text::quoted(element.name) +
                   " are no list of whole numbers");
      }
      property.is_corners = true;
      ++lists;
    }
    if (is_known && lists != 1) {
      refuse(name_, element.line,
             "the element " + text::quoted(element.name) +
                 (lists == 0 ? " has no list" : " has two lists") +
                 " of corners, 'vertex_indices' or 'vertex_index'");
    }
  }

  static std::string place(const ply::Element& element, const ply::Row& row) {
    return std::string(element.name) + " " + std::to_string(row.index) + " of " +
           std::to_string(element.count);
  }

  void vertex(const ply::Row& row) {
    const Vec3 p{row.p[0], row.p[1], row.p[2]};
    if (!is_finite(p)) {
      refuse(name_, row.line, "vertex " + std::to_string(row.index) + " is not finite");
    }
    mesh_.vertices.push_back(p);
  }

  std::uint32_t corner(std::int64_t index, const ply::Element& element, const ply::Row& row) const {
    if (index < 0 || static_cast<std::uint64_t>(index) >= vertices_->count) {
      refuse(name_, row.line,
             place(element, row) + ": no vertex " + std::to_string(index) + ", there are " +
                 std::to_string(vertices_->count) + ", counted from zero");
    }
    return static_cast<std::uint32_t>(index);
  }

  void face(const ply::Element& element, const ply::Row& row) {
    if (row.corners.empty()) return;
    for (const std::int64_t index : row.corners) corners_.push_back(corner(index, element, row));
    add_face(row, row.corners.size());
  }

  /// The last `count` corners are a face.
  void add_face(const ply::Row& row, std::size_t count) {
    triangles_ += count < 3 ? 1 : count - 2;
    if (triangles_ > kMaxMeshTriangles) refuse(name_, row.line, "too many faces");
    faces_.push_back(
        {static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(row.index), row.line});
  }

  /// Runs of vertices, each but the first two making a triangle with the two before it, turned
  /// about in every second one; -1 ends a run. Of a run of one or two, the corners count too.
  void strips(const ply::Element& element, const ply::Row& row) {
    run_.clear();
    for (const std::int64_t index : row.corners) {
      if (index == -1) {
        end_run(row);
        continue;
      }
      run_.push_back(corner(index, element, row));
      const std::size_t n = run_.size();
      if (n < 3) continue;
      const bool turned = n % 2 == 0;
      corners_.push_back(run_[turned ? n - 2 : n - 3]);
      corners_.push_back(run_[turned ? n - 3 : n - 2]);
      corners_.push_back(run_[n - 1]);
      add_face(row, 3);
    }
    end_run(row);
  }

  void end_run(const ply::Row& row) {
    if (!run_.empty() && run_.size() < 3) {
      corners_.insert(corners_.end(), run_.begin(), run_.end());
      add_face(row, run_.size());
    }
    run_.clear();
  }

  ply::Document document_;
  const std::string& name_;
  const ply::Element* vertices_ = nullptr;
  std::vector<std::uint32_t> corners_;  ///< of all faces, one after the other
  std::vector<Face> faces_;
  std::vector<std::uint32_t> run_;
  std::size_t triangles_ = 0;  ///< at least so many
  Mesh mesh_;
  Polygons polygons_{mesh_, name_};
};

}  // namespace

Mesh parse_ply_mesh(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() > kMaxMeshBytes) refuse(name, 0, "too large for a mesh file");
  return PlyMesh({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name).read();
}

}  // namespace keepclear
