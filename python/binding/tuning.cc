#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "python/binding/binding.h"
#include "python/binding/rows.h"
#include "python/binding/supervised.h"
#include "python/binding/training.h"
#include "tacet/base/error.h"
#include "tacet/report/json.h"
#include "tacet/report/plan.h"
#include "tacet/choose/tune.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

/// How often `tacet tune` trains, and what is best.
struct Trying {
  double trials = 10;
  std::optional<std::int64_t> max_trials;
  std::string law = "logarithmic";
  double holdout = 0.3;
  std::string score;  ///< empty: the usual one

  [[nodiscard]] choose::TuneOptions options() const {
    choose::TuneOptions options{.trials = trials, .max_trials = max_trials, .holdout = holdout};
    const auto known = choose::trial_law_names.find(law);
    if (!known) {
      throw base::UsageError("law must be logarithmic, geometric or poisson, got '{}'", law);
    }
    options.law = *known;
    if (score.empty()) return options;
    options.score = choose::score_names.find(score);
    if (!options.score) throw base::UsageError("score must be accuracy or loss, got '{}'", score);
    return options;
  }
};

struct Grid {
  std::string words;  ///< TOML; empty: in the file of that name
  std::string name;
};

/// The model, and what was settled before a record was read.
std::pair<model::ModelFile, std::string> tune(const data::Schema& schema, HeldRows& rows,
                                              const std::pair<Values, Grid>& candidates,
                                              const Trying& trying, const Means& context) {
  const auto& [values, grid] = candidates;
  const choose::TuneRequest request{.values = values_of(values),
                                    .grid = grid.words.empty()
                                                ? choose::load_grid(grid.name)
                                                : choose::grid_from_toml(grid.words, grid.name),
                                    .options = trying.options()};
  const auto plan = supervised(
      nb::none(), [&](const base::Supervision&) { return choose::plan_tuning(schema, request); });
  // How far it has come would tell how often is trained.
  auto file =
      trained("tune", plan, rows.view(schema, data::TargetUse::required), context, nb::none());
  return {std::move(file), report::json_text(report::plan_json(plan))};
}

}  // namespace

void bind_tuning(nb::module_& module) {
  nb::class_<Trying>(module, "Trying")
      .def(nb::init<>())
      .def_rw("trials", &Trying::trials)
      .def_rw("max_trials", &Trying::max_trials, nb::arg().none())
      .def_rw("law", &Trying::law)
      .def_rw("holdout", &Trying::holdout)
      .def_rw("score", &Trying::score);
  nb::class_<Grid>(module, "Grid")
      .def("__init__", [](Grid* place, std::string words, std::string name) {
        new (place) Grid{std::move(words), std::move(name)};
      });
  module.def("tune", &tune);
}

}  // namespace tacet::python
