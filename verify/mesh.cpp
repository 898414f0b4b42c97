// SPDX-License-Identifier: BSD-3-Clause
// STL, OBJ and PLY, in double precision. What could be a part of the surface and is not known makes
// a file one that cannot be told of.
#include <bit>
#include <cstring>

#include "mesh.hpp"

namespace verify {
namespace {

/// Numbers in a file, byte by byte.
struct Bytes {
  std::string_view rest;
  bool big_endian = false;

  template <typename T>
  T take() {
    if (rest.size() < sizeof(T)) throw CannotTell{"it is cut short"};
    std::array<unsigned char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), rest.data(), sizeof(T));
    rest.remove_prefix(sizeof(T));
    if (big_endian != (std::endian::native == std::endian::big))
      std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
  }
};

Mesh binary_stl(std::string_view text) {
  Bytes in{text.substr(80)};
  const std::size_t count = in.take<std::uint32_t>();
  if (in.rest.size() / 50 != count) throw CannotTell{"its size is not that of its facets"};
  Mesh mesh;
  for (std::size_t f = 0; f < count; ++f) {
    for (int i = 0; i < 3; ++i) in.take<float>();  // the normal
    for (int i = 0; i < 3; ++i) {
      const double x = in.take<float>(), y = in.take<float>(), z = in.take<float>();
      mesh.points.push_back({x, y, z});
    }
    in.take<std::uint16_t>();
    mesh.faces.push_back({3 * f, 3 * f + 1, 3 * f + 2});
  }
  return mesh;
}

/// The rest of a line that is passed over. A line end in it that only other programs see, or a
/// facet, could hide a part of the mesh.
void pass_line(std::string_view& rest) {
  std::string_view line = trimmed(take_line(rest));
  if (line.find('\r') != line.npos) throw CannotTell{"lines that end in several ways"};
  for (auto word = take_word(line); !word.empty(); word = take_word(line))
    if (lowered(std::string(word)) == "facet") throw CannotTell{"a facet in the name of a solid"};
}

Mesh ascii_stl(std::string_view rest) {
  const auto expect = [&](std::string_view word) {
    if (lowered(std::string(take_word(rest))) != word)
      throw CannotTell{"'" + std::string(word) + "' was expected"};
  };
  Mesh mesh;
  while (!trimmed(rest).empty()) {
    expect("solid"), pass_line(rest);
    for (;;) {
      const std::string word = lowered(std::string(take_word(rest)));
      if (word == "endsolid") break;
      if (word != "facet") throw CannotTell{"'facet' or 'endsolid' was expected"};
      expect("normal");
      for (int i = 0; i < 3; ++i) take_word(rest);
      expect("outer"), expect("loop");
      const std::size_t first = mesh.points.size();
      for (int i = 0; i < 3; ++i) {
        expect("vertex");
        mesh.points.push_back(take_point(rest));
      }
      expect("endloop"), expect("endfacet");
      mesh.faces.push_back({first, first + 1, first + 2});
    }
    pass_line(rest);
  }
  return mesh;
}

Mesh read_stl(std::string_view text) {
  std::uint32_t count = 0;
  const bool has_count = text.size() >= 84;
  if (has_count) count = Bytes{text.substr(80)}.take<std::uint32_t>();
  const bool fits = has_count && text.size() - 84 == 50 * std::size_t{count};
  const bool solid = lowered(std::string(trimmed(text.substr(0, 200)))).starts_with("solid");
  if (!fits && solid && text.find('\0') == text.npos) return ascii_stl(text);
  if (!has_count) throw CannotTell{"it is cut short"};
  return binary_stl(text);
}

Mesh read_obj(std::string_view rest) {
  static const std::set<std::string_view> without_surface = {
      "vn",       "vt",       "vp",     "g",   "o",          "s",         "mg",    "usemtl",
      "mtllib",   "usemap",   "maplib", "lod", "shadow_obj", "trace_obj", "bevel", "l",
      "c_interp", "d_interp", "p",      ""};
  Mesh mesh;
  while (!rest.empty()) {
    std::string_view line = trimmed(take_line(rest));
    if (line.find('\r') != line.npos) throw CannotTell{"lines that end in several ways"};
    line = line.substr(0, line.find('#'));
    if (line.find('\\') != line.npos) throw CannotTell{"a line that goes on in the next"};
    const std::string_view word = take_word(line);
    if (word == "v") {
      mesh.points.push_back(take_point(line));
      double more[3] = {1, 1, 1};  // a weight, or a colour
      std::size_t count = 0;
      for (auto next = take_word(line); !next.empty(); next = take_word(line)) {
        const auto value = to_number(next);
        if (!value || count == 3) throw CannotTell{"a vertex that is not understood"};
        more[count++] = *value;
      }
      if (count == 2 || (count == 1 && more[0] != 1)) throw CannotTell{"a vertex with a weight"};
    } else if (word == "f") {
      std::vector<std::size_t> corners;
      for (auto next = take_word(line); !next.empty(); next = take_word(line)) {
        const auto index = to_number(next.substr(0, next.find('/')));
        const auto count = static_cast<double>(mesh.points.size());
        const double at = !index ? -1 : *index > 0 ? *index - 1 : *index == 0 ? -1 : count + *index;
        if (!(at >= 0 && at < count && at == std::floor(at)))
          throw CannotTell{"a corner that is not there: " + std::string(next)};
        corners.push_back(static_cast<std::size_t>(at));
      }
      add_polygon(mesh, corners);
    } else if (!without_surface.contains(word)) {
      throw CannotTell{"a statement that is not known: " + std::string(word)};
    }
  }
  return mesh;
}

/// PLY: a header of elements with properties, then their data in that order.
class PlyReader {
 public:
  explicit PlyReader(std::string_view text) : in_{text} {}

  Mesh read() {
    read_header();
    for (const Element& element : elements_)
      for (std::size_t i = 0; i < element.count; ++i) {
        for (const Property& property : element.properties) read_property(element, property);
        if (element.name == "vertex") mesh_.points.push_back(point_);
      }
    if (ascii_ ? !trimmed(in_.rest).empty() : !in_.rest.empty())
      throw CannotTell{"more data than its header says"};
    for (const auto& polygon : polygons_) add_polygon(mesh_, checked(polygon));
    for (const auto& strip : strips_) add_strip(mesh_, checked(strip));
    return std::move(mesh_);
  }

 private:
  enum class Type { i8, u8, i16, u16, i32, u32, f32, f64 };
  struct Property {
    std::string name;
    Type type{}, count{};
    bool list = false;
  };
  struct Element {
    std::string name;
    std::size_t count = 0;
    std::vector<Property> properties = {};
  };

  static Type type_of(std::string_view word) {
    static const std::map<std::string_view, Type> types = {
        {"char", Type::i8},    {"int8", Type::i8},     {"uchar", Type::u8},
        {"uint8", Type::u8},   {"short", Type::i16},   {"int16", Type::i16},
        {"ushort", Type::u16}, {"uint16", Type::u16},  {"int", Type::i32},
        {"int32", Type::i32},  {"uint", Type::u32},    {"uint32", Type::u32},
        {"float", Type::f32},  {"float32", Type::f32}, {"double", Type::f64},
        {"float64", Type::f64}};
    if (!types.contains(word)) throw CannotTell{"no type: " + std::string(word)};
    return types.at(word);
  }

  void read_header() {
    if (trimmed(take_line(in_.rest)) != "ply") throw CannotTell{"no PLY file"};
    bool formatted = false;
    for (;;) {
      if (in_.rest.empty()) throw CannotTell{"a header without end"};
      std::string_view line = take_line(in_.rest);
      const std::string_view word = take_word(line);
      if (word == "end_header") break;
      if (word == "comment" || word == "obj_info" || word.empty()) continue;
      if (word == "format" && !formatted) {
        const std::string_view format = take_word(line);
        ascii_ = format == "ascii", in_.big_endian = format == "binary_big_endian";
        formatted = ascii_ || in_.big_endian || format == "binary_little_endian";
        if (!formatted || take_word(line) != "1.0") throw CannotTell{"a format that is not known"};
      } else if (word == "element") {
        const std::string name(take_word(line));
        const auto count = to_number(take_word(line));
        if (!count || !(*count >= 0 && *count <= 1e9 && *count == std::floor(*count)))
          throw CannotTell{"an element without a number of it"};
        for (const Element& e : elements_)
          if (e.name == name) throw CannotTell{"two elements " + name};
        elements_.push_back({name, static_cast<std::size_t>(*count)});
      } else if (word == "property" && !elements_.empty()) {
        Property property;
        std::string_view type = take_word(line);
        if (type == "list") {
          property.list = true, property.count = type_of(take_word(line)), type = take_word(line);
        }
        property.type = type_of(type), property.name = take_word(line);
        elements_.back().properties.push_back(property);
      } else {
        throw CannotTell{"a header that is not understood: " + std::string(word)};
      }
      if (!trimmed(line).empty()) throw CannotTell{"a header with more on a line than is known"};
    }
    if (!formatted) throw CannotTell{"a header without format"};
    require_known();
  }

  /// A surface in an element that is not known would be lost.
  void require_known() const {
    for (const Element& e : elements_) {
      std::set<std::string> names;
      if (e.properties.empty() && e.count > 0) throw CannotTell{"an element of nothing: " + e.name};
      for (const Property& p : e.properties) {
        if (!names.insert(p.name).second) throw CannotTell{"two properties " + p.name};
        const bool indices = is_indices(p.name);
        if (indices && (!p.list || (e.name != "face" && e.name != "tristrips")))
          throw CannotTell{"indices in an element " + e.name};
      }
      const bool surface = e.name == "face" || e.name == "tristrips" || e.name == "trifans";
      if (surface && !names.contains("vertex_indices") && !names.contains("vertex_index"))
        throw CannotTell{"an element " + e.name + " without indices"};
      if (e.name == "vertex" &&
          (!names.contains("x") || !names.contains("y") || !names.contains("z")))
        throw CannotTell{"vertices without x, y, z"};
      if (e.name == "material" || e.name == "edge" || surface || e.name == "vertex") continue;
      for (const Property& p : e.properties)
        if (p.list) throw CannotTell{"an element that is not known: " + e.name};
    }
  }
  static bool is_indices(const std::string& name) {
    return name == "vertex_indices" || name == "vertex_index";
  }

  double value(Type type) {
    if (ascii_) {
      const std::string_view word = take_word(in_.rest);
      const auto read = to_number(word);
      if (!read) throw CannotTell{"no number: " + std::string(word)};
      return *read;
    }
    switch (type) {
      case Type::i8:
        return in_.take<std::int8_t>();
      case Type::u8:
        return in_.take<std::uint8_t>();
      case Type::i16:
        return in_.take<std::int16_t>();
      case Type::u16:
        return in_.take<std::uint16_t>();
      case Type::i32:
        return in_.take<std::int32_t>();
      case Type::u32:
        return in_.take<std::uint32_t>();
      case Type::f32:
        return in_.take<float>();
      default:
        return in_.take<double>();
    }
  }

  void read_property(const Element& element, const Property& property) {
    if (!property.list) {
      const double read = value(property.type);
      for (std::size_t i = 0; i < 3; ++i)
        if (element.name == "vertex" && property.name == std::string(1, "xyz"[i])) point_[i] = read;
      return;
    }
    const double count = value(property.count);
    if (!(count >= 0 && count <= 1e9 && count == std::floor(count)))
      throw CannotTell{"a list without a length"};
    std::vector<double> values;
    for (double i = 0; i < count; ++i) values.push_back(value(property.type));
    if (!is_indices(property.name)) return;
    if (element.name == "face")
      polygons_.push_back(std::move(values));
    else  // strips end at -1
      for (std::size_t from = 0; from <= values.size();) {
        const auto end =
            std::find(values.begin() + static_cast<std::ptrdiff_t>(from), values.end(), -1);
        strips_.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(from), end);
        from = static_cast<std::size_t>(end - values.begin()) + 1;
      }
  }

  std::vector<std::size_t> checked(const std::vector<double>& values) const {
    std::vector<std::size_t> corners;
    for (const double v : values) {
      if (!(v >= 0 && v < static_cast<double>(mesh_.points.size()) && v == std::floor(v)))
        throw CannotTell{"a corner that is not there"};
      corners.push_back(static_cast<std::size_t>(v));
    }
    return corners;
  }

  Bytes in_;
  bool ascii_ = false;
  std::vector<Element> elements_;
  Point point_ = {0, 0, 0};
  std::vector<std::vector<double>> polygons_, strips_;
  Mesh mesh_;
};

}  // namespace

Point take_point(std::string_view& rest) {
  Point p;
  for (double& x : p) {
    const std::string_view word = take_word(rest);
    const auto value = to_number(word);
    if (!value) throw CannotTell{"no number: " + std::string(word)};
    x = *value;
  }
  return p;
}

void add_strip(Mesh& mesh, const std::vector<std::size_t>& corners) {
  for (std::size_t i = 2; i < corners.size(); ++i)
    mesh.faces.push_back({corners[i - 2], corners[i - 1], corners[i]});
}

/// The fan of a flat polygon covers it. Of one that is not flat nobody knows how it is cut: all
/// triangles of its corners count.
void add_polygon(Mesh& mesh, const std::vector<std::size_t>& corners) {
  const std::size_t n = corners.size();
  if (n < 3) return;
  const Point& first = mesh.points[corners[0]];
  Point normal = {0, 0, 0};
  double size = 0, off = 0;
  for (std::size_t i = 1; i < n; ++i) {
    const Point e = mesh.points[corners[i]] - first;
    size = std::max(size, norm(e));
    if (i > 1) normal = normal + cross_of(mesh.points[corners[i - 1]] - first, e);
  }
  if (norm(normal) > 0)
    for (const std::size_t c : corners)
      off = std::max(off, std::abs(inner(normal, mesh.points[c] - first)) / norm(normal));
  const bool flat = norm(normal) > 1e-9 * size * size && off <= 1e-6 * size;
  if (n == 3 || flat) {
    for (std::size_t i = 2; i < n; ++i)
      mesh.faces.push_back({corners[0], corners[i - 1], corners[i]});
    return;
  }
  if (n > 24) throw CannotTell{"a face of more than 24 corners that is not flat"};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      for (std::size_t k = j + 1; k < n; ++k)
        mesh.faces.push_back({corners[i], corners[j], corners[k]});
}

/// Vertices that stand at one place are one; those of no face are none.
Mesh each_once(const Mesh& from) {
  Mesh mesh;
  std::map<Point, std::size_t> known;
  for (Face face : from.faces) {
    for (std::size_t& corner : face) {
      const auto [place, fresh] = known.emplace(from.points[corner], mesh.points.size());
      if (fresh) mesh.points.push_back(from.points[corner]);
      corner = place->second;
    }
    mesh.faces.push_back(face);
  }
  return mesh;
}

Mesh read_mesh(const std::filesystem::path& file) {
  const std::string kind = lowered(file.extension().string()), text = read_file(file);
  try {
    Mesh mesh;
    if (kind == ".stl")
      mesh = read_stl(text);
    else if (kind == ".obj")
      mesh = read_obj(text);
    else if (kind == ".ply")
      mesh = PlyReader(text).read();
    else if (kind == ".dae")
      mesh = read_dae(file);
    else if (kind == ".gltf" || kind == ".glb")
      mesh = read_gltf(file);
    else
      throw CannotTell{"a kind of mesh that is not known"};
    for (const Point& p : mesh.points)
      if (!std::isfinite(norm(p))) throw CannotTell{"a vertex that is not finite"};
    if (mesh.faces.empty()) throw CannotTell{"no faces"};
    return each_once(mesh);
  } catch (const CannotTell& e) {
    if (e.why.starts_with(file.string())) throw;
    throw CannotTell{file.string() + ": " + e.why};
  }
}

}  // namespace verify
