// SPDX-License-Identifier: BSD-3-Clause
//
// The hash of a world: SHA-256 over a plain serialisation of everything that a verdict depends on.
#include <openssl/evp.h>

#include <cstring>
#include <memory>
#include <string_view>

#include "scene/world.hpp"
#include "shape/support_table.hpp"

namespace keepclear {
namespace {

class Hasher {
 public:
  Hasher() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }
  /// Numbers as eight bytes, low byte first, on any machine.
  void add(std::uint64_t bits) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<unsigned char>(bits >> (8 * i));
    check(EVP_DigestUpdate(context_.get(), bytes, sizeof bytes) == 1);
  }
  void add(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    add(bits);
  }
  void add(int value) { add(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))); }
  void add(Vec3 v) { add(v.x), add(v.y), add(v.z); }
  /// The length first, so that neighbouring texts cannot run into each other.
  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    check(EVP_DigestUpdate(context_.get(), text.data(), text.size()) == 1);
  }
  std::string hex() {
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
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string hash_world(const WorldData& world, const RobotModel& robot) {
  Hasher h;
  h.add(std::string_view("keepclear world 1"));
  h.add(static_cast<std::uint64_t>(robot.links.size()));
  for (const Link& link : robot.links) h.add(std::string_view(link.name));
  h.add(static_cast<std::uint64_t>(robot.joints.size()));
  for (const Joint& joint : robot.joints) {
    h.add(std::string_view(joint.name));
    h.add(std::string_view(to_string(joint.type)));
    h.add(joint.parent), h.add(joint.child);
    h.add(joint.origin.xyz), h.add(joint.origin.rpy), h.add(joint.axis);
    h.add(joint.lower), h.add(joint.upper);
    h.add(joint.mimic ? joint.mimic->joint : -1);
    if (joint.mimic) h.add(joint.mimic->multiplier), h.add(joint.mimic->offset);
  }
  h.add(static_cast<std::uint64_t>(world.bodies.size()));
  for (const WorldBody& body : world.bodies) {
    const Volume volume = body.body.volume();
    h.add(body.link), h.add(body.frame), h.add(volume.radius);
    h.add(static_cast<std::uint64_t>(volume.count));
    for (std::size_t i = 0; i < volume.count; ++i) h.add(volume.point(i));
  }
  h.add(static_cast<std::uint64_t>(world.link_pairs.size()));
  for (const LinkPair& pair : world.link_pairs) h.add(pair.link_a), h.add(pair.link_b);
  return h.hex();
}

}  // namespace keepclear
