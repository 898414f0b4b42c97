// SPDX-License-Identifier: BSD-3-Clause
//
// Collada in the ways that its grammar allows. What the reader does not promise to read may be
// refused; nothing may be read as another solid.
#pragma once

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "shape/mesh_grammar/choices.hpp"
#include "shape/mesh_grammar/solids.hpp"

namespace keepclear::test {

class DaeWriter {
 public:
  explicit DaeWriter(Choices& choices) : c_(choices) {}

  Written write() {
    const Solid first = solid(c_.choose("solid", kSolids));
    made_.extension = "dae";
    structure_ = c_.choose("structure", 10);
    const bool two = structure_ == 4 || structure_ == 9;
    const Solid second = solid((c_.choose("solid", kSolids) + 1) % kSolids);
    out_ =
        "<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
        "version=\"1.4.1\">\n";
    asset();
    if (c_.choose("animations", 2))
      out_ += "<library_animations><animation id=\"a\"/></library_animations>\n";
    if (c_.choose("materials", 3)) materials();
    const bool scene_first = c_.choose("scene first", 2) == 1;
    std::string geometries = "<library_geometries>\n" + geometry("g0", first);
    if (two) geometries += geometry("g1", second);
    geometries += "</library_geometries>\n";
    const std::string scenes = visual_scenes(first, second);
    out_ += scene_first ? scenes + geometries : geometries + scenes;
    out_ += "</COLLADA>\n";
    made_.bytes = out_;
    return made_;
  }

 private:
  using Place = std::function<Vec3(Vec3)>;

  void asset() {
    static constexpr double kUnits[] = {1, 1, 0.01, 0.0254, 0.001};
    static constexpr const char* kWords[] = {"", "1", "0.01", "0.0254", "1e-3"};
    const int unit = c_.choose("unit", 5), up = c_.choose("up axis", 4);
    unit_ = kUnits[unit];
    out_ += "<asset><created>2020-01-01</created>";
    if (unit > 0) out_ += "<unit name=\"u\" meter=\"" + std::string(kWords[unit]) + "\"/>";
    if (up > 0) out_ += std::string("<up_axis>") + "XYZ"[up - 1] + "_UP</up_axis>";
    out_ += "</asset>\n";
  }

  void materials() {
    out_ += "<library_materials><material id=\"m0\"/><material id=\"m1\"/></library_materials>\n";
  }

  static std::string words(const std::vector<double>& numbers) {
    std::string text;
    for (const double v : numbers) {
      char word[40];
      std::snprintf(word, sizeof word, "%.12g ", v);
      text += word;
    }
    return text;
  }

  std::string source(const std::string& id, const std::vector<Vec3>& points, int layout) {
    // Whole numbers at any place of their element, in any order.
    const std::array<const char*, 3> axes = layout == 1   ? std::array{"Z", "X", "Y"}
                                            : layout == 2 ? std::array{"Y", "Z", "X"}
                                                          : std::array{"X", "Y", "Z"};
    const std::size_t stride = layout == 3 ? 5 : 3, offset = layout == 4 ? 2 : 0;
    std::vector<double> numbers(offset, 77);
    for (const Vec3& p : points) {
      for (const char* axis : axes) numbers.push_back(p[*axis - 'X']);
      for (std::size_t k = 3; k < stride; ++k) numbers.push_back(55);
    }
    std::string text = "<source id=\"" + id + "\"><float_array id=\"" + id + "-a\" count=\"" +
                       std::to_string(numbers.size()) + "\">" + words(numbers) +
                       "</float_array><technique_common><accessor source=\"#" + id +
                       "-a\" count=\"" + std::to_string(points.size()) + "\" stride=\"" +
                       std::to_string(stride) + "\"";
    if (offset > 0) text += " offset=\"" + std::to_string(offset) + "\"";
    text += ">";
    for (const char* axis : axes)
      text += std::string("<param name=\"") + axis + "\" type=\"float\"/>";
    return text + "</accessor></technique_common></source>\n";
  }

  std::string geometry(const std::string& id, const Solid& s) {
    std::string text = "<geometry id=\"" + id + "\" name=\"" + id + "\"><mesh>\n";
    const int inputs = c_.choose("inputs", 4);
    text += source(id + "-p", s.points, c_.choose("layout", 5));
    if (inputs > 0) text += source(id + "-n", std::vector<Vec3>{{0, 0, 1}, {1, 0, 0}}, 0);
    if (c_.choose("another source", 2)) text += source(id + "-o", {{1e3, 1e3, 1e3}}, 0);
    text += "<vertices id=\"" + id + "-v\"><input semantic=\"POSITION\" source=\"#" + id +
            "-p\"/></vertices>\n";
    inputs_of_ = inputs;
    id_ = id;
    text += primitives(s);
    if (c_.choose("mesh extra", 2))
      text += "<extra><technique profile=\"X\"><p>1 2</p></technique></extra>";
    return text + "</mesh></geometry>\n";
  }

  std::string inputs() const {
    const std::string vertex = "<input semantic=\"VERTEX\" source=\"#" + id_ + "-v\" offset=\"";
    const std::string normal = "<input semantic=\"NORMAL\" source=\"#" + id_ + "-n\" offset=\"";
    switch (inputs_of_) {
      case 1:
        return vertex + "0\"/>" + normal + "1\"/>";
      case 2:
        return normal + "0\"/>" + vertex + "1\"/>";
      case 3:
        return normal + "2\"/>" + vertex + "0\"/>";
      default:
        return vertex + "0\"/>";
    }
  }
  std::string indices(const Polygon& corners) const {
    std::string text;
    for (const std::uint32_t corner : corners) {
      const std::string v = std::to_string(corner) + " ";
      text += inputs_of_ == 0   ? v
              : inputs_of_ == 1 ? v + "1 "
              : inputs_of_ == 2 ? "0 " + v
                                : v + "9 1 ";
    }
    return text;
  }
  std::string open(const std::string& kind, std::size_t count, int material = 0) const {
    return "<" + kind + " count=\"" + std::to_string(count) + "\" material=\"s" +
           std::to_string(material) + "\">" + inputs();
  }
  std::string lists(const std::string& kind, const std::vector<Polygon>& all,
                    int material = 0) const {
    std::string text = open(kind, all.size(), material);
    for (const Polygon& p : all) text += "<p>" + indices(p) + "</p>";
    return text + "</" + kind + ">\n";
  }
  std::string triangles(const std::vector<Polygon>& all, int material = 0) const {
    Polygon corners;
    for (const Polygon& p : triangles_of(all)) corners.insert(corners.end(), p.begin(), p.end());
    return open("triangles", corners.size() / 3, material) + "<p>" + indices(corners) +
           "</p></triangles>\n";
  }
  std::string polylist(const std::vector<Polygon>& all, int material = 0) const {
    std::string counts, corners;
    for (const Polygon& p : all) {
      counts += std::to_string(p.size()) + " ";
      corners += indices(p);
    }
    return open("polylist", all.size(), material) + "<vcount>" + counts + "</vcount><p>" + corners +
           "</p></polylist>\n";
  }

  std::string primitives(const Solid& s) {
    const int surface = c_.choose("surface", 11);
    const auto half = s.faces.begin() + static_cast<std::ptrdiff_t>(s.faces.size() / 2);
    const std::vector<Polygon> some(s.faces.begin(), half), others(half, s.faces.end());
    std::vector<Polygon> faces = s.faces;
    std::string text;
    switch (surface) {
      case 0:
        text = triangles(faces);
        break;
      case 1:
        text = polylist(faces);
        break;
      case 2:
        text = lists("polygons", faces);
        break;
      case 3:
        text = lists("tristrips", strips_of(faces));
        break;
      case 4:
        text = lists("tristrips", {joined(strips_of(faces))});
        break;
      case 5:
        text = lists("trifans", faces);
        break;
      case 6:  // several elements of one kind
        text = triangles(some, 0) + triangles(others, 1);
        break;
      case 7:  // of several kinds
        text = lists("tristrips", strips_of(some), 0) + polylist(others, 1);
        break;
      case 8:
        text = lists("trifans", some, 0) + lists("polygons", others, 1);
        break;
      case 9:  // one element for each face
        for (std::size_t i = 0; i < faces.size(); ++i) {
          text += polylist({faces[i]}, static_cast<int>(i % 2));
        }
        break;
      default:  // with a hole that is no hole: the reader does not know <ph>
        made_.must_load = false;
        text = open("polygons", faces.size());
        for (const Polygon& p : faces) {
          text += "<ph><p>" + indices(p) + "</p><h>" + indices({p[0], p[1], p[2]}) + "</h></ph>";
        }
        text += "</polygons>\n";
    }
    return neighbour(text);
  }

  std::string neighbour(const std::string& text) {
    switch (c_.choose("neighbour", 14)) {
      case 1:
        return open("triangles", 0) + "</triangles>" + text;
      case 2:
        return open("tristrips", 0) + "</tristrips>" + text;
      case 3:  // not a strip by the schema
        made_.must_load = false;
        return open("tristrips", 1) + "<p></p></tristrips>" + text;
      case 4:
        made_.must_load = false;
        return text + open("tristrips", 1) + "<p>" + indices({0, 1}) + "</p></tristrips>";
      case 5:
        return polylist({{0, 1}}) + text;
      case 6:
        return text + polylist({{0, 1, 2}, {1}, {}, {2, 2}, {0, 2, 1}});
      case 7:
        return lists("lines", {{0, 1}}) + text;
      case 8:
        return lists("linestrips", {{0, 1, 2}, {1, 2}}) + text;
      case 9:
        made_.must_load = false;
        return text + lists("trifans", {{1, 2}});
      case 10:
        return lists("tristrips", {{0, 0, 0}}) + text;
      case 11:
        return text + lists("polygons", {{0, 1}, {2, 2, 2}});
      case 12:
        return triangles({{0, 0, 0}}) + text;
      case 13:
        return polylist({}) + text;
      default:
        return text;
    }
  }

  // ---- nodes

  std::string transform(Place& place) {
    const int which = c_.choose("transform", 8);
    const auto after = [&place](const Place& inner) { place = inner; };
    const double turned = 90 * std::numbers::pi / 180, c = std::cos(turned), s = std::sin(turned);
    const Place shift = [](Vec3 p) { return p + Vec3{1, -2, 3}; };
    const Place scale = [](Vec3 p) { return Vec3{2 * p.x, 0.5 * p.y, 3 * p.z}; };
    const Place mirror = [](Vec3 p) { return Vec3{-p.x, p.y, p.z}; };
    const Place turn = [c, s](Vec3 p) { return Vec3{c * p.x - s * p.y, s * p.x + c * p.y, p.z}; };
    const Place matrix = [](Vec3 p) { return Vec3{p.y + 10, 0.5 * p.x + 20, -2 * p.z + 30}; };
    const std::string shift_words = "<translate>1 -2 3</translate>",
                      scale_words = "<scale>2 0.5 3</scale>",
                      turn_words = "<rotate>0 0 1 90</rotate>",
                      matrix_words = "<matrix>0 1 0 10 0.5 0 0 20 0 0 -2 30 0 0 0 1</matrix>";
    switch (which) {
      case 1:
        after(shift);
        return shift_words;
      case 2:
        after(scale);
        return scale_words;
      case 3:
        after(turn);
        return turn_words;
      case 4:
        after(matrix);
        return matrix_words;
      case 5:
        after([=](Vec3 p) { return shift(turn(scale(matrix(p)))); });
        return shift_words + turn_words + scale_words + matrix_words;
      case 6:
        after(mirror);
        return "<scale>-1 1 1</scale>";
      case 7:  // neither is promised
        made_.must_load = false;
        after([](Vec3 p) { return p; });
        return "<lookat>0 0 0 0 0 -1 0 1 0</lookat>";
      default:
        after([](Vec3 p) { return p; });
        return "";
    }
  }

  std::string instance(const std::string& geometry, int bound = 0) {
    const std::string open = "<instance_geometry url=\"#" + geometry + "\"";
    const int materials = c_.choose("materials", 3);
    if (materials == 0) return open + "/>";
    // The same geometry with other materials: the second with one that the first has too.
    const bool other = materials == 2 && bound > 0;
    return open +
           "><bind_material><technique_common><instance_material symbol=\"s0\" target=\"#m0\"/>"
           "<instance_material symbol=\"s1\" target=\"#" +
           (other ? "m1" : "m0") + "\"/></technique_common></bind_material></instance_geometry>";
  }

  std::string visual_scenes(const Solid& first, const Solid& second) {
    Place place;
    const std::string words = transform(place);
    const auto in_file = [&](const Place& more) {
      return [this, more](Vec3 p) { return unit_ * more(p); };
    };
    const Place same = [](Vec3 p) { return p; };
    const Place aside = [](Vec3 p) { return p + Vec3{300, 0, 0}; };
    const std::string aside_words = "<translate>300 0 0</translate>";
    std::string nodes, library, others;
    switch (structure_) {
      case 0:
        nodes = "<node id=\"n\">" + words + instance("g0") + "</node>";
        made_.show(first, in_file(place));
        break;
      case 1:  // nested
        nodes = "<node id=\"n\">" + words + "<node>" + aside_words + "<node id=\"k\">" +
                instance("g0") + "</node></node></node>";
        made_.show(first, in_file([=](Vec3 p) { return place(aside(p)); }));
        break;
      case 2:  // instanced twice in one node, once beside
        nodes = "<node id=\"n\">" + words + instance("g0") + "</node><node>" + aside_words +
                instance("g0", 1) + "</node>";
        made_.show(first, in_file(place));
        made_.show(first, in_file(aside));
        break;
      case 3:  // from the library of nodes, twice
        library =
            "<library_nodes><node id=\"l\">" + words + instance("g0") + "</node></library_nodes>\n";
        nodes = "<node id=\"n\"><instance_node url=\"#l\"/></node><node>" + aside_words +
                "<instance_node url=\"#l\"/></node>";
        made_.show(first, in_file(place));
        made_.show(first, in_file([=](Vec3 p) { return aside(place(p)); }));
        break;
      case 4:  // two geometries in one node
        nodes = "<node>" + words + instance("g0") + instance("g1", 1) + "</node>";
        made_.show(first, in_file(place));
        made_.show(second, in_file(place));
        break;
      case 5:  // two scenes, of which one is shown
        nodes = "<node>" + words + instance("g0") + "</node>";
        others = "<visual_scene id=\"other\"><node>" + aside_words + instance("g0") +
                 "</node></visual_scene>";
        made_.show(first, in_file(place));
        break;
      case 6:  // an instance of a node in the scene; not every reader finds it
        made_.must_load = false;
        nodes = "<node id=\"n\">" + words + instance("g0") + "</node><node>" + aside_words +
                "<instance_node url=\"#n\"/></node>";
        made_.show(first, in_file(place));
        made_.show(first, in_file([=](Vec3 p) { return aside(place(p)); }));
        break;
      case 7:  // an instance of a node below one of the library
        made_.must_load = false;
        library = "<library_nodes><node id=\"l\">" + aside_words + "<node id=\"deep\">" + words +
                  instance("g0") + "</node></node></library_nodes>\n";
        nodes = "<node id=\"n\" name=\"deep\"><instance_node url=\"#deep\"/></node>";
        made_.show(first, in_file(place));
        break;
      case 8:  // no scene is shown
        made_.must_load = false;
        nodes = "<node>" + words + instance("g0") + "</node>";
        made_.show(first, in_file(place));
        break;
      default:  // children, instances and geometries mixed in one node
        library = "<library_nodes><node id=\"l\">" + instance("g1") + "</node></library_nodes>\n";
        nodes = "<node>" + words + "<instance_node url=\"#l\"/><node>" + aside_words +
                instance("g0") + "</node>" + instance("g0", 1) + "</node>";
        made_.show(second, in_file(place));
        made_.show(first, in_file([=](Vec3 p) { return place(aside(p)); }));
        made_.show(first, in_file(place));
    }
    const std::string scene = "<visual_scene id=\"shown\">" + nodes + "</visual_scene>";
    const bool reversed = c_.choose("scene order", 2) == 1;
    return library + "<library_visual_scenes>" + (reversed ? others + scene : scene + others) +
           "</library_visual_scenes>\n" +
           (structure_ == 8 ? "" : "<scene><instance_visual_scene url=\"#shown\"/></scene>\n");
  }

  Choices& c_;
  int structure_ = 0, inputs_of_ = 0;
  double unit_ = 1;
  std::string out_, id_;
  Written made_;
};

}  // namespace keepclear::test
