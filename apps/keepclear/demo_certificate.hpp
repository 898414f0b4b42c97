// SPDX-License-Identifier: BSD-3-Clause
//
// A stop of the tour: what was proved as a file, for a second program.
#pragma once

#include <string>

#include "keepclear/proof.hpp"
#include "output.hpp"

namespace keepclear::command {

struct TourCertificate {
  double clearance = 0;  ///< metres, that was found
  WrittenCertificate written;
  double seconds = 0;
};
/// Of the first task of the bench. A file, unless the name is empty, is written whole or not at
/// all. Throws Error (write).
TourCertificate certify_bench(const World& bench, const std::string& file);
void print_certificate(Output& out, const TourCertificate& certificate, const std::string& file);
void print_certificate_json(Output& out, const TourCertificate& certificate);

}  // namespace keepclear::command
