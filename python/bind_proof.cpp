// SPDX-License-Identifier: BSD-3-Clause
#include "keepclear/proof.hpp"

#include <cmath>

#include "docstrings.hpp"
#include "guard_object.hpp"
#include "scene/new_file.hpp"

namespace keepclear::python {
namespace {

/// What the world was read from. That this is so is found out once: files may change afterwards.
const std::vector<CertificateFacts::Source>& files_of(const LoadedWorld& world) {
  if (!world.files) world.files = sources_of(world, world.load, world.scene.get());
  return *world.files;
}

using Sources = std::vector<std::pair<std::string, std::string>>;

/// What all certificates are asked for besides: taken from the keywords before the others are.
struct Asked {
  Asked(const LoadedWorld& of, const py::kwargs& keywords, const char* function)
      : world(of), options(keywords, function) {
    options.take("share", proof.share);
    options.take("proof_budget", proof.budget);
    const py::object given = options.take("facts");
    if (!given.is_none()) {
      if (!py::isinstance<CertificateFacts>(given))
        throw py::type_error("facts: a CertificateFacts");
      facts = given.cast<CertificateFacts>();
      return;
    }
    own = true;
    facts.sources = files_of(world);
    // What was asked, in the words of the call.
    for (const auto& [key, value] : keywords) {
      const auto name = key.cast<std::string>();
      if (name != "share" && name != "proof_budget" && name != "facts") {
        facts.options.emplace_back(name, py::str(value).cast<std::string>());
      }
    }
  }

  /// A file that was read besides, or a motion that comes with the world.
  void add_file(const std::string& what, const py::object& value) {
    if (!own || !is_file(value)) return;
    const auto file = value.cast<std::filesystem::path>();
    facts.options.emplace_back(what, file.string());
    if (std::filesystem::is_regular_file(file)) {
      const py::object path = py::module_::import("pathlib").attr("Path")(value);
      const auto bytes = path.attr("read_bytes")().cast<std::string>();
      facts.sources.push_back({file.string(), sha256_of(bytes)});
      return;
    }
    for (const BuiltinWorld& known : builtin_worlds()) {
      for (const BuiltinWorld::Task& task : known.tasks) {
        if (!world.builtin || known.name != world.source || task.name != file.string()) continue;
        facts.sources.push_back(
            {"builtin:" + known.name + "_" + task.name + ".csv", sha256_of(task.csv)});
      }
    }
  }
  static bool is_file(const py::object& value) {
    return py::isinstance<py::str>(value) || py::hasattr(value, "__fspath__");
  }

  const LoadedWorld& world;
  Options options;
  CertificateFacts facts{};
  ProofOptions proof{};
  bool own = false;
};

void require_dof(const World& world, const Path& path) {
  if (path.dof() != world.dof()) {
    usage("the path has " + std::to_string(path.dof()) + " numbers",
          "the world has " + std::to_string(world.dof()));
  }
}

template <typename Work>
WrittenCertificate proved(const Work& work) {
  WrittenCertificate written;
  without_gil([&] { written = work(); });
  return written;
}

template <typename T>
std::optional<T> given(const py::object& found, const char* what) {
  if (found.is_none()) return std::nullopt;
  if (!py::isinstance<Answer<T>>(found)) throw py::type_error(std::string("found: a ") + what);
  return std::optional<T>(found.cast<const Answer<T>&>());
}

WrittenCertificate of_path(const LoadedWorld& world, const py::object& path,
                           const py::object& found, const py::object& rest,
                           const py::kwargs& keywords) {
  Asked asked(world, keywords, "path_certificate");
  asked.add_file("path", path);
  const CertifyOptions options = certify_options_of(asked.options);
  asked.options.done();
  const Path motion = path_of(world, path, rest);
  require_dof(world, motion);
  const std::optional<Certificate> known = given<Certificate>(found, "Certificate");
  return proved([&] {
    return path_certificate(world, motion, options,
                            known ? *known : certify(world, motion, options), asked.facts,
                            asked.proof);
  });
}

WrittenCertificate of_clocks(const LoadedWorld& world, const py::iterable& paths,
                             const py::object& found, double offset, const py::object& rest,
                             const py::kwargs& keywords) {
  Asked asked(world, keywords, "clock_certificate");
  std::vector<Path> motions;
  for (const py::handle path : paths) {
    const auto value = py::reinterpret_borrow<py::object>(path);
    asked.add_file("path", value);
    motions.push_back(path_of(world, value, rest));
    require_dof(world, motions.back());
  }
  if (asked.own) asked.facts.options.emplace_back("offset", number_text(offset));
  const CertifyOptions options = certify_options_of(asked.options);
  asked.options.done();
  const std::optional<Certificate> known = given<Certificate>(found, "Certificate");
  return proved([&] {
    const auto find = [&] {
      MotionQuery query(world, options);
      return query(motions, offset);
    };
    return clock_certificate(world, motions, offset, options, known ? *known : find(), asked.facts,
                             asked.proof);
  });
}

WrittenCertificate of_box(const LoadedWorld& world, const py::object& box, const py::object& found,
                          const py::kwargs& keywords) {
  Asked asked(world, keywords, "box_certificate");
  asked.add_file("box", box);
  const BoxOptions options = box_options_of(asked.options);
  asked.options.done();
  const JointBox all = Asked::is_file(box) ? read_box(world, box.cast<std::filesystem::path>())
                                           : joint_box_of(world, box, "box");
  const std::optional<BoxResult> known = given<BoxResult>(found, "BoxResult");
  return proved([&] {
    return box_certificate(world, all, options, known ? *known : prove_box(world, all, options),
                           asked.facts, asked.proof);
  });
}

WrittenCertificate of_pairs(const LoadedWorld& world, const PairsFound& pairs,
                            const py::kwargs& keywords) {
  Asked asked(world, keywords, "never_certificate");
  asked.options.done();
  if (pairs.world.hash() != world.hash()) usage("the pairs are of another world");
  return proved([&] { return never_certificate(world, pairs.pairs, asked.facts, asked.proof); });
}

WrittenCertificate of_guard(const LoadedWorld& world, const RecordingObject& of,
                            const py::kwargs& keywords) {
  Asked asked(world, keywords, "guard_certificate");
  asked.options.done();
  const Recording& recording = of.recording;
  const auto fits = [&](const std::vector<double>& numbers) {
    return numbers.size() == world.dof();
  };
  // A guard says go to no other; a file may say what it likes.
  if (recording.brake.joints.size() != world.dof()) usage("the recording is of another world");
  for (const RecordedCycle& cycle : recording.cycles) {
    if (cycle.found.action != Action::go) continue;
    if (!fits(cycle.q) || !fits(cycle.v) ||
        (recording.options.known_command && !fits(cycle.command))) {
      usage("a recording with a go to a state of the wrong size");
    }
  }
  return proved([&] { return guard_certificate(world, recording, asked.facts, asked.proof); });
}

WrittenCertificate of_fit(const LoadedWorld& world, const BodyModel& model,
                          const py::kwargs& keywords) {
  Asked asked(world, keywords, "fit_certificate");
  asked.options.done();
  return proved([&] { return fit_certificate(world, model, asked.facts); });
}

void write(const WrittenCertificate& self, const std::filesystem::path& file) {
  if (self.text.empty()) usage("there is no certificate: " + self.why);
  without_gil([&] {
    NewFile out(file);
    out.write(self.text);
    out.keep();
  });
}

Sources to_pairs(const std::vector<CertificateFacts::Source>& sources) {
  Sources result;
  for (const auto& source : sources) result.emplace_back(source.file, source.sha256);
  return result;
}

void bind_facts(py::module_& m) {
  py::class_<CertificateFacts>(m, "CertificateFacts", DOC(CertificateFacts))
      .def(py::init([](const Sources& sources, const Sources& options) {
             CertificateFacts facts;
             for (const auto& [file, sha256] : sources) facts.sources.push_back({file, sha256});
             facts.options = options;
             return facts;
           }),
           "sources"_a = Sources(), "options"_a = Sources(),
           "sources: pairs (file, SHA-256 of its bytes); options: pairs (name, value), what was "
           "asked.")
      .def_property_readonly("sources",
                             [](const CertificateFacts& self) { return to_pairs(self.sources); })
      .def_property_readonly("options", [](const CertificateFacts& self) { return self.options; })
      .def("__repr__", [](const CertificateFacts& self) {
        return "CertificateFacts(" + std::to_string(self.sources.size()) + " sources)";
      });
  m.def(
      "sources_of", [](const LoadedWorld& world) { return to_pairs(files_of(world)); }, "world"_a,
      (DOC_TEXT(sources_of) + " Pairs (file, SHA-256).").c_str());
}

}  // namespace

void bind_proof(py::module_& m) {
  bind_facts(m);
  py::class_<WrittenCertificate>(
      m, "WrittenCertificate",
      (DOC_TEXT(WrittenCertificate) + " bool() of it says whether there is one.").c_str())
      .def_readonly("text", &WrittenCertificate::text, DOC(WrittenCertificate, text))
      .def_readonly("why", &WrittenCertificate::why, DOC(WrittenCertificate, why))
      .def_readonly("clearance", &WrittenCertificate::clearance, DOC(WrittenCertificate, clearance))
      .def_readonly("cells", &WrittenCertificate::cells)
      .def_readonly("records", &WrittenCertificate::records)
      .def("__bool__", [](const WrittenCertificate& self) { return !self.text.empty(); })
      .def(py::pickle(
          [](const WrittenCertificate& self) {
            return py::make_tuple(self.text, self.why, self.clearance, self.cells, self.records);
          },
          [](const py::tuple& t) {
            return WrittenCertificate{t[0].cast<std::string>(), t[1].cast<std::string>(),
                                      t[2].cast<double>(), t[3].cast<std::size_t>(),
                                      t[4].cast<std::size_t>()};
          }))
      .def("write", &write, "file"_a,
           "To a file that keepclear-verify checks: written whole or not at all. Throws Error.")
      .def("__repr__", [](const WrittenCertificate& self) {
        return self.text.empty() ? "WrittenCertificate(none: " + self.why + ")"
                                 : "WrittenCertificate(clearance=" + short_text(self.clearance) +
                                       ", " + std::to_string(self.cells) + " cells)";
      });

  const std::string besides =
      "\n\nfacts: what it says for people; unless given, the files that the world was loaded from "
      "and the keywords of this call\nshare: " +
      DOC_TEXT(ProofOptions, share) + "\nproof_budget: " + DOC_TEXT(ProofOptions, budget);
  const std::string proves =
      "Proves once more, by rules that are made for checking, what was found to be free. `found` "
      "is "
      "what was answered to the same question, which is asked here if it is None; nothing of it is "
      "leaned on but the clearance to be aimed at. Throws Error (usage) for what is not free, and "
      "where the world has no such certificate.";
  m.def(
      "path_certificate", &of_path, "world"_a, "path"_a, "found"_a = py::none(),
      "rest"_a = py::none(),
      (proves + "\n\nOptions are those of World.certify(), as they were there." + besides).c_str());
  m.def(
      "clock_certificate", &of_clocks, "world"_a, "paths"_a, "found"_a = py::none(),
      "offset"_a = std::numeric_limits<double>::infinity(), "rest"_a = py::none(),
      (proves + "\n\nOf robots on their own clocks; options are those of World.certify_clocks()." +
       besides)
          .c_str());
  m.def("box_certificate", &of_box, "world"_a, "box"_a, "found"_a = py::none(),
        (proves + "\n\nThe box is one argument, as of World.box(); so are the options." + besides)
            .c_str());
  m.def("never_certificate", &of_pairs, "world"_a, "pairs"_a,
        (DOC_TEXT(never_certificate) + " `pairs` is what World.pairs() found." + besides).c_str());
  m.def("guard_certificate", &of_guard, "world"_a, "recording"_a,
        (DOC_TEXT(guard_certificate) + besides).c_str());
  m.def("fit_certificate", &of_fit, "world"_a, "model"_a,
        (DOC_TEXT(fit_certificate) + besides).c_str());
}

}  // namespace keepclear::python
