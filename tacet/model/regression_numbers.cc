#include "tacet/model/regression_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "tacet/base/error.h"
#include "tacet/model/model_header.h"

namespace tacet::model {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

void expect_field(bool holds, const std::string& message) {
  if (!holds) throw base::DataError("table.{}", message);
}

/// Coefficients of numbers that are not identified have no number at all.
void expect_triangle(const RegressionNumbers& table, const std::vector<double>& triangle,
                     const char* field) {
  const auto count = table.names.size();
  const auto expected = count * (count + 1) / 2;
  expect_field(triangle.size() == expected,
               fmt::format("{} must hold {} numbers, got {}", field, expected, triangle.size()));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double value = triangle[RegressionNumbers::place(i, j)];
      const bool known = table.identified(i) && table.identified(j);
      const bool sound = known ? std::isfinite(value) && (i != j || value >= 0) : std::isnan(value);
      expect_field(sound, fmt::format("{} of {} and {} cannot be {}", field, table.names[i],
                                      table.names[j], value));
    }
  }
}

ordered_json list_of(const std::vector<double>& numbers) {
  auto list = ordered_json::array();
  for (const double number : numbers) {
    list.push_back(std::isnan(number) ? ordered_json() : ordered_json(number));
  }
  return list;
}

std::vector<double> numbers_of(const internal::Fields& fields, const char* key) {
  std::vector<double> numbers;
  fields.expect_list(key);
  for (const auto& value : fields.at(key)) {
    if (!value.is_number() && !value.is_null()) {
      internal::bad(fmt::format("model.table.{}[{}] must be a number or null, got {}", key,
                                numbers.size(), internal::shown(value)));
    }
    numbers.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                      : value.get<double>());
  }
  return numbers;
}

}  // namespace

bool RegressionNumbers::identified(std::size_t k) const { return !std::isnan(coefficients[k]); }

void RegressionNumbers::validate() const {
  expect_field(!names.empty(), "names must not be empty");
  expect_field(std::set(names.begin(), names.end()).size() == names.size(),
               "names must differ from each other");
  for (const auto* list : {&coefficients, &degrees_of_freedom}) {
    expect_field(list->size() == names.size(),
                 fmt::format("{} must hold {} numbers, got {}",
                             list == &coefficients ? "coefficients" : "degrees_of_freedom",
                             names.size(), list->size()));
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    expect_field(!std::isinf(coefficients[k]),
                 fmt::format("coefficients[{}] must be finite or null", k));
    const double freedom = degrees_of_freedom[k];
    expect_field(identified(k) ? std::isfinite(freedom) && freedom > 0 : std::isnan(freedom),
                 fmt::format("degrees_of_freedom[{}] cannot be {}", k, freedom));
  }
  expect_triangle(*this, sampling, "sampling_covariance");
  expect_triangle(*this, noise, "noise_covariance");
  expect_field(std::isfinite(reach) && reach > 0, "reach must be above 0");
  expect_field(std::isfinite(residual_cut) && residual_cut >= 0, "residual_cut must be at least 0");
  expect_field(std::isfinite(residual_stddev) && residual_stddev >= 0,
               "residual_stddev must be at least 0");
  expect_field(row_shape.size() == sampling.size() &&
                   std::ranges::all_of(row_shape, [](double x) { return std::isfinite(x); }),
               "row_shape must hold as many numbers as the covariances, all finite");
  expect_field(
      blurred_directions >= 0 && static_cast<std::size_t>(blurred_directions) <= names.size(),
      "blurred_directions must be between 0 and the number of coefficients");
  expect_field(
      converged || std::ranges::all_of(coefficients, [](double x) { return std::isnan(x); }),
      "coefficients must be null where the fit did not converge");
  expect_field(converged || !near_limit, "near_limit must be false where the fit did not converge");
  expect_field(rows > 0, "rows must be at least 1");
}

ordered_json regression_numbers_json(const RegressionNumbers& numbers) {
  ordered_json out;
  out["terms"] = numbers.terms;
  out["names"] = numbers.names;
  out["references"] = numbers.references;
  out["coefficients"] = list_of(numbers.coefficients);
  out["sampling_covariance"] = list_of(numbers.sampling);
  out["noise_covariance"] = list_of(numbers.noise);
  out["degrees_of_freedom"] = list_of(numbers.degrees_of_freedom);
  out["reach"] = numbers.reach;
  out["row_shape"] = list_of(numbers.row_shape);
  out["blurred_directions"] = numbers.blurred_directions;
  out["converged"] = numbers.converged;
  out["near_limit"] = numbers.near_limit;
  out["residual_cut"] = numbers.residual_cut;
  out["residual_stddev"] = numbers.residual_stddev;
  out["rows"] = numbers.rows;
  return out;
}

RegressionNumbers read_regression_numbers(const json& object, const std::string& path) {
  const internal::Fields fields(object, path);
  fields.expect_only({"terms", "names", "references", "coefficients", "sampling_covariance",
                      "noise_covariance", "degrees_of_freedom", "reach", "row_shape",
                      "blurred_directions", "converged", "near_limit", "residual_cut",
                      "residual_stddev", "rows"});
  const auto whole = [&](const char* key) {
    const auto& value = fields.at(key);
    if (!value.is_number_integer()) {
      internal::bad(
          fmt::format("{}.{} must be a whole number, got {}", path, key, internal::shown(value)));
    }
    return value.get<std::int64_t>();
  };
  const auto number = [&](const char* key) {
    static_cast<void>(fields.at(key));
    return fields.optional_number(key);
  };
  const auto truth = [&](const char* key) {
    const auto& value = fields.at(key);
    if (!value.is_boolean()) {
      internal::bad(
          fmt::format("{}.{} must be true or false, got {}", path, key, internal::shown(value)));
    }
    return value.get<bool>();
  };
  RegressionNumbers table{.terms = fields.text("terms"),
                          .names = fields.texts("names"),
                          .references = fields.texts("references"),
                          .coefficients = numbers_of(fields, "coefficients"),
                          .sampling = numbers_of(fields, "sampling_covariance"),
                          .noise = numbers_of(fields, "noise_covariance"),
                          .degrees_of_freedom = numbers_of(fields, "degrees_of_freedom"),
                          .reach = number("reach"),
                          .row_shape = numbers_of(fields, "row_shape"),
                          .blurred_directions = whole("blurred_directions"),
                          .converged = truth("converged"),
                          .near_limit = truth("near_limit"),
                          .residual_cut = number("residual_cut"),
                          .residual_stddev = number("residual_stddev"),
                          .rows = whole("rows")};
  return table;
}

}  // namespace tacet::model
