// SPDX-License-Identifier: BSD-3-Clause
#include "certificate.hpp"

#include "fit.hpp"

namespace verify {

void Certificate::read_world(Reader& in) {
  in.take("claim");
  claim.kind = in.word();
  constexpr std::string_view kClaims[] = {"path", "clocks", "box", "never", "guard", "fit"};
  in.demand(std::find(std::begin(kClaims), std::end(kClaims), claim.kind) != std::end(kClaims),
            "no kind of a claim");
  in.take("program"), program = in.name(), version = in.name();
  in.take("world"), name = in.name();
  in.take("inventory"), inventory = in.hash();
  while (in.at("source")) in.take("source"), sources.push_back({in.hash(), in.name()});
  while (in.at("option")) in.take("option"), options.push_back({in.name(), in.name()});
  while (in.at("note")) in.take("note"), notes.push_back(in.name());
  world.read(in, claim.kind == "fit");
}

void Certificate::check(std::string_view text) {
  const volatile double one = 1, little = 0x1p-80;
  if (!(one + little > one)) throw CannotTell{"this processor does not round upwards"};
  Reader in(text);
  in.take("keepclear-certificate");
  if (const std::size_t format = in.index(SIZE_MAX); format != 1)
    throw CannotTell{"a certificate of version " + std::to_string(format) +
                     ", and only 1 is known"};
  // First the seal, which most accidents break.
  const std::size_t end = text.rfind('\n', text.size() - 2) + 1;
  Reader seal(text.substr(end),
              std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
  seal.take("end");
  seal.demand(seal.hash() == sha256(text.substr(0, end)),
              "the hash is not that of the lines before");
  seal.end_line();
  Work::left = 1e10 + 1e5 * static_cast<double>(text.size());

  read_world(in);
  if (claim.kind == "fit") {
    shapes = check_fit(in, world);
    in.take("end");
  } else {
    claim.read(in, world);
    Proof proof(in, world, claim);
    proof.read_trees();
    in.take("end");
    proof.finish();
    pairs = proof.claimed().size(), records = proof.records();
  }
  in.hash();
  in.end_line();
  in.demand(in.at_end(), "something after the end");
}

}  // namespace verify
