// SPDX-License-Identifier: BSD-3-Clause
//
// The other side of python_batch: the same batches in C++. For each line "distance" or "check" on
// stdin, one batch over the poses of a file of raw doubles; the seconds it took, and those of all
// cores together, on stdout.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "keepclear/distance.hpp"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "python_batch_peer WORLD POSES.bin\n";
    return 64;
  }
  using namespace keepclear;
  try {
    const std::string name = argv[1];
    bool builtin = false;
    for (const BuiltinWorld& each : builtin_worlds()) builtin = builtin || each.name == name;
    const World world = builtin ? load_builtin(name) : load(name);
    std::ifstream file(argv[2], std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
    std::vector<double> poses(bytes.size() / sizeof(double));
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(poses.data()));
    const std::size_t rows = poses.size() / world.dof();
    for (std::string what; std::getline(std::cin, what);) {
      // As a caller has it: the memory for the results is part of the time on both sides.
      const std::clock_t cpu = std::clock();
      const auto start = std::chrono::steady_clock::now();
      if (what == "distance") {
        std::vector<Nearest> results(rows);
        distance_batch(world, poses, results);
      } else {
        std::vector<CheckResult> results(rows);
        check_batch(world, poses, results);
      }
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      const double work = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
      std::cout << took.count() << ' ' << work << std::endl;
    }
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.kind());
  }
  return 0;
}
