// SPDX-License-Identifier: BSD-3-Clause
// keepclear-verify: checks a certificate (docs/certificate.md).
#include <iostream>
#include <new>

#include "against.hpp"

namespace {

constexpr const char* kUsage =
    "usage: keepclear-verify FILE [--summary] [--source FILE]... [--against FILE]...\n"
    "       [--package NAME=FOLDER]... [--package-path FOLDER]...\n"
    "Checks a certificate of keepclear. --against takes every file that its world was made from:\n"
    "URDF, SRDF, scene (.json, .scene), model; meshes are found by them.\n"
    "exit code: 0 valid, 1 invalid, 2 cannot tell, 64 bad usage, 66 no such file\n";

struct BadUsage {
  std::string why;
};
struct Request {
  std::string file;
  bool summary = false;
  std::vector<std::string> sources;
  std::vector<std::filesystem::path> against;
  verify::Packages packages;
};

bool blank(const std::string& word) {
  return word.find_first_not_of(" \t\r\n") == word.npos;
}

void take_option(const std::string& option, const std::string& value, Request& request) {
  const auto fail = [&](const std::string& why) {
    throw BadUsage{option + ": '" + value + "' " + why};
  };
  if (blank(value)) fail("is empty");
  if (option == "--source") {
    request.sources.push_back(value);
  } else if (option == "--against") {
    request.against.push_back(value);
  } else if (option == "--package-path") {
    request.packages.folders.push_back(value);
  } else if (option == "--package") {
    const std::size_t at = value.find('=');
    if (at == value.npos || blank(value.substr(0, at)) || blank(value.substr(at + 1)))
      fail("is not NAME=FOLDER");
    if (!request.packages.named.emplace(value.substr(0, at), value.substr(at + 1)).second)
      fail("names a package twice");
  } else {
    throw BadUsage{"no option " + option};
  }
}

Request read_request(int argc, char** argv) {
  Request request;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--summary") {
      if (request.summary) throw BadUsage{"--summary stands twice"};
      request.summary = true;
    } else if (word.starts_with("--")) {
      const std::size_t at = word.find('=');  // --option=value
      const bool joined = at != word.npos;
      if (!joined && i + 1 == argc) throw BadUsage{word + ": a value is missing"};
      take_option(word.substr(0, at), joined ? word.substr(at + 1) : argv[++i], request);
    } else {
      if (blank(word) || !request.file.empty())
        throw BadUsage{"'" + word + "': one certificate is checked at a time"};
      request.file = word;
    }
  }
  if (request.file.empty()) throw BadUsage{"no certificate is given"};
  if (request.against.empty() &&
      !(request.packages.named.empty() && request.packages.folders.empty()))
    throw BadUsage{"--package and --package-path are for --against, which is not given"};
  return request;
}

/// The first of its files that is not there, or nothing.
std::string missing_file(const Request& request) {
  std::vector<std::filesystem::path> files = {request.file};
  files.insert(files.end(), request.sources.begin(), request.sources.end());
  files.insert(files.end(), request.against.begin(), request.against.end());
  std::error_code error;
  for (const auto& file : files)
    if (!std::filesystem::exists(file, error) || std::filesystem::is_directory(file, error))
      return file.string();
  return {};
}

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
  if (!request.against.empty())
    also += "against: " + verify::against(certificate, request.against, request.packages) + "\n";
  if (request.summary)
    std::cout << certificate.summary(verify::sha256(text)) << also;
  else
    std::cout << "valid: " << certificate.in_words() << '\n' << also;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--help") return std::cout << kUsage, 0;
  Request request;
  try {
    request = read_request(argc, argv);
  } catch (const BadUsage& e) {
    return std::cerr << "keepclear-verify: " << e.why << '\n' << kUsage, 64;
  }
  if (const std::string file = missing_file(request); !file.empty())
    return std::cerr << "keepclear-verify: cannot read " << file << '\n', 66;
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
