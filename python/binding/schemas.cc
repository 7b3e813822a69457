#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json.hpp>

#include "python/binding/binding.h"
#include "tacet/base/error.h"
#include "tacet/data/schema/schema.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

data::Schema schema_of_json(const std::string& text) {
  try {
    auto schema = data::schema_from_json(nlohmann::json::parse(text));
    schema.validate("schema");
    return schema;
  } catch (const nlohmann::json::exception&) {
    throw base::UsageError("the schema holds a value that no schema has");
  }
}

std::vector<std::string> encoded_names(const data::Schema& schema) {
  std::vector<std::string> names;
  for (auto& column : schema.encoded_columns()) names.push_back(std::move(column.name));
  return names;
}

std::vector<std::string> date_columns(const data::Schema& schema) {
  std::vector<std::string> names;
  for (const auto& column : schema.columns) {
    const auto* numeric = std::get_if<data::NumericColumn>(&column.rule);
    if (numeric != nullptr && numeric->date) names.push_back(column.name);
  }
  return names;
}

/// Which table of coefficients a target has; empty: none.
std::string regression_kind(const data::Schema& schema) {
  if (!schema.target) return {};
  if (!schema.target->regression()) {
    return schema.target->class_count() == 2 ? "logistic" : std::string();
  }
  const auto kind = schema.target->number_kind();
  if (kind == data::NumberKind::probability) return {};
  return kind == data::NumberKind::count ? "poisson" : "linear";
}

}  // namespace

void bind_schemas(nb::module_& module) {
  using data::Schema;
  nb::class_<Schema>(module, "Schema")
      .def_static("from_json", &schema_of_json)
      .def_static("from_toml",
                  [](const std::string& text, const std::string& name) {
                    auto schema = data::schema_from_toml(text, name);
                    schema.validate(name);
                    return schema;
                  })
      .def("to_json", [](const Schema& schema) { return data::schema_to_json(schema).dump(); })
      .def("to_toml", [](const Schema& schema) { return data::schema_to_toml(schema); })
      .def_ro("name", &Schema::name)
      .def_ro("unit", &Schema::unit)
      .def_ro("public_row_count", &Schema::public_row_count)
      .def_prop_ro("feature_count",
                   [](const Schema& schema) {
                     return schema.features ? std::optional(schema.features->count) : std::nullopt;
                   })
      .def_prop_ro("target",
                   [](const Schema& schema) {
                     return schema.target ? std::optional(schema.target->column) : std::nullopt;
                   })
      .def_prop_ro("classes",
                   [](const Schema& schema) {
                     return schema.target ? schema.target->class_names()
                                          : std::vector<std::string>();
                   })
      .def_prop_ro("regression_kind", &regression_kind)
      .def_ro("intercept", &Schema::intercept)
      .def_prop_ro("columns", &Schema::feature_columns)
      .def_prop_ro("dates", &date_columns)
      .def_prop_ro("encoded_names", &encoded_names);
}

}  // namespace tacet::python
