// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear distance: the least distance of every pose, or that of every pair.
#include "keepclear/distance.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

#include "keepclear/error.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pose_rows.hpp"
#include "rows.hpp"

namespace keepclear::command {

namespace {

struct DistanceArguments {
  TalkOptions talk;
  WorldOptions world;
  PoseOptions poses;
  ShardOptions shard;
  bool all_pairs = false;
  bool signed_distance = false;
};

std::string human_point(Vec3 p) {
  return fmt::format("({:.4f}, {:.4f}, {:.4f})", p.x, p.y, p.z);
}

/// That of the longest "a - b", within reason: a longer one stands out and breaks nothing.
std::size_t width_of_pairs(const World& world) {
  constexpr std::size_t kLeast = 4, kMost = 60;
  std::size_t width = kLeast;
  for (const PairInfo& pair : world.pairs()) {
    const auto size = [&](int solid) {
      return world.solids()[static_cast<std::size_t>(solid)].name.size();
    };
    width = std::max(width, size(pair.a) + size(pair.b) + 3);
  }
  return std::min(width, kMost);
}

/// The rows of a table, and what is said below it.
class Table {
 public:
  Table(Output& out, const World& world)
      : out_(out), world_(world), pair_width_(width_of_pairs(world)) {
    out_.print("{:>6}  {:>11}  {:>11}  {:<9}  {:<{}}  {}\n", "pose", "distance", "at least",
               "verdict", "pair", pair_width_, "nearest points");
  }

  void add(std::size_t pose, const Nearest& near) {
    out_.print("{:>6}  {:>11}  {:>11}  {:<9}  {:<{}}  {}\n", pose, metres_hi(near.distance),
               metres_lo(near.lower_bound), to_string(near.verdict),
               pair_name(world_, near.a, near.b), pair_width_,
               near.a < 0 ? "-" : human_point(near.point_a) + " " + human_point(near.point_b));
    if (!(least_.distance <= near.distance) || !any_) {
      least_ = near;
      least_pose_ = pose;
    }
    any_ = true;
    ++counts_[static_cast<std::size_t>(near.verdict)];
  }

  void finish(std::size_t poses) {
    const auto count = [this](Verdict verdict) {
      return counts_[static_cast<std::size_t>(verdict)];
    };
    out_.print("\n{}", counted(poses, "pose"));
    if (any_) {
      out_.print("; rows: {} free, {} contact, {} undecided", count(Verdict::free),
                 count(Verdict::contact), count(Verdict::undecided));
      if (std::isfinite(least_.distance)) {
        out_.print("; least {} m at pose {} ({})", metres_hi(least_.distance), least_pose_,
                   pair_name(world_, least_.a, least_.b));
      }
    }
    out_.print(
        "\nMetres, in the frame of the world (of a URDF, of its root link); --json has all "
        "digits.\n");
  }

 private:
  Output& out_;
  const World& world_;
  std::size_t pair_width_;
  std::size_t counts_[3] = {};
  bool any_ = false;
  Nearest least_;
  std::size_t least_pose_ = 0;
};

/// A world may check more pairs than anyone would read, or than fit memory pose by pose.
void require_listed_pairs(const World& world) {
  if (world.pairs().size() == world.pair_count()) return;
  throw Error(Error::Kind::usage, world.file(), 0,
              fmt::format("--all-pairs: {} pairs are checked here, and at most {} can be listed",
                          world.pair_count(), World::kMaxListedPairs),
              "without it, the nearest of all pairs is found");
}

int run_distance(const DistanceArguments& options) {
  require_pose_rows(options.poses, options.shard, options.world);
  const World world = load_world(options.world);
  tell_what_was_passed_over(world, options.world, options.talk);
  if (options.all_pairs) require_listed_pairs(world);
  JsonPairs json_pair(world);
  std::unique_ptr<Table> table;
  const std::size_t per_pose = options.all_pairs ? world.pairs().size() : 1;
  // A world without pairs has no rows.
  PoseRows rows(world, options.poses, options.shard,
                {"distance", distance_asked(options.signed_distance, options.all_pairs),
                 per_pose * sizeof(Nearest), std::max<std::size_t>(per_pose, 1)});
  Output& out = rows.output();
  const bool json = options.talk.json || options.shard.asked();
  std::vector<Nearest> results;
  const auto work = [&](const PoseBlock& block) {
    if (!json && !table) table = std::make_unique<Table>(out, world);
    BatchOptions batch;
    batch.distance.signed_distance = options.signed_distance;
    batch.threads = options.world.threads;
    batch.progress = block.progress;
    results.resize(block.count * per_pose);
    if (options.all_pairs) {
      all_pairs_batch(world, block.poses, results, batch);
    } else {
      distance_batch(world, block.poses, results, batch);
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::size_t pose = block.first + i / per_pose;
      if (json) {
        out.write(distance_row(json_pair, pose, results[i]));
      } else {
        table->add(pose, results[i]);
      }
    }
    out.flush();
  };
  const std::size_t poses = for_each_block(world, options.poses, options.talk,
                                           per_pose * sizeof(Nearest), work, rows.portion());
  if (!json && !options.talk.quiet) {
    if (!table) table = std::make_unique<Table>(out, world);
    table->finish(poses);
  }
  rows.finish();
  if (rows.to_file() && !options.talk.json && !options.talk.quiet) {
    Output said;
    said.print("{}\n", counted(poses + rows.kept(), "pose"));
    said.flush();
  }
  return 0;
}

}  // namespace

void add_distance(CLI::App& app, Run& run) {
  const auto options = std::make_shared<DistanceArguments>();
  CLI::App* const command =
      app.add_subcommand("distance", "Least distance of each pose, with a certified lower bound");
  add_world_options(*command, options->world);
  add_pose_options(*command, options->poses);
  add_shard_options(*command, options->shard, "poses");
  command->add_flag("--all-pairs", options->all_pairs, "Every checked pair, not the nearest alone");
  command->add_flag("--signed", options->signed_distance,
                    "Overlapping bodies get minus their penetration depth, not zero");
  add_talk_options(*command, options->talk);
  command->footer(
      "The real distance lies between the two numbers of a row: 'distance' is that of the\n"
      "witness points, 'at least' is proved, with all rounding accounted for. Poses are\n"
      "numbered from zero in the order of the input. Exits 0 also when poses are in contact.\n"
      "\n"
      "With --json one line a pose, or a pose and pair: {\"pose\", \"distance\", \"lower_bound\",\n"
      "\"pair\": [a, b], \"points\": [[x,y,z], [x,y,z]], \"verdict\": \"free\"|\"contact\"|\n"
      "\"undecided\"}; null stands for what is not finite or not there.\n"
      "\n"
      "Examples:\n"
      "  keepclear distance six_axis_arm --q 0,0.5,0.5,0,0,0\n"
      "  keepclear distance robot.urdf --poses poses.csv --json\n"
      "  keepclear distance cell.json --q left/elbow=0.5 --all-pairs");
  command->callback([options, &run] { run = [options] { return run_distance(*options); }; });
}

}  // namespace keepclear::command
