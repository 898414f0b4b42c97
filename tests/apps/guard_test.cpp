// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear guard on logs and on a pipe, and everything that goes wrong with them. Nothing here
// depends on how fast the machine is, beyond seconds.
#include "guard_run.hpp"

namespace keepclear::test {
namespace {

/// Standing at 3 m for that many milliseconds.
std::string standing(int rows) {
  std::string text = kHeader;
  for (int i = 0; i < rows; ++i) text += "0.0" + std::to_string(100 + i) + ",3,0\n";
  return text;
}

TEST_F(GuardCommand, BrakesWhileThereIsStillRoomToStop) {
  // From rest to 1 m/s towards the stop. With 20 m/s^2 both ways and 10 ms it may need 47 mm.
  std::string text = kHeader;
  double q = 2.025, v = 0;
  std::vector<double> gap;
  for (int i = 0; i < 1075; ++i) {
    text += std::to_string(0.001 * i) + "," + std::to_string(q) + "," + std::to_string(v) + "\n";
    gap.push_back(q - 1);
    const double next = std::max(v - 0.01, -1.0);
    q += 0.001 * (v + next) / 2;
    v = next;
  }
  const Result result = guard({"--replay", states(text), "--json"}, false);
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_NE(result.err.find("no --brake"), std::string::npos) << result.err;
  const auto lines = json_lines(result.out);
  ASSERT_EQ(lines.size(), gap.size() + 1);
  bool went = false;
  double braked_at = 0;
  for (std::size_t i = 0; i < gap.size(); ++i) {
    EXPECT_EQ(lines[i]["cycle"], i + 1);
    EXPECT_NEAR(lines[i]["time"].get<double>(), 0.001 * static_cast<double>(i), 1e-9);
    const bool go = lines[i]["action"] == "go";
    went = went || go;
    EXPECT_EQ(go, lines[i]["reason"] == "free");
    if (!go && went && braked_at == 0) {
      braked_at = gap[i];
      EXPECT_EQ(lines[i]["reason"], "not clear");
      EXPECT_EQ(lines[i]["pair"], json({"stop", "cart"}));
    }
    EXPECT_TRUE(lines[i]["flops"].is_number_unsigned());
    EXPECT_GT(lines[i]["microseconds"].get<double>(), 0);
  }
  EXPECT_GT(braked_at, 0.0469);
  EXPECT_LT(braked_at, 0.06);
  const json summary = lines.back()["summary"];
  EXPECT_EQ(summary["cycles"], gap.size());
  EXPECT_GT(summary["brakes"].get<int>(), 40);
  EXPECT_EQ(summary["overruns"], 0);
  for (const char* share : {"median", "p99", "p99.9", "max"}) {
    EXPECT_GT(summary["microseconds"][share].get<double>(), 0) << share;
  }
  EXPECT_LE(summary["flops"]["max"].get<double>(), summary["flops"]["bound"].get<double>());
}

TEST_F(GuardCommand, ARobotThatStandsGoesAndExitsWithZero) {
  const Result result = guard({"--replay", states(standing(20))});
  EXPECT_EQ(result.code, 0) << result.out;
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("  go      free"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("20 cycles: "), std::string::npos) << result.out;
}

TEST_F(GuardCommand, ARobotThatNeverGoesExitsWithOne) {
  EXPECT_EQ(guard({"--replay", states("time,q.slide,v.slide\n0,0.5,0\n1,0.5,0\n")}).code, 1);
}

TEST_F(GuardCommand, TheSameStatesGiveTheSameBytesInAnyLocaleAndColumnOrder) {
  // Its brakes are no stronger than what speeds it up, so that it may start in motion.
  const std::string brake = folder_.write("moves.json", R"({"latency": 0.01, "default": {
      "max_acceleration": 1, "brake_deceleration": 1, "brake_deceleration_most": 1}})");
  std::string turned = "v.slide, time ,\"q.slide\"\r\n", plain = kHeader;
  for (int i = 0; i < 48; ++i) {
    const std::string time = std::to_string(0.01 * i), q = std::to_string(1.8 - 0.01 * i);
    plain += time + "," + q + ",-1\n";
    turned += "-1 , " + time + ",+" + q + "\r\n";
  }
  const auto with = [&](const std::string& text) {
    return run(words({"--replay", states(text), "--json", "--no-timing", "--brake", brake}, false),
               {.environment = {{"LC_ALL", "de_DE.UTF-8"}}});
  };
  const Result first = with(plain);
  EXPECT_EQ(first.code, 1) << first.err;
  EXPECT_NE(first.out.find("\"go\""), std::string::npos);
  EXPECT_NE(first.out.find("not clear"), std::string::npos);
  EXPECT_EQ(with(plain).out, first.out);
  EXPECT_EQ(with(turned).out, first.out);
}

TEST_F(GuardCommand, WhatIsNoStateOfThisRobotBrakesInItsCycle) {
  const std::vector<std::pair<std::string, std::string>> faults = {{"0.2,nan,0", "not finite"},
                                                                   {"0.2,3,nan", "not finite"},
                                                                   {"0.2,inf,0", "not finite"},
                                                                   {"0.2,-inf,0", "not finite"},
                                                                   {"0.2,1e999,0", "not finite"},
                                                                   {"0.2,1e308,0", ""},
                                                                   {"0.2,3,1e308", ""},
                                                                   {"nan,3,0", "not finite"},
                                                                   {"inf,3,0", ""},
                                                                   {"0.2,9.5,0", ""},
                                                                   {"0.105,3,0", "time goes back"},
                                                                   {"0.109,3,0", "time repeats"},
                                                                   {"0.2,5,0", "jump"},
                                                                   {"0.111,3,5", "jump"}};
  for (const auto& [row, reason] : faults) {
    SCOPED_TRACE(row);
    std::string text = kHeader;
    for (int i = 0; i < 10; ++i) text += "0.10" + std::to_string(i) + ",3,0\n";
    const auto lines = replay(text + row + "\n0.3,3,0\n");
    ASSERT_EQ(lines.size(), 13U);
    EXPECT_EQ(lines[9]["action"], "go");
    EXPECT_EQ(lines[10]["action"], "brake");
    if (!reason.empty()) {
      EXPECT_EQ(lines[10]["reason"], reason);
    }
    EXPECT_GE(lines[12]["summary"]["brakes"].get<int>(), 1);
  }
  const auto beyond = replay(std::string(kHeader) + "0,9.5,0\n");
  EXPECT_EQ(beyond[0]["reason"], "beyond limits");
}

TEST_F(GuardCommand, OldStatesBrakeEvenIfOneJointAloneIsOld) {
  const std::string header = "time,q.slide,v.slide,age,age.slide\n";
  const auto lines = replay(
      header + "0,3,0,0,0\n0.1,3,0,0,0\n0.2,3,0,0.5,0\n0.3,3,0,0,0.5\n0.4,3,0,0,0\n0.9,3,0,0,0\n",
      {"--max-age", "0.25", "--max-gap", "0.4"});
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[1]["action"], "go");
  EXPECT_EQ(lines[2]["reason"], "stale");
  EXPECT_EQ(lines[3]["reason"], "stale");
  EXPECT_EQ(lines[4]["action"], "go");
  EXPECT_EQ(lines[5]["reason"], "time jumps");
}

TEST_F(GuardCommand, AHeaderThatDoesNotFitTheRobotIsRefused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "empty: there is no header line"},
      {"time,q.slide\n0,3\n", "states.csv:1: column 'v.slide' is missing"},
      {"time,v.slide\n0,3\n", "column 'q.slide' is missing"},
      {"q.slide,v.slide\n3,0\n", "column 'time' is missing"},
      {"time,q.slid,v.slide\n0,3,0\n", "unknown column 'q.slid'"},
      {"time,slide,v.slide\n0,3,0\n", "unknown column 'slide'"},
      {"time,q.slide,v.slide,effort\n0,3,0,0\n", "unknown column 'effort'"},
      {"time,q.slide,v.slide,q.slide\n0,3,0,3\n", "column 'q.slide' stands there twice"},
      {"time;q.slide;v.slide\n0;3;0\n", "unknown column"},
  };
  for (const auto& [text, what] : cases) {
    SCOPED_TRACE(what);
    expect_error(guard({"--replay", states(text)}), 65, what);
    expect_error(run(words({"--stdin"}), {.input = text}), 65, what.substr(what.rfind(": ") + 1));
  }
  expect_error(guard({"--replay", states(standing(2)), "--known-command"}), 65,
               "column 'a.slide' is missing");
}

TEST_F(GuardCommand, ALogWithALineThatIsNoneNamesIt) {
  const auto with = [&](const std::string& row) {
    return guard({"--replay", states(std::string(kHeader) + "0,3,0\n" + row + "\n0.2,3,0\n")});
  };
  expect_error(with("0.1,three,0"), 65, "states.csv:3: column 2 ('q.slide'): 'three' is no number");
  expect_error(with("0.1,3"), 65, "states.csv:3: 2 fields where the header has 3");
  expect_error(with("0.1,3,0,0"), 65, "states.csv:3: 4 fields");
  expect_error(with("0.1,3,"), 65, "a number is missing");
  expect_error(with("0.1,0x3,0"), 65, "'0x3' is no number");
  expect_error(with(""), 65, "an empty line between states");
  EXPECT_EQ(guard({"--replay", states(standing(5) + "\n\n")}).code, 0);
}

TEST_F(GuardCommand, CommentsBlankLastLinesAndAMissingLastEndAreFine) {
  const std::string rows = "# a log\n" + standing(2) + "# so far\n0.2,3,0\n";
  for (const std::string& text : {rows, "\xef\xbb\xbf" + rows, rows + "\n\n", rows + "#\n"}) {
    for (const Result& result : {guard({"--replay", states(text), "--json"}),
                                 run(words({"--stdin", "--json"}), {.input = text})}) {
      EXPECT_EQ(result.code, 0) << result.err;
      EXPECT_EQ(json_lines(result.out).size(), 4U) << result.out;
    }
  }
  const Result blank = run(words({"--stdin", "--json"}), {.input = standing(2) + "\n0.2,3,0\n"});
  ASSERT_EQ(json_lines(blank.out).size(), 5U) << blank.err;
  EXPECT_EQ(json_lines(blank.out)[2]["reason"], "malformed");
  for (const char* end : {"", "\n", "\r\n"}) {
    const Result none = guard({"--replay", states("time,q.slide,v.slide" + std::string(end))});
    EXPECT_EQ(none.code, 0) << none.err;
    EXPECT_NE(none.out.find("0 cycles"), std::string::npos) << none.out;
  }
  expect_error(guard({"--replay", states("# only\n")}), 65, "there is no header line");
}

TEST_F(GuardCommand, WrongUsageIsSaid) {
  const std::string log = states(standing(2));
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "no states given"},
      {{"--replay", log, "--stdin"}, ": not with --stdin"},
      {{"--replay", log, "--udp", "127.0.0.1:0"}, ": not with --udp"},
      {{"--replay", log, "--deadline", "1"}, "--deadline '1': only with --stdin or --udp"},
      {{"--replay", log, "--margin", "-1"}, "--margin: '-1' is out of range"},
      {{"--replay", log, "--latency", "soon"}, "--latency: 'soon' is not a finite decimal number"},
      {{"--replay", log, "--slices", "0"}, "--slices"},
      {{"--stdin", "--allow-remote"}, "--allow-remote: only with --udp"},
      {{"--stdin", "--max-lost", "1"}, "--max-lost '1': only with --udp"},
      {{"--udp", "127.0.0.1:0", "--max-lost", "-1"}, "--max-lost"},
      {{"--udp", "127.0.0.1:0", "--max-lost", "1000001"}, "--max-lost"},
      {{"--replay", log, "--margin", "1e308"}, "--margin: '1e308' is out of range"},
      {{"--replay", log, "--graded", "--horizon", "1e6"}, "--horizon: '1e6' is out of range"},
      {{"--replay", log, "--horizon", "1"}, "--horizon '1': only with --graded"},
      {{"--replay", log, "--max-age", "0"}, "--max-age: '0' is out of range"},
      {{"--replay", log, "--splits", "17"}, "--splits"},
      {{"--replay", log, "--record-cycles", "9"}, "--record-cycles '9': only with --record"},
      {{"--stdin", "--deadline", "1e-7"}, "a deadline of 1e-07 s"},
      {{"--stdin", "--deadline", "0"}, "--deadline: '0' is out of range"},
      {{"--stdin", "--deadline", "30"}, "a deadline of 30 s with a latency of 20 s"},
      {{"--stdin", "--latency", "0"}, "a deadline of 0 s with a latency of 0 s"},
      {{"--udp", "127.0.0.1"}, "has no ':'; it is HOST:PORT"},
      {{"--udp", "127.0.0.1:70000"}, "has a port that is out of range"},
      {{"--udp", "robot.local:4000"}, "has a host that is no IP address"},
      {{"--udp", "0.0.0.0:0"}, "give --allow-remote"},
      {{"--udp", "[::]:0"}, "give --allow-remote"},
  };
  for (const auto& [more, what] : cases) {
    SCOPED_TRACE(what);
    expect_error(guard(more), 64, what);
  }
  expect_error(guard({"--replay", "/nonexistent.csv"}), 66, "/nonexistent.csv: cannot open");
  expect_error(guard({"--replay", "/"}), 66, "folder");
}

TEST_F(GuardCommand, ARecordingIsGoneThroughAgain) {
  const std::string file = folder_.path() / "last.kcr";
  std::string text = standing(60);
  text += "0.2,nan,0\n0.201,3,0\n";
  const Result recorded =
      guard({"--replay", states(text), "--record", file, "--record-cycles", "10", "--quiet"});
  EXPECT_EQ(recorded.code, 1) << recorded.err;
  const Result again = guard({"--replay", file, "--json"}, false);
  EXPECT_EQ(again.code, 1) << again.err;
  EXPECT_EQ(again.err, "");
  const auto lines = json_lines(again.out);
  ASSERT_GE(lines.size(), 11U);
  EXPECT_LE(lines.size(), 21U);
  EXPECT_EQ(lines[lines.size() - 2]["reason"], "not finite");
  EXPECT_EQ(lines[lines.size() - 3]["action"], "go");
  EXPECT_EQ(lines.back()["summary"]["same"], true);

  expect_error(guard({"--replay", file}), 64, "--brake: a recording has its own");
  std::string other = kRail;
  other.replace(other.find("0.5"), 3, "0.4");
  expect_error(run({"guard", folder_.write("other.urdf", other), "--replay", file}), 65,
               "another world");
  const std::string good = slurp(file);
  const auto damaged = [&](const std::string& bad) {
    return guard({"--replay", folder_.write("bad.kcr", bad)}, false);
  };
  expect_error(damaged(good.substr(0, good.size() / 2)), 65, "truncated");
  std::string flipped = good;
  flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 4);
  expect_error(damaged(flipped), 65, "the checksum does not match");
}

TEST_F(GuardCommand, ARecordingThatCannotBeWrittenIsSaid) {
  const std::string log = states(standing(9));
  expect_error(guard({"--replay", log, "--record", "/nonexistent/last.kcr"}), 74, "no folder");
  expect_error(guard({"--replay", log, "--record", log}), 64, "is an input itself");
  EXPECT_EQ(slurp(log), standing(9));
  const std::string none = folder_.path() / "none.kcr";
  EXPECT_EQ(guard({"--replay", log, "--record", none}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(none)) << "it never braked";
  const std::string stuck = states(std::string(kHeader) + "0,0.5,0\n1,0.5,0\n");
  EXPECT_EQ(guard({"--replay", stuck, "--record", none}).code, 1);
  EXPECT_EQ(json_lines(slurp(none)).size(), 4U) << "it never went";
}

TEST_F(GuardCommand, EveryLineOfAPipeIsAnswered) {
  Live live(words({"--stdin", "--json"}));
  live.say(kHeader);
  for (int i = 0; i < 5; ++i) {
    live.say("0." + std::to_string(i) + ",3,0\n");
    const json answer = live.answer();
    EXPECT_EQ(answer["cycle"], i + 1);
    if (i > 2) {
      EXPECT_EQ(answer["action"], "go") << answer;
    }
  }
  live.say("0.5,three,0\n");
  const json answer = live.answer();
  EXPECT_EQ(answer["action"], "brake");
  EXPECT_EQ(answer["reason"], "malformed");
  EXPECT_NE(live.error_line().find("standard input:7: column 2"), std::string::npos);
  live.say("0.6,3,0\n");
  EXPECT_EQ(live.answer()["action"], "go");
  live.say("0.7,3");
  live.close_input();
  const auto rest = live.rest();
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[0]["reason"], "malformed");
  EXPECT_EQ(rest[1]["summary"]["cycles"], 8);
  EXPECT_EQ(live.wait(), 1);
}

TEST_F(GuardCommand, APipeThatFallsSilentBrakes) {
  Live live(words({"--stdin", "--json", "--quiet", "--deadline", "0.1"}));
  live.say(standing(10));
  json silent;
  for (int cycles = 0; cycles < 10;) {
    silent = live.answer();
    ASSERT_TRUE(silent.is_object());
    cycles += silent["cycle"].is_null() ? 0 : 1;
  }
  silent = live.answer();
  EXPECT_EQ(silent["action"], "brake");
  EXPECT_EQ(silent["reason"], "no state");
  EXPECT_TRUE(silent["cycle"].is_null());
  live.say("0.5,3,0\n");
  const json late = live.answer();
  EXPECT_EQ(late["reason"], "no state") << "what waited may be as old as the silence was long";
  live.close_input();
  EXPECT_GE(live.rest().back()["summary"]["watchdog"].get<int>(), 1);
  EXPECT_EQ(live.wait(), 1);
}

TEST_F(GuardCommand, LinesThatWaitedForLongerThanTheDeadlineBrake) {
  Live live(words({"--stdin", "--json", "--quiet", "--deadline", "0.2"}));
  live.say(kHeader);
  int row = 0;
  const auto next = [&] { return "0." + std::to_string(1000 + ++row) + ",3,0\n"; };
  const auto answer = [&] {
    json said;
    do {
      said = live.answer();
    } while (said.is_object() && said["cycle"].is_null());
    return said;
  };
  const auto until_go = [&] {
    do {
      ASSERT_LT(row, 1000);
      live.say(next());
    } while (answer()["action"] != "go");
  };
  until_go();
  live.pause();
  for (int i = 0; i < 20; ++i) live.say(next());
  ::usleep(400'000);
  live.go_on();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(answer()["reason"], "no state") << i;
  until_go();
}

TEST_F(GuardCommand, AReaderThatDoesNotReadGetsNoOldGo) {
  Live live(words({"--stdin", "--json", "--quiet", "--deadline", "0.2"}));
  live.say(std::string(kHeader) + "0,3,0\n");
  EXPECT_TRUE(live.answer().is_object());
  // Far more than the pipe of the answers holds; what it held is as old as the reader made it.
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(0.001 * i + 1) + ",3,0\n";
  live.say(text);
  ::usleep(600'000);
  std::size_t bytes = 0;
  for (int cycles = 0; cycles < 3000;) {
    const std::string line = live.line();
    ASSERT_FALSE(line.empty());
    bytes += line.size() + 1;
    const json answer = json::parse(line);
    cycles += answer["cycle"].is_null() ? 0 : 1;
    if (bytes > 70'000) {
      EXPECT_EQ(answer["action"], "brake") << line;
    }
  }
}

TEST_F(GuardCommand, ALatchHoldsWhateverComes) {
  Live live(words({"--stdin", "--json", "--quiet", "--latch"}));
  live.say(standing(5) + "oops\n0.2,3,0\n0.201,3,0\n");
  live.close_input();
  const auto lines = live.rest();
  ASSERT_EQ(lines.size(), 9U);
  EXPECT_EQ(lines[4]["action"], "go");
  for (std::size_t i = 5; i < 8; ++i) EXPECT_EQ(lines[i]["action"], "brake") << lines[i];
  EXPECT_EQ(lines[7]["reason"], "latched");
  EXPECT_EQ(lines[8]["summary"]["reasons"]["latched"], 2);
  EXPECT_EQ(live.wait(), 1);
}

TEST_F(GuardCommand, AfterABrakeOnlyARobotThatStandsGoes) {
  const std::string slow =
      folder_.write("slow.json", R"({"latency": 20, "default": {"max_acceleration": 1e-3,
      "brake_deceleration": 10}})");
  const auto answers = [&](const std::string& lines) {
    Live live(words({"--stdin", "--json", "--quiet", "--graded", "--brake", slow}, false));
    live.say(kHeader + lines);
    live.close_input();
    std::string said;
    for (const json& answer : live.rest()) {
      if (answer.contains("summary")) continue;
      said += answer["reason"].get<std::string>() + ", ";
      EXPECT_EQ(answer["scale"].get<double>() > 0, answer["action"] == "go") << answer;
    }
    return said;
  };
  EXPECT_EQ(answers("0,5,0\n20,5.1,0.01\noops\n40,5.3,0.01\n60,5.4,0\n80,5.5,0.01\n"),
            "free, free, malformed, still moving, free, free, ");
  EXPECT_EQ(answers("0,5.3,0.01\n20,5.4,0\n"), "still moving, free, ")
      << "whoever guarded before may have braked";
}

TEST_F(GuardCommand, AnAnswerThatIsNotOutInTimeIsABrake) {
  Live live(words({"--stdin", "--json", "--quiet", "--deadline", "1e-6"}));
  live.say(standing(20));
  live.close_input();
  const auto lines = live.rest();
  EXPECT_GE(lines.size(), 21U);
  for (const json& line : lines) {
    EXPECT_TRUE(line.contains("summary") || line["action"] == "brake") << line;
  }
  EXPECT_EQ(live.wait(), 1);
}

TEST_F(GuardCommand, SignalsEndItCleanly) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    Live live(words({"--stdin", "--json", "--quiet"}));
    live.say(standing(3));
    for (int i = 0; i < 3; ++i) live.answer();
    live.signal(number);
    const auto rest = live.rest();
    ASSERT_EQ(rest.size(), 2U);
    EXPECT_EQ(rest[0]["action"], "brake");
    EXPECT_EQ(rest[0]["reason"], "stopped");
    EXPECT_EQ(rest[1]["summary"]["cycles"], 3);
    EXPECT_EQ(live.wait(), 0) << "to be stopped is no brake of the robot's doing";
  }
}

TEST_F(GuardCommand, AGuardThatIsStoppedBeforeAnyStateSaysSo) {
  Live live(words({"--stdin", "--json"}));
  live.wait_until_blocked(SIGTERM);
  live.say("# not yet\n");
  live.signal(SIGTERM);
  const auto rest = live.rest();
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[0]["reason"], "stopped");
  EXPECT_EQ(rest[1]["summary"]["cycles"], 0);
  EXPECT_EQ(live.wait(), 0);
}

TEST_F(GuardCommand, ClosedStandardDescriptorsDoNotHangIt) {
  const auto with = [&](const std::string& shut) {
    const std::string command = std::string(KEEPCLEAR_COMMAND) + " guard " + rail_ + " --brake " +
                                still_ + " --stdin --json --quiet " + shut;
    return run_program({"/bin/sh", "-c", command}, {.input = standing(3)}).code;
  };
  EXPECT_EQ(with("<&-"), 65) << "no header";
  EXPECT_EQ(with(">&-"), 74);
  EXPECT_EQ(with("2>&-"), 0);
  EXPECT_EQ(with("<&- >&- 2>&-"), 65);
}

TEST_F(GuardCommand, NobodyToReadTheAnswersEndsItToo) {
  Live live(words({"--stdin", "--json", "--quiet"}));
  live.close_output();
  live.say(standing(3));
  EXPECT_NE(live.error_line().find("standard output: cannot write"), std::string::npos);
  EXPECT_EQ(live.wait(), 74);
}

}  // namespace
}  // namespace keepclear::test
