// SPDX-License-Identifier: BSD-3-Clause
#include "scene/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "robot/urdf.hpp"
#include "rounding/mode.hpp"
#include "scene/builtin.hpp"
#include "scene/scene_file.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

WorldSource source_of(Scene scene, const LoadOptions& options) {
  WorldSource source;
  source.scene = std::make_unique<const Scene>(std::move(scene));
  source.model = model_of(*source.scene, options);
  return source;
}

/// A robot with the surroundings that the options name around it.
WorldSource in_scene(SceneRobot robot, const std::string& what, const LoadOptions& options) {
  Scene scene = read_scene(*options.scene);
  if (!scene.robots.empty()) {
    throw Error(Error::Kind::usage, scene.file, 0,
                fmt::format("this scene has robots of its own, beside {}", what),
                "give the scene alone, or take its robots out");
  }
  scene.robots.push_back(std::move(robot));
  LoadOptions rest = options;
  rest.scene.reset();
  return source_of(std::move(scene), rest);
}

WorldSource alone(const RobotModel& robot, const Srdf* srdf) {
  return {nullptr, model_of(robot, srdf)};
}

bool is_blank_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), text::is_blank);
}

void require_name(const char* what, const std::filesystem::path& name) {
  if (!is_blank_text(name.native())) return;
  throw Error(Error::Kind::usage, "", 0,
              fmt::format("{}: {} is {}", what, text::quoted(name.native()),
                          name.empty() ? "empty" : "blank"),
              "give a name, or leave it out");
}

}  // namespace

void require_names(const LoadOptions& options) {
  if (options.srdf) require_name("srdf", *options.srdf);
  if (options.scene) require_name("scene", *options.scene);
  if (options.model) require_name("model", *options.model);
  for (const auto& folder : options.package_path) require_name("package_path", folder);
  for (const auto& [name, folder] : options.packages) {
    require_name("name of a package", name);
    require_name("folder of a package", folder);
  }
}

WorldSource read_source(const std::filesystem::path& file, const LoadOptions& options) {
  rounding::require_mode();
  require_name("file of the world", file);
  require_names(options);
  const std::string extension = file.extension().string();
  if (text::equal_ignoring_case(extension, ".json") ||
      text::equal_ignoring_case(extension, ".scene")) {
    return source_of(read_scene(file), options);
  }
  if (options.scene) {
    SceneRobot robot;
    robot.urdf = file;
    return in_scene(std::move(robot), file.string(), options);
  }
  const RobotModel robot =
      read_urdf(file, {options.packages, options.package_path}, options.lenient);
  if (!options.srdf) return alone(robot, nullptr);
  const Srdf srdf = read_srdf(*options.srdf, robot);
  return alone(robot, &srdf);
}

WorldSource read_builtin_source(const std::string& name, const LoadOptions& options) {
  rounding::require_mode();
  require_names(options);
  if (const std::string_view json = builtin_scene(name); !json.empty()) {
    return source_of(parse_scene(json, name, {}), options);
  }
  if (options.scene) {
    SceneRobot robot;
    robot.builtin = name;
    return in_scene(std::move(robot), "the built-in " + name, options);
  }
  const RobotModel robot =
      parse_urdf(builtin_urdf(name), name, {options.packages, options.package_path}, {});
  std::optional<Srdf> srdf;
  if (options.srdf) {
    srdf = read_srdf(*options.srdf, robot);
  } else if (const std::string_view xml = builtin_srdf(name); !xml.empty()) {
    srdf = parse_srdf(xml, name + ".srdf", robot);
  }
  WorldSource source = alone(robot, srdf ? &*srdf : nullptr);
  if (auto own = builtin_own_model(name)) source.model.bodies.push_back({0, "", {}, own});
  return source;
}

World load(const std::filesystem::path& file, const LoadOptions& options) {
  WorldSource source = read_source(file, options);
  return compile_model(std::move(source.model), options);
}

World load_builtin(const std::string& name, const LoadOptions& options) {
  WorldSource source = read_builtin_source(name, options);
  return compile_model(std::move(source.model), options);
}

}  // namespace keepclear
