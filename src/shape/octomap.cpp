// SPDX-License-Identifier: BSD-3-Clause
//
// OctoMap's files: a header of text, then the tree from the root down, a node before its children.
// The tree is never built. The data are walked over to see that they are whole, and again for what
// is wanted of them: counts and the box around the known cells come first.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <new>

#include "keepclear/error.hpp"
#include "rounding/rounding.hpp"
#include "shape/assimp_mesh.hpp"
#include "shape/cloud_parts.hpp"
#include "shape/point_cloud.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

using cloud::refuse;

/// Voxels along an edge of the root: OctoMap's depth is 16, and the origin is in the middle.
constexpr std::int32_t kRootSize = 1 << 16;
constexpr double kSmallestResolution = 1e-6, kLargestResolution = 10;

/// A cube of `size` voxels an edge, a power of two, from the voxel `low` on.
struct Cell {
  std::array<std::int32_t, 3> low{};
  std::int32_t size = kRootSize;

  Cell child(int i) const {
    Cell c{low, size / 2};
    for (int axis = 0; axis < 3; ++axis) {
      if ((i >> axis & 1) != 0) c.low[axis] += c.size;
    }
    return c;
  }
};

/// Voxels from `low` to before `high`.
struct Range {
  std::array<std::int32_t, 3> low{kRootSize, kRootSize, kRootSize}, high{};

  void include(const Cell& cell) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], cell.low[axis]);
      high[axis] = std::max(high[axis], cell.low[axis] + cell.size);
    }
  }
};

struct Header {
  bool bits = false;    ///< .bt: two bits a child, instead of a value a node
  bool colour = false;  ///< .ot: three bytes after each value
  double resolution = 0;
  std::uint64_t nodes = 0;
  std::size_t data = 0;  ///< the byte at which the tree begins
};

class HeaderReader {
 public:
  HeaderReader(std::string_view bytes, bool bits, const std::string& name)
      : bytes_(bytes), lines_(bytes), name_(name) {
    header_.bits = bits;
  }

  Header read() {
    // What OctoMap wrote before it had a header: an int 3, a double, an unsigned int.
    if (header_.bits && bytes_.size() >= 16 && cloud::load(bytes_, 4, false) == 3) {
      header_.resolution = std::bit_cast<double>(cloud::load(bytes_.substr(4), 8, false));
      header_.nodes = cloud::load(bytes_.substr(12), 4, false);
      header_.data = 16;
      check_resolution(0);
      return header_;
    }
    check_first_line();
    std::string_view line;
    while (lines_.next_filled(line)) {
      const std::string_view keyword = text::take_word(line);
      if (keyword.front() == '#') continue;
      if (keyword == "data") {
        if (!text::take_word(line).empty()) fail("words after 'data'");
        for (std::size_t i = 0; i < 3; ++i) {
          if (!seen_[i]) fail("the header has no entry '" + std::string(kKeywords[i]) + "'");
        }
        header_.data = bytes_.size() - lines_.rest().size();
        return header_;
      }
      read_entry(keyword, line);
    }
    fail("the header has no entry 'data'", "the file is cut short or is not of OctoMap");
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
    refuse(name_, lines_.number(), what, hint);
  }

  void check_first_line() {
    constexpr std::string_view kBits = "# Octomap OcTree binary file";
    constexpr std::string_view kValues = "# Octomap OcTree file";
    std::string_view line;
    lines_.next(line);
    while (!line.empty() && text::is_blank(line.back())) line.remove_suffix(1);
    if (line == (header_.bits ? kBits : kValues)) return;
    if (line == (header_.bits ? kValues : kBits)) {
      fail(header_.bits ? "holds a tree of values, not of bits"
                        : "holds a tree of bits, not of values",
           header_.bits ? "name it .ot" : "name it .bt");
    }
    fail("does not begin with '" + std::string(header_.bits ? kBits : kValues) + "'",
         "is it a file of OctoMap?");
  }

  void read_entry(std::string_view keyword, std::string_view rest) {
    const auto known = std::find(kKeywords.begin(), kKeywords.end(), keyword);
    if (known == kKeywords.end()) {
      fail(text::quoted(keyword) + " is no entry of an OctoMap header");
    }
    bool& seen = seen_[static_cast<std::size_t>(known - kKeywords.begin())];
    if (seen) fail("a second entry " + text::quoted(keyword));
    seen = true;
    const std::string_view word = text::take_word(rest);
    if (word.empty() || !text::take_word(rest).empty()) {
      fail(text::quoted(keyword) + " wants one word");
    }
    if (keyword == "id") {
      // 1 is what early versions wrote for OcTree.
      if (word != "OcTree" && word != "ColorOcTree" && word != "1") {
        fail("trees of the kind " + text::quoted(word) + " are not read",
             "OcTree and ColorOcTree are");
      }
      header_.colour = word == "ColorOcTree";
    } else if (keyword == "size") {
      const auto size = cloud::parse_count(word);
      if (!size) fail("size: " + text::quoted(word) + " is not a count of nodes");
      header_.nodes = *size;
    } else {
      const auto resolution = text::parse_number(word);
      if (!resolution) fail("res: " + text::quoted(word) + " is not a finite number");
      header_.resolution = *resolution;
      check_resolution(lines_.number());
    }
  }

  void check_resolution(int line) const {
    if (!(header_.resolution >= kSmallestResolution && header_.resolution <= kLargestResolution)) {
      refuse(name_, line, "the resolution is not from 1e-6 to 10 m", "are the units metres?");
    }
  }

  static constexpr std::array<std::string_view, 3> kKeywords = {"id", "size", "res"};

  std::string_view bytes_;
  cloud::Lines lines_;
  const std::string& name_;
  Header header_;
  std::array<bool, 3> seen_{};
};

/// Walks over the data: leaf(cell, occupied) and unknown(cell), every point of the root in one of
/// them. Sixteen levels are the deepest that it recurses.
template <typename Leaf, typename Unknown>
class Walk {
 public:
  Walk(std::string_view bytes, const Header& header, const std::string& name, Leaf leaf,
       Unknown unknown)
      : bytes_(bytes),
        header_(header),
        name_(name),
        at_(header.data),
        leaf_(std::move(leaf)),
        unknown_(std::move(unknown)) {}

  void run() {
    if (header_.nodes == 0) {
      refuse(name_, 0, "a map without any cell", "an empty map is no obstacle: leave it out");
    }
    count_node();
    header_.bits ? read_bits({}) : read_values({});
    if (at_ != bytes_.size()) {
      refuse(name_, 0,
             "the tree ends at byte " + std::to_string(at_) + ", the file at byte " +
                 std::to_string(bytes_.size()),
             "the file is damaged");
    }
    if (nodes_ != header_.nodes) {
      refuse(name_, 0,
             "the header announces " + std::to_string(header_.nodes) + " nodes, the tree has " +
                 std::to_string(nodes_),
             "the file is damaged");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what, std::size_t at) const {
    refuse(name_, 0, what + " at byte " + std::to_string(at), "the file is damaged");
  }

  /// Beyond the announced count nothing is taken: the file contradicts itself already.
  void count_node() {
    if (++nodes_ > header_.nodes) {
      fail("more than the " + std::to_string(header_.nodes) + " nodes of the header", at_);
    }
  }

  std::size_t take(std::size_t size) {
    if (size > bytes_.size() - at_) {
      fail("the file ends inside the tree, in the node", at_);
    }
    return std::exchange(at_, at_ + size);
  }

  /// Two bits a child, the first child lowest: 1 free, 2 occupied, 3 with children, 0 not there.
  void read_bits(const Cell& cell) {
    const std::size_t begin = take(2);
    const auto labels = static_cast<unsigned>(cloud::load(bytes_.substr(begin), 2, false));
    if (labels == 0) fail("an inner node without children", begin);
    for (int i = 0; i < 8; ++i) {
      const unsigned label = labels >> (2 * i) & 3U;
      const Cell child = cell.child(i);
      if (label == 0) {
        unknown_(child);
        continue;
      }
      count_node();
      if (label != 3) {
        leaf_(child, label == 2);
      } else if (child.size == 1) {
        fail("a node below the sixteenth level", begin);
      } else {
        read_bits(child);
      }
    }
  }

  /// The log-odds, perhaps a colour, and a bit a child.
  void read_values(const Cell& cell) {
    const std::size_t begin = take(4 + (header_.colour ? 3U : 0U) + 1);
    const auto bits = static_cast<std::uint32_t>(cloud::load(bytes_.substr(begin), 4, false));
    const auto log_odds = std::bit_cast<float>(bits);
    // Infinite ones are certain, and are compared as such.
    if (std::isnan(log_odds)) fail("an occupancy that is not a number", begin);
    const auto children = static_cast<unsigned char>(bytes_[at_ - 1]);
    if (children == 0) {
      leaf_(cell, log_odds >= 0);
      return;
    }
    if (cell.size == 1) fail("a node below the sixteenth level", begin);
    for (int i = 0; i < 8; ++i) {
      const Cell child = cell.child(i);
      if ((children >> i & 1) == 0) {
        unknown_(child);
        continue;
      }
      count_node();
      read_values(child);
    }
  }

  std::string_view bytes_;
  const Header& header_;
  const std::string& name_;
  std::size_t at_;
  std::uint64_t nodes_ = 0;
  Leaf leaf_;
  Unknown unknown_;
};

template <typename Leaf, typename Unknown>
void walk(std::string_view bytes, const Header& header, const std::string& name, Leaf leaf,
          Unknown unknown) {
  Walk<Leaf, Unknown>(bytes, header, name, leaf, unknown).run();
}

/// How many cells cut() finds. Of each size there are those that lie inside, less those that are
/// part of a larger one that does.
std::uint64_t count_cut(const Cell& cell, const Range& range) {
  std::uint64_t count = 0, larger = 0;
  for (std::int32_t size = cell.size; size >= 1; size /= 2) {
    std::uint64_t inside = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const std::int32_t low = std::max(cell.low[axis], range.low[axis]);
      const std::int32_t high = std::min(cell.low[axis] + cell.size, range.high[axis]);
      const std::int32_t first = (low + size - 1) / size, last = high / size;
      inside *= static_cast<std::uint64_t>(std::max(last - first, 0));
    }
    count += inside - 8 * larger;
    larger = inside;
  }
  return count;
}

/// f for the largest cells of the octree that together are `cell` within `range`.
template <typename F>
void cut(const Cell& cell, const Range& range, F&& f) {
  bool inside = true;
  for (int axis = 0; axis < 3; ++axis) {
    const std::int32_t low = cell.low[axis], high = low + cell.size;
    if (high <= range.low[axis] || low >= range.high[axis]) return;
    inside = inside && low >= range.low[axis] && high <= range.high[axis];
  }
  if (inside) {
    f(cell);
    return;
  }
  // A single voxel is either inside or outside, so this ends.
  for (int i = 0; i < 8; ++i) cut(cell.child(i), range, f);
}

Voxel voxel_of(const Cell& cell, double resolution) {
  // Half the sum of two integers is a double exactly; the product rounds once.
  const auto centre = [&](int axis) {
    return 0.5 * (2 * cell.low[axis] + cell.size - kRootSize) * resolution;
  };
  return {{centre(0), centre(1), centre(2)}, 0.5 * cell.size * resolution};
}

}  // namespace

VoxelMap parse_octomap(std::string_view bytes, const std::string& extension,
                       const std::string& name, bool with_unknown) {
  if (extension != "bt" && extension != "ot") {
    refuse(name, 0, "not a kind of voxel map that is read: " + text::quoted(extension),
           "OctoMap's .bt and .ot are");
  }
  if (bytes.size() > kMaxCloudBytes) refuse(name, 0, "too large for a voxel map");
  const Header header = HeaderReader(bytes, extension == "bt", name).read();

  // Everything is counted before memory is taken for it.
  Range known;
  std::size_t occupied_count = 0, free_count = 0;
  walk(
      bytes, header, name,
      [&](const Cell& cell, bool occupied) {
        known.include(cell);
        ++(occupied ? occupied_count : free_count);
        if (occupied_count + free_count > kMaxVoxels) {
          refuse(name, 0,
                 "more than the " + std::to_string(kMaxVoxels) + " voxels that are allowed",
                 "write the map pruned, or with a coarser resolution");
        }
      },
      [](const Cell&) {});
  VoxelMap map;
  map.resolution = header.resolution;
  map.occupied.reserve(occupied_count);
  map.free.reserve(free_count);
  walk(
      bytes, header, name,
      [&](const Cell& cell, bool occupied) {
        (occupied ? map.occupied : map.free).push_back(voxel_of(cell, header.resolution));
      },
      [](const Cell&) {});

  // Relative to a coordinate of a corner, the resolution and the product round once each. Those of
  // the unknown cells are within the same box.
  std::array<double, 3> far{};
  for (int axis = 0; axis < 3; ++axis) {
    far[axis] = header.resolution * (std::max(std::abs(known.low[axis] - kRootSize / 2),
                                              std::abs(known.high[axis] - kRootSize / 2)));
  }
  map.corner_error =
      rounding::inflate(3 * rounding::gamma(2) * rounding::norm_hi({far[0], far[1], far[2]}), 4);

  if (!with_unknown) return map;
  std::uint64_t count = 0;
  const auto ignore = [](const Cell&, bool) {};
  walk(bytes, header, name, ignore, [&](const Cell& cell) {
    count += count_cut(cell, known);
    if (count > kMaxVoxels) {
      refuse(name, 0,
             "the unknown space is more than the " + std::to_string(kMaxVoxels) +
                 " voxels that are allowed",
             "write the map with a coarser resolution, or cut it to the workspace");
    }
  });
  map.unknown.reserve(static_cast<std::size_t>(count));
  walk(bytes, header, name, ignore, [&](const Cell& cell) {
    cut(cell, known,
        [&](const Cell& part) { map.unknown.push_back(voxel_of(part, header.resolution)); });
  });
  return map;
}

VoxelMap read_octomap(const std::filesystem::path& file, bool with_unknown) try {
  std::string extension = file.extension().string();
  if (!extension.empty()) extension.erase(0, 1);
  for (char& c : extension) c = text::lower(c);
  const auto bytes = read_regular_file(file, kMaxCloudBytes);
  return parse_octomap({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, extension,
                       file.string(), with_unknown);
} catch (const std::bad_alloc&) {
  throw Error(Error::Kind::internal, file.string(), 0, "out of memory");
}

}  // namespace keepclear
