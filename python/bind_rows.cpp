// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear._keepclear._rows: rows of batches, read, answered and written by the code of the
// command. keepclear/batch.py is what users see of it.
#include "bind.hpp"
#include "certify_lines.hpp"
#include "csv.hpp"
#include "poses.hpp"
#include "rows.hpp"

namespace keepclear::python {
namespace {

namespace kc = keepclear::command;

/// (index, line number, text), or None in place of a text that is too long.
py::list lines_of(kc::PathLines& reader, std::size_t count, std::size_t bytes) {
  std::vector<kc::PathLine> lines;
  without_gil([&] { reader.read(count, bytes, lines); });
  py::list result(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const kc::PathLine& line = lines[i];
    const py::object text = line.too_long ? py::object(py::none()) : py::bytes(line.text);
    result[i] = py::make_tuple(line.index, line.line, text);
  }
  return result;
}

std::vector<kc::PathLine> lines_from(const py::list& list) {
  std::vector<kc::PathLine> lines(list.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto [index, line, text] =
        list[i].cast<std::tuple<std::size_t, std::size_t, std::optional<py::bytes>>>();
    lines[i] = {index, line, text ? std::string(*text) : std::string(), !text};
  }
  return lines;
}

/// What is asked, from words as the command line has them.
class Certifier {
 public:
  Certifier(const LoadedWorld& world, const kc::CertifyWords& words,
            const kc::MotionOptions& motions, int threads)
      : query_(kc::certify_options(words)) {
    query_.base = kc::base_of(world, words.base);
    asked_ = kc::asked_text(query_, kc::rest_of(world, motions), motions);
    without_gil([&] { certify_.emplace(world, query_, motions, threads); });
  }

  const std::string& asked() const { return asked_; }

  py::bytes rows(const std::string& file, const py::list& list) {
    const std::vector<kc::PathLine> lines = lines_from(list);
    std::string rows;
    without_gil([&] {
      const std::lock_guard lock(asking_);
      (*certify_)(file, lines, [&](const std::string& row) { rows += row; });
    });
    return rows;
  }

 private:
  CertifyOptions query_;
  std::string asked_;
  std::optional<kc::LineCertifier> certify_;
  std::mutex asking_;
};

std::unique_ptr<Certifier> make_certifier(const LoadedWorld& world, const py::dict& given,
                                          int threads) {
  kc::CertifyWords words;
  kc::MotionOptions motions;
  const std::map<std::string, std::string*> texts = {
      {"method", &words.method},       {"ask", &words.ask},
      {"margin", &words.margin},       {"deviation", &words.deviation},
      {"tolerance", &words.tolerance}, {"accuracy", &words.accuracy}};
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    // A blank text is no way to leave an option out.
    if (py::isinstance<py::str>(value) && value.attr("strip")().cast<std::string>().empty()) {
      usage(name + " is blank: '" + value.cast<std::string>() + "'",
            "leave it out, or give a value");
    }
    if (const auto found = texts.find(name); found != texts.end()) {
      *found->second = value.cast<std::string>();
    } else if (name == "budget") {
      words.budget = value.cast<std::size_t>();
    } else if (name == "base") {
      words.base = value.cast<std::vector<std::string>>();
    } else if (name == "rest") {
      motions.rest = value.cast<std::string>();
    } else if (name == "tube") {
      motions.tube = value.cast<std::string>();
    } else {
      usage("there is no option '" + name + "'");
    }
  }
  return std::make_unique<Certifier>(world, words, motions, threads);
}

std::size_t rows_each(const LoadedWorld& world, bool all_pairs) {
  return all_pairs ? world.pairs().size() : 1;
}

py::bytes check_rows(const LoadedWorld& world, std::size_t first, const py::object& poses,
                     double margin, int threads) {
  const Doubles q(poses, "poses", 2, 2);
  std::string rows;
  without_gil([&] {
    std::vector<CheckResult> results(q.shape(0));
    BatchOptions options;
    options.threads = threads;
    check_batch(world, q.span(), results, margin, options);
    kc::JsonPairs pairs(world);
    for (std::size_t i = 0; i < results.size(); ++i) {
      rows += kc::check_row(pairs, first + i, results[i]);
    }
  });
  return rows;
}

py::bytes distance_rows(const LoadedWorld& world, std::size_t first, const py::object& poses,
                        bool is_signed, bool all_pairs, int threads) {
  const Doubles q(poses, "poses", 2, 2);
  const std::size_t each = rows_each(world, all_pairs);
  std::string rows;
  without_gil([&] {
    std::vector<Nearest> results(q.shape(0) * each);
    BatchOptions options;
    options.distance.signed_distance = is_signed;
    options.threads = threads;
    all_pairs ? all_pairs_batch(world, q.span(), results, options)
              : distance_batch(world, q.span(), results, options);
    kc::JsonPairs pairs(world);
    for (std::size_t i = 0; i < results.size(); ++i) {
      rows += kc::distance_row(pairs, first + i / each, results[i]);
    }
  });
  return rows;
}

py::array_t<double> poses_from(kc::PoseReader& reader, std::size_t count, std::size_t dof) {
  std::vector<double> poses;
  std::size_t rows = 0;
  without_gil([&] { rows = reader.read(count, poses); });
  py::array_t<double> array({rows, dof});
  std::copy(poses.begin(), poses.end(), array.mutable_data());
  return array;
}

/// The reader, and how many numbers a pose has.
struct Poses {
  kc::PoseReader reader;
  std::size_t dof;
};

void write_rows(kc::RowsFile& file, const py::bytes& rows) {
  const std::string_view text = rows;
  without_gil([&] {
    file.output().write(text);
    file.output().flush();
  });
}

}  // namespace

void bind_rows(py::module_& module) {
  py::module_ m = module.def_submodule("_rows");
  py::class_<kc::PathLines>(m, "PathLines")
      .def(py::init<const std::string&>())
      .def("read", &lines_of, "count"_a, "bytes"_a)
      .def("skip", &kc::PathLines::skip, "paths"_a)
      .def_property_readonly("name", &kc::PathLines::name)
      .def_property_readonly("fraction", &kc::PathLines::fraction);
  m.def("look_through", [](const std::string& file) {
    kc::PathLines::Contents contents;
    without_gil([&] { contents = kc::PathLines::look_through(file); });
    return py::make_tuple(contents.paths, contents.sha256);
  });

  py::class_<Certifier>(m, "Certifier")
      .def(py::init(&make_certifier), "world"_a, "words"_a, "threads"_a)
      .def_property_readonly("asked", &Certifier::asked)
      .def("rows", &Certifier::rows, "file"_a, "lines"_a);
  m.def("error_row", [](const std::string& head, const std::string& error) {
    return py::bytes(kc::error_row(head, error));
  });

  py::class_<Poses>(m, "Poses")
      .def(py::init([](const LoadedWorld& world, const std::string& file) {
             return Poses{kc::PoseReader(file, world.variables()), world.dof()};
           }),
           "world"_a, "file"_a)
      .def("read", [](Poses& poses,
                      std::size_t count) { return poses_from(poses.reader, count, poses.dof); })
      .def("skip", [](Poses& poses, std::size_t count) { return poses.reader.skip(count); })
      .def_property_readonly("fraction",
                             [](const Poses& poses) { return poses.reader.fraction(); });
  m.def("rows_each", &rows_each, "world"_a, "all_pairs"_a);
  m.def(
      "pose_block",
      [](const LoadedWorld& world, bool all_pairs) {
        const std::size_t bytes = rows_each(world, all_pairs) * sizeof(Nearest);
        return py::make_tuple(kc::pose_block(world, bytes), kc::pose_unit(world, bytes));
      },
      "world"_a, "all_pairs"_a);
  m.def("check_rows", &check_rows, "world"_a, "first"_a, "poses"_a, "margin"_a, "threads"_a);
  m.def("distance_rows", &distance_rows, "world"_a, "first"_a, "poses"_a, "signed"_a, "all_pairs"_a,
        "threads"_a);
  m.def("check_asked", &kc::check_asked, "margin"_a);
  m.def("distance_asked", &kc::distance_asked, "signed"_a, "all_pairs"_a);

  py::class_<kc::RowsFile>(m, "RowsFile")
      .def(py::init([](const std::string& file, bool resume, const std::string& command,
                       const std::string& world, const std::string& asked, const std::string& input,
                       const std::string& head, std::size_t each, std::size_t unit,
                       std::size_t count) {
             const auto head_of = [&](std::size_t row) {
               return "{\"" + head + "\":" + std::to_string(row / each) + ",";
             };
             std::unique_ptr<kc::RowsFile> made;
             without_gil([&] {
               made = std::make_unique<kc::RowsFile>(
                   file, resume, kc::RowsOf{command, world, asked, input, "1/1"},
                   kc::RowOrder{head_of, each, unit, count});
             });
             return made;
           }),
           "file"_a, "resume"_a, "command"_a, "world"_a, "asked"_a, "input"_a, "head"_a, "each"_a,
           "unit"_a, "count"_a)
      .def_property_readonly("kept", &kc::RowsFile::kept)
      .def_property_readonly("tally",
                             [](const kc::RowsFile& file) {
                               const kc::RowTally& tally = file.tally();
                               return py::make_tuple(tally.free, tally.contact, tally.undecided,
                                                     tally.errors);
                             })
      .def("write", &write_rows, "rows"_a)
      .def("finish", [](kc::RowsFile& file) { without_gil([&] { file.finish(); }); })
      .def("close", &kc::RowsFile::close);
}

}  // namespace keepclear::python
