// Time and memory of the method ladder on a million dense records of a hundred columns, one thread.
//
//     ladder_bench [FILE] [ROWS]
//
// writes its rows as JSON: loss, delta, CPU seconds, and the peak of memory over the encoded
// records.
//
// Time is the processor's, so that other programs on the machine count little. Memory is what the
// whole program holds at most, less what it held before the first record was made, over two bytes a
// feature and 16 a record.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <algorithm>
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
#include "tacet/learn/method.h"
#include "tacet/privacy/trusting_budget.h"

namespace {

using namespace tacet;

constexpr std::int64_t column_count = 100;
constexpr double epsilon = 1;

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

data::Schema schema_of(bool classes, std::int64_t rows) {
  data::Schema schema;
  for (std::int64_t j = 0; j < column_count; ++j) {
    schema.columns.push_back({fmt::format("x{}", j), data::NumericColumn{.lower = -1, .upper = 1}});
  }
  if (classes) {
    schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  } else {
    schema.target = {"y", data::RegressionTarget{-1, 1}};
  }
  schema.intercept = false;
  schema.public_row_count = rows;
  return schema;
}

// Rows of norm at most 1, labels that a linear model explains in part; for classes their signs
// count.
data::Dataset dataset_of(std::int64_t rows) {
  data::Dataset made({.columns = column_count, .norm_bound = 1, .storage = data::Storage::dense});
  std::mt19937_64 bits(100);
  std::uniform_int_distribution<int> feature(-204, 204);
  std::normal_distribution<double> normal;
  std::vector<double> truth(column_count);
  for (auto& w : truth) w = normal(bits) / 1024;
  std::vector<std::int16_t> row(column_count);
  for (std::int64_t i = 0; i < rows; ++i) {
    double signal = normal(bits);
    for (std::size_t j = 0; j < row.size(); ++j) {
      row[j] = static_cast<std::int16_t>(feature(bits));
      signal += truth[j] * row[j];
    }
    made.append_dense(row, std::clamp(signal / 8, -1.0, 1.0));
  }
  return made;
}

double train(const data::Dataset& dataset, const data::Schema& schema, const model::Loss& loss,
             double delta) {
  learn::ParameterValues options{{"adjacency", privacy::Adjacency::replace_one},
                                 {"method", "ladder"},
                                 {"epsilon", epsilon},
                                 {"delta", delta},
                                 {"loss", loss}};
  const auto training = learn::plan_training(schema, options);
  random::SeededSource source(1);
  privacy::TrustingBudget budget(common_options(options).adjacency);
  auto reservation = budget.reserve(training.events, training.guarantee);
  base::ThreadPool threads(1);
  const double before = usage().seconds;
  (void)training.run(dataset, schema,
                     {.source = source, .reservation = reservation, .threads = threads});
  return usage().seconds - before;
}

}  // namespace

int main(int count, char** words) {
  const std::string file = count > 1 ? words[1] : "build/results/speed/ladder.json";
  if (count < 2) std::filesystem::create_directories("build/results/speed");
  const std::int64_t rows = count > 2 ? std::atoll(words[2]) : 1'000'000;
  auto found = nlohmann::json::array();
  const double before = usage().peak_bytes;
  const auto dataset = dataset_of(rows);
  const double encoded = static_cast<double>(rows) * (2.0 * column_count + 16);
  for (const model::Loss& loss :
       std::vector<model::Loss>{model::LogisticLoss{}, model::HingeLoss{}, model::AbsoluteLoss{},
                                model::SquaredLoss{}}) {
    const auto schema = schema_of(model::properties(loss).classification, rows);
    for (const double delta : {0.0, 1e-6}) {
      const double seconds = train(dataset, schema, loss, delta);
      const double memory = (usage().peak_bytes - before) / encoded;
      fmt::print("{:10} delta {:<6g} {:7.2f} s  memory {:.3f} of the records\n",
                 model::loss_name(loss), delta, seconds, memory);
      std::cout.flush();
      found.push_back({{"loss", model::loss_name(loss)},
                       {"delta", delta},
                       {"rows", rows},
                       {"columns", column_count},
                       {"cpu_seconds", seconds},
                       {"peak_over_encoded", memory}});
    }
  }
  std::ofstream out(file);
  out << found.dump(1) << '\n';
  return out.good() ? EXIT_SUCCESS : EXIT_FAILURE;
}
