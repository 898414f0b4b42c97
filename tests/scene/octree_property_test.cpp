// SPDX-License-Identifier: BSD-3-Clause
//
// After each of a hundred thousand random updates the octree proposes exactly the pairs of boxes
// that overlap, against brute force over all boxes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "scene/octree.hpp"

namespace keepclear {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

using Random = std::mt19937_64;

double uniform(Random& random, double lo, double hi) {
  return std::uniform_real_distribution<double>(lo, hi)(random);
}
Vec3 uniform_vector(Random& random, double lo, double hi) {
  return {uniform(random, lo, hi), uniform(random, lo, hi), uniform(random, lo, hi)};
}
Box shifted(const Box& b, Vec3 d) {
  return {b.lo + d, b.hi + d};
}

struct Scene {
  std::string name;
  Octree::Options options;
  int objects = 120;
  int updates = 100'000;
  /// A box anywhere in the scene.
  std::function<Box(Random&)> box;
  /// How far a small move goes, metres.
  double step = 0.02;
  /// Coordinates are rounded to multiples of this after a move; zero leaves them.
  double grid = 0;
};

double on_grid(double x, double grid) {
  return grid > 0 ? std::round(x / grid) * grid : x;
}
Box on_grid(const Box& b, double grid) {
  return {{on_grid(b.lo.x, grid), on_grid(b.lo.y, grid), on_grid(b.lo.z, grid)},
          {on_grid(b.hi.x, grid), on_grid(b.hi.y, grid), on_grid(b.hi.z, grid)}};
}

/// The octree and, beside it, the truth.
class Twin {
 public:
  explicit Twin(const Scene& scene)
      : tree(scene.options), boxes(scene.options.max_objects), present(boxes.size(), false) {}

  void put(int id, const Box& box) {
    present[id] ? tree.move(id, box) : tree.insert(id, box);
    // What is no box must be taken as the whole of space.
    const bool is_box = box.lo.x <= box.hi.x && box.lo.y <= box.hi.y && box.lo.z <= box.hi.z;
    boxes[id] = is_box ? box : Box{{-kInf, -kInf, -kInf}, {kInf, kInf, kInf}};
    present[id] = true;
  }
  void remove(int id) {
    tree.erase(id);
    present[id] = false;
  }
  /// Empty, or what is wrong with what is proposed for this object.
  std::string fault_of(int id) {
    seen_.assign(boxes.size(), 0);
    tree.visit_partners(id, [&](int other) { ++seen_[other]; });
    if (std::string fault = compare(id, 0); !fault.empty()) return "visit_partners: " + fault;
    seen_.assign(boxes.size(), 0);
    tree.visit(boxes[id], [&](int other) { ++seen_[other]; });
    if (std::string fault = compare(id, 1); !fault.empty()) return "visit: " + fault;
    return {};
  }
  std::string fault_of_all() {
    const char* what = "";
    if (!tree.valid(&what)) return what;
    for (int id = 0; id < static_cast<int>(boxes.size()); ++id) {
      if (tree.contains(id) != present[id]) return "contains is wrong";
      if (present[id]) {
        if (std::string fault = fault_of(id); !fault.empty()) return fault;
      }
    }
    return {};
  }

  Octree tree;
  std::vector<Box> boxes;
  std::vector<bool> present;

 private:
  std::string compare(int id, int itself) const {
    for (int other = 0; other < static_cast<int>(boxes.size()); ++other) {
      const bool near = present[other] && overlap(boxes[id], boxes[other]);
      const int expected = other == id ? itself : near ? 1 : 0;
      if (seen_[other] != expected) {
        return "object " + std::to_string(other) + " was proposed to " + std::to_string(id) + " " +
               std::to_string(seen_[other]) + " times, not " + std::to_string(expected);
      }
    }
    return {};
  }

  std::vector<int> seen_;
};

/// A small move, a longer one, a jump, growth, or release and return.
void update(const Scene& scene, Twin& twin, int id, Random& random) {
  const auto place = [&](const Box& box) { twin.put(id, on_grid(box, scene.grid)); };
  if (!twin.present[id]) {
    place(scene.box(random));
    return;
  }
  const Box& old = twin.boxes[id];
  const double chance = uniform(random, 0, 1);
  if (chance < 0.6) {
    place(shifted(old, uniform_vector(random, -scene.step, scene.step)));
  } else if (chance < 0.75) {
    place(shifted(old, uniform_vector(random, -20 * scene.step, 20 * scene.step)));
  } else if (chance < 0.85) {
    const Vec3 a = uniform_vector(random, 0, scene.step), b = uniform_vector(random, 0, scene.step);
    place({old.lo - a, old.hi + b});
  } else if (chance < 0.95) {
    place(scene.box(random));
  } else {
    twin.remove(id);
  }
}

void run(const Scene& scene, std::uint64_t seed) {
  SCOPED_TRACE(scene.name + ", seed " + std::to_string(seed));
  Random random(seed);
  Twin twin(scene);
  const int n = static_cast<int>(scene.options.max_objects);
  for (int id = 0; id < n; ++id) twin.put(id, on_grid(scene.box(random), scene.grid));
  ASSERT_EQ(twin.fault_of_all(), "");
  const int between = std::max(100, scene.updates / 200);
  for (int k = 0; k < scene.updates; ++k) {
    const int id = static_cast<int>(random() % static_cast<std::uint64_t>(n));
    update(scene, twin, id, random);
    if (twin.present[id]) {
      ASSERT_EQ(twin.fault_of(id), "") << "after update " << k;
    }
    if (k % between == 0) {
      ASSERT_EQ(twin.fault_of_all(), "") << "after update " << k;
    }
  }
  ASSERT_EQ(twin.fault_of_all(), "");
}

Scene ordinary(int objects) {
  Scene scene;
  scene.name = "ordinary";
  scene.options.max_objects = static_cast<std::size_t>(objects);
  scene.options.split_at = 4;
  scene.options.merge_at = 3;
  scene.box = [](Random& random) {
    const Vec3 lo = uniform_vector(random, -2, 1.8);
    return Box{lo, lo + uniform_vector(random, 0.01, 0.3)};
  };
  return scene;
}

TEST(OctreeUpdates, OrdinaryBoxes) {
  for (const std::uint64_t seed : {1, 2}) run(ordinary(100), seed);
}

TEST(OctreeUpdates, ManySmallBoxes) {
  Scene scene = ordinary(400);
  scene.updates = 50'000;
  scene.options.split_at = 10;
  scene.options.merge_at = 7;
  run(scene, 3);
  scene.options.split_at = 1;
  scene.options.merge_at = 1;
  scene.options.smallest_cell = 0.05;
  run(scene, 4);
}

TEST(OctreeUpdates, ObjectsOutsideTheRootCube) {
  Scene scene = ordinary(100);
  scene.name = "outside";
  scene.box = [](Random& random) {
    const Vec3 lo = uniform_vector(random, -6, 6);
    return Box{lo, lo + uniform_vector(random, 0.01, 0.5)};
  };
  scene.step = 0.1;
  run(scene, 5);
}

TEST(OctreeUpdates, ARootFarFromTheOriginThatIsNoPowerOfTwo) {
  Scene scene = ordinary(100);
  scene.name = "far";
  const Vec3 centre{1234.5678, -77.7, 3e4 / 7};
  scene.options.centre = centre;
  scene.options.size = 2.54 * 1.7;
  scene.box = [centre](Random& random) {
    const Vec3 lo = centre + uniform_vector(random, -2.5, 2.3);
    return Box{lo, lo + uniform_vector(random, 0.01, 0.3)};
  };
  run(scene, 6);
}

TEST(OctreeUpdates, FlatBoxesSegmentsAndPoints) {
  Scene scene = ordinary(100);
  scene.name = "flat";
  scene.grid = 0.0625;
  scene.step = 0.1;
  scene.box = [](Random& random) {
    const Vec3 lo = uniform_vector(random, -2, 1.5);
    Vec3 size = uniform_vector(random, 0, 1);
    const auto axes = random();
    if ((axes & 1) != 0) size.x = 0;
    if ((axes & 2) != 0) size.y = 0;
    if ((axes & 4) != 0) size.z = 0;
    return Box{lo, lo + size};
  };
  run(scene, 7);
}

TEST(OctreeUpdates, CornersOnTheBordersOfCells) {
  // Every coordinate is a multiple of the smallest cell, so boxes touch each other and the cells.
  Scene scene = ordinary(100);
  scene.name = "borders";
  scene.options.smallest_cell = 0.125;
  scene.grid = 0.125;
  scene.step = 0.2;
  scene.box = [](Random& random) {
    const Vec3 lo = uniform_vector(random, -2.5, 2);
    return Box{lo, lo + uniform_vector(random, 0, 0.5)};
  };
  for (const std::uint64_t seed : {8, 9}) run(scene, seed);
}

TEST(OctreeUpdates, HugeBoxesAmongTinyOnes) {
  Scene scene = ordinary(100);
  scene.name = "huge and tiny";
  scene.options.smallest_cell = 1e-4;
  scene.updates = 50'000;
  scene.box = [](Random& random) {
    const double scale = std::pow(10, uniform(random, -6, 2));
    const Vec3 lo = uniform_vector(random, -2, 2) - uniform_vector(random, 0, scale);
    return Box{lo, lo + uniform_vector(random, 0, scale)};
  };
  for (const std::uint64_t seed : {10, 11}) run(scene, seed);
}

TEST(OctreeUpdates, CoincidentBoxes) {
  Scene scene = ordinary(100);
  scene.name = "coincident";
  scene.updates = 50'000;
  scene.box = [](Random& random) {
    const double x = 0.25 * static_cast<double>(random() % 3);
    return Box{{x, x, x}, {x + 0.1, x + 0.1, x + 0.1}};
  };
  scene.step = 0.001;
  run(scene, 12);
}

TEST(OctreeUpdates, InfiniteBoxesAndSuchAsAreNone) {
  Scene scene = ordinary(60);
  scene.name = "infinite";
  scene.updates = 50'000;
  const auto finite = scene.box;
  scene.box = [finite](Random& random) {
    Box box = finite(random);
    switch (random() % 12) {
      case 0:
        box.hi.z = kInf;
        break;
      case 1:
        box.lo = {-kInf, -kInf, -kInf};
        box.hi.x = box.hi.y = kInf;
        break;
      case 2:
        box = {{-1e300, -1e300, -1e300}, {1e300, 1e300, 1e300}};
        break;
      case 3:
        box = {{1e300, 1e300, 1e300}, {1e300, 1e300, 1e300}};
        break;
      case 4:
        box.lo.y = std::nan("");
        break;
      case 5:
        std::swap(box.lo.z, box.hi.z);
        break;
      default:
        break;
    }
    return box;
  };
  run(scene, 13);
}

TEST(OctreeUpdates, PoolsThatAreTooSmall) {
  Scene scene = ordinary(100);
  scene.name = "few nodes";
  scene.updates = 50'000;
  scene.options.max_nodes = 9;
  run(scene, 14);
  scene.name = "few entries";
  scene.options.max_nodes = 0;
  scene.options.max_entries = 70;
  run(scene, 15);
  scene.name = "one node, three entries";
  scene.options.max_nodes = 1;
  scene.options.max_entries = 3;
  run(scene, 16);
  scene.name = "some of each";
  scene.options.max_nodes = 120;
  scene.options.max_entries = 300;
  run(scene, 17);
}

TEST(OctreeUpdates, TenThousandInOneCell) {
  Scene scene;
  scene.name = "ten thousand";
  scene.options.max_objects = 10'000;
  scene.options.smallest_cell = 0.25;
  scene.updates = 3'000;
  scene.box = [](Random& random) {
    const Vec3 lo = uniform_vector(random, 0.01, 0.2);
    return Box{lo, lo + uniform_vector(random, 0, 0.02)};
  };
  scene.step = 0.002;
  Random random(18);
  Twin twin(scene);
  for (int id = 0; id < 10'000; ++id) twin.put(id, scene.box(random));
  for (int k = 0; k < scene.updates; ++k) {
    const int id = static_cast<int>(random() % 10'000);
    update(scene, twin, id, random);
    if (twin.present[id]) {
      ASSERT_EQ(twin.fault_of(id), "") << "after update " << k;
    }
  }
  const char* what = "";
  EXPECT_TRUE(twin.tree.valid(&what)) << what;
}

TEST(OctreeUpdates, ACopyGoesItsOwnWay) {
  Scene scene = ordinary(100);
  Random random(19);
  Twin twin(scene);
  for (int id = 0; id < 60; ++id) twin.put(id, scene.box(random));
  Twin copy = twin;
  for (int id = 60; id < 100; ++id) copy.put(id, scene.box(random));
  for (int k = 0; k < 2'000; ++k) update(scene, copy, static_cast<int>(random() % 100), random);
  EXPECT_EQ(copy.fault_of_all(), "");
  EXPECT_EQ(twin.fault_of_all(), "");
}

TEST(OctreeNearest, AgreesWithBruteForce) {
  for (const double spread : {1.0, 4.0}) {
    Scene scene = ordinary(300);
    Random random(20);
    Twin twin(scene);
    for (int id = 0; id < 300; ++id) {
      const Vec3 lo = uniform_vector(random, -spread, spread);
      twin.put(id, id % 50 == 7 ? Box{{-kInf, -kInf, -kInf}, {kInf, kInf, -2 * spread - id}}
                                : Box{lo, lo + uniform_vector(random, 0, 0.2)});
    }
    for (int k = 0; k < 4'000; ++k) {
      const Vec3 lo = uniform_vector(random, -1.5 * spread, 1.5 * spread);
      const Box box{lo, lo + uniform_vector(random, 0, 0.3)};
      double best = kInf;
      for (int id = 0; id < 300; ++id) best = std::min(best, box_distance_lo(box, twin.boxes[id]));
      double found = kInf;
      int offered = 0;
      twin.tree.visit_nearest(box, kInf, [&](int id, double distance_lo) {
        EXPECT_EQ(distance_lo, box_distance_lo(box, twin.boxes[id]));
        ++offered;
        return found = std::min(found, distance_lo);
      });
      ASSERT_EQ(found, best);
      // Near cells first: most are never looked at.
      ASSERT_LT(offered, 60);

      const double reach = uniform(random, 0, 1);
      std::vector<bool> seen(300, false);
      twin.tree.visit_nearest(box, reach, [&](int id, double) {
        seen[id] = true;
        return reach;
      });
      for (int id = 0; id < 300; ++id) {
        ASSERT_EQ(seen[id], box_distance_lo(box, twin.boxes[id]) < reach) << id;
      }
    }
  }
}

__extension__ using Quad = __float128;

TEST(BoxDistance, IsAtMostTheRealOneAndNearIt) {
  Random random(21);
  for (int k = 0; k < 200'000; ++k) {
    const double scale = std::pow(10, uniform(random, -8, 8));
    const auto any = [&] {
      const Vec3 lo = uniform_vector(random, -scale, scale);
      return Box{lo, lo + uniform_vector(random, 0, std::pow(10, uniform(random, -8, 8)))};
    };
    const Box a = any(), b = any();
    Quad squared = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const Quad below = Quad(b.lo[axis]) - Quad(a.hi[axis]);
      const Quad above = Quad(a.lo[axis]) - Quad(b.hi[axis]);
      const Quad gap = below > 0 ? below : above > 0 ? above : Quad(0);
      squared += gap * gap;
    }
    const double lo = box_distance_lo(a, b);
    EXPECT_EQ(lo, box_distance_lo(b, a));
    ASSERT_TRUE(Quad(lo) * Quad(lo) <= squared);
    ASSERT_TRUE(Quad(lo) * Quad(lo) >= squared * (1 - 1e-14));
    ASSERT_EQ(lo == 0, overlap(a, b));
  }
}

}  // namespace
}  // namespace keepclear
