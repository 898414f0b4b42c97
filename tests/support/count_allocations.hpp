// SPDX-License-Identifier: BSD-3-Clause
//
// Replaces operator new and delete of the program by ones that count. Include in exactly one source
// of a program of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace keepclear::test {

inline std::atomic<std::size_t> allocation_count{0};

inline void* counted(std::size_t size, std::size_t alignment) {
  ++allocation_count;
  // aligned_alloc wants a multiple of the alignment.
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
}

inline void* counted_or_throw(std::size_t size, std::size_t alignment) {
  if (void* memory = counted(size, alignment)) return memory;
  throw std::bad_alloc();
}

}  // namespace keepclear::test

namespace {
constexpr std::size_t kPlain = alignof(std::max_align_t);
std::size_t as_size(std::align_val_t alignment) {
  return static_cast<std::size_t>(alignment);
}
}  // namespace

void* operator new(std::size_t n) {
  return keepclear::test::counted_or_throw(n, kPlain);
}
void* operator new[](std::size_t n) {
  return keepclear::test::counted_or_throw(n, kPlain);
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  return keepclear::test::counted(n, kPlain);
}
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept {
  return keepclear::test::counted(n, kPlain);
}
void* operator new(std::size_t n, std::align_val_t a) {
  return keepclear::test::counted_or_throw(n, as_size(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return keepclear::test::counted_or_throw(n, as_size(a));
}
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return keepclear::test::counted(n, as_size(a));
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return keepclear::test::counted(n, as_size(a));
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete[](void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete(void* p, const std::nothrow_t&) noexcept {
  std::free(p);
}
void operator delete[](void* p, const std::nothrow_t&) noexcept {
  std::free(p);
}
