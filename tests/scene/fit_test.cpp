// SPDX-License-Identifier: BSD-3-Clause
#include "keepclear/fit.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

#include "data.hpp"
#include "keepclear/error.hpp"
#include "oracle/reference_distance.hpp"
#include "scene/link_shapes.hpp"
#include "scene/model_file.hpp"
#include "scene/source.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;

FitOptions quick(int points) {
  FitOptions options;
  options.points = points;
  options.starts = 20;
  options.refined = 1;
  return options;
}

std::size_t point_count(const Fit& fit) {
  return std::accumulate(
      fit.bodies.begin(), fit.bodies.end(), std::size_t{0},
      [](std::size_t sum, const FittedBody& b) { return sum + b.body.points.size(); });
}

/// A folder that goes when the test ends.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "keepclear-fit-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// A robot of two links whose upper one has this geometry.
fs::path robot(const Folder& folder, const std::string& name, const std::string& elements) {
  const fs::path file = folder / (name + ".urdf");
  std::ofstream(file) << "<robot name=\"" << name << "\"><link name=\"base\"/><link name=\"arm\">"
                      << elements << "</link><joint name=\"j\" type=\"continuous\">"
                      << "<parent link=\"base\"/><child link=\"arm\"/></joint></robot>";
  return file;
}

std::string mesh_element(const std::string& kind, const std::string& file) {
  return "<" + kind + "><geometry><mesh filename=\"" + file + "\"/></geometry></" + kind + ">";
}

TEST(Fit, SpreadsABudgetWhereItHelpsMost) {
  FitOptions options = quick(8);
  options.budget = 40;
  const Fit few = fit_builtin("six_axis_arm", {}, options);
  EXPECT_LE(point_count(few), 40U);
  options.budget = 60;
  const Fit more = fit_builtin("six_axis_arm", {}, options);
  EXPECT_LE(point_count(more), 60U);
  const auto volume = [](const Fit& fit) {
    double sum = 0;
    for (const FittedBody& b : fit.bodies) sum += b.volume;
    return sum;
  };
  EXPECT_LT(volume(more), volume(few));
  options.budget = 1;
  EXPECT_THROW(fit_builtin("six_axis_arm", {}, options), Error);
}

TEST(Fit, TakesTheFewestPointsThatMeetAnExcess) {
  FitOptions options = quick(8);
  options.excess = 0.3;
  const Fit found = fit_builtin("six_axis_arm", {}, options);
  const Fit most = fit_builtin("six_axis_arm", {}, quick(8));
  ASSERT_EQ(found.bodies.size(), most.bodies.size());
  std::set<std::size_t> counts;
  for (std::size_t i = 0; i < found.bodies.size(); ++i) {
    const FittedBody& body = found.bodies[i];
    counts.insert(body.body.points.size());
    if (body.volume <= 1.3 * body.hull_volume + 1e-9) continue;
    // Where none suffices, all points are used.
    EXPECT_EQ(body.body.points, most.bodies[i].body.points) << body.body.link;
  }
  EXPECT_GT(counts.size(), 1U);
}

TEST(Fit, SplitsAndJoinsTheShapesOfALink) {
  const Fit each = fit_builtin("six_axis_arm", {}, quick(4));
  FitOptions options = quick(4);
  options.parts = 1;
  const Fit one = fit_builtin("six_axis_arm", {}, options);
  std::set<std::string> links;
  for (const FittedBody& b : one.bodies) EXPECT_TRUE(links.insert(b.body.link).second);
  EXPECT_GT(each.bodies.size(), one.bodies.size());
  options.parts = 2;
  const Fit two = fit_builtin("six_axis_arm", {}, options);
  EXPECT_GT(two.bodies.size(), one.bodies.size());
  EXPECT_LT(two.bodies.size(), each.bodies.size());
}

TEST(Fit, SplitsAMeshWhoseTrianglesGoThroughAllOfIt) {
  // An angle of two long legs, twelve triangles each: the parts cut every long triangle, and the
  // loader must find its own proof.
  const Folder folder;
  std::ofstream obj(folder / "angle.obj");
  int first = 1;
  for (const Vec3 size : {Vec3{1, 0.1, 0.1}, Vec3{0.1, 1, 0.1}}) {
    for (int i = 0; i < 8; ++i) {
      obj << "v " << (i & 1) * size.x << ' ' << (i >> 1 & 1) * size.y << ' ' << (i >> 2) * size.z
          << '\n';
    }
    const int sides[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4},
                             {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
    for (const auto& s : sides) {
      obj << "f " << first + s[0] << ' ' << first + s[1] << ' ' << first + s[2] << '\n';
      obj << "f " << first + s[0] << ' ' << first + s[2] << ' ' << first + s[3] << '\n';
    }
    first += 8;
  }
  obj.close();
  const fs::path file = robot(folder, "angle", mesh_element("collision", "angle.obj"));
  const Fit whole = fit(file, {}, quick(8));
  FitOptions options = quick(8);
  options.parts = 2;
  const Fit parts = fit(file, {}, options);
  ASSERT_EQ(parts.bodies.size(), 2U);
  EXPECT_LT(parts.bodies[0].volume + parts.bodies[1].volume, 0.7 * whole.bodies[0].volume);
  LoadOptions load_options;
  load_options.bodies = std::make_shared<const BodyModel>(parts.model);
  EXPECT_EQ(load(file, load_options).bodies().size(), 2U);
  // Far away, where the middles of triangles round, it is proved too.
  std::string element = mesh_element("collision", "angle.obj");
  element.insert(std::string("<collision>").size(), "<origin xyz=\"1e5 -1e5 1e4\"/>");
  EXPECT_EQ(fit(robot(folder, "far", element), {}, options).bodies.size(), 2U);
  // Bodies that do not reach to the cut are found out.
  BodyModel thinner = parts.model;
  for (ModelBody& body : thinner.bodies) {
    for (Vec3& p : body.points) p = 0.9 * p;
  }
  load_options.bodies = std::make_shared<const BodyModel>(thinner);
  EXPECT_THROW(load(file, load_options), Error);
}

TEST(Fit, WrapsWhatIsSeenIfAsked) {
  const Folder folder;
  std::ofstream(folder / "seen.obj") << "v 0 0 0\nv 0.4 0 0\nv 0 0.3 0\nv 0 0 0.2\n"
                                        "f 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n";
  const fs::path file =
      robot(folder, "seen",
            "<collision><geometry><sphere radius=\"0.1\"/></geometry></collision>" +
                mesh_element("visual", "seen.obj"));
  FitOptions options = quick(4);
  const Fit collision = fit(file, {}, options);
  EXPECT_NEAR(collision.bodies[0].body.radius, 0.1, 1e-6);
  options.around = Around::visual;
  const Fit visual = fit(file, {}, options);
  EXPECT_EQ(visual.bodies[0].source_points, 4U);
  EXPECT_LT(visual.bodies[0].body.radius, 0.01);
  options.around = Around::both;
  EXPECT_EQ(fit(file, {}, options).bodies.size(), 2U);
  options.parts = 1;
  const Fit both = fit(file, {}, options);
  ASSERT_EQ(both.bodies.size(), 1U);
  EXPECT_EQ(both.bodies[0].elements, (std::vector<int>{0, 1}));
  EXPECT_GT(both.bodies[0].volume, visual.bodies[0].volume);
  // A model around one is not taken for one around the other.
  LoadOptions load_options;
  BodyModel claims = collision.model;
  claims.around = Around::visual;
  load_options.bodies = std::make_shared<const BodyModel>(claims);
  EXPECT_THROW(load(file, load_options), Error);
}

TEST(Fit, AroundWhatIsSeenTellsWhatItLeavesOut) {
  const Folder folder;
  const fs::path file = robot(folder, "half",
                              "<collision><geometry><box size=\"1 1 1\"/></geometry></collision>"
                              "<visual><geometry><sphere radius=\"0.01\"/></geometry></visual>");
  FitOptions options = quick(2);
  options.around = Around::visual;
  LoadOptions load_options;
  load_options.bodies = std::make_shared<const BodyModel>(fit(file, {}, options).model);
  const World world = load(file, load_options);
  ASSERT_EQ(world.notes().size(), 2U);
  const std::string notes = world.notes()[0] + "\n" + world.notes()[1];
  EXPECT_NE(notes.find("'arm' sticks out"), std::string::npos) << notes;
  EXPECT_NE(notes.find("around visual geometry"), std::string::npos) << notes;
  // Something seen that is not understood cannot be wrapped, whether or not it is checked.
  const fs::path odd = robot(folder, "odd", "<visual><geometry><ellipsoid/></geometry></visual>");
  EXPECT_THROW(fit(odd, {}, options), Error);
  BodyModel model;
  model.around = Around::visual;
  model.bodies.push_back({"base", 1, {{0, 0, 0}}, ""});
  load_options.bodies = std::make_shared<const BodyModel>(model);
  EXPECT_THROW(load(odd, load_options), Error);
}

TEST(Fit, TakesFlatThinTinyAndSinglePointMeshes) {
  const Folder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  write("flat.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
  write("thin.obj", "v 0 0 0\nv 1 0 0\nv 1 1 1e-9\nv 0 1 0\nf 1 2 3\nf 1 3 4\nf 2 3 4\n");
  write("tiny.obj", "v 0 0 0\nv 1e-7 0 0\nv 0 1e-7 0\nv 0 0 1e-7\nf 1 2 3\nf 1 2 4\nf 2 3 4\n");
  write("needle.obj", "v 0 0 0\nv 1 1 1\nv 2 2 2\nf 1 2 3\n");
  write("point.obj", "v 0.5 0.5 0.5\nf 1 1 1\n");
  for (const std::string name : {"flat", "thin", "tiny", "needle", "point"}) {
    for (const int points : {1, 2, 4, 8}) {
      const fs::path file = robot(folder, name, mesh_element("collision", name + ".obj"));
      const Fit found = fit(file, {}, quick(points));
      ASSERT_EQ(found.bodies.size(), 1U) << name;
      LoadOptions options;
      options.bodies = std::make_shared<const BodyModel>(found.model);
      EXPECT_NO_THROW(load(file, options)) << name << ' ' << points;
      if (points < 4) continue;
      EXPECT_LT(found.bodies[0].body.radius, 1e-6) << name;
    }
  }
}

TEST(Fit, IsTheSameForAnyNumberOfThreadsAndFromTheCache) {
  const Folder folder;
  FitOptions options = quick(4);
  options.threads = 1;
  const Fit one = fit_builtin("six_axis_arm", {}, options);
  options.threads = 3;
  options.cache = folder / "cache/of/fits";
  const Fit three = fit_builtin("six_axis_arm", {}, options);
  const Fit cached = fit_builtin("six_axis_arm", {}, options);
  EXPECT_EQ(to_json(one.model), to_json(three.model));
  EXPECT_EQ(to_json(one.model), to_json(cached.model));
  for (const FittedBody& body : three.bodies) EXPECT_FALSE(body.cached);
  for (const FittedBody& body : cached.bodies) EXPECT_TRUE(body.cached);
  // What is not a cache file is found again.
  for (const auto& entry : fs::recursive_directory_iterator(folder / "cache")) {
    if (entry.is_regular_file()) std::ofstream(entry.path()) << "{\"world\": ";
  }
  const Fit again = fit_builtin("six_axis_arm", {}, options);
  EXPECT_EQ(to_json(one.model), to_json(again.model));
  for (const FittedBody& body : again.bodies) EXPECT_FALSE(body.cached);
  // Nor one with more points than it should have, or far away.
  for (const double far : {0.0, 100.0}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder / "cache")) {
      if (!entry.is_regular_file()) continue;
      BodyModel kept = read_model(entry.path());
      for (ModelBody& body : kept.bodies) {
        if (far == 0) body.points.resize(9, {0.01, 0.02, 0.03});
        body.points[0].x += far;
      }
      write_model(kept, entry.path());
    }
    EXPECT_EQ(to_json(one.model), to_json(fit_builtin("six_axis_arm", {}, options).model));
  }
  options.seed = 2;
  const Fit other = fit_builtin("six_axis_arm", {}, options);
  for (const FittedBody& body : other.bodies) EXPECT_FALSE(body.cached);
}

TEST(Fit, RefusesOptionsThatMakeNoSense) {
  const auto refuses = [](auto change) {
    FitOptions options;
    change(options);
    EXPECT_THROW(fit_builtin("six_axis_arm", {}, options), Error);
  };
  refuses([](FitOptions& o) { o.points = 0; });
  refuses([](FitOptions& o) { o.points = kMaxFitPoints + 1; });
  refuses([](FitOptions& o) { o.excess = -0.1; });
  refuses([](FitOptions& o) { o.excess = 0.1, o.budget = 50; });
  refuses([](FitOptions& o) { o.parts = -1; });
  refuses([](FitOptions& o) { o.refined = 0; });
  refuses([](FitOptions& o) { o.starts = 3, o.refined = 4; });
}

/// All vertices of all collision meshes of a robot, each in a body of its link: found by 113-bit
/// arithmetic that shares nothing with the proof.
void expect_all_inside(const fs::path& file, const Fit& found) {
  const WorldSource source = read_source(file, {});
  std::size_t looked_at = 0;
  for (const Link& link : source.model.robot.links) {
    const auto elements = elements_of(link, Around::collision);
    const Meshes meshes = read_meshes(elements, 1);
    std::vector<std::pair<oracle::PointSet, double>> bodies;
    for (const FittedBody& b : found.bodies) {
      if (b.body.link == link.name) bodies.emplace_back(b.body.points, b.body.radius);
    }
    for (const Collision* element : elements) {
      const LinkShape shape = shape_of(*element, meshes);
      // Of many vertices some; all were looked at by the proof.
      const std::size_t step = std::max<std::size_t>(1, shape.points.size() / 50);
      for (std::size_t v = 0; v < shape.points.size(); v += step) {
        const oracle::PointSet point(std::span(&shape.points[v], 1));
        oracle::Quad out = 1;
        for (const auto& [points, radius] : bodies) {
          const auto near = oracle::reference_distance(points, {}, point, {});
          out = std::min(out, near.upper + shape.radius - radius);
        }
        EXPECT_LE(double(out), 0) << file << ' ' << link.name;
        ++looked_at;
      }
    }
  }
  EXPECT_GT(looked_at, 0U);
}

TEST(Fit, HoldsEveryMeshOfRobots) {
  KEEPCLEAR_NEEDS_DATA("robots");
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(test::data_dir() / "robots")) {
    if (entry.path().extension() == ".urdf") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  ASSERT_GT(files.size(), 20U);
  // Every other one, unless more is asked for: the others differ little.
  const std::size_t stride = std::getenv("KEEPCLEAR_CASES") != nullptr ? 1 : 2;
  for (std::size_t f = 0; f < files.size(); f += stride) {
    const fs::path& file = files[f];
    FitOptions options = quick(4);
    options.starts = 6;
    const Fit found = fit(file, {}, options);
    expect_all_inside(file, found);
    // Any radius a millionth smaller is found out.
    for (const std::size_t b : {found.bodies.size() / 2}) {
      BodyModel less = found.model;
      less.bodies[b].radius *= 1 - 1e-6;
      // Another body of the link may hold what this one lost.
      const auto twins =
          std::count_if(less.bodies.begin(), less.bodies.end(),
                        [&](const ModelBody& other) { return other.link == less.bodies[b].link; });
      if (twins > 1 || less.bodies[b].radius < 1e-3) continue;
      LoadOptions load_options;
      load_options.bodies = std::make_shared<const BodyModel>(std::move(less));
      EXPECT_THROW(load(file, load_options), Error) << file;
    }
  }
}

}  // namespace
}  // namespace keepclear
