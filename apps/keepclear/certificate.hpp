// SPDX-License-Identifier: BSD-3-Clause
//
// Certificates that commands write (docs/certificate.md): what they are told, where they go, and
// what they say to people.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keepclear/proof.hpp"
#include "options.hpp"
#include "output.hpp"

namespace keepclear::command {

/// The files of the world, and how it was read.
CertificateFacts world_facts(const World& world, const WorldOptions& options);
/// A file that was read besides. Throws Error (missing).
void add_source(const std::string& file, CertificateFacts& facts);
/// A task of a built-in world.
void add_task_source(const std::string& world, const std::string& task, std::string_view csv,
                     CertificateFacts& facts);
/// What was asked; nothing where the value is empty.
void add_asked(const std::string& option, const std::string& value, CertificateFacts& facts);

/// Files for the certificates of several motions: FOLDER/NAME.kcert, each another. The folder is
/// one that is there, or ends in a slash. Throws Error (usage) where it is neither.
std::vector<std::string> certificate_files(const std::string& folder,
                                           std::span<const std::string> motions);
/// Whether a name is that of a folder.
bool names_folder(const std::string& file);

/// Row by row: what a certificate says, what it rests on, and how to check it. Read from its text:
/// what stands in the file, and nothing else.
using SummaryRows = std::vector<std::pair<std::string, std::string>>;
SummaryRows certificate_summary(std::string_view text, const std::string& file);

/// Takes certificates to their files, and remembers what is to be said of them.
class CertificateFiler {
 public:
  CertificateFiler(const CertificateOptions& options, const TalkOptions& talk)
      : options_(options), talk_(talk) {}

  /// What `write` throws for a world that has no such certificate is the reason for none.
  static WrittenCertificate proved(const std::function<WrittenCertificate()>& write);

  /// Writes it, whole or not at all, or says on stderr why there is none. `what` it is about stands
  /// before the reason: "the motion is free". Returns {"file", ...} as JSON, or null. Throws Error
  /// (write).
  std::string take(const WrittenCertificate& written, const std::string& file,
                   const std::string& what);
  /// None is to be written: what was asked is not so. Returns null.
  std::string refuse(const std::string& file, const std::string& why);
  /// For people, after all else: where they are, and the summaries.
  void print(Output& out);

  /// Something was free, and is not certified.
  bool failed() const noexcept { return failed_; }

 private:
  const CertificateOptions& options_;
  const TalkOptions& talk_;
  std::string said_;
  bool failed_ = false;
};

}  // namespace keepclear::command
