// SPDX-License-Identifier: BSD-3-Clause
//
// Batches in parts: --paths, --shard, -o and --resume. A part of a batch, and a batch that was
// stopped, have the bytes of the whole.
#include <signal.h>
#include <sys/stat.h>

#include <random>
#include <thread>

#include "run.hpp"

namespace keepclear::test {
namespace {

namespace fs = std::filesystem;

const char* const kArm = "six_axis_arm";
const char* const kArmJoints[] = {"waist",        "shoulder",   "elbow",
                                  "forearm_roll", "wrist_bend", "tool_roll"};

/// Straight edges of the arm, a line each; every third has an id.
std::string edges(std::size_t count) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> place(-1.5, 1.5), step(-0.4, 0.4);
  std::string text;
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<double> from, to;
    for (int i = 0; i < 6; ++i) {
      from.push_back(place(random));
      to.push_back(from.back() + step(random));
    }
    nlohmann::json edge = {
        {"kind", "straight"}, {"joints", kArmJoints}, {"times", {0, 1}}, {"waypoints", {from, to}}};
    if (k % 3 == 0) edge["id"] = "edge " + std::to_string(k);
    text += edge.dump() + "\n";
  }
  return text;
}

std::string poses_text(std::size_t count) {
  std::mt19937 random(12);
  std::uniform_real_distribution<double> place(-1.5, 1.5);
  std::ostringstream text;
  text.precision(17);
  for (int i = 0; i < 6; ++i) text << (i == 0 ? "" : ",") << kArmJoints[i];
  for (std::size_t k = 0; k < count; ++k) {
    for (int i = 0; i < 6; ++i) text << (i == 0 ? '\n' : ',') << place(random);
  }
  text << '\n';
  return text.str();
}

std::vector<std::string> with(std::vector<std::string> words, std::vector<std::string> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// What shards 1 to `count` print, one after the other.
std::string in_shards(const std::vector<std::string>& words, std::size_t count) {
  std::string all;
  for (std::size_t i = 1; i <= count; ++i) {
    const std::string shard = std::to_string(i) + "/" + std::to_string(count);
    const Result part = run(with(words, {"--shard", shard}));
    EXPECT_LE(part.code, 2) << part.err;
    all += part.out;
  }
  return all;
}

TEST(PathLines, APathALineGivesARowALine) {
  const TempFolder folder;
  const std::string file = folder.write("edges.jsonl", edges(40));
  const Result result = run({"certify", kArm, "--paths", file, "--quiet"});
  EXPECT_EQ(result.code, 1) << result.err;
  const auto rows = json_lines(result.out);
  ASSERT_EQ(rows.size(), 40U);
  std::size_t free = 0, contact = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ(rows[k]["path"], k);
    EXPECT_EQ(rows[k].contains("id"), k % 3 == 0);
    EXPECT_FALSE(rows[k].contains("seconds"));
    free += rows[k]["verdict"] == "free";
    contact += rows[k]["verdict"] == "contact";
  }
  EXPECT_EQ(rows[3]["id"], "edge 3");
  EXPECT_GT(free, 5U);
  EXPECT_GT(contact, 5U);
  const Result piped =
      run({"certify", kArm, "--paths", "-", "--quiet", "--threads", "1"}, {.input = slurp(file)});
  EXPECT_EQ(piped.out, result.out);
}

TEST(PathLines, ARowSaysWhatABatchOfFilesSays) {
  const TempFolder folder;
  const std::string text = edges(6);
  const std::string file = folder.write("edges.jsonl", text);
  std::vector<std::string> words = {"certify", kArm, "--json", "--quiet"};
  std::istringstream lines(text);
  std::size_t k = 0;
  for (std::string line; std::getline(lines, line); ++k) {
    nlohmann::json edge = nlohmann::json::parse(line);
    edge.erase("id");
    words = with(words, {"--path", folder.write(std::to_string(k) + ".json", edge.dump())});
  }
  const auto rows = json_lines(run({"certify", kArm, "--paths", file, "--quiet"}).out);
  const auto files = json_lines(run(words).out);
  ASSERT_EQ(rows.size(), files.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    nlohmann::json a = rows[i], b = files[i];
    a.erase("path"), a.erase("id"), b.erase("path");
    EXPECT_EQ(a, b);
  }
}

TEST(PathLines, ALineThatIsNoPathIsARowAndTheRestGoesOn) {
  const std::string good =
      R"({"kind":"straight","joints":["waist"],"times":[0,1],"waypoints":[[0],[0.1]],"id":7})";
  const TempFolder folder;
  const std::string file = folder.write(
      "odd.jsonl", "\xef\xbb\xbf" + good + "\r\n\n  \t\r\n" +
                       "nonsense\n[1]\n{\"kind\":\"straigt\"}\n" +
                       R"({"id":"x","kind":"straight","joints":["nose"],"times":[0,1]})" + "\n" +
                       R"({"id":[],"kind":"straight"})" + "\n" + std::string("\0\n", 2) +
                       R"({"kind":"screw","object":"tray"})" + "\n" + good);
  const Result result = run({"certify", kArm, "--paths", file, "--quiet"});
  EXPECT_EQ(result.code, 65) << result.err;
  const auto rows = json_lines(result.out);
  ASSERT_EQ(rows.size(), 9U);
  const std::map<std::size_t, std::string> said = {{1, ":4: column 2: syntax error"},
                                                   {2, ":5: must be an object, is a list"},
                                                   {3, ":6: /kind: unknown kind 'straigt'"},
                                                   {4, ":7: /"},
                                                   {5, ":8: /id: must be a string"},
                                                   {6, ":9: binary"},
                                                   {7, ":10: "}};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ(rows[k]["path"], k);
    const auto found = said.find(k);
    if (found == said.end()) {
      EXPECT_EQ(rows[k]["id"], 7);
      EXPECT_EQ(rows[k]["verdict"], "free");
      continue;
    }
    const std::string error = rows[k]["error"];
    EXPECT_TRUE(error.starts_with(file + found->second)) << error;
    EXPECT_EQ(rows[k].contains("id"), k == 4) << rows[k];
  }
}

TEST(PathLines, AnIdComesBackAsItIsOrNotAtAll) {
  const std::map<std::string, bool> ids = {
      {"9007199254740991", true},    {"-9007199254740991", true},  {"9007199254740992", false},
      {"9007199254740993", false},   {"-9007199254740993", false}, {"1.5", false},
      {"\"9007199254740993\"", true}};
  std::string lines;
  for (const auto& [id, fine] : ids) {
    lines +=
        R"({"kind":"straight","joints":["waist"],"times":[0,1],"waypoints":[[0],[0.1]],"id":)" +
        id + "}\n";
  }
  const TempFolder folder;
  const Result result =
      run({"certify", kArm, "--paths", folder.write("ids.jsonl", lines), "--quiet"});
  EXPECT_EQ(result.code, 65) << result.err;
  std::istringstream rows(result.out);
  for (const auto& [id, fine] : ids) {
    std::string row;
    std::getline(rows, row);
    EXPECT_EQ(row.find("\"id\":" + id + ",") != row.npos, fine) << row;
    EXPECT_EQ(row.find("/id: must be a string or an integer below 2^53") == row.npos, fine) << row;
  }
}

TEST(PathLines, LongLinesAndNoLinesAreFine) {
  const TempFolder folder;
  std::string times, waypoints;
  for (int i = 0; i < 400'000; ++i) {
    times += (i == 0 ? "" : ",") + std::to_string(i);
    waypoints += i == 0 ? "[0.1000001]" : i % 2 == 0 ? ",[0.10000001]" : ",[0.10000002]";
  }
  const std::string text = R"({"kind":"straight","joints":["waist"],"times":[)" + times +
                           R"(],"waypoints":[)" + waypoints + "]}";
  ASSERT_GT(text.size(), 7'500'000U);
  const std::string file = folder.write("long.jsonl", text + "\nx" + text + "\n" + edges(1));
  const Result result =
      run({"certify", kArm, "--paths", file, "--quiet", "--ask", "verdict", "--budget", "100"});
  EXPECT_EQ(result.code, 65) << result.err;
  const auto rows = json_lines(result.out);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_TRUE(rows[0].contains("verdict"));
  EXPECT_TRUE(rows[1].contains("error"));
  EXPECT_TRUE(rows[2].contains("verdict"));
  const Result nothing =
      run({"certify", kArm, "--paths", folder.write("none.jsonl", "\n\n"), "--quiet"});
  EXPECT_EQ(nothing.code, 0) << nothing.err;
  EXPECT_EQ(nothing.out, "");
}

TEST(Shards, OneAfterTheOtherTheyAreTheWhole) {
  const TempFolder folder;
  const std::string file = folder.write("edges.jsonl", edges(50));
  const std::vector<std::string> words = {"certify", kArm, "--paths", file, "--quiet"};
  const std::string whole = run(words).out;
  for (const std::size_t count : {1U, 3U, 7U}) EXPECT_EQ(in_shards(words, count), whole);
  const std::vector<std::string> few = {"certify", kArm, "--paths",
                                        folder.write("few.jsonl", edges(4)), "--quiet"};
  EXPECT_EQ(in_shards(few, 6), run(few).out);

  std::vector<std::string> files = {"certify", kArm, "--quiet", "--json"};
  std::istringstream lines(slurp(file));
  std::size_t k = 0;
  for (std::string line; std::getline(lines, line) && k < 5; ++k) {
    nlohmann::json edge = nlohmann::json::parse(line);
    edge.erase("id");
    files = with(files, {"--path", folder.write(std::to_string(k) + ".json", edge.dump())});
  }
  EXPECT_EQ(in_shards(files, 3), run(files).out);
}

TEST(Shards, OfPosesTheyAreTheWhole) {
  const TempFolder folder;
  const std::string file = folder.write("poses.csv", poses_text(3000));
  for (std::vector<std::string> words :
       {std::vector<std::string>{"check", kArm, "--margin", "0.02"},
        {"distance", kArm},
        {"distance", kArm, "--signed"}}) {
    words = with(words, {"--poses", file, "--json", "--quiet"});
    const std::string whole = run(words).out;
    for (const std::size_t count : {2U, 7U}) EXPECT_EQ(in_shards(words, count), whole);
  }
}

/// What a run leaves is what a run without a stop leaves.
void expect_resumed(const std::vector<std::string>& words, const fs::path& out) {
  const std::vector<std::string> all = with(words, {"-o", out, "--quiet"});
  const Result first = run(all);
  EXPECT_LE(first.code, 2) << first.err;
  const std::string whole = slurp(out);
  ASSERT_GT(whole.size(), 2000U);
  for (const std::size_t kept : {std::size_t{0}, whole.size() / 3, whole.size() - 1}) {
    std::ofstream(out, std::ios::binary) << whole.substr(0, kept);
    const Result again = run(with(all, {"--resume"}));
    EXPECT_EQ(again.code, first.code) << again.err;
    EXPECT_EQ(slurp(out), whole);
  }
  // What is complete stays, and what is damaged in the middle is done again from there.
  EXPECT_EQ(run(with(all, {"--resume"})).code, first.code);
  EXPECT_EQ(slurp(out), whole);
  const std::size_t row = whole.find('\n', whole.size() / 2) + 1, end = whole.find('\n', row);
  std::string odd_head = whole, odd_end = whole, torn = whole;
  odd_head[row + 2] = odd_end[end - 2] = '\0';
  torn.erase(end - 3, 4);
  for (const std::string& damaged : {odd_head, odd_end, torn}) {
    std::ofstream(out, std::ios::binary) << damaged;
    EXPECT_EQ(run(with(all, {"--resume"})).code, first.code);
    EXPECT_EQ(slurp(out), whole);
  }
}

TEST(Resume, GoesOnBehindTheRowsThatAreThere) {
  const TempFolder folder;
  const std::string lines = folder.write("edges.jsonl", edges(40));
  const std::string poses = folder.write("poses.csv", poses_text(1000));
  const fs::path out = folder.path() / "out.jsonl";
  expect_resumed({"certify", kArm, "--paths", lines}, out);
  expect_resumed({"certify", kArm, "--paths", lines, "--shard", "2/3"}, out);
  expect_resumed({"check", kArm, "--poses", poses}, out);
  expect_resumed({"distance", kArm, "--poses", poses, "--shard", "1/2"}, out);
  std::vector<std::string> files = {"certify", kArm};
  for (int k = 0; k < 10; ++k) {
    nlohmann::json edge = {{"kind", "straight"},
                           {"joints", {"waist"}},
                           {"times", {0, 1}},
                           {"waypoints", {{0.1 * k}, {0.2 * k + 0.1}}}};
    files = with(files, {"--path", folder.write(std::to_string(k) + ".json", edge.dump())});
  }
  expect_resumed(files, out);
}

TEST(Resume, RowsBehindThoseOfTheShardAreNotKept) {
  const TempFolder folder;
  const std::string lines = folder.write("edges.jsonl", edges(40));
  const std::string poses = folder.write("poses.csv", poses_text(1000));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"certify", kArm, "--paths", lines},
        {"check", kArm, "--poses", poses},
        {"distance", kArm, "--poses", poses}}) {
    const std::string one = folder.path() / "one", two = folder.path() / "two";
    const std::vector<std::string> first = with(words, {"--shard", "1/2", "-o", one, "--quiet"});
    const int code = run(first).code;
    ASSERT_LE(run(with(words, {"--shard", "2/2", "-o", two, "--quiet"})).code, 2);
    const std::string part = slurp(one);
    std::ofstream(one, std::ios::app) << slurp(two);
    EXPECT_EQ(run(with(first, {"--resume"})).code, code);
    EXPECT_EQ(slurp(one), part);
  }
  const std::string out = folder.path() / "out";
  const std::vector<std::string> all = {"check", kArm, "--poses", poses, "-o", out, "--quiet"};
  const int code = run(all).code;
  const std::string whole = slurp(out);
  for (int pose = 1000; pose < 1024; ++pose) {
    std::ofstream(out, std::ios::app)
        << R"({"pose":)" << pose << R"(,"verdict":"free","pair":null})" << '\n';
  }
  const Result again = run(with(all, {"--resume"}));
  EXPECT_EQ(again.code, code) << again.err;
  EXPECT_EQ(slurp(out), whole);
}

TEST(Resume, RefusesRowsOfAnythingElse) {
  const TempFolder folder;
  const std::string lines = folder.write("edges.jsonl", edges(3));
  const std::string out = folder.path() / "out.jsonl";
  const std::vector<std::string> words = {"certify", kArm, "--paths", lines, "-o", out};
  ASSERT_LE(run(with(words, {"--quiet"})).code, 1);
  const std::string before = slurp(out);
  const auto refused = [&](const std::vector<std::string>& given, const std::string& why) {
    expect_error(run(with(given, {"--resume"})), 64, why);
    EXPECT_EQ(slurp(out), before);
  };
  refused(with(words, {"--margin", "0.01"}), "its rows are of other options");
  refused(with(words, {"--shard", "1/2"}), "its rows are of another shard");
  refused({"certify", "two_arms", "--paths", lines, "-o", out}, "its rows are of another world");
  refused({"check", kArm, "--poses", folder.write("p.csv", poses_text(1)), "-o", out},
          "its rows are of another command");
  std::ofstream(lines, std::ios::app) << edges(1);
  refused(words, "its rows are of another input, or it has changed since");
  fs::remove(out + ".state");
  refused(words, "no " + out + ".state is there");
  // Without --resume it is written over.
  EXPECT_LE(run(with(words, {"--quiet"})).code, 1);
  EXPECT_EQ(json_lines(slurp(out)).size(), 4U);
}

TEST(Resume, ARunThatIsKilledLosesNoRow) {
  const TempFolder folder;
  const std::string lines = folder.write("edges.jsonl", edges(3000));
  const std::string out = folder.path() / "out.jsonl";
  const std::vector<std::string> words = {"certify", kArm,        "--paths", lines,
                                          "--quiet", "--threads", "1",       "-o"};
  ASSERT_EQ(run(with(words, {out + ".whole"})).code, 1);
  std::vector<std::string> all = with(words, {out, "--resume"});
  all.insert(all.begin(), KEEPCLEAR_COMMAND);
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  // Killed as soon as there are rows; if it was faster, nothing is left to do, which is right too.
  struct stat status = {};
  while (::waitpid(child, nullptr, WNOHANG) == 0) {
    if (::stat(out.c_str(), &status) == 0 && status.st_size > 20'000) {
      // Meanwhile nobody else may write there.
      expect_error(run(with(words, {out, "--resume"})), 74, "another run is writing it");
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(run(with(words, {out, "--resume"})).code, 1);
  EXPECT_EQ(slurp(out), slurp(out + ".whole"));
}

TEST(Shards, WhatMakesNoSenseIsRefused) {
  const TempFolder folder;
  const std::string lines = folder.write("edges.jsonl", edges(1));
  const std::vector<std::string> words = {"certify", kArm, "--paths", lines};
  for (const char* shard :
       {"0/2", "3/2", "2", "a/b", "1/0", "-1/2", "1/2/3", "1/1000001", "1 /2"}) {
    expect_error(run(with(words, {"--shard", shard})), 64, "; it is I/N, I from 1 to N");
  }
  expect_error(run(with(words, {"--resume"})), 64, "--resume: only with -o");
  expect_error(run(with(words, {"--path", lines})), 64, ": not with --paths");
  expect_error(run(with(words, {"--certificate", "x"})), 64, "--certificate 'x': not with --paths");
  expect_error(run(with(words, {"--columns", "t=time"})), 64, "--columns");
  expect_error(run(with(words, {"-o", lines})), 64, "is an input itself");
  expect_error(run(with(words, {"-o", "/dev/full"})), 74, "No space left on device");
  expect_error(run(with(words, {"-o", folder.path() / "no" / "x"})), 74, "there is no folder");
  expect_error(run({"certify", kArm, "--paths", "-", "--shard", "1/2"}), 64, "is read only once");
  expect_error(run({"certify", kArm, "--paths", folder.path() / "none"}), 66, "cannot open");
  expect_error(run({"check", kArm, "--q", "0,0,0,0,0,0", "--shard", "1/2"}), 64,
               "--shard '1/2': only with --poses");
  expect_error(run({"check", kArm, "--poses", "-", "--shard", "1/2"}), 64, "is read only once");
  EXPECT_EQ(run(with(words, {"-o", "/dev/null", "--quiet"})).code,
            run(with(words, {"--quiet"})).code);
}

}  // namespace
}  // namespace keepclear::test
