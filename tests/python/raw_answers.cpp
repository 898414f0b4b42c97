// SPDX-License-Identifier: BSD-3-Clause
//
// raw_answers WORLD QUESTION [number]: reads raw doubles from stdin, asks the library in C++, and
// writes the bytes of the answers, member by member. test_same_bytes.py asks the same in Python.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "keepclear/keepclear.hpp"

namespace {

using namespace keepclear;

std::vector<double> read_doubles() {
  std::vector<double> numbers;
  double number = 0;
  while (std::fread(&number, sizeof number, 1, stdin) == 1) numbers.push_back(number);
  return numbers;
}

template <typename T>
void put(const T& value) {
  std::fwrite(&value, sizeof value, 1, stdout);
}

void put_index(std::size_t value) {
  put(static_cast<std::uint64_t>(value));
}

void put_all(std::span<const double> values) {
  put_index(values.size());
  for (const double value : values) put(value);
}

void put_answer(const Nearest& n) {
  put(static_cast<int>(n.verdict));
  put(n.distance);
  put(n.lower_bound);
  put(n.a);
  put(n.b);
  put(n.point_a);
  put(n.point_b);
}

void put_answer(const CheckResult& c) {
  put(static_cast<int>(c.verdict));
  put(c.a);
  put(c.b);
}

void put_answer(const Certificate& c) {
  put(static_cast<int>(c.verdict));
  for (const double number : {c.clearance, c.distance, c.time, c.first_contact}) put(number);
  put(c.a);
  put(c.b);
  put_index(c.tests);
  put_index(c.parts);
  put(c.depth);
  put_all(c.q);
  put_index(c.intervals.size());
  for (const MotionInterval& i : c.intervals) {
    put(i.from);
    put(i.to);
    put(static_cast<int>(i.status));
    put(i.a);
    put(i.b);
    put(i.contact);
  }
}

void put_answer(const BoxResult& r) {
  put(static_cast<int>(r.verdict));
  put(r.clearance);
  put(r.a);
  put(r.b);
  put(r.distance);
  put_all(r.q);
}

World world_called(const std::string& name) {
  for (const BuiltinWorld& world : builtin_worlds()) {
    if (world.name == name) return load_builtin(name);
  }
  return load(name);
}

/// Paths of as many waypoints each, a second apart.
std::vector<Path> paths_of(const World& world, std::span<const double> numbers,
                           std::size_t waypoints) {
  std::vector<Path> paths;
  std::vector<double> times(waypoints);
  for (std::size_t i = 0; i < waypoints; ++i) times[i] = static_cast<double>(i);
  const std::size_t each = waypoints * world.dof();
  for (std::size_t first = 0; first + each <= numbers.size(); first += each) {
    paths.push_back(straight_path(times, numbers.subspan(first, each)));
  }
  return paths;
}

void answer(const World& world, std::string_view question, double number) {
  const std::vector<double> numbers = read_doubles();
  const std::span<const double> all = numbers;
  const std::size_t dof = world.dof(), rows = numbers.size() / dof;
  if (question == "distance" || question == "signed") {
    std::vector<Nearest> results(rows);
    BatchOptions options;
    options.distance.signed_distance = question == "signed";
    distance_batch(world, all, results, options);
    for (const Nearest& each : results) put_answer(each);
  } else if (question == "single") {
    for (std::size_t i = 0; i < rows; ++i) put_answer(distance(world, all.subspan(i * dof, dof)));
  } else if (question == "all_pairs") {
    std::vector<Nearest> results(rows * world.pairs().size());
    all_pairs_batch(world, all, results);
    for (const Nearest& each : results) put_answer(each);
  } else if (question == "check") {
    std::vector<CheckResult> results(rows);
    check_batch(world, all, results, number);
    for (const CheckResult& each : results) put_answer(each);
  } else if (question == "certify") {
    const std::vector<Path> paths = paths_of(world, all, static_cast<std::size_t>(number));
    certify_all(world, paths, {}, 0, [](std::size_t, const Certificate& c) { put_answer(c); });
  } else if (question == "connects") {
    MotionQuery query(world);
    for (std::size_t i = 0; i < rows / 2; ++i) {
      put(static_cast<int>(
          query.connects(all.subspan(i * dof, dof), all.subspan((rows / 2 + i) * dof, dof))));
    }
  } else if (question == "box") {
    for (std::size_t i = 0; i < rows / 2; ++i) {
      JointBox box(dof);
      for (std::size_t k = 0; k < dof; ++k) {
        box[k] = {numbers[(i * dof + k) * 2], numbers[(i * dof + k) * 2 + 1]};
      }
      put_answer(prove_box(world, box));
    }
  } else {
    throw Error(Error::Kind::usage, "", 0, "no such question");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 64;
  try {
    answer(world_called(argv[1]), argv[2], argc > 3 ? std::strtod(argv[3], nullptr) : 0);
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.kind());
  }
  return 0;
}
