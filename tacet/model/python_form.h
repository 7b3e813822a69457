#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tacet/model/linear_model.h"

namespace tacet::model {

/// What the Python package has to know of a fit beside the model, to read records after loading as
/// it did before: names, an order, and types. The program does not use it. Everything here was
/// public at the fit, as the schema was.
struct PythonForm {
  enum class Values {
    records,  ///< as a file's, by the schema
    numbers,  ///< all of them as numbers; a value that is not a number counts as missing
  };

  /// The columns that an array has, in their order, among them perhaps some that no schema reads.
  /// Absent: those that were fitted had no names.
  std::optional<std::vector<std::string>> columns{};
  Values values = Values::records;
  /// "bool", "int", "float" or "text" for each class, where the schema's names do not say so.
  std::vector<std::string> class_types{};
};

/// As a model file has it, under the key "python".
[[nodiscard]] nlohmann::ordered_json python_form_json(const PythonForm& form);

/// The inverse, strictly: DataErrors name the field, not the file.
[[nodiscard]] PythonForm read_python_form(const nlohmann::json& object, const LinearModel& model);

}  // namespace tacet::model
