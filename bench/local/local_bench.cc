// Speed of learning from private reports, one core, beside what it is compared with in the same
// run.
//
//     local_bench [FILE] [CLIENTS]    writes its rows (name, value, unit, baseline, ratio) as JSON
//
// `observe`: reports that BANCO reads a second, beside the same bookkeeping of plain descent.
// `simulated`: CPU seconds for CLIENTS devices (10^6) of 100 columns, gradient, PrivUnit report,
// decoding and learner included, beside descent that reads the same clients without any privacy;
// and the memory beyond the encoded records.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/local/local_simulation.h"
#include "tacet/model/linear_model.h"
#include "tacet/privacy/trusting_budget.h"

namespace {

using namespace tacet;

constexpr std::int64_t columns = 100;

struct Usage {
  double seconds;
  double peak_bytes;
};

Usage usage() {
  rusage now{};
  getrusage(RUSAGE_SELF, &now);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {seconds(now.ru_utime) + seconds(now.ru_stime),
          1024.0 * static_cast<double>(now.ru_maxrss)};
}

std::vector<double> normal_vector(std::size_t size, std::mt19937_64& bits) {
  std::normal_distribution<double> normal;
  std::vector<double> values(size);
  for (double& value : values) value = normal(bits);
  return values;
}

/// Reports a second.
template <typename Learner>
double observed_per_second(Learner learner, std::int64_t rounds) {
  std::mt19937_64 bits(7);
  const auto size = learner.model().size();
  std::vector<std::vector<double>> reports;
  // With their negatives: what repeats would be learned, and diverge. Few where they are long: a
  // report that was just decoded is in the cache.
  for (std::size_t i = 0; i < (size > 10'000 ? 1 : 8); ++i) {
    reports.push_back(normal_vector(size, bits));
    reports.push_back(reports.back());
    for (double& value : reports.back()) value = -value;
  }
  const double before = usage().seconds;
  for (std::int64_t t = 0; t < rounds; ++t) {
    if (learner.observe({reports[static_cast<std::size_t>(t) % reports.size()]}) !=
        local::Observed::taken) {
      std::abort();
    }
  }
  return static_cast<double>(rounds) / (usage().seconds - before);
}

nlohmann::json observe_row(std::int64_t dimension, std::int64_t rounds) {
  const double bound = 3 * std::sqrt(static_cast<double>(dimension));
  const double banco = observed_per_second(
      local::Banco({.dimension = dimension, .certificate = local::bounded_certificate(bound)}),
      rounds);
  const double plain =
      observed_per_second(local::LocalSgd({.dimension = dimension, .step_size = 1e-6}), rounds);
  return {{"name", fmt::format("observe, {} dimensions", dimension)},
          {"value", banco},
          {"unit", "reports/s"},
          {"baseline", plain},
          {"ratio", banco / plain}};
}

data::Schema schema_of(std::int64_t clients) {
  data::Schema schema;
  for (std::int64_t j = 0; j < columns; ++j) {
    schema.columns.push_back({fmt::format("x{}", j), data::NumericColumn{.lower = -1, .upper = 1}});
  }
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.intercept = false;
  schema.public_row_count = clients;
  return schema;
}

data::Dataset dataset_of(std::int64_t clients) {
  data::Dataset made({.columns = columns, .norm_bound = 1, .storage = data::Storage::dense});
  std::mt19937_64 bits(100);
  std::uniform_int_distribution<int> feature(-204, 204);
  const auto truth = normal_vector(columns, bits);
  std::vector<std::int16_t> row(columns);
  for (std::int64_t i = 0; i < clients; ++i) {
    double signal = 0;
    for (std::size_t j = 0; j < row.size(); ++j) {
      row[j] = static_cast<std::int16_t>(feature(bits));
      signal += truth[j] * row[j];
    }
    made.append_dense(row, signal < 0 ? -1 : 1);
  }
  return made;
}

double simulated_seconds(const data::Dataset& dataset, const data::Schema& schema, double epsilon) {
  local::LocalOptions options;
  options.epsilon = epsilon;
  options.loss = model::LogisticLoss{};
  const auto plan = local::plan_local(schema, options);
  random::SeededSource source(1);
  privacy::TrustingBudget budget(privacy::Adjacency::replace_one);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool threads(1);
  const double before = usage().seconds;
  (void)local::simulate_devices(dataset, schema, plan,
                                {.source = source, .reservation = reservation, .threads = threads});
  return usage().seconds - before;
}

/// The same pass over the records without any privacy.
double plain_seconds(const data::Dataset& dataset) {
  const double before = usage().seconds;
  std::vector<double> weights(columns, 0.0);
  for (std::int64_t i = 0; i < dataset.rows(); ++i) {
    const auto row = dataset.dense_row(i);
    const double slope =
        model::loss_slope(model::LogisticLoss{}, model::margin(weights, row), dataset.label(i));
    for (std::size_t j = 0; j < weights.size(); ++j) {
      weights[j] -= 1e-3 * slope * row[j] / data::Dataset::feature_scale;
    }
  }
  if (!std::isfinite(weights[0])) std::abort();
  return usage().seconds - before;
}

}  // namespace

int main(int count, char** words) {
  const std::string file = count > 1 ? words[1] : "build/results/local/speed.json";
  if (count < 2) std::filesystem::create_directories("build/results/local");
  const std::int64_t clients = count > 2 ? std::atoll(words[2]) : 1'000'000;
  auto found = nlohmann::json::array();
  const auto keep = [&](const nlohmann::json& row) {
    fmt::print("{:36} {:12.5g} {:10} baseline {:12.5g} ratio {:.3g}\n",
               row["name"].get<std::string>(), row["value"].get<double>(),
               row["unit"].get<std::string>(), row["baseline"].get<double>(),
               row["ratio"].get<double>());
    std::cout.flush();
    found.push_back(row);
  };
  keep(observe_row(10, 1'000'000));
  keep(observe_row(100'000, 10'000));
  const auto dataset = dataset_of(clients);
  const auto schema = schema_of(clients);
  const double plain = plain_seconds(dataset);
  for (const double epsilon : {1.0, 4.0}) {
    const double seconds = simulated_seconds(dataset, schema, epsilon);
    keep({{"name", fmt::format("simulated, {} clients, epsilon {:g}", clients, epsilon)},
          {"value", seconds},
          {"unit", "CPU s"},
          {"baseline", plain},
          {"ratio", seconds / plain}});
  }
  const double beyond =
      (usage().peak_bytes - static_cast<double>(dataset.memory_bytes())) / 1048576;
  keep({{"name", "memory beyond the encoded records"},
        {"value", beyond},
        {"unit", "MB"},
        {"baseline", static_cast<double>(dataset.memory_bytes()) / 1048576},
        {"ratio", 1 + beyond * 1048576 / static_cast<double>(dataset.memory_bytes())}});
  std::ofstream out(file);
  out << found.dump(1) << '\n';
  return out.good() ? EXIT_SUCCESS : EXIT_FAILURE;
}
