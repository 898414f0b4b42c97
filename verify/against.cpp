// SPDX-License-Identifier: BSD-3-Clause
#include "against.hpp"

#include <urdf_model/model.h>
#include <urdf_parser/urdf_parser.h>

#include <assimp/config.h>
#include <assimp/scene.h>
#include <assimp/Importer.hpp>
#include <fstream>
#include <regex>
#include <sstream>

namespace verify {
namespace {

using Point = std::array<double, 3>;
constexpr double kAlike = 1e-9;  // of what is compared: urdfdom keeps rotations as quaternions
constexpr double kShape = 1e-5;  // of the size of a shape: assimp keeps single precision
constexpr int kRim = 64;         // points on the rim of a cylinder

struct Pose {
  Mat turn = Mat::identity();
  Vec shift = {0.0, 0.0, 0.0};
};
Pose operator*(const Pose& a, const Pose& b) {
  return {a.turn * b.turn, a.turn * b.shift + a.shift};
}
Pose inverse(const Pose& a) {
  return {transposed(a.turn), -(transposed(a.turn) * a.shift)};
}
Pose pose_of(const urdf::Pose& p) {
  return {turn({p.rotation.x, p.rotation.y, p.rotation.z, p.rotation.w}),
          {p.position.x, p.position.y, p.position.z}};
}
double middle(const Interval& a) {
  return a.lower() / 2 + a.upper() / 2;
}
Point operator*(const Pose& a, const Point& p) {
  const Vec x = a.turn * Vec{p[0], p[1], p[2]} + a.shift;
  return {middle(x[0]), middle(x[1]), middle(x[2])};
}
bool same(double a, double b) {
  return a == b || (std::isfinite(b) && std::abs(a - b) <= kAlike * (1 + std::abs(b)));
}
bool same(const Vec& a, const Vec& b) {
  for (std::size_t i = 0; i < 3; ++i)
    if (!same(middle(a[i]), middle(b[i]))) return false;
  return true;
}
bool same(const Pose& a, const Pose& b) {
  return same(a.turn[0], b.turn[0]) && same(a.turn[1], b.turn[1]) && same(a.turn[2], b.turn[2]) &&
         same(a.shift, b.shift);
}

/// The text without comments. urdfdom knows no capsules: they become meshes of the name kCapsule,
/// with radius and length as a scale.
constexpr const char* kCapsule = "keepclear:capsule";
std::string with_capsules(std::string text) {
  for (std::size_t i = 0; (i = text.find("<!--", i)) != text.npos;) {
    const std::size_t end = text.find("-->", i);
    text.erase(i, end == text.npos ? text.npos : end + 3 - i);
  }
  for (std::size_t i = 0; (i = text.find("<capsule", i)) != text.npos; ++i) {
    const std::string tag = text.substr(i, text.find('>', i) - i);
    std::string scale;
    for (const std::string name : {"radius", "length"}) {
      std::smatch found;
      std::regex_search(tag, found, std::regex(name + "\\s*=\\s*[\"']([^\"']*)[\"']"));
      scale += found.str(1) + " ";
    }
    text.replace(i, tag.size(),
                 std::string("<mesh filename='") + kCapsule + "' scale='" + scale + "1'" +
                     (tag.ends_with('/') ? "/" : ""));
  }
  for (std::size_t i = 0; (i = text.find("</capsule", i)) != text.npos;)
    text.replace(i, 9, "</mesh");
  return text;
}

class Comparison {
 public:
  Comparison(const Certificate& certificate, const std::string& prefix,
             const std::filesystem::path& file, const Packages& packages)
      : certificate_(certificate),
        world_(certificate.world),
        prefix_(prefix),
        file_(file),
        packages_(packages) {}

  std::string compare() {
    const std::string text = with_capsules(read_file(file_));
    model_ = urdf::parseURDF(text);
    if (!model_) throw CannotTell{"urdfdom cannot read " + file_.string()};
    for (const auto& [name, link] : model_->links_) compare_link(*link);
    // urdfdom leaves out what it does not know.
    std::size_t there = 0;
    for (std::size_t i = 0; (i = text.find("<collision", i)) != text.npos; ++i)
      there += std::string_view(" \t\r\n>/").find(text[i + 10]) != text.npos;
    if (there != shapes_)
      throw CannotTell{"urdfdom reads " + std::to_string(shapes_) + " of the " +
                       std::to_string(there) + " shapes of " + file_.string()};
    std::ostringstream out;
    out << file_.string() << ": " << model_->links_.size() << " links and " << shapes_
        << " shapes (" << points_ << " points) are as in the certificate; numbers compared within "
        << kAlike << ", shapes within " << kShape << " of their size";
    for (std::size_t i = 0; i < world_.links.size(); ++i)
      if (world_.carries(find(model_->getRoot()->name), i) && !known_[i])
        out << "\nnot in it: link " << world_.links[i].name;
    return out.str();
  }

 private:
  std::size_t find(const std::string& name) const {
    for (std::size_t i = 0; i < world_.links.size(); ++i)
      if (world_.links[i].name == coded(prefix_ + name, ' ')) return i;
    throw Differs{"no link " + prefix_ + name};
  }

  void demand(bool holds, const std::string& link, const std::string& what) const {
    if (!holds) throw Differs{"link " + prefix_ + link + ": " + what};
  }

  void compare_link(const urdf::Link& link) {
    const std::size_t index = find(link.name);
    known_[index] = true;
    const Link& here = world_.links[index];
    if (const auto& joint = link.parent_joint) {
      demand(index > 0 && here.parent == find(joint->parent_link_name), link.name,
             "another parent");
      const std::map<int, Kind> kinds = {
          {urdf::Joint::FIXED, fixed},      {urdf::Joint::REVOLUTE, hinge},
          {urdf::Joint::CONTINUOUS, hinge}, {urdf::Joint::PRISMATIC, slide},
          {urdf::Joint::PLANAR, planar},    {urdf::Joint::FLOATING, floating}};
      demand(kinds.contains(joint->type) && kinds.at(joint->type) == here.kind, link.name,
             "another kind of joint");
      demand(same(pose_of(joint->parent_to_joint_origin_transform), {here.turn, here.shift}),
             link.name, "another origin");
      const Vec axis = {joint->axis.x, joint->axis.y, joint->axis.z};
      if (here.kind == hinge || here.kind == slide || here.kind == planar)
        demand(same(axis.unit(), here.axis), link.name, "another axis");
      if (here.kind == hinge || here.kind == slide) compare_value(link, *joint, here);
    }
    for (const auto& collision : link.collision_array) compare_shape(link.name, index, *collision);
  }

  /// The number that drives a joint, what it becomes on the way, and its limits.
  void compare_value(const urdf::Link& link, const urdf::Joint& joint, const Link& here) const {
    std::vector<std::pair<double, double>> follows;
    const urdf::Joint* leader = &joint;
    for (; leader->mimic; leader = model_->getJoint(leader->mimic->joint_name).get()) {
      follows.insert(follows.begin(), {leader->mimic->multiplier, leader->mimic->offset});
      demand(model_->getJoint(leader->mimic->joint_name) != nullptr &&
                 follows.size() <= model_->joints_.size(),
             link.name, "it follows a joint that is not there, or itself");
    }
    demand(follows.size() == here.follows.size() &&
               here.number == world_.links[find(leader->child_link_name)].number,
           link.name, "its joint follows another");
    for (std::size_t i = 0; i < follows.size(); ++i)
      demand(same(follows[i].first, here.follows[i].first) &&
                 same(follows[i].second, here.follows[i].second),
             link.name, "its joint follows in another way");
    const Number& n = world_.numbers[here.number];
    const bool bounded = leader->type != urdf::Joint::CONTINUOUS && leader->limits;
    if (leader == &joint)
      demand(same(n.lower, bounded ? joint.limits->lower : -INFINITY) &&
                 same(n.upper, bounded ? joint.limits->upper : INFINITY),
             link.name, "other limits");
  }

  /// Every point of the shape is in a body of the link.
  void compare_shape(const std::string& name, std::size_t index, const urdf::Collision& collision) {
    std::vector<Point> points;
    double radius = 0;
    const urdf::Geometry* g = collision.geometry.get();
    demand(g != nullptr, name, "a collision without a shape");
    if (const auto* box = dynamic_cast<const urdf::Box*>(g)) {
      for (int k = 0; k < 8; ++k)
        points.push_back({box->dim.x * (k & 1 ? 0.5 : -0.5), box->dim.y * (k & 2 ? 0.5 : -0.5),
                          box->dim.z * (k & 4 ? 0.5 : -0.5)});
    } else if (const auto* ball = dynamic_cast<const urdf::Sphere*>(g)) {
      points.push_back({0, 0, 0});
      radius = ball->radius;
    } else if (const auto* cylinder = dynamic_cast<const urdf::Cylinder*>(g)) {
      for (int k = 0; k < 2 * kRim; ++k)
        points.push_back({cylinder->radius * std::cos(k * M_PI / kRim),
                          cylinder->radius * std::sin(k * M_PI / kRim),
                          cylinder->length * (k % 2 ? 0.5 : -0.5)});
      for (int k = 0; k < 2 * kRim; ++k)
        points.push_back({points[k][0], points[k][1], -points[k][2]});
    } else if (const auto* mesh = dynamic_cast<const urdf::Mesh*>(g);
               mesh != nullptr && mesh->filename == kCapsule) {
      points = {{0, 0, -mesh->scale.y / 2}, {0, 0, mesh->scale.y / 2}};
      radius = mesh->scale.x;
    } else if (mesh != nullptr) {
      points = read_mesh(mesh->filename);
      for (Point& p : points)
        p = {p[0] * mesh->scale.x, p[1] * mesh->scale.y, p[2] * mesh->scale.z};
    } else {
      throw CannotTell{"a shape of a kind that is not known, of link " + name};
    }
    double extent = radius;
    for (const Point& p : points)
      for (const double x : p) extent = std::max(extent, std::abs(x));
    std::vector<std::pair<const Body*, Pose>> bodies;  // and the shape in their frames
    for (const Body& b : world_.bodies)
      if (world_.solids[b.solid].link == index)
        bodies.emplace_back(
            &b, inverse(in_group(b.link)) * in_group(index) * pose_of(collision.origin));
    demand(!bodies.empty(), name, "it has a shape in the URDF and no body in the certificate");
    for (const Point& p : points) {
      double off = INFINITY;
      for (const auto& [body, pose] : bodies)
        if (off > kShape * extent)
          off = std::min(off, distance_to_hull(body->points, pose * p,
                                               body->radius - radius + kShape * extent / 2) +
                                  radius - body->radius);
      demand(off <= kShape * extent, name,
             "a shape reaches out of its bodies by " + std::to_string(off) + " m");
    }
    ++shapes_;
    points_ += points.size();
  }

  /// The pose of a link in the first link of those that are fixed to each other.
  Pose in_group(std::size_t link) const {
    if (link == world_.links[link].group) return {};
    return in_group(world_.links[link].parent) *
           Pose{world_.links[link].turn, world_.links[link].shift};
  }

  std::vector<Point> read_mesh(const std::string& uri) const {
    const std::filesystem::path path = resolve(uri);
    const std::string bytes = read_file(path), hash = sha256(bytes);
    bool named = false, listed = false;
    for (const auto& [source_hash, source] : certificate_.sources) {
      named |= std::filesystem::path(source).filename() == path.filename();
      listed |= source_hash == hash;
    }
    if (named && !listed)
      throw Differs{path.string() + " is not the file that was read: it has another hash"};
    Assimp::Importer importer;
    importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
    const aiScene* scene = importer.ReadFile(path.string(), 0);
    if (scene == nullptr || scene->mRootNode == nullptr)
      throw CannotTell{"assimp cannot read " + path.string()};
    std::vector<Point> points;
    std::vector<std::pair<const aiNode*, aiMatrix4x4>> nodes = {
        {scene->mRootNode, scene->mRootNode->mTransformation}};
    while (!nodes.empty()) {
      const auto [node, placed] = nodes.back();
      nodes.pop_back();
      for (unsigned i = 0; i < node->mNumMeshes; ++i) {
        const aiMesh& mesh = *scene->mMeshes[node->mMeshes[i]];
        for (unsigned k = 0; k < mesh.mNumVertices; ++k) {
          const aiVector3D v = placed * mesh.mVertices[k];
          points.push_back({v.x, v.y, v.z});
        }
      }
      for (unsigned i = 0; i < node->mNumChildren; ++i)
        nodes.emplace_back(node->mChildren[i], placed * node->mChildren[i]->mTransformation);
    }
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    return points;
  }

  std::filesystem::path resolve(const std::string& uri) const {
    const std::filesystem::path folder = std::filesystem::absolute(file_).parent_path();
    if (uri.starts_with("file://")) return uri.substr(7);
    if (!uri.starts_with("package://")) return folder / uri;
    const std::string rest = uri.substr(10), name = rest.substr(0, rest.find('/')),
                      inner = rest.substr(std::min(rest.size(), name.size() + 1));
    if (const auto found = packages_.named.find(name); found != packages_.named.end())
      return found->second / inner;
    std::vector<std::filesystem::path> places = packages_.folders;
    for (std::filesystem::path up = folder; places.push_back(up), up != up.parent_path();)
      up = up.parent_path();
    for (const auto& place : places) {
      if (std::filesystem::is_directory(place / name)) return place / name / inner;
      if (place.filename() == name) return place / inner;
    }
    throw CannotTell{"no folder for package://" + name + ": say --package " + name + "=FOLDER"};
  }

  const Certificate& certificate_;
  const World& world_;
  const std::string prefix_;
  const std::filesystem::path file_;
  const Packages& packages_;
  urdf::ModelInterfaceSharedPtr model_;
  std::map<std::size_t, bool> known_;  // links that the URDF has
  std::size_t shapes_ = 0, points_ = 0;
};

/// The point of the hull of up to four points that is nearest to the origin. Which of them count
/// stays in simplex.
Point nearest(std::vector<Point>& simplex) {
  Point best = simplex[0];
  double least = INFINITY;
  std::vector<Point> kept;
  for (unsigned subset = 1; subset < 1u << simplex.size(); ++subset) {
    std::vector<Point> s;
    for (std::size_t i = 0; i < simplex.size(); ++i)
      if (subset >> i & 1) s.push_back(simplex[i]);
    // Least squares for x = s0 + Σ t_i (s_i - s0), by elimination.
    const std::size_t n = s.size() - 1;
    double a[3][4] = {}, t[3] = {};
    auto edge = [&](std::size_t i, int k) { return s[i + 1][k] - s[0][k]; };
    for (std::size_t i = 0; i < n; ++i)
      for (int k = 0; k < 3; ++k) {
        for (std::size_t j = 0; j < n; ++j) a[i][j] += edge(i, k) * edge(j, k);
        a[i][3] -= edge(i, k) * s[0][k];
      }
    bool flat = false;
    for (std::size_t i = 0; i < n && !flat; ++i) {
      std::size_t pivot = i;
      for (std::size_t j = i; j < n; ++j)
        if (std::abs(a[j][i]) > std::abs(a[pivot][i])) pivot = j;
      std::swap_ranges(a[i], a[i] + 4, a[pivot]);
      flat = std::abs(a[i][i]) < 1e-300;
      for (std::size_t j = 0; j < n && !flat; ++j)
        for (std::size_t k = 4; k-- > i && j != i;) a[j][k] -= a[i][k] * a[j][i] / a[i][i];
    }
    double rest = 1;
    Point x = s[0];
    for (std::size_t i = 0; i < n && !flat; ++i) {
      t[i] = a[i][3] / a[i][i];
      rest -= t[i];
      flat |= !(t[i] >= 0);
      for (int k = 0; k < 3; ++k) x[k] += t[i] * edge(i, k);
    }
    const double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    if (flat || !(rest >= 0) || !(square < least)) continue;
    best = x, least = square, kept = s;
  }
  simplex = kept;
  return best;
}

}  // namespace

double distance_to_hull(const std::vector<double>& points, const Point& x, double enough) {
  double result = INFINITY;
  std::vector<Point> moved, simplex;
  for (std::size_t i = 0; i < points.size(); i += 3)
    moved.push_back({points[i] - x[0], points[i + 1] - x[1], points[i + 2] - x[2]});
  auto dot3 = [](const Point& a, const Point& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  };
  auto support = [&](const auto& value) {
    return *std::min_element(moved.begin(), moved.end(),
                             [&](const Point& a, const Point& b) { return value(a) < value(b); });
  };
  if (!moved.empty()) simplex.push_back(support([&](const Point& p) { return dot3(p, p); }));
  for (int i = 0; i < 200 && !simplex.empty(); ++i) {
    const Point v = nearest(simplex);
    const double here = std::sqrt(dot3(v, v));
    if (here >= result) break;
    result = here;
    if (here <= enough || simplex.size() == 4) break;
    simplex.push_back(support([&](const Point& p) { return dot3(v, p); }));
    if (dot3(v, simplex.back()) > enough * here) break;  // nothing is nearer than this over here
  }
  return result;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path))
    throw CannotTell{"cannot read " + path.string()};
  if (std::filesystem::is_regular_file(path) && std::filesystem::file_size(path) > (1u << 31))
    throw CannotTell{"a file of more than 2 GiB: " + path.string()};
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string against(const Certificate& certificate, const std::string& prefix,
                    const std::filesystem::path& urdf, const Packages& packages) {
  return Comparison(certificate, prefix, urdf, packages).compare();
}

}  // namespace verify
