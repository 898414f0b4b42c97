// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "certify/parallel.hpp"
#include "docstrings.hpp"

namespace keepclear::python {
namespace {

using FoundCertificate = Answer<Certificate>;
using FoundInterval = Answer<MotionInterval>;
using FoundStep = Answer<ProofStep>;

// --- What is asked -------------------------------------------------------------------------------

/// What the keyword arguments of certify() say.
std::string certify_doc(const std::string& text) {
  std::string all = text + "\n";
  const auto add = [&](const char* name, const char* comment) {
    all += "\n" + std::string(name) + ": " + comment;
  };
  add("method", doc::Method);
  add("ask", doc::Ask);
  add("margin", doc::CertifyOptions_margin);
  add("tolerance", doc::CertifyOptions_tolerance);
  add("accuracy, relative_accuracy", doc::CertifyOptions_accuracy);
  add("budget", doc::CertifyOptions_budget);
  add("base (a list of BaseUncertainty)", doc::BaseUncertainty);
  add("deviation", doc::CertifyOptions_deviation);
  add("keep_proof", doc::CertifyOptions_keep_proof);
  return all;
}

struct Asked {
  CertifyOptions options;
  py::object rest = py::none();
  int threads = 0;
};

Asked asked_of(const py::kwargs& arguments, const char* function, bool with_threads) {
  Options options(arguments, function);
  Asked asked;
  asked.options = certify_options_of(options);
  asked.rest = options.take("rest");
  if (with_threads) options.take("threads", asked.threads);
  options.done();
  require_threads(asked.threads);
  return asked;
}

/// Whether this is one path; else a list of them.
bool is_one(const py::object& value) {
  if (py::isinstance<Path>(value) || py::isinstance<py::str>(value) ||
      py::isinstance<py::bytes>(value) || py::hasattr(value, "__fspath__")) {
    return true;
  }
  if (py::isinstance<py::array>(value)) return py::reinterpret_borrow<py::array>(value).ndim() < 3;
  if (!py::isinstance<py::sequence>(value) || py::len(value) == 0) return false;
  // Rows of numbers are the waypoints of one; anything larger is one each.
  const py::object first = py::reinterpret_borrow<py::sequence>(value)[0];
  if (py::isinstance<py::array>(first)) return py::reinterpret_borrow<py::array>(first).ndim() < 2;
  if (!py::isinstance<py::sequence>(first) || py::isinstance<py::str>(first) ||
      py::isinstance<py::bytes>(first)) {
    return false;
  }
  return py::len(first) == 0 ||
         !py::isinstance<py::sequence>(py::reinterpret_borrow<py::sequence>(first)[0]);
}

/// The paths of a list, or of an array (N, K, dof).
std::vector<Path> paths_of(const LoadedWorld& world, const py::object& value,
                           const py::object& rest) {
  std::vector<Path> paths;
  if (!py::isinstance<py::iterable>(value)) {
    throw py::type_error("path is a Path, a file, waypoints (K, dof), or a list of these");
  }
  for (const py::handle each : value) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    const auto object = py::reinterpret_borrow<py::object>(each);
    try {
      paths.push_back(path_of(world, object, rest));
    } catch (const Error& error) {
      // Which of many: a file says so itself.
      if (!error.file().empty()) throw;
      throw Error(error.kind(), "", 0,
                  "path " + std::to_string(paths.size()) + ": " + error.what());
    }
  }
  return paths;
}

// --- Answers -------------------------------------------------------------------------------------

/// work(task, query) for tasks 0 to count - 1, as certify_all deals them out, but that Ctrl-C is
/// heard after each, whatever is ready.
template <typename Work>
void each_of(const World& world, const Asked& asked, std::size_t count, const Work& work) {
  Signals signals;
  without_gil([&] {
    std::vector<MotionQuery> queries;
    for (std::size_t i = 0; i < thread_count(asked.threads, count); ++i) {
      queries.emplace_back(world, asked.options);
    }
    for_each_task(count, queries, [&](std::size_t task, MotionQuery& query) {
      work(task, query);
      signals.check();
    });
  });
}

py::object certify_many(const LoadedWorld& world, const py::object& path, const Asked& asked) {
  const std::vector<Path> paths = paths_of(world, path, asked.rest);
  std::vector<Certificate> found(paths.size());
  each_of(world, asked, paths.size(),
          [&](std::size_t i, MotionQuery& query) { found[i] = query(paths[i]); });
  py::list answers(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    answers[i] = py::cast(FoundCertificate(std::move(found[i]), world));
  }
  return py::module_::import("keepclear._batches").attr("Certificates")(answers);
}

py::object certify_of(const LoadedWorld& world, const py::object& path,
                      const py::kwargs& arguments) {
  const Asked asked = asked_of(arguments, "certify", true);
  if (!is_one(path)) return certify_many(world, path, asked);
  const Path one = path_of(world, path, asked.rest);
  Certificate found;
  without_gil([&] { found = keepclear::certify(world, one, asked.options); });
  return py::cast(FoundCertificate(std::move(found), world));
}

FoundCertificate certify_clocks(const LoadedWorld& world, const py::object& value, double offset,
                                const py::kwargs& arguments) {
  const Asked asked = asked_of(arguments, "certify_clocks", false);
  require_not_negative(offset, "offset");
  const std::vector<Path> paths = paths_of(world, value, asked.rest);
  int robots = 0;
  for (const SolidInfo& solid : world.solids()) robots = std::max(robots, solid.robot + 1);
  if (paths.size() != static_cast<std::size_t>(robots)) {
    usage(std::to_string(paths.size()) + " paths for " + std::to_string(robots) + " robots",
          "give one for each robot");
  }
  Certificate found;
  without_gil([&] {
    MotionQuery query(world, asked.options);
    found = query(paths, offset);
  });
  return {std::move(found), world};
}

py::object connects_of(const LoadedWorld& world, const py::object& a, const py::object& b,
                       const py::kwargs& arguments) {
  const Asked asked = asked_of(arguments, "connects", true);
  const Doubles from = poses_of(world, a, "a"), to = poses_of(world, b, "b");
  if (from.dimensions() != to.dimensions() || from.shape(0) != to.shape(0)) {
    usage("a and b have different shapes", "line i goes from a[i] to b[i]");
  }
  if (from.dimensions() == 1) {
    Verdict verdict = Verdict::undecided;
    without_gil(
        [&] { verdict = MotionQuery(world, asked.options).connects(from.span(), to.span()); });
    return py::cast(verdict);
  }
  const std::size_t rows = from.shape(0);
  py::array_t<int> made(static_cast<py::ssize_t>(rows));
  const std::span<int> verdicts(made.mutable_data(), rows);
  constexpr std::size_t kAtOnce = 16;
  each_of(world, asked, (rows + kAtOnce - 1) / kAtOnce, [&](std::size_t task, MotionQuery& query) {
    const std::size_t end = std::min(rows, (task + 1) * kAtOnce);
    for (std::size_t row = task * kAtOnce; row < end; ++row) {
      verdicts[row] = static_cast<int>(query.connects(from.row(row), to.row(row)));
    }
  });
  return py::module_::import("keepclear._batches").attr("Verdicts")(made);
}

std::string text_of(const FoundCertificate& c) {
  std::string text = std::string("Certificate(") + to_string(c.verdict);
  if (c.verdict == Verdict::free) text += ", clearance=" + short_text(c.clearance);
  if (c.a >= 0) {
    text += std::string(", ") + (c.verdict == Verdict::contact ? "contact=" : "nearest=") +
            pair_text(c.solids, c.a, c.b);
    const double time = c.verdict == Verdict::contact ? c.first_contact : c.time;
    if (time == time) text += " at " + short_text(time) + " s";
  }
  return text + ")";
}

std::string text_of(const FoundInterval& i) {
  std::string text = "MotionInterval(" + short_text(i.from) + " to " + short_text(i.to) + " s, " +
                     to_string(i.status);
  if (i.a >= 0) text += ", " + pair_text(i.solids, i.a, i.b);
  return text + ")";
}

std::string text_of(const FoundStep& s) {
  return "ProofStep(" + short_text(s.from) + " to " + short_text(s.to) + ", " +
         pair_text(s.solids, s.a, s.b) + ", " + to_string(s.method) +
         ", bound=" + short_text(s.bound) + ")";
}

// --- Pickle --------------------------------------------------------------------------------------

py::tuple certificate_state(const FoundCertificate& c) {
  std::map<int, std::string> names;
  const auto add = [&](int a, int b) {
    for (const int solid : {a, b}) {
      if (solid >= 0) names.emplace(solid, c.solids.name(solid));
    }
  };
  add(c.a, c.b);
  py::list intervals, proof;
  for (const MotionInterval& i : c.intervals) {
    add(i.a, i.b);
    intervals.append(py::make_tuple(i.from, i.to, i.status, i.a, i.b, i.contact));
  }
  for (const ProofStep& s : c.proof) {
    add(s.a, s.b);
    proof.append(py::make_tuple(s.a, s.b, s.body_a, s.other, s.piece, s.from, s.to, s.from_b,
                                s.to_b, s.method, s.n, s.bound, s.margin, s.growth, s.rounding));
  }
  return py::make_tuple(c.verdict, c.clearance, c.distance, c.time, c.other_time, to_numpy(c.q),
                        c.a, c.b, c.first_contact, intervals, c.tests, c.parts, c.depth, proof,
                        names);
}

FoundCertificate certificate_from(const py::tuple& t) {
  Certificate c;
  c.verdict = t[0].cast<Verdict>();
  c.clearance = t[1].cast<double>();
  c.distance = t[2].cast<double>();
  c.time = t[3].cast<double>();
  c.other_time = t[4].cast<double>();
  c.q = t[5].cast<std::vector<double>>();
  c.a = t[6].cast<int>();
  c.b = t[7].cast<int>();
  c.first_contact = t[8].cast<double>();
  for (const py::handle each : t[9]) {
    const auto i = py::reinterpret_borrow<py::tuple>(each);
    c.intervals.push_back({i[0].cast<double>(), i[1].cast<double>(), i[2].cast<Verdict>(),
                           i[3].cast<int>(), i[4].cast<int>(), i[5].cast<double>()});
  }
  c.tests = t[10].cast<std::size_t>();
  c.parts = t[11].cast<std::size_t>();
  c.depth = t[12].cast<int>();
  for (const py::handle each : t[13]) {
    const auto s = py::reinterpret_borrow<py::tuple>(each);
    c.proof.push_back({s[0].cast<int>(), s[1].cast<int>(), s[2].cast<int>(), s[3].cast<int>(),
                       s[4].cast<bool>(), s[5].cast<double>(), s[6].cast<double>(),
                       s[7].cast<double>(), s[8].cast<double>(), s[9].cast<Method>(),
                       s[10].cast<Vec3>(), s[11].cast<double>(), s[12].cast<double>(),
                       s[13].cast<double>(), s[14].cast<double>()});
  }
  return {std::move(c), Solids(t[14].cast<std::map<int, std::string>>())};
}

// --- Classes -------------------------------------------------------------------------------------

template <typename T>
py::list answers_of(const std::vector<T>& values, const Solids& solids) {
  py::list result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    result[i] = py::cast(Answer<T>(values[i], solids));
  }
  return result;
}

void bind_parts(py::module_& m) {
  py::class_<BaseUncertainty>(m, "BaseUncertainty", DOC(BaseUncertainty))
      .def(py::init([](int robot, double position, double rotation) {
             return BaseUncertainty{robot, position, rotation};
           }),
           "robot"_a = -1, "position"_a = 0.0, "rotation"_a = 0.0)
      .def_readwrite("robot", &BaseUncertainty::robot, DOC(BaseUncertainty, robot))
      .def_readwrite("position", &BaseUncertainty::position, DOC(BaseUncertainty, position))
      .def_readwrite("rotation", &BaseUncertainty::rotation, DOC(BaseUncertainty, rotation))
      .def("__repr__", [](const BaseUncertainty& b) {
        return "BaseUncertainty(robot=" + std::to_string(b.robot) +
               ", position=" + short_text(b.position) + ", rotation=" + short_text(b.rotation) +
               ")";
      });
  py::class_<FoundInterval> interval(m, "MotionInterval", DOC(MotionInterval));
  interval.def_readonly("start", &FoundInterval::from, DOC(MotionInterval, from))
      .def_readonly("stop", &FoundInterval::to, DOC(MotionInterval, to))
      .def_property_readonly("status", [](const FoundInterval& i) { return i.status; })
      .def_readonly("contact", &FoundInterval::contact, DOC(MotionInterval, contact))
      .def("__bool__", [](const FoundInterval& i) { return i.status == Verdict::free; })
      .def("__repr__", [](const FoundInterval& i) { return text_of(i); });
  def_pair(interval);
  py::class_<FoundStep> step(m, "ProofStep", DOC(ProofStep));
  step.def_readonly("body_a", &FoundStep::body_a, DOC(ProofStep, body_a))
      .def_readonly("other", &FoundStep::other, DOC(ProofStep, other))
      .def_readonly("piece", &FoundStep::piece, DOC(ProofStep, piece))
      .def_readonly("start", &FoundStep::from, DOC(ProofStep, from))
      .def_readonly("stop", &FoundStep::to, DOC(ProofStep, to))
      .def_readonly("start_b", &FoundStep::from_b, DOC(ProofStep, from_b))
      .def_readonly("stop_b", &FoundStep::to_b, DOC(ProofStep, to_b))
      .def_property_readonly("method", [](const FoundStep& s) { return s.method; })
      .def_property_readonly(
          "n", [](const FoundStep& s) { return to_numpy(s.n); }, DOC(ProofStep, n))
      .def_readonly("bound", &FoundStep::bound, DOC(ProofStep, bound))
      .def_readonly("margin", &FoundStep::margin, DOC(ProofStep, margin))
      .def_readonly("growth", &FoundStep::growth, DOC(ProofStep, growth))
      .def_readonly("rounding", &FoundStep::rounding, DOC(ProofStep, rounding))
      .def("__repr__", [](const FoundStep& s) { return text_of(s); });
  def_pair(step);
}

void bind_certificate(py::module_& m) {
  py::class_<FoundCertificate> certificate(m, "Certificate", DOC(Certificate));
  certificate.def_property_readonly("verdict", [](const FoundCertificate& c) { return c.verdict; })
      .def_readonly("clearance", &FoundCertificate::clearance, DOC(Certificate, clearance))
      .def_readonly("distance", &FoundCertificate::distance, DOC(Certificate, distance))
      .def_readonly("time", &FoundCertificate::time, "When that distance is.")
      .def_readonly("other_time", &FoundCertificate::other_time, DOC(Certificate, other_time))
      .def_property_readonly(
          "q", [](const FoundCertificate& c) { return to_numpy(c.q); },
          "The configuration there; empty where there is none.")
      .def_readonly("first_contact", &FoundCertificate::first_contact,
                    DOC(Certificate, first_contact))
      .def_property_readonly(
          "intervals", [](const FoundCertificate& c) { return answers_of(c.intervals, c.solids); },
          DOC(Certificate, intervals))
      .def_readonly("tests", &FoundCertificate::tests, DOC(Certificate, tests))
      .def_readonly("parts", &FoundCertificate::parts, DOC(Certificate, parts))
      .def_readonly("depth", &FoundCertificate::depth, DOC(Certificate, depth))
      .def_property_readonly(
          "proof", [](const FoundCertificate& c) { return answers_of(c.proof, c.solids); },
          "With keep_proof: what proves each part.")
      .def("__repr__", [](const FoundCertificate& c) { return text_of(c); })
      .def(py::pickle(&certificate_state, &certificate_from));
  def_pair(certificate);
  def_truth(certificate);
}

/// MotionQuery, and the world as it was loaded: its paths may be tasks.
struct Motions : Locked<MotionQuery> {
  Motions(const LoadedWorld& of, const CertifyOptions& options)
      : Locked<MotionQuery>(of, options), loaded(of) {}
  LoadedWorld loaded;
};

void bind_query(py::module_& m) {
  py::class_<Motions>(m, "MotionQuery", certify_doc(DOC_TEXT(MotionQuery)).c_str())
      .def(py::init([](const LoadedWorld& world, const py::kwargs& arguments) {
             Options options(arguments, "MotionQuery");
             const CertifyOptions asked = certify_options_of(options);
             options.done();
             return std::make_unique<Motions>(world, asked);
           }),
           "world"_a)
      .def(
          "__call__",
          [](Motions& self, const py::object& value, const py::object& rest) {
            const Path path = path_of(self.loaded, value, rest);
            Certificate found;
            without_gil([&] {
              const std::lock_guard lock(self.mutex);
              found = self.query(path);
            });
            return FoundCertificate(std::move(found), self.world);
          },
          "path"_a, py::kw_only(), "rest"_a = py::none(), "One path, as World.path() takes it.")
      .def(
          "connects",
          [](Motions& self, const py::object& start, const py::object& end) {
            const Doubles from = poses_of(self.world, start, "start", 1);
            const Doubles to = poses_of(self.world, end, "end", 1);
            Verdict verdict = Verdict::undecided;
            without_gil([&] {
              const std::lock_guard lock(self.mutex);
              verdict = self.query.connects(from.span(), to.span());
            });
            return verdict;
          },
          "start"_a, "end"_a, DOC(MotionQuery, connects))
      .def_property_readonly(
          "last_tests", [](const Motions& self) { return self.query.last_tests(); },
          DOC(MotionQuery, last_tests))
      .def_property_readonly("last_parts",
                             [](const Motions& self) { return self.query.last_parts(); });
}

}  // namespace

CertifyOptions certify_options_of(Options& options) {
  CertifyOptions asked;
  options.take("method", asked.method);
  options.take("ask", asked.ask);
  options.take("margin", asked.margin);
  options.take("tolerance", asked.tolerance);
  options.take("accuracy", asked.accuracy);
  options.take("relative_accuracy", asked.relative_accuracy);
  options.take("budget", asked.budget);
  options.take("base", asked.base);
  options.take("deviation", asked.deviation);
  options.take("keep_proof", asked.keep_proof);
  return asked;
}

void bind_certify(py::module_& m) {
  bind_parts(m);
  bind_certificate(m);
  bind_query(m);
  py::class_<LoadedWorld> world(py::object(m.attr("World")));
  world.def(
      "certify", certify_of, "path"_a,
      certify_doc("Proves a whole motion: one path as World.path() takes it gives a "
                  "Certificate. A list of them, or an array (N, K, dof), gives "
                  "Certificates, a list, by several threads, the same for any number of them.")
          .append("\nrest: a configuration (dof,) for joints that a file does not name.")
          .append("\nthreads: of a list; 0 means one for each core.")
          .c_str());
  world.def("certify_clocks", certify_clocks, "paths"_a, py::kw_only(),
            "offset"_a = std::numeric_limits<double>::infinity(),
            certify_doc(doc::MotionQuery_call).c_str());
  world.def(
      "connects", connects_of, "a"_a, "b"_a,
      certify_doc(DOC_TEXT(MotionQuery, connects) +
                  "\n\nOf a and b (dof,) a Verdict, which is true only if it is free; of rows "
                  "(N, dof) each Verdicts, with arrays (N,): .free, .verdict.")
          .append("\nthreads: 0 means one for each core.")
          .c_str());
}

}  // namespace keepclear::python
