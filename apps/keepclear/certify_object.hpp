// SPDX-License-Identifier: BSD-3-Clause
//
// Motions of objects in keepclear certify: read, asked, told.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "certify.hpp"
#include "keepclear/toleranced.hpp"
#include "scene/source.hpp"

namespace keepclear::command {

/// What --method, --tube, --base and --proof say is not for objects: throws Error (usage).
void require_for_objects(const CertifyOptions& options, const MotionOptions& motions,
                         const std::string& file);

/// What stands there, by the number that a result has for it.
const std::string& standing_name(const TolerancedQuery& query, int other);
/// Which elements come near each other and where, for the end of a sentence; empty for none.
std::string place_words(const TolerancedInterval& interval);

/// The files that move objects, in the scene that they move in.
class ObjectMotions {
 public:
  /// `rest` is where the robots stand meanwhile.
  ObjectMotions(const WorldOptions& world, const CertifyOptions& options, std::vector<double> rest,
                int threads);
  /// In a scene that was read already, and outlives this; null: there is none.
  ObjectMotions(const Scene* scene, LoadOptions load, const CertifyOptions& options,
                std::vector<double> rest, int threads);

  /// Reads the file and makes the object ready. Throws Error, naming the file, also for an object
  /// that is not there, or cannot move by itself: what is added can be asked.
  void add(const std::string& file);
  /// The same of a motion that was read already; the file is named in errors.
  void add(const std::string& file, ObjectMotion motion);
  std::size_t size() const { return motions_.size(); }
  const std::vector<double>& rest() const { return rest_; }

  struct Answer {
    const std::string& file;
    const ObjectMotion& motion;
    const TolerancedQuery& query;
    double deviation = 0;
    TolerancedResult result;
  };
  Answer ask(std::size_t i);

  /// As print_json, print_text and print_row do it for joints.
  void print_json(Output& out, const Answer& answer, double seconds) const;
  void print_text(Output& out, const Answer& answer, double seconds) const;
  void print_row(Output& out, const Answer& answer, std::size_t width) const;
  /// As contract_of does it.
  std::string contract(bool deviation) const;
  /// What the verdicts do not say: nothing to hit, meshes that are not closed. A sentence each.
  std::vector<std::string> notes() const;
  /// The same on stderr.
  void print_notes() const;

 private:
  struct Named {
    std::string file;
    ObjectMotion motion;
  };

  /// That of an object, made when it is first needed.
  TolerancedQuery& query_of(const std::string& object);
  bool is_carried(const std::string& object) const;

  LoadOptions load_;
  WorldSource source_;
  const Scene* scene_ = nullptr;
  TolerancedOptions options_;
  std::vector<double> rest_;
  std::vector<Named> motions_;
  std::map<std::string, TolerancedQuery> queries_;
};

}  // namespace keepclear::command
