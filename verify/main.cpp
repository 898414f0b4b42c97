// SPDX-License-Identifier: BSD-3-Clause
// keepclear-verify: checks a certificate (docs/certificate.md).
#include <iostream>
#include <new>

#include "against.hpp"

namespace {

constexpr const char* kUsage =
    "usage: keepclear-verify FILE [--summary] [--source FILE]...\n"
    "       [--against [NAME=]ROBOT.urdf]... [--package NAME=FOLDER]... [--package-path "
    "FOLDER]...\n"
    "Checks a certificate of keepclear. NAME/ stands before the names of the links of one robot of "
    "several.\n"
    "exit code: 0 valid, 1 invalid, 2 cannot tell, 64 bad usage, 66 no such file\n";

/// NAME=VALUE; the name is empty if there is none.
std::pair<std::string, std::string> named(const std::string& word) {
  const std::size_t at = word.find('=');
  if (at == word.npos) return {"", word};
  return {word.substr(0, at), word.substr(at + 1)};
}

struct Request {
  std::string file;
  bool summary = false;
  std::vector<std::string> sources;
  std::vector<std::pair<std::string, std::string>> robots;  // name, file
  verify::Packages packages;
};

void answer(const Request& request) {
  verify::Certificate certificate;
  const std::string text = verify::read_file(request.file);
  verify::round_upwards();
  certificate.check(text);
  verify::round_nearest();
  std::string also;
  for (const std::string& source : request.sources) {
    const std::string hash = verify::sha256(verify::read_file(source));
    if (std::none_of(certificate.sources.begin(), certificate.sources.end(),
                     [&](const auto& s) { return s.first == hash; }))
      throw verify::Differs{source + " is none of its sources: no source has the hash " + hash};
    also += "source: " + source + " is as it was read\n";
  }
  for (const auto& [name, file] : request.robots)
    also += "against: " +
            verify::against(certificate, name.empty() ? "" : name + "/", file, request.packages) +
            "\n";
  if (request.summary)
    std::cout << certificate.summary(verify::sha256(text)) << also;
  else
    std::cout << "valid: " << certificate.in_words() << '\n' << also;
}

}  // namespace

int main(int argc, char** argv) {
  Request request;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help") return std::cout << kUsage, 0;
    const bool option = word.starts_with("--") && word != "--summary";
    if (option && ++i == argc) return std::cerr << kUsage, 64;
    if (word == "--summary")
      request.summary = true;
    else if (word == "--source")
      request.sources.push_back(argv[i]), files.push_back(argv[i]);
    else if (word == "--against")
      request.robots.push_back(named(argv[i])), files.push_back(request.robots.back().second);
    else if (word == "--package" && !named(argv[i]).first.empty())
      request.packages.named.insert(named(argv[i]));
    else if (word == "--package-path")
      request.packages.folders.push_back(argv[i]);
    else if (!option && request.file.empty())
      request.file = word, files.push_back(word);
    else
      return std::cerr << kUsage, 64;
  }
  if (request.file.empty()) return std::cerr << kUsage, 64;
  std::error_code error;
  for (const std::string& file : files)
    if (!std::filesystem::exists(file, error) || std::filesystem::is_directory(file, error))
      return std::cerr << "cannot read " << file << '\n', 66;
  try {
    answer(request);
    return 0;
  } catch (const verify::Invalid& e) {
    std::cout << "invalid: line " << e.line << ": " << e.why << ": " << e.record << '\n';
    return 1;
  } catch (const verify::Differs& e) {
    std::cout << "invalid: " << e.why << '\n';
    return 1;
  } catch (const verify::CannotTell& e) {
    std::cout << "cannot tell: " << e.why << '\n';
  } catch (const std::exception& e) {  // no memory, and the like
    std::cout << "cannot tell: " << e.what() << '\n';
  }
  return 2;
}
