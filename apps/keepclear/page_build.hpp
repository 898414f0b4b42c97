// SPDX-License-Identifier: BSD-3-Clause
//
// From the command line to the document of a page: what `report` files and `view` shows.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "certify.hpp"
#include "certify_object.hpp"
#include "keepclear/certify.hpp"
#include "keepclear/pairs.hpp"
#include "options.hpp"
#include "page.hpp"
#include "page_guard.hpp"
#include "page_motion.hpp"
#include "page_world.hpp"
#include "scene/source.hpp"

namespace keepclear::command {

/// What is to be shown of a world, as the command line has it. Numbers as given; empty: as the
/// library has them.
struct ShowOptions {
  MotionOptions motions;  ///< --path, --rest, --columns, --tube
  std::string method = "auto";
  std::string margin, tolerance, deviation;
  std::optional<std::size_t> budget;
  std::string states, recording, brake, latency;
  bool pairs = false;
  std::optional<std::string> q;  ///< --q
  std::string state;             ///< --state
  /// Tell how long things took: no two documents are the same then.
  bool timing = false;

  bool has_guard() const { return !states.empty() || !recording.empty(); }
};
void add_show_options(CLI::App& command, ShowOptions& options);

/// A world that was read, with all that can be said to be wrong before anything is computed.
struct ShownWorld {
  World world;
  WorldSource source;
  std::string builtin;  ///< the name of a built-in world; empty for a file
  /// Every file that is read: none may be written over.
  std::vector<std::string> inputs;
  CertifyOptions certify;  ///< of motions, `keep_proof` set
  LoadOptions load;        ///< as the world was loaded
  std::vector<Motion> motions;
  std::shared_ptr<ObjectMotions> objects{};  ///< null where none moves
  std::vector<bool> moves_object{};          ///< of each motion, in the order of the files
};
/// For motions of objects. Throws Error (usage) for options that are not for these.
ObjectMotions object_motions(const ShownWorld& shown, const CertifyOptions& certify,
                             const MotionOptions& motions, const std::string& file);
/// Throws Error.
ShownWorld read_shown(const WorldOptions& world, const ShowOptions& options,
                      const TalkOptions& talk);
/// The answer to one motion, as `certify` has it.
ShownMotion prove(const ShownWorld& shown, const Motion& motion, const ShowOptions& options);

/// Cycles of a guard that were gone through again.
struct ShownRun {
  ShownGuard guard;
  ShownLatencies latencies;
  std::optional<ShownCycle> first_brake;  ///< once it had gone
  std::uint64_t starting = 0;             ///< brakes that belong to a start
  bool recording = false;                 ///< else a log of states
  std::string cycle_warning;              ///< why the latency does not hold what is between states
  int exit_code = 0;
};

/// What was computed.
struct Shown {
  std::vector<NamedState> states;    ///< the one that was asked for first
  std::vector<PosedWorld> poses;     ///< of these
  std::optional<CheckResult> check;  ///< of the first, where --q or --state asks for one
  std::vector<ShownMotion> motions;
  std::optional<ShownRun> run;
  std::vector<PairOfLinks> pairs;  ///< of --pairs
  DrawnWorld drawn;
  /// "free", "contact", "undecided", "brake", "go", "done": of the worst that was asked for.
  std::string verdict;
  std::string headline;  ///< the same as a sentence
  int exit_code = 0;     ///< 0 free or done, 1 contact or brake, 2 undecided
  PageDocument document;
};
/// Proves, replays, classifies and poses whatever the options ask for, and writes the document of
/// it. Draws its progress on stderr where somebody watches. Throws Error.
Shown build_shown(const ShownWorld& shown, const WorldOptions& world, const ShowOptions& options,
                  const TalkOptions& talk, bool live);

}  // namespace keepclear::command
