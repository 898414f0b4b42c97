// SPDX-License-Identifier: BSD-3-Clause
//
// Runs the built command as a user would, and keeps what it said.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace keepclear::test {

struct Result {
  int code = -1;  ///< exit code; -N when signal N ended it
  std::string out, err;

  std::size_t error_lines() const {
    return static_cast<std::size_t>(std::count(err.begin(), err.end(), '\n'));
  }
};

/// A folder of this test's own, gone with the object.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "keepclear-test-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string slurp(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

struct RunOptions {
  std::string input = {};        ///< on stdin
  std::string output_file = {};  ///< stdout goes there instead
  bool closed_pipe = false;      ///< stdout is a pipe that nobody reads
  std::vector<std::pair<std::string, std::string>> environment = {};
};

inline Result run_program(std::vector<std::string> words, const RunOptions& options = {}) {
  const TempFolder folder;
  const std::string in = folder.write("in", options.input);
  const std::string out =
      options.output_file.empty() ? (folder.path() / "out").string() : options.output_file;
  const std::string err = folder.path() / "err";
  int ends[2] = {-1, -1};
  if (options.closed_pipe) {
    if (::pipe(ends) != 0) return {};
    ::close(ends[0]);
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open(in.c_str(), O_RDONLY), 0);
    ::dup2(options.closed_pipe ? ends[1] : ::open(out.c_str(), O_WRONLY | O_CREAT, 0600), 1);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0600), 2);
    for (const auto& [name, value] : options.environment) {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  if (options.closed_pipe) ::close(ends[1]);
  int status = 0;
  ::waitpid(child, &status, 0);
  Result result;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  if (options.output_file.empty()) result.out = slurp(out);
  result.err = slurp(err);
  return result;
}

inline Result run(std::vector<std::string> arguments, const RunOptions& options = {}) {
  arguments.insert(arguments.begin(), KEEPCLEAR_COMMAND);
  return run_program(std::move(arguments), options);
}

/// One JSON value a line; a line that is none fails the test.
inline std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> values;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    values.push_back(nlohmann::json::parse(line, nullptr, false));
    EXPECT_FALSE(values.back().is_discarded()) << line;
  }
  return values;
}

/// The document that stands in a page; null where there is none.
inline nlohmann::json document_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"document\">";
  const std::size_t at = page.find(begin);
  if (at == std::string::npos) return nullptr;
  const std::size_t from = at + begin.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from), nullptr,
                               false);
}

/// An error is one line, says `text`, and comes with `code`.
inline void expect_error(const Result& result, int code, const std::string& text) {
  EXPECT_EQ(result.code, code) << result.err;
  EXPECT_EQ(result.error_lines(), 1U) << result.err;
  EXPECT_EQ(result.err.rfind("keepclear: ", 0), 0U) << result.err;
  EXPECT_NE(result.err.find(text), std::string::npos) << result.err << "lacks: " << text;
}

}  // namespace keepclear::test
