// SPDX-License-Identifier: BSD-3-Clause
// --against: meshes in every way that their formats have to write one, and what is cut or unknown.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "description.hpp"

namespace verify {
namespace {

const std::vector<Point> kCorners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
/// Of a tetrahedron: as triangles, as one strip.
const std::vector<std::vector<int>> kFaces = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
const std::vector<int> kStrip = {0, 1, 2, 3, 0, 1};

class Meshes : public testing::Test {
 protected:
  void SetUp() override {
    round_nearest();
    std::string name = (std::filesystem::temp_directory_path() / "keepclear-mesh-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// The triangles in a file, each by its corners in ascending order; what it says if it cannot.
  std::set<std::set<Point>> faces(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    std::set<std::set<Point>> found;
    why_.clear();
    try {
      const Mesh mesh = read_mesh(folder_ / name);
      for (const Face& f : mesh.faces)
        found.insert({mesh.points[f[0]], mesh.points[f[1]], mesh.points[f[2]]});
    } catch (const CannotTell& e) {
      why_ = e.why;
    }
    return found;
  }
  static std::set<std::set<Point>> tetrahedron() {
    std::set<std::set<Point>> all;
    for (const auto& f : kFaces) all.insert({kCorners[f[0]], kCorners[f[1]], kCorners[f[2]]});
    return all;
  }
  void expect_tetrahedron(const std::string& name, const std::string& text) {
    EXPECT_EQ(faces(name, text), tetrahedron()) << why_ << "\n" << text.substr(0, 600);
  }
  void expect_refused(const std::string& name, const std::string& text) {
    EXPECT_TRUE(faces(name, text).empty() && !why_.empty()) << text.substr(0, 600);
  }

  std::filesystem::path folder_;
  std::string why_;
};

/// A PLY file of lists of corners, in one of its three formats.
class Ply {
 public:
  Ply(const std::string& format, const std::string& scalar) : format_(format), scalar_(scalar) {}

  std::string with(const std::string& element, const std::vector<std::vector<int>>& lists,
                   const std::string& indices = "vertex_indices", bool first = false) const {
    std::string vertices = "element vertex 4\nproperty " + scalar_ +
                           " x\nproperty uchar red\nproperty " + scalar_ + " y\nproperty " +
                           scalar_ + " z\n";
    std::string others = "element " + element + " " + std::to_string(lists.size()) +
                         "\nproperty list int int " + indices + "\n";
    std::string points, corners;
    for (const Point& p : kCorners) {
      points += coordinate(p[0]) + (ascii() ? " 7 " : std::string(1, '\7')) + coordinate(p[1]) +
                (ascii() ? " " : "") + coordinate(p[2]) + (ascii() ? "\n" : "");
    }
    for (const auto& list : lists) {
      corners += bytes(static_cast<int>(list.size()));
      for (const int c : list) corners += (ascii() ? " " : "") + bytes(c);
      if (ascii()) corners += "\n";
    }
    return "ply\nformat " + format_ + " 1.0\ncomment c\n" +
           (first ? others + vertices : vertices + others) + "end_header\n" +
           (first ? corners + points : points + corners);
  }

 private:
  bool ascii() const { return format_ == "ascii"; }
  template <typename T>
  std::string bytes_of(T value) const {
    std::string raw(sizeof value, '\0');
    std::memcpy(raw.data(), &value, sizeof value);
    if (format_ == "binary_big_endian") std::reverse(raw.begin(), raw.end());
    return raw;
  }
  std::string bytes(int value) const { return ascii() ? std::to_string(value) : bytes_of(value); }
  std::string coordinate(double value) const {
    if (ascii()) return std::to_string(value);
    return scalar_ == "double" ? bytes_of(value) : bytes_of(static_cast<float>(value));
  }

  std::string format_, scalar_;
};

TEST_F(Meshes, PlyInEveryFormat) {
  for (const char* format : {"ascii", "binary_little_endian", "binary_big_endian"})
    for (const char* scalar : {"float", "double"})
      for (const bool first : {false, true}) {
        const Ply ply(format, scalar);
        expect_tetrahedron("a.ply", ply.with("face", kFaces, "vertex_indices", first));
        expect_tetrahedron("a.ply", ply.with("face", kFaces, "vertex_index", first));
        expect_tetrahedron("a.ply", ply.with("tristrips", {kStrip}, "vertex_indices", first));
        expect_tetrahedron(
            "a.ply",
            ply.with("tristrips", {{-1, 0, 1, 2, 3, -1, -1, 3, 0, 1, -1, 0, 3, 2, -1, 2, 1}}));
        expect_tetrahedron("a.ply", ply.with("tristrips", {{0, 1, 2, 3}, {3, 0, 1}, {3, 2, 0}}));
        auto more = kFaces;
        more.insert(more.end(), {{}, {1}, {0, 1}});
        expect_tetrahedron("a.ply", ply.with("face", more));
        expect_refused("a.ply", ply.with("face", {{0, 1, 4}}));
        expect_refused("a.ply", ply.with("face", {{0, 1, -1}}));
        expect_refused("a.ply", ply.with("trifans", kFaces));
        expect_refused("a.ply", ply.with("surface", kFaces));
        expect_refused("a.ply", ply.with("face", kFaces, "corners"));
        const std::string whole = ply.with("face", kFaces);
        expect_refused("a.ply", whole.substr(0, whole.size() - 2));
        expect_refused("a.ply", whole + "7 7");
      }
}

TEST_F(Meshes, StlAndObj) {
  std::string stl = "solid  of words\n", obj, more;
  std::string binary(80, 's');
  const std::uint32_t count = 4;
  binary.append(reinterpret_cast<const char*>(&count), 4);
  for (const auto& f : kFaces) {
    stl += "facet normal 0 nan 0\n outer loop\n";
    binary.append(12, '\0');
    for (const int c : f) {
      stl += "vertex";
      for (const double x : kCorners[c]) {
        stl += " " + std::to_string(x);
        const auto small = static_cast<float>(x);
        binary.append(reinterpret_cast<const char*>(&small), 4);
      }
      stl += "\n";
    }
    stl += "endloop\nendfacet\n";
    binary.append(2, '\0');
  }
  expect_tetrahedron("a.stl", stl + "endsolid\n");
  expect_tetrahedron("a.STL", binary);
  expect_refused("a.stl", stl);
  expect_refused("a.stl", binary.substr(0, binary.size() - 1));
  expect_refused("a.stl", binary + std::string(50, '\0'));
  expect_refused("a.xyz", stl);
  for (const Point& p : kCorners)
    obj += "v " + std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(p[2]) +
           "\n";
  const std::string faces = "f 1 3 2\nf 1/1 2/2 4/1 # c\nf 1//1 4//1 3//2\nf -3 -2/1/1 -1\n";
  expect_tetrahedron("a.obj", "o x\n" + obj + "vn 0 0 1\nl 1 2\n" + faces);
  // Corners that are not flat: all their triangles.
  expect_tetrahedron("a.obj", obj + "f 1 2 3 4\n");
  for (const char* bad :
       {"f 1 2 5\n", "f 0 1 2\n", "f 1 2 x\n", "curv 1 2\n", "v 1 2\n", "v 1 2 3 0.5\n"})
    expect_refused("a.obj", obj + faces + bad);
}

TEST_F(Meshes, DaeInEveryGrammar) {
  const auto dae = [](const std::string& primitives,
                      const std::string& node = "<instance_geometry url='#g'/>",
                      const std::string& more = "") {
    return "<?xml version='1.0'?><COLLADA><asset><unit meter='1'/><up_axis>Z_UP</up_axis></asset>"
           "<library_geometries><geometry id='g'><mesh><source id='s'><float_array id='a' "
           "count='12'>"
           "0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common><accessor source='#a' count='4' "
           "stride='3'>"
           "<param name='X'/><param name='Y'/><param "
           "name='Z'/></accessor></technique_common></source>"
           "<vertices id='v'><input semantic='POSITION' source='#s'/></vertices>" +
           primitives + "</mesh></geometry></library_geometries>" + more +
           "<library_visual_scenes><visual_scene id='w'><node>" + node +
           "</node></visual_scene></library_visual_scenes><scene><instance_visual_scene "
           "url='#w'/></scene></COLLADA>";
  };
  const std::string in = "<input semantic='VERTEX' source='#v' offset='0'/>",
                    two = in + "<input semantic='NORMAL' source='#s' offset='1'/>";
  const std::string triangles =
      "<triangles count='4'>" + in + "<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>";
  const std::string ways[] = {
      triangles,
      "<triangles count='4'>" + two +
          "<p>0 9 2 9 1 9 0 9 1 9 3 9 0 9 3 9 2 9 1 9 2 9 3 9</p></triangles>",
      "<polylist count='4'>" + in +
          "<vcount>3 3 3 3</vcount><p>0 2 1 0 1 3 0 3 2 1 2 3</p></polylist>",
      "<polylist count='6'>" + in +
          "<vcount>3 0 3 3 2 3</vcount><p>0 2 1 0 1 3 0 3 2 0 1 1 2 3</p></polylist>",
      "<polygons count='4'>" + in + "<p>0 2 1</p><p>0 1 3</p><p>0 3 2</p><p>1 2 3</p></polygons>",
      "<tristrips count='1'>" + in + "<p>0 1 2 3 0 1</p></tristrips>",
      "<tristrips count='3'>" + in + "<p>0 1 2 3</p><p/><p>2 3 0 1</p></tristrips>",
      "<trifans count='2'>" + in + "<p>0 1 2 3 1</p><p>1 2 3</p></trifans>",
      "<triangles count='2'>" + in + "<p>0 2 1 0 1 3</p></triangles><lines count='1'>" + in +
          "<p>0 1</p></lines><triangles count='2'>" + in + "<p>0 3 2 1 2 3</p></triangles>"};
  for (const std::string& way : ways) expect_tetrahedron("a.dae", dae(way));
  const std::string id = "<instance_geometry url='#g'/>";
  const std::string nodes[] = {
      "<matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>" + id,
      "<translate>1 2 3</translate><translate>-1 -2 -3</translate>" + id,
      "<scale>2 2 2</scale><node><scale>0.5 0.5 0.5</scale>" + id + "</node>",
      "<rotate>0 0 1 0</rotate>" + id, "<instance_node url='#n'/>"};
  for (const std::string& node : nodes)
    expect_tetrahedron(
        "a.dae",
        dae(triangles, node, "<library_nodes><node id='n'>" + id + "</node></library_nodes>"));
  const std::string bad[] = {
      "<triangles count='3'>" + in + "<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>",
      "<triangles count='4'>" + in + "<p>0 2 1 0 1 3 0 3 2 1 2</p></triangles>",
      "<triangles count='1'>" + in + "<p>0 2 4</p></triangles>",
      "<polygons count='1'>" + in + "<ph><p>0 1 2</p><h>0 1 2</h></ph></polygons>",
      "<polylist count='2'>" + in + "<vcount>3 3</vcount><p>0 2 1 0 1</p></polylist>",
      "<curves count='1'>" + in + "<p>0 2 1</p></curves>" + triangles,
      "<triangles count='1'><p>0 2 1</p></triangles>"};
  for (const std::string& way : bad) expect_refused("a.dae", dae(way));
  for (const char* node :
       {"<skew>1 0 0 0 1 0 0</skew>", "<lookat>0 0 0 0 0 1 0 1 0</lookat>",
        "<instance_controller url='#g'/>", "<instance_geometry url='#h'/>", "<scale>1 2</scale>"})
    expect_refused("a.dae", dae(triangles, node + id));
  // Millimetres, and up along y: the numbers as they stand, in metres.
  std::string small = dae(triangles);
  small.replace(small.find("meter='1'"), 9, "meter='0.001'");
  std::set<std::set<Point>> found;
  for (const auto& face : faces("a.dae", small)) {
    std::set<Point> large;
    for (const Point& p : face) large.insert({1000 * p[0], 1000 * p[1], 1000 * p[2]});
    found.insert(large);
  }
  EXPECT_EQ(found, tetrahedron());
}

/// A binary glTF whose only mesh has these corners; floats come first in its buffer.
std::string glb(const std::vector<int>& corners, std::size_t width, std::size_t mode,
                const std::string& node = "\"mesh\": 0",
                const std::string& scenes = "{\"nodes\": [0]}", const std::string& more = "") {
  std::string data;
  const auto add = [&](auto value) {
    data.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const Point& p : kCorners)
    for (const double x : p) add(static_cast<float>(x));
  for (const int c : corners) {
    if (width == 1) add(static_cast<std::uint8_t>(c));
    if (width == 2) add(static_cast<std::uint16_t>(c));
    if (width == 4) add(static_cast<std::uint32_t>(c));
  }
  const auto word = [](std::size_t n) { return std::to_string(n); };
  std::string json = "{\"asset\": {\"version\": \"2.0\"}, \"scenes\": [" + scenes +
                     "], \"nodes\": [{" + node + "}, {\"mesh\": 0}], " + more +
                     "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, "
                     "\"indices\": 1, \"mode\": " +
                     word(mode) +
                     "}]}], \"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, "
                     "\"count\": 4, \"type\": \"VEC3\"}, "
                     "{\"bufferView\": 1, \"componentType\": " +
                     word(width == 1   ? 5121
                          : width == 2 ? 5123
                                       : 5125) +
                     ", \"count\": " + word(corners.size()) +
                     ", \"type\": \"SCALAR\"}], \"bufferViews\": [{\"buffer\": 0, "
                     "\"byteLength\": 48}, {\"buffer\": 0, \"byteOffset\": 48, \"byteLength\": " +
                     word(data.size() - 48) +
                     "}], \"buffers\": [{\"byteLength\": " + word(data.size()) + "}]}";
  json.resize((json.size() + 3) / 4 * 4, ' ');
  std::string file = "glTF";
  const auto number = [&](std::size_t n) {
    const auto small = static_cast<std::uint32_t>(n);
    file.append(reinterpret_cast<const char*>(&small), 4);
  };
  number(2), number(28 + json.size() + data.size());
  number(json.size()), number(0x4E4F534A), file += json;
  number(data.size()), number(0x004E4942);
  return file + data;
}

TEST_F(Meshes, GltfInEveryGrammar) {
  const std::vector<int> triangles = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  for (const std::size_t width : {1, 2, 4}) {
    expect_tetrahedron("a.glb", glb(triangles, width, 4));
    expect_tetrahedron("a.glb", glb(kStrip, width, 5));
    expect_refused("a.glb", glb({0, 1, 4}, width, 4));
    expect_refused("a.glb", glb({0, 1, 2, 3}, width, 4));
  }
  const std::string nodes[] = {
      "\"children\": [1]", "\"mesh\": 0, \"rotation\": [0, 0, 0, 1], \"scale\": [1, 1, 1]",
      "\"children\": [1], \"matrix\": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]"};
  for (const std::string& node : nodes) expect_tetrahedron("a.glb", glb(triangles, 2, 4, node));
  EXPECT_NE(faces("a.glb", glb(triangles, 2, 4, "\"mesh\": 0, \"translation\": [1, 0, 0]")),
            tetrahedron());
  EXPECT_EQ(faces("a.glb", glb({0, 1, 2, 3}, 2, 6)).size(), 2u);
  expect_refused("a.glb", glb(triangles, 2, 1));
  expect_refused("a.glb", glb(triangles, 2, 7));
  expect_refused("a.glb",
                 glb(triangles, 2, 4, "\"mesh\": 0", "{\"nodes\": [0]}, {\"nodes\": [1]}"));
  expect_refused("a.glb", glb(triangles, 2, 4, "\"mesh\": 0", ""));
  expect_refused("a.glb", glb(triangles, 2, 4, "\"mesh\": 0, \"skin\": 0"));
  expect_refused("a.glb", glb(triangles, 2, 4, "\"children\": [0]"));
  expect_refused("a.glb", glb(triangles, 2, 4, "\"mesh\": 0, \"mesh\": 0"));
  expect_refused("a.glb", glb(triangles, 2, 4, "\"mesh\": 0", "{\"nodes\": [0]}",
                              "\"extensionsRequired\": [\"KHR_draco_mesh_compression\"], "));
  expect_tetrahedron("a.glb", glb(triangles, 2, 4, "\"mesh\": 0",
                                  "{\"nodes\": [0]}, {\"nodes\": [1]}", "\"scene\": 0, "));
  const std::string whole = glb(triangles, 4, 4);
  expect_refused("a.glb", whole.substr(0, whole.size() - 4));
}

}  // namespace
}  // namespace verify
