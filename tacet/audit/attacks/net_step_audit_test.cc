#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/audit/evidence.h"
#include "tacet/learn/wide/net_gradients.h"
#include "tacet/mechanism/noise/row_gaussian.h"
#include "tacet/model/wide/wide_numbers.h"
#include "tests/support/spender.h"

// A step of a net with a hidden layer from outside: run very often with and without one record,
// looked at along the direction that it alone has, and told apart as well as that can be. What is
// seen must not be more than is booked; with half of the noise it is.
namespace tacet::learn {
namespace net_step_audit_test {

using privacy::Event;
using privacy::Gaussian;

constexpr auto neighbours = privacy::Adjacency::add_remove;
constexpr double rate = 0.5;
constexpr double clip = 0x1p-6;  // far below what slopes are: every record is clipped to it

struct NoRows : model::WideRows {
  [[nodiscard]] std::span<const float> row(std::int64_t, std::span<float>) const override {
    return {};
  }
};

struct Whole {
  std::vector<double> block;
  [[nodiscard]] static std::span<double> row(std::int64_t) { return {}; }
  [[nodiscard]] std::span<double> dense(std::size_t first, std::size_t count) {
    return std::span(block).subspan(first, count);
  }
  void dense_products(std::size_t first, const numeric::PickedRows& picked,
                      std::span<const double> vector) {
    for (std::size_t k = 0; k < picked.places.size(); ++k) {
      const auto out = dense(first + picked.places[k] * vector.size(), vector.size());
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += picked.factors[k] * vector[i];
    }
  }
};

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void shorten(std::vector<double>& vector) {
  const double norm = std::sqrt(product(vector, vector));
  for (double& number : vector) number /= norm;
}

Event step_event(double noise) {
  return mechanism::SamplePermit::event(privacy::Sample::poisson(privacy::SamplingRate(rate)),
                                        {Gaussian{noise}});
}

/// Three records of one kind, and the canary where asked for, in a net of a dense block alone.
data::Dataset records(bool with_canary) {
  data::Dataset data({.columns = 2, .norm_bound = 1, .labels = data::LabelDomain::signs()});
  for (int i = 0; i < 3; ++i) data.append_dense(std::vector<std::int16_t>{2048, 0}, -1);
  if (with_canary) data.append_dense(std::vector<std::int16_t>{0, 2048}, 1);
  return data;
}

class Steps {
 public:
  Steps(double noise, std::int64_t count, std::uint64_t seed)
      : noise_(noise), spender_(seed, step_event(noise), neighbours, count) {
    for (std::size_t k = 0; k < block_.size(); ++k) {
      block_[k] = static_cast<float>(0.25 + 0.0625 * static_cast<double>(k % 3));
    }
    const auto direction = [&](std::int64_t record) {
      model::WideTrace trace;
      model::read_wide_record(net_, with_, record, trace);
      net_.forward(none_, block_, trace);
      net_.backward(with_.label(record), block_, trace);
      Whole whole{std::vector<double>(block_.size())};
      net_.add_gradient(trace, whole);
      shorten(whole.block);
      return whole.block;
    };
    const auto other = direction(0);
    const auto canary = direction(3);
    own_ = canary;
    const double common = product(canary, other);
    for (std::size_t k = 0; k < own_.size(); ++k) own_[k] -= common * other[k];
    shorten(own_);
    shift_ = product(canary, own_);
  }

  /// How far the canary's own direction is its gradient's, of 1.
  [[nodiscard]] double shift() const { return shift_; }

  /// The ratio of both laws at what one step shows along that direction.
  double ratio(bool with_canary) {
    const auto address = spender_.next();
    const auto drawn = privacy::DrawnSample::poisson(
        spender_.source.claim(random::Purpose::sampling, address.step, 0),
        random::PoissonRate::at_least(rate), with_canary ? 4 : 3);
    sum_.start(drawn.sample(), privacy::RowSelection::all(), clip);
    (with_canary ? gradients_with_ : gradients_without_).add(drawn.rows(), {none_, block_}, sum_);
    mechanism::SamplePermit permit(drawn.sample(), {Gaussian{noise_}}, spender_.reservation);
    const auto noisy =
        mechanism::release_rows(sum_.take(), privacy::NoiseMultiplier(noise_),
                                mechanism::PermitContext{address, spender_.source, permit});
    const double seen = product(noisy.value().dense(), own_) / clip;
    return 1 - rate + rate * std::exp((shift_ * seen - shift_ * shift_ / 2) / (noise_ * noise_));
  }

 private:
  double noise_;
  test::Spender spender_;
  base::ThreadPool pool_{1};
  model::WideNet net_{{.dense = {0, 1}, .hidden = {4}}};
  data::Dataset with_ = records(true);
  data::Dataset without_ = records(false);
  NoRows none_;
  std::vector<float> block_ = std::vector<float>(static_cast<std::size_t>(net_.layout().dense()));
  NetGradients gradients_with_{net_, with_, 1, pool_};
  NetGradients gradients_without_{net_, without_, 1, pool_};
  optimize::RunningRowSum sum_{net_.layout(), {.max_rows = 1}, pool_};
  std::vector<double> own_;
  double shift_ = 0;
};

double booked(double noise, double epsilon) {
  return accounting::delta_interval(step_event(noise), neighbours, privacy::Epsilon(epsilon)).upper;
}

/// Lower bounds of delta at an epsilon, by a record that is added and one that is removed.
struct Shown {
  double added;
  double removed;
};

constexpr double epsilons[] = {0, 0.25, 0.5, 1};
constexpr double false_alarm = 1.6e-6;  // of all bounds of one set of runs

std::vector<Shown> shown(double noise, std::int64_t runs, std::uint64_t seed) {
  Steps steps(noise, 2 * runs, seed);
  EXPECT_GT(steps.shift(), 0.7);
  std::vector<double> with;
  std::vector<double> without;
  for (std::int64_t i = 0; i < runs; ++i) {
    with.push_back(steps.ratio(true));
    without.push_back(steps.ratio(false));
  }
  std::vector<Shown> result;
  for (const double epsilon : epsilons) {
    // Both directions take a lower and an upper bound at each of four epsilons.
    const auto more = [&](const auto& one, const auto& other, const auto& shows) {
      return audit::binomial_lower_bound(std::ranges::count_if(one, shows), runs,
                                         false_alarm / 16) -
             std::exp(epsilon) * audit::binomial_upper_bound(std::ranges::count_if(other, shows),
                                                             runs, false_alarm / 16);
    };
    result.push_back(
        {more(with, without, [&](double ratio) { return ratio > std::exp(epsilon); }),
         more(without, with, [&](double ratio) { return ratio < std::exp(-epsilon); })});
  }
  return result;
}

void audit(std::int64_t runs, std::uint64_t seed) {
  const auto honest = shown(1, runs, seed);
  const auto halved = shown(0.5, runs, seed + 1);
  for (std::size_t i = 0; i < honest.size(); ++i) {
    EXPECT_LE(honest[i].added, booked(1, epsilons[i])) << epsilons[i];
    EXPECT_LE(honest[i].removed, booked(1, epsilons[i])) << epsilons[i];
    EXPECT_LE(halved[i].added, booked(0.5, epsilons[i])) << epsilons[i];
    // Half of the noise that is booked, or a record that counts twice, would be caught.
    EXPECT_GT(halved[i].added, booked(1, epsilons[i])) << epsilons[i];
  }
}

TEST(NetStepAudit, ShowsNoMoreThanIsBooked) { audit(10000, 7); }

TEST(NetStepAuditLong, AHundredThousandRunsShowNoMoreThanIsBooked) { audit(100000, 9); }

}  // namespace net_step_audit_test
}  // namespace tacet::learn
