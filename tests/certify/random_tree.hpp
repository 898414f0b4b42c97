// SPDX-License-Identifier: BSD-3-Clause
//
// Random robots with all kinds of joints.
#pragma once

#include <random>
#include <string>

#include "scene/worlds.hpp"

namespace keepclear::test {

/// A tree of links with balls and boxes on joints of all kinds, one of them a mimic.
inline World random_tree(std::mt19937_64& random) {
  const auto number = [&](double lower, double upper) {
    return lower + (upper - lower) * (static_cast<double>(random() >> 11) * 0x1p-53);
  };
  const auto triple = [&](double size) {
    return std::to_string(number(-size, size)) + " " + std::to_string(number(-size, size)) + " " +
           std::to_string(number(-size, size));
  };
  std::string parts = link("l0", sphere(0.1));
  const int links = 3 + static_cast<int>(random() % 6);
  for (int i = 1; i <= links; ++i) {
    const std::string name = "l" + std::to_string(i);
    parts += "<link name=\"" + name + "\"><collision><origin xyz=\"" + triple(0.2) + "\" rpy=\"" +
             triple(3) + "\"/><geometry>" +
             (random() % 2 == 0 ? sphere(number(0.01, 0.1))
                                : "<box size=\"" + std::to_string(number(0.05, 0.4)) + " " +
                                      std::to_string(number(0.05, 0.2)) + " 0.05\"/>") +
             "</geometry></collision></link>";
    const char* kinds[] = {"revolute", "revolute", "continuous", "prismatic", "planar", "floating"};
    std::string rest = "<origin xyz=\"" + triple(0.5) + "\" rpy=\"" + triple(3) +
                       "\"/><axis xyz=\"" + triple(1) + "\"/>";
    const char* kind = kinds[random() % 6];
    if (i == links) {
      kind = "revolute";
      rest += "<mimic joint=\"j1\" multiplier=\"-1.5\" offset=\"0.2\"/>";
    }
    if (i == 1) kind = "continuous";
    const int parent = random() % 3 == 0 ? static_cast<int>(random() % i) : i - 1;
    parts += joint("j" + std::to_string(i), kind, "l" + std::to_string(parent), name, rest);
  }
  return world_of(test::robot(parts));
}

}  // namespace keepclear::test
