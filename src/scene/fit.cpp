// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies for a whole world: what is to be wrapped, the search for each, how many points each gets,
// and at the end the proof.
#include "keepclear/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <system_error>

#include "keepclear/limits.hpp"
#include "keepclear/version.hpp"
#include "rounding/mode.hpp"
#include "scene/fit_pieces.hpp"
#include "scene/hasher.hpp"
#include "scene/mesh_hulls.hpp"
#include "scene/model_bodies.hpp"
#include "scene/source.hpp"

namespace keepclear {
namespace {

/// The radius is larger than proved by this share of the body's size, so that whoever proves it
/// again may come by another way.
constexpr double kSlack = 1e-9;
/// Of a part, and by this share of how far from the origin it is: middles of triangles round.
constexpr double kFarSlack = 1e-13;
/// Changes with the search, so that what an older one kept is not taken for its work.
constexpr std::string_view kSearchName = "keepclear fit 2";

void require(bool condition, const std::string& what) {
  if (!condition) throw Error(Error::Kind::usage, "", 0, what);
}

void require_options(const FitOptions& o) {
  const int points = o.points.value_or(1);
  require(points >= 1 && points <= kMaxFitPoints,
          fmt::format("the number of points must be from 1 to {}", kMaxFitPoints));
  require(!o.excess || (*o.excess >= 0 && std::isfinite(*o.excess)),
          "the excess must be a finite share, zero or more");
  require(!(o.excess && o.budget), "an excess and a budget: choose one");
  require(!o.budget || *o.budget >= 1, "the budget must be one point at least");
  require(o.parts >= 0 && o.parts <= kMaxParts,
          fmt::format("{} parts: the number of parts must be from 0 to {}", o.parts, kMaxParts));
  require(o.starts >= 1 && o.starts <= 1'000'000, "the starts must be from 1 to 1000000");
  require(o.refined >= 1 && o.refined <= o.starts,
          "the starts that are refined must be from 1 to the number of starts");
}

/// The same shape, found once: its bodies with 1, 2, ... points in the frame of the search.
struct Work {
  const FitPiece* piece = nullptr;  ///< the first that has this shape
  std::string key;
  std::vector<FittedPoints> fits;
  double seconds = 0;
  bool cached = false;
};

std::string key_of(const FitInput& input, int most, const FitOptions& options) {
  Hasher h;
  h.add(kSearchName);
  h.add(std::string_view(kVersion));
  h.add(options.seed), h.add(options.starts), h.add(options.refined), h.add(most);
  h.add(static_cast<std::uint64_t>(input.points.size()));
  for (std::size_t i = 0; i < input.points.size(); ++i) {
    h.add(input.points[i]), h.add(input.radii[i]);
  }
  return h.hex();
}

/// What a folder keeps, as model files: a body for each number of points. A file that is not what
/// it should be is no file.
class Cache {
 public:
  explicit Cache(const FitOptions& options) : folder_(options.cache) {
    if (!folder_) return;
    std::error_code error;
    std::filesystem::create_directories(*folder_, error);
    if (error) {
      throw Error(Error::Kind::write, folder_->string(), 0,
                  "no folder for the cache: " + error.message());
    }
  }

  bool find(const std::string& key, const FitInput& input, int most,
            std::vector<FittedPoints>& fits) const {
    if (!folder_) return false;
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file(key), ignored)) return false;
    try {
      const BodyModel kept = read_model(file(key));
      if (kept.world != key || kept.bodies.size() != static_cast<std::size_t>(most)) return false;
      double size = 0;
      for (const Vec3& p : input.points) size = std::max(size, norm(p - input.points[0]));
      for (const double r : input.radii) size = std::max(size, r);
      std::vector<FittedPoints> found;
      for (const ModelBody& body : kept.bodies) {
        if (body.points.size() > found.size() + 1) return false;
        for (const Vec3& p : body.points) {
          if (!(norm(p - input.points[0]) <= 10 * size)) return false;
        }
        found.push_back({body.points, body.radius, 0});
      }
      fits = std::move(found);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  /// A cache that cannot be written costs time at the next run, and nothing else.
  void keep(const std::string& key, const std::vector<FittedPoints>& fits) const {
    std::error_code error;
    if (!folder_) return;
    if (std::filesystem::exists(file(key), error) &&
        !std::filesystem::is_regular_file(file(key), error)) {
      return;
    }
    BodyModel model;
    model.world = key;
    for (std::size_t n = 0; n < fits.size(); ++n) {
      model.bodies.push_back({std::to_string(n + 1), fits[n].radius, fits[n].points, ""});
    }
    try {
      write_model(model, file(key));
    } catch (const Error&) {
    }
  }

 private:
  std::filesystem::path file(const std::string& key) const { return *folder_ / (key + ".json"); }

  std::optional<std::filesystem::path> folder_;
};

/// Tells how much is done, in order, whoever does it.
class Progress {
 public:
  Progress(const FitOptions& options, double total) : tell_(options.progress), total_(total) {}
  void add(double amount) {
    if (!tell_) return;
    const std::lock_guard lock(mutex_);
    done_ += amount;
    tell_(std::min(1.0, done_ / total_));
    rounding::require_mode();
  }

 private:
  const std::function<void(double)>& tell_;
  double total_, done_ = 0;
  std::mutex mutex_;
};

void search(std::vector<Work>& work, int most, const FitOptions& options) {
  const Cache cache(options);
  const double all = most * (most + 1) / 2.0;
  Progress progress(options, all * static_cast<double>(work.size()));
  for_each_parallel(work.size(), options.threads, [&](std::size_t i) {
    Work& w = work[i];
    const FitInput& input = w.piece->input;
    w.cached = cache.find(w.key, input, most, w.fits);
    if (w.cached) {
      progress.add(all);
    } else {
      const auto start = std::chrono::steady_clock::now();
      FitSearch how{options.seed, options.starts, options.refined, {}};
      how.done = [&](int n) { progress.add(n); };
      w.fits = fit_points(input, most, how);
      for (FittedPoints& fit : w.fits) fit.points = SmallHull(fit.points).corners();
      w.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      cache.keep(w.key, w.fits);
    }
    for (FittedPoints& fit : w.fits) {
      const SmallHull hull(fit.points);
      fit.radius = 0;
      for (std::size_t p = 0; p < input.points.size(); ++p) {
        const double out = std::max(0.0, hull.nearest(input.points[p]).distance);
        fit.radius = std::max(fit.radius, out + input.radii[p]);
      }
      fit.volume = hull.volume(fit.radius);
    }
  });
}

/// How many points each piece gets, less one.
std::vector<std::size_t> choose(const std::vector<FitPiece>& pieces,
                                const std::vector<const Work*>& work, int most,
                                const FitOptions& options) {
  const auto last = static_cast<std::size_t>(most - 1);
  std::vector<std::size_t> chosen(pieces.size(), last);
  if (options.excess) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const auto& fits = work[i]->fits;
      const double limit = (1 + *options.excess) * pieces[i].hull_volume;
      const auto enough = std::find_if(fits.begin(), fits.end(),
                                       [&](const FittedPoints& f) { return f.volume <= limit; });
      if (enough != fits.end()) chosen[i] = static_cast<std::size_t>(enough - fits.begin());
    }
  }
  if (!options.budget) return chosen;
  // least[b]: the smallest sum of volumes of the pieces so far with b points.
  const auto budget = static_cast<std::size_t>(*options.budget);
  const std::size_t room = std::min(budget, pieces.size() * static_cast<std::size_t>(most));
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<double> least(room + 1, kNever);
  least[0] = 0;
  std::vector<std::vector<unsigned char>> taken(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::vector<double> next(room + 1, kNever);
    taken[i].assign(room + 1, 0);
    for (std::size_t n = 0; n < work[i]->fits.size(); ++n) {
      const std::size_t points = work[i]->fits[n].points.size();
      for (std::size_t b = points; b <= room; ++b) {
        const double sum = least[b - points] + work[i]->fits[n].volume;
        if (sum < next[b]) {
          next[b] = sum;
          taken[i][b] = static_cast<unsigned char>(n);
        }
      }
    }
    least = std::move(next);
  }
  auto b = static_cast<std::size_t>(std::min_element(least.begin(), least.end()) - least.begin());
  require(least[b] < kNever, fmt::format("a budget of {} points for {} bodies, which need one each",
                                         *options.budget, pieces.size()));
  for (std::size_t i = pieces.size(); i-- > 0;) {
    chosen[i] = taken[i][b];
    b -= work[i]->fits[chosen[i]].points.size();
  }
  return chosen;
}

/// The body in the frame of the link, its radius such that every point is proved to be inside.
ModelBody proved(const FitPiece& piece, const std::string& link, const FittedPoints& fit) {
  ModelBody body;
  body.link = link;
  for (const Vec3& p : fit.points) body.points.push_back(piece.X_LS * p);
  const NearHull near(body.points);
  double size = 0, far = 0;
  for (std::size_t i = 0; i < piece.points.size(); ++i) {
    body.radius = std::max(body.radius, needed_radius_hi(near, piece.points[i], piece.reach_hi[i]));
    size = std::max(size, norm(piece.points[i] - body.points[0]));
    far = std::max(far, norm(piece.points[i]));
  }
  double slack = kSlack * (size + body.radius);
  if (piece.parts > 1) slack += kFarSlack * far;
  body.radius = rounding::up(body.radius + slack);
  if (!std::isfinite(body.radius)) {
    throw Error(Error::Kind::internal, "", 0, "no radius for a body of link '" + link + "'");
  }
  return body;
}

Fit fit_source(const WorldSource& source, const FitOptions& options) {
  const RobotModel& robot = source.model.robot;
  std::vector<const Collision*> elements;
  for (int l = source.model.first_link(); l < source.model.first_attached; ++l) {
    require_visuals(robot.links[l], options.around, robot.file);
    for (const Collision* e : elements_of(robot.links[l], options.around)) elements.push_back(e);
  }
  const Meshes meshes = read_meshes(elements, options.threads);
  const std::vector<FitPiece> pieces = fit_pieces(source.model, meshes, options);
  if (pieces.empty()) {
    throw Error(Error::Kind::malformed, robot.file, 0, "no link has geometry to fit a body around");
  }
  const int most = options.points.value_or(options.excess || options.budget ? 12 : 6);

  std::vector<Work> work;
  std::map<std::string, std::size_t> by_key;
  std::vector<std::size_t> work_of;
  for (const FitPiece& piece : pieces) {
    std::string key = key_of(piece.input, most, options);
    const auto [place, fresh] = by_key.try_emplace(key, work.size());
    if (fresh) work.push_back({&piece, std::move(key), {}, 0, false});
    work_of.push_back(place->second);
  }
  search(work, most, options);
  std::vector<const Work*> of_piece;
  for (const std::size_t w : work_of) of_piece.push_back(&work[w]);
  const std::vector<std::size_t> chosen = choose(pieces, of_piece, most, options);

  Fit fit;
  fit.model.world = robot.name;
  fit.model.around = options.around;
  fit.bodies.resize(pieces.size());
  for_each_parallel(pieces.size(), options.threads, [&](std::size_t i) {
    const FitPiece& piece = pieces[i];
    FittedBody& body = fit.bodies[i];
    body.body = proved(piece, robot.links[piece.link].name, of_piece[i]->fits[chosen[i]]);
    body.elements = piece.elements;
    const auto shapes = elements_of(robot.links[piece.link], options.around);
    for (const int e : piece.elements) {
      const Geometry& g = shapes[static_cast<std::size_t>(e)]->geometry;
      if (g.kind == Geometry::Kind::mesh) body.files.push_back(g.file.string());
    }
    body.part = piece.part;
    body.parts = piece.parts;
    body.source_points = piece.points.size();
    body.volume = SmallHull(body.body.points).volume(body.body.radius);
    body.hull_volume = piece.hull_volume;
    const Body whole = Body::hull(body.body.points, body.body.radius);
    body.surface_distance = farthest_from(whole.volume(), piece.vertices, piece.triangles);
    body.seconds = of_piece[i]->piece == &piece ? of_piece[i]->seconds : 0;
    body.cached = of_piece[i]->cached;
  });
  for (const FittedBody& body : fit.bodies) fit.model.bodies.push_back(body.body);

  // The proof is that of the loader, by the same code.
  LoadOptions check;
  check.bodies = std::make_shared<const BodyModel>(fit.model);
  try {
    const std::vector<LinkBodies> of_link = choose_bodies(source.model, check);
    for_each_parallel(of_link.size(), options.threads, [&](std::size_t l) {
      if (of_link[l].empty()) return;
      const auto built = build_modelled(robot.links[l], of_link[l], {}, meshes);
      for (std::size_t i = 0; i < built.size(); ++i) {
        fit.bodies[of_link[l].bodies[i]].excess = built[i].info.excess;
      }
    });
  } catch (const Error& error) {
    throw Error(Error::Kind::internal, robot.file, 0,
                fmt::format("no proof for the bodies that were found: {}", error.what()),
                "try other points or parts; is the robot of a usual size, near its origin?");
  }
  return fit;
}

}  // namespace

Fit fit(const std::filesystem::path& file, const LoadOptions& load, const FitOptions& options) {
  rounding::require_mode();
  require_options(options);
  return fit_source(read_source(file, load), options);
}

Fit fit_builtin(const std::string& name, const LoadOptions& load, const FitOptions& options) {
  rounding::require_mode();
  require_options(options);
  return fit_source(read_builtin_source(name, load), options);
}

}  // namespace keepclear
