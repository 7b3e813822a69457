#include "tacet/mechanism/local/sphere_report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacet/random/noise/rounded_gaussian.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism {
namespace sphere_report_test {

SphereCap cap_of(std::int64_t d, double epsilon) {
  const CapPlan plan{CapShape::angle, d, epsilon};
  return make_cap(plan, best_threshold(plan));
}

CapDirection first_axis(std::int64_t d) {
  std::vector<std::int64_t> u(static_cast<std::size_t>(d), 0);
  u.front() = std::int64_t{1} << 30;
  return make_direction(u);
}

/// The report of one client's keystream block.
ChosenCandidate chosen_of(const random::KeystreamBlock& block, const SphereCap& cap,
                          const CapDirection& direction, bool inside) {
  CandidateReader reader(block, cap.scale);
  return choose_candidate(reader, cap, direction, inside);
}

class Clients {
 public:
  explicit Clients(std::uint64_t seed) : source_(seed) {}
  random::KeystreamBlock next(const SphereCap& cap) {
    return random::KeystreamBlock(
        source_.claim(random::Purpose::noise, step_++, 0, sphere_words(cap)));
  }

 private:
  random::SeededSource source_;
  std::uint64_t step_ = 0;
};

TEST(SphereReport, SendsTheKindThatTheDrawSays) {
  Clients clients(1);
  for (const std::int64_t d : {2, 3, 50, 500}) {
    const SphereCap cap = cap_of(d, 4);
    const CapDirection direction = first_axis(d);
    for (int i = 0; i < 50; ++i) {
      const bool inside = i % 2 == 0;
      const auto block = clients.next(cap);
      const auto chosen = chosen_of(block, cap, direction, inside);
      const std::vector<std::int64_t> k(chosen.coordinates.begin(), chosen.coordinates.end());
      EXPECT_EQ(inside_cap(cap, k, direction, CapArithmetic::exact_only), inside);
      // The other bit on the same keystream block: as many draws, the other candidate.
      const auto other = chosen_of(block, cap, direction, !inside);
      EXPECT_EQ(other.draws, chosen.draws);
      EXPECT_NE(other.coordinates, chosen.coordinates);
    }
  }
}

TEST(SphereReport, CandidatesAreFixedByTheirWordsAlone) {
  // Candidate i is words 64 + i d, ... of the keystream block as rounded Gaussians, whatever the
  // direction.
  Clients clients(2);
  const SphereCap cap = cap_of(30, 8);
  const auto block = clients.next(cap);
  const auto chosen = chosen_of(block, cap, first_axis(30), true);
  ASSERT_GT(chosen.draws, 1);
  int matches = 0;
  for (std::int64_t i = 0; i < chosen.draws; ++i) {
    std::vector<std::int64_t> k(30, 0);
    random::internal::add_rounded_gaussian(block, cap.scale, k,
                                           draw_words + static_cast<std::uint64_t>(30 * i));
    matches += std::vector<std::int32_t>(k.begin(), k.end()) == chosen.coordinates ? 1 : 0;
  }
  EXPECT_EQ(matches, 1);
}

TEST(SphereReport, DrawsAsManyCandidatesAsExpected) {
  // 20,000 clients at d = 5, epsilon 4: the mean count within 5 standard deviations of 1/T + 1/q -
  // 1 (a correct program fails with a probability of 6e-7). A geometric count of mean 1/T deviates
  // by about its mean.
  Clients clients(3);
  const SphereCap cap = cap_of(5, 4);
  const auto direction = first_axis(5);
  double sum = 0;
  constexpr int runs = 20000;
  for (int i = 0; i < runs; ++i) {
    sum += static_cast<double>(chosen_of(clients.next(cap), cap, direction, i % 3 == 0).draws);
  }
  EXPECT_NEAR(sum / runs, cap.expected_candidates,
              5 * cap.expected_candidates / std::sqrt(static_cast<double>(runs)));
}

TEST(SphereReport, EndsWhenOneKindIsNotSeen) {
  // With candidates run out, the first one is sent whatever the random draw says: the probability
  // of that is part of the proof.
  Clients clients(4);
  SphereCap cap = cap_of(5, 4);
  cap.max_candidates = 1;
  const auto block = clients.next(cap);
  const auto direction = first_axis(5);
  EXPECT_EQ(chosen_of(block, cap, direction, true).coordinates,
            chosen_of(block, cap, direction, false).coordinates);
}

TEST(SphereReport, CandidatesOfZeroAreDrawnAgain) {
  Clients clients(5);
  // At scale 2 one in 25 is; no guarantee is proved for candidates this coarse.
  SphereCap cap = cap_of(2, 4);
  cap.scale = 2;
  for (int i = 0; i < 500; ++i) {
    const auto chosen = chosen_of(clients.next(cap), cap, first_axis(2), i % 2 == 0);
    EXPECT_NE(chosen.coordinates, (std::vector<std::int32_t>{0, 0}));
  }
}

}  // namespace sphere_report_test
}  // namespace tacet::mechanism
