#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// The parts of growth_bench with several columns.
namespace tacet::bench {

/// Adds a row of JSON: data, kappa (0: none), rows, delta, method, errors of all repetitions.
struct Cell {
  std::string data;
  double kappa;
  std::int64_t rows;
  double epsilon;
  double delta;
};
[[nodiscard]] nlohmann::json row_of(const Cell& cell, const std::string& method,
                                    const std::vector<double>& errors);

/// `columns`: a record is a point s of d coordinates, its loss sum_j |x_j - s_j| / sqrt(d), with
/// coordinates as in the other parts, so that the risk grows like sum_j |x_j|^kappa / (kappa
/// sqrt(d)). That is no linear model, which the methods fit; but schedules and noise are theirs,
/// made from public facts (learn/localization/localization_schedule), and each phase's minimiser is
/// found exactly here: coordinate by coordinate. 20 columns and 10^5 records, and the ladder's
/// ratio with 5 columns and 2 * 10^4 records.
void measure_columns(nlohmann::json& found, int repetitions);

/// `glm`: logistic regression in 10 columns, rows on the sphere, a true weight of norm 4, domain of
/// radius 5: the learners as they are.
void measure_glm(nlohmann::json& found, int repetitions);

}  // namespace tacet::bench
