// SPDX-License-Identifier: BSD-3-Clause
#include "shape/mesh.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "shape/hull.hpp"
#include "shape/support.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;
using test::error_of;

const fs::path kCorpus = fs::path(KEEPCLEAR_CORPUS) / "mesh";

Mesh ok(const std::string& name, Vec3 scale = {1, 1, 1}) {
  return read_mesh(kCorpus / "ok" / name, scale);
}

/// A folder that is gone when the test ends.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "keepclear_mesh_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST(MeshCorpus, EveryGoodFileLoads) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(kCorpus / "ok")) {
    if (entry.path().extension() == ".bin") continue;
    const Mesh mesh = read_mesh(entry.path(), {1, 1, 1});
    EXPECT_FALSE(mesh.triangles.empty()) << entry.path();
    EXPECT_LT(mesh.vertex_error, 1e-3) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 19);
}

TEST(MeshCorpus, EveryBadFileIsRefusedAsMalformed) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(kCorpus / "reject")) {
    SCOPED_TRACE(entry.path().string());
    const Error error = error_of([&] { read_mesh(entry.path(), {1, 1, 1}); });
    EXPECT_EQ(error.kind(), Error::Kind::malformed) << error.what();
    EXPECT_EQ(error.file(), entry.path().string());
    ++count;
  }
  EXPECT_GE(count, 45);
}

TEST(MeshCorpus, TheTetrahedraAreTheSameInEveryFormat) {
  for (const char* name : {"ascii.stl", "binary_named_solid.stl", "ascii.ply", "big_endian.ply",
                           "little_endian.ply"}) {
    const Hull hull = convex_hull(ok(name).vertices);
    EXPECT_EQ(hull.vertices, (std::vector<Vec3>{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}}))
        << name;
  }
}

TEST(MeshReader, AppliesTheTransformsOfGltfNodes) {
  for (const char* name : {"embedded.gltf", "beside.gltf", "binary.glb"}) {
    const Hull hull = convex_hull(ok(name).vertices);
    EXPECT_EQ(hull.vertices, (std::vector<Vec3>{{1, 2, 3}, {1, 2, 5}, {1, 4, 3}, {3, 2, 3}}))
        << name;
  }
}

TEST(MeshReader, DoesNotTurnColladaToAnotherUpAxis) {
  EXPECT_EQ(ok("y_up.dae").vertices, ok("z_up.dae").vertices);
  EXPECT_EQ(ok("z_up.dae").vertices[2], (Vec3{0, 2, 3}));
}

TEST(MeshReader, AppliesTheUnitOfCollada) {
  const Mesh mesh = ok("centimetres.dae");
  EXPECT_NEAR(mesh.vertices[2].z, 0.03, mesh.vertex_error);
  EXPECT_LT(mesh.vertex_error, 1e-7);
  EXPECT_GT(mesh.vertex_error, 0);
}

TEST(MeshReader, AppliesTheTransformsOfColladaNodesWithinItsError) {
  // (x, y, z) -> (x + 1, y, z) -> twice as large -> a quarter turn about z -> (10, 20, 30) added.
  const Mesh mesh = ok("transforms.dae");
  const std::vector<Vec3> expected = {{10, 22, 30}, {10, 24, 30}, {6, 22, 36}};
  ASSERT_EQ(mesh.vertices.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LE(norm(mesh.vertices[i] - expected[i]), mesh.vertex_error);
  }
  EXPECT_LT(mesh.vertex_error, 1e-3);
}

TEST(MeshReader, FollowsInstancesOfColladaNodes) {
  const Mesh mesh = ok("instanced_node.dae");
  EXPECT_EQ(mesh.triangles.size(), 2U);
  const Hull hull = convex_hull(mesh.vertices);
  EXPECT_EQ(hull.vertices.back(), (Vec3{2, 0, 0}));
}

TEST(MeshReader, LeavesOutLines) {
  const Mesh mesh = ok("lines_beside_triangles.dae");
  EXPECT_EQ(mesh.triangles.size(), 1U);
  EXPECT_EQ(mesh.vertices.size(), 3U);
}

TEST(MeshReader, CoversAConcavePolygonByItsFan) {
  EXPECT_EQ(ok("concave_polygon.dae").triangles.size(), 3U);
}

TEST(MeshReader, LosesNothingBehindALineEndOfAnotherKind) {
  for (const char* name : {"line_ends_of_two_kinds.stl", "line_ends_of_two_kinds.obj"}) {
    const Mesh mesh = ok(name);
    EXPECT_EQ(mesh.triangles.size(), 2U) << name;
    EXPECT_EQ(mesh.vertices.back(), (Vec3{5, 5, 5})) << name;
  }
}

TEST(MeshReader, TakesAllTrianglesOfAColladaFaceThatIsNotFlat) {
  const Mesh face = ok("warped_polygon.dae"), fan = ok("warped_fan.dae");
  EXPECT_EQ(face.triangles.size(), 4U);
  // A fan is two triangles by its name.
  EXPECT_EQ(fan.triangles.size(), 2U);
}

TEST(MeshReader, RefusesDeepNestingBeforeAssimpSeesIt) {
  const Folder folder;
  std::string nodes, ends, arrays;
  for (int i = 0; i < 100'000; ++i) {
    nodes += "<node>";
    ends += "</node>";
    arrays += "[";
  }
  const auto dae = folder.write("deep.dae", "<COLLADA>" + nodes + ends + "</COLLADA>");
  EXPECT_NE(std::string(error_of([&] {
                          read_mesh(dae, {1, 1, 1});
                        }).what())
                .find("too deep"),
            std::string::npos);
  const auto gltf = folder.write("deep.gltf", arrays);
  EXPECT_NE(std::string(error_of([&] {
                          read_mesh(gltf, {1, 1, 1});
                        }).what())
                .find("too deep"),
            std::string::npos);
  std::string chain = R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[)";
  for (int i = 1; i < 100'000; ++i) chain += R"({"children":[)" + std::to_string(i) + "]},";
  const auto linked = folder.write("chain.gltf", chain + "{}]}");
  EXPECT_NE(std::string(error_of([&] {
                          read_mesh(linked, {1, 1, 1});
                        }).what())
                .find("too deep"),
            std::string::npos);
}

TEST(MeshReader, SaysThatAGltfHasNoSceneOrSeveral) {
  const Folder folder;
  const std::string start = R"({"asset":{"version":"2.0"},"nodes":[{}],)";
  const auto said = [&](const std::string& scenes) {
    const auto file = folder.write("x.gltf", start + scenes + R"("meshes":[]})");
    return std::string(error_of([&] { read_mesh(file, {1, 1, 1}); }).what());
  };
  EXPECT_NE(said("").find("no scene: nothing says which nodes are shown"), std::string::npos);
  EXPECT_NE(said(R"("scenes":[],)").find("no scene: nothing says"), std::string::npos);
  EXPECT_NE(said(R"("scenes":[{"nodes":[0]},{"nodes":[0]}],)")
                .find("2 scenes, and no 'scene' says which is shown"),
            std::string::npos);
  EXPECT_NE(said(R"("scene":1,"scenes":[{"nodes":[0]}],)").find("no number 1 in 'scenes'"),
            std::string::npos);
}

TEST(MeshReader, BindsNoMaterialsToInstances) {
  // Two elements, two instances: assimp alone would take the first element for the second where the
  // second instance has another material for it.
  const Folder folder;
  const auto file =
      folder.write("bound.dae", R"(<COLLADA><library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="a" count="18">0 0 0 1 0 0 0 1 0 0 0 9 1 0 9 0 1 9</float_array>
      <technique_common><accessor source="#a" count="6" stride="3"><param name="X" type="float"/>
      <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="1" material="s0"><input semantic="VERTEX" source="#v" offset="0"/>
      <p>0 1 2</p></triangles>
    <triangles count="1" material="s1"><input semantic="VERTEX" source="#v" offset="0"/>
      <p>3 4 5</p></triangles></mesh></geometry></library_geometries>
    <library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"><bind_material>
      <technique_common><instance_material symbol="s0" target="#m0"/>
      <instance_material symbol="s1" target="#m0"/></technique_common></bind_material>
      </instance_geometry></node><node><translate>5 0 0</translate><instance_geometry url="#g">
      <bind_material><technique_common><instance_material symbol="s0" target="#m0"/>
      <instance_material symbol="s1" target="#m1"/></technique_common></bind_material>
      </instance_geometry></node></visual_scene></library_visual_scenes>
    <scene><instance_visual_scene url="#s"/></scene></COLLADA>)");
  const Mesh mesh = read_mesh(file, {1, 1, 1});
  EXPECT_EQ(mesh.triangles.size(), 4U);
  const auto has = [&](Vec3 p) {
    return std::find(mesh.vertices.begin(), mesh.vertices.end(), p) != mesh.vertices.end();
  };
  for (const double z : {0., 9.}) {
    for (const double x : {0., 5.}) EXPECT_TRUE(has({x, 0, z})) << x << " " << z;
  }
}

TEST(MeshReader, RefusesANodeThatIsInstancedByAnotherNodesName) {
  // assimp would look for the name first, find the node itself, and never come back.
  const Folder folder;
  const auto file =
      folder.write("name.dae", R"(<COLLADA><library_nodes><node id="l"><node id="deep"/></node>
    </library_nodes><library_visual_scenes><visual_scene id="s"><node id="n" name="deep">
    <instance_node url="#deep"/></node></visual_scene></library_visual_scenes>
    <scene><instance_visual_scene url="#s"/></scene></COLLADA>)");
  EXPECT_NE(std::string(error_of([&] {
                          read_mesh(file, {1, 1, 1});
                        }).what())
                .find("has that name"),
            std::string::npos);
}

TEST(MeshReader, TakesRegularFilesOnly) {
  const Folder folder;
  const fs::path pipe = folder.path() / "pipe.stl";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", folder.path() / "zero.stl");
  fs::create_directory(folder.path() / "folder.stl");
  for (const char* name : {"pipe.stl", "zero.stl", "folder.stl", "absent.stl"}) {
    const Error error = error_of([&] { read_mesh(folder.path() / name, {1, 1, 1}); });
    EXPECT_EQ(error.kind(), Error::Kind::missing) << error.what();
  }
}

TEST(MeshReader, RefusesAFileBeyondTheLimitWithoutReadingIt) {
  const Folder folder;
  const fs::path file = folder.write("huge.stl", "x");
  fs::resize_file(file, kMaxMeshBytes + 1);
  EXPECT_EQ(error_of([&] { read_mesh(file, {1, 1, 1}); }).kind(), Error::Kind::malformed);
}

TEST(MeshReader, DoesNotFollowALinkOutOfTheFolderForBuffers) {
  const Folder folder, other;
  const fs::path file = folder.path() / "beside.gltf";
  fs::copy_file(kCorpus / "ok/beside.gltf", file);
  fs::copy_file(kCorpus / "ok/beside.bin", other.path() / "beside.bin");
  fs::create_symlink(other.path() / "beside.bin", folder.path() / "beside.bin");
  EXPECT_EQ(error_of([&] { read_mesh(file, {1, 1, 1}); }).kind(), Error::Kind::malformed);
}

TEST(MeshScale, MirrorsAndKeepsTrianglesRightSideOut) {
  const Mesh plain = ok("ascii.stl"), mirrored = ok("ascii.stl", {1, -1, 1});
  for (std::size_t i = 0; i < plain.vertices.size(); ++i) {
    EXPECT_EQ(mirrored.vertices[i].y, -plain.vertices[i].y);
    EXPECT_EQ(mirrored.vertices[i].x, plain.vertices[i].x);
  }
  EXPECT_EQ(mirrored.vertex_error, plain.vertex_error);
  const auto six_volumes = [](const Mesh& mesh) {
    double sum = 0;
    for (const auto& t : mesh.triangles) {
      sum += dot(mesh.vertices[t[0]], cross(mesh.vertices[t[1]], mesh.vertices[t[2]]));
    }
    return sum;
  };
  EXPECT_EQ(six_volumes(plain), six_volumes(mirrored));
  EXPECT_EQ(six_volumes(plain), six_volumes(ok("ascii.stl", {-1, -1, 1})));
}

TEST(MeshScale, CountsItsRounding) {
  Mesh mesh{{{1, 2, 3}}, {{0, 0, 0}}, 1e-9};
  scale_mesh(mesh, {0.001, 0.001, 0.001}, "x");
  EXPECT_GT(mesh.vertex_error, 1e-12);
  EXPECT_LT(mesh.vertex_error, 1.001e-12);
}

TEST(MeshScale, RefusesWhatIsNoScale) {
  for (const Vec3 scale :
       {Vec3{0, 1, 1}, Vec3{1, NAN, 1}, Vec3{1, 1, INFINITY}, Vec3{1e300, 1, 1}}) {
    EXPECT_THROW(ok("ascii.stl", scale), Error);
  }
}

}  // namespace
}  // namespace keepclear
