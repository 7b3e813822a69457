#include "tacet/audit/support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tacet/mechanism/noise/discrete_noise.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/noise/laplace.h"
#include "tacet/optimize/sums/vector_sum.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::audit {
namespace support_test {

using enum privacy::Adjacency;

constexpr int bits = 12;
const double grid = std::ldexp(1.0, -bits);
const privacy::NoiseMultiplier noise(2);

/// Nothing, and a record of one step of the grid.
privacy::BoundedSum sum_of(bool other, optimize::Norm norm) {
  optimize::VectorSum sum(1, norm, 1, {}, bits);
  sum.add(std::vector<double>{other ? grid : 0.0});
  return std::move(sum).take();
}

template <typename Release>
Support support_of(const privacy::Event& event, double delta, const Release& release) {
  Subject subject{.claim = {1, delta, add_remove}};
  subject.draw = [&](bool other, std::uint64_t seed, std::span<double> out) {
    random::SeededSource source(seed);
    privacy::TrustingBudget budget(add_remove);
    auto reservation = budget.reserve(privacy::Repeated{std::ssize(out), event},
                                      {std::numeric_limits<double>::infinity(), 0, add_remove});
    std::uint64_t step = 0;
    for (double& number : out) {
      number = release(other, mechanism::ReleaseContext{{.step = step++}, source, reservation});
    }
  };
  base::ThreadPool threads(2);
  return audit_support(subject, grid, {.trials = 2000, .seed = 3}, threads);
}

// False alarms: one in a million for each of the four.
TEST(Support, IsThatOfTheNeighbourForEveryNoiseOnSums) {
  const auto laplace =
      support_of(privacy::Laplace{2}, 0, [](bool other, const mechanism::ReleaseContext& context) {
        return mechanism::release_laplace(sum_of(other, optimize::Norm::l1), noise, context)
            .value()[0];
      });
  EXPECT_TRUE(laplace.sound());
  const auto gaussian = support_of(
      privacy::Gaussian{2}, 1e-5, [](bool other, const mechanism::ReleaseContext& context) {
        return mechanism::release_gaussian(sum_of(other, optimize::Norm::l2), noise, context)
            .value()[0];
      });
  EXPECT_TRUE(gaussian.sound());
  const auto exact = mechanism::discrete_laplace_event(sum_of(false, optimize::Norm::l1), noise);
  const auto discrete_laplace =
      support_of(exact, 0, [](bool other, const mechanism::ReleaseContext& context) {
        return mechanism::release_discrete_laplace(sum_of(other, optimize::Norm::l1), noise,
                                                   context)
            .value()[0];
      });
  EXPECT_TRUE(discrete_laplace.sound());
  const auto normal = mechanism::discrete_gaussian_event(sum_of(false, optimize::Norm::l2), noise);
  const auto discrete_gaussian =
      support_of(normal, 1e-5, [](bool other, const mechanism::ReleaseContext& context) {
        return mechanism::release_discrete_gaussian(sum_of(other, optimize::Norm::l2), noise,
                                                    context)
            .value()[0];
      });
  EXPECT_TRUE(discrete_gaussian.sound());
}

// Noise in doubles is off the grid, and noise of every second step leaves the last bit of a record.
TEST(Support, NoiseInDoublesAndOnACoarserGridIsFound) {
  const auto released = [](bool other, const mechanism::ReleaseContext& context) {
    return mechanism::release_laplace(sum_of(other, optimize::Norm::l1), noise, context).value()[0];
  };
  const auto in_doubles =
      support_of(privacy::Laplace{2}, 0, [&](bool other, const mechanism::ReleaseContext& context) {
        return released(other, context) / 3;
      });
  EXPECT_GT(in_doubles.off_grid, 0);
  EXPECT_FALSE(in_doubles.sound());
  const auto coarse =
      support_of(privacy::Laplace{2}, 0, [&](bool other, const mechanism::ReleaseContext& context) {
        return 2 * released(false, context) + (other ? grid : 0);
      });
  EXPECT_EQ(coarse.off_grid, 0);
  EXPECT_TRUE(coarse.residues.refuted);
  EXPECT_FALSE(coarse.sound());
}

}  // namespace support_test
}  // namespace tacet::audit
