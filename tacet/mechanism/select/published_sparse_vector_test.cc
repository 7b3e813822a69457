#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/mechanism/select/sparse_vector_plan.h"

// The scales of Lemma 4 of Zhang, Mironov and Hejazinia (2021), what they cost, and what they are
// worth; reference values of an independent program.
namespace tacet::mechanism {
namespace published_sparse_vector_test {

constexpr auto adjacency = privacy::Adjacency::replace_one;

double ratio(random::Ratio scale) {
  return static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator);
}

TEST(PublishedSparseVector, ScalesAndCostsAreThoseOfTheReferenceTable) {
  struct Case {
    std::int64_t count;
    double epsilon, delta, threshold, value, pure, advanced, tight;
  };
  for (const auto& c : {Case{1, 1, 1e-6, 22.68114639539124, 861.883563024867, 0.08933921390699312,
                             0.4893799983856938, 0.08933538492693861},
                        Case{10, 1, 1e-6, 71.72408255315429, 2725.5151370198623, 0.2825154003150886,
                             0.489136299807952, 0.27813943195798146},
                        Case{100, 1, 1e-6, 226.81146395391238, 8618.83563024867, 0.8933921390699314,
                             0.4890612589108256, 0.3428977644886297},
                        Case{10, 8, 1e-6, 8.965510319144286, 340.6893921274828, 2.2601232025207088,
                             4.40759371631828, 2.2431497186741676},
                        Case{100, 16, 1.25e-7, 15.157574594665665, 575.9878345972952,
                             13.368337901413305, 9.561392388200032, 7.065945825686352}}) {
    SCOPED_TRACE(c.count);
    const auto options = zhang2021_sparse_vector(c.count, 0, {c.epsilon, c.delta, adjacency});
    constexpr std::int64_t sensitivity = 1 << 20;
    const auto scales = internal::sparse_vector_scales(options, sensitivity, Movement::any);
    // Costs are rounded to fractions of 20 bits; what the threshold's loses, the query's gets.
    const auto expect_scale = [&](random::Ratio scale, double expected) {
      EXPECT_NEAR(ratio(scale) / sensitivity / expected, 1, 1e-5);
    };
    expect_scale(scales.threshold, c.threshold);
    expect_scale(scales.query, 2 * c.threshold);
    expect_scale(scales.value.value(), c.value);
    const auto event = sparse_vector_event(options, adjacency);
    const auto cost = [&](double delta) {
      return accounting::epsilon_interval(event, adjacency, privacy::Delta(delta));
    };
    EXPECT_NEAR(cost(0).upper, c.pure, 1e-9 * c.pure);
    EXPECT_LE(cost(c.delta).lower, c.tight * (1 + 1e-9));
    EXPECT_NEAR(cost(c.delta).upper, c.tight, 1e-3 * c.tight);
    // The paper's route, two advanced compositions, lies above and below what it states.
    const auto part = [&](double each) {
      const auto n = static_cast<double>(c.count);
      return std::sqrt(2 * n * std::log(2 / c.delta)) * each + n * each * std::expm1(each);
    };
    EXPECT_NEAR(part(2 / c.threshold) + part(1 / c.value), c.advanced, 1e-9 * c.advanced);
    EXPECT_LE(c.tight, c.advanced);
  }
}

// Lemma 4 says that every released value misses alpha with probability at most beta = .01 in all;
// with its own scale of the released values one alone misses with .1737.
TEST(PublishedSparseVector, ReleasedValuesAreNotAsAccurateAsStated) {
  constexpr double p = 1e5;
  constexpr double beta = 0.01;
  constexpr double delta = 1e-6;
  const auto options = zhang2021_sparse_vector(10, 0, {1, delta, adjacency});
  constexpr std::int64_t sensitivity = 1 << 20;
  const auto scales = internal::sparse_vector_scales(options, sensitivity, Movement::any);
  const double alpha =
      20 * (std::log(p) + std::log(4 * 10 / beta)) * std::sqrt(10 * std::log(2 / delta));
  const double missed = std::exp(-alpha * sensitivity / ratio(scales.value.value()));
  EXPECT_NEAR(missed, 0.17365133682246645, 1e-6);
  EXPECT_GT(missed, beta);
}

TEST(PublishedSparseVector, NeedsADeltaAndASharelessThanOne) {
  EXPECT_THROW((void)zhang2021_sparse_vector(10, 0, {1, 0, adjacency}), base::UsageError);
  auto options = zhang2021_sparse_vector(10, 0, {1, 1e-6, adjacency});
  options.threshold_share = 1;
  EXPECT_THROW((void)sparse_vector_event(options, adjacency), base::UsageError);
}

}  // namespace published_sparse_vector_test
}  // namespace tacet::mechanism
