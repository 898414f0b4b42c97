// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear check: free, contact or undecided, pose by pose.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

#include "csv.hpp"
#include "keepclear/distance.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pose_rows.hpp"
#include "rows.hpp"

namespace keepclear::command {

namespace {

struct CheckArguments {
  TalkOptions talk;
  WorldOptions world;
  PoseOptions poses;
  ShardOptions shard;
  std::string margin = "0";
};

double parse_margin(const std::string& text) {
  double margin = 0;
  std::string fault = parse_number(text, margin);
  if (fault.empty() && margin < 0) fault = "'" + text + "' is negative";
  if (!fault.empty()) {
    throw Error(Error::Kind::usage, "", 0, "--margin: " + fault, "it is a length in metres");
  }
  return margin;
}

int run_check(const CheckArguments& options) {
  const double margin = parse_margin(options.margin);
  require_pose_rows(options.poses, options.shard, options.world);
  const World world = load_world(options.world);
  tell_what_was_passed_over(world, options.world, options.talk);
  JsonPairs json_pair(world);
  PoseRows rows(world, options.poses, options.shard,
                {"check", check_asked(margin), sizeof(CheckResult)});
  Output& out = rows.output();
  const bool json = options.talk.json || options.shard.asked();
  std::vector<CheckResult> results;
  std::size_t counts[3] = {};
  const auto work = [&](const PoseBlock& block) {
    if (!json && block.first == 0) {
      out.print("{:>6}  {:<9}  {}\n", "pose", "verdict", "pair");
    }
    BatchOptions batch;
    batch.threads = options.world.threads;
    batch.progress = block.progress;
    results.resize(block.count);
    check_batch(world, block.poses, results, margin, batch);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const CheckResult& result = results[i];
      ++counts[static_cast<std::size_t>(result.verdict)];
      if (json) {
        out.write(check_row(json_pair, block.first + i, result));
        continue;
      }
      const bool free = result.verdict == Verdict::free;
      out.print("{:>6}  {:<9}  {}\n", block.first + i, to_string(result.verdict),
                pair_name(world, free ? -1 : result.a, free ? -1 : result.b));
    }
    out.flush();
  };
  const std::size_t poses =
      for_each_block(world, options.poses, options.talk, sizeof(CheckResult), work, rows.portion());
  const auto count = [&](Verdict verdict) { return counts[static_cast<std::size_t>(verdict)]; };
  RowTally tally{count(Verdict::free), count(Verdict::contact), count(Verdict::undecided)};
  tally += rows.tally();
  rows.finish();
  if (!options.talk.json && !options.talk.quiet && (!json || rows.to_file())) {
    Output said;
    said.print("{}{}: {} free, {} contact, {} undecided\n", json ? "" : "\n",
               counted(poses + rows.kept(), "pose"), tally.free, tally.contact, tally.undecided);
    said.flush();
  }
  if (tally.contact > 0) return 1;
  return tally.undecided > 0 ? 2 : 0;
}

}  // namespace

void add_check(CLI::App& app, Run& run) {
  const auto options = std::make_shared<CheckArguments>();
  CLI::App* const command =
      app.add_subcommand("check", "Free or contact, pose by pose; the exit code tells");
  add_world_options(*command, options->world);
  add_pose_options(*command, options->poses);
  add_shard_options(*command, options->shard, "poses");
  command
      ->add_option("--margin", options->margin,
                   "Metres, 0 by default: free means farther apart than this, and than\n"
                   "the margin of the scene")
      ->option_text("M");
  add_talk_options(*command, options->talk);
  command->footer(
      "'free' and 'contact' are proved, with all rounding accounted for; 'undecided' is said\n"
      "where neither could be. Poses are numbered from zero in the order of the input.\n"
      "Exits 0 when every pose is free, 1 when any is in contact, else 2.\n"
      "\n"
      "With --json one line a pose: {\"pose\", \"verdict\": \"free\"|\"contact\"|\"undecided\",\n"
      "\"pair\": [a, b] or null}.\n"
      "\n"
      "Examples:\n"
      "  keepclear check six_axis_arm --q shoulder=2.1\n"
      "  keepclear check robot.urdf --scene cell.json --poses poses.csv --margin 0.02");
  command->callback([options, &run] { run = [options] { return run_check(*options); }; });
}

}  // namespace keepclear::command
