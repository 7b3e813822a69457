#include "tacet/local/local_shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <utility>

#include "tacet/accounting/routes/shuffle.h"
#include "tacet/base/error.h"

namespace tacet::local {
namespace local_shuffle_test {

// Reference values at delta 1e-6: by clones with both probabilities, and the closed forms.
struct Row {
  std::int64_t n;
  double local, clones21, clones22, closed21, closed22;
};

constexpr double none = 0;

void check_rows(std::initializer_list<Row> rows) {
  for (const auto& row : rows) {
    const auto found =
        central_guarantee({.reports = row.n, .local_epsilon = row.local, .delta = 1e-6});
    EXPECT_NEAR(found.clones21, row.clones21, 2e-8 * (1 + row.clones21)) << row.n;
    EXPECT_NEAR(found.clones22, row.clones22, 2e-8 * (1 + row.clones22)) << row.n;
    EXPECT_EQ(found.closed21.has_value(), row.closed21 != none) << row.n << ' ' << row.local;
    EXPECT_EQ(found.closed22.has_value(), row.closed22 != none) << row.n << ' ' << row.local;
    if (found.closed21) {
      EXPECT_NEAR(*found.closed21, row.closed21, 1e-12);
    }
    if (found.closed22) {
      EXPECT_NEAR(*found.closed22, row.closed22, 1e-12);
    }
  }
}

TEST(LocalShuffle, FiguresOfTheTable) {
  check_rows(
      {Row{1000, 0.5, 0.0705234676, 0.06268656573, 0.27263760920041036, 0.24733361123313694},
       Row{1000, 1.0, 0.1824123475, 0.1486706164, 0.5662014894828012, 0.48758554694171624},
       Row{1000, 2.0, 0.5454979655, 0.3970870586, none, 0.941597676824182},
       Row{1000, 4.0, 3.989963598, 1.852906554, none, none},
       Row{1000000, 0.5, 0.001619094361, 0.001431477194, 0.009764589396731404,
           0.008755643916222333},
       Row{1000000, 1.0, 0.004334519803, 0.003513521016, 0.023496774905355525, 0.0194698665694725},
       Row{1000000, 2.0, 0.0129583699, 0.009517230607, 0.06261672225278497, 0.04753011597759554},
       Row{1000000, 4.0, 0.04930707439, 0.03427976766, 0.2009852295237436, 0.1473466816575497}});
}

TEST(LocalShuffleLong, FiguresOfTheTable) {
  check_rows(
      {Row{10000, 0.5, 0.0204014551, 0.01811740687, 0.0938681618520289, 0.08450143565421328},
       Row{10000, 1.0, 0.05300531648, 0.04320615808, 0.21402565193083783, 0.18000636773139655},
       Row{10000, 2.0, 0.1550452425, 0.1143996153, 0.5009200872512194, 0.39815706006991136},
       Row{10000, 4.0, 0.6009087636, 0.4108122931, none, 0.9581431564245838},
       Row{100000, 0.5, 0.005812548731, 0.00515272909, 0.030579330543759106, 0.027446949537326418},
       Row{100000, 1.0, 0.01528206239, 0.01242989749, 0.07255492488700492, 0.060360493621755516},
       Row{100000, 2.0, 0.04502558032, 0.03318724896, 0.18618919728288, 0.1433272407357705},
       Row{100000, 4.0, 0.1697697473, 0.1181530665, 0.5346339916517076, 0.4077925871611126}});
}

/// delta of the clones, enumerated: how many of the others are clones, which of the two reports
/// each of these sends, and one's own.
double enumerated_delta(std::int64_t reports, double local, double epsilon, double clone) {
  const auto others = static_cast<int>(reports - 1);
  const double own = 1 / (1 + std::exp(-local));
  std::map<std::pair<int, int>, std::array<double, 2>> law;
  const auto binomial = [](int n, int k, double p) {
    return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                    k * std::log(p) + (n - k) * std::log1p(-p));
  };
  for (int c = 0; c <= others; ++c) {
    for (int a = 0; a <= c; ++a) {
      const double weight = binomial(others, c, clone) * binomial(c, a, 0.5);
      law[{a + 1, c - a}][0] += weight * own;
      law[{a, c - a + 1}][0] += weight * (1 - own);
      law[{a + 1, c - a}][1] += weight * (1 - own);
      law[{a, c - a + 1}][1] += weight * own;
    }
  }
  double delta = 0;
  for (const auto& [seen, probability] : law) {
    delta += std::max(0.0, probability[0] - std::exp(epsilon) * probability[1]);
  }
  return delta;
}

TEST(LocalShuffle, DeltaIsThatOfAllOutcomes) {
  using accounting::shuffle::clones_delta;
  for (const std::int64_t n : {2, 5, 17, 40}) {
    for (const double local : {0.5, 1.0, 3.0}) {
      for (const double share : {0.1, 0.4, 0.8}) {
        for (const double clone : {std::exp(-local), 2 / (std::exp(local) + 1)}) {
          const double truth = enumerated_delta(n, local, share * local, clone);
          const double found = clones_delta(n, local, share * local, clone);
          EXPECT_GE(found, truth * (1 - 1e-12)) << n << ' ' << local << ' ' << share;
          EXPECT_LE(found, truth * (1 + 1e-9) + 1e-20) << n << ' ' << local << ' ' << share;
        }
      }
    }
  }
  // It falls with epsilon and with the number of reports, and rises with their own epsilon.
  for (const double local : {0.5, 2.0}) {
    EXPECT_GT(clones_delta(1000, local, 0.05), clones_delta(1000, local, 0.06));
    EXPECT_GT(clones_delta(1000, local, 0.05), clones_delta(1100, local, 0.05));
    EXPECT_LT(clones_delta(1000, local, 0.05), clones_delta(1000, local * 1.1, 0.05));
  }
}

TEST(LocalShuffle, BoundsKeepTheirOrder) {
  double before = 100;
  for (const std::int64_t n : {100, 1000, 10000, 100000}) {
    const auto found = central_guarantee({.reports = n, .local_epsilon = 1.5, .delta = 1e-7});
    EXPECT_LE(found.clones22, found.clones21);
    EXPECT_LE(found.clones21, 1.5);
    EXPECT_LE(found.clones21, before);
    if (found.closed21) {
      EXPECT_LE(found.clones21, *found.closed21);
    }
    if (found.closed22) {
      EXPECT_LE(found.clones22, *found.closed22);
    }
    before = found.clones21;
  }
}

// Those who collude with the reader hide nobody: n counts honest reports alone.
TEST(LocalShuffle, CountsHonestReportsAlone) {
  const auto half = central_guarantee(
      {.reports = 20001, .local_epsilon = 2, .honest_fraction = 0.5, .delta = 1e-6});
  EXPECT_EQ(half.honest_reports, 10000);
  EXPECT_NEAR(half.clones21, 0.1550452425, 1e-8);
  EXPECT_LT(central_guarantee({.reports = 20001, .local_epsilon = 2, .delta = 1e-6}).clones21,
            half.clones21);
}

TEST(LocalShuffle, RefusesWhatIsNotProved) {
  using mechanism::LocalMechanism;
  EXPECT_THROW(refuse_shuffling(LocalMechanism::gaussian, 1), base::GuaranteeError);
  EXPECT_THROW(refuse_shuffling(LocalMechanism::privunit, 2), base::GuaranteeError);
  EXPECT_NO_THROW(refuse_shuffling(LocalMechanism::l2_laplace, 1));
  const ShuffledReports good{.reports = 100, .local_epsilon = 1, .delta = 1e-6};
  for (const auto change : {0, 1, 2, 3}) {
    auto bad = good;
    if (change == 0) bad.local_epsilon = HUGE_VAL;
    if (change == 1) bad.delta = 0;
    if (change == 2) bad.honest_fraction = 0;
    if (change == 3) bad.honest_fraction = 0.001;
    EXPECT_THROW((void)central_guarantee(bad), base::UsageError) << change;
  }
}

}  // namespace local_shuffle_test
}  // namespace tacet::local
