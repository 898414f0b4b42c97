// SPDX-License-Identifier: BSD-3-Clause
//
// Doubles that start on a cache line, for the lanes.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace keepclear {

template <typename T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlign{64};

  CacheLineAllocator() = default;
  template <typename U>
  CacheLineAllocator(const CacheLineAllocator<U>&) noexcept {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlign)); }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, kAlign); }
  template <typename U>
  bool operator==(const CacheLineAllocator<U>&) const noexcept {
    return true;
  }
};

using AlignedVector = std::vector<double, CacheLineAllocator<double>>;

}  // namespace keepclear
