// SPDX-License-Identifier: BSD-3-Clause
// glTF 2.0, text and binary: the triangles of its scene, as its nodes place them.
#include <bit>
#include <cstring>

#include "json.hpp"
#include "mesh.hpp"

namespace verify {
namespace {

std::uint32_t little(std::string_view bytes, std::size_t at) {
  if (at + 4 > bytes.size()) throw CannotTell{"it is cut short"};
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::string from_base64(std::string_view text) {
  const std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == digits.npos) throw CannotTell{"no base64"};
    bits = bits << 6 | static_cast<std::uint32_t>(digit), count += 6;
    if (count >= 8) count -= 8, bytes += static_cast<char>(bits >> count & 255);
  }
  return bytes;
}

class GltfReader {
 public:
  GltfReader(const std::filesystem::path& file, const std::string& text)
      : folder_(file.parent_path()) {
    std::string_view json = text;
    if (lowered(file.extension().string()) == ".glb") {
      if (!text.starts_with("glTF") || little(text, 4) != 2 || little(text, 8) != text.size())
        throw CannotTell{"no binary glTF of version 2"};
      for (std::size_t at = 12; at < text.size();) {
        const std::size_t size = little(text, at), kind = little(text, at + 4);
        if (size > text.size() - at - 8) throw CannotTell{"a chunk that is cut short"};
        const std::string_view chunk = std::string_view(text).substr(at + 8, size);
        if (kind == 0x4E4F534A && at == 12) json = chunk;
        if (kind == 0x004E4942) binary_ = chunk;
        at += 8 + size;
      }
    }
    all_ = parse_json(json);
  }

  Mesh read() {
    if (all_.at("asset").at("version") != "2.0") throw CannotTell{"another version than 2.0"};
    if (all_.contains("extensionsRequired")) throw CannotTell{"extensions that it requires"};
    const Json scenes = all_.value("scenes", Json::array());
    if (scenes.empty() || (!all_.contains("scene") && scenes.size() > 1))
      throw CannotTell{"it does not say which scene is meant"};
    const std::size_t scene = all_.contains("scene") ? index(all_["scene"]) : 0;
    for (const Json& node : scenes.at(scene).value("nodes", Json::array()))
      read_node(index(node), {}, 0);
    return std::move(mesh_);
  }

 private:
  static std::size_t index(const Json& value) {
    if (!value.is_number_unsigned()) throw CannotTell{"no index where one should be"};
    return value.get<std::size_t>();
  }
  static std::size_t index_or(const Json& in, const char* key, std::size_t otherwise) {
    return in.contains(key) ? index(in[key]) : otherwise;
  }
  template <std::size_t N>
  static std::array<double, N> numbers(const Json& in, const char* key,
                                       std::array<double, N> otherwise) {
    if (!in.contains(key)) return otherwise;
    if (in[key].size() != N) throw CannotTell{std::string("not as many numbers: ") + key};
    for (std::size_t i = 0; i < N; ++i) otherwise[i] = in[key].at(i).get<double>();
    return otherwise;
  }

  void read_node(std::size_t at, const Affine& above, int depth) {
    if (depth > 100 || ++visits_ > 100'000) throw CannotTell{"nodes nested too deep, or too often"};
    const Json& node = all_.at("nodes").at(at);
    for (const char* key : {"skin", "weights"})
      if (node.contains(key)) throw CannotTell{std::string("a node with ") + key};
    if (node.contains("extensions")) throw CannotTell{"a node with extensions"};
    Affine own;
    if (node.contains("matrix")) {  // by columns
      const auto m = numbers<16>(node, "matrix", {});
      if (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1)
        throw CannotTell{"a matrix not affine"};
      own = {{Point{m[0], m[4], m[8]}, Point{m[1], m[5], m[9]}, Point{m[2], m[6], m[10]}},
             {m[12], m[13], m[14]}};
    } else {
      const auto q = numbers<4>(node, "rotation", {0, 0, 0, 1});
      const auto s = numbers<3>(node, "scale", {1, 1, 1});
      if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0.5))
        throw CannotTell{"no rotation"};
      own.rows = Place::of_quaternion({0, 0, 0}, q[0], q[1], q[2], q[3]).turn;
      for (Point& row : own.rows)
        for (std::size_t i = 0; i < 3; ++i) row[i] *= s[i];
      own.shift = numbers<3>(node, "translation", {0, 0, 0});
    }
    const Affine placed = above * own;
    if (node.contains("mesh"))
      for (const Json& primitive : all_.at("meshes").at(index(node["mesh"])).at("primitives"))
        read_primitive(primitive, placed);
    for (const Json& child : node.value("children", Json::array()))
      read_node(index(child), placed, depth + 1);
  }

  void read_primitive(const Json& primitive, const Affine& placed) {
    for (const char* key : {"targets", "extensions"})
      if (primitive.contains(key)) throw CannotTell{std::string("a primitive with ") + key};
    const std::size_t mode = index_or(primitive, "mode", 4);
    if (mode < 4) return;  // points and lines
    const std::size_t first = mesh_.points.size();
    const auto values = accessor(index(primitive.at("attributes").at("POSITION")), "VEC3");
    for (std::size_t i = 0; i + 2 < values.size(); i += 3)
      mesh_.points.push_back(placed * Point{values[i], values[i + 1], values[i + 2]});
    const std::size_t count = mesh_.points.size() - first;
    std::vector<std::size_t> corners;
    if (primitive.contains("indices")) {
      for (const double i : accessor(index(primitive["indices"]), "SCALAR")) {
        if (!(i < static_cast<double>(count))) throw CannotTell{"a corner that is not there"};
        corners.push_back(first + static_cast<std::size_t>(i));
      }
    } else {
      for (std::size_t i = 0; i < count; ++i) corners.push_back(first + i);
    }
    if (mesh_.faces.size() > 20'000'000 || mesh_.points.size() > 60'000'000)
      throw CannotTell{"too large"};
    if (mode == 4 && corners.size() % 3 != 0) throw CannotTell{"corners that are left over"};
    if (mode > 6) throw CannotTell{"a kind of primitive that is not known"};
    if (mode == 5) add_strip(mesh_, corners);
    for (std::size_t i = 2; mode != 5 && i < corners.size(); i += mode == 4 ? 3 : 1)
      mesh_.faces.push_back({corners[mode == 4 ? i - 2 : 0], corners[i - 1], corners[i]});
  }

  std::vector<double> accessor(std::size_t at, const std::string& type) {
    const Json& a = all_.at("accessors").at(at);
    const std::size_t kind = index(a.at("componentType")), count = index(a.at("count"));
    const bool points = type == "VEC3";
    if (a.at("type") != type || a.contains("sparse") || a.value("normalized", false) ||
        (points ? kind != 5126 : kind != 5121 && kind != 5123 && kind != 5125))
      throw CannotTell{"an accessor that is not known"};
    const Json& view = all_.at("bufferViews").at(index(a.at("bufferView")));
    const std::string& bytes = buffer(index(view.at("buffer")));
    const std::size_t width = kind == 5121 ? 1 : kind == 5123 ? 2 : 4, parts = points ? 3 : 1;
    const std::size_t stride = index_or(view, "byteStride", width * parts),
                      from = index_or(view, "byteOffset", 0), in = index_or(a, "byteOffset", 0),
                      length = index(view.at("byteLength"));
    if (count > 60'000'000 || stride < width * parts || stride > 252 || from > bytes.size() ||
        length > bytes.size() - from || in > length ||
        (count > 0 && (count - 1) * stride + width * parts > length - in))
      throw CannotTell{"an accessor beyond its buffer"};
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t p = 0; p < parts; ++p) {
        std::uint32_t bits = 0;
        for (std::size_t b = width; b-- > 0;)
          bits =
              bits << 8 | static_cast<unsigned char>(bytes[from + in + i * stride + p * width + b]);
        values.push_back(points ? static_cast<double>(std::bit_cast<float>(bits)) : bits);
      }
    return values;
  }

  const std::string& buffer(std::size_t at) {
    if (const auto known = buffers_.find(at); known != buffers_.end()) return known->second;
    const Json& b = all_.at("buffers").at(at);
    std::string bytes(binary_);
    if (b.contains("uri")) {
      const std::string uri = b["uri"].get<std::string>();
      const std::size_t comma = uri.find(";base64,");
      if (uri.starts_with("data:") && comma != uri.npos)
        bytes = from_base64(std::string_view(uri).substr(comma + 8));
      else if (uri.find(':') == uri.npos && uri.find('%') == uri.npos && uri.find("..") == uri.npos)
        bytes = read_file(folder_ / uri);
      else
        throw CannotTell{"where its buffer is: " + uri};
    } else if (at != 0) {
      throw CannotTell{"a buffer that is nowhere"};
    }
    const std::size_t length = index(b.at("byteLength"));
    if (bytes.size() < length) throw CannotTell{"a buffer that is cut short"};
    return buffers_[at] = bytes.substr(0, length);
  }

  const std::filesystem::path folder_;
  Json all_;
  std::string binary_;  // of a .glb
  std::map<std::size_t, std::string> buffers_;
  std::size_t visits_ = 0;
  Mesh mesh_;
};

}  // namespace

Mesh read_gltf(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  try {
    return GltfReader(file, text).read();
  } catch (const Json::exception& e) {
    throw CannotTell{e.what()};
  }
}

}  // namespace verify
