#include "tacet/learn/plan/wang2021.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/optimize/sgd/sgd_law.h"

namespace tacet::learn::wang2021 {
namespace wang2021_test {

model::Loss power(double exponent) {
  if (exponent == 1) return model::HingeLoss{};
  return model::PowerHingeLoss{exponent};
}

// c_1 of the self-bounding inequality: |g| <= c_1 f^(alpha/(1+alpha)).
double self_bounding(const Constants& c) {
  const double a = c.alpha;
  if (a == 0) return c.M + c.L;
  return std::pow(1 + 1 / a, a / (1 + a)) * std::pow(c.L, 1 / (1 + a));
}

TEST(PaperCalibration, ConstantsEqualReferenceValues) {
  struct Row {
    double q;
    double L;
    double M;
    double c1;
    double growth;
    double expansion;
  };
  for (const auto& row : {Row{1, 1, 1, 2, 6, 0.1},
                          Row{1.25, 1.25, 1.25, 1.64938488847, 3.08787238288, 0.0384248614877},
                          Row{1.5, 1.5, 1.5, 1.88988157484, 3.6875, 0.00649519052838},
                          Row{1.75, 1.75, 1.75, 1.97962633005, 14.5662689209, 4.43111669773e-5},
                          Row{2, 2, 2, 2, 2, 0}}) {
    const auto c = constants(power(row.q), 1);
    EXPECT_NEAR(c.L, row.L, 1e-12);
    EXPECT_NEAR(c.M, row.M, 1e-12);
    EXPECT_NEAR(self_bounding(c), row.c1, 1e-11);
    EXPECT_NEAR(iterate_growth(c), row.growth, 1e-9);
    EXPECT_NEAR(expansion(c, 0.1), row.expansion, 1e-13);
  }
}

TEST(PaperCalibration, SensitivityAndNoiseEqualReferenceValues) {
  struct Row {
    double q;
    double on_ball;
    double noise_on_ball;
    double on_space;
    double noise_on_space;
  };
  EXPECT_NEAR(overcount(1000, 1000, 5e-6), 57.3414837735, 1e-9);
  for (const auto& row : {Row{1, 3.91525736824, 39.0415615794, 3.91525736824, 39.0415615794},
                          Row{1.5, 5.82058318731, 58.0407966992, 10.0819474855, 100.53361416},
                          Row{2, 7.76077626961, 77.3877158348, 21.2340114318, 211.738051148}}) {
    const auto c = constants(power(row.q), 1);
    const wang2021::Run ball{1000, 1000, 0.01, 1.0};
    const wang2021::Run space{1000, 1000, 0.01, {}};
    EXPECT_NEAR(sensitivity(c, ball, 5e-6), row.on_ball, 1e-9);
    EXPECT_NEAR(output_noise(c, ball, 0.5, 1e-5).sigma, row.noise_on_ball, 1e-8);
    EXPECT_NEAR(sensitivity(c, space, 5e-6), row.on_space, 1e-9);
    EXPECT_NEAR(output_noise(c, space, 0.5, 1e-5).sigma, row.noise_on_space, 1e-7);
  }
}

TEST(PaperCalibration, SchedulesEqualReferenceValues) {
  struct Row {
    double alpha;
    Schedule space;
    Schedule ball;
    double gradient_step;
  };
  for (const auto& row :
       {Row{0, {100000000, 2.15443469e-7}, {100000000, 2.916810839e-7}, 1e-6},
        Row{.25, {128143, 1.327621704e-4}, {398108, 7.326682306e-5}, 2.511881198e-4},
        Row{.5, {10000, 1.389495494e-3}, {10000, 2.916810839e-3}, 0.01},
        Row{1, {10000, 1e-3}, {10000, 2.916810839e-3}, 0.01}}) {
    const auto at = [&](Theorem theorem) {
      return schedule(theorem, {10000, 10, row.alpha, 1, 1e-6});
    };
    EXPECT_EQ(at(Theorem::output_on_space).T, row.space.T) << row.alpha;
    EXPECT_NEAR(at(Theorem::output_on_space).eta / row.space.eta, 1, 1e-9);
    EXPECT_EQ(at(Theorem::output_on_ball).T, row.ball.T);
    EXPECT_NEAR(at(Theorem::output_on_ball).eta / row.ball.eta, 1, 1e-9);
    EXPECT_EQ(at(Theorem::gradient_on_ball).T, row.ball.T);
    EXPECT_NEAR(at(Theorem::gradient_on_ball).eta / row.gradient_step, 1, 1e-9);
  }
}

TEST(PaperCalibration, GradientNoiseEqualsReferenceValues) {
  struct Row {
    std::int64_t n;
    double epsilon;
    double delta;
    double beta;
    double lambda;
    double ratio;
  };
  for (const auto& row : {Row{10000, 1, 1e-6, 0.001213474199, 14.83229569, 2.068344788},
                          Row{10000, 4, 1e-6, 5.394485293e-4, 4.455741834, 0.8501372185},
                          Row{100000, .5, 1e-6, 2.952183499e-4, 28.63918071, 2.605899369},
                          Row{100000, 1, 1e-10, 1.579949584e-4, 24.02948947, 2.307197007},
                          Row{1000, 2, 1e-6, 0.004596960489, 7.939656606, 1.738539244}}) {
    const auto found = gradient_noise(row.n, row.n, row.epsilon, row.delta);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->beta / row.beta, 1, 1e-8);
    EXPECT_NEAR(found->lambda / row.lambda, 1, 1e-8);
    EXPECT_NEAR(found->ratio / row.ratio, 1, 1e-8);
  }
  EXPECT_FALSE(gradient_noise(1000, 1000, 0.5, 1e-6));
  for (const double beta : {.5, .1, .01, .005}) {
    EXPECT_FALSE(feasible(10000, 10000, 1, 1e-6, beta));
  }
  EXPECT_TRUE(feasible(10000, 10000, 1, 1e-6, 0.001));
  const auto there = gradient_noise_at(10000, 10000, 1, 1e-6, 0.001);
  EXPECT_NEAR(there.lambda / 14.829339898, 1, 1e-10);
  EXPECT_NEAR(there.ratio * there.ratio / 5.190268964, 1, 1e-9);
}

// The largest feasible beta, .8943, would need 22.70 for the same claim.
TEST(PaperCalibration, BetaIsTheFeasibleOneClosestToAHalf) {
  const auto one = gradient_noise(100000, 10000000000, 1, 1e-6);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->beta, 0.5);
  EXPECT_NEAR(one->ratio, 14.157, 1e-3);
  const auto four = gradient_noise(100000, 10000000000, 4, 1e-6);
  ASSERT_TRUE(four);
  EXPECT_LT(four->ratio, 4);
  EXPECT_TRUE(feasible(100000, 10000000000, 1, 1e-6, 0.894));
}

// The classical factor of the Gaussian mechanism is below the exact one from epsilon 8.42 on.
TEST(PaperCalibration, NoiseBeyondEpsilonOneIsRepaired) {
  const auto c = constants(model::HingeLoss{}, 1);
  const wang2021::Run run{1000, 1000, 0.01, 1.0};
  EXPECT_FALSE(output_noise(c, run, 1, 1e-5).repaired);
  for (const double epsilon : {1.5, 8.0, 10.0}) {
    const auto noise = output_noise(c, run, epsilon, 1e-5);
    EXPECT_TRUE(noise.repaired);
    const double mu = sensitivity(c, run, 5e-6) / noise.sigma;
    EXPECT_LE(accounting::gaussian::delta(mu, epsilon), 5e-6 * (1 + 1e-9));
  }
  const double classical = std::sqrt(2 * std::log(1.25 / 1e-5)) / 10;
  EXPECT_NEAR(accounting::gaussian::delta(1 / classical, 10), 2.265374365e-5, 1e-12);
}

TEST(PaperCalibration, RefusesStepsBeyondItsTheorem) {
  const auto c = constants(model::SquaredLoss{}, 1);
  EXPECT_THROW((void)sensitivity(c, {100, 100, 1.5, {}}, 1e-6), base::UsageError);
  EXPECT_NO_THROW((void)sensitivity(c, {100, 100, 1.5, 2.0}, 1e-6));
  EXPECT_THROW((void)sensitivity(c, {100, 100, 2.5, 2.0}, 1e-6), base::UsageError);
}

// Lemma 13 of the paper promises a beta from an epsilon on that is too small for few records.
TEST(PaperCalibration, TheLeastEpsilonWithABetaIsNotThatOfLemma13) {
  struct Row {
    std::int64_t n;
    double printed;
    double least;
  };
  for (const auto& row : {Row{18, 3.881, 4.517}, Row{20, 3.772, 4.311}, Row{30, 3.400, 3.625}}) {
    const auto n = static_cast<double>(row.n);
    const double root = std::cbrt(n) - 1;
    EXPECT_NEAR((7 * root + 4 * n * std::log(n) + 7) / (2 * n * root), row.printed, 1e-3);
    EXPECT_FALSE(gradient_noise(row.n, row.n, row.printed + 1e-3, 1 / (n * n))) << row.n;
    EXPECT_FALSE(gradient_noise(row.n, row.n, row.least - 2e-3, 1 / (n * n))) << row.n;
    EXPECT_TRUE(gradient_noise(row.n, row.n, row.least + 2e-3, 1 / (n * n))) << row.n;
  }
}

// How far one step drives two runs apart, for linear predictors against the paper's constant.
TEST(PaperCalibration, TightExpansionIsAKnownShareOfThePapers) {
  for (const auto& [alpha, share] :
       {std::pair{.25, 0.736806299728}, std::pair{.5, 2.0 / 3}, std::pair{.9, 0.614709800632}}) {
    const auto loss = power(1 + alpha);
    EXPECT_NEAR(
        optimize::one_step_growth(loss, 0.1, 1, std::nullopt) / expansion(constants(loss, 1), 0.1),
        share, 1e-11)
        << alpha;
  }
}

// sigma over the sensitivity of the exact Gaussian mechanism.
TEST(PaperCalibration, ExactGaussianFactorsEqualReferenceValues) {
  struct Row {
    double epsilon;
    double factors[3];  // at delta 1e-5, 1e-6, 1e-8
  };
  const double deltas[] = {1e-5, 1e-6, 1e-8};
  for (const auto& row : {Row{0.1, {30.749566132, 36.3046904262, 45.937360185}},
                          Row{0.5, {7.03182667558, 8.05761848073, 9.86353379617}},
                          Row{1, {3.73063163482, 4.22467888933, 5.10030878753}},
                          Row{2, {1.99381244564, 2.23047627119, 2.65292676806}},
                          Row{4, {1.08116184952, 1.19351858716, 1.39558268391}},
                          Row{10, {0.499888619709, 0.541086831818, 0.61584635576}}}) {
    for (int i = 0; i < 3; ++i) {
      const double found =
          full_batch_noise(1, privacy::Epsilon(row.epsilon), privacy::Delta(deltas[i]),
                           privacy::Adjacency::replace_one) /
          2;
      EXPECT_NEAR(found / row.factors[i], 1, 1e-9);
    }
  }
}

// The classical factor sqrt(2 ln(1.25/delta))/epsilon misses delta from these epsilons on.
TEST(PaperCalibration, TheClassicalGaussianFactorFailsForLargeEpsilons) {
  for (const auto& [delta, crossing] :
       {std::pair{1e-5, 8.4198}, std::pair{1e-6, 8.7821}, std::pair{1e-8, 9.3743}}) {
    const auto reached = [delta](double epsilon) {
      return accounting::gaussian::delta(epsilon / std::sqrt(2 * std::log(1.25 / delta)), epsilon);
    };
    EXPECT_LE(reached(crossing - 1e-4), delta);
    EXPECT_GT(reached(crossing + 1e-4), delta);
  }
}

// One pass with step 1/sqrt(n) over n records of a power hinge, radius 1: the paper's bound, the
// sensitivity of its own sampling, of a permutation, and of a permutation with smoothing.
// Reference values, five digits; that of the paper's sampling depends on the draw.
struct SensitivityRow {
  double q;
  std::int64_t n;
  double published;
  double drawn;
  double pass;
  double smooth;
  double noise;     // the paper's, at epsilon 1; ten times that at 0.1
  double gains[3];  // the paper's noise over that of smoothed passes at epsilon 0.1, 1 and 4
};

void expect_sensitivities(const SensitivityRow& row) {
  const double eta = 1 / std::sqrt(static_cast<double>(row.n));
  const double delta = std::pow(static_cast<double>(row.n), -2);
  const auto c = constants(power(row.q), 1);
  EXPECT_NEAR(sensitivity(c, {row.n, row.n, eta, 1.0}, delta / 2) / row.published, 1, 1e-3);
  random::SeededSource source(1);
  const auto found = [&](optimize::RecordOrder sampling, bool smooth, std::uint64_t address) {
    const optimize::SgdSchedule schedule{
        .records = row.n,
        .order = optimize::draw_order(sampling, {row.n, 1, row.n}, source, address),
        .step_sizes = {eta}};
    const optimize::SgdProblem problem{
        .loss = power(row.q), .smooth = smooth, .columns = 1, .radius = 1};
    return optimize::sgd_sensitivity(
               schedule, {.steps = row.n},
               optimize::step_law(problem, schedule, privacy::Adjacency::replace_one))
        .value;
  };
  using enum optimize::RecordOrder;
  EXPECT_NEAR(found(permutation, false, 0) / row.pass, 1, 1e-4) << row.q << " " << row.n;
  EXPECT_NEAR(found(permutation, true, 1) / row.smooth, 1, 1e-4) << row.q << " " << row.n;
  const double drawn = found(with_replacement, false, 2);
  EXPECT_NEAR(drawn / row.drawn, 1, 0.35);  // a record more or less often
  EXPECT_LT(drawn, row.published);
  const Run run{row.n, row.n, eta, 1.0};
  EXPECT_NEAR(output_noise(c, run, 1, delta).sigma / row.noise, 1, 1e-3);
  EXPECT_NEAR(output_noise(c, run, 0.1, delta).sigma / row.noise, 10, 1e-2);
  const double epsilons[] = {0.1, 1, 4};
  for (int i = 0; i < 3; ++i) {
    // Of replace_one, in units of half the distance.
    const double tight = full_batch_noise(1, privacy::Epsilon(epsilons[i]), privacy::Delta(delta),
                                          privacy::Adjacency::replace_one) /
                         2 * row.smooth;
    // The table's factor is the classical one for every epsilon.
    EXPECT_NEAR(row.noise / epsilons[i] / tight / row.gains[i], 1, 5e-3) << row.q << " " << row.n;
  }
}

TEST(PaperCalibration, TightSensitivitiesAreFarBelowThePapers) {
  for (const auto& row :
       {SensitivityRow{1, 1000, 13.81, 0.74311, 0.66903, 0.063182, 74.96, {327, 281, 249}},
        SensitivityRow{1, 10000, 5.9362, 0.69913, 0.66691, 0.019998, 36.92, {402, 362, 331}},
        SensitivityRow{1.5, 1000, 20.567, 0.42946, 0.13438, 0.13403, 111.6, {229, 197, 174}},
        SensitivityRow{1.5, 10000, 8.554, 0.17714, 0.042532, 0.042422, 53.2, {273, 246, 225}},
        SensitivityRow{2, 1000, 27.423, 0.80954, 0.25273, 0.25273, 148.9, {162, 139, 123}},
        SensitivityRow{2, 10000, 11.405, 0.33396, 0.079992, 0.079992, 70.93, {193, 174, 159}}}) {
    expect_sensitivities(row);
  }
}

TEST(PaperCalibrationLong, TightSensitivitiesAreFarBelowThePapersForManyRecords) {
  for (const auto& row :
       {SensitivityRow{1, 100000, 2.7777, 0.67646, 0.66669, 0.0063245, 19.22, {561, 518, 482}},
        SensitivityRow{1, 1000000, 1.852, 0.67057, 0.66667, 0.002, 13.99, {1140, 1070, 1010}},
        SensitivityRow{1.5, 100000, 3.3533, 0.065464, 0.013451, 0.013416, 23.2, {319, 295, 274}},
        SensitivityRow{
            1.5, 1000000, 1.2654, 0.023462, 0.0042537, 0.0042426, 9.562, {366, 344, 324}},
        SensitivityRow{2, 100000, 4.4711, 0.12342, 0.025298, 0.025298, 30.94, {226, 208, 194}},
        SensitivityRow{2, 1000000, 1.6872, 0.044233, 0.008, 0.008, 12.75, {259, 243, 229}}}) {
    expect_sensitivities(row);
  }
}

}  // namespace wang2021_test
}  // namespace tacet::learn::wang2021
