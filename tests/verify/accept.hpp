// SPDX-License-Identifier: BSD-3-Clause
//
// Random certificates before the checker: all that are written must be valid, and true as far as
// sampling can tell.
#pragma once

#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "proof/certificates.hpp"
#include "proof/checker.hpp"
#include "proof/fit_statement.hpp"

namespace keepclear::test {

struct AcceptTally {
  struct Kind {
    std::size_t drawn = 0, free = 0, written = 0, bytes = 0, records = 0;
    double found_s = 0, written_s = 0, checked_s = 0;
  };
  std::map<std::string, Kind> kinds;
  // These must stay empty.
  std::vector<std::string> refused, refuted;
  std::vector<std::string> unproved;  ///< free, and no certificate: few

  std::size_t free() const {
    std::size_t sum = 0;
    for (const auto& [name, kind] : kinds) sum += kind.free;
    return sum;
  }
  void print() const {
    for (const auto& [name, k] : kinds) {
      std::printf(
          "%s: drawn %zu, free %zu, written %zu, mean %.0f bytes, %.0f records; found in "
          "%.3g s, written in %.3g s, checked in %.3g s\n",
          name.c_str(), k.drawn, k.free, k.written,
          k.written == 0 ? 0.0 : static_cast<double>(k.bytes) / static_cast<double>(k.written),
          k.written == 0 ? 0.0 : static_cast<double>(k.records) / static_cast<double>(k.written),
          k.found_s, k.written_s, k.checked_s);
    }
    std::printf("free and without a certificate: %zu of %zu; refused %zu, refuted %zu\n",
                unproved.size(), free(), refused.size(), refuted.size());
    for (const auto* list : {&refused, &refuted, &unproved}) {
      for (std::size_t i = 0; i < list->size() && i < 20; ++i) {
        std::printf("  %s\n", (*list)[i].c_str());
      }
    }
    std::fflush(stdout);
  }
};

/// `samples`: configurations that are tried of what is valid; 0: none.
inline void judge_certificate(const std::string& name, const DrawnCertificate& drawn, int samples,
                              std::mt19937_64& random, AcceptTally& tally) {
  AcceptTally::Kind& kind = tally.kinds[drawn.kind];
  ++kind.drawn;
  kind.found_s += drawn.found_s;
  kind.written_s += drawn.written_s;
  if (!drawn.free) return;
  ++kind.free;
  const std::string who = name + ", " + drawn.kind + ", " + drawn.what;
  if (drawn.written.text.empty()) {
    char beyond[40];
    std::snprintf(beyond, sizeof beyond, "%.3g", drawn.beyond);
    tally.unproved.push_back(who + ": " + drawn.written.why + " (found " + beyond +
                             " m beyond the margin)");
    return;
  }
  ++kind.written;
  kind.bytes += drawn.written.text.size();
  kind.records += drawn.written.records;
  const auto start = std::chrono::steady_clock::now();
  const Ruling ruling = check_certificate(drawn.written.text);
  kind.checked_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!ruling.valid()) tally.refused.push_back(who + ": " + ruling.text());
  if (!ruling.valid() || samples == 0) return;
  const Statement::Seen seen = worst_of(drawn.written.text, random, samples);
  if (seen.beyond < -1e-9) {
    tally.refuted.push_back(who + ": bodies " + std::to_string(seen.a) + " and " +
                            std::to_string(seen.b) + " seen nearer than claimed by " +
                            std::to_string(-seen.beyond));
  }
}

/// One of each kind that the robot has, by its number. Pairs that never touch: once.
inline void judge_robot(CertificateDraw& draw, std::uint64_t number, int samples,
                        AcceptTally& tally) {
  std::mt19937_64 random(number + 1);
  const auto judge = [&](DrawnCertificate drawn) {
    drawn.what += " (number " + std::to_string(number) + ")";
    judge_certificate(draw.name(), drawn, samples, random, tally);
  };
  judge(draw.path(number));
  if (draw.has_clocks()) judge(draw.clocks(number));
  if (number % 3 == 0) judge(draw.box(number));
  if (number % 3 == 1 && draw.has_guards()) judge(draw.guard(number));
}

}  // namespace keepclear::test
