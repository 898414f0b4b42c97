// SPDX-License-Identifier: BSD-3-Clause
//
// What a certificate of a fit says, tried out: points of the shapes, and whether a body has them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "keepclear/body.hpp"
#include "keepclear/geometry.hpp"
#include "proof/statement.hpp"

namespace keepclear::test {

/// Throws std::exception for a text that is none.
class FitStatement {
 public:
  explicit FitStatement(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream in(line);
      std::string kind;
      in >> kind;
      if (kind == "hull") read_hull(in);
      if (kind == "shape") {
        shapes_.emplace_back();
        in >> shapes_.back().link;
        shapes_.back().grown = number(in) + number(in);
      }
      if (kind == "corner") shapes_.back().corners.push_back(vector(in));
      if (kind == "face") {
        std::array<std::size_t, 3> face{};
        for (std::size_t& corner : face) in >> corner;
        shapes_.back().faces.push_back(face);
      }
    }
  }

  /// How far the point that is farthest out is inside a body, of as many random ones a shape.
  double worst(std::mt19937_64& random, int samples) const {
    double worst = std::numeric_limits<double>::infinity();
    const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    for (const Shape& shape : shapes_) {
      for (int k = 0; k < samples; ++k) {
        std::vector<Vec3> corners = shape.corners;
        if (!shape.faces.empty()) {
          const auto& face = shape.faces[random() % shape.faces.size()];
          corners = {shape.corners.at(face[0]), shape.corners.at(face[1]),
                     shape.corners.at(face[2])};
        }
        // Corners and edges oftener than chance has them.
        Vec3 sum{};
        double weights = 0;
        for (const Vec3 corner : corners) {
          const double w = random() % 3 == 0 ? 0 : std::pow(uniform(), 3);
          sum = sum + w * corner;
          weights += w;
        }
        Vec3 x = weights > 0 ? (1 / weights) * sum : corners[0];
        Vec3 n{uniform() - 0.5, uniform() - 0.5, uniform() - 0.5};
        if (norm(n) > 1e-3) x = x + (shape.grown / norm(n)) * n;
        worst = std::min(worst, inside(shape.link, x));
      }
    }
    return worst;
  }

 private:
  struct Shape {
    std::size_t link = 0;
    double grown = 0;
    std::vector<Vec3> corners;
    std::vector<std::array<std::size_t, 3>> faces;
  };
  struct Hull {
    std::size_t link;
    double radius;
    Body points;
  };

  static double number(std::istream& in) {
    std::string word;
    in >> word;
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (word.empty() || *end != '\0' || !(std::fabs(value) < 1e6)) throw std::runtime_error(word);
    return value;
  }
  static Vec3 vector(std::istream& in) {
    const double x = number(in), y = number(in);
    return {x, y, number(in)};
  }
  void read_hull(std::istream& in) {
    std::size_t solid = 0, link = 0;
    in >> solid >> link;
    const double radius = number(in);
    std::vector<Vec3> points;
    while (in >> std::ws && !in.eof()) points.push_back(vector(in));
    hulls_.push_back({link, radius, Body::hull(points)});
  }
  double inside(std::size_t link, Vec3 x) const {
    double most = -std::numeric_limits<double>::infinity();
    for (const Hull& hull : hulls_) {
      if (hull.link != link) continue;
      const double apart = distance(Body::sphere(x, 0), {}, hull.points, {}).distance;
      most = std::max(most, hull.radius - apart);
    }
    return most;
  }

  std::vector<Shape> shapes_;
  std::vector<Hull> hulls_;
};

/// Of a certificate of any kind.
inline Statement::Seen worst_of(const std::string& text, std::mt19937_64& random, int samples) {
  if (text.find("\nclaim fit\n") == std::string::npos) {
    return Statement(text).worst(random, samples);
  }
  Statement::Seen seen;
  seen.beyond = FitStatement(text).worst(random, samples);
  return seen;
}

}  // namespace keepclear::test
