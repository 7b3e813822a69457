#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/model/linear_model.h"
#include "tacet/model/model_parse.h"

/// What both kinds of model files say of a model beside its numbers. DataErrors name the field, not
/// the file.
namespace tacet::model::internal {

/// One JSON object of the file; messages name the whole path to a field.
class Fields {
 public:
  Fields(const nlohmann::json& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object_.is_object()) bad(fmt::format("{} must be an object", path_));
  }

  void expect_only(std::initializer_list<std::string_view> names) const;

  [[nodiscard]] const nlohmann::json& at(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) bad(fmt::format("the key '{}' is missing", name(key)));
    return *found;
  }

  [[nodiscard]] std::string text(const char* key) const { return text_of(at(key), name(key)); }

  /// NaN when the key is absent.
  [[nodiscard]] double optional_number(const char* key) const {
    if (!object_.contains(key)) return std::numeric_limits<double>::quiet_NaN();
    const auto& value = at(key);
    if (!value.is_number()) {
      bad(fmt::format("{} must be a number, got {}", name(key), shown(value)));
    }
    return value.get<double>();
  }

  [[nodiscard]] std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> out;
    for (const auto& value : array(key)) {
      out.push_back(text_of(value, fmt::format("{}[{}]", name(key), out.size())));
    }
    return out;
  }

  [[nodiscard]] std::vector<double> numbers(const char* key) const {
    std::vector<double> out;
    for (const auto& value : array(key)) {
      if (!value.is_number()) {
        bad(fmt::format("{}[{}] must be a finite number, got {}", name(key), out.size(),
                        shown(value)));
      }
      out.push_back(value.get<double>());
    }
    return out;
  }

  void expect_list(const char* key) const { static_cast<void>(array(key)); }

 private:
  [[nodiscard]] std::string name(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }

  [[nodiscard]] const nlohmann::json& array(const char* key) const {
    const auto& value = at(key);
    if (!value.is_array()) bad(fmt::format("{} must be a list, got {}", name(key), shown(value)));
    return value;
  }

  static std::string text_of(const nlohmann::json& value, const std::string& name) {
    if (!value.is_string()) bad(fmt::format("{} must be a text, got {}", name, shown(value)));
    return value.get<std::string>();
  }

  const nlohmann::json& object_;
  std::string path_;
};

/// Loss, task, classes and bounds, `kind` first.
[[nodiscard]] nlohmann::ordered_json model_header(const LinearModel& model, std::string_view kind);

/// The inverse, from the object `model` of a file of this kind.
[[nodiscard]] LinearModel read_header(const Fields& fields, std::string_view kind);

template <typename Names>
void expect_same_names(const Names& given, const Names& expected, const char* field) {
  if (given.size() != expected.size()) {
    bad(fmt::format("{} must hold the schema's {} names, got {}", field, expected.size(),
                    given.size()));
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] != expected[i]) {
      bad(fmt::format("{}[{}] is '{}', but the schema says '{}'", field, i, given[i], expected[i]));
    }
  }
}

/// The model is the one that its schema describes, so that predictions read the right columns; but
/// for its numbers.
void expect_same_header(const LinearModel& model, const data::Schema& schema,
                        const LinearModel& expected);

void expect_valid(const LinearModel& model);

}  // namespace tacet::model::internal
