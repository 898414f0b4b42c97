// SPDX-License-Identifier: BSD-3-Clause
//
// Scenes and models: between the dataclasses of keepclear/_scene.py and the structs of the library.
#include <algorithm>
#include <array>

#include "docstrings.hpp"

namespace keepclear::python {
namespace {

namespace fs = std::filesystem;

/// A member of a dataclass as T; TypeError naming it.
template <typename T>
T member(py::handle object, const char* name) {
  const py::object value = object.attr(name);
  try {
    return value.cast<T>();
  } catch (const py::cast_error&) {
    const std::string type = py::str(py::type::of(object).attr("__name__"));
    throw py::type_error(type + "." + name + " cannot be " + std::string(py::repr(value)));
  }
}

template <typename T, typename Read>
std::vector<T> members(py::handle object, const char* name, const char* type, const Read& read) {
  std::vector<T> result;
  const py::object wanted = py::module_::import("keepclear._scene").attr(type);
  const py::object list = object.attr(name);
  for (const py::handle value : list) {
    if (!py::isinstance(value, wanted)) {
      throw py::type_error(std::string(name) + " holds " + std::string(py::repr(value)) +
                           ", which is no " + type);
    }
    result.push_back(read(value));
  }
  return result;
}

template <typename T, typename Write>
py::list list_of(const std::vector<T>& values, const Write& write) {
  py::list result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[i] = write(values[i]);
  return result;
}

/// The classes, looked up once a call.
py::object make(const char* type, const py::dict& values) {
  return py::module_::import("keepclear._scene").attr(type)(**values);
}

Origin origin_from(py::handle object) {
  Origin origin{member<Vec3>(object, "xyz"), member<Vec3>(object, "rpy"), {}};
  const py::object quaternion = object.attr("quaternion");
  if (!quaternion.is_none()) {
    const Doubles q = row_of(quaternion, "Origin.quaternion", 4);
    origin.quaternion = Quaternion{q.span()[0], q.span()[1], q.span()[2], q.span()[3]};
  }
  return origin;
}

py::object to_python(const Origin& origin) {
  py::object quaternion = py::none();
  if (const auto& q = origin.quaternion) quaternion = py::make_tuple(q->x, q->y, q->z, q->w);
  return make("Origin",
              py::dict("xyz"_a = origin.xyz, "rpy"_a = origin.rpy, "quaternion"_a = quaternion));
}

std::vector<std::array<std::uint32_t, 3>> triangles_from(const py::object& value) {
  if (py::isinstance<py::sequence>(value) && py::len(value) == 0) return {};
  const Doubles rows(value, "Shape.triangles", 2, 2);
  if (rows.shape(0) > 0 && rows.shape(1) != 3) usage("Shape.triangles has no rows of three");
  std::vector<std::array<std::uint32_t, 3>> triangles(rows.shape(0));
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double index = rows.row(i)[k];
      if (!(index >= 0 && index < 4294967296.0) || index != static_cast<std::uint32_t>(index)) {
        usage("Shape.triangles: " + short_text(index) + " is no index of a point");
      }
      triangles[i][k] = static_cast<std::uint32_t>(index);
    }
  }
  return triangles;
}

Shape shape_from(py::handle object) {
  if (!py::isinstance(object, py::module_::import("keepclear._scene").attr("Shape"))) {
    throw py::type_error("SceneObject.shape is no Shape");
  }
  Shape shape;
  shape.kind = member<Shape::Kind>(object, "kind");
  shape.size = member<Vec3>(object, "size");
  shape.radius = member<double>(object, "radius");
  shape.length = member<double>(object, "length");
  shape.normal = member<Vec3>(object, "normal");
  shape.offset = member<double>(object, "offset");
  shape.file = member<fs::path>(object, "file");
  shape.scale = member<Vec3>(object, "scale");
  shape.points = points_of(object.attr("points"), "Shape.points");
  shape.triangles = triangles_from(object.attr("triangles"));
  shape.unknown = member<UnknownSpace>(object, "unknown");
  return shape;
}

py::object to_python(const Shape& shape) {
  py::array_t<std::uint32_t> triangles(
      {static_cast<py::ssize_t>(shape.triangles.size()), py::ssize_t{3}});
  std::uint32_t* place = triangles.mutable_data();
  for (const auto& triangle : shape.triangles)
    place = std::copy(triangle.begin(), triangle.end(), place);
  py::dict values("kind"_a = shape.kind, "size"_a = shape.size, "radius"_a = shape.radius,
                  "length"_a = shape.length, "normal"_a = shape.normal, "offset"_a = shape.offset,
                  "file"_a = shape.file.string(), "scale"_a = shape.scale,
                  "unknown"_a = shape.unknown);
  if (!shape.points.empty()) values["points"] = to_numpy(std::span<const Vec3>(shape.points));
  if (!shape.triangles.empty()) values["triangles"] = triangles;
  return make("Shape", values);
}

SceneRobot robot_from(py::handle object) {
  return {.name = member<std::string>(object, "name"),
          .urdf = member<fs::path>(object, "urdf"),
          .builtin = member<std::string>(object, "builtin"),
          .srdf = member<std::optional<fs::path>>(object, "srdf"),
          .model = member<std::optional<fs::path>>(object, "model"),
          .base = member<Origin>(object, "base"),
          .packages = member<std::map<std::string, fs::path>>(object, "packages"),
          .place = member<std::string>(object, "place")};
}

py::object file_or_none(const std::optional<fs::path>& file) {
  return file ? py::object(py::str(file->string())) : py::object(py::none());
}

py::object to_python(const SceneRobot& robot) {
  py::dict packages;
  for (const auto& [name, folder] : robot.packages) packages[name.c_str()] = folder.string();
  return make(
      "SceneRobot",
      py::dict("name"_a = robot.name, "urdf"_a = robot.urdf.string(), "builtin"_a = robot.builtin,
               "srdf"_a = file_or_none(robot.srdf), "model"_a = file_or_none(robot.model),
               "base"_a = robot.base, "packages"_a = packages, "place"_a = robot.place));
}

SceneObject object_from(py::handle object) {
  return {.name = member<std::string>(object, "name"),
          .shape = shape_from(object.attr("shape")),
          .pose = member<Origin>(object, "pose"),
          .place = member<std::string>(object, "place")};
}

py::object to_python(const SceneObject& object) {
  return make("SceneObject", py::dict("name"_a = object.name, "shape"_a = to_python(object.shape),
                                      "pose"_a = object.pose, "place"_a = object.place));
}

Attachment attachment_from(py::handle object) {
  return {.object = member<std::string>(object, "object"),
          .link = member<std::string>(object, "link"),
          .touch = member<std::vector<std::string>>(object, "touch"),
          .place = member<std::string>(object, "place")};
}

py::object to_python(const Attachment& attached) {
  return make("Attachment", py::dict("object"_a = attached.object, "link"_a = attached.link,
                                     "touch"_a = attached.touch, "place"_a = attached.place));
}

NamedPair named_pair_from(py::handle object) {
  return {.a = member<std::string>(object, "a"),
          .b = member<std::string>(object, "b"),
          .place = member<std::string>(object, "place")};
}

py::object to_python(const NamedPair& pair) {
  return make("NamedPair", py::dict("a"_a = pair.a, "b"_a = pair.b, "place"_a = pair.place));
}

PairMargin pair_margin_from(py::handle object) {
  return {.pair = named_pair_from(object.attr("pair")), .margin = member<double>(object, "margin")};
}

py::object to_python(const PairMargin& margin) {
  return make("PairMargin",
              py::dict("pair"_a = to_python(margin.pair), "margin"_a = margin.margin));
}

IntendedContact contact_from(py::handle object) {
  return {.link = member<std::string>(object, "link"),
          .object = member<std::string>(object, "object"),
          .max_speed = member<double>(object, "max_speed"),
          .place = member<std::string>(object, "place")};
}

py::object to_python(const IntendedContact& contact) {
  return make("IntendedContact",
              py::dict("link"_a = contact.link, "object"_a = contact.object,
                       "max_speed"_a = contact.max_speed, "place"_a = contact.place));
}

ModelBody model_body_from(py::handle object) {
  return {.link = member<std::string>(object, "link"),
          .radius = member<double>(object, "radius"),
          .points = points_of(object.attr("points"), "ModelBody.points"),
          .place = member<std::string>(object, "place")};
}

py::object to_python(const ModelBody& body) {
  return make("ModelBody", py::dict("link"_a = body.link, "radius"_a = body.radius,
                                    "points"_a = to_numpy(std::span<const Vec3>(body.points)),
                                    "place"_a = body.place));
}

constexpr auto kToPython = [](const auto& value) { return to_python(value); };

Scene scene_from(py::handle object) {
  return {
      .name = member<std::string>(object, "name"),
      .file = member<std::string>(object, "file"),
      .included = member<std::vector<std::string>>(object, "included"),
      .robots = members<SceneRobot>(object, "robots", "SceneRobot", robot_from),
      .objects = members<SceneObject>(object, "objects", "SceneObject", object_from),
      .attached = members<Attachment>(object, "attached", "Attachment", attachment_from),
      .allow = members<NamedPair>(object, "allow", "NamedPair", named_pair_from),
      .margin = member<double>(object, "margin"),
      .margins = members<PairMargin>(object, "margins", "PairMargin", pair_margin_from),
      .contacts = members<IntendedContact>(object, "contacts", "IntendedContact", contact_from),
      .notes = member<std::vector<std::string>>(object, "notes"),
  };
}

py::object to_python(const Scene& scene) {
  return make("Scene",
              py::dict("name"_a = scene.name, "file"_a = scene.file, "included"_a = scene.included,
                       "robots"_a = list_of(scene.robots, kToPython),
                       "objects"_a = list_of(scene.objects, kToPython),
                       "attached"_a = list_of(scene.attached, kToPython),
                       "allow"_a = list_of(scene.allow, kToPython), "margin"_a = scene.margin,
                       "margins"_a = list_of(scene.margins, kToPython),
                       "contacts"_a = list_of(scene.contacts, kToPython), "notes"_a = scene.notes));
}

BodyModel model_from(py::handle object) {
  return {.world = member<std::string>(object, "world"),
          .file = member<std::string>(object, "file"),
          .around = member<Around>(object, "around"),
          .bodies = members<ModelBody>(object, "bodies", "ModelBody", model_body_from)};
}

py::object to_python(const BodyModel& model) {
  return make("BodyModel",
              py::dict("world"_a = model.world, "file"_a = model.file, "around"_a = model.around,
                       "bodies"_a = list_of(model.bodies, kToPython)));
}

bool is_a(py::handle object, const char* type) {
  return py::isinstance(object, py::module_::import("keepclear._scene").attr(type));
}

}  // namespace

bool load_dataclass(py::handle source, Origin& value) {
  if (!is_a(source, "Origin")) return false;
  value = origin_from(source);
  return true;
}
bool load_dataclass(py::handle source, Scene& value) {
  if (!is_a(source, "Scene")) return false;
  value = scene_from(source);
  return true;
}
bool load_dataclass(py::handle source, BodyModel& value) {
  if (!is_a(source, "BodyModel")) return false;
  value = model_from(source);
  return true;
}
py::object dataclass_of(const Origin& value) {
  return to_python(value);
}
py::object dataclass_of(const ModelBody& value) {
  return to_python(value);
}
py::object dataclass_of(const Scene& value) {
  return to_python(value);
}
py::object dataclass_of(const BodyModel& value) {
  return to_python(value);
}

void bind_scene(py::module_& m) {
  m.def("read_scene", &read_scene, "file"_a, DOC(read_scene));
  m.def("read_model", &read_model, "file"_a, DOC(read_model));
  m.def("write_model", &write_model, "model"_a, "file"_a, DOC(write_model));
}

}  // namespace keepclear::python
