// SPDX-License-Identifier: BSD-3-Clause
//
// Which files a world was read from, and what was in them.
#include "proof/sources.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "keepclear/error.hpp"
#include "keepclear/model.hpp"
#include "keepclear/scene.hpp"
#include "rounding/mode.hpp"
#include "scene/builtin.hpp"
#include "scene/hasher.hpp"
#include "scene/json.hpp"
#include "scene/scene_file.hpp"
#include "scene/scene_parts.hpp"
#include "scene/world.hpp"
#include "shape/mesh.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;

std::string sha256_of_file(const fs::path& file) {
  const auto fail = [&](const std::string& what) {
    throw Error(Error::Kind::missing, file.string(), 0, what,
                "a certificate names what was in each file that was read");
  };
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) fail("cannot be read again");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) fail("cannot be read: " + std::generic_category().message(errno));
  Hasher hasher;
  std::vector<char> bytes(std::size_t{1} << 20);
  while (stream) {
    stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    hasher.add_bytes({bytes.data(), static_cast<std::size_t>(stream.gcount())});
  }
  if (!stream.eof()) fail("cannot be read to its end");
  return hasher.hex();
}

bool is_builtin_world(const std::string& name) {
  const auto worlds = builtin_worlds();
  return std::ranges::find(worlds, name, &BuiltinWorld::name) != worlds.end();
}

/// The robot of a world of one, as its links tell it: the file of a world with a scene around it is
/// the scene's.
SceneRobot first_robot(const WorldData& world) {
  SceneRobot robot;
  const auto& links = world.model->links;
  const auto link =
      std::ranges::find_if(links, [](const Link& each) { return !each.file.empty(); });
  if (link == links.end()) return robot;
  if (is_builtin_world(link->file)) {
    robot.builtin = link->file;
  } else {
    robot.urdf = link->file;
  }
  return robot;
}

/// Each file once, in the order in which they are first named.
class Sources {
 public:
  void add_file(const fs::path& file) {
    if (!file.empty() && seen_.insert(file.string()).second) {
      sources_.push_back({file.string(), sha256_of_file(file)});
    }
  }

  /// One that comes with Keepclear; nothing where there is none of that name.
  void add_builtin(const std::string& file) {
    for (const BuiltinWorld& world : builtin_worlds()) {
      for (const auto& [name, text] : world.files) {
        if (name != file) continue;
        if (seen_.insert("builtin:" + file).second) {
          sources_.push_back({"builtin:" + file, sha256_of(text)});
        }
        return;
      }
    }
  }

  void add_mesh(const fs::path& file) {
    add_file(file);
    if (text::equal_ignoring_case(file.extension().string(), ".gltf")) add_buffers(file);
  }

  std::vector<CertificateFacts::Source> take() && { return std::move(sources_); }

 private:
  /// What a glTF file keeps beside it.
  void add_buffers(const fs::path& file) {
    const auto document =
        nlohmann::json::parse(json::read_file(file, kMaxMeshBytes), nullptr, false);
    if (!document.is_object() || !document.contains("buffers")) return;
    for (const auto& buffer : document["buffers"]) {
      if (!buffer.is_object() || !buffer.contains("uri") || !buffer["uri"].is_string()) continue;
      const fs::path beside = file.parent_path() / buffer["uri"].get<std::string>();
      std::error_code ignored;
      if (fs::is_regular_file(beside, ignored)) add_file(beside);
    }
  }

  std::set<std::string> seen_;
  std::vector<CertificateFacts::Source> sources_;
};

class Reader {
 public:
  Reader(const World& world, const LoadOptions& options, const Scene* scene)
      : data_(world.data()), options_(options), scene_(scene), around_(Around::collision) {}

  std::vector<CertificateFacts::Source> read() && {
    const std::string& file = data_.file;
    const bool builtin = is_builtin_world(file);
    if (scene_ != nullptr) {
      add_parts(*scene_);
    } else if (options_.scene) {
      add_scene(read_scene(*options_.scene));
      // The robot that stands in it is not in its file.
      add_robot(first_robot(data_));
    } else if (builtin && !builtin_scene(file).empty()) {
      sources_.add_builtin(file + ".json");
      add_robots(parse_scene(builtin_scene(file), file, {}));
    } else if (builtin) {
      SceneRobot robot;
      robot.builtin = file;
      add_robot(robot);
    } else if (is_scene(file)) {
      add_scene(read_scene(file));
    } else if (!file.empty()) {
      SceneRobot robot;
      robot.urdf = file;
      add_robot(robot);
    }
    add_models();
    add_meshes();
    return std::move(sources_).take();
  }

 private:
  static bool is_scene(const fs::path& file) {
    const std::string extension = file.extension().string();
    return text::equal_ignoring_case(extension, ".json") ||
           text::equal_ignoring_case(extension, ".scene");
  }

  void add_scene(const Scene& scene) {
    sources_.add_file(scene.file);
    for (const std::string& included : scene.included) sources_.add_file(included);
    add_parts(scene);
  }

  /// What it refers to, but not what it was read from: a program may have changed it since.
  void add_parts(const Scene& scene) {
    add_robots(scene);
    for (const SceneObject& object : scene.objects) {
      if (!object.shape.file.empty()) shapes_.push_back(file_of(object.shape, scene, options_));
    }
  }

  void add_robots(const Scene& scene) {
    for (const SceneRobot& robot : scene.robots) add_robot(robot);
  }

  void add_robot(const SceneRobot& robot) {
    const std::string& builtin = robot.builtin;
    if (builtin.empty()) {
      sources_.add_file(robot.urdf);
    } else {
      sources_.add_builtin(builtin + ".urdf");
    }
    if (options_.srdf) {
      sources_.add_file(*options_.srdf);
    } else if (robot.srdf) {
      sources_.add_file(*robot.srdf);
    } else if (!builtin.empty()) {
      sources_.add_builtin(builtin + ".srdf");
    }
    if (options_.without_model || options_.model) return;
    if (options_.bodies) {
      // Those that come with a built-in world; others have no file.
      if (options_.bodies->file == builtin + ".model.json" ||
          is_builtin_world(options_.bodies->file)) {
        sources_.add_builtin(builtin + ".model.json");
      }
    } else if (robot.model) {
      add_model(*robot.model);
    } else if (!builtin.empty() && builtin_own_model(builtin) != nullptr) {
      sources_.add_builtin(builtin + ".model.json");
    }
  }

  void add_model(const fs::path& file) {
    sources_.add_file(file);
    const Around around = read_model(file).around;
    if (around != Around::collision) around_ = around;
  }

  void add_models() {
    if (options_.model) add_model(*options_.model);
    if (options_.bodies && options_.bodies->around != Around::collision) {
      around_ = options_.bodies->around;
    }
  }

  void add_meshes() {
    for (const Link& link : data_.model->links) {
      for (const Collision& element : link.collisions) sources_.add_mesh(element.geometry.file);
      if (around_ == Around::collision) continue;
      for (const Collision& element : link.visuals) sources_.add_mesh(element.geometry.file);
    }
    for (const fs::path& file : shapes_) sources_.add_mesh(file);
    // Of a scene that a program filled there is nothing else.
    for (const SolidInfo& solid : data_.solids) {
      if (solid.is_object) sources_.add_mesh(solid.file);
    }
  }

  const WorldData& data_;
  const LoadOptions& options_;
  const Scene* scene_;
  Around around_;                 ///< with visual shapes, their meshes were read too
  std::vector<fs::path> shapes_;  ///< of objects
  Sources sources_;
};

World load_again(const World& world, const LoadOptions& options) {
  SceneRobot robot;
  if (options.scene) robot = first_robot(world.data());
  const std::string file = !robot.builtin.empty() ? robot.builtin
                           : !robot.urdf.empty()  ? robot.urdf.string()
                                                  : world.file();
  return is_builtin_world(file) ? load_builtin(file, options) : load(file, options);
}

}  // namespace

std::string sha256_of(std::string_view bytes) {
  Hasher hasher;
  hasher.add_bytes(bytes);
  return hasher.hex();
}

std::vector<CertificateFacts::Source> files_now(const World& world, const LoadOptions& options,
                                                const Scene* scene) {
  return Reader(world, options, scene).read();
}

std::vector<CertificateFacts::Source> sources_of(const World& world, const LoadOptions& options,
                                                 const Scene* scene) {
  rounding::require_mode();
  const std::string& file = world.file();
  if (file.empty() && scene == nullptr) {
    throw Error(Error::Kind::usage, "", 0, "a world that was compiled from a scene has no file",
                "hand over the scene");
  }
  const auto before = files_now(world, options, scene);
  const World again = scene != nullptr ? compile(*scene, options) : load_again(world, options);
  const auto same = [](const CertificateFacts::Source& a, const CertificateFacts::Source& b) {
    return a.file == b.file && a.sha256 == b.sha256;
  };
  if (again.hash() != world.hash() ||
      !std::ranges::equal(before, files_now(world, options, scene), same)) {
    throw Error(Error::Kind::malformed, file, 0,
                "is not what the world was made of: a file has changed, or the world was compiled "
                "from a scene that a program made",
                "load it again, or hand over the scene");
  }
  return before;
}

}  // namespace keepclear
