// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "docstrings.hpp"
#include "scene/batch.hpp"

namespace keepclear::python {

/// Queries for single poses: made once, forgotten what they knew before each. So an answer is that
/// of distance(), and costs no more than the search.
class QueryPool {
 public:
  using Query = std::unique_ptr<DistanceQuery>;

  Query take(const World& world, const DistanceOptions& options) {
    {
      const std::lock_guard lock(mutex_);
      for (std::size_t i = 0; i < idle_.size(); ++i) {
        if (idle_[i].first.tolerance != options.tolerance ||
            idle_[i].first.signed_distance != options.signed_distance) {
          continue;
        }
        Query query = std::move(idle_[i].second);
        idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
        query->reset();
        return query;
      }
    }
    return std::make_unique<DistanceQuery>(world, options);
  }
  void give(const DistanceOptions& options, Query query) {
    constexpr std::size_t kMostIdle = 8;
    const std::lock_guard lock(mutex_);
    if (idle_.size() >= kMostIdle) idle_.erase(idle_.begin());
    idle_.emplace_back(options, std::move(query));
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<DistanceOptions, Query>> idle_;
};

LoadedWorld::LoadedWorld(World world, std::string from, bool is_builtin, LoadOptions options)
    : World(std::move(world)),
      source(std::move(from)),
      builtin(is_builtin),
      load(std::move(options)),
      queries(std::make_shared<QueryPool>()) {}

namespace {

/// Not that of bind.hpp: an endless margin would make every answer undecided.
void require_length(double value, const char* name) {
  if (value >= 0 && std::isfinite(value)) return;
  usage(std::string(name) + " is " + short_text(value), "it is a length in metres, zero or more");
}

using FoundNearest = Answer<Nearest>;
using FoundCheck = Answer<CheckResult>;

// The records of a batch are the structs of the library themselves: nothing is copied.
static_assert(sizeof(Verdict) == 4 && sizeof(int) == 4 && sizeof(Vec3) == 24);

py::dtype records(const py::list& names, const py::list& formats, const py::list& offsets,
                  std::size_t size) {
  return py::dtype(names, formats, offsets, static_cast<py::ssize_t>(size));
}

template <typename... Values>
py::list list(const Values&... values) {
  py::list result;
  (result.append(values), ...);
  return result;
}

py::dtype nearest_records() {
  const py::tuple point = py::make_tuple("f8", py::make_tuple(3));
  return records(list("verdict", "distance", "lower_bound", "a", "b", "point_a", "point_b"),
                 list("i4", "f8", "f8", "i4", "i4", point, point),
                 list(offsetof(Nearest, verdict), offsetof(Nearest, distance),
                      offsetof(Nearest, lower_bound), offsetof(Nearest, a), offsetof(Nearest, b),
                      offsetof(Nearest, point_a), offsetof(Nearest, point_b)),
                 sizeof(Nearest));
}

py::dtype check_records() {
  return records(
      list("verdict", "a", "b"), list("i4", "i4", "i4"),
      list(offsetof(CheckResult, verdict), offsetof(CheckResult, a), offsetof(CheckResult, b)),
      sizeof(CheckResult));
}

py::array unfilled(const py::object& shape, const py::dtype& type) {
  return py::module_::import("numpy").attr("empty")(shape, type);
}

template <typename T>
std::span<T> places(py::array& array) {
  return {static_cast<T*>(array.mutable_data()), static_cast<std::size_t>(array.size())};
}

py::object batch_of(const char* type, const py::array& made, const py::object& world) {
  return py::module_::import("keepclear._batches").attr(type)(made, world);
}

/// A batch in slices, so that Ctrl-C is heard between them. They are cut where the library cuts:
/// the answers are those of the whole.
template <typename Slice>
void in_slices(std::size_t rows, const Slice& slice) {
  constexpr std::size_t kFirst = 4 * kBatchChunk;
  constexpr std::chrono::milliseconds kEnough{300};
  Signals signals;
  std::size_t size = kFirst;
  for (std::size_t begin = 0; begin < rows;) {
    const std::size_t count = std::min(size, rows - begin);
    const auto start = std::chrono::steady_clock::now();
    slice(begin, count);
    begin += count;
    if (begin < rows) signals.check();
    if (std::chrono::steady_clock::now() - start < kEnough) size *= 2;
  }
}

struct Asked {
  DistanceOptions options;
  bool all_pairs = false;
  int threads = 0;
};

py::object nearest_batch(const py::object& self, const Doubles& poses, const Asked& asked) {
  const LoadedWorld& world = self.cast<const LoadedWorld&>();
  const std::size_t rows = poses.shape(0), dof = world.dof();
  const std::size_t each = asked.all_pairs ? world.pairs().size() : 1;
  const py::object shape =
      asked.all_pairs ? py::object(py::make_tuple(rows, each)) : py::object(py::make_tuple(rows));
  py::array made = unfilled(shape, nearest_records());
  const std::span<Nearest> results = places<Nearest>(made);
  const std::span<const double> numbers = poses.span();
  BatchOptions batch;
  batch.distance = asked.options;
  batch.threads = asked.threads;
  without_gil([&] {
    in_slices(each == 0 ? 0 : rows, [&](std::size_t begin, std::size_t count) {
      const auto part = numbers.subspan(begin * dof, count * dof);
      const auto place = results.subspan(begin * each, count * each);
      asked.all_pairs ? all_pairs_batch(world, part, place, batch)
                      : distance_batch(world, part, place, batch);
    });
  });
  return batch_of("NearestBatch", made, self);
}

py::object nearest_pairs(const py::object& self, const Doubles& pose, const Asked& asked) {
  const LoadedWorld& world = self.cast<const LoadedWorld&>();
  py::array made = unfilled(py::make_tuple(world.pairs().size()), nearest_records());
  const std::span<Nearest> results = places<Nearest>(made);
  BatchOptions batch;
  batch.distance = asked.options;
  batch.threads = 1;
  without_gil([&] { all_pairs_batch(world, pose.span(), results, batch); });
  return batch_of("NearestBatch", made, self);
}

py::object distance_of(const py::object& self, const py::object& q, double tolerance,
                       bool is_signed, bool all_pairs, int threads) {
  const LoadedWorld& world = self.cast<const LoadedWorld&>();
  require_positive(tolerance, "tolerance");
  require_threads(threads);
  const Doubles poses = poses_of(world, q, "q");
  const Asked asked{{tolerance, is_signed}, all_pairs, threads};
  if (all_pairs && world.pairs().size() != world.pair_count()) {
    usage("this world has too many pairs to list", "ask for the nearest alone");
  }
  if (poses.dimensions() == 2) return nearest_batch(self, poses, asked);
  if (all_pairs) return nearest_pairs(self, poses, asked);
  Nearest found;
  without_gil([&] {
    auto query = world.queries->take(world, asked.options);
    found = (*query)(poses.span());
    world.queries->give(asked.options, std::move(query));
  });
  return py::cast(FoundNearest(found, world));
}

py::object check_of(const py::object& self, const py::object& q, double margin, int threads) {
  const LoadedWorld& world = self.cast<const LoadedWorld&>();
  require_length(margin, "margin");
  require_threads(threads);
  const Doubles poses = poses_of(world, q, "q");
  if (poses.dimensions() == 2) {
    py::array made = unfilled(py::make_tuple(poses.shape(0)), check_records());
    const std::span<CheckResult> results = places<CheckResult>(made);
    const std::size_t dof = world.dof();
    BatchOptions batch;
    batch.threads = threads;
    without_gil([&] {
      in_slices(poses.shape(0), [&](std::size_t begin, std::size_t count) {
        check_batch(world, poses.span().subspan(begin * dof, count * dof),
                    results.subspan(begin, count), margin, batch);
      });
    });
    return batch_of("CheckBatch", made, self);
  }
  CheckResult found;
  without_gil([&] {
    auto query = world.queries->take(world, {});
    found = query->check(poses.span(), margin);
    world.queries->give({}, std::move(query));
  });
  return py::cast(FoundCheck(found, world));
}

std::string text_of(const FoundNearest& found) {
  return std::string("Nearest(") + to_string(found.verdict) +
         ", distance=" + short_text(found.distance) + ", " +
         pair_text(found.solids, found.a, found.b) + ")";
}

std::string text_of(const FoundCheck& found) {
  std::string text = std::string("CheckResult(") + to_string(found.verdict);
  if (found.a >= 0) text += ", " + pair_text(found.solids, found.a, found.b);
  return text + ")";
}

/// The names that an answer needs in another process.
py::dict names_of(const Solids& solids, int a, int b) {
  py::dict names;
  for (const int solid : {a, b}) {
    if (solid >= 0) names[py::int_(solid)] = solids.name(solid);
  }
  return names;
}

Solids solids_of(const py::handle& names) {
  return Solids(names.cast<std::map<int, std::string>>());
}

void bind_answers(py::module_& m) {
  py::class_<FoundNearest> nearest(m, "Nearest", DOC(Nearest));
  nearest
      .def_property_readonly(
          "verdict", [](const FoundNearest& n) { return n.verdict; }, DOC(Nearest, verdict))
      .def_readonly("distance", &FoundNearest::distance, DOC(Nearest, distance))
      .def_readonly("lower_bound", &FoundNearest::lower_bound, DOC(Nearest, lower_bound))
      .def_property_readonly(
          "point_a", [](const FoundNearest& n) { return to_numpy(n.point_a); },
          (DOC_TEXT(Nearest, point_a) + " Shape (3,).").c_str())
      .def_property_readonly(
          "point_b", [](const FoundNearest& n) { return to_numpy(n.point_b); },
          "The other witness point, shape (3,).")
      .def("__repr__", [](const FoundNearest& n) { return text_of(n); })
      .def(py::pickle(
          [](const FoundNearest& n) {
            return py::make_tuple(n.verdict, n.distance, n.lower_bound, n.a, n.b, n.point_a,
                                  n.point_b, names_of(n.solids, n.a, n.b));
          },
          [](const py::tuple& t) {
            return FoundNearest(
                {t[0].cast<Verdict>(), t[1].cast<double>(), t[2].cast<double>(), t[3].cast<int>(),
                 t[4].cast<int>(), t[5].cast<Vec3>(), t[6].cast<Vec3>()},
                solids_of(t[7]));
          }));
  def_pair(nearest);
  def_truth(nearest);
  py::class_<FoundCheck> check(m, "CheckResult", DOC(CheckResult));
  check.def_property_readonly("verdict", [](const FoundCheck& c) { return c.verdict; })
      .def("__repr__", [](const FoundCheck& c) { return text_of(c); })
      .def(py::pickle(
          [](const FoundCheck& c) {
            return py::make_tuple(c.verdict, c.a, c.b, names_of(c.solids, c.a, c.b));
          },
          [](const py::tuple& t) {
            return FoundCheck({t[0].cast<Verdict>(), t[1].cast<int>(), t[2].cast<int>()},
                              solids_of(t[3]));
          }));
  def_pair(check);
  def_truth(check);
}

/// One row of a batch: (verdict, distance, lower_bound, a, b, point_a, point_b).
FoundNearest nearest_of(const py::tuple& row, const LoadedWorld& world) {
  Nearest found;
  found.verdict = static_cast<Verdict>(row[0].cast<int>());
  found.distance = row[1].cast<double>();
  found.lower_bound = row[2].cast<double>();
  found.a = row[3].cast<int>();
  found.b = row[4].cast<int>();
  found.point_a = row[5].cast<Vec3>();
  found.point_b = row[6].cast<Vec3>();
  return {found, world};
}

void bind_query(py::module_& m) {
  using Query = Locked<DistanceQuery>;
  py::class_<Query>(m, "DistanceQuery",
                    (DOC_TEXT(DistanceQuery) + "\n\ntolerance: " + doc::DistanceOptions_tolerance +
                     "\nsigned: " + doc::DistanceOptions_signed_distance)
                        .c_str())
      .def(py::init([](const LoadedWorld& world, double tolerance, bool is_signed) {
             require_positive(tolerance, "tolerance");
             return std::make_unique<Query>(world, DistanceOptions{tolerance, is_signed});
           }),
           "world"_a, py::kw_only(), "tolerance"_a = DistanceOptions().tolerance,
           "signed"_a = false)
      .def(
          "__call__",
          [](Query& self, const py::object& q) {
            const Doubles pose = poses_of(self.world, q, "q", 1);
            Nearest found;
            without_gil([&] {
              const std::lock_guard lock(self.mutex);
              found = self.query(pose.span());
            });
            return FoundNearest(found, self.world);
          },
          "q"_a, DOC(DistanceQuery, call))
      .def(
          "check",
          [](Query& self, const py::object& q, double margin) {
            require_length(margin, "margin");
            const Doubles pose = poses_of(self.world, q, "q", 1);
            CheckResult found;
            without_gil([&] {
              const std::lock_guard lock(self.mutex);
              found = self.query.check(pose.span(), margin);
            });
            return FoundCheck(found, self.world);
          },
          "q"_a, "margin"_a = 0.0, DOC(DistanceQuery, check))
      .def(
          "reset",
          [](Query& self) {
            without_gil([&] {
              const std::lock_guard lock(self.mutex);
              self.query.reset();
            });
          },
          DOC(DistanceQuery, reset));
}

}  // namespace

void bind_distance(py::module_& m) {
  bind_answers(m);
  bind_query(m);
  m.def("_nearest_of", nearest_of);
  m.def("_check_of", [](const py::tuple& row, const LoadedWorld& world) {
    return FoundCheck(
        {static_cast<Verdict>(row[0].cast<int>()), row[1].cast<int>(), row[2].cast<int>()}, world);
  });
  py::class_<LoadedWorld> world(py::object(m.attr("World")));
  world.def("distance", distance_of, "q"_a, py::kw_only(),
            "tolerance"_a = DistanceOptions().tolerance, "signed"_a = false, "all_pairs"_a = false,
            "threads"_a = 0,
            (DOC_TEXT(DistanceQuery, call) +
             "\n\nOf q (dof,) a Nearest, of rows (N, dof) a NearestBatch. With all_pairs, that of "
             "every checked pair in the order of checked_pairs: a NearestBatch of shape (pairs,) "
             "or (N, pairs). Rows of float64, C-contiguous, are read where they are: leave them "
             "alone meanwhile.\n\ntolerance: " +
             doc::DistanceOptions_tolerance + "\nsigned: " + doc::DistanceOptions_signed_distance +
             "\nthreads: of a batch; " + doc::BatchOptions_threads)
                .c_str());
  world.def("check", check_of, "q"_a, py::kw_only(), "margin"_a = 0.0, "threads"_a = 0,
            (DOC_TEXT(DistanceQuery, check) +
             "\n\nOf q (dof,) a CheckResult, of rows (N, dof) a CheckBatch.\n\nthreads: of a "
             "batch; " +
             doc::BatchOptions_threads)
                .c_str());
}

}  // namespace keepclear::python
