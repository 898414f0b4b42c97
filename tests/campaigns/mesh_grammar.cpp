// SPDX-License-Identifier: BSD-3-Clause
//
// mesh_grammar COUNT SEED [pairs]: solids in every way that PLY, Collada and glTF let one write
// them, read and compared with the solid: COUNT files of each format by choices drawn from SEED,
// or, with the word pairs, every pair of choices. Prints how many were read, refused as may be,
// refused although the reader promises to read them, and read as something else. Exit 1 on either
// of these.
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "shape/mesh_grammar/trial.hpp"

int main(int argc, char** argv) {
  using namespace keepclear::test;
  const long count = argc > 1 ? std::atol(argv[1]) : 1000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const bool pairs = argc > 3 && std::string(argv[3]) == "pairs";
  const Trial trial;
  bool is_good = true;
  for (const Grammar grammar : kGrammars) {
    std::map<std::string, long> tally;
    const auto look = [&](Choices& choices) {
      const Written written = write(grammar, choices);
      const Judgement judgement = trial.judge(written);
      const bool refused = judgement.why.starts_with("refused: ");
      const bool wrong = judgement.kind == Judgement::Kind::wrong;
      const std::string kind = !wrong    ? refused ? "refused" : "read"
                               : refused ? "refused, promised"
                                         : "WRONG";
      if (wrong && ++tally["shown"] <= 10) {
        std::cout << to_string(grammar) << choices.in_words() << ": " << judgement.why << '\n';
      }
      ++tally[kind];
      is_good = is_good && !wrong;
    };
    if (pairs) {
      for_all_pairs(look);
    } else {
      for (long i = 0; i < count; ++i) {
        Choices choices(seed + static_cast<std::uint64_t>(i));
        look(choices);
      }
    }
    std::cout << to_string(grammar) << ": read " << tally["read"] << ", refused "
              << tally["refused"] << ", refused although promised " << tally["refused, promised"]
              << ", read as something else " << tally["WRONG"] << std::endl;
  }
  return is_good ? 0 : 1;
}
