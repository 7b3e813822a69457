#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "python/binding/binding.h"
#include "python/binding/rows.h"
#include "python/binding/training.h"
#include "tacet/local/local_simulation.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

/// As `tacet local simulate`: each record is a device.
model::ModelFile simulate(const data::Schema& schema, HeldRows& rows, const Values& given,
                          const Context& context, const nb::object& callback) {
  const auto options = local::local_options({given.begin(), given.end()});
  const auto training = local::local_training(schema, options);
  return trained("local simulate", training, rows.view(schema, data::TargetUse::required), context,
                 callback);
}

}  // namespace

void bind_simulation(nb::module_& module) {
  module.def("local_parameters", [] {
    std::vector<std::string> names;
    for (const auto& row : local::local_parameters()) names.emplace_back(row.name);
    return names;
  });
  module.def("local_simulate", &simulate, nb::arg("schema"), nb::arg("rows"), nb::arg("values"),
             nb::arg("means"), nb::arg("callback").none());
}

}  // namespace tacet::python
