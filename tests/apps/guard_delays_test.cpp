// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear guard: the latency in parts, what is said of it, and how a guard starts.
#include <fmt/format.h>

#include <cstdio>
#include <tuple>

#include "guard_run.hpp"

namespace keepclear::test {
namespace {

std::string fmt_of(double value) {
  return fmt::format("{}", value);
}

/// Standing at 3 m, states that far apart.
std::string standing(int rows, double cycle) {
  std::string text = kHeader;
  for (int i = 0; i < rows; ++i) text += fmt_of(cycle * i) + ",3,0\n";
  return text;
}

class GuardDelays : public GuardCommand {
 protected:
  /// A brake file with those parts.
  std::string parts(double cycle, const std::string& noticed, double age = 0.001) const {
    return folder_.write("parts.json", R"({"delays": {"age": )" + fmt_of(age) + R"(, "cycle": )" +
                                           fmt_of(cycle) +
                                           R"(, "communication": 0.0005, "brake_reaction": 0.02,
                             "missing_answer_noticed": ")" +
                                           noticed + R"("}, "default": {"max_acceleration": 1,
                             "brake_deceleration": 10, "acceleration_uncertainty": 0}})");
  }
  std::string bare(double latency) const {
    return folder_.write("bare.json", R"({"latency": )" + fmt_of(latency) +
                                          R"(, "default": {"max_acceleration": 1,
                                          "brake_deceleration": 10}})");
  }
  Result with(const std::string& brake, const std::string& text,
              std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--replay", states(text), "--brake", brake});
    return guard(more, false);
  }
};

TEST_F(GuardDelays, TheSumAndItsRuleAreSaid) {
  for (const auto& [noticed, sum, rule] :
       {std::tuple("at once", 0.0235,
                   "age 0.001 s + cycle 0.002 s + communication 0.0005 s + brake_reaction 0.02 s"),
        std::tuple(
            "end of cycle", 0.0255,
            "age 0.001 s + 2 x cycle 0.002 s + communication 0.0005 s + brake_reaction 0.02 s")}) {
    SCOPED_TRACE(noticed);
    const std::string brake = parts(0.002, noticed);
    const Result text = with(brake, standing(5, 0.002));
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_EQ(text.err, "");
    EXPECT_NE(text.out.find(fmt_of(sum) + "  = " + rule), std::string::npos) << text.out;
    const Result document = with(brake, standing(5, 0.002), {"--json"});
    const json summary = json_lines(document.out).back()["summary"];
    EXPECT_GE(summary["latency"].get<double>(), sum);
    EXPECT_NEAR(summary["latency"].get<double>(), sum, 1e-12);
    EXPECT_EQ(summary["latency_rule"], rule);
    EXPECT_EQ(summary["delays"]["cycle"], 0.002);
    EXPECT_EQ(summary["delays"]["missing_answer_noticed"], noticed);
    EXPECT_NEAR(summary["longest_cycle"].get<double>(), 0.002, 1e-9);
    // A live guard says it before the first state.
    const Result live =
        run(words({"--stdin", "--brake", brake}, false), {.input = standing(1, 0.002)});
    EXPECT_NE(live.err.find("latency " + fmt_of(sum) + " s = " + rule), std::string::npos)
        << live.err;
  }
  const Result bare_latency = with(bare(0.02), standing(5, 0.002), {"--json"});
  const json summary = json_lines(bare_latency.out).back()["summary"];
  EXPECT_TRUE(summary["delays"].is_null());
  EXPECT_TRUE(summary["latency_rule"].is_null());
}

TEST_F(GuardDelays, StatesSlowerThanTheCycleBrake) {
  for (const char* noticed : {"at once", "end of cycle"}) {
    const std::string brake = parts(0.002, noticed);
    // Of time stamps that were rounded, near zero and as a clock since 1970 has them.
    for (const double start : {0.0, 1.7e9}) {
      for (const double cycle : {0.001, 0.002, 0.00201, 0.003, 0.02, 5.0}) {
        SCOPED_TRACE(cycle);
        std::string text = kHeader;
        char row[64];
        for (int i = 0; i < 10; ++i) {
          std::snprintf(row, sizeof row, "%.6f,3,0\n", start + cycle * i);
          text += row;
        }
        const Result result = with(brake, text, {"--json"});
        const bool slow = cycle > 0.002;
        EXPECT_EQ(result.code, slow ? 1 : 0) << result.err;
        const auto lines = json_lines(result.out);
        ASSERT_EQ(lines.size(), 11U);
        for (std::size_t i = 1; i < 10; ++i) {
          EXPECT_EQ(lines[i]["reason"], slow ? "time jumps" : "free") << i;
        }
        EXPECT_EQ(
            result.err.find("more than the cycle of 0.002 s in the delays") != std::string::npos,
            slow)
            << result.err;
      }
    }
  }
}

TEST_F(GuardDelays, StatesOlderThanTheAgeBrake) {
  const std::string brake = parts(0.002, "at once");
  const Result result = with(brake,
                             "time,q.slide,v.slide,age,age.slide\n0,3,0,0.001,0.001\n"
                             "0.002,3,0,0.0011,0\n0.003,3,0,0,0.0011\n0.004,3,0,0,0\n",
                             {"--json"});
  const auto lines = json_lines(result.out);
  ASSERT_EQ(lines.size(), 5U) << result.err;
  EXPECT_EQ(lines[0]["reason"], "free");
  EXPECT_EQ(lines[1]["reason"], "stale");
  EXPECT_EQ(lines[2]["reason"], "stale");
}

TEST_F(GuardDelays, OptionsDoNotContradictTheParts) {
  const std::string brake = parts(0.002, "at once"), log = standing(2, 0.002);
  expect_error(with(brake, log, {"--latency", "0.05"}), 64, "--latency: '0.05', and ");
  expect_error(with(brake, log, {"--max-gap", "0.003"}), 64,
               "--max-gap: 0.003 s is longer than the cycle of 0.002 s in the delays");
  expect_error(with(brake, log, {"--max-age", "0.003"}), 64,
               "--max-age: 0.003 s is longer than the age of 0.001 s in the delays");
  EXPECT_EQ(with(brake, log, {"--max-gap", "0.002", "--max-age", "0.001"}).code, 0);
  for (const char* input : {"--stdin", "--udp"}) {
    std::vector<std::string> live = {input};
    if (live[0] == "--udp") live.emplace_back("127.0.0.1:0");
    expect_error(guard(live, false), 64, "--brake is missing");
    live.insert(live.end(), {"--brake", brake, "--deadline", "0.001"});
    expect_error(guard(live, false), 64,
                 "--deadline: a deadline of 0.001 s is shorter than the cycle of 0.002 s");
  }
  expect_error(run({"report", rail_, "--states", states(log), "--brake", brake, "--latency", "1",
                    "-o", folder_.path() / "no.html"}),
               64, "--latency: '1', and ");
  expect_error(with(folder_.write("old.json", R"({"latency": 0.1, "default":
                                  {"brake_deceleration": 1}})"),
                    log),
               65, "/joints/slide: 'max_acceleration' is missing");
  expect_error(with(bare(0.1), "time,q.slide,v.slide,a.slide\n0,3,0,0\n", {"--known-command"}), 64,
               "acceleration_uncertainty is not given");
}

TEST_F(GuardDelays, ALatencyShorterThanTwoCyclesIsWarnedOf) {
  const std::string part = "is shorter than two such cycles";
  for (const double cycle : {0.001, 0.005, 0.0051, 0.008, 0.01}) {
    SCOPED_TRACE(cycle);
    const bool warns = cycle > 0.005;
    const Result replayed = with(bare(0.01), standing(9, cycle));
    EXPECT_EQ(replayed.code, 0);
    EXPECT_EQ(replayed.err.find(part) != std::string::npos, warns) << replayed.err;
    EXPECT_LE(replayed.error_lines(), 1U);
    EXPECT_EQ(with(bare(0.01), standing(9, cycle), {"--quiet"}).err, "");
  }
  EXPECT_NE(with(bare(0.01), standing(9, 0.02)).err.find("more than the latency of 0.01 s"),
            std::string::npos);
  // Live, once, as soon as it is seen.
  const Result live = run(words({"--stdin", "--brake", bare(4)}, false), {.input = standing(9, 3)});
  EXPECT_NE(live.err.find("warning: states are up to 3 s apart"), std::string::npos) << live.err;
  EXPECT_EQ(live.error_lines(), 1U);
}

TEST_F(GuardDelays, ARecordingAndACertificateKeepTheParts) {
  const std::string brake = parts(0.002, "end of cycle"), file = folder_.path() / "last.kcr";
  const std::string proof = folder_.path() / "go.kcert";
  const Result recorded = with(brake, standing(30, 0.002) + "0.07,nan,0\n",
                               {"--json", "--record", file, "--certificate", proof});
  EXPECT_EQ(recorded.code, 1) << recorded.err;
  const Result again = guard({"--replay", file, "--json"}, false);
  EXPECT_EQ(again.code, 1) << again.err;
  const json first = json_lines(recorded.out).back()["summary"];
  const json second = json_lines(again.out).back()["summary"];
  EXPECT_TRUE(second["same"].get<bool>());
  for (const char* key : {"latency", "delays", "latency_rule"}) {
    EXPECT_EQ(first[key], second[key]) << key;
  }
  EXPECT_NE(slurp(proof).find("2%20x%20cycle%200.002%20s"), std::string::npos);
  EXPECT_NE(slurp(file).find("\"delays\":[0.001,0.002,0.0005,0.02,1]"), std::string::npos);
  EXPECT_EQ(run({"report", rail_, "--recording", file, "-o", folder_.path() / "r.html"}).code, 1);
}

/// What each state is answered by, as --json says it.
std::vector<std::string> reasons(const Result& result) {
  std::vector<std::string> all;
  for (const json& line : json_lines(result.out)) {
    if (line.contains("reason") && !line["cycle"].is_null()) all.push_back(line["reason"]);
  }
  return all;
}

TEST_F(GuardDelays, ALogIsAnsweredAsItWouldHaveBeenLive) {
  // Brakes that may be stronger than what a state is proved for, and brakes that are not.
  const std::string strong = folder_.write("strong.json", R"({"latency": 20, "default": {
      "max_acceleration": 0.001, "brake_deceleration": 10}})");
  const std::string weak = folder_.write("weak.json", R"({"latency": 20, "default": {
      "max_acceleration": 0.001, "brake_deceleration": 0.0005,
      "brake_deceleration_most": 0.001}})");
  const std::vector<std::vector<double>> starts = {{0, 0, 0, 0},          {1e-4, 1e-4, 1e-4},
                                                   {1e-4, 0, 0, 1e-4},    {-1e-4, 1e-4, 0, 1e-4},
                                                   {0, 1e-4, 1e-4, 1e-4}, {1e-4, -1e-4, 0}};
  int started_moving = 0;
  for (const std::string& brake : {strong, weak}) {
    for (const std::vector<double>& speeds : starts) {
      std::string text = kHeader;
      for (std::size_t i = 0; i < speeds.size(); ++i) {
        text += fmt_of(1.0 * static_cast<double>(i)) + ",3," + fmt_of(speeds[i]) + "\n";
      }
      SCOPED_TRACE(brake + "\n" + text);
      const std::vector<std::string> log =
          reasons(guard({"--replay", states(text), "--json", "--quiet", "--brake", brake}, false));
      const std::vector<std::string> live = reasons(
          run(words({"--stdin", "--json", "--quiet", "--brake", brake}, false), {.input = text}));
      EXPECT_EQ(log, live);
      ASSERT_EQ(log.size(), speeds.size());
      const bool moves = speeds[0] != 0 && brake == strong;
      EXPECT_EQ(log[0], moves ? "still moving" : "free");
      started_moving += moves ? 1 : 0;
      const std::string page = folder_.path() / "run.html";
      const Result shown =
          run({"report", rail_, "--states", states(text), "--brake", brake, "-o", page});
      EXPECT_LE(shown.code, 1) << shown.err;
      EXPECT_EQ(document_of(slurp(page))["guard"]["rows"]["reason"], json(log));
    }
  }
  EXPECT_EQ(started_moving, 4);
}

}  // namespace
}  // namespace keepclear::test
