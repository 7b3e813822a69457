#include "tacet/model/python_form.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tacet/base/names.h"
#include "tacet/model/model_header.h"

namespace tacet::model {
namespace {

using internal::bad;

constexpr auto value_forms = base::names<PythonForm::Values>(
    {{PythonForm::Values::records, "records"}, {PythonForm::Values::numbers, "numbers"}});

bool is_class_type(const std::string& name) {
  return name == "bool" || name == "int" || name == "float" || name == "text";
}

}  // namespace

nlohmann::ordered_json python_form_json(const PythonForm& form) {
  nlohmann::ordered_json out;
  if (form.columns) out["columns"] = *form.columns;
  out["values"] = value_forms.of(form.values);
  if (!form.class_types.empty()) out["class_types"] = form.class_types;
  return out;
}

PythonForm read_python_form(const nlohmann::json& object, const LinearModel& model) {
  const internal::Fields fields(object, "python");
  fields.expect_only({"columns", "values", "class_types"});
  PythonForm form;
  if (object.contains("columns")) form.columns = fields.texts("columns");
  const auto values = value_forms.find(fields.text("values"));
  if (!values) bad(fmt::format("python.values is '{}'", fields.text("values")));
  form.values = *values;
  if (!object.contains("class_types")) return form;
  form.class_types = fields.texts("class_types");
  if (form.class_types.size() != model.classes.size()) {
    bad(fmt::format("python.class_types must hold a type for each of {} classes, got {}",
                    model.classes.size(), form.class_types.size()));
  }
  for (const auto& type : form.class_types) {
    if (!is_class_type(type)) bad(fmt::format("python.class_types has '{}'", type));
  }
  return form;
}

}  // namespace tacet::model
