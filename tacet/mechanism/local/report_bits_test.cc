// What the low bits and the number of draws of a report could tell, and that they do not.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "tacet/mechanism/local/sphere_report.h"
#include "tacet/random/noise/rounded_gaussian.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism {
namespace report_bits_test {

SphereCap cap_of(std::int64_t d, double epsilon) {
  const CapPlan plan{CapShape::angle, d, epsilon};
  return make_cap(plan, best_threshold(plan));
}

/// The report of one client's keystream block.
ChosenCandidate chosen_of(const random::KeystreamBlock& block, const SphereCap& cap,
                          const CapDirection& direction, bool inside) {
  CandidateReader reader(block, cap.scale);
  return choose_candidate(reader, cap, direction, inside);
}

using Counts = std::map<std::int64_t, std::array<double, 2>>;

/// Two-sample chi-square in standard deviations above its mean, small cells joined.
double excess(const Counts& counts) {
  std::array<double, 2> total{};
  for (const auto& [value, pair] : counts) {
    total[0] += pair[0];
    total[1] += pair[1];
  }
  const double share = total[0] / (total[0] + total[1]);
  double square = 0;
  int cells = 0;
  std::array<double, 2> cell{};
  const auto close = [&] {
    const double all = cell[0] + cell[1];
    square += (cell[0] - share * all) * (cell[0] - share * all) / (share * (1 - share) * all);
    ++cells;
    cell = {};
  };
  for (const auto& [value, pair] : counts) {
    cell[0] += pair[0];
    cell[1] += pair[1];
    if (cell[0] + cell[1] >= 200) close();
  }
  if (cell[0] + cell[1] > 0) close();
  return (square - (cells - 1)) / std::sqrt(2.0 * (cells - 1));
}

/// Candidates drawn until one agrees with the random draw: the obvious sampler.
std::int64_t naive_draws(const random::KeystreamBlock& block, const SphereCap& cap,
                         const CapDirection& direction, bool wanted) {
  const auto d = static_cast<std::size_t>(cap.coordinates);
  random::internal::GaussianReader gaussians(block, cap.scale);
  for (std::int64_t drawn = 1;; ++drawn) {
    std::vector<std::int64_t> k(d, 0);
    gaussians.add(draw_words + static_cast<std::uint64_t>(drawn - 1) * d, k);
    if (inside_cap(cap, k, direction) == wanted) return drawn;
  }
}

/// A million clients, one Bernoulli draw after the other: ours and the naive count.
std::array<Counts, 2> draw_counts(std::int64_t clients, std::int64_t d, double epsilon) {
  const SphereCap cap = cap_of(d, epsilon);
  std::vector<std::int64_t> u(static_cast<std::size_t>(d), 1 << 20);
  const auto direction = make_direction(u);
  random::SeededSource source(11);
  std::array<Counts, 2> counts;
  for (std::int64_t i = 0; i < clients; ++i) {
    const random::KeystreamBlock block(
        source.claim(random::Purpose::noise, static_cast<std::uint64_t>(i), 0, sphere_words(cap)));
    const bool inside = i % 2 == 0;
    const auto side = static_cast<std::size_t>(inside ? 1 : 0);
    counts[0][chosen_of(block, cap, direction, inside).draws][side] += 1;
    counts[1][naive_draws(block, cap, direction, inside)][side] += 1;
  }
  return counts;
}

TEST(ReportBits, TheNumberOfCandidatesDoesNotTellTheDraw) {
  // Chi-square 6 standard deviations above its mean: a correct program fails
  // with a probability of 1e-6 or so.
  const auto counts = draw_counts(20000, 3, 4);
  EXPECT_LT(excess(counts[0]), 6);
  EXPECT_GT(excess(counts[1]), 100);
}

TEST(ReportBitsLong, TheNumberOfCandidatesOfAMillionClientsDoesNotTellTheDraw) {
  const auto counts = draw_counts(1000000, 3, 4);
  EXPECT_LT(excess(counts[0]), 6);
  EXPECT_GT(excess(counts[1]), 5000);
}

constexpr std::size_t wide = 1000;

/// The share of odd mantissas among small coordinates, by which floating-point senders tell.
template <typename Real, typename Word>
double odd_share(const std::vector<Real>& v) {
  double odd = 0;
  double all = 0;
  for (const Real x : v) {
    if (x == 0 || std::fabs(x) >= Real(0x1p-11)) continue;
    odd += static_cast<double>(std::bit_cast<Word>(x) & 1U);
    ++all;
  }
  return all == 0 ? 0.5 : odd / all;
}

/// PrivUnit as it is usually programmed, tau u + sqrt(1 - tau^2) w in floating point.
template <typename Real>
std::vector<Real> floating_report(const std::vector<Real>& u, const SphereCap& cap,
                                  std::mt19937_64& bits) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const bool wanted = uniform(bits) < cap.bit.inside();
  std::chi_squared_distribution<double> others(static_cast<double>(wide - 1));
  double tau = 0;
  do {
    const double z = normal(bits);
    tau = z / std::sqrt(z * z + others(bits));
  } while ((tau >= cap.threshold) != wanted);
  std::vector<Real> w(wide);
  Real along = 0;
  for (std::size_t j = 0; j < wide; ++j) {
    w[j] = static_cast<Real>(normal(bits));
    along += w[j] * u[j];
  }
  Real square = 0;
  for (std::size_t j = 0; j < wide; ++j) {
    w[j] -= along * u[j];
    square += w[j] * w[j];
  }
  const Real t = static_cast<Real>(tau);
  const Real scale = std::sqrt((1 - t * t) / square);
  for (std::size_t j = 0; j < wide; ++j) w[j] = t * u[j] + scale * w[j];
  return w;
}

struct Statistic {
  double sum = 0;
  double square = 0;
  int runs = 0;
  void add(double x) {
    sum += x;
    square += x * x;
    ++runs;
  }
  [[nodiscard]] double mean() const { return sum / runs; }
  [[nodiscard]] double variance() const { return square / runs - mean() * mean(); }
};

/// The distance of two means in standard deviations.
double distance(const Statistic& a, const Statistic& b) {
  return std::fabs(a.mean() - b.mean()) / std::sqrt(a.variance() / a.runs + b.variance() / b.runs);
}

template <typename Real, typename Word>
double floating_distance(int runs) {
  const SphereCap cap = cap_of(wide, 1);
  std::mt19937_64 bits(5);
  std::vector<Real> axis(wide, 0);
  axis[0] = 1;
  const std::vector<Real> flat(wide, static_cast<Real>(1 / std::sqrt(double{wide})));
  Statistic of_axis;
  Statistic of_flat;
  for (int i = 0; i < runs; ++i) {
    of_axis.add(odd_share<Real, Word>(floating_report(axis, cap, bits)));
    of_flat.add(odd_share<Real, Word>(floating_report(flat, cap, bits)));
  }
  return distance(of_axis, of_flat);
}

/// Of our reports: among the coordinates whose share of the length is below 2^-11, how many are
/// odd, and how many have both low bits 0.
std::array<Statistic, 2> integer_statistics(const std::vector<std::int64_t>& u, int runs,
                                            std::uint64_t seed) {
  const SphereCap cap = cap_of(wide, 1);
  const auto direction = make_direction(u);
  random::SeededSource source(seed);
  random::Stream random_draws(source.claim(random::Purpose::audit, 0, 0));
  std::array<Statistic, 2> statistics;
  for (int i = 0; i < runs; ++i) {
    const random::KeystreamBlock block(
        source.claim(random::Purpose::noise, static_cast<std::uint64_t>(i), 0, sphere_words(cap)));
    const bool inside = static_cast<double>(random_draws.next()) * 0x1p-64 < cap.bit.inside();
    const auto report = chosen_of(block, cap, direction, inside).coordinates;
    double square = 0;
    for (const auto k : report) square += static_cast<double>(k) * k;
    const double small = std::sqrt(square) * 0x1p-11;
    double all = 0;
    std::array<double, 2> found{};
    for (const auto k : report) {
      if (std::abs(static_cast<double>(k)) >= small) continue;
      ++all;
      found[0] += (k & 1) != 0 ? 1 : 0;
      found[1] += (k & 3) == 0 ? 1 : 0;
    }
    for (std::size_t s = 0; s < 2; ++s) statistics[s].add(found[s] / std::max(all, 1.0));
  }
  return statistics;
}

void expect_silent_bits(int runs) {
  std::vector<std::int64_t> axis(wide, 0);
  axis[0] = 1 << 30;
  const std::vector<std::int64_t> flat(wide, 33954792);  // 2^30 / sqrt(1000)
  const auto of_axis = integer_statistics(axis, runs, 21);
  const auto of_flat = integer_statistics(flat, runs, 22);
  for (std::size_t s = 0; s < 2; ++s) {
    EXPECT_LT(distance(of_axis[s], of_flat[s]), 5) << s;
    EXPECT_NEAR(of_axis[s].mean(), s == 0 ? 0.5 : 0.25, 0.02);
  }
}

TEST(ReportBits, TheLowBitsOfOursTellNothing) {
  // 5 standard deviations: a correct program fails with a probability of 1e-6.
  expect_silent_bits(300);
  EXPECT_GT((floating_distance<double, std::uint64_t>(300)), 20);
}

TEST(ReportBitsLong, TheLowBitsOfOursTellNothingAndOfFloatsEverything) {
  expect_silent_bits(3000);
  EXPECT_GT((floating_distance<double, std::uint64_t>(3000)), 50);
  EXPECT_GT((floating_distance<float, std::uint32_t>(3000)), 50);
}

}  // namespace report_bits_test
}  // namespace tacet::mechanism
