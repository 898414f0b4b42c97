// SPDX-License-Identifier: BSD-3-Clause
#include "shape/mesh.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <new>

#include "keepclear/error.hpp"
#include "rounding/rounding.hpp"
#include "shape/assimp_mesh.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

Mesh read_by_extension(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = text::lower(c);
  const std::string name = file.string();
  if (extension == ".stl") return parse_stl(read_regular_file(file, kMaxMeshBytes), name);
  if (extension == ".obj") return parse_obj(read_regular_file(file, kMaxMeshBytes), name);
  if (extension == ".ply") return parse_ply_mesh(read_regular_file(file, kMaxMeshBytes), name);
  for (const char* known : {"dae", "gltf", "glb"}) {
    if (extension == '.' + std::string(known)) {
      return parse_by_assimp(read_regular_file(file, kMaxMeshBytes), file, known);
    }
  }
  throw Error(Error::Kind::malformed, name, 0,
              "not a kind of mesh that is read: " + text::quoted(extension),
              "STL, OBJ, DAE, PLY, glTF and GLB are; archives are not");
}

}  // namespace

std::vector<std::byte> read_regular_file(const std::filesystem::path& file, std::size_t most) {
  const std::string name = file.string();
  // Not blocking, so that a pipe cannot hang us before it is known to be one.
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (fd.get() < 0) {
    throw Error(Error::Kind::missing, name, 0,
                std::string("cannot be opened: ") + std::strerror(errno));
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    throw Error(Error::Kind::missing, name, 0, "not a regular file");
  }
  if (status.st_size < 0 || static_cast<std::uintmax_t>(status.st_size) > most) {
    throw Error(Error::Kind::malformed, name, 0,
                "larger than the " + std::to_string(most >> 20) + " MiB that are allowed");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(fd.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Error(Error::Kind::missing, name, 0, "cannot be read to its end");
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

Mesh read_mesh(const std::filesystem::path& file, Vec3 scale) try {
  Mesh mesh = read_by_extension(file);
  scale_mesh(mesh, scale, file.string());
  return mesh;
} catch (const std::bad_alloc&) {
  throw Error(Error::Kind::internal, file.string(), 0, "out of memory");
}

void scale_mesh(Mesh& mesh, Vec3 scale, const std::string& name) {
  if (!is_finite(scale) || scale.x == 0 || scale.y == 0 || scale.z == 0) {
    throw Error(Error::Kind::malformed, name, 0, "a scale that is zero or not finite");
  }
  const double largest = std::max({std::abs(scale.x), std::abs(scale.y), std::abs(scale.z)});
  double far_hi = 0;
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    Vec3& p = mesh.vertices[i];
    p = {scale.x * p.x, scale.y * p.y, scale.z * p.z};
    if (!(std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) <= kMaxCoordinate)) {
      throw Error(Error::Kind::malformed, name, 0,
                  "vertex " + std::to_string(i + 1) + " is more than 1e9 m from the origin",
                  "is the scale right?");
    }
    far_hi = std::max(far_hi, rounding::norm_hi(p));
  }
  const auto is_one = [](double s) { return s == 1 || s == -1; };
  if (is_one(scale.x) && is_one(scale.y) && is_one(scale.z)) {
    // Exact.
  } else {
    // A rounding of the product, and one of the factor, which was a decimal number such as 0.001.
    mesh.vertex_error = rounding::inflate(
        mesh.vertex_error * largest * (1 + 2 * rounding::kU) + rounding::gamma(2) * far_hi, 8);
  }
  // A mirror turns triangles inside out; nothing asks, but a picture does.
  if (((scale.x < 0) != (scale.y < 0)) != (scale.z < 0)) {
    for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  }
}

}  // namespace keepclear
