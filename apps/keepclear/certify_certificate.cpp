// SPDX-License-Identifier: BSD-3-Clause
#include "certify_certificate.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "csv.hpp"
#include "files.hpp"
#include "scene/mesh_hulls.hpp"
#include "scene/new_file.hpp"

namespace keepclear::command {

MotionCertificates::MotionCertificates(const Told& told, const Asked& asked,
                                       std::span<const MotionFile> files,
                                       std::span<const Motion> motions, const Words& words)
    : told_(told), asked_(asked), filer_(told.certificate, told.talk) {
  if (!is_asked()) return;
  const std::string& place = told.certificate.file;
  if (told.one && !names_folder(place)) {
    files_ = {place};
  } else {
    std::vector<std::string> names;
    for (const Motion& motion : motions) names.push_back(motion.file);
    files_ = certificate_files(place, names);
    std::error_code code;
    std::filesystem::create_directories(place, code);
    if (code) fail_to_write(place, code.value());
    for (const std::string& file : files_) require_writable(file, names);
  }
  facts_ = world_facts(asked.world, told.world);
  for (const auto& [name, value] : words) add_asked(name, value, facts_);
  for (const MotionFile& file : files) {
    if (file.task) tasks_.emplace(file.file, *file.task);
  }
}

WrittenCertificate MotionCertificates::prove(std::span<const Motion> motions,
                                             std::span<const Path> paths,
                                             const Certificate& found) const {
  if (!is_asked() || found.verdict != Verdict::free) return {};
  CertificateFacts facts = facts_;
  for (const Motion& motion : motions) {
    const auto task = tasks_.find(motion.file);
    if (task != tasks_.end()) {
      add_task_source(told_.world.world, motion.file, task->second, facts);
    } else {
      add_source(motion.file, facts);
    }
    const bool clock = !motion.robot.empty();
    add_asked(clock ? "clock" : "path", clock ? motion.robot + "=" + motion.file : motion.file,
              facts);
  }
  // A tube that is no number is a file.
  double width = 0;
  const auto& tube = asked_.motions.tube;
  if (tube && !parse_number(*tube, width).empty()) add_source(*tube, facts);
  return CertificateFiler::proved([&] {
    return asked_.clocks
               ? clock_certificate(asked_.world, paths, asked_.offset, asked_.options, found, facts)
               : path_certificate(asked_.world, paths.front(), asked_.options, found, facts);
  });
}

std::string MotionCertificates::file(std::size_t i, const Certificate& found,
                                     const WrittenCertificate& written) {
  if (!is_asked()) return {};
  if (found.verdict == Verdict::free) {
    return filer_.take(written, files_[i], "the motion is free");
  }
  ++refused_;
  return "null";
}

void MotionCertificates::certify_all(std::span<const Motion> motions, std::span<const Path> paths,
                                     const Done& done) const {
  // Some at a time: their texts may be long.
  constexpr std::size_t kAtOnce = 64;
  const int threads = told_.world.threads;
  for (std::size_t first = 0; first < paths.size(); first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, paths.size() - first);
    std::vector<Certificate> found(count);
    keepclear::certify_all(
        asked_.world, paths.subspan(first, count), asked_.options, threads,
        [&](std::size_t i, const Certificate& certificate) { found[i] = certificate; });
    std::vector<WrittenCertificate> written(count);
    for_each_parallel(count, threads, [&](std::size_t i) {
      written[i] = prove(motions.subspan(first + i, 1), paths.subspan(first + i, 1), found[i]);
    });
    for (std::size_t i = 0; i < count; ++i) done(first + i, found[i], written[i]);
  }
}

void MotionCertificates::print(Output& out) {
  filer_.print(out);
  if (refused_ == 0) return;
  if (told_.one) {
    filer_.refuse(files_.front(), "the motion is not free");
  } else {
    filer_.refuse(told_.certificate.file,
                  fmt::format("{} of {} not free", refused_,
                              counted(files_.size(), "motion is", "motions are")));
  }
}

}  // namespace keepclear::command
