// SPDX-License-Identifier: BSD-3-Clause
//
// Worlds that are not what the files say: --against accepts none. What is honest it accepts. More
// of them: campaigns/forgeries.cpp.
#include "verify/forgeries.hpp"

#include <gtest/gtest.h>

#include "data.hpp"
#include "keepclear/guard.hpp"
#include "keepclear/model.hpp"
#include "verify/described.hpp"

namespace keepclear::test {
namespace {

void expect_found(const ForgeryTally& tally) {
  tally.print();
  EXPECT_TRUE(tally.refused.empty());
  EXPECT_TRUE(tally.wrong.empty());
  // They are read, and compared: what is refused is refused for what it is.
  EXPECT_LT(10 * tally.all().cannot_tell, tally.all().tried);
  EXPECT_LT(3 * tally.all().ill_formed, tally.all().tried);
}

TEST(Forgeries, OfRandomWorldsAreFound) {
  ForgeryTally tally;
  for (std::uint64_t number = 0; number < 30; ++number) {
    const DescribedWorld drawn(number);
    judge_forgeries(
        "world " + std::to_string(number), world_text(drawn.world()), true, true, drawn.files(),
        false, [&](std::size_t i) { return i % 7 == number % 7; }, tally);
  }
  expect_found(tally);
  EXPECT_GT(tally.kinds.size(), 40u);
}

/// Worlds that come with Keepclear, as files, and certificates of all kinds about them.
class BuiltinFiles {
 public:
  BuiltinFiles() {
    for (const BuiltinWorld& world : builtin_worlds()) {
      for (const auto& [name, text] : world.files) folder_.write(name, std::string(text));
    }
    folder_.write("cell.json", R"({"objects": [
      {"name": "pole", "shape": "cylinder", "radius": 0.05, "length": 1, "pose": {"xyz": [-1.5, 0.3, 0.5], "rpy": [0.1, 0.2, 0.3]}},
      {"name": "cone", "shape": "cone", "radius": 0.05, "length": 1, "pose": {"xyz": [-1.5, 1.3, 0.5]}},
      {"name": "part", "shape": "capsule", "radius": 0.01, "length": 0.02},
      {"name": "floor", "shape": "plane", "normal": [0, 0.1, 1], "offset": -1.8}],
      "attached": [{"object": "part", "link": "tool", "touch_links": ["hand"], "pose": {"xyz": [0, 0, 0.3]}}],
      "margin": 0.001, "margins": [{"pair": ["part", "pole"], "margin": 0.002}]})");
  }
  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }

 private:
  const Folder folder_;
};

/// About a little box around the neutral configuration.
std::string box_of(const World& world) {
  JointBox box;
  for (const double q : world.neutral()) box.push_back({q - 0.001, q + 0.001});
  const BoxResult found = prove_box(world, box, {});
  if (found.verdict != Verdict::free) return {};
  return box_certificate(world, box, {}, found, {}).text;
}

Path path_of(const World& world) {
  std::vector<double> control = world.neutral();
  for (std::size_t i = 0; i < world.dof(); ++i) control.push_back(control[i] + 0.01);
  return bezier_path(world.dof(), control, 0, 1);
}

std::string path_certificate_of(const World& world) {
  const Path path = path_of(world);
  const keepclear::Certificate found = certify(world, path, {});
  if (found.verdict != Verdict::free) return {};
  return path_certificate(world, path, {}, found, {}).text;
}

std::string clocks_of(const World& world) {
  const Path path = path_of(world);
  const Path paths[] = {path, path};
  const keepclear::Certificate found = MotionQuery(world, {})(std::span<const Path>(paths), 0.01);
  if (found.verdict != Verdict::free) return {};
  return clock_certificate(world, paths, 0.01, {}, found, {}).text;
}

std::string never_of(const World& world) {
  PairsOptions options;
  options.budget = 200, options.samples = 100, options.threads = 1;
  ProofOptions proof;
  proof.budget = 400'000;
  return never_certificate(world, classify_pairs(world, options), {}, proof).text;
}

std::string guard_of(const World& world) {
  Recording recording;
  recording.world = world.hash();
  recording.brake.latency = 0.004;
  for (std::size_t k = 0; k < world.dof(); ++k) {
    JointBrake joint;
    joint.max_acceleration = 1, joint.brake_deceleration = 5, joint.max_velocity = 100;
    recording.brake.joints.push_back(joint);
  }
  recording.options.budget = 10'000'000;
  recording.options.margin = 0.003;
  Guard guard(world, recording.brake, recording.options);
  for (int again = 0; again < 3; ++again) {
    RecordedCycle cycle;
    cycle.time = 0.001 * (again + 1);
    cycle.q = world.neutral();
    cycle.v.assign(world.dof(), 0);
    guard.step(cycle.state());
    cycle.found = guard.last();
    recording.cycles.push_back(std::move(cycle));
  }
  return guard_certificate(world, recording, {}).text;
}

TEST(Forgeries, OfCertificatesOfAllKindsAreFound) {
  const BuiltinFiles files;
  const auto urdf = files.file("six_axis_arm.urdf"), scene = files.file("cell.json");
  LoadOptions around;
  around.scene = scene;
  LoadOptions without;
  without.without_model = true;
  const World arm = load(urdf), cell = load(urdf, around), two = load_builtin("two_arms"),
              bench = load(files.file("bench_arm.urdf")), humanoid = load_builtin("humanoid");
  using Files = std::vector<std::filesystem::path>;
  const Files of_two{files.file("two_arms.json"), files.file("bench_arm.urdf")};
  struct Written {
    std::string name, text;
    bool exact;
    Files given;
  };
  const Written all[] = {
      {"box", box_of(arm), true, {urdf}},
      {"box in a scene", box_of(cell), true, {scene, urdf}},
      {"box of a model", box_of(humanoid), false, {files.file("humanoid.urdf")}},
      {"box of two", box_of(two), true, of_two},
      {"path", path_certificate_of(cell), true, {urdf, scene}},
      {"path of two", path_certificate_of(two), true, of_two},
      {"clocks", clocks_of(two), true, of_two},
      {"never", never_of(bench), true, {files.file("bench_arm.urdf")}},
      {"guard", guard_of(cell), true, {urdf, scene}},
      {"fit",
       fit_certificate(load_builtin("six_axis_arm", without), *builtin_model("six_axis_arm"), {})
           .text,
       false,
       {urdf}}};
  ForgeryTally tally;
  std::size_t shift = 0;
  for (const Written& one : all) {
    ASSERT_FALSE(one.text.empty()) << one.name;
    judge_forgeries(
        one.name, one.text, one.exact, one.exact, one.given, true,
        [&](std::size_t i) { return (i + shift) % 40 == 0; }, tally);
    ++shift;
  }
  expect_found(tally);
  // Many are proved all the same: nothing but the comparison sees them.
  EXPECT_GT(tally.all().core, 10u);
}

TEST(Forgeries, OfRobotsOfOthersAreFound) {
  KEEPCLEAR_NEEDS_DATA("robots");
  ForgeryTally tally;
  for (const char* name :
       {"panda/panda.urdf", "ur5e/ur5e.urdf", "iiwa14_spheres/iiwa14_spheres.urdf"}) {
    const std::filesystem::path urdf = data_dir() / "robots" / name;
    LoadOptions options;
    options.allow_no_pairs = true;
    if (name == std::string("panda/panda.urdf")) options.parts = 4;
    judge_forgeries(
        name, world_text(load(urdf, options)), true, false, {urdf}, false,
        [&](std::size_t i) { return i % 41 == 0; }, tally);
  }
  expect_found(tally);
}

}  // namespace
}  // namespace keepclear::test
