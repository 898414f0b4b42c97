// SPDX-License-Identifier: BSD-3-Clause
#include "demo_certificate.hpp"

#include <algorithm>
#include <chrono>

#include "certificate.hpp"
#include "files.hpp"
#include "motion/path_file.hpp"
#include "scene/world.hpp"

namespace keepclear::command {

TourCertificate certify_bench(const World& bench, const std::string& file) {
  const auto builtin = std::ranges::find(builtin_worlds(), bench.name(), &BuiltinWorld::name);
  const BuiltinWorld::Task& task = builtin->tasks.front();
  const std::vector<double> rest = bench.neutral();
  const Path path = parse_path(task.csv, task.name + ".csv", bench.data().kinematics, rest);
  CertificateFacts facts;
  facts.sources = sources_of(bench, {});
  add_task_source(bench.name(), task.name, task.csv, facts);
  TourCertificate tour;
  const Certificate found = certify(bench, path);
  tour.clearance = found.clearance;
  const auto start = std::chrono::steady_clock::now();
  tour.written = path_certificate(bench, path, {}, found, facts);
  tour.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!file.empty()) replace_file(file, tour.written.text);
  return tour;
}

void print_certificate(Output& out, const TourCertificate& tour, const std::string& file) {
  out.print(
      "\n12. Proof that travels: world, claim and proof of task1 as one file, for a second "
      "program\n"
      "   {:.4f} m proved once more of {:.4f} m, in {} cells and {} records: {:.0f} kB, {:.3f} s\n"
      "   keepclear-verify {}   checks it, and shares no code with this program\n",
      tour.written.clearance, tour.clearance, tour.written.cells, tour.written.records,
      static_cast<double>(tour.written.text.size()) / 1000, tour.seconds,
      file.empty() ? "FILE" : printable(file));
}

void print_certificate_json(Output& out, const TourCertificate& tour) {
  out.print("\"certificate\":{{\"clearance\":{},\"cells\":{},\"records\":{},\"bytes\":{}}}",
            json_number(tour.written.clearance), tour.written.cells, tour.written.records,
            tour.written.text.size());
}

}  // namespace keepclear::command
