// SPDX-License-Identifier: BSD-3-Clause
//
// The document of a glTF file and the numbers in its buffers, read without assimp.
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keepclear/geometry.hpp"
#include "shape/cloud_parts.hpp"
#include "shape/foreign_words.hpp"

namespace keepclear::foreign {

/// The bytes of a buffer beside the file, by its URI; nothing if it must not or cannot be read.
using ReadBuffer = std::function<std::optional<std::string>(const std::string& uri)>;

class GltfData {
 public:
  using Json = nlohmann::json;

  /// `chunk` is the binary chunk of a GLB. All must outlive this.
  GltfData(std::string_view json, std::optional<std::string_view> chunk, const std::string& name,
           const ReadBuffer& read)
      : name_(name), chunk_(chunk), read_(read) {
    try {
      document_ = Json::parse(json, refuse_twins());
    } catch (const Json::exception& e) {
      refuse(name_, 0, std::string("not JSON: ") + e.what());
    }
    if (!document_.is_object()) refuse(name_, 0, "not a glTF document");
  }

  const Json& document() const { return document_; }

  const Json& list(const char* key) const {
    static const Json kNone = Json::array();
    if (!document_.contains(key)) return kNone;
    const Json& found = document_[key];
    if (!found.is_array()) refuse(name_, 0, text::quoted(key) + " is no list");
    return found;
  }

  std::size_t count(const Json& of, const char* key, std::size_t absent) const {
    if (!of.contains(key)) return absent;
    const Json& value = of[key];
    if (!value.is_number_unsigned() || value.get<std::size_t>() > 1'000'000'000) {
      refuse(name_, 0, text::quoted(key) + " is no count or index");
    }
    return value.get<std::size_t>();
  }

  const Json& item(const char* key, std::size_t index) const {
    const Json& all = list(key);
    if (index >= all.size() || !all[index].is_object()) {
      refuse(name_, 0, "no number " + std::to_string(index) + " in " + text::quoted(key));
    }
    return all[index];
  }

  /// The indices that `from` has under `key`.
  std::vector<std::size_t> indices_in(const Json& from, const char* key) const {
    std::vector<std::size_t> found;
    if (!from.contains(key)) return found;
    if (!from[key].is_array()) refuse(name_, 0, text::quoted(key) + " is no list");
    for (const Json& index : from[key]) {
      if (!index.is_number_unsigned()) refuse(name_, 0, text::quoted(key) + " holds no index");
      found.push_back(index.get<std::size_t>());
    }
    return found;
  }

  void check_accessor(std::size_t index) const {
    const Json& accessor = item("accessors", index);
    if (!accessor.contains("bufferView")) return;  // all zero; refused where it is used
    const Json& view = item("bufferViews", count(accessor, "bufferView", 0));
    const std::size_t bytes = bytes_of(count(accessor, "componentType", 0));
    const std::string kind = accessor.value("type", Json()).is_string() ? accessor["type"] : "";
    std::size_t components = 0;
    for (const auto& [name, n] : {std::pair{"SCALAR", 1},
                                  {"VEC2", 2},
                                  {"VEC3", 3},
                                  {"VEC4", 4},
                                  {"MAT2", 4},
                                  {"MAT3", 9},
                                  {"MAT4", 16}}) {
      if (kind == name) components = static_cast<std::size_t>(n);
    }
    const std::size_t element = bytes * components, items = count(accessor, "count", 0);
    const std::size_t stride = count(view, "byteStride", element);
    const std::size_t begin = count(accessor, "byteOffset", 0);
    const bool right = element > 0 && items > 0 && stride >= element &&
                       begin + stride * (items - 1) + element <= count(view, "byteLength", 0);
    if (!right) {
      refuse(name_, 0,
             "accessor " + std::to_string(index) + " does not fit the view that it looks through");
    }
  }

  std::vector<Vec3> positions(std::size_t accessor) {
    const Json& of = item("accessors", accessor);
    if (of.value("type", Json()) != "VEC3" || of.value("componentType", Json()) != 5126) {
      refuse(name_, 0, "positions that are not three floats", "export without quantization");
    }
    std::vector<Vec3> read;
    read.reserve(count(of, "count", 0));
    for_each(accessor, 12, [&](std::string_view at) {
      const auto coordinate = [&](std::size_t k) {
        return cloud::load_scalar(at.substr(4 * k), cloud::Scalar::float32, false);
      };
      read.push_back({coordinate(0), coordinate(1), coordinate(2)});
      if (!is_finite(read.back())) {
        refuse(name_, 0,
               "accessor " + std::to_string(accessor) + ": vertex " +
                   std::to_string(read.size() - 1) + " is not finite");
      }
    });
    return read;
  }

  /// Indices below `points`.
  std::vector<std::uint32_t> corners(std::size_t accessor, std::size_t points) {
    const Json& of = item("accessors", accessor);
    const std::size_t type = count(of, "componentType", 0);
    if (of.value("type", Json()) != "SCALAR" || (type != 5121 && type != 5123 && type != 5125)) {
      refuse(name_, 0, "indices that are no whole numbers");
    }
    const std::size_t bytes = bytes_of(type);
    std::vector<std::uint32_t> read;
    read.reserve(count(of, "count", 0));
    for_each(accessor, bytes, [&](std::string_view at) {
      const std::uint64_t index = cloud::load(at, bytes, false);
      if (index >= points) {
        refuse(name_, 0,
               "accessor " + std::to_string(accessor) + ": no vertex " + std::to_string(index) +
                   ", there are " + std::to_string(points) + ", counted from zero");
      }
      read.push_back(static_cast<std::uint32_t>(index));
    });
    return read;
  }

 private:
  /// One side would take the first of two equal keys, the other the last.
  Json::parser_callback_t refuse_twins() const {
    return [this, open = std::vector<std::set<std::string>>()](int, Json::parse_event_t event,
                                                               Json& parsed) mutable {
      if (event == Json::parse_event_t::object_start) open.emplace_back();
      if (event == Json::parse_event_t::object_end) open.pop_back();
      if (event == Json::parse_event_t::key) {
        const auto& key = parsed.get_ref<const std::string&>();
        if (!open.back().insert(key).second) {
          refuse(name_, 0, text::quoted(key) + " stands twice in one object");
        }
      }
      return true;
    };
  }

  static std::size_t bytes_of(std::size_t component_type) {
    switch (component_type) {
      case 5120:
      case 5121:
        return 1;
      case 5122:
      case 5123:
        return 2;
      case 5125:
      case 5126:
        return 4;
      default:
        return 0;
    }
  }

  /// Calls `take` with the bytes from each element on. check_accessor has found that it fits its
  /// view.
  template <class Take>
  void for_each(std::size_t accessor, std::size_t element, const Take& take) {
    const Json& of = item("accessors", accessor);
    if (!of.contains("bufferView")) {
      refuse(name_, 0, "accessor " + std::to_string(accessor) + " has no data");
    }
    const Json& view = item("bufferViews", count(of, "bufferView", 0));
    const std::size_t begin = count(view, "byteOffset", 0), length = count(view, "byteLength", 0);
    const std::string_view bytes = buffer(count(view, "buffer", list("buffers").size()));
    if (begin + length > bytes.size()) {
      refuse(name_, 0,
             "view " + std::to_string(count(of, "bufferView", 0)) +
                 " reaches beyond its buffer of " + std::to_string(bytes.size()) + " bytes");
    }
    const std::string_view seen = bytes.substr(begin, length);
    const std::size_t stride = count(view, "byteStride", element);
    const std::size_t first = count(of, "byteOffset", 0), items = count(of, "count", 0);
    for (std::size_t i = 0; i < items; ++i) take(seen.substr(first + i * stride, element));
  }

  std::string_view buffer(std::size_t index) {
    const Json& of = item("buffers", index);
    const std::size_t stated = count(of, "byteLength", 0);
    const auto [place, fresh] = buffers_.try_emplace(index);
    if (fresh) place->second = read_buffer(index, of);
    const std::string_view bytes = of.contains("uri") ? place->second : chunk_.value_or("");
    if (bytes.size() < stated) {
      refuse(name_, 0,
             "buffer " + std::to_string(index) + " has " + std::to_string(bytes.size()) +
                 " bytes, " + std::to_string(stated) + " are announced");
    }
    return bytes.substr(0, stated);
  }

  std::string read_buffer(std::size_t index, const Json& of) const {
    const std::string what = "buffer " + std::to_string(index);
    if (!of.contains("uri")) {
      if (index > 0 || !chunk_) refuse(name_, 0, what + " has no 'uri' and is no chunk of a GLB");
      return {};
    }
    if (!of["uri"].is_string()) refuse(name_, 0, what + ": 'uri' is no text");
    const std::string& uri = of["uri"].get_ref<const std::string&>();
    if (!uri.starts_with("data:")) {
      std::optional<std::string> bytes = read_(uri);
      if (!bytes) {
        refuse(name_, 0, what + ": " + text::quoted(uri) + " cannot be read",
               "it must be a regular file in the folder of the glTF file or below");
      }
      return std::move(*bytes);
    }
    const std::size_t comma = std::min(uri.find(','), uri.size());
    if (!std::string_view(uri).substr(0, comma).ends_with(";base64")) {
      refuse(name_, 0, what + ": data that are not base64");
    }
    return decoded(std::string_view(uri).substr(std::min(comma + 1, uri.size())), what);
  }

  /// RFC 4648, section 4.
  std::string decoded(std::string_view words, const std::string& what) const {
    std::string bytes;
    bytes.reserve(words.size() / 4 * 3);
    const std::size_t padding = words.ends_with("==") ? 2 : words.ends_with("=") ? 1 : 0;
    if (words.size() % 4 != 0) refuse(name_, 0, what + ": base64 of an odd length");
    words.remove_suffix(padding);
    std::uint32_t held = 0;
    int bits = 0;
    for (const char c : words) {
      std::uint32_t value = 0;
      if (c >= 'A' && c <= 'Z') {
        value = static_cast<std::uint32_t>(c - 'A');
      } else if (c >= 'a' && c <= 'z') {
        value = static_cast<std::uint32_t>(c - 'a' + 26);
      } else if (c >= '0' && c <= '9') {
        value = static_cast<std::uint32_t>(c - '0' + 52);
      } else if (c == '+' || c == '/') {
        value = c == '+' ? 62 : 63;
      } else {
        refuse(name_, 0, what + ": no base64");
      }
      held = (held << 6 | value) & 0xffffff;
      bits += 6;
      if (bits < 8) continue;
      bits -= 8;
      bytes.push_back(static_cast<char>(held >> bits & 0xff));
    }
    return bytes;
  }

  const std::string& name_;
  std::optional<std::string_view> chunk_;
  const ReadBuffer& read_;
  Json document_;
  std::map<std::size_t, std::string> buffers_;
};

}  // namespace keepclear::foreign
