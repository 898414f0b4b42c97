// SPDX-License-Identifier: BSD-3-Clause
//
// Everything in the public headers that computes, as one table. entries_test.py holds the table
// against the headers: a function that stands in neither list fails the test.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace keepclear::test {

/// What a call came back with. Errors are thrown.
enum class Said {
  something,  ///< a verdict, a bound, a value: it claims to have computed
  nothing,    ///< undecided, false, brake, a bound that promises nothing
};

/// One function, by its name in the headers.
struct Entry {
  std::string name;
  std::function<Said()> call;
};

/// All of them, ready to be called: what they need was made in a good mode.
std::vector<Entry> entries();

}  // namespace keepclear::test
