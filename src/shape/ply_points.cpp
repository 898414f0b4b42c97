// SPDX-License-Identifier: BSD-3-Clause
//
// The vertices of a PLY file.
#include "shape/cloud_parts.hpp"
#include "shape/ply.hpp"

namespace keepclear::cloud {
namespace {

class PlyPoints final : public ply::Taker {
 public:
  PlyPoints(std::string_view bytes, const std::string& name)
      : document_(bytes, name), builder_(name) {}

  PointCloud read() {
    const ply::Element& vertices = document_.want_vertices();
    vertices_ = &vertices;
    builder_.announce(vertices.count, vertices.line);
    document_.walk(*this);
    return builder_.finish(document_.is_ascii());
  }

  void begin(const ply::Element& element) override {
    if (&element == vertices_) builder_.reserve(static_cast<std::size_t>(element.count));
  }
  void take(const ply::Element& element, const ply::Row& row) override {
    if (&element == vertices_) builder_.add({row.p[0], row.p[1], row.p[2]}, row.line);
  }

 private:
  ply::Document document_;
  Builder builder_;
  const ply::Element* vertices_ = nullptr;
};

}  // namespace

PointCloud parse_ply(std::string_view bytes, const std::string& name) {
  return PlyPoints(bytes, name).read();
}

}  // namespace keepclear::cloud
