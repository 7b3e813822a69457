#include "tacet/accounting/routes/shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/accounting/accountant.h"

namespace tacet::accounting {
namespace shuffle_test {

/// delta of the theorem in extended precision, term by term: the counts of clones by their ratios,
/// normalised to 1, and for each count the sum of the positive parts over what is seen.
double by_terms(std::int64_t reports, double local_epsilon, double epsilon) {
  using Real = long double;
  const Real p = std::exp(-static_cast<Real>(local_epsilon));
  const Real keep = 1 / (1 + p);
  const Real ratio = std::exp(static_cast<Real>(epsilon));
  const auto n = static_cast<Real>(reports - 1);
  const Real spread = std::sqrt(n * p * (1 - p));
  const Real low = std::max<Real>(0, std::floor(n * p - 12 * spread - 30));
  const Real high = std::min<Real>(n, std::ceil(n * p + 12 * spread + 30));
  std::vector<Real> weights{1};
  Real all = 1;
  for (Real c = low; c < high; ++c) {
    weights.push_back(weights.back() * (n - c) / (c + 1) * p / (1 - p));
    all += weights.back();
  }
  Real sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Real c = low + static_cast<Real>(i);
    // From x = k - 1 upward in units of P(A = k - 1).
    const Real threshold = (ratio * keep - (1 - keep)) * (c + 1) / ((2 * keep - 1) * (1 + ratio));
    const Real k = std::floor(threshold) + 1;
    Real before = 1;
    Real inner = 0;
    for (Real x = k; x <= c + 1 && before > 1e-25L; ++x) {
      const Real here = before * (c - x + 1) / x;
      inner += (keep - ratio * (1 - keep)) * before - (ratio * keep - (1 - keep)) * here;
      before = here;
    }
    const Real log_start = std::lgamma(c + 1) - std::lgamma(k) - std::lgamma(c - k + 2) -
                           c * 0.693147180559945309417232121458176568L;
    sum += weights[i] / all * inner * std::exp(log_start);
  }
  return static_cast<double>(sum);
}

TEST(Shuffle, DeltaIsNeverBelowTheTheoremsOwnValue) {
  struct Case {
    std::int64_t reports;
    double local, epsilon, loose;
  };
  // Here each count of clones that matters has a term of its own.
  for (const auto& c :
       {Case{1, 1, .5, 1e-9}, Case{2, .1, .05, 1e-9}, Case{50, 1, .5, 1e-9},
        Case{1000, 2, .3, 1e-9}, Case{10000, 1, .05, 1e-9}, Case{10000, 1, .12, 1e-9},
        Case{20000, 6, 2, 1e-9}, Case{3000, 1e-3, 1e-5, 1e-9}, Case{100000, 1, .02, 1e-9},
        Case{100000, 1, .05, 1e-9}}) {
    const double truth = by_terms(c.reports, c.local, c.epsilon);
    const double upper = shuffle::clones_delta(c.reports, c.local, c.epsilon);
    EXPECT_GE(upper, truth * (1 - 1e-14)) << c.reports << " " << c.epsilon;
    EXPECT_LE(upper, truth * (1 + c.loose) + 2e-26) << c.reports << " " << c.epsilon;
  }
  // Reference values at 40 digits by an independent program.
  const double billion = shuffle::clones_delta(1000000000, 3, 2e-4);
  EXPECT_GE(billion, 3.1971448992e-5);
  EXPECT_LE(billion, 3.1971448992e-5 * 1.001);
}

void check_more_reports(std::int64_t times) {
  for (const double local : {.01, 1.0, 5.0}) {
    double last = local;
    for (std::int64_t reports = 10; reports < 10000000000000000; reports *= times) {
      const double epsilon =
          epsilon_interval(ShuffledLocal{local, reports}, Adjacency::replace_one, Delta(1e-11))
              .upper;
      EXPECT_LE(epsilon, last * (1 + 1e-9)) << reports;
      last = epsilon;
    }
    EXPECT_LT(last, local * 1e-4);
  }
}

TEST(Shuffle, MoreReportsNeverCostMoreHoweverMany) { check_more_reports(100000); }
TEST(ShuffleLong, MoreReportsNeverCostMoreHoweverMany) { check_more_reports(100); }

}  // namespace shuffle_test
}  // namespace tacet::accounting
