// SPDX-License-Identifier: BSD-3-Clause
//
// Paths that stand in lines, certified: a row of JSON Lines for each.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "certify.hpp"
#include "path_lines.hpp"
#include "rows_file.hpp"

namespace keepclear::command {

/// Reads, asks and tells. Made once, then given any number of lines.
class LineCertifier {
 public:
  /// `options` has what --rest and --tube say. Threads: 0 is one for each core. Throws Error
  /// (usage) for options that make no sense.
  LineCertifier(const World& world, const CertifyOptions& query, const MotionOptions& options,
                int threads);

  using Done = std::function<void(const std::string& row)>;
  /// A row for each line, as it is ready, in their order; the same for any number of threads.
  /// `file` is named in errors. A line that is no path has a row that says so.
  void operator()(const std::string& file, std::span<const PathLine> lines, const Done& done);

  /// Of all rows so far.
  const RowTally& tally() const { return tally_; }
  /// Paths that go beyond the limits of joints.
  std::size_t outside() const { return outside_; }

 private:
  struct Answer;
  Answer answer(const std::string& file, const PathLine& line, MotionQuery& query) const;
  std::string row(const Answer& answer);

  World world_;
  CertifyOptions options_;
  std::vector<double> rest_;
  std::optional<Tube> tube_;
  JsonPairs json_pair_;
  std::vector<MotionQuery> queries_;
  RowTally tally_;
  std::size_t outside_ = 0;
};

/// {"path":7, or {"path":"a.csv", as a row begins.
std::string head_of_line_row(std::size_t index);
std::string head_of_file_row(const std::string& file);

/// What was asked, as a text: rows of one are not rows of another. Reads the file of a tube.
std::string asked_text(const CertifyOptions& query, const std::vector<double>& rest,
                       const MotionOptions& options);

}  // namespace keepclear::command
