// SPDX-License-Identifier: BSD-3-Clause
//
// The text of a certificate, line by line (docs/certificate.md, section 1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "keepclear/geometry.hpp"
#include "keepclear/proof.hpp"

namespace keepclear {

class CertificateText {
 public:
  /// Begins a line with its first word; words follow; the next line ends it.
  CertificateText& line(std::string_view word);
  CertificateText& word(std::string_view word);  ///< as it is
  CertificateText& name(std::string_view name);
  CertificateText& index(std::size_t value);
  CertificateText& whole(std::int64_t value);
  /// Exact. Infinite ends are fine where the format allows them.
  CertificateText& number(double value);
  CertificateText& numbers(Vec3 value);
  CertificateText& place(const Origin& origin);

  /// The lines of another one follow.
  CertificateText& append(const CertificateText& more);
  std::size_t lines() const noexcept { return lines_; }
  /// Ends the text with its hash, and hands it out.
  std::string sealed() &&;
  std::string taken() && { return std::move(text_); }

 private:
  std::string text_;
  std::size_t lines_ = 0;
};

/// `keepclear-certificate 1` to the last note.
void write_head(CertificateText& text, std::string_view claim, const World& world,
                const CertificateFacts& facts);
}  // namespace keepclear
