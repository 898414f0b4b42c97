// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <system_error>

#include "docstrings.hpp"

namespace keepclear::python {
namespace {

namespace fs = std::filesystem;

template <typename T>
py::list list_of(std::span<const T> values) {
  py::list result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[i] = py::cast(values[i]);
  return result;
}

bool is_builtin(const std::string& name) {
  return std::ranges::any_of(builtin_worlds(),
                             [&](const BuiltinWorld& world) { return world.name == name; });
}

/// model="builtin"
void choose_model(LoadOptions& load, const std::string& name, bool builtin) {
  if (!load.model || *load.model != "builtin") return;
  if (!builtin) {
    throw Error(Error::Kind::usage, name, 0, "model=\"builtin\" needs a built-in world",
                "name the file of the model; world.fit() makes one");
  }
  load.model.reset();
  load.bodies = builtin_model(name);
  if (!load.bodies) {
    throw Error(Error::Kind::missing, name, 0, "this built-in world comes with no model",
                "world.fit() makes one");
  }
}

LoadedWorld load_from(const std::string& name, bool builtin, LoadOptions load) {
  choose_model(load, name, builtin);
  std::optional<World> world;
  without_gil([&] { world = builtin ? load_builtin(name, load) : keepclear::load(name, load); });
  return {*std::move(world), name, builtin, std::move(load)};
}

LoadedWorld compile_from(Scene scene, LoadOptions load) {
  if (load.scene) usage("scene=: this world is made from a Scene", "add its objects to that");
  choose_model(load, scene.name, false);
  auto shared = std::make_shared<const Scene>(std::move(scene));
  std::optional<World> world;
  without_gil([&] { world = keepclear::compile(*shared, load); });
  LoadedWorld made(*std::move(world), shared->file, false, std::move(load));
  made.scene = std::move(shared);
  return made;
}

/// As on the command line: a built-in world of that name, else the file.
LoadedWorld load_any(const py::object& file, const py::kwargs& arguments) {
  Options options(arguments, "load");
  LoadOptions load = load_options_of(options);
  options.done();
  if (py::isinstance(file, py::module_::import("keepclear._scene").attr("Scene"))) {
    return compile_from(file.cast<Scene>(), std::move(load));
  }
  fs::path path;
  try {
    path = file.cast<fs::path>();
  } catch (const py::cast_error&) {
    throw py::type_error("load(): file is the name of a file or of a built-in world, or a Scene");
  }
  const bool builtin = py::isinstance<py::str>(file) && is_builtin(path.string());
  std::error_code ignored;
  if (!builtin && !fs::exists(path, ignored)) {
    std::string names;
    for (const BuiltinWorld& world : builtin_worlds()) {
      names += (names.empty() ? "" : ", ") + world.name;
    }
    throw Error(Error::Kind::missing, path.string(), 0, "no such file, and no built-in world",
                "built-in worlds: " + names);
  }
  return load_from(path.string(), builtin, std::move(load));
}

std::string absolute_text(const fs::path& path) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(path, ignored).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).string();
}

/// The arguments of load() that make the world again, wherever it is called.
py::dict source_of(const LoadedWorld& world) {
  const LoadOptions& load = world.load;
  const LoadOptions usual;
  py::dict source;
  if (world.scene) {
    source["file"] = *world.scene;
  } else {
    source["file"] = world.builtin ? world.source : absolute_text(world.source);
  }
  const auto add_file = [&](const char* name, const std::optional<fs::path>& file) {
    if (file) source[name] = absolute_text(*file);
  };
  add_file("srdf", load.srdf);
  add_file("model", load.model);
  add_file("scene", load.scene);
  if (load.bodies) source["model"] = *load.bodies;
  if (!load.packages.empty()) {
    py::dict packages;
    for (const auto& [name, folder] : load.packages) packages[name.c_str()] = absolute_text(folder);
    source["packages"] = packages;
  }
  if (!load.package_path.empty()) {
    py::list folders;
    for (const fs::path& folder : load.package_path) folders.append(absolute_text(folder));
    source["package_path"] = folders;
  }
  if (load.parts != usual.parts) source["parts"] = load.parts;
  if (load.lenient) source["lenient"] = true;
  if (load.allow_no_pairs) source["allow_no_pairs"] = true;
  if (load.without_model) source["without_model"] = true;
  if (load.threads != usual.threads) source["threads"] = load.threads;
  return source;
}

py::array_t<double> limits(const World& world, double Variable::*which) {
  std::vector<double> values;
  for (const Variable& variable : world.variables()) values.push_back(variable.*which);
  return to_numpy(values);
}

std::string world_text(const LoadedWorld& world) {
  return "World('" + world.name() + "', dof=" + std::to_string(world.dof()) +
         ", solids=" + std::to_string(world.solids().size()) +
         ", pairs=" + std::to_string(world.pair_count()) + ")";
}

void bind_facts(py::module_& m) {
  py::class_<Variable>(m, "Variable", DOC(Variable))
      .def_readonly("name", &Variable::name)
      .def_readonly("joint", &Variable::joint)
      .def_readonly("type", &Variable::type)
      .def_readonly("lower", &Variable::lower, DOC(Variable, lower))
      .def_readonly("upper", &Variable::upper, DOC(Variable, upper))
      .def_readonly("velocity", &Variable::velocity, DOC(Variable, velocity))
      .def("__repr__", [](const Variable& v) {
        return "Variable('" + v.name + "', " + v.type + ", " + short_text(v.lower) + " to " +
               short_text(v.upper) + ")";
      });
  py::class_<BodyInfo>(m, "BodyInfo", DOC(BodyInfo))
      .def_readonly("link", &BodyInfo::link)
      .def_readonly("shape", &BodyInfo::shape, DOC(BodyInfo, shape))
      .def_readonly("name", &BodyInfo::name, DOC(BodyInfo, name))
      .def_readonly("file", &BodyInfo::file, DOC(BodyInfo, file))
      .def_readonly("element", &BodyInfo::element, DOC(BodyInfo, element))
      .def_readonly("part", &BodyInfo::part, DOC(BodyInfo, part))
      .def_readonly("parts", &BodyInfo::parts, DOC(BodyInfo, parts))
      .def_readonly("line", &BodyInfo::line, DOC(BodyInfo, line))
      .def_readonly("source_vertices", &BodyInfo::source_vertices, DOC(BodyInfo, source_vertices))
      .def_readonly("source_triangles", &BodyInfo::source_triangles,
                    DOC(BodyInfo, source_triangles))
      .def_readonly("points", &BodyInfo::points, DOC(BodyInfo, points))
      .def_readonly("radius", &BodyInfo::radius, DOC(BodyInfo, radius))
      .def_readonly("excess", &BodyInfo::excess, DOC(BodyInfo, excess))
      .def_readonly("volume", &BodyInfo::volume, DOC(BodyInfo, volume))
      .def_readonly("hull_volume", &BodyInfo::hull_volume, DOC(BodyInfo, hull_volume))
      .def_readonly("modelled", &BodyInfo::modelled, DOC(BodyInfo, modelled))
      .def_readonly("elements", &BodyInfo::elements, DOC(BodyInfo, elements))
      .def("__repr__", [](const BodyInfo& b) {
        return "BodyInfo('" + b.link + "', " + b.shape + ", points=" + std::to_string(b.points) +
               ", radius=" + short_text(b.radius) + ")";
      });
  py::class_<SolidInfo>(m, "SolidInfo", DOC(SolidInfo))
      .def_readonly("name", &SolidInfo::name)
      .def_readonly("is_object", &SolidInfo::is_object)
      .def_readonly("moves", &SolidInfo::moves, DOC(SolidInfo, moves))
      .def_readonly("robot", &SolidInfo::robot, DOC(SolidInfo, robot))
      .def_readonly("shape", &SolidInfo::shape, DOC(SolidInfo, shape))
      .def_readonly("file", &SolidInfo::file, DOC(SolidInfo, file))
      .def_readonly("pieces", &SolidInfo::pieces, DOC(SolidInfo, pieces))
      .def_readonly("excess", &SolidInfo::excess, DOC(SolidInfo, excess))
      .def("__repr__", [](const SolidInfo& s) {
        return "SolidInfo('" + s.name + "', " + (s.is_object ? s.shape : std::string("link")) +
               ", pieces=" + std::to_string(s.pieces) + ")";
      });
  py::class_<PairInfo>(m, "PairInfo", DOC(PairInfo))
      .def_readonly("a", &PairInfo::a)
      .def_readonly("b", &PairInfo::b)
      .def_readonly("overlap_at_neutral", &PairInfo::overlap_at_neutral,
                    DOC(PairInfo, overlap_at_neutral))
      .def_readonly("margin", &PairInfo::margin, DOC(PairInfo, margin))
      .def("__repr__", [](const PairInfo& p) {
        return "PairInfo(" + std::to_string(p.a) + ", " + std::to_string(p.b) +
               ", margin=" + short_text(p.margin) + ")";
      });
  py::class_<LeftOutPair>(m, "LeftOutPair", DOC(LeftOutPair))
      .def_readonly("a", &LeftOutPair::a)
      .def_readonly("b", &LeftOutPair::b)
      .def_property_readonly("why", [](const LeftOutPair& p) { return p.why; })
      .def_readonly("reason", &LeftOutPair::reason, DOC(LeftOutPair, reason))
      .def("__repr__", [](const LeftOutPair& p) {
        return "LeftOutPair('" + p.a + "', '" + p.b + "', " + to_string(p.why) + ")";
      });
  using Task = BuiltinWorld::Task;
  py::class_<Task>(m, "BuiltinTask", DOC(BuiltinWorld, Task))
      .def_readonly("name", &Task::name)
      .def_readonly("what", &Task::what)
      .def_property_readonly("csv", [](const Task& t) { return std::string(t.csv); })
      .def("__repr__", [](const Task& t) { return "BuiltinTask('" + t.name + "')"; });
  py::class_<BuiltinWorld>(m, "BuiltinWorld", DOC(BuiltinWorld))
      .def_readonly("name", &BuiltinWorld::name)
      .def_readonly("what", &BuiltinWorld::what)
      .def_property_readonly(
          "tasks", [](const BuiltinWorld& w) { return list_of<Task>(w.tasks); },
          "Motions that come with it.")
      .def_property_readonly(
          "files",
          [](const BuiltinWorld& w) {
            py::dict files;
            for (const auto& [name, text] : w.files) files[name.c_str()] = std::string(text);
            return files;
          },
          DOC(BuiltinWorld, files))
      .def("__repr__", [](const BuiltinWorld& w) { return "BuiltinWorld('" + w.name + "')"; });
}

void bind_world_class(py::module_& m) {
  py::class_<LoadedWorld>(
      m, "World",
      (DOC_TEXT(World) + "\n\nMade by load(), load_builtin() and compile(). It is not pickled: "
                         "another process loads it again, by load(**world.source).")
          .c_str())
      .def_property_readonly("name", [](const LoadedWorld& w) { return w.name(); })
      .def_property_readonly("file", [](const LoadedWorld& w) { return w.file(); })
      .def_property_readonly(
          "hash", [](const LoadedWorld& w) { return w.hash(); }, DOC(World, hash))
      .def_property_readonly(
          "source", source_of,
          "The arguments of load() that make this world again, in any process that sees the same "
          "files: load(**world.source). Strings, numbers, lists and dicts of them; a Scene or a "
          "BodyModel where the world was made from one in memory.")
      .def_property_readonly(
          "dof", [](const LoadedWorld& w) { return w.dof(); },
          "How many numbers a configuration has.")
      .def_property_readonly(
          "joints",
          [](const LoadedWorld& w) {
            py::list names;
            for (const Variable& variable : w.variables()) names.append(variable.name);
            return names;
          },
          "The name of each number of a configuration.")
      .def_property_readonly(
          "variables", [](const LoadedWorld& w) { return list_of(w.variables()); },
          DOC(World, variables))
      .def_property_readonly(
          "lower", [](const LoadedWorld& w) { return limits(w, &Variable::lower); },
          "The lower limits, shape (dof,); -inf where there is none.")
      .def_property_readonly(
          "upper", [](const LoadedWorld& w) { return limits(w, &Variable::upper); },
          "The upper limits, shape (dof,); inf where there is none.")
      .def(
          "neutral", [](const LoadedWorld& w) { return to_numpy(w.neutral()); },
          DOC(World, neutral))
      .def(
          "full_range", [](const LoadedWorld& w) { return to_numpy(full_range(w)); },
          (DOC_TEXT(full_range) + " Shape (dof, 2): lower and upper.").c_str())
      .def_property_readonly("links", [](const LoadedWorld& w) { return list_of(w.links()); })
      .def_property_readonly("links_without_bodies",
                             [](const LoadedWorld& w) { return list_of(w.links_without_bodies()); })
      .def_property_readonly(
          "bodies", [](const LoadedWorld& w) { return list_of(w.bodies()); }, DOC(World, bodies))
      .def_property_readonly(
          "solids", [](const LoadedWorld& w) { return list_of(w.solids()); }, DOC(World, solids))
      .def(
          "find_solid",
          [](const LoadedWorld& w, const std::string& name) { return w.find_solid(name); },
          "name"_a, DOC(World, find_solid))
      .def_property_readonly(
          "checked_pairs", [](const LoadedWorld& w) { return list_of(w.pairs()); },
          DOC(World, pairs))
      .def_property_readonly(
          "pair_count", [](const LoadedWorld& w) { return w.pair_count(); },
          "Checked pairs, also where checked_pairs does not list them all.")
      .def_property_readonly(
          "left_out", [](const LoadedWorld& w) { return list_of(w.left_out()); }, DOC(LeftOutPair))
      .def_property_readonly(
          "notes", [](const LoadedWorld& w) { return list_of(w.notes()); }, DOC(World, notes))
      .def("__repr__", world_text);
}

/// What the keyword arguments of load() say.
std::string load_doc(const std::string& text) {
  return text + "\n\npackages, package_path: " + doc::LoadOptions_packages +
         "\nsrdf: " + doc::LoadOptions_srdf +
         "\nallow_no_pairs: " + doc::LoadOptions_allow_no_pairs +
         "\nlenient: " + doc::LoadOptions_lenient + "\nparts: " + doc::LoadOptions_parts +
         "\nmodel (a file or a BodyModel): " + doc::LoadOptions_model +
         "\nwithout_model: " + doc::LoadOptions_without_model +
         "\nscene: " + doc::LoadOptions_scene + "\nthreads: " + doc::LoadOptions_threads;
}

}  // namespace

LoadOptions load_options_of(Options& options) {
  LoadOptions load;
  options.take("srdf", load.srdf);
  options.take("packages", load.packages);
  options.take("package_path", load.package_path);
  options.take("scene", load.scene);
  options.take("parts", load.parts);
  options.take("lenient", load.lenient);
  options.take("allow_no_pairs", load.allow_no_pairs);
  options.take("without_model", load.without_model);
  options.take("threads", load.threads);
  require_threads(load.threads);
  const py::object model = options.take("model");
  if (py::isinstance(model, py::module_::import("keepclear._scene").attr("BodyModel"))) {
    load.bodies = std::make_shared<const BodyModel>(model.cast<BodyModel>());
  } else if (!model.is_none()) {
    try {
      load.model = model.cast<fs::path>();
    } catch (const py::cast_error&) {
      throw py::type_error("model is a file, a BodyModel, or \"builtin\"");
    }
  }
  return load;
}

void bind_world(py::module_& m) {
  bind_facts(m);
  bind_world_class(m);
  m.def("load", load_any, "file"_a,
        load_doc(DOC_TEXT(load) + " The name of a built-in world loads that (./NAME is the file of "
                                  "that name), and a Scene is compiled.")
            .c_str());
  m.def(
      "load_builtin",
      [](const std::string& name, const py::kwargs& arguments) {
        Options options(arguments, "load_builtin");
        LoadOptions load = load_options_of(options);
        options.done();
        return load_from(name, true, std::move(load));
      },
      "name"_a, load_doc(DOC_TEXT(load_builtin)).c_str());
  m.def(
      "compile",
      [](const Scene& scene, const py::kwargs& arguments) {
        Options options(arguments, "compile");
        LoadOptions load = load_options_of(options);
        options.done();
        return compile_from(scene, std::move(load));
      },
      "scene"_a, load_doc(DOC_TEXT(compile)).c_str());
  m.def(
      "builtin_worlds", [] { return list_of(builtin_worlds()); }, DOC(builtin_worlds));
  m.def(
      "builtin_model",
      [](const std::string& name) -> py::object {
        const auto model = builtin_model(name);
        return model ? py::cast(*model) : py::object(py::none());
      },
      "name"_a, "The bodies that come with a built-in world; None if there are none.");
}

}  // namespace keepclear::python
