// SPDX-License-Identifier: BSD-3-Clause
//
// PLY in every way that its grammar allows.
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "shape/mesh_grammar/choices.hpp"
#include "shape/mesh_grammar/solids.hpp"

namespace keepclear::test {

class PlyWriter {
 public:
  explicit PlyWriter(Choices& choices) : c_(choices) {}

  Written write() {
    solid_ = solid(c_.choose("solid", kSolids));
    format_ = c_.choose("format", 3);
    newline_ = c_.choose("crlf", 2) ? "\r\n" : "\n";
    vertex_type_ = c_.choose("vertex type", kVertexTypes);
    factor_ = is_float(vertex_type_) && c_.choose("decimals", 2) ? 0.1 : 1;
    const int spelling = c_.choose("other types", 3);
    count_type_ = spelling == 0 ? "uchar" : spelling == 1 ? "uint32" : "short";
    const int surface = c_.choose("surface", 12);
    make_surface(surface);
    add_degenerate_neighbour(c_.choose("neighbour", 10));
    for (Vec3& p : solid_.points) p = factor_ * p;
    std::vector<std::string> parts;
    out_ = "ply" + newline_;
    line(std::string("format ") +
         (format_ == 0   ? "ascii"
          : format_ == 1 ? "binary_little_endian"
                         : "binary_big_endian") +
         " 1.0");
    extra_ = c_.choose("extra", 6);
    if (extra_ == 1) line("comment element face 7"), line("obj_info anything");
    std::string header, data;
    const auto element = [&](auto&& body) {
      body();
      header += out_head_, data += body_;
      out_head_.clear(), body_.clear();
    };
    const int order = c_.choose("order", 3);
    if (extra_ == 2) element([&] { unknown_element("before"); });
    if (order == 0) element([&] { vertices(); });
    if (!faces_.empty() || c_.choose("empty face element", 2)) element([&] { faces(); });
    if (order == 1) element([&] { vertices(); });
    if (!strips_.empty() || c_.choose("empty strip element", 2)) element([&] { strips(); });
    if (order == 2) element([&] { vertices(); });
    if (extra_ == 3) element([&] { edges(); });
    out_ += header;
    line("end_header");
    if (format_ == 0 && c_.choose("no last line end", 2)) {
      data.resize(data.size() - newline_.size());
    }
    made_.bytes = out_ + data;
    made_.extension = "ply";
    made_.show(solid_, [&](Vec3 p) { return stored(p); });
    return made_;
  }

 private:
  static constexpr const char* kVertexTypes[] = {"float", "double", "float32", "float64", "int",
                                                 "int32", "short",  "int16",   "char",    "int8"};
  static bool is_float(const std::string& type) {
    return type.starts_with("float") || type.starts_with("double");
  }

  /// What the file says of a point, rounded as its type is.
  Vec3 stored(Vec3 p) const {
    if (format_ == 0 || (vertex_type_ != "float" && vertex_type_ != "float32")) return p;
    return {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
  }

  void make_surface(int which) {
    const auto triangles = triangles_of(solid_.faces);
    const auto strips = strips_of(solid_.faces);
    const auto restarted = [&](bool front, bool middle, bool end, bool twice) {
      std::vector<std::int64_t> all;
      const auto restart = [&] {
        all.push_back(-1);
        if (twice) all.push_back(-1);
      };
      if (front) restart();
      for (std::size_t i = 0; i < strips.size(); ++i) {
        if (i > 0 && middle) restart();
        all.insert(all.end(), strips[i].begin(), strips[i].end());
      }
      if (end) restart();
      return all;
    };
    const auto wide = [](const Polygon& p) {
      return std::vector<std::int64_t>(p.begin(), p.end());
    };
    switch (which) {
      case 0:
        for (const Polygon& t : triangles) faces_.push_back(wide(t));
        break;
      case 1:
        for (const Polygon& p : solid_.faces) faces_.push_back(wide(p));
        break;
      case 2:  // one strip
        strips_.push_back(wide(joined(strips)));
        break;
      case 3:  // a strip for each polygon
        for (const Polygon& s : strips) strips_.push_back(wide(s));
        break;
      case 4:  // a strip for each triangle
        for (const Polygon& t : triangles) strips_.push_back(wide(t));
        break;
      case 5:
        strips_.push_back(restarted(false, true, false, false));
        break;
      case 6:
        strips_.push_back(restarted(false, true, true, false));
        break;
      case 7:
        strips_.push_back(restarted(true, true, true, false));
        break;
      case 8:
        strips_.push_back(restarted(true, true, true, true));
        break;
      case 9:  // several with restarts
        for (std::size_t i = 0; i < strips.size(); i += 2) {
          std::vector<std::int64_t> pair = wide(strips[i]);
          pair.push_back(-1);
          if (i + 1 < strips.size()) {
            pair.insert(pair.end(), strips[i + 1].begin(), strips[i + 1].end());
          }
          strips_.push_back(pair);
        }
        break;
      case 10:  // strips beside faces
        for (std::size_t i = 0; i < strips.size(); ++i) {
          i % 2 == 0 ? strips_.push_back(wide(strips[i])) : faces_.push_back(wide(solid_.faces[i]));
        }
        break;
      default:  // the same with one long strip
        faces_.push_back(wide(solid_.faces[0]));
        strips_.push_back(wide(joined({strips.begin() + 1, strips.end()})));
    }
  }

  void add_degenerate_neighbour(int which) {
    switch (which) {
      case 1:
        strips_.push_back({});
        break;
      case 2:
        strips_.insert(strips_.begin(), std::vector<std::int64_t>{-1});
        break;
      case 3:
        strips_.push_back({0, 1, -1});
        break;
      case 4:
        faces_.insert(faces_.begin(), std::vector<std::int64_t>{});
        break;
      case 5:
        faces_.push_back({2});
        break;
      case 6:
        faces_.push_back({1, 3});
        break;
      case 7:
        faces_.push_back({1, 1, 1});
        break;
      case 8:
        strips_.push_back({-1, -1, 0, -1, -1, 1, 1, 1, 1, -1});
        break;
      case 9:
        has_unused_ = true;
        break;
      default:
        break;
    }
  }

  void line(const std::string& text) { out_ += text + newline_; }
  void head(const std::string& text) { out_head_ += text + newline_; }

  void number(const std::string& type, double value) {
    if (format_ == 0) {
      char text[40];
      const auto end = is_float(type)
                           ? std::to_chars(text, text + 40, value).ptr
                           : std::to_chars(text, text + 40, static_cast<std::int64_t>(value)).ptr;
      if (!body_.empty() && body_.back() != '\n') body_ += ' ';
      body_.append(text, end);
      return;
    }
    std::uint64_t bits = 0;
    std::size_t size = 4;
    if (type == "float" || type == "float32") {
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    } else if (is_float(type)) {
      bits = std::bit_cast<std::uint64_t>(value);
      size = 8;
    } else {
      bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
      size = type.ends_with("char") || type.ends_with("int8")     ? 1
             : type.ends_with("short") || type.ends_with("int16") ? 2
                                                                  : 4;
    }
    for (std::size_t k = 0; k < size; ++k) {
      body_ += static_cast<char>(bits >> 8 * (format_ == 1 ? k : size - 1 - k) & 0xff);
    }
  }
  void end_of_element() {
    if (format_ == 0) body_ += newline_;
  }
  void list(const std::string& counts, const std::string& type,
            const std::vector<std::int64_t>& values) {
    number(counts, static_cast<double>(values.size()));
    for (const std::int64_t value : values) number(type, static_cast<double>(value));
  }

  void vertices() {
    const int shape = c_.choose("vertex properties", 4);
    head("element vertex " + std::to_string(solid_.points.size() + (has_unused_ ? 1 : 0)));
    if (shape == 1) head("property double nx");
    if (shape == 2) head("property list uchar double around");
    for (const char* axis : {"x", "y", "z"}) {
      const char* name = shape == 3 ? (*axis == 'x' ? "z" : *axis == 'z' ? "x" : "y") : axis;
      head("property " + vertex_type_ + " " + name);
    }
    if (shape == 1) head("property uchar red");
    std::vector<Vec3> points = solid_.points;
    if (has_unused_) points.push_back({factor_ * 120, factor_ * -120, factor_ * 119});
    for (Vec3 p : points) {
      if (shape == 1) number("double", 0.5);
      if (shape == 2) list("uchar", "double", {static_cast<std::int64_t>(p.x), 0});
      if (shape == 3) std::swap(p.x, p.z);
      for (const double v : {p.x, p.y, p.z}) number(vertex_type_, v);
      if (shape == 1) number("uchar", 255);
      end_of_element();
    }
  }

  std::string corners(bool is_signed) {
    static constexpr const char* kTypes[] = {"int",   "int32",  "short", "int16",
                                             "char",  "int8",   "uchar", "ushort",
                                             "uint8", "uint16", "uint",  "uint32"};
    return kTypes[c_.choose(is_signed ? "strip type" : "face type", is_signed ? 6 : 12)];
  }
  std::string name() { return c_.choose("vertex_index", 2) ? "vertex_index" : "vertex_indices"; }

  void faces() {
    const int shape = c_.choose("face properties", 4);
    const std::string type = corners(false);
    head("element face " + std::to_string(faces_.size()));
    if (shape == 1) head("property list uchar float texcoord");
    if (shape == 2) head("property int16 flags");
    head("property list " + count_type_ + " " + type + " " + name());
    if (shape == 3) head("property list uint8 uint8 colours");
    for (const auto& face : faces_) {
      if (shape == 1) list("uchar", "float", {3, 4, 5, 6});
      if (shape == 2) number("int16", -7);
      list(count_type_, type, face);
      if (shape == 3) list("uint8", "uint8", {});
      end_of_element();
    }
  }

  void strips() {
    const std::string type = corners(true);
    // One list of more corners than a byte counts.
    const std::string counts = count_type_ == "uchar" ? "int" : count_type_;
    head("element tristrips " + std::to_string(strips_.size()));
    head("property list " + counts + " " + type + " " + name());
    for (const auto& strip : strips_) {
      list(counts, type, strip);
      end_of_element();
    }
  }

  void unknown_element(const std::string& element) {
    head("element " + element + " 2");
    head("property list uchar short numbers");
    head("property double weight");
    for (int i = 0; i < 2; ++i) {
      list("uchar", "short", {1, 2, 3});
      number("double", 0.25);
      end_of_element();
    }
  }

  void edges() {
    head("element edge 1");
    head("property int vertex1");
    head("property int vertex2");
    number("int", 0), number("int", 1);
    end_of_element();
  }

  Choices& c_;
  Solid solid_;
  std::vector<std::vector<std::int64_t>> faces_, strips_;
  bool has_unused_ = false;
  int format_ = 0, extra_ = 0;
  double factor_ = 1;
  std::string newline_, vertex_type_, count_type_, out_, out_head_, body_;
  Written made_;
};

}  // namespace keepclear::test
