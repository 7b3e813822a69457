#include "bench/papers/growth_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>
#include <random>
#include <span>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/threads.h"
#include "tacet/learn/localization/localization_schedule.h"
#include "tacet/learn/method.h"
#include "tacet/numeric/elementary.h"
#include "tacet/optimize/solver/erm.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/single_phase.h"

namespace tacet::bench {
namespace {

constexpr double start = 0.7;  // of each coordinate
constexpr double usual_delta = 1e-6;

using Point = std::vector<double>;

/// Coordinates of records, column by column.
struct Columns {
  std::vector<std::vector<double>> values;
  [[nodiscard]] std::size_t count() const { return values.size(); }
};

Columns draw(std::size_t columns, std::int64_t rows, double kappa, std::mt19937_64& bits) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Columns drawn{std::vector(columns, std::vector<double>(static_cast<std::size_t>(rows)))};
  for (auto& column : drawn.values) {
    for (double& value : column) {
      const double z = uniform(bits);
      value = std::copysign(std::pow(std::fabs(z), 1 / (kappa - 1)), z);
    }
  }
  return drawn;
}

double excess_risk(const Point& x, double kappa) {
  double sum = 0;
  for (const double value : x) {
    const double size = std::fabs(value);
    sum += size <= 1 ? std::pow(size, kappa) / kappa : size - 1 + 1 / kappa;
  }
  return sum / std::sqrt(static_cast<double>(x.size()));
}

/// argmin of mean |x - s| + (weight / 2) (x - c)^2 over ascending s.
double nearest_median(std::span<const double> ascending, double centre, double weight) {
  const auto m = static_cast<double>(ascending.size());
  const auto slope_right_of = [&](std::size_t i) {
    return (2 * static_cast<double>(i + 1) - m) / m + weight * (ascending[i] - centre);
  };
  std::size_t low = 0;
  std::size_t high = ascending.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (slope_right_of(middle) >= 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  const double below = (2 * static_cast<double>(low) - m) / m;
  if (low < ascending.size() && below + weight * (ascending[low] - centre) <= 0) {
    return ascending[low];
  }
  return centre - below / weight;
}

/// Draws doubles: an experiment on schedules, of which nothing is released.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : bits_(seed) {}
  /// Scale of the density exp(-|z| / b), or a standard deviation.
  void add(Point& point, double scale, bool pure) {
    std::normal_distribution<double> normal;
    Point noise(point.size());
    double square = 0;
    for (double& value : noise) {
      value = normal(bits_);
      square += value * value;
    }
    double factor = scale;
    if (pure) {
      std::gamma_distribution<double> length(static_cast<double>(point.size()), scale);
      factor = length(bits_) / std::sqrt(square);
    }
    for (std::size_t j = 0; j < point.size(); ++j) point[j] += factor * noise[j];
  }

 private:
  std::mt19937_64 bits_;
};

void project(Point& point, double radius) {
  double square = 0;
  for (const double value : point) square += value * value;
  const double length = std::sqrt(square);
  if (length <= radius) return;
  for (double& value : point) value *= radius / length;
}

/// The records of one phase, each column ascending; blocks are kept for the next call.
class Sorted {
 public:
  explicit Sorted(const Columns& columns) : columns_(columns) {}
  const Columns& block(std::int64_t first, std::int64_t last) {
    if (first == first_ && last == last_) return sorted_;
    sorted_.values.clear();
    for (const auto& column : columns_.values) {
      sorted_.values.emplace_back(column.begin() + first, column.begin() + last);
      std::ranges::sort(sorted_.values.back());
    }
    first_ = first;
    last_ = last;
    return sorted_;
  }

 private:
  const Columns& columns_;
  Columns sorted_;
  std::int64_t first_ = -1;
  std::int64_t last_ = -1;
};

Point run(const std::vector<learn::LocalPhase>& phases, Sorted& records, std::size_t columns,
          bool pure, Noise& noise) {
  const double root = std::sqrt(static_cast<double>(columns));
  Point x(columns, start);
  for (const auto& phase : phases) {
    const auto& block = records.block(phase.first, phase.last);
    for (std::size_t j = 0; j < columns; ++j) {
      x[j] = nearest_median(block.values[j], x[j], phase.mean_l2 * root);
    }
    noise.add(x, phase.noise, pure);
    project(x, root);
  }
  return x;
}

struct Schedule {
  std::string name;
  std::vector<learn::LocalPhase> phases;
};

learn::LocalFacts facts_of(std::int64_t columns, std::int64_t rows, double delta) {
  return {.rows = rows,
          .columns = columns,
          .lipschitz = 1,
          .gradient_diameter = 2,
          .diameter = 2 * std::sqrt(static_cast<double>(columns)),
          .epsilon = 1,
          .delta = delta};
}

std::vector<Schedule> schedules_of(const learn::LocalFacts& facts) {
  // As the independent program has them: the same budget for every phase.
  const learn::LadderOptions wide{.ratio = 4, .front = 0};
  const learn::LadderOptions growing{.ratio = 4, .min_growth = 3, .front = 0};
  const learn::LadderOptions apart{.ratio = 4, .use = learn::RecordUse::disjoint};
  return {{"one phase", {learn::single_phase_schedule(facts)}},
          {"phased-erm", learn::phased_erm_schedule(facts, learn::Calibration::tight)},
          {"ladder", learn::ladder_schedule(facts)},
          {"ladder, ratio 4", learn::ladder_schedule(facts, wide)},
          {"ladder, ratio 4, growth 3", learn::ladder_schedule(facts, growing)},
          {"ladder, ratio 4, disjoint", learn::ladder_schedule(facts, apart)}};
}

std::vector<Schedule> ratios_of(const learn::LocalFacts& facts) {
  std::vector<Schedule> found;
  for (const double ratio : {2.0, 3.0, 4.0, 8.0}) {
    found.push_back({fmt::format("ladder, ratio {:g}", ratio),
                     learn::ladder_schedule(facts, {.ratio = ratio, .front = 0})});
    found.push_back({fmt::format("ladder, ratio {:g}, budget falling", ratio),
                     learn::ladder_schedule(facts, {.ratio = ratio})});
  }
  return found;
}

void measure_schedules(const Cell& cell, std::size_t columns,
                       const std::vector<Schedule>& schedules, int repetitions,
                       nlohmann::json& found) {
  std::vector<std::vector<double>> errors(schedules.size());
  std::vector<double> plain;
  std::mt19937_64 bits(3);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const auto drawn = draw(columns, cell.rows, cell.kappa, bits);
    Sorted whole(drawn);
    Sorted parts(drawn);
    Noise noise(100 + static_cast<std::uint64_t>(repetition));
    for (std::size_t i = 0; i < schedules.size(); ++i) {
      const auto& phases = schedules[i].phases;
      auto& records = phases.front().records() == cell.rows ? whole : parts;
      errors[i].push_back(
          excess_risk(run(phases, records, columns, cell.delta == 0, noise), cell.kappa));
    }
    Point medians;
    for (const auto& column : whole.block(0, cell.rows).values) {
      medians.push_back(column[column.size() / 2]);
    }
    plain.push_back(excess_risk(medians, cell.kappa));
  }
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    found.push_back(row_of(cell, schedules[i].name, errors[i]));
  }
  found.push_back(row_of(cell, "without privacy", plain));
  std::cerr << fmt::format("{} kappa {} delta {}\n", cell.data, cell.kappa, cell.delta);
}

constexpr std::size_t glm_columns = 10;
constexpr double glm_radius = 5;
constexpr double true_norm = 4;

/// Rows on the sphere, rounded as an encoder rounds, and labels of the logistic model.
class LogisticPopulation {
 public:
  explicit LogisticPopulation(std::uint64_t seed) : bits_(seed), truth_(glm_columns) {
    std::normal_distribution<double> normal;
    for (double& value : truth_) value = normal(bits_);
    scale(truth_, true_norm);
  }
  [[nodiscard]] data::Dataset draw(const data::Schema& schema, std::int64_t rows) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    data::Dataset dataset(schema.shape());
    std::vector<std::int16_t> row(glm_columns);
    Point point(glm_columns);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (double& value : point) value = normal(bits_);
      scale(point, data::Dataset::feature_scale);
      double margin = 0;
      for (std::size_t j = 0; j < glm_columns; ++j) {
        row[j] = static_cast<std::int16_t>(std::trunc(point[j]));
        margin += truth_[j] * row[j] / data::Dataset::feature_scale;
      }
      dataset.append_dense(row, uniform(bits_) < numeric::sigmoid(margin) ? 1 : -1);
    }
    return dataset;
  }

 private:
  static void scale(Point& point, double length) {
    double square = 0;
    for (const double value : point) square += value * value;
    for (double& value : point) value *= length / std::sqrt(square);
  }
  std::mt19937_64 bits_;
  Point truth_;
};

double mean_loss(const data::Dataset& dataset, std::span<const double> weights) {
  double sum = 0;
  for (std::int64_t i = 0; i < dataset.rows(); ++i) {
    const auto row = dataset.dense_row(i);
    double margin = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) margin += weights[j] * row[j];
    sum += numeric::softplus(-dataset.label(i) * margin / data::Dataset::feature_scale);
  }
  return sum / static_cast<double>(dataset.rows());
}

data::Schema glm_schema(std::int64_t rows) {
  data::Schema schema;
  for (std::size_t j = 0; j < glm_columns; ++j) {
    schema.columns.push_back({fmt::format("x{}", j), data::NumericColumn{.lower = 0, .upper = 1}});
  }
  schema.target = {"y", data::BinaryTarget{{"1"}, {"-1"}}};
  schema.intercept = false;
  schema.public_row_count = rows;
  return schema;
}

std::optional<learn::Training> planned(const std::string& method, const data::Schema& schema,
                                       double delta) {
  learn::ParameterValues options{{"adjacency", privacy::Adjacency::replace_one},
                                 {"method", method},
                                 {"epsilon", 1},
                                 {"delta", delta},
                                 {"loss", model::Loss{model::LogisticLoss{}}}};
  if (method != "objective") options.set("radius", glm_radius);
  try {
    return learn::plan_training(schema, options);
  } catch (const base::UsageError&) {
    return std::nullopt;
  } catch (const base::GuaranteeError&) {
    return std::nullopt;
  }
}

void measure_rows(std::int64_t rows, int repetitions, LogisticPopulation& population,
                  const data::Dataset& large, double least, nlohmann::json& found) {
  const std::vector<std::string> methods{"objective", "gradient", "regularized-output", "ladder",
                                         "phased-erm"};
  const auto schema = glm_schema(rows);
  base::ThreadPool threads(1);
  std::vector<data::Dataset> sets;
  for (int i = 0; i < repetitions; ++i) sets.push_back(population.draw(schema, rows));
  for (const double delta : {0.0, usual_delta}) {
    const Cell cell{"glm", 0, rows, 1, delta};
    for (const auto& method : methods) {
      const auto training = planned(method, schema, delta);
      if (!training) continue;
      std::vector<double> errors;
      for (std::size_t i = 0; i < sets.size(); ++i) {
        random::SeededSource source(i + 1);
        privacy::TrustingBudget budget(privacy::Adjacency::replace_one);
        auto reservation = budget.reserve(training->events, training->guarantee);
        const auto trained = training->run(
            sets[i], schema, {.source = source, .reservation = reservation, .threads = threads});
        errors.push_back(mean_loss(large, trained.model.coefficients) - least);
      }
      found.push_back(row_of(cell, method, errors));
    }
    std::vector<double> plain;
    for (const auto& set : sets) {
      plain.push_back(mean_loss(large, optimize::minimise_without_protection(
                                           set, model::LogisticLoss{}, {.mean_l2 = 1e-6}, threads)
                                           .weights) -
                      least);
    }
    found.push_back(row_of(cell, "without privacy", plain));
  }
  std::cerr << fmt::format("glm rows {}\n", rows);
}

}  // namespace

void measure_columns(nlohmann::json& found, int repetitions) {
  for (const double kappa : {1.5, 2.0, 3.0}) {
    for (const double delta : {0.0, usual_delta}) {
      measure_schedules({"20 columns", kappa, 100'000, 1, delta}, 20,
                        schedules_of(facts_of(20, 100'000, delta)), std::max(3, repetitions / 3),
                        found);
      measure_schedules({"5 columns", kappa, 20'000, 1, delta}, 5,
                        ratios_of(facts_of(5, 20'000, delta)), 4 * repetitions, found);
    }
  }
}

void measure_glm(nlohmann::json& found, int repetitions) {
  LogisticPopulation population(2);
  const auto large = population.draw(glm_schema(100'000), 100'000);
  base::ThreadPool threads(1);
  const auto best = optimize::minimise_without_protection(large, model::LogisticLoss{},
                                                          {.mean_l2 = 1e-9}, threads);
  const double least = mean_loss(large, best.weights);
  for (const std::int64_t rows : {1000, 5000, 30'000}) {
    measure_rows(rows, repetitions / 2 + 1, population, large, least, found);
  }
}

}  // namespace tacet::bench
