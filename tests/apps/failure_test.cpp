// SPDX-License-Identifier: BSD-3-Clause
//
// Whatever goes wrong: one line on stderr, and the exit code of its kind.
#include "run.hpp"

namespace keepclear::test {
namespace {

TEST(WrongUsage, ExitsSixtyFourWithOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "no command given"},
      {{"chekc"}, "there is no command 'chekc'"},
      {{"--quiet", "worlds"}, "'--quiet' stands where the command should"},
      {{"info"}, "WORLD is required"},
      {{"info", "six_axis_arm", "six_axis_arm"}, "one argument too many"},
      {{"info", "six_axis_arm", "--jsno"}, "--jsno"},
      {{"info", "six_axis_arm", "--threads"}, "--threads"},
      {{"info", "six_axis_arm", "--threads", "-1"}, "--threads"},
      {{"info", "six_axis_arm", "--threads", "two"}, "--threads"},
      {{"info", "six_axis_arm", "--threads", "1e9"}, "--threads"},
      {{"info", "six_axis_arm", "--parts", "0"}, "--parts"},
      {{"info", "six_axis_arm", "--package", "nothing"},
       "--package: 'nothing' has no '='; it is NAME=DIR"},
      {{"info", "six_axis_arm", "--package", "=/tmp"}, "--package: '=/tmp' has no name before '='"},
      {{"info", "six_axis_arm", "--srdf", "a", "--srdf", "b"}, "--srdf"},
      {{"distance", "six_axis_arm"}, "no pose given"},
      {{"check", "six_axis_arm", "--q", "0,0,0,0,0,0", "--poses", "-"},
       "--poses '-': not with --q"},
      {{"check", "six_axis_arm", "--all-pairs", "--q", "0,0,0,0,0,0"}, "--all-pairs"},
      {{"demo", "six_axis_arm"}, "one argument too many"},
  };
  for (const auto& [words, text] : cases) {
    SCOPED_TRACE(text);
    const Result result = run(words);
    expect_error(result, 64, text);
    EXPECT_EQ(result.out, "");
  }
}

TEST(MissingInput, ExitsSixtySixAndSaysWhatThereIs) {
  expect_error(run({"info", "no_such.urdf", "--quiet"}), 66,
               "no_such.urdf: no such file, and no built-in world; built-in worlds: six_axis_arm");
  expect_error(run({"info", "no_such.json"}), 66, "no_such.json: no such file");
  expect_error(run({"info", "/"}), 66, "is a folder");
  expect_error(run({"info", "six_axis_arm", "--srdf", "/nonexistent.srdf"}), 66,
               "/nonexistent.srdf");
  expect_error(run({"info", "six_axis_arm", "--package", "a=/nonexistent"}), 66, "/nonexistent");
  expect_error(run({"info", "six_axis_arm", "--package-path", "/nonexistent"}), 66,
               "/nonexistent: no such folder; correct the option --package-path");
}

TEST(MalformedInput, AnSrdfThatLeavesNothingToCheckIsRefusedUnlessAllowed) {
  const TempFolder folder;
  const std::string urdf = folder.write(
      "three.urdf",
      "<robot name='r'><link name='a'><collision><geometry><sphere radius='1'/></geometry>"
      "</collision></link><link name='b'/><link name='c'><collision><geometry><sphere radius='1'/>"
      "</geometry></collision></link>"
      "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
      "<joint name='k' type='continuous'><parent link='b'/><child link='c'/></joint></robot>");
  const std::string srdf = folder.write(
      "all.srdf",
      "<robot name='r'><disable_collisions link1='a' link2='c' reason='Never'/></robot>");
  EXPECT_EQ(run({"check", urdf, "--q", "0,0"}).code, 1);
  expect_error(run({"check", urdf, "--srdf", srdf, "--q", "0,0", "--quiet"}), 65,
               "all.srdf: no pair is left to check");
  EXPECT_EQ(run({"check", urdf, "--srdf", srdf, "--q", "0,0", "--allow-no-pairs"}).code, 0);
}

TEST(MalformedInput, ExitsSixtyFiveWithFileAndLine) {
  const TempFolder folder;
  expect_error(run({"info", folder.write("cell.json", "{}"), "--quiet"}), 65,
               "cell.json: neither robots nor objects");
  expect_error(run({"info", folder.write("arm.urdf.xacro", "<robot/>")}), 65, "expand it first");
  expect_error(run({"info", folder.write("empty.urdf", "")}), 65, "empty.urdf");
  expect_error(run({"info", folder.write("typo.urdf",
                                         "<robot name=\"r\">\n<link name=\"a\">\n<colision/>\n"
                                         "</link></robot>\n")}),
               65, "typo.urdf:3: ");
  const std::string srdf = folder.write("bad.srdf", "<robot name=\"six_axis_arm\">\n<nonsense");
  expect_error(run({"check", "six_axis_arm", "--srdf", srdf, "--q", "0,0,0,0,0,0"}), 65,
               "bad.srdf:");
}

TEST(FailedWrite, ExitsSeventyFour) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "skipped: no /dev/full";
  const std::vector<std::vector<std::string>> commands = {
      {"--help"},
      {"--version"},
      {"check", "--help"},
      {"worlds"},
      {"worlds", "--json"},
      {"info", "six_axis_arm"},
      {"info", "six_axis_arm", "--json"},
      {"check", "six_axis_arm", "--q", "0,0,0,0,0,0", "--quiet"},
      {"distance", "six_axis_arm", "--q", "0,0,0,0,0,0", "--json"},
      {"demo"},
  };
  for (const auto& words : commands) {
    SCOPED_TRACE(words[0]);
    expect_error(run(words, {.output_file = "/dev/full"}), 74, "standard output: cannot write");
    expect_error(run(words, {.closed_pipe = true}), 74, "standard output: cannot write");
  }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

TEST(OutOfMemory, ExitsSeventyWithOneLine) {
  if (kSanitized) GTEST_SKIP() << "skipped: a sanitizer takes all address space";
  const TempFolder folder;
  // Fifty megabytes of comment: legal, and more than it will be given.
  const std::string urdf =
      folder.write("big.urdf", "<robot name=\"r\"><!--" + std::string(std::size_t{50} << 20, 'x') +
                                   "--><link name=\"a\"/></robot>\n");
  const auto limited = [](long kilobytes, const std::string& words) {
    return run_program(
        {"/bin/sh", "-c",
         "ulimit -v " + std::to_string(kilobytes) + "; exec \"" KEEPCLEAR_COMMAND "\" " + words});
  };
  // The least that the program starts with depends on the libraries of the machine.
  long kilobytes = 16 << 10;
  while (kilobytes < (4L << 20) && limited(kilobytes, "--version").code != 0) kilobytes += 8 << 10;
  ASSERT_EQ(limited(kilobytes, "--version").code, 0);
  expect_error(limited(kilobytes + (16 << 10), "info " + urdf), 70, "out of memory");
  EXPECT_EQ(run({"info", urdf}).code, 0);
}

TEST(Environment, PackagesAreFoundThroughRosPathsAndOptions) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() / "ws/share/parts");
  std::filesystem::create_directories(folder.path() / "robot");
  folder.write("ws/share/parts/part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n");
  folder.write("ws/share/parts/package.xml", "<package/>");
  const std::string urdf = folder.write("robot/r.urdf", R"(<robot name="r"><link name="a">
    <collision><geometry><mesh filename="package://parts/part.obj"/></geometry></collision>
    </link></robot>)");
  const std::string share = folder.path() / "ws/share";
  const std::string parts = share + "/parts";
  expect_error(run({"info", urdf}), 66, "package://parts/part.obj");
  EXPECT_EQ(run({"info", urdf, "--package", "parts=" + parts}).code, 0);
  EXPECT_EQ(run({"info", "--package-path", share, urdf}).code, 0);
  const auto with = [&](const char* name, const std::string& value) {
    return run({"info", urdf}, {.environment = {{name, value}}}).code;
  };
  EXPECT_EQ(with("ROS_PACKAGE_PATH", "/nonexistent::" + share), 0);
  EXPECT_EQ(with("ROS_PACKAGE_PATH", parts), 0);
  EXPECT_EQ(with("AMENT_PREFIX_PATH", folder.path() / "ws"), 0);
  EXPECT_EQ(with("AMENT_PREFIX_PATH", share), 66);
}

TEST(Environment, ALocaleWithADecimalCommaChangesNothing) {
  const std::vector<std::string> words = {"distance", "six_axis_arm", "--q", "0.5,0,0,0,0,0",
                                          "--json"};
  const Result plain = run(words);
  const Result german = run(words, {.environment = {{"LC_ALL", "de_DE.UTF-8"}}});
  EXPECT_EQ(plain.code, 0);
  EXPECT_EQ(german.out, plain.out);
}

}  // namespace
}  // namespace keepclear::test
