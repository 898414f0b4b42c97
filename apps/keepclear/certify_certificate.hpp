// SPDX-License-Identifier: BSD-3-Clause
//
// The certificates of motions that are free: one file, or one for each in a folder.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "certificate.hpp"
#include "certify.hpp"

namespace keepclear::command {

class MotionCertificates {
 public:
  struct Told {
    const CertificateOptions& certificate;
    const TalkOptions& talk;
    const WorldOptions& world;
    bool one = true;  ///< not a batch: a file, not a folder, unless it is one
  };
  using Words = std::vector<std::pair<std::string, std::string>>;
  /// `words`: what was asked; empty values are left out. A folder is made if need be. Throws Error
  /// where files could not be written, or sources not be read again.
  MotionCertificates(const Told& told, const Asked& asked, std::span<const MotionFile> files,
                     std::span<const Motion> motions, const Words& words);

  bool is_asked() const { return !told_.certificate.file.empty(); }
  /// Of each motion.
  std::span<const std::string> files() const { return files_; }

  /// Nothing of a motion that is not free. Of one path, or of those of all robots. May be called by
  /// several threads.
  WrittenCertificate prove(std::span<const Motion> motions, std::span<const Path> paths,
                           const Certificate& found) const;
  /// Of motion i. Returns {"file", ...} as JSON or null; nothing where none is asked for.
  std::string file(std::size_t i, const Certificate& found, const WrittenCertificate& written);

  using Done = std::function<void(std::size_t, const Certificate&, const WrittenCertificate&)>;
  /// As keepclear::certify_all, with certificates.
  void certify_all(std::span<const Motion> motions, std::span<const Path> paths,
                   const Done& done) const;

  /// What is to be said of them at the end.
  void print(Output& out);
  bool failed() const { return filer_.failed(); }

 private:
  Told told_;
  const Asked& asked_;
  CertificateFiler filer_;
  CertificateFacts facts_;
  std::vector<std::string> files_;  ///< of each motion
  std::map<std::string, std::string_view> tasks_;
  std::size_t refused_ = 0;
};

}  // namespace keepclear::command
