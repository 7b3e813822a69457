// Error against the number of records where the risk grows like |w - w*|^kappa: every method that
// fits a location, pure and approximate, beside the optimum without privacy and the lower bounds.
//
//     growth_bench FILE [REPETITIONS] [line | columns | glm]
//
// writes its rows as JSON; bench/papers/growth.py runs and judges it. The parts `columns` and `glm`
// are described in growth_columns.h; this is `line`:
//
// The loss is the distance |w - y|, the records y = w* + s / 2 with s = +-U^{1/(kappa-1)} for
// uniform U, so that the risk exceeds its minimum by exactly |x|^kappa / (2 kappa) at w = w* + x /
// 2; kappa 1 puts half of the records at w*. All numbers are given for x: the growth constant
// and the Lipschitz constant are 1, the domain is 2 wide on either side of the start at x = -0.7.
//
// `random` rows draw records and show the excess of the population's risk. `quantiles` rows take
// the distribution's own quantiles as records: what is left is what privacy costs.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bench/papers/growth_columns.h"
#include "tacet/base/error.h"
#include "tacet/base/threads.h"
#include "tacet/learn/method.h"
#include "tacet/learn/theory/lower_bounds.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::bench {

nlohmann::json row_of(const Cell& cell, const std::string& method,
                      const std::vector<double>& errors) {
  double mean = 0;
  for (const double error : errors) mean += error / static_cast<double>(errors.size());
  double square = 0;
  for (const double error : errors) square += (error - mean) * (error - mean);
  const auto count = static_cast<double>(errors.size());
  return {{"data", cell.data},
          {"kappa", cell.kappa},
          {"rows", cell.rows},
          {"epsilon", cell.epsilon},
          {"delta", cell.delta},
          {"method", method},
          {"repetitions", errors.size()},
          {"excess_risk", mean},
          {"standard_error", std::sqrt(square / (count * std::max(1.0, count - 1)))}};
}

}  // namespace tacet::bench

namespace {

using namespace tacet;
using bench::Cell;
using bench::row_of;

constexpr double minimiser = 0.35;
constexpr double half = 0.5;          // width of a unit of x
constexpr double usual_delta = 1e-6;  // of the approximate rows
constexpr double max_visits = 4e7;    // of records by one run; beyond, a cell stays empty
constexpr auto adjacency = privacy::Adjacency::replace_one;

struct Contender {
  std::string name;
  std::string method;
  bool paper = false;
  bool reuse = true;
  std::optional<std::int64_t> phases{};
};
const std::vector<Contender> contenders{{"inverse-sensitivity", "inverse-sensitivity"},
                                        {"localized, as printed", "localized", true},
                                        {"growth, as printed", "growth", true},
                                        {"phased-erm, as printed", "phased-erm", true},
                                        {"localized", "localized"},
                                        {"growth", "growth"},
                                        {"phased-erm", "phased-erm"},
                                        {"regularized-output", "regularized-output"},
                                        {"gradient", "gradient"},
                                        {"ladder", "ladder"},
                                        {"ladder, disjoint", "ladder", false, false},
                                        {"ladder, one phase", "ladder", false, true, 1}};

double excess_risk(double x, double kappa) {
  const double size = std::fabs(x);
  if (kappa == 1) return size <= 1 ? size / 2 + size * size / 4 : size - 0.25;
  return size <= 1 ? std::pow(size, kappa) / kappa : size - 1 + 1 / kappa;
}

// s at the quantile (z + 1) / 2.
double location(double z, double kappa) {
  const double size = std::fabs(z);
  if (kappa > 1) return std::copysign(std::pow(size, 1 / (kappa - 1)), z);
  return size < 0.5 ? 0 : std::copysign(2 * size - 1, z);
}

std::vector<double> labels_of(std::int64_t rows, double kappa, std::mt19937_64* bits) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> labels;
  for (std::int64_t i = 0; i < rows; ++i) {
    const double z = bits != nullptr
                         ? uniform(*bits)
                         : (2 * static_cast<double>(i) + 1) / static_cast<double>(rows) - 1;
    labels.push_back(minimiser + half * location(z, kappa));
  }
  return labels;
}

data::Schema schema_of(std::int64_t rows) {
  data::Schema schema;
  schema.columns = {{"one", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::RegressionTarget{-1, 1}};
  schema.intercept = false;
  schema.public_row_count = rows;
  return schema;
}

std::optional<learn::Training> planned(const Contender& contender, const data::Schema& schema,
                                       double epsilon, double delta) {
  learn::ParameterValues options{{"adjacency", adjacency},
                                 {"method", contender.method},
                                 {"epsilon", epsilon},
                                 {"delta", delta},
                                 {"loss", model::Loss{model::AbsoluteLoss{}}},
                                 {"radius", 1}};
  if (contender.paper) options.set("calibration", "paper");
  if (!contender.reuse) options.set("record-use", "disjoint");
  if (const auto phases = contender.phases) options.set("phases", *phases);
  if (contender.method == "inverse-sensitivity" && delta > 0) return std::nullopt;
  try {
    auto training = learn::plan_training(schema, options);
    for (const auto& setting : training.settings) {
      if (setting.name != "steps" || !std::holds_alternative<std::int64_t>(setting.value)) continue;
      const auto steps = static_cast<double>(std::get<std::int64_t>(setting.value));
      if (steps * static_cast<double>(*schema.public_row_count) > max_visits) return std::nullopt;
    }
    return training;
  } catch (const base::UsageError&) {
    return std::nullopt;  // not offered, or too few records for the schedule
  } catch (const base::GuaranteeError&) {
    return std::nullopt;
  }
}

double trained_x(const learn::Training& training, const data::Schema& schema,
                 const data::Dataset& dataset, std::uint64_t seed) {
  random::SeededSource source(seed);
  privacy::TrustingBudget budget(adjacency);
  auto reservation = budget.reserve(training.events, training.guarantee);
  base::ThreadPool threads(1);
  const auto trained = training.run(
      dataset, schema, {.source = source, .reservation = reservation, .threads = threads});
  return (trained.model.coefficients[0] - minimiser) / half;
}

void add_bounds(const Cell& cell, nlohmann::json& found) {
  if (cell.kappa <= 1) return;
  const learn::GrowthProblem problem{.rows = cell.rows, .kappa = cell.kappa};
  const double private_bound = learn::two_point_bound(problem, cell.epsilon, cell.delta).value;
  found.push_back(row_of(cell, "lower bound, privacy", {private_bound}));
  if (cell.data == "random") {
    found.push_back(row_of(cell, "lower bound, sampling", {learn::sampling_bound(problem)}));
  }
}

void measure(const Cell& cell, const std::vector<Contender>& methods, int repetitions,
             nlohmann::json& found) {
  const auto schema = schema_of(cell.rows);
  std::vector<std::optional<learn::Training>> trainings;
  for (const auto& method : methods) {
    trainings.push_back(planned(method, schema, cell.epsilon, cell.delta));
  }
  std::vector<std::vector<double>> errors(methods.size());
  std::vector<double> plain;
  std::mt19937_64 bits(7);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    auto labels = labels_of(cell.rows, cell.kappa, cell.data == "random" ? &bits : nullptr);
    data::Dataset dataset(schema.shape());
    const std::vector<std::int16_t> one{data::Dataset::feature_scale};
    for (const double label : labels) dataset.append_dense(one, label);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      if (!trainings[m]) continue;
      const double x = trained_x(*trainings[m], schema, dataset,
                                 1000 * static_cast<std::uint64_t>(repetition) + m);
      errors[m].push_back(excess_risk(x, cell.kappa));
    }
    const auto middle = labels.begin() + std::ssize(labels) / 2;
    std::ranges::nth_element(labels, middle);
    plain.push_back(excess_risk((*middle - minimiser) / half, cell.kappa));
  }
  for (std::size_t m = 0; m < methods.size(); ++m) {
    if (!errors[m].empty()) found.push_back(row_of(cell, methods[m].name, errors[m]));
  }
  if (cell.data == "random") found.push_back(row_of(cell, "without privacy", plain));
  add_bounds(cell, found);
  std::cerr << fmt::format("{} kappa {} rows {} delta {}\n", cell.data, cell.kappa, cell.rows,
                           cell.delta);
}

void measure_random(nlohmann::json& found, int repetitions) {
  for (const double kappa : {1.0, 1.25, 1.5, 2.0, 3.0, 8.0}) {
    for (const std::int64_t rows : {1000, 3000, 10'000, 30'000, 100'000}) {
      for (const double delta : {0.0, usual_delta}) {
        const int runs = rows < 30'000 ? repetitions : std::max(1, repetitions / 2);
        measure({"random", kappa, rows, 1, delta}, contenders, runs, found);
      }
    }
  }
}

void measure_quantiles(nlohmann::json& found, int repetitions) {
  const std::vector<Contender> adaptive{{"inverse-sensitivity", "inverse-sensitivity"},
                                        {"ladder", "ladder"}};
  for (const double kappa : {1.5, 2.0, 3.0, 8.0}) {
    for (const std::int64_t rows : {3000, 10'000, 30'000, 100'000, 300'000}) {
      for (const double delta : {0.0, usual_delta}) {
        const int runs = rows < 100'000 ? 4 * repetitions : repetitions;
        measure({"quantiles", kappa, rows, 0.1, delta}, adaptive, runs, found);
      }
    }
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::cerr << "growth_bench FILE [REPETITIONS] [line | columns | glm]\n";
    return EXIT_FAILURE;
  }
  const int repetitions = count > 2 ? std::atoi(words[2]) : 40;
  const std::string part = count > 3 ? words[3] : "";
  auto found = nlohmann::json::array();
  if (part.empty() || part == "line") {
    measure_random(found, repetitions);
    measure_quantiles(found, repetitions);
  }
  if (part.empty() || part == "columns") bench::measure_columns(found, repetitions);
  if (part.empty() || part == "glm") bench::measure_glm(found, repetitions);
  std::ofstream out(words[1]);
  out << found.dump(1) << '\n';
  return out.good() ? EXIT_SUCCESS : EXIT_FAILURE;
}
