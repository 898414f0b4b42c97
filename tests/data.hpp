// SPDX-License-Identifier: BSD-3-Clause
//
// Where tests find robots that are not ours: $KEEPCLEAR_DATA, or ../shared beside the project.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace keepclear::test {

inline std::filesystem::path data_dir() {
  if (const char* dir = std::getenv("KEEPCLEAR_DATA")) return dir;
  return std::filesystem::path(KEEPCLEAR_CORPUS) / "../../../shared";
}

}  // namespace keepclear::test

/// Ends the test where the data is absent, and says so.
#define KEEPCLEAR_NEEDS_DATA(folder)                                                \
  do {                                                                              \
    if (!std::filesystem::exists(keepclear::test::data_dir() / (folder)))           \
      GTEST_SKIP() << "skipped: no data (" << (folder) << " under KEEPCLEAR_DATA)"; \
  } while (false)
