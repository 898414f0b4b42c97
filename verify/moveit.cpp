// SPDX-License-Identifier: BSD-3-Clause
// MoveIt's text of objects: a name; for each object "* name", since MoveIt 1.1 its pose, the number
// of its shapes; for each shape its kind, its numbers, its pose and its colour; then, since 1.1,
// the number of subframes, a name and a pose each; "." at the end.
#include "description.hpp"

namespace verify {
namespace {

class MoveitReader {
 public:
  explicit MoveitReader(const std::filesystem::path& file) : text_(read_file(file)), rest_(text_) {
    scene_.file = file;
  }

  Scene read() {
    if (text_.find('\0') != text_.npos) fail("no text");
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    scene_.name = trimmed(take_line(rest_));
    for (std::string_view at = line(); at != "."; at = line()) {
      if (!at.starts_with("*") || (at.size() > 1 && !is_blank(at[1]))) fail("'* name' or '.'");
      read_object(std::string(trimmed(at.substr(1))));
    }
    if (!trimmed(rest_).empty()) fail("nothing after '.'");
    return std::move(scene_);
  }

 private:
  [[noreturn]] void fail(const std::string& wanted) const {
    throw CannotTell{scene_.file.string() + ": not understood: " + wanted + " was expected"};
  }
  std::string_view line() {
    while (!rest_.empty())
      if (const auto taken = trimmed(take_line(rest_)); !taken.empty()) return taken;
    fail("another line");
  }
  template <std::size_t N>
  std::array<double, N> numbers() {
    std::string_view words = line();
    std::array<double, N> values{};
    for (double& value : values) {
      const auto read = to_number(take_word(words));
      if (!read) fail(std::to_string(N) + " numbers");
      value = *read;
    }
    if (!trimmed(words).empty()) fail(std::to_string(N) + " numbers");
    return values;
  }
  std::size_t count(double value) const {
    if (!(value >= 0 && value <= 1e8 && value == std::floor(value))) fail("a number of things");
    return static_cast<std::size_t>(value);
  }
  Place place() {
    const Point xyz = numbers<3>();
    const auto q = numbers<4>();
    const double size = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(std::abs(size - 1) < 1e-4)) fail("a quaternion of length one");
    return Place::of_quaternion(xyz, q[0], q[1], q[2], q[3]);
  }

  void read_object(const std::string& name) {
    if (!known_) {
      std::string_view ahead = rest_, next = trimmed(take_line(ahead));
      known_ = true, take_word(next), has_pose_ = !trimmed(next).empty();
    }
    const Place object = has_pose_ ? place() : Place{};
    const std::size_t shapes = count(numbers<1>()[0]);
    for (std::size_t i = 0; i < shapes; ++i) {
      SceneObject made;
      made.name = shapes == 1 ? name : name + "#" + std::to_string(i);
      made.shape = read_shape();
      made.place = object * place();
      numbers<4>();  // its colour
      scene_.objects.push_back(std::move(made));
    }
    if (!has_pose_) return;
    for (std::size_t i = count(numbers<1>()[0]); i > 0; --i) line(), place();
  }

  Form read_shape() {
    const std::string kind(line());
    Form shape;
    if (kind == "box") {
      shape.size = numbers<3>();
    } else if (kind == "sphere") {
      shape.kind = Form::ball, shape.radius = numbers<1>()[0];
    } else if (kind == "cylinder" || kind == "cone") {
      shape.kind = kind == "cone" ? Form::cone : Form::cylinder;
      const auto size = numbers<2>();
      shape.radius = size[0], shape.length = size[1];
    } else if (kind == "plane") {  // a x + b y + c z + d = 0: the half-space that ends there
      const auto v = numbers<4>();
      shape.kind = Form::plane, shape.normal = {v[0], v[1], v[2]};
      if (!(norm(shape.normal) > 0)) fail("a normal");
      shape.offset = -v[3] / norm(shape.normal);
    } else if (kind == "mesh") {
      shape.kind = Form::mesh;
      const auto counts = numbers<2>();
      for (std::size_t i = count(counts[0]); i > 0; --i)
        shape.inside.points.push_back(numbers<3>());
      for (std::size_t i = count(counts[1]); i > 0; --i) {
        Face face;
        const Point read = numbers<3>();
        for (std::size_t k = 0; k < 3; ++k)
          if (face[k] = count(read[k]); face[k] >= shape.inside.points.size()) fail("a corner");
        shape.inside.faces.push_back(face);
      }
      if (shape.inside.faces.empty()) fail("a triangle");
    } else {
      fail("a shape that is known");
    }
    return shape;
  }

  const std::string text_;
  std::string_view rest_;
  Scene scene_;
  bool known_ = false, has_pose_ = false;
};

}  // namespace

Scene read_moveit_scene(const std::filesystem::path& file) {
  return MoveitReader(file).read();
}

}  // namespace verify
