// SPDX-License-Identifier: BSD-3-Clause
//
// assimp keeps float32 and forgives much. So the file is checked first (foreign_check.hpp), only
// the one importer for its kind is let near it, no step of assimp that repairs or drops anything is
// asked for, polygons are cut into triangles here, and what float32 loses is in vertex_error.
//
// Collada: `<unit>` is applied, by assimp, as a scale of the root; `<up_axis>` is not, because
// robot descriptions mean the numbers as they stand. Both are what rviz does.
#include "shape/assimp_mesh.hpp"

#include <assimp/BaseImporter.h>
#include <assimp/MemoryIOWrapper.h>
#include <assimp/config.h>
#include <assimp/scene.h>

#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <cmath>
#include <cstring>
#include <optional>

#include "keepclear/error.hpp"
#include "rounding/rounding.hpp"
#include "shape/foreign_check.hpp"
#include "shape/gltf_check.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;

/// All that assimp can see of the disk: the file, already in memory, and for glTF the buffers in
/// its folder or below.
class FolderOnly : public Assimp::IOSystem {
 public:
  FolderOnly(const std::vector<std::byte>& bytes, const fs::path& file, bool buffers)
      : bytes_(bytes), file_(file.string()), buffers_(buffers) {
    std::error_code ignored;
    folder_ = fs::canonical(file, ignored).parent_path();
  }

  bool Exists(const char* path) const override {
    return path == file_ || (buffers_ && inside(path));
  }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char* path, const char* mode) override {
    if (mode && std::strpbrk(mode, "wa+")) return nullptr;
    if (path == file_) return stream(bytes_);
    if (!buffers_ || !inside(path)) return nullptr;
    try {
      const auto buffer = read_regular_file(path, kMaxMeshBytes - std::min(used_, kMaxMeshBytes));
      used_ += buffer.size();
      return stream(buffer);
    } catch (const Error&) {
      return nullptr;
    }
  }
  void Close(Assimp::IOStream* stream) override { delete stream; }

 private:
  static Assimp::IOStream* stream(const std::vector<std::byte>& bytes) {
    auto* copy = new std::uint8_t[bytes.size() + 1]();
    if (!bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
    return new Assimp::MemoryIOStream(copy, bytes.size(), true);
  }
  bool inside(const char* path) const {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error || folder_.empty()) return false;
    const auto end = std::mismatch(folder_.begin(), folder_.end(), real.begin(), real.end()).first;
    return end == folder_.end();
  }

  const std::vector<std::byte>& bytes_;
  std::string file_;
  bool buffers_;
  fs::path folder_;
  std::size_t used_ = 0;
};

void keep_only(Assimp::Importer& importer, const std::string& wanted) {
  for (std::size_t i = importer.GetImporterCount(); i-- > 0;) {
    if (importer.GetImporterInfo(i)->mName == wanted) continue;
    Assimp::BaseImporter* other = importer.GetImporter(i);
    importer.UnregisterLoader(other);
    delete other;
  }
}

/// An affine map in double precision, its 3x3 norm from above, and how far it may be off.
struct Placement {
  Mat3 A;
  Vec3 t;
  double norm_hi = 1;
};

double frobenius_hi(const Mat3& m) {
  return rounding::inflate(
      std::sqrt(squared_norm(m.row0) + squared_norm(m.row1) + squared_norm(m.row2)), 24);
}

/// Collects the polygons of the scene, each node's matrix applied in turn from the leaf to the
/// root, in double precision, with the error carried along.
class SceneReader {
 public:
  SceneReader(const aiScene& scene, const std::string& name, double reading_error,
              double reading_floor, foreign::TransformError node_error)
      : scene_(scene),
        name_(name),
        reading_error_(reading_error),
        reading_floor_(reading_floor),
        node_error_(node_error) {}

  Mesh read() {
    struct Visit {
      const aiNode* node;
      std::vector<const aiNode*> path;  ///< from the root
    };
    std::vector<Visit> stack;
    if (scene_.mRootNode) stack.push_back({scene_.mRootNode, {scene_.mRootNode}});
    while (!stack.empty()) {
      const Visit visit = std::move(stack.back());
      stack.pop_back();
      for (unsigned i = 0; i < visit.node->mNumMeshes; ++i) {
        add(mesh_at(visit.node->mMeshes[i]), visit.path);
      }
      if (visit.path.size() > 1024) fail("nesting too deep");
      for (unsigned i = visit.node->mNumChildren; i-- > 0;) {
        Visit next{visit.node->mChildren[i], visit.path};
        next.path.push_back(next.node);
        stack.push_back(std::move(next));
      }
    }
    if (mesh_.triangles.empty()) fail("no faces", "only a surface is a shape");
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
    throw Error(Error::Kind::malformed, name_, 0, what, hint);
  }

  const aiMesh& mesh_at(unsigned index) const {
    if (index >= scene_.mNumMeshes || !scene_.mMeshes[index]) fail("a mesh that is not there");
    const aiMesh& mesh = *scene_.mMeshes[index];
    if (mesh.mNumBones > 0 || mesh.mNumAnimMeshes > 0) {
      fail("a mesh with bones or morphs", "export it rigid");
    }
    return mesh;
  }

  static std::vector<Placement> placements(const std::vector<const aiNode*>& path) {
    std::vector<Placement> result;
    for (auto it = path.rbegin(); it != path.rend(); ++it) {
      const aiMatrix4x4& m = (*it)->mTransformation;
      if (m == aiMatrix4x4()) continue;
      Placement x{{{m.a1, m.a2, m.a3}, {m.b1, m.b2, m.b3}, {m.c1, m.c2, m.c3}}, {m.a4, m.b4, m.c4}};
      x.norm_hi = frobenius_hi(x.A);
      result.push_back(x);
    }
    return result;
  }

  void add(const aiMesh& part, const std::vector<const aiNode*>& path) {
    const std::vector<Placement> chain = placements(path);
    std::vector<std::uint32_t> renamed(part.mNumVertices, kUnused);
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
      const aiFace& face = part.mFaces[f];
      for (unsigned k = 0; k < face.mNumIndices; ++k) {
        if (face.mIndices[k] >= part.mNumVertices || !part.mVertices) {
          fail("face " + std::to_string(f + 1) + ": no such vertex");
        }
      }
      // Lines and points have no surface. The fan of a polygon covers it, convex or not.
      for (unsigned k = 2; k < face.mNumIndices; ++k) {
        if (mesh_.triangles.size() >= kMaxMeshTriangles) fail("too many faces");
        mesh_.triangles.push_back({vertex(part, face.mIndices[0], chain, renamed),
                                   vertex(part, face.mIndices[k - 1], chain, renamed),
                                   vertex(part, face.mIndices[k], chain, renamed)});
      }
    }
  }

  std::uint32_t vertex(const aiMesh& part, unsigned index, const std::vector<Placement>& chain,
                       std::vector<std::uint32_t>& renamed) {
    if (renamed[index] != kUnused) return renamed[index];
    const aiVector3D& from = part.mVertices[index];
    Vec3 p{from.x, from.y, from.z};
    double error = reading_error_ * rounding::norm_hi(p) + reading_floor_;
    for (const Placement& x : chain) {
      const double far_hi = rounding::norm_hi(p) + error;
      p = x.A * p + x.t;
      // The error so far, that of the matrix in float32 (what its parts lost, and the rounding of
      // what stands in it now), and three sums in double, which are far below.
      error = error * x.norm_hi + (node_error_.matrix + 0x1p-21 * x.norm_hi) * far_hi +
              node_error_.shift + 0x1p-21 * rounding::norm_hi(x.t);
    }
    if (!is_finite(p) || !std::isfinite(error)) {
      fail("mesh '" + std::string(part.mName.C_Str()) + "': vertex " + std::to_string(index + 1) +
           " is not finite");
    }
    mesh_.vertex_error = std::max(mesh_.vertex_error, rounding::inflate(error, 40));
    if (mesh_.vertices.size() >= 3 * kMaxMeshTriangles) fail("too many vertices");
    renamed[index] = static_cast<std::uint32_t>(mesh_.vertices.size());
    mesh_.vertices.push_back(p);
    return renamed[index];
  }

  static constexpr std::uint32_t kUnused = 0xffffffff;
  const aiScene& scene_;
  const std::string& name_;
  double reading_error_, reading_floor_;
  foreign::TransformError node_error_;
  Mesh mesh_;
};

/// assimp drops faces whose corners are not there, and says so to its log alone.
bool has_all_faces(const aiScene& scene, const foreign::GltfClaims& claims) {
  std::size_t faces = 0;
  for (unsigned i = 0; i < scene.mNumMeshes; ++i) {
    for (unsigned f = 0; f < scene.mMeshes[i]->mNumFaces; ++f) {
      faces += scene.mMeshes[i]->mFaces[f].mNumIndices > 2 ? 1 : 0;
    }
  }
  return scene.mNumMeshes == claims.primitives && faces == claims.faces;
}

}  // namespace

Mesh parse_by_assimp(std::vector<std::byte> bytes, const fs::path& file,
                     const std::string& extension) {
  const std::string name = file.string();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("PK") || text.starts_with("\x1f\x8b")) {
    foreign::refuse(name, 0, "an archive", "unpack it first");
  }
  // Decimal numbers pass through up to five float32 roundings and end 15 digits after the point.
  double reading_error = 0x1p-21, reading_floor = 2e-15;
  foreign::TransformError node_error;
  std::optional<foreign::GltfClaims> gltf;
  std::string importer_name;
  if (extension == "dae") {
    foreign::ColladaCheck check(text, name);
    node_error = check.run();
    // Materials, animations, physics: what makes no shape is kept from assimp altogether.
    for (const auto& range : check.unused()) {
      const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(range.begin);
      std::fill_n(at, range.end - range.begin, std::byte{' '});
    }
    importer_name = "Collada Importer";
  } else if (extension == "ply") {
    foreign::PlyCheck(text, name).run();
    importer_name = "Stanford Polygon Library (PLY) Importer";
  } else {
    gltf = foreign::check_gltf(text, extension == "glb", name);
    node_error = gltf->error;
    importer_name = "glTF2 Importer";
    // float32 in the file already; of a node, only rotation times scale is a product.
    reading_error = reading_floor = 0;
  }
  try {
    Assimp::Importer importer;
    keep_only(importer, importer_name);
    importer.SetIOHandler(new FolderOnly(bytes, file, extension == "gltf" || extension == "glb"));
    importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
    importer.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);
    const aiScene* scene = importer.ReadFile(name, 0);
    if (!scene || (scene->mFlags & AI_SCENE_FLAGS_INCOMPLETE)) {
      foreign::refuse(name, 0, std::string("assimp: ") + importer.GetErrorString());
    }
    if (gltf && !has_all_faces(*scene, *gltf)) {
      foreign::refuse(name, 0, "faces whose indices are out of range");
    }
    return SceneReader(*scene, name, reading_error, reading_floor, node_error).read();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    foreign::refuse(name, 0, std::string("assimp: ") + e.what());
  }
}

}  // namespace keepclear
