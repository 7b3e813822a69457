#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "python/binding/binding.h"
#include "python/binding/supervised.h"
#include "tacet/report/json.h"
#include "tacet/report/rates.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

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

void bind_planning(nb::module_& module) { module.def("rates", &rates); }

}  // namespace tacet::python
