#include "tacet/local/local_shuffle.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/accounting/routes/shuffle.h"
#include "tacet/base/error.h"

namespace tacet::local {
namespace local_shuffle_test {

// Ldp.md 6, delta 1e-6: by clones with both probabilities, and the closed forms.
TEST(LocalShuffle, FiguresOfTheTable) {
  struct Row {
    std::int64_t n;
    double local, clones21, clones22, closed21, closed22;
  };
  constexpr double none = 0;
  for (const auto& row :
       {Row{1000, 0.5, 0.0705234676, 0.06268656573, 0.27263760920041036, 0.24733361123313694},
        Row{1000, 2.0, 0.5454979655, 0.3970870586, none, 0.941597676824182},
        Row{1000, 4.0, 3.989963598, 1.852906554, none, none},
        Row{10000, 1.0, 0.05300531648, 0.04320615808, 0.21402565193083783, 0.18000636773139655},
        Row{10000, 4.0, 0.6009087636, 0.4108122931, none, 0.9581431564245838},
        Row{100000, 4.0, 0.1697697473, 0.1181530665, 0.5346339916517076, 0.4077925871611126},
        Row{1000000, 2.0, 0.0129583699, 0.009517230607, 0.06261672225278497,
            0.04753011597759554}}) {
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
