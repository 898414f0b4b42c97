// SPDX-License-Identifier: BSD-3-Clause
//
// A motion that is free, and the proof of it as a file that keepclear-verify checks on its own.
#include <cstdio>
#include <exception>
#include <fstream>

#include "keepclear/keepclear.hpp"

int main(int argc, char** argv) {
  try {
    const keepclear::World world = keepclear::load_builtin("six_axis_arm");
    std::vector<double> from(world.dof(), 0.0), to(world.dof(), 0.4);
    const keepclear::Path path = keepclear::line_path(from, to, 2.0);
    const keepclear::CertifyOptions options{.margin = 0.005};
    const keepclear::Certificate found = keepclear::certify(world, path, options);
    if (found.verdict != keepclear::Verdict::free) {
      std::printf("the motion is not free\n");
      return 1;
    }

    keepclear::CertificateFacts facts;
    facts.sources = keepclear::sources_of(world, {});
    facts.options = {{"margin", "0.005"}};
    const keepclear::WrittenCertificate certificate =
        keepclear::path_certificate(world, path, options, found, facts);
    if (certificate.text.empty()) {
      std::printf("free, but without a certificate: %s\n", certificate.why.c_str());
      return 1;
    }
    std::printf("clearance %.4f m, of which the certificate proves %.4f m in %zu cells\n",
                found.clearance, certificate.clearance, certificate.cells);
    const char* file = argc > 1 ? argv[1] : "motion.kcert";
    std::ofstream(file) << certificate.text;
    std::printf("keepclear-verify %s\n", file);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
