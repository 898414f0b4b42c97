// SPDX-License-Identifier: BSD-3-Clause
//
// What the readers of path files share: which numbers of a world a file gives.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keepclear/path.hpp"
#include "robot/kinematics.hpp"

namespace keepclear {

/// Rows of all the numbers of a world, of which a file gives some. `file` is for messages; it and
/// the kinematics must live on.
class PathRows {
 public:
  PathRows(const Kinematics& kinematics, const std::string& file);

  std::size_t dof() const { return kinematics_.variables().size(); }
  /// The next number of a row belongs to this variable. `place` stands before an error.
  void add_name(std::string_view name, const std::string& place);
  std::size_t named() const { return variables_.size(); }
  /// Of the i-th name.
  std::size_t variable(std::size_t i) const { return variables_[i]; }

  /// Why a configuration may not have that number for the i-th name; empty when it may.
  std::string fault(std::size_t i, double number) const;
  /// Why a whole row is no configuration: a quaternion off unit length.
  std::string fault(std::span<const double> q) const;

  /// What `make` makes, with the quaternions of the world; if it refuses, that is a fault of the
  /// file.
  Path make_path(const std::function<Path()>& make) const;

 private:
  const Kinematics& kinematics_;
  const std::string& file_;
  std::vector<std::size_t> quaternions_;  ///< the first of four numbers
  std::vector<std::size_t> variables_;
};

/// The joint that one follows, in quotes; empty if it follows none.
std::string followed_joint(const Kinematics& kinematics, std::string_view joint);

}  // namespace keepclear
