#include "tacet/accounting/routes/gaussian.h"

#include <gtest/gtest.h>

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"
#include "tests/support/data_sets.h"
#include "tests/support/textbook_bounds.h"

namespace tacet::accounting {
namespace gaussian_test {

using numeric::infinity;

using Wide = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<256, boost::multiprecision::digit_base_2>>;

/// delta(epsilon) in 256-bit arithmetic from its definition; exact enough for delta > 1e-60.
Wide wide_delta(double mu, double epsilon) {
  const Wide m(mu);
  const Wide e(epsilon);
  const Wide root = sqrt(Wide(2));
  const auto cdf = [&](const Wide& x) -> Wide { return boost::math::erfc(Wide(-x / root)) / 2; };
  return cdf(m / 2 - e / m) - exp(e) * cdf(-m / 2 - e / m);
}

struct Row {
  std::string kind;
  std::string epsilon;
  std::string delta;
  std::string sigma;
  std::string value;
};

/// tests/oracles/analytic_gaussian.csv: reference values computed at 60 digits.
std::vector<Row> oracle_rows() {
  std::ifstream file(test::source_file("tests/oracles/analytic_gaussian.csv"));
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const auto quote = line.find('"', 1);
    if (line.front() == '"') {
      line = line.substr(1, line.find('(') - 1) + line.substr(quote + 1);
    } else {
      line = line.substr(0, line.find('(')) + line.substr(line.find(',', line.find(')')));
    }
    std::stringstream cells(line);
    Row row;
    std::getline(cells, row.kind, ',');
    std::getline(cells, row.epsilon, ',');
    std::getline(cells, row.delta, ',');
    std::getline(cells, row.sigma, ',');
    std::getline(cells, row.value, ',');
    rows.push_back(row);
  }
  return rows;
}

/// log of a decimal number that may lie below the range of double.
double log_of(const std::string& text) {
  const Wide value(text);
  return static_cast<double>(log(value));
}

TEST(AnalyticGaussian, EdgeTable) {
  EXPECT_EQ(gaussian::epsilon(0, Delta(1e-5)), 0);
  EXPECT_EQ(gaussian::epsilon(0, Delta(0)), 0);
  EXPECT_EQ(gaussian::epsilon(infinity, Delta(1e-5)), infinity);
  EXPECT_EQ(gaussian::epsilon(1, Delta(0)), infinity);
  EXPECT_EQ(gaussian::epsilon(1e-9, Delta(0.5)), 0);
  EXPECT_EQ(gaussian::delta(0, 1), 0);
  EXPECT_EQ(gaussian::delta(infinity, 1), 1);
  EXPECT_EQ(gaussian::delta(1, infinity), 0);
  EXPECT_EQ(gaussian::mu_for(Epsilon(1), Delta(0)), 0);
  EXPECT_EQ(gaussian::mu_for(Epsilon(infinity), Delta(1e-5)), infinity);
  EXPECT_EQ(gaussian::sigma_for(0, Epsilon(1), Delta(1e-5)), 0);
  EXPECT_EQ(gaussian::sigma_for(1, Epsilon(1), Delta(0)), infinity);
  EXPECT_EQ(gaussian::compose(1, 0), 0);
  EXPECT_THROW(static_cast<void>(gaussian::epsilon(-1, Delta(1e-5))), base::UsageError);
  EXPECT_THROW(static_cast<void>(gaussian::epsilon(std::nan(""), Delta(1e-5))), base::UsageError);
  EXPECT_THROW(static_cast<void>(gaussian::log_delta(1, std::nan(""))), base::UsageError);
  EXPECT_THROW(static_cast<void>(gaussian::sigma_for(-1, Epsilon(1), Delta(1e-5))),
               base::UsageError);
}

TEST(AnalyticGaussian, AllOracleRowsAgreeTo1e12) {
  const auto rows = oracle_rows();
  ASSERT_EQ(rows.size(), 190U);
  for (const auto& row : rows) {
    const auto label = row.kind + " " + row.epsilon + " " + row.delta + " " + row.sigma;
    if (row.kind == "sigma") {
      const double sigma =
          gaussian::sigma_for(1, Epsilon(std::stod(row.epsilon)), Delta(std::stod(row.delta)));
      EXPECT_NEAR(sigma / std::stod(row.value), 1, 1e-12) << label;
    } else if (row.kind == "delta") {
      const double mu = 1 / std::stod(row.sigma);
      const double log_delta = gaussian::log_delta(mu, std::stod(row.epsilon));
      const double expected = log_of(row.value);
      EXPECT_NEAR(log_delta, expected, 1e-11 + 1e-12 * std::fabs(expected)) << label;
    } else {
      ASSERT_EQ(row.kind, "eps") << label;
      const double mu = 1 / std::stod(row.sigma);
      const double epsilon = gaussian::epsilon(mu, Delta(std::stod(row.delta)));
      EXPECT_NEAR(epsilon, std::stod(row.value), 1e-12 * std::fabs(std::stod(row.value))) << label;
    }
  }
}

TEST(AnalyticGaussian, ReturnedNoiseIsOnTheSafeSideIn256Bits) {
  for (const double epsilon : {0.0, 1e-4, 0.01, 0.5, 1.0, 3.0, 10.0, 100.0, 1000.0}) {
    for (const double delta : {0.3, 1e-3, 1e-6, 1e-15, 1e-30}) {
      const double sigma = gaussian::sigma_for(1, Epsilon(epsilon), Delta(delta));
      const Wide true_delta = wide_delta(1 / sigma, epsilon);
      // 1 / sigma rounds to within one unit; the mu that was certified is the one below.
      EXPECT_LE(true_delta, Wide(delta) * (1 + Wide(1e-13))) << epsilon << " " << delta;
      EXPECT_GE(true_delta, Wide(delta) * (1 - Wide(1e-8))) << epsilon << " " << delta;
      const double mu = gaussian::mu_for(Epsilon(epsilon), Delta(delta));
      EXPECT_LE(wide_delta(mu, epsilon), Wide(delta)) << epsilon << " " << delta;
    }
  }
}

TEST(AnalyticGaussian, ReturnedEpsilonIsOnTheSafeSideIn256Bits) {
  for (const double mu : {1e-4, 0.01, 0.3, 1.0, 3.0, 30.0}) {
    for (const double delta : {1e-3, 1e-8, 1e-25}) {
      const double epsilon = gaussian::epsilon(mu, Delta(delta));
      EXPECT_LE(wide_delta(mu, epsilon), Wide(delta)) << mu << " " << delta;
    }
  }
}

TEST(AnalyticGaussian, TinyDeltaAtEpsilonZeroStillHasNoise) {
  // delta(0) = erf(mu / sqrt 8), so mu = delta sqrt(2 pi) for small delta (the bracket must
  // reach far below 1e-12).
  for (const double delta : {1e-13, 1e-100, 1e-290}) {
    const double mu = gaussian::mu_for(Epsilon(0), Delta(delta));
    EXPECT_NEAR(mu / (delta * std::sqrt(2 * M_PI)), 1, 1e-11) << delta;
  }
}

TEST(AnalyticGaussian, NegativeEpsilonFollowsTheSymmetry) {
  for (const double mu : {0.1, 1.0, 4.0}) {
    for (const double epsilon : {-0.01, -1.0, -5.0}) {
      EXPECT_NEAR(gaussian::delta(mu, epsilon), static_cast<double>(wide_delta(mu, epsilon)), 1e-14)
          << mu << " " << epsilon;
    }
  }
}

// Deltas that underflow are not computed, and never nothing.
TEST(AnalyticGaussian, WhatUnderflowsIsRoundedUp) {
  for (const double mu : {1e-9, 1e-3, 0.2, 3.0}) {
    for (double a = 25; a < 40; a += 0.125) {
      const double e = mu * (a * std::sqrt(2.0) + 0.5 * mu);
      const double computed = std::exp(gaussian::log_delta(mu, e));
      EXPECT_GE(gaussian::delta(mu, e), computed);
      // Relative errors of the logarithm, and two of the smallest steps.
      EXPECT_LE(gaussian::delta(mu, e),
                computed * (1 + 1e-11) + 2 * std::numeric_limits<double>::denorm_min());
      EXPECT_GT(gaussian::delta(mu, e), 0);
      const double there = std::exp(-e + gaussian::log_delta(mu, e));
      EXPECT_EQ(gaussian::log_delta(mu, -e), std::log(-std::expm1(-e) + there));
    }
  }
}

TEST(AnalyticGaussian, MonotoneInEpsilonAndNoise) {
  double last = 1;
  for (double epsilon = 0; epsilon < 20; epsilon += 0.1) {
    const double delta = gaussian::log_delta(0.7, epsilon);
    EXPECT_LT(delta, last);
    last = delta;
  }
  last = -infinity;
  for (double mu = 0.001; mu < 30; mu *= 1.1) {
    const double delta = gaussian::log_delta(mu, 1);
    EXPECT_GE(delta, last);
    last = delta;
  }
}

TEST(AnalyticGaussian, RoundTripOfCalibrationAndAccounting) {
  for (const double epsilon : {0.01, 0.5, 4.0, 40.0}) {
    for (const double delta : {1e-3, 1e-9}) {
      const double mu = gaussian::mu_for(Epsilon(epsilon), Delta(delta));
      const double back = gaussian::epsilon(mu, Delta(delta));
      EXPECT_NEAR(back / epsilon, 1, 1e-11);
    }
  }
}

// Reference values computed at 12 digits by two independent programs.
TEST(AnalyticGaussian, LargestMuOfATarget) {
  struct Case {
    double epsilon, delta, mu;
  };
  for (const auto& [epsilon, delta, mu] : {Case{0.1, 1e-6, 0.0275446502438},
                                           {0.5, 1e-5, 0.142210558669},
                                           {1, 1e-5, 0.268051123211},
                                           {1, 1e-6, 0.236704380663},
                                           {2, 1e-6, 0.448334740395},
                                           {4, 1e-6, 0.83785875709},
                                           {10, 1e-6, 1.84813220577},
                                           {20, 1e-6, 3.23535930689},
                                           {1, 1e-9, 0.181974807295}}) {
    EXPECT_NEAR(gaussian::mu_for(Epsilon(epsilon), Delta(delta)) / mu, 1, 1e-11);
  }
}

TEST(ClassicalGaussian, RefusesWhatItsTheoremDoesNotCover) {
  EXPECT_NEAR(textbook::gaussian_sigma(1, 0.5, 1e-5), 9.6896105252108, 1e-12);
  EXPECT_NEAR(textbook::gaussian_sigma(1, 0.9, 1e-6), 5.8875583631672, 1e-12);
  EXPECT_THROW(static_cast<void>(textbook::gaussian_sigma(1, 1, 1e-5)), base::GuaranteeError);
  EXPECT_THROW(static_cast<void>(textbook::gaussian_sigma(1, 0, 1e-5)), base::GuaranteeError);
  EXPECT_THROW(static_cast<void>(textbook::gaussian_sigma(1, 0.5, 0)), base::GuaranteeError);
}

// The classical formula used beyond its theorem, and what it then really promises (reference
// values computed at 60 digits).
TEST(ClassicalGaussian, FailsForLargeEpsilon) {
  struct Case {
    double epsilon, target, delta;
  };
  for (const auto& [epsilon, target, delta] : {Case{1, 1e-5, 4.113691954e-8},
                                               {4, 1e-5, 6.844937952e-7},
                                               {8, 1e-5, 7.970595518e-6},
                                               {10, 1e-5, 2.265374365e-5},
                                               {20, 1e-5, 0.001526694696},
                                               {50, 1e-5, 0.5861842637},
                                               {8, 1e-2, 0.01782395376}}) {
    const double sigma = std::sqrt(2 * std::log(1.25 / target)) / epsilon;
    EXPECT_NEAR(gaussian::delta(1 / sigma, epsilon) / delta, 1, 1e-9);
  }
}

}  // namespace gaussian_test
}  // namespace tacet::accounting
