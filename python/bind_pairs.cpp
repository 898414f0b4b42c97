// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "docstrings.hpp"

namespace keepclear::python {
namespace {

using FoundPair = Answer<PairOfLinks>;

std::string text_of(const FoundPair& p) {
  std::string text = "PairOfLinks(" + pair_text(p.solids, p.a, p.b) + ", " + to_string(p.kind);
  if (p.kind == PairClass::never) text += ", clearance=" + short_text(p.clearance);
  return text + ")";
}

std::map<PairClass, std::size_t> counts_of(const PairsFound& found) {
  std::map<PairClass, std::size_t> counts;
  for (const EnumValue& value : doc::PairClass_values) {
    counts[static_cast<PairClass>(value.value)] = 0;
  }
  for (const PairOfLinks& pair : found.pairs) ++counts[pair.kind];
  return counts;
}

std::string text_of(const PairsFound& found) {
  std::string text;
  for (const auto& [kind, count] : counts_of(found)) {
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + to_string(kind);
  }
  return "Pairs(" + (text.empty() ? "none" : text) + ")";
}

PairsFound pairs_of(const LoadedWorld& world, std::size_t budget, std::size_t samples,
                    unsigned seed, int threads) {
  require_threads(threads);
  PairsOptions options;
  options.budget = budget;
  options.samples = samples;
  options.seed = seed;
  options.threads = threads;
  Signals signals;
  options.progress = [&](std::size_t, std::size_t) { signals.check(); };
  std::vector<PairOfLinks> found;
  without_gil([&] { found = classify_pairs(world, options); });
  return {world, std::move(found)};
}

std::string srdf_of(const PairsFound& found, int robot) {
  int robots = 0;
  for (const SolidInfo& solid : found.world.solids()) robots = std::max(robots, solid.robot + 1);
  if (robot < 0 || robot >= robots) {
    usage("there is no robot " + std::to_string(robot),
          "the world has " + std::to_string(robots) + ", counted from 0");
  }
  return write_srdf(found.world, found.pairs, robot);
}

}  // namespace

void bind_pairs(py::module_& m) {
  py::class_<FoundPair> pair(m, "PairOfLinks",
                             "What two links do to each other over the whole range of the joints "
                             "between them.");
  pair.def_property_readonly(
          "kind", [](const FoundPair& p) { return p.kind; }, DOC(PairClass))
      .def_readonly("clearance", &FoundPair::clearance, DOC(PairOfLinks, clearance))
      .def_property_readonly(
          "witness", [](const FoundPair& p) { return to_numpy(p.witness); },
          DOC(PairOfLinks, witness))
      .def_readonly("distance", &FoundPair::distance, DOC(PairOfLinks, distance))
      .def_readonly("tests", &FoundPair::tests, DOC(PairOfLinks, tests))
      .def_readonly("joints", &FoundPair::joints, DOC(PairOfLinks, joints))
      .def_readonly("disabled", &FoundPair::disabled, DOC(PairOfLinks, disabled))
      .def_readonly("reason", &FoundPair::reason)
      .def("__repr__", [](const FoundPair& p) { return text_of(p); });
  def_pair(pair);
  py::class_<PairsFound>(m, "Pairs", "What World.pairs() found: a sequence of PairOfLinks.")
      .def("__len__", [](const PairsFound& found) { return found.pairs.size(); })
      .def("__getitem__",
           [](const PairsFound& found, py::ssize_t index) {
             const auto size = static_cast<py::ssize_t>(found.pairs.size());
             if (index < 0) index += size;
             if (index < 0 || index >= size) throw py::index_error("no such pair");
             return FoundPair(found.pairs[static_cast<std::size_t>(index)], found.world);
           })
      .def("__iter__",
           [](const PairsFound& found) {
             py::list all;
             for (const PairOfLinks& each : found.pairs) {
               all.append(FoundPair(each, found.world));
             }
             return py::iter(all);
           })
      .def_property_readonly("counts", counts_of, "How many there are of each PairClass.")
      .def("srdf", srdf_of, "robot"_a = 0, DOC(write_srdf))
      .def("__repr__", [](const PairsFound& found) { return text_of(found); });
  const PairsOptions usual;
  py::class_<LoadedWorld>(py::object(m.attr("World")))
      .def("pairs", pairs_of, py::kw_only(), "budget"_a = usual.budget, "samples"_a = usual.samples,
           "seed"_a = usual.seed, "threads"_a = usual.threads,
           (DOC_TEXT(classify_pairs) + "\n\nbudget: " + doc::PairsOptions_budget +
            "\nsamples: " + doc::PairsOptions_samples + "\nthreads: " + doc::PairsOptions_threads)
               .c_str());
}

}  // namespace keepclear::python
