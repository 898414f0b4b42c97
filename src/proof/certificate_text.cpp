// SPDX-License-Identifier: BSD-3-Clause
#include "proof/certificate_text.hpp"

#include <charconv>
#include <cmath>

#include "keepclear/version.hpp"

namespace keepclear {

CertificateText& CertificateText::line(std::string_view word) {
  if (!text_.empty()) text_ += '\n';
  text_ += word;
  ++lines_;
  return *this;
}

CertificateText& CertificateText::word(std::string_view word) {
  text_ += ' ';
  text_ += word;
  return *this;
}

CertificateText& CertificateText::name(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  text_ += ' ';
  if (name.empty()) text_ += '%';
  for (const char c : name) {
    if (c >= '!' && c <= '~' && c != '%') {
      text_ += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text_ += '%';
    text_ += kDigits[byte >> 4];
    text_ += kDigits[byte & 15];
  }
  return *this;
}

CertificateText& CertificateText::index(std::size_t value) {
  return word(std::to_string(value));
}

CertificateText& CertificateText::whole(std::int64_t value) {
  return word(std::to_string(value));
}

CertificateText& CertificateText::number(double value) {
  if (std::isinf(value)) return word(value > 0 ? "inf" : "-inf");
  if (value == 0) return word("0x0p+0");
  char digits[40];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, std::fabs(value), std::chars_format::hex).ptr;
  text_ += value < 0 ? " -0x" : " 0x";
  text_.append(digits, end);
  return *this;
}

CertificateText& CertificateText::numbers(Vec3 value) {
  return number(value.x).number(value.y).number(value.z);
}

CertificateText& CertificateText::place(const Origin& origin) {
  numbers(origin.xyz);
  if (!origin.quaternion) return word("rpy").numbers(origin.rpy);
  const Quaternion& q = *origin.quaternion;
  return word("quat").number(q.x).number(q.y).number(q.z).number(q.w);
}

CertificateText& CertificateText::append(const CertificateText& more) {
  if (more.text_.empty()) return *this;
  if (!text_.empty()) text_ += '\n';
  text_ += more.text_;
  lines_ += more.lines_;
  return *this;
}

std::string CertificateText::sealed() && {
  text_ += '\n';
  text_ += "end " + sha256_of(text_) + '\n';
  return std::move(text_);
}

void write_head(CertificateText& text, std::string_view claim, const World& world,
                const CertificateFacts& facts) {
  text.line("keepclear-certificate").word("1");
  text.line("claim").word(claim);
  text.line("program").name("keepclear").name(kVersion);
  text.line("world").name(world.name());
  text.line("inventory").word(world.hash());
  for (const auto& [file, sha256] : facts.sources) text.line("source").word(sha256).name(file);
  for (const auto& [option, value] : facts.options) text.line("option").name(option).name(value);
  for (const std::string& link : world.links_without_bodies()) {
    text.line("note").name("link " + link + " has no body");
  }
  for (const std::string& note : world.notes()) text.line("note").name(note);
}

}  // namespace keepclear
