// SPDX-License-Identifier: BSD-3-Clause
//
// What every benchmark's main does.
#pragma once

#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace keepclear::bench {

/// The items of a list with commas.
inline std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> items;
  std::istringstream in(list);
  for (std::string item; std::getline(in, item, ',');) items.push_back(item);
  return items;
}

/// Reads the options and runs. Exits 64 with the usage for a wrong call, 70 for a failure.
template <typename Parse, typename Run>
int run_program(int argc, char** argv, const char* name, const char* usage, const Parse& parse,
                const Run& run) {
  decltype(parse(argc, argv)) options;
  try {
    options = parse(argc, argv);
  } catch (const std::exception&) {
    std::cerr << usage;
    return 64;
  }
  try {
    run(options);
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << '\n';
    return 70;
  }
  return 0;
}

}  // namespace keepclear::bench
