// SPDX-License-Identifier: BSD-3-Clause
//
// assimp keeps float32 and forgives much. So the file is checked first (foreign_check.hpp,
// gltf_check.hpp), only the one importer for its kind is let near it, no step of assimp that
// repairs or drops anything is asked for, every corner is compared with what the file's own numbers
// say (surface_claim.hpp), polygons are cut into triangles here, and what float32 loses is in
// vertex_error.
//
// Collada: `<unit>` is applied, by assimp, as a scale of the root; `<up_axis>` is not, because
// robot descriptions mean the numbers as they stand. Both are what rviz does.
#include "shape/assimp_mesh.hpp"

#include <assimp/BaseImporter.h>
#include <assimp/MemoryIOWrapper.h>
#include <assimp/config.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

#include "keepclear/error.hpp"
#include "rounding/rounding.hpp"
#include "shape/foreign_check.hpp"
#include "shape/gltf_check.hpp"
#include "shape/polygons.hpp"
#include "shape/surface_claim.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;

/// The buffers in the folder of a glTF file or below, each read once.
class Buffers {
 public:
  explicit Buffers(const fs::path& file) : beside_(file.parent_path().string()) {
    std::error_code ignored;
    folder_ = fs::canonical(file, ignored).parent_path();
    if (!beside_.empty() && !beside_.ends_with('/')) beside_ += '/';
  }

  /// The path that assimp makes of a URI.
  std::string path_of(const std::string& uri) const { return beside_ + uri; }

  /// Nothing for what is elsewhere, no regular file, or too large.
  const std::string* find(const std::string& path) {
    const auto known = known_.find(path);
    if (known != known_.end()) return &known->second;
    if (!is_inside(path)) return nullptr;
    try {
      const auto bytes = read_regular_file(path, kMaxMeshBytes - std::min(used_, kMaxMeshBytes));
      used_ += bytes.size();
      return &known_
                  .emplace(path,
                           std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()))
                  .first->second;
    } catch (const Error&) {
      return nullptr;
    }
  }

 private:
  bool is_inside(const std::string& path) const {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error || folder_.empty()) return false;
    const auto end = std::mismatch(folder_.begin(), folder_.end(), real.begin(), real.end()).first;
    return end == folder_.end();
  }

  std::string beside_;
  fs::path folder_;
  std::map<std::string, std::string> known_;
  std::size_t used_ = 0;
};

/// All that assimp can see of the disk: the file, already in memory, and for glTF the buffers.
class FolderOnly : public Assimp::IOSystem {
 public:
  FolderOnly(std::string_view bytes, const fs::path& file, Buffers* buffers)
      : bytes_(bytes), file_(file.string()), buffers_(buffers) {}

  bool Exists(const char* path) const override {
    return path == file_ || (buffers_ && buffers_->find(path));
  }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char* path, const char* mode) override {
    if (mode && std::strpbrk(mode, "wa+")) return nullptr;
    if (path == file_) return stream(bytes_);
    const std::string* buffer = buffers_ ? buffers_->find(path) : nullptr;
    return buffer ? stream(*buffer) : nullptr;
  }
  void Close(Assimp::IOStream* stream) override { delete stream; }

 private:
  static Assimp::IOStream* stream(std::string_view bytes) {
    auto* copy = new std::uint8_t[bytes.size() + 1]();
    if (!bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
    return new Assimp::MemoryIOStream(copy, bytes.size(), true);
  }

  std::string_view bytes_;
  std::string file_;
  Buffers* buffers_;
};

void keep_only(Assimp::Importer& importer, const std::string& wanted) {
  for (std::size_t i = importer.GetImporterCount(); i-- > 0;) {
    if (importer.GetImporterInfo(i)->mName == wanted) continue;
    Assimp::BaseImporter* other = importer.GetImporter(i);
    importer.UnregisterLoader(other);
    delete other;
  }
}

/// Collects the polygons of the scene, each node's matrix applied in turn from the leaf to the
/// root, in double precision, with the error carried along. Each is compared with the claim.
class SceneReader {
 public:
  SceneReader(const aiScene& scene, const std::string& name, bool is_dae, double reading_error,
              double reading_floor, const foreign::SurfaceClaim& claim)
      : scene_(scene),
        name_(name),
        is_dae_(is_dae),
        reading_error_(reading_error),
        reading_floor_(reading_floor),
        node_error_(claim.error),
        check_(claim, name) {}

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
    check_.end();
    if (mesh_.triangles.empty()) fail("no faces", "only a surface is a shape");
    double far_hi = 0;
    for (const Vec3& p : mesh_.vertices) far_hi = std::max(far_hi, rounding::norm_hi(p));
    mesh_.vertex_error += polygons_.off_flat_hi(far_hi);
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

  /// A node's matrix, and what assimp may have lost when it multiplied it from the file's elements.
  struct Placement {
    foreign::Step step;
    foreign::TransformError lost;
  };

  std::vector<Placement> placements(const std::vector<const aiNode*>& path) const {
    std::vector<Placement> result;
    for (auto it = path.rbegin(); it != path.rend(); ++it) {
      const aiMatrix4x4& m = (*it)->mTransformation;
      if (m == aiMatrix4x4()) continue;
      // The root of a Collada scene is no node of the file and holds its unit alone: no product.
      const bool is_unit = is_dae_ && *it == scene_.mRootNode;
      result.push_back({foreign::step({{m.a1, m.a2, m.a3}, {m.b1, m.b2, m.b3}, {m.c1, m.c2, m.c3}},
                                      {m.a4, m.b4, m.c4}),
                        is_unit ? foreign::TransformError{} : node_error_});
    }
    return result;
  }

  void add(const aiMesh& part, const std::vector<const aiNode*>& path) {
    const foreign::Primitive& said = check_.next();
    const std::vector<Placement> chain = placements(path);
    renamed_.assign(part.mNumVertices, kUnused);
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
      const aiFace& face = part.mFaces[f];
      // Lines and points have no surface.
      if (!said.has_surface && face.mNumIndices < 3) continue;
      const auto corner = [&](std::size_t k) {
        const unsigned index = face.mIndices[k];
        if (index >= part.mNumVertices || !part.mVertices) {
          check_.fail("polygon " + std::to_string(f + 1) + " has no such vertex");
        }
        const std::uint32_t v = vertex(part, index, chain);
        return foreign::BoundedPoint{mesh_.vertices[v], errors_[v]};
      };
      check_.polygon(face.mNumIndices, corner);
      add_triangles(face, said);
    }
    check_.end_element();
  }

  void add_triangles(const aiFace& face, const foreign::Primitive& said) {
    corners_.clear();
    for (unsigned k = 0; k < face.mNumIndices; ++k) {
      corners_.push_back(renamed_[face.mIndices[k]]);
    }
    if (!said.is_fan) return polygons_.add(corners_, said.line, said.place.c_str(), 0);
    for (std::size_t k = 2; k < corners_.size(); ++k) {
      polygons_.push(corners_[0], corners_[k - 1], corners_[k], said.line);
    }
  }

  std::uint32_t vertex(const aiMesh& part, unsigned index, const std::vector<Placement>& chain) {
    if (renamed_[index] != kUnused) return renamed_[index];
    const aiVector3D& from = part.mVertices[index];
    Vec3 p{from.x, from.y, from.z};
    double error = reading_error_ * rounding::norm_hi(p) + reading_floor_;
    for (const auto& [x, lost] : chain) {
      const double far_hi = rounding::norm_hi(p) + error;
      p = x.A * p + x.t;
      // The error so far, that of the matrix in float32 (what its parts lost, and the rounding of
      // what stands in it now), and three sums in double, which are far below.
      error = error * x.norm_hi + (lost.matrix + 0x1p-21 * x.norm_hi) * far_hi + lost.shift +
              0x1p-21 * rounding::norm_hi(x.t);
    }
    if (!is_finite(p) || !std::isfinite(error)) {
      fail("mesh '" + std::string(part.mName.C_Str()) + "': vertex " + std::to_string(index + 1) +
           " is not finite");
    }
    error = rounding::inflate(error, 40);
    mesh_.vertex_error = std::max(mesh_.vertex_error, error);
    if (mesh_.vertices.size() >= 3 * kMaxMeshTriangles) fail("too many vertices");
    renamed_[index] = static_cast<std::uint32_t>(mesh_.vertices.size());
    mesh_.vertices.push_back(p);
    errors_.push_back(error);
    return renamed_[index];
  }

  static constexpr std::uint32_t kUnused = 0xffffffff;
  const aiScene& scene_;
  const std::string& name_;
  bool is_dae_;
  double reading_error_, reading_floor_;
  foreign::TransformError node_error_;
  foreign::ClaimCheck check_;
  std::vector<std::uint32_t> renamed_;  ///< of the mesh at hand
  std::vector<double> errors_;          ///< of mesh_.vertices
  std::vector<std::uint32_t> corners_;  ///< of the face at hand
  Mesh mesh_;
  Polygons polygons_{mesh_, name_};
};

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
  const bool is_dae = extension == "dae";
  foreign::SurfaceClaim claim;
  Buffers buffers(file);
  if (is_dae) {
    foreign::ColladaCheck check(text, name);
    claim = check.run();
    // Materials, animations, physics: what makes no shape is kept from assimp altogether.
    for (const auto& range : check.unused()) {
      const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(range.begin);
      std::fill_n(at, range.end - range.begin, std::byte{' '});
    }
  } else {
    const auto read = [&](const std::string& uri) -> std::optional<std::string> {
      const std::string* found = buffers.find(buffers.path_of(uri));
      return found ? std::optional(*found) : std::nullopt;
    };
    claim = foreign::check_gltf(text, extension == "glb", name, read);
    // float32 in the file already; of a node, only rotation times scale is a product.
    reading_error = reading_floor = 0;
  }
  if (claim.shown.empty()) {
    foreign::refuse(name, 0, "no faces: the scene shows no mesh", "only a surface is a shape");
  }
  try {
    Assimp::Importer importer;
    keep_only(importer, is_dae ? "Collada Importer" : "glTF2 Importer");
    importer.SetIOHandler(new FolderOnly(text, file, is_dae ? nullptr : &buffers));
    importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
    importer.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);
    const aiScene* scene = importer.ReadFile(name, 0);
    if (!scene || (scene->mFlags & AI_SCENE_FLAGS_INCOMPLETE)) {
      foreign::refuse(name, 0, std::string("assimp: ") + importer.GetErrorString());
    }
    return SceneReader(*scene, name, is_dae, reading_error, reading_floor, claim).read();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    foreign::refuse(name, 0, std::string("assimp: ") + e.what());
  }
}

}  // namespace keepclear
