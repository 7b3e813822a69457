// What lying devices do to the accuracy, with the randomisers and learners that ship; judged and
// kept by local_liars.py.
//
//     local_lying MECHANISM SEEDS [PEOPLE]     one JSON row a run
//
// 16,000 PEOPLE with x uniform on the sphere of dimension 10 and P(y = 1) = sigmoid(<w*, x>),
// |w*| = 12, epsilon 4 (gaussian: the usual delta), one report each, defaults but for the batch.
// The accuracy is the expectation over 10,000 test points. A share of the devices lies:
//
//     constant   one direction that has nothing to do with the problem, as long as can be
//     flipped    their own report, turned round
//     longest    the largest numbers that the wire takes, in every coordinate
//     mimicry    an honest report of the record with the other class
//     colluding  what leads to the opposite of the best model, which they know, as long as can be

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tacet/local/service/round_learner.h"
#include "tacet/mechanism/local/release_report.h"
#include "tacet/optimize/sums/record_gradient.h"
#include "tacet/privacy/trusting_budget.h"

namespace {

using namespace tacet;

constexpr std::size_t dimension = 10;
constexpr double truth_norm = 12;
constexpr int test_points = 10000;

using Vector = std::vector<double>;

/// How a round's reports are put together.
struct Way {
  std::string name;
  std::int64_t batch;
  std::int64_t groups;
  double trim;
};
const std::vector<Way> ways{{"mean of 4", 4, 0, 0.5},
                            {"mean of 64", 64, 0, 0.5},
                            {"median of 16 groups of 4", 64, 16, 0.5},
                            {"16 groups of 4 without 1/4 at each end", 64, 16, 0.25},
                            {"64 reports without 1/10 at each end", 64, 64, 0.1}};
const std::vector<std::string> kinds{"constant", "flipped", "longest", "mimicry", "colluding"};
const std::vector<double> shares{0.01, 0.05, 0.1};

double inner(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

Vector on_sphere(std::mt19937_64& bits) {
  std::normal_distribution<double> normal;
  Vector x(dimension);
  for (double& value : x) value = normal(bits);
  const double norm = std::sqrt(inner(x, x));
  for (double& value : x) value /= norm;
  return x;
}

double sigmoid(double m) { return 1 / (1 + std::exp(-m)); }

struct Population {
  explicit Population(std::uint64_t seed, std::int64_t people) {
    std::mt19937_64 bits(seed);
    std::uniform_real_distribution<double> uniform;
    best = on_sphere(bits);
    elsewhere = on_sphere(bits);
    std::vector<std::int16_t> row(dimension);
    for (std::int64_t i = 0; i < people; ++i) {
      const auto x = on_sphere(bits);
      for (std::size_t j = 0; j < dimension; ++j) {
        row[j] = static_cast<std::int16_t>(std::trunc(x[j] * data::Dataset::feature_scale));
      }
      const double label = uniform(bits) < sigmoid(truth_norm * inner(best, x)) ? 1.0 : -1.0;
      records.append_dense(row, label);
      turned.append_dense(row, -label);
    }
    for (int i = 0; i < test_points; ++i) tests.push_back(on_sphere(bits));
  }
  [[nodiscard]] double accuracy(const Vector& model) const {
    double sum = 0;
    for (const auto& x : tests) {
      const double chance = sigmoid(truth_norm * inner(best, x));
      sum += inner(model, x) > 0 ? chance : 1 - chance;
    }
    return sum / test_points;
  }

  data::DatasetShape shape{.columns = static_cast<std::int64_t>(dimension),
                           .norm_bound = 1,
                           .storage = data::Storage::dense};
  data::Dataset records{shape};
  data::Dataset turned{shape};  // with the other class
  Vector best;
  Vector elsewhere;
  std::vector<Vector> tests;
};

local::Task task_of(const std::string& mechanism, const Way& way, std::int64_t people) {
  std::string schema = "name = \"sphere\"\n[target]\ncolumn = \"y\"\npositive = \"1\"\n";
  for (std::size_t i = 0; i < dimension; ++i) {
    schema +=
        fmt::format("[[column]]\nname = \"x{}\"\nkind = \"numeric\"\nlower = -1\nupper = 1\n", i);
  }
  return local::make_task(data::schema_from_toml("intercept = false\n" + schema, "sphere.toml"),
                          {{"epsilon", "4"},
                           {"mechanism", mechanism},
                           {"public-row-count", std::to_string(people)},
                           {"batch-size", std::to_string(way.batch)}},
                          {.robust_groups = way.groups, .trim = way.trim});
}

/// All devices of a run, liars too.
class Devices {
 public:
  Devices(const Population& population, const local::Task& task, std::uint64_t seed)
      : population_(population),
        randomizer_(task.randomizer()),
        source_(seed),
        honest_(population.records, task.plan.loss, how()),
        turned_(population.turned, task.plan.loss, how()) {}

  [[nodiscard]] mechanism::Report report(const Vector& point, std::int64_t device) {
    return released(honest_, point, device);
  }

  [[nodiscard]] mechanism::Report lie(const std::string& kind, const Vector& point,
                                      std::int64_t device) {
    if (kind == "mimicry") return released(turned_, point, device);
    if (kind == "constant") return towards(population_.elsewhere);
    if (kind == "colluding") return towards(population_.best);
    if (kind == "longest") {
      return {std::vector<std::int32_t>(coordinates(), std::numeric_limits<std::int32_t>::max())};
    }
    auto own = report(point, device);
    for (auto& value : own.coordinates) value = -value;
    return own;
  }

 private:
  [[nodiscard]] optimize::ContributionLimit how() const {
    return {.clipping_norm = randomizer_.spec().clipping_norm,
            .norm_bits = randomizer_.norm_bits()};
  }
  [[nodiscard]] std::size_t coordinates() const {
    return static_cast<std::size_t>(randomizer_.report_coordinates());
  }

  [[nodiscard]] mechanism::Report released(const optimize::RecordGradient& gradients,
                                           const Vector& point, std::int64_t device) {
    auto reservation = budget_.reserve(randomizer_.event(), {4, 1e-6, adjacency});
    return mechanism::release_report(gradients.at(point, device), randomizer_,
                                     {.step = static_cast<std::uint64_t>(device)}, source_,
                                     reservation)
        .value();
  }

  /// The server brings a direction to its length; other numbers it cuts to the longest.
  [[nodiscard]] mechanism::Report towards(const Vector& direction) const {
    constexpr double most = std::numeric_limits<std::int32_t>::max();
    const double unit =
        std::ldexp(randomizer_.spec().clipping_norm, -randomizer_.norm_bits());  // of the grid
    const double length =
        randomizer_.noise().norm ? 0x1p28 : 2 * randomizer_.noise().max_norm / unit;
    mechanism::Report report{std::vector<std::int32_t>(coordinates())};
    for (std::size_t j = 0; j < direction.size(); ++j) {
      report.coordinates[j] =
          static_cast<std::int32_t>(std::clamp(length * direction[j], -most, most));
    }
    return report;
  }

  static constexpr auto adjacency = privacy::Adjacency::replace_one;
  const Population& population_;
  const mechanism::LocalRandomizer& randomizer_;
  random::SeededSource source_;
  privacy::TrustingBudget budget_{adjacency};
  optimize::RecordGradient honest_;
  optimize::RecordGradient turned_;
};

nlohmann::json run(const Population& population, const local::Task& task, const std::string& kind,
                   double share, std::uint64_t seed) {
  Devices devices(population, task, seed);
  std::mt19937_64 bits(seed);
  std::uniform_real_distribution<double> uniform;
  local::RoundLearner learner(task, local::GroupOrder(std::string(32, 'k')));
  auto point = learner.point();
  for (std::int64_t device = 0; device < task.places(); ++device) {
    const auto report =
        uniform(bits) < share ? devices.lie(kind, point, device) : devices.report(point, device);
    if (learner.add(report) == local::RoundLearner::Step::filled) point = learner.point();
  }
  return {{"lies", kind},
          {"share", share},
          {"seed", seed},
          {"accuracy", population.accuracy(learner.model())},
          {"refused", learner.bounded().refused},
          {"best", population.accuracy(population.best)}};
}

}  // namespace

int main(int count, char** words) {
  if (count < 3 || count > 4) {
    std::cerr << "local_lying MECHANISM SEEDS [PEOPLE]\n";
    return EXIT_FAILURE;
  }
  const std::string mechanism = words[1];
  const auto seeds = static_cast<std::uint64_t>(std::atoll(words[2]));
  const std::int64_t people = count > 3 ? std::atoll(words[3]) : 16000;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Population population(seed, people);
    for (const auto& way : ways) {
      const auto task = task_of(mechanism, way, people);
      const auto print = [&](const std::string& kind, double share) {
        auto row = run(population, task, kind, share, seed);
        row["mechanism"] = mechanism;
        row["way"] = way.name;
        row["report_norm"] = task.randomizer().noise().max_norm;
        std::cout << row.dump() << std::endl;
      };
      print("none", 0);
      for (const auto& kind : kinds) {
        for (const double share : shares) print(kind, share);
      }
    }
  }
  return EXIT_SUCCESS;
}
