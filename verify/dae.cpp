// SPDX-License-Identifier: BSD-3-Clause
// COLLADA: the geometries that the scene places. <unit> counts, <up_axis> does not, as in rviz.
#include "mesh.hpp"
#include "xml.hpp"

namespace verify {
namespace {

using xml::Element;

class DaeReader {
 public:
  explicit DaeReader(const Element& root) : root_(root) { collect(root); }

  Mesh read() {
    if (root_.Name() != std::string_view("COLLADA")) xml::fail(root_, "<COLLADA> was expected");
    Affine unit;
    if (const Element* asset = root_.FirstChildElement("asset"))
      if (const Element* e = asset->FirstChildElement("unit")) {
        xml::allow(*e, {"meter", "name"});
        const double metre = xml::number(*e, "meter", 1);
        if (!(metre > 0)) xml::fail(*e, "a unit that is none");
        for (std::size_t i = 0; i < 3; ++i) unit.rows[i][i] = metre;
      }
    const Element* scene = xml::only_child(root_, "scene");
    const Element* placed =
        scene == nullptr ? nullptr : xml::only_child(*scene, "instance_visual_scene");
    if (placed == nullptr) xml::fail(root_, "no scene");
    nodes_below(target(*placed), unit, 0);
    return std::move(mesh_);
  }

 private:
  void collect(const Element& e, int depth = 0) {
    if (depth > 200) xml::fail(e, "nested too deep");
    if (std::string_view(e.Name()) == "extra") return;
    if (std::string_view(e.Name()).find(':') != std::string_view::npos)
      xml::fail(e, "it is not known");
    if (const char* id = e.Attribute("id"))
      if (!by_id_.emplace(id, &e).second) xml::fail(e, std::string("a second id ") + id);
    for (const Element* c = e.FirstChildElement(); c != nullptr; c = c->NextSiblingElement())
      collect(*c, depth + 1);
  }
  const Element& target(const Element& e, const char* attribute = "url") const {
    const std::string url = xml::text(e, attribute);
    const auto found = by_id_.find(url.substr(1));
    if (url[0] != '#' || found == by_id_.end()) xml::fail(e, "it leads nowhere: " + url);
    return *found->second;
  }
  static std::vector<double> numbers(const Element& e) {
    std::vector<double> values;
    if (e.FirstChildElement() != nullptr) xml::fail(e, "numbers alone were expected");
    for (const auto* node = e.FirstChild(); node != nullptr; node = node->NextSibling()) {
      if (node->ToText() == nullptr) continue;
      std::string_view rest = node->Value();
      for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
        const auto value = to_number(word);
        if (!value) xml::fail(e, "no number: " + std::string(word));
        values.push_back(*value);
      }
    }
    return values;
  }
  static std::vector<double> numbers(const Element& e, std::size_t count) {
    std::vector<double> values = numbers(e);
    if (values.size() != count) xml::fail(e, std::to_string(count) + " numbers were expected");
    return values;
  }

  void nodes_below(const Element& e, Affine map, int depth) {
    // Nodes may place others again and again: as often twice as there are levels.
    if (depth > 100 || ++visits_ > 100'000) xml::fail(e, "nested too deep, or too often");
    for (const Element* c = e.FirstChildElement(); c != nullptr; c = c->NextSiblingElement()) {
      const std::string_view name = c->Name();
      if (name == "matrix") {
        const auto m = numbers(*c, 16);
        if (m[12] != 0 || m[13] != 0 || m[14] != 0 || m[15] != 1) xml::fail(*c, "not affine");
        map = map *
              Affine{{Point{m[0], m[1], m[2]}, Point{m[4], m[5], m[6]}, Point{m[8], m[9], m[10]}},
                     {m[3], m[7], m[11]}};
      } else if (name == "translate") {
        const auto t = numbers(*c, 3);
        map = map * Affine{Affine{}.rows, {t[0], t[1], t[2]}};
      } else if (name == "scale") {
        const auto s = numbers(*c, 3);
        map = map * Affine{{Point{s[0], 0, 0}, Point{0, s[1], 0}, Point{0, 0, s[2]}}, {0, 0, 0}};
      } else if (name == "rotate") {
        const auto r = numbers(*c, 4);
        const Point axis = {r[0], r[1], r[2]};
        if (!(norm(axis) > 0)) xml::fail(*c, "no axis");
        const double half = r[3] * M_PI / 360, s = std::sin(half) / norm(axis);
        map =
            map *
            Affine{
                Place::of_quaternion({0, 0, 0}, s * r[0], s * r[1], s * r[2], std::cos(half)).turn,
                {0, 0, 0}};
      } else if (name == "node") {
        nodes_below(*c, map, depth + 1);
      } else if (name == "instance_node") {
        nodes_below(target(*c), map, depth + 1);
      } else if (name == "instance_geometry") {
        geometry(target(*c), map);
      } else if (!xml::holds({"extra", "asset", "instance_light", "instance_camera"}, name)) {
        xml::fail(*c, "it is not known in a scene");
      }
    }
  }

  void geometry(const Element& e, const Affine& map) {
    const Element* mesh = xml::only_child(e, "mesh");
    if (mesh == nullptr) xml::fail(e, "no mesh");
    for (const Element* c = mesh->FirstChildElement(); c != nullptr; c = c->NextSiblingElement()) {
      const std::string_view name = c->Name();
      if (xml::holds({"triangles", "polylist", "polygons", "tristrips", "trifans"}, name))
        primitive(*c, map);
      else if (!xml::holds({"source", "vertices", "lines", "linestrips", "extra"}, name))
        xml::fail(*c, "it is not known in a mesh");
    }
  }

  void primitive(const Element& e, const Affine& map) {
    std::size_t stride = 0, at = 0;
    const Element* positions = nullptr;
    for (const Element* i = e.FirstChildElement("input"); i != nullptr;
         i = i->NextSiblingElement("input")) {
      const double offset = xml::number(*i, "offset");
      if (!(offset >= 0 && offset < 64 && offset == std::floor(offset)))
        xml::fail(*i, "its offset");
      stride = std::max(stride, static_cast<std::size_t>(offset) + 1);
      if (xml::text(*i, "semantic") != "VERTEX") continue;
      if (positions != nullptr) xml::fail(*i, "vertices twice");
      positions = i, at = static_cast<std::size_t>(offset);
    }
    if (positions == nullptr) xml::fail(e, "no vertices");
    if (mesh_.faces.size() > 20'000'000 || mesh_.points.size() > 60'000'000)
      xml::fail(e, "too large");
    const std::size_t first = mesh_.points.size();
    add_points(target(*positions, "source"), map);
    std::vector<std::vector<std::size_t>> runs;  // one for each <p>
    for (const Element* p = e.FirstChildElement(); p != nullptr; p = p->NextSiblingElement()) {
      if (p->Name() == std::string_view("p")) {
        const std::vector<double> all = numbers(*p);
        if (all.size() % stride != 0) xml::fail(*p, "not as many numbers as its inputs ask for");
        runs.emplace_back();
        for (std::size_t i = at; i < all.size(); i += stride) {
          const auto count = static_cast<double>(mesh_.points.size() - first);
          if (!(all[i] >= 0 && all[i] < count && all[i] == std::floor(all[i])))
            xml::fail(*p, "a corner that is not there");
          runs.back().push_back(first + static_cast<std::size_t>(all[i]));
        }
      } else if (!xml::holds({"input", "vcount", "extra"}, p->Name())) {
        xml::fail(*p, "it is not known there");  // <ph>: a polygon with holes
      }
    }
    add_faces(e, runs);
  }

  void add_faces(const Element& e, const std::vector<std::vector<std::size_t>>& runs) {
    const std::string_view kind = e.Name();
    std::vector<double> counts;
    if (const Element* vcount = xml::only_child(e, "vcount")) counts = numbers(*vcount);
    if (counts.empty() == (kind == "polylist" && !runs.empty() && !runs[0].empty()))
      xml::fail(e, "corners and their counts");
    std::size_t parts = 0;
    for (const auto& run : runs) {
      if (kind == "polygons" || kind == "tristrips" || kind == "trifans") {
        ++parts;
        if (kind == "polygons") add_polygon(mesh_, run);
        if (kind == "tristrips") add_strip(mesh_, run);
        for (std::size_t i = 2; kind == "trifans" && i < run.size(); ++i)
          mesh_.faces.push_back({run[0], run[i - 1], run[i]});
        continue;
      }
      if (kind == "triangles" && run.size() % 3 != 0) xml::fail(e, "corners that are left over");
      if (kind == "triangles") counts.assign(run.size() / 3, 3);
      if (runs.size() != 1) xml::fail(e, "more than one list of corners");
      std::size_t next = 0;
      for (const double count : counts) {
        if (!(count >= 0 && count <= static_cast<double>(run.size() - next)))
          xml::fail(e, "its counts");
        const auto from = run.begin() + static_cast<std::ptrdiff_t>(next);
        next += static_cast<std::size_t>(count), ++parts;
        add_polygon(mesh_, {from, run.begin() + static_cast<std::ptrdiff_t>(next)});
      }
      if (next != run.size()) xml::fail(e, "corners that are left over");
    }
    if (e.Attribute("count") != nullptr && xml::number(e, "count") != static_cast<double>(parts))
      xml::fail(e, "another number of parts than it says");
  }

  void add_points(const Element& vertices, const Affine& map) {
    const Element* input = nullptr;
    for (const Element* i = vertices.FirstChildElement("input"); i != nullptr;
         i = i->NextSiblingElement("input"))
      if (xml::text(*i, "semantic") == "POSITION") {
        if (input != nullptr) xml::fail(*i, "positions twice");
        input = i;
      }
    if (input == nullptr) xml::fail(vertices, "no positions");
    const Element& source = target(*input, "source");
    const Element* common = xml::only_child(source, "technique_common");
    const Element* accessor = common == nullptr ? nullptr : xml::only_child(*common, "accessor");
    if (accessor == nullptr) xml::fail(source, "no accessor");
    const Element& array = target(*accessor, "source");
    const std::vector<double> values = numbers(array);
    const double stride = xml::number(*accessor, "stride", 1),
                 count = xml::number(*accessor, "count");
    if (stride != 3 || xml::number(*accessor, "offset", 0) != 0 ||
        3 * count != static_cast<double>(values.size()))
      xml::fail(*accessor, "not three numbers for each vertex");
    std::string names;
    for (const Element* p = accessor->FirstChildElement("param"); p != nullptr;
         p = p->NextSiblingElement("param"))
      names += p->Attribute("name") == nullptr ? "" : p->Attribute("name");
    if (names != "XYZ" && !names.empty()) xml::fail(*accessor, "coordinates in another order");
    for (std::size_t i = 0; i < values.size(); i += 3)
      mesh_.points.push_back(map * Point{values[i], values[i + 1], values[i + 2]});
  }

  const Element& root_;
  std::map<std::string, const Element*> by_id_;
  std::size_t visits_ = 0;
  Mesh mesh_;
};

}  // namespace

Mesh read_dae(const std::filesystem::path& file) {
  Mesh mesh;
  xml::read(file, [&](const xml::Element& root) { mesh = DaeReader(root).read(); });
  return mesh;
}

}  // namespace verify
