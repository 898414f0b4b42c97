// SPDX-License-Identifier: BSD-3-Clause
//
// glTF in the ways that its grammar allows: as text with data inside or beside, and as GLB.
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "shape/mesh_grammar/choices.hpp"
#include "shape/mesh_grammar/solids.hpp"

namespace keepclear::test {

class GltfWriter {
 public:
  explicit GltfWriter(Choices& choices) : c_(choices) {}

  Written write() {
    const Solid s = solid(c_.choose("solid", kSolids));
    const Solid other = solid((c_.choose("solid", kSolids) + 1) % kSolids);
    document_ = {{"asset", {{"version", "2.0"}}}};
    document_["meshes"].push_back(mesh(s));
    nodes(s, other);
    scenes();
    store();
    return made_;
  }

 private:
  using Json = nlohmann::json;
  using Place = std::function<Vec3(Vec3)>;

  template <class T>
  void put(T value) {
    for (std::size_t k = 0; k < sizeof value; ++k) {
      binary_ +=
          static_cast<char>(std::bit_cast<std::array<unsigned char, sizeof value>>(value)[k]);
    }
  }

  std::size_t view(std::size_t begin, std::size_t stride) {
    Json made = {{"buffer", 0}, {"byteOffset", begin}, {"byteLength", binary_.size() - begin}};
    if (stride > 0) made["byteStride"] = stride;
    document_["bufferViews"].push_back(made);
    return document_["bufferViews"].size() - 1;
  }
  std::size_t accessor(Json made) {
    document_["accessors"].push_back(std::move(made));
    return document_["accessors"].size() - 1;
  }

  std::size_t positions(const std::vector<Vec3>& points) {
    // Together, with room between, with numbers between, behind a beginning.
    const int layout = c_.choose("layout", 4);
    const std::size_t begin = binary_.size();
    if (layout == 3) put(std::uint32_t{0x7fc00000});
    for (const Vec3& p : points) {
      for (int k = 0; k < 3; ++k) put(static_cast<float>(p[k]));
      if (layout == 1) put(std::uint32_t{0});
      if (layout == 2) put(1e30F), put(-1e30F);
    }
    Json made = {{"bufferView", view(begin, layout == 1   ? 16
                                            : layout == 2 ? 20
                                                          : 0)},
                 {"componentType", 5126},
                 {"count", points.size()},
                 {"type", "VEC3"}};
    if (layout == 3) made["byteOffset"] = 4;
    const int odd = c_.choose("odd accessor", 3);
    if (odd == 1) made["normalized"] = false;
    if (odd == 2) {
      made_.must_load = false;
      made["sparse"] = {{"count", 1},
                        {"indices", {{"bufferView", 0}, {"componentType", 5121}}},
                        {"values", {{"bufferView", 0}}}};
    }
    return accessor(made);
  }

  std::size_t indices(const Polygon& corners) {
    const int type = c_.choose("index type", 3);
    const std::size_t begin = binary_.size();
    for (const std::uint32_t corner : corners) {
      if (type == 0) put(static_cast<std::uint16_t>(corner));
      if (type == 1) put(static_cast<std::uint8_t>(corner));
      if (type == 2) put(corner);
    }
    const std::size_t made = view(begin, 0);
    while (binary_.size() % 4 != 0) binary_ += '\0';
    return accessor({{"bufferView", made},
                     {"componentType", type == 0   ? 5123
                                       : type == 1 ? 5121
                                                   : 5125},
                     {"count", corners.size()},
                     {"type", "SCALAR"}});
  }

  Json primitive(int mode, const Polygon& corners, const std::vector<Vec3>& points, bool shared) {
    Json made = Json::object();
    if (mode != 4 || c_.choose("mode is said", 2)) made["mode"] = mode;
    if (!indexed_) {
      std::vector<Vec3> own;
      for (const std::uint32_t corner : corners) own.push_back(points[corner]);
      made["attributes"]["POSITION"] = positions(own);
      return made;
    }
    if (!shared || !shared_positions_) shared_positions_ = positions(points);
    made["attributes"]["POSITION"] = *shared_positions_;
    made["indices"] = indices(corners);
    return made;
  }

  Json mesh(const Solid& s) {
    indexed_ = c_.choose("indexed", 2) == 0;
    shared_positions_.reset();
    const bool shared = c_.choose("positions of each", 2) == 0;
    Json all = Json::array();
    const auto add = [&](int mode, const Polygon& corners) {
      all.push_back(primitive(mode, corners, s.points, shared));
    };
    const auto flat = [](const std::vector<Polygon>& polygons) {
      Polygon corners;
      for (const Polygon& p : triangles_of(polygons))
        corners.insert(corners.end(), p.begin(), p.end());
      return corners;
    };
    const int neighbour = c_.choose("neighbour", 10);
    if (neighbour == 1) add(0, {0, 1});
    if (neighbour == 2) add(1, {0, 1, 1, 2});
    if (neighbour == 3) add(3, {0, 1, 2});
    if (neighbour == 4) add(2, {0, 1, 2});
    if (neighbour == 5) add(4, {1, 1, 1});
    if (neighbour == 6) made_.must_load = false, add(5, {0, 1});
    if (neighbour == 7) made_.must_load = false, add(6, {0});
    const auto half = s.faces.begin() + static_cast<std::ptrdiff_t>(s.faces.size() / 2);
    const std::vector<Polygon> some(s.faces.begin(), half), others(half, s.faces.end());
    switch (c_.choose("surface", 6)) {
      case 0:
        add(4, flat(s.faces));
        break;
      case 1:
        add(5, joined(strips_of(s.faces)));
        break;
      case 2:
        for (const Polygon& p : strips_of(s.faces)) add(5, p);
        break;
      case 3:
        for (const Polygon& p : s.faces) add(6, p);
        break;
      case 4:
        add(4, flat(some)), add(5, joined(strips_of(others)));
        break;
      default:
        add(4, flat(some));
        for (const Polygon& p : others) add(6, p);
    }
    if (neighbour == 8) add(5, {2, 2, 2, 2});
    if (neighbour == 9) made_.must_load = false, add(4, {0, 1});
    return {{"primitives", all}};
  }

  void nodes(const Solid& s, const Solid& other) {
    Json node = {{"mesh", 0}};
    Place place = [](Vec3 p) { return p; };
    const auto turned = [](Vec3 p) { return Vec3{-p.y, p.x, p.z}; };
    const double h = std::sqrt(0.5);
    switch (c_.choose("transform", 6)) {
      case 1:
        node["translation"] = {1, -2, 3};
        place = [](Vec3 p) { return p + Vec3{1, -2, 3}; };
        break;
      case 2:
        node["scale"] = {2, 0.5, -3};
        place = [](Vec3 p) { return Vec3{2 * p.x, 0.5 * p.y, -3 * p.z}; };
        break;
      case 3:
        node["rotation"] = {0, 0, h, h};
        place = turned;
        break;
      case 4:
        node["translation"] = {1, -2, 3}, node["rotation"] = {0, 0, h, h},
        node["scale"] = {2, 2, 4};
        place = [=](Vec3 p) { return turned({2 * p.x, 2 * p.y, 4 * p.z}) + Vec3{1, -2, 3}; };
        break;
      case 5:
        node["matrix"] = {0, 0.5, 0, 0, 1, 0, 0, 0, 0, 0, -2, 0, 10, 20, 30, 1};
        place = [](Vec3 p) { return Vec3{p.y + 10, 0.5 * p.x + 20, -2 * p.z + 30}; };
        break;
      default:
        break;
    }
    const Place aside = [](Vec3 p) { return p + Vec3{300, 0, 0}; };
    Json& all = document_["nodes"];
    switch (c_.choose("structure", 5)) {
      case 1:  // below another
        all = {{{"translation", {300, 0, 0}}, {"children", {1}}}, node};
        roots_ = {0};
        made_.show(s, [&](Vec3 p) { return aside(place(p)); });
        break;
      case 2:  // a mesh that two nodes show
        all = {node, {{"mesh", 0}, {"translation", {300, 0, 0}}}};
        roots_ = {0, 1};
        made_.show(s, place);
        made_.show(s, aside);
        break;
      case 3:  // another mesh, and one that no scene shows
        document_["meshes"].push_back(mesh(other));
        document_["meshes"].push_back(mesh(solid(0)));
        all = {{{"mesh", 2}}, {{"mesh", 1}, {"translation", {300, 0, 0}}, {"children", {2}}}, node};
        roots_ = {1};
        made_.show(other, aside);
        made_.show(s, [&](Vec3 p) { return aside(place(p)); });
        break;
      case 4:  // a skin: not promised
        made_.must_load = false;
        document_["skins"] = {{{"joints", {0}}}};
        node["skin"] = 0;
        all = Json::array({node});
        roots_ = {0};
        made_.show(s, place);
        break;
      default:
        all = Json::array({node});
        roots_ = {0};
        made_.show(s, place);
    }
  }

  void scenes() {
    const Json shown = {{"nodes", roots_}}, empty = {{"nodes", Json::array()}};
    const Json far = {{"nodes", Json::array({document_["nodes"].size()})}};
    const int which = c_.choose("scenes", 7);
    if (which >= 2 && which <= 4) {
      document_["nodes"].push_back({{"mesh", 0}, {"translation", {0, 0, 7000}}});
    }
    switch (which) {
      case 1:
        document_["scenes"] = Json::array({shown});
        break;
      case 2:
        document_["scenes"] = {far, shown}, document_["scene"] = 1;
        break;
      case 3:
        document_["scenes"] = {shown, far}, document_["scene"] = 0;
        break;
      case 4:  // which one is not said
        made_.must_load = false;
        document_["scenes"] = {shown, far};
        break;
      case 5:
        made_.must_load = false;
        break;
      case 6:
        made_.must_load = false;
        document_["scenes"] = Json::array({empty}), document_["scene"] = 0;
        break;
      default:
        document_["scenes"] = Json::array({shown}), document_["scene"] = 0;
    }
  }

  static std::string base64(const std::string& bytes) {
    static const char* const kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
      std::uint32_t held = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        held = held << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
      }
      for (std::size_t k = 0; k < 4; ++k) {
        text += i + k <= bytes.size() ? kLetters[held >> (18 - 6 * k) & 63] : '=';
      }
    }
    return text;
  }

  static void put_u32(std::string& to, std::size_t value) {
    for (int k = 0; k < 4; ++k) to += static_cast<char>(value >> 8 * k & 0xff);
  }

  void store() {
    const int how = c_.choose("storage", 4);
    Json buffer = {{"byteLength", binary_.size()}};
    if (how == 0) buffer["uri"] = "data:application/octet-stream;base64," + base64(binary_);
    if (how == 1) buffer["uri"] = "part.bin", made_.beside.emplace_back("part.bin", binary_);
    if (how == 3) {
      // A text that says that its buffer is a chunk, which only a GLB has.
      made_.must_load = false;
    }
    document_["buffers"] = Json::array({buffer});
    if (how != 2) {
      made_.extension = "gltf";
      made_.bytes = document_.dump(c_.choose("indented", 2) ? 1 : -1);
      return;
    }
    std::string json = document_.dump();
    while (json.size() % 4 != 0) json += ' ';
    std::string glb = "glTF";
    put_u32(glb, 2);
    put_u32(glb, 12 + 8 + json.size() + 8 + binary_.size());
    put_u32(glb, json.size());
    glb += "JSON" + json;
    put_u32(glb, binary_.size());
    glb += std::string("BIN\0", 4) + binary_;
    made_.extension = "glb";
    made_.bytes = glb;
  }

  Choices& c_;
  Json document_;
  std::string binary_;
  bool indexed_ = true;
  std::optional<std::size_t> shared_positions_;
  std::vector<std::size_t> roots_;
  Written made_;
};

}  // namespace keepclear::test
