#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "python/binding/binding.h"
#include "python/binding/supervised.h"
#include "python/binding/training.h"
#include "tacet/report/json.h"
#include "tacet/report/plan.h"
#include "tacet/report/rates.h"
#include "tacet/choose/plan.h"
#include "tacet/choose/total_budget.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

/// As `tacet plan --json` prints it. `total`: epsilon is of the schema's fit too.
std::string plan(const data::Schema& schema, const Values& given, bool total) {
  return supervised(nb::none(), [&](const base::Supervision&) {
    const auto options = options_of(given, schema);
    const auto plan = total ? choose::plan_within(schema, options, options.epsilon)
                            : choose::plan_training(schema, options);
    return report::json_text(report::whole_plan_json(plan, options));
  });
}

/// As `tacet rates --json` prints it.
std::string rates(const report::RateLists& lists, double row_norm, double label_bound,
                  double curvature, double slope) {
  learn::RateProblem common;
  common.row_norm = row_norm;
  common.label_bound = label_bound;
  common.curvature = curvature;
  common.slope = slope;
  return supervised(nb::none(), [&](const base::Supervision& supervision) {
    const auto problems = report::rate_problems(common, lists, supervision.cancel);
    return report::json_text(report::rates_json(report::rate_lines(problems)));
  });
}

}  // namespace

void bind_planning(nb::module_& module) {
  module.def("plan_text", &plan);
  module.def("rates", &rates);
}

}  // namespace tacet::python
