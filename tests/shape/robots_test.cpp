// SPDX-License-Identifier: BSD-3-Clause
//
// The meshes of real robots, and assimp as a second opinion where it is right.
#include <gtest/gtest.h>

#include <assimp/scene.h>
#include <assimp/Importer.hpp>

#include <algorithm>
#include <filesystem>
#include <random>

#include "data.hpp"
#include "shape/mesh.hpp"
#include "shape/support.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> robot_meshes() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(test::data_dir() / "robots")) {
    std::string extension = entry.path().extension().string();
    for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const char* known : {".stl", ".obj", ".dae", ".ply", ".gltf", ".glb"}) {
      if (extension == known) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(RobotMeshes, AllLoadAndTheirHullsAreSound) {
  KEEPCLEAR_NEEDS_DATA("robots");
  std::mt19937_64 random(1);
  const auto files = robot_meshes();
  EXPECT_GE(files.size(), 300U);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.string());
    const Mesh mesh = read_mesh(file, {1, 1, 1});
    const Hull hull = convex_hull(mesh.vertices);
    Vec3 lo = mesh.vertices[0], hi = lo;
    for (const Vec3& p : mesh.vertices) {
      lo = {std::min(lo.x, p.x), std::min(lo.y, p.y), std::min(lo.z, p.z)};
      hi = {std::max(hi.x, p.x), std::max(hi.y, p.y), std::max(hi.z, p.z)};
    }
    const double size = norm(hi - lo);
    EXPECT_LE(hull.excess, 1e-12 * size);
    EXPECT_LE(mesh.vertex_error, 1e-5 * std::max(size, norm(hi)));
    std::vector<Vec3> directions;
    for (int i = 0; i < 10; ++i) directions.push_back(test::random_direction(random));
    test::expect_sound_graph(hull, directions, 1e-11 * size);
    for (const Vec3& d : directions) {
      double of_all = -INFINITY, of_hull = -INFINITY;
      for (const Vec3& p : mesh.vertices) of_all = std::max(of_all, dot(p, d));
      for (const Vec3& p : hull.vertices) of_hull = std::max(of_hull, dot(p, d));
      EXPECT_LE(of_all, of_hull + (hull.excess + 1e-15 * norm(hi)) * norm(d));
    }
  }
}

TEST(RobotMeshes, HaveAsManyTrianglesAndCornersAsAssimpFinds) {
  KEEPCLEAR_NEEDS_DATA("robots");
  int compared = 0;
  for (const fs::path& file : robot_meshes()) {
    const std::string extension = file.extension().string();
    if (extension == ".dae") continue;
    const Mesh ours = read_mesh(file, {1, 1, 1});
    Assimp::Importer importer;
    const aiScene* scene = importer.ReadFile(fs::canonical(file).string(), 0);
    ASSERT_NE(scene, nullptr) << file;
    std::size_t triangles = 0;
    Vec3 theirs_hi{-1e9, -1e9, -1e9}, ours_hi = theirs_hi;
    const auto raise = [](Vec3& hi, Vec3 p) {
      hi = {std::max(hi.x, p.x), std::max(hi.y, p.y), std::max(hi.z, p.z)};
    };
    for (unsigned m = 0; m < scene->mNumMeshes; ++m) {
      const aiMesh& mesh = *scene->mMeshes[m];
      for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
        const aiFace& face = mesh.mFaces[f];
        if (face.mNumIndices < 3) continue;
        triangles += face.mNumIndices - 2;
        for (unsigned k = 0; k < face.mNumIndices; ++k) {
          const aiVector3D& p = mesh.mVertices[face.mIndices[k]];
          raise(theirs_hi, {p.x, p.y, p.z});
        }
      }
    }
    for (const Vec3& p : ours.vertices) raise(ours_hi, p);
    EXPECT_EQ(ours.triangles.size(), triangles) << file;
    EXPECT_LE(norm(ours_hi - theirs_hi), 1e-6 * (1 + norm(ours_hi))) << file;
    ++compared;
  }
  EXPECT_GE(compared, 250);
}

}  // namespace
}  // namespace keepclear
