#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "python/binding/binding.h"
#include "python/binding/parts.h"
#include "python/binding/rows.h"
#include "python/binding/supervised.h"
#include "tacet/base/error.h"
#include "tacet/learn/inference/inference.h"
#include "tacet/learn/method.h"
#include "tacet/learn/wide/net_plan.h"
#include "tacet/model/effects_json.h"
#include "tacet/model/export/export.h"
#include "tacet/model/model_file.h"
#include "tacet/model/original_units.h"
#include "tacet/report/json.h"
#include "tacet/report/regression.h"
#include "tacet/report/regression_file.h"
#include "tacet/run/train.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

using Matrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

/// Whether a parameter is one of linear models, or of wide ones. Which of both, and how they are
/// trained, is said by the class.
bool is_parameter(std::string_view name, bool wide) {
  const auto readers = learn::readers_of(name);  // none: all of them
  const auto of_wide = learn::wide_method.name;
  if (name == "model") return false;
  // What is of regression tables alone goes by classes of its own.
  const std::vector of_tables{learn::inference_method.name};
  if (!wide) return readers != std::vector{of_wide} && readers != of_tables;
  if (name == "method" || name == "boost") return false;
  return readers.empty() || std::ranges::find(readers, of_wide) != readers.end();
}

nb::list parameters(bool wide) {
  constexpr const char* types[] = {"integer", "real", "text"};
  nb::list out;
  for (const auto& parameter : learn::parameters()) {
    if (!is_parameter(parameter.name, wide)) continue;
    nb::dict entry;
    entry["name"] = std::string(parameter.name);
    entry["type"] = types[static_cast<std::size_t>(parameter.type)];
    entry["range"] = parameter.range.text();
    entry["default"] = std::string(parameter.default_value);
    entry["help"] = std::string(parameter.help);
    out.append(entry);
  }
  return out;
}

/// What regression tables alone are given.
std::vector<std::string> table_parameters() {
  std::vector<std::string> names;
  for (const auto& parameter : learn::parameters()) {
    if (learn::readers_of(parameter.name) == std::vector{learn::inference_method.name}) {
      names.emplace_back(parameter.name);
    }
  }
  return names;
}

/// The methods that take a target of several classes.
std::vector<std::string> methods_of_several_classes() {
  std::vector<std::string> names{"auto"};
  for (const auto* method : learn::methods()) {
    if (method->problems.targets.has(learn::TargetKind::several_classes)) {
      names.emplace_back(method->name);
    }
  }
  return names;
}

/// A row a record, a column an output.
Matrix matrix_of(std::vector<double> values, std::size_t columns) {
  auto held = std::make_unique<std::vector<double>>(std::move(values));
  auto* const data = held->data();
  const std::size_t rows = columns == 0 ? 0 : held->size() / columns;
  const nb::capsule owner(held.release(), [](void* p) noexcept {
    delete static_cast<std::vector<double>*>(p);  // NOLINT(cppcoreguidelines-owning-memory)
  });
  return {data, {rows, columns}, owner};
}

/// What `say` says of each record from its margins, `width` numbers.
template <typename Say>
Matrix each(const model::ModelFile& file, HeldRows& rows, std::size_t width, const Say& say) {
  model::expect_margins(file.model);
  Parts parts(rows.view(file.schema, data::TargetUse::absent));
  auto found = supervised(nb::none(), [&](const base::Supervision& supervision) {
    std::vector<double> margins(static_cast<std::size_t>(file.model.output_count()));
    std::vector<double> out;
    std::optional<run::RowReader> reader;
    while (const auto part = parts.next()) {
      if (!reader) reader.emplace(*part, file.schema, data::TargetUse::absent);
      const auto records = reader->read(*part, {.cancel = supervision.cancel});
      auto end = out.size();
      out.resize(end + static_cast<std::size_t>(records.rows()) * width);
      for (std::int64_t row = 0; row < records.rows(); ++row, end += width) {
        model::margins(file.model, records, row, margins);
        say(std::span<const double>(margins), std::span(out).subspan(end, width));
      }
    }
    return out;
  });
  return matrix_of(std::move(found), width);
}

Matrix margins(const model::ModelFile& file, HeldRows& rows) {
  const auto outputs = static_cast<std::size_t>(file.model.output_count());
  return each(file, rows, outputs, [](std::span<const double> margins, std::span<double> out) {
    std::ranges::copy(margins, out.begin());
  });
}

/// The index of the class, or the number in the target's units.
Matrix predictions(const model::ModelFile& file, HeldRows& rows) {
  const auto& model = file.model;
  const bool number = model.task == model::PredictionTask::regression;
  return each(file, rows, 1, [&](std::span<const double> margins, std::span<double> out) {
    out[0] = number ? model::regression_value(model, margins[0])
                    : static_cast<double>(model::predicted_class(model, margins));
  });
}

Matrix probabilities(const model::ModelFile& file, HeldRows& rows) {
  if (!file.model.has_probabilities()) {
    throw base::UsageError("the loss of this model gives no probabilities");
  }
  return each(file, rows, file.model.classes.size(),
              [&](std::span<const double> margins, std::span<double> out) {
                model::class_probabilities(file.model, margins, out);
              });
}

/// What `save` would write.
nb::bytes bytes_of(const model::ModelFile& file, std::optional<model::PythonForm> form) {
  auto copy = file;
  copy.python = std::move(form);
  const auto text = model::model_to_json(copy);
  return nb::bytes(text.data(), text.size());
}

std::vector<std::string> feature_names(const model::ModelFile& file) {
  std::vector<std::string> names;
  for (auto& column : file.schema.encoded_columns()) names.push_back(std::move(column.name));
  return names;
}

/// Factors of the coefficients and the constant of an output that is a straight line of the
/// columns' own numbers; None where none is.
nb::object straight_line(const model::ModelFile& file, std::int64_t output) {
  if (output < 0 || output >= file.model.output_count()) {
    throw base::UsageError("output {} of a model with {}", output, file.model.output_count());
  }
  const auto line = model::straight_line(file.schema, file.model, output);
  if (!line) return nb::none();
  return nb::make_tuple(line->factors, line->constant);
}

std::string exported(const model::ModelFile& file, const std::string& format,
                     const std::string& dialect, const std::string& table,
                     std::vector<std::string> keep) {
  return model::export_model(file, {.format = model::parse_export_format(format),
                                    .dialect = model::parse_sql_dialect(dialect),
                                    .table = table,
                                    .keep = std::move(keep)});
}

/// What a wide model consists of; None for a linear one.
nb::object architecture(const model::ModelFile& file) {
  if (!file.model.wide) return nb::none();
  const auto& shape = file.model.wide->net().shape();
  nb::list fields;
  std::size_t next = 0;
  const auto places = model::column_places(file.schema);
  for (std::size_t c = 0; c < places.size() && next < shape.fields.size(); ++c) {
    const auto& field = shape.fields[next];
    if (field.first != places[c].first || places[c].count == 0) continue;
    ++next;
    nb::dict entry;
    entry["column"] = file.schema.columns[c].name;
    entry["ids"] = field.rows;
    entry["dim"] = field.width;
    fields.append(entry);
  }
  nb::dict out;
  out["fields"] = fields;
  out["dense"] = shape.dense.size();
  out["hidden"] = nb::cast(shape.hidden);
  out["head"] = shape.two_tower() ? "two-tower" : "layers";
  out["linear_part"] = shape.linear == model::LinearPart::present;
  out["outputs"] = shape.outputs;
  out["numbers"] = file.model.wide->numbers().size();
  return out;
}

void bind_python_form(nb::module_& module) {
  using model::PythonForm;
  using Values = PythonForm::Values;
  nb::class_<PythonForm>(module, "PythonForm")
      .def(nb::init<>())
      .def_rw("columns", &PythonForm::columns, nb::arg().none())
      .def_rw("class_types", &PythonForm::class_types)
      .def_prop_rw(
          "numbers", [](const PythonForm& form) { return form.values == Values::numbers; },
          [](PythonForm& form, bool is) { form.values = is ? Values::numbers : Values::records; });
}

void bind_model_file(nb::module_& module) {
  using model::ModelFile;
  nb::class_<ModelFile>(module, "Model")
      .def_static("from_bytes",
                  [](const nb::bytes& text, const std::string& name) {
                    return model::model_from_json({text.c_str(), text.size()}, name);
                  })
      .def_static("load", [](const std::string& path) { return model::load_model(path); })
      .def("to_bytes", [](const ModelFile& file) { return bytes_of(file, file.python); })
      .def("to_bytes", &bytes_of, nb::arg("form").none())
      .def(
          "save",
          [](const ModelFile& file, const std::string& path, bool overwrite,
             std::optional<model::PythonForm> form) {
            auto copy = file;
            copy.python = std::move(form);
            model::save_model(path, copy,
                              overwrite ? base::Overwrite::allow : base::Overwrite::refuse);
          },
          nb::arg("path"), nb::arg("overwrite"), nb::arg("form").none())
      .def_ro("python", &ModelFile::python)
      .def_ro("schema", &ModelFile::schema)
      .def_prop_ro("classes", [](const ModelFile& file) { return file.model.classes; })
      .def_prop_ro("feature_names", &feature_names)
      .def_prop_ro("outputs", [](const ModelFile& file) { return file.model.output_count(); })
      .def_prop_ro("coefficients", [](const ModelFile& file) { return file.model.coefficients; })
      .def_prop_ro("noise", [](const ModelFile& file) { return file.model.noise_stddevs; })
      .def_prop_ro("architecture", &architecture)
      .def(
          "table",
          [](const ModelFile& file, double level,
             const std::vector<std::string>& contrasts) -> std::optional<std::string> {
            if (!file.model.table) return std::nullopt;
            return report::json_text(report::regression_json(file, level, contrasts));
          },
          nb::arg("level"), nb::arg("contrasts"))
      .def_prop_ro("table_doubts",
                   [](const ModelFile& file) {
                     nb::list doubts;
                     for (const auto& doubt : report::regression_doubts(file.model)) {
                       doubts.append(spelled(doubt));
                     }
                     return doubts;
                   })
      .def_prop_ro(
          "near_limit_text",
          [](const ModelFile& file) { return spelled(report::near_limit_text(*file.model.table)); })
      .def(
          "table_file",
          [](const ModelFile& file, const std::string& format, double level,
             const std::vector<std::string>& contrasts) {
            return report::regression_file(file, format, level, contrasts);
          },
          nb::arg("format"), nb::arg("level"), nb::arg("contrasts"))
      .def_prop_ro("has_probabilities",
                   [](const ModelFile& file) { return file.model.has_probabilities(); })
      .def_prop_ro(
          "loss",
          [](const ModelFile& file) { return std::string(model::loss_name(file.model.loss)); })
      .def_prop_ro("receipt",
                   [](const ModelFile& file) { return privacy::receipt_to_json(file.receipt); })
      .def("effects",
           [](const ModelFile& file) {
             return report::json_text(model::effects_json(file.schema, file.model));
           })
      .def("straight_line", &straight_line)
      .def("exported", &exported, nb::arg("format"), nb::arg("dialect"), nb::arg("table"),
           nb::arg("keep"))
      .def("margins", &margins)
      .def("predictions", &predictions)
      .def("probabilities", &probabilities);
}

}  // namespace

void bind_models(nb::module_& module) {
  bind_python_form(module);
  bind_model_file(module);
  module.def("parameters", &parameters, nb::arg("wide") = false);
  module.def("table_parameters", &table_parameters);
  module.def("methods_of_several_classes", &methods_of_several_classes);
}

}  // namespace tacet::python
