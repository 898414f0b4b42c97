// SPDX-License-Identifier: BSD-3-Clause
#include "against.hpp"

#include <sstream>

#include "contained.hpp"
#include "expected.hpp"

namespace verify {
namespace {

/// More pairs of solids than this are not looked through.
constexpr std::size_t kMostPairs = 50'000'000;
/// A writer lists the reasons of so many pairs; those of others are "left out" or "allowed".
constexpr std::size_t kMostReasons = 100'000;

class Comparison {
 public:
  Comparison(const Certificate& certificate, const Given& given)
      : certificate_(certificate), world_(certificate.world), given_(given), is_(expect(given)) {}

  void compare() {
    match_links();
    match_solids();
    if (const std::string name = certificate_.name; name != is_.world)
      throw Differs{"its world is called '" + name + "', the files call it '" + is_.world + "'"};
    compare_numbers();
    for (std::size_t i = 0; i < world_.links.size(); ++i) compare_link(world_.links[i], link_(i));
    for (std::size_t i = 0; i < world_.solids.size(); ++i)
      compare_solid(world_.solids[i], solid_(i));
    const bool fit = certificate_.claim.kind == "fit";
    if (!fit) compare_margins(), compare_skips();
    if (certificate_.claim.kind == "never") compare_ranges();
    for (std::size_t i = 0; i < world_.solids.size(); ++i) compare_shapes(i);
    if (fit) compare_fit();
  }

  std::string in_words() const {
    std::ostringstream out;
    out << world_.links.size() << " links, " << world_.numbers.size() << " numbers, "
        << world_.solids.size() << " solids of " << pieces_ << " shapes (" << triangles_
        << " triangles) and " << world_.skips.size()
        << " skipped pairs are as the files say; numbers compared within " << kAlike
        << ", shapes within " << kOutside << " of their size";
    if (!is_.seen.empty())
      out << "\nnote: a model stands for the " << is_.seen
          << " of links, not for their collision shapes";
    return out.str();
  }

 private:
  const Expected::Link& link_(std::size_t of_certificate) const {
    return is_.links[links_[of_certificate]];
  }
  const Expected::Solid& solid_(std::size_t of_certificate) const {
    return is_.solids[solids_[of_certificate]];
  }
  bool has_objects() const { return certificate_.claim.kind != "fit"; }
  static void demand(bool holds, const std::string& of, const std::string& what) {
    if (!holds) throw Differs{of + ": " + what};
  }

  /// Names to names, one to one. `lost`: what is in the certificate and in no file.
  template <typename Here, typename There, typename Counts, typename Lost>
  static std::vector<std::size_t> match(const std::string& what, const Here& here,
                                        const There& there, const Counts& counts,
                                        const Lost& lost) {
    std::map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < there.size(); ++i)
      if (counts(there[i])) known.emplace(there[i].name, i);
    std::vector<std::size_t> found;
    for (const auto& one : here) {
      const auto at = known.find(one.name);
      if (at == known.end()) lost(one);
      found.push_back(at->second);
      known.erase(at);
    }
    if (!known.empty()) throw Differs{"no " + what + " " + known.begin()->first};
    return found;
  }

  void match_links() {
    const bool of_scene = world_.links[0].name.empty();
    if (of_scene && !is_.is_scene) throw CannotTell{"its world is a scene: give the scene, too"};
    if (!of_scene && is_.is_scene) throw Differs{"its world is no scene, and a scene is given"};
    links_ = match(
        "link", world_.links, is_.links,
        [&](const Expected::Link& l) { return has_objects() || !l.standing; },
        [&](const Link& l) {
          throw Differs{"link " + l.name + " is in no file, or stands twice"};
        });
  }

  void match_solids() {
    solids_ = match(
        "solid", world_.solids, is_.solids,
        [&](const Expected::Solid& s) { return has_objects() || !s.object; },
        [&](const Solid& s) {
          if (!given_.model && made_with_model())
            throw CannotTell{"solid " + s.name + " is of a model: give the model, too"};
          throw Differs{"solid " + s.name + " is in no file, or stands twice"};
        });
  }

  bool made_with_model() const {
    if (certificate_.claim.kind == "fit") return true;
    for (const auto& [name, value] : certificate_.options)
      if (name == "model") return true;
    return false;
  }

  void compare_numbers() const {
    const auto order = match(
        "number", world_.numbers, is_.numbers, [](const Number&) { return true; },
        [](const Number& n) {
          throw Differs{"number " + n.name + " is in no file, or stands twice"};
        });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Number &here = world_.numbers[i], &there = is_.numbers[order[i]];
      demand(here.lower == there.lower && here.upper == there.upper, "number " + here.name,
             "other limits");
    }
  }

  void compare_link(const Link& here, const Expected::Link& there) const {
    const std::string of = "link " + here.name;
    const std::size_t index = static_cast<std::size_t>(&here - world_.links.data());
    if (index == 0) return demand(links_[0] == 0, of, "it is not the root");
    demand(links_[index] != 0 && links_[here.parent] == there.parent, of, "another parent");
    demand(here.kind == there.kind, of, "another kind of joint");
    const Place place{{middle(here.turn[0]), middle(here.turn[1]), middle(here.turn[2])},
                      middle(here.shift)};
    demand(alike(place, there.place), of, "another origin");
    if (here.kind == fixed) return;
    if (here.kind != floating) demand(alike(middle(here.axis), there.axis), of, "another axis");
    if (here.kind == planar) {
      // The direction of its x: what is across its axis of x, y or z, by the rule of §8.
      const Point a = there.axis, size = {std::abs(a[0]), std::abs(a[1]), std::abs(a[2])};
      const bool z = size[2] >= size[0] && size[2] >= size[1];
      const Point beside = z                    ? Point{1, 0, 0}
                           : size[0] >= size[1] ? Point{0, 1, 0}
                                                : Point{0, 0, 1};
      const Point across = beside - inner(beside, a) * a;
      demand(alike(middle(here.across), (1 / norm(across)) * across), of,
             "another direction of its x");
    }
    for (std::size_t k = 0; k < there.numbers.size(); ++k)
      demand(world_.numbers[here.number + k].name == there.numbers[k], of,
             "its joint reads number " + world_.numbers[here.number + k].name + ", not " +
                 there.numbers[k]);
    demand(here.follows == there.follows, of, "its joint follows another, or in another way");
  }

  /// The pose of a link in the first link of those that are fixed to each other.
  Place in_group(std::size_t link) const {
    if (link == world_.links[link].group) return {};
    const Link& l = world_.links[link];
    return in_group(l.parent) *
           Place{{middle(l.turn[0]), middle(l.turn[1]), middle(l.turn[2])}, middle(l.shift)};
  }

  void compare_solid(const Solid& here, const Expected::Solid& there) const {
    const std::string of = "solid " + here.name;
    demand(here.object == there.object, of, there.object ? "it is an object" : "it is a link");
    demand(links_[here.link] == there.link, of, "it is another link");
  }

  /// Its bodies contain all its shapes.
  void compare_shapes(std::size_t index) {
    const Solid& here = world_.solids[index];
    const Expected::Solid& there = solid_(index);
    const std::string of = "solid " + here.name;
    std::vector<PlacedConvex> bodies;
    const Place in_first = in_group(here.link);
    for (std::size_t b = here.first; b < here.last; ++b) {
      const Body& body = world_.bodies[b];
      if (!body.plane) bodies.push_back({Convex(body), in_group(body.link).inverse() * in_first});
    }
    for (std::size_t p = 0; p < there.pieces.size(); ++p) {
      const Element& piece = there.pieces[p];
      ++pieces_;
      if (piece.shape.kind == Form::plane) {
        compare_plane(here, piece.shape, of);
        continue;
      }
      Mesh mesh;
      if (piece.shape.kind == Form::mesh) mesh = scaled(piece.shape);
      triangles_ += mesh.faces.size();
      // Of clouds each ball has a body of its own, in their order.
      std::span<const PlacedConvex> in(bodies);
      if (there.object && piece.shape.kind == Form::ball && bodies.size() == there.pieces.size())
        in = in.subspan(p, 1);
      const std::string why = why_outside(piece.shape, mesh, piece.place, in);
      if (why.empty()) continue;
      if (!given_.model && made_with_model())
        throw CannotTell{of + ": its bodies are of a model: give the model, too"};
      throw Differs{of + ": a shape " + (piece.shape.file.empty() ? "" : piece.shape.file + " ") +
                    "is not in its bodies: " + why};
    }
  }

  void compare_plane(const Solid& here, const Form& plane, const std::string& of) const {
    const double length = norm(plane.normal);
    for (std::size_t b = here.first; b < here.last; ++b) {
      const Body& body = world_.bodies[b];
      if (body.plane && body.link == here.link && body.offset >= plane.offset &&
          alike(middle(body.normal), (1 / length) * plane.normal))
        return;
    }
    throw Differs{of + ": it is not the plane of the file"};
  }

  Mesh scaled(const Form& shape) {
    const auto key = std::make_pair(shape.file, shape.scale);
    const auto known = shape.file.empty() ? meshes_.end() : meshes_.find(key);
    if (known != meshes_.end()) return known->second;
    Mesh mesh = shape.file.empty() ? shape.inside : checked_mesh(shape.file);
    for (Point& p : mesh.points)
      for (std::size_t i = 0; i < 3; ++i) p[i] *= shape.scale[i];
    if (!shape.file.empty()) meshes_[key] = mesh;
    return mesh;
  }

  Mesh checked_mesh(const std::filesystem::path& path) const {
    const std::string hash = sha256(read_file(path));
    bool named = false, listed = false;
    for (const auto& [source_hash, source] : certificate_.sources) {
      named |= std::filesystem::path(source).filename() == path.filename();
      listed |= source_hash == hash;
    }
    if (named && !listed)
      throw Differs{path.string() + " is not the file that was read: it has another hash"};
    return read_mesh(path);
  }

  void compare_fit() const {
    if (certificate_.shapes != pieces_)
      throw Differs{"it has " + std::to_string(certificate_.shapes) + " shapes, the files have " +
                    std::to_string(pieces_)};
  }

  /// Each is that of the files, or what was asked for beyond, which is the same for all.
  void compare_margins() const {
    const std::string& kind = certificate_.claim.kind;
    const bool adds = kind == "guard";
    const double more = world_.margin - is_.margin;
    const auto right = [&](double here, double there) {
      if (kind == "never") return here == 0;
      if (adds) return more >= 0 && alike(here, there + more) && here >= there;
      return here >= there && here <= std::max(there, world_.margin);
    };
    const auto compare = [&](std::size_t a, std::size_t b) {
      demand(right(world_.margin_of(a, b), is_.margin_of(solids_[a], solids_[b])),
             world_.solids[a].name + " and " + world_.solids[b].name, "another margin");
    };
    if (!right(world_.margin, is_.margin)) throw Differs{"another margin"};
    for (const auto& [ab, margin] : world_.margins) compare(ab.first, ab.second);
    std::vector<std::size_t> back(is_.solids.size());
    for (std::size_t i = 0; i < solids_.size(); ++i) back[solids_[i]] = i;
    for (const auto& [pair, margin] : is_.margins) {
      const Pair ab = std::minmax(back[pair.first], back[pair.second]);
      if (world_.meet(ab.first, ab.second) && !world_.skips.contains(ab))
        compare(ab.first, ab.second);
    }
  }

  /// Whether the pair is skipped.
  bool compare_skip(const Pair& ab, bool unlisted) const {
    const auto skip = world_.skips.find(ab);
    const bool skipped = skip != world_.skips.end();
    const auto why = is_.why_skipped(solids_[ab.first], solids_[ab.second]);
    if (!skipped && !why) return false;
    const std::string of = world_.solids[ab.first].name + " and " + world_.solids[ab.second].name;
    demand(skipped, of, "not skipped, as the files have it");
    const std::string& word = skip->second.first;
    if (!why && word.starts_with("disabled") && !is_.has_srdf)
      throw CannotTell{of + " are skipped by an SRDF: give it, too"};
    demand(why.has_value(), of, "skipped as '" + word + "', for which no file gives a reason");
    demand(skip->second == *why || (unlisted && (word == "left out" || word == "allowed")), of,
           "skipped as '" + word + "', and not as '" + why->first + " " + why->second + "'");
    return true;
  }

  /// Those that the files give a reason for, and no others.
  void compare_skips() const {
    const std::size_t n = world_.solids.size();
    std::vector<std::size_t> moving;
    for (std::size_t i = 0; i < n; ++i)
      if (!world_.solid_still(i)) moving.push_back(i);
    if (moving.size() * n > kMostPairs) throw CannotTell{"more than 50 million pairs of solids"};
    const bool unlisted = n * n / 2 > kMostReasons;
    std::size_t found = 0;
    for (const std::size_t i : moving)
      for (std::size_t j = 0; j < n; ++j)
        if (world_.meet(i, j) && (i < j || world_.solid_still(j)))
          found += compare_skip(std::minmax(i, j), unlisted);
    if (found != world_.skips.size()) throw Differs{"a skipped pair that no joint is between"};
  }

  /// Of pairs that never touch the whole range of each number is claimed.
  void compare_ranges() const {
    if (certificate_.claim.ranges.size() != world_.numbers.size())
      return;                                                // the world alone is read
    std::vector<bool> returns(world_.numbers.size(), true);  // after a whole turn
    for (const Link& l : world_.links) {
      if (l.kind == slide || l.kind == planar || l.kind == floating) {
        for (std::size_t k = 0; k < kNumbers[l.kind]; ++k)
          if (l.kind != planar || k < 2) returns[l.number + k] = false;
      }
      for (const auto& [factor, offset] : l.follows)
        if (std::trunc(factor) != factor) returns[l.number] = false;
    }
    for (std::size_t i = 0; i < world_.numbers.size(); ++i) {
      const Number& n = world_.numbers[i];
      const Range& range = certificate_.claim.ranges[i];
      const bool whole_turn = returns[i] && range.hi - range.lo >= 2 * 3.14159265358979356;
      demand(
          (range.lo <= n.lower && range.hi >= n.upper) || (whole_turn && !std::isfinite(n.lower)),
          "number " + n.name, "less than its whole range is claimed");
    }
  }

  const Certificate& certificate_;
  const World& world_;
  const Given& given_;
  const Expected is_;
  std::vector<std::size_t> links_, solids_;  // of the certificate: where they are expected
  std::map<std::pair<std::string, Point>, Mesh> meshes_;
  std::size_t pieces_ = 0, triangles_ = 0;
};

}  // namespace

std::string against(const Certificate& certificate, const std::vector<std::filesystem::path>& files,
                    const Packages& packages) {
  const Given given = sorted(files, packages);
  Comparison comparison(certificate, given);
  comparison.compare();
  std::string names;
  for (const auto& file : files) names += (names.empty() ? "" : ", ") + file.string();
  return names + ": " + comparison.in_words();
}

}  // namespace verify
