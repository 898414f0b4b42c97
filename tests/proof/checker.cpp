// SPDX-License-Identifier: BSD-3-Clause
#include "proof/checker.hpp"

#include <cfenv>
#include <new>

#include "against.hpp"  // of the checker

namespace keepclear::test {
namespace {

/// Puts the rounding mode back, whatever happens.
class Upwards {
 public:
  Upwards() : before_(std::fegetround()) { verify::round_upwards(); }
  ~Upwards() { std::fesetround(before_); }
  Upwards(const Upwards&) = delete;
  Upwards& operator=(const Upwards&) = delete;

 private:
  int before_;
};

}  // namespace

std::string Ruling::text() const {
  if (verdict == Verdict::valid) return "valid";
  if (verdict == Verdict::cannot_tell) return "cannot tell: " + why;
  return "line " + std::to_string(line) + ": " + why + ": " + record;
}

namespace {

/// What is thrown as a ruling.
template <typename Work>
Ruling ruling_of(const Work& work) {
  const Upwards rounding;
  try {
    work();
    return {};
  } catch (const verify::Invalid& found) {
    return {Ruling::Verdict::invalid, found.line, found.why, found.record};
  } catch (const verify::Differs& found) {
    return {Ruling::Verdict::invalid, 0, found.why, {}};
  } catch (const verify::CannotTell& found) {
    return {Ruling::Verdict::cannot_tell, 0, found.why, {}};
  } catch (const std::bad_alloc&) {
    return {Ruling::Verdict::cannot_tell, 0, "memory", {}};
  }
}

}  // namespace

Ruling check_certificate(std::string_view text) {
  return ruling_of([&] {
    verify::Certificate certificate;
    certificate.check(text);
  });
}

Ruling compare_certificate(std::string_view text, const std::vector<std::filesystem::path>& files,
                           bool world_alone) {
  return ruling_of([&] {
    verify::Certificate certificate;
    if (world_alone) {
      verify::Work::left = 1e10;
      verify::Reader in(text);
      in.take("keepclear-certificate");
      in.index(2);
      certificate.read_world(in);
    } else {
      certificate.check(text);
    }
    verify::round_nearest();
    verify::against(certificate, files, {});
  });
}

std::string summary_of(std::string_view text) {
  const Upwards rounding;
  try {
    verify::Certificate certificate;
    certificate.check(text);
    return certificate.summary(verify::sha256(text));
  } catch (const verify::Invalid&) {
  } catch (const verify::CannotTell&) {
  }
  return {};
}

std::string resealed(std::string_view text) {
  const std::size_t seal = text.rfind("\nend ");
  std::string lines(text.substr(0, seal == text.npos ? text.size() : seal + 1));
  return lines + "end " + verify::sha256(lines) + "\n";
}

}  // namespace keepclear::test
