#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/audit/evidence.h"
#include "tacet/mechanism/noise/row_gaussian.h"
#include "tacet/mechanism/select/crossings.h"
#include "tacet/optimize/sums/row_sum.h"
#include "tests/support/spender.h"

// A whole step from outside: run very often with and without one record, whose gradient is a
// direction that nobody else has, and told apart as well as it can be. What is seen must not be
// more than is booked, and is more than half of the noise would be booked at.
namespace tacet::optimize {
namespace row_step_audit_test {

using mechanism::SamplePermit;
using privacy::Adjacency;
using privacy::Event;
using privacy::Gaussian;
using privacy::NoiseMultiplier;

constexpr auto neighbours = Adjacency::add_remove;
constexpr double rate = 0.5;
constexpr std::int64_t others = 3;
constexpr std::int64_t canary_row = 3;
constexpr std::int64_t threshold = std::int64_t{3} << 19;  // one and a half units

Event step_event(double noise) {
  return SamplePermit::event(privacy::Sample::poisson(privacy::SamplingRate(rate)),
                             {Gaussian{noise}, Gaussian{noise}});
}

/// What a step shows of the canary's row.
struct Seen {
  bool chosen = false;
  double value = 0;
};

class Steps {
 public:
  explicit Steps(std::int64_t count, std::uint64_t seed)
      : spender_(seed, step_event(1), neighbours, count) {}

  Seen run(bool with_canary) {
    const auto address = spender_.next();
    const auto drawn = privacy::DrawnSample::poisson(
        spender_.source.claim(random::Purpose::sampling, address.step, 0),
        random::PoissonRate::at_least(rate), others + (with_canary ? 1 : 0));
    batch_.start(drawn.sample());
    for (const auto record : drawn.rows()) {
      auto& arena = batch_.arena(0);
      arena.start();
      arena.row(record < others ? 0 : canary_row)[0] = 1;
      arena.finish();
    }
    SamplePermit permit(drawn.sample(), {Gaussian{1}, Gaussian{1}}, spender_.reservation);
    const mechanism::PermitContext context{address, spender_.source, permit};
    const auto rows =
        mechanism::release_crossings(batch_.presence(), NoiseMultiplier(1), threshold, context)
            .value();
    const auto noisy =
        mechanism::release_rows(batch_.sum(privacy::RowSelection::rows(rows), {.clipping_norm = 1}),
                                NoiseMultiplier(1), context);
    const auto place = std::ranges::find(rows, canary_row) - rows.begin();
    if (place == std::ssize(rows)) return {};
    return {true, noisy.value().cells()[static_cast<std::size_t>(2 * place)]};
  }

 private:
  test::Spender spender_;
  base::ThreadPool pool_{1};
  RowBatch batch_{privacy::RowLayout({{4, 2}}), {.max_rows = 2}, pool_};
};

/// The ratio of both laws at what is seen: the best that anybody can look at.
double likelihood_ratio(const Seen& seen) {
  const auto tail = [](double x) { return std::erfc(x / std::numbers::sqrt2) / 2; };
  double of_sampled = tail(0.5) / tail(1.5);
  if (!seen.chosen) of_sampled = (1 - tail(0.5)) / (1 - tail(1.5));
  if (seen.chosen) of_sampled *= std::exp(seen.value - 0.5);
  return 1 - rate + rate * of_sampled;
}

double booked(double noise, double epsilon) {
  return accounting::delta_interval(step_event(noise), neighbours, privacy::Epsilon(epsilon)).upper;
}

void audit(std::int64_t runs, std::uint64_t seed) {
  Steps steps(2 * runs, seed);
  std::vector<double> with;
  std::vector<double> without;
  for (std::int64_t i = 0; i < runs; ++i) {
    with.push_back(likelihood_ratio(steps.run(true)));
    without.push_back(likelihood_ratio(steps.run(false)));
  }
  // Both directions take a lower and an upper bound at each of four epsilons.
  constexpr double false_alarm = 1.6e-6;
  constexpr double alarm = false_alarm / 16;
  for (const double epsilon : {0.0, 0.25, 0.5, 1.0}) {
    const auto seen_more = [&](const std::vector<double>& one, const std::vector<double>& other,
                               auto shows) {
      const auto count = [&](const std::vector<double>& ratios) {
        return static_cast<std::int64_t>(std::ranges::count_if(ratios, shows));
      };
      return audit::binomial_lower_bound(count(one), runs, alarm) -
             std::exp(epsilon) * audit::binomial_upper_bound(count(other), runs, alarm);
    };
    const double added =
        seen_more(with, without, [&](double ratio) { return ratio > std::exp(epsilon); });
    const double removed =
        seen_more(without, with, [&](double ratio) { return ratio < std::exp(-epsilon); });
    EXPECT_LE(added, booked(1, epsilon)) << epsilon;
    EXPECT_LE(removed, booked(1, epsilon)) << epsilon;
    // Booked at twice its noise the step would be caught.
    if (epsilon == 0.5 || (runs >= 100000 && epsilon > 0)) {
      EXPECT_GT(added, booked(2, epsilon)) << epsilon;
    }
  }
}

// The probability that one of four bounds of two proportions, each at `level`, is on the wrong
// side.
double any_bound_fails(double level) {
  constexpr std::int64_t runs = 2000;
  const auto holds = [&](double p) {
    double mass = 0;
    double log_choose = 0;
    for (std::int64_t k = 0; k <= runs; ++k) {
      if (k > 0) {
        log_choose += std::log(static_cast<double>(runs - k + 1) / static_cast<double>(k));
      }
      const double probability = std::exp(log_choose + static_cast<double>(k) * std::log(p) +
                                          static_cast<double>(runs - k) * std::log1p(-p));
      if (probability < 1e-12) continue;
      if (audit::binomial_lower_bound(k, runs, level) <= p &&
          audit::binomial_upper_bound(k, runs, level) >= p) {
        mass += probability;
      }
    }
    return mass;
  };
  return 1 - holds(0.3) * holds(0.6);
}

// Four bounds share the probability of a false alarm: at half of it each, as for one direction
// alone, they fail nearly twice as often as is said.
TEST(RowStepAudit, FourBoundsShareTheChanceOfAFalseAlarm) {
  constexpr double said = 0.05;
  EXPECT_LE(any_bound_fails(said / 4), said);
  EXPECT_GT(any_bound_fails(said / 2), 1.5 * said);
}

TEST(RowStepAudit, ShowsNoMoreThanIsBooked) { audit(20000, 5); }

TEST(RowStepAuditLong, AHundredThousandRunsShowNoMoreThanIsBooked) { audit(100000, 6); }

}  // namespace row_step_audit_test
}  // namespace tacet::optimize
