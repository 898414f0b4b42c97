// SPDX-License-Identifier: BSD-3-Clause
//
// forgeries [--seed S] [--seconds T] [--write FOLDER]: $KEEPCLEAR_CASES (100000) worlds of
// certificates, each changed in one meaning, before keepclear-verify --against: of random robots
// and scenes, and with data of the robots there. Ends after T seconds if that is sooner. With
// --write every one is kept: FOLDER/N/honest, the files that it was made from in FOLDER/N/files,
// and FOLDER/N/K with what was changed in FOLDER/N/K.what. Exit 0 when none was found valid and no
// honest one was refused, 1 otherwise, 64 for a wrong call.
#include "verify/forgeries.hpp"

#include <chrono>

#include "data.hpp"
#include "verify/described.hpp"

namespace keepclear::test {
namespace {

void write_all(const std::filesystem::path& folder, const DescribedWorld& drawn,
               const std::string& text) {
  std::filesystem::create_directories(folder);
  std::filesystem::copy(drawn.folder(), folder / "files", std::filesystem::copy_options::recursive);
  const auto write = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  };
  write("honest", text);
  std::string given;
  for (const auto& file : drawn.files()) given += file.filename().string() + "\n";
  write("given", given);
  std::size_t k = 0;
  for (const Forgery& forgery : Forger(text, true, true).forgeries()) {
    write(std::to_string(k), forgery.text);
    write(std::to_string(k++) + ".what", forgery.what + "\n");
  }
}

std::vector<std::filesystem::path> robots_of_others() {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(data_dir() / "robots", none)) {
    if (entry.path().extension() == ".urdf") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace
}  // namespace keepclear::test

int main(int argc, char** argv) {
  using namespace keepclear::test;
  std::uint64_t seed = 1;
  double seconds = 1e9;
  std::filesystem::path folder;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--seed" && more) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--seconds" && more) {
      seconds = std::atof(argv[++i]);
    } else if (word == "--write" && more) {
      folder = argv[++i];
    } else {
      std::fprintf(stderr, "usage: forgeries [--seed S] [--seconds T] [--write FOLDER]\n");
      return 64;
    }
  }
  const char* const cases = std::getenv("KEEPCLEAR_CASES");
  const std::size_t wanted = cases != nullptr ? std::strtoull(cases, nullptr, 10) : 100'000;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  ForgeryTally tally;
  const auto goes_on = [&] { return tally.all().tried < wanted && elapsed() < seconds; };
  std::mt19937_64 random(seed);
  const std::vector<std::filesystem::path> robots = robots_of_others();
  for (std::uint64_t n = 0; goes_on(); ++n) {
    const std::uint64_t number = seed * 1'000'000 + n;
    const DescribedWorld drawn(number);
    const std::string text = world_text(drawn.world());
    judge_forgeries(
        "world " + std::to_string(number), text, true, true, drawn.files(), false,
        [](std::size_t) { return true; }, tally);
    if (!folder.empty()) write_all(folder / std::to_string(number), drawn, text);
    // One robot of others for ten drawn ones, and some of its forgeries.
    if (robots.empty() || n % 10 != 9) continue;
    const std::filesystem::path& urdf = robots[(n / 10 + seed) % robots.size()];
    keepclear::LoadOptions options;
    options.allow_no_pairs = true;
    options.package_path = {data_dir() / "robots"};
    options.parts = random() % 2 == 0 ? 1 : 4;
    std::vector<std::filesystem::path> given{urdf};
    std::filesystem::path srdf = urdf;
    if (std::filesystem::exists(srdf.replace_extension(".srdf"))) {
      options.srdf = srdf;
      given.push_back(srdf);
    }
    try {
      judge_forgeries(
          urdf.string() + ", parts " + std::to_string(options.parts),
          world_text(keepclear::load(urdf, options)), true, false, given, false,
          [&](std::size_t) { return random() % 60 == 0; }, tally);
    } catch (const keepclear::Error& error) {
      std::printf("%s: not loaded: %s\n", urdf.c_str(), error.what());
    }
  }
  std::printf("%.0f s\n", elapsed());
  tally.print();
  return tally.worlds > 0 && tally.refused.empty() && tally.wrong.empty() ? 0 : 1;
}
