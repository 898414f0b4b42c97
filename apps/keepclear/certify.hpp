// SPDX-License-Identifier: BSD-3-Clause
//
// The motions that keepclear certify works on, and how it tells what is known of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "keepclear/certify.hpp"
#include "options.hpp"
#include "output.hpp"
#include "poses.hpp"

namespace keepclear::command {

/// Where motions come from, as the command line has it.
struct MotionOptions {
  std::vector<std::string> paths;   ///< --path: files and folders
  std::vector<std::string> clocks;  ///< --clock: ROBOT=PATH
  std::optional<std::string> offset;
  std::optional<std::string> rest, columns, tube;
};

/// A file that a motion is read from, before it is read.
struct MotionFile {
  std::string file;
  std::string robot{};                     ///< of --clock: whose clock it is
  std::optional<std::string_view> task{};  ///< of a task that comes with a built-in world: its CSV
  bool moves_object = false;               ///< not the joints of the world
};

struct Motion {
  std::string file, robot;
  Path path;
  /// Numbers that nobody said where they are: neutral ones, where a path does not name them and
  /// --rest is not given.
  std::vector<std::string> assumed{};
};

/// The files that --path and --clock name; a folder stands for the path files in it, by name. Those
/// of --path are looked into for who moves. Throws Error where there is none.
std::vector<MotionFile> motion_files(const MotionOptions& options, const std::string& world);
/// Where joints are that a path does not name, by --rest.
std::vector<double> rest_of(const World& world, const MotionOptions& options);
/// Reads those that move joints, with their tube. Of --clock: one for each robot, in the order of
/// the world.
std::vector<Motion> read_motions(const World& world, const MotionOptions& options,
                                 std::vector<MotionFile> files);
/// Notes on stderr the joints that neither the path nor --rest places, and where they are.
void tell_what_was_assumed(std::span<const Motion> motions, const TalkOptions& talk);

/// What is asked, as the command line has it; empty: as the library has it.
struct CertifyWords {
  std::string method = "auto", ask = "clearance";
  std::string margin = "0", deviation = "0";
  std::string tolerance, accuracy;
  std::optional<std::size_t> budget;
  std::vector<std::string> base;  ///< [ROBOT=]METRES,RADIANS
};
/// All but the bases, which need a world. Throws Error (usage).
CertifyOptions certify_options(const CertifyWords& words);
std::vector<BaseUncertainty> base_of(const World& world, const std::vector<std::string>& texts);

/// What --tube puts around a path: a width for all numbers, or what a file says.
class Tube {
 public:
  /// Throws Error for what is no tube in this world.
  Tube(const World& world, const std::string& tube);
  Path around(const Path& path) const;
  /// The width, or a hash of what is in the file.
  static std::string key(const std::string& tube);

 private:
  World world_;
  double width_ = 0;
  std::string file_, text_;  ///< empty for a width
};

/// Whether a path leaves the limits of joints by more than enclosures are wide.
bool beyond_limits(const World& world, const Path& path);

inline constexpr const char* kMetres = "it is a length in metres";
/// The number that an option gives. Throws Error (usage).
double not_negative(const std::string& option, const std::string& text, const char* hint);
/// By the name that --method has for it. Throws Error (usage).
Method method_called(const std::string& name);

/// The index of the robot that a scene calls so. Throws Error (usage), naming the option.
int robot_called(const World& world, const std::string& name, const std::string& option);
/// What a scene calls a robot; empty where it has no name.
std::string robot_name(const World& world, int robot);

/// What is asked of motions, and of which world.
struct Asked {
  const World& world;
  const CertifyOptions& options;
  const MotionOptions& motions;
  JsonPairs& json_pair;
  bool clocks = false;
  double offset = 0;  ///< of --clock: seconds, infinite for any timing
};

/// A time as it is if that is short; else to a microsecond, never above (below) it, or to nearest.
std::string seconds_lo(double value);
std::string seconds_hi(double value);
std::string seconds_near(double value);

/// One line of JSON. `motions` is one path, or the paths of all robots. Negative seconds are left
/// out. `filed` is the certificate that was written, as JSON; empty where none is asked for.
void print_json(Output& out, const Asked& asked, std::span<const Motion> motions,
                const Certificate& certificate, double seconds, const std::string& filed = {});
/// A few lines for people.
void print_text(Output& out, const Asked& asked, std::span<const Motion> motions,
                const Certificate& certificate, double seconds);
/// A row of a table for people; the header stands before the first.
void print_row(Output& out, const Asked& asked, const Motion& motion,
               const Certificate& certificate, std::size_t width);
/// What was asked can promise, in words.
std::string contract_of(const Asked& asked);
/// JSON Lines: a first line with what is proved, then a line for each step.
std::string proof_text(const Asked& asked, std::span<const Motion> motions,
                       const Certificate& certificate);

}  // namespace keepclear::command
