// SPDX-License-Identifier: BSD-3-Clause
//
// The support function on the hulls of the iiwa 7 (or a prism where those are not there): scan,
// hill climbing and direction cells, with and without lanes, for directions that jump and that
// turn slowly.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "distance/gjk.hpp"
#include "keepclear/body.hpp"
#include "shape/mesh.hpp"
#include "shape/primitives.hpp"
#include "shape/support_table.hpp"

namespace keepclear::bench {
namespace {

constexpr std::size_t kDirections = 4096;  // a power of two, and short enough for the cache

std::vector<Vec3> jumping_directions() {
  std::mt19937_64 engine(1);
  const auto uniform = [&] { return static_cast<double>(engine() >> 11) * 0x1p-52 - 1; };
  std::vector<Vec3> directions;
  while (directions.size() < kDirections) {
    const Vec3 n{uniform(), uniform(), uniform()};
    const double length = norm(n);
    if (length > 0.1 && length < 1) directions.push_back((1 / length) * n);
  }
  return directions;
}

/// Steps of about two milliradians: 2 rad/s at 1 kHz.
std::vector<Vec3> turning_directions() {
  std::vector<Vec3> directions;
  for (std::size_t i = 0; i < kDirections; ++i) {
    const double t = 1.5e-3 * static_cast<double>(i);
    const Vec3 n{std::cos(t), std::sin(t), std::sin(0.7 * t)};
    directions.push_back((1 / norm(n)) * n);
  }
  return directions;
}

/// The same body with one cell for all directions: the lanes then scan every point.
BodyTables without_cells(const BodyTables& body) {
  BodyTables flat = body;
  const std::size_t blocks = (body.count + kBlock - 1) / kBlock;
  flat.cells_per_edge = 0;
  flat.first_block = {0, static_cast<std::uint32_t>(blocks)};
  flat.blocks.assign(blocks * 3 * kBlock, 0);
  flat.slot_vertex.assign(blocks * kBlock, 0);
  for (std::size_t slot = 0; slot < blocks * kBlock; ++slot) {
    const std::size_t vertex = std::min(slot, body.count - 1);
    double* const block = &flat.blocks[slot / kBlock * 3 * kBlock + slot % kBlock];
    block[0] = body.x[vertex], block[kBlock] = body.y[vertex], block[2 * kBlock] = body.z[vertex];
    flat.slot_vertex[slot] = static_cast<std::uint32_t>(vertex);
  }
  return flat;
}

template <typename Function>
void run(benchmark::State& state, const std::vector<Vec3>& directions, Function&& function) {
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(function(directions[i]));
    i = (i + 1) % kDirections;
  }
}

void add_body(const std::string& name, const Body& body) {
  struct Set {
    const char* name;
    std::vector<Vec3> directions;
  };
  for (const Set& set : {Set{"jumping", jumping_directions()}, {"turning", turning_directions()}}) {
    const auto add = [&](const char* way, auto function) {
      const std::string title = name + "/" + way + "/" + set.name;
      benchmark::RegisterBenchmark(
          title.c_str(), [=, directions = set.directions](benchmark::State& state) mutable {
            run(state, directions, function);
          });
    };
    add("scan", [body](Vec3 n) { return support_scan(body.tables(), n); });
    add("climb_from_first", [body](Vec3 n) { return support_climb(body.tables(), n, 0); });
    add("climb_from_last", [body, last = std::uint32_t{0}](Vec3 n) mutable {
      return last = support_climb(body.tables(), n, last);
    });
    add("cells", [body](Vec3 n) { return support_cells(body.tables(), n); });
    // In lanes, against a single point: one direction of the separation check.
    const Body point = Body::sphere({}, 0);
    const Body flat(std::make_shared<const BodyTables>(without_cells(body.tables())));
    const auto lanes = [point](const Body& a) {
      return [a, point](Vec3 n) {
        return evaluate_direction({&a.tables(), &point.tables(), {}, 0}, n).vertex_a;
      };
    };
    add("scan_lanes", lanes(flat));
    add("cells_lanes", lanes(body));
  }
}

void add_bodies() {
  const char* const given = std::getenv("KEEPCLEAR_DATA");
  const std::filesystem::path folder =
      std::filesystem::path(given ? given : KEEPCLEAR_BENCH_DATA) / "robots/kuka_lbr_iiwa7_r800";
  if (!std::filesystem::exists(folder)) {
    add_body("prism_64", Body::hull(cylinder_hull(0.1, 0.3).points));
    return;
  }
  for (const char* link : {"link_0", "link_3", "link_6"}) {
    const Mesh mesh = read_mesh(folder / (std::string(link) + ".stl"), {1, 1, 1});
    const Body body = Body::hull(mesh.vertices);
    add_body(std::string("iiwa7_") + link + "_" + std::to_string(body.point_count()), body);
  }
}

}  // namespace
}  // namespace keepclear::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  keepclear::bench::add_bodies();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
