// SPDX-License-Identifier: BSD-3-Clause
//
// guard [--approaches N] [--seed S] [--seconds T] [--robot NAME] [--model FILE]: N simulated
// approaches (3000) that a guard has to stop, in turn by the humanoid, by two arms among boxes and,
// where $KEEPCLEAR_DATA has it, by rollin_justin with the bodies of FILE or the hulls of its
// meshes. Speeds, cycles, latencies, accelerations, uncertainties and options are drawn at random;
// the robots behave exactly, at worst, or at random inside their brake model. Ends after T seconds
// if that is sooner. Exit 0 when nothing touched, 1 otherwise, 64 for a wrong call.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "guard/closed_loop.hpp"
#include "guard/justin.hpp"
#include "keepclear/scene.hpp"

namespace {

namespace fs = std::filesystem;
using keepclear::World;
using keepclear::test::LoopTally;

constexpr int kApproachesOfWorld = 30;

struct Options {
  std::size_t approaches = 3000;
  std::uint64_t seed = 1;
  double seconds = 1e9;
  std::string robot;
  fs::path model;
};

class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : engine_(seed) {}
  double operator()(double lower, double upper) {
    return lower + (upper - lower) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }

 private:
  std::mt19937_64 engine_;
};

/// The built-in cell with boxes, balls and capsules around its arms.
World two_arms(std::uint64_t seed) {
  Uniform uniform(seed);
  for (const keepclear::BuiltinWorld& world : keepclear::builtin_worlds()) {
    if (world.name != "two_arms") continue;
    const fs::path dir = fs::temp_directory_path() / ("keepclear-guard-" + std::to_string(seed));
    fs::create_directories(dir);
    for (const auto& [name, text] : world.files) std::ofstream(dir / name) << text;
    keepclear::Scene scene = keepclear::read_scene(dir / world.files[0].first);
    fs::remove_all(dir);
    const auto count = static_cast<int>(uniform(1, 40));
    for (int i = 0; i < count; ++i) {
      keepclear::SceneObject object;
      object.name = "thing" + std::to_string(i);
      const double kind = uniform(0, 3);
      object.shape.kind = kind < 1   ? keepclear::Shape::Kind::box
                          : kind < 2 ? keepclear::Shape::Kind::sphere
                                     : keepclear::Shape::Kind::capsule;
      object.shape.size = {uniform(0.02, 0.3), uniform(0.02, 0.3), uniform(0.02, 0.3)};
      object.shape.radius = uniform(0.01, 0.1);
      object.shape.length = uniform(0.01, 0.3);
      object.pose.xyz = {uniform(-1, 1), uniform(-1, 1), uniform(0.2, 1.6)};
      object.pose.rpy = {uniform(-3, 3), uniform(-1.5, 1.5), uniform(-3, 3)};
      scene.objects.push_back(std::move(object));
    }
    return keepclear::compile(scene);
  }
  throw std::runtime_error("no world is called two_arms");
}

World justin(const fs::path& urdf, const fs::path& model) {
  keepclear::LoadOptions load;
  load.lenient = true;
  if (!model.empty()) load.model = model;
  return keepclear::test::without_usual_overlaps(urdf, load);
}

void run_world(const std::string& name, const World& world, std::uint64_t seed, int approaches,
               LoopTally& tally) {
  keepclear::test::ClosedLoop loop(world, seed);
  keepclear::test::Approach approach;
  LoopTally own;
  int tries = 0;
  for (int k = 0; k < approaches; ++k) {
    if (k % 3 == 0) {
      while (!loop.draw(approach)) {
        if (++tries > 20000) {
          tally.add(own);
          return;
        }
      }
    }
    const std::size_t before = own.messages.size();
    loop.run(approach, loop.draw_setting(), seed * 1000 + static_cast<std::uint64_t>(k), own);
    for (std::size_t i = before; i < own.messages.size(); ++i) {
      own.messages[i] = name + ", seed " + std::to_string(seed) + ", approach " +
                        std::to_string(k) + ": " + own.messages[i];
    }
  }
  tally.add(own);
}

void print(const std::string& name, const LoopTally& t) {
  std::printf("%s: %zu approaches, %zu cycles, %zu poses looked at\n", name.c_str(), t.approaches,
              t.cycles, t.poses);
  std::printf("  braked while moving %zu, went on after a brake %zu times, never braked %zu, ",
              t.braked, t.again, t.passed);
  std::printf("never went %zu\n", t.idle);
  std::printf("  within 2 mm %zu, least distance %.3g m, speeds tried %zu\n", t.near, t.least,
              t.scales);
  const auto list = [](const char* what, const auto& reasons) {
    std::printf("  %s:", what);
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      if (reasons[i] == 0) continue;
      const std::string reason(keepclear::name_of(static_cast<keepclear::Reason>(i)));
      std::printf(" %s %zu;", reason.c_str(), reasons[i]);
    }
    std::printf("\n");
  };
  list("first brake", t.reasons);
  list("never went", t.idle_reasons);
  std::printf("  contacts %zu, contacts at a proved speed %zu, cycles beyond the work bound %zu\n",
              t.contacts, t.scale_contacts, t.over_bound);
  for (std::size_t k = 0; k < t.messages.size() && k < 20; ++k) {
    std::printf("  %s\n", t.messages[k].c_str());
  }
  std::fflush(stdout);
}

bool run(const Options& options) {
  std::vector<std::string> names{"humanoid", "two_arms"};
  fs::path urdf;
  if (const char* data = std::getenv("KEEPCLEAR_DATA")) {
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(fs::path(data) / "robots")) {
      if (entry.path().filename() == "rollin_justin.urdf") urdf = entry.path();
    }
  }
  if (!urdf.empty()) names.emplace_back("rollin_justin");
  std::erase_if(names, [&](const std::string& name) {
    return name.find(options.robot) == std::string::npos;
  });
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  LoopTally total;
  std::vector<LoopTally> each(names.size());
  std::vector<World> worlds;
  for (const std::string& name : names) {
    worlds.push_back(name == "rollin_justin" ? justin(urdf, options.model)
                                             : keepclear::load_builtin(name));
  }
  std::uint64_t seed = options.seed;
  while (total.approaches < options.approaches && elapsed() < options.seconds) {
    for (std::size_t i = 0; i < names.size() && elapsed() < options.seconds; ++i) {
      LoopTally one;
      const bool boxes = names[i] == "two_arms" && seed % 4 != 0;
      run_world(names[i], boxes ? two_arms(seed) : worlds[i], seed, kApproachesOfWorld, one);
      each[i].add(one);
      total.add(one);
    }
    ++seed;
  }
  for (std::size_t i = 0; i < names.size(); ++i) print(names[i], each[i]);
  total.messages.clear();
  print("all", total);
  return total.approaches > 0 && total.violations() == 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--approaches" && more) {
      options.approaches = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--seed" && more) {
      options.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--seconds" && more) {
      options.seconds = std::atof(argv[++i]);
    } else if (word == "--robot" && more) {
      options.robot = argv[++i];
    } else if (word == "--model" && more) {
      options.model = argv[++i];
    } else {
      std::fprintf(stderr,
                   "usage: guard [--approaches N] [--seed S] [--seconds T] [--robot NAME] "
                   "[--model FILE]\n");
      return 64;
    }
  }
  try {
    return run(options) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "guard: %s\n", error.what());
    return 1;
  }
}
