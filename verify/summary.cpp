// SPDX-License-Identifier: BSD-3-Clause
// What a certificate claims, in words. No part of the proof.
#include <sstream>

#include "certificate.hpp"

namespace verify {

std::string Certificate::in_words() const {
  std::ostringstream out;
  out.precision(17);
  auto duration = [](const Path& p) { return p.pieces.back().end - p.pieces.front().begin; };
  if (claim.kind == "fit") {
    out << "each of " << shapes << " shapes is covered by the bodies of its link";
    return out.str();
  }
  if (pairs == 0) return "nothing: no pair of solids is claimed";
  out << pairs << " pairs of solids stay farther apart than their margins and at least "
      << claim.clearance << " m, ";
  if (claim.kind == "path") out << "along a motion of " << duration(claim.paths[0]) << " s";
  if (claim.kind == "clocks") {
    out << "while " << claim.paths.size() << " robots move for";
    for (const Path& p : claim.paths) out << ' ' << duration(p);
    out << " s with clocks that differ by up to " << claim.offset << " s";
  }
  if (claim.kind == "box")
    out << "in every configuration of a box of " << claim.ranges.size() << " numbers";
  if (claim.kind == "never")
    out << "wherever the " << claim.ranges.size() << " numbers are in their ranges";
  if (claim.kind == "guard")
    out << "while braking from any of " << claim.cycles.size() << " measured states";
  return out.str();
}

std::string Certificate::summary(std::string_view hash) const {
  constexpr std::size_t kListed = 50;
  std::ostringstream out;
  out.precision(17);
  out << "verdict      valid\nclaim        " << claim.kind << ": " << in_words()
      << "\nworld        " << name << ": " << world.links.size() << " links, "
      << world.solids.size() << " solids, " << world.bodies.size() << " bodies, "
      << world.numbers.size() << " numbers\n";
  if (claim.kind != "fit") out << "margin       " << world.margin << " m";
  for (const auto& [ab, m] : world.margins)
    out << "; " << world.solids[ab.first].name << " - " << world.solids[ab.second].name << ' ' << m
        << " m";
  out << (claim.kind != "fit" ? "\n" : "");
  for (const Loose& l : world.loose)
    out << "assumed      " << world.links[l.link].name << " is off by up to " << l.metres
        << " m and " << l.radians << " rad\n";
  if (world.stray > 0) out << "assumed      what moves is off by up to " << world.stray << " m\n";
  for (std::size_t k = 0; k < world.numbers.size(); ++k) {
    const Number& n = world.numbers[k];
    if (!claim.ranges.empty())
      out << "range        " << n.name << ' ' << claim.ranges[k].lo << " to " << claim.ranges[k].hi
          << '\n';
    for (const Path& p : claim.paths)
      if (k >= p.first && k < p.first + p.count) {
        double wide = 0;
        for (std::size_t i = k - p.first; i < p.tube.size(); i += p.count)
          wide = std::max(wide, p.tube[i]);
        if (p.beside[k - p.first] + wide > 0)
          out << "assumed      " << n.name << " is beside the motion by up to "
              << p.beside[k - p.first] + wide << '\n';
      }
    if (!claim.brakes.empty()) {
      const Brake& b = claim.brakes[k];
      out << "assumed      " << n.name << " speeds up by at most " << b.a << ", brakes by " << b.b
          << " to " << b.most << ", is measured within " << b.ep << ", its velocity within " << b.ev
          << ", its command within " << b.ea
          << (b.stops ? ", and does not pass its limits\n" : "\n");
    }
  }
  if (claim.kind == "clocks")
    out << "assumed      clocks differ by up to " << claim.offset << " s\n";
  if (claim.kind == "guard")
    out << "assumed      braking takes hold within " << claim.latency << " s of the measurement\n";
  std::size_t count = 0;
  for (const auto& [ab, why] : world.skips)
    if (++count <= kListed)
      out << "not claimed  " << world.solids[ab.first].name << " - " << world.solids[ab.second].name
          << ": " << why.first << ' ' << why.second << '\n';
  if (count > kListed) out << "not claimed  " << count - kListed << " pairs more\n";
  for (const Link& l : world.links) {
    const std::size_t i = static_cast<std::size_t>(&l - world.links.data());
    if (std::none_of(world.solids.begin(), world.solids.end(),
                     [&](const Solid& s) { return s.link == i; }))
      out << "no body on   " << l.name << '\n';
  }
  for (const std::string& n : notes) out << "note         " << n << '\n';
  for (const auto& [n, value] : options) out << "option       " << n << ' ' << value << '\n';
  out << "proof        " << records << " records\nwritten by   " << program << ' ' << version
      << "\ninventory    " << inventory << '\n';
  for (const auto& [hash_of, file] : sources)
    out << "source       " << hash_of << ' ' << file << '\n';
  out << "certificate  " << hash
      << "\ncheck again  keepclear-verify FILE, where sha256sum FILE is the line above\n";
  return out.str();
}

}  // namespace verify
