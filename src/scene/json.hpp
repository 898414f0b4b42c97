// SPDX-License-Identifier: BSD-3-Clause
//
// JSON from strangers, read item by item: a file with a million objects is never held as a tree.
// Strict: no key twice, no bytes after a NUL, limits on nesting and size. A syntax error has its
// line; any other error has the JSON pointer (RFC 6901) of its place.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "keepclear/geometry.hpp"

namespace keepclear::json {

/// Limits on what a stranger's file may ask for; beyond them reading fails with the limit named.
inline constexpr int kMaxDepth = 16;
inline constexpr std::size_t kMaxKeys = 1000;         ///< of one object
inline constexpr std::size_t kMaxValues = 8'000'000;  ///< of one item: 40 bytes each

using Names = std::vector<std::string_view>;

struct Member;
struct Value {
  /// null, true or false, number (finite), string, array, object.
  std::variant<std::monostate, bool, double, std::string, std::vector<Value>, std::vector<Member>>
      data;
};
struct Member {
  std::string key;
  Value value;
};
using Array = std::vector<Value>;
using Object = std::vector<Member>;

/// "a number", "a list" and the like, for messages.
const char* kind_of(const Value& value) noexcept;
/// The value of a key, or nullptr.
const Value* find(const Object& object, std::string_view key) noexcept;

/// Where a value stands. A chain on the stack, made into a pointer only for an error.
struct Place {
  const Place* up = nullptr;
  std::string_view key{};
  std::size_t index = kNoIndex;  ///< of an element of a list; then there is no key

  static constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);
  std::string pointer() const;
};

/// What a document is made of: an object with keys of two sorts. Each element of a list is handed
/// over as soon as it is whole, the value of any other key likewise, with kNoIndex.
struct Sections {
  Names lists, singles;
  std::string hint;  ///< for a key that is none of them, nor looks like one
};
using OnItem = std::function<void(std::string_view key, std::size_t index, const Value& value)>;
void parse(std::string_view text, const std::string& file, const Sections& sections,
           const OnItem& on_item);

/// The content of a regular file of at most `most` bytes. Throws Error.
std::string read_file(const std::filesystem::path& file, std::size_t most);

/// "must be ..., is ..." errors for the values of one file.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  [[noreturn]] void fail(const Place& at, const std::string& what,
                         const std::string& hint = {}) const;

  const Object& object(const Value& value, const Place& at) const;
  const Array& array(const Value& value, const Place& at) const;
  const std::string& text(const Value& value, const Place& at) const;
  double number(const Value& value, const Place& at) const;
  Vec3 vec3(const Value& value, const Place& at) const;
  /// The value of a key that must be there.
  const Value& required(const Object& object, const char* key, const Place& at) const;
  /// Fails for a key that is not listed.
  void allow_keys(const Object& object, const Names& known, const Place& at) const;

 private:
  std::string file_;
};

}  // namespace keepclear::json
