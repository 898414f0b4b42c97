// SPDX-License-Identifier: BSD-3-Clause
//
// PCD, the format of the Point Cloud Library, up to version 0.7. The compressed form holds the
// fields one after the other, each for all points; there the fields called _, which are padding,
// are not stored.
#include <array>
#include <vector>

#include "shape/cloud_parts.hpp"
#include "shape/lzf.hpp"

namespace keepclear::cloud {
namespace {

struct Field {
  std::string_view name;
  std::uint64_t size = 0, count = 1;
  char type = 0;
  int axis = -1;             ///< 0, 1, 2 for x, y, z
  std::uint64_t offset = 0;  ///< in the point, bytes; compressed: in the point, of what is stored
};

class PcdReader {
 public:
  PcdReader(std::string_view bytes, const std::string& name)
      : lines_(bytes), name_(name), builder_(name) {}

  PointCloud read() {
    const std::string_view data = read_header();
    check_header();
    if (data == "ascii") return read_ascii();
    if (data == "binary") return read_binary();
    if (data == "binary_compressed") return read_compressed();
    refuse_header("unknown DATA " + text::quoted(data),
                  "ascii, binary and binary_compressed are read");
  }

 private:
  [[noreturn]] void refuse_header(const std::string& what, const std::string& hint = {}) const {
    refuse(name_, lines_.number(), what, hint);
  }

  /// What DATA says; the lines are then at the data.
  std::string_view read_header() {
    std::string_view line;
    while (lines_.next_filled(line)) {
      const std::string_view keyword = text::take_word(line);
      if (keyword.front() == '#') continue;
      const auto known = std::find(kKeywords.begin(), kKeywords.end(), keyword);
      if (known == kKeywords.end()) {
        refuse_header(text::quoted(keyword) + " is no entry of a PCD header", "is it a PCD file?");
      }
      bool& seen = seen_[static_cast<std::size_t>(known - kKeywords.begin())];
      if (seen) refuse_header("a second entry " + text::quoted(keyword));
      seen = true;
      std::vector<std::string_view> words;
      for (auto word = text::take_word(line); !word.empty(); word = text::take_word(line)) {
        words.push_back(word);
      }
      if (keyword == "DATA") return one_word(keyword, words);
      read_entry(keyword, words);
    }
    refuse_header("the header has no entry 'DATA'", "the file is cut short or is not PCD");
  }

  std::string_view one_word(std::string_view keyword,
                            const std::vector<std::string_view>& words) const {
    if (words.size() != 1) refuse_header(text::quoted(keyword) + " wants one word");
    return words[0];
  }

  std::uint64_t one_count(std::string_view keyword,
                          const std::vector<std::string_view>& words) const {
    return count_of(keyword, one_word(keyword, words));
  }

  std::uint64_t count_of(std::string_view keyword, std::string_view word) const {
    const auto count = parse_count(word);
    // So that products of two of them, and sums of such products, are far from overflow.
    constexpr std::uint64_t kFar = std::uint64_t{1} << 31;
    if (!count || *count > kFar) {
      refuse_header(text::quoted(keyword) + ": " + text::quoted(word) +
                    " is no count of reasonable size");
    }
    return *count;
  }

  void read_entry(std::string_view keyword, const std::vector<std::string_view>& words) {
    if (keyword == "VERSION") {
      const std::string_view version = one_word(keyword, words);
      for (const char* known : {".7", "0.7", ".6", "0.6", ".5", "0.5"}) {
        if (version == known) return;
      }
      refuse_header("VERSION " + text::quoted(version) + " is not known", "0.7 and earlier are");
    }
    if (keyword == "WIDTH") {
      width_ = one_count(keyword, words);
    } else if (keyword == "HEIGHT") {
      height_ = one_count(keyword, words);
    } else if (keyword == "POINTS") {
      points_ = one_count(keyword, words);
      points_line_ = lines_.number();
    } else if (keyword == "VIEWPOINT") {
      check_viewpoint(words);
    } else if (keyword == "FIELDS") {
      for (const std::string_view word : words) fields_.push_back({.name = word});
    } else {
      read_field_entry(keyword, words);
    }
  }

  /// Where the sensor stood. Some programs move the points by it and some do not, so that only one
  /// that changes nothing means one thing.
  void check_viewpoint(const std::vector<std::string_view>& words) const {
    std::array<double, 7> pose{};
    bool is_pose = words.size() == pose.size();
    for (std::size_t i = 0; is_pose && i < pose.size(); ++i) {
      const auto number = text::parse_number(words[i]);
      is_pose = number.has_value();
      pose[i] = number.value_or(0);
    }
    if (!is_pose) {
      refuse_header("VIEWPOINT is not seven numbers: translation, then quaternion w x y z");
    }
    const bool is_turned = std::abs(pose[3]) != 1 || pose[4] != 0 || pose[5] != 0 || pose[6] != 0;
    if (is_turned || pose[0] != 0 || pose[1] != 0 || pose[2] != 0) {
      refuse_header("VIEWPOINT is not the identity: are the points in the frame of the sensor?",
                    "move them to the frame that they are meant in, and write "
                    "VIEWPOINT 0 0 0 1 0 0 0");
    }
  }

  /// SIZE, TYPE, COUNT: a word a field.
  void read_field_entry(std::string_view keyword, const std::vector<std::string_view>& words) {
    if (words.size() != fields_.size()) {
      refuse_header(std::string(keyword) + " has " + std::to_string(words.size()) + " words for " +
                        std::to_string(fields_.size()) + " fields",
                    "FIELDS stands before it and names as many");
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      Field& field = fields_[i];
      const std::string_view word = words[i];
      if (keyword == "SIZE") {
        field.size = count_of(keyword, word);
        if (field.size != 1 && field.size != 2 && field.size != 4 && field.size != 8) {
          refuse_header("SIZE is 1, 2, 4 or 8, not " + text::quoted(word));
        }
      } else if (keyword == "TYPE") {
        if (word != "I" && word != "U" && word != "F") {
          refuse_header("TYPE is I, U or F, not " + text::quoted(word));
        }
        field.type = word[0];
      } else {
        field.count = count_of(keyword, word);
        if (field.count == 0) refuse_header("COUNT is zero");
      }
    }
  }

  void check_header() {
    for (std::size_t i = 0; i < kKeywords.size(); ++i) {
      if (!seen_[i] && kKeywords[i] != "VERSION" && kKeywords[i] != "COUNT" &&
          kKeywords[i] != "VIEWPOINT") {
        refuse_header("the header has no entry '" + std::string(kKeywords[i]) + "'");
      }
    }
    if (width_ * height_ != points_) {
      refuse_header("WIDTH * HEIGHT is " + std::to_string(width_ * height_) + ", POINTS is " +
                    std::to_string(points_));
    }
    builder_.announce(points_, points_line_);
    for (int axis = 0; axis < 3; ++axis) check_axis(axis);
    for (Field& field : fields_) {
      if (field.type == 'F' && field.size < 4) refuse_header("a field of TYPE F has SIZE 4 or 8");
      field.offset = stride_;
      stride_ += field.size * field.count;
      words_ += field.count;
      if (stride_ > kMaxCloudBytes) refuse_header("points of more bytes than any file has");
    }
  }

  void check_axis(int axis) {
    const std::string_view wanted = std::string_view("xyz").substr(axis, 1);
    bool found = false;
    for (Field& field : fields_) {
      if (field.name != wanted) continue;
      if (found) refuse_header("two fields '" + std::string(wanted) + "'");
      found = true;
      field.axis = axis;
      if (field.type != 'F' || field.count != 1) {
        refuse_header("the field '" + std::string(wanted) + "' is not one float",
                      "its TYPE is F, its SIZE 4 or 8, its COUNT 1");
      }
    }
    if (!found) refuse_header("no field '" + std::string(wanted) + "'");
  }

  [[noreturn]] void refuse_room(std::uint64_t room) const {
    refuse(name_, points_line_,
           "the header announces " + std::to_string(points_) + " points, the file has room for " +
               std::to_string(room) + " at most",
           "the file is cut short or its header is wrong");
  }

  PointCloud read_ascii() {
    // A digit and a blank for each number; the last may end the file.
    const std::uint64_t room = (lines_.rest().size() + 1) / (2 * words_);
    if (points_ > room) refuse_room(room);
    builder_.reserve(static_cast<std::size_t>(points_));
    std::string_view line;
    for (std::uint64_t i = 1; i <= points_; ++i) {
      if (!lines_.next_filled(line)) {
        refuse(name_, lines_.number(),
               "the file ends before point " + std::to_string(i) + " of " + std::to_string(points_),
               "the file is cut short");
      }
      read_point(line, i);
    }
    if (lines_.next_filled(line)) {
      refuse(name_, lines_.number(),
             "more data than the " + std::to_string(points_) + " points of the header");
    }
    return builder_.finish(true);
  }

  void read_point(std::string_view line, std::uint64_t index) {
    std::array<double, 3> p{};
    for (const Field& field : fields_) {
      for (std::uint64_t k = 0; k < field.count; ++k) {
        const std::string_view word = text::take_word(line);
        const auto value = parse_any_number(word);
        if (!value) {
          refuse(name_, lines_.number(),
                 "point " + std::to_string(index) + ": " +
                     (word.empty() ? "too few numbers" : text::quoted(word) + " is not a number"),
                 "each point is one line of " + std::to_string(words_) + " numbers");
        }
        if (field.axis >= 0) p[field.axis] = *value;
      }
    }
    if (!text::take_word(line).empty()) {
      refuse(name_, lines_.number(), "point " + std::to_string(index) + ": too many numbers",
             "each point is one line of " + std::to_string(words_) + " numbers");
    }
    builder_.add({p[0], p[1], p[2]}, lines_.number());
  }

  PointCloud read_binary() {
    const std::string_view data = lines_.rest();
    const std::uint64_t room = data.size() / stride_;
    if (points_ > room) refuse_room(room);
    check_end(data.substr(static_cast<std::size_t>(points_ * stride_)));
    builder_.reserve(static_cast<std::size_t>(points_));
    for (std::uint64_t i = 0; i < points_; ++i) {
      std::array<double, 3> p{};
      for (const Field& field : fields_) {
        if (field.axis >= 0) p[field.axis] = coordinate(data, i * stride_ + field.offset, field);
      }
      builder_.add({p[0], p[1], p[2]}, 0);
    }
    return builder_.finish(false);
  }

  PointCloud read_compressed() {
    std::string_view packed = lines_.rest();
    if (packed.size() < 8) refuse(name_, 0, "the file ends before its compressed data");
    const std::uint64_t packed_size = load(packed, 4, false);
    const std::uint64_t size = load(packed.substr(4), 4, false);
    packed.remove_prefix(8);
    if (packed_size > packed.size()) {
      refuse(name_, 0,
             std::to_string(packed_size) + " bytes of compressed data are announced, " +
                 std::to_string(packed.size()) + " are there",
             "the file is cut short");
    }
    check_end(packed.substr(static_cast<std::size_t>(packed_size)));
    packed = packed.substr(0, static_cast<std::size_t>(packed_size));
    std::uint64_t stored = 0;
    for (Field& field : fields_) {
      field.offset = stored;
      if (field.name != "_") stored += field.size * field.count;
    }
    if (size != stored * points_ || size > kMaxCloudBytes) {
      refuse(name_, 0,
             "the data expand to " + std::to_string(size) + " bytes, " + std::to_string(points_) +
                 " points of " + std::to_string(stored) + " bytes need " +
                 std::to_string(stored * points_));
    }
    // Before memory is taken for what so few bytes cannot expand to.
    if (size / kMaxLzfRatio > packed.size()) refuse_packed();
    std::vector<char> expanded(static_cast<std::size_t>(size));
    if (!expand_lzf(packed, expanded)) refuse_packed();
    const std::string_view data(expanded.data(), expanded.size());
    builder_.reserve(static_cast<std::size_t>(points_));
    for (std::uint64_t i = 0; i < points_; ++i) {
      std::array<double, 3> p{};
      for (const Field& field : fields_) {
        if (field.axis < 0) continue;
        p[field.axis] = coordinate(data, field.offset * points_ + i * field.size, field);
      }
      builder_.add({p[0], p[1], p[2]}, 0);
    }
    return builder_.finish(false);
  }

  [[noreturn]] void refuse_packed() const {
    refuse(name_, 0, "the compressed data do not expand to what they announce",
           "the file is damaged");
  }

  /// Zeros too: they would be points at the origin, of which the header does not know.
  void check_end(std::string_view after) const {
    if (!after.empty()) {
      refuse(name_, 0,
             std::to_string(after.size()) + " bytes after the " + std::to_string(points_) +
                 " points of the header",
             "correct WIDTH, HEIGHT and POINTS, or cut the file off after its last point");
    }
  }

  static double coordinate(std::string_view data, std::uint64_t at, const Field& field) {
    return load_scalar(data.substr(static_cast<std::size_t>(at)),
                       field.size == 4 ? Scalar::float32 : Scalar::float64, false);
  }

  static constexpr std::array<std::string_view, 10> kKeywords = {
      "VERSION", "FIELDS", "SIZE",      "TYPE",   "COUNT",
      "WIDTH",   "HEIGHT", "VIEWPOINT", "POINTS", "DATA"};

  Lines lines_;
  const std::string& name_;
  Builder builder_;
  std::array<bool, kKeywords.size()> seen_{};
  std::vector<Field> fields_;
  std::uint64_t width_ = 0, height_ = 0, points_ = 0;
  std::uint64_t stride_ = 0;  ///< bytes of a point
  std::uint64_t words_ = 0;   ///< numbers of a point
  int points_line_ = 0;
};

}  // namespace

PointCloud parse_pcd(std::string_view bytes, const std::string& name) {
  return PcdReader(bytes, name).read();
}

}  // namespace keepclear::cloud
