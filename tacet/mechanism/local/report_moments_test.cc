// Moments and marginals of decoded reports, drawn as they are released. Those of more than 100
// dimensions, where 10^6 reports take hours, are bench/local/local_moments.cc's.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <thread>
#include <vector>

#include "tacet/mechanism/local/release_report.h"
#include "tacet/privacy/certifier.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::mechanism {
namespace report_moments_test {

LocalRandomizer randomizer_of(LocalMechanism mechanism, std::int64_t d, double epsilon,
                              Embedding embedding) {
  return LocalRandomizer::calibrate({.mechanism = mechanism,
                                     .epsilon = epsilon,
                                     .delta = mechanism == LocalMechanism::gaussian ? 1e-6 : 0,
                                     .dimension = d,
                                     .embedding = embedding});
}

/// Many devices with one gradient, `share` of the bound along the diagonal of the first two axes.
class Sender {
 public:
  Sender(const LocalRandomizer& randomizer, double share, std::uint64_t seed)
      : randomizer_(randomizer),
        source_(seed),
        budget_(privacy::Adjacency::replace_one),
        permit_(budget_.reserve(DeviceReports::event(randomizer, 1),
                                {1, 0, privacy::Adjacency::replace_one})),
        devices_(randomizer, std::int64_t{1} << 22, 1, permit_),
        values_(static_cast<std::size_t>(randomizer.spec().dimension)) {
    const double length = std::ldexp(share, randomizer.norm_bits());
    if (values_.size() == 1) {
      values_[0] = std::llround(length);
    } else {
      values_[0] = static_cast<std::int64_t>(0.6 * length);
      values_[1] = static_cast<std::int64_t>(0.8 * length);
    }
  }

  void send(std::vector<double>& estimate) {
    const double grid = std::ldexp(randomizer_.spec().clipping_norm, -randomizer_.norm_bits());
    auto gradient = privacy::PartialSum::from_certified(
        privacy::Certifier::clipped(),
        privacy::BoundedSum::from_certified(privacy::Certifier::clipped(), values_, grid,
                                            std::int64_t{1} << randomizer_.norm_bits()),
        privacy::OneRecord{step_});
    const auto report =
        devices_.release(std::move(gradient), {.step = static_cast<std::uint64_t>(step_)}, source_);
    ++step_;
    estimate.resize(values_.size());
    decode(report.value(), randomizer_, estimate);
  }

 private:
  const LocalRandomizer& randomizer_;
  random::SeededSource source_;
  privacy::TrustingBudget budget_;
  privacy::Reservation permit_;
  DeviceReports devices_;
  std::vector<std::int64_t> values_;
  std::int64_t step_ = 0;
};

/// A mean with its standard error.
struct Mean {
  double sum = 0;
  double square = 0;
  double count = 0;
  void add(double x) {
    sum += x;
    square += x * x;
    ++count;
  }
  [[nodiscard]] double value() const { return sum / count; }
  [[nodiscard]] double error() const {
    return std::sqrt(std::max(square / count - value() * value(), 0.0) / count);
  }
};

void expect_mean(const Mean& mean, double expected) {
  EXPECT_NEAR(mean.value(), expected, 5 * mean.error() + 2e-7 * (1 + std::fabs(expected)));
}

/// Mean, covariance and second moment of `runs` reports against what the noise model says, within 5
/// standard errors (a correct program fails in one of the numbers with a probability of 6e-7).
void check_moments(const LocalRandomizer& randomizer, double share, int runs) {
  const LocalSpec& spec = randomizer.spec();
  SCOPED_TRACE(testing::Message() << local_mechanism_names.of(spec.mechanism) << " "
                                  << embedding_names.of(spec.embedding) << " d " << spec.dimension
                                  << " epsilon " << spec.epsilon << " norm " << share);
  Sender sender(randomizer, share, 31);
  const bool one = spec.dimension == 1;
  // The gradient's direction; that of no gradient is the first axis.
  const double c = share == 0 ? 1 : 0.6;
  const double s = share == 0 ? 0 : 0.8;
  std::vector<double> estimate;
  Mean along;
  Mean across;
  Mean along_square;
  Mean across_square;
  Mean mixed;
  Mean length;
  for (int i = 0; i < runs; ++i) {
    sender.send(estimate);
    const double u = one ? estimate[0] : c * estimate[0] + s * estimate[1];
    const double v = one ? 0 : s * estimate[0] - c * estimate[1];
    along.add(u);
    across.add(v);
    along_square.add((u - share) * (u - share));
    across_square.add(v * v);
    mixed.add((u - share) * v);
    double square = 0;
    for (const double x : estimate) square += x * x;
    length.add(square);
  }
  const NoiseModel& noise = randomizer.noise();
  expect_mean(along, share);
  expect_mean(across, 0);
  expect_mean(mixed, 0);
  expect_mean(length, noise.second_moment(share));
  if (spec.mechanism == LocalMechanism::djw) return;  // not alike in all directions
  // Under sign the random sign adds G^2 - |g|^2 along the gradient; under lift nothing is added,
  // for any gradient.
  const bool sign = reports_direction(spec.mechanism) && spec.embedding == Embedding::sign;
  expect_mean(along_square, noise.variance + (sign ? 1 - share * share : 0));
  if (!one) expect_mean(across_square, noise.variance);
}

constexpr LocalMechanism mechanisms[] = {
    LocalMechanism::privunit,   LocalMechanism::privunitg,          LocalMechanism::djw,
    LocalMechanism::l2_laplace, LocalMechanism::coordinate_laplace, LocalMechanism::gaussian};

/// One randomiser, and gradients of `share` of the bound.
struct Cell {
  LocalRandomizer randomizer;
  double share;

  /// Random words of a report: about what it takes in time.
  [[nodiscard]] double work() const {
    const bool joint = randomizer.spec().mechanism == LocalMechanism::l2_laplace;
    return 1000 + randomizer.expected_candidates() *
                      static_cast<double>(randomizer.report_coordinates()) * (joint ? 50 : 1);
  }
};

/// All cells, the longest first, on as many threads as there are: each by itself, so that the
/// numbers do not depend on them.
void check_cells(std::vector<Cell> cells, int reports) {
  std::ranges::sort(cells, std::greater<>(), &Cell::work);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < cells.size(); i = next++) {
      check_moments(cells[i].randomizer, cells[i].share, reports);
    }
  };
  std::vector<std::thread> others(std::max(1U, std::thread::hardware_concurrency()) - 1);
  for (auto& thread : others) thread = std::thread(work);
  work();
  for (auto& thread : others) thread.join();
}

TEST(ReportMomentsLong, AreThoseOfTheNoiseModel) {
  // d in {1, 2, 3, 10}, |g| in {0, G/2, G}, 200,000 reports each.
  std::vector<Cell> cells;
  for (const auto mechanism : mechanisms) {
    for (const std::int64_t d : {1, 2, 3, 10}) {
      for (const double share : {0.0, 0.5, 1.0}) {
        for (const auto embedding : {Embedding::sign, Embedding::lift}) {
          if (embedding == Embedding::lift && !reports_direction(mechanism)) continue;
          cells.push_back({randomizer_of(mechanism, d, 2, embedding), share});
        }
      }
    }
  }
  check_cells(std::move(cells), 200'000);
}

/// The largest distance of a sample's distribution function from the law's, times sqrt(n).
double kolmogorov(std::vector<double> sample, const std::function<double(double)>& law) {
  std::ranges::sort(sample);
  const auto n = static_cast<double>(sample.size());
  double worst = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double p = law(sample[i]);
    const auto below = static_cast<double>(i);
    worst = std::max({worst, std::fabs(p - below / n), std::fabs(p - (below + 1) / n)});
  }
  return worst * std::sqrt(n);
}

/// The coordinate along g of reports at |g| = G, less the gradient's own where noise is added.
std::vector<double> marginal(const LocalRandomizer& randomizer, int runs, double less) {
  Sender sender(randomizer, 1, 41);
  std::vector<double> estimate;
  std::vector<double> sample;
  for (int i = 0; i < runs; ++i) {
    sender.send(estimate);
    sample.push_back((estimate.size() == 1 ? estimate[0] : 0.6 * estimate[0] + 0.8 * estimate[1]) -
                     less);
  }
  return sample;
}

TEST(ReportMoments, MarginalsHaveTheirLaws) {
  // P(sqrt(n) D > 2.4) = 2e-5 (Kolmogorov).
  constexpr int runs = 10000;
  const double theta = 2.0;  // 2 G / epsilon
  const auto one = randomizer_of(LocalMechanism::l2_laplace, 1, 1, Embedding::sign);
  EXPECT_LT(kolmogorov(marginal(one, runs, 1),
                       [&](double x) {
                         const double tail = 0.5 * std::exp(-std::fabs(x) / theta);
                         return x < 0 ? tail : 1 - tail;
                       }),
            2.4);
  const auto three = randomizer_of(LocalMechanism::l2_laplace, 3, 1, Embedding::sign);
  EXPECT_LT(kolmogorov(marginal(three, runs, 1),
                       [&](double x) {
                         const double r = std::fabs(x) / theta;
                         const double tail = 0.5 * std::exp(-r) * (1 + r / 2);
                         return x < 0 ? tail : 1 - tail;
                       }),
            2.4);
  // PrivUnit, d = 3: tau is uniform outside and inside the cap (Archimedes).
  const auto sphere = randomizer_of(LocalMechanism::privunit, 3, 4, Embedding::sign);
  const NoiseModel& noise = sphere.noise();
  EXPECT_LT(kolmogorov(marginal(sphere, runs, 0),
                       [&](double x) {
                         const double tau = std::clamp(x / *noise.norm, -1.0, 1.0);
                         const double gamma = noise.threshold;
                         if (tau < gamma) return (1 - noise.inside) * (tau + 1) / (gamma + 1);
                         return 1 - noise.inside * (1 - tau) / (1 - gamma);
                       }),
            2.4);
}

TEST(ReportMomentsLong, ReproduceTheTables) {
  // The tables of docs/methods/local-randomizers.md up to d = 100, 10^6 reports a cell;
  // noise_model_test holds the printed numbers against the model. Under `sign` the second moment is
  // that of every gradient, so that one column serves both tables.
  std::vector<Cell> cells;
  for (const double epsilon : {0.5, 1.0, 2.0, 4.0, 8.0}) {
    for (const std::int64_t d : {1, 2, 3, 10, 100}) {
      for (const double share : {0.0, 1.0}) {
        cells.push_back(
            {randomizer_of(LocalMechanism::privunit, d, epsilon, Embedding::lift), share});
      }
      for (const auto mechanism : mechanisms) {
        const bool in_table = mechanism == LocalMechanism::privunit || (d != 1 && d != 3);
        if (in_table) cells.push_back({randomizer_of(mechanism, d, epsilon, Embedding::sign), 1});
      }
    }
  }
  check_cells(std::move(cells), 1'000'000);
}

}  // namespace report_moments_test
}  // namespace tacet::mechanism
