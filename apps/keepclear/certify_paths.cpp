// SPDX-License-Identifier: BSD-3-Clause
//
// The motions of keepclear certify: which files, whose clock, which columns, what tube.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "certify.hpp"
#include "csv.hpp"
#include "keepclear/error.hpp"
#include "keepclear/proof.hpp"
#include "keepclear/toleranced.hpp"
#include "motion/path_file.hpp"
#include "motion/path_make.hpp"
#include "poses.hpp"
#include "scene/json.hpp"
#include "scene/world.hpp"
#include "shape/text.hpp"

namespace keepclear::command {

namespace {

namespace fs = std::filesystem;

bool ends_in(const fs::path& file, std::initializer_list<std::string_view> endings) {
  const std::string ending = file.extension().string();
  return std::ranges::any_of(
      endings, [&](std::string_view known) { return text::equal_ignoring_case(ending, known); });
}

/// The tasks that come with WORLD, if it is a built-in one.
std::span<const BuiltinWorld::Task> tasks_of(const std::string& world) {
  const auto worlds = builtin_worlds();
  const auto found = std::ranges::find(worlds, world, &BuiltinWorld::name);
  return found == worlds.end() ? std::span<const BuiltinWorld::Task>() : found->tasks;
}

void add_file(const std::string& name, const std::string& robot, const std::string& world,
              std::vector<MotionFile>& files) {
  std::error_code ignored;
  if (fs::exists(name, ignored)) {
    files.push_back({name, robot, {}});
    return;
  }
  std::string names;
  for (const BuiltinWorld::Task& task : tasks_of(world)) {
    if (task.name == name) {
      files.push_back({name, robot, task.csv});
      return;
    }
    names += (names.empty() ? "tasks of " + world + ": " : ", ") + task.name;
  }
  throw Error(Error::Kind::missing, name, 0,
              names.empty() ? "no such file" : "no such file, and no task", names);
}

void add_folder(const std::string& name, std::vector<MotionFile>& files) {
  std::vector<std::string> found;
  std::error_code code;
  fs::directory_iterator entry(name, code);
  if (code) throw Error(Error::Kind::missing, name, 0, "cannot be read: " + code.message());
  for (; entry != fs::directory_iterator(); entry.increment(code)) {
    std::error_code ignored;
    if (ends_in(entry->path(), {".csv", ".json", ".yaml", ".yml"}) &&
        !entry->is_directory(ignored)) {
      found.push_back(entry->path().string());
    }
    if (code) break;
  }
  if (code) throw Error(Error::Kind::missing, name, 0, "cannot be read: " + code.message());
  if (found.empty()) {
    throw Error(Error::Kind::missing, name, 0, "no path file in this folder",
                "they end in .csv, .json, .yaml or .yml");
  }
  std::ranges::sort(found);
  for (std::string& file : found) files.push_back({std::move(file), "", {}});
}

/// NAME=VALUE,... as --q takes it, of {"NAME": VALUE, ...} as this program prints it.
std::string pasted(const std::string& text) {
  const auto fail = [](const std::string& what) {
    usage("--rest: " + what, "write {\"joint\": value, ...}, or numbers with commas between");
  };
  std::set<std::string> keys;
  const auto once = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& value) {
    if (depth != 1 || event != nlohmann::json::parse_event_t::key) return true;
    if (!keys.insert(value.get<std::string>()).second) {
      fail("'" + value.get<std::string>() + "' is given twice");
    }
    return true;
  };
  const nlohmann::json object = nlohmann::json::parse(text, once, false);
  if (!object.is_object()) fail("is no JSON object");
  std::string list;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_number()) fail("'" + name + "' is no number");
    list += (list.empty() ? "" : ",") + name + "=" + value.dump();
  }
  return list;
}

using Renaming = std::map<std::string, std::string>;

/// COLUMN=JOINT, or JOINT=COLUMN where only that makes sense; `time` counts as a joint.
Renaming renaming_of(const World& world, const MotionOptions& options) {
  Renaming renaming;
  if (!options.columns) return renaming;
  std::map<std::string, int> known{{"time", 0}};
  for (const Variable& variable : world.variables()) known.emplace(variable.name, 0);
  const std::string& text = *options.columns;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string entry = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == entry.size()) {
      usage("--columns: '" + entry + "' is not COLUMN=JOINT",
            "write for example --columns t=time,q1=shoulder");
    }
    std::string column = entry.substr(0, equals), joint = entry.substr(equals + 1);
    if (!known.contains(joint) && known.contains(column)) std::swap(column, joint);
    const auto found = known.find(joint);
    if (found == known.end()) {
      usage("--columns: '" + entry + "' names no joint of the world, nor time",
            "keepclear info lists them");
    }
    if (++found->second > 1) usage("--columns: '" + joint + "' is given twice");
    if (!renaming.emplace(column, joint).second) {
      usage("--columns: the column '" + column + "' is given twice");
    }
  }
  return renaming;
}

/// The fields of a line as they stand there, quotes included.
void split(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (std::size_t begin = 0, end = 0;; begin = ++end) {
    for (bool quoted = false; end < line.size() && (quoted || line[end] != ','); ++end) {
      quoted = quoted != (line[end] == '"');
    }
    fields.push_back(line.substr(begin, end - begin));
    if (end >= line.size()) return;
  }
}

std::string_view bare(std::string_view field) {
  while (!field.empty() && text::is_blank(field.front())) field.remove_prefix(1);
  while (!field.empty() && text::is_blank(field.back())) field.remove_suffix(1);
  const bool quoted = field.size() > 1 && field.front() == '"' && field.back() == '"';
  return quoted ? field.substr(1, field.size() - 2) : field;
}

/// A log as a path: with the columns that the renaming or the world names, and no others. What is
/// in the rows the reader of paths will judge; lines keep their numbers for that.
class Log {
 public:
  Log(const World& world, const std::string& file, const Renaming& renaming)
      : file_(file), renaming_(renaming) {
    for (const Variable& variable : world.variables()) known_.insert(variable.name);
  }

  std::string renamed(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    std::string result;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++line_number_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (!line.starts_with('#') && !bare(line).empty()) {
        split(line, fields_);
        columns_ == 0 ? add_header(result) : add_row(result);
      }
      result += '\n';
    }
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Error::Kind::malformed, file_, line_number_, what);
  }

  void add_header(std::string& result) {
    columns_ = fields_.size();
    std::set<std::string> found;
    for (std::size_t i = 0; i < columns_; ++i) {
      const std::string name(bare(fields_[i]));
      const auto entry = renaming_.find(name);
      if (entry == renaming_.end() && !known_.contains(name)) continue;
      result += (kept_.empty() ? "" : ",") + (entry == renaming_.end() ? name : entry->second);
      kept_.push_back(i);
      found.insert(name);
    }
    for (const auto& [column, joint] : renaming_) {
      if (!found.contains(column)) fail("no column '" + column + "', which --columns names");
    }
  }

  void add_row(std::string& result) {
    if (fields_.size() != columns_) {
      fail(fmt::format("{} where the header has {}", counted(fields_.size(), "field"), columns_));
    }
    const char* comma = "";
    for (const std::size_t i : kept_) {
      result.append(comma).append(fields_[i]);
      comma = ",";
    }
  }

  const std::string& file_;
  const Renaming& renaming_;
  std::set<std::string> known_{"time"};
  std::vector<std::string_view> fields_;
  std::vector<std::size_t> kept_;
  std::size_t columns_ = 0;
  int line_number_ = 0;
};

/// `rest` is a whole configuration.
Path read_motion(const World& world, const MotionFile& file, const Renaming& renaming,
                 std::span<const double> rest) {
  const Kinematics& kinematics = world.data().kinematics;
  if (renaming.empty() || !ends_in(file.file, {".csv"})) {
    return file.task ? parse_path(*file.task, file.file, kinematics, rest)
                     : read_path(world, file.file, rest);
  }
  const std::string text =
      file.task ? std::string(*file.task) : json::read_file(file.file, kMaxPathBytes);
  return parse_path(Log(world, file.file, renaming).renamed(text), file.file, kinematics, rest);
}

std::string robot_names(const World& world) {
  std::string names;
  for (std::size_t i = 0; i < world.data().robots.size(); ++i) {
    names += (i == 0 ? "" : ", ") + robot_name(world, static_cast<int>(i));
  }
  return names;
}

bool has_named_robots(const World& world) {
  const std::vector<RobotNames>& robots = world.data().robots;
  return !robots.empty() && !robots.front().prefix.empty();
}

/// One for each robot, in the order of the world.
std::vector<MotionFile> in_order_of_robots(const World& world, std::vector<MotionFile> files) {
  const std::size_t robots = world.data().robots.size();
  if (robots < 2) usage("--clock: the world has no two robots", "give the motion as --path");
  std::vector<MotionFile> ordered(robots);
  for (MotionFile& file : files) {
    const auto i = static_cast<std::size_t>(robot_called(world, file.robot, "--clock"));
    if (!ordered[i].robot.empty()) usage("--clock: '" + file.robot + "' is given twice");
    ordered[i] = std::move(file);
  }
  for (std::size_t i = 0; i < robots; ++i) {
    if (!ordered[i].robot.empty()) continue;
    usage("--clock: there is none for '" + robot_name(world, static_cast<int>(i)) + "'",
          "each robot needs a path");
  }
  return ordered;
}

}  // namespace

std::string robot_name(const World& world, int robot) {
  const std::string& prefix = world.data().robots[static_cast<std::size_t>(robot)].prefix;
  return prefix.substr(0, prefix.size() - (prefix.empty() ? 0 : 1));
}

int robot_called(const World& world, const std::string& name, const std::string& option) {
  const std::vector<RobotNames>& robots = world.data().robots;
  const auto found = std::ranges::find(robots, name + "/", &RobotNames::prefix);
  if (found == robots.end()) {
    usage(option + ": the world has no robot '" + name + "'",
          has_named_robots(world) ? "there is " + robot_names(world)
                                  : "its only robot has no name: leave it out");
  }
  return static_cast<int>(found - robots.begin());
}

std::vector<MotionFile> motion_files(const MotionOptions& options, const std::string& world) {
  if (options.paths.empty() && options.clocks.empty()) {
    usage("no motion given", "give --path FILE, or --clock ROBOT=FILE for each robot");
  }
  std::vector<MotionFile> files;
  for (const std::string& path : options.paths) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      add_folder(path, files);
    } else {
      add_file(path, "", world, files);
    }
  }
  for (MotionFile& file : files) {
    file.moves_object = !file.task && is_object_motion(file.file);
  }
  for (const std::string& clock : options.clocks) {
    const std::size_t equals = clock.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == clock.size()) {
      usage("--clock '" + clock + "' is not ROBOT=PATH", "write for example --clock left=a.csv");
    }
    add_file(clock.substr(equals + 1), clock.substr(0, equals), world, files);
  }
  if (options.columns && std::ranges::none_of(files, [](const MotionFile& file) {
        return ends_in(file.file, {".csv"});
      })) {
    usage("--columns: no path is a CSV file", "other files name their joints");
  }
  return files;
}

Tube::Tube(const World& world, const std::string& tube) : world_(world) {
  constexpr const char* kHint = "radians or metres to either side, or a CSV file";
  const std::string fault = parse_number(tube, width_);
  if (fault.ends_with("is no number")) {
    file_ = tube;
    text_ = json::read_file(tube, kMaxPathBytes);
    // Whether it is a tube does not depend on the path.
    around(line_path(world.neutral(), world.neutral()));
    return;
  }
  if (!fault.empty()) usage("--tube: " + fault, kHint);
  if (width_ < 0) usage("--tube: '" + tube + "' is negative", kHint);
  if (width_ > kLargestPathNumber) usage("--tube: '" + tube + "' is too large", kHint);
}

Path Tube::around(const Path& path) const {
  if (!file_.empty()) return parse_tube(text_, file_, world_.data().kinematics, path);
  return with_tube(path, std::vector<double>(path.dof(), width_));
}

std::string Tube::key(const std::string& tube) {
  double width = 0;
  if (parse_number(tube, width).empty()) return json_number(width);
  return sha256_of(json::read_file(tube, kMaxPathBytes));
}

bool beyond_limits(const World& world, const Path& path) {
  // Enclosures are a little wider than the motion: no note for one that ends at a limit.
  constexpr double kSlack = 1e-9;
  const JointBox range = path.range(path.begin(), path.end());
  for (std::size_t i = 0; i < range.size(); ++i) {
    const Variable& variable = world.variables()[i];
    if (range[i].lower < variable.lower - kSlack || range[i].upper > variable.upper + kSlack) {
      return true;
    }
  }
  return false;
}

std::vector<double> rest_of(const World& world, const MotionOptions& options) {
  if (!options.rest) return world.neutral();
  const std::size_t first = options.rest->find_first_not_of(" \t");
  const bool json = first != std::string::npos && (*options.rest)[first] == '{';
  const std::string text = json ? pasted(*options.rest) : *options.rest;
  if (json && text.empty()) return world.neutral();
  std::vector<double> rest = parse_configuration(world, text, "--rest");
  if (!world.data().kinematics.is_configuration(rest)) {
    usage("--rest: this is no configuration of the world",
          "a number is too large, or a rotation is not of length 1");
  }
  return rest;
}

namespace {

/// Numbers of the world that stand in the neutral pose throughout because the file does not say
/// where they are: it is read once more, with another rest.
std::vector<std::string> assumed_of(const World& world, const MotionFile& file,
                                    const Renaming& renaming, const Path& path,
                                    std::span<const double> rest) {
  const std::vector<PathPiece>& pieces = path.data().pieces;
  const std::vector<double>& control = path.data().control;
  std::vector<double> other(rest.begin(), rest.end());
  bool any = false;
  for (std::size_t i = 0; i < other.size(); ++i) {
    const Variable& variable = world.variables()[i];
    const bool of_another = !file.robot.empty() && !variable.name.starts_with(file.robot + "/");
    // The four numbers of a rotation go with the position of their joint.
    if (of_another || variable.name.find("/rot_") != std::string::npos) continue;
    bool rests = !pieces.empty();
    for (std::size_t k = i; k < control.size() && rests; k += other.size()) {
      rests = control[k] == rest[i];
    }
    if (rests) other[i] += 0.25;
    any = any || rests;
  }
  std::vector<std::string> names;
  if (!any) return names;
  const Path again = read_motion(world, file, renaming, other);
  for (std::size_t i = 0; i < other.size(); ++i) {
    if (other[i] != rest[i] && again.data().control[i] == other[i]) {
      names.push_back(world.variables()[i].name);
    }
  }
  return names;
}

}  // namespace

void tell_what_was_assumed(std::span<const Motion> motions, const TalkOptions& talk) {
  if (talk.quiet) return;
  for (const Motion& motion : motions) {
    if (motion.assumed.empty()) continue;
    constexpr std::size_t kMost = 6;
    std::string names;
    for (std::size_t i = 0; i < std::min(kMost, motion.assumed.size()); ++i) {
      names += (i == 0 ? "" : ", ") + printable(motion.assumed[i]);
    }
    if (motion.assumed.size() > kMost) {
      names += fmt::format(" and {} more", motion.assumed.size() - kMost);
    }
    message(
        fmt::format("keepclear: note: {} does not name {}: taken as neutral; --rest says "
                    "where joints stand\n",
                    printable(motion.file), names));
  }
}

std::vector<Motion> read_motions(const World& world, const MotionOptions& options,
                                 std::vector<MotionFile> files) {
  if (!options.clocks.empty()) files = in_order_of_robots(world, std::move(files));
  const std::vector<double> rest = rest_of(world, options);
  // A list without names is of all joints.
  const bool is_whole = options.rest && options.rest->find_first_of("={") == std::string::npos;
  const auto names = [&](const std::string& name) {
    const std::string_view text = *options.rest;
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      const bool begins = at == 0 || std::string_view(",\"{ \t").find(text[at - 1]) != text.npos;
      if (begins && end < text.size() && (text[end] == '=' || text[end] == '"')) return true;
    }
    return false;
  };
  // A planar or floating joint is named as a whole, or by one of its numbers.
  const auto is_given = [&](const std::string& name) {
    return options.rest && (names(name) || names(name.substr(0, name.rfind('/'))));
  };
  const Renaming renaming = renaming_of(world, options);
  std::optional<Tube> tube;
  if (options.tube) tube.emplace(world, *options.tube);
  std::vector<Motion> motions;
  motions.reserve(files.size());
  for (MotionFile& file : files) {
    if (file.moves_object) continue;
    Path path = read_motion(world, file, renaming, rest);
    std::vector<std::string> assumed;
    if (!is_whole) {
      assumed = assumed_of(world, file, renaming, path, rest);
      std::erase_if(assumed, [&](const std::string& name) { return is_given(name); });
    }
    if (tube) path = tube->around(path);
    motions.push_back(
        {std::move(file.file), std::move(file.robot), std::move(path), std::move(assumed)});
  }
  return motions;
}

}  // namespace keepclear::command
