// Faults of noise: too little of it, off its grid, or used twice.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/noise/laplace.h"
#include "tacet/optimize/sums/vector_sum.h"
#include "tacet/random/choose/subset.h"
#include "tests/faults/fault_tests.h"

namespace tacet::faults {
namespace {

using enum privacy::Adjacency;
using mechanism::ReleaseContext;

constexpr privacy::Guarantee claimed{1, 1e-5, add_remove};
constexpr privacy::Guarantee pure{1, 0, add_remove};
constexpr int bits = 12;

privacy::BoundedSum sum_of(const std::vector<double>& record, optimize::Norm norm) {
  optimize::VectorSum sum(std::ssize(record), norm, 1, {}, bits);
  sum.add(record);
  return std::move(sum).take();
}

/// How many numbers of a release are no multiples of the grid.
template <typename Release>
Finding off_grid(const privacy::Event& event, const Release& release) {
  std::int64_t off = 0;
  constexpr std::int64_t runs = 200;
  auto subject = subject_of(event, claimed, [&](bool, const ReleaseContext& context) {
    const double units = std::ldexp(release(context), bits);
    off += std::nearbyint(units) == units ? 0 : 1;
    return units;
  });
  std::vector<double> out(runs);
  subject.draw(false, 1, out);
  return certain(off > 0, runs);
}

Finding textbook_gaussian() {
  const privacy::NoiseMultiplier noise(2);
  return off_grid(privacy::Gaussian{2}, [&](const ReleaseContext& context) {
    return mechanism::release_gaussian(sum_of({.3}, optimize::Norm::l2), noise, context).value()[0];
  });
}

Finding textbook_laplace() {
  const privacy::NoiseMultiplier noise(2);
  return off_grid(privacy::Laplace{2}, [&](const ReleaseContext& context) {
    return mechanism::release_laplace(sum_of({.3}, optimize::Norm::l1), noise, context).value()[0];
  });
}

/// Neighbours reach the same outputs: the last bit of a record's number must drown too.
Finding coarser_noise_grid() {
  auto subject =
      subject_of(privacy::Laplace{1}, pure, [](bool other, const ReleaseContext& context) {
        const double record = other ? std::ldexp(1.0, -bits) : 0.0;
        const auto noisy = mechanism::release_laplace(sum_of({record}, optimize::Norm::l1),
                                                      privacy::NoiseMultiplier(1), context);
        return std::fabs(std::fmod(std::ldexp(noisy.value()[0], bits), 2));
      });
  subject.statistic = audit::Statistic::cells;
  return audited(subject, 1000);
}

/// The words at two addresses; equal ones have a probability of 2^-64 each.
Finding equal_words(random::BlockClaim one, random::BlockClaim other) {
  std::array<std::uint64_t, 64> first{};
  std::array<std::uint64_t, 64> second{};
  random::KeystreamBlock(std::move(one)).words(0, first);
  random::KeystreamBlock(std::move(other)).words(0, second);
  std::int64_t equal = 0;
  for (std::size_t i = 0; i < first.size(); ++i) equal += first[i] == second[i] ? 1 : 0;
  return {equal > 0 ? 0x1p-58 : 1, std::ssize(first)};
}

Finding noise_of_all_steps_equal() {
  random::SeededSource source(1);
  auto one = source.claim(random::Purpose::noise, 0, 0, 64);
  return equal_words(std::move(one), source.claim(random::Purpose::noise, 1, 0, 64));
}

Finding noise_of_resumed_runs_equal() {
  random::SeededSource source(1);
  auto one = source.claim(random::Purpose::noise, 0, 0, 64);
  source.next_run();
  return equal_words(std::move(one), source.claim(random::Purpose::noise, 0, 0, 64));
}

/// The p-value of a share, from both sides.
Finding share_is(double share, std::int64_t times, std::int64_t runs) {
  return {audit::p_value([&](double of) {
            return audit::binomial_lower_bound(times, runs, of / 2) > share ||
                   audit::binomial_upper_bound(times, runs, of / 2) < share;
          }),
          runs};
}

constexpr double rate = 0.25;
constexpr std::int64_t population = 1000;

/// Samples of some records, each of which joins at that rate.
template <typename Count>
std::int64_t counted(std::int64_t draws, const Count& count) {
  random::SeededSource source(2);
  std::int64_t times = 0;
  for (std::uint64_t step = 0; step < static_cast<std::uint64_t>(draws); ++step) {
    const random::KeystreamBlock block(source.claim(random::Purpose::sampling, step, 0));
    times +=
        count(random::poisson_sample(block, random::PoissonRate::at_least(rate), 0, population));
  }
  return times;
}

Finding sampling_rate_doubled() {
  constexpr std::int64_t draws = 200;
  const auto joined = counted(draws, [](const auto& sample) { return std::ssize(sample); });
  return share_is(rate, joined, draws * population);
}

Finding last_record_never_sampled() {
  constexpr std::int64_t draws = 400;
  const auto joined = counted(draws, [](const auto& sample) -> std::int64_t {
    return std::ranges::binary_search(sample, population - 1) ? 1 : 0;
  });
  return share_is(rate, joined, draws);
}

Finding sample_repeats_records() {
  random::SeededSource source(3);
  constexpr std::int64_t draws = 100;
  bool repeated = false;
  for (std::uint64_t step = 0; step < draws; ++step) {
    const auto sample =
        random::uniform_subset(source.claim(random::Purpose::sampling, step, 0), 10, 20);
    repeated = repeated || std::ranges::adjacent_find(sample) != sample.end();
  }
  return certain(repeated, draws);
}

/// Two releases of a record, which are told apart by their sum.
Finding one_step_too_few() {
  const double mu = accounting::gaussian::mu_for(privacy::Epsilon(1), privacy::Delta(1e-5));
  const privacy::NoiseMultiplier noise(std::sqrt(2) / mu);
  const privacy::Event event = privacy::Repeated{2, privacy::Gaussian{noise.value()}};
  auto subject = subject_of(event, accounting::account(event, add_remove, privacy::Delta(1e-5)),
                            [=](bool other, const ReleaseContext& context) {
                              double sum = 0;
                              for (const std::uint64_t tensor : {0U, 1U}) {
                                auto again = context.address;
                                again.tensor = tensor;
                                sum += mechanism::release_gaussian(
                                           sum_of({other ? 1.0 : 0.0}, optimize::Norm::l2), noise,
                                           {again, context.source, context.reservation})
                                           .value()[0];
                              }
                              return sum;
                            });
  subject.gaussian = true;
  return audited(subject, 30000);
}

constexpr FaultTest tests[] = {
    {"halved_noise", [] { return audited("gaussian", claimed, 10000); }},
    {"variance_for_deviation", [] { return audited("gaussian", claimed, 30000); }},
    {"textbook_gaussian", textbook_gaussian},
    {"halved_laplace_noise", [] { return audited("laplace", pure, 3000); }},
    {"textbook_laplace", textbook_laplace},
    {"coarser_noise_grid", coarser_noise_grid},
    {"halved_discrete_laplace", [] { return audited("discrete-noise", pure, 10000); }},
    {"deviation_for_variance",
     [] {
       return audited("discrete-noise", {.5, 1e-5, add_remove}, 30000);
     }},
    {"noise_of_all_steps_equal", noise_of_all_steps_equal},
    {"noise_of_resumed_runs_equal", noise_of_resumed_runs_equal},
    {"sampling_rate_doubled", sampling_rate_doubled},
    {"last_record_never_sampled", last_record_never_sampled},
    {"sample_repeats_records", sample_repeats_records},
    {"replaced_record_at_one_bound",
     [] {
       return audited("gaussian", {1, 1e-5, replace_one}, 10000);
     }},
    {"laplace_at_one_bound",
     [] {
       return audited("laplace", {1, 0, replace_one}, 3000);
     }},
    {"one_step_too_few", one_step_too_few}};

}  // namespace

std::span<const FaultTest> noise_tests() { return tests; }

}  // namespace tacet::faults
