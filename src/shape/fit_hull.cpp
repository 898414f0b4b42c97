// SPDX-License-Identifier: BSD-3-Clause
#include "shape/fit_hull.hpp"

#include <algorithm>
#include <cmath>
#include <coin/ClpSimplex.hpp>
#include <limits>
#include <numbers>
#include <random>

#include "shape/certificate.hpp"
#include "shape/small_hull.hpp"

namespace keepclear {
namespace {

/// Directions in which the set of balls that the search looks at is extreme; the others are looked
/// at when a search has ended, and join if they stick out.
constexpr int kDirections = 300;
/// Steps of one search, and shares of a step that the line search tries.
constexpr int kMaxSteps = 80;
constexpr double kShares[] = {1.0, 0.5, 1.6, 0.25, 0.12, 0.05, 0.015};
/// Of a set of size one: the first step, and the one at which a search ends.
constexpr double kFirstStep = 0.1;
constexpr double kLastStep = 2e-5;

/// Starts whose points are as near as this to those of another lead to the same place.
constexpr double kAlike = 0.15;
constexpr double kLongestJump = 0.4;

struct Ball {
  Vec3 centre;
  double radius = 0;
};

using Points = std::vector<Vec3>;
using Random = std::mt19937_64;

double uniform(Random& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

/// A search in coordinates in which the set has size one and the origin in its middle.
class Search {
 public:
  explicit Search(std::vector<Ball> balls) : all_(std::move(balls)) {
    for (const Ball& ball : all_) least_radius_ = std::max(least_radius_, ball.radius);
    std::vector<char> taken(all_.size(), 0);
    for (int i = 0; i < kDirections; ++i) {
      const Vec3 u = direction(i);
      std::size_t best = 0;
      double reach = -std::numeric_limits<double>::infinity();
      for (std::size_t b = 0; b < all_.size(); ++b) {
        const double here = dot(u, all_[b].centre) + all_[b].radius;
        if (here > reach) {
          reach = here;
          best = b;
        }
      }
      taken[best] = 1;
    }
    for (std::size_t b = 0; b < all_.size(); ++b) {
      if (taken[b]) balls_.push_back(all_[b]);
    }
    for (const Ball& ball : balls_) middle_ = middle_ + ball.centre;
    middle_ = (1 / static_cast<double>(balls_.size())) * middle_;
    Points centres;
    for (const Ball& ball : balls_) centres.push_back(ball.centre);
    spread_ = certificate::measure(centres);
    least_volume_ = 0.999 * SmallHull(centres).volume(least_of(balls_));
  }

  std::size_t ball_count() const { return all_.size(); }

  /// (34): the radius with which the hull of the points contains the balls.
  double radius(const SmallHull& hull, const std::vector<Ball>& balls) const {
    double r = least_radius_;
    for (const Ball& ball : balls) {
      r = std::max(r, hull.nearest(ball.centre).distance + ball.radius);
    }
    return r;
  }

  double volume(const Points& points) {
    hull_.assign(points);
    return possible(hull_.volume(radius(hull_, balls_)));
  }

  /// With all balls, not only those that the search looks at.
  FittedPoints judge(const Points& points) {
    hull_.assign(points);
    const double r = radius(hull_, all_);
    return {points, r, possible(hull_.volume(r))};
  }

  /// A start of one of three kinds, all of them drawn towards the middle by a random share: any
  /// centres, centres far from each other, or two rings around an axis.
  static constexpr int kKinds = 3;
  Points draw(int kind, int count, Random& random) const {
    const double share = uniform(random) * uniform(random);
    Points points = kind == 0   ? any_centres(count, random)
                    : kind == 1 ? far_centres(count, random)
                                : two_rings(count, random);
    for (Vec3& p : points) p = p + share * (middle_ - p);
    return points;
  }

  /// The points, and one more: a ball's centre drawn back along the way it sticks out by, where
  /// that lowers the volume most.
  Points grow(const Points& points) {
    hull_.assign(points);
    const double r = radius(hull_, balls_);
    const SmallHull before = hull_;
    Points best;
    double least = std::numeric_limits<double>::infinity();
    for (const Ball& ball : balls_) {
      const SmallHull::Nearest near = before.nearest(ball.centre);
      if (near.distance + ball.radius < 0.5 * r) continue;
      for (const double back : {0.3, 0.7}) {
        Points more = points;
        more.push_back(ball.centre - back * near.distance * near.direction);
        const double here = volume(more);
        if (here < least) {
          least = here;
          best = std::move(more);
        }
      }
    }
    if (best.empty()) {
      best = points;
      best.push_back(points.back());
    }
    return best;
  }

  /// Steps downhill until they no longer help, with every ball that turns out to stick out.
  FittedPoints improve(Points points) {
    for (int round = 0; round < 8; ++round) {
      descend(points);
      if (!watch_what_sticks_out(points)) break;
    }
    return judge(points);
  }

 private:
  /// A body that contains the balls is no smaller than their hull. A search would find any points
  /// for which rounding says otherwise.
  double possible(double volume) const {
    return volume >= least_volume_ ? volume : std::numeric_limits<double>::infinity();
  }
  static double least_of(const std::vector<Ball>& balls) {
    double least = std::numeric_limits<double>::infinity();
    for (const Ball& ball : balls) least = std::min(least, ball.radius);
    return least;
  }

  Vec3 any_centre(Random& random) const { return balls_[random() % balls_.size()].centre; }

  Points any_centres(int count, Random& random) const {
    Points points;
    for (int i = 0; i < count; ++i) points.push_back(any_centre(random));
    return points;
  }

  /// Each the farthest of a few from those before it.
  Points far_centres(int count, Random& random) const {
    Points points{any_centre(random)};
    while (static_cast<int>(points.size()) < count) {
      Vec3 best;
      double most = -1;
      for (int i = 0; i < 8; ++i) {
        const Vec3 p = any_centre(random);
        double least = std::numeric_limits<double>::infinity();
        for (const Vec3& q : points) least = std::min(least, squared_norm(p - q));
        if (least > most) {
          most = least;
          best = p;
        }
      }
      points.push_back(best);
    }
    return points;
  }

  /// Half of the points around either end of the set along an axis, a corner of the box in that
  /// direction each: with eight points the corners of a box.
  Points two_rings(int count, Random& random) const {
    // Meshes mostly lie along the axes of their frame; else their own length and width are taken.
    const Vec3 axes[6] = {{1, 0, 0},     {0, 1, 0},    {0, 0, 1},
                          spread_.along, spread_.side, spread_.normal};
    const auto frame = 3 * (random() % 2), pick = random() % 3;
    const Vec3 w = axes[frame + pick], u = axes[frame + (pick + 1) % 3],
               v = axes[frame + (pick + 2) % 3];
    double low[3], high[3];
    for (int k = 0; k < 3; ++k) {
      const Vec3 axis = k == 0 ? u : k == 1 ? v : w;
      low[k] = std::numeric_limits<double>::infinity();
      high[k] = -low[k];
      for (const Ball& ball : balls_) {
        low[k] = std::min(low[k], dot(axis, ball.centre));
        high[k] = std::max(high[k], dot(axis, ball.centre));
      }
    }
    const double phase = 2 * std::numbers::pi * uniform(random);
    const int lower = count / 2;
    Points points;
    for (int i = 0; i < count; ++i) {
      const int ring = i < lower ? lower : count - lower;
      const double angle = phase + 2 * std::numbers::pi * (i < lower ? i : i - lower) / ring;
      const double a = (low[0] + high[0]) / 2 + (high[0] - low[0]) / std::sqrt(2) * std::cos(angle);
      const double b = (low[1] + high[1]) / 2 + (high[1] - low[1]) / std::sqrt(2) * std::sin(angle);
      points.push_back(a * u + b * v + (i < lower ? low[2] : high[2]) * w);
    }
    return points;
  }

  /// Points of a sphere in even spirals.
  static Vec3 direction(int i) {
    const double z = 1 - (2.0 * i + 1) / kDirections;
    const double angle = i * std::numbers::pi * (3 - std::sqrt(5.0));
    const double rho = std::sqrt(1 - z * z);
    return {rho * std::cos(angle), rho * std::sin(angle), z};
  }

  bool watch_what_sticks_out(const Points& points) {
    hull_.assign(points);
    const double r = radius(hull_, balls_);
    std::vector<Ball> more;
    for (const Ball& ball : all_) {
      if (hull_.nearest(ball.centre).distance + ball.radius > r + 1e-7) more.push_back(ball);
    }
    balls_.insert(balls_.end(), more.begin(), more.end());
    return !more.empty();
  }

  void descend(Points& points) {
    double step = kFirstStep;
    double now = volume(points);
    for (int i = 0; i < kMaxSteps && step > kLastStep; ++i) {
      const Points way = find_direction(points, step);
      if (way.empty()) break;
      double best = now, share = 0;
      Points best_points;
      for (const double s : kShares) {
        if (share > 0 && s < share) break;  // what is shorter than what helped
        Points there = points;
        for (std::size_t p = 0; p < there.size(); ++p) there[p] = there[p] + s * way[p];
        const double here = volume(there);
        if (here < best) {
          best = here;
          share = s;
          best_points = std::move(there);
        }
      }
      if (share == 0) {
        step *= 0.15;
        continue;
      }
      double longest = 0;
      for (const Vec3& w : way) {
        longest = std::max({longest, std::abs(w.x), std::abs(w.y), std::abs(w.z)});
      }
      const double gain = now - best;
      points = std::move(best_points);
      now = best;
      // A step that did little was too long for the bends of the way.
      step = std::min(kFirstStep, 1.5 * share * longest);
      if (gain < 1e-6 * now) step = std::min(step, 0.15 * longest);
    }
  }

  /// The step that lowers the linearised volume most while all linearised containments hold, no
  /// coordinate changing by more than `step`. Empty if there is none.
  Points find_direction(const Points& points, double step) {
    hull_.assign(points);
    const double r = radius(hull_, balls_);
    const int columns = static_cast<int>(3 * points.size() + 1);
    Points by_point(points.size());
    double by_radius = 0;
    hull_.gradient(r, by_point, by_radius);
    cost_.clear();
    for (const Vec3& g : by_point) cost_.insert(cost_.end(), {g.x, g.y, g.z});
    cost_.push_back(by_radius);
    lower_.assign(columns, -step);
    upper_.assign(columns, step);
    lower_.back() = std::max(-2 * step, least_radius_ - r);
    upper_.back() = 2 * step;
    // A ball that cannot come to stick out within the step needs no row.
    starts_.assign(1, 0);
    index_.clear();
    value_.clear();
    row_lower_.clear();
    for (const Ball& ball : balls_) {
      const SmallHull::Nearest near = hull_.nearest(ball.centre);
      const double slack = r - near.distance - ball.radius;
      if (slack > 4 * step) continue;
      for (int k = 0; k < 3; ++k) {
        if (!(near.weight[k] > 0)) continue;
        const int column = static_cast<int>(3 * near.v[k]);
        const Vec3 w = near.weight[k] * near.direction;
        index_.insert(index_.end(), {column, column + 1, column + 2});
        value_.insert(value_.end(), {w.x, w.y, w.z});
      }
      index_.push_back(columns - 1);
      value_.push_back(1);
      starts_.push_back(static_cast<CoinBigIndex>(index_.size()));
      row_lower_.push_back(-slack);
    }
    return solve(columns, static_cast<int>(points.size()));
  }

  Points solve(int columns, int count) {
    const int rows = static_cast<int>(row_lower_.size());
    const CoinPackedMatrix matrix(false, columns, rows, static_cast<CoinBigIndex>(index_.size()),
                                  value_.data(), index_.data(), starts_.data(), nullptr);
    lp_.setLogLevel(0);
    lp_.loadProblem(matrix, lower_.data(), upper_.data(), cost_.data(), row_lower_.data(), nullptr);
    lp_.dual();
    if (!lp_.isProvenOptimal()) return {};
    const double* x = lp_.getColSolution();
    Points way(static_cast<std::size_t>(count));
    double gain = 0;
    for (int c = 0; c < columns; ++c) gain -= cost_[c] * x[c];
    if (!(gain > 0)) return {};
    for (std::size_t p = 0; p < way.size(); ++p) way[p] = {x[3 * p], x[3 * p + 1], x[3 * p + 2]};
    return way;
  }

  std::vector<Ball> all_, balls_;
  double least_radius_ = 0;
  double least_volume_ = 0;
  Vec3 middle_;
  certificate::Spread spread_;
  SmallHull hull_;
  std::vector<double> cost_, lower_, upper_, value_, row_lower_;
  std::vector<int> index_;
  std::vector<CoinBigIndex> starts_;
  ClpSimplex lp_;
};

struct Start {
  double volume = 0;
  Points points;
};

/// Each point of one set has a point of the other nearby.
bool alike(const Points& a, const Points& b) {
  return std::all_of(a.begin(), a.end(), [&](const Vec3& p) {
    return std::any_of(b.begin(), b.end(),
                       [&](const Vec3& q) { return squared_norm(p - q) < kAlike * kAlike; });
  });
}

/// The best draws of one kind, no two of them alike.
void add_starts(Search& search, int kind, int count, int draws, std::size_t wanted, Random& random,
                std::vector<Start>& starts) {
  std::vector<Start> drawn;
  for (int i = 0; i < draws; ++i) {
    Points points = search.draw(kind, count, random);
    const double volume = search.volume(points);
    drawn.push_back({volume, std::move(points)});
  }
  std::stable_sort(drawn.begin(), drawn.end(),
                   [](const Start& a, const Start& b) { return a.volume < b.volume; });
  const std::size_t first = starts.size();
  for (Start& start : drawn) {
    if (starts.size() - first >= wanted) break;
    const bool known =
        std::any_of(starts.begin() + static_cast<std::ptrdiff_t>(first), starts.end(),
                    [&](const Start& s) { return alike(s.points, start.points); });
    if (!known) starts.push_back(std::move(start));
  }
}

FittedPoints best_of(Search& search, int count, const FittedPoints* before,
                     const FitSearch& options) {
  Random random(options.seed * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(count));
  std::vector<Start> starts;
  for (int kind = 0; kind < Search::kKinds; ++kind) {
    const auto share = [&](int all) { return (all + Search::kKinds - 1 - kind) / Search::kKinds; };
    add_starts(search, kind, count, share(options.starts),
               static_cast<std::size_t>(share(options.refined)), random, starts);
  }
  FittedPoints best;
  best.volume = std::numeric_limits<double>::infinity();
  if (before != nullptr) {
    starts.push_back({0, search.grow(before->points)});
    best = search.judge(before->points);
  }
  const auto improve = [&](Points points) {
    FittedPoints here = search.improve(std::move(points));
    if (here.volume < best.volume) best = std::move(here);
  };
  for (Start& start : starts) improve(std::move(start.points));
  // From the best, small jumps into the valleys beside it.
  for (int i = 0; i < options.refined / 2; ++i) {
    Points points = best.points;
    points.resize(static_cast<std::size_t>(count), points.front());
    const double jump = kLongestJump * uniform(random);
    for (Vec3& p : points) {
      p = p + jump * Vec3{uniform(random) - 0.5, uniform(random) - 0.5, uniform(random) - 0.5};
    }
    improve(std::move(points));
  }
  if (best.points.empty()) best = search.judge({Vec3{}});  // no search got anywhere
  return best;
}

}  // namespace

std::vector<FittedPoints> fit_points(const FitInput& input, int most, const FitSearch& search) {
  Vec3 low = input.points.front(), high = low;
  for (const Vec3& p : input.points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const Vec3 middle = 0.5 * (low + high);
  double size = norm(high - low);
  for (const double r : input.radii) size = std::max(size, r);
  if (!(size > 0)) size = 1;  // one point: any size will do
  std::vector<Ball> balls;
  for (std::size_t i = 0; i < input.points.size(); ++i) {
    balls.push_back({(1 / size) * (input.points[i] - middle), input.radii[i] / size});
  }
  Search in(balls);
  std::vector<FittedPoints> fits;
  for (int n = 1; n <= most; ++n) {
    FittedPoints fit = best_of(in, n, fits.empty() ? nullptr : &fits.back(), search);
    if (balls.size() <= static_cast<std::size_t>(n)) {
      Points corners;
      for (const Ball& ball : balls) corners.push_back(ball.centre);
      FittedPoints whole = in.judge(corners);
      if (whole.volume < fit.volume) fit = std::move(whole);
    }
    fits.push_back(std::move(fit));
    if (search.done) search.done(n);
  }
  for (FittedPoints& fit : fits) {
    for (Vec3& p : fit.points) p = middle + size * p;
    fit.radius *= size;
    fit.volume *= size * size * size;
  }
  return fits;
}

}  // namespace keepclear
