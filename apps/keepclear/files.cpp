// SPDX-License-Identifier: BSD-3-Clause
#include "files.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "keepclear/error.hpp"

namespace keepclear::command {

namespace {

namespace fs = std::filesystem;

}  // namespace

std::vector<std::string> inputs_of(const WorldOptions& world, const WorldSource& source) {
  std::vector<std::string> files{world.world, world.srdf, world.scene, world.model};
  if (source.scene != nullptr) {
    files.insert(files.end(), source.scene->included.begin(), source.scene->included.end());
    for (const SceneRobot& robot : source.scene->robots) {
      files.push_back(robot.urdf.string());
      if (robot.srdf) files.push_back(robot.srdf->string());
      if (robot.model) files.push_back(robot.model->string());
    }
    for (const SceneObject& object : source.scene->objects) {
      files.push_back(object.shape.file.string());
    }
  }
  for (const Link& link : source.model.robot.links) {
    for (const auto* elements : {&link.collisions, &link.visuals}) {
      for (const Collision& element : *elements) files.push_back(element.geometry.file.string());
    }
  }
  std::erase(files, "");
  return files;
}

void require_writable(const std::string& file, std::span<const std::string> inputs) {
  if (file.empty()) return;
  const auto fail = [&](const std::string& why) {
    throw Error(Error::Kind::write, file, 0, "cannot be written: " + why, "nothing was done");
  };
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) fail("it is a folder");
  for (const std::string& input : inputs) {
    if (fs::equivalent(file, input, ignored)) {
      throw Error(Error::Kind::usage, file, 0, "is an input itself", "write into another file");
    }
  }
  const bool there = fs::exists(file, ignored);
  fs::path folder = fs::path(file).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, ignored)) fail("there is no folder " + folder.string());
  if (there && ::access(file.c_str(), W_OK) != 0) fail(std::generic_category().message(errno));
  if ((!there || fs::is_regular_file(file, ignored)) &&
      ::access(folder.c_str(), W_OK | X_OK) != 0) {
    fail("folder " + folder.string() + ": " + std::generic_category().message(errno));
  }
}

void require_outputs(std::span<const std::string> files, const WorldOptions& world,
                     std::span<const std::string> more) {
  std::vector<std::string> outputs(files.begin(), files.end());
  std::erase(outputs, "");
  if (outputs.empty()) return;
  std::error_code ignored;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (fs::weakly_canonical(outputs[i], ignored) == fs::weakly_canonical(outputs[j], ignored)) {
        throw Error(Error::Kind::usage, outputs[i], 0, "is to be written twice",
                    "what is written has files of its own");
      }
    }
  }
  std::vector<std::string> inputs{world.world};
  inputs.insert(inputs.end(), more.begin(), more.end());
  std::erase(inputs, "");
  for (const std::string& output : outputs) require_writable(output, inputs);
  const LoadOptions load = load_options(world);
  inputs = inputs_of(world, is_builtin(world.world) ? read_builtin_source(world.world, load)
                                                    : read_source(world.world, load));
  for (const std::string& output : outputs) require_writable(output, inputs);
}

}  // namespace keepclear::command
