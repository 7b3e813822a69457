// Excess loss of learners on private reports of synthetic people, judged by local.py.
//
//     local_study CASE SEEDS [NORM]     CASE is A, B or C; one JSON row a line
//
// x is uniform on the sphere of dimension d, |w*| = U, one device a round, seen once. Loss absolute
// with y = <w*, x> + 0.1 N(0, 1), or logistic with P(y = 1) = sigmoid(<w*, x>). Everything is
// measured in units in which |y| <= 1, so that the weights' scale, and with it the rule for the
// initial wealth, is divided by U + 1. The excess is the conditional expectation over y at 4,000
// test points. "oracle" rows are descent with each of 11 steps; local.py takes the best, with the
// true risk, which nobody could.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tacet/base/reducer.h"
#include "tacet/base/threads.h"
#include "tacet/local/report_mean.h"
#include "tacet/local/round_noise.h"
#include "tacet/model/linear_model.h"
#include "tacet/privacy/trusting_budget.h"

namespace {

using namespace tacet;

struct Case {
  std::string name;
  bool absolute;
  std::int64_t dimension;
  double epsilon;
  std::int64_t people;
};

constexpr double label_noise = 0.1;
constexpr int test_points = 4000;

struct People {
  data::Dataset dataset;
  std::vector<double> truth;               // w*, in the original units
  std::vector<std::vector<double>> tests;  // unit vectors
  double scale;                            // labels and weights are divided by it
};

std::vector<double> on_sphere(std::int64_t dimension, std::mt19937_64& bits) {
  std::normal_distribution<double> normal;
  std::vector<double> x(static_cast<std::size_t>(dimension));
  double square = 0;
  for (double& value : x) {
    value = normal(bits);
    square += value * value;
  }
  for (double& value : x) value /= std::sqrt(square);
  return x;
}

double inner(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

double sigmoid(double m) { return 1 / (1 + std::exp(-m)); }

People people_of(const Case& c, double norm, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  People made{
      data::Dataset({.columns = c.dimension, .norm_bound = 1, .storage = data::Storage::dense}),
      on_sphere(c.dimension, bits),
      {},
      c.absolute ? norm + 1 : 1};
  for (double& value : made.truth) value *= norm;
  std::vector<std::int16_t> row(static_cast<std::size_t>(c.dimension));
  for (std::int64_t i = 0; i < c.people; ++i) {
    const auto x = on_sphere(c.dimension, bits);
    for (std::size_t j = 0; j < row.size(); ++j) {
      row[j] = static_cast<std::int16_t>(std::trunc(x[j] * data::Dataset::feature_scale));
    }
    const double margin = inner(made.truth, x);
    const double label = c.absolute ? (margin + label_noise * normal(bits)) / made.scale
                                    : (uniform(bits) < sigmoid(margin) ? 1.0 : -1.0);
    made.dataset.append_dense(row, std::clamp(label, -1.0, 1.0));
  }
  for (int i = 0; i < test_points; ++i) made.tests.push_back(on_sphere(c.dimension, bits));
  return made;
}

/// E|e - s N| for s = label_noise.
double absolute_risk(double e) {
  const double s = label_noise;
  return s * std::sqrt(2 / M_PI) * std::exp(-e * e / (2 * s * s)) +
         e * std::erf(e / (s * std::sqrt(2)));
}

double excess(const Case& c, const People& people, const std::vector<double>& model) {
  double sum = 0;
  for (const auto& x : people.tests) {
    const double best = inner(people.truth, x);
    const double margin = people.scale * inner(model, x);
    if (c.absolute) {
      sum += absolute_risk(margin - best) - absolute_risk(0);
    } else {
      const double p = sigmoid(best);
      const auto risk = [&](double m) {
        return p * std::log1p(std::exp(-m)) + (1 - p) * std::log1p(std::exp(m));
      };
      sum += risk(margin) - risk(best);
    }
  }
  return sum / test_points;
}

struct Entry {
  std::string name;
  mechanism::LocalMechanism mechanism;
  mechanism::Embedding embedding = mechanism::Embedding::sign;
  std::optional<local::CertificateKind> certificate = std::nullopt;
  bool paper = false;
  local::PointAverage average = local::PointAverage::uniform;
  double step_size = 0;  // of descent, in units of the original weights
};

local::LocalPlan plan_of(const Case& c, const Entry& entry, double scale) {
  local::LocalPlan plan;
  plan.loss = c.absolute ? model::Loss{model::AbsoluteLoss{}} : model::Loss{model::LogisticLoss{}};
  plan.columns = c.dimension;
  plan.public_row_count = c.people;
  plan.rounds = c.people;
  plan.randomizer = mechanism::LocalRandomizer::calibrate({.mechanism = entry.mechanism,
                                                           .epsilon = c.epsilon,
                                                           .dimension = c.dimension,
                                                           .clipping_norm = 1,
                                                           .embedding = entry.embedding});
  plan.events = mechanism::DeviceReports::event(*plan.randomizer, 1);
  plan.guarantee = {c.epsilon, 0, privacy::Adjacency::replace_one};
  const auto& noise = plan.randomizer->noise();
  if (entry.step_size > 0) {
    plan.learner =
        local::LocalSgdSettings{.dimension = c.dimension, .step_size = entry.step_size / scale};
    return plan;
  }
  local::BancoSettings banco{.dimension = c.dimension, .average = entry.average};
  if (entry.paper) {
    banco.certificate = local::paper_certificate({.dimension = c.dimension, .epsilon = c.epsilon});
    banco.initial_wealth = 1 / scale;
  } else {
    banco.certificate = local::resolve_certificate(noise, 1, entry.certificate);
    banco.initial_wealth = local::usual_initial_wealth(1 / scale, c.people, noise.variance, 1);
  }
  plan.learner = banco;
  return plan;
}

template <typename Learner>
std::vector<double> learned(Learner learner, const People& people, const local::LocalPlan& plan,
                            std::uint64_t seed) {
  random::SeededSource source(seed);
  privacy::TrustingBudget budget(privacy::Adjacency::replace_one);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool threads(1);
  base::LocalReducer reducer;
  const learn::TrainingContext means{
      .source = source, .reservation = reservation, .threads = threads, .reducer = reducer};
  local::ReportMean reports(people.dataset, plan, means);
  std::vector<double> point(static_cast<std::size_t>(plan.columns));
  for (std::int64_t i = 0; i < plan.rounds; ++i) {
    learner.point(point);
    const std::int64_t device = i;  // the people are drawn at random already
    learner.observe({reports.of(point, {&device, 1}, i)});
  }
  return learner.model();
}

std::vector<Entry> entries_of(const Case& c) {
  using local::CertificateKind;
  using mechanism::LocalMechanism;
  const auto privunit = LocalMechanism::privunit;
  std::vector<Entry> entries{
      {.name = "paper, l2_laplace", .mechanism = LocalMechanism::l2_laplace, .paper = true},
      {.name = "known noise, l2_laplace", .mechanism = LocalMechanism::l2_laplace},
      {.name = "symmetric, l2_laplace",
       .mechanism = LocalMechanism::l2_laplace,
       .certificate = CertificateKind::symmetric},
      {.name = "known noise, privunit",
       .mechanism = privunit,
       .certificate = CertificateKind::known_noise},
      {.name = "bounded, privunit", .mechanism = privunit},
      {.name = "bounded, privunit, anytime",
       .mechanism = privunit,
       .average = local::PointAverage::anytime},
      {.name = "bounded, privunit, lift, anytime",
       .mechanism = privunit,
       .embedding = mechanism::Embedding::lift,
       .average = local::PointAverage::anytime}};
  if (c.name != "A") return entries;
  for (int k = 0; k <= 10; ++k) {
    const double step = 1e-4 * std::pow(10, k / 2.0);
    entries.push_back({.name = fmt::format("descent, privunit, step {:.1e}", step),
                       .mechanism = privunit,
                       .step_size = step});
  }
  return entries;
}

}  // namespace

int main(int count, char** words) {
  const std::string which = count > 1 ? words[1] : "A";
  const auto seeds = static_cast<std::uint64_t>(count > 2 ? std::atoll(words[2]) : 5);
  const Case c = which == "A"   ? Case{"A", true, 10, 1, 40000}
                 : which == "B" ? Case{"B", false, 10, 4, 20000}
                                : Case{"C", true, 50, 4, 20000};
  const auto norms =
      count > 3 ? std::vector{std::atof(words[3])} : std::vector{0.5, 2.0, 8.0, 32.0};
  for (const double norm : norms) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const auto people = people_of(c, norm, 1000 * seed + static_cast<std::uint64_t>(norm * 10));
      const auto print = [&](const std::string& name, double found) {
        std::cout << nlohmann::json{{"case", c.name},
                                    {"norm", norm},
                                    {"seed", seed},
                                    {"name", name},
                                    {"excess", found}}
                         .dump()
                  << std::endl;
      };
      print("zero", excess(c, people, std::vector<double>(people.truth.size(), 0.0)));
      for (const auto& entry : entries_of(c)) {
        const auto plan = plan_of(c, entry, people.scale);
        const auto model = std::visit(
            [&](const auto& settings) {
              if constexpr (requires { settings.step_size; }) {
                return learned(local::LocalSgd(settings), people, plan, seed);
              } else {
                return learned(local::Banco(settings), people, plan, seed);
              }
            },
            plan.learner);
        print(entry.name, excess(c, people, model));
      }
    }
  }
  return EXIT_SUCCESS;
}
