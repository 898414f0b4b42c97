// SPDX-License-Identifier: BSD-3-Clause
//
// SHA-256 over numbers and texts, the same on any machine.
#pragma once

#include <openssl/evp.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "keepclear/body.hpp"
#include "keepclear/error.hpp"
#include "keepclear/geometry.hpp"

namespace keepclear {

class Hasher {
 public:
  Hasher() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }
  /// Numbers as eight bytes, low byte first, on any machine.
  void add(std::uint64_t bits) {
    if (used_ + 8 > sizeof buffer_) flush();
    for (int i = 0; i < 8; ++i) buffer_[used_++] = static_cast<unsigned char>(bits >> (8 * i));
  }
  void add(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    add(bits);
  }
  void add(int value) { add(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))); }
  void add(Vec3 v) { add(v.x), add(v.y), add(v.z); }
  void add(const Origin& origin) {
    add(origin.xyz), add(origin.rpy), add(origin.quaternion ? 1 : 0);
    if (!origin.quaternion) return;
    const Quaternion& q = *origin.quaternion;
    add(q.x), add(q.y), add(q.z), add(q.w);
  }
  void add(const Mat3& m) { add(m.row0), add(m.row1), add(m.row2); }
  void add(const Volume& volume) {
    add(volume.radius), add(static_cast<std::uint64_t>(volume.count));
    for (std::size_t i = 0; i < volume.count; ++i) add(volume.point(i));
  }
  /// The length first, so that neighbouring texts cannot run into each other.
  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    add_bytes(text);
  }
  /// The bytes alone, as those of a file.
  void add_bytes(std::string_view bytes) {
    flush();
    check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
  }
  std::string hex() {
    flush();
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    check(EVP_DigestFinal_ex(context_.get(), digest, &size) == 1);
    std::string text;
    for (unsigned i = 0; i < size; ++i) {
      text += "0123456789abcdef"[digest[i] >> 4];
      text += "0123456789abcdef"[digest[i] & 15];
    }
    return text;
  }

 private:
  static void check(bool ok) {
    if (!ok) throw Error(Error::Kind::internal, "", 0, "SHA-256 is not available");
  }
  void flush() {
    if (used_ > 0) check(EVP_DigestUpdate(context_.get(), buffer_, used_) == 1);
    used_ = 0;
  }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
  unsigned char buffer_[4096];  ///< numbers come eight bytes at a time
  std::size_t used_ = 0;
};

}  // namespace keepclear
