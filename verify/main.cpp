// SPDX-License-Identifier: BSD-3-Clause
// keepclear-verify: checks a certificate (docs/certificate.md).
#include <filesystem>
#include <fstream>
#include <iostream>
#include <new>

#include "certificate.hpp"

namespace {

constexpr const char* kUsage =
    "usage: keepclear-verify FILE [--summary] [--source FILE]...\n"
    "       [--against [NAME=]ROBOT.urdf]... [--package NAME=FOLDER]... [--package-path FOLDER]...\n"
    "exit code: 0 valid, 1 invalid, 2 cannot tell, 64 bad usage, 66 no such file\n";

struct NoFile {
  std::string name;
};

std::string read_file(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file || std::filesystem::is_directory(name)) throw NoFile{name};
  if (std::filesystem::is_regular_file(name) && std::filesystem::file_size(name) > (1u << 31))
    throw verify::CannotTell{"a file of more than 2 GiB: " + name};
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  std::string file;
  std::vector<std::string> sources;
  bool summary = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help") return std::cout << kUsage, 0;
    if (word == "--summary")
      summary = true;
    else if (word == "--source" && i + 1 < argc)
      sources.push_back(argv[++i]);
    else if (!word.starts_with('-') && file.empty())
      file = word;
    else
      return std::cerr << kUsage, 64;
  }
  if (file.empty()) return std::cerr << kUsage, 64;
  verify::Certificate certificate;
  try {
    const std::string text = read_file(file);
    verify::round_upwards();
    certificate.check(text);
    verify::round_nearest();
    for (const std::string& source : sources) {
      const std::string hash = verify::sha256(read_file(source));
      if (std::none_of(certificate.sources.begin(), certificate.sources.end(), [&](const auto& s) { return s.first == hash; })) {
        std::cout << "invalid: no source has the hash of " << source << ", " << hash << '\n';
        return 1;
      }
    }
    if (summary)
      std::cout << certificate.summary(verify::sha256(text));
    else
      std::cout << "valid: " << certificate.in_words() << '\n';
    return 0;
  } catch (const verify::Invalid& e) {
    std::cout << "invalid: line " << e.line << ": " << e.why << ": " << e.record << '\n';
    return 1;
  } catch (const verify::CannotTell& e) {
    std::cout << "cannot tell: " << e.why << '\n';
  } catch (const NoFile& e) {
    std::cerr << "cannot read " << e.name << '\n';
    return 66;
  } catch (const std::bad_alloc&) {
    std::cout << "cannot tell: out of memory\n";
  }
  return 2;
}
