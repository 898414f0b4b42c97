// SPDX-License-Identifier: BSD-3-Clause
#include "docstrings.hpp"

namespace keepclear::python {
namespace {

namespace fs = std::filesystem;

/// Both read the world's files again.
void require_file(const LoadedWorld& world, const char* what) {
  if (world.scene) {
    usage(std::string(what) + " is for worlds that were loaded from a file or are built in",
          "write the scene to a file and load that");
  }
}

FitOptions fit_options_of(const py::kwargs& arguments) {
  Options options(arguments, "fit");
  FitOptions asked;
  options.take("points", asked.points);
  options.take("excess", asked.excess);
  options.take("budget", asked.budget);
  options.take("parts", asked.parts);
  options.take("around", asked.around);
  options.take("seed", asked.seed);
  options.take("starts", asked.starts);
  options.take("refined", asked.refined);
  options.take("threads", asked.threads);
  options.take("cache", asked.cache);
  options.done();
  require_threads(asked.threads);
  return asked;
}

Fit fit_of(const LoadedWorld& world, const py::kwargs& arguments) {
  require_file(world, "fit()");
  FitOptions asked = fit_options_of(arguments);
  Signals signals;
  asked.progress = [&](double) { signals.check(); };
  Fit found;
  without_gil([&] {
    found = world.builtin ? fit_builtin(world.source, world.load, asked)
                          : keepclear::fit(world.source, world.load, asked);
  });
  return found;
}

Lint lint_of(const LoadedWorld& world) {
  require_file(world, "lint()");
  Lint found;
  without_gil([&] {
    found = world.builtin ? lint_builtin(world.source, world.load)
                          : keepclear::lint(world.source, world.load);
  });
  return found;
}

void bind_fitted(py::module_& m) {
  py::class_<FittedBody>(m, "FittedBody", DOC(FittedBody))
      .def_property_readonly("body", [](const FittedBody& b) { return dataclass_of(b.body); })
      .def_readonly("elements", &FittedBody::elements, DOC(FittedBody, elements))
      .def_readonly("files", &FittedBody::files, DOC(FittedBody, files))
      .def_readonly("part", &FittedBody::part, DOC(FittedBody, part))
      .def_readonly("parts", &FittedBody::parts, DOC(FittedBody, parts))
      .def_readonly("source_points", &FittedBody::source_points, DOC(FittedBody, source_points))
      .def_readonly("volume", &FittedBody::volume, DOC(FittedBody, volume))
      .def_readonly("hull_volume", &FittedBody::hull_volume, DOC(FittedBody, hull_volume))
      .def_readonly("excess", &FittedBody::excess, DOC(FittedBody, excess))
      .def_readonly("surface_distance", &FittedBody::surface_distance,
                    DOC(FittedBody, surface_distance))
      .def_readonly("seconds", &FittedBody::seconds, DOC(FittedBody, seconds))
      .def_readonly("cached", &FittedBody::cached)
      .def("__repr__", [](const FittedBody& b) {
        return "FittedBody('" + b.body.link + "', points=" + std::to_string(b.body.points.size()) +
               ", volume=" + short_text(b.volume) + ", hull_volume=" + short_text(b.hull_volume) +
               ")";
      });
  py::class_<Fit>(m, "Fit", "Bodies that were fitted around the links of a world.")
      .def_property_readonly("model", [](const Fit& f) { return dataclass_of(f.model); })
      .def_property_readonly(
          "bodies",
          [](const Fit& f) {
            py::list bodies;
            for (const FittedBody& body : f.bodies) bodies.append(body);
            return bodies;
          },
          DOC(Fit, bodies))
      .def_readonly("notes", &Fit::notes, DOC(Fit, notes))
      .def(
          "write", [](const Fit& f, const fs::path& file) { write_model(f.model, file); }, "file"_a,
          (DOC_TEXT(write_model) + " load(..., model=file) reads it.").c_str())
      .def("__repr__", [](const Fit& f) {
        std::size_t points = 0;
        for (const FittedBody& body : f.bodies) points += body.body.points.size();
        return "Fit('" + f.model.world + "', " + std::to_string(f.bodies.size()) + " bodies, " +
               std::to_string(points) + " points)";
      });
}

void bind_lint(py::module_& m) {
  py::class_<LinkLint>(m, "LinkLint", DOC(LinkLint))
      .def_readonly("link", &LinkLint::link)
      .def_readonly("has_collision", &LinkLint::has_collision)
      .def_readonly("has_visual", &LinkLint::has_visual)
      .def_readonly("visual_sticks_out", &LinkLint::visual_sticks_out,
                    DOC(LinkLint, visual_sticks_out))
      .def_property_readonly("sticks_out_at", [](const LinkLint& l) { return l.sticks_out_at; })
      .def_readonly("visual_file", &LinkLint::visual_file)
      .def_readonly("hull_volume", &LinkLint::hull_volume, DOC(LinkLint, hull_volume))
      .def_readonly("parts_volume", &LinkLint::parts_volume)
      .def("__repr__", [](const LinkLint& l) { return "LinkLint('" + l.link + "')"; });
  py::class_<Lint>(m, "Lint", "What a person should look at in the description of a world.")
      .def_property_readonly(
          "surface_distance", [](const Lint& l) { return to_numpy(l.surface_distance); },
          DOC(Lint, surface_distance))
      .def_property_readonly(
          "links",
          [](const Lint& l) {
            py::list links;
            for (const LinkLint& link : l.links) links.append(link);
            return links;
          },
          DOC(Lint, links))
      .def_readonly("findings", &Lint::findings, DOC(Lint, findings))
      .def("__repr__", [](const Lint& l) {
        return "Lint(" + std::to_string(l.findings.size()) + " findings)";
      });
}

}  // namespace

void bind_fit(py::module_& m) {
  bind_fitted(m);
  bind_lint(m);
  py::class_<LoadedWorld>(py::object(m.attr("World")))
      .def("fit", fit_of,
           (DOC_TEXT(fit) + "\n\npoints: " + doc::FitOptions_points +
            "\nexcess: " + doc::FitOptions_excess + "\nbudget: " + doc::FitOptions_budget +
            "\nparts: " + doc::FitOptions_parts + "\naround: " + doc::Around +
            "\nstarts: " + doc::FitOptions_starts + "\nrefined: " + doc::FitOptions_refined +
            "\nthreads: " + doc::FitOptions_threads + "\ncache: " + doc::FitOptions_cache)
               .c_str())
      .def("lint", lint_of, DOC(lint));
}

}  // namespace keepclear::python
