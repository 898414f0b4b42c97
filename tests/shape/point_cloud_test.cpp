// SPDX-License-Identifier: BSD-3-Clause
#include "shape/point_cloud.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <clocale>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <locale>
#include <map>
#include <random>
#include <type_traits>

#include "shape/lzf.hpp"
#include "shape/support.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::expect_refused;

const fs::path kCorpus = fs::path(KEEPCLEAR_CORPUS) / "cloud";
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<Vec3> points_of(const std::string& bytes, const std::string& extension) {
  return parse_point_cloud(bytes, extension, "x").points;
}

/// The bytes of `value`, lowest first unless told.
template <typename T>
std::string packed(T value, bool big_endian = false) {
  std::string bytes(sizeof(T), '\0');
  std::uint64_t bits = 0;
  if constexpr (std::is_same_v<T, float>) {
    bits = std::bit_cast<std::uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    bits = std::bit_cast<std::uint64_t>(value);
  } else {
    bits = static_cast<std::make_unsigned_t<T>>(value);
  }
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes[big_endian ? sizeof(T) - 1 - i : i] = static_cast<char>(bits >> (8 * i) & 0xFF);
  }
  return bytes;
}

std::string pcd_header(const std::string& fields, std::size_t points, const std::string& data) {
  const std::string count = std::to_string(points);
  return "# .PCD v0.7\nVERSION 0.7\n" + fields + "WIDTH " + count + "\nHEIGHT 1\nPOINTS " + count +
         "\nDATA " + data + "\n";
}

const std::string kPlainFields = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n";
const std::string kPlyHead = "ply\nformat ascii 1.0\nelement vertex 2\n";
const std::string kPlyFloats = "property float x\nproperty float y\nproperty float z\nend_header\n";

/// LZF by looking for the longest repetition at every place.
std::string compressed(const std::string& plain) {
  std::string out, literals;
  const auto flush = [&] {
    if (literals.empty()) return;
    out.push_back(static_cast<char>(literals.size() - 1));
    out += literals;
    literals.clear();
  };
  for (std::size_t at = 0; at < plain.size();) {
    std::size_t best = 0, best_back = 0;
    for (std::size_t back = 1; back <= std::min<std::size_t>(at, 8192); ++back) {
      std::size_t length = 0;
      while (length < 264 && at + length < plain.size() &&
             plain[at + length] == plain[at + length - back]) {
        ++length;
      }
      if (length > best) best = length, best_back = back;
    }
    if (best < 3) {
      literals.push_back(plain[at++]);
      if (literals.size() == 32) flush();
      continue;
    }
    flush();
    const std::size_t length = best - 2, back = best_back - 1;
    out.push_back(static_cast<char>(std::min<std::size_t>(length, 7) << 5 | back >> 8));
    if (length >= 7) out.push_back(static_cast<char>(length - 7));
    out.push_back(static_cast<char>(back & 0xFF));
    at += best;
  }
  flush();
  return out;
}

std::string compressed_body(const std::string& plain) {
  const std::string body = compressed(plain);
  return packed(static_cast<std::uint32_t>(body.size())) +
         packed(static_cast<std::uint32_t>(plain.size())) + body;
}

TEST(CloudCorpus, EveryGoodFileGivesTheSamePoints) {
  const std::vector<Vec3> expected = {{1, 2, 3}, {-40, 50, -6}, {7, 0, 9}};
  int count = 0;
  for (const auto& entry : fs::directory_iterator(kCorpus / "ok")) {
    SCOPED_TRACE(entry.path().string());
    const PointCloud cloud = read_point_cloud(entry.path());
    EXPECT_EQ(cloud.points, expected);
    const std::string name = entry.path().filename().string();
    const bool with_nan = name.find("nan") != std::string::npos || name == "upper.TXT";
    EXPECT_EQ(cloud.invalid, with_nan ? 1U : 0U);
    ++count;
  }
  EXPECT_GE(count, 25);
}

TEST(CloudCorpus, EveryBadFileIsRefusedForItsReason) {
  const std::map<std::string, std::string> reasons = {
      {"archive.pcd.gz", "not a kind of point cloud"},
      {"csv_after_quote.csv", ":2: text after the closing quote"},
      {"csv_commented_header.csv", ":1: the header has no column 'x'"},
      {"csv_empty_field.csv", ":2: '' is not a number"},
      {"csv_infinity.csv", ":3: point 2: z is infinite"},
      {"csv_no_z.csv", ":1: the header has no column 'z'"},
      {"csv_only_header.csv", ": no points"},
      {"csv_open_quote.csv", ":2: a quote that does not end"},
      {"csv_ragged.csv", ":3: 4 fields, the first line has 3"},
      {"csv_semicolons.csv", ":1: the header has no column 'x'"},
      {"csv_two_columns.csv", ":1: a line of 2 numbers"},
      {"csv_two_x.csv", ":1: the header has two columns 'x'"},
      {"csv_word.csv", ":2: 'a' is not a number"},
      {"empty.ply", ":1: does not begin with a line 'ply'"},
      {"pcd_count_larger_than_file.pcd", ":10: the header announces 4 points, the file has room"},
      {"pcd_count_larger_than_text.pcd", ":10: the header announces 4 points, the file has room"},
      {"pcd_count_overflow.pcd", ":7: 'WIDTH': '4294967296' is no count"},
      {"pcd_count_zero.pcd", ":6: COUNT is zero"},
      {"pcd_data.pcd", ":11: unknown DATA 'binary_zip'"},
      {"pcd_field_count_huge.pcd", "points of more bytes than any file has"},
      {"pcd_half_float.pcd", "TYPE F has SIZE 4 or 8"},
      {"pcd_infinity.pcd", ": point 2: y is infinite"},
      {"pcd_keyword.pcd", ":7: 'BREADTH' is no entry"},
      {"pcd_line_too_long.pcd", ":13: point 2: too many numbers"},
      {"pcd_line_too_short.pcd", ":13: point 2: too few numbers"},
      {"pcd_no_data.pcd", "no entry 'DATA'"},
      {"pcd_no_points.pcd", ": no points"},
      {"pcd_no_width.pcd", "no entry 'WIDTH'"},
      {"pcd_no_y.pcd", "no field 'y'"},
      {"pcd_packed_before_begin.pcd", "do not expand"},
      {"pcd_packed_bomb.pcd", "do not expand"},
      {"pcd_packed_cut.pcd", "38 bytes of compressed data are announced, 37 are there"},
      {"pcd_packed_ends_in_literal.pcd", "do not expand"},
      {"pcd_packed_ends_in_reference.pcd", "do not expand"},
      {"pcd_packed_long.pcd", "do not expand"},
      {"pcd_packed_no_sizes.pcd", "ends before its compressed data"},
      {"pcd_packed_short.pcd", "do not expand"},
      {"pcd_packed_wrong_size.pcd", "the data expand to 37 bytes, 3 points of 12 bytes need 36"},
      {"pcd_points_mismatch.pcd", "WIDTH * HEIGHT is 2, POINTS is 3"},
      {"pcd_size_short.pcd", ":4: SIZE has 2 words for 3 fields"},
      {"pcd_size_three.pcd", ":4: SIZE is 1, 2, 4 or 8"},
      {"pcd_too_many_points.pcd", ":10: 10000001 points, the most allowed are 10000000"},
      {"pcd_trailing.pcd", "2 bytes after the 3 points"},
      {"pcd_trailing_line.pcd", ":15: more data than the 3 points"},
      {"pcd_two_width.pcd", ":8: a second entry 'WIDTH'"},
      {"pcd_two_x.pcd", "two fields 'x'"},
      {"pcd_type.pcd", ":5: TYPE is I, U or F"},
      {"pcd_version.pcd", ":2: VERSION '0.8' is not known"},
      {"pcd_viewpoint.pcd", ":9: VIEWPOINT is not seven numbers"},
      {"pcd_viewpoint_moved.pcd", ":9: VIEWPOINT is not the identity"},
      {"pcd_viewpoint_turned.pcd", ":9: VIEWPOINT is not the identity"},
      {"pcd_word.pcd", ":13: point 2: '5o' is not a number"},
      {"pcd_x_count_two.pcd", "'x' is not one float"},
      {"pcd_x_integer.pcd", "'x' is not one float"},
      {"pcd_zeros_after.pcd", " bytes after the 3 points"},
      {"ply_all_nan.ply", "no valid point, all 3 have a nan"},
      {"ply_comma.ply", ":11: 'vertex' 3 of 3: '7,5' is not a number"},
      {"ply_count_huge.ply",
       ":3: the header announces 9999999 of 'vertex', the file has room for 3"},
      {"ply_count_larger_than_file.ply", ":4: the header announces 4 of 'vertex'"},
      {"ply_count_negative.ply", ":4: '-3' is not the count"},
      {"ply_count_overflow.ply", ":3: '18446744073709551616' is not the count"},
      {"ply_cut.ply", "the file ends inside 'face' 2 of 3"},
      {"ply_element_without_properties.ply", ":3: the element 'nothing' has no properties"},
      {"ply_face_count_huge.ply", ":7: the header announces 18446744073709551615 of 'face'"},
      {"ply_far.ply", ":11: point 3 is more than 1e6 m"},
      {"ply_format.ply", ":2: unknown format 'text'"},
      {"ply_infinity.ply", ":11: point 3: y is infinite"},
      {"ply_infinity_binary.ply", ": point 3: z is infinite"},
      {"ply_integer_with_fraction.ply", ":9: 'vertex' 1 of 3: z is not of the integer type"},
      {"ply_keyword.ply", ":3: 'remark' is no keyword"},
      {"ply_line_too_long.ply", ":9: '4' is more than the header declares"},
      {"ply_line_too_short.ply", ":9: too few numbers"},
      {"ply_list_as_x.ply", ":3: the vertices have no scalar property 'x'"},
      {"ply_list_length_float.ply", ":4: 'float' is no type for the length"},
      {"ply_list_length_huge.ply", "the file ends inside 'face' 1 of 1"},
      {"ply_list_length_negative.ply", "a list of negative length"},
      {"ply_magic.ply", ":1: does not begin with a line 'ply'"},
      {"ply_no_end.ply", "the header has no end"},
      {"ply_no_format.ply", "no line 'format'"},
      {"ply_no_points.ply", ": no points"},
      {"ply_no_vertex.ply", "no element 'vertex'"},
      {"ply_no_z.ply", ":4: the vertices have no scalar property 'z'"},
      {"ply_property_first.ply", ":3: a property before any element"},
      {"ply_too_many_points.ply", ":3: 10000001 points, the most allowed are 10000000"},
      {"ply_trailing.ply", "1 of 37 bytes of data are more"},
      {"ply_trailing_line.ply", ":12: more data than the header announces"},
      {"ply_two_vertex.ply", ":8: a second element 'vertex'"},
      {"ply_two_x.ply", ":8: a second property 'x'"},
      {"ply_type.ply", ":7: 'int64' is no type"},
      {"ply_version.ply", ":2: the format is not version 1.0"},
      {"xyz_commas.xyz", "name the file .csv"},
      {"xyz_count_first.xyz", ":1: a line of 1 numbers"},
      {"xyz_decimal_comma.xyz", ":1: '1,5' is not a number"},
      {"xyz_empty.xyz", ": no points"},
      {"xyz_far.txt", ":1: point 1 is more than 1e6 m"},
      {"xyz_hexadecimal.xyz", ":1: '0x3' is not a number"},
      {"xyz_infinity.xyz", ":3: point 3: y is infinite"},
      {"xyz_only_comments.xyz", ": no points"},
      {"xyz_overflow.xyz", ":1: '1e999' is not a number"},
      {"xyz_ragged.xyz", ":2: 3 numbers, the lines before have 4"},
      {"xyz_two_columns.xyz", ":1: a line of 2 numbers"},
      {"xyz_word.xyz", ":2: 'C' is not a number"},
      {"xyz_zero_byte.xyz", ":2: '?2' is not a number"},
  };
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(kCorpus / "reject")) {
    SCOPED_TRACE(entry.path().string());
    const Error error = error_of([&] { read_point_cloud(entry.path()); });
    EXPECT_EQ(error.kind(), Error::Kind::malformed) << error.what();
    EXPECT_EQ(std::string(error.what()).rfind(entry.path().string() + ":", 0), 0U) << error.what();
    const auto reason = reasons.find(entry.path().filename().string());
    ASSERT_NE(reason, reasons.end()) << "no reason is listed";
    EXPECT_NE(std::string(error.what()).find(reason->second), std::string::npos) << error.what();
    ++count;
  }
  EXPECT_EQ(count, reasons.size());
}

TEST(PointCloudFile, IsMissingOrNoFileAtAll) {
  EXPECT_EQ(error_of([] { read_point_cloud(kCorpus / "none.ply"); }).kind(), Error::Kind::missing);
  EXPECT_EQ(error_of([] { read_point_cloud(kCorpus); }).kind(), Error::Kind::missing);
}

TEST(PointCloudFile, DecimalsAreTheNearestDoublesWithABound) {
  for (const char* extension : {"xyz", "csv"}) {
    const char separator = extension == std::string("csv") ? ',' : ' ';
    const std::string line = std::string("0.1") + separator + "-1e-3" + separator + "123456.789\n";
    const PointCloud cloud = parse_point_cloud(line, extension, "x");
    EXPECT_EQ(cloud.points, (std::vector<Vec3>{{0.1, -1e-3, 123456.789}}));
    EXPECT_GE(cloud.point_error, 123456.789 * 0x1p-53);
    EXPECT_LT(cloud.point_error, 1e-10);
  }
  const std::string binary =
      pcd_header(kPlainFields, 1, "binary") + packed(0.1F) + packed(2.5F) + packed(-1e5F);
  EXPECT_EQ(parse_point_cloud(binary, "pcd", "x").point_error, 0);
  EXPECT_EQ(points_of(binary, "pcd"), (std::vector<Vec3>{{0.1F, 2.5, -1e5}}));
}

/// Streams of C++ read 1,5 where this is in force.
struct DecimalComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(PointCloudFile, ReadsTheSameInALocaleWithDecimalCommas) {
  const std::string c_before = std::setlocale(LC_ALL, nullptr);
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
  // C has it only where it is installed.
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  }
  const std::vector<Vec3> expected = {{0.5, 1.25, -2.5}};
  EXPECT_EQ(points_of("0.5 1.25 -2.5\n", "xyz"), expected);
  EXPECT_EQ(points_of("0.5,1.25,-2.5\n", "csv"), expected);
  EXPECT_EQ(points_of(pcd_header(kPlainFields, 1, "ascii") + "0.5 1.25 -2.5", "pcd"), expected);
  expect_refused([] { points_of("0,5 1,25 -2,5\n", "xyz"); }, "is not a number", 1);
  std::locale::global(before);
  std::setlocale(LC_ALL, c_before.c_str());
}

TEST(PointCloudFile, ALimitOfEachCoordinateIsAllowedAndNothingBeyond) {
  EXPECT_EQ(points_of("1e6 -1e6 1000000\n", "xyz").size(), 1U);
  for (const char* line : {"1000000.1 0 0\n", "0 -1000000.1 0\n", "0 0 1e300\n"}) {
    expect_refused([&] { points_of(line, "xyz"); }, "point 1 is more than 1e6 m", 1);
  }
}

TEST(PointCloudFile, CountsPointsWithANanAnywhereAndKeepsTheOthers) {
  const PointCloud cloud =
      parse_point_cloud("nan 0 0\n1 2 3\n0 NaN 0\n0 0 -nan\n4 5 6\n", "xyz", "x");
  EXPECT_EQ(cloud.invalid, 3U);
  EXPECT_EQ(cloud.points, (std::vector<Vec3>{{1, 2, 3}, {4, 5, 6}}));
}

TEST(PointCloudFile, RefusesAnInfinityBesideANanWithItsIndex) {
  expect_refused([] { points_of("1 2 3\nnan 0 0\nnan inf 0\n", "xyz"); }, "point 3: y is infinite",
                 3);
}

TEST(PointCloudFile, RefusesAnUnknownExtension) {
  expect_refused([] { points_of("1 2 3\n", "las"); }, "not a kind of point cloud", 0);
}

TEST(PlyReader, TakesEveryScalarTypeInBothByteOrders) {
  for (const bool big : {false, true}) {
    const auto read = [&](const std::string& type, const std::string& x) {
      const std::string head = std::string("ply\nformat binary_") + (big ? "big" : "little") +
                               "_endian 1.0\nelement vertex 1\nproperty " + type +
                               " x\nproperty double y\nproperty float32 z\nend_header\n";
      return points_of(head + x + packed(0.1, big) + packed(-0.1F, big), "ply")[0];
    };
    const auto expected = [](double x) { return Vec3{x, 0.1, -0.1F}; };
    for (const char* type : {"char", "int8"}) {
      EXPECT_EQ(read(type, packed(std::int8_t{-100}, big)), expected(-100));
    }
    for (const char* type : {"uchar", "uint8"}) {
      EXPECT_EQ(read(type, packed(std::uint8_t{200}, big)), expected(200));
    }
    for (const char* type : {"short", "int16"}) {
      EXPECT_EQ(read(type, packed(std::int16_t{-30000}, big)), expected(-30000));
    }
    for (const char* type : {"ushort", "uint16"}) {
      EXPECT_EQ(read(type, packed(std::uint16_t{60000}, big)), expected(60000));
    }
    for (const char* type : {"int", "int32"}) {
      EXPECT_EQ(read(type, packed(std::int32_t{-123456}, big)), expected(-123456));
    }
    for (const char* type : {"uint", "uint32"}) {
      EXPECT_EQ(read(type, packed(std::uint32_t{654321}, big)), expected(654321));
    }
    for (const char* type : {"float", "float32"}) {
      EXPECT_EQ(read(type, packed(1.7F, big)), expected(1.7F));
    }
    for (const char* type : {"double", "float64"}) {
      EXPECT_EQ(read(type, packed(1.7, big)), expected(1.7));
    }
  }
}

TEST(PlyReader, HoldsIntegersOfATextToTheirType) {
  const std::string head =
      kPlyHead + "property uchar x\nproperty char y\nproperty int z\nend_header\n";
  EXPECT_EQ(points_of(head + "255 -128 7\n0 127 -7", "ply"),
            (std::vector<Vec3>{{255, -128, 7}, {0, 127, -7}}));
  for (const char* bad : {"256 0 0", "-1 0 0", "0 128 0", "0 -129 0", "0 0 .5", "nan 0 0"}) {
    expect_refused([&] { points_of(head + "0 0 0\n" + bad + "\n", "ply"); }, "integer type", 9);
  }
}

TEST(PlyReader, RefusesEveryCutOfABinaryFile) {
  const std::string head =
      "ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list uchar short i\n"
      "element vertex 2\n" +
      kPlyFloats;
  std::string body = packed(std::uint8_t{2}) + packed(std::int16_t{1}) + packed(std::int16_t{2});
  for (int i = 0; i < 6; ++i) body += packed(static_cast<float>(i));
  EXPECT_EQ(points_of(head + body, "ply"), (std::vector<Vec3>{{0, 1, 2}, {3, 4, 5}}));
  for (std::size_t size = 0; size < head.size() + body.size(); ++size) {
    EXPECT_THROW(points_of((head + body).substr(0, size), "ply"), Error) << size;
  }
}

TEST(PlyReader, RefusesAListInATextThatItsLineDoesNotHold) {
  const std::string head =
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty list uint int i\n" + kPlyFloats;
  EXPECT_EQ(points_of(head + "2 8 9 1 2 3", "ply"), (std::vector<Vec3>{{1, 2, 3}}));
  expect_refused([&] { points_of(head + "4000000000 8 9 1 2 3", "ply"); }, "too few numbers", 9);
  expect_refused([&] { points_of(head + "-1 8 9 1 2 3", "ply"); }, "no possible length", 9);
  expect_refused([&] { points_of(head + "1.5 8 9 1 2 3", "ply"); }, "no possible length", 9);
  expect_refused([&] { points_of(head + "nan 8 9 1 2 3", "ply"); }, "no possible length", 9);
}

TEST(PcdReader, FindsTheFieldsBesideOthersInEveryForm) {
  const std::string fields =
      "FIELDS rgb z normal y _ x\nSIZE 4 8 4 4 1 8\nTYPE U F F F U F\nCOUNT 1 1 3 1 5 1\n";
  const std::vector<Vec3> expected = {{0.1, 0.5F, 3.25}, {-0.2, 1.5F, -7}, {1e5, 2.5F, 0.3}};
  std::string text, rows, rgb, z, normal, y, x;
  for (const Vec3& p : expected) {
    char line[200];
    std::snprintf(line, sizeof line, "7 %.17g nan inf 3 %.9g 1 2 3 4 5 %.17g\n", p.z, p.y, p.x);
    text += line;
    const std::string n = packed(1.0F) + packed(2.0F) + packed(3.0F);
    rows += packed(7U) + packed(p.z) + n + packed(static_cast<float>(p.y)) + "_____" + packed(p.x);
    rgb += packed(7U);
    z += packed(p.z);
    normal += n;
    y += packed(static_cast<float>(p.y));
    x += packed(p.x);
  }
  EXPECT_EQ(points_of(pcd_header(fields, 3, "ascii") + text, "pcd"), expected);
  EXPECT_EQ(points_of(pcd_header(fields, 3, "binary") + rows, "pcd"), expected);
  const std::string columns = rgb + z + normal + y + x;
  EXPECT_EQ(points_of(pcd_header(fields, 3, "binary_compressed") + compressed_body(columns), "pcd"),
            expected);
}

TEST(PcdReader, ReadsALargeCompressedCloudAsTheBinaryOne) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<int> step(-2, 2);
  std::string rows, x, y, z;
  std::vector<Vec3> expected;
  for (int i = 0; i < 3000; ++i) {
    const auto a = static_cast<float>(step(random)), b = 0.25F * static_cast<float>(step(random));
    const bool lost = i % 7 == 0;
    const auto c = lost ? static_cast<float>(kNan) : 1.5F;
    rows += packed(a) + packed(b) + packed(c);
    x += packed(a);
    y += packed(b);
    z += packed(c);
    if (!lost) expected.push_back({a, b, c});
  }
  const PointCloud plain =
      parse_point_cloud(pcd_header(kPlainFields, 3000, "binary") + rows, "pcd", "x");
  const std::string body = compressed_body(x + y + z);
  EXPECT_LT(body.size(), rows.size() / 2);
  const std::string file = pcd_header(kPlainFields, 3000, "binary_compressed") + body;
  const PointCloud small = parse_point_cloud(file, "pcd", "x");
  EXPECT_EQ(plain.points, expected);
  EXPECT_EQ(small.points, expected);
  EXPECT_EQ(plain.invalid, 429U);
  EXPECT_EQ(small.invalid, 429U);
  for (std::size_t cut = 1; cut < 200; ++cut) {
    EXPECT_THROW(points_of(file.substr(0, file.size() - cut), "pcd"), Error) << cut;
  }
}

TEST(PcdReader, RefusesAnInfinityWithItsIndexInEveryForm) {
  const auto infinite = static_cast<float>(kInf);
  const std::string a = packed(1.0F), b = packed(infinite);
  expect_refused(
      [&] { points_of(pcd_header(kPlainFields, 2, "binary") + a + a + a + a + b + a, "pcd"); },
      "point 2: y is infinite", 0);
  const std::string body = compressed_body(a + a + a + b + a + a);
  expect_refused([&] { points_of(pcd_header(kPlainFields, 2, "binary_compressed") + body, "pcd"); },
                 "point 2: y is infinite", 0);
  expect_refused(
      [&] { points_of(pcd_header(kPlainFields, 2, "ascii") + "1 1 1\n1 -inf 1\n", "pcd"); },
      "point 2: y is infinite", 12);
}

TEST(PcdReader, RefusesEntriesInAnOrderThatMakesNoSense) {
  expect_refused(
      [] {
        points_of(pcd_header("SIZE 4 4 4\nTYPE F F F\nFIELDS x y z\n", 1, "ascii") + "1 2 3",
                  "pcd");
      },
      "SIZE has 3 words for 0 fields", 3);
}

TEST(Lzf, ExpandsWhatACompressorWrites) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 60; ++round) {
    std::uniform_int_distribution<int> letter('a', round % 3 == 0   ? 'a'
                                                   : round % 3 == 1 ? 'c'
                                                                    : 'z');
    std::string plain(static_cast<std::size_t>(1 + 37 * round), '\0');
    for (char& c : plain) c = static_cast<char>(letter(random));
    const std::string body = compressed(plain);
    EXPECT_LE(plain.size(), kMaxLzfRatio * body.size());
    std::string out(plain.size(), '?');
    EXPECT_TRUE(expand_lzf(body, out));
    EXPECT_EQ(out, plain);
    std::string longer(plain.size() + 1, '?'), shorter(plain.size() - 1, '?');
    EXPECT_FALSE(expand_lzf(body, longer));
    EXPECT_FALSE(expand_lzf(body, shorter));
  }
}

TEST(Lzf, TakesAnyBytesWithoutLeavingItsBuffers) {
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int> byte(0, 255);
  for (int round = 0; round < 20000; ++round) {
    // Exact allocations, so that a sanitizer sees a step outside.
    std::vector<char> in(static_cast<std::size_t>(byte(random) % 24));
    for (char& c : in) c = static_cast<char>(byte(random) >> (round % 3 * 2));
    std::vector<char> out(static_cast<std::size_t>(byte(random)));
    expand_lzf({in.data(), in.size()}, out);
  }
}

TEST(CsvReader, AHeaderDecidesTheOrderAndNumbersHaveNone) {
  EXPECT_EQ(points_of("z,y,x\n1,2,3\n", "csv"), (std::vector<Vec3>{{3, 2, 1}}));
  EXPECT_EQ(points_of("1,2,3,4\n", "csv"), (std::vector<Vec3>{{1, 2, 3}}));
  EXPECT_EQ(points_of("\r\n\"X\",Y,\"Z\",note\r\n 1 ,\t2,\"3\",\r\n", "csv"),
            (std::vector<Vec3>{{1, 2, 3}}));
  expect_refused([] { points_of("1,2,three\n", "csv"); }, "no column 'x'", 1);
}

TEST(XyzReader, TakesBlanksOfEveryKind) {
  EXPECT_EQ(points_of("\t1  2\t3 \r\n\r\n#\n+4 5. .6", "xyz"),
            (std::vector<Vec3>{{1, 2, 3}, {4, 5, 0.6}}));
}

}  // namespace
}  // namespace keepclear
