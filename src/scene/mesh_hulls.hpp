// SPDX-License-Identifier: BSD-3-Clause
//
// A mesh file as convex hulls, and work shared out among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "rounding/mode.hpp"
#include "scene/threads.hpp"
#include "shape/hull.hpp"
#include "shape/mesh.hpp"

namespace keepclear {

/// The hulls of one mesh at one scale, in the frame of the mesh.
struct MeshHulls {
  std::vector<Hull> hulls;
  std::size_t vertices = 0, triangles = 0;
  double vertex_error = 0;
  std::string hash;  ///< hash_mesh()
};
MeshHulls make_hulls(const Mesh& mesh, int parts);

/// Runs job(i) for i < count on several threads; the first error in index order is thrown.
template <typename Job>
void for_each_parallel(std::size_t count, int threads, const Job& job) {
  const std::size_t workers = thread_count(threads, count);
  std::vector<std::exception_ptr> errors(count);
  std::atomic<std::size_t> next{0};
  auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        rounding::require_mode();
        job(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> pool;
    for (std::size_t i = 1; i < workers; ++i) pool.emplace_back(work);
    work();
  }
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace keepclear
